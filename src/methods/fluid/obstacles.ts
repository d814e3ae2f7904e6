/** Solid balls and boxes that move through the fluid. */
import { checkKnownKeys, checkList, checkRange, checkVector } from '../../core/base/checks';
import { ArgumentError } from '../../core/base/errors';

export interface BallObstacle {
  readonly shape: 'ball';
  readonly position: readonly number[];
  readonly radius: number;
  /** Length / s. Default 0. */
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

/** A checked obstacle with defaults filled in. Vectors have three numbers, also in 2D; z is then 0. */
export interface Obstacle {
  readonly position: readonly number[];
  readonly velocity: readonly number[];
  /** Half of each edge of a box; all 0 for balls. In 2D a box has 2³⁰ along z. */
  readonly halfExtents: readonly number[];
  /** Radius of a ball; 0 for boxes. */
  readonly radius: number;
}

export const MAX_OBSTACLES = 16;

export function checkObstacles(given: readonly ObstacleOptions[], dimensions: 2 | 3): readonly Obstacle[] {
  const listed = checkList('obstacles', given, MAX_OBSTACLES, 'obstacles');
  const whole = (vector: readonly number[]) => [0, 1, 2].map((axis) => vector[axis] ?? 0);
  return listed.map((obstacle, index) => {
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
    // In 2D a box has no ends along z, so points are never outside along that axis.
    const halfExtents = [0, 1, 2].map((axis) => obstacle.halfExtents[axis] ?? 2 ** 30);
    return { position: whole(position), velocity: whole(velocity), halfExtents, radius: 0 };
  });
}

/** Returns whether a point is inside an obstacle and more than `depth` away from its surface. */
export function insideObstacle(
  { position, halfExtents, radius }: Obstacle,
  point: readonly number[],
  depth = 0,
): boolean {
  let squared = 0;
  let within = true;
  for (let axis = 0; axis < position.length; axis++) {
    const offset = (point[axis] as number) - (position[axis] as number);
    squared += offset * offset;
    within &&= Math.abs(offset) < (halfExtents[axis] as number) - depth;
  }
  return radius > 0 ? squared < Math.max(radius - depth, 0) ** 2 : within;
}

/** If a point is inside, moves it to the nearest point of the surface. Returns whether it was inside. */
export function leaveObstacle(obstacle: Obstacle, point: number[]): boolean {
  if (!insideObstacle(obstacle, point)) return false;
  const { position, halfExtents, radius } = obstacle;
  const offset = position.map((middle, axis) => (point[axis] as number) - middle);
  if (radius > 0) {
    const distance = Math.hypot(...offset);
    // Move a point at the centre upwards.
    const outward =
      distance > 0
        ? offset.map((component) => component / distance)
        : offset.map((_, axis) => (axis === 1 ? 1 : 0));
    for (let axis = 0; axis < position.length; axis++)
      point[axis] = (position[axis] as number) + radius * (outward[axis] as number);
    return true;
  }
  const depths = offset.map((component, axis) => (halfExtents[axis] as number) - Math.abs(component));
  const shallow = depths.indexOf(Math.min(...depths));
  point[shallow] =
    (position[shallow] as number) +
    ((offset[shallow] as number) < 0 ? -1 : 1) * (halfExtents[shallow] as number);
  return true;
}

export function movedObstacle(obstacle: Obstacle, dt: number): Obstacle {
  const { position, velocity } = obstacle;
  return { ...obstacle, position: position.map((value, axis) => value + dt * (velocity[axis] as number)) };
}

/** Returns the obstacle as options, with `dimensions` numbers per vector. */
export function describeObstacle(
  { position, velocity, halfExtents, radius }: Obstacle,
  dimensions: 2 | 3,
): ObstacleOptions {
  const cut = (vector: readonly number[]) => vector.slice(0, dimensions);
  const moving = { position: cut(position), velocity: cut(velocity) };
  if (radius > 0) return { shape: 'ball', ...moving, radius };
  return { shape: 'box', ...moving, halfExtents: cut(halfExtents) };
}
