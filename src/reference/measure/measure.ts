/**
 * Computes the measures of a state. Sums are doubles, but overlaps are decided in 32 bits. Twin of
 * shaders/measure/measure.wgsl. The grid must have the present positions. `diameter` is that of the largest particle.
 */

import { CROWDED } from '../../core/base/constants';
import type { BroadPhase } from '../../core/contact/settings';
import { isBox } from '../../core/particles/shapes';
import type { Measures } from '../../core/simulation/simulation';
import { hashState } from '../../core/state/hash';
import { borderlineOf, shapeBorderline, variableLatticeScale } from '../../core/world/borderline';
import { levelOf } from '../../core/world/levels';
import type { World } from '../../core/world/world';
import type { Grid } from '../grid/grid';
import { probeCells } from '../query/probe';
import { distanceSquared, faceShapes, findContact, reachBetween } from '../solve/contact';
import { type Obstacles, probeObstacles } from '../solve/obstacles';

const { fround } = Math;

export function measureState(
  world: World,
  diameter: number,
  grid: Grid,
  broadPhase: BroadPhase = 'grid',
  obstacles?: Obstacles,
): Measures {
  const { dimensions, cellCount } = world;
  const { ids, start, positions, velocities, radii, halves, bulks } = grid;
  // Nothing rounds if both particles lie on the exact lattice; see borderline.ts. All sizes share the lattice of
  // the largest size.
  const ofLargest = borderlineOf(diameter, world);
  const latticeScale = radii ? variableLatticeScale(diameter, world) : ofLargest.latticeScale;
  const isOnLattice = (slot: number) => {
    if (latticeScale === 0) return false;
    if (
      radii &&
      !(halves && isBox(dimensions, halves, slot)) &&
      !Number.isInteger((radii[slot] as number) * latticeScale)
    )
      return false;
    for (let axis = 0; axis < dimensions; axis++) {
      if (!Number.isInteger((positions[slot * dimensions + axis] as number) * latticeScale)) return false;
      if (halves && !Number.isInteger((halves[slot * dimensions + axis] as number) * latticeScale))
        return false;
    }
    return true;
  };
  const sizeOf = (slot: number) => {
    let sum = 0;
    for (let axis = 0; axis < dimensions; axis++) sum += halves?.[dimensions * slot + axis] as number;
    return sum > 0 ? sum : (radii?.[slot] as number);
  };
  const judge = (slot: number, other: number) => {
    if (halves) {
      const { overlap, isContact } = faceShapes(world, grid, slot, other);
      const isBorderline = Math.abs(overlap) <= shapeBorderline(sizeOf(slot) + sizeOf(other), world);
      return { isBorderline, isContact, overlap };
    }
    const squared = distanceSquared(world, positions, slot, other);
    const reach = reachBetween(diameter, radii, slot, other);
    const { low, high } = radii ? borderlineOf(reach, world) : ofLargest;
    const overlap = fround(reach - fround(Math.sqrt(squared)));
    const isContact = squared < fround(reach * reach);
    return { isBorderline: squared >= low && squared < high, isContact, overlap };
  };
  const momentum = new Array<number>(dimensions).fill(0);
  let candidates = 0;
  let contacts = 0;
  let borderline = 0;
  let obstacleContacts = 0;
  let twiceEnergy = 0;
  let deepestOverlap = 0;
  let overlaps = 0;
  let outside = 0;
  const inCells = start[cellCount] as number;
  for (let slot = 0; slot < inCells; slot++) {
    probeCells(world, grid, slot, (other) => {
      if (other < slot) return;
      candidates++;
      const { isBorderline, isContact, overlap } = judge(slot, other);
      if (isBorderline && !(isOnLattice(slot) && isOnLattice(other))) borderline++;
      if (!isContact) return;
      contacts++;
      overlaps += overlap;
      deepestOverlap = Math.max(deepestOverlap, overlap);
    });
    if (obstacles) {
      probeObstacles(world, positions, slot, obstacles, (other) => {
        const contact = findContact(world, { diameter }, grid, slot, other, obstacles);
        if (contact) obstacleContacts++;
      });
    }
    // The weight is a double here, but a 32-bit float in the shader.
    const sizes = bulks ?? radii;
    const weight = sizes ? ((sizes[slot] as number) / (diameter / 2)) ** dimensions : 1;
    let isOutside = false;
    for (let axis = 0; axis < dimensions; axis++) {
      const position = positions[slot * dimensions + axis] as number;
      const velocity = velocities[slot * dimensions + axis] as number;
      momentum[axis] = (momentum[axis] as number) + weight * velocity;
      twiceEnergy += weight * velocity * velocity;
      if (position < (world.min[axis] as number) || position > (world.max[axis] as number)) isOutside = true;
    }
    if (isOutside) outside++;
  }
  const census = takeCensus(grid);
  return {
    count: ids.length,
    candidates: broadPhase === 'naive' ? (inCells * Math.max(0, inCells - 1)) / 2 : candidates,
    contacts,
    borderline,
    obstacleContacts,
    ...census,
    outside,
    nonFinite: ids.length - inCells,
    kineticEnergy: twiceEnergy / 2,
    momentum,
    deepestOverlap,
    meanOverlap: contacts > 0 ? overlaps / contacts : 0,
    hash: hashState(dimensions, positions, velocities, ids, grid),
  };
}

function takeCensus({
  world,
  start,
  lattices,
  radii,
}: Grid): Pick<Measures, 'occupiedCells' | 'greatestOccupancy' | 'bucketCollisions' | 'crowded'> {
  const { dimensions, cellCount } = world;
  let occupiedCells = 0;
  let greatestOccupancy = 0;
  let bucketCollisions = 0;
  let crowded = 0;
  for (let bucket = 0; bucket < cellCount; bucket++) {
    const first = start[bucket] as number;
    const end = start[bucket + 1] as number;
    const occupancies = new Map<string, number>();
    for (let slot = first; slot < end; slot++) {
      const lattice = lattices.subarray(slot * dimensions, (slot + 1) * dimensions);
      const cell = [radii && levelOf(world, radii[slot] as number), ...lattice].join();
      occupancies.set(cell, (occupancies.get(cell) ?? 0) + 1);
    }
    occupiedCells += occupancies.size;
    if (occupancies.size > 1) bucketCollisions += end - first;
    for (const occupancy of occupancies.values()) {
      greatestOccupancy = Math.max(greatestOccupancy, occupancy);
      if (occupancy > CROWDED) crowded += occupancy;
    }
  }
  return { occupiedCells, greatestOccupancy, bucketCollisions, crowded };
}
