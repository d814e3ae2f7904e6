/** The CPU index: after any calls, it gives the same answers as brute force and as a new index of the same content. */

import { describe, expect, it } from 'vitest';
import { ArgumentError, CellstormError, LimitError } from '../../../src/core/base/errors';
import { pairEvents } from '../../../src/core/simulation/pair-events';
import { wrapCoordinate } from '../../../src/core/world/cells';
import type { World, WorldOptions } from '../../../src/core/world/world';
import { type CpuIndex, type CpuIndexOptions, createCpuGrid, createCpuIndex } from '../../../src/cpu';
import { LiveCells } from '../../../src/cpu/live/cells';
import { particlesInBox } from '../../../src/reference/query/boxes';
import { hitsAlongRay, type ReferenceHit, type ReferenceRay } from '../../../src/reference/query/rays';
import { nearestImage } from '../../../src/reference/solve/contact';
import { Random } from '../../../src/scenes';
import { exactOverlap } from '../../helpers/exact-pairs';
import { expectHits } from '../../helpers/inputs/rays';
import { optionsOf, unusualCrowds } from '../../helpers/inputs/unusual-worlds';
import { crowds, runs } from '../../helpers/inputs/worlds';
import { buffersOf } from '../../helpers/memory';
import { fc } from '../../helpers/properties';
import { atGate, fewerInSpace } from '../../helpers/thorough';

type Dimensions = 2 | 3;

interface Ball {
  readonly position: readonly number[];
  readonly radius: number;
}

/** The expected content of an index. */
type Content = Map<number, Ball>;

/** Returns the content sorted by id. */
function entriesOf(content: Content): [number, Ball][] {
  return [...content].sort(([a], [b]) => a - b);
}

/** Returns the level of a ball's cells: the exponent of their edge. */
function levelOf({ radius }: Ball, cellSize = 0): number {
  return Math.max(Math.ceil(Math.log2(2 * radius)), Math.ceil(Math.log2(cellSize)));
}

function bruteForcePairs(content: Content, period: readonly number[]): [number, number][] {
  const entries = entriesOf(content);
  return entries.flatMap(([first, a], index) =>
    entries
      .slice(index + 1)
      .filter(([, b]) => exactOverlap(a.position, b.position, a.radius, period, b.radius))
      .map(([second]): [number, number] => [first, second]),
  );
}

function pairsOf(index: CpuIndex): [number, number][] {
  const pairs: [number, number][] = [];
  index.forEachPair((first, second) => pairs.push([first, second]));
  return pairs;
}

function partnersOf(index: CpuIndex, id: number): number[] {
  const partners: number[] = [];
  index.overlapping(id, (other) => partners.push(other));
  return partners;
}

function nearOf(index: Pick<CpuIndex, 'near'>, point: number[], radius: number): number[] {
  const ids: number[] = [];
  index.near(point, radius, (id) => ids.push(id));
  return ids;
}

/** Compares everything except `near` with exact arithmetic on all pairs. */
function expectContent(index: CpuIndex, content: Content, cellSize?: number): void {
  const { period } = index.bounds;
  expect(index.count).toBe(content.size);
  for (const [id, { position, radius }] of content) {
    expect(index.has(id)).toBe(true);
    expect(index.position(id)).toEqual(position);
    expect(index.radius(id)).toBe(radius);
  }
  const expected = bruteForcePairs(content, period);
  const found = index.findPairs();
  expect([...found.pairs]).toEqual(expected.flat());
  expect(found.count).toBe(expected.length);
  const owned = expected.map(([first, second]) => {
    const level = (id: number) => levelOf(content.get(id) as Ball, cellSize);
    return level(first) <= level(second) ? [first, second] : [second, first];
  }) as [number, number][];
  owned.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  expect(pairsOf(index)).toEqual(owned.map(([a, b]) => [Math.min(a, b), Math.max(a, b)]));
  for (const [id] of content) {
    const partners = expected.flatMap(([a, b]) => (a === id ? [b] : b === id ? [a] : []));
    expect(partnersOf(index, id)).toEqual(partners.sort((a, b) => a - b));
    expect([...index.findOverlapping(id)]).toEqual(partners);
  }
}

