/**
 * Purpose: one step of a flock in doubles, plain and slow: the twin of shaders/flock/boids.wgsl, hunter.wgsl and
 * steering.wgsl. Inputs: what createFlock takes, and a state of 32-bit floats. Output: the next state, in doubles.
 */
import { type FlockOptions, type FlockSettings, flockSettings } from '../flock';
import { type Motion, Space } from './space';
import { dot, heading, plus, times, type Vector, vectorAt } from './vectors';

export interface BoidsState {
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  readonly hunters: Float32Array;
  readonly hunterVelocities: Float32Array;
}

export type NextBoids = { readonly [Name in keyof BoidsState]: Float64Array };

interface Ball {
  readonly centre: Vector;
  readonly radius: number;
}

export function stepBoids(options: FlockOptions, state: BoidsState, dt: number): NextBoids {
  const { dimensions, min, max, periodic = false, perception, fear = 3 * perception } = options;
  const settings: FlockSettings = { ...flockSettings(perception), ...options };
  const { positions, velocities, hunters } = state;
  const space = new Space({ dimensions, min, max, periodic }, positions, perception);
  const hunterPlaces = vectorsOf(dimensions, hunters);
  const obstacles = ballsOf(dimensions, options.obstacles ?? new Float32Array());
  const boids = vectorsOf(dimensions, positions).map((place, id) => {
    const velocity = vectorAt(dimensions, velocities, id);
    let parting: Vector = times(place, 0);
    let others = parting;
    let apart = parting;
    let total = 0;
    space.visitNear(place, perception, id, (other, way, distance) => {
      const weight = 1 - distance / perception;
      total += weight;
      others = plus(others, plus(vectorAt(dimensions, velocities, other), velocity, -1), weight);
      apart = plus(apart, way, weight);
      parting = plus(parting, heading(way, id, other), Math.max(0, 1 - distance / settings.spacing));
    });
    const share = 1 / Math.max(total, 1);
    let push = times(parting, settings.separation);
    push = plus(push, others, share * settings.alignment);
    push = plus(push, apart, -share * settings.cohesion);
    push = plus(push, shunnedObstacles(space, obstacles, place, perception), settings.avoidance);
    for (const hunter of hunterPlaces) {
      push = plus(push, space.shunned(place, hunter, 0, fear), settings.flight);
    }
    const { slowest, fastest, greatestAcceleration } = settings;
    const next = steered(velocity, push, dt, greatestAcceleration, slowest, fastest);
    return flown(space, obstacles, place, next, dt);
  });
  const hunting = hunterPlaces.map((place, index) => {
    let apart: Vector = times(place, 0);
    let total = 0;
    space.visitNear(place, fear, -1, (_, way, distance) => {
      const weight = 1 - distance / fear;
      total += weight;
      apart = plus(apart, way, weight);
    });
    const shunning = shunnedObstacles(space, obstacles, place, perception);
    const push = plus(times(shunning, settings.avoidance), apart, -settings.hunting / Math.max(total, 1));
    const velocity = vectorAt(dimensions, state.hunterVelocities, index);
    const { greatestAcceleration, hunterSpeed } = settings;
    const next = steered(velocity, push, dt, greatestAcceleration, 0, hunterSpeed);
    return flown(space, obstacles, place, next, dt);
  });
  return {
    positions: Float64Array.from(boids.flatMap(({ place }) => place)),
    velocities: Float64Array.from(boids.flatMap(({ velocity }) => velocity)),
    hunters: Float64Array.from(hunting.flatMap(({ place }) => place)),
    hunterVelocities: Float64Array.from(hunting.flatMap(({ velocity }) => velocity)),
  };
}

function shunnedObstacles(space: Space, obstacles: readonly Ball[], place: Vector, reach: number): Vector {
  return obstacles.reduce(
    (push, { centre, radius }) => plus(push, space.shunned(place, centre, radius, reach)),
    space.shunnedWalls(place, reach),
  );
}

function steered(
  velocity: Vector,
  push: Vector,
  dt: number,
  most: number,
  slowest: number,
  fastest: number,
): Vector {
  const size = Math.hypot(...push);
  const wish = plus(velocity, push, (dt * Math.min(size, most)) / Math.max(size, 1e-30));
  const speed = Math.min(Math.max(Math.hypot(...wish), slowest), fastest);
  return times(heading(wish, 1, 0), speed);
}

function flown(
  space: Space,
  obstacles: readonly Ball[],
  place: Vector,
  velocity: Vector,
  dt: number,
): Motion {
  let motion = space.moved(place, velocity, dt);
  for (const { centre, radius } of obstacles) {
    const apart = space.separation(motion.place, centre);
    const distance = Math.hypot(...apart);
    if (distance >= radius) continue;
    const outwards = heading(apart, 1, 0);
    motion = {
      place: space.carried(plus(motion.place, outwards, radius - distance)),
      velocity: plus(motion.velocity, outwards, -Math.min(0, dot(motion.velocity, outwards))),
    };
  }
  return space.walled(motion);
}

function vectorsOf(dimensions: number, packed: Float32Array): Vector[] {
  return Array.from({ length: packed.length / dimensions }, (_, index) =>
    vectorAt(dimensions, packed, index),
  );
}

function ballsOf(dimensions: number, packed: Float32Array): Ball[] {
  return vectorsOf(dimensions + 1, packed).map((ball) => ({
    centre: ball.slice(0, dimensions),
    radius: ball[dimensions] as number,
  }));
}
