/**
 * Compares one step of boids, of particle life and of the position-based fluid with sums over all pairs. The sums are
 * in doubles and use no code of the CPU engines.
 */
import { describe, expect, test } from 'vitest';
import { createCpuFlock, createCpuLife } from '../../../src/methods/flock';
import { createCpuPositionFluid } from '../../../src/methods/pbf';
import { flockOptions, lifeOptions } from '../../helpers/inputs/flocks';
import { blockOf, FLUID_RADIUS } from '../../helpers/inputs/position-fluids';
import { DIMENSIONS } from '../../helpers/passes';

type Vector = readonly number[];

const DT = 1 / 64;

/** Tolerance. Positions and velocities are a few units large, and each rounding is up to 2^-24 of them. */
const ROUNDING = 2e-6;

function vectorsOf(packed: Float32Array, dimensions: number): Vector[] {
  return Array.from({ length: packed.length / dimensions }, (_, id) =>
    Array.from(packed.subarray(dimensions * id, dimensions * (id + 1))),
  );
}

function plus(a: Vector, b: Vector, factor: number): Vector {
  return a.map((value, axis) => value + factor * (b[axis] as number));
}

/** Returns the minimum image. `edge` is 0 in a world that is not periodic. */
function between(from: Vector, to: Vector, edge: number): Vector {
  return plus(from, to, -1).map((way) => (edge > 0 ? way - edge * Math.round(way / edge) : way));
}

function directionOf(apart: Vector, own: number, other: number): Vector {
  const distance = Math.hypot(...apart);
  if (distance > 0) return apart.map((way) => way / distance);
  return apart.map((_, axis) => (axis > 0 ? 0 : own < other ? -1 : 1));
}

function inWorld(position: Vector, low: Vector, edge: number): Vector {
  return position.map((value, axis) => {
    const from = low[axis] as number;
    return value - edge * Math.floor((value - from) / edge);
  });
}

function expectNear(got: Float32Array, expected: Float32Array, what: string): void {
  expect(got, what).toHaveLength(expected.length);
  const apart = got.map((value, index) => Math.abs(value - (expected[index] as number)));
  expect(Math.max(...apart), what).toBeLessThan(ROUNDING);
}

function packed(vectors: readonly Vector[]): Float32Array {
  return Float32Array.from(vectors.flat());
}

