/**
 * Stores obstacles, and visits those that a particle may touch. Twin of src/engine/simulation/obstacles.ts,
 * shaders/obstacles/probe_cells.wgsl and shaders/obstacles/probe_tree.wgsl.
 * Ordering: if radii vary, obstacles are stored and visited in the order of the tree. Otherwise they are sorted by
 * bucket; inside a bucket, canonicalBodies sorts them.
 */

import { wrapObstacles } from '../../core/obstacles/obstacles';
import { ObstacleTree, type StaticBodies } from '../../core/obstacles/tree';
import { latticeOfParticle } from '../../core/world/cells';
import type { World } from '../../core/world/world';
import { buildGrid, type Grid } from '../grid/grid';
import { slotsAround } from '../query/probe';

export interface Obstacles extends StaticBodies {
  /** Undefined if radii vary. */
  readonly cells?: Pick<Grid, 'start' | 'lattices'> | undefined;
}

export function fileObstacles(world: World, bodies: StaticBodies): Obstacles {
  const wrapped = wrapObstacles(world, bodies);
  if (world.levels > 0) return new ObstacleTree(world, wrapped).bodies;
  const { start, lattices, positions } = buildGrid(world, wrapped.positions);
  return { positions, cells: { start, lattices } };
}

/** Visits the obstacles that a particle may touch: none if its position is not finite. */
export function probeObstacles(
  world: World,
  particles: Float32Array,
  slot: number,
  { positions, cells }: Obstacles,
  visit: (obstacle: number) => void,
): void {
  const { dimensions } = world;
  if (!isFiniteAt(dimensions, particles, slot)) return;
  if (!cells) {
    const count = positions.length / dimensions;
    for (let obstacle = 0; obstacle < count; obstacle++) visit(obstacle);
    return;
  }
  const lattice = latticeOfParticle(world, particles, slot);
  for (const obstacle of slotsAround(world, lattice, cells)) visit(obstacle);
}

function isFiniteAt(dimensions: number, positions: Float32Array, particle: number): boolean {
  return positions.subarray(dimensions * particle, dimensions * (particle + 1)).every(Number.isFinite);
}
