import { describe, expect } from 'vitest';
import { ArgumentError, DestroyedError } from '../../../src/core/base/errors';
import type { Dimensions, WorldOptions } from '../../../src/core/world/world';
import { createCpuGrid } from '../../../src/cpu';
import { HashGrid } from '../../../src/engine/grid/hash-grid';
import { type ListedFirstHits, type ListedHits, packRays } from '../../../src/engine/queries/rays';
import { toBodies } from '../../../src/gpu/layout';
import { hitsAlongRay, type ReferenceHits, type ReferenceRay } from '../../../src/reference/query/rays';
import { createNoise } from '../../../src/testing/noise';
import {
  aimRays,
  EDGE,
  expectHits,
  hitsOfSizes,
  isRay,
  makeRays,
  raysAmong,
} from '../../helpers/inputs/rays';
import { stored } from '../../helpers/inputs/unusual-worlds';
import { variableCrowds, WORLD_CASES } from '../../helpers/inputs/variable-crowds';
import { cornersIn } from '../../helpers/inputs/vectors';
import {
  expectArraysEqual,
  expectArraysWithin,
  type GpuTools,
  gpuTest,
  SHARED,
  SHARED_CASE,
} from '../../helpers/node-gpu';
import { DIMENSIONS, readWords, uploadVectors } from '../../helpers/passes';
import { expectSeen, fc, runs } from '../../helpers/properties';

/**
 * The numbers of balls. A search tests all balls if there are fewer of them than pieces of rows near the ray. This
 * happens for long rays among FEW balls.
 */
const MANY = 800;
const FEW = 40;
const NO_HIT = 0xffff_ffff;

function worldsOf(dimensions: Dimensions): Readonly<Record<string, WorldOptions>> {
  const corner = cornersIn(dimensions);
  const box = { dimensions, min: corner(0), max: corner(EDGE) };
  return {
    bounded: box,
    'bounded and wide-celled': { ...box, min: corner(-3.3), cellSize: 1.3 },
    periodic: { ...box, periodic: true },
    'periodic except along y': {
      ...box,
      min: corner(-0.7),
      periodic: corner(0).map((_, axis) => axis !== 1),
    },
    unbounded: { dimensions, unbounded: true },
  };
}

/** Either all balls have one diameter, or each ball has its own radius. Valid radii are 0, or from 1/64 to 1. */
type Sizes = 'equal' | 'of all levels' | 'of the lowest and the highest level';

const SMALLEST = 1 / 64;
const LARGEST = 1;

/** Width of the lowest level's cells, chosen for four levels. */
const LEVEL_CELL = 0.25;

/** Returns radii of which the first 20 are small, and three later ones are not valid for the grid. */
function radiiOf(sizes: Sizes, count: number): Float32Array {
  const noise = createNoise(17);
  const radii = Float32Array.from({ length: count }, (_, id) => {
    const radius = (id < 20 ? LEVEL_CELL / 2 : LARGEST) * SMALLEST ** noise();
    const isBetween = radius > LEVEL_CELL / 2 && radius <= LARGEST / 2;
    if (sizes === 'of the lowest and the highest level' && isBetween) return radius + LARGEST / 2;
    return id % 9 === 0 ? 0 : Math.max(radius, SMALLEST);
  });
  radii.set([Number.NaN, 1.5, -1], 32);
  return radii;
}

interface Question {
  readonly grid: HashGrid;
  readonly count: number;
  readonly positions: GPUBuffer;
  readonly rays: readonly ReferenceRay[];
  readonly buffer: GPUBuffer;
  /** Returns the hits of the first `count` rays. `radius` matters only if all balls have the same radius. */
  readonly expected: (radius: number, count: number) => ReferenceHits[];
}

async function ask(
  tools: GpuTools,
  options: WorldOptions,
  count: number,
  { sizes = 'equal', workgroups }: { sizes?: Sizes; workgroups?: number } = {},
): Promise<Question> {
  const { dimensions } = options;
  const isEqual = sizes === 'equal';
  const grid = await HashGrid.create(tools.wrap(workgroups), {
    ...options,
    ...(isEqual ? { diameter: 1 } : { radii: { smallest: SMALLEST, largest: LARGEST } }),
    capacity: count,
  });
  const { world } = grid;
  const noise = createNoise(dimensions);
  const positions = Float32Array.from({ length: count * dimensions }, () => -1 + 10 * noise());
  positions[dimensions * 30 + 1] = Number.NaN;
  if (world.kind !== 'periodic') positions[dimensions * 31] = 25;
  const radii = radiiOf(sizes, count);
  const all = makeRays(dimensions, positions);
  // Brute force takes most of the time, so among variable radii use only a third of the valid rays. makeRays alternates
  // between two or three kinds of rays, so indices 0, 4 and 8 of every nine include all kinds.
  const some = all.filter((ray, index) => !isRay(ray) || [0, 4, 8].includes(index % 9));
  const rays = isEqual ? all : [...some, ...aimRays(dimensions, positions, radii, 30)];
  const inside = stored({ world, positions });
  const hitsOf = (ray: ReferenceRay, radius: number) =>
    isEqual
      ? hitsAlongRay(inside, world.period, ray, radius)
      : hitsOfSizes(inside, radii, LARGEST, world.period, ray);
  return {
    grid,
    count,
    positions: isEqual
      ? uploadVectors(tools, dimensions, 'positions', positions)
      : tools.upload('bodies', toBodies(dimensions, positions, { radii })),
    rays,
    buffer: tools.upload('rays', pack(dimensions, rays)),
    expected: (radius, of) => rays.slice(0, of).map((ray) => hitsOf(ray, radius)),
  };
}

