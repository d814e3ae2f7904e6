/**
 * Purpose: scenes of boxes beside discs and balls.
 * Guarantee: coordinates, radii and half extents are whole numbers of 1/32 that 32-bit floats hold exactly, so that every
 * engine finds the very same pairs.
 */
import type { ObstacleBodies } from '../core/obstacles/obstacles';
import type { Dimensions, RadiusRange } from '../core/world/world';
import { PILE_GRAVITY } from './ordered';
import type { Random } from './random';
import { ceilRoot, power, repeat, type SceneContent, type SceneDefinition } from './scene';

/** Coordinates and sizes are counted in these: 32 to one unit of length. */
const SHAPE_UNITS = 32;

/** Half extents and radii, in units. */
const LEAST_HALF = SHAPE_UNITS / 2;
const GREATEST_HALF = 4 * SHAPE_UNITS;

/** What is in a ball around a body; in space, around the largest box there is one of less than 7. */
const RANGE: RadiusRange = { smallest: LEAST_HALF / SHAPE_UNITS, largest: 8 };

/** Edge of the cells that `crates` is laid out in. */
const CELL = 2 * GREATEST_HALF;

/** Area (volume) for each body at which it overlaps about one other. */
const ROOM = { 2: 64, 3: 512 } as const;

/** Pegs of `terraces`, in units: far smaller than any body; and for how many bodies there is one. */
const LEAST_PEG = SHAPE_UNITS / 16;
const PEG_EVERY = 2;

/** Half extents along each axis, in units; all 0 where it is a ball, of that radius. */
interface Body {
  readonly radius: number;
  readonly half: readonly number[];
}

/** A ball, or twice as often a box, long or not. */
function dealBody(dimensions: Dimensions, random: Random): Body {
  const size = () => random.between(LEAST_HALF, GREATEST_HALF);
  if (random.below(3) === 0) return { radius: size(), half: repeat(0, dimensions) };
  return { radius: 0, half: Array.from({ length: dimensions }, size) };
}

/** `centreOf`: in units, where there are to be so many units around it on each side. */
function place(
  dimensions: Dimensions,
  count: number,
  random: Random,
  centreOf: (body: number, axis: number, around: number) => number,
): Pick<SceneContent, 'radius' | 'radii' | 'radiusRange' | 'halfExtents' | 'positions' | 'velocities'> {
  const radii = new Float32Array(count);
  const halfExtents = new Float32Array(dimensions * count);
  const positions = new Float32Array(dimensions * count);
  for (let body = 0; body < count; body++) {
    const { radius, half } = dealBody(dimensions, random);
    radii[body] = radius / SHAPE_UNITS;
    for (let axis = 0; axis < dimensions; axis++) {
      const along = half[axis] as number;
      halfExtents[dimensions * body + axis] = along / SHAPE_UNITS;
      positions[dimensions * body + axis] = centreOf(body, axis, along + radius) / SHAPE_UNITS;
    }
  }
  const velocities = new Float32Array(dimensions * count);
  return { radius: RANGE.largest, radii, radiusRange: RANGE, halfExtents, positions, velocities };
}

export const BOX_SCENES: readonly SceneDefinition[] = [
  {
    name: 'crates',
    description: 'Boxes and balls of many sizes that fall in a box, nothing touching at first.',
    generate(dimensions, count, random) {
      const columns = Math.max(2, ceilRoot(count, dimensions));
      const content = place(dimensions, count, random, (body, axis, around) => {
        const column = Math.floor(body / power(columns, axis)) % columns;
        const away = CELL / 2 - around;
        return column * CELL + CELL / 2 + random.between(-away, away);
      });
      const gravity = repeat(0, dimensions).with(1, PILE_GRAVITY);
      const edge = (columns * CELL) / SHAPE_UNITS;
      return { ...content, min: repeat(0, dimensions), max: repeat(edge, dimensions), settings: { gravity } };
    },
  },
  {
    name: 'boxes-periodic',
    description:
      'Boxes and balls anywhere, each over about one other, in a box that wraps around along every axis.',
    generate(dimensions, count, random) {
      const edge = Math.max(8 * RANGE.largest, ceilRoot(count * ROOM[dimensions], dimensions));
      const content = place(dimensions, count, random, () => random.between(0, edge * SHAPE_UNITS - 1));
      return {
        ...content,
        min: repeat(0, dimensions),
        max: repeat(edge, dimensions),
        periodic: true,
        settings: {},
      };
    },
  },
  {
    name: 'terraces',
    description:
      'Boxes and balls of many sizes that fall upon steps and pegs that never move, some of them in these at first.',
    generate(dimensions, count, random) {
      const columns = Math.max(2, ceilRoot(count, dimensions));
      const edge = columns * CELL;
      const content = place(dimensions, count, random, (body, axis, around) => {
        const column = Math.floor(body / power(columns, axis)) % columns;
        const away = CELL / 2 - around;
        return column * CELL + CELL / 2 + random.between(-away, away);
      });
      const gravity = repeat(0, dimensions).with(1, PILE_GRAVITY);
      return {
        ...content,
        min: repeat(0, dimensions),
        max: repeat(edge / SHAPE_UNITS, dimensions),
        obstacles: count === 0 ? undefined : terraces(dimensions, columns, random),
        settings: { gravity, restitution: 0.5, friction: 0.25 },
      };
    },
  },
];

/** A step a column, each higher than the one before and as long as the world along z; and a peg for every second body. */
function terraces(dimensions: Dimensions, columns: number, random: Random): ObstacleBodies {
  const positions: number[] = [];
  const radii: number[] = [];
  const halfExtents: number[] = [];
  const add = (centre: readonly number[], radius: number, half: readonly number[]) => {
    positions.push(...centre.map((along) => along / SHAPE_UNITS));
    radii.push(radius / SHAPE_UNITS);
    halfExtents.push(...half.map((along) => along / SHAPE_UNITS));
  };
  const edge = columns * CELL;
  for (let step = 0; step < columns; step++) {
    const height = ((step + 1) * CELL) / 8;
    add(
      [step * CELL + CELL / 2, height / 2, edge / 2].slice(0, dimensions),
      0,
      [CELL / 2, height / 2, edge / 2].slice(0, dimensions),
    );
  }
  for (let peg = 0; peg < power(columns, dimensions); peg += PEG_EVERY) {
    const centre = Array.from({ length: dimensions }, () => random.between(0, edge - 1));
    const size = () => random.between(LEAST_PEG, GREATEST_HALF);
    if (peg % (2 * PEG_EVERY) === 0) add(centre, size(), repeat(0, dimensions));
    else add(centre, 0, Array.from({ length: dimensions }, size));
  }
  return {
    positions: Float32Array.from(positions),
    radii: Float32Array.from(radii),
    halfExtents: Float32Array.from(halfExtents),
  };
}
