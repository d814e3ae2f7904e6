/** Several kinds of simulations, which differ in their passes and buffers. */
import { createSimulation, type Simulation } from '../../../src/engine/simulation/simulation';
import type { Gpu } from '../../../src/gpu/device';
import { createNoise } from '../../../src/testing/noise';
import { boxOf, DT, type Held, latticeOf, type PublicObject, submit } from './object';

export const SIMULATION = simulationObject('simulation', (count) => {
  const positions = latticeOf(2, count);
  return {
    dimensions: 2,
    radius: 0.5,
    ...boxOf(2, count),
    positions,
    velocities: velocitiesOf(positions),
    restitution: 0.5,
    gravity: [0, -1],
    obstacles: Float32Array.of(1, 1),
    obstacleCapacity: 4,
  };
});

export const OTHER_SIMULATIONS = [
  simulationObject('simulation with variable radii in 3D', (count) => {
    const positions = latticeOf(3, count);
    const noise = createNoise(3);
    return {
      dimensions: 3,
      radii: Float32Array.from({ length: count }, () => 0.25 + 0.5 * noise()),
      radiusRange: { smallest: 0.25, largest: 0.75 },
      ...boxOf(3, count),
      periodic: true,
      positions,
      velocities: velocitiesOf(positions),
      obstacles: { positions: Float32Array.of(1, 1, 1), radii: Float32Array.of(0.5) },
    };
  }),
  simulationObject('continuous simulation without bounds', (count) => {
    const positions = latticeOf(2, count);
    return {
      dimensions: 2,
      radius: 0.5,
      unbounded: true,
      crowds: true,
      continuous: true,
      positions,
      velocities: velocitiesOf(positions).map((value) => 50 * value),
    };
  }),
  simulationObject('simulation with boxes', (count) => {
    const positions = latticeOf(2, count);
    return {
      dimensions: 2,
      radii: Float32Array.from({ length: count }, (_, index) => (index % 2 === 0 ? 0.5 : 0)),
      halfExtents: Float32Array.from({ length: 2 * count }, (_, index) => (index % 4 < 2 ? 0 : 0.375)),
      ...boxOf(2, count),
      positions,
      velocities: velocitiesOf(positions),
    };
  }),
];

type Body = Parameters<typeof createSimulation>[1];

function simulationObject(name: string, optionsOf: (count: number) => Body): PublicObject {
  return {
    name,
    async create(gpu, count) {
      const simulation = await createSimulation(gpu, optionsOf(count));
      return heldSimulation(gpu, simulation);
    },
  };
}

function heldSimulation(gpu: Gpu, simulation: Simulation): Held {
  const { dimensions, continuous } = simulation;
  const ids = [simulation.count - 1];
  const swap = async () => {
    const before = await simulation.read();
    const width = (array: Float32Array | undefined, size: number) => array?.slice(-size);
    simulation.remove(ids);
    simulation.add({
      positions: before.positions.slice(-dimensions),
      velocities: before.velocities.slice(-dimensions),
      radii: width(before.radii, 1),
      halfExtents: width(before.halfExtents, dimensions),
    });
  };
  return {
    step: () => simulation.step(DT),
    awaited: {
      measure: () => simulation.measure(),
      findPairs: () => simulation.findPairs(),
      read: () => simulation.read(),
      checkpoint: () => simulation.checkpoint(),
      profile: () => simulation.profile(DT),
      profileSeparate: () => simulation.profileSeparate(),
      swap,
      ...(continuous
        ? {
            advance: () => simulation.advance(DT),
            continuousCounts: () => simulation.continuousCounts(),
          }
        : {}),
    },
    immediate: {
      step: () => simulation.step(DT),
      separate: () => simulation.separate(),
      set: () => simulation.set({ friction: 0.25 }),
      buffers: () => simulation.buffers,
      encodeStep: () => submit(gpu, (encoder) => simulation.encodeStep(encoder, DT)),
      encodeSeparate: () => submit(gpu, (encoder) => simulation.encodeSeparate(encoder)),
      add: () => simulation.add({ positions: new Float32Array(0) }),
      remove: () => simulation.remove([]),
      setObstacles: () =>
        simulation.setObstacles(
          simulation.radiusRange
            ? { positions: new Float32Array(0), radii: new Float32Array(0) }
            : new Float32Array(0),
        ),
    },
    digest: async () => (await simulation.measure()).hash,
    checkpoint: () => simulation.checkpoint(),
    restore: (checkpoint) => simulation.restore(checkpoint as Awaited<ReturnType<Simulation['checkpoint']>>),
    destroy: () => simulation.destroy(),
  };
}

function velocitiesOf(positions: Float32Array): Float32Array {
  const noise = createNoise(positions.length);
  return positions.map(() => 2 * noise() - 1);
}
