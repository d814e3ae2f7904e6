/**
 * Purpose: regions that liquid comes from. Each has places of particles, as far apart as in liquid at rest, that go with its
 * velocity through all of space; when a place comes into the region, a particle begins there. So the region is kept full by a
 * stream of even density, in whatever direction it goes.
 * Inputs: emitters, how far the places of each have gone, and a time step. Outputs: particles that begin, and the ways.
 * Guarantee: they depend on nothing else: no particle is looked at, so nothing is read back.
 */
import { ArgumentError, checkRange, LimitError } from '../../index';
import { checkRegion, copyRegion, cornersOf, type FluidRegion, isInRegion, JITTER, noise } from './regions';

/** A region and the velocity of what comes from it. */
export type Emitter = FluidRegion & { readonly velocity: readonly number[] };

export const MAX_EMITTERS = 16;

/** Places of particles in a region that are looked at in each substep: so many take some milliseconds. */
export const MOST_PLACES = 2 ** 18;

/** Looks at each place in a substep at most: beyond, some could come through a thin region unseen. */
const MOST_LOOKS = 16;

/** Distances between places that a stream goes a second at most, along each axis: what follows counts them one by one. */
const MOST_PACE = 2 ** 24;

/** Distances after which places repeat, since they are numbered in 32 bits: ways are kept within half of it, so that none is lost to rounding. */
const REPEAT = 2 ** 32;

/** How far a way may have gone. */
export function farthestWay({ spacing }: Pick<EmitterScope, 'spacing'>): number {
  return (REPEAT / 2) * spacing;
}

export interface EmitterScope {
  readonly dimensions: 2 | 3;
  readonly spacing: number;
  readonly max: readonly number[];
}

export function checkEmitters(
  given: readonly Emitter[],
  { dimensions, spacing, max }: EmitterScope,
): readonly Emitter[] {
  if (!Array.isArray(given) || given.length > MAX_EMITTERS) {
    throw new ArgumentError('emitters', given, `a list of at most ${MAX_EMITTERS} regions with a velocity`);
  }
  return given.map((emitter: Emitter, index) => {
    const name = `emitters[${index}]`;
    checkRegion(name, emitter, dimensions);
    const { velocity } = emitter;
    if (velocity === undefined || Math.hypot(...velocity) === 0) {
      throw new ArgumentError(`${name}.velocity`, velocity, `${dimensions} numbers that are not all 0`);
    }
    velocity.forEach((component, axis) => {
      checkRange(`${name}.velocity[${axis}]`, component, -MOST_PACE * spacing, MOST_PACE * spacing);
    });
    const corners = cornersOf(emitter);
    let places = 1;
    for (let axis = 0; axis < dimensions; axis++) {
      const low = Math.max(0, corners.min[axis] as number);
      const high = Math.min(max[axis] as number, corners.max[axis] as number);
      if (!(low < high)) {
        throw new ArgumentError(name, emitter, `a region that has a part in the tank, which ends at ${max}`);
      }
      places *= Math.ceil((high - low) / spacing) + 2;
    }
    if (places > MOST_PLACES) {
      throw new LimitError(
        name,
        `${name} has room for about ${places} particles, but at most ${MOST_PLACES} are accepted; a region a few particles thick brings as much.`,
      );
    }
    return copyRegion(emitter) as Emitter;
  });
}

/** Packed, `dimensions` numbers a particle. */
export interface Emitted {
  readonly positions: number[];
  readonly velocities: number[];
}

/**
 * What begins within `dt`, where it is at the end. `ways`: how far the places of each emitter have gone, `dimensions` numbers
 * each, which go on in place. `isFree`: whether particles may be at a place.
 */
export function emit(
  emitters: readonly Emitter[],
  { dimensions, spacing, max }: EmitterScope,
  ways: number[],
  dt: number,
  isFree: (place: readonly number[]) => boolean,
): Emitted {
  const positions: number[] = [];
  const velocities: number[] = [];
  emitters.forEach((emitter, index) => {
    const { velocity } = emitter;
    const looks = Math.min(MOST_LOOKS, Math.max(1, Math.ceil((Math.hypot(...velocity) * dt) / spacing)));
    const began = ways.slice(dimensions * index, dimensions * (index + 1));
    const wayAt = (look: number) =>
      began.map((way, axis) => way + ((velocity[axis] as number) * dt * look) / looks);
    const end = wayAt(looks);
    const isHeld = (place: readonly number[]) =>
      place.every((at, axis) => at > 0 && at < (max[axis] as number)) && isInRegion(emitter, place);
    for (let look = 1; look <= looks; look++) {
      const [before, after] = [wayAt(look - 1), wayAt(look)];
      eachPlace(emitter, { dimensions, spacing, max }, after, (place) => {
        const at = place.map((own, axis) => own + (after[axis] as number));
        if (!isHeld(at) || isHeld(place.map((own, axis) => own + (before[axis] as number)))) return;
        const last = place.map((own, axis) => own + (end[axis] as number));
        if (!last.every((own, axis) => own > 0 && own < (max[axis] as number)) || !isFree(last)) return;
        positions.push(...last);
        velocities.push(...velocity);
      });
    }
    const period = REPEAT * spacing;
    end.forEach((way, axis) => {
      ways[dimensions * index + axis] = way - period * Math.round(way / period);
    });
  });
  return { positions, velocities };
}

/** Calls `visit` with each place that may be in the region once it has gone `way`, before that. */
function eachPlace(
  emitter: Emitter,
  { dimensions, spacing, max }: EmitterScope,
  way: readonly number[],
  visit: (place: readonly number[]) => void,
): void {
  const corners = cornersOf(emitter);
  const first: number[] = [0, 0, 0];
  const last: number[] = [0, 0, 0];
  for (let axis = 0; axis < dimensions; axis++) {
    const gone = way[axis] as number;
    const low = Math.max(0, corners.min[axis] as number);
    const high = Math.min(max[axis] as number, corners.max[axis] as number);
    first[axis] = Math.floor((low - gone) / spacing - 1);
    last[axis] = Math.floor((high - gone) / spacing + 1);
  }
  const at = [0, 0, 0];
  for (let z = first[2] as number; z <= (last[2] as number); z++) {
    for (let y = first[1] as number; y <= (last[1] as number); y++) {
      for (let x = first[0] as number; x <= (last[0] as number); x++) {
        const name = Math.imul(x, 73856093) ^ Math.imul(y, 19349663) ^ Math.imul(z, 83492791);
        at[0] = x;
        at[1] = y;
        at[2] = z;
        const place: number[] = [];
        for (let axis = 0; axis < dimensions; axis++)
          place.push(((at[axis] as number) + 0.5 + JITTER * (noise(name, axis) - 0.5)) * spacing);
        visit(place);
      }
    }
  }
}
