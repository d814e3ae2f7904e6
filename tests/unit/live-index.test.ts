/** The index of single objects: whatever brought its content there, it answers as brute force and as one made afresh. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { carryCoordinate } from '../../src/core/cells';
import { ArgumentError, CellstormError, LimitError } from '../../src/core/errors';
import { pairEvents } from '../../src/core/pair-events';
import type { World, WorldOptions } from '../../src/core/world';
import { type CpuIndex, type CpuIndexOptions, createCpuGrid, createCpuIndex } from '../../src/cpu';
import { nearestImage } from '../../src/reference/contact';
import { Random } from '../../src/scenes';
import { exactOverlap } from '../helpers/exact-pairs';
import { buffersOf } from '../helpers/memory';
import { optionsOf, unusualCrowds } from '../helpers/unusual-worlds';
import { crowds, runs } from '../helpers/worlds';

type Dimensions = 2 | 3;

interface Ball {
  readonly place: readonly number[];
  readonly radius: number;
}

/** What should be in an index. */
type Content = Map<number, Ball>;

/** Content sorted by id. */
function entriesOf(content: Content): [number, Ball][] {
  return [...content].sort(([a], [b]) => a - b);
}

/** Level of the cells that a ball is in: the exponent of their edge. */
function levelOf({ radius }: Ball, cellSize = 0): number {
  return Math.max(Math.ceil(Math.log2(2 * radius)), Math.ceil(Math.log2(cellSize)));
}

