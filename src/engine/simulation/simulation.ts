/**
 * The particle simulation on the GPU: creation, particles, settings, steps and queries.
 *
 * Ordering: the stages of a step, of `separate` or of a removal form one compute pass, whose dispatches run in order.
 * Each timed stage is a pass of its own. The doc of `encodeStep` says which calls must wait for your submission.
 *
 * If the device rejects a kernel that only a query needs, only the query fails; see `sortNow`. submissions.ts says
 * what happens if the device drops a change of the state.
 * The file is longer than 500 lines, because each public member of its class has a comment.
 */
import { checkInteger } from '../../core/base/checks';
import { DestroyedError } from '../../core/base/errors';
import type { StageTimes } from '../../core/base/stage-times';
import type { ContinuousCounts } from '../../core/ccd/law';
import {
  checkTimeStep,
  MAX_ROUNDS,
  resolveSettings,
  type Settings,
  type SettingsOptions,
  SubstepMemo,
} from '../../core/contact/settings';
import { warningsOf } from '../../core/contact/size-ratio';
import { checkObstacles, type ObstaclesGiven, obstaclesOf } from '../../core/obstacles/obstacles';
import type { StaticBodies } from '../../core/obstacles/tree';
import { bodiesOf, checkCheckpoint, describeSimulation } from '../../core/simulation/checkpoint';
import { IdAllocator } from '../../core/simulation/ids';
import { planSimulation, type SimulationPlan } from '../../core/simulation/plan';
import {
  type Checkpoint,
  checkAdvance,
  checkContinuous,
  type FoundPairs,
  type Measures,
  type NewParticles,
  type ParticleArrays,
  type ParticleSimulation,
  type SimulationOptions,
  stepAsFastAs,
} from '../../core/simulation/simulation';
import type { Dimensions, RadiusRange, World } from '../../core/world/world';
import { createParts } from '../../gpu/buffers';
import { checkEncoder, checkGpu, type Gpu, RecordedSteps } from '../../gpu/device';
import { SharedParameters } from '../../gpu/params';
import { Readback } from '../../gpu/readback';
import { encodeStages, type Stage } from '../../gpu/stage';
import { submitWatched } from '../../gpu/submission';
import { Scan } from '../../passes/grid/scan';
import type { Variant } from '../../passes/modules';
import { CellSort } from '../grid/cell-sort';
import { PairQuery } from '../queries/pair-query';
import type { Ccd } from './ccd';
import type { ExactParts } from './exact';
import { checkHolds } from './memory';
import { checkHoldsObstacles, createObstacles, type Obstacles, obstacleBytes } from './obstacles';
import { ParticleCopies, type SimulationBuffers } from './particle-copies';
import {
  createSimulationPasses,
  type Recording,
  type SimulationPasses,
  SimulationStages,
  variantOf,
} from './stages';
import { StateSubmissions } from './submissions';

/**
 * Creates a simulation on the GPU and compiles its kernels.
 * @example
 * ```ts
 * const gpu = await requestGpu({ particles: 100_000, dimensions: 2 });
 * const simulation = await createSimulation(gpu, { dimensions: 2, capacity: 100_000, radius: 0.5, gravity: [0, -10] });
 * simulation.add({ positions: new Float32Array([10, 10, 20, 20]) });
 * simulation.step(1 / 60);
 * const { contacts } = await simulation.measure();
 * ```
 */
export async function createSimulation(gpu: Gpu, options: SimulationOptions): Promise<Simulation> {
  return Simulation.create(gpu, options);
}

