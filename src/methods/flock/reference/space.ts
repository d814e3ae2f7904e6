/**
 * Vectors, minimum images, walls and balls for flocks and particle life, in doubles. Vectors have three numbers (z is 0
 * in 2D) and are changed in place. Twins: shaders/flock/motion.wgsl, the pushes in steering.wgsl, and the grid's
 * minimum_image and wrap.
 */
import { wallsOf } from '../../../core/world/walls';
import type { World } from '../../../core/world/world';

export type Vector = Float64Array;

export function vector(): Vector {
  return new Float64Array(3);
}

export class Space {
  /** Period of each axis; infinite along axes that are not periodic. */
  readonly periods: readonly [number, number, number];
  private readonly low: Vector;
  private readonly away = vector();
  /** Positions of the walls. Along axes without walls, they are out of reach: ±2^100, or infinite along z in 2D. */
  private readonly lower = vector().fill(Number.NEGATIVE_INFINITY);
  private readonly upper = vector().fill(Number.POSITIVE_INFINITY);

  constructor(world: World) {
    this.low = vector();
    this.low.set(world.min);
    const [x, y, z = 0] = world.period.map((period) => period || Number.POSITIVE_INFINITY);
    this.periods = [x as number, y as number, z || Number.POSITIVE_INFINITY];
    const { lower, upper } = wallsOf(world);
    this.lower.set(lower);
    this.upper.set(upper);
  }

  /**
   * Moves a point by `dt · velocity`. A point that ends beyond a wall is put onto the wall, and the component of its
   * velocity towards the wall is reversed.
   */
  move(point: Vector, velocity: Vector, dt: number): void {
    for (let axis = 0; axis < 3; axis++) {
      point[axis] = (point[axis] as number) + dt * (velocity[axis] as number);
    }
    this.wrap(point);
    this.wall(point, velocity);
  }

  wrap(point: Vector): void {
    for (let axis = 0; axis < 3; axis++) {
      const period = this.periods[axis] as number;
      if (period === Number.POSITIVE_INFINITY) continue;
      const value = point[axis] as number;
      point[axis] = value - period * Math.floor((value - (this.low[axis] as number)) / period);
    }
  }

  wall(point: Vector, velocity: Vector): void {
    for (let axis = 0; axis < 3; axis++) {
      const value = point[axis] as number;
      const clamped = Math.min(Math.max(value, this.lower[axis] as number), this.upper[axis] as number);
      point[axis] = clamped;
      if ((value - clamped) * (velocity[axis] as number) > 0) velocity[axis] = -(velocity[axis] as number);
    }
  }

  /** Adds a push away from walls. The push grows from 0 at distance `reach` to `strength` at the wall. */
  shunWalls(point: Vector, reach: number, strength: number, push: Vector): void {
    for (let axis = 0; axis < 3; axis++) {
      const low = Math.max(0, 1 - ((point[axis] as number) - (this.lower[axis] as number)) / reach);
      const high = Math.max(0, 1 - ((this.upper[axis] as number) - (point[axis] as number)) / reach);
      push[axis] = (push[axis] as number) + strength * (low - high);
    }
  }

  awayFrom(point: Vector, balls: Float64Array, ball: number, away: Vector): void {
    for (let axis = 0; axis < 3; axis++) {
      const apart = (point[axis] as number) - (balls[BALL_FLOATS * ball + axis] as number);
      away[axis] = minimumImage(apart, this.periods[axis] as number);
    }
  }

  /**
   * Adds a push away from a ball. The push grows from 0 at distance `reach` from the surface to `strength` at the
   * surface.
   */
  shun(
    point: Vector,
    balls: Float64Array,
    ball: number,
    { reach, strength }: { readonly reach: number; readonly strength: number },
    push: Vector,
  ): void {
    this.awayFrom(point, balls, ball, this.away);
    const distance = lengthOf(this.away) - (balls[BALL_FLOATS * ball + 3] as number);
    const nearness = Math.max(0, 1 - distance / reach);
    if (nearness === 0) return;
    normalize(this.away);
    add(push, this.away, strength * nearness);
  }
}

/** Returns the minimum image of a difference of two coordinates inside the world. `period` may be infinite. */
export function minimumImageInside(difference: number, period: number): number {
  if (difference > period / 2) return difference - period;
  return difference < -period / 2 ? difference + period : difference;
}

/** Returns the minimum image of a difference of any size. `period` may be infinite. */
export function minimumImage(difference: number, period: number): number {
  return period < Number.POSITIVE_INFINITY
    ? difference - period * Math.round(difference / period)
    : difference;
}

/** Numbers per ball: three for the centre, then the radius. */
export const BALL_FLOATS = 4;

/** Unpacks balls to BALL_FLOATS numbers each. If `hasRadii` is false, `packed` has only centres: every radius is 0. */
export function ballsOf(dimensions: number, packed: Float32Array, hasRadii: boolean): Float64Array {
  const width = hasRadii ? dimensions + 1 : dimensions;
  const count = packed.length / width;
  const balls = new Float64Array(BALL_FLOATS * count);
  for (let ball = 0; ball < count; ball++) {
    balls.set(packed.subarray(width * ball, width * ball + dimensions), BALL_FLOATS * ball);
    if (hasRadii) balls[BALL_FLOATS * ball + 3] = packed[width * ball + dimensions] as number;
  }
  return balls;
}

export function lengthOf(given: Vector): number {
  const [x, y, z] = given as unknown as [number, number, number];
  return Math.sqrt(x * x + y * y + z * z);
}

export function dot(a: Vector, b: Vector): number {
  return (
    (a[0] as number) * (b[0] as number) +
    (a[1] as number) * (b[1] as number) +
    (a[2] as number) * (b[2] as number)
  );
}

export function add(sum: Vector, part: Vector, factor: number): void {
  sum[0] = (sum[0] as number) + factor * (part[0] as number);
  sum[1] = (sum[1] as number) + factor * (part[1] as number);
  sum[2] = (sum[2] as number) + factor * (part[2] as number);
}

export function scale(given: Vector, factor: number): void {
  for (let axis = 0; axis < 3; axis++) given[axis] = factor * (given[axis] as number);
}

/** Gives a vector the length 1. A zero vector becomes (1, 0, 0), as in shaders/flock/motion.wgsl. */
export function normalize(given: Vector): void {
  const length = lengthOf(given);
  if (length > 0) scale(given, 1 / length);
  else given[0] = 1;
}

export function load(target: Vector, packed: ArrayLike<number>, dimensions: number, index: number): void {
  for (let axis = 0; axis < dimensions; axis++) target[axis] = packed[dimensions * index + axis] as number;
}

export function store(packed: Float32Array, dimensions: number, index: number, source: Vector): void {
  for (let axis = 0; axis < dimensions; axis++) packed[dimensions * index + axis] = source[axis] as number;
}
