/**
 * Purpose: the scene of large grains among small ones in a box that is shaken, seen from the box: its gravity swings.
 * Guarantee: as scene.ts says, radii included.
 */
import type { Dimensions } from '../core/world/world';
import { PILE_GRAVITY } from './ordered';
import type { Random } from './random';
import {
  ceilRoot,
  directionAt,
  power,
  repeat,
  type SceneContent,
  type SceneDefinition,
  stepFor,
  toCoordinate,
  UNITS,
} from './scene';

/** Radii in units: small grains differ a little, else they would lie in rows that nobody gets through. */
const SMALL = [UNITS / 2 - 64, UNITS / 2] as const;
const LARGE = (3 * UNITS) / 2;
/** Grains for each large one; these then take about a quarter of the room. */
const PER_LARGE = { 2: 30, 3: 80 } as const;

/** The box is laid out in cells of one large grain, or so many small ones along each axis; units. */
const SMALL_ACROSS = 3;
const CELL = 2 * LARGE + 192;
/** How many times as wide as high the bed is, in cells, about: in a deep one large grains take minutes to rise. */
const WIDTH = { 2: 4, 3: 1.5 } as const;
/** Large grains begin somewhere in this share of the bed, from below. */
const LOWER_SHARE = 1 / 2;

/** Of the box: shakes a second, and its greatest acceleration in strengths of gravity. */
const SHAKES = 1;
const SHAKING = 3.5;

export const BRAZIL_NUT: SceneDefinition = {
  name: 'brazil-nut',
  description: 'Large grains deep among small ones, in a box that is shaken: the large ones rise.',
  generate(dimensions, count, random) {
    const large = Math.floor(count / PER_LARGE[dimensions]);
    const inCell = power(SMALL_ACROSS, dimensions);
    const cells = large + Math.ceil((count - large) / inCell);
    const columns = Math.max(3, ceilRoot(WIDTH[dimensions] * cells, dimensions));
    const levels = Math.ceil(cells / power(columns, dimensions - 1));
    const edge = (columns * CELL) / UNITS;
    // As much again to be thrown up into.
    const height = Math.ceil((2 * levels * CELL) / UNITS) + 8;
    const layout = {
      cells,
      columns,
      step: stepFor(Math.max(edge, height)),
      holdsLarge: deal(cells, large, random),
    };
    return {
      radius: LARGE / UNITS,
      radiusRange: { smallest: SMALL[0] / UNITS, largest: LARGE / UNITS },
      min: repeat(0, dimensions),
      max: repeat(edge, dimensions).with(1, height),
      ...lay(dimensions, count, random, layout),
      velocities: new Float32Array(dimensions * count),
      settings: { gravity: repeat(0, dimensions).with(1, PILE_GRAVITY), friction: 0.125 },
      drive: (time) => {
        const [, swing] = directionAt(2 * Math.PI * SHAKES * time);
        return { gravity: repeat(0, dimensions).with(1, SHAKING * swing - 1) };
      },
    };
  },
};

/** Which cells hold a large grain: 1, else 0. */
function deal(cells: number, large: number, random: Random): Uint8Array {
  const lower = Math.max(large, Math.floor(LOWER_SHARE * cells));
  const holdsLarge = new Uint8Array(cells).fill(1, 0, large);
  for (let last = lower - 1; last > 0; last--) {
    const place = random.between(0, last);
    [holdsLarge[last], holdsLarge[place]] = [holdsLarge[place] as number, holdsLarge[last] as number];
  }
  return holdsLarge;
}

interface Layout {
  readonly cells: number;
  readonly columns: number;
  readonly step: number;
  readonly holdsLarge: Uint8Array;
}

/** Cell by cell: along x, in space then along z, then upwards; nothing touches. */
function lay(
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
        const place = (corner[axis] as number) * across + (Math.floor(grain / power(across, axis)) % across);
        // Rounding down to a coarser step, in a long box, leaves the room.
        const away = Math.max(0, room / 2 - radius - step);
        positions[dimensions * next + axis] = toCoordinate(
          place * room + room / 2 + random.between(-away, away),
          step,
        );
      }
    }
  }
  return { positions, radii };
}
