/**
 * Writes uniform data to the slots of a buffer in turn. A recorded pass refers to its slot by a dynamic offset, so the
 * pass keeps its values when later values go to other slots. After the last slot, `write` begins again at the first. If
 * a user's encoder may refer to the full buffer, first call `replace`: WebGPU does not tell whether the encoder was
 * submitted.
 */

/** Every device accepts dynamic offsets that are multiples of this. */
const SLOT_BYTES = 256;
const PARAMETER_SLOTS = 1024;

export class UniformRing {
  static readonly SLOT_BYTES = SLOT_BYTES;
  static readonly BYTES = SLOT_BYTES * PARAMETER_SLOTS;
  private next = 0;
  private last: Uint8Array | undefined;
  private lastOffset = 0;

  constructor(
    private readonly device: GPUDevice,
    private current: GPUBuffer,
  ) {}

  get buffer(): GPUBuffer {
    return this.current;
  }

  /** True if the next change would overwrite the oldest slot. */
  get isFull(): boolean {
    return this.next === PARAMETER_SLOTS;
  }

  /** Continues in a new buffer. The old buffer is freed once nothing refers to it. */
  replace(): void {
    const { label, size, usage } = this.current;
    this.current = this.device.createBuffer({ label, size, usage });
    this.next = 0;
    this.last = undefined;
  }

  /** Returns the offset of the bytes. Writes nothing if the last call had the same bytes. */
  write(bytes: ArrayBuffer): number {
    const incoming = new Uint8Array(bytes);
    if (this.last?.every((byte, index) => byte === incoming[index])) return this.lastOffset;
    if (this.isFull) this.next = 0;
    this.lastOffset = this.next++ * SLOT_BYTES;
    this.last = incoming;
    this.device.queue.writeBuffer(this.current, this.lastOffset, bytes);
    return this.lastOffset;
  }

  destroy(): void {
    this.current.destroy();
  }
}
