/**
 * Purpose: one step of the position-based fluid in doubles, for the CPU engine, and to hold the GPU against: the twin of
 * the kernels in shaders/pbf. Inputs: particles over a grid, settings, obstacles. Outputs: the next state, in place, rounded
 * to 32-bit floats as often as the GPU rounds it; densities, as shares of that at rest, before the last corrections.
 * Ordering: pairs come in the order of the grid, which depends on the state alone, so the same state gives the same bits.
 */
import type { CpuGridParticles } from '../../../cpu/index';
import { wallsOf } from '../../../index';
import type { PositionFluidSettings } from '../options';
import type { Smoothing } from '../smoothing';
import { inSolids, leaveSolids, type Surroundings, shortestWay, walledIn } from './obstacles';

export interface FluidStep {
  readonly settings: PositionFluidSettings;
  /** As packObstacles has them. */
  readonly solids: Float32Array;
  readonly dt: number;
}

/** A pair: the way from the second to the first, its length squared. */
type VisitPair = (one: number, other: number, x: number, y: number, z: number, squared: number) => void;

/** What a step needs room for: three numbers a particle, or one. */
export class FluidTwin {
  readonly densities: Float32Array;
  private readonly predicted: Float32Array;
  private readonly aims: Float32Array;
  private readonly curls: Float64Array;
  private readonly sums: Float64Array;
  private readonly rises: Float64Array;
  private readonly squares: Float64Array;
  private readonly lambdas: Float64Array;
  /** Of the density that walls and obstacles add, from the last measure. */
  private readonly gradients: Float64Array;
  private readonly surroundings: Surroundings;
  private readonly place = new Float64Array(3);
  /** Of walls and obstacles at a place: the density, then its gradient. */
  private readonly bounds = new Float64Array(4);
  /** Gradient of what a neighbour adds. */
  private readonly slope = new Float64Array(3);

  constructor(
    private readonly particles: CpuGridParticles,
    private readonly radius: number,
    private readonly smoothing: Smoothing,
  ) {
    const { capacity, dimensions, grid } = particles;
    this.densities = new Float32Array(capacity);
    this.predicted = new Float32Array(dimensions * capacity);
    this.aims = new Float32Array(dimensions * capacity);
    this.curls = new Float64Array(3 * capacity);
    this.sums = new Float64Array(3 * capacity);
    this.rises = new Float64Array(3 * capacity);
    this.squares = new Float64Array(capacity);
    this.lambdas = new Float64Array(capacity);
    this.gradients = new Float64Array(3 * capacity);
    const { lower, upper } = wallsOf(grid.world);
    this.surroundings = { dimensions, radius, lower, upper, low: grid.world.min, period: grid.world.period };
  }

  get memoryBytes(): number {
    const { densities, predicted, aims, curls, sums, rises, squares, lambdas, gradients } = this;
    const arrays = [densities, predicted, aims, curls, sums, rises, squares, lambdas, gradients];
    return arrays.reduce((bytes, { byteLength }) => bytes + byteLength, 0);
  }

  step(step: FluidStep): void {
    const { particles, predicted, aims } = this;
    const { positions, velocities } = particles.buffers;
    particles.sort();
    this.predict(step);
    for (let round = 0; round < step.settings.iterations; round++) {
      particles.sort(predicted);
      this.measure(predicted, step);
      this.correct(step);
    }
    positions.set(predicted.subarray(0, positions.length));
    velocities.set(aims.subarray(0, velocities.length));
  }

