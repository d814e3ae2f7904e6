/** The fluid on the CPU, single-threaded. A CpuSimulation stores the particles and keeps them apart. */

import { DestroyedError } from '../../core/base/errors';
import type { StageTimes } from '../../core/base/stage-times';
import { type CpuSimulation, createSimulation } from '../../cpu/solver/simulation';
import { checkFluidCheckpoint, describeFluid, type FluidCheckpoint } from './checkpoint';
import { defineLevels } from './lattice';
import {
  checkObstacles,
  describeObstacle,
  movedObstacle,
  type Obstacle,
  type ObstacleOptions,
} from './obstacles';
import { checkInTank, checkTimeStep, type FluidOptions, type FluidPlan, planFluid } from './options';
import { isFreeAt, markFluid, markSolids } from './reference/cells';
import { drainParticles } from './reference/drain';
import { type Account, createAccount, settleEnergy } from './reference/energy';
import { assemble, correctionRate } from './reference/equations';
import { driveFaces } from './reference/faces';
import { type FluidMeasures, measureDivergence, measureState, type SolverFigures } from './reference/measure';
import { createHierarchy, type Hierarchy } from './reference/multigrid';
import { moveParticles } from './reference/particles';
import { solvePressure } from './reference/pressure';
import { applyPressure, extrapolate } from './reference/project';
import { particlesToGrid, type Transferred } from './reference/transfer';
import type { FluidRegion } from './regions';
import { changeSettings, type FluidSettings, type FluidSettingsOptions, pickSettings } from './settings';
import {
  checkMostSubsteps,
  checkNew,
  type FluidFields,
  type FluidParticles,
  fastestBody,
  idsIn,
  isRestrained,
  type NewFluid,
  packFields,
  substepsFor,
  withoutIds,
} from './shape';
import { Turnover } from './turnover';

/**
 * Creates a fluid on the CPU, for Node and for pages without WebGPU. It takes the options of `createFluid`.
 *
 * @example
 * ```ts
 * const fill = [{ min: [0, 0], max: [0.5, 0.5] }];
 * const fluid = createCpuFluid({ dimensions: 2, cells: [64, 32], cellSize: 1 / 32, fill });
 * fluid.step(1 / 60);
 * const { volume, residual } = fluid.measure();
 * ```
 */
export function createCpuFluid(options: FluidOptions): CpuFluid {
  return new CpuFluid(planFluid(options));
}

/** A fluid on the CPU. It has the methods of `Fluid` except `encodeSubstep`. Methods return values, not promises. */
export class CpuFluid {
  /** Always 'cpu'. */
  readonly backend = 'cpu';
  /** Time at which each particle was added, in simulated seconds, indexed by id; 0 for initial particles. Read-only. */
  readonly births: Float32Array<ArrayBuffer>;
  /** The particles, for drawing and pushing. Do not step this simulation. */
  readonly particles: CpuSimulation;
  private currentPlan: FluidPlan;
  private currentObstacles: readonly Obstacle[];
  private readonly turnover: Turnover;
  /** Indexed by id: 1 if a drain took the particle and its id is not yet collected. */
  private readonly drained: Uint8Array;
  /** Slots in the order of ids, so that sums do not depend on the order of slots. */
  private readonly order: Uint32Array;
  private readonly slots: Int32Array;
  private readonly affine: Float32Array | undefined;
  private readonly account: Account;
  private readonly transferred: Transferred;
  private readonly kinds: Uint8Array;
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

