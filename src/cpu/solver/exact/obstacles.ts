/**
 * The contact law of exact simulations for particles and obstacles: ../obstacles.ts in whole numbers. The search by floats
 * only names candidates.
 */
import { BOUNCE_PUSH, SPREADING, STOP_SUBSTEPS } from '../../../core/base/constants';
import { toExactObstacles } from '../../../core/exact/convert';
import { clamp, dot, factorOf, lengthOf, ONE, ratio, scale, share } from '../../../core/exact/integers';
import { directionOf, freePush, grip, pushChange } from '../../../core/exact/law';
import { MOST_CHANGE, type Quanta } from '../../../core/exact/quanta';
import type { ExactSubstep } from '../../../core/exact/substep';
import type { Dimensions } from '../../../core/world/world';
import type { ParticleState } from '../../shared/kernels';
import type { Response } from '../contact';
import type { ObstacleSearch } from '../obstacle-search';
import { compareExactly, exactNormal, meetExactly, NO_OVERLAP } from './contact';

const WHOLE_BOUNCE_PUSH = factorOf(BOUNCE_PUSH);
const WHOLE_SPREADING = factorOf(SPREADING);

/** The overlaps of one particle: per obstacle, four numbers (overlap and normal). */
const found = { slots: [] as number[], values: [] as number[] };

export class ExactObstacles {
  private quanta: Int32Array = new Int32Array(0);

  constructor(
    private readonly dimensions: Dimensions,
    private readonly units: Quanta,
    private readonly search: ObstacleSearch,
  ) {}

  /** Call after the search has loaded obstacles. */
  load(): void {
    this.quanta = toExactObstacles(this.units, this.search.bodies.positions);
  }

  findPartners(state: ParticleState, activeCount: number, response: Response, substep: ExactSubstep): void {
    if (this.quanta.length === 0) return;
    const { dimensions } = this;
    const { approaches, partners } = response;
    for (let slot = 0; slot < activeCount; slot++) {
      this.find(state, slot, substep);
      for (let index = 0; index < found.slots.length; index++) {
        const approach = this.approachOf(state, slot, index);
        const partner = partners[slot] as number;
        const obstacle = found.slots[index] as number;
        if (approach > (approaches[slot] as number)) continue;
        const isTie = approach === approaches[slot];
        // Obstacles at the same position are interchangeable.
        if (isTie && (partner > -2 || compareExactly(this.quanta, dimensions, obstacle, -2 - partner) >= 0))
          continue;
        approaches[slot] = approach;
        partners[slot] = -2 - obstacle;
      }
    }
  }

  respond(state: ParticleState, activeCount: number, response: Response, substep: ExactSubstep): void {
    if (this.quanta.length === 0) return;
    const { dimensions } = this;
    const { dt, friction, gripShare, pushRate, mostOverlap, halfRelaxation, restSpeed, kickSpeed, meanGain } =
      substep;
    const { restitution, rebound } = substep;
    const { pushes, changes, supports, bearings, closings, deepest, partners } = response;
    const press = [0, 0, 0];
    const velocity = [0, 0, 0];
    const pushSum = [0, 0, 0];
    const changeSum = [0, 0, 0];
    const bounceSum = [0, 0, 0];
    const supportSum = [0, 0, 0];
    const sliding = [0, 0, 0];
    for (let slot = 0; slot < activeCount; slot++) {
      this.find(state, slot, substep);
      const { slots, values } = found;
      if (slots.length === 0) continue;
      const first = dimensions * slot;
      for (let axis = 0; axis < dimensions; axis++) {
        press[axis] = clamp(changes[first + axis] as number, MOST_CHANGE);
        velocity[axis] = state.rates[first + axis] as number;
      }
      for (const sum of [pushSum, changeSum, bounceSum, supportSum]) sum.fill(0);
      let bearing = 0;
      let isStopped = false;
      let deepestOverlap = 0;
      let sumOfOverlaps = 0;
      for (let index = 0; index < slots.length; index++) {
        const overlap = values[4 * index] as number;
        const x = values[4 * index + 1] as number;
        const y = values[4 * index + 2] as number;
        const z = values[4 * index + 3] as number;
        deepestOverlap = Math.max(deepestOverlap, overlap);
        sumOfOverlaps = Math.min(sumOfOverlaps + overlap, MOST_CHANGE);
        const approach = dotWith(velocity, x, y, z);
        const bounces = restitution > 0 && partners[slot] === -2 - (slots[index] as number);
        const isImpact = approach < -restSpeed && overlap < STOP_SUBSTEPS * scale(-approach, dt);
        const stops = restitution === 0 && isImpact && 2 * dotWith(press, x, y, z) > approach;
        const isSpring = !bounces && !stops;
        const spring = scale(overlap, isSpring ? 2 * halfRelaxation : WHOLE_BOUNCE_PUSH);
        const pushVelocity = 2 * scale(Math.min(overlap, mostOverlap), pushRate);
        const change = isSpring
          ? pushChange(pushVelocity, approach, approach, substep)
          : scale(-approach, rebound);
        const moved = scale(change, dt);
        const push = isSpring ? moved + freePush(spring, moved, overlap) : spring;
        // Leaves out the velocity that gravity adds in a substep, because static friction acts on it.
        for (let axis = 0; axis < dimensions; axis++) {
          sliding[axis] = (velocity[axis] as number) - (meanGain[axis] as number);
        }
        const along = dotWith(sliding, x, y, z);
        for (let axis = 0; axis < dimensions; axis++) {
          sliding[axis] = (sliding[axis] as number) - share(along, values[4 * index + 1 + axis] as number);
        }
        const speed = lengthOf(sliding[0] as number, sliding[1] as number, sliding[2] as number);
        const gripped = scale(speed, 2 * gripShare);
        const mostGrip = grip(change, friction);
        for (let axis = 0; axis < dimensions; axis++) {
          const slide = sliding[axis] as number;
          const brake =
            mostGrip >= gripped ? scale(slide, 2 * gripShare) : share(mostGrip, directionOf(slide, speed));
          const normal = values[4 * index + 1 + axis] as number;
          const changed = share(change, normal) - brake;
          pushSum[axis] = (pushSum[axis] as number) + share(push, normal) - (bounces ? 0 : scale(brake, dt));
          const sum = bounces ? bounceSum : changeSum;
          sum[axis] = (sum[axis] as number) + changed;
          if (!bounces) supportSum[axis] = (supportSum[axis] as number) + share(change, normal);
        }
        const closing = bounces
          ? lengthOf(bounceSum[0] as number, bounceSum[1] as number, bounceSum[2] as number)
          : scale(-approach, WHOLE_SPREADING);
        if (closing > kickSpeed) closings[slot] = Math.max(closings[slot] as number, closing);
        if (bounces) continue;
        isStopped ||= stops;
        bearing += change;
      }
      deepest[slot] = Math.max(deepest[slot] as number, deepestOverlap);
      const part = ratio(deepestOverlap, sumOfOverlaps);
      for (const sum of [pushSum, changeSum, supportSum]) {
        for (let axis = 0; axis < dimensions; axis++) {
          sum[axis] = share(clamp(sum[axis] as number, MOST_CHANGE), part);
        }
      }
      const stop = isStopped ? stopFraction(velocity, changeSum) : ONE;
      for (let axis = 0; axis < dimensions; axis++) {
        const total = share(changeSum[axis] as number, stop) + (bounceSum[axis] as number);
        changes[first + axis] = (changes[first + axis] as number) + total;
        // The velocity moves the particle by dt times its change, so `pushes` gets the rest.
        const moved = (pushSum[axis] as number) - scale(clamp(total, MOST_CHANGE), dt);
        pushes[first + axis] = (pushes[first + axis] as number) + moved;
        supports[first + axis] = (supports[first + axis] as number) + share(supportSum[axis] as number, stop);
      }
      bearings[slot] = (bearings[slot] as number) + share(share(clamp(bearing, MOST_CHANGE), part), stop);
    }
  }

