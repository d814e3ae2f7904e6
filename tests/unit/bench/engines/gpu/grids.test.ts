import { expect, it } from 'vitest';
import { chooseCells, GPU_GRID, GPU_LEVELS } from '../../../../../bench/engines/gpu/grids';
import { type BenchScene, createBenchScene } from '../../../../../bench/harness/scenes';
import { Random } from '../../../../../src/scenes';
import { DIMENSIONS } from '../../../../helpers/passes';

const COUNT = 100_000;

it.each(DIMENSIONS)(
  'cells are wider than a diameter in a mostly empty box, so that there are fewer than 32 cells per body, in %dD',
  (dimensions) => {
    const huge = createBenchScene('huge', { dimensions, count: COUNT });
    const { cellSize = 0 } = chooseCells(huge);
    const cells = huge.max.reduce(
      (product, high, axis) => product * ((high - (huge.min[axis] ?? 0)) / cellSize),
      1,
    );
    expect(cells / COUNT).toBeGreaterThan(1);
    expect(cells / COUNT).toBeLessThan(32);
    expect(GPU_GRID.refuse?.(huge)).toBeUndefined();
    // Levels do not enlarge their cells, so the box has too many.
    expect(GPU_LEVELS.refuse?.(huge)).toMatch(
      /^The box has \d\.\de\+\d+ cells of the largest diameter for 100000 bodies\. /,
    );
    const uniform = createBenchScene('uniform', { dimensions, count: COUNT });
    expect(chooseCells(uniform).cellSize).toBe(2 * uniform.radius);
    expect([GPU_GRID, GPU_LEVELS].map((engine) => engine.refuse?.(uniform))).toEqual([undefined, undefined]);
  },
);

it('cells are one diameter wide if bodies crowd in a corner of a large box, and gpu-grid rejects this scene', () => {
  const random = new Random(1);
  const crowd = Float32Array.from({ length: 2 * COUNT }, () => random.between(0, 300));
  const scene: BenchScene = {
    ...createBenchScene('uniform', { dimensions: 2, count: COUNT }),
    radius: 0.5,
    min: [0, 0],
    max: [30_000, 30_000],
    frame: () => crowd,
  };
  expect(chooseCells(scene).cellSize).toBe(1);
  expect(GPU_GRID.refuse?.(scene)).toMatch(
    /^The box has 9\.0e\+8 cells of the largest diameter for 100000 bodies\. /,
  );
});
