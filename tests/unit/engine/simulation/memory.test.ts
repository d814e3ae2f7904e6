import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../../../src/core/base/errors';
import { BYTES_PER_CELL, bytesPerParticle, estimateMemory } from '../../../../src/engine/simulation/memory';

/** The most bytes of GPU memory per particle in 2D and in 3D, and per cell. */
const BAR = { 2: 64, 3: 112, cell: 12 } as const;

describe('memory', () => {
  it.each([2, 3] as const)('stays within the limit in %dD, including all buffers', (dimensions) => {
    expect(bytesPerParticle(dimensions)).toBeLessThanOrEqual(BAR[dimensions]);
    expect(BYTES_PER_CELL).toBeLessThanOrEqual(BAR.cell);
    // Some buffers have a fixed size, whatever the numbers of particles and cells.
    const fixed = estimateMemory(dimensions, 0, 0);
    expect(fixed).toBeLessThan(1_000_000);
    for (const [particles, cells] of [
      [1_000_000, 0],
      [0, 4_000_000],
      [1_000_000, 4_000_000],
      [100_000_000, 400_000_000],
    ] as const) {
      const bytes = estimateMemory(dimensions, particles, cells) - fixed;
      expect(bytes).toBeGreaterThan(0);
      expect(bytes).toBeLessThanOrEqual(particles * BAR[dimensions] + cells * BAR.cell);
    }
  });

  it('grows by bytesPerParticle for each particle and by BYTES_PER_CELL for each cell', () => {
    for (const dimensions of [2, 3] as const) {
      const base = estimateMemory(dimensions, 1_000_000, 1_000_000);
      const particle = (estimateMemory(dimensions, 2_000_000, 1_000_000) - base) / 1e6;
      const cell = (estimateMemory(dimensions, 1_000_000, 2_000_000) - base) / 1e6;
      expect(particle).toBeGreaterThanOrEqual(bytesPerParticle(dimensions));
      expect(particle).toBeLessThan(bytesPerParticle(dimensions) + 1);
      expect(cell).toBeGreaterThanOrEqual(BYTES_PER_CELL);
      expect(cell).toBeLessThan(BYTES_PER_CELL + 1);
    }
  });

  it('includes bytes for obstacles and crowds only if they are requested', () => {
    const plain = estimateMemory(2, 1000, 4000, 'unbounded');
    expect(estimateMemory(2, 1000, 4000, 'unbounded', {})).toBe(plain);
    expect(estimateMemory(2, 1000, 4000, 'unbounded', { obstacles: 0, crowds: false })).toBe(plain);
    expect(estimateMemory(2, 1000, 4000, 'unbounded', { crowds: true })).toBe(plain + 4 * 1008);
  });

  it.each([
    [2, 'bounded', 40],
    [3, 'periodic', 64],
    [2, 'unbounded', 52],
    [3, 'unbounded', 92],
  ] as const)('grows per obstacle as docs/obstacles.md says (%dD, %s)', (dimensions, kind, bytes) => {
    const of = (obstacles: number, cells: number) =>
      estimateMemory(dimensions, 1000, cells, kind, { obstacles });
    expect(of(2_000_000, 4096) - of(1_000_000, 4096)).toBe(bytes * 1_000_000);
    const cell = (of(1, 8192) - of(1, 4096) - of(0, 8192) + of(0, 4096)) / 4096;
    expect(cell).toBeGreaterThanOrEqual(12);
    expect(cell).toBeLessThan(12.01);
  });

  it.each([
    [['x', Number.NaN, -1], /^particles is NaN, /],
    [['x', 1, 1], /^dimensions is "x", /],
    [[2, 1, -1], /^cells is -1, /],
    [[2, 1, 1, 'round'], /^kind is "round", /],
    [[2, 1, 1, 'bounded', { obstacle: 1 }], /^options\.obstacle is 1, /],
    [[2, 1, 1, 'bounded', { levels: '2' }], /^levels is "2", /],
    [[2, 1, 1, 'bounded', { crowds: 1 }], /^crowds is 1, /],
  ])('rejects the arguments %j', (given, message) => {
    expect(() => estimateMemory(...(given as Parameters<typeof estimateMemory>))).toThrow(ArgumentError);
    expect(() => estimateMemory(...(given as Parameters<typeof estimateMemory>))).toThrow(message);
  });
});
