/** Makes scenes and turns them into options of a simulation. */
import { checkDimensions, checkInteger, checkKnownKeys } from '../core/base/checks';
import { MAX_PARTICLES } from '../core/simulation/ids';
import type { SimulationOptions } from '../core/simulation/simulation';
import type { WorldOptions } from '../core/world/world';
import { Random } from './random';
import { requireScene } from './registry';
import { DEFAULT_SEED, REQUEST_NAMES, type SceneRequest } from './request';
import type { Scene } from './scene';

export { wallOf } from './bullets';
export { changeScene, type SceneChanges, scaleScene, smallestDiameter } from './change';
export type {
  CollisionSceneDefinition,
  FlockSceneDefinition,
  FluidSceneDefinition,
  LifeSceneDefinition,
  PositionFluidSceneDefinition,
  SceneDefinition,
  SceneMethod,
} from './definition';
export { applyDrive, type Drivable, type Drive, type Driven, movesObstacles, strengthOf } from './drive';
export { Random } from './random';
export { findScene, isDriven, requireScene, SCENES, type SceneFlag, sceneNames, scenesOf } from './registry';
export { DEFAULT_SEED, type SceneRequest } from './request';
export type { Scene } from './scene';

/**
 * Generates the particles of a collision scene. Throws if the scene is unknown or another method runs it.
 *
 * @example
 * ```ts
 * const scene = createScene('pile', { dimensions: 2, count: 10_000 });
 * const { min, max, radius, positions, velocities, settings } = scene;
 * const simulation = createCpuSimulation({ dimensions: 2, min, max, radius, positions, velocities, ...settings });
 * simulation.step(1 / 60);
 * ```
 */
export function createScene(name: string, request: SceneRequest): Scene {
  const { description, world = 'bounded', generate } = requireScene('collisions', name);
  checkKnownKeys('request', request, REQUEST_NAMES);
  const { dimensions, count, seed = DEFAULT_SEED } = request;
  checkDimensions(dimensions);
  checkInteger('count', count, 0, MAX_PARTICLES);
  checkInteger('seed', seed, 0, 2 ** 32 - 1);
  const content = generate(dimensions, count, new Random(seed));
  return { name, description, world, dimensions, count, seed, ...content };
}

export function worldOptions(scene: Scene): WorldOptions {
  const { dimensions, cellSize, min, max, periodic, crowds } = scene;
  if (scene.world === 'unbounded') return { dimensions, cellSize, crowds, unbounded: true };
  return { dimensions, cellSize, crowds, min, max, periodic };
}

export function sizeOptions({
  radius,
  radii,
  radiusRange,
  halfExtents,
}: Scene): Pick<SimulationOptions, 'radius' | 'radii' | 'radiusRange' | 'halfExtents'> {
  return radii ? { radii, radiusRange, halfExtents } : { radius };
}

/** Returns the options of a simulation of the scene. `changes` override them. */
export function sceneOptions(scene: Scene, changes: Partial<SimulationOptions> = {}): SimulationOptions {
  return {
    ...worldOptions(scene),
    ...sizeOptions(scene),
    positions: scene.positions,
    velocities: scene.velocities,
    obstacles: scene.obstacles,
    continuous: scene.continuous,
    ...scene.settings,
    ...changes,
  };
}
