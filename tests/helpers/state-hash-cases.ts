import type { SimulationOptions } from '../../src/core/simulation/simulation';
import { hashState } from '../../src/core/state/hash';
import type { Dimensions } from '../../src/core/world/world';
import { createCpuSimulation } from '../../src/cpu';
import { createSimulation } from '../../src/engine/simulation/simulation';
import type { Gpu } from '../../src/gpu/device';
import {
  createCpuFlock,
  createCpuLife,
  createFlock,
  createLife,
  type FlockOptions,
} from '../../src/methods/flock';
import { createCpuFluid, createFluid, type FluidOptions } from '../../src/methods/fluid';
import { createCpuPositionFluid, createPositionFluid } from '../../src/methods/pbf';
import {
  applyDrive,
  createScene,
  requireScene,
  type Scene,
  sceneNames,
  sceneOptions,
  scenesOf,
  strengthOf,
} from '../../src/scenes';
import { createFluidScene, type FluidScene, movingBodies } from '../../src/scenes/fluid-scene';
import {
  attractionTable,
  createFlockScene,
  createLifeScene,
  createPositionFluidScene,
} from '../../src/scenes/method-scene';
import { flockOptions, lifeOptions } from './inputs/flocks';
import { CELLAR, FOUNTAIN } from './inputs/fluids';
import { blockOf, obstaclesIn } from './inputs/position-fluids';

const SCENE_PARTICLES = 240;
const METHOD_PARTICLES = 160;
const DT = 1 / 60;
/** Steps that are submitted to the GPU before the test waits for it. */
const STEPS_PER_WAIT = 20;

export interface StateHashCase {
  readonly name: string;
  /** Returns the hash of the state after each number of steps in `marks`, which ascend. */
  onCpu(marks: readonly number[]): string[];
  onGpu(gpu: Gpu, marks: readonly number[]): Promise<string[]>;
}

interface Particles {
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
}

interface Stepper {
  step(dt: number): void;
}

function stepOnCpu<Method extends Stepper>(
  marks: readonly number[],
  method: Method,
  hash: (method: Method) => string,
  before?: (method: Method) => void,
): string[] {
  let step = 0;
  return marks.map((mark) => {
    for (; step < mark; step++) {
      before?.(method);
      method.step(DT);
    }
    return hash(method);
  });
}

interface GpuRun {
  readonly gpu: Gpu;
  readonly marks: readonly number[];
}

async function stepOnGpu<Method extends Stepper & { destroy(): void }>(
  { gpu, marks }: GpuRun,
  creating: Promise<Method>,
  hash: (method: Method) => Promise<string>,
  before?: (method: Method) => void,
): Promise<string[]> {
  const method = await creating;
  const found: string[] = [];
  let step = 0;
  for (const mark of marks) {
    for (; step < mark; step++) {
      before?.(method);
      method.step(DT);
      if (step % STEPS_PER_WAIT === STEPS_PER_WAIT - 1) await gpu.device.queue.onSubmittedWorkDone();
    }
    found.push(await hash(method));
  }
  method.destroy();
  return found;
}

function simulationCase(name: string, scene: Scene, changes: Partial<SimulationOptions> = {}): StateHashCase {
  const options = sceneOptions(scene, changes);
  const strength = strengthOf(options);
  const drive = (simulation: Parameters<typeof applyDrive>[0]) =>
    applyDrive(simulation, scene.drive, strength);
  return {
    name: `${name} ${scene.dimensions}D`,
    onCpu: (marks) =>
      stepOnCpu(marks, createCpuSimulation(options), (simulation) => simulation.measure().hash, drive),
    onGpu: (gpu, marks) =>
      stepOnGpu(
        { gpu, marks },
        createSimulation(gpu, options),
        async (simulation) => (await simulation.measure()).hash,
        drive,
      ),
  };
}

const hashParticles =
  (dimensions: Dimensions) =>
  ({ positions, velocities }: Particles): string =>
    hashState(dimensions, positions, velocities);

