/**
 * The public class of the fluid on the GPU. A Simulation stores the particles and keeps them apart; passes/substep.ts
 * owns the lattice and the kernels.
 * Guarantee: the same calls on the same device give the same bits, because no sum depends on the order of threads.
 */
import { ArgumentError, CellstormError, DestroyedError } from '../../core/base/errors';
import type { StageTimes } from '../../core/base/stage-times';
import { planSimulation } from '../../core/simulation/plan';
import { checkHolds } from '../../engine/simulation/memory';
import { createSimulation, type Simulation } from '../../engine/simulation/simulation';
import { checkGpu, type Gpu, RecordedSteps } from '../../gpu/device';
import { countDispatches } from '../../gpu/kernel';
import { checkFluidCheckpoint, describeFluid, type FluidCheckpoint } from './checkpoint';
import {
  checkObstacles,
  describeObstacle,
  movedObstacle,
  type Obstacle,
  type ObstacleOptions,
} from './obstacles';
import { checkInTank, checkTimeStep, type FluidOptions, type FluidPlan, planFluid } from './options';
import { Substep, type SubstepState } from './passes/substep';
import { isFreeAt } from './reference/cells';
import { type FluidMeasures, measureDivergence, measureState } from './reference/measure';
import type { FluidRegion } from './regions';
import { changeSettings, type FluidSettings, type FluidSettingsOptions, pickSettings } from './settings';
import {
  checkMostSubsteps,
  checkNew,
  type FluidFields,
  type FluidParticles,
  fastestBody,
  idsIn,
  type NewFluid,
  packFields,
  substepsFor,
  withoutIds,
} from './shape';
import { Turnover } from './turnover';

/**
 * Creates a fluid (FLIP, PIC or APIC) on the GPU. It moves particles by means of a staggered lattice.
 *
 * @example
 * ```ts
 * const gpu = await requestGpu({ particles: 10_000, dimensions: 2 });
 * const fill = [{ min: [0, 0], max: [0.5, 0.5] }];
 * const fluid = await createFluid(gpu, { dimensions: 2, cells: [64, 32], cellSize: 1 / 32, fill });
 * fluid.step(1 / 60);
 * const { volume, residual } = await fluid.measure();
 * ```
 */
export async function createFluid(gpu: Gpu, options: FluidOptions): Promise<Fluid> {
  return Fluid.create(gpu, options);
}

/** A fluid on the GPU. */
export class Fluid {
  /** Always 'gpu'. */
  readonly backend = 'gpu';
  /** Time at which each particle was added, in simulated seconds, indexed by id; 0 for initial particles. Read-only. */
  readonly births: Float32Array<ArrayBuffer>;
  private currentPlan: FluidPlan;
  private currentObstacles: readonly Obstacle[];
  private readonly turnover: Turnover;
  private readonly recorded = new RecordedSteps();
  /** Settles when all steps so far are submitted; undefined unless a step waits for drained particles or is timed. */
  private waiting: Promise<void> | undefined;
  private lastStep = 0;
  /** The plan with the settings of the last substep, which measure() needs. */
  private lastPlan: FluidPlan;
  private elapsed = 0;
  private done = 0;
  private destroyed = false;

  private constructor(
    private readonly gpu: Gpu,
    plan: FluidPlan,
    /** The particles, for drawing and pushing. Do not step this simulation. */
    readonly particles: Simulation,
    private readonly substep: Substep,
  ) {
    this.currentPlan = plan;
    this.lastPlan = plan;
    this.currentObstacles = plan.obstacles;
    this.births = new Float32Array(plan.capacity);
    this.turnover = new Turnover({
      take: () => substep.drain.take(),
      remove: (ids) => particles.remove(ids),
    });
    substep.writeSolids(plan, plan.obstacles);
  }

