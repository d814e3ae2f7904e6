/** Tests that a search visits enough cells in spite of rounding, and no more than it needs. */
import { describe, expect, it } from 'vitest';
import { latticeCoordinate } from '../../../../src/core/world/cells';
import { cellsSpanned, defineWorld, type World } from '../../../../src/core/world/world';
import { breadthFor } from '../../../../src/engine/queries/reach';
import { minimumImageInDoubles } from '../../../../src/reference/solve/contact';
import { stored, unusualCrowds } from '../../../helpers/inputs/unusual-worlds';
import { crowds } from '../../../helpers/inputs/worlds';
import { expectSeen, fc, runs } from '../../../helpers/properties';

describe.each([2, 3] as const)('in %dD', (dimensions) => {
  describe.each(['bounded', ...Object.keys(unusualCrowds)])('%s worlds', (kind) => {
    const arbitrary =
      kind === 'bounded'
        ? crowds(dimensions, 24)
        : (unusualCrowds[kind] as (typeof unusualCrowds)[string])(dimensions, 24);

    it('put two particles that are closer than a radius at most as many cells apart as the radius spans', () => {
      let wide = 0;
      let far = 0;
      fc.assert(
        fc.property(arbitrary, fc.double({ min: 1, max: 7, noNaN: true }), (crowd, factor) => {
          const { world } = crowd;
          const positions = kind === 'bounded' ? crowd.positions : stored(crowd);
          const count = positions.length / dimensions;
          for (let a = 0; a < count; a++) {
            for (let b = 0; b < a; b++) {
              for (let axis = 0; axis < dimensions; axis++) {
                const position = positions[a * dimensions + axis] as number;
                const other = positions[b * dimensions + axis] as number;
                const period = world.period[axis] as number;
                const apart = Math.abs(minimumImageInDoubles(position - other, period));
                const half =
                  Math.min(...world.period.map((length) => length || Number.POSITIVE_INFINITY)) / 2;
                // `least` is the least 32-bit radius that includes this pair, or the next one.
                const least = up(apart);
                for (const radius of [factor * world.diameter, least]) {
                  if (!(apart < Math.fround(radius)) || radius > Math.min(half, 2 ** 60)) continue;
                  const spanned = cellsSpanned(world, radius);
                  const away = cellsAway(world, position, other, axis);
                  if (away > spanned) {
                    throw new Error(`${position} and ${other} are ${away} cells apart, more than ${spanned}`);
                  }
                  if (spanned > 1) wide++;
                  if (away > 2) far++;
                }
              }
            }
          }
        }),
        runs(300),
      );
      expectSeen(wide, 1000);
      expectSeen(far, 10);
    });
  });
});

function up(value: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  view.setUint32(0, view.getUint32(0) + 1);
  return view.getFloat32(0);
}

function cellsAway(world: World, position: number, other: number, axis: number): number {
  const away = Math.abs(latticeCoordinate(world, position, axis) - latticeCoordinate(world, other, axis));
  return (world.period[axis] as number) > 0 ? Math.min(away, (world.cells[axis] as number) - away) : away;
}

describe('a radius', () => {
  const exact = defineWorld({ dimensions: 2, min: [0, 0], max: [64, 64] }, 1);
  const shifted = defineWorld({ dimensions: 2, min: [-0.1, 0], max: [64, 64], cellSize: 1.25 }, 1);
  const scaled = defineWorld({ dimensions: 2, min: [-0.1, 0], max: [64, 64], cellSize: 2 }, 1);
  const unbounded = defineWorld({ dimensions: 2, unbounded: true }, 0.75, 1000);

  it.each([
    ['the diameter', exact, 1, 1],
    ['an ulp more than the diameter', exact, 1 + 2 ** -23, 2],
    ['less than an ulp more than the diameter', exact, 1 + 2 ** -30, 1],
    ['two cells', exact, 2, 2],
    ['an ulp more than two cells', exact, 2 + 2 ** -22, 3],
    ['two cells, if rounding may add one', shifted, 2.5, 3],
    ['two cells, if an inexact corner of the box may add one', scaled, 4, 3],
    ['less than two cells, by more than rounding can add', shifted, 2.499, 2],
    ['a cell that is wider than the diameter', unbounded, 1, 1],
    ['three cells that are wider than the diameter', unbounded, 3, 3],
  ])('of %s spans the expected number of cells', (_, world, radius, cells) => {
    expect(cellsSpanned(world, radius)).toBe(cells);
    expect(breadthFor(world, radius)).toBe(cells === 1 ? 'narrow' : 'wide');
  });
});
