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
  for (let id = 0; id < count; id++) {
    const change = axes.map(() => 0);
    nearStart(id, (other, _, distance) => {
      for (const axis of axes) {
        const from = state.velocities[dimensions * id + axis] as number;
        const to = state.velocities[dimensions * other + axis] as number;
        change[axis] = (change[axis] as number) + weightAt(distance) * (to - from);
      }
    });
    for (const axis of axes) {
      const index = dimensions * id + axis;
      const taken = numbers.viscosity * (change[axis] as number) + dt * (gravity[axis] as number);
      const velocity = (state.velocities[index] as number) + taken;
      predicted[index] = clamped((start[index] as number) + dt * velocity, axis);
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
