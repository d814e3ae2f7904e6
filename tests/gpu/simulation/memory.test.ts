import { describe, expect, onTestFinished } from 'vitest';
import { GpuError, LimitError } from '../../../src/core/base/errors';
import { HashGrid } from '../../../src/engine/grid/hash-grid';
import { BYTES_PER_CELL, bytesPerParticle, estimateMemory } from '../../../src/engine/simulation/memory';
import { createSimulation } from '../../../src/engine/simulation/simulation';
import { createScene, sceneNames, sceneOptions } from '../../../src/scenes';
import { repeat } from '../../../src/scenes/scene';
import { cornersIn } from '../../helpers/inputs/vectors';
import { gpuTest, SHARED } from '../../helpers/node-gpu';
import { DIMENSIONS } from '../../helpers/passes';

/** A device without a driver, on which a simulation allocates the same buffers many times faster. */
const COUNTED = { driverless: true } as const;

function watchBytes(device: GPUDevice) {
  const create = device.createBuffer;
  const watched = {
    bytes: 0,
    stop() {
      device.createBuffer = create;
    },
  };
  device.createBuffer = (descriptor) => {
    watched.bytes += descriptor.size;
    return create.call(device, descriptor);
  };
  return watched;
}

describe.each(DIMENSIONS)('the memory of a simulation in %dD', (dimensions) => {
  gpuTest(
    'equals the reported bytes, and differs from the estimate by less than a twentieth',
    async (device, tools) => {
      for (const name of ['uniform', 'clustered', 'gas', 'periodic', 'far-apart']) {
        const count = 100_000;
        const scene = createScene(name, { dimensions, count });
        const watched = watchBytes(device);
        const simulation = await createSimulation(tools.wrap(), sceneOptions(scene));
        watched.stop();
        expect(simulation.memoryBytes).toBe(watched.bytes);
        const estimate = estimateMemory(dimensions, count, simulation.world.cellCount, scene.world);
        expect(Math.abs(estimate / watched.bytes - 1)).toBeLessThan(0.05);
        simulation.destroy();
        expect(tools.liveBuffers()).toEqual([]);
      }
    },
    COUNTED,
  );

  gpuTest(
    'is estimated with obstacles and crowds in every world',
    async (device, tools) => {
      const count = 20_000;
      const lattice = Math.ceil((4 * count) ** (1 / dimensions));
      const corner = cornersIn(dimensions);
      for (const [kind, extra] of [
        ['bounded', { crowds: true }],
        ['periodic', { obstacles: 5 * count }],
        ['unbounded', { obstacles: 5 * count }],
      ] as const) {
        const box = { min: corner(0), max: corner(lattice), periodic: kind === 'periodic' };
        const world = kind === 'unbounded' ? { unbounded: true } : box;
        const { obstacles = 0, crowds } = extra as { obstacles?: number; crowds?: boolean };
        // Spread the obstacles: in one cell, sorting them would take minutes.
        const fixed = Float32Array.from(
          { length: dimensions * obstacles },
          (_, index) => (7919 * index) % lattice,
        );
        const options = { ...world, dimensions, radius: 0.5, capacity: count, crowds, obstacles: fixed };
        const watched = watchBytes(device);
        const simulation = await createSimulation(tools.wrap(), options);
        watched.stop();
        expect(simulation.memoryBytes).toBe(watched.bytes);
        const { cellCount } = simulation.world;
        const estimate = estimateMemory(dimensions, count, cellCount, kind, extra);
        expect(Math.abs(estimate / watched.bytes - 1)).toBeLessThan(0.001);
        simulation.destroy();
      }
      expect(tools.liveBuffers()).toEqual([]);
    },
    COUNTED,
  );

  gpuTest(
    'is estimated with continuous motion, which is rejected if its lists are too long to bind',
    async (device, tools) => {
      const corner = cornersIn(dimensions);
      for (const kind of ['bounded', 'unbounded'] as const) {
        const world = kind === 'unbounded' ? { unbounded: true } : { min: corner(0), max: corner(40) };
        const watched = watchBytes(device);
        const options = { ...world, dimensions, radius: 0.5, capacity: 20_000, continuous: true };
        const simulation = await createSimulation(tools.wrap(), options);
        watched.stop();
        expect(simulation.memoryBytes).toBe(watched.bytes);
        const { cellCount } = simulation.world;
        const estimate = estimateMemory(dimensions, 20_000, cellCount, kind, { continuous: true });
        expect(Math.abs(estimate / watched.bytes - 1)).toBeLessThan(0.001);
        simulation.destroy();
      }
      const box = { dimensions, radius: 0.5, min: corner(0), max: corner(40) };
      // A particle has eight nodes of eight bytes in 2D, and sixteen in 3D.
      const capacity = Math.ceil(device.limits.maxStorageBufferBindingSize / (dimensions === 2 ? 64 : 128));
      const many = createSimulation(tools.wrap(), { ...box, capacity, continuous: true });
      await expect(many).rejects.toThrow(LimitError);
      await expect(many).rejects.toThrow(/whose paths are followed in .*request it with particles: \d+/);
      expect(tools.liveBuffers()).toEqual([]);
    },
    COUNTED,
  );

  gpuTest(
    'stays within the limits per particle and per cell',
    async (_, tools) => {
      for (const kind of ['bounded', 'periodic', 'unbounded'] as const) {
        expect(bytesPerParticle(dimensions, kind)).toBeLessThanOrEqual(dimensions === 2 ? 64 : 112);
      }
      expect(BYTES_PER_CELL).toBeLessThanOrEqual(12);
      const options = { dimensions, radius: 0.5, min: [0, 0, 0].slice(0, dimensions) };
      const sizeOf = async (capacity: number, edge: number) => {
        const max = repeat(edge, dimensions);
        const simulation = await createSimulation(tools.wrap(), { ...options, max, capacity });
        const { memoryBytes, world } = simulation;
        simulation.destroy();
        return { memoryBytes, cells: world.cellCount };
      };
      const small = await sizeOf(1000, 20);
      const many = await sizeOf(101_000, 20);
      const wide = await sizeOf(1000, 60);
      const particle = (many.memoryBytes - small.memoryBytes) / 100_000;
      const cell = (wide.memoryBytes - small.memoryBytes) / (wide.cells - small.cells);
      expect(particle).toBeGreaterThan(30);
      expect(particle).toBeLessThanOrEqual(dimensions === 2 ? 64 : 112);
      expect(cell).toBeGreaterThan(4);
      expect(cell).toBeLessThanOrEqual(12);
    },
    SHARED,
  );
});

