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

const BOX = { dimensions: 2, min: [0, 0], max: [8, 8], capacity: 6 } as const;
const POSITIONS = Float32Array.of(7, 7, 1, 1, 5, 5, 1.5, 1);

test.each([
  ['of one radius', { radius: 0.5 }],
  [
    'of many radii',
    { radii: Float32Array.of(0.5, 0.25, 0.4, 0.5), radiusRange: { smallest: 0.25, largest: 0.5 } },
  ],
  [
    'with boxes',
    { radii: Float32Array.of(0.5, 0, 0.4, 0.5), halfExtents: Float32Array.of(0, 0, 0.5, 0.25, 0, 0, 0, 0) },
  ],
])('the buffers of a CPU simulation %s stay the same objects, whichever method sorts', async (_, sizes) => {
  const { createCpuSimulation } = await import('../../../../src/cpu');
  const options = { ...BOX, ...sizes, positions: POSITIONS, gravity: [3, -9.8] };
  const simulation = createCpuSimulation(options);
  const twin = createCpuSimulation(options);
  const { positions, velocities, ids } = simulation.buffers;
  const calls: Record<string, (one: typeof simulation) => unknown> = {
    'a step': (one) => one.step(1 / 60),
    'an odd step': (one) => {
      one.set({ substeps: 3 });
      one.step(1 / 60);
    },
    profile: (one) => one.profile(1 / 60),
    separate: (one) => one.separate(1),
    measure: (one) => one.measure(),
    findPairs: (one) => one.findPairs(),
  };
  for (const [name, call] of Object.entries(calls)) {
    call(simulation);
    call(twin);
    expect(simulation.buffers, name).toBe(simulation.buffers);
    expect(simulation.buffers.positions, name).toBe(positions);
    const state = twin.read();
    ids.forEach((id, slot) => {
      const of = (array: Float32Array, index: number) => Array.from(array.subarray(2 * index, 2 * index + 2));
      expect(of(positions, slot), name).toEqual(of(state.positions, id));
      expect(of(velocities, slot), name).toEqual(of(state.velocities, id));
    });
    expect(simulation.measure().hash, name).toBe(twin.measure().hash);
  }
  simulation.remove([0]);
  // A new length needs new views, but the memory stays.
  const { positions: fewer } = simulation.buffers;
  expect(fewer.length).toBe(6);
  expect(fewer.buffer).toBe(positions.buffer);
  const checkpoint = twin.checkpoint();
  simulation.restore(checkpoint);
  expect(simulation.buffers.positions).toEqual(positions);
  expect(simulation.measure().hash).toBe(twin.measure().hash);
});
