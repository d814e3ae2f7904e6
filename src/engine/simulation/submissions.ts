/**
 * Submits changes of a simulation's state, and notices if the device drops one.
 *
 * The device drops a submission that uses a rejected kernel. If no caller awaited the compilation, the rejection can
 * come after the recording. The device also drops what is recorded into a finished encoder. In both cases the host
 * assumes a change that the device has not made: the state is lost, and `check` throws until `renew` is called.
 * Ordering: `submit` and `time` submit at once, in the order of the calls. Changes passed to `record` run when the
 * caller submits the encoder.
 */
import { GpuError } from '../../core/base/errors';
import type { StageTimes } from '../../core/base/stage-times';
import type { Gpu } from '../../gpu/device';
import { watchKernels } from '../../gpu/kernel';
import type { Readback } from '../../gpu/readback';
import type { Stage } from '../../gpu/stage';
import { submitWatched, validOf } from '../../gpu/submission';
import { timeStages } from '../../gpu/timing';

export class StateSubmissions {
  private valid: Promise<void> = Promise.resolve();
  private loss: GpuError | undefined;

  constructor(private readonly gpu: Gpu) {}

  /**
   * Rejects if the device has dropped a change since the last `renew`. Await this before you return a result read from
   * the state.
   */
  get settled(): Promise<void> {
    return this.valid;
  }

  check(): void {
    if (this.loss) throw this.loss;
  }

  /** Forgets a loss. Call this when the whole state is overwritten. */
  renew(): void {
    this.loss = undefined;
    this.valid = Promise.resolve();
  }

  submit(label: string, encode: (encoder: GPUCommandEncoder) => void): void {
    const { device } = this.gpu;
    const encoder = device.createCommandEncoder({ label });
    const { compiled } = watchKernels(this.gpu, () => encode(encoder));
    if (compiled) device.pushErrorScope('validation');
    device.queue.submit([encoder.finish()]);
    if (compiled) this.dependOn(validOf(compiled, device.popErrorScope()));
  }

  /**
   * Records a change into the caller's encoder. If the encoder is finished already, `settled` rejects once WebGPU has
   * reported that. An encoder of another device reports errors to that device only.
   */
  record(encode: () => void): void {
    const { device } = this.gpu;
    device.pushErrorScope('validation');
    let compiled: Promise<void> | undefined;
    try {
      ({ compiled } = watchKernels(this.gpu, encode));
    } finally {
      const what = 'The encoder could not record a step; was it finished already?';
      this.dependOn(validOf(compiled, device.popErrorScope(), what));
    }
  }

  /** Times each stage, then submits what `finish` records. Submits everything before it first waits. */
  time(
    readback: Readback,
    stages: readonly Stage[],
    finish: (encoder: GPUCommandEncoder) => void,
  ): Promise<StageTimes> {
    const { result: times, valid } = submitWatched(this.gpu, 'simulation.finish', (encoder) => {
      const timing = timeStages(this.gpu, readback, stages);
      finish(encoder);
      return timing;
    });
    this.dependOn(valid);
    return Promise.all([times, this.valid]).then(([result]) => result);
  }

  /** After a dropped change, `settled` keeps rejecting, because later changes start from a lost state. */
  private dependOn(change: Promise<void>): void {
    const valid = Promise.all([this.valid, change]).then(
      () => undefined,
      (error: Error) => {
        throw error instanceof StateLost ? error : new StateLost(error);
      },
    );
    this.valid = valid;
    valid.catch((error: StateLost) => {
      // A loss no longer matters if a checkpoint was restored meanwhile.
      if (this.valid === valid) this.loss = error;
    });
  }
}

class StateLost extends GpuError {
  constructor(cause: Error) {
    const reason = cause instanceof GpuError ? cause.reason : 'shader';
    const advice = reason === 'shader' ? ' and avoid the kernel that was rejected' : '';
    super(
      reason,
      `This simulation lost its particles when the device dropped a change; restore a checkpoint${advice}: ${cause.message}`,
    );
  }
}