/** Compares the objects near a point with the distances to all objects. */
function expectNear(index: CpuIndex, content: Content, point: number[], radius: number): void {
  const { period } = index.bounds;
  const found: number[] = [];
  index.near(point, radius, (id, distanceSquared) => {
    expect(distanceSquared).toBeLessThanOrEqual(radius * radius);
    found.push(id);
  });
  expect(found).toEqual([...new Set(found)].sort((a, b) => a - b));
  expect([...index.findNear(point, radius)]).toEqual(found);
  const noise = 1e-12 * Math.max(...point.map(Math.abs), ...period, radius);
  for (const [id, { position }] of content) {
    const apart = position.map((value, axis) =>
      nearestImage(value - (point[axis] as number), period[axis] as number),
    );
    const distance = Math.hypot(...apart);
    if (Math.abs(distance - radius) > noise) expect(found.includes(id)).toBe(distance < radius);
  }
}

/** Compares the nearest objects, their order and number, with all objects. */
function expectNearest(index: CpuIndex, content: Content, point: number[], radius: number): void {
  const all: (readonly [id: number, squared: number])[] = [];
  index.near(point, Number.POSITIVE_INFINITY, (id, squared) => all.push([id, squared]));
  expect(all.map(([id]) => id)).toEqual(entriesOf(content).map(([id]) => id));
  expect([...index.findNear(point, Number.POSITIVE_INFINITY)]).toEqual(all.map(([id]) => id));
  all.sort((a, b) => a[1] - b[1] || a[0] - b[0]);
  for (const reach of [undefined, radius, 3 * radius]) {
    const within = all.filter(([, squared]) => reach === undefined || squared <= reach * reach);
    for (const k of [1, 3, content.size + 2]) {
      const { ids, distancesSquared } = index.nearest(point, k, reach);
      expect([...ids]).toEqual(within.slice(0, k).map(([id]) => id));
      expect([...distancesSquared]).toEqual(within.slice(0, k).map(([, squared]) => squared));
    }
  }
}

/** Numbers of visited cells, rows of cells, and levels whose objects were all tested. */
interface Visits {
  cells: number;
  rows: number;
  lists: number;
}

/** Counts visits while a function runs. An endless search fails. */
function countVisits<Result>(run: (visits: Visits) => Result): Result {
  const { visitRow, visitLevel } = LiveCells.prototype;
  const visits = { cells: 0, rows: 0, lists: 0 };
  LiveCells.prototype.visitRow = function (level, first, last, ...rest) {
    visits.cells += Math.max(0, last - first + 1);
    visits.rows++;
    if (Math.max(visits.cells, visits.rows) > 1e6) throw new Error('A search looks into too many cells.');
    visitRow.call(this, level, first, last, ...rest);
  };
  LiveCells.prototype.visitLevel = function (...args) {
    visits.lists++;
    visitLevel.apply(this, args);
  };
  try {
    return run(visits);
  } finally {
    Object.assign(LiveCells.prototype, { visitRow, visitLevel });
  }
}

type Corners = readonly [readonly number[], readonly number[]];

/** Compares the objects in a box with a test of each object. Returns their number. */
function expectInBox(index: CpuIndex, content: Content, [min, max]: Corners): number {
  const { period } = index.bounds;
  const got = [...index.findInBox(min, max)];
  const visited: number[] = [];
  index.inBox(min, max, (id) => visited.push(id));
  expect(visited).toEqual(got);
  expect(got).toEqual([...new Set(got)].sort((a, b) => a - b));
  const entries = entriesOf(content);
  const positions = Float32Array.from(entries.flatMap(([, { position }]) => position));
  // Along periodic axes, corners outside may be rounded when they are wrapped.
  const noise = period.map((length, axis) =>
    length === 0 ? 0 : 1e-14 * (Math.abs(min[axis] as number) + Math.abs(max[axis] as number) + length),
  );
  const within = (sign: number) => {
    const low = min.map((value, axis) => value - sign * (noise[axis] as number));
    const high = max.map((value, axis) => value + sign * (noise[axis] as number));
    return particlesInBox(positions, period, low, high).map((rank) => (entries[rank] as [number, Ball])[0]);
  };
  if (min.some((low, axis) => low > (max[axis] as number))) {
    expect(got).toEqual([]);
  } else if (period.every((length) => length === 0)) {
    expect(got).toEqual(within(0));
  } else {
    const known = new Set(got);
    expect(within(-1).filter((id) => !known.has(id))).toEqual([]);
    const outer = new Set(within(1));
    expect(got.filter((id) => !outer.has(id))).toEqual([]);
  }
  return got.length;
}

