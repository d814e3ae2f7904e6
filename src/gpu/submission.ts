/**
 * Submits work that the device drops if a kernel did not compile or a buffer got no memory. The caller then gets the
 * error, which WebGPU would otherwise report as uncaptured.
 */
import { GpuError } from '../core/base/errors';
import type { Gpu } from './device';
import { watchKernels } from './kernel';

export interface Submission<Result> {
  readonly result: Result;
  /** Rejects if the device dropped the submission. If a rejected kernel was the reason, the error is the kernel's. */
  readonly valid: Promise<void>;
}

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

/**
 * Rejects if `compiled` rejects or if `scope`, the validation scope of the submission, caught an error. `what` begins
 * the message about an error of the scope.
 */
export function validOf(
  compiled: Promise<void> | undefined,
  scope: Promise<GPUError | null>,
  what = 'The device rejected a submission:',
): Promise<void> {
  const caught = scope.catch(() => null);
  const valid = (async () => {
    await compiled;
    const error = await caught;
    if (error) throw new GpuError('validation', `${what} ${error.message}`);
  })();
  // Callers that do not await `valid` must not cause an unhandled rejection.
  valid.catch(() => undefined);
  return valid;
}