  /** Density around each place, and the factor by which it and its neighbours are moved. Places are sorted. */
  measure(places: Float32Array, { settings, solids }: Omit<FluidStep, 'dt'>): void {
    const { particles, sums, squares, lambdas, densities, gradients, slope, bounds, place, surroundings } =
      this;
    const { weight } = this.smoothing;
    const { tension, softness } = settings;
    const { dimensions } = particles;
    sums.fill(0, 0, 3 * particles.end);
    squares.fill(0, 0, particles.end);
    // Densities are summed where they are not rounded each time.
    lambdas.fill(weight, 0, particles.end);
    this.forEachPair(places, (one, other, x, y, z, squared) => {
      const added = this.weightAt(squared);
      this.slopeAt(x, y, z, squared);
      const size = (slope[0] as number) ** 2 + (slope[1] as number) ** 2 + (slope[2] as number) ** 2;
      lambdas[one] = (lambdas[one] as number) + added;
      lambdas[other] = (lambdas[other] as number) + added;
      squares[one] = (squares[one] as number) + size;
      squares[other] = (squares[other] as number) + size;
      addBoth(sums, one, other, slope, 1);
    });
    for (let id = 0; id < particles.end; id++) {
      if (!particles.has(id)) continue;
      for (let axis = 0; axis < dimensions; axis++) place[axis] = places[dimensions * id + axis] as number;
      bounds.fill(0);
      walledIn(surroundings, place, bounds);
      inSolids(surroundings, solids, place, bounds);
      const density = (lambdas[id] as number) + (bounds[0] as number);
      densities[id] = density;
      let all = (squares[id] as number) + softness / this.radius ** 2;
      for (let axis = 0; axis < 3; axis++) {
        gradients[3 * id + axis] = bounds[1 + axis] as number;
        all += ((sums[3 * id + axis] as number) + (bounds[1 + axis] as number)) ** 2;
      }
      lambdas[id] = -Math.max(density - 1, tension * (density - 1)) / all;
    }
  }

  private predict({ settings, dt }: FluidStep): void {
    const { particles, sums, rises, curls, slope, predicted, aims, surroundings, radius } = this;
    const { dimensions } = particles;
    const { positions, velocities } = particles.buffers;
    const { viscosity, gravity, vorticity } = settings;
    const between = new Float64Array(3);
    const apart = (one: number, other: number) => {
      for (let axis = 0; axis < dimensions; axis++) {
        const [own, theirs] = [velocities[dimensions * one + axis], velocities[dimensions * other + axis]];
        between[axis] = (theirs as number) - (own as number);
      }
    };
    curls.fill(0, 0, 3 * particles.end);
    sums.fill(0, 0, 3 * particles.end);
    rises.fill(0, 0, 3 * particles.end);
    if (vorticity > 0) {
      this.forEachPair(positions, (one, other, x, y, z, squared) => {
        apart(one, other);
        this.slopeAt(x, y, z, squared);
        // Both ways are turned around for the other, so the curl is the same.
        addCross(curls, 3 * one, slope, between);
        addCross(curls, 3 * other, slope, between);
      });
    }
    this.forEachPair(positions, (one, other, x, y, z, squared) => {
      apart(one, other);
      addBoth(sums, one, other, between, this.weightAt(squared));
      if (vorticity === 0) return;
      this.slopeAt(x, y, z, squared);
      const [turning, turningThere] = [lengthAt(curls, one), lengthAt(curls, other)];
      for (let axis = 0; axis < 3; axis++) {
        const rise = slope[axis] as number;
        rises[3 * one + axis] = (rises[3 * one + axis] as number) + turningThere * rise;
        rises[3 * other + axis] = (rises[3 * other + axis] as number) - turning * rise;
      }
    });
    const along = new Float64Array(3);
    for (let id = 0; id < particles.end; id++) {
      if (!particles.has(id)) continue;
      along.fill(0);
      if (vorticity > 0) {
        const inwards = rises.subarray(3 * id, 3 * id + 3);
        const steepness = Math.max(lengthAt(rises, id), 1e-30);
        addCross(along, 0, inwards, curls.subarray(3 * id, 3 * id + 3));
        for (let axis = 0; axis < 3; axis++) along[axis] = (along[axis] as number) / steepness;
      }
      for (let axis = 0; axis < dimensions; axis++) {
        const index = dimensions * id + axis;
        const push = (gravity[axis] as number) + vorticity * radius * (along[axis] as number);
        const taken = viscosity * (sums[3 * id + axis] as number) + dt * push;
        const start = positions[index] as number;
        const place = held(surroundings, start + dt * ((velocities[index] as number) + taken), axis);
        predicted[index] = carried(surroundings, place, axis);
        aims[index] = (place - start) / dt;
      }
    }
  }

