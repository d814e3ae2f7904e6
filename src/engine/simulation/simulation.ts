/**
 * The particle simulation on the GPU: creation, particles, settings, steps and queries.
 *
 * Ordering: the stages of a step, of `separate` or of a removal form one compute pass, whose dispatches run in order.
 * After `encodeStep` or `encodeSeparate`, submit the encoder before you call anything except another `encode…` method:
 * other calls may submit work at once.
 *
 * If the device rejects a kernel that only a query needs, only the query fails. The sort before the query is a separate
 * submission, so the state stays intact. If the device drops a change of the state, the simulation accepts only a
 * checkpoint; see submissions.ts.
 */

import { checkInteger } from '../../core/base/checks';
import { DestroyedError } from '../../core/base/errors';
import type { StageTimes } from '../../core/base/stage-times';
import { type ContinuousCounts, NO_CONTINUOUS_COUNTS } from '../../core/ccd/law';
import {
  checkTimeStep,
  MAX_ROUNDS,
  resolveSettings,
  type Settings,
  type SettingsOptions,
  SubstepMemo,
} from '../../core/contact/settings';
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
import { checkEncoder, checkGpu, type Gpu } from '../../gpu/device';
import { SharedParameters } from '../../gpu/params';
import { Readback } from '../../gpu/readback';
import { encodeStages, type Stage } from '../../gpu/stage';
import { submitWatched } from '../../gpu/submission';
import { Scan } from '../../passes/grid/scan';
import type { Variant } from '../../passes/modules';
import { CellSort } from '../grid/cell-sort';
import { PairQuery } from '../queries/pair-query';
import type { Ccd } from './ccd';
import { checkHolds } from './memory';
import { checkHoldsObstacles, createObstacles, type Obstacles, obstacleBytes } from './obstacles';
import { ParticleCopies } from './particle-copies';
import { createSimulationPasses, type SimulationPasses, variantOf } from './passes';
import { type Recording, SimulationStages } from './stages';
import { StateSubmissions } from './submissions';

/** The buffers that hold the current state. A step may swap them, so get them again in each frame. */
export interface SimulationBuffers {
  /**
   * The particles in cell order, each with its position first:
   *   - One radius: a vec2f (2D), or a vec4f with w unused (3D).
   *   - Variable radii: a vec4f with the radius in w, and in 2D the load in z (see ParticleArrays).
   *   - Boxes: two vec4f. The first is as with variable radii; w is the radius of the ball around the body. The second
   *     holds the half extents (0 for a ball). Its w is the radius of a ball with the body's area (3D: volume).
   */
  readonly positions: GPUBuffer;
  /**
   * One vec2f (2D) or vec4f (3D) per particle. With variable radii, w holds the load of the particle in 3D, so write
   * only x, y and z. Otherwise w is unused.
   */
  readonly velocities: GPUBuffer;
  /** One u32 per slot: the id of its particle. */
  readonly ids: GPUBuffer;
}

export async function createSimulation(gpu: Gpu, options: SimulationOptions): Promise<Simulation> {
  return Simulation.create(gpu, options);
}

export class Simulation implements ParticleSimulation {
  readonly backend = 'gpu';
  readonly dimensions: Dimensions;
  readonly world: World;
  readonly radius: number;
  readonly radiusRange: RadiusRange | undefined;
  readonly boxes: boolean;
  readonly capacity: number;
  readonly obstacleCapacity: number;
  readonly continuous: boolean;
  private currentSettings: Settings;
  private readonly ids: IdAllocator;
  private readonly readback: Readback;
  private readonly submissions: StateSubmissions;
  private readonly stages: SimulationStages;
  private elapsed = 0;
  private destroyed = false;
  /** The number of particles in the last step. */
  private stepped = 0;
  private readonly substeps: SubstepMemo;

  private constructor(
    private readonly gpu: Gpu,
    plan: SimulationPlan,
    private readonly passes: SimulationPasses,
    private readonly scan: Scan,
    /** @internal Not part of the package's types; tests read its lists. */ readonly sort: CellSort,
    private readonly parameters: SharedParameters,
    private readonly copies: ParticleCopies,
    /** Undefined if the simulation has no room for obstacles. */
    private readonly obstacles: Obstacles | undefined,
    /** Undefined without `continuous`. */
    private readonly ccd: Ccd | undefined,
  ) {
    this.dimensions = plan.dimensions;
    this.world = plan.world;
    this.radius = plan.radius;
    this.radiusRange = plan.radiusRange;
    this.boxes = plan.boxes;
    this.capacity = plan.capacity;
    this.obstacleCapacity = plan.obstacleCapacity;
    this.continuous = plan.continuous;
    this.currentSettings = plan.settings;
    this.ids = new IdAllocator(plan.capacity);
    this.readback = new Readback(gpu, 'simulation');
    this.submissions = new StateSubmissions(gpu);
    this.stages = new SimulationStages(gpu, passes, sort, copies, ccd, plan.world.levels > 0);
    this.substeps = new SubstepMemo(plan.world, plan.diameter);
  }

