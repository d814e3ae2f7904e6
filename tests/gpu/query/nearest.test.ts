import { describe, expect } from 'vitest';
import { ArgumentError, DestroyedError, LimitError } from '../../../src/core/base/errors';
import type { WorldOptions } from '../../../src/core/world/world';
import { HashGrid } from '../../../src/engine/grid/hash-grid';
import { MOST_NEAREST } from '../../../src/engine/queries/nearest';
import { findNearest } from '../../../src/reference/query/near';
import { loadVector } from '../../../src/reference/solve/contact';
import {
  ASKED_SIZES,
  type AskedCrowd,
  askedCrowd,
  askedWorlds,
  createAskedGrid,
  uploadPacked,
} from '../../helpers/inputs/queries';
import { expectArraysEqual, gpuTest, SHARED, SHARED_CASE } from '../../helpers/node-gpu';
import { DIMENSIONS, readWords, uploadVectors } from '../../helpers/passes';

const PARTICLES = 300;
/** Enough points for one workgroup and a part of a second one. */
const POINTS = 270;
const UNUSED = 0xffff_ffff;
const LEVELLED_WORLDS = ['bounded', 'periodic, with a wide last cell', 'unbounded'];

interface Nearest {
  readonly ids: Uint32Array;
  readonly distancesSquared: Float32Array;
}

function nearestOf(
  { world, positions, points }: AskedCrowd,
  asked: { count: number; k: number; radius: number; withoutSelf?: boolean },
): Nearest {
  const { count, k, radius, withoutSelf } = asked;
  const ids = new Uint32Array(k * count).fill(UNUSED);
  const distancesSquared = new Float32Array(k * count).fill(Number.POSITIVE_INFINITY);
  for (let point = 0; point < count; point++) {
    const centre = loadVector(world.dimensions, points, point);
    const found = findNearest(world, positions, centre, k, radius, withoutSelf ? point : undefined);
    found.forEach(({ id, distanceSquared }, index) => {
      ids[k * point + index] = id;
      distancesSquared[k * point + index] = distanceSquared;
    });
  }
  return { ids, distancesSquared };
}

function expectNearest(got: Nearest, expected: Nearest): void {
  expectArraysEqual(got.distancesSquared, expected.distancesSquared, 'distances');
  expectArraysEqual(got.ids, expected.ids, 'ids');
}

