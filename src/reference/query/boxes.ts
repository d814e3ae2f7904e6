/**
 * The oracle of searches in boxes: tests each particle, with all its images, in doubles. `period` is 0 along axes that
 * do not wrap. Ids are ascending.
 */
import { isFiniteParticle } from '../measure/finite';

export function particlesInBox(
  positions: Float32Array,
  period: readonly number[],
  min: readonly number[],
  max: readonly number[],
): number[] {
  const dimensions = period.length;
  const ids: number[] = [];
  if (![...min, ...max].every(Number.isFinite)) return ids;
  for (let id = 0; id < positions.length / dimensions; id++) {
    if (!isFiniteParticle(dimensions, positions, id)) continue;
    const position = positions.subarray(dimensions * id, dimensions * (id + 1));
    const isInside = position.every((coordinate, axis) =>
      isBetween(coordinate, period[axis] as number, min[axis] as number, max[axis] as number),
    );
    if (isInside) ids.push(id);
  }
  return ids;
}

function isBetween(coordinate: number, period: number, low: number, high: number): boolean {
  if (low > high) return false;
  if (period === 0) return coordinate >= low && coordinate <= high;
  const periods = Math.ceil((low - coordinate) / period);
  return [periods - 1, periods, periods + 1].some((count) => {
    const image = coordinate + count * period;
    return image >= low && image <= high;
  });
}
