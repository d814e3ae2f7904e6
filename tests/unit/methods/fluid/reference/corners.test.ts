import { describe, expect, it } from 'vitest';
import { defineLattice } from '../../../../../src/methods/fluid/lattice';
import { isFreeAt } from '../../../../../src/methods/fluid/reference/cells';
import { Corners } from '../../../../../src/methods/fluid/reference/corners';

describe.each([2, 3] as const)('in %dD', (dimensions) => {
  const cells = [6, 5, dimensions === 3 ? 4 : 1] as const;
  const lattice = defineLattice(dimensions, [...cells]);

  it('Corners marks exactly the corners beyond an end of the lattice', () => {
    const corners = new Corners(lattice);
    const beyondAnEnd = (axis: number, point: readonly number[], corner: number) =>
      cells.slice(0, dimensions).some((count, along) => {
        const isAlong = axis === along;
        const lower = Math.floor((point[along] as number) - (isAlong ? 0 : 0.5));
        const coordinate = lower + ((corner >> along) & 1);
        return coordinate < 0 || coordinate > count - (isAlong ? 0 : 1);
      });
    for (let axis = -1; axis < dimensions; axis++) {
      for (const x of [0.2, 0.7, 3, 5.4, 5.8, 6]) {
        for (const y of [0.2, 2, 4.8]) {
          for (const z of dimensions === 3 ? [0.2, 2, 3.8] : [0]) {
            corners.find(axis, Float64Array.of(x, y, z), false);
            for (let corner = 0; corner < corners.count; corner++) {
              const isMarked = ((corners.beyond >> corner) & 1) === 1;
              expect(isMarked, `${axis} ${x} ${y} ${z} ${corner}`).toBe(beyondAnEnd(axis, [x, y, z], corner));
            }
          }
        }
      }
    }
  });

  it('isFreeAt finds the cell of a point, even if the edge of a cell is not 1', () => {
    const mask = new Uint8Array(lattice.size);
    // The cell (3, 1, …) is solid.
    mask[lattice.first + 3 * lattice.strides[0] + lattice.strides[1]] = 1;
    const input = { lattice, cellSize: 0.25, mask, obstacles: [] };
    const at = (x: number, y: number) => [x, y, 0.1].slice(0, dimensions);
    expect(isFreeAt(input, at(0.8, 0.3))).toBe(false);
    expect(isFreeAt(input, at(0.7, 0.3))).toBe(true);
    expect(isFreeAt(input, at(0.8, 0.2))).toBe(true);
    // A point at the upper end is in the last cell.
    expect(isFreeAt(input, at(1.5, 1.25))).toBe(true);
  });
});
