/**
 * Large grains among small ones in a shaken box. Gravity swings instead of the box. Radii and initial coordinates are
 * exact, as scene.ts describes.
 */
import type { Dimensions } from '../core/world/world';
import type { CollisionSceneDefinition } from './definition';
import type { Random } from './random';
import {
  ceilRoot,
  directionAt,
  earthGravity,
  power,
  repeat,
  type SceneContent,
  stepFor,
  toCoordinate,
  UNITS,
} from './scene';

/** Range of the radii of small grains, in units. Equal grains would form rows that block the large ones. */
const SMALL = [UNITS / 2 - 64, UNITS / 2] as const;
const LARGE = (3 * UNITS) / 2;
/** One in this many grains is large. Large grains then take about a quarter of the total area (volume). */
const PER_LARGE = { 2: 30, 3: 80 } as const;

/** Small grains along each axis of a layout cell. A large grain fills such a cell. */
const SMALL_ACROSS = 3;
/** The edge of a layout cell, in units. */
const CELL = 2 * LARGE + 192;
/** Approximate width of the bed divided by its height. In a deep bed, large grains take minutes to rise. */
const WIDTH = { 2: 4, 3: 1.5 } as const;
const LOWER_SHARE = 1 / 2;

const SHAKES_PER_SECOND = 1;
/** Amplitude of the swing of gravity, in multiples of the scene's gravity. */
const GREATEST_SHAKE = 3.5;

export const BRAZIL_NUT: CollisionSceneDefinition = {
  method: 'collisions',
  variableRadii: true,
  driven: true,
  name: 'brazil-nut',
  description: 'Large grains deep among small ones rise in a shaken box.',
  generate(dimensions, count, random) {
    const large = Math.floor(count / PER_LARGE[dimensions]);
    const inCell = power(SMALL_ACROSS, dimensions);
    const cells = large + Math.ceil((count - large) / inCell);
    const columns = Math.max(3, ceilRoot(WIDTH[dimensions] * cells, dimensions));
    const layers = Math.ceil(cells / power(columns, dimensions - 1));
    const edge = (columns * CELL) / UNITS;
    // Grains are thrown up, so the box is more than twice as high as the bed.
    const height = Math.ceil((2 * layers * CELL) / UNITS) + 8;
    const layout = {
      cells,
      columns,
      step: stepFor(Math.max(edge, height)),
      holdsLarge: chooseCells(cells, large, random),
    };
    return {
      radius: LARGE / UNITS,
      radiusRange: { smallest: SMALL[0] / UNITS, largest: LARGE / UNITS },
      min: repeat(0, dimensions),
      max: repeat(edge, dimensions).with(1, height),
      ...layOut(dimensions, count, random, layout),
      velocities: new Float32Array(dimensions * count),
      settings: { gravity: earthGravity(dimensions), friction: 0.125 },
      drive: (time) => {
        const [, swing] = directionAt(2 * Math.PI * SHAKES_PER_SECOND * time);
        return { gravity: repeat(0, dimensions).with(1, GREATEST_SHAKE * swing - 1) };
      },
    };
  },
};

function chooseCells(cells: number, large: number, random: Random): Uint8Array {
  const lower = Math.max(large, Math.floor(LOWER_SHARE * cells));
  const holdsLarge = new Uint8Array(cells).fill(1, 0, large);
  for (let last = lower - 1; last > 0; last--) {
    const other = random.between(0, last);
    [holdsLarge[last], holdsLarge[other]] = [holdsLarge[other] as number, holdsLarge[last] as number];
  }
  return holdsLarge;
}

interface Layout {
  readonly cells: number;
  readonly columns: number;
  readonly step: number;
  readonly holdsLarge: Uint8Array;
}

/** Fills the layout cells along x, then in 3D along z, then upwards. No grains touch. */
function layOut(
  dimensions: Dimensions,
  count: number,
  random: Random,
  { cells, columns, step, holdsLarge }: Layout,
): Pick<SceneContent, 'positions' | 'radii'> {
  const radii = new Float32Array(count);
  const positions = new Float32Array(dimensions * count);
  const layer = power(columns, dimensions - 1);
  for (let cell = 0, next = 0; cell < cells; cell++) {
    const corner = [cell % columns, Math.floor(cell / layer), Math.floor(cell / columns) % columns];
    const across = holdsLarge[cell] ? 1 : SMALL_ACROSS;
    const room = CELL / across;
    for (let grain = 0; grain < power(across, dimensions) && next < count; grain++, next++) {
      const radius = across === 1 ? LARGE : random.between(...SMALL);
      radii[next] = radius / UNITS;
      for (let axis = 0; axis < dimensions; axis++) {
        const column = (corner[axis] as number) * across + (Math.floor(grain / power(across, axis)) % across);
        // `step` is a margin: in a long box, rounding down could otherwise move a grain out of its `room`.
        const away = Math.max(0, room / 2 - radius - step);
        positions[dimensions * next + axis] = toCoordinate(
          column * room + room / 2 + random.between(-away, away),
          step,
        );
      }
    }
  }
  return { positions, radii };
}
