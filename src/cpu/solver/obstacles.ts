/**
 * The contact law for particles and obstacles, which never move. Obstacles act on a particle after its other contacts
 * and before walls. Ordering: per particle, obstacles in the order of the search, which is the same on every run.
 */

import { BOUNCE_PUSH } from '../../core/base/constants';
import { bounceChange, frictionShare, obstacleChange, wallChange } from '../../core/contact/law';
import type { Substep } from '../../core/contact/settings';
import { NO_OBSTACLES, obstacleShare } from '../../core/obstacles/obstacles';
import type { StaticBodies } from '../../core/obstacles/tree';
import type { ParticleState } from '../shared/kernels';
import type { Lattice } from '../shared/lattice';
import { wrapIn } from '../shared/overlap';
import type { ObstacleContacts, Response } from './contact';
import type { ObstacleSearch, Overlaps } from './obstacle-search';
import { scratchPosition, scratchVelocity } from './walls';

/** No particle may be quarantined. */
export class Obstacles implements ObstacleContacts {
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
   * Lets the obstacles act on the particle in the scratch arrays of walls.ts. `state` has its position, too; periodic
   * worlds wrap that. Returns the change of the velocity along the common normal.
   */
  meet(state: ParticleState, slot: number, restitution: number, substep: Substep): number {
    const { dimensions, world } = this.lattice;
    if (world.kind === 'periodic') wrapIn(world, state.positions, slot, slot + 1);
    const overlaps = this.search.find(state, slot);
    const { count, depths, normals } = overlaps;
    if (count === 0) return 0;
    const is3D = dimensions === 3;
    const { inverseDt, dt, friction, restSpeed } = substep;
    const share = BOUNCE_PUSH * shareOfOverlaps(overlaps);
    let x = scratchPosition[0] as number;
    let y = scratchPosition[1] as number;
    let z = scratchPosition[2] as number;
    const velocityX = scratchVelocity[0] as number;
    const velocityY = scratchVelocity[1] as number;
    const velocityZ = scratchVelocity[2] as number;
    // The sums of all changes, as vectors and as numbers.
    let [sumX, sumY, sumZ, sum] = [0, 0, 0, 0];
    let greatest = 0;
    let bounces = false;
    for (let index = 0; index < count; index++) {
      const normalX = normals[3 * index] as number;
      const normalY = normals[3 * index + 1] as number;
      const normalZ = is3D ? (normals[3 * index + 2] as number) : 0;
      const depth = depths[index] as number;
      x += share * depth * normalX;
      y += share * depth * normalY;
      z += share * depth * normalZ;
      const approach = velocityX * normalX + velocityY * normalY + velocityZ * normalZ;
      if (!(approach < 0)) continue;
      const isBounce = restitution > 0 && approach < -restSpeed;
      const change = isBounce
        ? bounceChange(approach, 1, restitution)
        : wallChange(depth * inverseDt, approach);
      bounces ||= isBounce;
      sumX += change * normalX;
      sumY += change * normalY;
      sumZ += change * normalZ;
      sum += change;
      greatest = Math.max(greatest, change);
    }
    const size = Math.sqrt(sumX * sumX + sumY * sumY + sumZ * sumZ);
    let change = 0;
    if (size > 0) {
      const upX = sumX / size;
      const upY = sumY / size;
      const upZ = sumZ / size;
      const approach = velocityX * upX + velocityY * upY + velocityZ * upZ;
      change = obstacleChange(greatest, sum / size, approach, bounces ? restitution : 0);
      const slidingX = velocityX - approach * upX;
      const slidingY = velocityY - approach * upY;
      const slidingZ = velocityZ - approach * upZ;
      const slidingSquared = slidingX * slidingX + slidingY * slidingY + slidingZ * slidingZ;
      const braking = frictionShare(change, slidingSquared, 1, friction);
      const frictionPush = bounces ? 0 : dt * braking;
      x -= frictionPush * slidingX;
      y -= frictionPush * slidingY;
      z -= frictionPush * slidingZ;
      scratchVelocity[0] = velocityX + change * upX - braking * slidingX;
      scratchVelocity[1] = velocityY + change * upY - braking * slidingY;
      scratchVelocity[2] = velocityZ + change * upZ - braking * slidingZ;
    }
    scratchPosition[0] = x;
    scratchPosition[1] = y;
    scratchPosition[2] = z;
    return change;
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

/** Returns the factor on the pushes by obstacles. It is 1 if the particle overlaps only one obstacle. */
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
