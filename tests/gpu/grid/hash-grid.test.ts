import { describe, expect } from 'vitest';
import { ArgumentError, DestroyedError, LimitError } from '../../../src/core/base/errors';
import { HashGrid, type HashGridOptions } from '../../../src/engine/grid/hash-grid';
import { storedFloats, toStored } from '../../../src/gpu/layout';
import { Readback } from '../../../src/gpu/readback';
import { buildGrid } from '../../../src/reference/grid/grid';
import { createScene, type Scene, worldOptions } from '../../../src/scenes';
import { createNoise, scatterIn } from '../../../src/testing/noise';
import { crowds } from '../../helpers/inputs/worlds';
import { expectArraysEqual, type GpuTools, gpuTest, SHARED, SHARED_CASE } from '../../helpers/node-gpu';
import {
  bitsOf,
  cellWords,
  DIMENSIONS,
  FOLD,
  MOST_FOLDED,
  readVectors,
  readWords,
  SMALL_COUNTS,
  uploadVectors,
} from '../../helpers/passes';
import { fc, runs } from '../../helpers/properties';
import { EQUAL_RADIUS_SCENES } from '../../helpers/scene-names';

function optionsOf(scene: Scene, capacity = scene.count): HashGridOptions {
  return { ...worldOptions(scene), diameter: 2 * scene.radius, capacity };
}

function build(grid: HashGrid, device: GPUDevice, input: Parameters<HashGrid['encode']>[1]): void {
  const encoder = device.createCommandEncoder();
  grid.encode(encoder, input);
  device.queue.submit([encoder.finish()]);
}

async function expectBuilt(tools: GpuTools, grid: HashGrid, positions: Float32Array): Promise<void> {
  const { dimensions, cellCount } = grid.world;
  const count = positions.length / dimensions;
  const expected = buildGrid(grid.world, positions);
  const starts = await readWords(tools, grid.start, cellCount + 2);
  expectArraysEqual(starts, expected.start.subarray(0, cellCount + 2), 'starts');
  const inCells = expected.start[cellCount] as number;
  const ids = await readWords(tools, grid.ids, count);
  expectArraysEqual(ids.subarray(0, inCells), expected.ids.subarray(0, inCells), 'ids');
  expectArraysEqual(ids.slice(inCells).sort(), expected.ids.subarray(inCells), 'quarantined ids');
  const cells = cellWords(grid.world, expected);
  expectArraysEqual(await readWords(tools, grid.cellOfSlot, cells.length), cells, 'cells');
  const sorted = await readVectors(tools, dimensions, grid.positions, count);
  const moved = new Float32Array(positions.length);
  ids.forEach((id, slot) => {
    moved.set(positions.subarray(id * dimensions, (id + 1) * dimensions), slot * dimensions);
  });
  expectArraysEqual(bitsOf(sorted), bitsOf(moved), 'positions');
}

async function expectScene(tools: GpuTools, scene: Scene, fold?: number): Promise<void> {
  const gpu = tools.wrap(fold);
  const grid = await HashGrid.create(gpu, optionsOf(scene));
  const positions = uploadVectors(tools, scene.dimensions, 'positions', scene.positions);
  build(grid, gpu.device, { positions, count: scene.count });
  await expectBuilt(tools, grid, scene.positions);
  grid.destroy();
}

