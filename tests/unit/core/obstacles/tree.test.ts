import { describe, expect, it } from 'vitest';
import {
  LEAF_BITS,
  LEAF_BODIES,
  nodesOf,
  nodeWords,
  ObstacleTree,
  type StaticBodies,
  TREE_HEADER,
} from '../../../../src/core/obstacles/tree';
import { defineShapes, extentAlong } from '../../../../src/core/particles/shapes';
import type { Dimensions, World } from '../../../../src/core/world/world';
import { minimumImageInDoubles } from '../../../../src/reference/solve/contact';
import { createNoise } from '../../../../src/testing/noise';

import { DIMENSIONS, shuffled } from '../../../helpers/passes';
import { expectSeen, fc, runs } from '../../../helpers/properties';
import { isUsualSeed } from '../../../helpers/tiers';

const { fround } = Math;

type TreeWorld = Pick<World, 'dimensions' | 'period'>;

const EDGE = 64;

const PERIODS = {
  bounded: [0, 0, 0],
  periodic: [EDGE, EDGE, EDGE],
  'a channel': [0, EDGE, 0],
  unbounded: [0, 0, 0],
} as const;

type Kind = keyof typeof PERIODS;

const KINDS = Object.keys(PERIODS) as Kind[];

const worldOf = (kind: Kind, dimensions: Dimensions): TreeWorld => ({
  dimensions,
  period: PERIODS[kind].slice(0, dimensions),
});

/** A ball or a box. Boxes have radius 0. */
interface Given {
  readonly position: readonly number[];
  readonly radius: number;
  readonly half: readonly number[];
}

function bodiesOf(dimensions: Dimensions, given: readonly Given[], boxes: boolean): StaticBodies {
  const positions = Float32Array.from(given.flatMap(({ position }) => position));
  const radii = Float32Array.from(given, ({ radius }) => radius);
  if (!boxes) return { positions, radii };
  const halves = Float32Array.from(given.flatMap(({ half }) => half));
  return { positions, ...defineShapes(dimensions, radii, halves) };
}

/** Returns sizes from a millionth of `largest` up to `largest`. */
const sizes = (largest: number) =>
  fc.integer({ min: 0, max: 1000 }).map((share) => fround(largest * 1e-6 ** (share / 1000)));

function coordinates(kind: Kind): fc.Arbitrary<number> {
  const inside = fc.integer({ min: 0, max: 2 ** 24 - 1 }).map((position) => position * EDGE * 2 ** -24);
  const whole = fc.integer({ min: 0, max: EDGE - 1 });
  if (kind !== 'unbounded') return fc.oneof({ weight: 3, arbitrary: inside }, whole);
  const far = fc
    .tuple(fc.integer({ min: 0, max: 40 }), fc.constantFrom(1, -1))
    .map(([exponent, sign]) => sign * 2 ** exponent);
  return fc.oneof({ weight: 3, arbitrary: inside }, far);
}

interface Query {
  readonly position: readonly number[];
  readonly half: readonly number[];
}

interface Case {
  readonly boxes: boolean;
  readonly given: readonly Given[];
  readonly queries: readonly Query[];
}

/** Returns a box that overlaps a body. Along `axis`, the overlap is 2^-10 of the smaller half extent. */
function beside({ half }: Query, body: Given, axis: number, sign: number): Query {
  const reach = (body.half[axis] || body.radius) as number;
  const apart = reach + (half[axis] as number) - 2 ** -10 * Math.min(reach, half[axis] as number);
  return { half, position: body.position.map((along, of) => (of === axis ? along + sign * apart : along)) };
}

function cases(kind: Kind, dimensions: Dimensions): fc.Arbitrary<Case> {
  const position = fc.tuple(...Array.from({ length: dimensions }, () => coordinates(kind)));
  // Boxes with half extents of at least half a period fill a periodic axis.
  const half = fc.tuple(...Array.from({ length: dimensions }, () => sizes(EDGE)));
  const body = fc
    .record({ position, half, radius: sizes(EDGE / 4), isBox: fc.boolean() })
    .map(({ isBox, ...body }) =>
      isBox ? { ...body, radius: 0 } : { ...body, half: body.half.map(() => 0) },
    );
  const ball = fc.record({ position, radius: sizes(EDGE / 4) }).map((body) => ({ ...body, half: [] }));
  const query = fc.record({
    position,
    half,
    body: fc.nat(),
    axis: fc.nat(dimensions - 1),
    sign: fc.constantFrom(1, -1, 0),
  });
  return fc.boolean().chain((boxes) =>
    fc
      .record({
        given: fc.array(boxes ? body : ball, { maxLength: 70, size: 'max' }),
        list: fc.array(query, { minLength: 1, maxLength: 12, size: 'max' }),
      })
      .map(({ given, list }) => ({
        boxes,
        given,
        queries: list.map(({ body, axis, sign, ...free }) => {
          const other = given[body % Math.max(1, given.length)];
          return other && sign !== 0 ? beside(free, other, axis, sign) : free;
        }),
      })),
  );
}

