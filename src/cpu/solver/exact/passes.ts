/**
 * The passes of an exact simulation: whole numbers decide, floats only show the state and find candidates for contacts.
 * So the results depend neither on the order of particles nor on the device.
 */
import { type Settings, SubstepMemo } from '../../../core/contact/settings';
import { checkExactBodies, checkExactObstacles, toPosition, toVelocity } from '../../../core/exact/bodies';
import { wrapExactly } from '../../../core/exact/convert';
import { clamp } from '../../../core/exact/integers';
import { MOST_PUSH, type Quanta, within } from '../../../core/exact/quanta';
import { checkExactStep } from '../../../core/exact/step';
import { deriveExactSubstep, type ExactSubstep } from '../../../core/exact/substep';
import type { ObstaclesGiven } from '../../../core/obstacles/obstacles';
import type { ExactArrays } from '../../../core/simulation/simulation';
import type { Dimensions, World } from '../../../core/world/world';
import type { ParticleState, SlotPairs } from '../../shared/kernels';
import type { Response } from '../contact';
import { NO_CONTACT } from '../general-contact';
import type { ObstacleSearch } from '../obstacle-search';
import type { OverlapTest, SolverPasses } from '../passes';
import { findExactPartners, meetParticles, NO_OVERLAP, pushApartExactly, respondExactly } from './contact';
import { finishExactly, integrateExactly } from './motion';
import { ExactObstacles } from './obstacles';

const { fround } = Math;

export class ExactPasses implements SolverPasses {
  /** Number of steps so far. Decides the dither. */
  private steps = 0;
  private readonly memo: SubstepMemo;
  private readonly dimensions: Dimensions;
  private readonly obstacles: ExactObstacles | undefined;
  private substep: ExactSubstep;

