/** Opens a GPU through Dawn, or the CPU engine. Without a GPU, Dawn uses a software driver, if it finds one. */
import { totalmem } from 'node:os';
import { LimitError } from '../core/base/errors';
import type { SimulationPlan } from '../core/simulation/plan';
import type { ParticleSimulation, SimulationOptions } from '../core/simulation/simulation';
import { type Dimensions, MAX_CELLS } from '../core/world/world';
import { createCpuSimulation } from '../cpu';
import { deviceNeeds } from '../engine/simulation/memory';
import { createSimulation, type Simulation } from '../engine/simulation/simulation';
import { nameAdapter } from '../gpu/adapter-name';
import { type Gpu, requestGpu } from '../gpu/device';
import { type Dawn, openDawn } from '../node/dawn';
import type { Flag } from './arguments';

export const BACKENDS = ['gpu', 'cpu'] as const;
export type Backend = (typeof BACKENDS)[number];

export const BACKEND_FLAG: Flag = {
  value: 'gpu|cpu',
  help: 'where to compute (default gpu; cpu needs no driver)',
};

export interface GpuHost {
  readonly gpu: Gpu;
  readonly dawn: Dawn;
}

export async function openGpu(particles: number, cells: number, dimensions: Dimensions): Promise<GpuHost> {
  const dawn = await openDawn();
  return { dawn, gpu: await requestGpu({ particles, cells, dimensions, gpu: dawn.gpu }) };
}

/** Example: "SwiftShader Device (Subzero), google, driver SwiftShader (path)". */
export function describeAdapter({ gpu, dawn }: GpuHost): string {
  return `${nameAdapter(gpu.info)}, driver ${dawn.driver}${dawn.path ? ` (${dawn.path})` : ''}`;
}

/** Rejects a count above the limits of the GPU or, on the CPU, the memory. Call this before you create the scene. */
export async function checkFits(backend: Backend, count: number, dimensions: Dimensions): Promise<void> {
  if (backend === 'gpu') {
    const { gpu } = await openGpu(count, Math.min(count, MAX_CELLS), dimensions);
    gpu.destroy();
    return;
  }
  const fit = greatestOnCpu(dimensions);
  if (count > fit) {
    const bytes = count * CPU_BYTES_PER_PARTICLE[dimensions];
    throw new LimitError(
      'memory',
      `${count} particles need ${bytes} bytes, but this machine has ${totalmem()} bytes; at most ${fit} particles fit.`,
    );
  }
}

/** tests/unit/cli/backend.test.ts compares these numbers with memoryBytes. */
export const CPU_BYTES_PER_PARTICLE: Readonly<Record<Dimensions, number>> = { 2: 240, 3: 324 };

export function greatestOnCpu(dimensions: Dimensions): number {
  return Math.floor(totalmem() / CPU_BYTES_PER_PARTICLE[dimensions]);
}

export type AnySimulation = Simulation | ParticleSimulation;

export async function openSimulation(
  backend: Backend,
  options: SimulationOptions,
  { capacity, world, continuous }: SimulationPlan,
): Promise<{ simulation: AnySimulation; adapter: string; gpu: Gpu | undefined }> {
  if (backend === 'cpu') {
    return { simulation: createCpuSimulation(options), adapter: describeCpu(), gpu: undefined };
  }
  const { particles, cells, dimensions } = deviceNeeds(world, capacity, continuous);
  const host = await openGpu(particles, cells, dimensions);
  return {
    simulation: await createSimulation(host.gpu, options),
    adapter: describeAdapter(host),
    gpu: host.gpu,
  };
}

export function describeCpu(): string {
  return `CPU engine, one thread, Node ${process.version}`;
}
