/**
 * The reference simulation, plain and slow. `broadPhase` changes only the reported number of candidates. The order of
 * particles in memory does not matter.
 */

import { checkInteger } from '../../core/base/checks';
import { ArgumentError, DestroyedError } from '../../core/base/errors';
import {
  addContinuousCounts,
  type ContinuousCounts,
  farthestWay,
  NO_CONTINUOUS_COUNTS,
} from '../../core/ccd/law';
import {
  checkTimeStep,
  deriveSubstep,
  MAX_ROUNDS,
  resolveSettings,
  type Settings,
  type SettingsOptions,
  type Substep,
} from '../../core/contact/settings';
import { warningsOf } from '../../core/contact/size-ratio';
import { checkObstacles, type ObstaclesGiven, obstaclesOf } from '../../core/obstacles/obstacles';
import type { StaticBodies } from '../../core/obstacles/tree';
import { describeSizes, type Sizes } from '../../core/particles/shapes';
import { bodiesOf, checkCheckpoint, describeSimulation } from '../../core/simulation/checkpoint';
import { IdAllocator } from '../../core/simulation/ids';
import { planSimulation } from '../../core/simulation/plan';
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
import { wrapPositions } from '../../core/world/cells';
import type { Dimensions, RadiusRange, World } from '../../core/world/world';
import { permute, permuteSizes } from '../grid/gather';
import { buildGrid, type Grid } from '../grid/grid';
import { measureState } from '../measure/measure';
import { findPairs } from '../query/pairs';
import { fly } from './ccd';
import { integrate } from './integrate';
import { fileObstacles, type Obstacles } from './obstacles';
import { findPartners } from './partner';
import { pushApart, resolveContacts } from './resolve';

export class ReferenceSimulation implements ParticleSimulation {
  readonly backend = 'cpu';
  readonly dimensions: Dimensions;
  readonly world: World;
  readonly radius: number;
  readonly radiusRange: RadiusRange | undefined;
  readonly boxes: boolean;
  readonly capacity: number;
  readonly obstacleCapacity: number;
  readonly continuous: boolean;
  readonly longestStep: number;
  readonly exact = false;
  private lastCounts = NO_CONTINUOUS_COUNTS;
  private readonly diameter: number;
  private readonly allocator: IdAllocator;
  private currentSettings: Settings;
  private currentTime = 0;
  private grid: Grid;
  private given: StaticBodies;
  /** Undefined if `obstacleCapacity` is 0. */
  private obstacles: Obstacles | undefined;
  private destroyed = false;

  constructor(options: SimulationOptions) {
    const plan = planSimulation(options);
    if (plan.exact) throw new ArgumentError('exact', true, 'left out: the reference computes in floats');
    this.dimensions = plan.dimensions;
    this.world = plan.world;
    this.radius = plan.radius;
    this.radiusRange = plan.radiusRange;
    this.boxes = plan.boxes;
    this.capacity = plan.capacity;
    this.diameter = plan.diameter;
    this.currentSettings = plan.settings;
    this.allocator = new IdAllocator(plan.capacity, plan.defaultBox);
    const ids = this.allocator.take(plan.count);
    const positions = wrapPositions(this.world, plan.positions);
    this.grid = buildGrid(this.world, positions, plan.velocities, ids, plan);
    this.obstacleCapacity = plan.obstacleCapacity;
    this.continuous = plan.continuous;
    this.longestStep = plan.longestStep;
    this.given = plan.obstacles;
    this.obstacles = this.sortedObstacles();
  }

  get count(): number {
    return this.allocator.count;
  }

  get time(): number {
    return this.currentTime;
  }

  get settings(): Settings {
    return this.currentSettings;
  }

  get obstacleCount(): number {
    return this.given.positions.length / this.dimensions;
  }

  get warnings(): readonly string[] {
    return warningsOf(this, 1 / 60);
  }

  get memoryBytes(): number {
    const arrays = Object.values(this.grid).filter(ArrayBuffer.isView);
    return arrays.reduce((sum, array) => sum + array.byteLength, 0);
  }

  set(changes: SettingsOptions): void {
    this.checkAlive();
    this.currentSettings = resolveSettings(this.dimensions, this.currentSettings, changes);
  }

  step(dt: number): void {
    this.checkAlive();
    const { settings, world } = this;
    checkTimeStep(dt, this);
    if (dt === 0) return;
    const substep = deriveSubstep(world, this.diameter, settings, dt);
    for (let index = 0; index < settings.substeps; index++) {
      const moved = integrate(world, substep, this.grid);
      this.grid = buildGrid(world, moved.positions, moved.velocities, this.grid.ids, this.grid);
      if (this.continuous) this.fly(substep, index === 0);
      const partners = substep.restitution > 0 ? findPartners(world, substep, this.grid) : undefined;
      const resolved = resolveContacts(world, substep, this.grid, partners, this.obstacles);
      this.grid = { ...this.grid, ...resolved };
    }
    this.currentTime += dt;
  }

  advance(dt: number, most?: number): number {
    this.checkAlive();
    const limit = checkAdvance(this, dt, most);
    const { dimensions, grid, count, radius, settings } = this;
    const farthest = farthestWay(dimensions, grid, count, { gravity: settings.gravity, dt, radius });
    return stepAsFastAs(this, farthest, dt, limit);
  }

  continuousCounts(): ContinuousCounts {
    this.checkAlive();
    checkContinuous(this, 'continuousCounts');
    return this.lastCounts;
  }

