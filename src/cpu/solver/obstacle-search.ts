/**
 * The search for the obstacles that a particle overlaps, and the list of its results.
 * Guarantee: the list and its order depend on the particle and the set of obstacles alone.
 */
import { COINCIDENT_SQUARED } from '../../core/base/constants';
import type { StaticBodies } from '../../core/obstacles/tree';
import type { ParticleState } from '../shared/kernels';
import type { Lattice } from '../shared/lattice';
import { coincidentNormal } from './contact';
import { minimumImage, normal } from './general-contact';

export interface ObstacleSearch {
  /** The obstacles in the order of their slots. */
  readonly bodies: StaticBodies;
  readonly memoryBytes: number;
  load(given: StaticBodies): void;
  /** The result is valid until the next call. */
  find(state: ParticleState, slot: number): Overlaps;
  /** Visits all obstacles that reach into a box, and perhaps others, in no particular order. */
  visitInBox(low: readonly number[], high: readonly number[], visit: (obstacle: number) => void): void;
}

const FEW_OVERLAPS = 64;

export class Overlaps {
  count = 0;
  obstacles = new Uint32Array(FEW_OVERLAPS);
  depths = new Float64Array(FEW_OVERLAPS);
  /** Unit vectors from the obstacle to the particle, three numbers each. */
  normals = new Float64Array(3 * FEW_OVERLAPS);

  /** Adds the overlap of a particle and an obstacle that are balls. `reach` is the sum of their radii. */
  addBalls(
    { dimensions, periods }: Lattice,
    positions: Float32Array,
    slot: number,
    fixed: Float32Array,
    obstacle: number,
    reach: number,
  ): void {
    const { normals } = this;
    const first = 3 * this.count;
    let squared = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      const direct =
        (positions[dimensions * slot + axis] as number) - (fixed[dimensions * obstacle + axis] as number);
      const apart = minimumImage(direct, periods[axis] as number);
      normals[first + axis] = apart;
      squared += apart * apart;
    }
    if (squared < COINCIDENT_SQUARED) {
      // coincidentNormal points to the lower slot.
      const sign = slot > obstacle ? -1 : 1;
      for (let axis = 0; axis < dimensions; axis++) {
        normals[first + axis] = sign * coincidentNormal(slot, obstacle, axis, dimensions);
      }
      this.append(obstacle, reach);
      return;
    }
    const distance = Math.sqrt(squared);
    for (let axis = 0; axis < dimensions; axis++) {
      normals[first + axis] = (normals[first + axis] as number) / distance;
    }
    this.append(obstacle, reach - distance);
  }

  /** Adds an obstacle whose normal is in `normal` of general-contact.ts. */
  addShapes(obstacle: number, depth: number): void {
    this.normals.set(normal, 3 * this.count);
    this.append(obstacle, depth);
  }

  private append(obstacle: number, depth: number): void {
    const { count, obstacles, depths } = this;
    obstacles[count] = obstacle;
    depths[count] = depth;
    this.count = count + 1;
    if (this.count === obstacles.length) this.grow();
  }

  private grow(): void {
    const { obstacles, depths, normals } = this;
    this.obstacles = new Uint32Array(2 * obstacles.length);
    this.obstacles.set(obstacles);
    this.depths = new Float64Array(2 * depths.length);
    this.depths.set(depths);
    this.normals = new Float64Array(2 * normals.length);
    this.normals.set(normals);
  }
}