describe.each(DIMENSIONS)('brute force over all pairs in %dD gives the same', (dimensions) => {
  test('motion of boids that separate, align and stay together', () => {
    const { obstacles: _obstacles, hunters: _hunters, ...options } = flockOptions(dimensions, true, 150);
    const flock = createCpuFlock(options);
    const { separation, alignment, cohesion, spacing, slowest, fastest, greatestAcceleration } =
      flock.settings;
    const low = options.min as number[];
    const edge = (options.max?.[0] as number) - (low[0] as number);
    const positions = vectorsOf(options.positions, dimensions);
    const speeds = vectorsOf(options.velocities as Float32Array, dimensions);
    const none = low.map(() => 0);
    let pairs = 0;
    const after = positions.map((position, own) => {
      let [parting, others, apart, weight] = [none as Vector, none as Vector, none as Vector, 0];
      positions.forEach((otherPosition, other) => {
        const way = between(position, otherPosition, edge);
        const distance = Math.hypot(...way);
        if (own === other || distance >= options.perception) return;
        pairs++;
        const share = 1 - distance / options.perception;
        weight += share;
        others = plus(others, plus(speeds[other] as Vector, speeds[own] as Vector, -1), share);
        apart = plus(apart, way, share);
        parting = plus(parting, directionOf(way, own, other), Math.max(0, 1 - distance / spacing));
      });
      const mean = 1 / Math.max(weight, 1);
      let push = plus(none, parting, separation);
      push = plus(plus(push, others, mean * alignment), apart, -mean * cohesion);
      const limit = Math.min(1, greatestAcceleration / Math.max(Math.hypot(...push), 1e-30));
      const wish = plus(speeds[own] as Vector, push, DT * limit);
      const speed = Math.hypot(...wish);
      const velocity = directionOf(wish, 1, 0).map(
        (part) => part * Math.min(Math.max(speed, slowest), fastest),
      );
      return { velocity, position: inWorld(plus(position, velocity, DT), low, edge) };
    });
    flock.step(DT);
    expect(pairs).toBeGreaterThan(300);
    const got = flock.read();
    expectNear(got.velocities, packed(after.map((one) => one.velocity)), 'velocities');
    expectNear(got.positions, packed(after.map((one) => one.position)), 'positions');
  });

  test('motion of particle life whose species attract each other', () => {
    const options = lifeOptions(dimensions, true, 150);
    const life = createCpuLife(options);
    const { strength, halfLife, core } = life.settings;
    const low = options.min as number[];
    const edge = (options.max?.[0] as number) - (low[0] as number);
    const positions = vectorsOf(options.positions, dimensions);
    const speeds = vectorsOf(options.velocities as Float32Array, dimensions);
    const after = positions.map((position, own) => {
      let pull: Vector = low.map(() => 0);
      positions.forEach((otherPosition, other) => {
        const way = between(position, otherPosition, edge);
        const share = Math.hypot(...way) / options.reach;
        if (own === other || share >= 1) return;
        const [kind, otherKind] = [options.species[own] as number, options.species[other] as number];
        const wish = options.attraction[kind]?.[otherKind] as number;
        // The pull rises from −1 at distance 0 to 0 at the core. Halfway from there to the reach it equals the
        // attraction, and at the reach it is 0 again.
        const top = (1 + core) / 2;
        const hill = share < top ? (share - core) / (top - core) : (1 - share) / (1 - top);
        pull = plus(pull, directionOf(way, own, other), share < core ? 1 - share / core : -wish * hill);
      });
      const kept = (speeds[own] as Vector).map((speed) => speed * 0.5 ** (DT / halfLife));
      const velocity = plus(kept, pull, DT * strength);
      return { velocity, position: inWorld(plus(position, velocity, DT), low, edge) };
    });
    life.step(DT);
    const got = life.read();
    expectNear(got.velocities, packed(after.map((one) => one.velocity)), 'velocities');
    expectNear(got.positions, packed(after.map((one) => one.position)), 'positions');
  });

  test('density and motion of a position-based fluid', () => {
    const options = blockOf(dimensions, { squeeze: 0.85, iterations: 1, gravity: 0 });
    const fluid = createCpuPositionFluid({ ...options, velocities: undefined, tension: 0.25 });
    const { softness, pressure, tension } = fluid.settings;
    const reach = FLUID_RADIUS;
    const rest = (2 / reach) ** dimensions;
    const isPlane = dimensions === 2;
    const poly6 = (distance: number) => {
      const whole = isPlane ? 4 / (Math.PI * reach ** 8) : 315 / (64 * Math.PI * reach ** 9);
      return (whole * Math.max(0, reach ** 2 - distance ** 2) ** 3) / rest;
    };
    const spikySlope = (distance: number) => {
      const whole = isPlane ? -30 / (Math.PI * reach ** 5) : -45 / (Math.PI * reach ** 6);
      return (whole * Math.max(0, reach - distance) ** 2) / rest;
    };
    const positions = vectorsOf(options.positions, dimensions);
    const none: Vector = positions[0]?.map(() => 0) as Vector;
    const near = positions.map((position) =>
      positions.flatMap((otherPosition, other) => {
        const way = between(position, otherPosition, 0);
        const distance = Math.hypot(...way);
        if (distance === 0 || distance >= reach) return [];
        return [
          {
            other,
            weight: poly6(distance),
            slope: way.map((part) => (part / distance) * spikySlope(distance)),
          },
        ];
      }),
    );
    const densities = near.map((others) => others.reduce((sum, { weight }) => sum + weight, poly6(0)));
    const lambdas = near.map((others, own) => {
      const excess = (densities[own] as number) - 1;
      let [total, squares] = [none, softness / reach ** 2];
      for (const { slope } of others) {
        total = plus(total, slope, 1);
        squares += Math.hypot(...slope) ** 2;
      }
      return -(excess > 0 ? excess : tension * excess) / (squares + Math.hypot(...total) ** 2);
    });
    const moved = near.map((others, own) => {
      let way = none;
      for (const { other, weight, slope } of others) {
        const artificial = pressure * reach ** 2 * (weight / poly6(reach / 5)) ** 4;
        way = plus(way, slope, (lambdas[own] as number) + (lambdas[other] as number) - artificial);
      }
      const size = Math.hypot(...way);
      return plus(positions[own] as Vector, way, Math.min(1, reach / 2 / Math.max(size, 1e-30)));
    });
    const { densities: got } = fluid.measure();
    expectNear(got, Float32Array.from(densities), 'densities');
    fluid.step(DT);
    expect(densities.some((density) => density > 1.1)).toBe(true);
    expectNear(fluid.read().positions, packed(moved), 'positions');
  });
});
