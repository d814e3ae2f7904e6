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
  obstacleRelaxation,
  pushChange,
  restitutionOf,
  SHALLOW,
} from '../../core/contact/law';
import type { Substep } from '../../core/contact/settings';
import { NO_OBSTACLES, obstacleShare } from '../../core/obstacles/obstacles';
import type { StaticBodies } from '../../core/obstacles/tree';
import type { ParticleState } from '../shared/kernels';
import type { Lattice } from '../shared/lattice';
import type { Response } from './contact';
import type { ObstacleSearch, Overlaps } from './obstacle-search';

/** `activeCount` is the number of particles that are not quarantined; they have the first slots. */
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
  findPartners(state: ParticleState, activeCount: number, response: Response): void {
    if (this.count === 0) return;
    const { search } = this;
    const { dimensions } = this.lattice;
    const { velocities } = state;
    const { approaches, partners } = response;
    for (let slot = 0; slot < activeCount; slot++) {
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

  respond(state: ParticleState, activeCount: number, response: Response, substep: Substep): void {
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
    for (let slot = 0; slot < activeCount; slot++) {
      const overlaps = search.find(state, slot);
      const { count, obstacles, depths, normals } = overlaps;
      if (count === 0) continue;
      const share = shareOfOverlaps(overlaps);
      const total = totalOf(overlaps);
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
      for (let index = 0; index < count; index++) {
        const x = normals[3 * index] as number;
        const y = normals[3 * index + 1] as number;
        const z = is3D ? (normals[3 * index + 2] as number) : 0;
        const approach = velocityX * x + velocityY * y + velocityZ * z;
        const bounces = restitution > 0 && partners[slot] === -2 - (obstacles[index] as number);
        const pressure = pressX * x + pressY * y + pressZ * z;
        const stops = restitution === 0 && approach < -restSpeed && pressure > approach / 2;
        const overlap = depths[index] as number;
        const ownRadius = hasSize ? (radii[slot] as number) : diameter / 2;
        const depth =
          overlap / (2 * Math.min(ownRadius, fixedRadii?.[obstacles[index] as number] ?? ownRadius));
        if (depth > SHALLOW) deepest[slot] = Math.max(deepest[slot] as number, depth);
        const isSpring = !bounces && !stops;
        const push = (isSpring ? obstacleRelaxation(2 * halfRelaxation, load) : BOUNCE_PUSH) * overlap;
        const change = isSpring
          ? pushChange(push * inverseDt, approach, 1, pushSpeed, restSpeed, restitution)
          : bounceChange(approach, 1, restitution);
        // Leaves out the velocity that gravity added in this substep, because static friction in `finish` acts on it.
        const along = (velocityX - gainX) * x + (velocityY - gainY) * y + (velocityZ - gainZ) * z;
        const slidingX = velocityX - gainX - along * x;
        const slidingY = velocityY - gainY - along * y;
        const slidingZ = velocityZ - gainZ - along * z;
        const slidingSquared = slidingX * slidingX + slidingY * slidingY + slidingZ * slidingZ;
        const braking = frictionShare(change, slidingSquared, 2 * gripShare, friction);
        const weight = stops ? overlap / total : share;
        // A particle bounces off one partner only, so a bounce needs no weight.
        const factor = bounces ? 1 : weight;
        const bearing = bounces ? 0 : weight * change;
        supports[first] = (supports[first] as number) + bearing * x;
        supports[first + 1] = (supports[first + 1] as number) + bearing * y;
        if (is3D) supports[first + 2] = (supports[first + 2] as number) + bearing * z;
        bearings[slot] = (bearings[slot] as number) + bearing;
        const closing = bounces
          ? Math.sqrt(change * change + braking * braking * slidingSquared)
          : -SPREADING * approach;
        if (closing > kickSpeed) closings[slot] = Math.max(closings[slot] as number, closing);
        changes[first] = (changes[first] as number) + factor * (change * x - braking * slidingX);
        changes[first + 1] = (changes[first + 1] as number) + factor * (change * y - braking * slidingY);
        const moved = dt * factor * change;
        const extra = isSpring ? freePush(share * push, moved, share * overlap) : weight * push - moved;
        const kept = bounces ? dt * braking : 0;
        pushes[first] = (pushes[first] as number) + extra * x + kept * slidingX;
        pushes[first + 1] = (pushes[first + 1] as number) + extra * y + kept * slidingY;
        if (!is3D) continue;
        changes[first + 2] = (changes[first + 2] as number) + factor * (change * z - braking * slidingZ);
        pushes[first + 2] = (pushes[first + 2] as number) + extra * z + kept * slidingZ;
      }
    }
  }

  pushApart(state: ParticleState, activeCount: number, response: Response, substep: Substep): void {
    if (this.count === 0) return;
    const { search } = this;
    const { dimensions } = this.lattice;
    const { pushes } = response;
    for (let slot = 0; slot < activeCount; slot++) {
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

  countContacts(state: ParticleState, activeCount: number): number {
    if (this.count === 0) return 0;
    const { search } = this;
    let contacts = 0;
    for (let slot = 0; slot < activeCount; slot++) contacts += search.find(state, slot).count;
    return contacts;
  }
}

/** Returns the factor on the effects of obstacles. It is 1 if the particle overlaps only one obstacle. */
function shareOfOverlaps(overlaps: Overlaps): number {
  const { count, depths } = overlaps;
  if (count < 2) return 1;
  let deepest = 0;
  for (let index = 0; index < count; index++) deepest = Math.max(deepest, depths[index] as number);
  return obstacleShare(deepest, totalOf(overlaps));
}

function totalOf({ count, depths }: Overlaps): number {
  let sum = 0;
  for (let index = 0; index < count; index++) sum += depths[index] as number;
  return sum;
}
