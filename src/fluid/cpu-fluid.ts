/**
 * Purpose: the liquid on the CPU, one thread, from the reference of each stage: for Node, for pages without WebGPU, and to
 * hold the GPU against. Particles are in a CpuSimulation, whose `separate` keeps them apart.
 * One substep: particles to grid, cells, faces, equations, pressure, projection, extrapolation, particles, separation.
 */
import { type CpuSimulation, createCpuSimulation } from '../cpu/index';
import { DestroyedError } from '../index';
import { defineLevels } from './lattice';
import { movedObstacle, type Obstacle, type ObstacleOptions } from './obstacles';
import {
  checkInTank,
  checkObstacles,
  checkTimeStep,
  type FluidOptions,
  type FluidPlan,
  type FluidRegion,
  planFluid,
} from './options';
import { markCells } from './reference/cells';
import { assemble } from './reference/equations';
import { driveFaces } from './reference/faces';
import {
  type FluidMeasures,
  measureDivergence,
  measureParticles,
  measureVolume,
  type SolverFigures,
} from './reference/measure';
import { createHierarchy, type Hierarchy } from './reference/multigrid';
import { moveParticles } from './reference/particles';
import { solvePressure } from './reference/pressure';
import { applyPressure, extrapolate } from './reference/project';
import { particlesToGrid, type Transferred } from './reference/transfer';
import {
  checkNew,
  type FluidFields,
  type FluidParticles,
  idsIn,
  type NewFluid,
  packFields,
  substepsFor,
} from './shape';

export function createCpuFluid(options: FluidOptions): CpuFluid {
  return new CpuFluid(planFluid(options));
}

export class CpuFluid {
  readonly backend = 'cpu';
  /** The particles, to be drawn or pushed; it must not be stepped. */
  readonly particles: CpuSimulation;
  private currentObstacles: readonly Obstacle[];
  private readonly affine: Float32Array | undefined;
  private readonly carried: Transferred;
  private readonly kinds: Uint8Array;
  private readonly fullness: Float64Array;
  private readonly known: Uint8Array;
  private readonly before: Float64Array;
  private readonly pressure: Float64Array;
  private readonly hierarchy: Hierarchy;
  private solved: SolverFigures = { iterations: 0, residual: 0, divergenceBefore: 0 };
  private divergenceAfter = 0;
  private lastStep = 0;
  private elapsed = 0;
  private done = 0;
  private unconverged = 0;
  private destroyed = false;

  /** Use createCpuFluid, which checks its arguments. */
  constructor(readonly plan: FluidPlan) {
    const { dimensions, lattice, capacity, radius, min, max, positions, velocities, obstacles } = plan;
    const { size } = lattice;
    this.particles = createCpuSimulation({ dimensions, capacity, radius, min, max, positions, velocities });
    this.currentObstacles = obstacles;
    this.affine = plan.transfer === 'apic' ? new Float32Array(dimensions ** 2 * capacity) : undefined;
    this.carried = {
      velocity: new Float64Array(dimensions * size),
      crowd: new Float64Array(size),
      inside: new Uint32Array(size),
    };
    this.kinds = new Uint8Array(size);
    this.fullness = new Float64Array(size);
    this.known = new Uint8Array(dimensions * size);
    this.before = new Float64Array(dimensions * size);
    this.pressure = new Float64Array(size);
    this.hierarchy = createHierarchy(defineLevels(lattice));
  }

  get count(): number {
    return this.particles.count;
  }

  get capacity(): number {
    return this.plan.capacity;
  }

  get time(): number {
    return this.elapsed;
  }

  /** A step in as many substeps as the options say, or as `substeps` does. */
  step(dt: number, substeps = this.plan.substeps): void {
    this.checkUsable();
    checkTimeStep(dt, substeps);
    if (dt === 0) return;
    for (let substep = 0; substep < substeps; substep++) this.substep(dt / substeps);
  }

  /** A step in as many substeps as the fastest particle asks for, at most `most`; returns how many. */
  advance(dt: number, most = 16): number {
    this.checkUsable();
    const substeps = substepsFor(this.plan, this.greatestSpeed(), this.obstacleSpeed(), dt, most);
    this.step(dt, substeps);
    return substeps;
  }

  /** More liquid; the ids of its particles. */
  add(given: NewFluid): Uint32Array {
    this.checkUsable();
    checkNew(given);
    checkInTank('positions', given.positions, this.plan.lattice, this.plan.cellSize);
    const ids = this.particles.add(given);
    const slopes = this.plan.dimensions ** 2;
    for (const id of ids) this.affine?.fill(0, slopes * id, slopes * (id + 1));
    return ids;
  }

