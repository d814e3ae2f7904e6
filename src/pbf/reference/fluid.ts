/**
 * Purpose: one step of the position-based fluid in doubles, plain and slow: the twin of the kernels in shaders/pbf.
 * Inputs: what createPositionFluid takes, and a state of 32-bit floats. Outputs: the next state, the densities (as shares of
 * that at rest) before the last corrections, and the mean excess before each round of corrections.
 */
import { createCpuGrid } from '../../cpu/index';
import { defaultSettings, type PositionFluidOptions } from '../fluid';
import { defaultDensity, smoothingOf } from '../smoothing';

export interface FluidState {
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
}

export interface NextFluid {
  readonly positions: Float64Array;
  readonly velocities: Float64Array;
  readonly densities: Float64Array;
  /** How far above the density at rest, on average, before each round of corrections. */
  readonly excesses: readonly number[];
}

/** Calls `visit` with each neighbour of a particle, and the way and distance from it to the particle. */
type VisitNear = (
  id: number,
  visit: (other: number, apart: readonly number[], distance: number) => void,
) => void;

export function stepFluid(options: PositionFluidOptions, state: FluidState, dt: number): NextFluid {
  const { dimensions, min, max, radius } = options;
  const { gravity, iterations, ...numbers } = { ...defaultSettings(dimensions), ...options };
  const { weight, slope, nearWeight } = smoothingOf(
    dimensions,
    radius,
    options.density ?? defaultDensity(dimensions, radius),
  );
  const count = state.positions.length / dimensions;
  const axes = Array.from({ length: dimensions }, (_, axis) => axis);
  const weightAt = (distance: number) => weight * (1 - (distance / radius) ** 2) ** 3;
  const slopeAt = (id: number, other: number, apart: readonly number[], distance: number) => {
    const size = -slope * (1 - distance / radius) ** 2;
    if (distance > 0) return apart.map((way) => (size * way) / distance);
    return axes.map((axis) => (axis > 0 ? 0 : id < other ? -size : size));
  };
  const clamped = (place: number, axis: number) =>
    Math.min(Math.max(place, Math.fround(min[axis] as number)), Math.fround(max[axis] as number));
  const wallsAt = (place: readonly number[]) => {
    const away = (distance: number) => Math.min(Math.max(distance / radius, 0), 1);
    const low = place.map((value, axis) => away(value - (min[axis] as number)));
    const high = place.map((value, axis) => away((max[axis] as number) - value));
    const density = [...low, ...high].reduce((sum, distance) => sum + beyondWall(distance), 0);
    const gradient = axes.map(
      (axis) => (inPlane(high[axis] as number) - inPlane(low[axis] as number)) / radius,
    );
    return { density, gradient };
  };

  const start = Float64Array.from(state.positions);
  const predicted = new Float64Array(start);
  const nearStart = neighboursOf(options, start);
  const velocityOf = (id: number) => axes.map((axis) => state.velocities[dimensions * id + axis] as number);
  const curls = Array.from({ length: count }, (_, id) => {
    const [own, curl] = [velocityOf(id), [0, 0, 0]];
    nearStart(id, (other, way, distance) => {
      const apart = velocityOf(other).map((speed, axis) => speed - (own[axis] as number));
      cross(slopeAt(id, other, way, distance), apart).forEach((value, axis) => {
        curl[axis] = (curl[axis] as number) + value;
      });
    });
    return curl;
  });
  for (let id = 0; id < count; id++) {
    const own = velocityOf(id);
    const change = axes.map(() => 0);
    const rise = axes.map(() => 0);
    nearStart(id, (other, way, distance) => {
      const theirs = velocityOf(other);
      const turning = Math.hypot(...(curls[other] as number[]));
      const slopes = slopeAt(id, other, way, distance);
      for (const axis of axes) {
        const apart = (theirs[axis] as number) - (own[axis] as number);
        change[axis] = (change[axis] as number) + weightAt(distance) * apart;
        rise[axis] = (rise[axis] as number) + turning * (slopes[axis] as number);
      }
    });
    const steepness = Math.max(Math.hypot(...rise), 1e-30);
    const along = cross(
      rise.map((value) => value / steepness),
      curls[id] as number[],
    );
    for (const axis of axes) {
      const push = (gravity[axis] as number) + numbers.vorticity * radius * (along[axis] as number);
      const taken = numbers.viscosity * (change[axis] as number) + dt * push;
      const index = dimensions * id + axis;
      predicted[index] = clamped((start[index] as number) + dt * ((own[axis] as number) + taken), axis);
    }
  }

  const densities = new Float64Array(count);
  const excesses: number[] = [];
  for (let round = 0; round < iterations; round++) {
    const places = new Float64Array(predicted);
    const near = neighboursOf(options, places);
    const placeOf = (id: number) => axes.map((axis) => places[dimensions * id + axis] as number);
    const lambdas = Float64Array.from({ length: count }, (_, id) => {
      const walls = wallsAt(placeOf(id));
      const gradient = [...walls.gradient];
      let density = weight + walls.density;
      let squares = 0;
      near(id, (other, apart, distance) => {
        density += weightAt(distance);
        slopeAt(id, other, apart, distance).forEach((value, axis) => {
          gradient[axis] = (gradient[axis] as number) + value;
          squares += value ** 2;
        });
      });
      densities[id] = density;
      const violation = Math.max(density - 1, numbers.tension * (density - 1));
      const all = gradient.reduce((sum, value) => sum + value ** 2, squares);
      return -violation / (all + numbers.softness / radius ** 2);
    });
    excesses.push(densities.reduce((sum, density) => sum + Math.max(0, density - 1), 0) / count);
    for (let id = 0; id < count; id++) {
      const lambda = lambdas[id] as number;
      const push = wallsAt(placeOf(id)).gradient.map((value) => lambda * value);
      near(id, (other, apart, distance) => {
        const pressure = numbers.pressure * radius ** 2 * (weightAt(distance) / nearWeight) ** 4;
        const factor = lambda + (lambdas[other] as number) - pressure;
        slopeAt(id, other, apart, distance).forEach((value, axis) => {
          push[axis] = (push[axis] as number) + factor * value;
        });
      });
      const size = Math.hypot(...push);
      const share = Math.min(size, radius / 2) / Math.max(size, 1e-30);
      for (const axis of axes) {
        const index = dimensions * id + axis;
        predicted[index] = clamped((places[index] as number) + share * (push[axis] as number), axis);
      }
    }
  }
  const velocities = predicted.map((place, index) => (place - (start[index] as number)) / dt);
  return { positions: predicted, velocities, densities, excesses };
}

