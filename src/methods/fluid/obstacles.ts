/** Solid balls and boxes that move through the fluid. */
import { checkKnownKeys, checkList, checkRange, checkVector } from '../../core/base/checks';
import { ArgumentError } from '../../core/base/errors';

/** A solid ball that moves through the fluid. */
export interface BallObstacle {
  /** Always 'ball'. */
  readonly shape: 'ball';
  /** Position of the centre. */
  readonly position: readonly number[];
  /** Radius, 2⁻³⁰ to 2³⁰. */
  readonly radius: number;
  /** Velocity, length / s. Default: 0. */
  readonly velocity?: readonly number[] | undefined;
}

/** A solid box that moves through the fluid. */
export interface BoxObstacle {
  /** Always 'box'. */
  readonly shape: 'box';
  /** Position of the centre. */
  readonly position: readonly number[];
  /** Half of each edge, 2⁻³⁰ to 2³⁰. */
  readonly halfExtents: readonly number[];
  /** Velocity, length / s. Default: 0. */
  readonly velocity?: readonly number[] | undefined;
}

/** A solid body that moves through the fluid. */
export type ObstacleOptions = BallObstacle | BoxObstacle;

/** A checked obstacle. Vectors have three numbers; in 2D, z is 0. */
export interface Obstacle {
  readonly position: readonly number[];
  /** Velocity, length / s. */
  readonly velocity: readonly number[];
  /** Half of each edge of a box; 0 for balls. In 2D a box has 2³⁰ along z, so that no point is outside along z. */
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
    const halfExtents = [0, 1, 2].map((axis) => obstacle.halfExtents[axis] ?? 2 ** 30);
    return { position: whole(position), velocity: whole(velocity), halfExtents, radius: 0 };
  });
}

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

/** Moves a point inside an obstacle to the nearest point of the surface. Returns whether it was inside. */
export function leaveObstacle(obstacle: Obstacle, point: number[]): boolean {
  if (!insideObstacle(obstacle, point)) return false;
  const { position, halfExtents, radius } = obstacle;
  const offset = position.map((middle, axis) => (point[axis] as number) - middle);
  if (radius > 0) {
    const distance = Math.hypot(...offset);
    // A point at the centre moves upwards.
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

export function describeObstacle(
  { position, velocity, halfExtents, radius }: Obstacle,
  dimensions: 2 | 3,
): ObstacleOptions {
  const cut = (vector: readonly number[]) => vector.slice(0, dimensions);
  const moving = { position: cut(position), velocity: cut(velocity) };
  if (radius > 0) return { shape: 'ball', ...moving, radius };
  return { shape: 'box', ...moving, halfExtents: cut(halfExtents) };
}
