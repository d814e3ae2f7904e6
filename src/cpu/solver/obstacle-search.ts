/**
 * Purpose: what obstacles.ts asks of whoever finds which obstacles a particle overlaps: equal-obstacles.ts where all have
 * one radius, mixed-obstacles.ts where each has a size of its own; and what both of them tell it.
 * Guarantee: who overlaps whom, and in which order it is told, depends on the particle and the set of obstacles alone.
 */
import type { StaticBodies } from '../../core/obstacles/tree';
import type { ParticleState } from '../shared/kernels';
import type { Lattice } from '../shared/lattice';
import { COINCIDENT_SQUARED, coincidentNormal } from './contact';
import { minimumImage, normal } from './shapes';

export interface ObstacleSearch {
  /** Of the particles that move, how many are not set aside: the first slots. */
  readonly live: number;
  /** Obstacles in the order of their slots. */
  readonly bodies: StaticBodies;
  readonly memoryBytes: number;
  /** Replaces all. */
  load(given: StaticBodies): void;
  /** The obstacles that the particle in a slot overlaps; good until the next call. */
  find(state: ParticleState, slot: number): Overlaps;
  /** Slots of those that reach into a box, and perhaps of others nearby. In no particular order. */
  visitInBox(low: readonly number[], high: readonly number[], visit: (obstacle: number) => void): void;
}

/** Overlaps of one particle that memory is kept for at first. */
const FEW_OVERLAPS = 64;

/** The obstacles that one particle overlaps, by how much, and the way out of each. */
export class Overlaps {
  count = 0;
  obstacles = new Uint32Array(FEW_OVERLAPS);
  depths = new Float64Array(FEW_OVERLAPS);
  /** Of unit length, from the obstacle to the particle; three numbers each. */
  normals = new Float64Array(3 * FEW_OVERLAPS);

  /** The particle in a slot and an obstacle, two balls that touch at a distance of `reach`. */
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
      // The axis is said for the lower slot.
      const sign = slot > obstacle ? -1 : 1;
      for (let axis = 0; axis < dimensions; axis++) {
        normals[first + axis] = sign * coincidentNormal(slot, obstacle, axis, dimensions);
      }
      this.take(obstacle, reach);
      return;
    }
    const distance = Math.sqrt(squared);
    for (let axis = 0; axis < dimensions; axis++) {
      normals[first + axis] = (normals[first + axis] as number) / distance;
    }
    this.take(obstacle, reach - distance);
  }

  /** One whose normal is `normal` of shapes.ts. */
  addShapes(obstacle: number, depth: number): void {
    this.normals.set(normal, 3 * this.count);
    this.take(obstacle, depth);
  }

  /** Leaves room for one more. */
  private take(obstacle: number, depth: number): void {
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
