/**
 * Purpose: the particle simulation on the GPU. Owns the state (two copies of position, velocity and id, in
 * cell order from substep to substep), orders the passes, and answers questions about the state.
 *
 * One substep: integrate + count (where particles have radii of their own, a count by itself, since it counts the guests
 * of cells too; where paths of fast particles are followed too, since that is done in between), scan, scatter, gather, then
 * for each iteration: partner (only with restitution), resolve. All in one compute pass; dispatches within a pass are
 * ordered and synchronised.
 *
 * Ordering: a recorded step (`encodeStep`, `encodeSeparate`) must be submitted before the next call on the
 * simulation that is not itself a recording, because those calls submit at once.
 *
 * Kernels that nobody waited for may be refused after they were recorded. A question then fails alone: it sorts
 * in a submission of its own, so that the state stays whole. A change that was dropped leaves the copies of the
 * state in disorder; the simulation then takes nothing but a checkpoint. Once a refusal is known, whatever needs
 * that kernel throws before anything changes.
 */
import { carryPositions } from '../core/cells';
import { checkInteger } from '../core/checks';
import { ArgumentError, DestroyedError, GpuError } from '../core/errors';
import { type Flights as Counted, NO_FLIGHTS } from '../core/flight';
import { IdAllocator } from '../core/ids';
import type { StaticBodies } from '../core/obstacle-tree';
import type { ObstaclesGiven } from '../core/obstacles';
import {
  type BroadPhase,
  checkTimeStep,
  MAX_ITERATIONS,
  resolveSettings,
  type Settings,
  type SettingsOptions,
  SubstepMemo,
} from '../core/settings';
import { describeSizes } from '../core/shapes';
import {
  type Bodies,
  bodiesOf,
  type Checkpoint,
  checkAdvance,
  checkCheckpoint,
  checkContinuous,
  checkObstacles,
  describeSimulation,
  type FoundPairs,
  type Measures,
  type NewParticles,
  obstaclesOf,
  type ParticleArrays,
  type ParticleSimulation,
  planSimulation,
  type SimulationOptions,
  type SimulationPlan,
  stepAsFastAs,
} from '../core/simulation';
import type { StageTimes } from '../core/stage-times';
import type { Dimensions, RadiusRange, World } from '../core/world';
import { type BufferSet, createBuffers, createParts } from '../gpu/buffers';
import { checkEncoder, checkGpu, type Gpu } from '../gpu/device';
import { type Compilation, checkKernels, watchKernels } from '../gpu/kernel';
import { bodyFloats, fromStored, sizesOfBodies, storedFloats, toBodies, toStored } from '../gpu/layout';
import { type SharedBinding, SharedParameters } from '../gpu/params';
import { Readback } from '../gpu/readback';
import { submitWatched, validOf } from '../gpu/submission';
import { type Stage, timeStages } from '../gpu/timing';
import type { FlightBinding } from '../passes/flight';
import { Integrate } from '../passes/integrate';
import { Measure } from '../passes/measure';
import type { Variant } from '../passes/modules';
import { Pairs } from '../passes/pairs';
import { Partner } from '../passes/partner';
import { Resolve } from '../passes/resolve';
import { Retire } from '../passes/retire';
import { Scan } from '../passes/scan';
import { CellSort } from './cell-sort';
import type { Flights } from './flights';
import { checkHolds } from './memory';
import { checkHoldsObstacles, createObstacles, type Obstacles, obstacleBytes } from './obstacles';
import { PairQuery } from './pair-query';

/** One iteration of the contact law. */
interface ContactPasses {
  readonly partner: Partner;
  readonly respond: Resolve;
  readonly separate: Resolve;
}

/** Passes that probe exist once for each broad phase. */
interface ProbingPasses {
  readonly fresh: ContactPasses;
  /** For the iterations after the first, when particles have moved since they were sorted. */
  readonly moved: ContactPasses;
  readonly measure: Measure;
  readonly pairs: Pairs;
  destroy(): void;
}

type StateNames =
  | 'position0'
  | 'position1'
  | 'velocity0'
  | 'velocity1'
  | 'id0'
  | 'id1'
  | 'partner'
  | 'leaving';

