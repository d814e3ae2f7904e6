/**
 * The particle simulation on the CPU. Two copies of the state alternate; sums inside a pass are doubles.
 * Guarantee: the same calls give the same bits, because sums are added in an order that depends on the particles alone.
 * Without continuous motion, steps allocate nothing that grows with the number of particles.
 * The file is longer than 500 lines, because each public member of the one class has a comment.
 */

import { checkInteger } from '../../core/base/checks';
import { DestroyedError } from '../../core/base/errors';
import type { StageTimes } from '../../core/base/stage-times';
import {
  addContinuousCounts,
  type ContinuousCounts,
  farthestWay,
  NO_CONTINUOUS_COUNTS,
} from '../../core/ccd/law';
import {
  checkTimeStep,
  MAX_ROUNDS,
  resolveSettings,
  type Settings,
  type SettingsOptions,
} from '../../core/contact/settings';
import { warningsOf } from '../../core/contact/size-ratio';
import { checkExactArrays } from '../../core/exact/arrays';
import { checkExactBodies, checkExactObstacles } from '../../core/exact/bodies';
import { checkObstacles, type ObstaclesGiven, obstaclesOf } from '../../core/obstacles/obstacles';
import type { StaticBodies } from '../../core/obstacles/tree';
import { describeSizes } from '../../core/particles/shapes';
import { bodiesOf, checkCheckpoint, describeSimulation } from '../../core/simulation/checkpoint';
import { IdAllocator } from '../../core/simulation/ids';
import { planSimulation, type SimulationPlan } from '../../core/simulation/plan';
import {
  type Bodies,
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
import { hashState } from '../../core/state/hash';
import type { Bounds } from '../../core/world/bounds';
import type { Dimensions, RadiusRange, World } from '../../core/world/world';
import { sortPairs } from '../equal/search';
import { kernelsFor } from '../equal/variants';
import { type Kernels, type ParticleState, sizesOf } from '../shared/kernels';
import { defineLattice, lengthenPairs, reserve, reservedCells } from '../shared/lattice';
import type { Threading } from '../threads/control';
import { CcdSolver } from './ccd';
import type { Response } from './contact';
import { EqualNeighbours } from './equal-neighbours';
import { EqualObstacles } from './equal-obstacles';
import { ExactPasses } from './exact/passes';
import { NO_CONTACT } from './general-contact';
import { LEAST_SUBSTEPS } from './held-pairs';
import { measureOverlaps, measureParticles } from './measure';
import type { Neighbours, PairsInPortions, SlotSearch } from './neighbours';
import type { ObstacleSearch } from './obstacle-search';
import { Obstacles } from './obstacles';
import { FloatPasses, type OverlapTest } from './passes';
import {
  byteLengthOf,
  type CpuSimulationBuffers,
  copyState,
  createResponse,
  createState,
  wordsOf,
} from './state';
import type { StepTeam } from './team/step-team';
import { VariableNeighbours } from './variable-neighbours';
import { VariableObstacles } from './variable-obstacles';

/** Creates a simulation in one thread, or in several if `hire` starts a team. */
export function createSimulation(
  options: SimulationOptions,
  hire?: (plan: SimulationPlan) => Threading<StepTeam>,
): CpuSimulation {
  const plan = planSimulation(options);
  if (plan.quanta) {
    checkExactBodies(plan.quanta, plan, plan.dimensions);
    checkExactObstacles(plan.quanta, obstaclesOf(options));
  }
  // With variable radii, memory does not grow with the cells of the world.
  const cells = plan.radiusRange ? undefined : reservedCells(plan.world);
  return reserve(plan.capacity, () => new CpuSimulation(plan, hire?.(plan)), cells);
}

/**
 * A simulation on the CPU. It follows the same rules as the GPU simulation, but rounds differently unless it is exact.
 * Its methods return values instead of promises.
 */
export class CpuSimulation implements ParticleSimulation {
  /** Always 'cpu'. */
  readonly backend = 'cpu';
  /** 2 or 3. */
  readonly dimensions: Dimensions;
  /** The world. */
  readonly world: World;
  /** Radius of every particle; if radii vary, the largest that is accepted. */
  readonly radius: number;
  /** Range of radii; undefined if all are equal. */
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
  /** Bytes of all arrays, without those of continuous motion, which grow with the number of fast particles. */
  readonly memoryBytes: number;
  /** True if the simulation computes in whole numbers. */
  readonly exact: boolean;
  private readonly diameter: number;
  private readonly kernels: Kernels;
  private readonly passes: FloatPasses | ExactPasses;
  private readonly neighbours: Neighbours;
  private readonly response: Response;
  private readonly obstacles: Obstacles | undefined;
  private readonly ccd: CcdSolver | undefined;
  private lastCounts = NO_CONTINUOUS_COUNTS;
  /** 0, 1, 2 …: the labels for a search that returns slots. */
  private readonly slots: Uint32Array;
  private readonly allocator: IdAllocator;
  private state: ParticleState;
  /** The copy that the next sort fills. */
  private spare: ParticleState;
  /** The copy whose arrays `buffers` returned. Once it is defined, every method leaves the state in this copy. */
  private kept: ParticleState | undefined;
  private views: CpuSimulationBuffers | undefined;
  private currentSettings: Settings;
  private elapsed = 0;
  private destroyed = false;
  /** Undefined with one thread. */
  private readonly team: StepTeam | undefined;

  /** Use createCpuSimulation, which checks its arguments. @hideconstructor */
  constructor(
    plan: SimulationPlan,
    private readonly threading: Threading<StepTeam> = {},
  ) {
    const { dimensions, capacity, world } = plan;
    this.team = threading.team;
    const member = this.team?.member;
    this.dimensions = dimensions;
    this.world = world;
    this.radius = plan.radius;
    this.radiusRange = plan.radiusRange;
    this.boxes = plan.boxes;
    this.diameter = plan.diameter;
    this.capacity = capacity;
    this.currentSettings = plan.settings;
    const lattice = defineLattice(world);
    this.kernels = kernelsFor(lattice);
    [this.state, this.spare] = member?.states ?? [createState(plan), createState(plan)];
    this.response = member?.response ?? createResponse(dimensions, capacity);
    this.slots = new Uint32Array(capacity);
    for (let slot = 0; slot < capacity; slot++) this.slots[slot] = slot;
    this.obstacleCapacity = plan.obstacleCapacity;
    let search: ObstacleSearch | undefined;
    if (member) {
      this.neighbours = member.neighbours;
      this.obstacles = member.obstacles;
    } else if (plan.radiusRange) {
      this.neighbours = new VariableNeighbours(lattice, capacity);
      if (plan.obstacleCapacity > 0) search = new VariableObstacles(lattice);
    } else {
      this.neighbours = new EqualNeighbours(lattice, world.diameter, capacity, !plan.continuous);
      if (plan.obstacleCapacity > 0) {
        search = new EqualObstacles(lattice, world.diameter, plan.obstacleCapacity);
      }
    }
    if (search) this.obstacles = new Obstacles(lattice, search);
    this.exact = plan.quanta !== undefined;
    this.passes = plan.quanta
      ? new ExactPasses(world, plan.quanta, plan.settings, search)
      : new FloatPasses(world, plan.diameter, plan.settings, this.neighbours.contact, this.obstacles);
    this.allocator = new IdAllocator(capacity, plan.defaultBox, (...bodies) =>
      this.passes.checkBodies(...bodies),
    );
    this.loadObstacles(plan.obstacles);
    if (plan.continuous) this.ccd = new CcdSolver(world, this.neighbours, search);
    this.continuous = plan.continuous;
    this.longestStep = plan.longestStep;
    this.memoryBytes =
      this.neighbours.memoryBytes +
      2 * byteLengthOf(this.state) +
      byteLengthOf({ ...this.response, slots: this.slots }) +
      capacity +
      (this.obstacles?.memoryBytes ?? 0) +
      (member?.memoryBytes ?? 0);
    this.append({ ...plan, ids: this.allocator.take(plan.count) }, 0);
  }

  /** Number of particles. */
  get count(): number {
    return this.allocator.count;
  }

  /** Number of obstacles. */
  get obstacleCount(): number {
    return this.obstacles?.count ?? 0;
  }

  /** Simulated seconds. */
  get time(): number {
    return this.elapsed;
  }

  /** The current settings. */
  get settings(): Settings {
    return this.currentSettings;
  }

  /** Threads at work now: 1 at first; workers join when they have started. */
  get threads(): number {
    return this.team?.threads ?? 1;
  }

  /**
   * One text per problem that the settings are likely to cause, with its fix. If there are fewer threads than the
   * options ask for, a further text says why. Often empty.
   */
  get warnings(): readonly string[] {
    return [...warningsOf(this, this.passes.step), ...(this.threading.warnings ?? this.team?.warnings ?? [])];
  }

  /**
   * The state itself, not a copy. Arrays that you keep show the current state after every call. They have as many
   * entries as there are particles, so read `buffers` again after `add`, `remove` or `restore`. You may write positions
   * and velocities between two calls, but exact simulations ignore what you write. Ids are read-only.
   */
  get buffers(): CpuSimulationBuffers {
    this.checkUsable();
    this.kept ??= this.state;
    if (this.views?.ids.length !== this.count) {
      const { positions, velocities, ids } = this.kept;
      const end = this.dimensions * this.count;
      this.views = {
        positions: positions.subarray(0, end),
        velocities: velocities.subarray(0, end),
        ids: ids.subarray(0, this.count),
      };
    }
    return this.views;
  }

  /** Changes settings of later steps. */
  set(changes: SettingsOptions): void {
    this.checkUsable();
    this.currentSettings = resolveSettings(this.dimensions, this.currentSettings, changes);
  }

  /** Advances by `dt` seconds: 0 (nothing happens), or at least 1e-7 per substep and at most `longestStep`. */
  step(dt: number): void {
    this.play(dt, () => undefined);
  }

  /**
   * Advances by `dt` seconds and times each stage. With one thread, the time of a stage includes its search for pairs.
   * With several threads, sort usually includes the search, and resolve includes integrating the next substep.
   */
  profile(dt: number): StageTimes {
    const stages: Record<string, number> = {};
    const began = performance.now();
    let last = began;
    this.play(dt, (stage) => {
      const now = performance.now();
      stages[stage] = (stages[stage] ?? 0) + now - last;
      last = now;
    });
    return { source: 'wall-clock', stages, total: last - began };
  }

  /**
   * Advances a continuous simulation by `dt` seconds. Takes so many substeps that its fastest particle moves at most a
   * sixteenth of a diameter in each, but at least `settings.substeps`. If that needs more than `most` substeps, takes
   * `settings.substeps`. Default of `most`: twice `settings.substeps`, at most 256. Returns the number of substeps.
   */
  advance(dt: number, most?: number): number {
    this.checkUsable();
    const limit = checkAdvance(this, dt, most);
    const { dimensions, state, count, radius, settings } = this;
    const { positions, velocities } = state;
    const bodies = { positions, velocities, ...sizesOf(state) };
    const farthest = farthestWay(dimensions, bodies, count, { gravity: settings.gravity, dt, radius });
    return stepAsFastAs(this, farthest, dt, limit);
  }

  /** Returns counts of fast particles and their paths in the last step of a continuous simulation. */
  continuousCounts(): ContinuousCounts {
    this.checkUsable();
    checkContinuous(this, 'continuousCounts');
    return this.lastCounts;
  }

  /** Pushes overlapping particles apart, without changing velocities or time. Default: one round. */
  separate(rounds = 1): void {
    this.checkUsable();
    checkInteger('rounds', rounds, 1, MAX_ROUNDS);
    this.ignoreWrites();
    const { passes } = this;
    passes.prepare(this.currentSettings, 0);
    for (let round = 0; round < rounds; round++) {
      this.sort();
      const { activeCount } = this.neighbours;
      const pairs = this.searchPairs();
      while (pairs.advance()) passes.pushApart(pairs.task, this.state, this.response);
      passes.pushApartFromObstacles(this.state, activeCount, this.response);
      passes.finishPushApart(this.state, activeCount, this.response);
    }
    this.settle();
  }

  /**
   * Adds particles and returns their ids: the lowest free ones, ascending. Particles outside the box are allowed if the
   * options had `min` and `max`: with `walls` the next step moves them inside.
   */
  add(particles: NewParticles): Uint32Array {
    this.checkUsable();
    const first = this.count;
    const admitted = this.allocator.admit(this, particles);
    this.append(admitted, first);
    return admitted.ids;
  }

  /** Removes particles with these ids. */
  remove(ids: Uint32Array | readonly number[]): void {
    this.checkUsable();
    this.allocator.checkLiving('ids', ids);
    const { count, dimensions } = this;
    this.allocator.release(ids);
    const {
      ids: stateIds,
      positionWords,
      velocityWords,
      radii,
      halves,
      bulks,
      loads,
      quanta,
      rates,
    } = this.state;
    let kept = 0;
    for (let slot = 0; slot < count; slot++) {
      const id = stateIds[slot] as number;
      if (!this.allocator.has(id)) continue;
      stateIds[kept] = id;
      positionWords.copyWithin(dimensions * kept, dimensions * slot, dimensions * (slot + 1));
      velocityWords.copyWithin(dimensions * kept, dimensions * slot, dimensions * (slot + 1));
      quanta.copyWithin(dimensions * kept, dimensions * slot, dimensions * (slot + 1));
      rates.copyWithin(dimensions * kept, dimensions * slot, dimensions * (slot + 1));
      radii.copyWithin(kept, slot, slot + 1);
      loads.copyWithin(kept, slot, slot + 1);
      halves.copyWithin(dimensions * kept, dimensions * slot, dimensions * (slot + 1));
      if (bulks !== radii) bulks.copyWithin(kept, slot, slot + 1);
      kept++;
    }
  }

  /** Replaces all obstacles by at most `obstacleCapacity` others. */
  setObstacles(obstacles: ObstaclesGiven): void {
    this.checkUsable();
    this.loadObstacles(this.checkObstacles(obstacles, 'obstacles', this.allocator.defaultBox));
  }

  /** Measures the simulation. */
  measure(): Measures {
    this.checkUsable();
    this.ignoreWrites();
    this.sort();
    this.settle();
    const { neighbours, passes, state, world, count } = this;
    const { activeCount } = neighbours;
    const census = neighbours.census();
    const overlaps = measureOverlaps(this.searchPairs(), state, this.diameter, passes.overlapOf);
    const isNaive = this.currentSettings.broadPhase === 'naive';
    return {
      count,
      ...census,
      ...(isNaive ? { candidates: (activeCount * (activeCount - 1)) / 2 } : {}),
      nonFinite: count - activeCount,
      ...overlaps,
      borderline: 0,
      obstacleContacts: passes.countObstacleContacts(state, activeCount),
      ...measureParticles(world, state, activeCount),
      ...(passes instanceof ExactPasses ? { outside: passes.countOutside(state, activeCount) } : {}),
      hash: this.hash(),
    };
  }

  /** Returns every overlapping pair once, sorted by the first id and then the second, in a new array. */
  findPairs(): FoundPairs {
    this.checkUsable();
    this.ignoreWrites();
    this.sort();
    this.settle();
    const { neighbours, state, currentSettings } = this;
    const { broadPhase } = currentSettings;
    const { overlapOf } = this.passes;
    if (overlapOf) return this.findTestedPairs(overlapOf);
    const pairs = neighbours.search(state, state.ids, broadPhase);
    const words = pairs.collectInto(this.roomForPairs());
    const { length } = pairs.task;
    return { count: length / 2, pairs: sortPairs(words, length, this.capacity), borderline: 0 };
  }

  /** Returns copies of the particles' arrays, in the order of ids. */
  read(): ParticleArrays {
    this.checkUsable();
    this.ignoreWrites();
    const { count, dimensions, state } = this;
    const slotOf = new Uint32Array(this.capacity);
    for (let slot = 0; slot < count; slot++) slotOf[state.ids[slot] as number] = slot;
    const slots = slotOf.filter((_, id) => this.allocator.has(id));
    const positions = new Float32Array(dimensions * count);
    const velocities = new Float32Array(dimensions * count);
    this.kernels.gather(state.positionWords, new Uint32Array(positions.buffer), slots, count);
    this.kernels.gather(state.velocityWords, new Uint32Array(velocities.buffer), slots, count);
    const ids = slots.map((slot) => state.ids[slot] as number);
    if (!this.radiusRange) return { ids, positions, velocities };
    const radii = Float32Array.from(slots, (slot) => state.radii[slot] as number);
    const loads = Float32Array.from(slots, (slot) => state.loads[slot] as number);
    if (!this.boxes) return { ids, positions, velocities, radii, loads };
    const halves = new Float32Array(dimensions * count);
    this.kernels.gather(wordsOf(state.halves), wordsOf(halves), slots, count);
    return { ids, positions, velocities, ...describeSizes(dimensions, { radii, halves }), loads };
  }

  /** Returns plain data from which a simulation continues with the same bits. */
  checkpoint(): Checkpoint {
    const described = { ...describeSimulation(this, this.obstacles?.given), ...this.read() };
    if (!(this.passes instanceof ExactPasses)) return described;
    return { ...described, exact: this.passes.read(this.state, described.ids) };
  }

  /** Continues from a checkpoint, which may come from a simulation on the GPU. */
  restore(checkpoint: Checkpoint): void {
    this.checkUsable();
    const settings = checkCheckpoint(checkpoint, this);
    if (checkpoint.exact) checkExactArrays(checkpoint.exact, checkpoint.positions.length);
    const obstacles = this.checkObstacles(obstaclesOf(checkpoint), 'checkpoint.obstacles');
    this.allocator.replaceAll(checkpoint.ids);
    this.append(bodiesOf(checkpoint, this), 0);
    if (this.passes instanceof ExactPasses && checkpoint.exact) {
      this.passes.restore(this.state, checkpoint.exact);
    }
    this.currentSettings = settings;
    this.elapsed = checkpoint.time;
    this.loadObstacles(obstacles);
  }

  /** Ends the use of the simulation. Later calls throw. */
  destroy(): void {
    this.destroyed = true;
    this.team?.end();
  }

  private play(dt: number, done: (stage: string) => void): void {
    this.checkUsable();
    const { substeps } = this.currentSettings;
    const held = substeps > 1 ? this.neighbours.held : undefined;
    let search: SlotSearch = this.neighbours;
    /** The substep of the last sort. The initial value lets the first substep hold pairs. */
    let sorted = -LEAST_SUBSTEPS;
    checkTimeStep(dt, this);
    this.passes.checkStep(this.currentSettings, dt);
    if (dt === 0) return;
    const { passes } = this;
    passes.prepare(this.currentSettings, dt);
    if (this.team?.isWorth(this.count) && this.currentSettings.broadPhase === 'grid') {
      this.playTogether(this.team, substeps, done);
      this.elapsed += dt;
      return;
    }
    for (let substep = 0; substep < substeps; substep++) {
      passes.integrate(this.state, this.count);
      done('integrate');
      if (substep === 0 || !held || search !== held || !held.isValid(this.state)) {
        // If a list did not last LEAST_SUBSTEPS, the rest of the step uses none.
        search = held && substep - sorted >= LEAST_SUBSTEPS ? held : this.neighbours;
        sorted = substep;
        this.sort(search);
      }
      done('sort');
      if (this.ccd) {
        this.fly(this.ccd, substep === 0);
        done('ccd');
      }
      this.respond(search, done);
    }
    passes.endStep();
    passes.publish(this.state, 0, this.count);
    this.settle();
    this.elapsed += dt;
  }

  private playTogether(team: StepTeam, substeps: number, done: (stage: string) => void): void {
    // Exact simulations have no team.
    const { substep } = this.passes as FloatPasses;
    const { states } = team.member;
    const current = team.play(this.state === states[0] ? 0 : 1, this.count, substeps, substep, done);
    this.state = states[current] as ParticleState;
    this.spare = states[1 - current] as ParticleState;
    this.settle();
  }

  private fly(ccd: CcdSolver, isFirst: boolean): void {
    if (!(this.passes instanceof FloatPasses)) return;
    const counts = ccd.fly(this.state, this.passes.substep);
    this.lastCounts = addContinuousCounts(isFirst ? undefined : this.lastCounts, counts);
    // If a path ended early, its particle may be in another cell.
    if (counts.hits + counts.held > 0) this.sort();
  }

  private respond(search: SlotSearch, done: (stage: string) => void): void {
    const { passes, state, response, slots } = this;
    const { activeCount } = search;
    const { broadPhase } = this.currentSettings;
    if (passes.bounces) {
      response.partners.fill(-1, 0, activeCount);
      response.approaches.fill(-passes.restSpeed, 0, activeCount);
      const pairs = search.search(state, slots, broadPhase);
      while (pairs.advance()) passes.findPartners(pairs.task, state, response);
      done('partner');
    }
    const pairs = search.search(state, slots, broadPhase);
    while (pairs.advance()) passes.respond(pairs.task, state, response);
    passes.finish(state, activeCount, response);
    done('resolve');
  }

  /** Tests the pairs of the search portion by portion, because they may be far more than the overlapping pairs. */
  private findTestedPairs(overlapOf: OverlapTest): FoundPairs {
    const { state } = this;
    const pairs = this.searchPairs();
    let words = this.roomForPairs();
    let length = 0;
    while (pairs.advance()) {
      const { task } = pairs;
      if (length + task.length > words.length) {
        words = lengthenPairs(words, length, 2 * (length + task.length));
      }
      for (let word = 0; word < task.length; word += 2) {
        const [slot, other] = [task.words[word] as number, task.words[word + 1] as number];
        if (overlapOf(task.lattice, state, slot, other) === NO_CONTACT) continue;
        const [id, otherId] = [state.ids[slot] as number, state.ids[other] as number];
        words[length++] = Math.min(id, otherId);
        words[length++] = Math.max(id, otherId);
      }
    }
    return { count: length / 2, pairs: sortPairs(words, length, this.capacity), borderline: 0 };
  }

  private roomForPairs(): Uint32Array {
    return lengthenPairs(new Uint32Array(0), 0, 4 * this.count);
  }

  private searchPairs(): PairsInPortions {
    return this.neighbours.search(this.state, this.slots, this.currentSettings.broadPhase);
  }

  /** In an exact simulation, replaces the floats that the caller may have written to `buffers`. */
  private ignoreWrites(): void {
    if (this.kept) this.passes.publish(this.state, 0, this.count);
  }

  private checkObstacles(given: ObstaclesGiven, argument: string, box?: Bounds): StaticBodies {
    const bodies = checkObstacles(given, this, argument, box);
    this.passes.checkObstacles(given, argument);
    return bodies;
  }

  private loadObstacles(obstacles: StaticBodies): void {
    this.obstacles?.load(obstacles);
    this.passes.takeObstacles();
  }

  private sort(search: SlotSearch = this.neighbours): void {
    const { count, kernels, state, spare, passes } = this;
    // The caller may have written positions.
    passes.wrapIn(state, 0, count);
    search.sort(state, count, spare);
    const { source } = search;
    kernels.gather(state.velocityWords, spare.velocityWords, source, count);
    for (let slot = 0; slot < count; slot++) spare.ids[slot] = state.ids[source[slot] as number] as number;
    if (this.exact) {
      kernels.gather(wordsOf(state.quanta), wordsOf(spare.quanta), source, count);
      kernels.gather(wordsOf(state.rates), wordsOf(spare.rates), source, count);
    }
    if (this.radiusRange) {
      for (let slot = 0; slot < count; slot++)
        spare.loads[slot] = state.loads[source[slot] as number] as number;
    }
    if (this.boxes) {
      kernels.gather(wordsOf(state.halves), wordsOf(spare.halves), source, count);
      for (let slot = 0; slot < count; slot++)
        spare.bulks[slot] = state.bulks[source[slot] as number] as number;
    }
    this.state = spare;
    this.spare = state;
  }

  /** If the state is not in the arrays that `buffers` returned, copies it there. */
  private settle(): void {
    const { state, kept, count, dimensions } = this;
    if (kept === undefined || kept === state) return;
    copyState(state, kept, count, dimensions);
    this.state = kept;
    this.spare = state;
  }

  private append({ ids, positions, velocities, radii, halves, bulks, loads }: Bodies, slot: number): void {
    const { state, dimensions } = this;
    state.ids.set(ids, slot);
    state.positionWords.set(wordsOf(positions), dimensions * slot);
    state.velocityWords.set(wordsOf(velocities), dimensions * slot);
    if (radii) state.radii.set(radii, slot);
    if (halves) state.halves.set(halves, dimensions * slot);
    if (bulks) state.bulks.set(bulks, slot);
    if (loads) state.loads.set(loads, slot);
    else state.loads.fill(0, slot, slot + ids.length);
    this.passes.take(state, slot, slot + ids.length);
  }

  private hash(): string {
    const { dimensions, count, radiusRange, boxes, exact } = this;
    const { ids, positions, velocities, radii, halves, quanta, rates } = this.state;
    return hashState(
      dimensions,
      (exact ? quanta : positions).subarray(0, dimensions * count),
      (exact ? rates : velocities).subarray(0, dimensions * count),
      ids,
      { radii: radiusRange && radii, halves: boxes ? halves : undefined },
    );
  }

  private checkUsable(): void {
    if (this.destroyed) throw new DestroyedError('CpuSimulation');
    this.team?.check();
  }
}