/** Compares the answers with brute force. Returns the number of hits, and of the hits that rounding may decide. */
function expectAnswers(
  { offsets, ids, distances }: ListedHits,
  first: ListedFirstHits,
  rays: readonly ReferenceRay[],
  expected: readonly ReferenceHits[],
): { readonly met: number; readonly doubts: number } {
  let met = 0;
  let doubts = 0;
  expected.forEach((hits, ray) => {
    const [from, to] = [offsets[ray] as number, offsets[ray + 1] as number];
    const what = `ray ${ray}, ${JSON.stringify(rays[ray])}`;
    doubts += expectHits(ids.subarray(from, to), distances.subarray(from, to), hits, what);
    met += hits.hits.length;
    if (hits.doubtful.size > 0) return;
    const nearest = hits.hits[0];
    expect(first.ids[ray] === NO_HIT, what).toBe(nearest === undefined);
    if (nearest === undefined) {
      expect(first.distances[ray]).toBe(-1);
      return;
    }
    const distance = first.distances[ray] as number;
    expect(Math.abs(distance - nearest.distance), what).toBeLessThanOrEqual(nearest.tolerance);
    const chosen = hits.hits.find(({ id }) => id === first.ids[ray]);
    expect(Math.abs((chosen?.distance ?? Number.NaN) - distance), what).toBeLessThanOrEqual(
      chosen?.tolerance ?? 0,
    );
  });
  return { met, doubts };
}

/** Packs rays like packRays, but accepts any values. */
function pack(dimensions: Dimensions, rays: readonly ReferenceRay[]): Float32Array {
  const words = 2 * dimensions + 2;
  const packed = new Float32Array(words * rays.length).fill(Number.NaN);
  rays.forEach(({ origin, direction, greatestDistance }, index) => {
    packed.set(origin, words * index);
    packed.set(direction, words * index + (dimensions === 2 ? 2 : 4));
    packed[words * index + (dimensions === 2 ? 4 : 7)] = greatestDistance;
  });
  return packed;
}

/**
 * Returns the distance at which a ray along x hits a ball, or undefined if it misses. With dyadic numbers, rounding
 * does not decide whether it misses.
 */
function meetAlongX(
  centre: readonly number[],
  radius: number,
  line: readonly number[],
  period: number,
  { from, sign, reach }: { readonly from: number; readonly sign: number; readonly reach: number },
): number | undefined {
  const beside = centre.reduce((sum, value, axis) => {
    const apart = Math.abs(value - (line[axis] as number));
    return axis === 0 ? sum : sum + (period > 0 ? Math.min(apart, period - apart) : apart) ** 2;
  }, 0);
  const images = period > 0 ? [-2, -1, 0, 1, 2] : [0];
  const met = images.flatMap((image) => {
    const ahead = sign * ((centre[0] as number) + image * period - from);
    const beyond = ahead - Math.max(0, Math.min(ahead, reach));
    if (beside + beyond ** 2 > radius ** 2) return [];
    return [Math.max(0, Math.min(ahead - Math.sqrt(radius ** 2 - beside), reach))];
  });
  return met.length > 0 ? Math.min(...met) : undefined;
}

/** The number of copies of each particle, so large that the search follows many rays through cells. */
const COPIES = 30;

function copiesOf({ hits, doubtful }: ReferenceHits, count: number): ReferenceHits {
  const copies = Array.from({ length: COPIES }, (_, copy) => copy * count);
  return {
    hits: hits.flatMap((hit) => copies.map((first) => ({ ...hit, id: first + hit.id }))),
    doubtful: new Set([...doubtful].flatMap((id) => copies.map((first) => first + id))),
  };
}

