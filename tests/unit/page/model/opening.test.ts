import { describe, expect, it } from 'vitest';
import { chooseOpening, lowerOpening, type Probed, stepBudget } from '../../../../src/page/model/opening';

describe('the first scene', () => {
  const on = (kind: Probed['kind'], timings: readonly (readonly [number, number])[], threads = 8) =>
    chooseOpening({
      kind,
      threads,
      timings: timings.map(([count, milliseconds]) => ({ count, milliseconds })),
    });
  const chosen = (...given: Parameters<typeof on>) => Object.values(on(...given).choices);

  it('is a murmuration of up to 300,000 birds on a fast GPU', () => {
    // In 8.33 ms, 128,000 · 8.33 / 2 = 533,333 discs take a step, or 426,666 birds.
    expect(
      chosen('gpu', [
        [16_000, 0.9],
        [128_000, 2],
      ]),
    ).toEqual(['murmuration', 3, 300_000]);
    expect(
      chosen('gpu', [
        [16_000, 0.9],
        [128_000, 4],
      ]),
    ).toEqual(['murmuration', 3, 210_000]);
    // A coarse clock may measure 0 ms.
    expect(
      chosen('gpu', [
        [16_000, 0],
        [128_000, 0],
      ]),
    ).toEqual(['murmuration', 3, 300_000]);
    expect(chosen('gpu', [[1000, 0]])).toEqual(['pile', 2, 3200]);
  });

  it('is a pile of as many discs as a slower GPU can handle', () => {
    // 100,000 birds take as long as 125,000 discs, but only 118,667 discs take a step in 8.33 ms.
    expect(
      chosen('gpu', [
        [16_000, 1],
        [128_000, 9],
      ]),
    ).toEqual(['pile', 2, 47_000]);
    // Between the measured counts, times are interpolated linearly.
    expect(
      chosen('gpu', [
        [16_000, 2],
        [128_000, 16],
      ]),
    ).toEqual(['pile', 2, 26_000]);
    expect(chosen('gpu', [[16_000, 20]])).toEqual(['pile', 2, 2600]);
    expect(chosen('gpu', [[16_000, 1e6]])).toEqual(['pile', 2, 100]);
  });

  it('is a pile of at most 12,000 discs on the CPU engine, fewer with one thread', () => {
    expect(chosen('cpu', [[4000, 1.1]])).toEqual(['pile', 2, 12_000]);
    expect(chosen('cpu', [[4000, 2.5]])).toEqual(['pile', 2, 8000]);
    expect(chosen('cpu', [[4000, 2.5]], 1)).toEqual(['pile', 2, 3700]);
    expect(chosen('cpu', [[4000, 50]])).toEqual(['pile', 2, 400]);
    expect(stepBudget({ kind: 'cpu', threads: 2 })).toBeCloseTo(12.5);
    expect(stepBudget({ kind: 'gpu', threads: 1 })).toBeCloseTo(8.33, 1);
  });

  it('is explained with what was measured', () => {
    expect(
      on('gpu', [
        [16_000, 0.9],
        [128_000, 4],
      ]).why,
    ).toBe(
      'It opened with 210,000 birds, which should hold 60 frames a second: it measured 4.00 ms per step of 128,000 discs.',
    );
  });

  it('gets fewer particles if the frame rate is too low', () => {
    const opening = on('gpu', [[128_000, 4]]);
    expect(lowerOpening(opening, 58)).toBeUndefined();
    expect(lowerOpening(opening, 0)).toBeUndefined();
    const lower = lowerOpening(opening, 30);
    expect(lower?.choices).toEqual({ scene: 'murmuration', dimensions: 3, count: 100_000 });
    expect(lower?.why).toBe('It opened with 100,000 particles, because 210,000 ran at 30 frames a second.');
    expect(lowerOpening(opening, 49)?.choices.count).toBe(140_000);
    expect(lowerOpening(opening, 1)?.choices.count).toBe(100_000);
    expect(lowerOpening(opening, 0.7)?.why).toMatch(/ran at 1 frame a second\.$/);
  });
});
