/** Tests that public functions that take a Gpu refuse the same mistakes with the same words. */
import { describe, expect, it } from 'vitest';
import {
  ArgumentError,
  BoxChunks,
  BoxPairs,
  createSimulation,
  type Gpu,
  GridParticles,
  HashGrid,
  RadixSort,
} from '../../../src';
import { createFlock, createLife } from '../../../src/methods/flock';
import { createFluid } from '../../../src/methods/fluid';
import { createPositionFluid } from '../../../src/methods/pbf';

const BOX = { dimensions: 2, min: [0, 0], max: [8, 8] } as const;
const positions = Float32Array.of(1, 1, 3, 3);

const FUNCTIONS: Readonly<Record<string, (gpu: Gpu) => Promise<unknown>>> = {
  createSimulation: (gpu) => createSimulation(gpu, { ...BOX, radius: 0.5, positions }),
  'HashGrid.create': (gpu) => HashGrid.create(gpu, { ...BOX, diameter: 1, capacity: 2 }),
  'GridParticles.create': (gpu) => GridParticles.create(gpu, { ...BOX, diameter: 1, positions }),
  'BoxPairs.create': (gpu) =>
    BoxPairs.create(gpu, { dimensions: 2, capacity: 2, pairs: 2, extents: { smallest: 1, largest: 2 } }),
  'BoxChunks.create': (gpu) => BoxChunks.create(gpu, { dimensions: 2, capacity: 2, pairs: 2 }),
  'RadixSort.create': (gpu) => RadixSort.create(gpu, { keys: 'u32', capacity: 2 }),
  createFluid: (gpu) => createFluid(gpu, { dimensions: 2, cells: [8, 8], cellSize: 1 }),
  createFlock: (gpu) => createFlock(gpu, { ...BOX, perception: 1, positions }),
  createLife: (gpu) =>
    createLife(gpu, { ...BOX, reach: 1, positions, species: new Uint32Array(2), attraction: [[0]] }),
  createPositionFluid: (gpu) => createPositionFluid(gpu, { ...BOX, radius: 0.5, positions }),
};

describe.each(Object.entries(FUNCTIONS))('%s', (_, call) => {
  it.each<[string, unknown, RegExp]>([
    [
      'a Promise',
      Promise.resolve(),
      /^gpu is a Promise \(did you forget `await`\?\), .*`await requestGpu\(…\)`/,
    ],
    [
      'a GPUDevice',
      { createBindGroupLayout: () => undefined },
      /^gpu is a GPUDevice, .*`wrapDevice\(device\)`\.$/,
    ],
    ['navigator.gpu', { requestAdapter: () => undefined }, /^gpu is navigator\.gpu, but it must be /],
  ])('refuses %s', async (__, gpu, message) => {
    const error = await call(gpu as Gpu).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ArgumentError);
    expect((error as Error).message).toMatch(message);
  });
});
