/** Lists every kernel of the engine and the methods, each with a name of its own. */
import type { Dimensions, WorldKind } from '../../src/core/world/world';
import { type Gpu, requestGpu } from '../../src/gpu/device';
import { Kernel, type KernelDescription } from '../../src/gpu/kernel';
import { createFlock, createLife } from '../../src/methods/flock';
import { describeFluidKernel } from '../../src/methods/fluid/passes/kernel';
import { kernelSources } from '../../src/methods/fluid/passes/kernels';
import { createPositionFluid } from '../../src/methods/pbf';
import { describeKernels } from '../../src/passes';

const KINDS: readonly WorldKind[] = ['bounded', 'periodic', 'unbounded'];

/** Matches the main kernels of sorts, steps and searches for pairs, in every variant, and all kernels of the fluid. */
const HOT =
  /^(?:grid\.(?:count|scan|scatter|gather)|solve\.(?:integrate|partner|resolve)|measure\.pairs|fluid)\b/;

/** Matches variants: for periodic or unbounded worlds, for options, or for other callers. */
const VARIANT =
  /\b(?:periodic|unbounded|levels|few-levels|boxes|box-pairs|obstacles|crowds|naive|alone|ids|subgroups|software|apic)\b/;

export function isHot(name: string): boolean {
  return HOT.test(name);
}

/** Returns whether a kernel is hot, and runs for equal particles in a bounded world without options. */
export function isPlain(name: string): boolean {
  return isHot(name) && !VARIANT.test(name);
}

export async function listKernels(dimensions: Dimensions): Promise<Map<string, KernelDescription>> {
  const kernels = new Map<string, KernelDescription>();
  const add = (description: KernelDescription, variant = '') => {
    kernels.set(`${description.label}${variant} ${dimensions}D`, description);
  };
  for (const description of describeKernels(dimensions)) add(description);
  for (const description of describeFluid(dimensions)) add(description);
  const gpu = await openUnused(dimensions);
  for (const kind of KINDS) {
    const variant = kind === 'bounded' ? '' : `.${kind}`;
    const created = await recordCreated(() => createMethods(gpu, dimensions, kind));
    // The other kernels belong to the grid, and are listed already.
    for (const description of created) if (description.userCode) add(description, variant);
  }
  return kernels;
}

function describeFluid(dimensions: Dimensions): KernelDescription[] {
  const { transfer, particles } = kernelSources(true);
  const sources = {
    ...kernelSources(false),
    'transfer.apic': transfer,
    'particles.apic': particles,
  };
  return Object.entries(sources).map(([name, source]) => ({
    ...describeFluidKernel(dimensions, source),
    label: `fluid.${name}`,
  }));
}

/** Dawn crashes if its GPU object is garbage-collected while in use. */
const UNUSED: GPU[] = [];

/** Opens a device without a driver. Only creating the methods tells which kernels they have. */
async function openUnused(dimensions: Dimensions): Promise<Gpu> {
  const { create } = await import('webgpu');
  const provider = create(['backend=null']);
  UNUSED.push(provider);
  return requestGpu({ particles: 2, dimensions, gpu: provider });
}

async function recordCreated(create: () => Promise<void>): Promise<KernelDescription[]> {
  const created: KernelDescription[] = [];
  const { compile } = Kernel;
  Kernel.compile = (gpu, description) => {
    created.push(description);
    return compile.call(Kernel, gpu, description);
  };
  try {
    await create();
  } finally {
    Kernel.compile = compile;
  }
  return created;
}

async function createMethods(gpu: Gpu, dimensions: Dimensions, kind: WorldKind): Promise<void> {
  const all = (value: number) => new Array<number>(dimensions).fill(value);
  const box = { min: all(0), max: all(8), periodic: kind === 'periodic' };
  const world = kind === 'unbounded' ? { unbounded: true } : box;
  const options = { ...world, dimensions, positions: Float32Array.of(...all(1), ...all(2)) };
  const methods = [
    await createFlock(gpu, {
      ...options,
      perception: 1,
      fear: 1,
      obstacles: Float32Array.of(...all(4), 1),
      hunters: Float32Array.from(all(5)),
    }),
    await createLife(gpu, { ...options, reach: 1, species: Uint32Array.of(0, 0), attraction: [[1]] }),
    await createPositionFluid(gpu, { ...options, radius: 1, vorticity: 1 }),
  ];
  for (const method of methods) method.destroy();
}
