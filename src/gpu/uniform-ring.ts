/**
 * Uniform data in a ring of slots, bound with dynamic offsets, so that what was recorded keeps the values that it was
 * recorded with. A slot is written again only after PARAMETER_SLOTS other values; RecordedChanges refuses an encoder that
 * would hold more.
 */
import { LimitError } from '../core/base/errors';

/** Dynamic offsets are multiples of this on every device. */
const SLOT_BYTES = 256;
const PARAMETER_SLOTS = 1024;

/** Slots of uniform data, each kept for as long as PARAMETER_SLOTS − 1 others are not written. */
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

  /** Offset of a slot that holds these bytes; the same one while they stay the same. */
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

/** Counts the changes of parameters in each encoder of a caller, and refuses more than a ring has slots for. */
export class RecordedChanges {
  private readonly recorded = new WeakMap<GPUCommandEncoder, number>();

  /** `what` is changed, for the message. */
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