describe.each(DIMENSIONS)('rays in %dD', (dimensions) => {
  for (const [kind, options] of Object.entries(worldsOf(dimensions))) {
    for (const particles of [MANY, FEW]) {
      gpuTest(
        `hit what brute force hits among ${particles} balls in a world that is ${kind}`,
        async (device, tools) => {
          const { grid, count, positions, rays, buffer, expected } = await ask(tools, options, particles);
          const search = await grid.alongRays({ rays: rays.length, capacity: 200_000 });
          const firsts = await grid.alongRays({ rays: rays.length, firstOnly: true });
          let met = 0;
          let doubts = 0;
          for (const [radius, of] of [
            [undefined, rays.length],
            [0.2, rays.length],
            [0.5, 3],
            [0.5, 0],
          ] as const) {
            const encoder = device.createCommandEncoder();
            grid.encode(encoder, { positions, count });
            search.encode(encoder, { rays: buffer, count: of, radius });
            firsts.encode(encoder, { rays: buffer, count: of, radius });
            device.queue.submit([encoder.finish()]);
            const listed = await search.read();
            const first = await firsts.read();
            expect([listed.found, listed.distances.length]).toEqual([listed.ids.length, listed.ids.length]);
            expect(listed.offsets.length).toBe(of + 1);
            expect([first.ids.length, first.distances.length]).toEqual([of, of]);
            const compared = expectAnswers(listed, first, rays, expected(radius ?? 0.5, of));
            doubts += compared.doubts;
            met += compared.met;
          }
          expect(met).toBeGreaterThan(particles === MANY ? 500 : 20);
          expect(doubts).toBeLessThan(met / 50);
          grid.destroy();
          await expect(search.read()).rejects.toThrow(DestroyedError);
          await expect(firsts.read()).rejects.toThrow(DestroyedError);
        },
        { ...SHARED_CASE, tags: 'case' },
      );
    }
  }

  for (const [kind, sizes, particles] of [
    ['bounded', 'of all levels', MANY],
    ['periodic', 'of all levels', MANY],
    ['unbounded', 'of all levels', MANY],
    ['bounded', 'of the lowest and the highest level', MANY],
    ['bounded and wide-celled', 'of all levels', MANY],
    ['periodic', 'of all levels', FEW],
    ['unbounded', 'of all levels', FEW],
  ] as const) {
    gpuTest(
      `hit what brute force hits among ${particles} balls ${sizes} in a world that is ${kind}`,
      async (device, tools) => {
        // In the periodic world with MANY balls, cells are so small that a search for first hits divides rows of the
        // lowest level into pieces of at most HASH_BLOCK cells.
        const cellSize = kind === 'periodic' && particles === MANY ? LEVEL_CELL / 2 : LEVEL_CELL;
        const options = { cellSize, ...(worldsOf(dimensions)[kind] as WorldOptions) };
        const { grid, count, positions, rays, buffer, expected } = await ask(tools, options, particles, {
          sizes,
        });
        const levels = kind === 'bounded and wide-celled' ? 1 : 4;
        expect(grid.world.levels).toBe(cellSize === LEVEL_CELL ? levels : 5);
        const search = await grid.alongRays({ rays: rays.length, capacity: 400_000 });
        const firsts = await grid.alongRays({ rays: rays.length, firstOnly: true });
        const all = expected(Number.NaN, rays.length);
        // The number of rays changes: nothing of one search may remain for the next.
        for (const rayCount of [3, 0, rays.length]) {
          const encoder = device.createCommandEncoder();
          grid.encode(encoder, { positions, count });
          search.encode(encoder, { rays: buffer, count: rayCount });
          firsts.encode(encoder, { rays: buffer, count: rayCount });
          device.queue.submit([encoder.finish()]);
          const listed = await search.read();
          const first = await firsts.read();
          expect([listed.found, listed.offsets.length]).toEqual([listed.ids.length, rayCount + 1]);
          const { met, doubts } = expectAnswers(listed, first, rays, all.slice(0, rayCount));
          if (rayCount < rays.length) continue;
          expect(met).toBeGreaterThan(particles === MANY ? 150 : 30);
          // Balls of radius 0 are doubtful for the rays aimed at them.
          expect(doubts).toBeLessThan(10 + met / 50);
          const radii = radiiOf(sizes, count);
          const small = all
            .flatMap(({ hits }) => hits)
            .filter(({ id }) => (radii[id] as number) <= LEVEL_CELL / 2);
          expect(small.length).toBeGreaterThan(particles === MANY ? 30 : 5);
        }
        grid.destroy();
      },
      { ...SHARED_CASE, tags: 'case' },
    );
  }

  for (const sizes of ['equal', 'of all levels'] as const) {
    gpuTest(
      `hit no ball that was more than a period outside a periodic world, among balls that are ${sizes}`,
      async (device, tools) => {
        const corner = cornersIn(dimensions);
        const few = [corner(4), corner(4).with(0, 4 - 2 * EDGE), corner(4).with(1, 4 + 3 * EDGE)];
        const farthest = [corner(4).with(1, -1e20), corner(3e38).with(0, -3e38)];
        for (const copies of [1, 400]) {
          const positions = Float32Array.from(
            { length: copies * dimensions * 5 },
            (_, word) => [...few, ...farthest].flat()[word % (dimensions * 5)] as number,
          );
          const count = 5 * copies;
          const radii = new Float32Array(count).fill(0.5);
          const grid = await HashGrid.create(tools.wrap(), {
            ...(worldsOf(dimensions).periodic as WorldOptions),
            ...(sizes === 'equal' ? { diameter: 1 } : { radii: { smallest: SMALLEST, largest: LARGEST } }),
            capacity: count,
          });
          // A short ray, and two long ones, each of which passes a ball far outside the world.
          const rays = [
            { origin: corner(4).with(0, 2), direction: corner(0).with(0, 1), greatestDistance: 3 },
            { origin: corner(4).with(0, 2), direction: corner(0).with(0, -1), greatestDistance: 4 * EDGE },
            { origin: corner(4).with(1, 2), direction: corner(0).with(1, 1), greatestDistance: 6 * EDGE },
          ];
          const buffer = tools.upload('rays', packRays(dimensions, rays));
          const search = await grid.alongRays({ rays: 3, capacity: 3 * count });
          const firsts = await grid.alongRays({ rays: 3, firstOnly: true });
          const encoder = device.createCommandEncoder();
          grid.encode(encoder, {
            positions:
              sizes === 'equal'
                ? uploadVectors(tools, dimensions, 'positions', positions)
                : tools.upload('bodies', toBodies(dimensions, positions, { radii })),
            count,
          });
          search.encode(encoder, { rays: buffer, count: 3 });
          firsts.encode(encoder, { rays: buffer, count: 3 });
          device.queue.submit([encoder.finish()]);
          const listed = await search.read();
          const met = Array.from({ length: copies }, (_, copy) => 5 * copy);
          expect([...listed.ids]).toEqual([...met, ...met, ...met]);
          expect([...(await firsts.read()).ids]).toEqual([0, 0, 0]);
          const cpu = createCpuGrid({
            ...(worldsOf(dimensions).periodic as WorldOptions),
            diameter: 1,
            capacity: count,
          });
          cpu.build(positions);
          for (const { origin, direction, greatestDistance } of rays) {
            expect([...cpu.findAlongRay(origin, direction, greatestDistance).ids]).toEqual(met);
          }
          grid.destroy();
        }
      },
      { ...SHARED, tags: 'full' },
    );
  }

  for (const kind of WORLD_CASES) {
    gpuTest(
      `hit what brute force hits at the borders of cells and levels, in a world that is ${kind}`,
      async (device, tools) => {
        let certain = 0;
        await fc.assert(
          fc.asyncProperty(variableCrowds(kind, dimensions, 40), async (crowd) => {
            const { options, radii } = crowd;
            // Replace tiny values by 0. Some, such as 1e-40, have squares that underflow on the device only.
            const settle = (values: Float32Array) =>
              values.map((value) => (Math.abs(value) < 1e-5 * radii.smallest ? 0 : value));
            const positions = settle(crowd.positions);
            const radiusOf = settle(crowd.radiusOf);
            const count = COPIES * radiusOf.length;
            const bodies = toBodies(dimensions, positions, { radii: radiusOf });
            const copied = new Float32Array(COPIES * bodies.length);
            for (let copy = 0; copy < COPIES; copy++) copied.set(bodies, copy * bodies.length);
            const grid = await HashGrid.create(tools.wrap(), { ...options, radii, capacity: count });
            const { world } = grid;
            const inside = stored({ world, positions });
            const rays = raysAmong(world, inside, radiusOf, 40);
            const search = await grid.alongRays({ rays: 40, capacity: Math.max(40 * count, 1) });
            const firsts = await grid.alongRays({ rays: 40, firstOnly: true });
            const buffer = tools.upload('rays', pack(dimensions, rays));
            const encoder = device.createCommandEncoder();
            grid.encode(encoder, { positions: tools.upload('bodies', copied), count });
            search.encode(encoder, { rays: buffer, count: rays.length });
            firsts.encode(encoder, { rays: buffer, count: rays.length });
            device.queue.submit([encoder.finish()]);
            const expected = rays.map((ray) =>
              copiesOf(hitsOfSizes(inside, radiusOf, world.diameter / 2, world.period, ray), radiusOf.length),
            );
            expectAnswers(await search.read(), await firsts.read(), rays, expected);
            for (const { hits, doubtful } of expected)
              certain += hits.filter(({ id }) => !doubtful.has(id)).length;
            grid.destroy();
          }),
          runs(20),
        );
        expectSeen(certain, COPIES * 300);
      },
      SHARED_CASE,
    );
  }

  for (const [kind, low] of [
    ['unbounded', 4],
    ['periodic', 1],
    ['bounded', 4],
  ] as const) {
    gpuTest(
      `hit exactly the right balls of many sizes, also of radius 0, along an axis of a world that is ${kind}`,
      async (device, tools) => {
        const corner = cornersIn(dimensions);
        const period = kind === 'periodic' ? 32 : 0;
        const line = corner(low);
        const centres: number[][] = [];
        const radii: number[] = [];
        // Some of these balls are hit across the end of the periodic world.
        const add = (x: number, beside: number, radius: number) => {
          const axis = dimensions === 3 && centres.length % 2 === 0 ? 2 : 1;
          const centre = line.with(0, x).with(axis, low + beside);
          centres.push(centre.map((value) => (period > 0 ? (value + period) % period : value)));
          radii.push(radius);
        };
        for (let x = 15; x > 0; x--) {
          for (const [along, beside, radius] of [
            // The ray just touches these balls.
            [0, -2, 2],
            [0.25, 0.25, 0.25],
            [0.25, -1, 1],
            [0.375, 0.0625, 0.0625],
            // The ray just misses these.
            [0, 2 + 2 ** -10, 2],
            [0.25, -0.25 - 2 ** -10, 0.25],
            [0.5, 2 ** -20, 0],
            // The ray passes through the centres of these balls. Those of radius 0 are points.
            [0.75, 0, 0.125],
            [0.5, 0, 0],
            [0, 0, 0],
          ] as const) {
            add(x + along, beside, radius);
          }
        }
        // Half the chord : distance of the centre from the ray : radius = 4 : 3 : 5.
        add(8.125, 1.5, 2.5);
        const count = radii.length;
        const bodies = toBodies(dimensions, Float32Array.from(centres.flat()), {
          radii: Float32Array.from(radii),
        });
        const grid = await HashGrid.create(tools.wrap(), {
          dimensions,
          ...(kind === 'unbounded'
            ? { unbounded: true }
            : { min: corner(0), max: corner(32), periodic: period > 0 }),
          radii: { smallest: 0.0625, largest: 2.5 },
          capacity: count,
          cellSize: 0.25,
        });
        const asked = [
          // The first two rays end exactly at points, and the third is a point itself.
          { from: 0.5, sign: 1, reach: 6 },
          { from: 20, sign: -1, reach: 9 },
          { from: 5.25, sign: 1, reach: 0 },
          { from: 20, sign: -1, reach: Number.POSITIVE_INFINITY },
        ];
        const rays = tools.upload(
          'rays',
          packRays(
            dimensions,
            asked.map(({ from, sign, reach }) => ({
              origin: line.with(0, from),
              direction: corner(0).with(0, sign),
              greatestDistance: reach,
            })),
          ),
        );
        const search = await grid.alongRays({ rays: asked.length, capacity: 4 * count });
        const firsts = await grid.alongRays({ rays: asked.length, firstOnly: true });
        const encoder = device.createCommandEncoder();
        grid.encode(encoder, { positions: tools.upload('bodies', bodies), count });
        search.encode(encoder, { rays, count: asked.length });
        firsts.encode(encoder, { rays, count: asked.length });
        device.queue.submit([encoder.finish()]);
        const { offsets, ids, distances } = await search.read();
        const first = await firsts.read();
        asked.forEach((ray, index) => {
          const expected = centres.flatMap((centre, id) => {
            const distance = meetAlongX(centre, radii[id] as number, line, period, ray);
            return distance === undefined ? [] : [{ id, distance }];
          });
          expected.sort((a, b) => a.distance - b.distance || a.id - b.id);
          expect(expected.length).toBeGreaterThan(ray.reach > 0 ? 30 : 1);
          const [from, to] = [offsets[index] as number, offsets[index + 1] as number];
          expect([...ids.subarray(from, to)]).toEqual(expected.map(({ id }) => id));
          // Distances need square roots, which devices round differently.
          expectArraysWithin(
            distances.subarray(from, to),
            expected.map(({ distance }) => distance),
            2 ** -20,
            'distances',
          );
          expect([first.ids[index], first.distances[index]]).toEqual([ids[from], distances[from]]);
        });
        grid.destroy();
      },
      SHARED_CASE,
    );
  }

  for (const kind of ['bounded', 'unbounded']) {
    gpuTest(
      `hit balls that they only touch, and the lower id first at equal distances, in a world that is ${kind}`,
      async (device, tools) => {
        const corner = cornersIn(dimensions);
        const centres: number[][] = [];
        for (let x = 15; x > 0; x--) {
          for (const y of [4.5, 3.5, 4.5 + 2 ** -10, 4.25, 3.75])
            centres.push(corner(4).with(0, x).with(1, y));
        }
        const positions = Float32Array.from(centres.flat());
        const count = centres.length;
        const box = kind === 'unbounded' ? { unbounded: true } : { min: corner(0), max: corner(16) };
        const grid = await HashGrid.create(tools.wrap(), {
          dimensions,
          ...box,
          diameter: 1,
          capacity: count,
        });
        const search = await grid.alongRays({ rays: 2, capacity: 400 });
        const firsts = await grid.alongRays({ rays: 2, firstOnly: true });
        const rays = tools.upload(
          'rays',
          packRays(dimensions, [
            // The ray ends just before it would enter some balls. Half a unit later it would touch others.
            {
              origin: corner(4).with(0, 0.5),
              direction: corner(0).with(0, 1),
              greatestDistance: 6,
            },
            { origin: corner(4).with(0, 20), direction: corner(0).with(0, -1) },
          ]),
        );
        const encoder = device.createCommandEncoder();
        grid.encode(encoder, { positions: uploadVectors(tools, dimensions, 'p', positions), count });
        search.encode(encoder, { rays, count: 2 });
        firsts.encode(encoder, { rays, count: 2 });
        device.queue.submit([encoder.finish()]);
        const { offsets, ids, distances } = await search.read();
        const idsAt = (x: number, ...which: number[]) => which.map((index) => 5 * (15 - x) + index);
        const forth = [1, 2, 3, 4, 5, 6].flatMap((x) => [...idsAt(x, 3, 4), ...idsAt(x, 0, 1)]);
        expect([...ids.subarray(0, offsets[1])].sort((a, b) => a - b)).toEqual(forth.sort((a, b) => a - b));
        const back = Array.from({ length: 15 }, (_, index) => index).flatMap((step) => [
          ...idsAt(15 - step, 3, 4),
          ...idsAt(15 - step, 0, 1),
        ]);
        expect([...ids.subarray(offsets[1])]).toEqual(back);
        const touched = [...ids].flatMap((id, index) => (id % 5 < 2 ? [distances[index] as number] : []));
        expect(touched.every((distance) => Number.isInteger(2 * distance))).toBe(true);
        const { ids: nearest } = await firsts.read();
        expect([...nearest]).toEqual([idsAt(1, 3)[0], idsAt(15, 3)[0]]);
        grid.destroy();
      },
      dimensions === 2 ? SHARED : SHARED_CASE,
    );
  }

  for (const sizes of ['of all levels', 'equal'] as const) {
    gpuTest(
      `leave holes if their lists do not fit, and report the needed capacity, among balls that are ${sizes}`,
      async (device, tools) => {
        const { grid, count, positions, rays, buffer } = await ask(
          tools,
          worldsOf(dimensions).bounded as WorldOptions,
          MANY,
          { sizes, workgroups: 4 },
        );
        const encode = (search: Awaited<ReturnType<typeof grid.alongRays>>) => {
          const encoder = device.createCommandEncoder();
          grid.encode(encoder, { positions, count });
          search.encode(encoder, { rays: buffer, count: rays.length });
          device.queue.submit([encoder.finish()]);
        };
        const ample = await grid.alongRays({ rays: rays.length, capacity: 200_000 });
        encode(ample);
        const all = await ample.read();
        const middle = rays.findIndex(
          (_, ray) =>
            (all.offsets[ray] as number) > 40 &&
            (all.offsets[ray + 1] as number) - (all.offsets[ray] as number) > 4,
        );
        const capacity = 4 * Math.ceil(((all.offsets[middle] as number) + 1) / 4);
        const search = await grid.alongRays({ rays: rays.length, capacity });
        encode(search);
        const { found, offsets, ids, distances } = await search.read();
        expect(found).toBe(all.found);
        const listed = all.offsets[middle] as number;
        expectArraysEqual(ids, all.ids.slice(0, listed), 'ids');
        expectArraysEqual(distances, all.distances.slice(0, listed), 'distances');
        expect(offsets[rays.length]).toBe(listed);
        const words = await readWords(tools, search.ids, capacity);
        expect([...words.slice(listed)].every((word) => word === NO_HIT)).toBe(true);
        expect([...(await readWords(tools, search.count, 5))]).toEqual([
          found,
          capacity,
          Math.ceil(capacity / 256),
          1,
          1,
        ]);
        grid.destroy();
      },
      SHARED_CASE,
    );
  }

  gpuTest(
    'hit thousands of balls in one cell, which are listed by ascending distance',
    async (device, tools) => {
      const corner = cornersIn(dimensions);
      const count = 3000;
      const noise = createNoise(9);
      const positions = Float32Array.from({ length: count * dimensions }, () => 4 + noise() / 4);
      const options = { dimensions, min: corner(0), max: corner(8) };
      const grid = await HashGrid.create(tools.wrap(), { ...options, diameter: 1, capacity: count });
      const search = await grid.alongRays({ rays: 1, capacity: count });
      const ray = { origin: corner(0.1), direction: corner(0.5), greatestDistance: 100 };
      const encoder = device.createCommandEncoder();
      grid.encode(encoder, { positions: uploadVectors(tools, dimensions, 'p', positions), count });
      search.encode(encoder, { rays: tools.upload('rays', packRays(dimensions, [ray])), count: 1 });
      device.queue.submit([encoder.finish()]);
      const { ids, distances } = await search.read();
      expect(ids.length).toBe(count);
      const expected = hitsAlongRay(
        positions,
        corner(0),
        { ...ray, origin: ray.origin.map(Math.fround) },
        0.5,
      );
      expectHits(ids, distances, expected, 'the ray');
      grid.destroy();
    },
    SHARED,
  );
});

