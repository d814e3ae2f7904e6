/** Declarations of scenes. Callers can filter these declarations without generating particles. */
import type { Dimensions, WorldKind } from '../core/world/world';
import type { Random } from './random';
import type { SceneContent } from './scene';
import type { TankBody, TankContent } from './tank';

/** The method that moves a scene's particles. */
export type SceneMethod = 'collisions' | 'fluid' | 'pbf' | 'flock' | 'life';

interface DefinitionBase {
  /** Unique name of the scene. */
  readonly name: string;
  /** One or two sentences for people. */
  readonly description: string;
}

/** A scene of particles that collide. `createScene` generates them. */
export interface CollisionSceneDefinition extends DefinitionBase {
  /** Always 'collisions'. */
  readonly method: 'collisions';
  /** Kind of world. Default: 'bounded'. */
  readonly world?: Exclude<WorldKind, 'bounded'> | undefined;
  /** True if each particle has its own radius. Default: false. */
  readonly variableRadii?: true | undefined;
  /** True if some particles are boxes. Such scenes have variable radii too. Default: false. */
  readonly hasBoxes?: true | undefined;
  /** True if gravity or obstacles change over time. Default: false. */
  readonly driven?: true | undefined;
  /** True if the scene turns continuous motion on. Default: false. */
  readonly continuous?: true | undefined;
  /** @internal */
  readonly generate: (dimensions: Dimensions, count: number, random: Random) => SceneContent;
}

/** A tank of fluid. */
export interface FluidSceneDefinition extends DefinitionBase {
  /** Always 'fluid'. */
  readonly method: 'fluid';
  /** Downward gravity, length / s². */
  readonly gravity: number;
  /** Substeps per step. */
  readonly substeps: number;
  /** @internal `width`: factor on the tank's usual width. */
  readonly tank: (dimensions: Dimensions, width: number) => TankContent;
}

/** Parameters of the particles to generate. */
export interface MethodRequest {
  readonly dimensions: Dimensions;
  readonly count: number;
  /** Factor on the world's usual width. */
  readonly width: number;
  /** A whole number from 0 to 2³² − 1. */
  readonly seed: number;
}

/** Options of a flock and the radii to draw. The unit of length is `perception`, the unit of time a second. */
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
  /** Distance up to which birds flee a hunter. */
  readonly fear: number;
  /** Least speed of a bird, length / s. */
  readonly slowest: number;
  readonly fastest: number;
  readonly greatestAcceleration: number;
  readonly separation: number;
  readonly alignment: number;
  readonly cohesion: number;
  /** Strength with which birds flee hunters. */
  readonly flight: number;
  /** Strength with which hunters follow birds. */
  readonly hunting: number;
  readonly hunterSpeed: number;
  /** The radius to draw. */
  readonly radius: number;
  readonly hunterRadius: number;
}

/** A flock of birds, and the hunters that they flee. */
export interface FlockSceneDefinition extends DefinitionBase {
  /** Always 'flock'. */
  readonly method: 'flock';
  /** A flock has no gravity. */
  readonly gravity: 0;
  /** A flock has one substep per step. */
  readonly substeps: 1;
}

/** A position-based fluid. The unit of length is `reach`, the unit of time a second. */
export interface PositionFluidScene {
  readonly dimensions: Dimensions;
  readonly min: readonly number[];
  readonly max: readonly number[];
  /** The distance up to which particles act on each other. */
  readonly reach: number;
  readonly positions: Float32Array;
  readonly obstacles: readonly TankBody[];
  /** The radius to draw. */
  readonly radius: number;
}

/** A tank of position-based fluid. */
export interface PositionFluidSceneDefinition extends DefinitionBase {
  /** Always 'pbf'. */
  readonly method: 'pbf';
  /** Downward gravity, length / s². */
  readonly gravity: number;
  /** Substeps per step. */
  readonly substeps: number;
}

export interface LifeRequest extends MethodRequest {
  /** Number of species, 1 to 256. */
  readonly kinds: number;
}

/** Particle life without its table of attractions. The unit of length is `reach`, the unit of time a second. */
export interface LifeScene {
  readonly dimensions: Dimensions;
  readonly min: readonly number[];
  readonly max: readonly number[];
  readonly periodic: boolean;
  /** The distance up to which particles act on each other. */
  readonly reach: number;
  readonly positions: Float32Array;
  readonly species: Uint8Array;
  /** The radius to draw. */
  readonly radius: number;
}

/** Particles of several species that attract and repel each other. */
export interface LifeSceneDefinition extends DefinitionBase {
  /** Always 'life'. */
  readonly method: 'life';
  /** Particle life has no gravity. */
  readonly gravity: 0;
  /** Particle life has one substep per step. */
  readonly substeps: 1;
}

/** A scene of any method. */
export type SceneDefinition =
  | CollisionSceneDefinition
  | FluidSceneDefinition
  | PositionFluidSceneDefinition
  | FlockSceneDefinition
  | LifeSceneDefinition;
