import { describe, expect, onTestFinished } from 'vitest';
import { Shortage } from '../../../scripts/faults/shortage';
import { LimitError } from '../../../src/core/base/errors';
import { BoxPairs } from '../../../src/engine/box-pairs';
import { HashGrid } from '../../../src/engine/grid/hash-grid';
import { createSimulation } from '../../../src/engine/simulation/simulation';
import { wrapDevice } from '../../../src/gpu/device';
import { Readback } from '../../../src/gpu/readback';
import { createFlock, createLife } from '../../../src/methods/flock';
import { createFluid } from '../../../src/methods/fluid';
import { createPositionFluid } from '../../../src/methods/pbf';
import { createScene, sceneOptions } from '../../../src/scenes';
import { gpuTest, SHARED } from '../../helpers/node-gpu';

const NO_MEMORY = { name: 'GpuError', reason: 'memory' };

/** Without a driver, kernels compile many times as fast. */
const DRIVERLESS = { driverless: true } as const;

function shortageOf(device: GPUDevice): Shortage {
  const shortage = new Shortage({ device, complaints: [] });
  onTestFinished(() => shortage.restore());
  return shortage;
}

gpuTest(
  'a read that exceeds the largest buffer gets a staging buffer per range',
  async (device, tools) => {
    const source = tools.upload('source', Uint32Array.of(1, 2, 3, 4, 5, 6, 7, 8));
    const readback = new Readback(tools.wrap(), 'test', 16);
    const encoder = device.createCommandEncoder();
    const reading = readback.record(encoder, [
      { buffer: source, size: 16 },
      { buffer: source, offset: 16, size: 12 },
      { buffer: source, offset: 4, size: 4 },
    ]);
    device.queue.submit([encoder.finish()]);
    const found = (await reading.finish()).map((bytes) => [...new Uint32Array(bytes)]);
    expect(found).toEqual([[1, 2, 3, 4], [5, 6, 7], [2]]);
    readback.destroy();
  },
  SHARED,
);

describe('if memory runs out', () => {
  gpuTest(
    'a read that gets no staging buffer rejects, and the next read succeeds',
    async (device, tools) => {
      const source = tools.upload('source', Uint32Array.of(1, 2, 3, 4));
      const readback = new Readback(tools.wrap(), 'test');
      const read = async () => {
        const encoder = device.createCommandEncoder();
        const reading = readback.record(encoder, [{ buffer: source, size: 16 }]);
        device.queue.submit([encoder.finish()]);
        const [bytes] = await reading.finish();
        return [...new Uint32Array(bytes as ArrayBuffer)];
      };
      const shortage = shortageOf(device);
      shortage.arm(0);
      await expect(read()).rejects.toMatchObject(NO_MEMORY);
      expect(shortage.failed).toBe('test.staging');
      expect(tools.liveBuffers()).toEqual(['source']);
      expect(await read()).toEqual([1, 2, 3, 4]);
      shortage.arm(0);
      expect(await read()).toEqual([1, 2, 3, 4]);
      readback.destroy();
    },
    SHARED,
  );

  gpuTest(
    'profile rejects if it gets no buffer for staging or timestamps, but the simulation has made its step',
    async (device, tools) => {
      const options = sceneOptions(createScene('uniform', { dimensions: 2, count: 50 }));
      const twin = await createSimulation(tools.wrap(), options);
      twin.step(1 / 60);
      const { hash } = await twin.measure();
      const shortage = shortageOf(device);
      for (const buffer of [0, 1]) {
        const simulation = await createSimulation(tools.wrap(), options);
        shortage.arm(buffer);
        const attempt = simulation.profile(1 / 60);
        const outcome = await attempt.then(
          () => undefined,
          (error: unknown) => error,
        );
        // Devices without timestamps need no buffers for them.
        if (shortage.failed !== undefined) expect(outcome).toMatchObject(NO_MEMORY);
        shortage.arm(Number.POSITIVE_INFINITY);
        expect((await simulation.measure()).hash).toBe(hash);
      }
    },
    SHARED,
  );
});

describe('create functions', () => {
  const positions = Float32Array.of(1, 1, 2, 2);
  const box = { dimensions: 2, min: [0, 0], max: [8, 8], positions } as const;

  gpuTest(
    'of methods reject and leave nothing behind, whichever buffer the device cannot create',
    async (device, tools) => {
      const gpu = tools.wrap();
      const shortage = shortageOf(device);
      const species = Uint32Array.of(0, 0);
      const hunters = Float32Array.of(3, 3);
      const creators = {
        'flock.spheres': () => createFlock(gpu, { ...box, perception: 1, hunters }),
        'flock.hunters': () => createFlock(gpu, { ...box, perception: 1, hunters }),
        'life.attraction': () => createLife(gpu, { ...box, reach: 1, species, attraction: [[1]] }),
        'pbf.solids': () => createPositionFluid(gpu, { ...box, radius: 1 }),
      };
      for (const [label, create] of Object.entries(creators)) {
        for (let buffer = 0; shortage.failed !== label; buffer++) {
          shortage.arm(buffer);
          await expect(create(), label).rejects.toMatchObject(NO_MEMORY);
          expect(tools.liveBuffers(), label).toEqual([]);
        }
      }
    },
    DRIVERLESS,
  );

  gpuTest(
    'check the size of their lists and lattices before they create a buffer',
    async (device, tools) => {
      const whole = tools.wrap();
      const grid = await HashGrid.create(whole, {
        dimensions: 2,
        min: [0, 0],
        max: [8, 8],
        diameter: 1,
        capacity: 8,
      });
      const before = tools.liveBuffers();
      const { createBuffer, limits } = device;
      let created = 0;
      device.createBuffer = (descriptor) => {
        created++;
        return createBuffer.call(device, descriptor);
      };
      Object.defineProperty(device, 'limits', {
        value: new Proxy(limits, {
          get: (target, name) => (name === 'maxBufferSize' ? 2 ** 20 : Reflect.get(target, name, target)),
        }),
      });
      const gpu = wrapDevice(device);
      const many = 2 ** 19;
      for (const create of [
        () =>
          BoxPairs.create(gpu, {
            dimensions: 2,
            capacity: 8,
            pairs: many,
            extents: { smallest: 1, largest: 2 },
          }),
        () => createFluid(gpu, { dimensions: 2, cells: [1024, 512], cellSize: 1, capacity: 8 }),
        () => grid.inBoxes({ boxes: 8, capacity: many }),
        () => grid.alongRays({ rays: 8, capacity: many }),
      ]) {
        await expect(create()).rejects.toThrow(LimitError);
        expect(created).toBe(0);
      }
      expect(tools.liveBuffers()).toEqual(before);
    },
    DRIVERLESS,
  );
});
