/**
 * Applies the contact law to particles and obstacles, which never move. The loops over pairs of particles run first;
 * this file adds to their Response. Ordering: particles by slot; per particle, its obstacles in the order of the
 * search, which is the same on every run.
 */

import { BOUNCE_PUSH, SPREADING } from '../../core/base/constants';
import {
  bounceChange,
  freePush,
  frictionShare,
  isStopped,
  obstacleRelaxation,
  pushChange,
  restitutionOf,
  SHALLOW,
  stopFactor,
} from '../../core/contact/law';
import type { Substep } from '../../core/contact/settings';
import { NO_OBSTACLES, obstacleShare } from '../../core/obstacles/obstacles';
import type { StaticBodies } from '../../core/obstacles/tree';
import type { ParticleState } from '../shared/kernels';
import type { Lattice } from '../shared/lattice';
import type { Response } from './contact';
import type { ObstacleSearch, Overlaps } from './obstacle-search';

/** Methods act on the particles in the slots from `begin` (or 0) up to `end`. None of them may be quarantined. */
export class Obstacles {
  /** The obstacles in the user's order. */
  given: StaticBodies = NO_OBSTACLES;

  constructor(
    private readonly lattice: Lattice,
    private readonly search: ObstacleSearch,
  ) {}

  get count(): number {
    return this.given.positions.length / this.lattice.dimensions;
  }

  get memoryBytes(): number {
    const { positions, radii, halves, bulks } = this.given;
    const arrays = [positions, radii, halves, bulks];
    return this.search.memoryBytes + arrays.reduce((sum, array) => sum + (array?.byteLength ?? 0), 0);
  }

  /** Keeps `given` without a copy. The search must have room for all its bodies. */
  load(given: StaticBodies): void {
    this.given = given;
    this.search.load(given);
  }

  /**
   * An obstacle becomes a particle's partner, stored as −2 − the obstacle's slot, if the particle approaches it faster
   * than it approaches any other body, and faster than restSpeed.
   */
  findPartners(state: ParticleState, begin: number, end: number, response: Response): void {
    if (this.count === 0) return;
    const { search } = this;
    const { dimensions } = this.lattice;
    const { velocities } = state;
    const { approaches, partners } = response;
    for (let slot = begin; slot < end; slot++) {
      const { count, obstacles, normals } = search.find(state, slot);
      for (let index = 0; index < count; index++) {
        let approach = 0;
        for (let axis = 0; axis < dimensions; axis++) {
          const along = normals[3 * index + axis] as number;
          approach += (velocities[dimensions * slot + axis] as number) * along;
        }
        if (approach < (approaches[slot] as number)) {
          approaches[slot] = approach;
          partners[slot] = -2 - (obstacles[index] as number);
        }
      }
    }
  }

