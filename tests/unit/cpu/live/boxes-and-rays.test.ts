import { describe, expect, it } from 'vitest';
import { type CpuIndexOptions, createCpuIndex } from '../../../../src/cpu';
import { Random } from '../../../../src/scenes';
import { expectSeen, fc, runs } from '../../../helpers/properties';
import { isUsualSeed } from '../../../helpers/tiers';
import {
  arbitraryQuery,
  type Ball,
  boxOf,
  type Content,
  CROWDS,
  type Crowd,
  cornersOf,
  countVisits,
  entriesOf,
  expectAlongRay,
  expectInBox,
  hitsOf,
  play,
  type Query,
  rayOf,
  type Step,
  steps,
  type Visits,
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

    it('finds the same objects in boxes and along rays as brute force, after any calls', () => {
      // Each object is repeated, because a search among few objects would test all of them instead of using cells.
      const times = 12;
      const sums = { inBox: 0, met: 0, doubts: 0 };
      const check = (visits: Visits, crowd: Crowd, script: Step[], coarse: boolean, list: Query[]) => {
        const { world } = crowd;
        const cellSize = coarse ? world.diameter : undefined;
        const index = createCpuIndex({ ...worldOptionsOf(world), capacity: 60 * times, cellSize });
        const content = play(index, crowd, script, () => {});
        const fresh = createCpuIndex({ ...worldOptionsOf(world), capacity: content.size });
        const originals = new Map(
          entriesOf(content).map(([id, { position, radius }]) => [fresh.add(position, radius), id]),
        );
        const copies = new Map<number, number>();
        for (let copy = 1; copy < times && content.size > 0; copy++) {
          for (const [id, { position, radius }] of content) copies.set(index.add(position, radius), id);
        }
        const all: Content = new Map(content);
        for (const [copy, id] of copies) all.set(copy, content.get(id) as Ball);
        for (const query of list) {
          const corners = cornersOf(content, world, query);
          Object.assign(visits, { cells: 0, rows: 0 });
          sums.inBox += expectInBox(index, all, boxOf(corners, query));
          expect(visits.cells).toBeLessThanOrEqual(2 * index.count);
          const ray = rayOf(corners, query);
          if (ray === undefined) continue;
          Object.assign(visits, { cells: 0, rows: 0 });
          const hits = hitsOf(index, ray);
          expect(visits.cells).toBeLessThanOrEqual(2 * index.count);
          // A fresh index with one copy of each object must give exactly the same hits.
          const own = hits.filter(([id]) => !copies.has(id));
          const named = hitsOf(fresh, ray).map(([id, distance]) => [originals.get(id), distance]);
          expect(named).toEqual(own);
          const distances = new Map(own);
          for (const [id, distance] of hits) expect(distance).toBe(distances.get(copies.get(id) ?? id));
          expect(hits.length).toBe(times * own.length);
          expect(hits).toEqual([...hits].sort(([a, s], [b, t]) => s - t || a - b));
          const [met, doubts] = expectAlongRay(index.bounds, own, content, ray);
          sums.met += met;
          sums.doubts += doubts;
        }
      };
      countVisits((visits) =>
        fc.assert(
          fc.property(
            crowdOf(dimensions, 30).filter(({ positions }) => positions.length > 0),
            steps,
            fc.boolean(),
            fc.array(arbitraryQuery(dimensions), { minLength: 1, maxLength: 6 }),
            (...given) => check(visits, ...given),
          ),
          runs(60),
        ),
      );
      expectSeen(sums.inBox, 3000);
      expectSeen(sums.met, 200);
      // Doubles are coarser far from the origin, so more hits are ambiguous there. With another seed than the usual
      // one, chance decides how many.
      if (isUsualSeed) expect(sums.doubts).toBeLessThan(sums.met / (kind === 'unbounded' ? 5 : 10));
    });
  });

  it('finds the centres in a box, bounds included, whatever the radii', () => {
    const index = createCpuIndex({ dimensions, unbounded: true, capacity: 12 });
    const inBox = (min: number[], max: number[]) => [...index.findInBox(min, max)];
    const near = 1 + 2 ** -23;
    for (const radius of [2 ** -41, 0.5, 300]) {
      const ids = [1, near, 2 - 2 ** -23, 2, 2 + 2 ** -22, 1 - 2 ** -24].map((x) =>
        index.add(vector(1.5, x), radius),
      );
      const named = (found: number[]) => found.map((id) => ids.indexOf(id));
      expect(named(inBox(vector(1), vector(2)))).toEqual([0, 1, 2, 3]);
      expect(named(inBox(vector(1, 1 + 2 ** -50), vector(2, 2 - 2 ** -50)))).toEqual([1, 2]);
      expect(named(inBox(vector(1.5, near), vector(1.5, near)))).toEqual([1]);
      for (let axis = 1; axis < dimensions; axis++) {
        expect(inBox(vector(1).with(axis, 1.5 + 2 ** -50), vector(2))).toEqual([]);
        expect(inBox(vector(1), vector(2).with(axis, 1.5 - 2 ** -50))).toEqual([]);
        expect(inBox(vector(1), vector(2).with(axis, 0.5))).toEqual([]);
      }
      expect(inBox(vector(1, 2), vector(2, 1))).toEqual([]);
      for (const id of ids) index.remove(id);
    }
  });

  it.each([undefined, 2 ** 50])(
    'wraps boxes and rays around the ends of periodic axes, with cell size %s',
    (cellSize) => {
      // In 3D this is a channel, whose last axis is not periodic.
      const periodic = vector(0).map((_, axis) => axis < 2);
      const index = createCpuIndex({ ...box(8, 8, 0.25), periodic, cellSize });
      for (let x = 0; x < 8; x++) index.add(vector(4, x + 0.5));
      const between = (low: number, high: number) => [
        ...index.findInBox(vector(-4, low), vector(4 + (dimensions === 2 ? 0 : 90), high)),
      ];
      expect(between(6.5, 8.5)).toEqual([0, 6, 7]);
      expect(between(-1.5, 0.5)).toEqual([0, 6, 7]);
      expect(between(6.6, 16.4)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      expect(between(6.6, 14.4)).toEqual([0, 1, 2, 3, 4, 5, 7]);
      expect(between(6.6, 14.5)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      expect(between(17, 18)).toEqual([1]);
      expect(between(7, 1)).toEqual([]);
      const along = (x: number, sign: number, reach: number) => {
        const { ids, distances } = index.findAlongRay(vector(4, x), vector(0, sign), reach);
        return [[...ids], [...distances]];
      };
      expect(along(6, 1, 3.25)).toEqual([
        [6, 7, 0, 1],
        [0.25, 1.25, 2.25, 3.25],
      ]);
      expect(along(6 - 80, 1, 1)).toEqual([[6], [0.25]]);
      expect(along(1.5, -2, 1.25)).toEqual([
        [1, 0, 7],
        [0, 0.375, 0.875],
      ]);
      for (const reach of [7.25, 8, 100, Number.POSITIVE_INFINITY]) {
        expect(along(1, 1, reach)).toEqual([
          [1, 2, 3, 4, 5, 6, 7, 0],
          [0.25, 1.25, 2.25, 3.25, 4.25, 5.25, 6.25, 7.25],
        ]);
      }
      // Rays end after 64 periods along a periodic axis, so the first of these two rays ends before the row of balls.
      const slanting = (slope: number) => {
        const ray = [vector(4, 1, 3.5), vector(0, 8, slope)] as const;
        return index.findAlongRay(...ray, Number.POSITIVE_INFINITY).ids.length;
      };
      expect([slanting(2 ** -9), slanting(2 ** -7)]).toEqual([0, 8]);
    },
  );

  it('wraps the origin of a ray, from any distance', () => {
    const [start, length] = [Math.fround(-0.4898141324520111), Math.fround(2.0880651473999023)];
    const ends = { min: vector(start), max: vector(start + length), periodic: true };
    const index = createCpuIndex({ dimensions, ...ends, radius: 0.25, capacity: 3 });
    for (const x of [start, 0.3, 1.2]) index.add(vector(start, x));
    const [period] = index.bounds.period as [number];
    for (const far of [3, -90, 1e6, -1e15 / 7]) {
      const inside = far - period * Math.floor((far - start) / period);
      const hits = index.findAlongRay(vector(start, inside), vector(0, 0.7), 9);
      expect(hits.ids.length).toBe(3);
      expect(index.findAlongRay(vector(start, far), vector(0, 0.7), 9)).toEqual(hits);
    }
    // Rounding leaves the wrapped coordinate more than 2⁷² periods away, so the index uses the low end of the axis.
    const { ids, distances } = index.findAlongRay(vector(start, 9.225469314489054e37), vector(0, 1), 0.6);
    expect([[...ids], [...distances]]).toEqual([
      [0, 1],
      [0, expect.closeTo(0.54, 2)],
    ]);
  });

  it('finds the objects that a ray touches, from its beginning to its end', () => {
    for (const world of [{ ...box(8, 9) }, { ...box(8, 9), periodic: true }]) {
      const index = createCpuIndex(world);
      index.add(vector(4), 1);
      index.add(vector(4, 6), 0.5);
      const met = (origin: number[], direction: number[], reach: number) => {
        const { ids, distances } = index.findAlongRay(origin, direction, reach);
        return Array.from(ids, (id, rank) => [id, distances[rank]]);
      };
      const [right, left] = [vector(0, 1), vector(0, -1)];
      for (const y of [3, 5]) expect(met(vector(4, 2, y), right, 3)).toEqual([[0, 2]]);
      for (const y of [3 - 2 ** -40, 5 + 2 ** -40]) expect(met(vector(4, 2, y), right, 9)).toEqual([]);
      expect(met(vector(4, 2), right, 1)).toEqual([[0, 1]]);
      expect(met(vector(4, 2), right, 1 - 2 ** -40)).toEqual([]);
      expect(met(vector(4, 1), right, 4.5)).toEqual([
        [0, 2],
        [1, 4.5],
      ]);
      // Rays from the edge of a ball, from just outside, from inside, and with length 0.
      expect(met(vector(4, 5), right, 0.5)).toEqual([
        [0, 0],
        [1, 0.5],
      ]);
      expect(met(vector(4, 5 + 2 ** -40), right, 0.25)).toEqual([]);
      expect(met(vector(4, 4.5), left, 0)).toEqual([[0, 0]]);
      expect(met(vector(4, 3), left, 0)).toEqual([[0, 0]]);
      expect(met(vector(4, 3 - 2 ** -40), left, 0)).toEqual([]);
      // Distances are in units of the direction's length. Hits at equal distances are ordered by id.
      index.add(vector(4), 1);
      expect(met(vector(4, 0), vector(0, 6), 0.9)).toEqual([
        [0, 0.5],
        [2, 0.5],
      ]);
      index.resize(0, 2);
      index.move(2, vector(7));
      expect(met(vector(4, 1), right, 2)).toEqual([[0, 1]]);
      index.remove(0);
      expect(met(vector(4, 1), right, 2)).toEqual([]);
    }
  });

  it('finds objects far out, and visits no more cells than there are objects', () => {
    const far = 2 ** 100;
    const index = createCpuIndex({ dimensions, unbounded: true, capacity: 400 });
    const positions = [vector(far), vector(0.5), vector(-far), vector(0.5, far), vector(0.5, 9)];
    for (const position of positions) index.add(position, 0.25);
    index.add(vector(0.5, 4), 2 ** -41);
    index.add(vector(0.5, -1e30), 2 ** 59);
    const all = [0, 1, 2, 3, 4, 5, 6];
    expect([...index.findInBox(vector(-3e38), vector(3e38))]).toEqual(all);
    expect([...index.findInBox(vector(-far), vector(far))]).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect([...index.findInBox(vector(0), vector(1, far))]).toEqual([1, 3, 4, 5]);
    expect([...index.findInBox(vector(0), vector(1, 2 ** 99))]).toEqual([1, 4, 5]);
    expect([...index.findAlongRay(vector(0.5, -2), vector(0, 1), Number.POSITIVE_INFINITY).ids]).toEqual([
      1, 5, 4, 3,
    ]);
    expect([...index.findAlongRay(vector(0), vector(1), Number.POSITIVE_INFINITY).ids]).toEqual([1, 0]);
    expect([...index.findAlongRay(vector(far), vector(-1), Number.POSITIVE_INFINITY).ids].at(0)).toBe(0);
    expect([...index.findAlongRay(vector(-far), vector(-1), 1).ids]).toEqual([2]);
    for (let x = index.count; x < 400; x++) index.add(vector(0.5, x % 97), 0.25);
    countVisits((visits) => {
      index.findInBox(vector(0), vector(2 ** 40));
      index.findAlongRay(vector(0), vector(1), 2 ** 40);
      index.findAlongRay(vector(0), vector(0.5, 1, 0.25), 2 ** 40);
      expect(visits.lists).toBeGreaterThan(2);
      expect(visits.cells).toBeLessThan(3 * 400);
    });
  });

  it('follows infinite rays and boxes only as far as there are objects', () => {
    const count = dimensions === 2 ? 4000 : 20_000;
    const wide = { ...box(0, count, 0.25), min: vector(-1e6), max: vector(1e6) };
    for (const options of [wide, { ...box(20, count, 0.25), periodic: true }]) {
      const index = createCpuIndex(options);
      const random = new Random(5);
      index.remove(index.add(vector(1e30)));
      for (let id = 0; id < count; id++) index.add(vector(0).map(() => random.between(0, 20)));
      const isBetween = (low: number, high: number) => (id: number) => {
        const [x] = index.position(id) as [number];
        return (x >= low && x <= high) || (options === wide ? false : x + 20 <= high);
      };
      countVisits((visits) => {
        for (const high of [4.5, 20.25]) {
          const slab = index.findInBox(vector(-3e38, high - 0.5), vector(3e38, high));
          const ids = Array.from({ length: count }, (_, id) => id);
          expect([...slab]).toEqual(ids.filter(isBetween(high - 0.5, high)));
          expect(slab.length).toBeGreaterThan(count / 100);
        }
        const reach = options === wide ? Number.POSITIVE_INFINITY : 40;
        for (const sign of [1, -1]) {
          const way = vector(1.02, 1.01, 1).map((value) => sign * value);
          expect(index.findAlongRay(vector(10 - 13 * sign), way, reach).ids.length).toBeGreaterThan(4);
        }
        expect(visits.lists).toBe(0);
        // Cells are as wide as the slab.
        expect(visits.cells).toBeLessThan(5 * 41 ** (dimensions - 1) + 1000);
      });
    }
  });

  it('tests all objects if rounding makes a ray wider than cells', () => {
    // Far from 0 and with small objects, rounding makes a ray 2,050 cells wide.
    const index = createCpuIndex({
      dimensions,
      min: vector(2 ** 23),
      max: vector(2 ** 23 + 8),
      periodic: true,
      capacity: 60_000,
      radius: 2 ** -27,
    });
    for (let id = 0; id < index.capacity; id++) index.add(vector(2 ** 23 + (id % 8)));
    const far = vector(2 ** 23 + 4);
    const { ids } = countVisits(() => index.findAlongRay(far, vector(1), 2 ** -12));
    expect([ids.length, ids[0], ids[1]]).toEqual([7500, 4, 12]);
  });

  it('searches all cells in which a ray may touch an object because of rounding', () => {
    const tiny = 2 ** -60;
    // The centre is just below a border of cells. Its distance from the ray exceeds the radius by less than a rounding
    // error.
    const index = createCpuIndex({ dimensions, unbounded: true, capacity: 500, radius: 1 });
    index.add(vector(-8, -8, -tiny));
    const meets = () => [...index.findAlongRay(vector(-8, -8, 1), vector(0, 1), 0).ids];
    expect(meets()).toEqual([0]);
    while (index.count < 500) index.add(vector(index.count % 2 === 0 ? -12 : 12));
    expect(countVisits((visits) => [meets(), visits.lists])).toEqual([[0], 0]);
  });
});
