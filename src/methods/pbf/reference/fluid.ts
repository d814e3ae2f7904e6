/**
 * Computes a step of the position-based fluid in doubles, for the CPU engine. Twin of the kernels in shaders/pbf.
 * Stores positions, velocities and densities as 32-bit floats, like the GPU, but curls and factors λ as doubles.
 * Guarantee: the same state gives the same bits, because the grid's order of pairs depends on the state alone.
 */

import { wallsOf } from '../../../core/world/walls';
import type { CpuGridParticles } from '../../../cpu/grid/grid-particles';
import type { PositionFluidSettings } from '../options';
import type { Smoothing } from '../smoothing';
import { inSolids, leaveSolids, minimumImage, type Surroundings, walledIn } from './obstacles';

export interface FluidStep {
  readonly settings: PositionFluidSettings;
  /** Obstacles, as packObstacles returns them. */
  readonly solids: Float32Array;
  readonly dt: number;
}

/** Visits two particles. The vector (x, y, z) leads from the second particle to the first. */
type VisitPair = (one: number, other: number, x: number, y: number, z: number, squared: number) => void;

export class FluidTwin {
  readonly densities: Float32Array;
  /** Positions at the end of the step. Each round corrects them. */
  private readonly predicted: Float32Array;
  /** Velocities at the end of the step. */
  private readonly aims: Float32Array;
  private readonly curls: Float64Array;
  /** Scratch: three numbers per id. Each stage sums different vectors over the neighbours. */
  private readonly sums: Float64Array;
  /** Scratch: gradient of the curl's size, three numbers per id. */
  private readonly rises: Float64Array;
  /** Scratch: per id, the sum of the squared gradients of the density that neighbours add. */
  private readonly squares: Float64Array;
  private readonly lambdas: Float64Array;
  /** Gradients of the density that walls and obstacles add, from the last call of measure(). */
  private readonly gradients: Float64Array;
  private readonly surroundings: Surroundings;
  private readonly point = new Float64Array(3);
  /** Scratch: density of walls and obstacles at a point, then its gradient. */
  private readonly bounds = new Float64Array(4);
  /** Scratch: gradient of the density that a neighbour adds. */
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

