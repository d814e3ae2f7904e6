import { describe, expect } from 'vitest';
import { FEWEST_LISTS, LOOPING_WORKGROUPS, WORKGROUP_SIZE } from '../../../src/core/base/constants';
import { deriveSubstep } from '../../../src/core/contact/settings';
import { planSimulation } from '../../../src/core/simulation/plan';
import type { SimulationOptions } from '../../../src/core/simulation/simulation';
import type { World } from '../../../src/core/world/world';
import { createSimulation } from '../../../src/engine/simulation/simulation';
import { type Gpu, wrapDevice } from '../../../src/gpu/device';
import { buildGrid } from '../../../src/reference/grid/grid';
import { fly } from '../../../src/reference/solve/ccd';
import { integrate } from '../../../src/reference/solve/integrate';
import { fileObstacles } from '../../../src/reference/solve/obstacles';
import { ReferenceSimulation } from '../../../src/reference/solve/simulation';
import { createScene, sceneOptions } from '../../../src/scenes';
import { repeat } from '../../../src/scenes/scene';
import { createNoise } from '../../../src/testing/noise';
import {
  bulletAmongGrains,
  bulletsBeforeSizedWall,
  bulletsBeforeWall,
  countPassed,
  DT,
  fastCrowd,
  grainsAroundTheWorld,
} from '../../helpers/inputs/bullets';
import { WORLD_KINDS } from '../../helpers/inputs/obstacle-fields';
import { cornersIn } from '../../helpers/inputs/vectors';
import { type GpuTools, gpuTest, HARDWARE, SHARED } from '../../helpers/node-gpu';
import { DIMENSIONS, FOLD, LEVELS_FOLD, MOST_FOLDED, withDirectDispatches } from '../../helpers/passes';

/** Tolerance of positions: far above rounding in 32 bits, far below the change that a hit on another body makes. */
const OFF = 1e-3;

const RESTITUTIONS = [
  [3, 0],
  [4, 0.5],
] as const;

/**
 * Watches the buffer `ccd.links` of the next simulation that is created. `left` returns the index of a list head that
 * is not 0 after a step, or −1.
 */
function watchLinks(device: GPUDevice) {
  const create = device.createBuffer;
  let links: GPUBuffer | undefined;
  device.createBuffer = (descriptor) => {
    const buffer = create.call(device, descriptor);
    if (descriptor.label === 'ccd.links') {
      links = buffer;
      device.createBuffer = create;
    }
    return buffer;
  };
  return {
    async left(tools: GpuTools, { kind, cellCount }: World): Promise<number> {
      const lists = kind === 'unbounded' ? Math.max(cellCount, FEWEST_LISTS) : cellCount;
      const words = new Uint32Array(await tools.read(links as GPUBuffer, 0, 4 * (cellCount + lists)));
      return words.findIndex((word) => word !== 0);
    },
  };
}

async function expectAsReference(tools: GpuTools, options: SimulationOptions, hits: number): Promise<void> {
  const simulation = await createSimulation(tools.wrap(), options);
  const reference = new ReferenceSimulation(options);
  simulation.step(DT);
  reference.step(DT);
  expect(await simulation.continuousCounts()).toEqual(reference.continuousCounts());
  expect(reference.continuousCounts().hits).toBeGreaterThan(hits);
  const { positions } = await simulation.read();
  for (const [index, along] of reference.read().positions.entries()) {
    expect(Math.abs((positions[index] as number) - along)).toBeLessThan(OFF);
  }
  simulation.destroy();
}

const FULL = { ...SHARED, tags: 'full' } as const;
const SIZES = ['equal', 'radii', 'boxes'] as const;

/** Only this case of the table below runs in both tiers: a software GPU compiles for many seconds per case. */
const IN_BOTH_TIERS = 'bounded equal 2D';