/** The error of a centre's distance in doubles, as a share of the distance along the ray. */
const DOUBLES = 2 ** -45;

/** Returns the objects that a ray meets, as pairs of an id and a distance. */
function hitsOf(index: CpuIndex, { origin, direction, greatestDistance }: ReferenceRay): [number, number][] {
  const { ids, distances } = index.findAlongRay(origin, direction, greatestDistance);
  const hits: [number, number][] = [];
  index.alongRay(origin, direction, greatestDistance, (id, distance) => hits.push([id, distance]));
  expect(hits).toEqual(Array.from(ids, (id, rank) => [id, distances[rank]]));
  return hits;
}

/** Compares hits with the images of each object of `content`. Returns the number of hits, and of ambiguous ones. */
function expectAlongRay(
  { min, period }: CpuIndex['bounds'],
  hits: readonly (readonly [number, number])[],
  content: Content,
  ray: ReferenceRay,
): [met: number, doubts: number] {
  const origin = ray.origin.map((value, axis) => {
    const length = period[axis] as number;
    return length > 0 ? value - length * Math.floor((value - (min[axis] as number)) / length) : value;
  });
  const expected: ReferenceHit[] = [];
  const doubtful = new Set<number>();
  for (const [id, { position, radius }] of content) {
    const alone = hitsAlongRay(Float32Array.from(position), period, { ...ray, origin }, radius, DOUBLES);
    expected.push(...alone.hits.map((hit) => ({ ...hit, id })));
    if (alone.doubtful.size > 0) doubtful.add(id);
  }
  const ids = hits.map(([id]) => id);
  const distances = hits.map(([, distance]) => distance);
  return [ids.length, expectHits(ids, distances, { hits: expected, doubtful }, JSON.stringify(ray))];
}

/** A box or a ray between two objects, with offsets in periods and diameters, and the reach of the ray. */
interface Query {
  readonly objects: readonly [number, number];
  readonly moves: readonly (readonly [number, number])[];
  readonly isTurned: boolean;
  /** The only axis of the ray's direction, if there is one. */
  readonly axis: number;
  readonly reach: number;
}

function arbitraryQuery(dimensions: Dimensions): fc.Arbitrary<Query> {
  const move = fc.oneof(
    fc.constant(0),
    fc.integer({ min: -3, max: 3 }),
    fc.double({ min: -4, max: 4, noNaN: true }),
    fc.double({ min: -0.2, max: 0.2, noNaN: true }),
  );
  return fc.record({
    objects: fc.tuple(fc.nat({ max: 1000 }), fc.nat({ max: 1000 })),
    moves: fc.array(fc.tuple(move, move), { minLength: dimensions, maxLength: dimensions }),
    isTurned: fc.integer({ min: 0, max: 9 }).map((value) => value === 0),
    axis: fc.integer({ min: 0, max: 5 }),
    reach: fc.oneof(
      fc.constantFrom(0, Number.POSITIVE_INFINITY),
      fc.double({ min: 0, max: 2, noNaN: true }),
      fc.double({ min: 0, max: 0.1, noNaN: true }),
    ),
  });
}

