/**
 * Writes uniform data to a ring of slots, which are bound with dynamic offsets, so that recorded passes keep their
 * values. A slot is overwritten only after all PARAMETER_SLOTS − 1 others. RecordedChanges rejects an encoder that
 * would need more slots.
 */
import { LimitError } from '../core/base/errors';

/** Bytes per slot: every device accepts dynamic offsets that are multiples of this. */
const SLOT_BYTES = 256;
const PARAMETER_SLOTS = 1024;

/** A ring of slots with uniform data. A slot keeps its data until all other slots are written. */
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

  /**
   * Writes the bytes to the next slot and returns its offset. If they equal those of the last call, returns the same
   * offset and writes nothing.
   */
  write(bytes: ArrayBuffer): number {
    const incoming = new Uint8Array(bytes);
    if (this.last?.every((byte, index) => byte === incoming[index])) return this.lastOffset;
    this.lastOffset = this.next * SLOT_BYTES;
    this.next = (this.next + 1) % PARAMETER_SLOTS;
    this.last = incoming;
    this.device.queue.writeBuffer(this.buffer, this.lastOffset, bytes);
    return this.lastOffset;
  }
}

/** Counts the changes of parameters per encoder of the caller, and rejects more changes than a ring has slots for. */
export class RecordedChanges {
  private readonly recorded = new WeakMap<GPUCommandEncoder, number>();

  /** Throws if the encoder cannot take another change. `what` names the changed parameters in the error message. */
  check(encoder: GPUCommandEncoder, what: string): void {
    const recorded = this.recorded.get(encoder) ?? 0;
    if (recorded < PARAMETER_SLOTS - 1) return;
    throw new LimitError(
      'parameters',
      `This encoder holds ${recorded} changes of parameters${what} already, and at most ${PARAMETER_SLOTS - 1} fit one submission; submit it and continue with a new one.`,
    );
  }

  add(encoder: GPUCommandEncoder, changes: number): void {
    this.recorded.set(encoder, (this.recorded.get(encoder) ?? 0) + changes);
  }
}