gpuTest(
  'a ray so far out that floats are coarser than cells finds all balls in a bounded time',
  async (device, tools) => {
    const far = 1e8;
    const random = createNoise(3);
    const count = 500;
    const positions = Float32Array.from({ length: 3 * count }, (_, index) =>
      index % 3 === 0 ? far + 1e5 * random() : far + 5e4 + 1e4 * (random() - 0.5),
    );
    const radii = Float32Array.from({ length: count }, () => 500 + 1500 * random());
    const grid = await HashGrid.create(tools.wrap(), {
      dimensions: 3,
      unbounded: true,
      radii: { smallest: 0.5, largest: 2048 },
      capacity: count,
    });
    const search = await grid.alongRays({ rays: 1, capacity: count });
    const ray = { origin: [far, far + 5e4, far + 5e4], direction: [1, 0, 0], greatestDistance: 1e5 };
    const encoder = device.createCommandEncoder();
    grid.encode(encoder, { positions: tools.upload('particles', toBodies(3, positions, { radii })), count });
    search.encode(encoder, { rays: tools.upload('ray', packRays(3, [ray])), count: 1 });
    device.queue.submit([encoder.finish()]);
    const { ids } = await search.read();
    const met = Array.from({ length: count }, (_, id) => id).filter((id) => {
      const away = [1, 2].map((axis) => (positions[3 * id + axis] as number) - far - 5e4);
      const beside = Math.hypot(...away);
      return beside < (radii[id] as number);
    });
    expect([...ids].sort((one, other) => one - other)).toEqual(met);
    expect(met.length).toBeGreaterThan(0);
    grid.destroy();
  },
  SHARED,
);

