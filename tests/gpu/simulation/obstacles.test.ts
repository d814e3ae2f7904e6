import { describe, expect } from 'vitest';
import { HASH_BLOCK } from '../../../src/core/base/constants';
import { LimitError } from '../../../src/core/base/errors';
import { type BroadPhase, deriveSubstep } from '../../../src/core/contact/settings';
import type { ObstacleBodies, ObstaclesGiven } from '../../../src/core/obstacles/obstacles';
import { planSimulation } from '../../../src/core/simulation/plan';
import type { SimulationOptions } from '../../../src/core/simulation/simulation';
import { bucketOfLattice, wrapPositions } from '../../../src/core/world/cells';
import type { Dimensions, WorldKind } from '../../../src/core/world/world';
import { createSimulation } from '../../../src/engine/simulation/simulation';
import type { Gpu } from '../../../src/gpu/device';
import { buildGrid } from '../../../src/reference/grid/grid';
import { resolveBound } from '../../../src/reference/solve/bound';
import { minimumImageInDoubles } from '../../../src/reference/solve/contact';
import { integrate } from '../../../src/reference/solve/integrate';
import { fileObstacles } from '../../../src/reference/solve/obstacles';
import { countOverlaps, type Field, fieldOf, WORLD_KINDS } from '../../helpers/inputs/obstacle-fields';
import {
  countSizedOverlaps,
  type SizedField,
  sizedFieldOf,
} from '../../helpers/inputs/sized-obstacle-fields';
import { WORLD_CASES, type WorldCase } from '../../helpers/inputs/variable-crowds';
import { countHeavy } from '../../helpers/inputs/variable-simulations';
import { type GpuTools, gpuTest, SHARED } from '../../helpers/node-gpu';
import { DIMENSIONS, FOLD, LEVELS_FOLD, MOST_FOLDED } from '../../helpers/passes';

const DT = 1 / 64;

const FULL = { ...SHARED, tags: 'full' } as const;

/** Rounds positions to multiples of 1/1024 and velocities to multiples of 1/16, so a step of 1/64 rounds nothing. */
function dyadic(field: Field): Field {
  const snap = (values: Float32Array, units: number) =>
    values.map((value) => Math.round(value * units) / units);
  const min = field.min?.map((value) => Math.round(value));
  const max = field.max?.map((value) => Math.round(value));
  return {
    ...field,
    ...(min && max ? { min, max } : {}),
    positions: snap(field.positions, 1024),
    velocities: snap(field.velocities, 16),
    obstacles: snap(field.obstacles, 1024),
  };
}

async function expectBounded(
  gpu: Gpu,
  field: Field | SizedField,
  broadPhase: BroadPhase,
  restitution = 0.5,
): Promise<void> {
  const { world, diameter, dimensions, obstacles: given, ...sizes } = planSimulation(field);
  for (const mode of ['pushApart', 'resolve'] as const) {
    const options = { ...field, broadPhase, restitution, substeps: 1 };
    const simulation = await createSimulation(gpu, options);
    if (mode === 'pushApart') simulation.separate(1);
    else simulation.step(DT);
    const got = await simulation.read();
    const substep = deriveSubstep(world, diameter, simulation.settings, mode === 'pushApart' ? 0 : DT);
    simulation.destroy();
    const start = { positions: wrapPositions(world, field.positions), velocities: field.velocities };
    const moved = mode === 'pushApart' ? start : integrate(world, substep, start);
    const grid = buildGrid(world, moved.positions, moved.velocities, undefined, sizes);
    const obstacles = fileObstacles(world, given);
    const bound = resolveBound(world, substep, grid, mode, obstacles);
    const without = resolveBound(world, substep, grid, mode);
    let turned = 0;
    for (let slot = 0; slot < grid.ids.length; slot++) {
      for (let axis = 0; axis < dimensions; axis++) {
        const at = slot * dimensions + axis;
        const from = (grid.ids[slot] as number) * dimensions + axis;
        const off = minimumImageInDoubles(
          (got.positions[from] as number) - (bound.exactPositions[at] as number),
          world.period[axis] as number,
        );
        expect(Math.abs(off)).toBeLessThanOrEqual((bound.positions[slot] as number) / 2);
        const exact = bound.exactPositions[at] as number;
        if (Math.abs(exact - (without.exactPositions[at] as number)) > 2 ** -10) turned++;
        if (mode === 'pushApart') continue;
        const turn = (got.velocities[from] as number) - (bound.exactVelocities[at] as number);
        expect(Math.abs(turn)).toBeLessThanOrEqual((bound.velocities[slot] as number) / 2);
      }
    }
    // Without real changes, the bound would test little.
    if (field.positions.length > 20 * dimensions) expect(turned).toBeGreaterThan(20);
  }
}

