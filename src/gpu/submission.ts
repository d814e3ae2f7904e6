/**
 * Submissions that may be dropped, since a kernel in them is refused after it was recorded or a buffer
 * found no memory. Whoever submits hears of it; the device does not report it a second time.
 */
import { GpuError } from '../core/base/errors';
import type { Gpu } from './device';
import { watchKernels } from './kernel';

export interface Submission<Result> {
  /** The result of the recording. */
  readonly result: Result;
  /** Rejects where the device dropped the submission: with the refusal of a kernel, if that is why. */
  readonly valid: Promise<void>;
}

/** Records into an encoder of its own and submits it. */
export function submitWatched<Result>(
  gpu: Gpu,
  label: string,
  record: (encoder: GPUCommandEncoder) => Result,
): Submission<Result> {
  const { device } = gpu;
  device.pushErrorScope('validation');
  try {
    const encoder = device.createCommandEncoder({ label });
    const { result, compiled } = watchKernels(gpu, () => record(encoder));
    device.queue.submit([encoder.finish()]);
    return { result, valid: validOf(compiled, device.popErrorScope()) };
  } catch (error) {
    device.popErrorScope().catch(() => undefined);
    throw error;
  }
}

/** Rejects with the refusal of a kernel, else with what a validation scope around the submission caught. */
export function validOf(compiled: Promise<void> | undefined, scope: Promise<GPUError | null>): Promise<void> {
  const caught = scope.catch(() => null);
  const valid = (async () => {
    await compiled;
    const error = await caught;
    if (error) throw new GpuError('validation', `The device refused a submission: ${error.message}`);
  })();
  // A caller that awaits it gets the error; without one it must not count as unhandled.
  valid.catch(() => undefined);
  return valid;
}
