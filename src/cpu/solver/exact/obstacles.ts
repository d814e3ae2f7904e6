/**
 * The contact law of exact simulations for particles and obstacles: ../obstacles.ts in whole numbers. The search by
 * floats only names candidates.
 */
import { toExactObstacles, wrapExactly } from '../../../core/exact/convert';
import { clamp, dot, lengthOf, ratio, round, scale, share } from '../../../core/exact/integers';
import { directionOf, MOST_LOADED, obstacleChange, pressureOf, wallChange } from '../../../core/exact/law';
import { FASTEST, MOST_CHANGE, type Quanta, within } from '../../../core/exact/quanta';
import type { ExactSubstep } from '../../../core/exact/substep';
import type { Dimensions } from '../../../core/world/world';
import type { ParticleState } from '../../shared/kernels';
import type { Response } from '../contact';
import type { ObstacleSearch } from '../obstacle-search';
import { pressing, scratchSliding } from '../walls';
import { exactNormal, meetExactly, NO_OVERLAP } from './contact';

/** How many leading bits of a sum of changes decide its direction. */
const SUM_BITS = 28;

/** The overlaps of one particle: per obstacle, four numbers (overlap and normal). */
const found = { count: 0, values: [] as number[] };

/** Scratch arrays of `meet` and `pushApart`. */
const velocity = new Float64Array(3);
const pushSum = new Float64Array(3);
const changeSum = new Float64Array(3);
const normal = new Float64Array(3);
const moved = new Float64Array(3);

export class ExactObstacles {
  private quanta: Int32Array = new Int32Array(0);
  /** The particle's position, wrapped into the world. */
  private readonly place = new Int32Array(3);

  constructor(
    private readonly dimensions: Dimensions,
    private readonly units: Quanta,
    private readonly search: ObstacleSearch,
  ) {}

  get count(): number {
    return this.quanta.length / this.dimensions;
  }

  /** Call after the search has loaded obstacles. */
  load(): void {
    this.quanta = toExactObstacles(this.units, this.search.bodies.positions);
  }

  /**
   * Lets the obstacles act on a particle after it has moved. `rubExactly` applies their friction later. The position of
   * the particle must be within REACH. Also writes the float position, by which the search finds candidates.
   */
  meet(state: ParticleState, slot: number, substep: ExactSubstep): void {
    const { dimensions, place } = this;
    const { quanta, rates, positions } = state;
    const { origin, length, period } = this.units;
    const first = dimensions * slot;
    for (let axis = 0; axis < dimensions; axis++) {
      const at = wrapExactly(quanta[first + axis] as number, period[axis] as number);
      place[axis] = at;
      positions[first + axis] = (origin[axis] as number) + at * length;
    }
    this.find(state, slot, place, 0, substep);
    if (found.count === 0) return;
    const { restitution, restSpeed, rebound, dt, motionOffset } = substep;
    const { values } = found;
    for (let axis = 0; axis < dimensions; axis++) velocity[axis] = rates[first + axis] as number;
    pushSum.fill(0);
    changeSum.fill(0);
    let sumOfOverlaps = 0;
    // The number of obstacles that press on the particle, and the sum of the lengths of their changes.
    let pressingCount = 0;
    let total = 0;
    let greatest = 0;
    let isBounce = false;
    let deepest = 0;
    for (let index = 0; index < found.count; index++)
      deepest = Math.max(deepest, values[4 * index] as number);
    for (let index = 0; index < found.count; index++) {
      const overlap = values[4 * index] as number;
      sumOfOverlaps = Math.min(sumOfOverlaps + overlap, MOST_CHANGE);
      const x = values[4 * index + 1] as number;
      const y = values[4 * index + 2] as number;
      const z = values[4 * index + 3] as number;
      addShares(pushSum, overlap, x, y, z);
      const approach = along(velocity, x, y, z);
      if (approach >= 0) continue;
      const bounces = restitution > 0 && approach < -restSpeed;
      if (bounces ? overlap < deepest : isBounce) continue;
      if (bounces && !isBounce) {
        // If an obstacle bounces the particle, the changes by obstacles that do not bounce it no longer count.
        changeSum.fill(0);
        [total, greatest, pressingCount, isBounce] = [0, 0, 0, true];
      }
      const change = wallChange(overlap, approach, bounces, substep);
      addShares(changeSum, change, x, y, z);
      total += change;
      greatest = Math.max(greatest, change);
      pressingCount++;
      normal[0] = x;
      normal[1] = y;
      normal[2] = z;
    }
    const part = ratio(deepest, sumOfOverlaps);
    for (let axis = 0; axis < dimensions; axis++) {
      pushSum[axis] = share(clamp(pushSum[axis] as number, MOST_CHANGE), part);
    }
    let change = greatest;
    let pressure = greatest;
    if (pressingCount > 1) {
      const fraction = setCommonNormal(total);
      const approach = Math.min(0, alongNormal(velocity));
      change = obstacleChange(greatest, fraction, isBounce ? scale(-approach, rebound) : -approach);
      pressure = change > 0 ? pressureOf(change, fraction) : 0;
    }
    if (change > 0) {
      const approach = alongNormal(velocity);
      pressing.sum = Math.min(pressure, MOST_LOADED);
      pressing.isBounce = isBounce;
      for (let axis = 0; axis < dimensions; axis++) {
        const rate = velocity[axis] as number;
        scratchSliding[axis] = rate - share(approach, normal[axis] as number);
        const turned = clamp(rate + share(change, normal[axis] as number), FASTEST);
        rates[first + axis] = turned;
        moved[axis] = round(turned * dt + motionOffset) - round(rate * dt + motionOffset);
      }
      if (!isBounce) {
        // Replaces the motion in this substep by that of the new velocity, without `kept`: the part along the normal
        // that the push already has. So a body that one obstacle stops is back where it was before the substep, or
        // farther out if it overlapped the obstacle there.
        const back = alongNormal(moved);
        const kept = sumOfOverlaps === deepest ? Math.min(back, deepest) : back;
        for (let axis = 0; axis < dimensions; axis++) {
          const rest = (moved[axis] as number) - share(kept, normal[axis] as number);
          pushSum[axis] = (pushSum[axis] as number) + rest;
        }
      }
    }
    for (let axis = 0; axis < dimensions; axis++) {
      quanta[first + axis] = within((quanta[first + axis] as number) + (pushSum[axis] as number));
    }
  }