  /**
   * Creates a fluid, as `createFluid` does.
   *
   * @example
   * ```ts
   * const gpu = await requestGpu({ particles: 10_000, dimensions: 2 });
   * const fill = [{ min: [0, 0], max: [0.5, 0.5] }];
   * const fluid = await Fluid.create(gpu, { dimensions: 2, cells: [64, 32], cellSize: 1 / 32, fill });
   * ```
   */
  static async create(gpu: Gpu, options: FluidOptions): Promise<Fluid> {
    const plan = planFluid(options);
    checkGpu(gpu);
    const { dimensions, capacity, radius, min, max, positions, velocities, spacing } = plan;
    const given = { dimensions, capacity, radius, min, max, positions, velocities };
    // In 3D, cells as wide as a diameter would be eleven times as many, and nearly all empty.
    const bodies = { ...given, cellSize: spacing };
    // Check all limits now, because createSimulation checks its own only after the lattice has taken memory.
    Substep.check(gpu, plan);
    checkHolds(gpu, capacity, planSimulation(bodies).world);
    const substep = await Substep.create(gpu, plan);
    try {
      return new Fluid(gpu, plan, await createSimulation(gpu, bodies), substep);
    } catch (error) {
      substep.destroy();
      throw error;
    }
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

  /** Bytes of all buffers. */
  get memoryBytes(): number {
    return this.substep.bytes + this.particles.memoryBytes;
  }

  /** The lattice on the GPU, for drawing and for your kernels. Read-only. docs/fluid.md describes the layout. */
  get buffers(): Readonly<Record<'velocity' | 'kinds' | 'fullness' | 'pressure', GPUBuffer>> {
    this.checkUsable();
    return this.substep.buffers;
  }

  /** Changes settings of later substeps. */
  set(changes: FluidSettingsOptions): void {
    this.checkSettled('set');
    const { plan } = this;
    this.currentPlan = { ...plan, ...changeSettings(plan, plan, changes) };
  }

  /**
   * Length of the last substep in seconds; 0 before the first. The pressure of a cell is `buffers.pressure` · density ·
   * cell size / substepSeconds.
   */
  get substepSeconds(): number {
    return this.lastStep;
  }

  /**
   * Advances by `dt` seconds. `substeps`: 1 to 64. Default: the setting of that name. Returns a promise if the GPU has
   * yet to report drained particles. Until the promise settles, calls of step, advance, profile and drain wait, and any
   * other change throws.
   */
  step(dt: number, substeps = this.plan.substeps): Promise<void> | undefined {
    this.checkIdle();
    checkTimeStep(dt, substeps, this.plan);
    if (dt === 0) return this.waiting;
    const run = (first: number): Promise<void> | undefined => {
      for (let substep = first; substep < substeps; substep++) {
        this.checkUsable();
        const late = this.turnover.begin(this.done);
        if (late) return late.then(() => run(substep));
        this.play(dt / substeps);
      }
      return undefined;
    };
    const late = this.waiting ? this.waiting.then(() => run(0)) : run(0);
    return late && this.waitFor(late);
  }

  /**
   * Advances by `dt` seconds in as many substeps as the fastest particle, obstacle or emitter needs. Resolves to the
   * number of substeps, which does not depend on timing. `most`: 1 to 64. Default: 16. Reads the greatest speed back
   * from the GPU.
   */
  async advance(dt: number, most = 16): Promise<number> {
    this.checkIdle();
    checkTimeStep(dt, 1, this.plan);
    checkMostSubsteps(most);
    if (this.waiting) await this.waiting;
    const bodies = fastestBody(this.plan, this.currentObstacles);
    const substeps = substepsFor(this.plan, await this.substep.greatestSpeed(this.state), bodies, dt, most);
    await this.step(dt, substeps);
    return substeps;
  }

  /**
   * Records one substep of `dt` seconds. Submit the encoder before you call anything except `encodeSubstep`. Submit
   * after at most 63 substeps, in however many encoders. Throws if an encoder has more, or if there are emitters or
   * drains, because these add and remove particles between submissions.
   */
  encodeSubstep(encoder: GPUCommandEncoder, dt: number): void {
    this.checkSettled('encodeSubstep');
    checkTimeStep(dt, 1, this.plan);
    if (typeof encoder?.beginComputePass !== 'function') {
      throw new ArgumentError('encoder', encoder, 'a GPUCommandEncoder');
    }
    const { emitters, drains } = this.plan;
    if (emitters.length + drains.length > 0 || this.turnover.isBusy) {
      throw new CellstormError(
        'encodeSubstep cannot record a fluid with emitters or drains, because particles come and go between submissions; call step instead.',
      );
    }
    if (dt === 0) return;
    this.substep.reserve(encoder);
    this.record(encoder, dt);
    this.recorded.note(encoder);
    this.pass(dt);
  }

  /** Takes one substep of `dt` seconds and times each stage by the wall clock. Steps called meanwhile wait. */
  async profile(dt: number): Promise<StageTimes> {
    this.checkIdle();
    checkTimeStep(dt, 1, this.plan);
    const timed = (this.waiting ?? Promise.resolve()).then(() => this.timeStages(dt));
    this.waitFor(timed);
    return timed;
  }

  /** Adds particles. Returns their ids. */
  add(given: NewFluid): Uint32Array {
    this.checkSettled('add');
    this.recorded.check();
    checkNew(given);
    checkInTank('positions', given.positions, this.plan.lattice, this.plan.cellSize);
    return this.append(given);
  }

  /** Removes particles with these ids. */
  remove(ids: Uint32Array | readonly number[]): void {
    this.checkSettled('remove');
    this.recorded.check();
    this.particles.remove(ids);
    if (!this.turnover.isBusy) return;
    this.substep.drain.clear(ids);
    this.turnover.spare(ids);
  }

  /**
   * Waits for all steps so far, then removes all particles in a region. Resolves to how many it removed. Do not remove
   * any of these particles by another call meanwhile.
   */
  async drain(region: FluidRegion): Promise<number> {
    let ids: Uint32Array;
    // A step that began to wait during the read may free some of these ids, so read again.
    do ids = idsIn(this.plan, region, await this.read());
    while (this.waiting);
    this.remove(ids);
    return ids.length;
  }

  /** Replaces all obstacles by at most 16 others, which move with their velocities. */
  setObstacles(obstacles: readonly ObstacleOptions[]): void {
    this.checkSettled('setObstacles');
    this.recorded.check();
    this.currentObstacles = checkObstacles(obstacles, this.plan.dimensions);
  }

  /** Waits for all steps called so far, then measures the fluid. */
  async measure(): Promise<FluidMeasures> {
    this.checkIdle();
    if (this.waiting) await this.waiting;
    const { plan, currentObstacles, lastPlan, lastStep, elapsed, done } = this;
    const { missed } = this.turnover;
    const [{ kinds, fullness, velocity, diagonal, solved }, state, { hash }] = await Promise.all([
      this.substep.readLattice(),
      this.read(),
      this.particles.measure(),
    ]);
    return {
      ...measureState(plan, currentObstacles, state, lastStep),
      missed,
      time: elapsed,
      substeps: done,
      iterations: solved.iterations,
      residual: solved.left,
      unconverged: solved.unconverged,
      divergenceBefore: solved.greatest / plan.cellSize,
      divergenceAfter:
        lastStep > 0 ? measureDivergence(lastPlan, kinds, fullness, velocity, diagonal, lastStep) : 0,
      hash,
    };
  }

  /** Waits for all steps called so far. Resolves to a copy of the particles, without drained ones. */
  async read(): Promise<FluidParticles> {
    this.checkIdle();
    if (this.waiting) await this.waiting;
    const [particles, gone] = await Promise.all([this.particles.read(), this.gone()]);
    const ids = new Set([...gone.drained, ...gone.leaving]);
    return withoutIds(this.plan.dimensions, particles, ids);
  }

  /** Waits for all steps called so far. Resolves to plain data from which a fluid continues with the same bits. */
  async checkpoint(): Promise<FluidCheckpoint> {
    this.checkIdle();
    if (this.waiting) await this.waiting;
    const { plan, currentObstacles, elapsed: time, done: substeps, lastStep } = this;
    const { state } = this.turnover;
    const births = this.births.slice();
    const [particles, gone, { affine, unconverged }] = await Promise.all([
      this.particles.checkpoint(),
      this.gone(),
      this.substep.readCheckpoint(plan),
    ]);
    const progress = { particles, time, substeps, lastStep, unconverged, ...state, ...gone };
    return describeFluid(plan, currentObstacles, progress, affine, births);
  }

  /**
   * Continues from a checkpoint. The lattice's solid cells are valid at once. Until the next substep, its pressures and
   * velocities are 0, as are the iterations, residual and divergences in `measure`.
   */
  restore(checkpoint: FluidCheckpoint): void {
    this.checkSettled('restore');
    const { settings, obstacles, affine, births } = checkFluidCheckpoint(checkpoint, this.plan);
    this.recorded.forget();
    this.particles.restore(checkpoint.particles);
    this.currentPlan = { ...this.plan, ...settings };
    this.currentObstacles = obstacles;
    this.births.set(births);
    this.elapsed = checkpoint.time;
    this.done = checkpoint.substeps;
    this.lastStep = checkpoint.lastStep;
    this.turnover.restore(checkpoint, checkpoint.leaving, checkpoint.drained.length > 0);
    this.substep.drain.replace(checkpoint.drained);
    this.substep.restart({ affine, unconverged: checkpoint.unconverged });
    this.substep.writeSolids(this.plan, obstacles);
  }

  /** Resolves to the lattice after the last substep. */
  async fields(): Promise<FluidFields> {
    this.checkIdle();
    if (this.waiting) await this.waiting;
    const { lastStep } = this;
    return packFields(this.plan, await this.substep.readFields(), lastStep);
  }

  /** Frees the buffers. Later calls throw. */
  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.particles.destroy();
    this.substep.destroy();
  }