/** Of vectors in the plane, whose third component is 0, or in space. */
function cross(a: readonly number[], b: readonly number[]): number[] {
  const [ax = 0, ay = 0, az = 0] = a;
  const [bx = 0, by = 0, bz = 0] = b;
  return [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
}

/** Of poly6 in space, the share in a plane so many radii away, for each radius. */
function inPlane(distance: number): number {
  return (315 / 256) * (1 - distance ** 2) ** 4;
}

/** What of it is farther on than that plane. */
function beyondWall(distance: number): number {
  const powers = [1, 0, -4 / 3, 0, 6 / 5, 0, -4 / 7, 0, 1 / 9];
  const within = powers.reduce((sum, factor, power) => sum + factor * distance ** (power + 1), 0);
  return Math.max(0, 0.5 - (315 / 256) * within);
}

/** By a grid over the places rounded to 32 bits, a little wider; ways and distances are those of the doubles. */
function neighboursOf(
  { dimensions, min, max, radius }: PositionFluidOptions,
  places: Float64Array,
): VisitNear {
  const reach = radius * (1 + 2 ** -10);
  const grid = createCpuGrid({ dimensions, min, max, diameter: reach, capacity: places.length / dimensions });
  grid.build(Float32Array.from(places));
  return (id, visit) => {
    const place = Array.from(places.subarray(dimensions * id, dimensions * (id + 1)));
    grid.near(place, reach, (other) => {
      const apart = place.map((value, axis) => value - (places[dimensions * other + axis] as number));
      const distance = Math.hypot(...apart);
      if (other !== id && distance < radius) visit(other, apart, distance);
    });
  };
}
