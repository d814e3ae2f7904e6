import { describe, expect, it } from 'vitest';
import { createCpuSimulation } from '../../../../src/cpu';
import { bucketColour, occupiedCells } from '../../../../src/page/view/occupied-cells';
import { createScene, sceneOptions } from '../../../../src/scenes';

const ENDLESS = { min: undefined, max: undefined, periodic: undefined, unbounded: true } as const;

describe.each([2, 3] as const)('the occupied cells in %iD', (dimensions) => {
  it.each([
    ['far-apart', {}],
    ['colliding-cells', {}],
    ['mixed', ENDLESS],
  ] as const)('contain each particle once, and say which cells share a bucket (%s)', (name, change) => {
    const scene = createScene(name, { dimensions, count: 300 });
    const simulation = createCpuSimulation(sceneOptions(scene, change));
    const particles = simulation.read();
    const cells = occupiedCells(simulation.world, particles);
    expect(cells.reduce((sum, { occupancy }) => sum + occupancy, 0)).toBe(300);
    for (let particle = 0; particle < 300; particle++) {
      const position = particles.positions.subarray(dimensions * particle, dimensions * (particle + 1));
      const within = cells.filter(({ min, size }) =>
        min.every(
          (low, axis) => (position[axis] as number) >= low && (position[axis] as number) < low + size,
        ),
      );
      // With variable radii, cells of other levels may contain the position, too.
      expect(within.length).toBeGreaterThan(0);
      if (name !== 'mixed') expect(within.length).toBe(1);
    }
    for (const { bucket, isShared } of cells) {
      expect(cells.filter((other) => other.bucket === bucket).length > 1).toBe(isShared);
      expect(bucket).toBeLessThan(simulation.world.cellCount);
    }
    if (name === 'colliding-cells')
      expect(cells.filter(({ isShared }) => isShared).length).toBeGreaterThan(30);
  });

  it('leave out particles whose position is not finite', () => {
    const positions = new Float32Array(2 * dimensions);
    const { world } = createCpuSimulation({ dimensions, radius: 0.5, unbounded: true, positions });
    positions.fill(Number.NaN, 0, dimensions);
    const particles = { ids: Uint32Array.of(0, 1), positions, velocities: positions };
    expect(occupiedCells(world, particles)).toMatchObject([{ occupancy: 1, size: 1 }]);
  });
});

describe('the colour of a bucket', () => {
  it('differs much from that of the next bucket', () => {
    for (const isDark of [true, false]) {
      for (let bucket = 0; bucket < 100; bucket++) {
        const [own, next] = [bucketColour(bucket, isDark), bucketColour(bucket + 1, isDark)];
        expect(Math.hypot(...own.map((channel, at) => channel - (next[at] as number)))).toBeGreaterThan(0.25);
        for (const channel of own) {
          expect(channel).toBeGreaterThanOrEqual(0);
          expect(channel).toBeLessThanOrEqual(1);
        }
      }
    }
  });
});
