/** Random boxes: points, slivers, giants, copies, boxes that touch, and invalid boxes. */

import type { Dimensions } from '../../../src/core/world/world';
import { createNoise } from '../../../src/testing/noise';
import { fc } from '../properties';

const { fround } = Math;

/** The coordinates of the low corner, then those of the high corner. */
export type Corners = readonly number[];

/** Dyadic coordinates are multiples of 1/64. */
const STEPS = 64;

const dyadic = (least: number, most: number) =>
  fc.integer({ min: least * STEPS, max: most * STEPS }).map((value) => value / STEPS);

const anyFloat = fc.float({ min: -1000, max: 1000, noNaN: true });

function boxFrom(low: readonly number[], extents: readonly number[]): Corners {
  return [...low.map(fround), ...low.map((value, axis) => fround(value + Math.abs(extents[axis] as number)))];
}

/**
 * If `kind` is dyadic, most corners are dyadic; those of slivers, and of boxes that touch them, may not be. With `odd`,
 * some boxes are invalid or huge, and some coordinates are as small as 1e-40.
 */
export function arbitraryBoxes(
  dimensions: Dimensions,
  kind: 'dyadic' | 'any',
  most: number,
  odd = true,
): fc.Arbitrary<Float32Array> {
  const axes = { minLength: dimensions, maxLength: dimensions };
  const coordinate =
    kind === 'dyadic' ? dyadic(-8, 8) : fc.oneof(anyFloat, fc.float({ min: -4, max: 4, noNaN: true }));
  const corners = fc.array(coordinate, axes);
  const length = (largest: number) =>
    kind === 'dyadic' ? dyadic(0, largest) : fc.float({ min: 0, max: fround(largest), noNaN: true });
  const ordinary = fc
    .tuple(corners, fc.array(length(4), axes))
    .map(([low, extents]) => boxFrom(low, extents));
  const point = corners.map((low) =>
    boxFrom(
      low,
      low.map(() => 0),
    ),
  );
  const sliver = fc
    .tuple(corners, fc.integer({ min: 0, max: dimensions - 1 }), length(64))
    .map(([low, along, long]) =>
      boxFrom(
        low,
        low.map((_, axis) => (axis === along ? long : long / 10_000)),
      ),
    );
  const large = fc
    .tuple(corners, fc.array(length(2000), axes))
    .map(([low, extents]) => boxFrom(low, extents));
  const strange = fc
    .array(fc.constantFrom(0, -0, 1, -1, 1e-40, -1e-40, 3e38, -3e38, Number.NaN, Number.POSITIVE_INFINITY), {
      minLength: 2 * dimensions,
      maxLength: 2 * dimensions,
    })
    .map((corners): Corners => corners);
  const inverted = ordinary.map(
    (corners): Corners => [...corners.slice(dimensions), ...corners.slice(0, dimensions)],
  );
  const box = fc.oneof(
    { weight: 6, arbitrary: ordinary },
    { weight: 2, arbitrary: point },
    { weight: 2, arbitrary: sliver },
    { weight: 1, arbitrary: large },
    ...(odd
      ? [
          { weight: 1, arbitrary: strange },
          { weight: 1, arbitrary: inverted },
        ]
      : []),
  );
  // Some boxes are copies of others, and some begin where another ends.
  const touch = fc.tuple(fc.nat(), fc.nat(), fc.constantFrom('copy', 'touch', 'none', 'none'));
  return fc.array(fc.tuple(box, touch), { maxLength: most, size: 'max' }).map((drawn) => {
    const boxes: Corners[] = [];
    for (const [corners, [from, axis, how]] of drawn) {
      const other = boxes[from % Math.max(1, boxes.length)];
      if (how === 'none' || !other) boxes.push(corners);
      else if (how === 'copy') boxes.push(other);
      else boxes.push(beside(dimensions, corners, other, axis % dimensions));
    }
    return Float32Array.from(boxes.flat());
  });
}

function beside(dimensions: Dimensions, corners: Corners, other: Corners, axis: number): Corners {
  const moved = [...corners];
  const extent = (corners[dimensions + axis] as number) - (corners[axis] as number);
  moved[axis] = other[dimensions + axis] as number;
  moved[dimensions + axis] = fround((other[dimensions + axis] as number) + extent);
  return moved;
}

/** Returns boxes whose low corners lie in [0, edge]. `extent` may differ per axis. */
export function scatterBoxes(
  dimensions: Dimensions,
  count: number,
  noise: () => number,
  edge: number,
  extent: (axis: number) => number,
): Float32Array {
  const boxes = new Float32Array(2 * dimensions * count);
  for (let box = 0; box < count; box++) {
    for (let axis = 0; axis < dimensions; axis++) {
      const low = fround(noise() * edge);
      boxes[2 * dimensions * box + axis] = low;
      boxes[2 * dimensions * box + dimensions + axis] = low + extent(axis);
    }
  }
  return boxes;
}

/** Returns scenes that differ in the sizes or positions of boxes. In the last, the first box contains all others. */
export function boxScenes(dimensions: Dimensions, count: number): Float32Array[] {
  const noise = createNoise(8);
  const edge = dimensions === 2 ? 60 : 16;
  const scenes = [
    scatterBoxes(dimensions, count, noise, edge, () => 1),
    scatterBoxes(dimensions, count, noise, 4 * edge, () => 512 ** noise() / 64),
    scatterBoxes(dimensions, count, noise, edge, (axis) => (axis === 0 ? 10 : 0.001)),
    scatterBoxes(dimensions, count, noise, edge, (axis) => (axis === 1 ? 10 : 0.001)),
    scatterBoxes(dimensions, count, noise, edge, () => 0),
    // These boxes lie almost in a line; in 3D, almost in a plane.
    scatterBoxes(dimensions, count, noise, edge, () => noise()).map((value, index) =>
      index % (2 * dimensions) === 1 || index % (2 * dimensions) === dimensions + 1 ? value * 1e-3 : value,
    ),
    // These boxes form two clusters.
    scatterBoxes(dimensions, count, noise, edge, () => 0.5).map((value, index) =>
      Math.floor(index / (2 * dimensions)) % 5 === 0 ? value + 1e6 : value,
    ),
  ];
  const one = scatterBoxes(dimensions, count, noise, edge, () => 0.3);
  one.fill(-1, 0, dimensions);
  one.fill(edge + 1, dimensions, 2 * dimensions);
  return [...scenes, one];
}