  /** Use createCpuFluid, which checks its arguments. @hideconstructor */
  constructor(plan: FluidPlan) {
    this.currentPlan = plan;
    const { dimensions, lattice, capacity, radius, min, max, positions, velocities, obstacles } = plan;
    const { size } = lattice;
    this.particles = createSimulation({ dimensions, capacity, radius, min, max, positions, velocities });
    this.currentObstacles = obstacles;
    this.affine = plan.transfer === 'apic' ? new Float32Array(dimensions ** 2 * capacity) : undefined;
    this.account = createAccount(dimensions, capacity);
    this.transferred = {
      velocity: new Float64Array(dimensions * size),
      fullness: new Float64Array(size),
      inside: new Uint32Array(size),
    };
    this.kinds = new Uint8Array(size);
    markSolids({ ...plan, obstacles }, this.kinds);
    this.known = new Uint8Array(dimensions * size);
    this.before = new Float64Array(dimensions * size);
    this.pressure = new Float64Array(size);
    this.hierarchy = createHierarchy(defineLevels(lattice));
    this.order = new Uint32Array(capacity);
    this.slots = new Int32Array(capacity);
    this.drained = new Uint8Array(capacity);
    this.births = new Float32Array(plan.capacity);
    this.turnover = new Turnover({
      take: () => this.takeDrained(),
      remove: (ids) => this.particles.remove(ids),
    });
  }

  /** The checked and completed options, with the current settings. */
  get plan(): FluidPlan {
    return this.currentPlan;
  }

  /** The current settings. */
  get settings(): FluidSettings {
    return pickSettings(this.currentPlan);
  }

  /** The obstacles where they are now. */
  get obstacles(): readonly ObstacleOptions[] {
    return this.currentObstacles.map((obstacle) => describeObstacle(obstacle, this.plan.dimensions));
  }

  /** Number of particles, including drained particles that are not yet removed. */
  get count(): number {
    return this.particles.count;
  }

  /** Greatest number of particles. */
  get capacity(): number {
    return this.plan.capacity;
  }

  /** Simulated seconds. */
  get time(): number {
    return this.elapsed;
  }

  /** Changes settings of later substeps. */
  set(changes: FluidSettingsOptions): void {
    this.checkUsable();
    const { plan } = this;
    this.currentPlan = { ...plan, ...changeSettings(plan, plan, changes) };
  }

  /** Advances by `dt` seconds. `substeps`: 1 to 64. Default: the setting of that name. */
  step(dt: number, substeps = this.plan.substeps): void {
    this.play(dt, substeps, () => undefined);
  }

  /** Takes one substep of `dt` seconds and times each stage. */
  profile(dt: number): StageTimes {
    const stages: Record<string, number> = {};
    const began = performance.now();
    let last = began;
    this.play(dt, 1, (stage) => {
      const now = performance.now();
      stages[stage] = now - last;
      last = now;
    });
    return { source: 'wall-clock', stages, total: last - began };
  }

  /**
   * Advances by `dt` seconds in as many substeps as the fastest particle, obstacle or emitter needs. Returns their
   * number. `most`: 1 to 64. Default: 16.
   */
  advance(dt: number, most = 16): number {
    this.checkUsable();
    checkTimeStep(dt, 1, this.plan);
    checkMostSubsteps(most);
    const bodies = fastestBody(this.plan, this.currentObstacles);
    const substeps = substepsFor(this.plan, this.greatestSpeed(), bodies, dt, most);
    this.step(dt, substeps);
    return substeps;
  }

  /** Adds particles. Returns their ids. */
  add(given: NewFluid): Uint32Array {
    this.checkUsable();
    checkNew(given);
    checkInTank('positions', given.positions, this.plan.lattice, this.plan.cellSize);
    return this.append(given);
  }

  /** Removes particles with these ids. */
  remove(ids: Uint32Array | readonly number[]): void {
    this.checkUsable();
    this.particles.remove(ids);
    for (const id of ids) this.drained[id] = 0;
    this.turnover.spare(ids);
  }

  /** Removes all particles in a region. Returns how many it removed. */
  drain(region: FluidRegion): number {
    const ids = idsIn(this.plan, region, this.read());
    this.remove(ids);
    return ids.length;
  }

  /** Replaces all obstacles by at most 16 others, which move with their velocities. */
  setObstacles(obstacles: readonly ObstacleOptions[]): void {
    this.checkUsable();
    this.currentObstacles = checkObstacles(obstacles, this.plan.dimensions);
  }

