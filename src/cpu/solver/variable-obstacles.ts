/**
 * Finds the obstacles that a particle overlaps, if sizes vary. `find` searches the tree of core/obstacles/tree.ts with
 * the box around the particle.
 * Guarantee: the test for an overlap is the same as between two particles. For balls it is that of
 * ../levels/search.ts, for boxes that of general-contact.ts.
 * Ordering: obstacles come by their slots in the tree, ascending. The slots do not depend on the order in which the
 * obstacles were given.
 */

import { NO_OBSTACLES, wrapObstacles } from '../../core/obstacles/obstacles';
import { ObstacleTree, type StaticBodies } from '../../core/obstacles/tree';
import type { ParticleState } from '../shared/kernels';
import type { Lattice } from '../shared/lattice';
import { ballsOverlap, minimumDistance, wrappedBand } from '../shared/overlap';
import { meetShapes, NO_CONTACT, type PlacedShapes } from './general-contact';
import { type ObstacleSearch, Overlaps } from './obstacle-search';

const NO_NUMBERS = new Float32Array(0);

export class VariableObstacles implements ObstacleSearch {
  private tree: ObstacleTree;
  /** The tree's bodies; sizes that they do not have are empty arrays. */
  private fixed: PlacedShapes = { positions: NO_NUMBERS, radii: NO_NUMBERS, halves: NO_NUMBERS };
  private readonly overlaps = new Overlaps();
  private state: PlacedShapes = this.fixed;
  private slot = 0;
  private readonly low: number[];
  private readonly high: number[];
  /** Scratch for the exact test. */
  private readonly pair: Float32Array;

  constructor(private readonly lattice: Lattice) {
    const { dimensions, world } = lattice;
    this.tree = new ObstacleTree(world, NO_OBSTACLES);
    this.low = new Array<number>(dimensions).fill(0);
    this.high = new Array<number>(dimensions).fill(0);
    this.pair = new Float32Array(2 * dimensions);
  }

  get bodies(): StaticBodies {
    return this.tree.bodies;
  }

  get memoryBytes(): number {
    return this.tree.byteLength;
  }

  visitInBox(low: readonly number[], high: readonly number[], visit: (obstacle: number) => void): void {
    this.tree.visit(low, high, visit);
  }

  load(given: StaticBodies): void {
    const { world } = this.lattice;
    this.tree = new ObstacleTree(world, wrapObstacles(world, given));
    const { positions, radii = NO_NUMBERS, halves = NO_NUMBERS } = this.tree.bodies;
    this.fixed = { positions, radii, halves };
  }

  find(state: ParticleState, slot: number): Overlaps {
    const { overlaps, low, high } = this;
    const { positions, halves, radii } = state;
    const { dimensions } = this.lattice;
    const first = dimensions * slot;
    overlaps.count = 0;
    this.state = state;
    this.slot = slot;
    const isBox = halves.length > 0 && (halves[first] as number) > 0;
    for (let axis = 0; axis < dimensions; axis++) {
      const position = positions[first + axis] as number;
      const extent = (isBox ? halves[first + axis] : radii[slot]) as number;
      low[axis] = position - extent;
      high[axis] = position + extent;
    }
    this.tree.visit(low, high, this.test);
    return overlaps;
  }

  private readonly test = (obstacle: number): void => {
    const { state, slot, fixed, lattice } = this;
    if (!this.ballsMeet(obstacle)) return;
    // For boxes, ballsMeet has only compared the balls around them.
    if (fixed.halves.length > 0) {
      const depth = meetShapes(lattice, state, slot, obstacle, fixed);
      if (depth !== NO_CONTACT) this.overlaps.addShapes(obstacle, depth);
      return;
    }
    const reach = (state.radii[slot] as number) + (fixed.radii[obstacle] as number);
    this.overlaps.addBalls(lattice, state.positions, slot, fixed.positions, obstacle, reach);
  };

  /** Returns whether two balls, or the balls around boxes, overlap. Decides like scanWrapped in ../levels/search.ts. */
  private ballsMeet(obstacle: number): boolean {
    const { state, slot, fixed, lattice } = this;
    const { positions, radii } = state;
    const { dimensions, periods, longestPeriod } = lattice;
    const radius = radii[slot] as number;
    const otherRadius = fixed.radii[obstacle] as number;
    let squared = 0;
    for (let axis = 0; axis < dimensions; axis++) {
      const direct =
        (positions[dimensions * slot + axis] as number) -
        (fixed.positions[dimensions * obstacle + axis] as number);
      const apart = minimumDistance(direct, periods[axis] as number);
      squared += apart * apart;
    }
    const reach = radius + otherRadius;
    const noise = 2 ** -48 * longestPeriod;
    const excess = squared - reach * reach;
    const band = 2 * wrappedBand(reach, longestPeriod) + noise * noise;
    // Treats NaN as no contact.
    if (!(excess <= band)) return false;
    if (excess < -band) return true;
    const { pair } = this;
    for (let axis = 0; axis < dimensions; axis++) {
      pair[axis] = positions[dimensions * slot + axis] as number;
      pair[dimensions + axis] = fixed.positions[dimensions * obstacle + axis] as number;
    }
    return ballsOverlap(pair, 0, 1, radius, otherRadius, periods);
  }
}
