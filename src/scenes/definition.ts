/**
 * The declaration of a scene, for each of the three methods. Callers filter scenes by these declarations (see
 * `sceneNames` in registry.ts) without generating particles.
 */
import type { Dimensions, WorldKind } from '../core/world/world';
import type { Random } from './random';
import type { SceneContent } from './scene';
import type { TankContent } from './tank';

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
  /** The scene turns continuous motion on. */
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

export interface FlockRequest {
  readonly dimensions: Dimensions;
  /** Number of birds. */
  readonly count: number;
  /** Factor on the sky's usual width. */
  readonly width: number;
  readonly seed: number;
}

/**
 * Options of a flock (methods/flock), and the radii to draw. The unit of length is `perception`; times are in seconds.
 */
export interface FlockScene {
  readonly dimensions: Dimensions;
  readonly min: readonly number[];
  readonly max: readonly number[];
  readonly periodic: boolean;
  /** Distance up to which a bird sees. */
  readonly perception: number;
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  readonly hunters: Float32Array;
  readonly fear: number;
  readonly slowest: number;
  readonly fastest: number;
  readonly greatestAcceleration: number;
  readonly separation: number;
  readonly alignment: number;
  readonly cohesion: number;
  readonly flight: number;
  readonly hunting: number;
  readonly hunterSpeed: number;
  /** Radii of birds and hunters as they are drawn. */
  readonly radius: number;
  readonly hunterRadius: number;
}

/** Birds and the hunters that they flee. */
export interface FlockSceneDefinition extends DefinitionBase {
  readonly method: 'flock';
  readonly gravity: 0;
  readonly substeps: 1;
  readonly generate: (request: FlockRequest) => FlockScene;
}

export type SceneDefinition = CollisionSceneDefinition | FluidSceneDefinition | FlockSceneDefinition;
