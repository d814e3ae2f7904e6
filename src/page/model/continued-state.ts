/** The state that another run continues: the last one of a lost device, or one that needs more room. Plain data. */

import { changedFields } from './choices';
import { fieldOf } from './fields';
import type { Chosen } from './opened';
import type { SimulationView, State } from './simulation-view';

export interface Carried {
  readonly choices: Chosen;
  /** The number of particles that its run was started with. */
  readonly count: number;
  readonly checkpoint: State;
  /** The room of its run, which earlier states may need. */
  readonly room: { readonly capacity: number; readonly obstacleCapacity: number };
}

/** Packs a state of a run that was started with these choices and `count` particles. */
export function carry(
  { capacity, obstacleCapacity }: Pick<SimulationView, 'capacity' | 'obstacleCapacity'>,
  choices: Chosen,
  count: number,
  checkpoint: State,
): Carried {
  const room = { capacity, obstacleCapacity };
  return { choices, count, checkpoint, room };
}

/** True if a state of a run with the choices `before` can continue in a run with the choices `after`. */
export function isSameStart(before: Chosen, after: Chosen): boolean {
  if (before.opened !== after.opened) return false;
  const differing = changedFields(before, after).filter((name) => fieldOf(name).effect === 'start');
  return differing.every((name) => name === 'engine');
}
