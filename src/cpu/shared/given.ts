/** Checks arguments of the CPU grids and of CpuIndex. */
import { checkInteger, checkPositive, checkVector } from '../../core/base/checks';
import { ArgumentError, Phrase } from '../../core/base/errors';
import { MAX_PARTICLES } from '../../core/simulation/ids';
import type { World } from '../../core/world/world';
import type { Lattice } from './lattice';
import type { Ray } from './ray-walk';

export function checkGiven(
  positions: Float32Array,
  count: number | undefined,
  { dimensions }: World,
  capacity: number,
): number {
  if (!(positions instanceof Float32Array) || positions.length % dimensions !== 0) {
    throw new ArgumentError('positions', positions, `a Float32Array with ${dimensions} numbers per particle`);
  }
  const given = positions.length / dimensions;
  if (count !== undefined) checkInteger('count', count, 0, given);
  const particles = count ?? given;
  if (particles > capacity) {
    throw new ArgumentError(
      'positions',
      new Phrase(`${particles} particles`),
      `at most ${capacity}, the capacity`,
    );
  }
  return particles;
}

export function checkNear(point: readonly number[], radius: number, lattice: Lattice): void {
  checkVector('point', point, lattice.dimensions);
  checkReach(radius, Math.min(...lattice.periods) / 2);
}

/** Checks a search radius. Within half the shortest period, a particle has only one image. */
export function checkReach(radius: number, halfPeriod: number): void {
  if (radius === Number.POSITIVE_INFINITY) return;
  checkPositive('radius', radius);
  if (radius > halfPeriod) {
    throw new ArgumentError('radius', radius, `at most ${halfPeriod}, half the shortest period`);
  }
}

export function checkCorners(min: readonly number[], max: readonly number[], { dimensions }: World): void {
  checkVector('min', min, dimensions);
  checkVector('max', max, dimensions);
}

export function checkRay(
  { origin, direction, greatestDistance }: Ray,
  { dimensions }: Pick<World, 'dimensions'>,
): void {
  checkVector('origin', origin, dimensions);
  checkVector('direction', direction, dimensions);
  const squared = direction.reduce((sum, value) => sum + value * value, 0);
  if (!(squared >= 2 ** -200)) throw new ArgumentError('direction', direction, 'at least 2^-100 long');
  if (typeof greatestDistance !== 'number' || !(greatestDistance >= 0)) {
    throw new ArgumentError('greatestDistance', greatestDistance, 'a number of at least 0, or Infinity');
  }
}

export function checkNearest(
  point: ArrayLike<number>,
  k: number,
  radius: number,
  { dimensions }: Pick<World, 'dimensions'>,
): void {
  checkVector('point', point, dimensions);
  checkInteger('k', k, 1, MAX_PARTICLES);
  if (radius !== Number.POSITIVE_INFINITY) checkPositive('radius', radius);
}