/** A simulation on the GPU. If the device drops a change of the state, the simulation accepts only a checkpoint. */
export class Simulation implements ParticleSimulation {
  /** The engine that runs the simulation. */
  readonly backend = 'gpu';
  /** 2 or 3. */
  readonly dimensions: Dimensions;
  /** The world and its cells. */
  readonly world: World;
  /** Radius of every particle; if radii vary, the largest that is accepted. */
  readonly radius: number;
  /** The radii that particles may have; undefined if all are equal. */
  readonly radiusRange: RadiusRange | undefined;
  /** True if particles may be boxes. */
  readonly boxes: boolean;
  /** Greatest number of particles. */
  readonly capacity: number;
  /** Greatest number of obstacles. */
  readonly obstacleCapacity: number;
  /** True if the simulation follows the paths of fast particles. */
  readonly continuous: boolean;
  /** The longest time step that is accepted, in seconds. */
  readonly longestStep: number;
  /** True if the simulation computes in whole numbers. */
  readonly exact: boolean;
  private currentSettings: Settings;
  private readonly ids: IdAllocator;
  private readonly readback: Readback;
  private readonly submissions: StateSubmissions;
  private readonly stages: SimulationStages;
  private readonly recorded = new RecordedSteps();
  private elapsed = 0;
  private destroyed = false;
  private stepped = 0;
  /** Number of steps so far. It decides the dither of exact simulations. */
  private steps = 0;
  private readonly substeps: SubstepMemo;

  private constructor(
    private readonly gpu: Gpu,
    plan: SimulationPlan,
    private readonly passes: SimulationPasses,
    private readonly scan: Scan,
    /** @internal Tests read its lists. */ readonly sort: CellSort,
    private readonly parameters: SharedParameters,
    private readonly copies: ParticleCopies,
    private readonly obstacles: Obstacles | undefined,
    private readonly ccd: Ccd | undefined,
    /** Undefined unless the simulation is exact. */
    private readonly parts: ExactParts | undefined,
  ) {
    this.dimensions = plan.dimensions;
    this.world = plan.world;
    this.radius = plan.radius;
    this.radiusRange = plan.radiusRange;
    this.boxes = plan.boxes;
    this.capacity = plan.capacity;
    this.obstacleCapacity = plan.obstacleCapacity;
    this.continuous = plan.continuous;
    this.longestStep = plan.longestStep;
    this.exact = plan.exact;
    this.currentSettings = plan.settings;
    this.ids = new IdAllocator(plan.capacity, plan.defaultBox, (positions, velocities) => {
      parts?.checkBodies({ positions, velocities });
    });
    this.readback = new Readback(gpu, 'simulation');
    this.submissions = new StateSubmissions(gpu);
    this.stages = new SimulationStages(gpu, passes, sort, copies, ccd, plan.world.levels > 0);
    this.substeps = new SubstepMemo(plan.world, plan.diameter);
  }

  /**
   * Does the same as `createSimulation`.
   * @example
   * ```ts
   * const positions = new Float32Array([1, 2, 3]);
   * const simulation = await Simulation.create(gpu, { dimensions: 3, radius: 0.5, positions });
   * simulation.step(1 / 60);
   * ```
   */
  static async create(gpu: Gpu, options: SimulationOptions): Promise<Simulation> {
    const planned = planSimulation(options);
    // The caller may change the arrays while kernels compile.
    const first = {
      positions: planned.positions.slice(),
      velocities: planned.velocities.slice(),
      radii: options.radii?.slice(),
      halfExtents: options.halfExtents?.slice(),
    };
    const { quanta } = planned;
    const exact = quanta && new (await import('./exact')).ExactParts(quanta);
    exact?.checkBodies(first);
    const { obstacles: fixed } = planned;
    exact?.checkObstacles(options.obstacles instanceof Float32Array ? fixed.positions : fixed);
    const world = exact?.worldOf(planned.world) ?? planned.world;
    const plan = { ...planned, world };
    const { dimensions, capacity } = plan;
    checkGpu(gpu);
    checkHolds(gpu, capacity, world, plan.continuous);
    if (plan.obstacleCapacity > 0) checkHoldsObstacles(gpu, world, plan.obstacleCapacity);
    const sorting = CellSort.create(gpu, world, capacity, {
      ids: true,
      velocities: true,
      behindStarts: obstacleBytes(world, plan.obstacleCapacity),
    });
    const parts = await createParts({
      passes: createSimulationPasses(gpu, plan),
      scan: Scan.create(gpu, dimensions),
      sort: sorting,
      parameters: SharedParameters.create(gpu, dimensions, 'simulation'),
      obstacles:
        plan.obstacleCapacity > 0
          ? sorting.then(({ start }) =>
              createObstacles(gpu, world, plan.obstacleCapacity, start, exact?.obstacleBits),
            )
          : Promise.resolve(undefined),
      ccd: plan.continuous ? createCcd(gpu, variantOf(plan), world, capacity) : Promise.resolve(undefined),
      copies: ParticleCopies.create(gpu, world, capacity, exact),
    });
    const { passes, scan, sort, parameters, copies, obstacles, ccd } = parts;
    const simulation = new Simulation(
      gpu,
      plan,
      passes,
      scan,
      sort,
      parameters,
      copies,
      obstacles,
      ccd,
      exact,
    );
    try {
      simulation.loadObstacles(plan.obstacles);
      if (plan.count > 0) simulation.add(first);
    } catch (error) {
      simulation.destroy();
      throw error;
    }
    return simulation;
  }