function fluidCase(name: string, options: FluidOptions, scene?: FluidScene): StateHashCase {
  const drive = (fluid: {
    readonly time: number;
    setObstacles(obstacles: NonNullable<FluidOptions['obstacles']>): void;
  }) => {
    if (scene?.bodiesAt) fluid.setObstacles(movingBodies(scene, fluid.time, DT));
  };
  return {
    name: `${name} ${options.dimensions}D`,
    onCpu: (marks) => stepOnCpu(marks, createCpuFluid(options), (fluid) => fluid.measure().hash, drive),
    onGpu: (gpu, marks) =>
      stepOnGpu(
        { gpu, marks },
        createFluid(gpu, options),
        async (fluid) => (await fluid.measure()).hash,
        drive,
      ),
  };
}

function fluidSceneCase(name: string, dimensions: Dimensions): StateHashCase {
  const scene = createFluidScene(name, { dimensions, count: METHOD_PARTICLES, width: 1 });
  const { cells, cellSize, fill, solids, emitters, drains } = scene;
  const obstacles = movingBodies(scene, 0, 0);
  return fluidCase(
    `fluid ${name}`,
    {
      dimensions,
      cells,
      cellSize,
      fill,
      solids,
      emitters,
      drains,
      obstacles,
      capacity: 2 * METHOD_PARTICLES,
    },
    scene,
  );
}

function flockCase(name: string, options: FlockOptions): StateHashCase {
  const hash = hashParticles(options.dimensions);
  return {
    name: `flock ${name} ${options.dimensions}D`,
    onCpu: (marks) => stepOnCpu(marks, createCpuFlock(options), (flock) => hash(flock.read())),
    onGpu: (gpu, marks) =>
      stepOnGpu({ gpu, marks }, createFlock(gpu, options), async (flock) => hash(await flock.read())),
  };
}

function positionFluidSceneCase(name: string, dimensions: Dimensions): StateHashCase {
  const { gravity } = requireScene('pbf', name);
  const request = { dimensions, count: METHOD_PARTICLES, width: 1, seed: 1 };
  const { radius, reach, ...options } = createPositionFluidScene(name, request);
  const given = {
    ...options,
    radius: reach,
    gravity: [0, -gravity, 0].slice(0, dimensions),
  };
  const hash = hashParticles(dimensions);
  return {
    name: `pbf ${name} ${dimensions}D`,
    onCpu: (marks) => stepOnCpu(marks, createCpuPositionFluid(given), (fluid) => hash(fluid.read())),
    onGpu: (gpu, marks) =>
      stepOnGpu({ gpu, marks }, createPositionFluid(gpu, given), async (fluid) => hash(await fluid.read())),
  };
}

function lifeSceneCase(name: string, dimensions: Dimensions): StateHashCase {
  const kinds = 6;
  const request = { dimensions, count: METHOD_PARTICLES, width: 1, seed: 1, kinds };
  const { radius, ...options } = createLifeScene(name, request);
  const given = { ...options, attraction: attractionTable('random', kinds, 1) };
  const hash = hashParticles(dimensions);
  return {
    name: `life ${name} ${dimensions}D`,
    onCpu: (marks) => stepOnCpu(marks, createCpuLife(given), (life) => hash(life.read())),
    onGpu: (gpu, marks) =>
      stepOnGpu({ gpu, marks }, createLife(gpu, given), async (life) => hash(await life.read())),
  };
}

function flockSceneCase(name: string, dimensions: Dimensions): StateHashCase {
  const { radius, hunterRadius, ...options } = createFlockScene(name, {
    dimensions,
    count: METHOD_PARTICLES,
    width: 1,
    seed: 1,
  });
  return flockCase(name, options);
}

function lifeCase(dimensions: Dimensions): StateHashCase {
  const options = lifeOptions(dimensions, true, METHOD_PARTICLES);
  const hash = hashParticles(dimensions);
  return {
    name: `life ${dimensions}D`,
    onCpu: (marks) => stepOnCpu(marks, createCpuLife(options), (life) => hash(life.read())),
    onGpu: (gpu, marks) =>
      stepOnGpu({ gpu, marks }, createLife(gpu, options), async (life) => hash(await life.read())),
  };
}