function halved(obstacles: ObstaclesGiven | undefined): ObstaclesGiven | undefined {
  const half = (positions: Float32Array) => positions.map((value) => value / 2);
  if (!obstacles || obstacles instanceof Float32Array) return obstacles && half(obstacles);
  return { ...obstacles, positions: half(obstacles.positions) };
}

async function run(tools: GpuTools, options: SimulationOptions, fold?: number, restored = false) {
  const gpu = tools.wrap(fold);
  const settings = { restitution: 0.5, substeps: 2 };
  let simulation = await createSimulation(gpu, { ...options, ...settings });
  for (let step = 0; step < 4; step++) {
    simulation.step(DT);
    if (!restored || step !== 1) continue;
    const checkpoint = await simulation.checkpoint();
    simulation.destroy();
    simulation = await createSimulation(gpu, { ...options, obstacles: halved(options.obstacles) });
    simulation.restore(checkpoint);
  }
  const { hash } = await simulation.measure();
  simulation.destroy();
  return hash;
}

function reversed(dimensions: number, { positions, radii, halfExtents }: ObstacleBodies): ObstacleBodies {
  const turn = (numbers: Float32Array, stride: number) =>
    numbers.map((_, index) => {
      const body = numbers.length / stride - 1 - Math.floor(index / stride);
      return numbers[stride * body + (index % stride)] as number;
    });
  return {
    positions: turn(positions, dimensions),
    ...(radii ? { radii: turn(radii, 1) } : {}),
    ...(halfExtents ? { halfExtents: turn(halfExtents, dimensions) } : {}),
  };
}

/**
 * In the first two nested describes, `npm test` tests only these worlds, because a software GPU takes many seconds to
 * compile the kernels of each.
 */
const USUAL_WORLDS: Readonly<Record<Dimensions, readonly WorldKind[]>> = { 2: ['bounded'], 3: ['periodic'] };
const USUAL_VARIABLE_WORLDS: Readonly<Record<Dimensions, readonly WorldCase[]>> = {
  2: ['unbounded'],
  3: ['periodic'],
};

