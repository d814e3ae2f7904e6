import { describe, expect, it } from 'vitest';
import { CellOrder } from '../../../../src/cpu/equal/order';
import { PairSearch } from '../../../../src/cpu/equal/search';
import { defineLattice } from '../../../../src/cpu/shared/lattice';
import { createNoise } from '../../../../src/testing/noise';
import { oracle, sortedPairs } from '../../../helpers/exact-pairs';
import { cubeOf } from '../../../helpers/inputs/cubes';
import { WORLD_KINDS } from '../../../helpers/inputs/obstacle-fields';
import { DIMENSIONS } from '../../../helpers/passes';

const COUNT = 120;

describe.each(DIMENSIONS)('the pairs of a search in %dD', (dimensions) => {
  it.each(WORLD_KINDS)('are exact in a world that is %s, even if many particles just touch', (kind) => {
    const world = cubeOf(kind, dimensions, 5, COUNT);
    const noise = createNoise(3);
    // At multiples of 1/4, many distances are exactly 1.
    const positions = Float32Array.from({ length: dimensions * COUNT }, () => Math.floor(20 * noise()) / 4);
    const order = new CellOrder(defineLattice(world), COUNT);
    const sorted = new Float32Array(positions.length);
    order.sort(positions, new Uint32Array(positions.buffer), COUNT, new Uint32Array(sorted.buffer));
    // If the diameter is one of the doubles next to 1, comparing rounded squares is not enough.
    const [touching, ...others] = [1, 1 - 2 ** -53, 1 + 2 ** -52].map((diameter) => {
      const expected = oracle(positions, dimensions, diameter, world.period);
      for (const broadPhase of ['grid', 'naive'] as const) {
        const search = new PairSearch(order, diameter, COUNT);
        search.begin(sorted, order.source, broadPhase);
        const found = search.collectInto(new Uint32Array(0)).subarray(0, search.task.length);
        expect(sortedPairs(found).join()).toBe(sortedPairs(expected).join());
      }
      return expected.length;
    });
    expect(others[0]).toBe(touching);
    expect(others[1]).toBeGreaterThan(touching as number);
  });
});
