/**
 * What a scene declares about itself, for each of the three methods that can run one. Callers filter scenes by this data
 * (see `sceneNames` in registry.ts) without generating any particles.
 */
import type { Dimensions, WorldKind } from '../core/world/world';
import type { FlockRequest, FlockScene } from './flocks';
import type { Random } from './random';
import type { SceneContent } from './scene';
import type { TankContent } from './tank';

/** What moves the particles of a scene. */
export type SceneMethod = 'collisions' | 'fluid' | 'flock';

interface DefinitionBase {
  readonly name: string;
  readonly description: string;
}

/** Particles that collide. `createScene` generates them. */
export interface CollisionSceneDefinition extends DefinitionBase {
  readonly method: 'collisions';
  /** Default: 'bounded'. */
  readonly world?: Exclude<WorldKind, 'bounded'> | undefined;
  /** Each particle has its own radius. */
  readonly variableRadii?: true | undefined;
  /** Some particles are boxes. Such scenes have variable radii too. */
  readonly hasBoxes?: true | undefined;
  /** Gravity or obstacles change as time passes; see drive.ts. */
  readonly driven?: true | undefined;
  /** The scene turns continuous collision detection on. */
  readonly continuous?: true | undefined;
  readonly generate: (dimensions: Dimensions, count: number, random: Random) => SceneContent;
}

/** A tank of fluid. `createFluidScene` (fluid-scene.ts) scales it to a number of particles. */
export interface FluidSceneDefinition extends DefinitionBase {
  readonly method: 'fluid';
  /** Strength of the downward gravity, length / s². */
  readonly gravity: number;
  readonly substeps: number;
  /** `width`: factor on the tank's usual width. */
  readonly tank: (dimensions: Dimensions, width: number) => TankContent;
}

/** Birds and the hunters that they flee. */
export interface FlockSceneDefinition extends DefinitionBase {
  readonly method: 'flock';
  readonly gravity: 0;
  readonly substeps: 1;
  readonly generate: (request: FlockRequest) => FlockScene;
}

export type SceneDefinition = CollisionSceneDefinition | FluidSceneDefinition | FlockSceneDefinition;
