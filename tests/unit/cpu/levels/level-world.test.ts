import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../../../src/core/base/errors';
import { defineLevels } from '../../../../src/core/world/level-world';
import { latticeAt } from '../../../../src/core/world/levels';

describe('levels of a periodic world that begins off 0', () => {
  it('put overlapping particles into adjacent cells at a power of two, where 32-bit floats get coarser', () => {
    const low = Math.fround(-1023.9);
    const world = defineLevels(
      { dimensions: 2, min: [low, low], max: [low + 2000, low + 2000], periodic: true },
      { smallest: 1, largest: 3 },
      10,
    );
    const middle = low + 512 / world.inverseCellSize;
    for (let step = 0; step < 3000; step++) {
      const a = Math.fround(middle - step * 5e-8);
      const b = Math.fround(a + 2 - (step % 100) * 1e-7);
      if (!(b - a < 2)) continue;
      const [cell, other] = [a, b].map((value) => latticeAt(world, [value, low], 0, 0)[0] as number) as [
        number,
        number,
      ];
      expect(Math.abs(cell - other)).toBeLessThanOrEqual(1);
    }
  });

  it('are rejected with too many cells, or too few', () => {
    const make =
      (length: number, radii = { smallest: 1, largest: 64 }, min = 0.5) =>
      () =>
        defineLevels(
          { dimensions: 2, min: [min, min], max: [min + length, min + length], periodic: true, cellSize: 2 },
          radii,
          10,
        );
    expect(make(2 ** 20 + 2, undefined, 0)).toThrow(
      /^world is \[524289, 524289\], but it must be at most 524288 cells/,
    );
    expect(make(2 ** 20, undefined, 0)).not.toThrow();
    expect(make(384)).toThrow(ArgumentError);
    expect(make(384, undefined, 0)).not.toThrow();
    // Cells of a longer box are slightly larger, so the accepted length may grow by a rounding.
    const enough = Number(/= (\S+),/.exec(messageOf(make(384)))?.[1]);
    expect(enough).toBeGreaterThan(384.5);
    expect(make(enough - 0.5 + 2 ** -12)).not.toThrow();
  });
});

function messageOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}
