import { describe, expect, it } from 'vitest';
import { FreeIds } from '../../../../src/cpu/shared/free-ids';
import { buffersOf } from '../../../helpers/memory';
import { fc, runs } from '../../../helpers/properties';

const lowestOutside = (taken: ReadonlySet<number>): number => {
  let id = 0;
  while (taken.has(id)) id++;
  return id;
};

describe('FreeIds', () => {
  it.each([1, 2, 31, 32, 33, 1023, 1024, 1025, 32_768, 32_769])(
    'hands out all of %d ids in ascending order',
    (capacity) => {
      const free = new FreeIds(capacity);
      for (let id = 0; id < capacity; id++) if (free.take() !== id) throw new Error(`not ${id}`);
      for (const id of [capacity - 1, capacity >> 1, 0]) free.release(id);
      expect([...new Set([free.take(), capacity > 1 ? free.take() : 0])]).toEqual(
        capacity > 2 ? [0, capacity >> 1] : capacity === 2 ? [0, 1] : [0],
      );
      free.releaseAll();
      for (let id = 0; id < capacity; id++) if (free.take() !== id) throw new Error(`not ${id} again`);
    },
  );

  it('hands out the lowest free id after any sequence of calls', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1200 }),
        fc.array(fc.tuple(fc.boolean(), fc.nat()), { maxLength: 300, size: 'max' }),
        fc.nat({ max: 1200 }),
        (capacity, steps, before) => {
          const free = new FreeIds(capacity);
          const taken = new Set<number>();
          const take = () => {
            const id = free.take();
            expect(id).toBe(lowestOutside(taken));
            taken.add(id);
          };
          while (taken.size < Math.min(before, capacity)) take();
          for (const [isTake, pick] of steps) {
            if (isTake && taken.size < capacity) take();
            else if (taken.size > 0) {
              const id = [...taken][pick % taken.size] as number;
              taken.delete(id);
              free.release(id);
            }
          }
        },
      ),
      runs(200),
    );
  });

  it('reports its memory', () => {
    for (const capacity of [0, 1, 33, 5000]) {
      const free = new FreeIds(capacity);
      const bytes = [...buffersOf(free)].reduce((sum, buffer) => sum + buffer.byteLength, 0);
      expect(free.memoryBytes).toBe(bytes);
    }
  });
});
