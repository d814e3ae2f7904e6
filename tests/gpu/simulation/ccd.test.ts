/**
 * Fast particles on the GPU: they end where the reference has them, pass through nobody, and leave the same bits again,
 * in folded dispatches and in any order of memory; without any the state is that of a plain simulation.
 */
import { describe, expect } from 'vitest';
import { FEWEST_LISTS } from '../../../src/core/base/constants';
import { deriveSubstep } from '../../../src/core/contact/settings';
import { planSimulation } from '../../../src/core/simulation/plan';
import type { SimulationOptions } from '../../../src/core/simulation/simulation';
import type { World } from '../../../src/core/world/world';
import { createSimulation } from '../../../src/engine/simulation/simulation';
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
import { type GpuTools, gpuTest, SHARED } from '../../helpers/node-gpu';
import { DIMENSIONS, FOLD, MOST_FOLDED } from '../../helpers/passes';
import { fewerInSpace, isAsked, THOROUGH } from '../../helpers/thorough';

/** Far more than 32 bits round off, far less than one hit instead of another makes. */
const OFF = 1e-3;

/** Seeds, and what each is for. */
const RESTITUTIONS = [
  [3, 0],
  [4, 0.5],
] as const;

/** The lists of the simulation that is made next: where one was left behind, or −1. */
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

/** A step ends everybody's path where the reference has it, and more than so many hit somebody. */
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

