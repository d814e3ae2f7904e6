/** Scenes of bench:physics as plain data, the same every time. */
import { defaultSettings, resolveSettings } from '../../src/core/contact/settings';
import type { Dimensions } from '../../src/core/world/world';
import type { Scene } from '../../src/scenes';

/** In units of length per s². */
export const GRAVITY = 9.81;

export interface PhysicsBody {
  readonly position: readonly number[];
  /** A body without a velocity is at rest. */
  readonly velocity?: readonly number[] | undefined;
  /** The radius of a ball (disc), or half of each edge of a box. */
  readonly size: number | readonly number[];
}

export interface PhysicsScene {
  readonly dimensions: Dimensions;
  /** All sides are walls. */
  readonly min: readonly number[];
  readonly max: readonly number[];
  readonly gravity: readonly number[];
  readonly friction: number;
  readonly restitution: number;
  readonly bodies: readonly PhysicsBody[];
  readonly obstacles: readonly PhysicsBody[];
}

/** Returns a vector, in 2D without `z`. */
export function vector(dimensions: Dimensions, x: number, y: number, z = 0): number[] {
  return dimensions === 2 ? [x, y] : [x, y, z];
}

/** Returns a scene without obstacles and restitution, in a box whose lower corner is the origin. */
export function sceneInBox(
  dimensions: Dimensions,
  max: readonly number[],
  bodies: readonly PhysicsBody[],
): PhysicsScene {
  return {
    dimensions,
    min: vector(dimensions, 0, 0),
    max,
    gravity: vector(dimensions, 0, -GRAVITY),
    friction: 0.2,
    restitution: 0,
    bodies,
    obstacles: [],
  };
}

/** Returns tilted gravity. On a level floor, it acts as normal gravity does on a floor that slopes down along +x. */
export function tiltedGravity(dimensions: Dimensions, degrees: number): number[] {
  const angle = (degrees * Math.PI) / 180;
  return vector(dimensions, GRAVITY * Math.sin(angle), -GRAVITY * Math.cos(angle));
}

/** Converts a scene of src/scenes. All its balls must have the same radius. */
export function fromScene({
  dimensions,
  min,
  max,
  positions,
  velocities,
  radius,
  settings,
}: Scene): PhysicsScene {
  const { gravity, friction, restitution } = resolveSettings(
    dimensions,
    defaultSettings(dimensions),
    settings,
  );
  const bodies = Array.from({ length: positions.length / dimensions }, (_, body) => ({
    position: vectorOf(positions, dimensions, body),
    velocity: vectorOf(velocities, dimensions, body),
    size: radius,
  }));
  return { dimensions, min, max, gravity, friction, restitution, bodies, obstacles: [] };
}

export function vectorOf(packed: Float32Array, dimensions: Dimensions, body: number): number[] {
  return Array.from(packed.subarray(dimensions * body, dimensions * (body + 1)));
}
