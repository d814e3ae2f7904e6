import { describe, expect, it } from 'vitest';
import { LAYER_STEP, ROW_STEP } from '../../../../src/core/base/constants';
import { defineLevels, SMALLEST_LEVEL_TABLE } from '../../../../src/core/world/level-world';
import { mergeLevels, sampleRoom } from '../../../../src/core/world/merged-levels';
import type { Dimensions } from '../../../../src/core/world/world';
import { createNoise } from '../../../../src/testing/noise';
import { DIMENSIONS } from '../../../helpers/passes';

const RADII = { smallest: 1, largest: 64 };

function scatter(dimensions: Dimensions, count: number, edge: number): Float32Array {
  const noise = createNoise(count);
  return Float32Array.from({ length: dimensions * count }, () => noise() * edge);
}

describe.each(DIMENSIONS)('merged levels in %dD', (dimensions) => {
  const count = 4000;
  const world = defineLevels({ dimensions, unbounded: true }, RADII, count);
  const radii = new Float32Array(count).fill(1);

  it.each([1, 2, 8, 64, 256])(
    'make the smallest cells hold about half a particle or more, at %d times the spacing of two particles per cell of level 0',
    (spacing) => {
      // A cell of width 2 · spacing holds two particles.
      const edge = (count / 2) ** (1 / dimensions) * 2 * spacing;
      const { cellSize, inverseCellSize, baseDiameter } = mergeLevels(
        world,
        scatter(dimensions, count, edge),
        radii,
      );
      const expected = Math.min(2 * spacing, 128);
      // Cells half as wide hold half a particle in 2D and a fourth in 3D. The limit is half a particle, but the sample
      // is so small that chance decides.
      expect([expected / 2, expected]).toContain(cellSize);
      expect(inverseCellSize).toBe(1 / cellSize);
      expect(baseDiameter).toBe(cellSize);
    },
  );

  it('do not depend on the order of the particles', () => {
    const positions = scatter(dimensions, count, 700);
    const reversed = positions.slice().reverse();
    for (let index = 0; index < count; index++) {
      reversed.subarray(dimensions * index, dimensions * (index + 1)).reverse();
    }
    const { cellSize } = mergeLevels(world, positions, radii);
    expect(cellSize).toBeGreaterThan(world.cellSize);
    expect(mergeLevels(world, reversed, radii).cellSize).toBe(cellSize);
  });

  it('do not exist if the sample has too many coincident particles', () => {
    const far = scatter(dimensions, count, 1e6);
    expect(mergeLevels(world, far, radii).cellSize).toBe(128);
    // At least one of these positions is in the sample, with all of its particles.
    const sizes = Array.from({ length: 60 }, (_, position) => {
      const positions = far.map((coordinate, index) => (index < dimensions * 3900 ? position : coordinate));
      return mergeLevels(world, positions, radii).cellSize;
    });
    expect(sampleRoom(world.levelStarts[1] as number)).toBeLessThan(3900);
    expect(new Set(sizes)).toEqual(new Set([2, 128]));
  });

  it('exist only in unbounded worlds', () => {
    const corner = (value: number) => new Array<number>(dimensions).fill(value);
    const box = defineLevels({ dimensions, min: corner(0), max: corner(1000), cellSize: 64 }, RADII, count);
    expect(mergeLevels(box, scatter(dimensions, count, 1000), radii)).toBe(box);
  });
});

it('cells around a particle have different buckets in a table of any size', () => {
  // A search on the level below visits six cells along each axis, so their coordinates differ by at most 5.
  for (let size = SMALLEST_LEVEL_TABLE; size <= 2 ** 27; size *= 2) {
    for (let x = -5; x <= 5; x++) {
      for (let y = -5; y <= 5; y++) {
        for (let z = -5; z <= 5; z++) {
          const index = (x + Math.imul(y, ROW_STEP) + Math.imul(z, LAYER_STEP)) & (size - 1);
          if (index === 0) expect([size, x, y, z]).toEqual([size, 0, 0, 0]);
        }
      }
    }
  }
});