describe.each(DIMENSIONS)('the nearest particles in %dD', (dimensions) => {
  for (const sizes of ASKED_SIZES) {
    for (const [name, { options, radii }] of Object.entries(askedWorlds(dimensions))) {
      // One world of each kind is enough: near.test.ts tests the same loop over levels in more worlds.
      if (sizes === 'many sizes' && !LEVELLED_WORLDS.includes(name)) continue;
      gpuTest(
        `are those that brute force finds among particles of ${sizes}, in a world that is ${name}`,
        async (device, tools) => {
          const crowd = askedCrowd(options, PARTICLES, POINTS);
          const grid = await createAskedGrid(tools, options, PARTICLES, sizes);
          const positions = uploadPacked(tools, dimensions, 'positions', crowd.positions, sizes);
          const points = uploadPacked(tools, dimensions, 'points', crowd.points, sizes);
          let full = 0;
          let unused = 0;
          for (const [radius, k] of [
            [undefined, 1],
            [0.75, 3],
            [0.25, 16],
            ...radii.map((wide, index) => [wide, [5, 1, MOST_NEAREST, 2, 16][index]] as const),
          ] as const) {
            const search = await grid.nearest({ points: POINTS, k: k as number, radius });
            const encoder = device.createCommandEncoder();
            grid.encode(encoder, { positions, count: PARTICLES });
            search.encode(encoder, { points, count: POINTS });
            device.queue.submit([encoder.finish()]);
            const got = await search.read();
            expect(got.k).toBe(k);
            expectNearest(got, nearestOf(crowd, { count: POINTS, k: k as number, radius: radius ?? 1 }));
            for (let point = 0; point < POINTS; point++) {
              if (got.ids[got.k * (point + 1) - 1] === UNUSED) unused++;
              else full++;
            }
            search.destroy();
          }
          expect(Math.min(full, unused)).toBeGreaterThan(5);
          grid.destroy();
        },
        SHARED_CASE,
      );
    }
  }

  for (const sizes of ASKED_SIZES) {
    gpuTest(
      `equal brute force for the greatest count and radius and for smaller ones, with and without the point's own particle: ${sizes}`,
      async (device, tools) => {
        const { options } = askedWorlds(dimensions).periodic as { options: WorldOptions };
        const { world, positions } = askedCrowd(options, PARTICLES, 1);
        const crowd = { world, positions, points: positions };
        const grid = await createAskedGrid(tools, options, PARTICLES, sizes);
        const search = await grid.nearest({ points: PARTICLES, k: 4, radius: 3 });
        const buffer = uploadPacked(tools, dimensions, 'positions', positions, sizes);
        for (const [count, radius, withoutSelf] of [
          [PARTICLES, 3, true],
          [PARTICLES, 3, false],
          [PARTICLES, 0.5, true],
          [1, 2.25, true],
          [0, 1, false],
        ] as const) {
          const encoder = device.createCommandEncoder();
          grid.encode(encoder, { positions: buffer, count: PARTICLES });
          search.encode(encoder, { points: buffer, count, radius, withoutSelf });
          device.queue.submit([encoder.finish()]);
          const got = await search.read();
          const expected = nearestOf(crowd, { count, k: 4, radius, withoutSelf });
          expectNearest(got, expected);
          got.ids.forEach((id, index) => {
            if (withoutSelf) expect(id).not.toBe(Math.floor(index / 4));
          });
          if (withoutSelf && count > 20) expect(got.ids[4 * 10]).toBe(20);
          const raw = await readWords(tools, search.ids, 4 * count);
          expectArraysEqual(raw, expected.ids, 'ids on the device');
        }
        grid.destroy();
        await expect(search.read()).rejects.toThrow(DestroyedError);
      },
      SHARED_CASE,
    );
  }

  gpuTest(
    'are those with the lowest ids among particles at equal distances',
    async (device, tools) => {
      const options = { dimensions, unbounded: true } as const;
      const grid = await HashGrid.create(tools.wrap(), { ...options, diameter: 1, capacity: 700 });
      // All particles have the same distance from the middle, so only ids decide.
      const positions = new Float32Array(700 * dimensions);
      const corners = 2 ** dimensions;
      for (let id = 0; id < 700; id++) {
        const corner = (id * 7) % corners;
        for (let axis = 0; axis < dimensions; axis++) {
          positions[id * dimensions + axis] = (corner >> axis) & 1 ? 1 : -1;
        }
      }
      const points = new Float32Array(dimensions);
      const search = await grid.nearest({ points: 1, k: MOST_NEAREST, radius: 2 });
      const encoder = device.createCommandEncoder();
      grid.encode(encoder, { positions: uploadVectors(tools, dimensions, 'p', positions), count: 700 });
      search.encode(encoder, { points: uploadVectors(tools, dimensions, 'q', points), count: 1 });
      device.queue.submit([encoder.finish()]);
      const { ids, distancesSquared } = await search.read();
      expect([...ids]).toEqual(Array.from({ length: MOST_NEAREST }, (_, id) => id));
      expect(new Set(distancesSquared)).toEqual(new Set([dimensions]));
      grid.destroy();
    },
    SHARED,
  );
});