gpuTest(
  'rays from afar hit a ball that they only touch at their ends',
  async (device, tools) => {
    const noise = createNoise(7);
    const scattered = Array.from({ length: MANY }, () => [3.5 + 4 * noise(), 8 * noise()]);
    // The centre is at the lower end of its cell, and the ray ends one radius below that cell.
    const [x, y] = [1.5, 3];
    const positions = Float32Array.from([[x, y], ...scattered].flat());
    // Three times greatestDistance is an exact 32-bit float, so rounding does not decide whether the ray touches the
    // ball.
    const rays = Array.from({ length: 64 }, (_, index) => {
      const greatestDistance = (2 ** 19 + 7919 * index) / 8;
      return { origin: [x, y - 0.5 - 3 * greatestDistance], direction: [0, 3], greatestDistance };
    });
    const box = { min: [0, 0], max: [EDGE, EDGE] };
    const count = MANY + 1;
    const grid = await HashGrid.create(tools.wrap(), { dimensions: 2, ...box, diameter: 1, capacity: count });
    const search = await grid.alongRays({ rays: rays.length, capacity: 2 * rays.length });
    const encoder = device.createCommandEncoder();
    grid.encode(encoder, { positions: uploadVectors(tools, 2, 'p', positions), count });
    search.encode(encoder, { rays: tools.upload('rays', packRays(2, rays)), count: rays.length });
    device.queue.submit([encoder.finish()]);
    const { ids, distances } = await search.read();
    expect([...ids]).toEqual(rays.map(() => 0));
    expectArraysWithin(
      distances.map((distance, ray) => distance / (rays[ray] as ReferenceRay).greatestDistance),
      rays.map(() => 1),
      1e-6,
      'distances',
    );
    grid.destroy();
  },
  SHARED,
);