/** Returns the least overlap of a body and a query along any axis. It is negative if they are apart. */
function overlapOf(
  { dimensions, period }: TreeWorld,
  bodies: StaticBodies,
  body: number,
  low: readonly number[],
  high: readonly number[],
): number {
  const along = period.map((length, axis) => {
    const centre = bodies.positions[dimensions * body + axis] as number;
    const [from, to] = [low[axis] as number, high[axis] as number];
    const reach = extentAlong(dimensions, bodies, body, axis, 0) + (to - from) / 2;
    return reach - Math.abs(minimumImageInDoubles(centre - (from + to) / 2, length));
  });
  return Math.min(...along);
}

function found(tree: ObstacleTree, low: readonly number[], high: readonly number[]): number[] {
  const bodies: number[] = [];
  tree.visit(low, high, (body) => bodies.push(body));
  return bodies;
}

function nameOf(dimensions: Dimensions, { positions, radii, halves, bulks }: StaticBodies, body: number) {
  const of = (numbers: Float32Array | undefined, stride: number) =>
    Array.from(numbers?.subarray(stride * body, stride * (body + 1)) ?? []);
  return [...of(positions, dimensions), ...of(radii, 1), ...of(halves, dimensions), ...of(bulks, 1)].join();
}

const namesOf = (dimensions: Dimensions, bodies: StaticBodies) =>
  Array.from({ length: bodies.positions.length / dimensions }, (_, body) => nameOf(dimensions, bodies, body));