  /** Measures the fluid. */
  measure(): FluidMeasures {
    this.checkUsable();
    const { plan, lastStep } = this;
    return {
      ...this.solved,
      ...measureState(plan, this.currentObstacles, this.read(), lastStep),
      missed: this.turnover.missed,
      time: this.elapsed,
      substeps: this.done,
      divergenceAfter: this.divergenceAfter,
      unconverged: this.unconverged,
      hash: this.particles.measure().hash,
    };
  }

  /** Returns a copy of the particles, without drained ones. */
  read(): FluidParticles {
    this.checkUsable();
    return withoutIds(this.plan.dimensions, this.particles.read(), this.gone());
  }

  /** Returns plain data from which a fluid continues with the same bits. */
  checkpoint(): FluidCheckpoint {
    this.checkUsable();
    const progress = {
      particles: this.particles.checkpoint(),
      time: this.elapsed,
      substeps: this.done,
      lastStep: this.lastStep,
      unconverged: this.unconverged,
      ...this.turnover.state,
      drained: marked(this.drained),
      leaving: this.turnover.leaving() as Uint32Array,
    };
    return describeFluid(this.plan, this.currentObstacles, progress, this.affine, this.births);
  }

  /**
   * Continues from a checkpoint. The lattice's solid cells are valid at once. Until the next substep, its pressures and
   * velocities are 0, as are the iterations, residual and divergences in `measure`.
   */
  restore(checkpoint: FluidCheckpoint): void {
    this.checkUsable();
    const { settings, obstacles, affine, births } = checkFluidCheckpoint(checkpoint, this.plan);
    this.particles.restore(checkpoint.particles);
    this.currentPlan = { ...this.plan, ...settings };
    this.currentObstacles = obstacles;
    if (affine) this.affine?.set(affine);
    this.births.set(births);
    this.elapsed = checkpoint.time;
    this.done = checkpoint.substeps;
    this.lastStep = checkpoint.lastStep;
    this.unconverged = checkpoint.unconverged;
    this.drained.fill(0);
    for (const id of checkpoint.drained) this.drained[id] = 1;
    this.turnover.restore(checkpoint, checkpoint.leaving, checkpoint.drained.length > 0);
    this.solved = { iterations: 0, residual: 0, divergenceBefore: 0 };
    this.divergenceAfter = 0;
    for (const array of [this.transferred.fullness, this.pressure, this.transferred.velocity]) array.fill(0);
    markSolids({ ...this.plan, obstacles }, this.kinds);
  }

  /** Returns the lattice after the last substep. */
  fields(): FluidFields {
    this.checkUsable();
    return packFields(
      this.plan,
      { kinds: this.kinds, velocity: this.transferred.velocity, pressure: this.pressure },
      this.lastStep,
    );
  }

  /** Releases the memory. Do not use the fluid afterwards. */
  destroy(): void {
    this.destroyed = true;
    this.particles.destroy();
  }

  private play(dt: number, substeps: number, onStageEnd: (stage: string) => void): void {
    this.checkUsable();
    checkTimeStep(dt, substeps, this.plan);
    if (dt === 0) return;
    for (let substep = 0; substep < substeps; substep++) {
      this.turnover.begin(this.done);
      this.substep(dt / substeps, onStageEnd);
    }
  }

