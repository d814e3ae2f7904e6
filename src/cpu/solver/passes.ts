/** The passes of a substep, for CpuSimulation. FloatPasses compute in floats, ExactPasses in whole numbers. */
import { type Settings, type Substep, SubstepMemo } from '../../core/contact/settings';
import type { ObstaclesGiven } from '../../core/obstacles/obstacles';
import type { Dimensions, World } from '../../core/world/world';
import type { ParticleState, SlotPairs } from '../shared/kernels';
import type { Lattice } from '../shared/lattice';
import { wrapIn } from '../shared/overlap';
import type { ContactKernels, Response } from './contact';
import { finish, finishPushApart } from './finish';
import { meetShapes, pushApart } from './general-contact';
import { integrate } from './integrate';
import type { Obstacles } from './obstacles';

/** `activeCount` is the number of particles that are not quarantined; they have the first slots. */
export interface SolverPasses {
  /** The last time step above 0, in seconds; 1/60 before the first. */
  readonly step: number;
  /** True if contacts may bounce in this substep. */
  readonly bounces: boolean;
  readonly restSpeed: number;
  /** Throws if these passes cannot take such a step. */
  checkStep(settings: Settings, dt: number): void;
  /** Throws if these passes cannot hold such bodies. */
  checkBodies(positions: Float32Array, velocities?: Float32Array): void;
  /** Throws if these passes cannot hold such obstacles. Error messages call them `argument`. */
  checkObstacles(given: ObstaclesGiven, argument: string): void;
  /** Derives the numbers that later calls use. `dt` is the time of a whole step. */
  prepare(settings: Settings, dt: number): void;
  /** Takes over the positions and velocities that the caller has written to some slots. */
  take(state: ParticleState, first: number, end: number): void;
  /** Takes over the obstacles that the search has loaded. */
  takeObstacles(): void;
  /** Writes the positions and velocities that callers see. */
  publish(state: ParticleState, first: number, end: number): void;
  /** Call this after the last substep of a step. */
  endStep(): void;
  integrate(state: ParticleState, count: number): void;
  wrapIn(state: ParticleState, first: number, end: number): void;
  findPartners(pairs: SlotPairs, state: ParticleState, response: Response): void;
  respond(pairs: SlotPairs, state: ParticleState, response: Response): void;
  /** Applies the response to the particles, then obstacles and walls. */
  finish(state: ParticleState, activeCount: number, response: Response): void;
  pushApart(pairs: SlotPairs, state: ParticleState, response: Response): void;
  pushApartFromObstacles(state: ParticleState, activeCount: number, response: Response): void;
  finishPushApart(state: ParticleState, activeCount: number, response: Response): void;
  /** Returns the overlap of two slots (a length) or NO_CONTACT. Undefined if searches find only pairs that overlap. */
  readonly overlapOf: OverlapTest | undefined;
  countObstacleContacts(state: ParticleState, activeCount: number): number;
}

export type OverlapTest = (lattice: Lattice, state: ParticleState, a: number, b: number) => number;

export class FloatPasses implements SolverPasses {
  substep: Substep;
  readonly overlapOf: OverlapTest | undefined;
  private readonly memo: SubstepMemo;
  private readonly dimensions: Dimensions;
  private readonly wraps: boolean;

  constructor(
    private readonly world: World,
    diameter: number,
    settings: Settings,
    private readonly contact: ContactKernels,
    private readonly obstacles: Obstacles | undefined,
  ) {
    this.memo = new SubstepMemo(world, diameter);
    this.substep = this.memo.derive(settings, 0);
    this.dimensions = world.dimensions;
    this.wraps = world.kind === 'periodic';
    if (world.boxes) this.overlapOf = meetShapes;
  }

  get step(): number {
    return this.memo.step;
  }

  get bounces(): boolean {
    return this.substep.restitution > 0;
  }

  get restSpeed(): number {
    return this.substep.restSpeed;
  }

  checkStep(): void {}

  checkBodies(): void {}

  checkObstacles(): void {}

  prepare(settings: Settings, dt: number): void {
    this.substep = this.memo.derive(settings, dt);
  }

  take(state: ParticleState, first: number, end: number): void {
    this.wrapIn(state, first, end);
  }

  takeObstacles(): void {}

  publish(): void {}

  endStep(): void {}

  integrate(state: ParticleState, count: number): void {
    integrate(this.dimensions, state, 0, count, this.substep);
    this.wrapIn(state, 0, count);
  }

  wrapIn(state: ParticleState, first: number, end: number): void {
    if (this.wraps) wrapIn(this.world, state.positions, first, end);
  }

  findPartners(pairs: SlotPairs, state: ParticleState, response: Response): void {
    this.contact.findPartners(pairs, state, response, this.substep);
  }

  respond(pairs: SlotPairs, state: ParticleState, response: Response): void {
    this.contact.respond(pairs, state, response, this.substep);
  }

  finish(state: ParticleState, activeCount: number, response: Response): void {
    finish(this.dimensions, state, 0, activeCount, response, this.substep, this.obstacles);
    this.wrapIn(state, 0, activeCount);
  }

  pushApart(pairs: SlotPairs, state: ParticleState, response: Response): void {
    pushApart(pairs, state, response, this.substep);
  }

  pushApartFromObstacles(state: ParticleState, activeCount: number, response: Response): void {
    this.obstacles?.pushApart(state, activeCount, response, this.substep);
  }

  finishPushApart(state: ParticleState, activeCount: number, response: Response): void {
    finishPushApart(state, activeCount, response, this.substep);
    this.wrapIn(state, 0, activeCount);
  }

  countObstacleContacts(state: ParticleState, activeCount: number): number {
    return this.obstacles?.countContacts(state, activeCount) ?? 0;
  }
}