  static async create(gpu: Gpu, options: SimulationOptions): Promise<Simulation> {
    const plan = planSimulation(options);
    const { dimensions, capacity, world } = plan;
    // Copy the inputs now; the caller may change them while kernels compile.
    const first = {
      positions: plan.positions.slice(),
      velocities: plan.velocities.slice(),
      radii: options.radii?.slice(),
      halfExtents: options.halfExtents?.slice(),
    };
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
          ? sorting.then(({ start }) => createObstacles(gpu, world, plan.obstacleCapacity, start))
          : Promise.resolve(undefined),
      ccd: plan.continuous ? createCcd(gpu, variantOf(plan), world, capacity) : Promise.resolve(undefined),
      copies: ParticleCopies.create(gpu, world, capacity),
    });
    const { passes, scan, sort, parameters, copies, obstacles, ccd } = parts;
    const simulation = new Simulation(gpu, plan, passes, scan, sort, parameters, copies, obstacles, ccd);
    try {
      simulation.loadObstacles(plan.obstacles);
      if (plan.count > 0) simulation.add(first);
    } catch (error) {
      simulation.destroy();
      throw error;
    }
    return simulation;
  }

  get count(): number {
    return this.ids.count;
  }

  get obstacleCount(): number {
    return (this.obstacles?.given.positions.length ?? 0) / this.dimensions;
  }

  get time(): number {
    return this.elapsed;
  }

  get settings(): Settings {
    return this.currentSettings;
  }

  get memoryBytes(): number {
    const { grid, naive } = this.passes;
    const owned = [this.copies, this.sort, this.parameters, grid.measure, naive.measure];
    const optional = (this.obstacles?.bytes ?? 0) + (this.ccd?.bytes ?? 0);
    return owned.reduce((sum, { bytes }) => sum + bytes, optional);
  }

  /**
   * The state in GPU memory, for drawing and for the caller's kernels. Ids are read-only. Between two steps you may
   * write velocities and, without variable radii, positions; submit or record that work between the steps. Do not write
   * positions while `findPairs` is pending: its answer would mix pairs of the old and the new positions.
   */
  get buffers(): SimulationBuffers {
    this.checkUsable();
    const { position, velocity, id } = this.copies.now;
    return { positions: position, velocities: velocity, ids: id };
  }

  set(changes: SettingsOptions): void {
    this.checkUsable();
    this.currentSettings = resolveSettings(this.dimensions, this.currentSettings, changes);
  }

  step(dt: number): void {
    this.submit('simulation.step', (encoder) => this.encodeStep(encoder, dt));
  }

  /**
   * Records a step into the caller's encoder. Submit encoders in the order in which their steps were recorded. Every
   * 1,024 recorded changes of the parameters (dt, settings, count) take a further 512 KiB of memory. If the encoder is
   * finished already, the next awaited call rejects. An encoder of another device fails in its own `finish`.
   */
  encodeStep(encoder: GPUCommandEncoder, dt: number): void {
    this.checkUsable();
    checkEncoder(encoder);
    checkTimeStep(dt, this.currentSettings.substeps);
    if (dt === 0) return;
    this.recordInto(encoder, 'simulation.step', () => this.stagesOfStep(dt));
    this.elapsed += dt;
  }

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

  async continuousCounts(): Promise<ContinuousCounts> {
    const ccd = this.requireCcd('continuousCounts');
    // A step without particles records nothing.
    if (this.stepped === 0) return NO_CONTINUOUS_COUNTS;
    const encoder = this.gpu.device.createCommandEncoder({ label: 'simulation.continuousCounts' });
    const reading = this.readback.record(encoder, [ccd.header]);
    this.gpu.device.queue.submit([encoder.finish()]);
    const [[header]] = await Promise.all([reading.finish(), this.submissions.settled]);
    return ccd.counted(header as ArrayBuffer);
  }

  separate(rounds?: number): void {
    this.submit('simulation.separate', (encoder) => this.encodeSeparate(encoder, rounds));
  }

  /**
   * Records, into the caller's encoder, rounds that push particles apart. The rules of encodeStep apply. Each round
   * sorts, then pushes.
   */
  encodeSeparate(encoder: GPUCommandEncoder, rounds = 1): void {
    this.checkUsable();
    checkEncoder(encoder);
    checkInteger('rounds', rounds, 1, MAX_ROUNDS);
    this.recordInto(encoder, 'simulation.separate', () => this.stages.pushApart(this.recording(), rounds));
  }

  /** Takes a step and times each stage. */
  async profile(dt: number): Promise<StageTimes> {
    this.checkUsable();
    checkTimeStep(dt, this.currentSettings.substeps);
    const stages = dt === 0 ? [] : this.stagesOfStep(dt);
    this.elapsed += dt;
    return this.submissions.time(this.readback, stages);
  }

  async profileSeparate(rounds = 1): Promise<StageTimes> {
    this.checkUsable();
    checkInteger('rounds', rounds, 1, MAX_ROUNDS);
    return this.submissions.time(this.readback, this.stages.pushApart(this.recording(), rounds));
  }

  add(particles: NewParticles): Uint32Array {
    this.checkUsable();
    const first = this.ids.count;
    const admitted = this.ids.admit(this, particles);
    this.copies.upload(first, admitted);
    return admitted.ids;
  }

  remove(ids: Uint32Array | readonly number[]): void {
    this.checkUsable();
    this.ids.checkLiving('ids', ids);
    if (ids.length === 0) return;
    this.copies.markLeaving(ids);
    const stages = this.stages.retire(this.recording());
    this.submit('simulation.remove', (encoder) => this.encodeStages(encoder, 'simulation.remove', stages));
    // The sort has put the removed particles last, so the smaller count excludes them.
    this.ids.release(ids);
  }

  /** Replaces all obstacles: sorts the new ones or, with variable radii, builds their tree. */
  setObstacles(obstacles: ObstaclesGiven): void {
    this.checkUsable();
    this.loadObstacles(checkObstacles(obstacles, this));
  }

  async measure(): Promise<Measures> {
    this.checkUsable();
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
   * Resolves to all pairs that overlap at the time of the call: each once, in ascending order of ids. The host first
   * reads the number of pairs, then reserves a list for them. If the device cannot hold the list, the error states the
   * number of pairs.
   */
  async findPairs(): Promise<FoundPairs> {
    this.checkUsable();
    const { count } = this;
    const { measure, pairs } = this.passes[this.currentSettings.broadPhase];
    const substep = this.substeps.derive(this.currentSettings, 0);
    this.sortNow();
    const { settled } = this.submissions;
    const { gpu, scan, readback, capacity, world } = this;
    // If memory runs out, the bind groups made here are invalid. `query.settled` reports the lack of memory, so ignore
    // the validation error.
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
        return this.parameters.write(this.world, count, substep);
      });
      return { count: found.length / 2, pairs: found, borderline };
    } finally {
      this.copies.release(query);
      query.destroy();
    }
  }

  async read(): Promise<ParticleArrays> {
    this.checkUsable();
    const { count } = this;
    const encoder = this.gpu.device.createCommandEncoder({ label: 'simulation.read' });
    const reading = this.readback.record(encoder, this.copies.ranges(count));
    this.gpu.device.queue.submit([encoder.finish()]);
    const [copies] = await Promise.all([reading.finish(), this.submissions.settled]);
    return this.copies.arraysOf(copies);
  }

  async checkpoint(): Promise<Checkpoint> {
    // Copy the settings now, because they may change before the particles are read.
    const described = describeSimulation(this, this.obstacles?.given);
    return { ...described, ...(await this.read()) };
  }

  restore(checkpoint: Checkpoint): void {
    this.checkAlive();
    const settings = checkCheckpoint(checkpoint, this);
    this.submissions.renew();
    this.ids.replaceAll(checkpoint.ids);
    this.copies.upload(0, bodiesOf(checkpoint, this));
    this.currentSettings = settings;
    this.elapsed = checkpoint.time;
    this.loadObstacles(checkObstacles(obstaclesOf(checkpoint), this, 'checkpoint.obstacles'));
  }

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

  private checkAlive(): void {
    if (this.destroyed) throw new DestroyedError('Simulation');
    this.gpu.checkAlive();
  }

  private loadObstacles(bodies: StaticBodies): void {
    const substep = this.substeps.derive(this.currentSettings, 0);
    this.obstacles?.load(bodies, (count) => this.parameters.write(this.world, count, substep));
  }

  private recording(dt = 0): Recording {
    const { count, currentSettings: settings } = this;
    const shared = this.parameters.write(this.world, count, this.substeps.derive(settings, dt));
    return { shared, count, settings };
  }

  private submit(label: string, encode: (encoder: GPUCommandEncoder) => void): void {
    this.checkUsable();
    this.submissions.submit(label, encode);
  }

  private recordInto(encoder: GPUCommandEncoder, label: string, makeStages: () => Stage[]): void {
    this.parameters.recordInto(() => {
      const stages = makeStages();
      this.submissions.record(() => this.encodeStages(encoder, label, stages));
    });
  }

  /**
   * Sorts in a separate submission. So the sort stays valid if the device rejects a kernel of the next query.
   */
  private sortNow(): void {
    const stages = this.stages.sorting(this.recording());
    this.submit('simulation.sort', (encoder) => this.encodeStages(encoder, 'simulation.sort', stages));
  }

  private encodeStages(encoder: GPUCommandEncoder, label: string, stages: readonly Stage[]): void {
    if (this.count > 0) encodeStages(encoder, label, stages);
  }

  private stagesOfStep(dt: number): Stage[] {
    this.stepped = this.count;
    return this.stages.step(this.recording(dt));
  }

  private requireCcd(name: string): Ccd {
    this.checkUsable();
    checkContinuous(this, name);
    return this.ccd as Ccd;
  }
}

/** Loads ccd.ts only if needed, because its shaders are long. */
async function createCcd(gpu: Gpu, variant: Variant, world: World, capacity: number): Promise<Ccd> {
  const { Ccd: Loaded } = await import('./ccd');
  return Loaded.create(gpu, variant, world, capacity);
}
