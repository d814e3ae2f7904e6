/** Plays calls on a CpuIndex and on a map of its content, and compares the answers with brute force. */
import { expect } from 'vitest';
import { ArgumentError, LimitError } from '../../../../src/core/base/errors';
import { wrapAxis } from '../../../../src/core/world/cells';
import type { World, WorldOptions } from '../../../../src/core/world/world';
import { type CpuIndex, type CpuIndexOptions, createCpuIndex } from '../../../../src/cpu';
import { LiveCells } from '../../../../src/cpu/live/cells';
import { particlesInBox } from '../../../../src/reference/query/boxes';
import { hitsAlongRay, type ReferenceHit, type ReferenceRay } from '../../../../src/reference/query/rays';
import { minimumImageInDoubles } from '../../../../src/reference/solve/contact';
import { exactOverlap } from '../../../helpers/exact-pairs';
import { expectHits } from '../../../helpers/inputs/rays';
import { optionsOf, unusualCrowds } from '../../../helpers/inputs/unusual-worlds';
import { crowds } from '../../../helpers/inputs/worlds';
import { fc } from '../../../helpers/properties';

type Dimensions = 2 | 3;

export interface Ball {
  readonly position: readonly number[];
  readonly radius: number;
}

export type Content = Map<number, Ball>;

export function entriesOf(content: Content): [number, Ball][] {
  return [...content].sort(([a], [b]) => a - b);
}

/** Returns the exponent of the edge of the ball's cells. */
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

export function pairsOf(index: CpuIndex): [number, number][] {
  const pairs: [number, number][] = [];
  index.forEachPair((first, second) => pairs.push([first, second]));
  return pairs;
}

export function partnersOf(index: CpuIndex, id: number): number[] {
  const partners: number[] = [];
  index.overlapping(id, (other) => partners.push(other));
  return partners;
}

export function nearOf(index: Pick<CpuIndex, 'near'>, point: number[], radius: number): number[] {
  const ids: number[] = [];
  index.near(point, radius, (id) => ids.push(id));
  return ids;
}

/** Compares the content. Also compares the pairs and each object's partners with those of exact arithmetic. */
export function expectContent(index: CpuIndex, content: Content, cellSize?: number): void {
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

export function expectNear(index: CpuIndex, content: Content, point: number[], radius: number): void {
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
      minimumImageInDoubles(value - (point[axis] as number), period[axis] as number),
    );
    const distance = Math.hypot(...apart);
    if (Math.abs(distance - radius) > noise) expect(found.includes(id)).toBe(distance < radius);
  }
}

export function expectNearest(index: CpuIndex, content: Content, point: number[], radius: number): void {
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

/** Numbers of visited cells, of visited rows of cells, and of levels whose objects were all tested (`lists`). */
export interface Visits {
  cells: number;
  rows: number;
  lists: number;
}

/** Counts what the searches in `run` visit. It throws after a million cells or rows, so an endless search fails. */
export function countVisits<Result>(run: (visits: Visits) => Result): Result {
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

/** Compares the searches in a box with brute force, and returns the number of objects found. */
export function expectInBox(index: CpuIndex, content: Content, [min, max]: Corners): number {
  const { period } = index.bounds;
  const got = [...index.findInBox(min, max)];
  const visited: number[] = [];
  index.inBox(min, max, (id) => visited.push(id));
  expect(visited).toEqual(got);
  expect(got).toEqual([...new Set(got)].sort((a, b) => a - b));
  const entries = entriesOf(content);
  const positions = Float32Array.from(entries.flatMap(([, { position }]) => position));
  // Corners outside a periodic world may be rounded when they are wrapped.
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

/** In doubles, the error of the distance from ray to centre, as a share of the distance from origin to centre. */
const DOUBLES = 2 ** -45;

export function hitsOf(
  index: CpuIndex,
  { origin, direction, greatestDistance }: ReferenceRay,
): [number, number][] {
  const { ids, distances } = index.findAlongRay(origin, direction, greatestDistance);
  const hits: [number, number][] = [];
  index.alongRay(origin, direction, greatestDistance, (id, distance) => hits.push([id, distance]));
  expect(hits).toEqual(Array.from(ids, (id, rank) => [id, distances[rank]]));
  return hits;
}

/**
 * Compares the hits of a ray with brute force. Returns the number of hits, and the number of doubtful balls: rounding
 * may decide whether the ray hits these.
 */
export function expectAlongRay(
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

/** Describes a box or a ray. Its two ends are positions of objects, moved by some periods or diameters. */
export interface Query {
  readonly objects: readonly [number, number];
  readonly moves: readonly (readonly [number, number])[];
  readonly isTurned: boolean;
  /** A ray is parallel to this axis. If the world has no such axis, the ray may have any direction. */
  readonly axis: number;
  readonly reach: number;
}

export function arbitraryQuery(dimensions: Dimensions): fc.Arbitrary<Query> {
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

/**
 * Returns the positions of two objects. Each is moved by some periods or, along axes that are not periodic, by some
 * multiples of `world.diameter`.
 */
export function cornersOf(content: Content, { period, diameter }: World, { objects, moves }: Query): Corners {
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

export function boxOf([a, b]: Corners, { isTurned }: Query): Corners {
  const low = a.map((value, axis) => Math.min(value, b[axis] as number));
  const high = a.map((value, axis) => Math.max(value, b[axis] as number));
  return isTurned ? [low.with(0, high[0] as number), high.with(0, low[0] as number)] : [low, high];
}

/** Returns a ray, or undefined if its direction would be at most 2⁻⁹⁹ long or would not fit 32-bit floats. */
export function rayOf([a, b]: Corners, { axis, reach }: Query): ReferenceRay | undefined {
  const origin = a.map(Math.fround);
  const way = origin.map((from, along) => {
    const part = Math.fround((b[along] as number) - from);
    return axis >= origin.length || axis === along ? part : 0;
  });
  const length = Math.hypot(...way);
  if (!(length > 2 ** -99) || !way.every(Number.isFinite)) return undefined;
  return { origin, direction: way, greatestDistance: reach };
}

/** Expects that a new index with the same content gives the same answers in the same order. */
export function expectAsFresh(
  index: CpuIndex,
  content: Content,
  options: CpuIndexOptions,
  query: Ball,
): void {
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

export interface Step {
  readonly act: 'add' | 'move' | 'creep' | 'resize' | 'remove';
  /** Chooses the object among those in the index. */
  readonly object: number;
  /** Chooses the new position among those of the crowd. */
  readonly position: number;
  /** The position is moved by this many periods. */
  readonly periods: number;
  /** Radius, in units of `world.diameter`. */
  readonly size: number;
}

export const steps: fc.Arbitrary<Step[]> = fc.array(
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

export interface Crowd {
  readonly world: World;
  readonly positions: Float32Array;
}

export const CROWDS: Readonly<Record<string, (dimensions: Dimensions, most: number) => fc.Arbitrary<Crowd>>> =
  {
    bounded: crowds,
    ...unusualCrowds,
  };

export function worldOptionsOf(world: World): WorldOptions {
  const { cellSize: _, ...options } = optionsOf(world);
  return options;
}

/** Plays a script on an index, and returns the content that the index must have. Calls that throw change nothing. */
export function play(
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
    position.map((value, axis) => wrapAxis(index.bounds, Math.fround(value), axis));
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
      // A creep is usually so short that the object stays in its cell.
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
