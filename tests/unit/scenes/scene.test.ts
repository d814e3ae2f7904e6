import { expect, it } from 'vitest';
import { ceilRoot, stepFor, toCoordinate } from '../../../src/scenes/scene';

it('ceilRoot takes exact roots of perfect powers and rounds up between them', () => {
  for (const root of [1, 2, 3, 10, 99, 1000, 46_340]) {
    expect(ceilRoot(root ** 2, 2)).toBe(root);
    expect(ceilRoot(root ** 2 + 1, 2)).toBe(root + 1);
    expect(ceilRoot(root ** 3, 3)).toBe(root);
    expect(ceilRoot(root ** 3 + 1, 3)).toBe(root + 1);
  }
  expect(ceilRoot(0, 2)).toBe(1);
});

it('stepFor returns more than 1 only for lengths at which 32-bit floats cannot hold every unit', () => {
  expect([stepFor(1), stepFor(16_384), stepFor(16_385), stepFor(40_000)]).toEqual([1, 1, 2, 4]);
  expect(toCoordinate(1027, 2)).toBe(1026 / 1024);
  const far = toCoordinate(20_000 * 1024 + 3, stepFor(20_000));
  expect(Math.fround(far)).toBe(far);
});
