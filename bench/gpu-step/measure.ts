/**
 * Times the variants that bench/gpu-step.ts describes, in turns. `separate` and `unsorted` must first give nearly the
 * same positions. After timing, no particle of `step` and `exact` may be lost. Uses error scopes, because a dropped
 * submission looks very fast.
 */
import type { StageTimes } from '../../src/core/base/stage-times';
import { planSimulation } from '../../src/core/simulation/plan';
import type { SimulationOptions } from '../../src/core/simulation/simulation';
import { createSimulation } from '../../src/engine/simulation/simulation';
import { type Gpu, isSoftware, requestGpu } from '../../src/gpu/device';
import { fromStored, storedFloats } from '../../src/gpu/layout';
import { Readback } from '../../src/gpu/readback';
import type { Stage } from '../../src/gpu/stage';
import { timeStages } from '../../src/gpu/timing';
import { createScene, type Scene, sceneOptions } from '../../src/scenes';
import { createCopied, createCopy, mostCopied } from '../harness/copying';
import { createUnsorted } from './unsorted';

export interface StepRequest {
  readonly count: number;
  readonly dimensions: 2 | 3;
  readonly repeats: number;
  /** Runs that are submitted before the host waits. More than one hides the host's latency. */
  readonly queue: number;
  /** Substeps per step. */
  readonly substeps: number;
  readonly variants: readonly VariantName[];
}

export const VARIANTS = ['separate', 'unsorted', 'step', 'exact'] as const;
export type VariantName = (typeof VARIANTS)[number];

/** Times of `step` and `exact` are per substep, those of the others per run. */
export interface Timing {
  /** Milliseconds from the start of recording to completion: one value for each repeat. */
  readonly wall: readonly number[];
  readonly median: number;
  /** Median milliseconds that the host needs to record and submit. */
  readonly host: number;
  readonly passes: StageTimes;
  readonly bytesEquivalent: number;
}

export interface StepResult extends StepRequest {
  readonly adapter: string;
  readonly timestamps: boolean;
  readonly contactsPerParticle: number;
  readonly memoryPerParticle: number;
  readonly cellsPerParticle: number;
  readonly copyBytesPerMs: number;
  readonly timings: { readonly [Name in VariantName]?: Timing };
  /** The greatest difference of the two grids' coordinates after one push; undefined without `unsorted`. */
  readonly difference: number | undefined;
}

interface Variant {
  readonly run: () => void;
  readonly passes: () => Promise<StageTimes>;
  readonly substeps?: number;
}

/** Seconds per substep. Such a short step hardly moves anything: all repeats have about the same neighbours. */
const DT = 2 ** -14;
/** A low relaxation gives all repeats nearly the same workload. */
const RELAXATION = 0.01;
/** Adds copies until they take this long together, so that the host's latency matters little. */
const LEAST_COPY_MS = 50;
const MOST_COPIES = 4096;
/** Bytes per copy: far more than caches hold. */
const COPY_BYTES = { gpu: 2 ** 28, software: 2 ** 26 } as const;
/** The two grids round differently, because they sum in different orders. */
const MOST_DIFFERENCE = 1e-3;

export async function measureStep(request: StepRequest, provider?: GPU): Promise<StepResult> {
  const { count, dimensions, substeps } = request;
  const scene = createScene('uniform', { count, dimensions });
  const gravity = new Array<number>(dimensions).fill(0);
  gravity[1] = -9.8125;
  const options = sceneOptions(scene, { relaxation: RELAXATION, gravity, substeps, walls: false });
  const cells = planSimulation(options).world.cellCount;
  const gpu = await requestGpu({ particles: count, cells, dimensions, gpu: provider });
  try {
    return await measureOn(gpu, request, scene, options);
  } finally {
    // Free all buffers even if the case fails, because the next case needs the memory.
    gpu.destroy();
  }
}

