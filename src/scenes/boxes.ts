/**
 * Scenes of boxes and balls. Initial coordinates, radii and half extents are multiples of 1/32 that 32-bit floats hold
 * exactly, so all engines find the same pairs at the start.
 */
import type { ObstacleBodies } from '../core/obstacles/obstacles';
import type { Dimensions, RadiusRange } from '../core/world/world';
import type { CollisionSceneDefinition } from './definition';
import type { Random } from './random';
import { ceilRoot, earthGravity, power, repeat, type SceneContent } from './scene';

const SHAPE_UNITS = 32;

/** Range of half extents and radii, in units. */
const LEAST_HALF = SHAPE_UNITS / 2;
const GREATEST_HALF = 4 * SHAPE_UNITS;

/** A box counts as the ball around it, whose radius is below 7. */
const RANGE: RadiusRange = { smallest: LEAST_HALF / SHAPE_UNITS, largest: 8 };

/** Edge of a layout cell, in units. */
const CELL = 2 * GREATEST_HALF;

/** Area (volume) per body at which a body overlaps about one other. */
const ROOM = { 2: 64, 3: 512 } as const;

/** Least radius or half extent of a peg, in units. */
const LEAST_PEG = SHAPE_UNITS / 16;
const PEG_EVERY = 2;

/** A ball (half extents 0) or a box (radius 0), in units. */
interface Body {
  readonly radius: number;
  readonly half: readonly number[];
}

function chooseBody(dimensions: Dimensions, random: Random): Body {
  const size = () => random.between(LEAST_HALF, GREATEST_HALF);
  if (random.below(3) === 0) return { radius: size(), half: repeat(0, dimensions) };
  return { radius: 0, half: Array.from({ length: dimensions }, size) };
}

/** `centreOf` returns a coordinate of a body's centre. `around`: the body's extent on each side, in units. */
function generateBodies(
  dimensions: Dimensions,
  count: number,
  random: Random,
  centreOf: (body: number, axis: number, around: number) => number,
): Pick<SceneContent, 'radius' | 'radii' | 'radiusRange' | 'halfExtents' | 'positions' | 'velocities'> {
  const radii = new Float32Array(count);
  const halfExtents = new Float32Array(dimensions * count);
  const positions = new Float32Array(dimensions * count);
  for (let body = 0; body < count; body++) {
    const { radius, half } = chooseBody(dimensions, random);
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

/** Puts each body into its own layout cell, so that none overlap. */
function generateApart(dimensions: Dimensions, count: number, columns: number, random: Random) {
  return generateBodies(dimensions, count, random, (body, axis, around) => {
    const column = Math.floor(body / power(columns, axis)) % columns;
    const away = CELL / 2 - around;
    return column * CELL + CELL / 2 + random.between(-away, away);
  });
}

const BOX_SCENE = { method: 'collisions', variableRadii: true, hasBoxes: true } as const;

export const CRATES: CollisionSceneDefinition = {
  ...BOX_SCENE,
  name: 'crates',
  description: 'Boxes and balls of many sizes fall in a box.',
  generate(dimensions, count, random) {
    const columns = Math.max(2, ceilRoot(count, dimensions));
    const content = generateApart(dimensions, count, columns, random);
    const edge = (columns * CELL) / SHAPE_UNITS;
    return {
      ...content,
      min: repeat(0, dimensions),
      max: repeat(edge, dimensions),
      settings: { gravity: earthGravity(dimensions) },
    };
  },
};

export const BOXES_PERIODIC: CollisionSceneDefinition = {
  ...BOX_SCENE,
  name: 'boxes-periodic',
  description: 'Boxes and balls at random positions in a box that wraps around.',
  world: 'periodic',
  generate(dimensions, count, random) {
    const edge = Math.max(8 * RANGE.largest, ceilRoot(count * ROOM[dimensions], dimensions));
    const content = generateBodies(dimensions, count, random, () =>
      random.between(0, edge * SHAPE_UNITS - 1),
    );
    return {
      ...content,
      min: repeat(0, dimensions),
      max: repeat(edge, dimensions),
      periodic: true,
      settings: {},
    };
  },
};

export const TERRACES: CollisionSceneDefinition = {
  ...BOX_SCENE,
  name: 'terraces',
  description: 'Boxes and balls of many sizes fall onto steps and pegs.',
  generate(dimensions, count, random) {
    const columns = Math.max(2, ceilRoot(count, dimensions));
    const edge = columns * CELL;
    const content = generateApart(dimensions, count, columns, random);
    return {
      ...content,
      min: repeat(0, dimensions),
      max: repeat(edge / SHAPE_UNITS, dimensions),
      obstacles: count === 0 ? undefined : stepsAndPegs(dimensions, columns, random),
      settings: { gravity: earthGravity(dimensions), restitution: 0.5, friction: 0.25 },
    };
  },
};

/** Returns one step per column, each higher than the one before it, and the pegs. */
function stepsAndPegs(dimensions: Dimensions, columns: number, random: Random): ObstacleBodies {
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
