/** Tests that measures equal those of the reference: integers and the hash exactly, floats up to their roundings. */
import { describe, expect } from 'vitest';
import { MEASURE_WORKGROUP_SIZE, MEASURE_WORKGROUPS } from '../../../src/core/base/constants';
import type { BroadPhase } from '../../../src/core/contact/settings';
import { MAX_PARTICLES } from '../../../src/core/simulation/ids';
import type { Measures } from '../../../src/core/simulation/simulation';
import { wrapPositions } from '../../../src/core/world/cells';
import { defineWorld, GREATEST_SPEED, type World } from '../../../src/core/world/world';
import { Measure } from '../../../src/passes/measure/measure';
import { buildGrid, type Grid } from '../../../src/reference/grid/grid';
import { measureState } from '../../../src/reference/measure/measure';
import { bruteForcePairs } from '../../../src/reference/query/brute-force';
import { createScene, worldOptions } from '../../../src/scenes';
import { createNoise, scatterIn } from '../../../src/testing/noise';
import { type GpuTools, gpuTest, SHARED, SHARED_CASE } from '../../helpers/node-gpu';
import { DIMENSIONS, FOLD, runPass, SMALL_COUNTS, share, shuffled, uploadGrid } from '../../helpers/passes';
import { EQUAL_RADIUS_SCENES } from '../../helpers/scene-names';

async function measureGrid(
  tools: GpuTools,
  world: World,
  grid: Grid,
  broadPhase: BroadPhase = 'grid',
  fold?: number,
): Promise<Measures> {
  const gpu = tools.wrap(fold);
  const count = grid.ids.length;
  const measure = await Measure.create(gpu, world, broadPhase);
  const { id: id_in, ...buffers } = uploadGrid(tools, world, grid);
  const group = measure.bind({ ...buffers, id_in });
  const shared = await share(gpu, world, count);
  runPass(gpu, (pass) => measure.encode(pass, shared, group, count));
  const { buffer, offset, size } = measure.range(count);
  const measures = measure.combine(await tools.read(buffer, offset, size), count);
  measure.destroy();
  return measures;
}

const U = 2 ** -24;

/** Bounds errors by the number of roundings: sums per thread, then per workgroup. The host adds up in doubles. */
function expectMeasured(
  got: Measures,
  world: World,
  grid: Grid,
  broadPhase: BroadPhase = 'grid',
  workgroups = MEASURE_WORKGROUPS,
): void {
  const { dimensions, diameter } = world;
  const count = grid.ids.length;
  const expected = measureState(world, diameter, grid, broadPhase);
  const { kineticEnergy, momentum, deepestOverlap, meanOverlap, ...exact } = expected;
  expect(got).toMatchObject(exact);
  const rounds = Math.ceil(count / (workgroups * MEASURE_WORKGROUP_SIZE));
  const roundings = (rounds + MEASURE_WORKGROUP_SIZE + dimensions + 2) * U;
  expect(Math.abs(got.kineticEnergy - kineticEnergy)).toBeLessThanOrEqual(roundings * kineticEnergy);
  for (let axis = 0; axis < dimensions; axis++) {
    let magnitude = 0;
    for (let slot = 0; slot < (grid.start[world.cellCount] as number); slot++) {
      magnitude += Math.abs(grid.velocities[slot * dimensions + axis] as number);
    }
    const difference = Math.abs((got.momentum[axis] as number) - (momentum[axis] as number));
    expect(difference).toBeLessThanOrEqual(roundings * magnitude);
  }
  // A square root in WGSL may be off by 9 U, the subtraction by 1 U. The distance² adds (dimensions + 2) / 2 U.
  const root = (10 + (dimensions + 2) / 2) * U * diameter;
  expect(Math.abs(got.deepestOverlap - deepestOverlap)).toBeLessThanOrEqual(root);
  const neighbours = Math.max(1, expected.greatestOccupancy) * 3 ** dimensions;
  expect(Math.abs(got.meanOverlap - meanOverlap)).toBeLessThanOrEqual(
    root + (roundings + neighbours * rounds * U) * meanOverlap,
  );
  expect(got.momentum).toHaveLength(dimensions);
}

function sceneGrid(
  name: string,
  dimensions: 2 | 3,
  count: number,
  moving = true,
): { world: World; grid: Grid } {
  const scene = createScene(name, { dimensions, count });
  const world = defineWorld(worldOptions(scene), 2 * scene.radius, scene.count);
  const noise = createNoise(count);
  const velocities = scatterIn(
    noise,
    world.min.map(() => -3),
    world.min.map(() => 4),
    count,
  );
  const ids = shuffled(
    Uint32Array.from({ length: count }, (_, index) => 5 * index),
    noise,
  );
  return { world, grid: buildGrid(world, scene.positions, moving ? velocities : undefined, ids) };
}