  /** Number of living particles, including quarantined ones. */
  get count(): number {
    return this.ids.count;
  }

  /** Current number of obstacles. */
  get obstacleCount(): number {
    return (this.obstacles?.given.positions.length ?? 0) / this.dimensions;
  }

  /** Simulated seconds. Steps that are recorded but not submitted yet count too. */
  get time(): number {
    return this.elapsed;
  }

  /** The current settings. */
  get settings(): Settings {
    return this.currentSettings;
  }

  /** One text per problem that the settings are likely to cause, with its fix; often empty. */
  get warnings(): readonly string[] {
    return warningsOf(this, this.substeps.step);
  }

  /** Bytes of GPU memory. */
  get memoryBytes(): number {
    const { grid, naive } = this.passes;
    const owned = [this.copies, this.sort, this.parameters, grid.measure, naive.measure];
    const optional = (this.obstacles?.bytes ?? 0) + (this.ccd?.bytes ?? 0);
    return owned.reduce((sum, { bytes }) => sum + bytes, optional);
  }

  /**
   * The state in GPU memory, for drawing and for your kernels. Ids are read-only. Between two steps you may write
   * velocities and, without variable radii, positions; submit or record that work between the steps. Do not write
   * positions while `findPairs` is pending.
   */
  get buffers(): SimulationBuffers {
    this.checkUsable();
    return this.copies.state;
  }

  /** Changes settings. Those left out keep their value. */
  set(changes: SettingsOptions): void {
    this.checkUsable();
    this.currentSettings = resolveSettings(this.dimensions, this.currentSettings, changes);
  }

  /** Submits a step of `dt` seconds: 0 (nothing happens), or at least 1e-7 per substep and at most `longestStep`. */
  step(dt: number): void {
    this.submit('simulation.step', (encoder) => this.encodeStep(encoder, dt));
  }

  /**
   * Records a step into your encoder. Submit encoders in the order in which their steps were recorded, and before any
   * call except `set`, `restore` or another `encode…` method. Most others throw while the encoder is not finished. A
   * command buffer that was finished but not submitted goes unnoticed: later calls see a state without its step. Every
   * 1,024 recorded changes of dt, settings or count take 512 KiB of memory. In an exact simulation, every step is such
   * a change. A step recorded into a finished encoder is lost, and later calls except `restore` throw.
   */
  encodeStep(encoder: GPUCommandEncoder, dt: number): void {
    this.checkUsable();
    checkEncoder(encoder);
    this.checkStep(dt);
    if (dt === 0) return;
    this.recordInto(encoder, 'simulation.step', () => this.stagesOfStep(dt));
    this.elapsed += dt;
    this.steps++;
  }

