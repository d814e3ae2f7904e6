/** Parts that the GPU engines share. Bodies are stored as HashGrid expects them. */
import { defaultSettings, deriveSubstep } from '../../../src/core/contact/settings';
import { defineWorld } from '../../../src/core/world/world';
import { type BufferSet, type BufferSizes, createBuffers } from '../../../src/gpu/buffers';
import { type Gpu, isSoftware } from '../../../src/gpu/device';
import { Kernel, type KernelDescription } from '../../../src/gpu/kernel';
import { bodyFloats, toBodies, toStored } from '../../../src/gpu/layout';
import type { ShaderSource } from '../../../src/gpu/link';
import { type SharedBinding, SharedParameters } from '../../../src/gpu/params';
import { UniformRing } from '../../../src/gpu/uniform-ring';
import { PARAMS } from '../../../src/passes/modules';
import { FOLD_BYTES, FOLD_COUNTERS, MIX_PAIR_WGSL } from '../../harness/engine';
import type { BenchScene } from '../../harness/scenes';
import bodies from './bodies.wgsl?raw';
import found from './found.wgsl?raw';

/**
 * WGSL that counts pairs in the buffer `counters`, which the kernel must declare. The text has no preprocessor lines,
 * because grid kernels reject them.
 */
export const FOLD_WGSL = `${MIX_PAIR_WGSL}\nconst FOLD_COUNTERS = ${FOLD_COUNTERS}u;\n${found}`;

const UNIFORMS = 0x40 | 0x08; // UNIFORM | COPY_DST

export function benchSource(file: string, text: string): ShaderSource {
  return { name: `../bench/engines/gpu/${file}`, text };
}

const FOLD: ShaderSource = benchSource('found.wgsl', FOLD_WGSL);

/** Modules of a kernel that counts pairs. */
export const FOLDING: readonly ShaderSource[] = [PARAMS, benchSource('bodies.wgsl', bodies), FOLD];

export const PLAIN: readonly ShaderSource[] = [PARAMS, benchSource('bodies.wgsl', bodies)];

type Bodies = Pick<BenchScene, 'dimensions' | 'radii'>;

export function floatsOf({ dimensions, radii }: Bodies): number {
  return bodyFloats({ dimensions, levels: radii ? 1 : 0 });
}

export function pack({ dimensions, radii }: Bodies, positions: Float32Array): Float32Array<ArrayBuffer> {
  return radii ? toBodies(dimensions, positions, { radii }) : toStored(dimensions, positions);
}

export interface BodyBuffers<Names extends string> {
  readonly shared: SharedBinding;
  readonly owned: BufferSet<Names | 'bodies' | 'counters'>;
  readonly bytes: number;
  place(positions: Float32Array): void;
  destroy(): void;
}

/** `sizes` has the number of bytes of each further buffer. */
export async function createBodyBuffers<const Sizes extends BufferSizes>(
  gpu: Gpu,
  scene: BenchScene,
  label: string,
  sizes: Sizes,
): Promise<BodyBuffers<keyof Sizes & string>> {
  const { dimensions, count, radius } = scene;
  const parameters = await SharedParameters.create(gpu, dimensions, label);
  const owned = await createBuffers(gpu, label, {
    bodies: 4 * floatsOf(scene) * count,
    counters: FOLD_BYTES,
    ...sizes,
  }).catch((error: unknown) => {
    parameters.destroy();
    throw error;
  });
  // The kernels of these engines use only the number of bodies and the diameter.
  const world = defineWorld({ dimensions, unbounded: true }, 2 * radius, count);
  const substep = deriveSubstep(world, world.diameter, defaultSettings(dimensions), 0);
  return {
    shared: parameters.write(world, count, substep),
    owned: owned as BufferSet<(keyof Sizes & string) | 'bodies' | 'counters'>,
    bytes: owned.bytes + parameters.bytes,
    place: (positions) => gpu.device.queue.writeBuffer(owned.buffers.bodies, 0, pack(scene, positions)),
    destroy() {
      owned.destroy();
      parameters.destroy();
    },
  };
}

export function createKernel(
  gpu: Gpu,
  { dimensions, radii }: BenchScene,
  description: Omit<KernelDescription, 'dimensions'>,
): Promise<Kernel> {
  return Kernel.create(gpu, {
    ...description,
    label: `bench.${description.label}${radii ? '.mixed' : ''}`,
    dimensions,
    flags: { ...description.flags, VARIABLE_RADII: radii !== undefined },
  });
}

export function inPass(
  encoder: GPUCommandEncoder,
  label: string,
  record: (pass: GPUComputePassEncoder) => void,
): void {
  const pass = encoder.beginComputePass({ label });
  record(pass);
  pass.end();
}

/** Structs of u32 in one buffer. A kernel is dispatched once per struct, with its offset. */
export interface Uniforms<Row extends readonly number[]> {
  readonly buffer: GPUBuffer;
  readonly rows: readonly { readonly row: Row; readonly offset: number }[];
  readonly bytes: number;
  destroy(): void;
}

export async function createUniforms<Row extends readonly number[]>(
  gpu: Gpu,
  label: string,
  rows: readonly Row[],
): Promise<Uniforms<Row>> {
  const owned = await createBuffers(
    gpu,
    label,
    { rows: UniformRing.SLOT_BYTES * Math.max(1, rows.length) },
    UNIFORMS,
  );
  const words = new Uint32Array((UniformRing.SLOT_BYTES / 4) * rows.length);
  rows.forEach((row, index) => {
    words.set(row, (UniformRing.SLOT_BYTES / 4) * index);
  });
  gpu.device.queue.writeBuffer(owned.buffers.rows, 0, words);
  return {
    buffer: owned.buffers.rows,
    rows: rows.map((row, index) => ({ row, offset: UniformRing.SLOT_BYTES * index })),
    bytes: owned.bytes,
    destroy: owned.destroy,
  };
}

export type Slice = readonly [first: number, count: number];

/**
 * Returns the largest number of distance tests per dispatch. Drivers and browsers end a dispatch that takes many
 * seconds. A small GPU takes a tenth of a second for 2³² tests, a software GPU a few seconds for 2²⁷.
 */
export function testsPerDispatch({ info }: Gpu): number {
  return isSoftware(info) ? 2 ** 27 : 2 ** 32;
}

/** gpu-naive and gpu-sweep refuse scenes with more distance tests. 2⁴⁰ tests take seconds on the largest GPU. */
export const MOST_TESTS = 2 ** 40;

export function cut(whole: number, size: number): Slice[] {
  return Array.from({ length: Math.ceil(whole / size) }, (_, index) => {
    const first = index * size;
    return [first, Math.min(size, whole - first)] as const;
  });
}
