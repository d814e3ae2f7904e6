/** A state that a new run continues, for example after a device loss, with other cells, or with more room. */

import { changedFields } from './choices';
import { type Choices, FIELD_NAMES, fieldOf } from './fields';
import type { Selection } from './opened';
import type { SimulationView, State } from './simulation-view';

export interface ContinuedState {
  readonly choices: Selection;
  readonly count: number;
  readonly checkpoint: State;
  /** The old run's capacities. The new run gets at least these, because the visitor may go back to earlier states. */
  readonly room: { readonly capacity: number; readonly obstacleCapacity: number };
}

export function packContinued(
  { capacity, obstacleCapacity }: Pick<SimulationView, 'capacity' | 'obstacleCapacity'>,
  choices: Selection,
  count: number,
  checkpoint: State,
): ContinuedState {
  const room = { capacity, obstacleCapacity };
  return { choices, count, checkpoint, room };
}

export function isSameStart(before: Selection, after: Selection): boolean {
  if (before.opened !== after.opened) return false;
  const differing = changedFields(before, after).filter((name) => fieldOf(name).effect === 'start');
  return differing.every((name) => name === 'engine');
}

const RENEWED = FIELD_NAMES.filter((name) => fieldOf(name).effect === 'renew');

/** Returns whether the choices need a new run, which may continue the state. */
export function needsRenewal(running: Choices, choices: Choices): boolean {
  return RENEWED.some((name) => running[name] !== choices[name]);
}

/** Returns `choices`, but with the present run's values of the fields that need a renewal. */
export function adopted(running: Selection, choices: Selection): Selection {
  return { ...choices, ...Object.fromEntries(RENEWED.map((name) => [name, running[name]])) };
}
