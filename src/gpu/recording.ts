/**
 * Notices a call that comes before the caller has finished an encoder with a recorded step. The call would run first
 * and see the state without the step. WebGPU does not say whether an encoder was finished, so this module replaces the
 * encoder's `finish` by a function that takes note and calls it. It does not notice a finished command buffer that was
 * not submitted.
 */
import { CellstormError } from '../core/base/errors';

/** Encoders with recorded steps that are not finished. */
const OPEN = new WeakSet<GPUCommandEncoder>();

function noticeFinish(encoder: GPUCommandEncoder): void {
  if (OPEN.has(encoder)) return;
  const { finish } = encoder;
  const noticed = (...descriptor: Parameters<GPUCommandEncoder['finish']>) => {
    OPEN.delete(encoder);
    return finish.apply(encoder, descriptor);
  };
  const isReplaced = Reflect.defineProperty(encoder, 'finish', {
    value: noticed,
    configurable: true,
    writable: true,
  });
  if (isReplaced) OPEN.add(encoder);
}

export class RecordedSteps {
  /** The caller's encoder that was recorded into last. Earlier ones must be submitted before it. */
  private last: GPUCommandEncoder | undefined;

  /** Call this when a step was recorded into the caller's encoder. */
  note(encoder: GPUCommandEncoder): void {
    this.last = encoder;
    noticeFinish(encoder);
  }

  /** Throws if the encoder of the last recorded step is not finished. */
  check(): void {
    const { last } = this;
    if (!last || !OPEN.has(last)) return;
    const name = last.label ? `"${last.label}"` : 'without a label';
    throw new CellstormError(
      `A step was recorded into the command encoder ${name}, which has not been finished since: submit its command buffer first, because this call would not see the step. If you dropped the encoder, or finished it before the recording, restore a checkpoint.`,
    );
  }

  /** Call this when the whole state is overwritten. */
  forget(): void {
    this.last = undefined;
  }
}