function positionFluidCase(dimensions: Dimensions): StateHashCase {
  const options = {
    ...blockOf(dimensions, { squeeze: 0.95, iterations: 3, gravity: 9.8 }),
    obstacles: obstaclesIn(dimensions),
    vorticity: 0.02,
  };
  const hash = hashParticles(dimensions);
  return {
    name: `pbf ${dimensions}D`,
    onCpu: (marks) => stepOnCpu(marks, createCpuPositionFluid(options), (fluid) => hash(fluid.read())),
    onGpu: (gpu, marks) =>
      stepOnGpu({ gpu, marks }, createPositionFluid(gpu, options), async (fluid) => hash(await fluid.read())),
  };
}

function sceneCases(dimensions: Dimensions): StateHashCase[] {
  return sceneNames().map((name) =>
    simulationCase(`scene ${name}`, createScene(name, { dimensions, count: SCENE_PARTICLES })),
  );
}

/** Covers combinations of options that no scene has. */
function optionCases(dimensions: Dimensions): StateHashCase[] {
  const make = (name: string) => createScene(name, { dimensions, count: SCENE_PARTICLES });
  const unboundedWorld = { min: undefined, max: undefined, periodic: undefined, unbounded: true } as const;
  const [pile, uniform, mixed, crates] = ['pile', 'uniform', 'mixed', 'crates'].map(make) as [
    Scene,
    Scene,
    Scene,
    Scene,
  ];
  const contact = { restitution: 0.5, friction: 0.4 } as const;
  return [
    simulationCase('pile naive', pile, { broadPhase: 'naive' }),
    simulationCase('mixed naive', mixed, { broadPhase: 'naive' }),
    simulationCase('pile bouncing', pile, contact),
    simulationCase('mixed bouncing', mixed, contact),
    simulationCase('crates bouncing', crates, contact),
    simulationCase('pile crowds', pile, { crowds: true }),
    simulationCase('mixed crowds', mixed, { crowds: true }),
    simulationCase('uniform unbounded', uniform, { ...unboundedWorld, ...contact }),
    simulationCase('mixed unbounded', mixed, { ...unboundedWorld, ...contact }),
    simulationCase('crates unbounded', crates, { ...unboundedWorld, ...contact }),
    simulationCase('uniform continuous', uniform, { ...contact, continuous: true, substeps: 1 }),
    simulationCase('mixed continuous', mixed, { ...contact, continuous: true, substeps: 1 }),
    simulationCase('uniform unbounded continuous', uniform, {
      ...unboundedWorld,
      ...contact,
      continuous: true,
      substeps: 1,
    }),
    simulationCase('obstacles bouncing', make('obstacles'), contact),
    simulationCase('terraces bouncing', make('terraces'), contact),
  ];
}

function methodCases(dimensions: Dimensions): StateHashCase[] {
  return [
    ...scenesOf('fluid').map(({ name }) => fluidSceneCase(name, dimensions)),
    ...scenesOf('pbf').map(({ name }) => positionFluidSceneCase(name, dimensions)),
    ...scenesOf('flock').map(({ name }) => flockSceneCase(name, dimensions)),
    ...scenesOf('life').map(({ name }) => lifeSceneCase(name, dimensions)),
    flockCase('unbounded', flockOptions(dimensions, 'unbounded', METHOD_PARTICLES)),
    flockCase('bounded', flockOptions(dimensions, false, METHOD_PARTICLES)),
    lifeCase(dimensions),
    positionFluidCase(dimensions),
  ];
}

export const STATE_HASH_CASES: readonly StateHashCase[] = [
  ...([2, 3] as const).flatMap((dimensions) => [
    ...sceneCases(dimensions),
    ...optionCases(dimensions),
    ...methodCases(dimensions),
  ]),
  fluidCase('fluid comings and goings', FOUNTAIN),
  fluidCase('fluid cellar pic', { ...CELLAR, transfer: 'pic' }),
];
