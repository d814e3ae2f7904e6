import { expect } from 'vitest';
import { CellstormError } from '../../../src/core/base/errors';
import { BoxPairs } from '../../../src/engine/box-pairs';
import { HashGrid } from '../../../src/engine/grid/hash-grid';
import { packRays } from '../../../src/engine/queries/rays';
import { type GpuTools, gpuTest, SHARED } from '../../helpers/node-gpu';

const OPTIONS = { dimensions: 2, min: [0, 0], max: [8, 8], diameter: 1, capacity: 4 } as const;

async function createSearches(tools: GpuTools) {
  const grid = await HashGrid.create(tools.wrap(), OPTIONS);
  const pairs = await grid.pairs({ capacity: 8 });
  const searches = {
    pairs,
    events: await pairs.events(),
    near: await grid.near({ points: 1, capacity: 8 }),
    nearest: await grid.nearest({ points: 1, k: 2 }),
    boxes: await grid.inBoxes({ boxes: 1, capacity: 8 }),
    rays: await grid.alongRays({ rays: 1, capacity: 8 }),
    firstHits: await grid.alongRays({ rays: 1, firstOnly: true }),
  };
  const positions = tools.upload('positions', Float32Array.of(1, 1, 1.5, 1));
  const points = tools.upload('points', Float32Array.of(1, 1));
  const boxes = tools.upload('boxes', Float32Array.of(0, 0, 2, 2));
  const ray = { origin: [0, 1], direction: [1, 0], greatestDistance: 8 };
  const rays = tools.upload('rays', packRays(2, [ray]));
  const encode = (encoder: GPUCommandEncoder) => {
    grid.encode(encoder, { positions, count: 2 });
    searches.pairs.encode(encoder);
    searches.events.encode(encoder);
    searches.near.encode(encoder, { points, count: 1 });
    searches.nearest.encode(encoder, { points, count: 1 });
    searches.boxes.encode(encoder, { boxes, count: 1 });
    searches.rays.encode(encoder, { rays, count: 1 });
    searches.firstHits.encode(encoder, { rays, count: 1 });
  };
  return { grid, searches, positions, encode };
}

gpuTest(
  'a search cannot be read before its encoder is finished',
  async (device, tools) => {
    const { grid, searches, positions, encode } = await createSearches(tools);
    const encoder = device.createCommandEncoder({ label: 'my frame' });
    encode(encoder);
    for (const [name, search] of Object.entries(searches)) {
      await expect(search.read(), name).rejects.toThrow(CellstormError);
      await expect(search.read(), name).rejects.toThrow(
        'A sort or search was recorded into the encoder "my frame", which is not finished: submit it first, or encode again if it was dropped.',
      );
    }
    device.queue.submit([encoder.finish()]);
    expect((await searches.pairs.read()).count).toBe(1);
    expect((await searches.events.read()).begun.count).toBe(1);
    expect([...(await searches.near.read()).ids]).toEqual([0, 1]);
    expect([...(await searches.nearest.read()).ids]).toEqual([0, 1]);
    expect([...(await searches.boxes.read()).ids]).toEqual([0, 1]);
    expect([...(await searches.rays.read()).ids]).toEqual([0, 1]);
    expect([...(await searches.firstHits.read()).ids]).toEqual([0]);
    // A sort that is not submitted blocks reads, too, but only until all is encoded again and submitted.
    grid.encode(device.createCommandEncoder(), { positions, count: 2 });
    await expect(searches.pairs.read()).rejects.toThrow(
      /^A sort or search was recorded into the encoder without/,
    );
    const again = device.createCommandEncoder();
    encode(again);
    device.queue.submit([again.finish()]);
    expect((await searches.pairs.read()).count).toBe(1);
    grid.destroy();
  },
  SHARED,
);

gpuTest(
  'pairs of boxes cannot be read before their encoder is finished',
  async (device, tools) => {
    const extents = { smallest: 1, largest: 2 };
    const finder = await BoxPairs.create(tools.wrap(), { dimensions: 2, capacity: 2, pairs: 2, extents });
    const boxes = tools.upload('boxes', Float32Array.of(0, 0, 1, 1, 0.5, 0.5, 1, 1));
    const encoder = device.createCommandEncoder({ label: 'boxes' });
    finder.encode(encoder, { boxes, count: 2 });
    await expect(finder.read()).rejects.toThrow(
      /^A search was recorded into the encoder "boxes", which is not finished/,
    );
    device.queue.submit([encoder.finish()]);
    expect((await finder.read()).count).toBe(1);
    finder.destroy();
  },
  SHARED,
);