  constructor(
    world: World,
    private readonly quanta: Quanta,
    settings: Settings,
    search: ObstacleSearch | undefined,
  ) {
    this.dimensions = world.dimensions;
    this.obstacles = search && new ExactObstacles(world.dimensions, quanta, search);
    this.memo = new SubstepMemo(world, quanta.length * quanta.diameter);
    this.substep = deriveExactSubstep(quanta, this.memo.derive(settings, 0), 0);
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

  checkStep(settings: Settings, dt: number): void {
    checkExactStep(dt, settings, this.quanta);
  }

  checkBodies(positions: Float32Array, velocities?: Float32Array): void {
    checkExactBodies(this.quanta, { positions, velocities }, this.dimensions);
  }

  checkObstacles(given: ObstaclesGiven, argument: string): void {
    checkExactObstacles(this.quanta, given, argument);
  }

  prepare(settings: Settings, dt: number): void {
    this.substep = deriveExactSubstep(this.quanta, this.memo.derive(settings, dt), this.steps);
  }

  take(state: ParticleState, first: number, end: number): void {
    const { dimensions, quanta } = this;
    for (let word = dimensions * first; word < dimensions * end; word++) {
      state.quanta[word] = toPosition(quanta, state.positions[word] as number, word % dimensions);
      state.rates[word] = toVelocity(quanta, state.velocities[word] as number);
    }
    this.wrapIn(state, first, end);
    this.publish(state, first, end);
  }

  takeObstacles(): void {
    this.obstacles?.load();
  }

  /** Returns the state in the order of `ids`, which are the ids of all particles. */
  read({ ids: stateIds, quanta, rates }: ParticleState, ids: Uint32Array): ExactArrays {
    const { dimensions } = this;
    const slotOf = new Map<number, number>();
    for (let slot = 0; slot < ids.length; slot++) slotOf.set(stateIds[slot] as number, slot);
    const positions = new Int32Array(dimensions * ids.length);
    const velocities = new Int32Array(dimensions * ids.length);
    ids.forEach((id, index) => {
      const first = dimensions * (slotOf.get(id) as number);
      positions.set(quanta.subarray(first, first + dimensions), dimensions * index);
      velocities.set(rates.subarray(first, first + dimensions), dimensions * index);
    });
    return { steps: this.steps, positions, velocities };
  }

  /** Continues from arrays in the order of slots. */
  restore(state: ParticleState, { steps, positions, velocities }: ExactArrays): void {
    this.steps = steps;
    state.quanta.set(positions);
    state.rates.set(velocities);
    this.wrapIn(state, 0, positions.length / this.dimensions);
    this.publish(state, 0, positions.length / this.dimensions);
  }

  endStep(): void {
    this.steps++;
  }

  publish(state: ParticleState, first: number, end: number): void {
    const { dimensions } = this;
    const { length } = this.quanta;
    this.showPositions(state, first, end);
    for (let word = dimensions * first; word < dimensions * end; word++) {
      state.velocities[word] = (state.rates[word] as number) * length;
    }
  }

  integrate(state: ParticleState, count: number): void {
    integrateExactly(this.dimensions, state, count, this.substep);
  }

  wrapIn({ quanta }: Pick<ParticleState, 'quanta'>, first: number, end: number): void {
    const { dimensions } = this;
    for (let axis = 0; axis < dimensions; axis++) {
      const period = this.quanta.period[axis] as number;
      if (period === 0) continue;
      for (let word = dimensions * first + axis; word < dimensions * end; word += dimensions) {
        quanta[word] = wrapExactly(quanta[word] as number, period);
      }
    }
  }

  findPartners(pairs: SlotPairs, state: ParticleState, response: Response): void {
    findExactPartners(pairs, state, response, this.substep);
  }

  respond(pairs: SlotPairs, state: ParticleState, response: Response): void {
    respondExactly(pairs, state, response, this.substep);
  }

  pushApart(pairs: SlotPairs, state: ParticleState, response: Response): void {
    pushApartExactly(pairs, state, response, this.substep);
  }

  pushApartFromObstacles(state: ParticleState, activeCount: number, response: Response): void {
    this.obstacles?.pushApart(state, activeCount, response, this.substep);
  }

  readonly overlapOf: OverlapTest = (_, state, a, b) => {
    const overlap = meetParticles(this.substep, this.dimensions, state, a, b);
    return overlap === NO_OVERLAP ? NO_CONTACT : overlap * this.quanta.length;
  };

  finish(state: ParticleState, activeCount: number, response: Response): void {
    finishExactly(this.dimensions, state, activeCount, response, this.substep, this.obstacles);
    this.wrapIn(state, 0, activeCount);
  }

  finishPushApart(state: ParticleState, activeCount: number, { pushes }: Response): void {
    const { dimensions, substep } = this;
    const { lower, upper, walls } = substep;
    for (let word = 0; word < dimensions * activeCount; word++) {
      const axis = word % dimensions;
      const position = within((state.quanta[word] as number) + clamp(pushes[word] as number, MOST_PUSH));
      pushes[word] = 0;
      state.quanta[word] = walls
        ? Math.min(Math.max(position, lower[axis] as number), upper[axis] as number)
        : position;
    }
    this.wrapIn(state, 0, activeCount);
    this.publish(state, 0, activeCount);
  }

  countOutside({ quanta }: ParticleState, activeCount: number): number {
    const { dimensions } = this;
    const { extent } = this.quanta;
    let outside = 0;
    for (let first = 0; first < dimensions * activeCount; first += dimensions) {
      const position = quanta.subarray(first, first + dimensions);
      if (position.some((at, axis) => at < 0 || at > (extent[axis] as number))) outside++;
    }
    return outside;
  }

  countObstacleContacts(state: ParticleState, activeCount: number): number {
    return this.obstacles?.countContacts(state, activeCount, this.substep) ?? 0;
  }

  private showPositions({ positions, quanta }: ParticleState, first: number, end: number): void {
    const { dimensions } = this;
    const { origin, length } = this.quanta;
    for (let axis = 0; axis < dimensions; axis++) {
      const low = origin[axis] as number;
      for (let word = dimensions * first + axis; word < dimensions * end; word += dimensions) {
        positions[word] = fround(low + (quanta[word] as number) * length);
      }
    }
  }
}