  separate(rounds = 1): void {
    this.checkAlive();
    checkInteger('rounds', rounds, 1, MAX_ROUNDS);
    const substep = deriveSubstep(this.world, this.diameter, this.settings, 0);
    for (let round = 0; round < rounds; round++) {
      this.grid = this.freshGrid();
      const positions = pushApart(this.world, substep, this.grid, this.obstacles);
      this.grid = { ...this.grid, positions };
    }
  }

  add(particles: NewParticles): Uint32Array {
    this.checkAlive();
    const { world, grid } = this;
    const { ids, positions, velocities, ...sizes } = this.allocator.admit(this, particles);
    this.grid = buildGrid(
      world,
      concatenate(grid.positions, wrapPositions(world, positions)),
      concatenate(grid.velocities, velocities),
      concatenate(grid.ids, ids),
      concatenateSizes(grid, sizes),
    );
    return ids;
  }

  remove(ids: Uint32Array | readonly number[]): void {
    this.checkAlive();
    this.allocator.checkLiving('ids', ids);
    this.allocator.release(ids);
    const leaving = new Set(ids);
    this.load(slotsWhere(this.grid.ids, (id) => !leaving.has(id)));
  }

  setObstacles(obstacles: ObstaclesGiven): void {
    this.checkAlive();
    this.given = checkObstacles(obstacles, this, 'obstacles', this.allocator.defaultBox);
    this.obstacles = this.sortedObstacles();
  }

  private fly(substep: Substep, isFirst: boolean): void {
    const { positions, velocities, ...counts } = fly(this.world, substep, this.grid, this.obstacles);
    this.grid = buildGrid(this.world, positions, velocities, this.grid.ids, this.grid);
    this.lastCounts = addContinuousCounts(isFirst ? undefined : this.lastCounts, counts);
  }

  measure(): Measures {
    this.checkAlive();
    const { world, diameter, settings, obstacles } = this;
    return measureState(world, diameter, this.freshGrid(), settings.broadPhase, obstacles);
  }

  findPairs(): FoundPairs {
    this.checkAlive();
    const { borderline } = this.measure();
    return { ...findPairs(this.world, this.diameter, this.freshGrid()), borderline };
  }

  read(): ParticleArrays {
    this.checkAlive();
    const { ids } = this.grid;
    const order = slotsWhere(ids, () => true).sort((a, b) => (ids[a] as number) - (ids[b] as number));
    const { positions, velocities, ...sizes } = this.pick(order);
    return {
      ids: sizes.ids,
      positions,
      velocities,
      ...describeSizes(this.dimensions, sizes),
      ...(sizes.radii ? { loads: sizes.loads ?? new Float32Array(order.length) } : {}),
    };
  }

  checkpoint(): Checkpoint {
    return { ...describeSimulation(this, this.given), ...this.read() };
  }

  restore(checkpoint: Checkpoint): void {
    this.checkAlive();
    const settings = checkCheckpoint(checkpoint, this);
    const { ids, positions, velocities, ...sizes } = bodiesOf(checkpoint, this);
    this.grid = buildGrid(this.world, wrapPositions(this.world, positions), velocities, ids, sizes);
    this.allocator.replaceAll(ids);
    this.currentSettings = settings;
    this.currentTime = checkpoint.time;
    this.given = checkObstacles(obstaclesOf(checkpoint), this, 'checkpoint.obstacles');
    this.obstacles = this.sortedObstacles();
  }

  destroy(): void {
    this.destroyed = true;
  }

  /** Builds the grid again, because `grid` may still have the cells from before the last pass. */
  private freshGrid(): Grid {
    const { positions, velocities, ids } = this.grid;
    return buildGrid(this.world, positions, velocities, ids, this.grid);
  }

  private sortedObstacles(): Obstacles | undefined {
    return this.obstacleCapacity === 0 ? undefined : fileObstacles(this.world, this.given);
  }

  private load(slots: Uint32Array): void {
    const { ids, positions, velocities, ...sizes } = this.pick(slots);
    this.grid = buildGrid(this.world, positions, velocities, ids, sizes);
  }

  private pick(slots: Uint32Array): Bodies {
    const { ids, positions, velocities } = this.grid;
    return {
      ids: slots.map((slot) => ids[slot] as number),
      positions: permute(this.dimensions, positions, slots),
      velocities: permute(this.dimensions, velocities, slots),
      ...permuteSizes(this.dimensions, this.grid, slots),
    };
  }

  private checkAlive(): void {
    if (this.destroyed) throw new DestroyedError('simulation');
  }
}

function slotsWhere(ids: Uint32Array, keep: (id: number) => boolean): Uint32Array {
  const slots: number[] = [];
  for (let slot = 0; slot < ids.length; slot++) if (keep(ids[slot] as number)) slots.push(slot);
  return Uint32Array.from(slots);
}

function concatenateSizes(first: Sizes, second: Sizes): Sizes {
  const join = (name: keyof Sizes) => {
    const [one, two] = [first[name], second[name]];
    return one && two && concatenate(one, two);
  };
  const loads =
    first.loads && second.radii && concatenate(first.loads, new Float32Array(second.radii.length));
  return { radii: join('radii'), halves: join('halves'), bulks: join('bulks'), loads };
}

/** Copies bits, so that NaNs keep their payload. */
function concatenate<Kind extends Float32Array | Uint32Array>(first: Kind, second: Kind): Kind {
  const joined = new (first.constructor as new (length: number) => Kind)(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