gpuTest(
  'an endless ray that hardly moves along the periodic axis ends after as many periods as other rays',
  async (device, tools) => {
    const corner = cornersIn(3);
    const box = { min: corner(0), max: corner(EDGE), periodic: [false, true, false] };
    const world = { dimensions: 3, ...box } as const;
    const centres = [
      [2.5, 4, 4],
      [6.5, 4.25, 4],
      [4.5, 7, 4],
    ];
    const direction = [2 ** -29, 2 ** -51, 0];
    const ray = packRays(3, [{ origin: [1, 4, 4], direction, greatestDistance: Number.POSITIVE_INFINITY }]);
    for (const sizes of [{ diameter: 1 }, { radii: { smallest: 0.25, largest: 0.5 } }]) {
      const grid = await HashGrid.create(tools.wrap(), { ...world, ...sizes, capacity: 3 });
      const positions = Float32Array.from(centres.flat());
      const radii = new Float32Array(3).fill(0.5);
      const particles =
        'radii' in sizes
          ? tools.upload('particles', toBodies(3, positions, { radii }))
          : uploadVectors(tools, 3, 'particles', positions);
      const search = await grid.alongRays({ rays: 1, capacity: 8 });
      const encoder = device.createCommandEncoder();
      grid.encode(encoder, { positions: particles, count: 3 });
      search.encode(encoder, { rays: tools.upload('ray', ray), count: 1 });
      device.queue.submit([encoder.finish()]);
      const { ids, distances } = await search.read();
      expect([...ids]).toEqual([0, 1]);
      expect((distances[0] as number) / 2 ** 29).toBe(1);
      grid.destroy();
    }
  },
  { ...SHARED, tags: 'full' },
);