  /**
   * Takes a step with so many substeps that no particle is fast, but at least `settings.substeps`. If that needs more
   * than `most` substeps, takes `settings.substeps`; see `ParticleSimulation.advance`.
   */
  async advance(dt: number, most?: number): Promise<number> {
    const ccd = this.requireCcd('advance');
    const limit = checkAdvance(this, dt, most);
    const { count } = this;
    const stages = [this.stages.farthest(this.recording(dt), ccd)];
    const { result: reading, valid } = submitWatched(this.gpu, 'simulation.advance', (encoder) => {
      this.encodeStages(encoder, 'simulation.advance', stages);
      return this.readback.record(encoder, [ccd.header]);
    });
    const [[header]] = await Promise.all([reading.finish(), valid, this.submissions.settled]);
    const farthest = count === 0 ? 0 : ccd.farthestWay(header as ArrayBuffer);
    return stepAsFastAs(this, farthest, dt, limit);
  }

  /** Counts the fast particles and their paths in the last step. For `continuous` simulations only. */
  async continuousCounts(): Promise<ContinuousCounts> {
    const ccd = this.requireCcd('continuousCounts');
    // A step without particles records nothing.
    if (this.stepped === 0) return ccd.noCounts;
    const encoder = this.gpu.device.createCommandEncoder({ label: 'simulation.continuousCounts' });
    const reading = this.readback.record(encoder, [ccd.header]);
    this.gpu.device.queue.submit([encoder.finish()]);
    const [[header]] = await Promise.all([reading.finish(), this.submissions.settled]);
    return ccd.counted(header as ArrayBuffer);
  }

  /** Pushes overlapping particles apart without changing velocities or time, in 1 to 64 rounds. Default: 1. */
  separate(rounds?: number): void {
    this.submit('simulation.separate', (encoder) => this.encodeSeparate(encoder, rounds));
  }

  /** Records into your encoder what `separate` submits. The rules of `encodeStep` apply. */
  encodeSeparate(encoder: GPUCommandEncoder, rounds = 1): void {
    this.checkUsable();
    checkEncoder(encoder);
    checkInteger('rounds', rounds, 1, MAX_ROUNDS);
    this.recordInto(encoder, 'simulation.separate', () => this.stages.pushApart(this.recording(), rounds));
  }

  /** Takes a step and times each stage. */
  async profile(dt: number): Promise<StageTimes> {
    this.checkIdle();
    this.checkStep(dt);
    const stages = dt === 0 ? [] : this.stagesOfStep(dt);
    this.elapsed += dt;
    if (dt > 0) this.steps++;
    return this.profileStages(stages);
  }

  /** Pushes overlapping particles apart like `separate`, and times each stage. */
  async profileSeparate(rounds = 1): Promise<StageTimes> {
    this.checkIdle();
    checkInteger('rounds', rounds, 1, MAX_ROUNDS);
    return this.profileStages(this.stages.pushApart(this.recording(), rounds));
  }

  /**
   * Adds particles and returns their ids: the lowest free ones, ascending. Particles outside the box are allowed if the
   * options had `min` and `max`: with `walls` the next step moves them inside.
   */
  add(particles: NewParticles): Uint32Array {
    this.checkIdle();
    const first = this.ids.count;
    const admitted = this.ids.admit(this, particles);
    this.copies.upload(first, admitted);
    return admitted.ids;
  }

  /** Removes particles. Their ids become free; no other id changes. */
  remove(ids: Uint32Array | readonly number[]): void {
    this.checkIdle();
    this.ids.checkLiving('ids', ids);
    if (ids.length === 0) return;
    this.copies.markLeaving(ids);
    const stages = this.stages.retire(this.recording());
    this.submit('simulation.remove', (encoder) => this.encodeStages(encoder, 'simulation.remove', stages));
    // The removed particles are last, so the smaller count excludes them.
    this.ids.release(ids);
  }

