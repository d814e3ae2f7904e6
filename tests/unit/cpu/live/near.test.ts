import { describe, expect, it } from 'vitest';
import { type CpuIndexOptions, createCpuIndex } from '../../../../src/cpu';
import { countVisits } from './content';

describe.each([2, 3] as const)('CpuIndex in %dD', (dimensions) => {
  const vector = (value: number, ...first: number[]) =>
    Array.from({ length: dimensions }, (_, axis) => first[axis] ?? value);
  const box = (edge: number, capacity: number, radius?: number): CpuIndexOptions => ({
    dimensions,
    min: vector(0),
    max: vector(edge),
    capacity,
    radius,
  });

  it('finds the objects nearest to a point even if the smallest object is far smaller than most', () => {
    const edge = dimensions === 2 ? 64 : 16;
    const index = createCpuIndex({ ...box(edge, edge ** dimensions + 2), periodic: true });
    for (let cell = 0; cell < edge ** dimensions; cell++) {
      index.add(
        vector(0).map((_, axis) => Math.floor(cell / edge ** axis) % edge),
        0.5,
      );
    }
    index.add(vector(1.25), 2 ** -30);
    index.add(vector(9), 8);
    for (const [k, most] of [
      [1, 6 ** dimensions],
      [8, 8 ** dimensions],
    ] as const) {
      countVisits((visits) => {
        const { ids, distancesSquared } = index.nearest(vector(edge), k, 4);
        expect([ids[0], distancesSquared[0]]).toEqual([0, 0]);
        expect(ids).toHaveLength(k);
        expect(visits.cells).toBeLessThan(most);
      });
    }
    expect([...index.nearest(vector(1.25), 1).ids]).toEqual([edge ** dimensions]);
    expect(index.nearest(vector(0.25), 9, 0.25).ids).toHaveLength(0);
    index.clear();
    expect(index.nearest(vector(0), 3).ids).toHaveLength(0);
    expect(index.findNear(vector(0), 3)).toHaveLength(0);
  });
});