  remove(ids: Uint32Array | readonly number[]): void {
    this.checkUsable();
    this.particles.remove(ids);
  }

  /** Removes all that is in a region; how many particles that were. */
  drain(region: FluidRegion): number {
    const ids = idsIn(this.plan, region, this.read());
    this.remove(ids);
    return ids.length;
  }

  /** Replaces all obstacles; between calls each goes on with its velocity. */
  setObstacles(obstacles: readonly ObstacleOptions[]): void {
    this.checkUsable();
    this.currentObstacles = checkObstacles(obstacles, this.plan.dimensions);
  }

  measure(): FluidMeasures {
    this.checkUsable();
    const { plan, kinds, fullness, lastStep } = this;
    const { positions, velocities } = this.particles.read();
    return {
      ...this.solved,
      count: this.count,
      time: this.elapsed,
      substeps: this.done,
      divergenceAfter: this.divergenceAfter,
      unconverged: this.unconverged,
      volume: measureVolume(plan.lattice, plan.cellSize, kinds, fullness),
      nominalVolume: (this.count * plan.cellSize ** plan.dimensions) / plan.particlesPerCell,
      ...measureParticles(plan, positions, velocities, lastStep),
      hash: this.particles.measure().hash,
    };
  }

  read(): FluidParticles {
    this.checkUsable();
    return this.particles.read();
  }

  fields(): FluidFields {
    this.checkUsable();
    return packFields(
      this.plan,
      { kinds: this.kinds, velocity: this.carried.velocity, pressure: this.pressure },
      this.lastStep,
    );
  }

  destroy(): void {
    this.destroyed = true;
    this.particles.destroy();
  }

  private substep(dt: number): void {
    const { plan, carried, kinds, fullness, known, hierarchy, affine } = this;
    const { lattice, cellSize, gravity, mask, correction, separation } = plan;
    const set = { ...this.particles.buffers, count: this.count };
    const obstacles = this.currentObstacles;
    particlesToGrid(lattice, cellSize, set, affine, carried);
    markCells({ ...plan, obstacles }, carried, kinds, fullness);
    this.before.set(carried.velocity);
    const gain = gravity.map((component) => component * dt);
    driveFaces({ lattice, kinds, obstacles, gain }, carried.velocity, known);
    const { velocity } = carried;
    assemble({ lattice, kinds, fullness, velocity, rate: cellSize / dt, correction }, finest(hierarchy));
    const { greatest, ...figures } = solvePressure(
      hierarchy,
      this.pressure,
      plan.tolerance,
      plan.mostIterations,
    );
    applyPressure(lattice, hierarchy.coupling, hierarchy.levels.size, this.pressure, velocity);
    this.solved = { ...figures, divergenceBefore: greatest / cellSize };
    this.divergenceAfter = measureDivergence(plan, kinds, fullness, velocity, hierarchy.diagonal, dt);
    if (figures.residual > plan.tolerance) this.unconverged++;
    extrapolate(lattice, velocity, known);
    this.currentObstacles = obstacles.map((obstacle) => movedObstacle(obstacle, dt));
    const { before } = this;
    moveParticles({ ...plan, dt, mask, obstacles: this.currentObstacles, before, velocity }, set, affine);
    if (separation > 0) this.particles.separate(separation);
    this.lastStep = dt;
    this.elapsed += dt;
    this.done++;
  }

  private greatestSpeed(): number {
    const { velocities } = this.particles.buffers;
    const { dimensions } = this.plan;
    let greatest = 0;
    for (let first = 0; first < velocities.length; first += dimensions) {
      let squared = 0;
      for (let axis = 0; axis < dimensions; axis++) squared += (velocities[first + axis] as number) ** 2;
      if (squared > greatest) greatest = squared;
    }
    return Math.sqrt(greatest);
  }

  private obstacleSpeed(): number {
    return Math.max(0, ...this.currentObstacles.map(({ velocity }) => Math.hypot(...velocity)));
  }

  private checkUsable(): void {
    if (this.destroyed) throw new DestroyedError('CpuFluid');
  }
}

/** The arrays of the finest level, whose entries come first; couplings lie as far apart as those of all levels. */
function finest({ coupling, diagonal, right, levels }: Hierarchy) {
  return { coupling, diagonal, right, couplingSize: levels.size };
}