  pushApart(state: ParticleState, activeCount: number, { pushes }: Response, substep: ExactSubstep): void {
    if (this.quanta.length === 0) return;
    const { dimensions } = this;
    const pushSum = [0, 0, 0];
    for (let slot = 0; slot < activeCount; slot++) {
      this.find(state, slot, substep);
      const { slots, values } = found;
      if (slots.length === 0) continue;
      pushSum.fill(0);
      let deepest = 0;
      let sumOfOverlaps = 0;
      for (let index = 0; index < slots.length; index++) {
        const overlap = values[4 * index] as number;
        deepest = Math.max(deepest, overlap);
        sumOfOverlaps = Math.min(sumOfOverlaps + overlap, MOST_CHANGE);
        const push = scale(overlap, 2 * substep.halfRelaxation);
        for (let axis = 0; axis < dimensions; axis++) {
          pushSum[axis] = (pushSum[axis] as number) + share(push, values[4 * index + 1 + axis] as number);
        }
      }
      const part = ratio(deepest, sumOfOverlaps);
      for (let axis = 0; axis < dimensions; axis++) {
        const word = dimensions * slot + axis;
        pushes[word] = (pushes[word] as number) + share(clamp(pushSum[axis] as number, MOST_CHANGE), part);
      }
    }
  }

  countContacts(state: ParticleState, activeCount: number, substep: ExactSubstep): number {
    if (this.quanta.length === 0) return 0;
    let contacts = 0;
    for (let slot = 0; slot < activeCount; slot++) {
      this.find(state, slot, substep);
      contacts += found.slots.length;
    }
    return contacts;
  }

  /** Lists the obstacles that overlap a particle in `found`. */
  private find(state: ParticleState, slot: number, substep: ExactSubstep): void {
    const { dimensions, quanta } = this;
    const { count, obstacles } = this.search.find(state, slot);
    found.slots.length = 0;
    found.values.length = 0;
    for (let index = 0; index < count; index++) {
      const obstacle = obstacles[index] as number;
      const overlap = meetExactly(substep, dimensions, state.quanta, slot, quanta, obstacle, false, 1);
      if (overlap === NO_OVERLAP) continue;
      found.slots.push(obstacle);
      found.values.push(
        overlap,
        exactNormal[0] as number,
        exactNormal[1] as number,
        exactNormal[2] as number,
      );
    }
  }

  private approachOf({ rates }: ParticleState, slot: number, index: number): number {
    const { dimensions } = this;
    const at = dimensions * slot;
    return dot(
      rates[at] as number,
      rates[at + 1] as number,
      dimensions === 3 ? (rates[at + 2] as number) : 0,
      found.values[4 * index + 1] as number,
      found.values[4 * index + 2] as number,
      found.values[4 * index + 3] as number,
    );
  }
}

function dotWith([a = 0, b = 0, c = 0]: readonly number[], x: number, y: number, z: number): number {
  return dot(a, b, c, x, y, z);
}

/**
 * Returns the fraction of a change that is kept so that obstacles that stop a particle do not reverse its velocity:
 * stopFactor of core/contact/law.ts.
 */
function stopFraction(velocity: readonly number[], [x = 0, y = 0, z = 0]: readonly number[]): number {
  const size = lengthOf(x, y, z);
  if (size === 0) return ONE;
  const against = -dotWith(velocity, directionOf(x, size), directionOf(y, size), directionOf(z, size));
  return ratio(Math.min(Math.max(0, against), size), size);
}
