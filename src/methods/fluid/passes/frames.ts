/**
 * Purpose: the ring of uniforms from which substeps read what they are about, one slot a substep, so that many can be recorded
 * before they are submitted. A slot is written when its substep is recorded, and again FRAMES substeps later.
 */
import { type Gpu, LimitError } from '../../../index';
import { type Buffers, createBuffers, UNIFORM } from './buffers';
import { encodeFrame, FRAME_BYTES, type FrameInput } from './frame';

/** Substeps that can be recorded before the first of them is submitted, and one. */
const FRAMES = 64;
const SLOT_BYTES = Math.ceil(FRAME_BYTES / 256) * 256;

export class Frames {
  private readonly recorded = new WeakMap<GPUCommandEncoder, number>();
  private next = 0;

  private constructor(
    private readonly gpu: Gpu,
    private readonly owned: Buffers<'frames'>,
  ) {}

  static async create(gpu: Gpu): Promise<Frames> {
    return new Frames(gpu, await createBuffers(gpu, { frames: [SLOT_BYTES * FRAMES, UNIFORM] }));
  }

  get buffer(): GPUBuffer {
    return this.owned.buffers.frames;
  }

  get bytes(): number {
    return this.owned.bytes;
  }

  /** One substep more is recorded into a caller's encoder; refused where slots would be written before they are read. */
  reserve(encoder: GPUCommandEncoder): void {
    const held = this.recorded.get(encoder) ?? 0;
    if (held >= FRAMES - 1) {
      throw new LimitError(
        'substeps',
        `This encoder holds ${held} substeps already, and at most ${FRAMES - 1} fit one submission; submit it and go on with another.`,
      );
    }
    this.recorded.set(encoder, held + 1);
  }

  /** Writes the frame of the next substep; its byte in the ring. */
  write(input: FrameInput): number {
    const offset = SLOT_BYTES * this.next;
    this.next = (this.next + 1) % FRAMES;
    this.gpu.device.queue.writeBuffer(this.buffer, offset, encodeFrame(input));
    return offset;
  }

  destroy(): void {
    this.owned.destroy();
  }
}