  private substep(dt: number, onStageEnd: (stage: string) => void): void {
    const { plan, transferred, kinds, known, hierarchy, affine } = this;
    const { lattice, cellSize, gravity, mask, correction, separation, drains } = plan;
    const { ids } = this.particles.buffers;
    const order = this.order.subarray(0, this.count);
    orderById(ids, this.slots, order);
    const set = { ...this.particles.buffers, count: this.count, order };
    const obstacles = this.currentObstacles;
    onStageEnd('sort');
    markSolids({ ...plan, obstacles }, kinds);
    onStageEnd('cells');
    particlesToGrid({ ...plan, kinds }, set, affine, transferred);
    markFluid(lattice, transferred.inside, kinds);
    onStageEnd('transfer');
    this.before.set(transferred.velocity);
    const gain = gravity.map((component) => component * dt);
    driveFaces({ lattice, kinds, obstacles, gain }, transferred.velocity, known);
    onStageEnd('faces');
    const { velocity, fullness } = transferred;
    assemble(
      { lattice, kinds, fullness, velocity, rate: correctionRate(plan, dt), correction },
      finest(hierarchy),
    );
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
    onStageEnd('pressure');
    extrapolate(lattice, velocity, known);
    onStageEnd('extrapolate');
    this.currentObstacles = obstacles.map((obstacle) => movedObstacle(obstacle, dt));
    const account = isRestrained(plan, obstacles) ? this.account : undefined;
    moveParticles(
      { ...plan, dt, mask, obstacles: this.currentObstacles, before: this.before, velocity, account },
      set,
      affine,
    );
    onStageEnd('particles');
    if (separation > 0) this.particles.separate(separation);
    onStageEnd('separate');
    if (account) {
      orderById(this.particles.buffers.ids, this.slots, order);
      settleEnergy(plan, { ...this.particles.buffers, count: this.count, order }, account);
      onStageEnd('energy');
    }
    if (drains.length > 0) {
      drainParticles(drains, plan.dimensions, this.particles.buffers, this.drained);
      this.turnover.mark();
      onStageEnd('drain');
    }
    this.lastStep = dt;
    this.elapsed += dt;
    this.done++;
    const room = this.capacity - this.count;
    const born = this.turnover.emit(plan, dt, room, (point) =>
      isFreeAt({ ...plan, obstacles: this.currentObstacles }, point),
    );
    if (born) this.append(born);
  }

  private append(given: NewFluid): Uint32Array {
    const ids = this.particles.add(given);
    for (const id of ids) this.births[id] = this.elapsed;
    const slopes = this.plan.dimensions ** 2;
    for (const id of ids) this.affine?.fill(0, slopes * id, slopes * (id + 1));
    return ids;
  }

  private takeDrained(): Uint32Array {
    const ids = marked(this.drained);
    this.drained.fill(0);
    return ids;
  }

  /** Returns the ids of drained particles that are not yet removed. */
  private gone(): Set<number> {
    if (!this.turnover.isBusy) return new Set();
    return new Set([...marked(this.drained), ...(this.turnover.leaving() as Uint32Array)]);
  }

  private greatestSpeed(): number {
    const { velocities } = this.particles.buffers;
    const { dimensions } = this.plan;
    let greatest = 0;
    for (let first = 0; first < velocities.length; first += dimensions) {
      let squared = 0;
      for (let axis = 0; axis < dimensions; axis++) squared += (velocities[first + axis] as number) ** 2;
      if (squared > greatest && Number.isFinite(squared)) greatest = squared;
    }
    return Math.sqrt(greatest);
  }

  private checkUsable(): void {
    if (this.destroyed) throw new DestroyedError('CpuFluid');
  }
}

/** Returns the equations of the finest level, whose numbers come first in the arrays over all levels. */
function finest({ coupling, diagonal, right, levels }: Hierarchy) {
  return { coupling, diagonal, right, couplingSize: levels.size };
}

function marked(flags: Uint8Array): Uint32Array {
  const ids: number[] = [];
  for (let id = flags.indexOf(1); id >= 0; id = flags.indexOf(1, id + 1)) ids.push(id);
  return Uint32Array.from(ids);
}

/** Writes to `order` all slots, sorted by the ids in them. `slots`: scratch with one number per possible id. */
function orderById(ids: Uint32Array, slots: Int32Array, order: Uint32Array): void {
  slots.fill(-1);
  for (let slot = 0; slot < ids.length; slot++) slots[ids[slot] as number] = slot;
  let next = 0;
  for (let id = 0; id < slots.length; id++) {
    const slot = slots[id] as number;
    if (slot >= 0) order[next++] = slot;
  }
}
