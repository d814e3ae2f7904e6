/**
 * Purpose: the list of scenes and how to make one. Page, CLI, tests and benchmarks all start here, so a
 * name, dimensions, count and seed mean the same particles everywhere.
 */
import { checkDimensions, checkInteger, checkKnownKeys } from '../core/base/checks';
import { ArgumentError } from '../core/base/errors';
import { MAX_PARTICLES } from '../core/simulation/ids';
import type { SimulationOptions } from '../core/simulation/simulation';
import type { WorldOptions } from '../core/world/world';
import { BOX_SCENES } from './boxes';
import { BULLETS, MIXED_BULLETS } from './fast';
import { GRANULAR_SCENES } from './granular';
import { asScene, createMixedScene, MIXED_SCENE_NAMES, MIXED_SCENES } from './mixed';
import { GAS, LATTICE, PACKING, PILE } from './ordered';
import { Random } from './random';
import { DEFAULT_SEED, REQUEST_NAMES, type SceneRequest } from './request';
import { CLUSTERED, CROWDS_SCENE, NEGATIVE, OBSTACLES, ONE_CELL, UNIFORM } from './scattered';
import type { Scene, SceneDefinition } from './scene';
import { CHANNEL, COLLIDING_CELLS, FAR_APART, PERIODIC } from './unusual';

export { applyDrive, type Drivable, type Drive, type Driven, movesObstacles, strengthOf } from './drive';
export { wallOf } from './fast';
export { createMixedScene, MIXED_SCENE_NAMES, type MixedScene } from './mixed';
export { Random } from './random';
export { DEFAULT_SEED, type SceneRequest } from './request';
export type { Scene, SceneDefinition } from './scene';

export const SCENES: readonly SceneDefinition[] = [
  UNIFORM,
  GAS,
  PILE,
  PACKING,
  CLUSTERED,
  ONE_CELL,
  LATTICE,
  NEGATIVE,
  PERIODIC,
  CHANNEL,
  FAR_APART,
  COLLIDING_CELLS,
  CROWDS_SCENE,
  OBSTACLES,
  BULLETS,
];

const SHAPED_SCENES: readonly SceneDefinition[] = [...BOX_SCENES, MIXED_BULLETS];

/** Of scenes that a drive turns or shakes. */
export const GRANULAR_SCENE_NAMES: readonly string[] = GRANULAR_SCENES.map(({ name }) => name);

export const BOX_SCENE_NAMES: readonly string[] = SHAPED_SCENES.map(({ name }) => name);

/** Of scenes whose particles' paths are followed. */
export const FAST_SCENE_NAMES: readonly string[] = [BULLETS.name, MIXED_BULLETS.name];

/** Of scenes whose particles have one radius; MIXED_, BOX_ and GRANULAR_SCENE_NAMES are the others. */
export const SCENE_NAMES: readonly string[] = SCENES.map((definition) => definition.name);

export const ALL_SCENES: readonly Pick<SceneDefinition, 'name' | 'description' | 'world'>[] = [
  ...SCENES,
  ...MIXED_SCENES,
  ...SHAPED_SCENES,
  ...GRANULAR_SCENES,
];

export const ALL_SCENE_NAMES: readonly string[] = ALL_SCENES.map(({ name }) => name);

export function createScene(name: string, request: SceneRequest): Scene {
  if (MIXED_SCENE_NAMES.includes(name)) return asScene(createMixedScene(name, request));
  const definition = [...SCENES, ...SHAPED_SCENES, ...GRANULAR_SCENES].find(
    (candidate) => candidate.name === name,
  );
  if (!definition) throw new ArgumentError('scene', name, `one of ${ALL_SCENE_NAMES.join(', ')}`);
  checkKnownKeys('request', request, REQUEST_NAMES);
  const { dimensions, count, seed = DEFAULT_SEED } = request;
  checkDimensions(dimensions);
  checkInteger('count', count, 0, MAX_PARTICLES);
  checkInteger('seed', seed, 0, 2 ** 32 - 1);
  const content = definition.generate(dimensions, count, new Random(seed));
  const world = definition.world ?? (content.periodic ? 'periodic' : 'bounded');
  return { name, description: definition.description, world, dimensions, count, seed, ...content };
}

/** The scene's world. */
export function worldOptions(scene: Scene): WorldOptions {
  const { dimensions, cellSize, min, max, periodic, crowds } = scene;
  if (scene.world === 'unbounded') return { dimensions, cellSize, crowds, unbounded: true };
  return { dimensions, cellSize, crowds, min, max, periodic };
}

/** The sizes of its particles. */
export function sizeOptions({
  radius,
  radii,
  radiusRange,
  halfExtents,
}: Scene): Pick<SimulationOptions, 'radius' | 'radii' | 'radiusRange' | 'halfExtents'> {
  return radii ? { radii, radiusRange, halfExtents } : { radius };
}

/** A simulation of the scene; `changes` win over what the scene says. */
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