interface Passes {
  readonly integrate: Integrate;
  readonly retire: Retire;
  readonly grid: ProbingPasses;
  readonly naive: ProbingPasses;
}

/** The buffers that hold the state now; another step may swap them, so ask again each frame. */
export interface SimulationBuffers {
  /**
   * vec2f or vec4f a particle, in cell order; where each has a radius of its own, vec4f in 2D too, the radius in w; where
   * some may be boxes, two vec4f: the position and in w the radius of the ball around, then half extents (0 of a ball) and
   * in w the radius of a ball as large.
   */
  readonly positions: GPUBuffer;
  /** vec2f or vec4f. */
  readonly velocities: GPUBuffer;
  /** u32: the id of the particle in each slot. */
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
  private readonly groups = new Map<string, unknown>();
  /** Calls of findPairs under way. */
  private readonly queries = new Set<PairQuery>();
  /** Rejects where the device dropped a change of the state: it is lost until a checkpoint is restored. */
  private sound: Promise<void> = Promise.resolve();
  private loss: GpuError | undefined;
  private elapsed = 0;
  private destroyed = false;
  /** Which of the two copies holds the state. */
  private position: 0 | 1 = 0;
  private velocity: 0 | 1 = 0;
  private id: 0 | 1 = 0;
  /** Particles that the last step was of. */
  private stepped = 0;
  private readonly substeps: SubstepMemo;

  private constructor(
    private readonly gpu: Gpu,
    plan: SimulationPlan,
    private readonly passes: Passes,
    private readonly scan: Scan,
    private readonly sort: CellSort,
    private readonly parameters: SharedParameters,
    private readonly state: BufferSet<StateNames>,
    /** Where there is room for any. */
    private readonly obstacles: Obstacles | undefined,
    /** Where the paths of fast particles are followed. */
    private readonly paths: Flights | undefined,
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
    this.substeps = new SubstepMemo(plan.world, plan.diameter);
  }

