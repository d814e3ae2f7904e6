import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../../../src/core/base/errors';
import { IdAllocator } from '../../../../src/core/simulation/ids';
import { fc } from '../../../helpers/properties';

describe('IdAllocator', () => {
  it('hands out the lowest free ids', () => {
    const allocator = new IdAllocator(6);
    expect([...allocator.take(4)]).toEqual([0, 1, 2, 3]);
    allocator.release([1, 2]);
    expect([...allocator.take(1)]).toEqual([1]);
    expect([...allocator.take(3)]).toEqual([2, 4, 5]);
    expect(allocator.count).toBe(6);
    expect(() => allocator.checkRoom(1)).toThrow(/^positions is 1 particle, .*at most 0 particles/);
  });

  it('rejects ids that are free, repeated or malformed', () => {
    const allocator = new IdAllocator(4);
    allocator.take(3);
    expect(() => allocator.checkLiving('ids', [0, 2])).not.toThrow();
    for (const bad of [[3], [0, 0], [-1], [0.5], [Number.NaN], [4]]) {
      expect(() => allocator.checkLiving('ids', bad)).toThrow(ArgumentError);
    }
  });

  it('accepts only radii within the range, and rejects radii if there is no range', () => {
    const allocator = new IdAllocator(4);
    const range = { smallest: 0.5, largest: 2 };
    const positions = new Float32Array(4);
    const radii = new Float32Array([0.5, 2]);
    const sizes = (radiusRange: typeof range | undefined) =>
      ({ dimensions: 2, radiusRange, boxes: false }) as const;
    const refused = (particles: object, within: typeof range | undefined, message: RegExp) =>
      expect(() => allocator.admit(sizes(within), { positions, ...particles })).toThrow(message);
    refused({ radii }, undefined, /^radii is .*, but it must be left out, since all particles of this/);
    refused({}, range, /^radii is undefined, .*a Float32Array of length 2, one radius per body\.$/);
    refused({ radii: radii.slice(1) }, range, /^radii is .*length 2, one radius per body\.$/);
    refused(
      { radii: new Float32Array([1, 2.5]) },
      range,
      /^radii\[1\] is 2\.5, .*from 0\.5 to 2 \(the radiusRange\)\.$/,
    );
    refused({ radii: new Float32Array([0.25, 1]) }, range, /^radii\[0\] is 0\.25, /);
    expect(allocator.count).toBe(0);
    expect(allocator.admit(sizes(range), { positions, radii })).toMatchObject({ positions, radii });
    expect(allocator.admit(sizes(undefined), { positions }).radii).toBeUndefined();
    expect(allocator.count).toBe(4);
  });

  it('agrees with a plain set of ids after any calls', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(5)), { maxLength: 30 }), (moves) => {
        const allocator = new IdAllocator(16);
        const living = new Set<number>();
        for (const [isTake, amount] of moves) {
          if (isTake) {
            if (amount > 16 - living.size) continue;
            const expected = Array.from({ length: 16 }, (_, id) => id)
              .filter((id) => !living.has(id))
              .slice(0, amount);
            expect([...allocator.take(amount)]).toEqual(expected);
            for (const id of expected) living.add(id);
          } else {
            const victims = [...living].filter((id) => id % 5 === amount);
            allocator.release(victims);
            for (const id of victims) living.delete(id);
          }
          expect(allocator.count).toBe(living.size);
          for (let id = 0; id < 16; id++) expect(allocator.has(id)).toBe(living.has(id));
        }
      }),
    );
  });

  it('starts over from a checkpoint', () => {
    const allocator = new IdAllocator(5);
    allocator.take(5);
    allocator.replaceAll(new Uint32Array([0, 2]));
    expect(allocator.count).toBe(2);
    expect([...allocator.take(2)]).toEqual([1, 3]);
  });
});
