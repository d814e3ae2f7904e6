/**
 * Uniform data in a ring of slots, bound with dynamic offsets, so that recorded passes keep their values. A slot is
 * rewritten only after PARAMETER_SLOTS − 1 others were written; RecordedChanges rejects an encoder that would hold
 * more.
 */
import { LimitError } from '../core/base/errors';

/** Dynamic offsets are multiples of this on every device. */
const SLOT_BYTES = 256;
const PARAMETER_SLOTS = 1024;

/** A ring of slots with uniform data. A slot keeps its data until all other slots were written. */
export class UniformRing {
  static readonly SLOT_BYTES = SLOT_BYTES;
  static readonly BYTES = SLOT_BYTES * PARAMETER_SLOTS;
  private next = 0;
  private last: Uint8Array | undefined;
  private lastOffset = 0;

  constructor(
    private readonly device: GPUDevice,
    readonly buffer: GPUBuffer,
  ) {}

  /** Writes these bytes to a slot and returns its offset; the same slot again while the bytes stay the same. */
  place(bytes: ArrayBuffer): number {
    const incoming = new Uint8Array(bytes);
    if (this.last?.every((byte, index) => byte === incoming[index])) return this.lastOffset;
    this.lastOffset = this.next * SLOT_BYTES;
    this.next = (this.next + 1) % PARAMETER_SLOTS;
    this.last = incoming;
    this.device.queue.writeBuffer(this.buffer, this.lastOffset, bytes);
    return this.lastOffset;
  }
}

/** Counts the changes of parameters in each encoder of a caller, and rejects more than a ring has slots for. */
export class RecordedChanges {
  private readonly recorded = new WeakMap<GPUCommandEncoder, number>();

  /** `what` names the changed parameters in the error message. */
  check(encoder: GPUCommandEncoder, what: string): void {
    const recorded = this.recorded.get(encoder) ?? 0;
    if (recorded < PARAMETER_SLOTS - 1) return;
    throw new LimitError(
      'parameters',
      `This encoder holds ${recorded} changes of parameters${what} already, and at most ${PARAMETER_SLOTS - 1} fit one submission; submit it and go on with another.`,
    );
  }

  add(encoder: GPUCommandEncoder, changes: number): void {
    this.recorded.set(encoder, (this.recorded.get(encoder) ?? 0) + changes);
  }
}
