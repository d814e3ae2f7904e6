import type { MethodRequest, PositionFluidScene } from './definition';
import { Random } from './random';
import { ceilRoot, stepFor, toCoordinate, UNITS } from './scene';

/** Distance between neighbours in the column of fluid, in units: half a reach, as in a fluid at rest. */
const SPACING = UNITS / 2;
/** Greatest random offset of a particle along an axis, in units. */
const SHAKE = 32;
/** Rows divided by columns, and columns divided by layers (from front to back). */
const ROWS = 1.5;
const COLUMNS = 1.5;
/** Height of the tank, as a multiple of the column's height. */
const HEAD_ROOM = 1.4;
/** Length of the tank, as a multiple of its height. */
const LENGTH = 2.2;
/** Least height of a tank, in units of the reach. */
const LOWEST = 4;

export function splash({ dimensions, count, width, seed }: MethodRequest): PositionFluidScene {
  const random = new Random(seed);
  // In 2D, count ≈ ROWS · columns². In 3D, count ≈ ROWS / COLUMNS · columns³.
  const columns =
    dimensions === 2
      ? ceilRoot(Math.ceil(count / ROWS), 2)
      : ceilRoot(Math.ceil((count * COLUMNS) / ROWS), 3);
  const layers = dimensions === 2 ? 1 : Math.ceil(columns / COLUMNS);
  const rows = Math.ceil(count / (columns * layers));
  const height = Math.max(LOWEST, Math.ceil((HEAD_ROOM * rows * SPACING) / UNITS));
  const length = Math.ceil(LENGTH * height * width);
  const depth = Math.max(LOWEST / 2, (layers * SPACING) / UNITS);
  const max = dimensions === 2 ? [length, height] : [length, height, depth];
  const step = stepFor(length);
  const along = (cell: number) =>
    toCoordinate(cell * SPACING + SPACING / 2 + random.between(-SHAKE, SHAKE), step);
  const positions = new Float32Array(dimensions * count);
  for (let particle = 0; particle < count; particle++) {
    const row = Math.floor(particle / (columns * layers));
    const cell = [particle % columns, row, Math.floor(particle / columns) % layers];
    for (let axis = 0; axis < dimensions; axis++) {
      positions[dimensions * particle + axis] = along(cell[axis] as number);
    }
  }
  const across = dimensions === 3 ? [depth / 2] : [];
  return {
    dimensions,
    min: max.map(() => 0),
    max,
    reach: 1,
    positions,
    obstacles: [
      { shape: 'ball', position: [0.55 * length, 0.26 * height, ...across], radius: 0.12 * height },
      {
        shape: 'box',
        position: [0.8 * length, 0.06 * height, ...across],
        halfExtents: [0.06 * length, 0.06 * height, ...across],
      },
    ],
    radius: 0.25,
  };
}
