/** cellstorm's own engines, with default settings. */
import type { SimulationOptions } from '../../../src/core/simulation/simulation';
import { createCpuSimulation } from '../../../src/cpu';
import { createSimulation } from '../../../src/engine/simulation/simulation';
import type { Gpu } from '../../../src/gpu/device';
import type { PhysicsEngine } from '../engine';
import { DT } from '../engine';
import type { PhysicsBody, PhysicsScene } from '../scene';

/** After this many steps, wait until the device has finished them all. */
const MOST_QUEUED = 50;

const BOTH = [2, 3] as const;

export const CELLSTORM_CPU = onCpu('cpu', 'cellstorm/cpu with default settings: 8 substeps per step.', false);

/** Fails in scenes with boxes or with different radii, which exact simulations do not offer. */
export const CELLSTORM_EXACT = onCpu(
  'exact',
  'cellstorm/cpu with `exact: true`, for equal balls only.',
  true,
);

function onCpu(name: string, about: string, exact: boolean): PhysicsEngine {
  return {
    name,
    about,
    dimensions: BOTH,
    open(scene) {
      const simulation = createCpuSimulation({ ...simulationOptions(scene), exact });
      return {
        step: () => simulation.step(DT),
        read: () => simulation.read(),
        destroy: () => simulation.destroy(),
      };
    },
  };
}

export function cellstormGpu(gpu: Gpu, driver: string): PhysicsEngine {
  return {
    name: 'gpu',
    about: `cellstorm on the GPU (${driver}) with default settings: 8 substeps per step.`,
    dimensions: BOTH,
    async open(scene) {
      const simulation = await createSimulation(gpu, simulationOptions(scene));
      let queued = 0;
      return {
        async step() {
          simulation.step(DT);
          queued++;
          if (queued < MOST_QUEUED) return;
          queued = 0;
          await gpu.device.queue.onSubmittedWorkDone();
        },
        read: () => simulation.read(),
        destroy: () => simulation.destroy(),
      };
    },
  };
}

export function simulationOptions(scene: PhysicsScene): SimulationOptions {
  const { dimensions, min, max, gravity, friction, restitution, bodies, obstacles } = scene;
  const [first] = bodies;
  const isEqual = [...bodies, ...obstacles].every(
    ({ size }) => typeof size === 'number' && size === first?.size,
  );
  const common = {
    dimensions,
    min,
    max,
    gravity,
    friction,
    restitution,
    positions: positionsOf(bodies),
    velocities: Float32Array.from(
      bodies.flatMap(({ velocity }) => velocity ?? new Array<number>(dimensions).fill(0)),
    ),
  };
  if (isEqual) return { ...common, radius: first?.size as number, obstacles: positionsOf(obstacles) };
  const boxes = [...bodies, ...obstacles].some(({ size }) => typeof size !== 'number');
  return {
    ...common,
    boxes,
    ...sizesOf(scene, bodies, boxes),
    ...(obstacles.length > 0
      ? { obstacles: { positions: positionsOf(obstacles), ...sizesOf(scene, obstacles, boxes) } }
      : {}),
  };
}

function positionsOf(bodies: readonly PhysicsBody[]): Float32Array {
  return Float32Array.from(bodies.flatMap(({ position }) => position));
}

function sizesOf({ dimensions }: PhysicsScene, bodies: readonly PhysicsBody[], boxes: boolean) {
  const radii = Float32Array.from(bodies, ({ size }) => (typeof size === 'number' ? size : 0));
  if (!boxes) return { radii };
  const halfExtents = Float32Array.from(
    bodies.flatMap(({ size }) => (typeof size === 'number' ? new Array<number>(dimensions).fill(0) : size)),
  );
  return { radii, halfExtents };
}