/** Returns two positions: each is an object's, moved by some periods and some diameters of the crowd. */
function cornersOf(content: Content, { period, diameter }: World, { objects, moves }: Query): Corners {
  const balls = entriesOf(content).map(([, ball]) => ball);
  const [a, b] = ([0, 1] as const).map((which) =>
    moves.map((move, axis) => {
      const position = balls[objects[which] % balls.length]?.position[axis] ?? 0;
      const [steps, part] = [Math.round(move[which]), move[which] % 1];
      const moved = position + steps * (period[axis] || diameter) + part * (period[axis] || 40 * diameter);
      return Math.max(-3e38, Math.min(3e38, moved));
    }),
  ) as [number[], number[]];
  return [a, b];
}

function boxOf([a, b]: Corners, { isTurned }: Query): Corners {
  const low = a.map((value, axis) => Math.min(value, b[axis] as number));
  const high = a.map((value, axis) => Math.max(value, b[axis] as number));
  return isTurned ? [low.with(0, high[0] as number), high.with(0, low[0] as number)] : [low, high];
}

/**
 * Returns the ray from one position to another. Undefined if they coincide, or if their difference does not fit 32-bit
 * floats.
 */
function rayOf([a, b]: Corners, { axis, reach }: Query): ReferenceRay | undefined {
  const origin = a.map(Math.fround);
  const way = origin.map((from, along) => {
    const part = Math.fround((b[along] as number) - from);
    return axis >= origin.length || axis === along ? part : 0;
  });
  const length = Math.hypot(...way);
  if (!(length > 2 ** -99) || !way.every(Number.isFinite)) return undefined;
  return { origin, direction: way, greatestDistance: reach };
}

/** Checks that a new index with the same content gives the same answers in the same order. */
function expectAsFresh(index: CpuIndex, content: Content, options: CpuIndexOptions, query: Ball): void {
  const fresh = createCpuIndex({ ...options, capacity: content.size });
  const ids = entriesOf(content).map(([id, { position, radius }]) => {
    fresh.add(position, radius);
    return id;
  });
  const named = (fresh: number[]) => fresh.map((rank) => ids[rank]);
  expect(pairsOf(fresh).map(named)).toEqual(pairsOf(index));
  ids.forEach((id, rank) => {
    expect(named(partnersOf(fresh, rank))).toEqual(partnersOf(index, id));
  });
  expect(named(nearOf(fresh, [...query.position], query.radius))).toEqual(
    nearOf(index, [...query.position], query.radius),
  );
}

interface Step {
  readonly act: 'add' | 'move' | 'creep' | 'resize' | 'remove';
  /** Number of the object, index of the position in the crowd, and offset in periods. */
  readonly object: number;
  readonly position: number;
  readonly periods: number;
  /** Radius, in diameters of the crowd. */
  readonly size: number;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    act: fc.constantFrom('add', 'add', 'add', 'move', 'move', 'creep', 'resize', 'remove'),
    object: fc.nat({ max: 1000 }),
    position: fc.nat({ max: 1000 }),
    periods: fc.integer({ min: -3, max: 3 }),
    size: fc.oneof(
      { weight: 3, arbitrary: fc.constant(0.5) },
      { weight: 2, arbitrary: fc.double({ min: 0.2, max: 0.6, noNaN: true }) },
      { weight: 2, arbitrary: fc.integer({ min: -7, max: 6 }).map((power) => 2 ** power) },
      { weight: 1, arbitrary: fc.integer({ min: -30, max: 30 }).map((power) => 1.2 * 2 ** power) },
    ),
  }),
  { maxLength: 60, size: 'max' },
);

interface Crowd {
  readonly world: World;
  readonly positions: Float32Array;
}

const CROWDS: Readonly<Record<string, (dimensions: Dimensions, most: number) => fc.Arbitrary<Crowd>>> = {
  bounded: crowds,
  ...unusualCrowds,
};

/** Returns a world's options without the size of its cells. */
function worldOptionsOf(world: World): WorldOptions {
  const { cellSize: _, ...options } = optionsOf(world);
  return options;
}

