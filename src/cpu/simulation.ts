/**
 * Purpose: the particle simulation on the CPU, one thread. The same options, methods, contact law and results
 * (up to rounding) as the GPU's, but values come at once where the GPU's come as promises.
 *
 * State is packed 32-bit floats in cell order, in two copies that take turns; ids travel along. Sums inside a
 * pass are doubles. One substep: integrate, (in a periodic world, carry in,) sort, gather, then for each iteration: search pairs, find bouncing
 * partners (only with restitution), respond, finish.
 * Guarantee: the same calls give the same bits, whatever was in memory before: everything is added up in
 * canonical order. Particles that never move are sorted when they are given (obstacles.ts), not in steps. Steps allocate nothing that grows with the number of particles.
 */
import { checkInteger } from '../core/checks';
import { DestroyedError } from '../core/errors';
import { addFlights, type Flights, greatestSpeed, NO_FLIGHTS } from '../core/flight';
import { StateHash } from '../core/hash';
import {
  checkTimeStep,
  MAX_ITERATIONS,
  resolveSettings,
  type Settings,
  type SettingsOptions,
  type Substep,
  SubstepMemo,
} from '../core/settings';
import {
  type Checkpoint,
  checkCheckpoint,
  checkContinuous,
  chooseSubsteps,
  countObstacles,
  describeObstacles,
  describeWorld,
  type FoundPairs,
  IdAllocator,
  type Measures,
  type NewParticles,
  obstaclesOf,
  type ParticleArrays,
  type ParticleSimulation,
  planSimulation,
  type SimulationOptions,
  type SimulationPlan,
} from '../core/simulation';
import type { Dimensions, RadiusRange, World } from '../core/world';
import { Flight } from './flight';
import type { Kernels, ParticleState, Response } from './kernels';
import { defineLattice, reserve } from './lattice';
import { measureOverlaps, measureParticles, takeCensus } from './measure';
import { Obstacles } from './obstacles';
import { CellOrder } from './order';
import { PairSearch, sortPairs } from './search';
import { kernelsFor } from './variants';
import { carryIn } from './wrapped';

export function createCpuSimulation(options: SimulationOptions): CpuSimulation {
  const plan = planSimulation(options);
  return reserve(plan.world, plan.capacity, () => new CpuSimulation(plan));
}

export class CpuSimulation implements ParticleSimulation {
  readonly backend = 'cpu';
  readonly dimensions: Dimensions;
  readonly world: World;
  readonly radius: number;
  readonly radiusRange: RadiusRange | undefined;
  readonly capacity: number;
  readonly obstacleCapacity: number;
  readonly continuous: boolean;
  readonly memoryBytes: number;
  private readonly diameter: number;
  private readonly kernels: Kernels;
  private readonly wraps: boolean;
  private readonly order: CellOrder;
  private readonly search: PairSearch;
  private readonly response: Response;
  /** Where there is room for any. */
  private readonly obstacles: Obstacles | undefined;
  /** Where the paths of fast particles are followed. */
  private readonly flight: Flight | undefined;
  private lastFlights = NO_FLIGHTS;
  /** 0, 1, 2 …: what the search is to call slots. */
  private readonly slots: Uint32Array;
  private readonly allocator: IdAllocator;
  private state: ParticleState;
  /** The copy that the next sort fills. */
  private spare: ParticleState;
  private currentSettings: Settings;
  private elapsed = 0;
  private destroyed = false;
  private readonly substeps: SubstepMemo;

  /** Use createCpuSimulation, which checks its arguments. */
  constructor(plan: SimulationPlan) {
    const { dimensions, capacity, world } = plan;
    this.dimensions = dimensions;
    this.world = world;
    this.radius = plan.radius;
    this.radiusRange = plan.radiusRange;
    this.diameter = plan.diameter;
    this.capacity = capacity;
    this.currentSettings = plan.settings;
    const lattice = defineLattice(world);
    this.wraps = world.kind === 'periodic';
    this.kernels = kernelsFor(lattice);
    this.order = new CellOrder(lattice, capacity);
    this.search = new PairSearch(this.order, plan.diameter, capacity);
    this.state = createState(dimensions, capacity);
    this.spare = createState(dimensions, capacity);
    this.response = {
      pushes: new Float64Array(dimensions * capacity),
      changes: new Float64Array(dimensions * capacity),
      approaches: new Float64Array(capacity),
      partners: new Int32Array(capacity),
    };
    this.slots = new Uint32Array(capacity);
    for (let slot = 0; slot < capacity; slot++) this.slots[slot] = slot;
    this.allocator = new IdAllocator(capacity);
    this.substeps = new SubstepMemo(world, plan.diameter);
    this.obstacleCapacity = plan.obstacleCount;
    if (plan.obstacleCount > 0) {
      this.obstacles = new Obstacles(lattice, plan.diameter, plan.obstacleCount);
      this.obstacles.load(plan.obstacles);
    }
    this.continuous = plan.continuous;
    if (plan.continuous) this.flight = new Flight(this.order, this.obstacles);
    this.memoryBytes =
      this.order.memoryBytes +
      this.search.memoryBytes +
      this.stateBytes() +
      (this.obstacles?.memoryBytes ?? 0);
    this.append(this.allocator.take(plan.count), plan.positions, plan.velocities, 0);
  }