describe.each(DIMENSIONS)('a tree of obstacles in %dD', (dimensions) => {
  it.each(KINDS)('finds all bodies whose boxes overlap a query, each once, and few others: %s', (kind) => {
    const world = worldOf(kind, dimensions);
    let overlapping = 0;
    let visited = 0;
    let tests = 0;
    fc.assert(
      fc.property(cases(kind, dimensions), ({ boxes, given, queries }) => {
        const bodies = bodiesOf(dimensions, given, boxes);
        const tree = new ObstacleTree(world, bodies);
        expect(namesOf(dimensions, tree.bodies).sort()).toEqual(namesOf(dimensions, bodies).sort());
        for (const { position, half } of queries) {
          const low = position.map((centre, axis) => centre - (half[axis] as number));
          const high = position.map((centre, axis) => centre + (half[axis] as number));
          const got = found(tree, low, high);
          // The order is ascending, so no body is found twice.
          expect(got.every((body, index) => index === 0 || body > (got[index - 1] as number))).toBe(true);
          const there = new Set(got);
          const missed: number[] = [];
          for (let body = 0; body < tree.count; body++) {
            if (!(overlapOf(world, tree.bodies, body, low, high) > 0)) continue;
            if (!there.has(body)) missed.push(body);
            overlapping++;
          }
          expect(missed).toEqual([]);
          visited += got.length;
          tests += tree.count;
        }
      }),
      runs(120),
    );
    expectSeen(overlapping, 400);
    // Other bodies are visited as well, since leaves are visited as a whole.
    if (isUsualSeed) expect(visited).toBeLessThan(0.5 * tests);
  });

  it.each(KINDS)('is the same for the same bodies in any order: %s', (kind) => {
    const world = worldOf(kind, dimensions);
    fc.assert(
      fc.property(cases(kind, dimensions), fc.nat(), ({ boxes, given }, seed) => {
        // Some bodies are coincident, with the same size, another size, or swapped extents.
        const twice = given.map((body, index) => {
          const other = given[index >> 1] as Given;
          if (index % 5 === 4) return other;
          if (index % 5 === 3) return { ...other, half: other.half.toReversed() };
          return index % 5 === 2 ? { ...body, position: other.position } : body;
        });
        const tree = new ObstacleTree(world, bodiesOf(dimensions, twice, boxes));
        const order = shuffled(
          twice.map((_, index) => index),
          createNoise(seed),
        );
        const again = new ObstacleTree(
          world,
          bodiesOf(
            dimensions,
            order.map((index) => twice[index] as Given),
            boxes,
          ),
        );
        expect(again.bodies).toEqual(tree.bodies);
        expect(again.nodeBits()).toEqual(tree.nodeBits());
      }),
      runs(40),
    );
  });

  it('has nodes that surround their bodies, and a few bodies per leaf', () => {
    const noise = createNoise(dimensions);
    for (const count of [0, 1, 4, 5, 8, 9, 65]) {
      const positions = Float32Array.from({ length: dimensions * count }, () => EDGE * noise());
      const bodies = { positions, radii: Float32Array.from({ length: count }, () => 4 * noise() ** 4) };
      const tree = new ObstacleTree(worldOf('bounded', dimensions), bodies);
      expect(tree.count).toBe(count);
      expect(tree.nodes).toBe(nodesOf(count));
      const words = tree.nodeBits();
      const floats = new Float32Array(words.buffer);
      const stride = nodeWords(dimensions);
      expect(words).toHaveLength(TREE_HEADER + stride * tree.nodes);
      expect(Array.from(words.subarray(0, TREE_HEADER))).toEqual([tree.nodes, words.length]);
      let next = 0;
      for (let node = 0; node < tree.nodes; node++) {
        const first = TREE_HEADER + stride * node;
        const skip = words[first + 2 * dimensions] as number;
        const leaf = words[first + 2 * dimensions + 1] as number;
        const most = (1 << LEAF_BITS) - 1;
        expect(skip).toBeGreaterThan(node);
        expect(skip).toBeLessThanOrEqual(tree.nodes);
        // An inner node is followed by its first child; a leaf is followed by the node to skip to.
        expect((leaf & most) > 0).toBe(skip === node + 1);
        if ((leaf & most) === 0) continue;
        expect(leaf >>> LEAF_BITS).toBe(next);
        expect(leaf & most).toBeLessThanOrEqual(LEAF_BODIES);
        for (let body = next; body < next + (leaf & most); body++) {
          for (let axis = 0; axis < dimensions; axis++) {
            const centre = tree.bodies.positions[dimensions * body + axis] as number;
            const reach = floats[first + dimensions + axis] as number;
            const apart = Math.abs(centre - (floats[first + axis] as number));
            expect(apart + (tree.bodies.radii?.[body] as number)).toBeLessThanOrEqual(reach * (1 + 2 ** -20));
          }
        }
        next += leaf & most;
      }
      expect(next).toBe(count);
      const all = Array.from({ length: count }, (_, body) => body);
      const [low, high] = [-EDGE, 2 * EDGE].map((at) => new Array<number>(dimensions).fill(at));
      expect(found(tree, low as number[], high as number[])).toEqual(all);
      const beyond = new Array<number>(dimensions).fill(4 * EDGE);
      expect(found(tree, beyond, beyond)).toEqual([]);
      // The tree counts the bytes of its nodes' boxes and links, and of its bodies.
      expect(tree.byteLength).toBe(4 * (stride * tree.nodes + (dimensions + 1) * count));
    }
  });

  it('visits few of many bodies, even if one body surrounds all others', () => {
    const noise = createNoise(9);
    const count = 5000;
    const positions = Float32Array.from({ length: dimensions * count }, () => EDGE * noise());
    const radii = new Float32Array(count).fill(1e-4);
    radii[17] = 1e6;
    const tree = new ObstacleTree(worldOf('periodic', dimensions), { positions, radii });
    const huge = tree.bodies.radii?.indexOf(1e6);
    let visited = 0;
    let lost = 0;
    for (let body = 0; body < count; body++) {
      const centre = Array.from(tree.bodies.positions.subarray(dimensions * body, dimensions * (body + 1)));
      const got = found(tree, centre, centre);
      if (!got.includes(body) || !got.includes(huge as number)) lost++;
      visited += got.length;
    }
    expect(lost).toBe(0);
    expect(visited / count).toBeLessThan(4 * LEAF_BODIES);
  });
});
