/**
 * Emitters. Each has an infinite lattice of points, spaced like particles at rest, which moves with the emitter's
 * velocity. A point that enters the region becomes a particle, unless it is in a solid or the capacity is reached. So
 * streams are evenly dense in any direction.
 * Guarantee: new particles do not depend on where existing ones are, so nothing is read back from the GPU.
 */
import { checkList, checkRange } from '../../core/base/checks';
import { ArgumentError, LimitError } from '../../core/base/errors';
import { checkRegion, copyRegion, cornersOf, type FluidRegion, isInRegion, JITTER, noise } from './regions';

/** A region that emits fluid. */
export type Emitter = FluidRegion & {
  /** The velocity of the emitted fluid, length / s; not 0. */
  readonly velocity: readonly number[];
};

export const MAX_EMITTERS = 16;

/** Greatest number of points in a region. Each substep tests all of them, so more would be slow. */
export const MOST_POINTS = 2 ** 18;

/**
 * A substep tests at most this many times whether a point is in the region. A very fast point may cross a thin region
 * between two tests.
 */
const MOST_TESTS = 16;

/** Greatest speed along each axis, in point spacings per second. */
const MOST_PACE = 2 ** 24;

/**
 * The lattice repeats after this many spacings, because random offsets use the low 32 bits of coordinates. `ways` in
 * emit() are wrapped to ± half of this length, which keeps them precise.
 */
const REPEAT = 2 ** 32;

export function farthestWay({ spacing }: Pick<EmitterScope, 'spacing'>): number {
  return (REPEAT / 2) * spacing;
}

export interface EmitterScope {
  readonly dimensions: 2 | 3;
  /** Distance between the points of an emitter's lattice. */
  readonly spacing: number;
  readonly max: readonly number[];
}

export function checkEmitters(
  given: readonly Emitter[],
  { dimensions, spacing, max }: EmitterScope,
): readonly Emitter[] {
  return checkList('emitters', given, MAX_EMITTERS, 'regions with a velocity').map((emitter, index) => {
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
    let points = 1;
    for (let axis = 0; axis < dimensions; axis++) {
      const low = Math.max(0, corners.min[axis] as number);
      const high = Math.min(max[axis] as number, corners.max[axis] as number);
      if (!(low < high)) {
        throw new ArgumentError(name, emitter, `a region that overlaps the tank, which ends at ${max}`);
      }
      points *= Math.ceil((high - low) / spacing) + 2;
    }
    if (points > MOST_POINTS) {
      throw new LimitError(
        name,
        `${name} has room for about ${points} particles, but at most ${MOST_POINTS} are accepted; a region a few particles thick emits as much.`,
      );
    }
    return copyRegion(emitter) as Emitter;
  });
}

/** The emitted particles, packed. */
export interface Emitted {
  readonly positions: number[];
  readonly velocities: number[];
}

/**
 * Returns the particles emitted within `dt`, at their positions at the end of `dt`. `ways` holds how far each emitter's
 * lattice has moved, `dimensions` numbers each, and is updated in place.
 */
export function emit(
  emitters: readonly Emitter[],
  { dimensions, spacing, max }: EmitterScope,
  ways: number[],
  dt: number,
  isFree: (point: readonly number[]) => boolean,
): Emitted {
  const positions: number[] = [];
  const velocities: number[] = [];
  emitters.forEach((emitter, index) => {
    const { velocity } = emitter;
    const tests = Math.min(MOST_TESTS, Math.max(1, Math.ceil((Math.hypot(...velocity) * dt) / spacing)));
    const began = ways.slice(dimensions * index, dimensions * (index + 1));
    const wayAt = (test: number) =>
      began.map((way, axis) => way + ((velocity[axis] as number) * dt * test) / tests);
    const end = wayAt(tests);
    const isInside = (point: readonly number[]) =>
      point.every((value, axis) => value > 0 && value < (max[axis] as number)) && isInRegion(emitter, point);
    for (let test = 1; test <= tests; test++) {
      const [before, after] = [wayAt(test - 1), wayAt(test)];
      eachPoint(emitter, { dimensions, spacing, max }, after, (point) => {
        const moved = point.map((value, axis) => value + (after[axis] as number));
        if (!isInside(moved) || isInside(point.map((value, axis) => value + (before[axis] as number))))
          return;
        const last = point.map((value, axis) => value + (end[axis] as number));
        if (!last.every((value, axis) => value > 0 && value < (max[axis] as number)) || !isFree(last)) return;
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

/**
 * Visits the points of the lattice that may be in the region after the lattice has moved by `way`. `visit` gets the
 * position before that move, and must do the exact test.
 */
function eachPoint(
  emitter: Emitter,
  { dimensions, spacing, max }: EmitterScope,
  way: readonly number[],
  visit: (point: readonly number[]) => void,
): void {
  const corners = cornersOf(emitter);
  const first: number[] = [0, 0, 0];
  const last: number[] = [0, 0, 0];
  for (let axis = 0; axis < dimensions; axis++) {
    const moved = way[axis] as number;
    const low = Math.max(0, corners.min[axis] as number);
    const high = Math.min(max[axis] as number, corners.max[axis] as number);
    first[axis] = Math.floor((low - moved) / spacing - 1);
    last[axis] = Math.floor((high - moved) / spacing + 1);
  }
  const coordinates = [0, 0, 0];
  for (let z = first[2] as number; z <= (last[2] as number); z++) {
    for (let y = first[1] as number; y <= (last[1] as number); y++) {
      for (let x = first[0] as number; x <= (last[0] as number); x++) {
        const key = Math.imul(x, 73856093) ^ Math.imul(y, 19349663) ^ Math.imul(z, 83492791);
        coordinates[0] = x;
        coordinates[1] = y;
        coordinates[2] = z;
        const point: number[] = [];
        for (let axis = 0; axis < dimensions; axis++)
          point.push(((coordinates[axis] as number) + 0.5 + JITTER * (noise(key, axis) - 0.5)) * spacing);
        visit(point);
      }
    }
  }
}
