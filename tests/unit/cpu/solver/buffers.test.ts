import { expect, test } from 'vitest';

test('a CPU simulation uses positions and velocities that the caller wrote into its buffers', async () => {
  const { createCpuSimulation } = await import('../../../../src/cpu');
  const simulation = createCpuSimulation({
    dimensions: 2,
    radius: 0.5,
    positions: Float32Array.of(1, 1, 5, 5),
    min: [0, 0],
    max: [8, 8],
  });
  simulation.separate(1);
  const { positions, velocities, ids } = simulation.buffers;
  expect(positions.length).toBe(4);
  positions.set([1.25, 1], 2 * ids.indexOf(1));
  velocities.set([0, 2], 2 * ids.indexOf(1));
  simulation.separate(1);
  const { positions: apart, velocities: kept } = simulation.read();
  expect(apart[0]).toBeLessThan(1);
  expect(apart[2]).toBeGreaterThan(1.25);
  expect(Array.from(kept)).toEqual([0, 0, 0, 2]);
});