describe.each(DIMENSIONS)('measures in %dD', (dimensions) => {
  for (const name of EQUAL_RADIUS_SCENES) {
    gpuTest(
      `equal the reference with both broad phases in the scene ${name}`,
      async (_, tools) => {
        const { world, grid } = sceneGrid(name, dimensions, 300);
        for (const broadPhase of ['grid', 'naive'] as const) {
          expectMeasured(await measureGrid(tools, world, grid, broadPhase), world, grid, broadPhase);
        }
      },
      SHARED_CASE,
    );
  }

  gpuTest(
    'equal the reference for numbers of particles near the size of a workgroup',
    async (_, tools) => {
      for (const count of [
        ...SMALL_COUNTS,
        MEASURE_WORKGROUP_SIZE - 1,
        MEASURE_WORKGROUP_SIZE,
        MEASURE_WORKGROUP_SIZE + 1,
      ]) {
        const { world, grid } = sceneGrid('uniform', dimensions, count);
        expectMeasured(await measureGrid(tools, world, grid), world, grid);
        expectMeasured(await measureGrid(tools, world, grid, 'naive'), world, grid, 'naive');
      }
    },
    SHARED,
  );

  const threads = MEASURE_WORKGROUPS * MEASURE_WORKGROUP_SIZE;
  for (const [count, fold] of [
    [threads, undefined],
    [threads + 1, undefined],
    [threads + 4000, undefined],
    [127, FOLD],
    [129, FOLD],
    [1000, FOLD],
  ] as const) {
    gpuTest(
      `equal the reference with ${count} particles on ${fold ?? MEASURE_WORKGROUPS} workgroups`,
      async (_, tools) => {
        const { world, grid } = sceneGrid('uniform', dimensions, count);
        const got = await measureGrid(tools, world, grid, 'grid', fold);
        expectMeasured(got, world, grid, 'grid', fold);
      },
      dimensions === 2 || count === threads + 1 || fold ? SHARED : { ...SHARED, tags: 'full' },
    );
  }

  gpuTest(
    'include quarantined particles only in `count`, `nonFinite` and the hash, and count particles outside the world',
    async (_, tools) => {
      const world = defineWorld(
        { dimensions, min: [-2, 1, 0].slice(0, dimensions), max: [7, 9, 5].slice(0, dimensions) },
        0.7,
      );
      const noise = createNoise(8);
      const positions = scatterIn(noise, world.min, world.max, 400, 0.1);
      const velocities = scatterIn(noise, world.min, world.max, 400);
      const odd = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (let id = 0; id < 60; id++) {
        positions[id * dimensions + (id % dimensions)] = odd[id % 3] as number;
        velocities[id * dimensions] = odd[id % 3] as number;
      }
      const grid = buildGrid(world, positions, velocities);
      for (const broadPhase of ['grid', 'naive'] as const) {
        const got = await measureGrid(tools, world, grid, broadPhase);
        expectMeasured(got, world, grid, broadPhase);
        expect(got).toMatchObject({ count: 400, nonFinite: 60 });
        expect(got.outside).toBeGreaterThan(20);
        expect(got.outside).toBeLessThan(340);
      }
      const corners = buildGrid(world, Float32Array.of(...world.min, ...world.max));
      expect(await measureGrid(tools, world, corners)).toMatchObject({ count: 2, outside: 0, nonFinite: 0 });
    },
    SHARED,
  );

  gpuTest(
    'count exactly the borderline pairs',
    async (_, tools) => {
      const corner = (value: number) => new Array<number>(dimensions).fill(value);
      const pairAt = (distance: number, position: number) => {
        const first = corner(position);
        const second = corner(position);
        second[0] = position + distance;
        return [...first, ...second];
      };
      const near = async (diameter: number, distances: readonly number[], offset: number) => {
        const world = defineWorld({ dimensions, min: corner(0), max: corner(40) }, diameter);
        const positions = distances.flatMap((distance, index) => pairAt(distance, 4 * index + 1 + offset));
        const grid = buildGrid(world, Float32Array.from(positions));
        const { borderline, contacts } = await measureGrid(tools, world, grid);
        const { ambiguous } = bruteForcePairs(dimensions, grid.positions, world.diameter);
        expect(borderline).toBeGreaterThanOrEqual(ambiguous.count);
        expect(borderline).toBe(measureState(world, world.diameter, grid).borderline);
        return { borderline, contacts };
      };
      // On the exact lattice no pair is borderline, not even one that just touches.
      expect(await near(1, [1 - 2 ** -11, 1, 1 + 2 ** -11], 0)).toEqual({ borderline: 0, contacts: 1 });
      // Off the lattice a pair is borderline if distance² is within 2⁻²⁰ of diameter².
      const off = 2 ** -14;
      const close = [1 - 2 ** -19, 1 - 2 ** -22, 1, 1 + 2 ** -22, 1 + 2 ** -19];
      expect((await near(1, close, off)).borderline).toBe(3);
      // A diameter of 0.7 is on no exact lattice, so a pair that just touches is borderline.
      expect((await near(0.7, [0.5, 0.7, 0.9], 0)).borderline).toBe(1);
    },
    SHARED,
  );

  gpuTest(
    'count borderline pairs across the ends of a periodic world like any others',
    async (_, tools) => {
      const corner = (value: number) => new Array<number>(dimensions).fill(value);
      // The positions are off the exact lattice, so that pairs one diameter apart are borderline.
      const off = 2 ** -14;
      for (const edge of [3, 4, 8]) {
        const world = defineWorld({ dimensions, min: corner(0), max: corner(edge), periodic: true }, 1);
        for (let axis = 0; axis < dimensions; axis++) {
          for (let end = 0; end < edge; end++) {
            const first = corner(0.5 + off).with(axis, end - 0.5 + off);
            const second = corner(0.5 + off).with(axis, end + 0.5 + off);
            const positions = wrapPositions(world, Float32Array.of(...first, ...second));
            const measures = await measureGrid(tools, world, buildGrid(world, positions));
            expect(measures).toMatchObject({ candidates: 1, borderline: 1 });
          }
        }
      }
    },
    SHARED,
  );

  gpuTest(
    'have a hash that depends on every bit of every particle, but not on their order',
    async (_, tools) => {
      const { world, grid } = sceneGrid('uniform', dimensions, 100);
      const { hash } = await measureGrid(tools, world, grid);
      const seen = new Set([hash]);
      for (const name of ['positions', 'velocities'] as const) {
        for (let axis = 0; axis < dimensions; axis++) {
          for (const bit of [0, 13, 22]) {
            const changed = grid[name].slice();
            const words = new Uint32Array(changed.buffer);
            words[57 * dimensions + axis] = (words[57 * dimensions + axis] as number) ^ (1 << bit);
            seen.add((await measureGrid(tools, world, { ...grid, [name]: changed })).hash);
          }
        }
      }
      const ids = grid.ids.slice();
      ids[3] = (ids[3] as number) + 1;
      seen.add((await measureGrid(tools, world, { ...grid, ids })).hash);
      // −0 differs from 0, and so does a subnormal, which a device may flush in arithmetic.
      for (const value of [0, -0, 1e-42]) {
        const velocities = grid.velocities.slice();
        velocities[5] = value;
        seen.add((await measureGrid(tools, world, { ...grid, velocities })).hash);
      }
      expect(seen.size).toBe(1 + 6 * dimensions + 1 + 3);
      const reversed = {
        ...grid,
        ids: grid.ids.toReversed(),
        positions: reverse(grid.positions),
        velocities: reverse(grid.velocities),
      };
      expect((await measureGrid(tools, world, reversed)).hash).toBe(hash);

      function reverse(vectors: Float32Array): Float32Array {
        const turned = vectors.toReversed();
        for (let first = 0; first < turned.length; first += dimensions) {
          turned.subarray(first, first + dimensions).reverse();
        }
        return turned;
      }
    },
    SHARED,
  );

  gpuTest(
    'stay finite at the greatest speeds, even if a single workgroup sums over all particles',
    async (_, tools) => {
      const count = 4096;
      const { world, grid } = sceneGrid('lattice', dimensions, count);
      const speed = GREATEST_SPEED * (1 - 2 ** -24);
      const fast = { ...grid, velocities: grid.velocities.map((_, index) => (index % 2 ? -speed : speed)) };
      const { kineticEnergy } = await measureGrid(tools, world, fast, 'grid', 1);
      expect(kineticEnergy / ((count * dimensions * speed ** 2) / 2)).toBeCloseTo(1, 3);
      // The sum over one workgroup's share of MAX_PARTICLES stays finite, too, with a factor of 2⁹ to spare.
      const share = MAX_PARTICLES / MEASURE_WORKGROUPS;
      expect(Math.fround(share * dimensions * speed ** 2 * 2 ** 9)).toBeLessThan(Number.POSITIVE_INFINITY);
    },
    SHARED,
  );

  gpuTest(
    'count candidates past 2³²',
    async (_, tools) => {
      const { world, grid } = sceneGrid('lattice', dimensions, 200);
      // The grid claims almost 2³² particles. Each of the 200 real ones counts all others as candidates.
      const start = grid.start.slice();
      start[world.cellCount] = 0xffff_fff0;
      const got = await measureGrid(tools, world, { ...grid, start }, 'naive');
      expect(got.candidates).toBe((200 * (0xffff_fff0 - 1)) / 2);
    },
    SHARED,
  );
});