describe.each(DIMENSIONS)('a grid in %dD', (dimensions) => {
  for (const name of EQUAL_RADIUS_SCENES) {
    gpuTest(
      `equals the reference on the scene ${name}`,
      (_, tools) => expectScene(tools, createScene(name, { dimensions, count: 1000, seed: 3 })),
      SHARED_CASE,
    );
  }

  gpuTest(
    'equals the reference for numbers of particles near the size of a workgroup, also in folded dispatches, and for 65,537 particles',
    async (_, tools) => {
      for (const count of [...SMALL_COUNTS, MOST_FOLDED, 65_537]) {
        const scene = createScene('uniform', { dimensions, count });
        await expectScene(tools, scene);
        if (count <= MOST_FOLDED) await expectScene(tools, scene, FOLD);
      }
    },
    SHARED,
  );

  gpuTest(
    'equals the reference in worlds without dyadic numbers',
    async (device, tools) => {
      const most = 300;
      await fc.assert(
        fc.asyncProperty(crowds(dimensions, most), async ({ world, options, positions }) => {
          const { diameter } = world;
          const grid = await HashGrid.create(tools.wrap(), { ...options, diameter, capacity: most });
          expect(grid.world).toEqual(world);
          const count = positions.length / dimensions;
          const buffer = uploadVectors(tools, dimensions, 'positions', positions);
          build(grid, device, { positions: buffer, count });
          await expectBuilt(tools, grid, positions);
          grid.destroy();
          buffer.destroy();
        }),
        runs(150),
      );
    },
    SHARED,
  );

  gpuTest(
    'keeps particles that are not finite in quarantine behind all cells, where they do not affect others',
    async (device, tools) => {
      const scene = createScene('uniform', { dimensions, count: 700 });
      const positions = scene.positions.slice();
      const odd = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (let id = 600; id < 700; id++)
        positions[id * dimensions + (id % dimensions)] = odd[id % 3] as number;
      const grid = await HashGrid.create(tools.wrap(), optionsOf(scene));
      build(grid, device, { positions: uploadVectors(tools, dimensions, 'p', positions), count: 700 });
      await expectBuilt(tools, grid, positions);
      const alone = buildGrid(grid.world, scene.positions.subarray(0, 600 * dimensions));
      const cells = grid.world.cellCount + 1;
      expectArraysEqual(await readWords(tools, grid.start, cells), alone.start.subarray(0, cells), 'starts');
      expectArraysEqual(await readWords(tools, grid.ids, 600), alone.ids, 'ids');
    },
    SHARED,
  );

  gpuTest(
    'sorts velocities with positions, and reads only `count` particles of a larger buffer',
    async (device, tools) => {
      const scene = createScene('clustered', { dimensions, count: 500 });
      const grid = await HashGrid.create(tools.wrap(), { ...optionsOf(scene, 400), velocities: true });
      const positions = uploadVectors(tools, dimensions, 'positions', scene.positions);
      for (const [count, seed] of [
        [400, 1],
        [333, 1],
        [333, 2],
      ] as const) {
        const given = scatterIn(createNoise(seed), scene.min, scene.max, 500);
        const velocities = uploadVectors(tools, dimensions, 'velocities', given);
        build(grid, device, { positions, velocities, count });
        const seen = scene.positions.subarray(0, count * dimensions);
        await expectBuilt(tools, grid, seen);
        const expected = buildGrid(grid.world, seen, given.subarray(0, count * dimensions));
        if (!grid.velocities) expect.fail('The grid has no velocities.');
        const got = await readVectors(tools, dimensions, grid.velocities, count);
        expectArraysEqual(bitsOf(got), bitsOf(expected.velocities), 'velocities');
      }
    },
    SHARED,
  );
});

