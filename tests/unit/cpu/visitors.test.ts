import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../../src/core/base/errors';
import { createCpuBoxPairs, createCpuGrid, createCpuLevelGrid } from '../../../src/cpu';

describe('methods with a visitor', () => {
  it('reject a visitor that is not a function, even without particles', () => {
    const box = { dimensions: 2, min: [0, 0], max: [8, 8], capacity: 4 } as const;
    const equal = createCpuGrid({ ...box, diameter: 1 });
    const mixed = createCpuLevelGrid({ ...box, radii: { smallest: 0.1, largest: 1 } });
    const boxes = createCpuBoxPairs({ dimensions: 2 });
    const positions = Float32Array.of(1, 1, 1.5, 1);
    for (const isEmpty of [true, false]) {
      if (!isEmpty) {
        equal.build(positions);
        mixed.build(positions, Float32Array.of(0.5, 0.5));
        boxes.build(Float32Array.of(0, 0, 2, 2, 1, 1, 3, 3));
      }
      for (const visit of [undefined, null, 'visit', {}] as unknown as (() => void)[]) {
        const calls = [
          ...[equal, mixed].flatMap((grid) => [
            () => grid.near([1, 1], 1, visit),
            () => grid.inBox([0, 0], [2, 2], visit),
            () => grid.alongRay([0, 1], [1, 0], 5, visit),
            () => grid.forEachPair(visit),
          ]),
          () => boxes.forEachPair(visit),
        ];
        for (const call of calls) {
          expect(call).toThrow(ArgumentError);
          expect(call).toThrow(/^visit is (undefined|null|"visit"|an object), but it must be a function\.$/);
        }
      }
    }
    expect([equal.countPairs(), mixed.countPairs(), boxes.countPairs()]).toEqual([1, 1, 1]);
  });
});
