/**
 * Purpose: solid bodies in the liquid that move as the caller says: balls and boxes.
 * Inputs: where they are and how fast they go. Outputs: which places are inside, and the way out.
 */
import { ArgumentError, checkKnownKeys, checkRange, checkVector } from '../../index';

export interface BallObstacle {
  readonly shape: 'ball';
  readonly position: readonly number[];
  readonly radius: number;
  /** Length a second. Default 0. */
  readonly velocity?: readonly number[] | undefined;
}

export interface BoxObstacle {
  readonly shape: 'box';
  readonly position: readonly number[];
  /** Half of each edge. */
  readonly halfExtents: readonly number[];
  readonly velocity?: readonly number[] | undefined;
}

export type ObstacleOptions = BallObstacle | BoxObstacle;

/** Complete and checked; three numbers in the plane too, the last 0. */
export interface Obstacle {
  readonly position: readonly number[];
  readonly velocity: readonly number[];
  /** Of boxes, of balls 0. */
  readonly halfExtents: readonly number[];
  /** Of balls, of boxes 0. */
  readonly radius: number;
}

export const MAX_OBSTACLES = 16;

export function checkObstacles(given: readonly ObstacleOptions[], dimensions: 2 | 3): readonly Obstacle[] {
  if (!Array.isArray(given) || given.length > MAX_OBSTACLES) {
    throw new ArgumentError('obstacles', given, `a list of at most ${MAX_OBSTACLES}`);
  }
  const whole = (vector: readonly number[]) => [0, 1, 2].map((axis) => vector[axis] ?? 0);
  return given.map((obstacle: ObstacleOptions, index) => {
    const name = `obstacles[${index}]`;
    const shape: unknown = obstacle?.shape;
    if (shape !== 'ball' && shape !== 'box')
      throw new ArgumentError(`${name}.shape`, shape, "'ball' or 'box'");
    checkKnownKeys(name, obstacle, [
      'shape',
      'position',
      'velocity',
      shape === 'ball' ? 'radius' : 'halfExtents',
    ]);
    const { position } = obstacle;
    checkVector(`${name}.position`, position, dimensions);
    const velocity = obstacle.velocity ?? new Array<number>(dimensions).fill(0);
    checkVector(`${name}.velocity`, velocity, dimensions);
    if (obstacle.shape === 'ball') {
      checkRange(`${name}.radius`, obstacle.radius, 2 ** -30, 2 ** 30);
      return {
        position: whole(position),
        velocity: whole(velocity),
        halfExtents: [0, 0, 0],
        radius: obstacle.radius,
      };
    }
    checkVector(`${name}.halfExtents`, obstacle.halfExtents, dimensions);
    obstacle.halfExtents.forEach((half, axis) => {
      checkRange(`${name}.halfExtents[${axis}]`, half, 2 ** -30, 2 ** 30);
    });
    // In the plane without end across it.
    const halfExtents = [0, 1, 2].map((axis) => obstacle.halfExtents[axis] ?? 2 ** 30);
    return { position: whole(position), velocity: whole(velocity), halfExtents, radius: 0 };
  });
}

export function insideObstacle(
  { position, halfExtents, radius }: Obstacle,
  place: readonly number[],
): boolean {
  let squared = 0;
  let within = true;
  for (let axis = 0; axis < position.length; axis++) {
    const way = (place[axis] as number) - (position[axis] as number);
    squared += way * way;
    within &&= Math.abs(way) < (halfExtents[axis] as number);
  }
  return radius > 0 ? squared < radius * radius : within;
}

/** Moves a place that is inside to the nearest side; says whether it was. */
export function leaveObstacle(obstacle: Obstacle, place: number[]): boolean {
  if (!insideObstacle(obstacle, place)) return false;
  const { position, halfExtents, radius } = obstacle;
  const way = position.map((middle, axis) => (place[axis] as number) - middle);
  if (radius > 0) {
    const distance = Math.hypot(...way);
    // From the very middle, up.
    const outward =
      distance > 0
        ? way.map((component) => component / distance)
        : way.map((_, axis) => (axis === 1 ? 1 : 0));
    for (let axis = 0; axis < position.length; axis++)
      place[axis] = (position[axis] as number) + radius * (outward[axis] as number);
    return true;
  }
  const depths = way.map((component, axis) => (halfExtents[axis] as number) - Math.abs(component));
  const shallow = depths.indexOf(Math.min(...depths));
  place[shallow] =
    (position[shallow] as number) +
    ((way[shallow] as number) < 0 ? -1 : 1) * (halfExtents[shallow] as number);
  return true;
}

export function movedObstacle(obstacle: Obstacle, dt: number): Obstacle {
  const { position, velocity } = obstacle;
  return { ...obstacle, position: position.map((at, axis) => at + dt * (velocity[axis] as number)) };
}

/** An obstacle as the caller would give it, of `dimensions` numbers a vector. */
export function describeObstacle(
  { position, velocity, halfExtents, radius }: Obstacle,
  dimensions: 2 | 3,
): ObstacleOptions {
  const own = (vector: readonly number[]) => vector.slice(0, dimensions);
  const placed = { position: own(position), velocity: own(velocity) };
  if (radius > 0) return { shape: 'ball', ...placed, radius };
  return { shape: 'box', ...placed, halfExtents: own(halfExtents) };
}
