/**
 * The contact law between particles and obstacles. Obstacles act on a particle after its other contacts and before
 * walls. Ordering: per particle, obstacles in the order of the search, which is the same on every run.
 */

import { BOUNCE_PUSH } from '../../core/base/constants';
import { obstacleChange } from '../../core/contact/law';
import type { Substep } from '../../core/contact/settings';
import { NO_OBSTACLES, obstacleShare } from '../../core/obstacles/obstacles';
import type { StaticBodies } from '../../core/obstacles/tree';
import type { ParticleState } from '../shared/kernels';
import type { Lattice } from '../shared/lattice';
import { wrapIn } from '../shared/overlap';
import type { ObstacleContacts, Response } from './contact';
import type { ObstacleSearch, Overlaps } from './obstacle-search';
import {
  bouncesOffWall,
  fixedChange,
  pressing,
  scratchPosition,
  scratchSliding,
  scratchVelocity,
} from './walls';

/** Call its methods only for particles that are not quarantined. */
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
   * Lets the obstacles act on the particle that the scratch arrays of walls.ts hold. `rub` applies their friction
   * later. `state` must hold this position, too; in periodic worlds, `meet` wraps it there.
   */
  meet(state: ParticleState, slot: number, restitution: number, substep: Substep): void {
    const { dimensions, world } = this.lattice;
    if (world.kind === 'periodic') wrapIn(world, state.positions, slot, slot + 1);
    const overlaps = this.search.find(state, slot);
    const { count, depths, normals } = overlaps;
    if (count === 0) return;
    const is3D = dimensions === 3;
    const deepest = deepestOf(overlaps);
    const share = BOUNCE_PUSH * shareOfOverlaps(overlaps, deepest);
    let x = scratchPosition[0] as number;
    let y = scratchPosition[1] as number;
    let z = scratchPosition[2] as number;
    const velocityX = scratchVelocity[0] as number;
    const velocityY = scratchVelocity[1] as number;
    const velocityZ = scratchVelocity[2] as number;
    // The sum of the changes as vectors, and the sum of their lengths.
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
      const isBounce = bouncesOffWall(approach, restitution, substep);
      if (isBounce ? depth < deepest : bounces) continue;
      const change = fixedChange(depth, approach, isBounce, restitution, substep);
      if (isBounce && !bounces) {
        // If an obstacle bounces the particle, the changes by the others do not count.
        [sumX, sumY, sumZ, sum, greatest] = [0, 0, 0, 0, 0];
        bounces = true;
      }
      sumX += change * normalX;
      sumY += change * normalY;
      sumZ += change * normalZ;
      sum += change;
      greatest = Math.max(greatest, change);
    }
    scratchPosition[0] = x;
    scratchPosition[1] = y;
    scratchPosition[2] = z;
    const size = Math.sqrt(sumX * sumX + sumY * sumY + sumZ * sumZ);
    if (!(size > 0)) return;
    const upX = sumX / size;
    const upY = sumY / size;
    const upZ = sumZ / size;
    const approach = velocityX * upX + velocityY * upY + velocityZ * upZ;
    const turn = sum / size;
    const change = obstacleChange(greatest, turn, approach, bounces ? restitution : 0);
    scratchSliding[0] = velocityX - approach * upX;
    scratchSliding[1] = velocityY - approach * upY;
    scratchSliding[2] = velocityZ - approach * upZ;
    scratchVelocity[0] = velocityX + change * upX;
    scratchVelocity[1] = velocityY + change * upY;
    scratchVelocity[2] = velocityZ + change * upZ;
    pressing.sum += change * turn;
    pressing.isBounce ||= bounces;
  }

  pushApart(state: ParticleState, end: number, response: Response, substep: Substep): void {
    if (this.count === 0) return;
    const { search } = this;
    const { dimensions } = this.lattice;
    const { pushes } = response;
    for (let slot = 0; slot < end; slot++) {
      const overlaps = search.find(state, slot);
      const { count, depths, normals } = overlaps;
      const share = shareOfOverlaps(overlaps, deepestOf(overlaps));
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
function shareOfOverlaps({ count, depths }: Overlaps, deepest: number): number {
  if (count < 2) return 1;
  let sum = 0;
  for (let index = 0; index < count; index++) sum += depths[index] as number;
  return obstacleShare(deepest, sum);
}

function deepestOf({ count, depths }: Overlaps): number {
  let deepest = 0;
  for (let index = 0; index < count; index++) deepest = Math.max(deepest, depths[index] as number);
  return deepest;
}