  get count(): number {
    return this.allocator.count;
  }

  get obstacleCount(): number {
    return this.obstacles?.count ?? 0;
  }

  get time(): number {
    return this.elapsed;
  }

  get settings(): Settings {
    return this.currentSettings;
  }

  set(changes: SettingsOptions): void {
    this.checkUsable();
    this.currentSettings = resolveSettings(this.dimensions, this.currentSettings, changes);
  }

  step(dt: number): void {
    this.checkUsable();
    const { substeps, iterations } = this.currentSettings;
    checkTimeStep(dt, substeps);
    if (dt === 0) return;
    const parameters = this.substepFor(dt);
    for (let substep = 0; substep < substeps; substep++) {
      this.kernels.integrate(this.state, this.count, parameters);
      this.carryIn(0, this.count);
      this.sort();
      if (this.flight) {
        const flights = this.flight.fly(this.state, parameters);
        this.lastFlights = addFlights(substep === 0 ? undefined : this.lastFlights, flights);
        // Into the cells where paths ended.
        if (flights.hits + flights.held > 0) this.sort();
      }
      for (let iteration = 0; iteration < iterations; iteration++) this.respond(parameters, iteration > 0);
    }
    this.elapsed += dt;
  }

  advance(dt: number, most?: number): number {
    this.checkUsable();
    checkContinuous(this, 'advance');
    const { currentSettings: settings, dimensions, diameter, state, count } = this;
    checkTimeStep(dt, settings.substeps);
    const fastest = greatestSpeed(dimensions, state.positions, state.velocities, count);
    const substeps = chooseSubsteps(settings, diameter, fastest, dt, most);
    this.set({ substeps });
    try {
      this.step(dt);
    } finally {
      this.currentSettings = settings;
    }
    return substeps;
  }

  flights(): Flights {
    this.checkUsable();
    checkContinuous(this, 'flights');
    return this.lastFlights;
  }

  /** One grid, then `iterations` pushes. Default: the settings' iterations. */
  separate(iterations = this.currentSettings.iterations): void {
    this.checkUsable();
    checkInteger('iterations', iterations, 1, MAX_ITERATIONS);
    const parameters = this.substepFor(0);
    this.sort();
    for (let iteration = 0; iteration < iterations; iteration++) {
      this.beginSearch(iteration > 0);
      while (this.search.advance()) {
        this.kernels.separate(this.search.task, this.state, this.response, parameters);
      }
      this.obstacles?.separate(this.order, this.state, this.response, parameters);
      this.kernels.finishSeparate(this.state, this.order.live, this.response, parameters);
      this.carryIn(0, this.order.live);
    }
  }

  add(particles: NewParticles): Uint32Array {
    this.checkUsable();
    const first = this.count;
    const { ids, positions, velocities } = this.allocator.admit(this.dimensions, particles);
    this.append(ids, positions, velocities, first);
    return ids;
  }

  remove(ids: Uint32Array | readonly number[]): void {
    this.checkUsable();
    this.allocator.checkLiving('ids', ids);
    const { count, dimensions } = this;
    this.allocator.release(ids);
    const { ids: stateIds, positionWords, velocityWords } = this.state;
    let kept = 0;
    for (let slot = 0; slot < count; slot++) {
      const id = stateIds[slot] as number;
      if (!this.allocator.has(id)) continue;
      stateIds[kept] = id;
      positionWords.copyWithin(dimensions * kept, dimensions * slot, dimensions * (slot + 1));
      velocityWords.copyWithin(dimensions * kept, dimensions * slot, dimensions * (slot + 1));
      kept++;
    }
  }

  setObstacles(positions: Float32Array): void {
    this.checkUsable();
    countObstacles(this.dimensions, positions, this.obstacleCapacity);
    this.obstacles?.load(positions);
  }

  measure(): Measures {
    this.checkUsable();
    this.sort();
    const { order, search, state, world, count } = this;
    const { live } = order;
    const census = takeCensus(order);
    this.beginSearch(false);
    const overlaps = measureOverlaps(search, this.dimensions, this.diameter);
    const isNaive = this.currentSettings.broadPhase === 'naive';
    return {
      count,
      ...census,
      ...(isNaive ? { candidates: (live * (live - 1)) / 2 } : {}),
      nonFinite: count - live,
      ...overlaps,
      borderline: 0,
      obstacleContacts: this.obstacles?.countContacts(order, state.positions) ?? 0,
      ...measureParticles(world, state, live),
      hash: this.hash(),
    };
  }

  findPairs(): FoundPairs {
    this.checkUsable();
    this.sort();
    this.search.begin(this.state.positions, this.state.ids, this.currentSettings.broadPhase);
    const words = this.search.collectInto(new Uint32Array(4 * this.count));
    const { length } = this.search.task;
    return { count: length / 2, pairs: sortPairs(words, length, this.capacity), borderline: 0 };
  }