gpuTest(
  'ray searches reject invalid options and inputs',
  async (device, tools) => {
    const { grid, count, positions, buffer } = await ask(tools, worldsOf(2).bounded as WorldOptions, FEW);
    await expect(grid.alongRays({ rays: 0, capacity: 1 })).rejects.toThrow(/^rays is 0, /);
    await expect(grid.alongRays({ rays: 1, capacity: 0 })).rejects.toThrow(/^capacity is 0, /);
    await expect(grid.alongRays({ rays: 1 } as never)).rejects.toThrow(/^capacity is undefined, /);
    await expect(grid.alongRays({ rays: 1, firstOnly: 1 } as never)).rejects.toThrow(/^firstOnly is 1, /);
    await expect(grid.alongRays({ rays: 1, firstOnly: true, capacity: 3 } as never)).rejects.toThrow(
      /^options\.capacity is 3, /,
    );
    await expect(grid.alongRays({ rays: 1, capacity: 1, all: true } as never)).rejects.toThrow(
      /^options\.all /,
    );
    expect(() => packRays(2, [{ origin: [0], direction: [1, 0] }])).toThrow(/^rays\[0\]\.origin is \[0\], /);
    const ray = { origin: [0, 0], direction: [1, 0] };
    for (const [given, message] of [
      [[], /^dimensions is undefined, /],
      [['2', [ray]], /^dimensions is "2", /],
      [[2], /^rays is undefined, but it must be a list of at most \d+ rays\.$/],
      [[2, ray], /^rays is an object, /],
      [[2, new Array(2)], /^rays\[0\] is undefined, .* some of origin, direction, greatestDistance\.$/],
      [[2, [ray, 5]], /^rays\[1\] is 5, /],
      [
        [2, [{ ...ray, greatestDistanse: 3 }]],
        /^rays\[0\]\.greatestDistanse is 3, .* renamed to one of origin,/,
      ],
      [[2, [{ ...ray, greatestDistance: 5n }]], /^rays\[0\]\.greatestDistance is the BigInt 5, /],
      [[2, [{ ...ray, direction: { length: 2, 0: 1, 1: 1 } }]], /^rays\[0\]\.direction is an object, /],
    ] as const) {
      const attempt = () => (packRays as (...values: unknown[]) => unknown)(...given);
      expect(attempt).toThrow(ArgumentError);
      expect(attempt).toThrow(message);
    }
    expect(() => packRays(2, [{ origin: [0, 0], direction: [1, 0], greatestDistance: -1 }])).toThrow(
      /^rays\[0\]\.greatestDistance is -1, but it must be at least 0\.$/,
    );
    for (const options of [
      { rays: 4, capacity: 100 },
      { rays: 4, firstOnly: true },
    ] as const) {
      const search = await grid.alongRays(options as never);
      const encoder = device.createCommandEncoder();
      const wrong: readonly [object, RegExp][] = [
        [{ rays: buffer, count: 5 }, /^count is 5, but it must be a whole number from 0 to 4\.$/],
        [{ count: 1 }, /^rays is undefined, .* at least 24 bytes for 1 rays\.$/],
        [{ rays: tools.allocate('short', 24), count: 2 }, /^rays is .* at least 48 bytes for 2 rays\.$/],
        [{ rays: buffer, count: 1, radius: 0.6 }, /^radius is 0\.6, .* at most 0\.5, half the diameter/],
        [{ rays: buffer, count: 1, radius: 0 }, /^radius is 0, but it must be at least 2\^-41 /],
        [{ rays: buffer, count: 1, reach: 2 }, /^input\.reach is 2, /],
      ];
      for (const [input, message] of wrong) {
        expect(() => search.encode(encoder, input as never)).toThrow(ArgumentError);
        expect(() => search.encode(encoder, input as never)).toThrow(message);
      }
    }
    const many = await ask(tools, worldsOf(2).bounded as WorldOptions, FEW, { sizes: 'of all levels' });
    for (const options of [
      { rays: 4, capacity: 100 },
      { rays: 4, firstOnly: true },
    ] as const) {
      const search = await many.grid.alongRays(options as never);
      const refused = device.createCommandEncoder();
      many.grid.encode(refused, { positions: many.positions, count: many.count });
      expect(() => search.encode(refused, { rays: buffer, count: 1, radius: 0.5 })).toThrow(
        'radius is 0.5, but it must be left out, because in a grid that was created with `radii` each ball has its own.',
      );
      search.encode(refused, { rays: buffer, count: 1, radius: undefined });
    }
    many.grid.destroy();
    const search = await grid.alongRays({ rays: 1, capacity: 100 });
    const encoder = device.createCommandEncoder();
    expect(() => search.encode(encoder, { rays: buffer, count: 1 })).toThrow(/has not been encoded yet/);
    const bytes = search.memoryBytes;
    expect(bytes).toBeGreaterThan(800);
    grid.encode(encoder, { positions, count });
    search.encode(encoder, { rays: buffer, count: 1 });
    device.queue.submit([encoder.finish()]);
    expect((await search.read()).offsets.length).toBe(2);
    grid.destroy();
  },
  SHARED,
);