function bruteForcePairs(content: Content, period: readonly number[]): [number, number][] {
  const entries = entriesOf(content);
  return entries.flatMap(([first, a], index) =>
    entries
      .slice(index + 1)
      .filter(([, b]) => exactOverlap(a.place, b.place, a.radius, period, b.radius))
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

/** Everything but `near`, against exact arithmetic on all pairs. */
function expectContent(index: CpuIndex, content: Content, cellSize?: number): void {
  const { period } = index.bounds;
  expect(index.count).toBe(content.size);
  for (const [id, { place, radius }] of content) {
    expect(index.has(id)).toBe(true);
    expect(index.position(id)).toEqual(place);
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
  }
}

/** What is near a point, against distances to all. */
function expectNear(index: CpuIndex, content: Content, point: number[], radius: number): void {
  const { period } = index.bounds;
  const found: number[] = [];
  index.near(point, radius, (id, distanceSquared) => {
    expect(distanceSquared).toBeLessThanOrEqual(radius * radius);
    found.push(id);
  });
  expect(found).toEqual([...new Set(found)].sort((a, b) => a - b));
  const noise = 1e-12 * Math.max(...point.map(Math.abs), ...period, radius);
  for (const [id, { place }] of content) {
    const apart = place.map((value, axis) =>
      nearestImage(value - (point[axis] as number), period[axis] as number),
    );
    const distance = Math.hypot(...apart);
    if (Math.abs(distance - radius) > noise) expect(found.includes(id)).toBe(distance < radius);
  }
}

/** One made of the same content at once answers the same, in the same order. */
function expectAsFresh(index: CpuIndex, content: Content, options: CpuIndexOptions, asked: Ball): void {
  const fresh = createCpuIndex({ ...options, capacity: content.size });
  const ids = entriesOf(content).map(([id, { place, radius }]) => {
    fresh.add(place, radius);
    return id;
  });
  const named = (fresh: number[]) => fresh.map((rank) => ids[rank]);
  expect(pairsOf(fresh).map(named)).toEqual(pairsOf(index));
  ids.forEach((id, rank) => {
    expect(named(partnersOf(fresh, rank))).toEqual(partnersOf(index, id));
  });
  expect(named(nearOf(fresh, [...asked.place], asked.radius))).toEqual(
    nearOf(index, [...asked.place], asked.radius),
  );
}

interface Step {
  readonly act: 'add' | 'move' | 'creep' | 'resize' | 'remove';
  /** Which object, which place of the crowd, how many periods away. */
  readonly object: number;
  readonly place: number;
  readonly periods: number;
  /** Radius in diameters of the crowd. */
  readonly size: number;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    act: fc.constantFrom('add', 'add', 'add', 'move', 'move', 'creep', 'resize', 'remove'),
    object: fc.nat({ max: 1000 }),
    place: fc.nat({ max: 1000 }),
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

/** Without the size of its cells, which is not for an index to follow. */
function placeOf(world: World): WorldOptions {
  const { cellSize: _, ...place } = optionsOf(world);
  return place;
}

/** Plays steps on an index and on a map; each error leaves the index as it was. */
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
  const given = ({ place, periods }: Step): number[] => {
    const first = dimensions * (place % (positions.length / dimensions));
    return period.map((length, axis) => (positions[first + axis] as number) + periods * length);
  };
  const kept = (place: readonly number[]) =>
    place.map((value, axis) => carryCoordinate(index.bounds, Math.fround(value), axis));
  for (const step of script) {
    const [id, ball] = entriesOf(content)[step.object % Math.max(1, content.size)] ?? [0, undefined];
    const radius = radiusOf(step.size);
    if (ball === undefined || step.act === 'add') {
      const place = given(step);
      if (content.size === index.capacity) {
        expect(() => index.add(place, radius)).toThrow(LimitError);
        continue;
      }
      let lowest = 0;
      while (content.has(lowest)) lowest++;
      expect(index.add(place, radius)).toBe(lowest);
      content.set(lowest, { place: kept(place), radius });
    } else if (step.act === 'move' || step.act === 'creep') {
      // A creep mostly ends in the cell it began in.
      const place =
        step.act === 'move' ? given(step) : ball.place.map((value) => value + step.size * 0.1 * ball.radius);
      if (!place.every((value) => Number.isFinite(Math.fround(value)))) {
        expect(() => index.move(id, place)).toThrow(ArgumentError);
        continue;
      }
      index.move(id, place);
      content.set(id, { ...ball, place: kept(place) });
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

  describe.each(Object.keys(CROWDS))('%s', (kind) => {
    const crowdOf = CROWDS[kind] as (typeof CROWDS)[string];

    it('answers as brute force and as one made afresh, after any script', () => {
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
            const options = { ...placeOf(world), capacity, cellSize };
            const index = createCpuIndex(options);
            expect(index.bounds.kind).toBe(kind);
            expect([index.bounds.min, index.bounds.max]).toEqual([world.min, world.max]);
            expect(index.bounds.period).toEqual(world.period);
            const content = play(index, crowd, script, () => pairsOf(index));
            expectContent(index, content, cellSize);
            const half = Math.min(...world.period.map((length) => length || 1e36)) / 2;
            const radius = Math.min(half, size * world.diameter);
            const first = dimensions * (where % (positions.length / dimensions));
            const place = Array.from(positions.subarray(first, first + dimensions));
            for (const [shift, reach] of [
              [0, radius] as const,
              [0.3 * world.diameter, 0.4 * radius] as const,
            ]) {
              const point = place.map((value) => value + shift);
              if (!point.every((value) => Number.isFinite(Math.fround(value)))) continue;
              expectNear(index, content, point, reach);
            }
            expectAsFresh(index, content, options, { place, radius });
            pairs += index.findPairs().count;
          },
        ),
        runs(150),
      );
      expect(pairs).toBeGreaterThan(1000);
    });

    it('finds what a grid finds that is built anew each time', () => {
      const random = new Random(7);
      const count = 2000;
      const edge = dimensions === 2 ? 40 : 12;
      const place: WorldOptions =
        kind === 'unbounded'
          ? { dimensions, unbounded: true }
          : { dimensions, min: vector(-3), max: vector(edge - 3), periodic: kind === 'periodic' };
      const grid = createCpuGrid({ ...place, diameter: 1, capacity: count });
      const index = createCpuIndex({ ...place, capacity: count, radius: 0.5 });
      const positions = Float32Array.from({ length: dimensions * count }, () => random.between(-3, edge - 3));
      const centre = (id: number) => Array.from(positions.subarray(dimensions * id, dimensions * (id + 1)));
      for (let id = 0; id < count; id++) index.add(centre(id));
      let before = index.findPairs();
      for (let frame = 0; frame < 4; frame++) {
        grid.build(positions);
        const expected = grid.findPairs();
        expect(index.findPairs()).toEqual(expected);
        expect(expected.count).toBeGreaterThan(500);
        for (const radius of [0.3, 1, 2.75, edge / 2]) {
          const point = vector(0).map(() => random.between(-3, edge - 3));
          expect(nearOf(index, point, radius)).toEqual(nearOf(grid, point, radius).sort((a, b) => a - b));
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
    });

    it('reserves all its memory at once, but for longer answers', () => {
      const random = new Random(11);
      const place: WorldOptions =
        kind === 'unbounded'
          ? { dimensions, unbounded: true }
          : { dimensions, min: vector(0), max: vector(8), periodic: kind === 'periodic' };
      const index = createCpuIndex({ ...place, capacity: 300, radius: 0.5 });
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
      for (let id = 0; id < 300; id++) {
        index.overlapping(id, () => {});
        expect(() =>
          index.near(vector(4), 0.5, () => {
            throw new Error('enough');
          }),
        ).toThrow('enough');
      }
      index.forEachPair(() => {});
      expect(index.memoryBytes - sum(before)).toBe(4 * (256 - 64));
    });
  });

  it('tells objects of any ratio of sizes whether they overlap, exactly', () => {
    const index = createCpuIndex({ dimensions, unbounded: true, capacity: 4 });
    const large = index.add(vector(0), 2 ** 30);
    // The sum of the radii is no double: rounded to one, it would be just the distance.
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

  it('decides ties as exact arithmetic does, across the ends too', () => {
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
        (kind, start, place, radius, otherRadius, angle) => {
          const low = Math.abs(start) < 2 ** -60 ? 0 : start;
          const ends = { min: vector(low), max: vector(low + 8.3), periodic: kind === 'periodic' };
          const index = createCpuIndex({
            dimensions,
            ...(kind === 'unbounded' ? { unbounded: true } : ends),
            capacity: 2,
          });
          const sum = radius + otherRadius;
          const a = place.map((value) => Math.fround(low + 0.3 * value));
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
      runs(2000),
    );
    // Doubles alone would not do.
    expect(differing).toBeGreaterThan(3);
  });

  it('leaves apart what touches, though doubles say nearer', () => {
    const index = createCpuIndex({ dimensions, unbounded: true, capacity: 2 });
    let nearer = 0;
    for (let step = 205; step <= 500; step++) {
      const tiny = step * 2 ** -51;
      // 3, 4 and 5 times a number of so many bits that squares and sums are rounded.
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

  it('finds every small one around a large one, and the large one from each', () => {
    const random = new Random(3);
    const count = 600;
    const index = createCpuIndex(box(64, count + 2));
    const content: Content = new Map();
    const add = (place: number[], radius: number) => {
      const kept = place.map(Math.fround);
      content.set(index.add(place, radius), { place: kept, radius: Math.fround(radius) });
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

  it('finds what lies on borders of cells, on both sides of them', () => {
    for (const radius of [0.5, 0.25, 0.4]) {
      const index = createCpuIndex({ dimensions, unbounded: true, capacity: 4 ** dimensions * 2, radius });
      const content: Content = new Map();
      for (let cell = 0; cell < 4 ** dimensions; cell++) {
        const border = vector(0).map((_, axis) => 0.75 * (((cell >> (2 * axis)) & 3) - 2));
        for (const place of [border, border.map((value) => value - 2 ** -24)]) {
          content.set(index.add(place), { place: place.map(Math.fround), radius: Math.fround(radius) });
        }
      }
      expectContent(index, content);
    }
  });

  it('keeps a crowd in one place', () => {
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

  it('looks around each end of axes that wrap around, in cells of every size', () => {
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
    // Just outside is inside, from however far.
    const id = index.add(vector(7, -0.25), 0.125);
    expect(index.position(id)).toEqual(vector(2, 4.75));
    index.move(id, vector(2, 5 * 1000 + 1));
    expect(index.position(id)).toEqual(vector(2, 1));
  });

  it('takes out everything at once', () => {
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

  it('holds as many as its capacity, none included', () => {
    const none = createCpuIndex(box(8, 0, 0.5));
    expect(() => none.add(vector(1))).toThrow(LimitError);
    expect([pairsOf(none), nearOf(none, vector(1), 3), none.count]).toEqual([[], [], 0]);
    const one = createCpuIndex(box(8, 1, 0.5));
    expect(one.add(vector(1))).toBe(0);
    expect(() => one.add(vector(1))).toThrow(
      'This CpuIndex has a capacity of 1 and holds as many objects, so no other can be added: remove one first, or create it with a larger capacity.',
    );
    one.remove(0);
    expect(one.add(vector(2))).toBe(0);
    expect(nearOf(one, vector(2), 0.5)).toEqual([0]);
  });

  it('refuses bad arguments in a sentence and stays as it was', () => {
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
      expect(index.has(id)).toBe(false);
    }
    for (const radius of [0, -1, Number.NaN, 4.001]) {
      expect(() => index.near(vector(1), radius, () => {})).toThrow(ArgumentError);
    }
    expectContent(
      index,
      new Map([
        [a, { place: vector(1), radius: 0.5 }],
        [b, { place: vector(1.25), radius: 0.25 }],
      ]),
    );
    expect(index.add(vector(3), 1)).toBe(2);
  });

  it('refuses options nobody reads, and worlds that are none', () => {
    const create = (options: object) => () => createCpuIndex({ ...box(8, 1), ...options } as CpuIndexOptions);
    expect(create({ diameter: 1 })).toThrow('options.diameter is 1, but it must be one of dimensions, min,');
    expect(create({ dimensions: 4 })).toThrow(ArgumentError);
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

  it('answers while it answers, and refuses to be changed meanwhile', () => {
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
        if (id === a) partnersOf(index, id);
      });
      found.push([a, b, near, partnersOf(index, b)]);
    });
    expect(found).toEqual(expected);
    const changes = [
      () => index.add(vector(1)),
      () => index.move(0, vector(1)),
      () => index.resize(0, 1),
      () => index.remove(0),
      () => index.clear(),
    ];
    const busy = 'This CpuIndex is in the middle of near, overlapping or forEachPair, so until that returns';
    for (const change of changes) {
      expect(() => index.forEachPair(change)).toThrow(CellstormError);
      expect(() => index.overlapping(0, change)).toThrow(busy);
      expect(() => index.near(vector(2), 1, change)).toThrow(busy);
    }
    expect(pairsOf(index)).toHaveLength(expected.length);
    expect(index.count).toBe(100);
    index.remove(0);
  });
});
