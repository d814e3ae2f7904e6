/**
 * The passes of an exact simulation: whole numbers decide, floats only show the state and find candidates for contacts.
 * So the results depend neither on the order of particles nor on the device.
 */
import { DEEP } from '../../../core/base/constants';
import { type Settings, SubstepMemo } from '../../../core/contact/settings';
import { checkExactBodies, checkExactObstacles, toPosition, toVelocity } from '../../../core/exact/bodies';
import { wrapExactly } from '../../../core/exact/convert';
import { clamp, lengthOf, scale, share } from '../../../core/exact/integers';
import { directionOf, grip, held, holdByFriction, keptShare } from '../../../core/exact/law';
import { FASTEST, MOST_CHANGE, MOST_PUSH, type Quanta, REACH } from '../../../core/exact/quanta';
import { checkExactStep } from '../../../core/exact/step';
import { DITHERS, deriveExactSubstep, type ExactSubstep } from '../../../core/exact/substep';
import type { ObstaclesGiven } from '../../../core/obstacles/obstacles';
import type { ExactArrays } from '../../../core/simulation/simulation';
import type { Dimensions, World } from '../../../core/world/world';
import type { ParticleState, SlotPairs } from '../../shared/kernels';
import type { Response } from '../contact';
import { NO_CONTACT } from '../general-contact';
import type { ObstacleSearch } from '../obstacle-search';
import type { OverlapTest, SolverPasses } from '../passes';
import { findExactPartners, meetParticles, NO_OVERLAP, pushApartExactly, respondExactly } from './contact';
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

  /** Returns the state in the order of `ids`, which are ascending. */
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
    const { dimensions, substep } = this;
    const { dt, gained } = substep;
    const { quanta, rates } = state;
    const dither = substep.dither / DITHERS;
    for (let axis = 0; axis < dimensions; axis++) {
      const gain = gained[axis] as number;
      for (let word = axis; word < dimensions * count; word += dimensions) {
        const rate = clamp((rates[word] as number) + gain, FASTEST);
        rates[word] = rate;
        quanta[word] = within((quanta[word] as number) + Math.floor(rate * dt + dither));
      }
    }
    this.wrapIn(state, 0, count);
    this.showPositions(state, 0, count);
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

  findObstaclePartners(state: ParticleState, activeCount: number, response: Response): void {
    this.obstacles?.findPartners(state, activeCount, response, this.substep);
  }

  respond(pairs: SlotPairs, state: ParticleState, response: Response): void {
    respondExactly(pairs, state, response, this.substep);
  }

  respondToObstacles(state: ParticleState, activeCount: number, response: Response): void {
    this.obstacles?.respond(state, activeCount, response, this.substep);
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

  finish({ quanta, rates }: ParticleState, activeCount: number, response: Response): void {
    const { dimensions, substep } = this;
    const is3D = dimensions === 3;
    const { pushes, changes, supports, bearings, closings, deepest } = response;
    const { dt, friction, meanGain, walls, lower, upper } = substep;
    const gain = Float64Array.of(...meanGain, 0);
    const shallow = this.quanta.diameter / DEEP;
    for (let slot = 0; slot < activeCount; slot++) {
      const first = dimensions * slot;
      let changeX = clamp(changes[first] as number, MOST_CHANGE);
      let changeY = clamp(changes[first + 1] as number, MOST_CHANGE);
      let changeZ = is3D ? clamp(changes[first + 2] as number, MOST_CHANGE) : 0;
      let supportX = clamp(supports[first] as number, MOST_CHANGE);
      let supportY = clamp(supports[first + 1] as number, MOST_CHANGE);
      let supportZ = is3D ? clamp(supports[first + 2] as number, MOST_CHANGE) : 0;
      let bearing = clamp(bearings[slot] as number, MOST_CHANGE);
      let pushX = clamp(pushes[first] as number, MOST_PUSH);
      let pushY = clamp(pushes[first + 1] as number, MOST_PUSH);
      let pushZ = is3D ? clamp(pushes[first + 2] as number, MOST_PUSH) : 0;
      changes[first] = 0;
      changes[first + 1] = 0;
      supports[first] = 0;
      supports[first + 1] = 0;
      pushes[first] = 0;
      pushes[first + 1] = 0;
      if (is3D) {
        changes[first + 2] = 0;
        supports[first + 2] = 0;
        pushes[first + 2] = 0;
      }
      bearings[slot] = 0;
      const depth = deepest[slot] as number;
      const closing = closings[slot] as number;
      deepest[slot] = 0;
      closings[slot] = 0;
      if (depth > shallow) {
        const kept = keptShare(lengthOf(changeX, changeY, changeZ), closing, depth, substep);
        // The limit acts on the velocity alone.
        pushX += scale(changeX, dt);
        pushY += scale(changeY, dt);
        pushZ += scale(changeZ, dt);
        changeX = share(changeX, kept);
        changeY = share(changeY, kept);
        changeZ = share(changeZ, kept);
        pushX -= scale(changeX, dt);
        pushY -= scale(changeY, dt);
        pushZ -= scale(changeZ, dt);
        supportX = share(supportX, kept);
        supportY = share(supportY, kept);
        supportZ = share(supportZ, kept);
        bearing = share(bearing, kept);
      }
      if (
        bearing > 0 &&
        holdByFriction(changeX, changeY, changeZ, supportX, supportY, supportZ, gain, bearing, friction)
      ) {
        const heldX = held[0] as number;
        const heldY = held[1] as number;
        const heldZ = held[2] as number;
        changeX -= heldX;
        changeY -= heldY;
        changeZ -= heldZ;
      }
      const x = this.turn(quanta, rates, first, changeX, pushX);
      const y = this.turn(quanta, rates, first + 1, changeY, pushY);
      const z = is3D ? this.turn(quanta, rates, first + 2, changeZ, pushZ) : 0;
      const isOut =
        x < (lower[0] as number) ||
        x > (upper[0] as number) ||
        y < (lower[1] as number) ||
        y > (upper[1] as number) ||
        (is3D && (z < (lower[2] as number) || z > (upper[2] as number)));
      if (walls && isOut) this.meetWalls(quanta, rates, first);
    }
    this.wrapIn({ quanta }, 0, activeCount);
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

  /**
   * Changes a component of a velocity, and replaces the motion in this substep by that of the new velocity. So a body
   * that a contact stops is where it was, to the quantum. Returns its position.
   */
  private turn(quanta: Int32Array, rates: Int32Array, word: number, change: number, push: number): number {
    const { dt } = this.substep;
    const dither = this.substep.dither / DITHERS;
    const rate = rates[word] as number;
    const turned = clamp(rate + change, FASTEST);
    const moved = Math.floor(turned * dt + dither) - Math.floor(rate * dt + dither);
    const position = within((quanta[word] as number) + moved + push);
    rates[word] = turned;
    quanta[word] = position;
    return position;
  }

  private meetWalls(quanta: Int32Array, rates: Int32Array, first: number): void {
    const { dimensions, substep } = this;
    const { lower, upper } = substep;
    for (let axis = 0; axis < dimensions; axis++) {
      const position = quanta[first + axis] as number;
      const low = lower[axis] as number;
      const high = upper[axis] as number;
      if (position < low) this.meetWall(quanta, rates, first, axis, low, 1);
      else if (position > high) this.meetWall(quanta, rates, first, axis, high, -1);
    }
    for (let axis = 0; axis < dimensions; axis++) {
      const position = quanta[first + axis] as number;
      // Friction at one wall may have moved the particle past another.
      quanta[first + axis] = Math.min(Math.max(position, lower[axis] as number), upper[axis] as number);
    }
  }

  private meetWall(
    quanta: Int32Array,
    rates: Int32Array,
    first: number,
    axis: number,
    limit: number,
    inward: number,
  ): void {
    const { dimensions } = this;
    const { restSpeed, rebound, restitution, wallRate, mostDepth, friction } = this.substep;
    const depth = inward * (limit - (quanta[first + axis] as number));
    quanta[first + axis] = limit;
    const approach = inward * (rates[first + axis] as number);
    if (approach >= 0) return;
    const bounces = restitution > 0 && approach < -restSpeed;
    // A depth is rounded up, so that a wall stops what gravity pressed into it in this substep.
    const change = bounces
      ? scale(-approach, rebound)
      : Math.min(scale(Math.min(depth + 1, mostDepth), wallRate), -approach);
    rates[first + axis] = 0;
    const sliding = lengthOf(
      rates[first] as number,
      rates[first + 1] as number,
      dimensions === 3 ? (rates[first + 2] as number) : 0,
    );
    rates[first + axis] = inward * (approach + change);
    if (sliding === 0) return;
    const mostGrip = grip(change, friction);
    for (let along = 0; along < dimensions; along++) {
      if (along === axis) continue;
      const rate = rates[first + along] as number;
      const taken = mostGrip >= sliding ? rate : share(mostGrip, directionOf(rate, sliding));
      if (bounces) rates[first + along] = rate - taken;
      else this.turn(quanta, rates, first + along, -taken, 0);
    }
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

function within(position: number): number {
  return position < -REACH ? -REACH : position >= REACH ? REACH - 1 : position;
}
