/**
 * What changes a simulation's state on the device, and whether the device took all of it.
 *
 * The device may reject a kernel after it was recorded, if no caller awaited its compilation; it then drops the submission. A change
 * that was dropped leaves the copies of the state in disorder: the state is lost, and `check` says so, until `renew`.
 * Inputs: recordings of changes. Outputs: `settled`, which rejects where one of all up to now was dropped.
 * Ordering: changes are submitted at once, in the order of the calls; those recorded into a caller's encoder with it.
 */
import { GpuError } from '../../core/base/errors';
import type { StageTimes } from '../../core/base/stage-times';
import type { Gpu } from '../../gpu/device';
import { watchKernels } from '../../gpu/kernel';
import type { Readback } from '../../gpu/readback';
import type { Stage } from '../../gpu/stage';
import { validOf } from '../../gpu/submission';
import { timeStages } from '../../gpu/timing';

export class Changes {
  private sound: Promise<void> = Promise.resolve();
  private loss: GpuError | undefined;

  constructor(private readonly gpu: Gpu) {}

  /** Rejects where the device dropped a change up to now. Whoever answers from the state waits for it. */
  get settled(): Promise<void> {
    return this.sound;
  }

  /** Throws once it is known that the state is lost. */
  check(): void {
    if (this.loss) throw this.loss;
  }

  /** All of the state is written anew: what became of it does not matter any more. */
  renew(): void {
    this.loss = undefined;
    this.sound = Promise.resolve();
  }

  /** In a submission of its own. */
  submit(label: string, encode: (encoder: GPUCommandEncoder) => void): void {
    const { device } = this.gpu;
    const encoder = device.createCommandEncoder({ label });
    const { sound } = watchKernels(this.gpu, () => encode(encoder));
    if (sound) device.pushErrorScope('validation');
    device.queue.submit([encoder.finish()]);
    if (sound) this.dependOn(validOf(sound, device.popErrorScope()));
  }

  /** Into an encoder of the caller's. */
  record(encode: () => void): void {
    const { sound } = watchKernels(this.gpu, encode);
    if (sound) this.dependOn(sound);
  }

  /** The same with each stage timed. All is recorded and submitted before the first wait. */
  time(readback: Readback, stages: readonly Stage[]): Promise<StageTimes> {
    const { device } = this.gpu;
    device.pushErrorScope('validation');
    const { result: times, sound } = watchKernels(this.gpu, () => timeStages(this.gpu, readback, stages));
    this.dependOn(validOf(sound, device.popErrorScope()));
    return Promise.all([times, this.sound]).then(([result]) => result);
  }

  /** Where `valid` rejects, a change was dropped, and all that was done since was done to the wrong copies. */
  private dependOn(valid: Promise<void>): void {
    const sound = Promise.all([this.sound, valid]).then(
      () => undefined,
      (error: Error) => {
        throw error instanceof StateLost ? error : new StateLost(error);
      },
    );
    this.sound = sound;
    sound.catch((error: StateLost) => {
      // A checkpoint restored meanwhile has made up for it.
      if (this.sound === sound) this.loss = error;
    });
  }
}

/** The device dropped a change of the state, since it refused a kernel of it. */
class StateLost extends GpuError {
  constructor({ message }: Error) {
    super(
      'shader',
      `This simulation lost its particles with a change that the device dropped; restore a checkpoint and do without what was refused: ${message}`,
    );
  }
}