  /** Replaces all obstacles by at most `obstacleCapacity` others. */
  setObstacles(obstacles: ObstaclesGiven): void {
    this.checkIdle();
    const bodies = checkObstacles(obstacles, this, 'obstacles', this.ids.defaultBox);
    this.parts?.checkObstacles(obstacles);
    this.loadObstacles(bodies);
  }

  /** Measures the state at the time of the call. */
  async measure(): Promise<Measures> {
    this.checkIdle();
    const { count } = this;
    const { measure } = this.passes[this.currentSettings.broadPhase];
    this.sortNow();
    const { settled } = this.submissions;
    const { result: reading, valid } = submitWatched(this.gpu, 'simulation.measure', (encoder) => {
      this.encodeStages(encoder, 'simulation.measure', [this.stages.measure(this.recording())]);
      return this.readback.record(encoder, [measure.range(count)]);
    });
    const [[bytes]] = await Promise.all([reading.finish(), valid, settled]);
    return measure.combine(bytes as ArrayBuffer, count);
  }

  /**
   * Resolves to all pairs that overlap at the time of the call: each once, in ascending order of ids. If the device
   * cannot hold the list, the error states the number of pairs.
   */
  async findPairs(): Promise<FoundPairs> {
    this.checkIdle();
    const { count } = this;
    const { measure, pairs } = this.passes[this.currentSettings.broadPhase];
    const substep = this.substeps.derive(this.currentSettings, 0);
    this.sortNow();
    const { settled } = this.submissions;
    const { gpu, scan, readback, capacity, world } = this;
    // If memory runs out, `query.settled` reports it, so ignore the validation error of the invalid bind groups.
    gpu.device.pushErrorScope('validation');
    const query = new PairQuery(gpu, { pairs, scan }, readback, this.stages.sorted, count, capacity, world);
    gpu.device.popErrorScope().catch(() => undefined);
    try {
      const { result: counting, valid } = submitWatched(gpu, 'simulation.pairs', (encoder) => {
        const recording = this.recording();
        const stages = [this.stages.measure(recording), ...query.stages(recording.shared)];
        this.encodeStages(encoder, 'simulation.pairs', stages);
        return readback.record(encoder, [measure.range(count), query.total]);
      });
      this.copies.keepFor(query);
      const [[bytes, total]] = await Promise.all([
        counting.finish(),
        query.settled().then(() => valid),
        settled,
      ]);
      const { contacts, borderline } = measure.combine(bytes as ArrayBuffer, count);
      const found = await query.fill(contacts, new Uint32Array(total as ArrayBuffer)[0] as number, () => {
        this.checkAlive();
        return this.parameters.write(this.world, count, substep, this.parts?.valuesOf(substep, this.steps));
      });
      return { count: found.length / 2, pairs: found, borderline };
    } finally {
      this.copies.release(query);
      query.destroy();
    }
  }

  /** Reads a copy of the particles. */
  async read(): Promise<ParticleArrays> {
    const { exact: _, ...arrays } = this.copies.arraysOf(await this.readCopies());
    return arrays;
  }

  private async readCopies(): Promise<readonly ArrayBuffer[]> {
    this.checkIdle();
    const { count } = this;
    const encoder = this.gpu.device.createCommandEncoder({ label: 'simulation.read' });
    const reading = this.readback.record(encoder, this.copies.ranges(count));
    this.gpu.device.queue.submit([encoder.finish()]);
    const [copies] = await Promise.all([reading.finish(), this.submissions.settled]);
    return copies;
  }

  /** Resolves to a copy of everything that `restore` needs. */
  async checkpoint(): Promise<Checkpoint> {
    // Describe the simulation now, because settings may change before the particles are read.
    const described = describeSimulation(this, this.obstacles?.given);
    const { steps } = this;
    const { exact, ...arrays } = this.copies.arraysOf(await this.readCopies());
    return { ...described, ...arrays, ...(exact ? { exact: { steps, ...exact } } : {}) };
  }

