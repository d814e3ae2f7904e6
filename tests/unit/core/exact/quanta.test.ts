import { describe, expect, it } from 'vitest';
import { defineQuanta } from '../../../../src/core/exact/quanta';
import { defineWorld } from '../../../../src/core/world/world';

describe('the quanta of an exact simulation', () => {
  it('give a periodic axis the same length and period, even if no 32-bit float holds the period', () => {
    const options = {
      dimensions: 2,
      min: [6.8666, -1],
      max: [13_340.2, 3],
      periodic: [true, false],
    } as const;
    const diameter = Math.fround(2 / 3);
    const world = defineWorld(options, diameter);
    const { period, extent, length } = defineQuanta(world, diameter);
    const size = (world.max[0] as number) - (world.min[0] as number);
    expect(extent[0]).toBe(Math.round(size / length));
    expect(period).toEqual([extent[0], 0]);
  });

  it.each([
    [false, 1],
    [true, 3],
  ] as const)('need an axis (periodic: %s) slightly longer than %d diameters', (periodic, diameters) => {
    const quantaOf = (length: number) =>
      defineQuanta(
        defineWorld({ dimensions: 2, min: [0, 0], max: [length, 8], periodic: [periodic, false] }, 1),
        1,
      );
    let refused: unknown;
    try {
      quantaOf(diameters);
    } catch (error) {
      refused = error;
    }
    const message = /^max\[0\] is \d, but it must be at least ([\d.]+) above min\[0\] in an exact simulation/;
    const [, least] = message.exec((refused as Error).message) ?? [];
    expect(Number(least)).toBeGreaterThan(diameters);
    const { searchDiameter } = quantaOf(Number(least));
    expect(diameters * searchDiameter).toBeLessThanOrEqual(Number(least));
  });
});