gpuTest(
  'reading returns the result of one search, even if other searches are submitted meanwhile',
  async (device, tools) => {
    const { options } = askedWorlds(2).bounded as { options: WorldOptions };
    const crowd = askedCrowd(options, PARTICLES, POINTS);
    const grid = await createAskedGrid(tools, options, PARTICLES, 'one size');
    const search = await grid.nearest({ points: POINTS, k: 3 });
    const positions = uploadVectors(tools, 2, 'p', crowd.positions);
    const points = uploadVectors(tools, 2, 'q', crowd.points);
    const record = (count: number, radius: number) => {
      const encoder = device.createCommandEncoder();
      grid.encode(encoder, { positions, count: PARTICLES });
      search.encode(encoder, { points, count, radius });
      return encoder.finish();
    };
    for (const [first, second] of [
      [POINTS, 7],
      [7, POINTS],
    ] as const) {
      device.queue.submit([record(first, 1)]);
      const reading = search.read();
      device.queue.submit([record(second, 0.5)]);
      expectNearest(await reading, nearestOf(crowd, { count: first, k: 3, radius: 1 }));
      const later = record(first, 1);
      expectNearest(await search.read(), nearestOf(crowd, { count: second, k: 3, radius: 0.5 }));
      device.queue.submit([later]);
    }
    grid.destroy();
  },
  SHARED,
);

gpuTest(
  'searches for the nearest particles reject invalid options and inputs',
  async (device, tools) => {
    const grid = await createAskedGrid(
      tools,
      { dimensions: 2, min: [0, 0], max: [8, 6], periodic: [true, false] },
      PARTICLES,
      'one size',
    );
    const points = tools.allocate('points', 96);
    const impossible: readonly [object, RegExp][] = [
      [{ points: 0, k: 1 }, /^points is 0, /],
      [{ points: 1, k: 0 }, /^k is 0, but it must be a whole number from 1 to 128\.$/],
      [{ points: 1, k: MOST_NEAREST + 1 }, /^k is 129, but it must be a whole number from 1 to 128\.$/],
      [{ points: 1, k: 1.5 }, /^k is 1\.5, /],
      [{ points: 1, k: 1, radius: 4.5 }, /^radius is 4\.5, .*at most 4, half the shortest period/],
      [{ points: 1, k: 1, radius: 0 }, /^radius is 0, .*at least 2\^-40 /],
      [{ points: 1, k: 1, reach: 2 }, /^options\.reach is 2, /],
    ];
    for (const [options, message] of impossible) {
      await expect(grid.nearest(options as never)).rejects.toThrow(ArgumentError);
      await expect(grid.nearest(options as never)).rejects.toThrow(message);
    }
    const huge = grid.nearest({ points: 2 ** 28, k: MOST_NEAREST });
    await expect(huge).rejects.toThrow(LimitError);
    await expect(huge).rejects.toThrow(
      /^The ids of the 128 nearest particles of each of 268435456 points take 137438953472 bytes, /,
    );
    const search = await grid.nearest({ points: 10, k: 2, radius: 2 });
    const encoder = device.createCommandEncoder();
    const wrong: readonly [object, RegExp][] = [
      [{ points, count: 11 }, /^count is 11, but it must be at most 10 points\.$/],
      [
        { points, count: 1, radius: 2.5 },
        /^radius is 2\.5, .*at most 2, the radius that the search was created with/,
      ],
      [{ points, count: 1, radius: Number.NaN }, /^radius is NaN, /],
      [{ count: 1 }, /^points is undefined, /],
      [{ points, count: 1, k: 2 }, /^input\.k is 2, /],
      [{ points, count: 1, withoutSelf: 1 }, /^withoutSelf is 1, but it must be true or false\.$/],
      [{ points: search.ids, count: 1 }, /^points is .*a buffer that the search does not write\.$/],
    ];
    for (const [input, message] of wrong) {
      expect(() => search.encode(encoder, input as never)).toThrow(ArgumentError);
      expect(() => search.encode(encoder, input as never)).toThrow(message);
    }
    expect(() => search.encode(encoder, { points, count: 1 })).toThrow(/has not been encoded yet/);
    expect(search.memoryBytes).toBeGreaterThan(8 * 20);
    search.destroy();
    expect(() => search.encode(encoder, { points, count: 1 })).toThrow(DestroyedError);
    grid.destroy();
  },
  SHARED,
);