  private correct({ settings, solids, dt }: FluidStep): void {
    const { particles, predicted, aims, sums, lambdas, slope, surroundings, gradients, place, radius } = this;
    const { dimensions } = particles;
    const { nearWeight } = this.smoothing;
    const pressure = settings.pressure * radius ** 2;
    sums.fill(0, 0, 3 * particles.end);
    this.forEachPair(predicted, (one, other, x, y, z, squared) => {
      const share = this.weightAt(squared) / nearWeight;
      const factor = (lambdas[one] as number) + (lambdas[other] as number) - pressure * share ** 4;
      this.slopeAt(x, y, z, squared);
      addBoth(sums, one, other, slope, factor);
    });
    for (let id = 0; id < particles.end; id++) {
      if (!particles.has(id)) continue;
      for (let axis = 0; axis < dimensions; axis++) place[axis] = predicted[dimensions * id + axis] as number;
      for (let index = 3 * id; index < 3 * id + 3; index++) {
        sums[index] = (sums[index] as number) + (lambdas[id] as number) * (gradients[index] as number);
      }
      const size = lengthAt(sums, id);
      const share = Math.min(size, radius / 2) / Math.max(size, 1e-30);
      for (let axis = 0; axis < dimensions; axis++) {
        const pushed = (place[axis] as number) + share * (sums[3 * id + axis] as number);
        place[axis] = held(surroundings, pushed, axis);
      }
      leaveSolids(surroundings, solids, place);
      for (let axis = 0; axis < dimensions; axis++) {
        const index = dimensions * id + axis;
        const target = held(surroundings, place[axis] as number, axis);
        aims[index] = (aims[index] as number) + (target - (predicted[index] as number)) / dt;
        predicted[index] = carried(surroundings, target, axis);
      }
    }
  }

  /** Of the last sort, which was of these places. */
  private forEachPair(places: Float32Array, visit: VisitPair): void {
    const { period } = this.surroundings;
    const { dimensions, grid } = this.particles;
    const inSpace = dimensions === 3;
    const [periodX = 0, periodY = 0, periodZ = 0] = period;
    grid.forEachPair((one, other) => {
      const a = dimensions * one;
      const b = dimensions * other;
      const x = shortestWay((places[a] as number) - (places[b] as number), periodX);
      const y = shortestWay((places[a + 1] as number) - (places[b + 1] as number), periodY);
      const z = inSpace ? shortestWay((places[a + 2] as number) - (places[b + 2] as number), periodZ) : 0;
      visit(one, other, x, y, z, x * x + y * y + z * z);
    });
  }

  private weightAt(squared: number): number {
    const left = 1 - squared / this.radius ** 2;
    return this.smoothing.weight * left * left * left;
  }

  /** By the place of the first. In the very same place the lower id is the one to the left. */
  private slopeAt(x: number, y: number, z: number, squared: number): void {
    const { slope } = this;
    const distance = Math.sqrt(squared);
    const left = 1 - distance / this.radius;
    const size = -this.smoothing.slope * left * left;
    const factor = distance > 0 ? size / distance : 0;
    slope[0] = distance > 0 ? factor * x : -size;
    slope[1] = factor * y;
    slope[2] = factor * z;
  }
}

/** To one of a pair as it is, to the other with its sign turned. */
function addBoth(sums: Float64Array, one: number, other: number, part: Float64Array, factor: number): void {
  for (let axis = 0; axis < 3; axis++) {
    const added = factor * (part[axis] as number);
    sums[3 * one + axis] = (sums[3 * one + axis] as number) + added;
    sums[3 * other + axis] = (sums[3 * other + axis] as number) - added;
  }
}

function addCross(sums: Float64Array, first: number, a: Float64Array, b: Float64Array): void {
  const [ax, ay, az] = [a[0] as number, a[1] as number, a[2] as number];
  const [bx, by, bz] = [b[0] as number, b[1] as number, b[2] as number];
  sums[first] = (sums[first] as number) + ay * bz - az * by;
  sums[first + 1] = (sums[first + 1] as number) + az * bx - ax * bz;
  sums[first + 2] = (sums[first + 2] as number) + ax * by - ay * bx;
}

function lengthAt(vectors: Float64Array, id: number): number {
  const [x, y, z] = [vectors[3 * id] as number, vectors[3 * id + 1] as number, vectors[3 * id + 2] as number];
  return Math.sqrt(x * x + y * y + z * z);
}

function held({ lower, upper }: Surroundings, place: number, axis: number): number {
  return Math.min(Math.max(place, lower[axis] as number), upper[axis] as number);
}

function carried({ low, period }: Surroundings, place: number, axis: number): number {
  const length = period[axis] as number;
  return length > 0 ? place - length * Math.floor((place - (low[axis] as number)) / length) : place;
}