describe('if memory runs out', () => {
  /** Makes the device reject every buffer whose label ends with `ending`, as if it were out of memory. */
  function refuse(device: GPUDevice, ending: string): () => void {
    const create = device.createBuffer;
    device.createBuffer = (descriptor) => {
      const tooLarge = descriptor.label?.endsWith(ending) ? { size: 2 ** 40 } : {};
      return create.call(device, { ...descriptor, ...tooLarge });
    };
    const restore = () => {
      device.createBuffer = create;
    };
    // Restore the device even if this test fails, because other tests share it.
    onTestFinished(restore);
    return restore;
  }

  gpuTest(
    'creating a simulation or a grid fails and leaves nothing behind',
    async (device, tools) => {
      const gpu = tools.wrap();
      const options = sceneOptions(createScene('uniform', { dimensions: 2, count: 100 }));
      const { min, max, radius } = createScene('uniform', { dimensions: 2, count: 100 });
      const makers = {
        simulation: () => createSimulation(gpu, options),
        grid: () =>
          HashGrid.create(gpu, { dimensions: 2, min, max: max ?? [], diameter: 2 * radius, capacity: 100 }),
      };
      for (const [maker, ending] of [
        ['simulation', 'simulation.position1'],
        ['simulation', 'simulation.leaving'],
        ['simulation', 'grid.counts'],
        ['simulation', 'grid.scan.sums'],
        ['simulation', 'grid.scan.parameters'],
        ['simulation', 'measure.measure.partials'],
        ['simulation', 'measure.measure.parameters'],
        ['simulation', 'simulation.grid-parameters'],
        ['grid', 'grid.positions'],
        ['grid', 'grid.entries'],
        ['grid', 'grid.scan.sums'],
      ] as const) {
        const restore = refuse(device, ending);
        const attempt = makers[maker]();
        await expect(attempt, ending).rejects.toThrow(GpuError);
        await expect(attempt, ending).rejects.toThrow(/could not reserve \d+ bytes for /);
        restore();
        expect(tools.liveBuffers(), ending).toEqual([]);
      }
    },
    SHARED,
  );

  gpuTest(
    'findPairs throws, and the simulation continues',
    async (device, tools) => {
      const scene = createScene('uniform', { dimensions: 2, count: 100 });
      const simulation = await createSimulation(tools.wrap(), sceneOptions(scene));
      const expected = await simulation.findPairs();
      const twin = await createSimulation(tools.wrap(), sceneOptions(scene));
      const buffers = tools.liveBuffers().length;
      expect((await twin.findPairs()).pairs).toEqual(expected.pairs);
      for (const ending of ['pairs.tallies', 'grid.scan.sums', 'pairs.pairs']) {
        // findPairs() sorts the state into its other copy first. If that sort failed unnoticed, read() would return old
        // contents of that copy.
        for (const each of [simulation, twin]) each.step(1 / 60);
        const restore = refuse(device, ending);
        await expect(simulation.findPairs(), ending).rejects.toThrow(/could not reserve \d+ bytes for /);
        restore();
        expect(await simulation.read(), ending).toEqual(await twin.read());
        expect(await simulation.findPairs(), ending).toEqual(await twin.findPairs());
        const pairs = tools.liveBuffers().filter((label) => label.startsWith('pairs.'));
        expect(pairs, ending).toEqual([]);
      }
      // The simulations may keep a few more staging buffers.
      expect(tools.liveBuffers().length).toBeLessThanOrEqual(buffers + 4);
    },
    SHARED,
  );

  gpuTest(
    'findPairs copies the state only if the state changes meanwhile',
    async (device, tools) => {
      const count = 2000;
      const scene = createScene('uniform', { dimensions: 2, count });
      const simulation = await createSimulation(tools.wrap(), sceneOptions(scene));
      const made: [string, number][] = [];
      const create = device.createBuffer;
      onTestFinished(() => {
        device.createBuffer = create;
      });
      device.createBuffer = (descriptor) => {
        made.push([descriptor.label ?? '', descriptor.size]);
        return create.call(device, descriptor);
      };
      const taken = () =>
        made.filter(([label]) => label.startsWith('pairs.')).reduce((sum, [, size]) => sum + size, 0);
      const expected = await simulation.findPairs();
      expect(taken()).toBeLessThanOrEqual(8 * (count + 4) + 8 * expected.count + 16);
      made.length = 0;
      const found = simulation.findPairs();
      simulation.step(1 / 60);
      simulation.step(1 / 60);
      expect(await found).toEqual(expected);
      expect(made.filter(([label]) => label === 'pairs.position_in')).toHaveLength(1);
      const restore = refuse(device, 'pairs.position_in');
      const { hash } = await simulation.measure();
      const failing = simulation.findPairs();
      const failed = expect(failing).rejects.toThrow(/could not reserve \d+ bytes for pairs/);
      simulation.separate();
      await failed;
      restore();
      expect((await simulation.measure()).hash).not.toBe(hash);
    },
    SHARED,
  );

  gpuTest(
    'findPairs reports the number of pairs if the device cannot bind their list',
    async (_, tools) => {
      // A list of 128 MiB holds 16,777,216 pairs. 6,000 particles in one cell have 17.6 million; 5,800 would have 16.4.
      const scene = createScene('one-cell', { dimensions: 2, count: 6000 });
      const simulation = await createSimulation(tools.wrap(), sceneOptions(scene));
      const attempt = simulation.findPairs();
      await expect(attempt).rejects.toThrow(LimitError);
      const { contacts } = await simulation.measure();
      expect(contacts).toBeGreaterThan(2 ** 24);
      await expect(attempt).rejects.toThrow(
        `There are ${contacts} overlapping pairs, a list of ${8 * contacts} bytes, but this device's maxStorageBufferBindingSize is 134217728: at most 16777216 pairs fit.`,
      );
    },
    { ...SHARED, tags: 'full' },
  );
});

describe('the memory of every scene', () => {
  for (const name of sceneNames()) {
    gpuTest(
      `fits its estimate: ${name}`,
      async (_, tools) => {
        const scene = createScene(name, { dimensions: 2, count: 20_000 });
        const simulation = await createSimulation(tools.wrap(), sceneOptions(scene));
        const { world, capacity, continuous, boxes, obstacleCapacity: obstacles } = simulation;
        const { cellCount, kind, levels } = world;
        const estimate = estimateMemory(2, capacity, cellCount, kind, {
          obstacles,
          levels,
          boxes,
          continuous,
        });
        expect(Math.abs(estimate / simulation.memoryBytes - 1)).toBeLessThan(0.05);
        simulation.destroy();
      },
      { ...COUNTED, tags: 'case' },
    );
  }
});
