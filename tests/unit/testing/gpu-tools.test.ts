import { describe, expect, test } from 'vitest';
import { createTools } from '../../../src/testing/gpu-tools';

const { read, expectBuffer } = createTools({} as GPUDevice, new Map(), new WeakSet());
const buffer = { label: '', size: 16, usage: 0x04 } as GPUBuffer;
const NONE = 'buffer is undefined, but it must be a buffer with the usage COPY_SRC.';

describe('read', () => {
  test.each<[unknown[], string]>([
    [[undefined], NONE],
    [[buffer, 20], 'offset is 20, but it must be a whole number from 0 to 16.'],
    [[buffer, -4], 'offset is -4, but it must be a whole number from 0 to 16.'],
    [[buffer, 2], 'offset is 2, but it must be a multiple of 4.'],
    [[buffer, 4, 13], 'bytes is 13, but it must be a whole number from 0 to 12.'],
  ])('rejects %j', async (given, message) => {
    const [wrong, offset, bytes] = given as [GPUBuffer, number, number];
    await expect(read(wrong, offset, bytes)).rejects.toThrow(message);
  });

  test('returns no bytes if it begins at the end of the buffer', async () => {
    expect((await read(buffer, 16)).byteLength).toBe(0);
  });
});

describe('expectBuffer', () => {
  test.each<[unknown[], string]>([
    [[undefined], NONE],
    [[buffer, { offset: 20 }], 'offset is 20, but it must be a whole number from 0 to 16.'],
    [
      [buffer, { length: 4 }],
      'part.length is 4, but it must be left out or renamed to one of offset, bytes.',
    ],
    [[buffer, null], 'part is null, but it must be an object with some of offset, bytes.'],
  ])('rejects %j', async (given, message) => {
    const [wrong, part] = given as [GPUBuffer, object];
    await expect(expectBuffer(wrong, part).toEqual(Uint32Array.of(1))).rejects.toThrow(message);
  });
});