  pushApart(state: ParticleState, activeCount: number, { pushes }: Response, substep: ExactSubstep): void {
    if (this.quanta.length === 0) return;
    const { dimensions } = this;
    for (let slot = 0; slot < activeCount; slot++) {
      this.find(state, slot, state.quanta, slot, substep);
      const { count, values } = found;
      if (count === 0) continue;
      pushSum.fill(0);
      let deepest = 0;
      let sumOfOverlaps = 0;
      for (let index = 0; index < count; index++) {
        const overlap = values[4 * index] as number;
        deepest = Math.max(deepest, overlap);
        sumOfOverlaps = Math.min(sumOfOverlaps + overlap, MOST_CHANGE);
        const push = scale(overlap, 2 * substep.halfRelaxation);
        const first = 4 * index;
        addShares(
          pushSum,
          push,
          values[first + 1] as number,
          values[first + 2] as number,
          values[first + 3] as number,
        );
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
      this.find(state, slot, state.quanta, slot, substep);
      contacts += found.count;
    }
    return contacts;
  }

  /** Lists in `found` the obstacles that overlap the particle. `index` is the particle's index in `positions`. */
  private find(
    state: ParticleState,
    slot: number,
    positions: Int32Array,
    index: number,
    substep: ExactSubstep,
  ): void {
    const { dimensions, quanta } = this;
    const { count, obstacles } = this.search.find(state, slot);
    const { values } = found;
    found.count = 0;
    for (let candidate = 0; candidate < count; candidate++) {
      const obstacle = obstacles[candidate] as number;
      const overlap = meetExactly(substep, dimensions, positions, index, quanta, obstacle, false, 1);
      if (overlap === NO_OVERLAP) continue;
      const first = 4 * found.count;
      values[first] = overlap;
      values[first + 1] = exactNormal[0] as number;
      values[first + 2] = exactNormal[1] as number;
      values[first + 3] = exactNormal[2] as number;
      found.count++;
    }
  }
}

function along(vector: Float64Array, x: number, y: number, z: number): number {
  return dot(vector[0] as number, vector[1] as number, vector[2] as number, x, y, z);
}

function alongNormal(vector: Float64Array): number {
  return along(vector, normal[0] as number, normal[1] as number, normal[2] as number);
}

function addShares(sum: Float64Array, value: number, x: number, y: number, z: number): void {
  sum[0] = (sum[0] as number) + share(value, x);
  sum[1] = (sum[1] as number) + share(value, y);
  sum[2] = (sum[2] as number) + share(value, z);
}

/**
 * Sets `normal` to the direction of `changeSum`, which may be zero. Returns |changeSum| / `total` as a fraction of ONE.
 * `total` is the sum of the lengths of the changes.
 */
function setCommonNormal(total: number): number {
  // Cuts off the same low bits of all sums.
  const high = Math.floor(total / 2 ** 32);
  const bits = high > 0 ? 64 - Math.clz32(high) : 32 - Math.clz32(total);
  const unit = 2 ** Math.max(0, bits - SUM_BITS);
  const whole = Math.floor(total / unit);
  for (let axis = 0; axis < 3; axis++) normal[axis] = Math.floor((changeSum[axis] as number) / unit);
  const [x = 0, y = 0, z = 0] = normal;
  const size = Math.min(lengthOf(x, y, z), whole);
  for (let axis = 0; axis < 3; axis++) {
    normal[axis] = size === 0 ? 0 : directionOf(normal[axis] as number, size);
  }
  return ratio(size, whole);
}
