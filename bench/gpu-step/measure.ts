/**
 * Measures `separate` (a sort with one push apart), `unsorted` (one push on a grid that does not sort the state) and
 * `step`, in turns. Positions of both grids must first agree, and no particle may be lost. Uses error scopes, because a
 * dropped submission looks very fast.
 */
import type { StageTimes } from '../../src/core/base/stage-times';
import { createSimulation } from '../../src/engine/simulation/simulation';
import { type Gpu, requestGpu } from '../../src/gpu/device';
import { fromStored, storedFloats } from '../../src/gpu/layout';
import { Readback } from '../../src/gpu/readback';
import type { Stage } from '../../src/gpu/stage';
import { timeStages } from '../../src/gpu/timing';
import { createScene, sceneOptions } from '../../src/scenes';
import { createUnsorted } from './unsorted';

export interface StepRequest {
  readonly count: number;
  readonly dimensions: 2 | 3;
  readonly repeats: number;
}

export interface Timing {
  /** Milliseconds from submission to completion, per repeat. */
  readonly wall: readonly number[];
  readonly median: number;
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
  readonly separate: Timing;
  readonly step: Timing;
  readonly unsorted: Timing;
  /** The greatest difference of the two grids' coordinates after one push. */
  readonly difference: number;
}

/** A low relaxation gives all repeats nearly the same workload. */
const RELAXATION = 0.01;
/** The two grids round differently, because they sum in different orders. */
const MOST_DIFFERENCE = 1e-3;

export async function measureStep(request: StepRequest, provider?: GPU): Promise<StepResult> {
  const { count, dimensions, repeats } = request;
  const scene = createScene('uniform', { count, dimensions });
  const gpu = await requestGpu({ particles: count, cells: 8 * count + 4096, dimensions, gpu: provider });
  const { device } = gpu;
  for (const scope of ['validation', 'out-of-memory', 'internal'] as const) device.pushErrorScope(scope);
  const gravity = new Array<number>(dimensions).fill(0);
  gravity[1] = -9.8125;
  const simulation = await createSimulation(
    gpu,
    sceneOptions(scene, { relaxation: RELAXATION, gravity, substeps: 1, walls: false }),
  );
  const unsorted = await createUnsorted(gpu, scene, RELAXATION);
  const readback = new Readback(gpu, 'bench');
  const record = (stages: readonly Stage[]) => {
    const encoder = device.createCommandEncoder({ label: 'bench' });
    const pass = encoder.beginComputePass({ label: 'bench' });
    for (const stage of stages) stage.encode(pass);
    pass.end();
    device.queue.submit([encoder.finish()]);
  };
  const readUnsorted = async () => {
    const encoder = device.createCommandEncoder({ label: 'bench.read' });
    const reading = readback.record(encoder, [
      { buffer: unsorted.positions, size: 4 * storedFloats(dimensions) * count },
    ]);
    device.queue.submit([encoder.finish()]);
    const [bytes] = await reading.finish();
    return fromStored(dimensions, bytes as ArrayBuffer);
  };

  const before = await simulation.measure();
  simulation.separate(1);
  record(unsorted.stages());
  const difference = greatestDifference((await simulation.read()).positions, await readUnsorted());
  if (!(difference <= MOST_DIFFERENCE) || before.contacts === 0) {
    throw new Error(
      `After one push, the positions of the two grids differ by ${difference} (at most ${MOST_DIFFERENCE} is accepted), with ${before.contacts} contacts (at least 1 is needed).`,
    );
  }

  const copyBytesPerMs = await measureCopy(gpu);
  const variants = {
    separate: { run: () => simulation.separate(1), passes: () => simulation.profileSeparate(1) },
    unsorted: {
      run: () => record(unsorted.stages()),
      passes: () => timeStages(gpu, readback, unsorted.stages()),
    },
    // A microsecond hardly moves anything, so all repeats have the same neighbours.
    step: { run: () => simulation.step(1e-6), passes: () => simulation.profile(1e-6) },
  };
  const wall = { separate: [] as number[], unsorted: [] as number[], step: [] as number[] };
  for (let repeat = 0; repeat <= repeats; repeat++) {
    for (const [name, variant] of Object.entries(variants) as [
      keyof typeof variants,
      (typeof variants)['step'],
    ][]) {
      await device.queue.onSubmittedWorkDone();
      const began = performance.now();
      variant.run();
      await device.queue.onSubmittedWorkDone();
      if (repeat > 0) wall[name].push(performance.now() - began);
    }
  }
  const timing = async (name: keyof typeof variants): Promise<Timing> => {
    const median = medianOf(wall[name]);
    const passes = await variants[name].passes();
    return { wall: wall[name], median, passes, bytesEquivalent: (median * copyBytesPerMs) / count };
  };
  const [separate, stepped, plain] = [
    await timing('separate'),
    await timing('step'),
    await timing('unsorted'),
  ];
  const after = await simulation.measure();
  if (after.count !== count || after.nonFinite > 0)
    throw new Error(
      `After timing, ${after.count} of ${count} particles are left and ${after.nonFinite} are not finite.`,
    );
  for (let scope = 0; scope < 3; scope++) {
    const error = await device.popErrorScope();
    if (error) throw new Error(`The device reported: ${error.message}`);
  }
  const result: StepResult = {
    ...request,
    adapter: [gpu.info?.description, gpu.info?.vendor, gpu.info?.architecture].filter(Boolean).join(', '),
    timestamps: gpu.timestamps,
    contactsPerParticle: (2 * before.contacts) / count,
    memoryPerParticle: simulation.memoryBytes / count,
    cellsPerParticle: simulation.world.cellCount / count,
    copyBytesPerMs,
    separate,
    step: stepped,
    unsorted: plain,
    difference,
  };
  simulation.destroy();
  unsorted.destroy();
  readback.destroy();
  gpu.destroy();
  return result;
}

/** Returns the bytes per millisecond, read plus written, in the best of several rounds of copies of 64 MiB. */
async function measureCopy(gpu: Gpu): Promise<number> {
  const size = 1 << 26;
  const usage = GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const [from, to] = [0, 1].map((index) =>
    gpu.device.createBuffer({ label: `bench.copy.${index}`, size, usage }),
  ) as [GPUBuffer, GPUBuffer];
  let best = Number.POSITIVE_INFINITY;
  for (let repeat = 0; repeat < 6; repeat++) {
    const encoder = gpu.device.createCommandEncoder({ label: 'bench.copy' });
    for (let copy = 0; copy < 4; copy++) encoder.copyBufferToBuffer(from, 0, to, 0, size);
    const commands = encoder.finish();
    await gpu.device.queue.onSubmittedWorkDone();
    const began = performance.now();
    gpu.device.queue.submit([commands]);
    await gpu.device.queue.onSubmittedWorkDone();
    best = Math.min(best, performance.now() - began);
  }
  from.destroy();
  to.destroy();
  return (2 * 4 * size) / best;
}

function greatestDifference(a: Float32Array, b: Float32Array): number {
  return a.reduce((most, value, index) => Math.max(most, Math.abs(value - (b[index] as number))), 0);
}

function medianOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