/** Plays steps on an index and on a map; each error must leave the index unchanged. */
function play(
  index: CpuIndex,
  { world, positions }: Crowd,
  script: readonly Step[],
  check: () => void,
): Content {
  const content: Content = new Map();
  const { dimensions, period } = index.bounds;
  const half = Math.min(...period.map((length) => length || 2 ** 60)) / 2;
  const radiusOf = (size: number) => {
    const radius = Math.fround(size * world.diameter);
    return Math.min(Math.max(radius, 2 ** -41), half, 2 ** 59);
  };
  const given = ({ position, periods }: Step): number[] => {
    const first = dimensions * (position % (positions.length / dimensions));
    return period.map((length, axis) => (positions[first + axis] as number) + periods * length);
  };
  const kept = (position: readonly number[]) =>
    position.map((value, axis) => wrapCoordinate(index.bounds, Math.fround(value), axis));
  for (const step of script) {
    const [id, ball] = entriesOf(content)[step.object % Math.max(1, content.size)] ?? [0, undefined];
    const radius = radiusOf(step.size);
    if (ball === undefined || step.act === 'add') {
      const position = given(step);
      if (content.size === index.capacity) {
        expect(() => index.add(position, radius)).toThrow(LimitError);
        continue;
      }
      let lowest = 0;
      while (content.has(lowest)) lowest++;
      expect(index.add(position, radius)).toBe(lowest);
      content.set(lowest, { position: kept(position), radius });
    } else if (step.act === 'move' || step.act === 'creep') {
      // A creep is so short that the object mostly stays in its cell.
      const position =
        step.act === 'move'
          ? given(step)
          : ball.position.map((value) => value + step.size * 0.1 * ball.radius);
      if (!position.every((value) => Number.isFinite(Math.fround(value)))) {
        expect(() => index.move(id, position)).toThrow(ArgumentError);
        continue;
      }
      index.move(id, position);
      content.set(id, { ...ball, position: kept(position) });
    } else if (step.act === 'resize') {
      index.resize(id, radius);
      content.set(id, { ...ball, radius });
    } else {
      index.remove(id);
      content.delete(id);
      expect(index.has(id)).toBe(false);
      expect(() => index.position(id)).toThrow(ArgumentError);
    }
    if (step.object % 16 === 0) check();
  }
  return content;
}

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

  describe.each(fewerInSpace(dimensions, Object.keys(CROWDS)))('%s', (kind) => {
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
        runs(atGate(150)),
      );
      expect(pairs).toBeGreaterThan(atGate(1000));
    });

    it('finds the same objects in boxes and along rays as brute force, after any calls', () => {
      // Each object is repeated, because a search among few objects tests all of them.
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
          // The box was searched by both methods.
          expect(visits.cells).toBeLessThanOrEqual(2 * index.count);
          const ray = rayOf(corners, query);
          if (ray === undefined) continue;
          Object.assign(visits, { cells: 0, rows: 0 });
          const hits = hitsOf(index, ray);
          expect(visits.cells).toBeLessThanOrEqual(2 * index.count);
          // An index with one copy of each object must give exactly the same hits.
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
      expect(sums.inBox).toBeGreaterThan(3000);
      expect(sums.met).toBeGreaterThan(200);
      // Doubles are coarser far from the origin, so more hits are ambiguous there.
      expect(sums.doubts).toBeLessThan(sums.met / (kind === 'unbounded' ? 5 : 20));
    });

    it('finds the same as a grid that is rebuilt in each frame', () => {
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

    it('allocates all its memory at once, except for longer answers', () => {
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
    // Touching is not overlapping.
    index.resize(small, 128);
    expect(pairsOf(index)).toEqual([]);
    index.resize(small, 128 + 2 ** -16);
    expect(pairsOf(index)).toEqual([[large, small]]);
  });

  it('decides ties like exact arithmetic, also across the ends', () => {
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
            nearestImage(value - (y[axis] as number), index.bounds.period[axis] as number),
          );
          const squared = apart.reduce((total, value) => total + value * value, 0);
          if (squared < sum * sum !== overlap) differing++;
        },
      ),
      runs(atGate(2000)),
    );
    // Doubles alone would decide some of them wrongly.
    expect(differing).toBeGreaterThan(atGate(3));
  });

  it('does not count touching as overlapping, even if doubles round the distance down', () => {
    const index = createCpuIndex({ dimensions, unbounded: true, capacity: 2 });
    let nearer = 0;
    for (let step = 205; step <= 500; step++) {
      const tiny = step * 2 ** -51;
      // 3, 4 and 5 times a number with so many bits that squares and sums are rounded.
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

  it('finds every small object around a large one, and the large one from each', () => {
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

  it('finds objects on borders of cells, on both sides of them', () => {
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
    // Positions outside are wrapped from any distance.
    const id = index.add(vector(7, -0.25), 0.125);
    expect(index.position(id)).toEqual(vector(2, 4.75));
    index.move(id, vector(2, 5 * 1000 + 1));
    expect(index.position(id)).toEqual(vector(2, 1));
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
      // A ray ends after 64 periods along a periodic axis; the first of these ends before the row of balls.
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
    // Rounding leaves even the wrapped coordinate 2⁷⁰ periods away, so the low end is used.
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
      // The ray reaches its end, and no farther.
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
      // Distances are in lengths of the direction; equal distances are ordered by id.
      index.add(vector(4), 1);
      expect(met(vector(4, 0), vector(0, 6), 0.9)).toEqual([
        [0, 0.5],
        [2, 0.5],
      ]);
      // The present radius and position of each object decide.
      index.resize(0, 2);
      index.move(2, vector(7));
      expect(met(vector(4, 1), right, 2)).toEqual([[0, 1]]);
      index.remove(0);
      expect(met(vector(4, 1), right, 2)).toEqual([]);
    }
  });

  it('also finds objects far out, and visits no more cells than there are objects', () => {
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
    // The index is filled with a row of objects.
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
    // Far from 0 and with small objects, the rounding makes a ray thousands of cells wide.
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
    // The centre is below a border of cells. It is farther than its radius from the ray by less than the rounding.
    const index = createCpuIndex({ dimensions, unbounded: true, capacity: 500, radius: 1 });
    index.add(vector(-8, -8, -tiny));
    const meets = () => [...index.findAlongRay(vector(-8, -8, 1), vector(0, 1), 0).ids];
    expect(meets()).toEqual([0]);
    while (index.count < 500) index.add(vector(index.count % 2 === 0 ? -12 : 12));
    expect(countVisits((visits) => [meets(), visits.lists])).toEqual([[0], 0]);
  });

  it('removes everything at once', () => {
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
      'This CpuIndex has a capacity of 1 and holds as many objects, so no other can be added: remove one first, or create it with a larger capacity.',
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

  it('rejects bad arguments with an explanation and keeps its state', () => {
    const index = createCpuIndex({ ...box(8, 4), periodic: true });
    const [a, b] = [index.add(vector(1), 0.5), index.add(vector(1.25), 0.25)];
    const last = dimensions - 1;
    const bad = [Number.NaN, Number.POSITIVE_INFINITY, 1e39, '3' as unknown as number];
    for (const value of bad) {
      const position = vector(2).with(last, value);
      const named = `[${last}] is ${typeof value === 'string' ? '"3"' : value}, but it must be a finite number that fits 32-bit floats.`;
      expect(() => index.add(position, 0.5)).toThrow(`position${named}`);
      expect(() => index.move(a, position)).toThrow(`position${named}`);
      expect(() => index.near(position, 1, () => {})).toThrow(`point${named}`);
    }
    for (const position of [[], vector(1).concat(2), null, undefined, 3] as unknown as number[][]) {
      expect(() => index.add(position, 0.5)).toThrow(ArgumentError);
      expect(() => index.move(a, position)).toThrow(`but it must be ${dimensions} finite numbers.`);
    }
    for (const radius of [0, -1, Number.NaN, 4.001, 2 ** -42, '1', null] as unknown as number[]) {
      expect(() => index.add(vector(1), radius)).toThrow(ArgumentError);
      expect(() => index.resize(a, radius)).toThrow(
        'must be a number from 2^-41 to 4, half the shortest period.',
      );
    }
    expect(() => index.add(vector(1))).toThrow('radius is undefined, but it must be a number from');
    expect(() => createCpuIndex({ ...box(8, 1), radius: 2 ** 60 })).toThrow('a number from 2^-41 to 2^59.');
    for (const id of [2, 3, 4, 5, -1, 0.5, Number.NaN, 2 ** 32, '0'] as unknown as number[]) {
      const named = /^id is .*, but it must be the id of an object in this CpuIndex\.$/;
      expect(() => index.move(id, vector(1))).toThrow(named);
      expect(() => index.remove(id)).toThrow(named);
      expect(() => index.resize(id, 1)).toThrow(named);
      expect(() => index.position(id)).toThrow(named);
      expect(() => index.radius(id)).toThrow(named);
      expect(() => index.overlapping(id, () => {})).toThrow(named);
      expect(() => index.findOverlapping(id)).toThrow(named);
      expect(index.has(id)).toBe(false);
    }
    for (const radius of [0, -1, Number.NaN, 4.001]) {
      expect(() => index.near(vector(1), radius, () => {})).toThrow(ArgumentError);
      expect(() => index.findNear(vector(1), radius)).toThrow(ArgumentError);
    }
    // The messages must equal those of grids with variable radii.
    const [min, max] = [vector(0), vector(8)];
    const grid = createCpuGrid({ dimensions, min, max, capacity: 1, radii: { smallest: 1, largest: 2 } });
    const messageOf = (ask: () => unknown): string => {
      try {
        ask();
      } catch (error) {
        expect(error).toBeInstanceOf(ArgumentError);
        return (error as Error).message;
      }
      return 'nothing is refused';
    };
    type Question = 'findNear' | 'nearest' | 'inBox' | 'findInBox' | 'alongRay' | 'findAlongRay';
    type Searched = Record<Question, (...rest: unknown[]) => unknown>;
    const expectSame = (ask: (searched: Searched) => unknown, named: RegExp) => {
      const message = messageOf(() => ask(index as unknown as Searched));
      expect(message).toMatch(named);
      expect(message).toBe(messageOf(() => ask(grid as unknown as Searched)));
    };
    const vectors = [...bad.map((value) => vector(1).with(last, value)), [], vector(1).concat(2), null, 3];
    for (const wrong of vectors) {
      expectSame((searched) => searched.findNear(wrong, 1), /^point/);
      expectSame((searched) => searched.nearest(wrong, 1), /^point/);
      expectSame((searched) => searched.findInBox(wrong, vector(1)), /^min/);
      expectSame((searched) => searched.inBox(vector(1), wrong, () => {}), /^max/);
      expectSame((searched) => searched.findAlongRay(wrong, vector(1), 1), /^origin/);
      expectSame((searched) => searched.alongRay(vector(1), wrong, 1, () => {}), /^direction/);
    }
    for (const radius of [0, -1, Number.NaN, '1', null]) {
      expectSame((searched) => searched.findNear(vector(1), radius), /^radius is /);
      expectSame((searched) => searched.nearest(vector(1), 1, radius), /^radius is /);
    }
    for (const k of [0, 1.5, Number.NaN, undefined]) {
      expectSame((searched) => searched.nearest(vector(1), k), /^k is /);
    }
    for (const reach of [-1, Number.NaN, '1', undefined]) {
      expectSame((searched) => searched.findAlongRay(vector(1), vector(1), reach), /^greatestDistance is /);
    }
    for (const length of [0, 2 ** -101]) {
      expectSame(
        (searched) => searched.findAlongRay(vector(1), vector(0, length), 1),
        / at least 2\^-100 long\.$/,
      );
    }
    expectSame(
      (searched) => searched.findAlongRay(vector(1), vector(1), 1, 0.5),
      /^radius is 0\.5, .* its own radius\.$/,
    );
    expectSame((searched) => searched.alongRay(vector(1), vector(1), 1, () => {}, 0.5), /^radius is 0\.5, /);
    expectContent(
      index,
      new Map([
        [a, { position: vector(1), radius: 0.5 }],
        [b, { position: vector(1.25), radius: 0.25 }],
      ]),
    );
    expect(index.add(vector(3), 1)).toBe(2);
  });

  it('rejects unknown options and bad worlds', () => {
    const create = (options: object) => () => createCpuIndex({ ...box(8, 1), ...options } as CpuIndexOptions);
    expect(create({ diameter: 1 })).toThrow(
      'options.diameter is 1, but it must be left out or renamed to one of dimensions, min,',
    );
    expect(create({ dimensions: 4 })).toThrow(ArgumentError);
    expect(create({ crowds: true })).toThrow(
      'options.crowds is true, but it must be left out or renamed to one of dimensions, min,',
    );
    expect(create({ capacity: -1 })).toThrow(ArgumentError);
    expect(create({ cellSize: 0 })).toThrow('cellSize is 0, but it must be a number from 2^-40 to 2^60.');
    expect(create({ unbounded: 1 })).toThrow(ArgumentError);
    expect(create({ unbounded: true })).toThrow('left out, since the world is unbounded');
    expect(create({ periodic: [true] })).toThrow(ArgumentError);
    expect(create({ min: vector(Number.NaN) })).toThrow(ArgumentError);
    expect(create({ min: vector(8) })).toThrow(
      'world.max[0] is 8, but it must be at least world.min[0] + 2^-40, with a finite distance between them.',
    );
    expect(create({ min: vector(-3e38), max: vector(3e38) })).toThrow('with a finite distance');
  });

  it('rejects a visitor that is not a function, even without objects', () => {
    const index = createCpuIndex(box(8, 2, 0.5));
    const id = index.add(vector(6));
    for (const visit of [undefined, null, 7] as unknown as (() => void)[]) {
      for (const position of [vector(1), vector(6)]) {
        for (const call of [
          () => index.near(position, 1, visit),
          () => index.inBox(position, position, visit),
          () => index.alongRay(position, vector(-1), 1, visit),
          () => index.overlapping(id, visit),
          () => index.forEachPair(visit),
        ]) {
          expect(call).toThrow(ArgumentError);
          expect(call).toThrow(`visit is ${visit}, but it must be a function.`);
        }
      }
    }
    index.remove(id);
  });

  it('finds the nearest to a point even if the smallest object is far smaller than most', () => {
    const edge = dimensions === 2 ? 64 : 16;
    const index = createCpuIndex({ ...box(edge, edge ** dimensions + 2), periodic: true });
    for (let cell = 0; cell < edge ** dimensions; cell++) {
      index.add(
        vector(0).map((_, axis) => Math.floor(cell / edge ** axis) % edge),
        0.5,
      );
    }
    index.add(vector(1.25), 2 ** -30);
    index.add(vector(9), 8);
    for (const [k, most] of [
      [1, 6 ** dimensions],
      [8, 8 ** dimensions],
    ] as const) {
      countVisits((visits) => {
        const { ids, distancesSquared } = index.nearest(vector(edge), k, 4);
        expect([ids[0], distancesSquared[0]]).toEqual([0, 0]);
        expect(ids).toHaveLength(k);
        expect(visits.cells).toBeLessThan(most);
      });
    }
    expect([...index.nearest(vector(1.25), 1).ids]).toEqual([edge ** dimensions]);
    expect(index.nearest(vector(0.25), 9, 0.25).ids).toHaveLength(0);
    index.clear();
    expect(index.nearest(vector(0), 3).ids).toHaveLength(0);
    expect(index.findNear(vector(0), 3)).toHaveLength(0);
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
    // Compared as text, since the assertion library needs a second for a million numbers.
    expect(JSON.stringify(found) === JSON.stringify(expected)).toBe(true);
    const changes = [
      () => index.add(vector(1)),
      () => index.move(0, vector(1)),
      () => index.resize(0, 1),
      () => index.remove(0),
      () => index.clear(),
    ];
    const busy =
      'This CpuIndex is in the middle of near, overlapping, forEachPair, inBox or alongRay, so until that returns';
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
