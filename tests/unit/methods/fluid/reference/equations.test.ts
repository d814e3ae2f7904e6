import { expect, test } from 'vitest';
import { createCpuFluid } from '../../../../../src/methods/fluid';
import type { FluidPlan } from '../../../../../src/methods/fluid/options';
import { encodeFrame, FRAME_OFFSETS } from '../../../../../src/methods/fluid/passes/frame';
import { correctionRate, swelling } from '../../../../../src/methods/fluid/reference/equations';

function frameOf(plan: FluidPlan, field: string, dt: number): Float32Array {
  const frame = encodeFrame({ plan, couplingSize: 1, grid: { cells: [6, 6] }, count: 0, dt, obstacles: [] });
  return new Float32Array(frame, new Map(FRAME_OFFSETS).get(field), 4);
}

test.each([
  [1 / 60, [0, 0], 60],
  [1 / 240, [0, 0], 120],
  [1 / 240, [0, -1e-9], 120],
  [1 / 240, [60, -80], 200],
  [1 / 60, [60, -80], 60],
] as const)(
  'with substeps of %f s and gravity %o, both engines correct density at a rate of %f per second',
  (dt, gravity, rate) => {
    const { plan } = createCpuFluid({ dimensions: 2, cells: [4, 4], cellSize: 1, gravity });
    expect(correctionRate(plan, dt)).toBeCloseTo(rate, 10);
    expect(Array.from(frameOf(plan, 'scale', dt))).toEqual([dt, 1, 1, rate].map(Math.fround));
  },
);

test.each([
  [1, true, 0],
  [0.8, false, 0],
  [0.8, true, -0.3 * 0.18],
  [0.1, true, -0.3 * 0.88],
  [1.2, false, 0.3 * 0.18],
  [2, true, 0.1],
])('a cell with fullness %f (deep: %s) swells by %f', (fullness, isDeep, expected) => {
  expect(swelling(fullness, isDeep, 0.3, 1)).toBeCloseTo(expected, 12);
});