describe.each(DIMENSIONS)('obstacles in %dD', (dimensions) => {
  describe.each(WORLD_KINDS)('in a world that is %s', (kind) => {
    const usual = USUAL_WORLDS[dimensions].includes(kind) ? SHARED : FULL;

    gpuTest(
      'change the positions and velocities of particles within the bound, with both broad phases',
      async (_, tools) => {
        for (const [count, obstacles] of [
          [1, 1],
          [257, 255],
        ] as const) {
          const field = dyadic(fieldOf({ kind, dimensions, count, obstacles, seed: count }));
          for (const broadPhase of ['grid', 'naive'] as const) {
            await expectBounded(tools.wrap(), field, broadPhase);
          }
          await expectBounded(tools.wrap(), field, 'grid', 0);
        }
      },
      usual,
    );

    gpuTest(
      'push a particle by the same share of its overlap if it arrives, slides past, or approaches by rounding alone',
      async (__, tools) => {
        const approaches = [0, 1e-6, -1e-6, 8];
        const corner = (coordinate: number) => new Array<number>(dimensions).fill(coordinate);
        const box = { min: corner(0), max: corner(20), periodic: kind === 'periodic' };
        // Each particle slides past an obstacle of its own. After its free motion it is at the obstacle's height.
        const bodies = (x: number, y: number) =>
          approaches.flatMap((_, index) =>
            corner(8)
              .with(0, x)
              .with(1, 4 * (index + 1) + y),
          );
        const simulation = await createSimulation(tools.wrap(), {
          dimensions,
          radius: 0.5,
          ...(kind === 'unbounded' ? { unbounded: true } : box),
          positions: Float32Array.from(bodies(4.75, -DT)),
          velocities: Float32Array.from(approaches.flatMap((along) => corner(0).with(0, -along).with(1, 1))),
          obstacles: Float32Array.from(bodies(4, 0)),
          friction: 0,
          substeps: 1,
        });
        simulation.step(DT);
        const { positions } = await simulation.read();
        simulation.destroy();
        const [still, inward, outward, stopped] = approaches.map((_, index) => positions[dimensions * index]);
        expect(still).toBeCloseTo(5 - 0.25 / 32, 5);
        expect(inward).toBeCloseTo(still as number, 5);
        expect(outward).toBeCloseTo(still as number, 5);
        expect(stopped).toBeCloseTo(5 - (0.25 + 8 * DT) / 32, 5);
      },
      usual,
    );

    gpuTest(
      'overlap as many particles as brute force finds, and change no other measure',
      async (_, tools) => {
        for (const [count, obstacles] of [
          [257, 255],
          [20, 1000],
          [300, 1],
        ] as const) {
          // The larger of these counts decides the size of an unbounded world's table.
          const capacity = Math.max(count, obstacles);
          const field = { ...fieldOf({ kind, dimensions, count, obstacles, seed: 3 }), capacity };
          const { overlaps, doubtful } = countOverlaps(field);
          expect(doubtful).toBe(0);
          // Both broad phases find obstacles in the same way, so one is enough for the other counts.
          const broadPhases = count === 257 ? (['grid', 'naive'] as const) : (['grid'] as const);
          for (const broadPhase of broadPhases) {
            const simulation = await createSimulation(tools.wrap(), { ...field, broadPhase });
            const bare = await createSimulation(tools.wrap(), { ...field, broadPhase, obstacles: undefined });
            const measures = await simulation.measure();
            expect(measures.obstacleContacts).toBe(overlaps);
            expect({ ...(await bare.measure()), obstacleContacts: overlaps }).toEqual(measures);
            expect(simulation).toMatchObject({
              count,
              obstacleCount: obstacles,
              obstacleCapacity: obstacles,
            });
            expect((await simulation.findPairs()).pairs).toEqual((await bare.findPairs()).pairs);
            simulation.destroy();
            bare.destroy();
          }
        }
      },
      usual,
    );

    gpuTest(
      'give the same bits in every run and after a restore, and with naive unless the world is unbounded',
      async (_, tools) => {
        const field = fieldOf({ kind, dimensions, count: 300, obstacles: 200, seed: 8 });
        const hash = await run(tools, field);
        expect(await run(tools, field)).toBe(hash);
        expect(await run(tools, field, undefined, true)).toBe(hash);
        expect(await run(tools, { ...field, obstacles: halved(field.obstacles) })).not.toBe(hash);
        if (kind !== 'unbounded') expect(await run(tools, { ...field, broadPhase: 'naive' })).toBe(hash);
      },
      usual,
    );
  });

  describe.each(WORLD_CASES)('with variable radii in a world that is %s', (kind) => {
    const count = 130;
    const isUsual = USUAL_VARIABLE_WORLDS[dimensions].includes(kind);

    // Test balls alone in only one kind of world, because boxes among balls are tested in all kinds.
    const fields = kind === 'periodic along some axes' ? (['boxes', 'balls'] as const) : (['boxes'] as const);
    for (const [sizes, broadPhase] of fields.flatMap((sizes) => [
      [sizes, 'grid'] as const,
      [sizes, 'naive'] as const,
    ])) {
      gpuTest(
        `move particles within the bound, and overlap as many as brute force finds: ${sizes}, ${broadPhase}`,
        async (_, tools) => {
          const boxes = sizes === 'boxes';
          const field = sizedFieldOf({ kind, dimensions, count, obstacles: 131, dyadic: true, boxes });
          await expectBounded(tools.wrap(), field, broadPhase);
          const simulation = await createSimulation(tools.wrap(), { ...field, broadPhase });
          const { overlaps, doubtful } = countSizedOverlaps(field);
          const touching = countSizedOverlaps({ ...field, obstacles: undefined });
          expect(touching.overlaps).toBe(0);
          expect(overlaps).toBeGreaterThan(40);
          const measures = await simulation.measure();
          expect(Math.abs(measures.obstacleContacts - overlaps)).toBeLessThanOrEqual(doubtful);
          simulation.setObstacles(new Float32Array(0));
          const { obstacleContacts } = measures;
          expect({ ...(await simulation.measure()), obstacleContacts }).toEqual(measures);
          simulation.destroy();
        },
        isUsual && (broadPhase === 'grid' || (dimensions === 2 && kind === 'bounded')) ? SHARED : FULL,
      );
    }

    gpuTest(
      'give the same bits if listed in reverse order, in folded dispatches, and after a restore',
      async (_, tools) => {
        const field = sizedFieldOf({ kind, dimensions, count, obstacles: 131, seed: 8 });
        const hash = await run(tools, field);
        const fold = kind === 'unbounded' ? LEVELS_FOLD : FOLD;
        expect(await run(tools, { ...field, obstacles: reversed(dimensions, field.obstacles) }, fold)).toBe(
          hash,
        );
        expect(await run(tools, field, undefined, true)).toBe(hash);
        expect(await run(tools, { ...field, obstacles: halved(field.obstacles) })).not.toBe(hash);
      },
      dimensions === 2 && isUsual ? SHARED : FULL,
    );
  });

  describe.each(WORLD_KINDS)('in crowds in a world that is %s', (kind) => {
    // In a bounded world, a particle needs three times as many candidates to be heavy.
    const crowd = kind === 'bounded' ? 1250 : 400;
    const field = fieldOf({ kind, dimensions, count: crowd + 50, obstacles: 80, seed: 9 });

    gpuTest(
      'push single particles and crowds, whether one thread or many handle a particle',
      async (_, tools) => {
        const positions = field.positions.map((value, index) => {
          const beside = Math.floor(field.obstacles[index % dimensions] as number);
          return index < crowd * dimensions ? beside + 0.25 + (index % 32) / 64 : value;
        });
        const crowded = { ...dyadic({ ...field, positions }), crowds: true };
        if (kind !== 'bounded') await expectBounded(tools.wrap(), crowded, 'grid');
        const read = async (crowds: boolean) => {
          const simulation = await createSimulation(tools.wrap(), { ...crowded, crowds });
          expect((await simulation.measure()).obstacleContacts).toBe(countOverlaps(crowded).overlaps);
          simulation.separate(1);
          if (crowds) expect(await countHeavy(tools, simulation)).toBeGreaterThan(100);
          const got = await simulation.read();
          simulation.destroy();
          return got.positions;
        };
        const [many, one] = [await read(true), await read(false)];
        // Sums over hundreds of terms depend on their order.
        many.forEach((value, index) => {
          expect(Math.abs(value - (one[index] as number))).toBeLessThan(2 ** -8);
        });
      },
      dimensions === 2 && kind === 'bounded' ? SHARED : FULL,
    );
  });

  gpuTest(
    'give the same bits in folded dispatches',
    async (_, tools) => {
      const field = fieldOf({
        kind: 'bounded',
        dimensions,
        count: MOST_FOLDED,
        obstacles: MOST_FOLDED,
        seed: 5,
      });
      expect(await run(tools, field, FOLD)).toBe(await run(tools, field));
    },
    { ...SHARED, tags: 'full' },
  );

  gpuTest(
    'can be replaced and removed, and the simulation frees their memory when it is destroyed',
    async (_, tools) => {
      const gpu = tools.wrap();
      const field = fieldOf({ kind: 'periodic', dimensions, count: 100, obstacles: 90, seed: 6 });
      const live = tools.liveBuffers().length;
      const simulation = await createSimulation(gpu, field);
      const other = fieldOf({ kind: 'periodic', dimensions, count: 100, obstacles: 50, seed: 7 });
      simulation.setObstacles(other.obstacles);
      expect(simulation).toMatchObject({ obstacleCount: 50, obstacleCapacity: 90 });
      const { overlaps } = countOverlaps({ ...field, obstacles: other.obstacles });
      expect((await simulation.measure()).obstacleContacts).toBe(overlaps);
      expect((await simulation.checkpoint()).obstacles).toEqual(other.obstacles);
      simulation.setObstacles(new Float32Array(0));
      expect((await simulation.measure()).obstacleContacts).toBe(0);
      expect('obstacles' in (await simulation.checkpoint())).toBe(false);
      expect(() => simulation.setObstacles(new Float32Array(91 * dimensions))).toThrow(
        /^obstacles is 91 obstacles, but it must be at most 90 obstacles/,
      );
      const bare = await createSimulation(gpu, { ...field, obstacles: undefined });
      const roomy = await createSimulation(gpu, { ...field, obstacles: undefined, obstacleCapacity: 90 });
      expect((await roomy.measure()).obstacleContacts).toBe(0);
      roomy.setObstacles(other.obstacles);
      expect((await roomy.measure()).obstacleContacts).toBe(overlaps);
      roomy.destroy();
      expect(simulation.memoryBytes - bare.memoryBytes).toBeGreaterThan(90 * 4 * dimensions * 3);
      simulation.destroy();
      bare.destroy();
      expect(tools.liveBuffers()).toHaveLength(live);
      expect(() => simulation.setObstacles(other.obstacles)).toThrow(/destroyed/);
    },
    SHARED,
  );
});

