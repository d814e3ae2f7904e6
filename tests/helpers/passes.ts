/** Tools for tests of single passes. The reference makes the input, so that a test compares nothing but its pass. */

import { WORKGROUP_SIZE } from '../../src/core/base/constants';
import {
  defaultSettings,
  deriveSubstep,
  resolveSettings,
  type SettingsOptions,
  type Substep,
} from '../../src/core/contact/settings';
import { cellBytes } from '../../src/core/world/cells';
import type { Dimensions, World } from '../../src/core/world/world';
import type { Gpu } from '../../src/gpu/device';
import { Kernel } from '../../src/gpu/kernel';
import { fromStored, storedFloats, toStored } from '../../src/gpu/layout';
import { type SharedBinding, SharedParameters } from '../../src/gpu/params';
import { NOWHERE } from '../../src/reference/grid/gather';
import type { Grid } from '../../src/reference/grid/grid';
import type { GpuTools } from './node-gpu';

export const DIMENSIONS: readonly Dimensions[] = [2, 3];

export const SMALL_COUNTS: readonly number[] = [0, 1, WORKGROUP_SIZE - 1, WORKGROUP_SIZE, WORKGROUP_SIZE + 1];

/** With at most FOLD workgroups per dimension, small dispatches need two dimensions. MOST_FOLDED particles fit. */
export const FOLD = 2;
export const MOST_FOLDED = FOLD * FOLD * WORKGROUP_SIZE;

/**
 * Replaces FOLD for variable radii in unbounded worlds: each level has a table, so FOLD would allow too few workgroups.
 * With LEVELS_FOLD, too, dispatches over buckets need two dimensions.
 */
export const LEVELS_FOLD = 6;

export function runPass(gpu: Gpu, record: (pass: GPUComputePassEncoder) => void): void {
  const encoder = gpu.device.createCommandEncoder({ label: 'test.pass' });
  const pass = encoder.beginComputePass({ label: 'test.pass' });
  record(pass);
  pass.end();
  gpu.device.queue.submit([encoder.finish()]);
}

export function substepOf(world: World, settings: SettingsOptions = {}, dt = 0): Substep {
  const { dimensions, diameter } = world;
  return deriveSubstep(
    world,
    diameter,
    resolveSettings(dimensions, defaultSettings(dimensions), settings),
    dt,
  );
}

/** Creates bind group 0, which all passes share, for `count` particles. */
export async function share(
  gpu: Gpu,
  world: World,
  count: number,
  substep = substepOf(world),
): Promise<SharedBinding> {
  return (await SharedParameters.create(gpu, world.dimensions, 'test')).write(world, count, substep);
}

export function uploadVectors(
  tools: GpuTools,
  dimensions: Dimensions,
  label: string,
  packed: Float32Array,
): GPUBuffer {
  return tools.upload(label, toStored(dimensions, packed));
}

export function allocateVectors(
  tools: GpuTools,
  dimensions: Dimensions,
  label: string,
  count: number,
): GPUBuffer {
  return tools.allocate(label, 4 * storedFloats(dimensions) * count);
}

export async function readVectors(
  tools: GpuTools,
  dimensions: Dimensions,
  buffer: GPUBuffer,
  count: number,
): Promise<Float32Array> {
  return fromStored(dimensions, await tools.read(buffer, 0, 4 * storedFloats(dimensions) * count));
}

export async function readWords(tools: GpuTools, buffer: GPUBuffer, count: number): Promise<Uint32Array> {
  return new Uint32Array(await tools.read(buffer, 0, 4 * count));
}

/** Views the same memory as integers, so that NaNs and zeros compare by their bits. */
export function bitsOf(values: Float32Array): Uint32Array {
  return new Uint32Array(values.buffer, values.byteOffset, values.length);
}

export interface SortedBuffers {
  readonly position: GPUBuffer;
  readonly velocity: GPUBuffer;
  readonly id: GPUBuffer;
  readonly start: GPUBuffer;
  readonly cell_of_slot: GPUBuffer;
}

/** Uploads the grid as the passes after the sort expect it. */
export function uploadGrid(tools: GpuTools, world: World, grid: Grid): SortedBuffers {
  const { dimensions } = world;
  return {
    position: uploadVectors(tools, dimensions, 'position', grid.positions),
    velocity: uploadVectors(tools, dimensions, 'velocity', grid.velocities),
    id: tools.upload('id', grid.ids),
    start: tools.upload('start', grid.start),
    cell_of_slot: tools.upload('cell', cellWords(world, grid)),
  };
}

/** Returns the words of all slots as the GPU stores them: cells, or lattice coordinates, which are padded in 3D. */
export function cellWords(world: World, { cells, lattices }: Pick<Grid, 'cells' | 'lattices'>): Uint32Array {
  if (world.kind !== 'unbounded') return cells;
  const words = cellBytes(world) / 4;
  const stored = new Int32Array(words * cells.length);
  cells.forEach((_, slot) => {
    const lattice = lattices.subarray(world.dimensions * slot, world.dimensions * (slot + 1));
    stored.set(lattice, words * slot);
    // The padding of quarantined particles is NOWHERE, too.
    if (lattice[0] === NOWHERE) stored.fill(NOWHERE, words * slot, words * (slot + 1));
  });
  return new Uint32Array(stored.buffer);
}

export function shuffled<Kind extends Uint32Array | number[]>(values: Kind, noise: () => number): Kind {
  const copy = values.slice() as Kind;
  for (let last = copy.length - 1; last > 0; last--) {
    const index = Math.floor(noise() * (last + 1));
    const value = copy[last] as number;
    copy[last] = copy[index] as number;
    copy[index] = value;
  }
  return copy;
}

/**
 * Runs `record`, which must be synchronous. Meanwhile all dispatches are direct, as on hardware, and those over lists
 * whose length only the GPU knows have at most `most` workgroups.
 */
export function withDirectDispatches<Result>(most: number, record: () => Result): Result {
  const { encodeCounted } = Kernel.prototype;
  Kernel.prototype.encodeCounted = function (pass, shared, group, workgroups, offsets) {
    this.encode(pass, shared, group, Math.min(most, workgroups.most), offsets);
  };
  try {
    return record();
  } finally {
    Kernel.prototype.encodeCounted = encodeCounted;
  }
}
