/** Tests searches that follow a ray through cells in difficult places. Expected hits were derived by hand. */
import { expect } from 'vitest';
import { HashGrid, type HashGridOptions } from '../../../src/engine/grid/hash-grid';
import { packRays, type Ray } from '../../../src/engine/queries/rays';
import { toBodies } from '../../../src/gpu/layout';
import { type GpuTools, gpuTest, SHARED } from '../../helpers/node-gpu';
import { uploadVectors } from '../../helpers/passes';

const RADIUS = 0.5;
const NO_HIT = 0xffff_ffff;

/** The number of balls far from the ray. With fewer, the search would test all balls and visit no cells. */
const OTHERS = 100;

const ONE_SIZE = { diameter: 2 * RADIUS };
const ON_LEVELS = { radii: { smallest: RADIUS, largest: RADIUS } };

type World = Omit<HashGridOptions, 'dimensions' | 'capacity'>;

/**
 * Follows a ray among balls at `centres` and OTHERS balls at `aside`. Returns all hits, and the id that the search for
 * first hits finds.
 */
async function follow(
  device: GPUDevice,
  tools: GpuTools,
  world: World,
  { centres, aside, ray }: { centres: readonly number[][]; aside: readonly number[]; ray: Ray },
): Promise<{ readonly ids: number[]; readonly distances: number[]; readonly first: number }> {
  const all = [...centres, ...new Array<readonly number[]>(OTHERS).fill(aside)];
  const count = all.length;
  const positions = Float32Array.from(all.flat());
  const grid = await HashGrid.create(tools.wrap(), { ...world, dimensions: 2, capacity: count });
  const search = await grid.alongRays({ rays: 1, capacity: 4 * count });
  const firsts = await grid.alongRays({ rays: 1, firstOnly: true });
  const rays = tools.upload('ray', packRays(2, [ray]));
  const encoder = device.createCommandEncoder();
  const bodies = () => toBodies(2, positions, { radii: new Float32Array(count).fill(RADIUS) });
  grid.encode(encoder, {
    positions:
      world.radii === undefined
        ? uploadVectors(tools, 2, 'positions', positions)
        : tools.upload('bodies', bodies()),
    count,
  });
  search.encode(encoder, { rays, count: 1 });
  firsts.encode(encoder, { rays, count: 1 });
  device.queue.submit([encoder.finish()]);
  const { ids, distances } = await search.read();
  const first = await firsts.read();
  grid.destroy();
  return { ids: [...ids], distances: [...distances], first: first.ids[0] as number };
}

gpuTest(
  'a ray across the end of a world that is periodic only along x hits the nearer ball beyond the end first',
  async (device, tools) => {
    const world = { min: [0, 0], max: [4, 16], periodic: [true, false], ...ON_LEVELS };
    // Ball 0 lies just before the end, beside the ray. Ball 1 lies just beyond the end, on the ray.
    const centres = [
      [3.875, 4.4375],
      [0.125, 4],
    ];
    const ray = { origin: [2.5, 4], direction: [1, 0], greatestDistance: 2 };
    const { ids, first } = await follow(device, tools, world, { centres, aside: [2, 12], ray });
    expect(ids).toEqual([1, 0]);
    expect(first).toBe(1);
  },
  { ...SHARED, tags: 'full' },
);

gpuTest(
  'a ray through a whole box lists the ball in the first cell of the next row once',
  async (device, tools) => {
    const world = { min: [0, 0], max: [8, 8], ...ON_LEVELS };
    const centres = [[0.5, 4.125]];
    const ray = { origin: [-2, 3.875], direction: [1, 0], greatestDistance: 20 };
    const { ids, first } = await follow(device, tools, world, { centres, aside: [4, 6.5], ray });
    expect(ids).toEqual([0]);
    expect(first).toBe(0);
  },
  SHARED,
);

gpuTest(
  'a ray near the middle of a box 2^18 diameters wide hits a ball in the next row of cells',
  async (device, tools) => {
    const world = { min: [0, -(2 ** 17)], max: [8, 2 ** 17], cellSize: 64, ...ONE_SIZE };
    const centres = [[4, -0.1875]];
    const ray = { origin: [0.5, 0.1875], direction: [1, 0], greatestDistance: 8 };
    const { ids, first } = await follow(device, tools, world, { centres, aside: [4, 1000], ray });
    expect(ids).toEqual([0]);
    expect(first).toBe(0);
  },
  SHARED,
);

gpuTest(
  'a ray through cells with negative coordinates of an unbounded world hits the ball there',
  async (device, tools) => {
    const world = { unbounded: true, ...ONE_SIZE };
    const centres = [[-0.75, 4]];
    const ray = { origin: [-1.5, 4], direction: [1, 0], greatestDistance: 0.875 };
    const { ids, distances, first } = await follow(device, tools, world, {
      centres,
      aside: [4, 100],
      ray,
    });
    expect(ids).toEqual([0]);
    expect(distances[0]).toBeCloseTo(0.25, 5);
    expect(first).toBe(0);
  },
  SHARED,
);

gpuTest(
  'a ray whose direction has the length 2^-30 hits balls, and a ray with a shorter direction hits nothing',
  async (device, tools) => {
    const world = { min: [0, 0], max: [8, 8], ...ONE_SIZE };
    const along = (speed: number) =>
      follow(device, tools, world, {
        centres: [[2.5, 4]],
        aside: [4, 6.5],
        ray: { origin: [1, 4], direction: [speed, 0] },
      });
    const { ids, distances, first } = await along(2 ** -30);
    expect([ids, first]).toEqual([[0], 0]);
    expect((distances[0] as number) / 2 ** 30).toBeCloseTo(1, 5);
    const shorter = await along(2 ** -31);
    expect([shorter.ids, shorter.first]).toEqual([[], NO_HIT]);
  },
  SHARED,
);
