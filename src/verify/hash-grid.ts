/** Compares the GPU's grid of balls of one radius with the reference. */
import { cellBytes } from '../core/world/cells';
import type { World } from '../core/world/world';
import { HashGrid } from '../engine/grid/hash-grid';
import { createBuffers } from '../gpu/buffers';
import type { Gpu } from '../gpu/device';
import { fromStored, storedFloats, toStored } from '../gpu/layout';
import { Readback } from '../gpu/readback';
import { buildGrid, type Grid } from '../reference/grid/grid';
import { type Scene, worldOptions } from '../scenes';
import { type Finding, firstDifference } from './finding';

/** Compares cells, starts, ids and sorted positions bit for bit. */
export async function checkGrid(gpu: Gpu, scene: Scene): Promise<Finding> {
  const { dimensions, count, positions } = scene;
  const grid = await HashGrid.create(gpu, {
    ...worldOptions(scene),
    diameter: 2 * scene.radius,
    capacity: count,
  });
  const vector = 4 * storedFloats(dimensions) * count;
  const input = await createBuffers(gpu, 'verify', { positions: vector });
  const readback = new Readback(gpu, 'verify');
  try {
    if (count > 0) gpu.device.queue.writeBuffer(input.buffers.positions, 0, toStored(dimensions, positions));
    const encoder = gpu.device.createCommandEncoder({ label: 'verify.grid' });
    grid.encode(encoder, { positions: input.buffers.positions, count });
    const reading = readback.record(encoder, [
      { buffer: grid.start, size: 4 * (grid.world.cellCount + 1) },
      { buffer: grid.ids, size: 4 * count },
      { buffer: grid.cellOfSlot, size: cellBytes(grid.world) * count },
      { buffer: grid.positions, size: vector },
    ]);
    gpu.device.queue.submit([encoder.finish()]);
    const [start, ids, cells, sorted] = (await reading.finish()) as ArrayBuffer[];
    const expected = buildGrid(grid.world, positions);
    return firstDifference([
      ['start', new Uint32Array(start as ArrayBuffer), expected.start.subarray(0, grid.world.cellCount + 1)],
      ['id', new Uint32Array(ids as ArrayBuffer), expected.ids],
      ['cell', cellWords(grid.world, cells as ArrayBuffer), expectedCells(grid.world, expected)],
      ['position', bitsOf(fromStored(dimensions, sorted as ArrayBuffer)), bitsOf(expected.positions)],
    ]);
  } finally {
    readback.destroy();
    input.destroy();
    grid.destroy();
  }
}

/** Returns each slot's cell: its index, or in an unbounded world its coordinates. */
function cellWords(world: World, bytes: ArrayBuffer): Int32Array {
  const words = new Int32Array(bytes);
  if (world.kind !== 'unbounded' || world.dimensions === 2) return words;
  return words.filter((_, index) => index % 4 < 3);
}

function expectedCells(world: World, grid: Grid): Int32Array {
  return world.kind === 'unbounded' ? grid.lattices : Int32Array.from(grid.cells);
}

function bitsOf(values: Float32Array): Uint32Array {
  return new Uint32Array(values.buffer, values.byteOffset, values.length);
}
