/** What another run goes on from: the last state of a lost device, or one that needs more room. Plain data. */

import { changedFields } from './choices';
import { fieldOf } from './fields';
import type { Chosen } from './opened';
import type { SimulationView, State } from './simulation-view';

export interface Carried {
  readonly choices: Chosen;
  /** Particles that its run was started with. */
  readonly count: number;
  readonly checkpoint: State;
  /** What its run had room for, and states from before may need. */
  readonly room: { readonly capacity: number; readonly obstacleCapacity: number };
}

/** A state of a run that was started with these choices and so many particles. */
export function carry(
  { capacity, obstacleCapacity }: Pick<SimulationView, 'capacity' | 'obstacleCapacity'>,
  choices: Chosen,
  count: number,
  checkpoint: State,
): Carried {
  const room = { capacity, obstacleCapacity };
  return { choices, count, checkpoint, room };
}

/** Whether a state of a run with some choices can go on in one with others. */
export function isSameStart(before: Chosen, after: Chosen): boolean {
  if (before.opened !== after.opened) return false;
  const differing = changedFields(before, after).filter((name) => fieldOf(name).effect === 'start');
  return differing.every((name) => name === 'engine');
}