  /** Continues from a checkpoint. Throws and changes nothing if the checkpoint does not fit this simulation. */
  restore(checkpoint: Checkpoint): void {
    this.checkAlive();
    const settings = checkCheckpoint(checkpoint, this);
    this.parts?.checkCheckpoint(checkpoint);
    this.submissions.renew();
    this.recorded.forget();
    this.ids.replaceAll(checkpoint.ids);
    if (checkpoint.exact) {
      this.copies.uploadExact(0, checkpoint.ids, checkpoint.exact);
      this.steps = checkpoint.exact.steps;
    } else {
      this.copies.upload(0, bodiesOf(checkpoint, this));
    }
    this.currentSettings = settings;
    this.elapsed = checkpoint.time;
    this.loadObstacles(checkObstacles(obstaclesOf(checkpoint), this, 'checkpoint.obstacles'));
  }

  /** Frees the memory. Later calls of other methods throw a DestroyedError. */
  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.copies.destroy();
    this.sort.destroy();
    this.obstacles?.destroy();
    this.ccd?.destroy();
    this.parameters.destroy();
    this.readback.destroy();
    this.passes.destroy();
  }

  private checkUsable(): void {
    this.checkAlive();
    this.submissions.check();
  }

  /** Call this first in methods that submit work or change particles, except `restore` and `encode…` methods. */
  private checkIdle(): void {
    this.checkUsable();
    this.recorded.check();
  }

  private checkAlive(): void {
    if (this.destroyed) throw new DestroyedError('Simulation');
    this.gpu.checkAlive();
  }

  private loadObstacles(bodies: StaticBodies): void {
    const substep = this.substeps.derive(this.currentSettings, 0);
    const exact = this.parts?.valuesOf(substep, this.steps);
    this.obstacles?.load(bodies, (count) => this.parameters.write(this.world, count, substep, exact));
  }

  private recording(dt = 0): Recording {
    const { count, currentSettings: settings } = this;
    const substep = this.substeps.derive(settings, dt);
    const shared = this.parameters.write(
      this.world,
      count,
      substep,
      this.parts?.valuesOf(substep, this.steps),
    );
    return { shared, count, settings };
  }

  private checkStep(dt: number): void {
    checkTimeStep(dt, this);
    this.parts?.checkStep(dt, this.currentSettings);
  }

  private submit(label: string, encode: (encoder: GPUCommandEncoder) => void): void {
    this.checkIdle();
    this.submissions.submit(label, encode);
  }

  private recordInto(encoder: GPUCommandEncoder, label: string, makeStages: () => Stage[]): void {
    this.parameters.recordInto(() => {
      const stages = makeStages();
      this.submissions.record(() => this.encodeStages(encoder, label, stages));
    });
    this.recorded.note(encoder);
  }

  /** Sorts in a submission of its own, which stays valid if the device rejects a kernel of the query that follows. */
  private sortNow(): void {
    const stages = this.stages.sorting(this.recording());
    this.submit('simulation.sort', (encoder) => this.encodeStages(encoder, 'simulation.sort', stages));
  }

  private encodeStages(encoder: GPUCommandEncoder, label: string, stages: readonly Stage[]): void {
    const copyBack = this.copies.endRecording(this.count);
    if (this.count === 0) return;
    encodeStages(encoder, label, stages);
    copyBack(encoder);
  }

  private profileStages(stages: readonly Stage[]): Promise<StageTimes> {
    return this.submissions.time(this.readback, stages, this.copies.endRecording(this.count));
  }

  private stagesOfStep(dt: number): Stage[] {
    this.stepped = this.count;
    return this.stages.step(this.recording(dt));
  }

  private requireCcd(name: string): Ccd {
    this.checkIdle();
    checkContinuous(this, name);
    return this.ccd as Ccd;
  }
}

async function createCcd(gpu: Gpu, variant: Variant, world: World, capacity: number): Promise<Ccd> {
  const { Ccd: Loaded } = await import('./ccd');
  return Loaded.create(gpu, variant, world, capacity);
}
