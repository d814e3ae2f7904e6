/** The tools for buffers that a GPU test gets. */
import { AssertionError } from 'node:assert';
import { checkInteger, checkKnownKeys } from '../core/base/checks';
import { ArgumentError } from '../core/base/errors';
import { expectArraysEqual, expectArraysWithin } from './arrays';
import type { LiveObjects } from './live-objects';

/** A typed array of numbers. */
export type NumberArray =
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array;

/** Expectations about the content of a buffer. */
export interface BufferExpectation {
  /**
   * Expects exactly these values. The type of `expected` says how to read the buffer, which must hold a whole number of
   * such values. −0 differs from 0, and NaN equals NaN. Rejects with an AssertionError and a table of the first ten
   * differences.
   */
  toEqual(expected: NumberArray | BigInt64Array | BigUint64Array): Promise<void>;
  /**
   * Expects values at most `tolerance` apart. NaN and infinities are never close. Rejects with an AssertionError and a
   * table of the first ten differences.
   */
  toBeCloseTo(expected: NumberArray, tolerance: number): Promise<void>;
}

/** Which part of a buffer to compare. */
export interface BufferPart {
  /** The first byte, a multiple of 4. Default 0. */
  readonly offset?: number | undefined;
  /** The number of bytes. Default: as for `read`. */
  readonly bytes?: number | undefined;
}

/** Tools for the buffers of a test. */
export interface GpuTools {
  /**
   * Creates a buffer with this content, at least 16 bytes long, and frees it after the test. The default usage is
   * STORAGE | COPY_SRC | COPY_DST.
   */
  upload(label: string, data: ArrayBufferView, usage?: number): GPUBuffer;
  /**
   * Creates a zeroed buffer, at least 16 bytes long, and frees it after the test. The default usage is
   * STORAGE | COPY_SRC | COPY_DST.
   */
  allocate(label: string, bytes: number, usage?: number): GPUBuffer;
  /**
   * Waits for everything submitted so far, then reads the content of a buffer. The buffer needs the usage COPY_SRC,
   * and `offset` must be a multiple of 4. By default, reads a buffer of `upload` or `allocate` up to the length that
   * was requested, and any other buffer up to its end.
   */
  read(buffer: GPUBuffer, offset?: number, bytes?: number): Promise<ArrayBuffer>;
  /** Reads a buffer and compares it: `await expectBuffer(sums).toEqual(Uint32Array.of(1, 3, 6))`. */
  expectBuffer(buffer: GPUBuffer, part?: BufferPart): BufferExpectation;
  /** Returns the labels of the buffers that were created on the device and not destroyed. */
  liveBuffers(): string[];
}

const STORAGE = 0x80;
const COPY_SRC = 0x04;
const COPY_DST = 0x08;
const MAP_READ = 0x01;

/** Creates the tools. Adds the buffers that they create to `own`. */
export function createTools(device: GPUDevice, live: LiveObjects, own: WeakSet<object>): GpuTools {
  /** The requested bytes per buffer. The buffer may be longer, because it is padded. */
  const lengths = new WeakMap<GPUBuffer, number>();
  const create = (label: string, size: number, usage: number): GPUBuffer => {
    const buffer = device.createBuffer({ label, size, usage });
    own.add(buffer);
    return buffer;
  };
  const allocate = (label: string, bytes: number, usage = STORAGE | COPY_SRC | COPY_DST): GPUBuffer => {
    checkInteger('bytes', bytes, 0, Number.MAX_SAFE_INTEGER);
    const buffer = create(label, Math.max(16, Math.ceil(bytes / 4) * 4), usage);
    lengths.set(buffer, bytes);
    return buffer;
  };
  const read = async (buffer: GPUBuffer, offset = 0, given?: number): Promise<ArrayBuffer> => {
    if (!(buffer?.usage & COPY_SRC))
      throw new ArgumentError('buffer', buffer, 'a buffer with the usage COPY_SRC');
    const { size } = buffer;
    checkInteger('offset', offset, 0, size);
    if (offset % 4 !== 0) throw new ArgumentError('offset', offset, 'a multiple of 4');
    const bytes = given ?? Math.max(0, (lengths.get(buffer) ?? size) - offset);
    checkInteger('bytes', bytes, 0, size - offset);
    if (bytes === 0) return new ArrayBuffer(0);
    const padded = Math.ceil(bytes / 4) * 4;
    const staging = create('test.read', padded, COPY_DST | MAP_READ);
    const encoder = device.createCommandEncoder({ label: 'test.read' });
    encoder.copyBufferToBuffer(buffer, offset, staging, 0, padded);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(1);
    const copy = staging.getMappedRange().slice(0, bytes);
    staging.destroy();
    return copy;
  };
  return {
    allocate,
    read,
    upload(label, data, usage) {
      if (!ArrayBuffer.isView(data)) throw new ArgumentError('data', data, 'a typed array or a DataView');
      const buffer = allocate(label, data.byteLength, usage);
      const padded = new Uint8Array(Math.ceil(data.byteLength / 4) * 4);
      padded.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
      device.queue.writeBuffer(buffer, 0, padded);
      return buffer;
    },
    expectBuffer(buffer, part = {}) {
      const label = buffer?.label || 'the buffer';
      const readAs = async <Expected>(expected: Expected): Promise<Expected> => {
        if (!ArrayBuffer.isView(expected) || expected instanceof DataView) {
          const accepted = 'a typed array such as Float32Array, whose type says how to read the buffer';
          throw new ArgumentError('expected', expected, accepted);
        }
        const Type = expected.constructor as unknown as ArrayConstructor & { BYTES_PER_ELEMENT: number };
        checkKnownKeys('part', part, ['offset', 'bytes']);
        const content = await read(buffer, part.offset, part.bytes);
        const width = Type.BYTES_PER_ELEMENT;
        if (content.byteLength % width > 0) {
          throw new AssertionError({
            message: `${label}: ${content.byteLength} bytes are not a whole number of ${width}-byte values; pass { bytes } to compare fewer.`,
          });
        }
        return new Type(content as never) as unknown as Expected;
      };
      return {
        async toEqual(expected) {
          const got = await readAs(expected);
          expectArraysEqual(got as ArrayLike<number>, expected as ArrayLike<number>, label);
        },
        async toBeCloseTo(expected, tolerance) {
          if (!(tolerance >= 0)) throw new ArgumentError('tolerance', tolerance, 'a number of at least 0');
          expectArraysWithin(await readAs(expected), expected, tolerance, label);
        },
      };
    },
    liveBuffers: () => [...live.values()].filter(({ kind }) => kind === 'buffer').map(({ label }) => label),
  };
}