  private get state(): SubstepState {
    const { plan, currentObstacles: obstacles, particles } = this;
    return { plan, obstacles, particles };
  }

  private record(encoder: GPUCommandEncoder, dt: number): void {
    const { state, substep } = this;
    const frame = substep.writeFrame(state, dt);
    for (const stage of substep.stages(state)) stage.encode(encoder, frame);
  }

  private play(dt: number): void {
    const { device } = this.gpu;
    const encoder = device.createCommandEncoder({ label: 'fluid.substep' });
    this.record(encoder, dt);
    device.queue.submit([encoder.finish()]);
    this.pass(dt);
  }

  private async timeStages(dt: number): Promise<StageTimes> {
    this.checkUsable();
    const { queue } = this.gpu.device;
    const times: Record<string, number> = {};
    let [total, dispatches] = [0, 0];
    if (dt === 0) return { source: 'wall-clock', stages: times, total, dispatches };
    for (let late = this.turnover.begin(this.done); late; late = this.turnover.begin(this.done)) await late;
    const { state, substep } = this;
    const frame = substep.writeFrame(state, dt);
    const stages = substep.stages(state);
    await queue.onSubmittedWorkDone();
    for (const { name, encode } of stages) {
      const began = performance.now();
      const encoder = this.gpu.device.createCommandEncoder({ label: `fluid.${name}` });
      dispatches += countDispatches(() => encode(encoder, frame));
      queue.submit([encoder.finish()]);
      await queue.onSubmittedWorkDone();
      this.gpu.checkAlive();
      times[name] = performance.now() - began;
      total += times[name];
    }
    this.pass(dt);
    return { source: 'wall-clock', stages: times, total, dispatches };
  }