describe.each(DIMENSIONS)('fast particles in %dD', (dimensions) => {
  const longTest = isAsked(dimensions) ? gpuTest : () => undefined;
  // Kernels of many sizes take a software device long to compile: balls in every other world, boxes in the others.
  const variants = WORLD_KINDS.flatMap((kind, index) => {
    const others = (index + dimensions) % 2 === 0 ? (['radii'] as const) : (['boxes'] as const);
    return (['equal', ...others] as const).map((sizes) => [kind, sizes] as const);
  });
  for (const [kind, sizes] of fewerInSpace(dimensions, variants).slice(
    0,
    isAsked(dimensions) ? undefined : 1,
  )) {
    gpuTest(
      `end where the reference has them, ${kind}, ${sizes}`,
      async (device, tools) => {
        // Those of many sizes take a software device longer to compile.
        for (const [seed, restitution] of sizes === 'equal' ? RESTITUTIONS : RESTITUTIONS.slice(1, 2)) {
          const gravity = repeat(0, dimensions).with(1, -2048);
          const crowd = fastCrowd(dimensions, kind, 100, createNoise(seed), sizes);
          const options = { ...crowd, restitution, gravity };
          // Where a little more or less of everything leaves things as they are, rounding does.
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
            // A tick turns the normal by as much as 0.001, and speeds are up to 1,400.
            const speed = expected.velocities[index] as number;
            expect(Math.abs((got.velocities[index] as number) - speed), `seed ${seed}`).toBeLessThan(2);
          }
          simulation.destroy();
        }
      },
      SHARED,
    );
  }

  longTest(
    'do not pass a wall one diameter thick, folded or not, unless nobody follows them',
    async (_, tools) => {
      // Few buckets, which folded dispatches can take.
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
    SHARED,
  );

  // Without an end, where few buckets can be folded, and as below. That they do if nobody follows them the CPU engine shows.
  longTest(
    'do not pass a wall of obstacles of many sizes, and leave the same bits again',
    async (_, tools) => {
      const wallOf = dimensions === 2 ? 'balls' : 'box';
      const { wall, min, max, ...bullets } = bulletsBeforeSizedWall(dimensions, 50, wallOf);
      const options = { ...bullets, unbounded: true };
      const ends: Float32Array[] = [];
      // Folded, too, where there is time: as kernels of their own.
      for (const fold of [undefined, undefined, ...(THOROUGH ? [FOLD] : [])]) {
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
    SHARED,
  );

  longTest(
    'end at whichever image of a large obstacle comes first, where the reference has them',
    async (_, tools) => {
      const options = grainsAroundTheWorld(dimensions, 60, createNoise(4), dimensions === 2);
      await expectAsReference(tools, options, 40);
    },
    SHARED,
  );

  longTest(
    'end where they do among thousands of grains, beside a huge obstacle',
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
    SHARED,
  );

  longTest(
    'meet those that are a thousand times smaller, whose cells no 32 bits count',
    async (_, tools) => {
      const corner = (at: number) => repeat(0, dimensions).with(0, at);
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
    SHARED,
  );

  longTest(
    'of boxes and balls leave the same bits folded or not',
    async (_, tools) => {
      const scene = createScene('mixed-bullets', { dimensions, count: dimensions === 2 ? 200 : 100 });
      const options = { ...sceneOptions(scene), min: undefined, max: undefined, unbounded: true };
      const hashes = new Set<string>();
      for (const gpu of [tools.wrap(), tools.wrap(FOLD)]) {
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
    SHARED,
  );

  gpuTest(
    'leave the same bits again and restored elsewhere, over steps',
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
    SHARED,
  );

  longTest(
    'leave no list behind, whoever comes and goes',
    async (device, tools) => {
      for (const kind of fewerInSpace(dimensions, WORLD_KINDS)) {
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
      }
    },
    SHARED,
  );

  longTest(
    'take no time to speak of and pass nobody, however fast they are',
    async (_, tools) => {
      for (const kind of fewerInSpace(dimensions, WORLD_KINDS)) {
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
      }
    },
    SHARED,
  );

  gpuTest(
    'end where the reference has them where the work on crowds is split',
    async (_, tools) => {
      const { obstacles, ...options } = fastCrowd(dimensions, 'bounded', 100, createNoise(6));
      const heap = options.positions.map((along, index) => (index < 40 * dimensions ? along / 64 : along));
      const crowd = { ...options, positions: heap, crowds: true };
      await expectAsReference(tools, crowd, 10);
    },
    SHARED,
  );

  longTest(
    'cost a simulation without any not a bit',
    async (_, tools) => {
      // That nobody is fast in a box as elsewhere: kernels of a periodic world are compiled for nothing else.
      const options = fastCrowd(dimensions, THOROUGH ? 'periodic' : 'bounded', 150, createNoise(8));
      const velocities = options.velocities.map((along) => along / 800);
      const hashes = new Set<string>();
      for (const continuous of [false, true]) {
        const simulation = await createSimulation(tools.wrap(), { ...options, velocities, continuous });
        // Whoever is deep in another is pushed far.
        simulation.separate(64);
        for (let step = 0; step < 4; step++) simulation.step(DT);
        hashes.add((await simulation.measure()).hash);
        if (continuous) expect((await simulation.continuousCounts()).paths).toBe(0);
        expect((await simulation.measure()).contacts).toBeGreaterThan(3);
        simulation.destroy();
      }
      expect(hashes.size).toBe(1);
    },
    SHARED,
  );

  gpuTest(
    'take as many substeps as the fastest needs, and are counted',
    async (_, tools) => {
      const count = 3;
      const positions = new Float32Array(dimensions * count).map((__, index) => 2 + 3 * (index % 7));
      const velocities = new Float32Array(dimensions * count);
      // Of a diameter in a step: a sixteenth, a half, three quarters.
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
      const plain = await createSimulation(tools.wrap(), { dimensions, radius: 0.5, positions });
      await expect(plain.continuousCounts()).rejects.toThrow(
        /^This simulation was created without `continuous`/,
      );
      plain.destroy();
    },
    SHARED,
  );

  longTest(
    'are asked for the most of their own diameters that they move, gravity included',
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
      // (3 + 1) / 64 of 0.5: two sixteenths; (40 + 1) / 64 of 4: 2.6 of them.
      expect(await simulation.advance(DT)).toBe(3);
      simulation.destroy();
    },
    SHARED,
  );
});