  static async create(gpu: Gpu, options: SimulationOptions): Promise<Simulation> {
    const plan = planSimulation(options);
    const { dimensions, capacity, world } = plan;
    // Of now: what the caller does to the arrays while kernels are compiled is not meant.
    const first = {
      positions: plan.positions.slice(),
      velocities: plan.velocities.slice(),
      radii: options.radii?.slice(),
      halfExtents: options.halfExtents?.slice(),
    };
    checkGpu(gpu);
    checkHolds(gpu, capacity, world, plan.continuous);
    if (plan.obstacleCapacity > 0) checkHoldsObstacles(gpu, world, plan.obstacleCapacity);
    // Without obstacles, kernels know nothing of them.
    const variant = plan.obstacleCapacity > 0 ? { ...world, obstacles: true } : world;
    // What a step of these settings needs is compiled now; the rest when it is first asked for.
    const contacts = (of: Variant, broadPhase: BroadPhase, compilation: Compilation) =>
      createParts<ContactPasses & Record<string, unknown>>({
        partner: Partner.create(gpu, of, broadPhase, compilation),
        respond: Resolve.create(gpu, of, broadPhase, 'respond', compilation),
        separate: Resolve.create(gpu, of, broadPhase, 'separate', 'first-use'),
      });
    const probing = async (broadPhase: BroadPhase): Promise<ProbingPasses> => {
      const { iterations } = plan.settings;
      const compilation = broadPhase === plan.settings.broadPhase ? 'now' : 'first-use';
      const later = iterations > 1 ? compilation : 'first-use';
      const passes = await createParts({
        fresh: contacts(variant, broadPhase, compilation),
        moved: contacts({ ...variant, moved: asksWhoMoved(world, broadPhase) }, broadPhase, later),
        measure: Measure.create(gpu, variant, broadPhase, 'first-use', plan.radiusRange),
        pairs: Pairs.create(gpu, world, broadPhase, 'first-use'),
      });
      return { ...passes, destroy: () => passes.measure.destroy() };
    };
    const vector = 4 * storedFloats(dimensions) * capacity;
    const place = 4 * bodyFloats(world) * capacity;
    const sorting = CellSort.create(gpu, world, capacity, {
      ids: true,
      velocities: true,
      behindStarts: obstacleBytes(world, plan.obstacleCapacity),
    });
    const parts = await createParts({
      integrate: Integrate.create(gpu, world, !plan.continuous),
      retire: Retire.create(gpu, world, 'first-use'),
      grid: probing('grid'),
      naive: probing('naive'),
      scan: Scan.create(gpu, dimensions),
      sort: sorting,
      parameters: SharedParameters.create(gpu, dimensions, 'simulation'),
      obstacles:
        plan.obstacleCapacity > 0
          ? sorting.then(({ start }) => createObstacles(gpu, world, plan.obstacleCapacity, start))
          : Promise.resolve(undefined),
      paths: plan.continuous ? followPaths(gpu, variant, world, capacity) : Promise.resolve(undefined),
      state: createBuffers(gpu, 'simulation', {
        position0: place,
        position1: place,
        velocity0: vector,
        velocity1: vector,
        id0: 4 * capacity,
        id1: 4 * capacity,
        partner: 4 * capacity,
        leaving: 4 * Math.ceil(capacity / 32),
      }),
    });
    const { integrate, retire, grid, naive, scan, sort, parameters, state, obstacles, paths } = parts;
    const passes = { integrate, retire, grid, naive };
    const simulation = new Simulation(gpu, plan, passes, scan, sort, parameters, state, obstacles, paths);
    try {
      simulation.placeObstacles(plan.obstacles);
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
    const owned = [this.state, this.sort, this.parameters, grid.measure, naive.measure];
    const optional = (this.obstacles?.bytes ?? 0) + (this.paths?.bytes ?? 0);
    return owned.reduce((sum, { bytes }) => sum + bytes, optional);
  }

  /**
   * The state in GPU memory, for drawing and for kernels of the caller's own. Ids are only to be read; velocities, and
   * positions where there are no radii, may be written between two steps, by work that is submitted or recorded between
   * them, and positions not while `findPairs` is under way: it would find the pairs of some of either.
   */
  get buffers(): SimulationBuffers {
    this.checkUsable();
    return {
      positions: this.buffer('position', this.position),
      velocities: this.buffer('velocity', this.velocity),
      ids: this.buffer('id', this.id),
    };
  }

  set(changes: SettingsOptions): void {
    this.checkUsable();
    this.currentSettings = resolveSettings(this.dimensions, this.currentSettings, changes);
  }

  step(dt: number): void {
    this.submit('simulation.step', (encoder) => this.encodeStep(encoder, dt));
  }

  /**
   * Records a step into the caller's encoder. Encoders that are being recorded at the same time share 1,023
   * changes of parameters (dt, settings, count); an encoder that holds as many refuses the next.
   */
  encodeStep(encoder: GPUCommandEncoder, dt: number): void {
    this.checkUsable();
    checkEncoder(encoder);
    checkTimeStep(dt, this.currentSettings.substeps);
    if (dt === 0) return;
    this.recordInto(encoder, 'simulation.step', () => this.stepStages(dt));
    this.elapsed += dt;
  }

  async advance(dt: number, most?: number): Promise<number> {
    const paths = this.followed('advance');
    const limit = checkAdvance(this, dt, most);
    const { count } = this;
    const shared = this.shared(dt);
    const binding = this.pathBinding(paths);
    const stages = [paths.farthest(shared, binding, count)];
    const { result: reading, valid } = submitWatched(this.gpu, 'simulation.advance', (encoder) => {
      this.encodeStages(encoder, 'simulation.advance', stages);
      return this.readback.record(encoder, [paths.header]);
    });
    const [[header]] = await Promise.all([reading.finish(), valid, this.sound]);
    const farthest = count === 0 ? 0 : paths.farthestWay(header as ArrayBuffer);
    return stepAsFastAs(this, farthest, dt, limit);
  }

  async flights(): Promise<Counted> {
    const paths = this.followed('flights');
    // A step of nobody records nothing.
    if (this.stepped === 0) return NO_FLIGHTS;
    const encoder = this.gpu.device.createCommandEncoder({ label: 'simulation.flights' });
    const reading = this.readback.record(encoder, [paths.header]);
    this.gpu.device.queue.submit([encoder.finish()]);
    const [[header]] = await Promise.all([reading.finish(), this.sound]);
    return paths.counted(header as ArrayBuffer);
  }

  separate(iterations?: number): void {
    this.submit('simulation.separate', (encoder) => this.encodeSeparate(encoder, iterations));
  }

  /** Records a separation into the caller's encoder, as encodeStep does: one grid, then `iterations` pushes. */
  encodeSeparate(encoder: GPUCommandEncoder, iterations = this.currentSettings.iterations): void {
    this.checkUsable();
    checkEncoder(encoder);
    checkInteger('iterations', iterations, 1, MAX_ITERATIONS);
    this.recordInto(encoder, 'simulation.separate', () => this.separateStages(iterations));
  }

  /** A step (or a separation) with each stage timed; it counts as done. */
  async profile(dt: number): Promise<StageTimes> {
    this.checkUsable();
    checkTimeStep(dt, this.currentSettings.substeps);
    const stages = dt === 0 ? [] : this.plan(() => this.stepStages(dt));
    this.elapsed += dt;
    return this.measureTimes(stages);
  }

  async profileSeparate(iterations = this.currentSettings.iterations): Promise<StageTimes> {
    this.checkUsable();
    checkInteger('iterations', iterations, 1, MAX_ITERATIONS);
    return this.measureTimes(this.plan(() => this.separateStages(iterations)));
  }

  add(particles: NewParticles): Uint32Array {
    this.checkUsable();
    const first = this.ids.count;
    const admitted = this.ids.admit(this, particles);
    this.upload(first, admitted);
    return admitted.ids;
  }

  remove(ids: Uint32Array | readonly number[]): void {
    this.checkUsable();
    this.ids.checkLiving('ids', ids);
    if (ids.length === 0) return;
    const leaving = new Uint32Array(Math.ceil(this.capacity / 32));
    for (let index = 0; index < ids.length; index++) {
      const id = ids[index] as number;
      leaving[id >>> 5] = (leaving[id >>> 5] as number) | (1 << (id & 31));
    }
    this.gpu.device.queue.writeBuffer(this.state.buffers.leaving, 0, leaving);
    const shared = this.shared();
    const { retire } = this.passes;
    const group = this.group(`retire ${this.position} ${this.id}`, () =>
      retire.bind({
        leaving: this.state.buffers.leaving,
        position: this.buffer('position', this.position),
        id: this.buffer('id', this.id),
      }),
    );
    const { count } = this;
    const stages = this.plan(() => [
      { name: 'retire', encode: (pass) => retire.encode(pass, shared, group, count) },
      ...this.sortStages(shared, false),
    ]);
    this.submit('simulation.remove', (encoder) => this.encodeStages(encoder, 'simulation.remove', stages));
    // The sort has filed them last, so that a smaller count leaves them behind.
    this.ids.release(ids);
  }

  /** Replaces all obstacles, at the cost of one sort of them. */
  setObstacles(obstacles: ObstaclesGiven): void {
    this.checkUsable();
    this.placeObstacles(checkObstacles(obstacles, this));
  }

  async measure(): Promise<Measures> {
    this.checkUsable();
    const { count } = this;
    const { measure } = this.probing();
    this.sortNow();
    const { sound } = this;
    const { result: reading, valid } = submitWatched(this.gpu, 'simulation.measure', (encoder) => {
      this.encodeStages(encoder, 'simulation.measure', [this.measureStage()]);
      return this.readback.record(encoder, [measure.range(count)]);
    });
    const [[bytes]] = await Promise.all([reading.finish(), valid, sound]);
    return measure.combine(bytes as ArrayBuffer, count);
  }

  /**
   * Every overlapping pair once, ids ascending, as things are at the call. Memory for the list is reserved for
   * just as many pairs as there are; if the device cannot hold them, the error says how many there are.
   */
  async findPairs(): Promise<FoundPairs> {
    this.checkUsable();
    const { count } = this;
    const { measure, pairs } = this.probing();
    const substep = this.substeps.derive(this.currentSettings, 0);
    this.sortNow();
    const { sound } = this;
    const state = {
      position_in: this.buffer('position', this.position),
      id_in: this.buffer('id', this.id),
      start: this.sort.start,
      cell_of_slot: this.sort.cellOfSlot,
      guests: this.sort.guestList,
      crowd: this.sort.heavy,
    };
    const { gpu, scan, readback, capacity, world } = this;
    // Want of memory makes what is bound here invalid; `settled` says so, and once is enough.
    gpu.device.pushErrorScope('validation');
    const query = new PairQuery(gpu, { pairs, scan }, readback, state, count, capacity, world);
    gpu.device.popErrorScope().catch(() => undefined);
    try {
      const { result: counting, valid } = submitWatched(gpu, 'simulation.pairs', (encoder) => {
        const stages = [this.measureStage(), ...query.stages(this.shared())];
        this.encodeStages(encoder, 'simulation.pairs', stages);
        return readback.record(encoder, [measure.range(count), query.total]);
      });
      this.queries.add(query);
      const [[bytes, total]] = await Promise.all([
        counting.finish(),
        query.settled().then(() => valid),
        sound,
      ]);
      const { contacts, borderline } = measure.combine(bytes as ArrayBuffer, count);
      const found = await query.fill(contacts, new Uint32Array(total as ArrayBuffer)[0] as number, () => {
        this.checkAlive();
        return this.parameters.place(this.world, count, substep);
      });
      return { count: found.length / 2, pairs: found, borderline };
    } finally {
      this.queries.delete(query);
      query.destroy();
    }
  }

  async read(): Promise<ParticleArrays> {
    this.checkUsable();
    const { count } = this;
    const { positions, velocities, ids } = this.buffers;
    const words = bodyFloats(this.world);
    const encoder = this.gpu.device.createCommandEncoder({ label: 'simulation.read' });
    const reading = this.readback.record(encoder, [
      { buffer: ids, size: 4 * count },
      { buffer: positions, size: 4 * words * count },
      { buffer: velocities, size: 4 * storedFloats(this.dimensions) * count },
    ]);
    this.gpu.device.queue.submit([encoder.finish()]);
    const { sound } = this;
    const [copies] = await Promise.all([reading.finish(), sound]);
    const [idBytes, positionBytes, velocityBytes] = copies as [ArrayBuffer, ArrayBuffer, ArrayBuffer];
    const slotIds = new Uint32Array(idBytes);
    const slots = slotsById(slotIds, this.capacity);
    return {
      ids: slots.map((slot) => slotIds[slot] as number),
      positions: fromStored(this.dimensions, positionBytes, slots, words),
      velocities: fromStored(this.dimensions, velocityBytes, slots),
      ...(this.radiusRange
        ? describeSizes(this.dimensions, sizesOfBodies(this.dimensions, positionBytes, slots, words))
        : {}),
    };
  }

  async checkpoint(): Promise<Checkpoint> {
    // Of now, not of when the particles arrive.
    const described = describeSimulation(this, this.obstacles?.given);
    return { ...described, ...(await this.read()) };
  }

  restore(checkpoint: Checkpoint): void {
    this.checkAlive();
    const settings = checkCheckpoint(checkpoint, this);
    this.loss = undefined;
    this.sound = Promise.resolve();
    this.ids.replaceAll(checkpoint.ids);
    this.upload(0, bodiesOf(checkpoint, this));
    this.currentSettings = settings;
    this.elapsed = checkpoint.time;
    this.placeObstacles(checkObstacles(obstaclesOf(checkpoint), this, 'checkpoint.obstacles'));
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.state.destroy();
    this.sort.destroy();
    this.obstacles?.destroy();
    this.paths?.destroy();
    this.parameters.destroy();
    this.readback.destroy();
    this.passes.grid.destroy();
    this.passes.naive.destroy();
  }

  private checkUsable(): void {
    this.checkAlive();
    if (this.loss) throw this.loss;
  }

  private checkAlive(): void {
    if (this.destroyed) throw new DestroyedError('Simulation');
    this.gpu.checkAlive();
  }

  private placeObstacles(bodies: StaticBodies): void {
    const substep = this.substeps.derive(this.currentSettings, 0);
    this.obstacles?.load(bodies, (count) => this.parameters.place(this.world, count, substep));
  }

  private probing(): ProbingPasses {
    return this.passes[this.currentSettings.broadPhase];
  }

  private contactPasses(hasMoved: boolean): ContactPasses {
    const { fresh, moved } = this.probing();
    return hasMoved ? moved : fresh;
  }

  private buffer(kind: 'position' | 'velocity' | 'id', copy: 0 | 1): GPUBuffer {
    return this.state.buffers[`${kind}${copy}`];
  }

  /** Bind groups are made once for each combination of copies, then found by name. */
  private group<Group>(name: string, make: () => Group): Group {
    let group = this.groups.get(name) as Group | undefined;
    if (group === undefined) {
      group = make();
      this.groups.set(name, group);
    }
    return group;
  }

  private shared(dt = 0): SharedBinding {
    return this.parameters.place(this.world, this.count, this.substeps.derive(this.currentSettings, dt));
  }

  private submit(label: string, encode: (encoder: GPUCommandEncoder) => void): void {
    this.checkUsable();
    const { device } = this.gpu;
    const encoder = device.createCommandEncoder({ label });
    const { sound } = watchKernels(this.gpu, () => encode(encoder));
    if (sound) device.pushErrorScope('validation');
    device.queue.submit([encoder.finish()]);
    if (sound) this.dependOn(validOf(sound, device.popErrorScope()));
  }

  private recordInto(encoder: GPUCommandEncoder, label: string, makeStages: () => Stage[]): void {
    this.parameters.recordInto(encoder, () => {
      const stages = this.plan(makeStages);
      const { sound } = watchKernels(this.gpu, () => this.encodeStages(encoder, label, stages));
      if (sound) this.dependOn(sound);
    });
  }

  /** The stages of a change; where the device is known to refuse one, its error, and all as it was before. */
  private plan(makeStages: () => Stage[]): Stage[] {
    const { position, velocity, id } = this;
    const stages = makeStages();
    try {
      checkKernels(this.gpu, stages);
    } catch (error) {
      this.position = position;
      this.velocity = velocity;
      this.id = id;
      throw error;
    }
    return stages;
  }

  /** Where `valid` rejects, a change was dropped, and all that was done since was done to the wrong copies. */
  private dependOn(valid: Promise<void>): void {
    const sound = Promise.all([this.sound, valid]).then(
      () => undefined,
      (error: Error) => {
        throw error instanceof StateLost ? error : new StateLost(error);
      },
    );
    this.sound = sound;
    sound.catch((error: StateLost) => {
      // A checkpoint restored meanwhile has made up for it.
      if (this.sound === sound) this.loss = error;
    });
  }

  /** Sorts the state, in a submission of its own, which no kernel that is not yet compiled can spoil. */
  private sortNow(): void {
    const stages = this.sortStages(this.shared(), false);
    this.submit('simulation.sort', (encoder) => this.encodeStages(encoder, 'simulation.sort', stages));
  }

  private measureTimes(stages: readonly Stage[]): Promise<StageTimes> {
    const { device } = this.gpu;
    // All is recorded and submitted before the first wait.
    device.pushErrorScope('validation');
    const { result: times, sound } = watchKernels(this.gpu, () =>
      timeStages(this.gpu, this.readback, stages),
    );
    const valid = validOf(sound, device.popErrorScope());
    this.dependOn(valid);
    return Promise.all([times, this.sound]).then(([result]) => result);
  }

  private encodeStages(encoder: GPUCommandEncoder, label: string, stages: readonly Stage[]): void {
    if (this.count === 0) return;
    const pass = encoder.beginComputePass({ label });
    for (const stage of stages) stage.encode(pass);
    pass.end();
  }

  private stepStages(dt: number): Stage[] {
    const { count } = this;
    const shared = this.shared(dt);
    this.stepped = count;
    const { integrate } = this.passes;
    const { paths } = this;
    const stages: Stage[] = paths ? [paths.begin(shared, this.pathBinding(paths))] : [];
    for (let substep = 0; substep < this.currentSettings.substeps; substep++) {
      const group = this.group(`integrate ${this.position} ${this.velocity} ${this.id}`, () =>
        integrate.bind({
          position: this.buffer('position', this.position),
          velocity: this.buffer('velocity', this.velocity),
          counts: this.sort.counts,
          ranks: this.sort.ranks,
          id_in: this.buffer('id', this.id),
        }),
      );
      stages.push({ name: 'integrate', encode: (pass) => integrate.encode(pass, shared, group, count) });
      if (paths) stages.push(paths.stage(shared, this.pathBinding(paths), count));
      stages.push(...this.sortStages(shared, !paths && this.world.levels === 0));
      for (let iteration = 0; iteration < this.currentSettings.iterations; iteration++) {
        stages.push(...this.respondStages(shared, iteration > 0));
      }
    }
    return stages;
  }

  /** What follows the paths of fast particles, for what only that can tell. */
  private followed(name: string): Flights {
    this.checkUsable();
    checkContinuous(this, name);
    return this.paths as Flights;
  }

  private pathBinding(paths: Flights): FlightBinding {
    const { position, velocity, id } = this;
    return this.group(`paths ${position} ${velocity} ${id}`, () =>
      paths.bind({
        position_in: this.buffer('position', position),
        velocity_in: this.buffer('velocity', velocity),
        id_in: this.buffer('id', id),
        // Not written before the sort.
        struck: this.buffer('velocity', other(velocity)),
        start: this.sort.start,
      }),
    );
  }

  private separateStages(iterations: number): Stage[] {
    const shared = this.shared();
    const stages = this.sortStages(shared, false);
    for (let iteration = 0; iteration < iterations; iteration++) {
      stages.push(this.separateStage(shared, iteration > 0));
    }
    return stages;
  }

  /** On a sorted state. */
  private measureStage(): Stage {
    const { count } = this;
    const shared = this.shared();
    const { measure } = this.probing();
    const group = this.group(
      `measure ${this.currentSettings.broadPhase} ${this.position} ${this.velocity} ${this.id}`,
      () =>
        measure.bind({
          position: this.buffer('position', this.position),
          velocity: this.buffer('velocity', this.velocity),
          id_in: this.buffer('id', this.id),
          start: this.sort.start,
          cell_of_slot: this.sort.cellOfSlot,
          guests: this.sort.guestList,
        }),
    );
    return { name: 'measure', encode: (pass) => measure.encode(pass, shared, group, count) };
  }

  /** To be called before anything changes the state: questions under way keep what they were asked about. */
  private beforeChange(): void {
    for (const query of this.queries) query.preserve();
  }

  /** Sorts the state into the other copies. */
  private sortStages(shared: SharedBinding, counted: boolean): Stage[] {
    this.beforeChange();
    const { position, velocity, id } = this;
    const binding = this.group(`sort ${position} ${velocity} ${id}`, () =>
      this.sort.bind(
        {
          position: this.buffer('position', position),
          velocity: this.buffer('velocity', velocity),
          id: this.buffer('id', id),
        },
        {
          position: this.buffer('position', other(position)),
          velocity: this.buffer('velocity', other(velocity)),
          id: this.buffer('id', other(id)),
        },
      ),
    );
    this.position = other(position);
    this.velocity = other(velocity);
    this.id = other(id);
    return this.sort.stages(shared, binding, this.count, counted);
  }

  /** `hasMoved`: particles are no longer where they were sorted. */
  private respondStages(shared: SharedBinding, hasMoved: boolean): Stage[] {
    const { count, position, velocity } = this;
    const { broadPhase, restitution } = this.currentSettings;
    const { partner, respond } = this.contactPasses(hasMoved);
    const key = `${broadPhase} ${hasMoved} ${position} ${velocity}`;
    const state = {
      position_in: this.buffer('position', position),
      velocity_in: this.buffer('velocity', velocity),
      start: this.sort.start,
      cell_of_slot: this.sort.cellOfSlot,
      crowd: this.sort.heavy,
      guests: this.sort.guestList,
    };
    const stages: Stage[] = [];
    if (restitution > 0) {
      const group = this.group(`partner ${key}`, () =>
        partner.bind({ ...state, partner_out: this.state.buffers.partner }),
      );
      stages.push({ name: 'partner', encode: (pass) => partner.encode(pass, shared, group, count) });
    }
    const group = this.group(`respond ${key}`, () =>
      respond.bind({
        ...state,
        position_out: this.buffer('position', other(position)),
        velocity_out: this.buffer('velocity', other(velocity)),
        partner_in: this.state.buffers.partner,
      }),
    );
    stages.push({ name: 'resolve', encode: (pass) => respond.encode(pass, shared, group, count) });
    this.position = other(position);
    this.velocity = other(velocity);
    return stages;
  }

  private separateStage(shared: SharedBinding, hasMoved: boolean): Stage {
    const { count, position } = this;
    const { separate } = this.contactPasses(hasMoved);
    const { broadPhase } = this.currentSettings;
    const group = this.group(`separate ${broadPhase} ${hasMoved} ${position}`, () =>
      separate.bind({
        position_in: this.buffer('position', position),
        position_out: this.buffer('position', other(position)),
        start: this.sort.start,
        cell_of_slot: this.sort.cellOfSlot,
        crowd: this.sort.heavy,
        guests: this.sort.guestList,
      }),
    );
    this.position = other(position);
    return { name: 'separate', encode: (pass) => separate.encode(pass, shared, group, count) };
  }

  private upload(first: number, { ids, positions, velocities, radii, ...shapes }: Bodies): void {
    // Deno panics when it is asked to write nothing.
    if (ids.length === 0) return;
    this.beforeChange();
    const { queue } = this.gpu.device;
    const carried = carryPositions(this.world, positions);
    queue.writeBuffer(this.buffer('id', this.id), 4 * first, new Uint32Array(ids));
    queue.writeBuffer(
      this.buffer('position', this.position),
      4 * bodyFloats(this.world) * first,
      radii ? toBodies(this.dimensions, carried, { radii, ...shapes }) : toStored(this.dimensions, carried),
    );
    queue.writeBuffer(
      this.buffer('velocity', this.velocity),
      4 * storedFloats(this.dimensions) * first,
      toStored(this.dimensions, velocities),
    );
  }
}

/** Loaded only when needed: its kernels are as much text as those of all the rest of a step. */
async function followPaths(gpu: Gpu, variant: Variant, world: World, capacity: number): Promise<Flights> {
  const { Flights: Made } = await import('./flights');
  return Made.create(gpu, variant, world, capacity);
}

/** The device dropped a change of the state, since it refused a kernel of it. */
class StateLost extends GpuError {
  constructor({ message }: Error) {
    super(
      'shader',
      `This simulation lost its particles with a change that the device dropped; restore a checkpoint and do without what was refused: ${message}`,
    );
  }
}

/** Of all loops over neighbours, that over the levels of a box looks less far while nobody has moved. */
function asksWhoMoved({ kind, levels }: World, broadPhase: BroadPhase): boolean {
  return levels > 0 && kind === 'bounded' && broadPhase === 'grid';
}

function other(copy: 0 | 1): 0 | 1 {
  return copy === 0 ? 1 : 0;
}

/** Slots in the order of their particles' ids. */
function slotsById(ids: Uint32Array, capacity: number): Uint32Array {
  const slotOf = new Uint32Array(capacity).fill(0xffff_ffff);
  ids.forEach((id, slot) => {
    if (id >= capacity) throw new ArgumentError('id', id, `below the capacity, ${capacity}`);
    slotOf[id] = slot;
  });
  return slotOf.filter((slot) => slot !== 0xffff_ffff);
}