  /**
   * Computes densities and the factors λ, by which particles and their neighbours move towards the rest density. The
   * particles must be sorted by `positions`.
   */
  measure(positions: Float32Array, { settings, solids }: Omit<FluidStep, 'dt'>): void {
    const { particles, sums, squares, lambdas, densities, gradients, slope, bounds, point, surroundings } =
      this;
    const { weight } = this.smoothing;
    const { tension, softness } = settings;
    const { dimensions } = particles;
    sums.fill(0, 0, 3 * particles.end);
    squares.fill(0, 0, particles.end);
    // Add up the densities in `lambdas`, which holds doubles.
    lambdas.fill(weight, 0, particles.end);
    this.forEachPair(positions, (one, other, x, y, z, squared) => {
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
      for (let axis = 0; axis < dimensions; axis++) point[axis] = positions[dimensions * id + axis] as number;
      bounds.fill(0);
      walledIn(surroundings, point, bounds);
      inSolids(surroundings, solids, point, bounds);
      const density = (lambdas[id] as number) + (bounds[0] as number);
      densities[id] = density;
      let denominator = (squares[id] as number) + softness / this.radius ** 2;
      for (let axis = 0; axis < 3; axis++) {
        gradients[3 * id + axis] = bounds[1 + axis] as number;
        denominator += ((sums[3 * id + axis] as number) + (bounds[1 + axis] as number)) ** 2;
      }
      lambdas[id] = -Math.max(density - 1, tension * (density - 1)) / denominator;
    }
  }

  private predict({ settings, dt }: FluidStep): void {
    const { particles, sums, rises, curls, slope, predicted, aims, surroundings, radius } = this;
    const { dimensions } = particles;
    const { positions, velocities } = particles.buffers;
    const { viscosity, gravity, vorticity } = settings;
    const relative = new Float64Array(3);
    const setRelative = (one: number, other: number) => {
      for (let axis = 0; axis < dimensions; axis++) {
        const [first, second] = [velocities[dimensions * one + axis], velocities[dimensions * other + axis]];
        relative[axis] = (second as number) - (first as number);
      }
    };
    curls.fill(0, 0, 3 * particles.end);
    sums.fill(0, 0, 3 * particles.end);
    rises.fill(0, 0, 3 * particles.end);
    if (vorticity > 0) {
      this.forEachPair(positions, (one, other, x, y, z, squared) => {
        setRelative(one, other);
        this.slopeAt(x, y, z, squared);
        // Seen from the other particle, both vectors have the opposite sign, so the curl is the same.
        addCross(curls, 3 * one, slope, relative);
        addCross(curls, 3 * other, slope, relative);
      });
    }
    this.forEachPair(positions, (one, other, x, y, z, squared) => {
      setRelative(one, other);
      addBoth(sums, one, other, relative, this.weightAt(squared));
      if (vorticity === 0) return;
      this.slopeAt(x, y, z, squared);
      const [curl, otherCurl] = [lengthAt(curls, one), lengthAt(curls, other)];
      for (let axis = 0; axis < 3; axis++) {
        const rise = slope[axis] as number;
        rises[3 * one + axis] = (rises[3 * one + axis] as number) + otherCurl * rise;
        rises[3 * other + axis] = (rises[3 * other + axis] as number) - curl * rise;
      }
    });
    const eddyPush = new Float64Array(3);
    for (let id = 0; id < particles.end; id++) {
      if (!particles.has(id)) {
        // `predicted` replaces the positions, and unused ids must stay NaN there.
        predicted.fill(Number.NaN, dimensions * id, dimensions * (id + 1));
        continue;
      }
      eddyPush.fill(0);
      if (vorticity > 0) {
        const inwards = rises.subarray(3 * id, 3 * id + 3);
        const steepness = Math.max(lengthAt(rises, id), 1e-30);
        addCross(eddyPush, 0, inwards, curls.subarray(3 * id, 3 * id + 3));
        for (let axis = 0; axis < 3; axis++) eddyPush[axis] = (eddyPush[axis] as number) / steepness;
      }
      for (let axis = 0; axis < dimensions; axis++) {
        const index = dimensions * id + axis;
        const push = (gravity[axis] as number) + vorticity * radius * (eddyPush[axis] as number);
        const gained = viscosity * (sums[3 * id + axis] as number) + dt * push;
        const start = positions[index] as number;
        const point = clampToWalls(surroundings, start + dt * ((velocities[index] as number) + gained), axis);
        predicted[index] = wrap(surroundings, point, axis);
        aims[index] = (point - start) / dt;
      }
    }
  }

  private correct({ settings, solids, dt }: FluidStep): void {
    const { particles, predicted, aims, sums, lambdas, slope, surroundings, gradients, point, radius } = this;
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
      for (let axis = 0; axis < dimensions; axis++) point[axis] = predicted[dimensions * id + axis] as number;
      for (let index = 3 * id; index < 3 * id + 3; index++) {
        sums[index] = (sums[index] as number) + (lambdas[id] as number) * (gradients[index] as number);
      }
      const size = lengthAt(sums, id);
      const share = Math.min(size, radius / 2) / Math.max(size, 1e-30);
      for (let axis = 0; axis < dimensions; axis++) {
        const pushed = (point[axis] as number) + share * (sums[3 * id + axis] as number);
        point[axis] = clampToWalls(surroundings, pushed, axis);
      }
      leaveSolids(surroundings, solids, point);
      for (let axis = 0; axis < dimensions; axis++) {
        const index = dimensions * id + axis;
        const target = clampToWalls(surroundings, point[axis] as number, axis);
        aims[index] = (aims[index] as number) + (target - (predicted[index] as number)) / dt;
        predicted[index] = wrap(surroundings, target, axis);
      }
    }
  }

  /** Visits each pair of neighbours once. The particles must be sorted by `positions`. */
  private forEachPair(positions: Float32Array, visit: VisitPair): void {
    const { period } = this.surroundings;
    const { dimensions, grid } = this.particles;
    const is3D = dimensions === 3;
    const [periodX = 0, periodY = 0, periodZ = 0] = period;
    grid.forEachPair((one, other) => {
      const a = dimensions * one;
      const b = dimensions * other;
      const x = minimumImage((positions[a] as number) - (positions[b] as number), periodX);
      const y = minimumImage((positions[a + 1] as number) - (positions[b + 1] as number), periodY);
      const z = is3D ? minimumImage((positions[a + 2] as number) - (positions[b + 2] as number), periodZ) : 0;
      visit(one, other, x, y, z, x * x + y * y + z * z);
    });
  }

  private weightAt(squared: number): number {
    const left = 1 - squared / this.radius ** 2;
    return this.smoothing.weight * left * left * left;
  }

  /**
   * Writes to `slope` the gradient of a pair's density with respect to the first particle's position. If the particles
   * coincide, treats the first particle as if it were farther towards −x.
   */
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

function clampToWalls({ lower, upper }: Surroundings, point: number, axis: number): number {
  return Math.min(Math.max(point, lower[axis] as number), upper[axis] as number);
}

function wrap({ low, period }: Surroundings, point: number, axis: number): number {
  const length = period[axis] as number;
  return length > 0 ? point - length * Math.floor((point - (low[axis] as number)) / length) : point;
}
