/**
 * Purpose: how two particles lie to each other of which each may be a box: src/core/particles/shapes.ts on the CPU, in doubles.
 */
import { NOT_APART } from '../../core/particles/shapes';
import type { ParticleState } from '../shared/kernels';
import type { Lattice } from '../shared/lattice';
import { nearest, normal } from './wrapped-contact';

/** In place of the overlap of two that are no contact. */
export const NO_CONTACT = Number.NEGATIVE_INFINITY;

const COINCIDENT_SQUARED = NOT_APART * NOT_APART;

const apart = new Float64Array(3);
const beyond = new Float64Array(3);

/** Bodies of which some may be boxes, and where they are. */
export type PlacedShapes = Pick<ParticleState, 'positions' | 'radii' | 'halves'>;

/**
 * Finds `normal`, the shortest way from slot b to slot a that is out, and returns how far it is, or NO_CONTACT; `others`:
 * where b is to be found.
 */
export function faceShapes(
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
    const along = nearest(direct, periods[axis] as number);
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