describe.each(DIMENSIONS)('fast particles in %dD', (dimensions) => {
  const LONG = dimensions === 2 ? SHARED : FULL;

  for (const [kind, sizes] of WORLD_KINDS.flatMap((kind) => SIZES.map((sizes) => [kind, sizes] as const))) {
    gpuTest(
      `end where the reference says, world: ${kind}, sizes: ${sizes}`,
      async (device, tools) => {
        // Use only one seed for variable radii, whose kernels a software device compiles slowly.
        for (const [seed, restitution] of sizes === 'equal' ? RESTITUTIONS : RESTITUTIONS.slice(1, 2)) {
          const gravity = repeat(0, dimensions).with(1, -2048);
          const crowd = fastCrowd(dimensions, kind, 100, createNoise(seed), sizes);
          const options = { ...crowd, restitution, gravity };
          // If scaling the inputs slightly changes no hits, rounding changes none either.
          const { world, diameter, settings, radii, halves, bulks, obstacles } = planSimulation(options);
          const substep = deriveSubstep(world, diameter, settings, DT);
          const moved = integrate(world, substep, options);
          const ends = [1 - 2 ** -20, 1 + 2 ** -20].map((factor) => {
            const positions = moved.positions.map((along) => along * factor);
            const fixed = { ...obstacles, positions: obstacles.positions.map((along) => along * factor) };
            return fly(
              world,
              substep,
              buildGrid(world, positions, moved.velocities, undefined, { radii, halves, bulks }),
              fileObstacles(world, fixed),
            );
          }) as [ReturnType<typeof fly>, ReturnType<typeof fly>];
          expect(ends[0].hits).toBe(ends[1].hits);
          const links = watchLinks(device);
          const simulation = await createSimulation(tools.wrap(), options);
          const reference = new ReferenceSimulation(options);
          simulation.step(DT);
          reference.step(DT);
          expect(await simulation.continuousCounts()).toEqual(reference.continuousCounts());
          expect(reference.continuousCounts().hits).toBeGreaterThan(10);
          expect(await links.left(tools, simulation.world)).toBe(-1);
          const got = await simulation.read();
          const expected = reference.read();
          for (const [index, along] of expected.positions.entries()) {
            expect(Math.abs((got.positions[index] as number) - along), `seed ${seed}`).toBeLessThan(OFF);
            // If the time of a hit differs by one tick, the normal turns by about 0.001. Speeds are up to 1,200.
            const speed = expected.velocities[index] as number;
            expect(Math.abs((got.velocities[index] as number) - speed), `seed ${seed}`).toBeLessThan(2);
          }
          simulation.destroy();
        }
      },
      IN_BOTH_TIERS === `${kind} ${sizes} ${dimensions}D` ? SHARED : FULL,
    );
  }

  gpuTest(
    'do not pass a wall one diameter thick, in folded dispatches or not, unless continuous is off',
    async (_, tools) => {
      // With FOLD, a dispatch has at most FOLD × FOLD workgroups. The buckets of an unbounded world fit into it; the
      // cells of the bounded world would not.
      const { wall, min, max, ...bullets } = bulletsBeforeWall(dimensions, MOST_FOLDED / 2 + 50);
      const options = { ...bullets, unbounded: true };
      const hashes = new Set<string>();
      for (const [gpu, continuous] of [
        [tools.wrap(), true],
        [tools.wrap(FOLD), true],
        [tools.wrap(), false],
      ] as const) {
        const simulation = await createSimulation(gpu, { ...options, continuous, substeps: 1 });
        simulation.step(DT);
        const passed = countPassed(options, (await simulation.read()).positions, wall);
        expect(passed).toBe(continuous ? 0 : simulation.count);
        if (continuous) {
          const { swept, hits, held } = await simulation.continuousCounts();
          expect(swept).toBe(simulation.count);
          expect(hits).toBeGreaterThan(simulation.count / 2);
          expect(held).toBe(0);
          hashes.add((await simulation.measure()).hash);
        }
        simulation.destroy();
      }
      expect(hashes.size).toBe(1);
      expect(tools.liveBuffers()).toEqual([]);
    },
    { ...SHARED, tags: 'full' },
  );

  // Without `continuous` the bullets would pass, as tests of the CPU engine show.
  for (const isFolded of [false, true]) {
    gpuTest(
      `do not pass a wall of obstacles of many sizes, with the same bits in ${isFolded ? 'folded dispatches' : 'every run'}`,
      async (_, tools) => {
        const wallOf = dimensions === 2 ? 'balls' : 'box';
        const { wall, min, max, ...bullets } = bulletsBeforeSizedWall(dimensions, 50, wallOf);
        const options = { ...bullets, unbounded: true };
        const ends: Float32Array[] = [];
        for (const fold of [undefined, isFolded ? LEVELS_FOLD : undefined]) {
          const gpu = tools.wrap(fold);
          const simulation = await createSimulation(gpu, { ...options, continuous: true, substeps: 1 });
          simulation.step(DT);
          const { positions } = await simulation.read();
          expect(countPassed(options, positions, wall)).toBe(0);
          const { hits, held } = await simulation.continuousCounts();
          expect(hits).toBeGreaterThan(simulation.count / 2);
          expect(held).toBe(0);
          ends.push(positions);
          simulation.destroy();
        }
        for (const end of ends) expect(end).toEqual(ends[0]);
      },
      FULL,
    );
  }

  gpuTest(
    'end at the first periodic image of a large obstacle, where the reference says',
    async (_, tools) => {
      const options = grainsAroundTheWorld(dimensions, 60, createNoise(4), dimensions === 2);
      await expectAsReference(tools, options, 40);
    },
    { ...LONG, tags: 'full' },
  );

  gpuTest(
    'end at the only small obstacle in the way, past thousands beside the path, with a huge obstacle beyond',
    async (_, tools) => {
      const { end, ...options } = bulletAmongGrains(dimensions, 4000, dimensions === 3);
      const simulation = await createSimulation(tools.wrap(), options);
      simulation.step(DT);
      const { positions } = await simulation.read();
      expect(positions[0]).toBeLessThan(end + OFF);
      expect(positions[0]).toBeGreaterThan(end - 0.01);
      expect(await simulation.continuousCounts()).toEqual({
        substepped: 0,
        swept: 1,
        paths: 1,
        hits: 1,
        held: 0,
      });
      simulation.destroy();
    },
    { ...SHARED, tags: 'full' },
  );

  gpuTest(
    'hit particles a thousand times smaller, though in 3D they pass more small cells than 32 bits can count',
    async (_, tools) => {
      const corner = (x: number) => repeat(0, dimensions).with(0, x);
      for (const speed of [0, -1]) {
        const options = {
          dimensions,
          unbounded: true,
          radii: new Float32Array([0.79824, 2 ** -10]),
          radiusRange: { smallest: 2 ** -10, largest: 1 },
          positions: new Float32Array([...corner(0), ...corner(4)]),
          velocities: new Float32Array([...corner(6 * 64), ...corner(64 * speed)]),
          continuous: true,
          substeps: 1,
        };
        const simulation = await createSimulation(tools.wrap(), options);
        const reference = new ReferenceSimulation(options);
        simulation.step(DT);
        reference.step(DT);
        expect((await simulation.continuousCounts()).hits).toBe(1 - speed);
        const { positions } = await simulation.read();
        for (const [index, along] of reference.read().positions.entries()) {
          expect(Math.abs((positions[index] as number) - along)).toBeLessThan(OFF);
        }
        simulation.destroy();
      }
    },
    LONG,
  );

  gpuTest(
    'that are boxes and balls give the same bits, whether or not dispatches are folded',
    async (_, tools) => {
      const scene = createScene('mixed-bullets', { dimensions, count: dimensions === 2 ? 200 : 100 });
      const options = { ...sceneOptions(scene), min: undefined, max: undefined, unbounded: true };
      const hashes = new Set<string>();
      for (const gpu of [tools.wrap(), tools.wrap(LEVELS_FOLD)]) {
        const simulation = await createSimulation(gpu, options);
        simulation.step(DT);
        const { hits, held } = await simulation.continuousCounts();
        expect(hits).toBeGreaterThan(0.7 * simulation.count);
        expect(held).toBe(0);
        hashes.add((await simulation.measure()).hash);
        simulation.destroy();
      }
      expect(hashes.size).toBe(1);
    },
    FULL,
  );

  for (const sizes of ['equal', 'radii'] as const) {
    gpuTest(
      `give the same bits with indirect dispatches and direct ones, whether many are fast or none, sizes: ${sizes}`,
      async (_, tools) => {
        const options = fastCrowd(dimensions, 'bounded', 3 * WORKGROUP_SIZE, createNoise(9), sizes);
        for (const share of [1, 0]) {
          const velocities = options.velocities.map((along) => share * along);
          const results = new Set<string>();
          for (const most of [undefined, 1, 100]) {
            const simulation = await createSimulation(tools.wrap(), { ...options, velocities });
            simulation.separate(8);
            if (most === undefined) simulation.step(DT);
            else withDirectDispatches(most, () => simulation.step(DT));
            const counts = await simulation.continuousCounts();
            if (share === 1) expect(counts.paths).toBeGreaterThan(WORKGROUP_SIZE);
            else expect(counts.paths).toBe(0);
            results.add(JSON.stringify([counts, (await simulation.measure()).hash]));
            simulation.destroy();
          }
          expect(results.size).toBe(1);
        }
      },
      sizes === 'equal' ? LONG : FULL,
    );
  }

  gpuTest(
    'give the same bits in every run and after a restore, over several steps',
    async (_, tools) => {
      const options = fastCrowd(dimensions, 'bounded', 150, createNoise(8));
      const hashOf = async (isRestored: boolean) => {
        let simulation = await createSimulation(tools.wrap(), { ...options, substeps: 2 });
        simulation.step(DT);
        if (isRestored) {
          const checkpoint = await simulation.checkpoint();
          simulation.destroy();
          simulation = await createSimulation(tools.wrap(), {
            ...options,
            positions: undefined,
            velocities: undefined,
            capacity: 150,
          });
          simulation.restore(checkpoint);
        }
        simulation.step(DT);
        simulation.step(DT);
        const { hash } = await simulation.measure();
        const { swept } = await simulation.continuousCounts();
        simulation.destroy();
        expect(swept).toBeGreaterThan(5);
        return hash;
      };
      const first = await hashOf(false);
      expect(await hashOf(false)).toBe(first);
      expect(await hashOf(true)).toBe(first);
    },
    { ...SHARED, tags: 'full' },
  );

  for (const kind of WORLD_KINDS) {
    gpuTest(
      `leave all lists in ccd.links empty, also if particles were added or removed, in a world that is ${kind}`,
      async (device, tools) => {
        const links = watchLinks(device);
        const options = fastCrowd(dimensions, kind, 200, createNoise(8));
        const simulation = await createSimulation(tools.wrap(), { ...options, capacity: 300 });
        for (const change of [
          () => undefined,
          () => simulation.remove(Array.from({ length: 100 }, (__, index) => 2 * index)),
          () => simulation.add({ positions: options.positions.subarray(0, 150 * dimensions) }),
        ]) {
          change();
          for (let step = 0; step < 3; step++) simulation.step(DT);
          expect(await links.left(tools, simulation.world), `${kind}, ${simulation.count}`).toBe(-1);
        }
        expect((await simulation.continuousCounts()).paths).toBeGreaterThan(10);
        simulation.destroy();
      },
      dimensions === 2 && kind === 'bounded' ? SHARED : FULL,
    );
  }

  for (const kind of WORLD_KINDS) {
    gpuTest(
      `pass through nothing and finish quickly at any speed, in a world that is ${kind}`,
      async (_, tools) => {
        const corner = cornersIn(dimensions);
        const box = { min: corner(0), max: corner(64), periodic: kind === 'periodic' };
        for (const exponent of [20, 36, 47]) {
          const simulation = await createSimulation(tools.wrap(), {
            dimensions,
            radius: 0.5,
            ...(kind === 'unbounded' ? { unbounded: true } : box),
            positions: new Float32Array(corner(2)),
            velocities: new Float32Array(
              corner(0).map((__, axis) => (axis === 0 ? 1 : 0.01) * 2 ** exponent),
            ),
            obstacles: new Float32Array([...corner(2).fill(30, 0, 1)]),
            continuous: true,
            substeps: 1,
          });
          simulation.step(DT);
          const { positions } = await simulation.read();
          expect(positions[0], `2^${exponent}, ${kind}`).toBeLessThan(kind === 'bounded' ? 30 : 2 ** 12 + 2);
          const { hits, held } = await simulation.continuousCounts();
          expect(hits + held).toBe(1);
          simulation.destroy();
        }
      },
      dimensions === 2 && kind === 'bounded' ? SHARED : FULL,
    );
  }

  gpuTest(
    'end where the reference says if crowds are split among threads',
    async (_, tools) => {
      const { obstacles, ...options } = fastCrowd(dimensions, 'bounded', 100, createNoise(6));
      const heap = options.positions.map((along, index) => (index < 40 * dimensions ? along / 64 : along));
      const crowd = { ...options, positions: heap, crowds: true };
      await expectAsReference(tools, crowd, 10);
    },
    LONG,
  );

  for (const kind of WORLD_KINDS) {
    gpuTest(
      `are absent from a slow simulation, so continuous motion changes no bit of it, in a world that is ${kind}`,
      async (_, tools) => {
        const options = fastCrowd(dimensions, kind, 150, createNoise(8));
        const velocities = options.velocities.map((along) => along / 800);
        const hashes = new Set<string>();
        for (const continuous of [false, true]) {
          const simulation = await createSimulation(tools.wrap(), { ...options, velocities, continuous });
          // Push deep overlaps apart first: in a step they would make particles fast.
          simulation.separate(64);
          for (let step = 0; step < 4; step++) simulation.step(DT);
          hashes.add((await simulation.measure()).hash);
          if (continuous) expect((await simulation.continuousCounts()).paths).toBe(0);
          expect((await simulation.measure()).contacts).toBeGreaterThan(3);
          simulation.destroy();
        }
        expect(hashes.size).toBe(1);
      },
      dimensions === 2 && kind === 'bounded' ? SHARED : FULL,
    );
  }

  gpuTest(
    'take as many substeps as the fastest of them needs, and are counted',
    async (_, tools) => {
      const count = 3;
      const positions = new Float32Array(dimensions * count).map((__, index) => 2 + 3 * (index % 7));
      const velocities = new Float32Array(dimensions * count);
      // Per step they move a sixteenth, a half and almost three quarters of a diameter.
      [4, 32, 47].forEach((speed, index) => {
        velocities[dimensions * index] = speed;
      });
      const corner = cornersIn(dimensions);
      const simulation = await createSimulation(tools.wrap(), {
        dimensions,
        radius: 0.5,
        min: corner(0),
        max: corner(64),
        positions,
        velocities,
        continuous: true,
      });
      expect(await simulation.advance(DT)).toBe(12);
      expect(await simulation.continuousCounts()).toEqual({
        substepped: 2,
        swept: 0,
        paths: 0,
        hits: 0,
        held: 0,
      });
      expect(await simulation.advance(DT, 8)).toBe(8);
      expect(await simulation.continuousCounts()).toEqual({
        substepped: 1,
        swept: 1,
        paths: 8,
        hits: 0,
        held: 0,
      });
      simulation.remove([0, 1, 2]);
      simulation.step(DT);
      expect(await simulation.continuousCounts()).toEqual({
        substepped: 0,
        swept: 0,
        paths: 0,
        hits: 0,
        held: 0,
      });
      await expect(simulation.advance(DT, 1000)).rejects.toThrow(/^most is 1000, but/);
      simulation.destroy();
      const plain = await createSimulation(tools.wrap(), { dimensions, radius: 0.5, capacity: 1 });
      await expect(plain.continuousCounts()).rejects.toThrow(
        /^continuousCounts needs a simulation that was created with `continuous: true`\.$/,
      );
      plain.destroy();
    },
    SHARED,
  );

  gpuTest(
    'take as many substeps as their motion in diameters needs, including the motion that gravity adds',
    async (_, tools) => {
      const corner = cornersIn(dimensions);
      const simulation = await createSimulation(tools.wrap(), {
        dimensions,
        radii: new Float32Array([0.25, 2]),
        unbounded: true,
        positions: new Float32Array([...corner(2), ...corner(20)]),
        velocities: new Float32Array([...corner(0).with(0, 3), ...corner(0).with(0, 40)]),
        gravity: corner(0).with(1, -64),
        continuous: true,
        substeps: 2,
      });
      // Gravity adds at most 1 to each speed. (3 + 1) / 64 is 2 sixteenths of the diameter 0.5, and (40 + 1) / 64 is
      // 2.6 sixteenths of the diameter 4.
      expect(await simulation.advance(DT)).toBe(3);
      simulation.destroy();
    },
    LONG,
  );
});

gpuTest(
  'fast particles give the same bits if each workgroup follows several paths in turn, as on hardware',
  async (device, tools) => {
    const scene = createScene('mixed-bullets', { dimensions: 2, count: 1200 });
    const resultOf = async (gpu: Gpu) => {
      const simulation = await createSimulation(gpu, sceneOptions(scene));
      simulation.step(DT);
      const counts = await simulation.continuousCounts();
      const { hash } = await simulation.measure();
      simulation.destroy();
      return { counts, hash };
    };
    const direct = await resultOf(wrapDevice(device, HARDWARE));
    expect(direct.counts.paths).toBeGreaterThan(LOOPING_WORKGROUPS);
    expect(await resultOf(tools.wrap())).toEqual(direct);
  },
  FULL,
);
