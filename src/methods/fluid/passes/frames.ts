/**
 * The uniform buffer of substeps' parameters (`struct Frame`). Each substep takes a frame, and so does each reading of
 * the greatest speed. A frame is overwritten FRAMES frames later.
 */
import { LimitError } from '../../../core/base/errors';
import type { Gpu } from '../../../gpu/device';
import { type Buffers, createBuffers, UNIFORM } from './buffers';
import { encodeFrame, FRAME_BYTES, type FrameInput } from './frame';

/** Number of frames, one more than the substeps that an encoder may hold. */
const FRAMES = 64;
const FRAME_STRIDE = Math.ceil(FRAME_BYTES / 256) * 256;

export class Frames {
  private readonly recorded = new WeakMap<GPUCommandEncoder, number>();
  private next = 0;

  private constructor(
    private readonly gpu: Gpu,
    private readonly owned: Buffers<'frames'>,
  ) {}

  static async create(gpu: Gpu): Promise<Frames> {
    return new Frames(gpu, await createBuffers(gpu, { frames: [FRAME_STRIDE * FRAMES, UNIFORM] }));
  }

  get buffer(): GPUBuffer {
    return this.owned.buffers.frames;
  }

  get bytes(): number {
    return this.owned.bytes;
  }

  reserve(encoder: GPUCommandEncoder): void {
    const recorded = this.recorded.get(encoder) ?? 0;
    if (recorded >= FRAMES - 1) {
      throw new LimitError(
        'substeps',
        `This encoder holds ${recorded} substeps already, and at most ${FRAMES - 1} fit into one submission; submit it and continue with a new encoder.`,
      );
    }
    this.recorded.set(encoder, recorded + 1);
  }

  /** Returns the frame's byte offset. */
  write(input: FrameInput): number {
    const offset = FRAME_STRIDE * this.next;
    this.next = (this.next + 1) % FRAMES;
    this.gpu.device.queue.writeBuffer(this.buffer, offset, encodeFrame(input));
    return offset;
  }

  destroy(): void {
    this.owned.destroy();
  }
}
