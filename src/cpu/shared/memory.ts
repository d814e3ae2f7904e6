/**
 * Memory for arrays. Arrays that several threads use are in shared memory. A worker must build the same objects in the
 * same order as their owner, because GivenMemory hands out the owner's buffers in that order.
 */
export interface Memory {
  /** Returns memory of zeros; a worker gets what the owner has put there. */
  take(bytes: number): ArrayBufferLike;
}

export const OWN_MEMORY: Memory = { take: (bytes) => new ArrayBuffer(bytes) };

export class SharedMemory implements Memory {
  readonly buffers: SharedArrayBuffer[] = [];

  take(bytes: number): SharedArrayBuffer {
    const buffer = new SharedArrayBuffer(bytes);
    this.buffers.push(buffer);
    return buffer;
  }
}

/** The memory of an owner, as a worker sees it. */
export class GivenMemory implements Memory {
  private taken = 0;

  constructor(private readonly buffers: readonly SharedArrayBuffer[]) {}

  take(): SharedArrayBuffer {
    return this.buffers[this.taken++] as SharedArrayBuffer;
  }
}

export const floatsIn = (memory: Memory, length: number) => new Float32Array(memory.take(4 * length));
export const doublesIn = (memory: Memory, length: number) => new Float64Array(memory.take(8 * length));
export const wordsIn = (memory: Memory, length: number) => new Uint32Array(memory.take(4 * length));
export const integersIn = (memory: Memory, length: number) => new Int32Array(memory.take(4 * length));
