/**
 * Measures stages by timestamp queries or, if the device lacks them or there are too many stages, by the wall clock.
 * The wall clock measures separate submissions, so it includes overhead. Timestamps may be quantised to 100 µs, and may
 * run backwards if a device changes its frequency or sleeps.
 */
import type { StageTimes } from '../core/base/stage-times';
import { reserveBuffers } from './buffers';
import type { Gpu } from './device';
import { countDispatches } from './kernel';
import type { Readback } from './readback';
import type { Stage } from './stage';

export type { StageTimes };

/** A query set holds at most 4096 queries, and a stage takes two. */
const MAX_TIMED_STAGES = 2048;

export async function timeStages(
  gpu: Gpu,
  readback: Readback,
  stages: readonly Stage[],
): Promise<StageTimes> {
  let dispatches = 0;
  const counted = stages.map(({ name, encode }) => ({
    name,
    encode: (pass: GPUComputePassEncoder) => {
      dispatches += countDispatches(() => encode(pass));
    },
  }));
  const times =
    gpu.timestamps && stages.length <= MAX_TIMED_STAGES
      ? await timeByQueries(gpu, readback, counted)
      : await timeByClock(gpu, counted);
  const sums: Record<string, number> = {};
  stages.forEach((stage, index) => {
    sums[stage.name] = (sums[stage.name] ?? 0) + (times[index] ?? 0);
  });
  const discarded = times.filter((time) => time === undefined).length;
  return {
    source: gpu.timestamps && stages.length <= MAX_TIMED_STAGES ? 'timestamp-query' : 'wall-clock',
    stages: sums,
    total: times.reduce<number>((sum, time) => sum + (time ?? 0), 0),
    discarded: discarded > 0 ? discarded : undefined,
    dispatches,
  };
}

/** Milliseconds per stage; undefined if timestamps ran backwards. */
type Times = readonly (number | undefined)[];

async function timeByQueries(gpu: Gpu, readback: Readback, stages: readonly Stage[]): Promise<Times> {
  const queries = 2 * stages.length;
  if (queries === 0) return [];
  const querySet = gpu.device.createQuerySet({ label: 'timing.queries', type: 'timestamp', count: queries });
  const usage = GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC;
  const { buffers, settled, destroy } = reserveBuffers(gpu, 'timing', { resolved: queries * 8 }, usage);
  const { resolved } = buffers;
  try {
    const encoder = gpu.device.createCommandEncoder({ label: 'timing.encoder' });
    stages.forEach((stage, index) => {
      const pass = encoder.beginComputePass({
        label: stage.name,
        timestampWrites: {
          querySet,
          beginningOfPassWriteIndex: 2 * index,
          endOfPassWriteIndex: 2 * index + 1,
        },
      });
      stage.encode(pass);
      pass.end();
    });
    gpu.device.queue.submit([encoder.finish()]);
    // The timestamps are copied in a second submission. If there is no memory for `resolved`, the device drops only
    // that submission.
    gpu.device.pushErrorScope('validation');
    const resolving = gpu.device.createCommandEncoder({ label: 'timing.resolve' });
    resolving.resolveQuerySet(querySet, 0, queries, resolved, 0);
    const reading = readback.record(resolving, [{ buffer: resolved, size: queries * 8 }]);
    gpu.device.queue.submit([resolving.finish()]);
    gpu.device.popErrorScope().catch(() => undefined);
    const [[bytes]] = await Promise.all([reading.finish(), settled]);
    const stamps = new BigUint64Array(bytes as ArrayBuffer);
    return stages.map((_, index) => {
      const took = (stamps[2 * index + 1] as bigint) - (stamps[2 * index] as bigint);
      return took < 0n ? undefined : Number(took) / 1e6;
    });
  } finally {
    querySet.destroy();
    destroy();
  }
}

/** Submits all stages before it waits, so that the caller's work cannot run between them. */
async function timeByClock(gpu: Gpu, stages: readonly Stage[]): Promise<Times> {
  const { queue } = gpu.device;
  const idle = queue.onSubmittedWorkDone().then(() => performance.now());
  const ends = stages.map((stage) => {
    const encoder = gpu.device.createCommandEncoder({ label: 'timing.encoder' });
    const pass = encoder.beginComputePass({ label: stage.name });
    stage.encode(pass);
    pass.end();
    queue.submit([encoder.finish()]);
    return queue.onSubmittedWorkDone().then(() => performance.now());
  });
  const times = await Promise.all([idle, ...ends]);
  gpu.checkAlive();
  return times.slice(1).map((end, index) => Math.max(0, end - (times[index] as number)));
}