  respond(state: ParticleState, begin: number, end: number, response: Response, substep: Substep): void {
    if (this.count === 0) return;
    const { search } = this;
    const { dimensions } = this.lattice;
    const is3D = dimensions === 3;
    const { velocities, radii, loads } = state;
    const fixedRadii = search.bodies.radii;
    const { pushes, changes, supports, bearings, closings, deepest, partners } = response;
    const { diameter, halfRelaxation, gripShare, inverseDt, dt, friction, gravity } = substep;
    const { pushSpeed, kickSpeed, restSpeed } = substep;
    const gainX = (gravity[0] as number) * dt;
    const gainY = (gravity[1] as number) * dt;
    const gainZ = is3D ? (gravity[2] as number) * dt : 0;
    for (let slot = begin; slot < end; slot++) {
      const overlaps = search.find(state, slot);
      const { count, obstacles, depths, normals } = overlaps;
      if (count === 0) continue;
      const share = shareOfOverlaps(overlaps);
      const hasSize = radii.length > 0;
      const load = hasSize ? (loads[slot] as number) : 0;
      const restitution = hasSize ? restitutionOf(substep.restitution, load) : substep.restitution;
      const first = dimensions * slot;
      // So far, `changes` has the effect of particles alone.
      const pressX = changes[first] as number;
      const pressY = changes[first + 1] as number;
      const pressZ = is3D ? (changes[first + 2] as number) : 0;
      const velocityX = velocities[first] as number;
      const velocityY = velocities[first + 1] as number;
      const velocityZ = is3D ? (velocities[first + 2] as number) : 0;
      // Sums over obstacles: the change of position, that of velocity (without and by a bounce), support and bearing.
      let [pushX, pushY, pushZ] = [0, 0, 0];
      let [changeX, changeY, changeZ] = [0, 0, 0];
      let [bounceX, bounceY, bounceZ] = [0, 0, 0];
      let [supportX, supportY, supportZ, bearing] = [0, 0, 0, 0];
      let isAnyStop = false;
      for (let index = 0; index < count; index++) {
        const x = normals[3 * index] as number;
        const y = normals[3 * index + 1] as number;
        const z = is3D ? (normals[3 * index + 2] as number) : 0;
        const approach = velocityX * x + velocityY * y + velocityZ * z;
        const bounces = restitution > 0 && partners[slot] === -2 - (obstacles[index] as number);
        const pressure = pressX * x + pressY * y + pressZ * z;
        const overlap = depths[index] as number;
        const stops = isStopped(restitution, approach, overlap, pressure, dt, restSpeed);
        const ownRadius = hasSize ? (radii[slot] as number) : diameter / 2;
        const depth =
          overlap / (2 * Math.min(ownRadius, fixedRadii?.[obstacles[index] as number] ?? ownRadius));
        if (depth > SHALLOW) deepest[slot] = Math.max(deepest[slot] as number, depth);
        const isSpring = !bounces && !stops;
        const spring = (isSpring ? obstacleRelaxation(2 * halfRelaxation, load) : BOUNCE_PUSH) * overlap;
        const change = isSpring
          ? pushChange(spring * inverseDt, approach, 1, pushSpeed, restSpeed, restitution)
          : bounceChange(approach, 1, restitution);
        const moved = dt * change;
        const push = isSpring ? moved + freePush(spring, moved, overlap) : spring;
        // Leaves out the velocity that gravity added in this substep, because static friction in `finish` acts on it.
        const along = (velocityX - gainX) * x + (velocityY - gainY) * y + (velocityZ - gainZ) * z;
        const slidingX = velocityX - gainX - along * x;
        const slidingY = velocityY - gainY - along * y;
        const slidingZ = velocityZ - gainZ - along * z;
        const slidingSquared = slidingX * slidingX + slidingY * slidingY + slidingZ * slidingZ;
        const braking = frictionShare(change, slidingSquared, 2 * gripShare, friction);
        const closing = bounces
          ? Math.sqrt(change * change + braking * braking * slidingSquared)
          : -SPREADING * approach;
        if (closing > kickSpeed) closings[slot] = Math.max(closings[slot] as number, closing);
        const held = bounces ? 0 : dt * braking;
        pushX += push * x - held * slidingX;
        pushY += push * y - held * slidingY;
        pushZ += push * z - held * slidingZ;
        if (bounces) {
          bounceX += change * x - braking * slidingX;
          bounceY += change * y - braking * slidingY;
          bounceZ += change * z - braking * slidingZ;
          continue;
        }
        isAnyStop ||= stops;
        changeX += change * x - braking * slidingX;
        changeY += change * y - braking * slidingY;
        changeZ += change * z - braking * slidingZ;
        supportX += change * x;
        supportY += change * y;
        supportZ += change * z;
        bearing += change;
      }
      let factor = share;
      if (isAnyStop) {
        const against = velocityX * changeX + velocityY * changeY + velocityZ * changeZ;
        factor *= stopFactor(share, against, changeX * changeX + changeY * changeY + changeZ * changeZ);
      }
      // The velocity moves the particle by dt times its change, so `pushes` gets the rest.
      const totalX = factor * changeX + bounceX;
      const totalY = factor * changeY + bounceY;
      changes[first] = pressX + totalX;
      changes[first + 1] = pressY + totalY;
      pushes[first] = (pushes[first] as number) + (share * pushX - dt * totalX);
      pushes[first + 1] = (pushes[first + 1] as number) + (share * pushY - dt * totalY);
      supports[first] = (supports[first] as number) + factor * supportX;
      supports[first + 1] = (supports[first + 1] as number) + factor * supportY;
      bearings[slot] = (bearings[slot] as number) + factor * bearing;
      if (!is3D) continue;
      const totalZ = factor * changeZ + bounceZ;
      changes[first + 2] = pressZ + totalZ;
      pushes[first + 2] = (pushes[first + 2] as number) + (share * pushZ - dt * totalZ);
      supports[first + 2] = (supports[first + 2] as number) + factor * supportZ;
    }
  }

  pushApart(state: ParticleState, end: number, response: Response, substep: Substep): void {
    if (this.count === 0) return;
    const { search } = this;
    const { dimensions } = this.lattice;
    const { pushes } = response;
    for (let slot = 0; slot < end; slot++) {
      const overlaps = search.find(state, slot);
      const { count, depths, normals } = overlaps;
      const share = shareOfOverlaps(overlaps);
      for (let index = 0; index < count; index++) {
        const push = share * 2 * substep.halfRelaxation * (depths[index] as number);
        for (let axis = 0; axis < dimensions; axis++) {
          const word = dimensions * slot + axis;
          pushes[word] = (pushes[word] as number) + push * (normals[3 * index + axis] as number);
        }
      }
    }
  }

  countContacts(state: ParticleState, end: number): number {
    if (this.count === 0) return 0;
    const { search } = this;
    let contacts = 0;
    for (let slot = 0; slot < end; slot++) contacts += search.find(state, slot).count;
    return contacts;
  }
}

/** Returns the factor on the effects of obstacles. It is 1 if the particle overlaps only one obstacle. */
function shareOfOverlaps({ count, depths }: Overlaps): number {
  if (count < 2) return 1;
  let deepest = 0;
  let sum = 0;
  for (let index = 0; index < count; index++) {
    const overlap = depths[index] as number;
    deepest = Math.max(deepest, overlap);
    sum += overlap;
  }
  return obstacleShare(deepest, sum);
}