  read(): ParticleArrays {
    this.checkUsable();
    const { count, dimensions, state } = this;
    const slotOf = new Uint32Array(this.capacity);
    for (let slot = 0; slot < count; slot++) slotOf[state.ids[slot] as number] = slot;
    const slots = slotOf.filter((_, id) => this.allocator.has(id));
    const positions = new Float32Array(dimensions * count);
    const velocities = new Float32Array(dimensions * count);
    this.kernels.gather(state.positionWords, new Uint32Array(positions.buffer), slots, count);
    this.kernels.gather(state.velocityWords, new Uint32Array(velocities.buffer), slots, count);
    return { ids: slots.map((slot) => state.ids[slot] as number), positions, velocities };
  }

  checkpoint(): Checkpoint {
    const { time, settings, dimensions, radius } = this;
    return {
      version: 1,
      dimensions,
      radius,
      ...describeWorld(this.world),
      time,
      settings,
      ...this.read(),
      ...describeObstacles(this.obstacles?.given ?? new Float32Array(0)),
    };
  }

  restore(checkpoint: Checkpoint): void {
    this.checkUsable();
    const settings = checkCheckpoint(checkpoint, this);
    this.allocator.replaceAll(checkpoint.ids);
    this.append(checkpoint.ids, checkpoint.positions, checkpoint.velocities, 0);
    this.currentSettings = settings;
    this.elapsed = checkpoint.time;
    this.obstacles?.load(obstaclesOf(checkpoint));
  }

  destroy(): void {
    this.destroyed = true;
  }

  /** One pass over the contacts of the present grid. */
  private respond(parameters: Substep, frozen: boolean): void {
    const { kernels, search, state, response } = this;
    const { live } = this.order;
    if (parameters.restitution > 0) {
      response.partners.fill(-1, 0, live);
      response.approaches.fill(-parameters.restSpeed, 0, live);
      this.beginSearch(frozen);
      while (search.advance()) kernels.findPartners(search.task, state, response);
      this.obstacles?.findPartners(this.order, state, response);
    }
    this.beginSearch(frozen);
    while (search.advance()) kernels.respond(search.task, state, response, parameters);
    this.obstacles?.respond(this.order, state, response, parameters);
    kernels.finish(state, live, response, parameters);
    this.carryIn(0, live);
  }

  private beginSearch(frozen: boolean): void {
    this.search.begin(this.state.positions, this.slots, this.currentSettings.broadPhase, frozen);
  }

  /** Into the box, where it wraps around; slots from `first` up to `end`. */
  private carryIn(first: number, end: number): void {
    if (this.wraps) carryIn(this.world, this.state.positions, first, end);
  }

  /** Brings the state into canonical order. */
  private sort(): void {
    this.carryIn(0, this.count);
    const { count, kernels, order, state, spare } = this;
    order.sort(state.positions, state.positionWords, count, spare.positionWords, state.ids);
    const { source } = order;
    kernels.gather(state.velocityWords, spare.velocityWords, source, count);
    for (let slot = 0; slot < count; slot++) spare.ids[slot] = state.ids[source[slot] as number] as number;
    this.state = spare;
    this.spare = state;
  }

  private append(ids: Uint32Array, positions: Float32Array, velocities: Float32Array, slot: number): void {
    const { state, dimensions } = this;
    state.ids.set(ids, slot);
    state.positionWords.set(wordsOf(positions), dimensions * slot);
    state.velocityWords.set(wordsOf(velocities), dimensions * slot);
    this.carryIn(slot, slot + ids.length);
  }

  private hash(): string {
    const { state, dimensions, count } = this;
    const hash = new StateHash();
    const words = new Uint32Array(2 * dimensions);
    for (let slot = 0; slot < count; slot++) {
      for (let axis = 0; axis < dimensions; axis++) {
        words[axis] = state.positionWords[dimensions * slot + axis] as number;
        words[dimensions + axis] = state.velocityWords[dimensions * slot + axis] as number;
      }
      hash.addParticle(state.ids[slot] as number, words);
    }
    return hash.toString();
  }

  private substepFor(dt: number): Substep {
    return this.substeps.derive(this.currentSettings, dt);
  }

  private stateBytes(): number {
    const { pushes, changes, approaches, partners } = this.response;
    const { positions, velocities, ids } = this.state;
    const once = [pushes, changes, approaches, partners, this.slots];
    const twice = [positions, velocities, ids];
    const bytes = (arrays: readonly ArrayBufferView[]) =>
      arrays.reduce((sum, array) => sum + array.byteLength, 0);
    return bytes(once) + 2 * bytes(twice) + this.capacity;
  }

  private checkUsable(): void {
    if (this.destroyed) throw new DestroyedError('CpuSimulation');
  }
}

function createState(dimensions: Dimensions, capacity: number): ParticleState {
  const positions = new Float32Array(dimensions * capacity);
  const velocities = new Float32Array(dimensions * capacity);
  return {
    positions,
    velocities,
    ids: new Uint32Array(capacity),
    positionWords: new Uint32Array(positions.buffer),
    velocityWords: new Uint32Array(velocities.buffer),
  };
}

function wordsOf(numbers: Float32Array): Uint32Array {
  return new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length);
}
