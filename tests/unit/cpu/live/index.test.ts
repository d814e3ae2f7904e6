import { describe, expect, it } from 'vitest';
import { CellstormError, LimitError } from '../../../../src/core/base/errors';
import { pairEvents } from '../../../../src/core/simulation/pair-events';
import type { WorldOptions } from '../../../../src/core/world/world';
import { type CpuIndexOptions, createCpuGrid, createCpuIndex } from '../../../../src/cpu';
import { minimumImageInDoubles } from '../../../../src/reference/solve/contact';
import { Random } from '../../../../src/scenes';
import { exactOverlap } from '../../../helpers/exact-pairs';
import { buffersOf } from '../../../helpers/memory';
import { expectSeen, fc, runs } from '../../../helpers/properties';
import {
  type Content,
  CROWDS,
  expectAsFresh,
  expectContent,
  expectNear,
  expectNearest,
  nearOf,
  pairsOf,
  partnersOf,
  play,
  steps,
  worldOptionsOf,
} from './content';

describe.each([2, 3] as const)('CpuIndex in %dD', (dimensions) => {
  const vector = (value: number, ...first: number[]) =>
    Array.from({ length: dimensions }, (_, axis) => first[axis] ?? value);
  const box = (edge: number, capacity: number, radius?: number): CpuIndexOptions => ({
    dimensions,
    min: vector(0),
    max: vector(edge),
    capacity,
    radius,
  });

  describe.each(Object.keys(CROWDS))('in a world that is %s', (kind) => {
    const crowdOf = CROWDS[kind] as (typeof CROWDS)[string];

    it('gives the same answers as brute force and as a new index, after any calls', () => {
      let pairs = 0;
      fc.assert(
        fc.property(
          crowdOf(dimensions, 30).filter(({ positions }) => positions.length > 0),
          steps,
          fc.constantFrom(3, 24, 100),
          fc.boolean(),
          fc.tuple(fc.nat({ max: 1000 }), fc.double({ min: 0.01, max: 40, noNaN: true })),
          (crowd, script, capacity, coarse, [where, size]) => {
            const { world, positions } = crowd;
            const cellSize = coarse ? world.diameter : undefined;
            const options = { ...worldOptionsOf(world), capacity, cellSize };
            const index = createCpuIndex(options);
            expect(index.bounds.kind).toBe(kind);
            expect([index.bounds.min, index.bounds.max]).toEqual([world.min, world.max]);
            expect(index.bounds.period).toEqual(world.period);
            const content = play(index, crowd, script, () => pairsOf(index));
            expectContent(index, content, cellSize);
            const half = Math.min(...world.period.map((length) => length || 1e36)) / 2;
            const radius = Math.min(half, size * world.diameter);
            const first = dimensions * (where % (positions.length / dimensions));
            const position = Array.from(positions.subarray(first, first + dimensions));
            for (const [shift, reach] of [
              [0, radius] as const,
              [0.3 * world.diameter, 0.4 * radius] as const,
            ]) {
              const point = position.map((value) => value + shift);
              if (!point.every((value) => Number.isFinite(Math.fround(value)))) continue;
              expectNear(index, content, point, reach);
              expectNearest(index, content, point, reach);
            }
            expectAsFresh(index, content, options, { position, radius });
            pairs += index.findPairs().count;
          },
        ),
        runs(150),
      );
      expectSeen(pairs, 1000);
    });

    it('gives the same answers as a grid that is rebuilt in each frame', {
      tags: dimensions === 3 ? 'case' : [],
    }, () => {
      const random = new Random(7);
      const count = 2000;
      const edge = dimensions === 2 ? 40 : 12;
      const worldOptions: WorldOptions =
        kind === 'unbounded'
          ? { dimensions, unbounded: true }
          : { dimensions, min: vector(-3), max: vector(edge - 3), periodic: kind === 'periodic' };
      const grid = createCpuGrid({ ...worldOptions, diameter: 1, capacity: count });
      const index = createCpuIndex({ ...worldOptions, capacity: count, radius: 0.5 });
      const positions = Float32Array.from({ length: dimensions * count }, () => random.between(-3, edge - 3));
      const centre = (id: number) => Array.from(positions.subarray(dimensions * id, dimensions * (id + 1)));
      for (let id = 0; id < count; id++) index.add(centre(id));
      let before = index.findPairs();
      let met = 0;
      for (let frame = 0; frame < 4; frame++) {
        grid.build(positions);
        const expected = grid.findPairs();
        expect(index.findPairs()).toEqual(expected);
        expect(expected.count).toBeGreaterThan(500);
        for (const radius of [0.3, 1, 2.75, edge / 2]) {
          const point = vector(0).map(() => random.between(-3, edge - 3));
          expect(nearOf(index, point, radius)).toEqual(nearOf(grid, point, radius).sort((a, b) => a - b));
        }
        for (const reach of [0, 0.3, 2, edge / 3, Number.POSITIVE_INFINITY]) {
          const position = () => vector(0).map(() => random.between(-6, edge));
          const corner = position();
          const far = corner.map((value) => value + random.between(0, Math.min(reach, 2 * edge)));
          expect(index.findInBox(corner, far)).toEqual(grid.findInBox(corner, far));
          const way = position().map((value) => (value - edge / 2) / edge);
          for (const direction of [way, vector(0, 1), vector(0, 0, -0.5)]) {
            const hits = grid.findAlongRay(corner, direction, reach);
            expect(index.findAlongRay(corner, direction, reach)).toEqual(hits);
            met += hits.ids.length;
          }
        }
        const { begun, ended } = pairEvents(before, expected);
        expect(begun.count > 0 && ended.count > 0).toBe(frame > 0);
        before = expected;
        for (let id = frame; id < count; id += frame + 1) {
          for (let axis = 0; axis < dimensions; axis++) {
            const word = dimensions * id + axis;
            const moved = (positions[word] as number) + random.between(-1, 1);
            positions[word] = Math.min(Math.max(moved, -3), edge - 3 - 2 ** -10);
          }
          index.move(id, centre(id));
        }
      }
      expect(met).toBeGreaterThan(40);
    });

    it('allocates its memory when it is created, and more only if an answer needs a longer list', () => {
      const random = new Random(11);
      const worldOptions: WorldOptions =
        kind === 'unbounded'
          ? { dimensions, unbounded: true }
          : { dimensions, min: vector(0), max: vector(8), periodic: kind === 'periodic' };
      const index = createCpuIndex({ ...worldOptions, capacity: 300, radius: 0.5 });
      const sum = (buffers: Set<ArrayBufferLike>) =>
        [...buffers].reduce((bytes, buffer) => bytes + buffer.byteLength, 0);
      const before = buffersOf(index);
      expect(index.memoryBytes).toBe(sum(before));
      const somewhere = () => vector(0).map(() => random.between(0, 8));
      for (let id = 0; id < 300; id++) index.add(somewhere(), 2 ** random.between(-9, 0));
      for (let id = 0; id < 300; id += 2) index.remove(id);
      for (let id = 1; id < 300; id += 2) index.move(id, somewhere());
      for (let id = 1; id < 300; id += 4) index.resize(id, 2 ** random.between(-9, 0));
      index.near(vector(4), 0.5, () => {});
      for (const buffer of buffersOf(index)) expect(before.has(buffer)).toBe(true);
      for (let id = 0; id < 300; id += 2) index.add(vector(4));
      index.near(vector(4), 0.5, () => {});
      expect(index.memoryBytes).toBe(sum(buffersOf(index)));
      expect(index.memoryBytes - sum(before)).toBe(4 * (256 - 64));
      const crowd = index.findInBox(vector(4), vector(4));
      expect(crowd.length).toBeGreaterThanOrEqual(150);
      for (let id = 0; id < 300; id++) {
        index.overlapping(id, () => {});
        expect(() =>
          index.near(vector(4), 0.5, () => {
            throw new Error('enough');
          }),
        ).toThrow('enough');
        expect(() =>
          index.inBox(vector(4), vector(4), () => {
            throw new Error('enough');
          }),
        ).toThrow('enough');
      }
      expect(index.findInBox(vector(4), vector(4))).toEqual(crowd);
      index.forEachPair(() => {});
      expect(index.memoryBytes - sum(before)).toBe(4 * (256 - 64));
    });
  });

  it('decides overlaps exactly for any ratio of sizes', () => {
    const index = createCpuIndex({ dimensions, unbounded: true, capacity: 4 });
    const large = index.add(vector(0), 2 ** 30);
    // The sum of the radii does not fit a double; rounded, it would equal the distance.
    const small = index.add(vector(0, 2 ** 30), 2 ** -41);
    expect(pairsOf(index)).toEqual([[large, small]]);
    expect(partnersOf(index, large)).toEqual([small]);
    expect(partnersOf(index, small)).toEqual([large]);
    index.move(small, vector(0, 2 ** 30 + 128));
    expect(pairsOf(index)).toEqual([]);
    index.resize(small, 128);
    expect(pairsOf(index)).toEqual([]);
    index.resize(small, 128 + 2 ** -16);
    expect(pairsOf(index)).toEqual([[large, small]]);
  });

  it('decides ties like exact arithmetic, also across the ends of a periodic world', () => {
    const size = fc.oneof(fc.float({ min: 0.125, max: 1, noNaN: true }), fc.constant(0.5));
    let differing = 0;
    fc.assert(
      fc.property(
        fc.constantFrom('bounded', 'periodic', 'unbounded'),
        fc.float({ min: -30, max: 30, noNaN: true }),
        fc.array(fc.float({ min: 0, max: 1, noNaN: true }), { minLength: dimensions, maxLength: dimensions }),
        size,
        fc.oneof(
          size,
          fc.integer({ min: -40, max: 0 }).map((power) => 2 ** power),
        ),
        fc.double({ min: 0, max: 7, noNaN: true }),
        (kind, start, position, radius, otherRadius, angle) => {
          const low = Math.abs(start) < 2 ** -60 ? 0 : start;
          const ends = { min: vector(low), max: vector(low + 8.3), periodic: kind === 'periodic' };
          const index = createCpuIndex({
            dimensions,
            ...(kind === 'unbounded' ? { unbounded: true } : ends),
            capacity: 2,
          });
          const sum = radius + otherRadius;
          const a = position.map((value) => Math.fround(low + 0.3 * value));
          const turn = [Math.cos(angle), Math.sin(angle), 0];
          index.add(a, radius);
          index.add(
            a.map((value, axis) => value - sum * (turn[axis] as number)),
            otherRadius,
          );
          const [x, y] = [index.position(0), index.position(1)];
          const overlap = exactOverlap(x, y, radius, index.bounds.period, otherRadius);
          expect(pairsOf(index)).toEqual(overlap ? [[0, 1]] : []);
          expect(partnersOf(index, 1)).toEqual(overlap ? [0] : []);
          const apart = x.map((value, axis) =>
            minimumImageInDoubles(value - (y[axis] as number), index.bounds.period[axis] as number),
          );
          const squared = apart.reduce((total, value) => total + value * value, 0);
          if (squared < sum * sum !== overlap) differing++;
        },
      ),
      runs(2000),
    );
    // Doubles alone would decide some of these ties wrongly.
    expectSeen(differing, 3);
  });

  it('does not count touching as overlapping, even if doubles round the distance down', () => {
    const index = createCpuIndex({ dimensions, unbounded: true, capacity: 2 });
    let nearer = 0;
    for (let step = 205; step <= 500; step++) {
      const tiny = step * 2 ** -51;
      // The objects touch: as 3² + 4² = 5², their distance is 5 + 5 · tiny. `tiny` is so small that doubles round the
      // squares and their sum.
      const small = index.add(vector(0, -3 * tiny, -4 * tiny), 5 * tiny);
      const large = index.add(vector(0, 3, 4), 5);
      expect(pairsOf(index)).toEqual([]);
      expect(partnersOf(index, large)).toEqual([]);
      if ((3 + 3 * tiny) ** 2 + (4 + 4 * tiny) ** 2 < (5 + 5 * tiny) ** 2) nearer++;
      index.move(small, vector(0, -2.999 * tiny, -4 * tiny));
      expect(pairsOf(index)).toEqual([[small, large]]);
      index.clear();
    }
    expect(nearer).toBeGreaterThan(10);
  });

  it('finds every small object around a large one, and the large one from each small one', () => {
    const random = new Random(3);
    const count = 600;
    const index = createCpuIndex(box(64, count + 2));
    const content: Content = new Map();
    const add = (position: number[], radius: number) => {
      const kept = position.map(Math.fround);
      content.set(index.add(position, radius), { position: kept, radius: Math.fround(radius) });
    };
    add(vector(31), 16);
    for (let id = 0; id < count; id++)
      add(
        vector(0).map(() => random.between(8, 56)),
        16 * 2 ** random.between(-8, -4),
      );
    add(vector(40), 0.25);
    expectContent(index, content);
    expect(partnersOf(index, 0).length).toBeGreaterThan(count / 20);
  });

  it('finds objects on the borders of cells, and just below them', () => {
    for (const radius of [0.5, 0.25, 0.4]) {
      const index = createCpuIndex({ dimensions, unbounded: true, capacity: 4 ** dimensions * 2, radius });
      const content: Content = new Map();
      for (let cell = 0; cell < 4 ** dimensions; cell++) {
        const border = vector(0).map((_, axis) => 0.75 * (((cell >> (2 * axis)) & 3) - 2));
        for (const position of [border, border.map((value) => value - 2 ** -24)]) {
          content.set(index.add(position), {
            position: position.map(Math.fround),
            radius: Math.fround(radius),
          });
        }
      }
      expectContent(index, content);
    }
  });

  it('holds a crowd of coincident objects', () => {
    const count = 150;
    const index = createCpuIndex(box(8, count, 0.5));
    for (let id = 0; id < count; id++) index.add(vector(1.5));
    expect(index.findPairs().count).toBe((count * (count - 1)) / 2);
    for (let id = 0; id < count; id += 3) index.remove(id);
    expect(partnersOf(index, 1)).toEqual(
      Array.from({ length: count }, (_, id) => id).filter((id) => id % 3 !== 0 && id !== 1),
    );
    expect(nearOf(index, vector(1.5), 0.1)).toHaveLength(100);
  });

  it('searches across each end of periodic axes, in cells of every size', () => {
    const index = createCpuIndex({ ...box(5, 4), periodic: true });
    for (const radius of [2.5, 1.2, 0.7, 0.3, 2 ** -10, 2 ** -20]) {
      const a = index.add(vector(2, radius / 2), radius);
      const b = index.add(vector(2, 5 - radius / 2 - 2 ** -21), radius);
      expect([radius, pairsOf(index)]).toEqual([radius, [[a, b]]]);
      expect(nearOf(index, vector(2, 5), Math.min(radius, 2.5))).toEqual([a, b]);
      expect(nearOf(index, vector(-3, 0), Math.min(radius, 2.5))).toEqual([a, b]);
      index.remove(a);
      index.remove(b);
    }
    const id = index.add(vector(7, -0.25), 0.125);
    expect(index.position(id)).toEqual(vector(2, 4.75));
    index.move(id, vector(2, 5 * 1000 + 1));
    expect(index.position(id)).toEqual(vector(2, 1));
  });

  it('removes all objects at once', () => {
    const index = createCpuIndex(box(8, 40, 0.5));
    for (let id = 0; id < 40; id++) index.add(vector(id / 8), 2 ** -(id % 5));
    index.clear();
    expect([index.count, index.has(0), pairsOf(index), nearOf(index, vector(4), 9)]).toEqual([
      0,
      false,
      [],
      [],
    ]);
    expect(index.add(vector(1))).toBe(0);
    expect(index.add(vector(1.25))).toBe(1);
    expect(pairsOf(index)).toEqual([[0, 1]]);
  });

  it('holds as many objects as its capacity, which may be 0', () => {
    const none = createCpuIndex(box(8, 0, 0.5));
    expect(() => none.add(vector(1))).toThrow(LimitError);
    expect([pairsOf(none), nearOf(none, vector(1), 3), none.count]).toEqual([[], [], 0]);
    expect(none.findInBox(vector(-9), vector(9))).toEqual(new Uint32Array(0));
    const nothing = { ids: new Uint32Array(0), distances: new Float64Array(0) };
    expect(none.findAlongRay(vector(1), vector(1), Number.POSITIVE_INFINITY)).toEqual(nothing);
    const one = createCpuIndex(box(8, 1, 0.5));
    expect(one.add(vector(1))).toBe(0);
    expect(() => one.add(vector(1))).toThrow(
      'This CpuIndex is full: its capacity is 1. Remove an object first, or create the index with a larger capacity.',
    );
    one.remove(0);
    expect(one.add(vector(2))).toBe(0);
    expect(nearOf(one, vector(2), 0.5)).toEqual([0]);
    expect([...one.findInBox(vector(2), vector(2))]).toEqual([0]);
    expect([...one.findAlongRay(vector(3), vector(-1), 1).ids]).toEqual([0]);
    one.clear();
    expect([
      ...one.findInBox(vector(2), vector(2)),
      ...one.findAlongRay(vector(3), vector(-1), 1).ids,
    ]).toEqual([]);
  });

  it('accepts vectors of any array type', () => {
    const index = createCpuIndex(box(8, 2, 0.5));
    index.add(vector(2));
    const [low, high] = [vector(1.5), vector(2.5)];
    for (const Vector of [Float32Array, Float64Array]) {
      expect([...index.findInBox(Vector.from(low), Vector.from(high))]).toEqual([0]);
      const ray = [Vector.from(vector(2, 0)), Vector.from(vector(0, 2)), 1] as const;
      expect(index.findAlongRay(...ray)).toEqual({
        ids: Uint32Array.of(0),
        distances: Float64Array.of(0.75),
      });
    }
  });

  it('can be searched inside a visitor, and rejects changes meanwhile', () => {
    const index = createCpuIndex(box(8, 200, 0.5));
    for (let id = 0; id < 100; id++) index.add(vector(2 + (id % 10) / 16));
    const expected = pairsOf(index).map(([a, b]) => [
      a,
      b,
      nearOf(index, index.position(a), 0.1),
      partnersOf(index, b),
    ]);
    const found: unknown[] = [];
    index.forEachPair((a, b) => {
      const near: number[] = [];
      index.near(index.position(a), 0.1, (id) => {
        near.push(id);
        if (id !== a) return;
        partnersOf(index, id);
        const position = index.position(id);
        index.inBox(position, vector(8), (inside) => {
          if (inside === id) index.findInBox(position, position);
        });
      });
      found.push([a, b, near, partnersOf(index, b)]);
    });
    // Compare as text, since comparing half a million numbers would be slow.
    expect(JSON.stringify(found) === JSON.stringify(expected)).toBe(true);
    const changes = [
      () => index.add(vector(1)),
      () => index.move(0, vector(1)),
      () => index.resize(0, 1),
      () => index.remove(0),
      () => index.clear(),
    ];
    const busy =
      'This CpuIndex is running near, overlapping, forEachPair, inBox or alongRay. Until that method returns';
    for (const change of changes) {
      expect(() => index.forEachPair(change)).toThrow(CellstormError);
      expect(() => index.overlapping(0, change)).toThrow(busy);
      expect(() => index.near(vector(2), 1, change)).toThrow(busy);
      expect(() => index.inBox(vector(0), vector(8), change)).toThrow(busy);
      expect(() => index.alongRay(vector(0), vector(1), 9, change)).toThrow(busy);
    }
    const outer = Array.from({ length: 100 }, (_, id) => id);
    const of = (...tens: number[]) => outer.filter((id) => tens.includes(id % 10));
    const nested: number[][] = [];
    index.inBox(vector(2), vector(2.0625), (id) => {
      expect([...index.findInBox(vector(2.5), vector(2.5))]).toEqual(of(8));
      index.alongRay(vector(0), vector(1), 9, (hit) => {
        if (hit % 50 === 0) index.inBox(vector(2.5), vector(8), (other) => nested.push([id, hit, other]));
      });
    });
    expect(nested).toEqual(
      of(0, 1).flatMap((id) => [0, 50].flatMap((hit) => of(8, 9).map((other) => [id, hit, other]))),
    );
    expect(pairsOf(index)).toHaveLength(expected.length);
    expect(index.count).toBe(100);
    index.remove(0);
  });
});
