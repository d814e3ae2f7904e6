import { describe, expect, it } from 'vitest';
import { CellstormError } from '../../../src/core/base/errors';
import { defineStruct, fromStored, storedFloats, toStored } from '../../../src/gpu/layout';

describe('defineStruct', () => {
  it('lays {gravity, dt, count} out in 16 bytes in 2D and 32 bytes in 3D', () => {
    const fields = { gravity: 'vector', dt: 'f32', count: 'u32' } as const;
    const plane = defineStruct(2, fields);
    expect([plane.offsets, plane.size]).toEqual([{ gravity: 0, dt: 8, count: 12 }, 16]);
    const space = defineStruct(3, fields);
    expect([space.offsets, space.size]).toEqual([{ gravity: 0, dt: 12, count: 16 }, 32]);
  });

  it('aligns a vector after a scalar', () => {
    const fields = { dt: 'f32', cells: 'extent', count: 'u32', last: 'vector' } as const;
    expect(defineStruct(2, fields)).toMatchObject({
      offsets: { dt: 0, cells: 8, count: 16, last: 24 },
      size: 32,
    });
    expect(defineStruct(3, fields)).toMatchObject({
      offsets: { dt: 0, cells: 16, count: 28, last: 32 },
      size: 48,
    });
  });

  it('aligns a struct without vectors to only 4 bytes', () => {
    expect(defineStruct(3, { a: 'u32', b: 'f32', c: 'u32' }).size).toBe(12);
  });

  it.each([2, 3] as const)('writes every field at its offset in %dD, little-endian', (dimensions) => {
    const layout = defineStruct(dimensions, { gravity: 'vector', dt: 'f32', cells: 'extent', count: 'u32' });
    const components = Array.from({ length: dimensions }, (_, axis) => axis);
    const bytes = layout.encode({
      gravity: components.map((axis) => axis - 9.8),
      dt: 0.25,
      cells: components.map((axis) => 0xffff_fff0 + axis),
      count: 0x8000_0001,
    });
    expect(bytes.byteLength).toBe(layout.size);
    const view = new DataView(bytes);
    for (const axis of components) {
      expect(view.getFloat32(layout.offsets.gravity + 4 * axis, true)).toBe(Math.fround(axis - 9.8));
      expect(view.getUint32(layout.offsets.cells + 4 * axis, true)).toBe(0xffff_fff0 + axis);
    }
    expect(view.getFloat32(layout.offsets.dt, true)).toBe(0.25);
    expect(view.getUint32(layout.offsets.count, true)).toBe(0x8000_0001);
  });

  it('rejects a missing field', () => {
    const layout = defineStruct(2, { dt: 'f32', count: 'u32' });
    expect(() => layout.encode({ dt: 1 } as { dt: number; count: number })).toThrow(CellstormError);
    expect(() => layout.encode({ dt: 1 } as { dt: number; count: number })).toThrow(/field count has no/);
  });
});

describe('stored vectors', () => {
  /** NaNs (quiet, signalling, negative, with a payload), infinities, −0 and a subnormal. */
  const SPECIAL = [
    0x7fc0_0000, 0x7f80_0001, 0xffc1_2345, 0xff80_0001, 0x7f80_0000, 0xff80_0000, 0x8000_0000, 1,
  ];

  it('pad three numbers to four with zeros', () => {
    expect(storedFloats(2)).toBe(2);
    expect(storedFloats(3)).toBe(4);
    expect([...toStored(3, Float32Array.of(1, 2, 3, 4, 5, 6))]).toEqual([1, 2, 3, 0, 4, 5, 6, 0]);
    expect([...toStored(2, Float32Array.of(1, 2, 3, 4))]).toEqual([1, 2, 3, 4]);
    expect(toStored(3, new Float32Array(0)).length).toBe(0);
  });

  it.each([2, 3] as const)(
    'keep every bit in %dD when they are written and read back, even in a NaN',
    (dimensions) => {
      const bits = Uint32Array.from({ length: 8 * dimensions }, (_, index) => SPECIAL[index % 8] as number);
      const stored = toStored(dimensions, new Float32Array(bits.buffer));
      const back = fromStored(dimensions, stored.buffer);
      expect([...new Uint32Array(back.buffer)]).toEqual([...bits]);
    },
  );

  it('do not share memory with the given array', () => {
    const packed = Float32Array.of(1, 2);
    toStored(2, packed)[0] = 9;
    expect(packed[0]).toBe(1);
  });

  it('can be made from a part of a larger array', () => {
    const whole = Float32Array.of(9, 9, 9, 1, 2, 3, 9);
    expect([...toStored(3, whole.subarray(3, 6))]).toEqual([1, 2, 3, 0]);
    expect([...toStored(2, whole.subarray(3, 5))]).toEqual([1, 2]);
  });

  it('are read back in the requested order of slots', () => {
    const stored = toStored(3, Float32Array.of(0, 1, 2, 10, 11, 12, 20, 21, 22));
    expect([...fromStored(3, stored.buffer, Uint32Array.of(2, 0))]).toEqual([20, 21, 22, 0, 1, 2]);
    const plane = toStored(2, Float32Array.of(0, 1, 10, 11, 20, 21));
    expect([...fromStored(2, plane.buffer, Uint32Array.of(1, 1))]).toEqual([10, 11, 10, 11]);
  });
});
