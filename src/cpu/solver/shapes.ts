/** The geometry of one contact, in doubles and in any world. Results go to `normal`, to avoid an allocation. */
import { COINCIDENT_SQUARED, NOT_APART } from '../../core/base/constants';
import type { ParticleState } from '../shared/kernels';
import type { Lattice } from '../shared/lattice';
import { coincidentNormal } from './contact';

/** Returned instead of an overlap. */
export const NO_CONTACT = Number.NEGATIVE_INFINITY;

/** The unit normal of the last contact found, from slot b to slot a. */
export const normal = new Float64Array(3);

/** Scratch of meetShapes, per axis: the difference of the centres; its excess over the sum of half extents. */
const apart = new Float64Array(3);
const beyond = new Float64Array(3);

export type PlacedShapes = Pick<ParticleState, 'positions' | 'radii' | 'halves'>;

/** `period` is infinite if the axis does not wrap. */
export function minimumImage(difference: number, period: number): number {
  const half = period / 2;
  return difference > half ? difference - period : difference < -half ? difference + period : difference;
}

/**
 * Returns the overlap of two particles that the search found, or NO_CONTACT if only the balls around boxes overlap.
 * Sets `normal`. `diameter` is used if particles have no sizes of their own.
 */
export function meet(lattice: Lattice, state: ParticleState, a: number, b: number, diameter: number): number {
  if (state.halves.length > 0) return meetShapes(lattice, state, a, b);
  const { radii } = state;
  const reach = radii.length > 0 ? (radii[a] as number) + (radii[b] as number) : diameter;
  return reach - meetBalls(lattice, state.positions, a, b);
}

/** Returns the distance of two centres. Sets `normal`. */
function meetBalls({ dimensions, periods }: Lattice, positions: Float32Array, a: number, b: number): number {
  let squared = 0;
  for (let axis = 0; axis < dimensions; axis++) {
    const direct =
      (positions[dimensions * a + axis] as number) - (positions[dimensions * b + axis] as number);
    const along = minimumImage(direct, periods[axis] as number);
    normal[axis] = along;
    squared += along * along;
  }
  const isCoincident = squared < COINCIDENT_SQUARED;
  const distance = isCoincident ? 0 : Math.sqrt(squared);
  for (let axis = 0; axis < dimensions; axis++) {
    normal[axis] = isCoincident
      ? coincidentNormal(a, b, axis, dimensions)
      : (normal[axis] as number) / distance;
  }
  return distance;
}

/**
 * Returns the overlap of slots a and b along the shortest way out, or NO_CONTACT. Sets `normal` to that way's
 * direction, from b to a. `others`: the bodies of slot b. Default: those of slot a.
 */
export function meetShapes(
  { dimensions, periods }: Lattice,
  bodies: PlacedShapes,
  a: number,
  b: number,
  others = bodies,
): number {
  const { positions, radii, halves } = bodies;
  const { positions: otherPositions, radii: otherRadii, halves: otherHalves } = others;
  const atA = dimensions * a;
  const atB = dimensions * b;
  const round =
    ((halves[atA] as number) > 0 ? 0 : (radii[a] as number)) +
    ((otherHalves[atB] as number) > 0 ? 0 : (otherRadii[b] as number));
  let squared = 0;
  for (let axis = 0; axis < dimensions; axis++) {
    const direct = (positions[atA + axis] as number) - (otherPositions[atB + axis] as number);
    const along = minimumImage(direct, periods[axis] as number);
    const outside = Math.abs(along) - ((halves[atA + axis] as number) + (otherHalves[atB + axis] as number));
    apart[axis] = along;
    beyond[axis] = outside;
    if (outside > 0) squared += outside * outside;
  }
  if (squared >= COINCIDENT_SQUARED) {
    if (!(squared < round * round)) return NO_CONTACT;
    const distance = Math.sqrt(squared);
    for (let axis = 0; axis < dimensions; axis++) {
      const outside = Math.max(beyond[axis] as number, 0);
      normal[axis] = ((apart[axis] as number) < 0 ? -outside : outside) / distance;
    }
    return round - distance;
  }
  // Along each axis, the centres differ by at most the half extents, so the way out is along the axis of least depth.
  // Centres that hardly differ along an axis count as equal.
  for (let axis = 0; axis < dimensions; axis++) {
    if (Math.abs(apart[axis] as number) >= NOT_APART) continue;
    apart[axis] = 0;
    beyond[axis] = -((halves[atA + axis] as number) + (otherHalves[atB + axis] as number));
  }
  let least = 0;
  for (let axis = 1; axis < dimensions; axis++) {
    if ((beyond[axis] as number) > (beyond[least] as number)) least = axis;
  }
  const overlap = round - (beyond[least] as number);
  if (!(overlap > 0)) return NO_CONTACT;
  const along = apart[least] as number;
  normal.fill(0);
  normal[least] = along > 0 || (along === 0 && a > b) ? 1 : -1;
  return overlap;
}