  /** Makes steps wait for `work`. Until it settles, checkSettled() throws. */
  private waitFor(work: Promise<unknown>): Promise<void> {
    const waiting: Promise<void> = work.then(
      () => this.stopWaiting(waiting),
      (error: unknown) => {
        this.stopWaiting(waiting);
        throw error;
      },
    );
    this.waiting = waiting;
    // Callers may leave the promise without a handler.
    waiting.catch(() => undefined);
    return waiting;
  }

  private stopWaiting(waiting: Promise<void>): void {
    if (this.waiting === waiting) this.waiting = undefined;
  }

  private pass(dt: number): void {
    this.currentObstacles = this.currentObstacles.map((obstacle) => movedObstacle(obstacle, dt));
    this.lastStep = dt;
    this.elapsed += dt;
    this.done++;
    const { plan, currentObstacles: obstacles } = this;
    this.lastPlan = plan;
    if (plan.drains.length > 0) this.turnover.mark();
    const room = this.capacity - this.count;
    const born = this.turnover.emit(plan, dt, room, (point) => isFreeAt({ ...plan, obstacles }, point));
    if (born) this.append(born);
  }

  private append(given: NewFluid): Uint32Array {
    const ids = this.particles.add(given);
    for (const id of ids) this.births[id] = this.elapsed;
    this.substep.clearSlopes(this.plan, ids);
    return ids;
  }

  /** Resolves to the ids of drained particles that are not yet removed at the time of the call. */
  private async gone(): Promise<{ readonly drained: Uint32Array; readonly leaving: Uint32Array }> {
    const none = new Uint32Array(0);
    if (!this.turnover.isBusy) return { drained: none, leaving: none };
    const [leaving, drained] = await Promise.all([this.turnover.leaving(), this.substep.drain.read()]);
    return { drained, leaving };
  }

  private checkUsable(): void {
    if (this.destroyed) throw new DestroyedError('Fluid');
    this.gpu.checkAlive();
  }

  private checkIdle(): void {
    this.checkUsable();
    this.recorded.check();
  }

  /**
   * Throws while `waiting` is set. Call this first in every method that changes the fluid, except those that wait:
   * step, advance, profile and drain.
   */
  private checkSettled(call: string): void {
    this.checkUsable();
    if (!this.waiting) return;
    throw new CellstormError(
      `${call} was called while a step of this fluid waits for drained particles or is timed; await the promise that step or profile returned.`,
    );
  }
}