describe('a grid', () => {
  gpuTest(
    'can be built again from any buffer, independent of earlier builds',
    async (device, tools) => {
      const grid = await HashGrid.create(tools.wrap(), {
        ...optionsOf(createScene('uniform', { dimensions: 2, count: 900 })),
        capacity: 900,
      });
      for (const [name, count] of [
        ['uniform', 900],
        ['gas', 0],
        ['one-cell', 900],
        ['clustered', 1],
        ['gas', 899],
      ] as const) {
        const { positions } = createScene(name, { dimensions: 2, count });
        const buffer = uploadVectors(tools, 2, name, positions);
        for (let round = 0; round < 2; round++) {
          build(grid, device, { positions: buffer, count });
          await expectBuilt(tools, grid, positions);
        }
      }
      expect(tools.liveBuffers().filter((label) => label.startsWith('grid.scan'))).toHaveLength(2);
    },
    SHARED,
  );

  gpuTest(
    'uses the count of each recording, even with many recordings in two encoders that are open at the same time',
    async (device, tools) => {
      const scene = createScene('uniform', { dimensions: 2, count: 2000 });
      const grid = await HashGrid.create(tools.wrap(), optionsOf(scene));
      const positions = uploadVectors(tools, 2, 'positions', scene.positions);
      const encoders = [device.createCommandEncoder(), device.createCommandEncoder()] as const;
      for (let step = 0; step < 1500; step++) {
        grid.encode(encoders[step < 750 ? 0 : 1], { positions, count: 2000 - step });
      }
      for (const [encoder, count] of [
        [encoders[0], 2000 - 749],
        [encoders[1], 2000 - 1499],
      ] as const) {
        device.queue.submit([encoder.finish()]);
        await expectBuilt(tools, grid, scene.positions.subarray(0, 2 * count));
      }
      build(grid, device, { positions, count: 2000 });
      await expectBuilt(tools, grid, scene.positions);
    },
    SHARED,
  );

  gpuTest(
    'is recorded in order among the caller’s commands, and submitted by the caller',
    async (device, tools) => {
      const first = createScene('uniform', { dimensions: 2, count: 300, seed: 1 });
      const second = createScene('uniform', { dimensions: 2, count: 300, seed: 2 });
      const grid = await HashGrid.create(tools.wrap(), optionsOf(first));
      const positions = uploadVectors(tools, 2, 'positions', first.positions);
      const next = uploadVectors(tools, 2, 'next', second.positions);
      const kept = tools.allocate('kept', 4 * 300);
      const encoder = device.createCommandEncoder();
      grid.encode(encoder, { positions, count: 300 });
      encoder.copyBufferToBuffer(grid.ids, 0, kept, 0, 4 * 300);
      encoder.copyBufferToBuffer(next, 0, positions, 0, 8 * 300);
      grid.encode(encoder, { positions, count: 300 });
      expect([...(await readWords(tools, grid.ids, 300))]).toEqual(new Array(300).fill(0));
      device.queue.submit([encoder.finish()]);
      expectArraysEqual(
        await readWords(tools, kept, 300),
        buildGrid(grid.world, first.positions).ids,
        'ids of the first',
      );
      await expectBuilt(tools, grid, second.positions);
    },
    SHARED,
  );

  gpuTest(
    'rejects a buffer that is missing, too small, passed twice, owned by the grid or without a needed usage, and records nothing',
    async (device, tools) => {
      const scene = createScene('uniform', { dimensions: 3, count: 100 });
      const grid = await HashGrid.create(tools.wrap(), { ...optionsOf(scene), velocities: true });
      const good = uploadVectors(tools, 3, 'good', scene.positions);
      const speeds = uploadVectors(tools, 3, 'speeds', scene.velocities);
      const small = tools.allocate('small', 4 * storedFloats(3) * 100 - 4);
      const copied = tools.upload('copied', toStored(3, scene.positions), GPUBufferUsage.COPY_DST);
      const encoder = device.createCommandEncoder();
      const attempt = (input: object) => () =>
        grid.encode(encoder, { positions: good, velocities: speeds, count: 100, ...input });
      for (const [input, argument, message] of [
        [
          { positions: small },
          'positions',
          /^positions is the buffer "[^"]*" of 1596 bytes and usage COPY_SRC \| COPY_DST \| STORAGE, .* at least 1600 bytes for 100 particles/,
        ],
        [{ positions: copied }, 'positions', /with usage STORAGE/],
        [{ velocities: small }, 'velocities', /at least 1600 bytes/],
        [{ velocities: copied }, 'velocities', /with usage STORAGE/],
        [{ velocities: undefined }, 'velocities', /velocities is undefined, .* a GPUBuffer/],
        [{ positions: undefined }, 'positions', /positions is undefined, .* a GPUBuffer/],
        [
          { positions: scene.positions },
          'positions',
          /^positions is a Float32Array of length 300, but it must be a GPUBuffer of STORAGE usage\.$/,
        ],
        [{ velocities: {} }, 'velocities', /^velocities is an object, but it must be a GPUBuffer /],
        [{ velocities: good }, 'velocities', /^velocities is the same buffer as positions, .* of its own\.$/],
        [{ positions: grid.positions }, 'positions', /^positions is the grid's own buffer `positions`, /],
        [{ positions: grid.velocities }, 'positions', /^positions is the grid's own buffer `velocities`, /],
        [{ velocities: grid.positions }, 'velocities', /^velocities is the grid's own buffer `positions`, /],
        [{ velocities: grid.velocities }, 'velocities', /the grid's own buffer `velocities`, /],
        [{ positions: grid.start }, 'positions', /the grid's own buffer `start`, .* does not write/],
        [{ positions: grid.ids, count: 10 }, 'positions', /the grid's own buffer `ids`, /],
        [{ positions: grid.cellOfSlot, count: 10 }, 'positions', /the grid's own buffer `cellOfSlot`, /],
        [{ count: 101 }, 'count', /count is 101, .* from 0 to 100/],
        [{ count: -1 }, 'count', /count is -1/],
        [{ count: 1.5 }, 'count', /count is 1\.5/],
      ] as const) {
        expect(attempt(input)).toThrow(ArgumentError);
        expect(attempt(input)).toThrow(message);
        expect(attempt(input)).toThrow(expect.objectContaining({ argument }));
      }
      attempt({})();
      device.queue.submit([encoder.finish()]);
      await expectBuilt(tools, grid, scene.positions);
      const still = await HashGrid.create(tools.wrap(), optionsOf(scene));
      const moving = () => still.encode(encoder, { positions: good, velocities: speeds, count: 100 });
      expect(moving).toThrow(ArgumentError);
      expect(moving).toThrow(
        /^velocities is .*, but it must be left out, because this grid was created without/,
      );
    },
    SHARED,
  );

  gpuTest(
    'rejects sizes that need more workgroups than a dispatch may have, before it allocates anything',
    async (_, tools) => {
      const gpu = tools.wrap(FOLD);
      const attempt = HashGrid.create(gpu, {
        dimensions: 2,
        min: [0, 0],
        max: [50, 50],
        diameter: 1,
        capacity: MOST_FOLDED + 1,
      });
      await expect(attempt).rejects.toThrow(LimitError);
      await expect(attempt).rejects.toThrow(/maxComputeWorkgroupsPerDimension/);
      expect(tools.liveBuffers()).toEqual([]);
    },
    SHARED,
  );

  gpuTest(
    'reports its memory, and frees it',
    async (device, tools) => {
      let bytes = 0;
      const create = device.createBuffer;
      device.createBuffer = (descriptor) => {
        bytes += descriptor.size;
        return create.call(device, descriptor);
      };
      const scene = createScene('uniform', { dimensions: 3, count: 1000 });
      const grid = await HashGrid.create(tools.wrap(), { ...optionsOf(scene), velocities: true });
      device.createBuffer = create;
      expect(grid.memoryBytes).toBe(bytes);
      grid.destroy();
      grid.destroy();
      expect(tools.liveBuffers()).toEqual([]);
      const positions = tools.allocate('positions', 16);
      const attempt = () => grid.encode(device.createCommandEncoder(), { positions, count: 1 });
      expect(attempt).toThrow(DestroyedError);
      expect(attempt).toThrow('This HashGrid was destroyed, so it can no longer be used; create a new one.');
    },
    SHARED,
  );

  gpuTest(
    'can be read through the ring of staging buffers',
    async (device, tools) => {
      const gpu = tools.wrap();
      const scene = createScene('lattice', { dimensions: 2, count: 77 });
      const grid = await HashGrid.create(gpu, optionsOf(scene));
      const readback = new Readback(gpu, 'test');
      const encoder = device.createCommandEncoder();
      grid.encode(encoder, { positions: uploadVectors(tools, 2, 'p', scene.positions), count: 77 });
      // One size is no multiple of 8, one is 0, and one range begins after the start of its buffer.
      const reading = readback.record(encoder, [
        { buffer: grid.ids, size: 4 * 77 },
        { buffer: grid.ids, size: 0 },
        { buffer: grid.cellOfSlot, offset: 4, size: 4 * 76 },
      ]);
      device.queue.submit([encoder.finish()]);
      const [ids, nothing, cells] = (await reading.finish()).map((bytes) => new Uint32Array(bytes));
      const expected = buildGrid(grid.world, scene.positions);
      expectArraysEqual(ids ?? [], expected.ids, 'ids');
      expectArraysEqual(nothing ?? [0], [], 'nothing');
      expectArraysEqual(cells ?? [], expected.cells.subarray(1), 'cells');
      readback.destroy();
      expect(tools.liveBuffers().filter((label) => label.startsWith('test'))).toEqual([]);
    },
    SHARED,
  );
});
