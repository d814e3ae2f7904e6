import { expect, it, vi } from 'vitest';
import { visitNear } from '../../../../src/cpu/equal/near';
import { CellOrder } from '../../../../src/cpu/equal/order';
import { defineLattice } from '../../../../src/cpu/shared/lattice';
import { cubeOf } from '../../../helpers/inputs/cubes';
import { DIMENSIONS } from '../../../helpers/passes';

it.each(DIMENSIONS)(
  'a search in an unbounded world goes cell by cell only if it covers no more cells than particles, in %dD',
  (dimensions) => {
    const count = 200;
    const positions = new Float32Array(dimensions * count);
    for (let id = 0; id < count; id++) positions[dimensions * id] = id + 0.5;
    const order = new CellOrder(defineLattice(cubeOf('unbounded', dimensions, 0, count)), count);
    const sorted = new Float32Array(positions.length);
    order.sort(positions, new Uint32Array(positions.buffer), count, new Uint32Array(sorted.buffer));
    const reads = vi.fn(() => order.starts);
    const watched = Object.create(order, { starts: { get: reads } }) as CellOrder;
    const idsWithin = (radius: number) => {
      reads.mockClear();
      const ids: number[] = [];
      const point = [0.5, 0, 0].slice(0, dimensions);
      visitNear(watched, sorted, point, radius, (id) => ids.push(id));
      return ids.sort((a, b) => a - b);
    };
    const upTo = (end: number) => Array.from({ length: end }, (_, id) => id);
    // Along each axis the search covers 5 cells: 3 in reach, and a spare one on each side.
    expect(idsWithin(1)).toEqual([0, 1]);
    expect(reads).toHaveBeenCalled();
    // 43 cells along each axis: more cells than particles.
    expect(idsWithin(20)).toEqual(upTo(21));
    expect(reads).not.toHaveBeenCalled();
    // A loop over these cells would never end.
    expect(idsWithin(2 ** 40)).toEqual(upTo(count));
    expect(reads).not.toHaveBeenCalled();
  },
);
