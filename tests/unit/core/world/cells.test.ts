import { describe, expect, it } from 'vitest';
import {
  cellCoordinate,
  cellOfParticle,
  latticeCoordinate,
  quarantineCell,
  retiredCell,
  snap,
  startLength,
} from '../../../../src/core/world/cells';
import { defineWorld } from '../../../../src/core/world/world';
import { fc } from '../../../helpers/properties';

it('snap turns subnormal numbers into 0, because a GPU may flush them, and changes no other number', () => {
  const below = 2 ** -126 - 2 ** -149;
  expect([2 ** -126, -(2 ** -126), below, -below, 2 ** -149].map(snap)).toEqual([
    2 ** -126,
    -(2 ** -126),
    0,
    0,
    0,
  ]);
});

describe('cellCoordinate', () => {
  // Cells 1 to 10 lie inside the world; cells 0 and 11 are the ring.
  it.each([
    ['the origin', 0, 0, 1, 1],
    ['a position just below a border of cells', 1 - 2 ** -24, 0, 1, 1],
    ['a position on a border of cells', 1, 0, 1, 2],
    ['a negative zero', -0, 0, 1, 1],
    ['a negative position in the second cell', -0.5, -2, 1, 2],
    ['a negative position in the first cell', -1.5, -2, 1, 1],
    ['a position before the world', -100, 0, 1, 1],
    ['a position past the world', 100, 0, 1, 10],
    ['a position at the end of the world', 10, 0, 1, 10],
    ['a coarser cell', 7.9, 0, 0.25, 2],
    ['a huge finite number', 3e38, -3e38, 1, 10],
    ['a huge negative number', -3e38, 3e38, 1, 1],
  ])('is correct for %s', (_, position, origin, inverse, expected) => {
    expect(cellCoordinate(position, origin, inverse, 12)).toBe(expected);
  });

  it('is monotonic, so that clamping keeps the order of particles', () => {
    const inverse = Math.fround(1 / 0.3);
    fc.assert(
      fc.property(
        fc.float({ noNaN: true, noDefaultInfinity: true }),
        fc.float({ noNaN: true, noDefaultInfinity: true }),
        (a, b) => {
          const low = cellCoordinate(Math.min(a, b), -5, inverse, 40);
          const high = cellCoordinate(Math.max(a, b), -5, inverse, 40);
          expect(low).toBeLessThanOrEqual(high);
          expect(low).toBeGreaterThanOrEqual(1);
          expect(high).toBeLessThan(39);
        },
      ),
    );
  });
});

describe('latticeCoordinate', () => {
  it('treats subnormals as zero, like devices that flush them', () => {
    const world = defineWorld({ dimensions: 2, unbounded: true, cellSize: 4 }, 4);
    expect([world.inverseCellSize, latticeCoordinate(world, -1, 0)]).toEqual([0.25, -1]);
    for (const tiny of [2 ** -149, 2 ** -127, -(2 ** -149), -(2 ** -127), -1e-40]) {
      expect(latticeCoordinate(world, Math.fround(tiny), 0)).toBe(0);
    }
    // The position is normal, but its product with the inverse is subnormal. Rounded down, the product would give −1.
    expect(latticeCoordinate(world, -(2 ** -126), 0)).toBe(0);
  });
});

describe('cellOfParticle', () => {
  it('numbers cells along x first, including the cells of the empty ring', () => {
    const flat = defineWorld({ dimensions: 2, min: [0, 0], max: [4, 3], cellSize: 1 }, 1);
    const box = defineWorld({ dimensions: 3, min: [0, 0, 0], max: [4, 3, 2], cellSize: 1 }, 1);
    expect(cellOfParticle(flat, new Float32Array([9, 9, 2.5, 1.5]), 1)).toBe(2 * 6 + 3);
    expect(cellOfParticle(box, new Float32Array([2.5, 1.5, 1.5]), 0)).toBe((2 * 5 + 2) * 6 + 3);
  });
});

it('buckets of quarantined and removed particles follow the last cell; the last word of `start` is their end', () => {
  const world = defineWorld({ dimensions: 2, min: [0, 0], max: [4, 3], cellSize: 1 }, 1);
  expect([quarantineCell(world), retiredCell(world), startLength(world)]).toEqual([30, 31, 33]);
});
