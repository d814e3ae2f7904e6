/**
 * Purpose: the space that flocks live in, in doubles: the way to the nearest image, and where a step ends. Twin of
 * shaders/flock/motion.wgsl and of the grid's own `separation` and `carried`. Vectors are three numbers, the third of which
 * is 0 in the plane, and are changed in place: nothing is allocated from step to step.
 */
import { type World, wallsOf } from '../../../index';

export type Vector = Float64Array;

export function vector(): Vector {
  return new Float64Array(3);
}

export class Space {
  /** Along each axis, infinite where the world does not wrap around. */
  readonly periods: readonly [number, number, number];
  private readonly low: Vector;
  private readonly away = vector();
  /** Beyond these nobody goes. */
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

  /** Moves a place and turns the velocity back at walls. */
  move(place: Vector, velocity: Vector, dt: number): void {
    for (let axis = 0; axis < 3; axis++) {
      place[axis] = (place[axis] as number) + dt * (velocity[axis] as number);
    }
    this.carry(place);
    this.wall(place, velocity);
  }

  carry(place: Vector): void {
    for (let axis = 0; axis < 3; axis++) {
      const period = this.periods[axis] as number;
      if (period === Number.POSITIVE_INFINITY) continue;
      const value = place[axis] as number;
      place[axis] = value - period * Math.floor((value - (this.low[axis] as number)) / period);
    }
  }

  wall(place: Vector, velocity: Vector): void {
    for (let axis = 0; axis < 3; axis++) {
      const value = place[axis] as number;
      const held = Math.min(Math.max(value, this.lower[axis] as number), this.upper[axis] as number);
      place[axis] = held;
      if ((value - held) * (velocity[axis] as number) > 0) velocity[axis] = -(velocity[axis] as number);
    }
  }

  /** Adds a push away from walls nearer than `reach`: 0 there, `strength` at a wall. */
  shunWalls(place: Vector, reach: number, strength: number, push: Vector): void {
    for (let axis = 0; axis < 3; axis++) {
      const low = Math.max(0, 1 - ((place[axis] as number) - (this.lower[axis] as number)) / reach);
      const high = Math.max(0, 1 - ((this.upper[axis] as number) - (place[axis] as number)) / reach);
      push[axis] = (push[axis] as number) + strength * (low - high);
    }
  }

  /** The shortest way from the middle of a ball to a place. */
  awayFrom(place: Vector, balls: Float64Array, ball: number, away: Vector): void {
    for (let axis = 0; axis < 3; axis++) {
      const apart = (place[axis] as number) - (balls[BALL_FLOATS * ball + axis] as number);
      away[axis] = shortest(apart, this.periods[axis] as number);
    }
  }

  /** Adds a push away from a ball whose surface is nearer than `reach`, likewise. */
  shun(
    place: Vector,
    balls: Float64Array,
    ball: number,
    { reach, strength }: { readonly reach: number; readonly strength: number },
    push: Vector,
  ): void {
    this.awayFrom(place, balls, ball, this.away);
    const distance = lengthOf(this.away) - (balls[BALL_FLOATS * ball + 3] as number);
    const nearness = Math.max(0, 1 - distance / reach);
    if (nearness === 0) return;
    head(this.away);
    add(push, this.away, strength * nearness);
  }
}

/** The shortest of the ways between all images of two places in the box; of infinite periods, the way itself. */
export function shorter(apart: number, period: number): number {
  if (apart > period / 2) return apart - period;
  return apart < -period / 2 ? apart + period : apart;
}

/** The same of places anywhere. */
export function shortest(apart: number, period: number): number {
  return period < Number.POSITIVE_INFINITY ? apart - period * Math.round(apart / period) : apart;
}

/** The centre, three numbers, and the radius of each. */
export const BALL_FLOATS = 4;

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

/** Makes a way as long as 1; without any, along x: see shaders/flock/motion.wgsl. */
export function head(way: Vector): void {
  const length = lengthOf(way);
  if (length > 0) scale(way, 1 / length);
  else way[0] = 1;
}

export function load(target: Vector, packed: ArrayLike<number>, dimensions: number, index: number): void {
  for (let axis = 0; axis < dimensions; axis++) target[axis] = packed[dimensions * index + axis] as number;
}

export function store(packed: Float32Array, dimensions: number, index: number, source: Vector): void {
  for (let axis = 0; axis < dimensions; axis++) packed[dimensions * index + axis] = source[axis] as number;
}