gpuTest(
  'obstacles overlap particles in every column of the first and the last block of an unbounded world’s table',
  async (_, tools) => {
    const bare = { dimensions: 2, radius: 0.5, unbounded: true, capacity: HASH_BLOCK } as const;
    const { world } = planSimulation({ ...bare, positions: new Float32Array(2) });
    for (const bucket of [0, world.cellCount - HASH_BLOCK]) {
      let row = 0;
      while (bucketOfLattice(world, [0, row]) !== bucket) row++;
      // Each obstacle overlaps the particle in its column and the one in the next column, if there is one.
      const inColumns = (offset: number) =>
        Float32Array.from({ length: 2 * HASH_BLOCK }, (__, index) =>
          index % 2 ? row + 0.5 : index / 2 + offset,
        );
      const field = { ...bare, positions: inColumns(0.25), obstacles: inColumns(0.5) };
      const simulation = await createSimulation(tools.wrap(), field);
      expect((await simulation.measure()).obstacleContacts).toBe(2 * HASH_BLOCK - 1);
      simulation.destroy();
    }
  },
  { ...SHARED, tags: 'full' },
);

gpuTest('createSimulation rejects more obstacles than the device can hold', async (_, tools) => {
  const options = {
    dimensions: 2,
    radius: 0.5,
    min: [0, 0],
    max: [8, 8],
    positions: new Float32Array(2),
  } as const;
  // First try as many obstacles as a buffer of positions holds: too many for the buffer of cell starts. Then one more.
  const most = tools.wrap().device.limits.maxStorageBufferBindingSize / 8;
  for (const [count, message] of [
    [most, /^\d+ obstacles with \d+ cells need a buffer of \d+ bytes/],
    [most + 1, /^\d+ particles in \d+ cells need a buffer of \d+ bytes/],
  ] as const) {
    const creation = createSimulation(tools.wrap(), { ...options, obstacles: new Float32Array(2 * count) });
    await expect(creation).rejects.toThrow(LimitError);
    await expect(creation).rejects.toThrow(message);
    expect(tools.liveBuffers()).toEqual([]);
  }
});