async function measureOn(
  gpu: Gpu,
  request: StepRequest,
  scene: Scene,
  options: SimulationOptions,
): Promise<StepResult> {
  const { count, dimensions, repeats, queue, substeps } = request;
  const { device } = gpu;
  for (const scope of ['validation', 'out-of-memory', 'internal'] as const) device.pushErrorScope(scope);
  const has = (name: VariantName) => request.variants.includes(name);
  const simulation = await createSimulation(gpu, options);
  const exact = has('exact') ? await createSimulation(gpu, { ...options, exact: true }) : undefined;
  const unsorted = has('unsorted') ? await createUnsorted(gpu, scene, RELAXATION) : undefined;
  const readback = new Readback(gpu, 'bench');
  const record = (stages: readonly Stage[]) => {
    const encoder = device.createCommandEncoder({ label: 'bench' });
    const pass = encoder.beginComputePass({ label: 'bench' });
    for (const stage of stages) stage.encode(pass);
    pass.end();
    device.queue.submit([encoder.finish()]);
  };
  const readUnsorted = async (positions: GPUBuffer) => {
    const encoder = device.createCommandEncoder({ label: 'bench.read' });
    const reading = readback.record(encoder, [
      { buffer: positions, size: 4 * storedFloats(dimensions) * count },
    ]);
    device.queue.submit([encoder.finish()]);
    const [bytes] = await reading.finish();
    return fromStored(dimensions, bytes as ArrayBuffer);
  };

  const before = await simulation.measure();
  if (before.contacts === 0) throw new Error('The scene has no contacts, so a push would have no work.');
  simulation.separate(1);
  let difference: number | undefined;
  if (unsorted) {
    record(unsorted.stages());
    const sorted = (await simulation.read()).positions;
    difference = greatestDifference(sorted, await readUnsorted(unsorted.positions));
    if (!(difference <= MOST_DIFFERENCE)) {
      throw new Error(
        `After one push, the positions of the two grids differ by ${difference} (at most ${MOST_DIFFERENCE} is accepted).`,
      );
    }
  }

  const copyBytesPerMs = await measureCopy(gpu);
  const dt = DT * substeps;
  const variants: Record<VariantName, Variant | undefined> = {
    separate: { run: () => simulation.separate(1), passes: () => simulation.profileSeparate(1) },
    unsorted: unsorted && {
      run: () => record(unsorted.stages()),
      passes: () => timeStages(gpu, readback, unsorted.stages()),
    },
    step: {
      run: () => simulation.step(dt),
      passes: () => perSubstep(simulation.profile(dt), substeps),
      substeps,
    },
    exact: exact && {
      run: () => exact.step(dt),
      passes: () => perSubstep(exact.profile(dt), substeps),
      substeps,
    },
  };
  const measured = VARIANTS.flatMap((name) => {
    const variant = has(name) && variants[name];
    return variant ? [{ name, ...variant, wall: [] as number[], host: [] as number[] }] : [];
  });
  for (let repeat = 0; repeat <= repeats; repeat++) {
    for (const { run, wall, host, substeps: parts = 1 } of measured) {
      await device.queue.onSubmittedWorkDone();
      const began = performance.now();
      for (let queued = 0; queued < queue; queued++) run();
      const submitted = performance.now();
      await device.queue.onSubmittedWorkDone();
      if (repeat === 0) continue;
      wall.push((performance.now() - began) / queue / parts);
      host.push((submitted - began) / queue / parts);
    }
  }
  const timings: { [Name in VariantName]?: Timing } = {};
  for (const { name, wall, host, passes } of measured) {
    const median = medianOf(wall);
    // The first profile compiles what it needs, so keep the second.
    await passes();
    const bytesEquivalent = (median * copyBytesPerMs) / count;
    timings[name] = { wall, median, host: medianOf(host), passes: await passes(), bytesEquivalent };
  }
  for (const [name, { count: left, nonFinite }] of Object.entries({
    step: await simulation.measure(),
    exact: (await exact?.measure()) ?? { count, nonFinite: 0 },
  })) {
    if (left === count && nonFinite === 0) continue;
    throw new Error(
      `After timing, ${left} of ${count} particles of ${name} are left and ${nonFinite} are not finite.`,
    );
  }
  for (let scope = 0; scope < 3; scope++) {
    const error = await device.popErrorScope();
    if (error) throw new Error(`The device reported: ${error.message}`);
  }
  return {
    ...request,
    adapter: [gpu.info?.description, gpu.info?.vendor, gpu.info?.architecture].filter(Boolean).join(', '),
    timestamps: gpu.timestamps,
    contactsPerParticle: (2 * before.contacts) / count,
    memoryPerParticle: simulation.memoryBytes / count,
    cellsPerParticle: simulation.world.cellCount / count,
    copyBytesPerMs,
    timings,
    difference,
  };
}

/** Returns the bytes per millisecond, read plus written. */
async function measureCopy(gpu: Gpu): Promise<number> {
  const { device } = gpu;
  const size = Math.min(COPY_BYTES[isSoftware(gpu.info) ? 'software' : 'gpu'], mostCopied(gpu));
  const [from, to] = [createCopied(gpu, 0, size), createCopied(gpu, 1, size)];
  const copy = await createCopy(gpu, from, to);
  const time = async (copies: number) => {
    const encoder = device.createCommandEncoder({ label: 'bench.copy' });
    for (let index = 0; index < copies; index++) copy(encoder);
    const commands = encoder.finish();
    await device.queue.onSubmittedWorkDone();
    const began = performance.now();
    device.queue.submit([commands]);
    await device.queue.onSubmittedWorkDone();
    return performance.now() - began;
  };
  let copies = 4;
  while (copies < MOST_COPIES && (await time(copies)) < LEAST_COPY_MS) copies *= 2;
  let best = Number.POSITIVE_INFINITY;
  for (let repeat = 0; repeat < 6; repeat++) best = Math.min(best, await time(copies));
  from.destroy();
  to.destroy();
  return (2 * copies * size) / best;
}

async function perSubstep(profile: Promise<StageTimes>, substeps: number): Promise<StageTimes> {
  const times = await profile;
  const stages = Object.fromEntries(
    Object.entries(times.stages).map(([name, time]) => [name, time / substeps]),
  );
  return { ...times, stages, total: times.total / substeps };
}

function greatestDifference(a: Float32Array, b: Float32Array): number {
  return a.reduce((most, value, index) => Math.max(most, Math.abs(value - (b[index] as number))), 0);
}

function medianOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
