/** Checks and packs obstacles, for both engines. */
import { checkKnownKeys, checkList, checkRange, checkVector } from '../../core/base/checks';
import { ArgumentError } from '../../core/base/errors';
import type { Dimensions } from '../../core/world/world';
import { farther } from './smoothing';

/** A solid ball that fluid does not enter. */
export interface BallObstacle {
  /** Always 'ball'. */
  readonly shape: 'ball';
  /** Position of the centre, −10⁹ to 10⁹. */
  readonly position: readonly number[];
  /** Radius, 10⁻⁶ to 10⁹. */
  readonly radius: number;
}

/** A solid box that fluid does not enter. */
export interface BoxObstacle {
  /** Always 'box'. */
  readonly shape: 'box';
  /** Position of the centre, −10⁹ to 10⁹. */
  readonly position: readonly number[];
  /** Half of each edge, 10⁻⁶ to 10⁹. */
  readonly halfExtents: readonly number[];
}

/** A solid body that never moves by itself. */
export type ObstacleOptions = BallObstacle | BoxObstacle;

export type Obstacle = ObstacleOptions;

export const MOST_OBSTACLES = 1024;

/**
 * Numbers per obstacle:
 * - 0 to 2: the centre;
 * - 3: the radius, or 0 for a box;
 * - 4 to 6: half of each edge of a box, or 0 for a ball;
 * - 7: 0 for a box, `s^(dimensions − 1)` for a ball. Here s is the share of the smoothing kernel poly6 in a slab as
 *   thick as the ball and centred on the kernel.
 */
export const OBSTACLE_FLOATS = 8;

export function checkObstacles(
  argument: string,
  given: unknown,
  dimensions: Dimensions,
): readonly Obstacle[] {
  const listed = checkList(argument, given as ObstacleOptions[], MOST_OBSTACLES, 'balls and boxes');
  return listed.map((one, index) => {
    const name = `${argument}[${index}]`;
    if (one?.shape !== 'ball' && one?.shape !== 'box') {
      throw new ArgumentError(
        `${name}.shape`,
        (one as ObstacleOptions | undefined)?.shape,
        "'ball' or 'box'",
      );
    }
    const size = one.shape === 'ball' ? 'radius' : 'halfExtents';
    checkKnownKeys(name, one, ['shape', 'position', size]);
    checkVector(`${name}.position`, one.position, dimensions);
    one.position.forEach((value, axis) => {
      checkRange(`${name}.position[${axis}]`, value, -1e9, 1e9);
    });
    const position = [...one.position];
    if (one.shape === 'ball') {
      checkRange(`${name}.radius`, one.radius, 1e-6, 1e9);
      return { shape: 'ball', position, radius: one.radius };
    }
    checkVector(`${name}.halfExtents`, one.halfExtents, dimensions);
    one.halfExtents.forEach((value, axis) => {
      checkRange(`${name}.halfExtents[${axis}]`, value, 1e-6, 1e9);
    });
    return { shape: 'box', position, halfExtents: [...one.halfExtents] };
  });
}

/** Packs OBSTACLE_FLOATS numbers per obstacle. `reach` is the radius of the smoothing kernels. */
export function packObstacles(
  obstacles: readonly Obstacle[],
  dimensions: Dimensions,
  reach: number,
): Float32Array<ArrayBuffer> {
  const packed = new Float32Array(OBSTACLE_FLOATS * obstacles.length);
  obstacles.forEach((one, index) => {
    const first = OBSTACLE_FLOATS * index;
    packed.set(one.position, first);
    if (one.shape === 'box') {
      packed.set(one.halfExtents, first + 4);
      return;
    }
    packed[first + 3] = one.radius;
    packed[first + 7] = (1 - 2 * farther(one.radius / reach)) ** (dimensions - 1);
  });
  return packed;
}
