/** What rays meet on the GPU: brute force's, by distance and then by id, in every kind of world; and the first alone. */
import { describe, expect } from 'vitest';
import { ArgumentError, DestroyedError } from '../../src/core/errors';
import { type Dimensions, defineWorld, type WorldOptions } from '../../src/core/world';
import { packRays } from '../../src/engine/grid-rays';
import { HashGrid } from '../../src/engine/hash-grid';
import { hitsAlongRay, type ReferenceHits, type ReferenceRay } from '../../src/reference/rays';
import { expectArraysEqual, type GpuTools, gpuTest } from '../helpers/node-gpu';
import { createNoise, DIMENSIONS, readWords, uploadVectors } from '../helpers/passes';
import { EDGE, expectHits, makeRays } from '../helpers/rays';
import { stored } from '../helpers/unusual-worlds';

const SHARED = { shared: true } as const;
/** Enough that rays are walked: of fewer than a walk has pieces, all are asked. */
const MANY = 800;
const FEW = 40;
const NOBODY = 0xffff_ffff;

function worldsOf(dimensions: Dimensions): Readonly<Record<string, WorldOptions>> {
  const corner = (value: number) => new Array<number>(dimensions).fill(value);
  const box = { dimensions, min: corner(0), max: corner(EDGE) };
  return {
    bounded: box,
    'bounded and wide-celled': { ...box, min: corner(-3.3), cellSize: 1.3 },
    periodic: { ...box, periodic: true },
    channel: { ...box, min: corner(-0.7), periodic: corner(0).map((_, axis) => axis !== 1) },
    unbounded: { dimensions, unbounded: true },
  };
}

interface Question {
  readonly grid: HashGrid;
  readonly count: number;
  readonly positions: GPUBuffer;
  readonly rays: readonly ReferenceRay[];
  readonly buffer: GPUBuffer;
  readonly expected: (radius: number, count: number) => ReferenceHits[];
}

async function ask(
  tools: GpuTools,
  options: WorldOptions,
  count: number,
  workgroups?: number,
): Promise<Question> {
  const { dimensions } = options;
  const world = defineWorld(options, 1, count);
  const noise = createNoise(dimensions);
  const positions = Float32Array.from({ length: count * dimensions }, () => -1 + 10 * noise());
  positions[dimensions * 30 + 1] = Number.NaN;
  if (world.kind !== 'periodic') positions[dimensions * 31] = 25;
  const rays = makeRays(dimensions, positions);
  const inside = stored({ world, positions });
  return {
    grid: await HashGrid.create(tools.wrap(workgroups), { ...options, diameter: 1, capacity: count }),
    count,
    positions: uploadVectors(tools, dimensions, 'positions', positions),
    rays,
    buffer: tools.upload('rays', pack(dimensions, rays)),
    expected: (radius, of) => rays.slice(0, of).map((ray) => hitsAlongRay(inside, world.period, ray, radius)),
  };
}

/** As packRays does, but whatever is in them. */
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

describe.each(DIMENSIONS)('rays in %dD', (dimensions) => {
  for (const [kind, options] of Object.entries(worldsOf(dimensions))) {
    for (const particles of [MANY, FEW]) {
      gpuTest(
        `meet what brute force says in a ${kind} world of ${particles}`,
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
            const { found, offsets, ids, distances } = await search.read();
            const first = await firsts.read();
            expect([found, distances.length]).toEqual([ids.length, ids.length]);
            expect(offsets.length).toBe(of + 1);
            expect([first.ids.length, first.distances.length]).toEqual([of, of]);
            expected(radius ?? 0.5, of).forEach((hits, ray) => {
              const [from, to] = [offsets[ray] as number, offsets[ray + 1] as number];
              const what = `ray ${ray}, ${JSON.stringify(rays[ray])}`;
              doubts += expectHits(ids.subarray(from, to), distances.subarray(from, to), hits, what);
              met += hits.hits.length;
              if (hits.doubtful.size > 0) return;
              // Where lists and first hits are rounded alike, they say the same.
              const nearest = hits.hits[0];
              expect(first.ids[ray] === NOBODY, what).toBe(nearest === undefined);
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
          }
          expect(met).toBeGreaterThan(particles === MANY ? 500 : 20);
          expect(doubts).toBeLessThan(met / 50);
          grid.destroy();
          await expect(search.read()).rejects.toThrow(DestroyedError);
          await expect(firsts.read()).rejects.toThrow(DestroyedError);
        },
        SHARED,
      );
    }
  }

  gpuTest(
    'along axes are exact where coordinates are dyadic: to touch is to meet, and of two at one distance the lower id is first',
    async (device, tools) => {
      const corner = (value: number) => new Array<number>(dimensions).fill(value);
      // On both sides of the ray along x at y = 4, three of each distance, one of which touches it.
      const places: number[][] = [];
      for (let x = 15; x > 0; x--) {
        for (const y of [4.5, 3.5, 4.5 + 2 ** -10, 4.25, 3.75]) places.push(corner(4).with(0, x).with(1, y));
      }
      const positions = Float32Array.from(places.flat());
      const count = places.length;
      for (const unbounded of [false, true]) {
        const box = unbounded ? { unbounded } : { min: corner(0), max: corner(16) };
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
            // Ends where a ball begins, but not those that are only touched a half farther on.
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
        // At each x two that the ray cuts, then two that it touches half a unit later.
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
      }
    },
    SHARED,
  );

  gpuTest(
    'that do not fit as a whole leave holes, and the capacity that would do is told',
    async (device, tools) => {
      const { grid, count, positions, rays, buffer } = await ask(
        tools,
        worldsOf(dimensions).bounded as WorldOptions,
        MANY,
        4,
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
      // Amid the hits of one ray.
      const middle = rays.findIndex(
        (_, ray) =>
          (all.offsets[ray] as number) > 40 &&
          (all.offsets[ray + 1] as number) - (all.offsets[ray] as number) > 8,
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
      expect([...words.slice(listed)].every((word) => word === NOBODY)).toBe(true);
      expect([...(await readWords(tools, search.count, 5))]).toEqual([
        found,
        capacity,
        Math.ceil(capacity / 256),
        1,
        1,
      ]);
      grid.destroy();
    },
    SHARED,
  );

  gpuTest(
    'meet thousands in one place, in order',
    async (device, tools) => {
      const corner = (value: number) => new Array<number>(dimensions).fill(value);
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
  'searches along rays that cannot be are refused with a sentence',
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
