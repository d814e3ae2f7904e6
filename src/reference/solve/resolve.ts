/**
 * Purpose: one Jacobi pass of the contact law (src/core/contact/settings.ts). Twin of shaders/solve/resolve.wgsl,
 * operation by operation in its order, each rounded to 32 bits.
 * Inputs: sorted state and, for restitution, partners. Outputs: new positions and velocities, slots as they
 * were; `separateContacts` gives positions alone. Contributions are added in ascending slot order.
 */

import { massShare, type Substep } from '../../core/contact/settings';
import { OBSTACLE_PARTNER, obstacleShare } from '../../core/obstacles/obstacles';
import { wrapCoordinate } from '../../core/world/cells';
import type { World } from '../../core/world/world';
import { type GridState, probeCells } from '../query/probe';
import {
  add,
  addScaled,
  dot,
  findContact,
  loadVector,
  scale,
  storeVector,
  subtract,
  type Vector,
} from './contact';
import type { MovedState } from './integrate';
import { type Obstacles, probeObstacles } from './obstacles';

const { fround } = Math;

/** What one side does of what both do: of the push and the bounce, and of the braking. */
interface Part {
  readonly push: number;
  readonly grip: number;
}

const HALF: Part = { push: 0.5, grip: 0.5 };

/** On an obstacle, which does nothing, but brakes no more than another particle would. */
const ALONE: Part = { push: 1, grip: 0.5 };

/** The part of the first of two slots. */
function partOf({ dimensions }: World, { radii, bulks }: GridState, slot: number, other: number): Part {
  const sizes = bulks ?? radii;
  if (!sizes) return HALF;
  const share = massShare(dimensions, sizes[slot] as number, sizes[other] as number);
  return { push: share, grip: share };
}

export function resolveContacts(
  world: World,
  substep: Substep,
  grid: GridState,
  partners?: Uint32Array,
  obstacles?: Obstacles,
): MovedState {
  const { dimensions } = world;
  const { cells } = grid;
  // What is set aside is handed on as it is.
  const positions = grid.positions.slice();
  const velocities = grid.velocities.slice();
  const bounces = substep.restitution > 0 && partners !== undefined;
  for (let slot = 0; slot < cells.length; slot++) {
    const cell = cells[slot] as number;
    if (cell >= world.cellCount) continue;
    const position = loadVector(dimensions, grid.positions, slot);
    const velocity = loadVector(dimensions, grid.velocities, slot);
    let push: Vector = new Array<number>(dimensions).fill(0);
    let change: Vector = new Array<number>(dimensions).fill(0);
    probeCells(world, grid, slot, (other) => {
      const contact = findContact(world, substep, grid, slot, other);
      if (!contact) return;
      const relative = subtract(velocity, loadVector(dimensions, grid.velocities, other));
      const isMutual = bounces && partners[slot] === other && partners[other] === slot;
      const part = partOf(world, grid, slot, other);
      const effect = contactEffect(substep, contact.normal, contact.overlap, relative, isMutual, part);
      push = add(push, effect.push);
      change = add(change, effect.change);
    });
    if (obstacles) {
      const partner = bounces ? (partners[slot] as number) : undefined;
      const met = meetObstacles(world, substep, grid, slot, velocity, partner, obstacles);
      push = add(push, met.push);
      change = add(change, met.change);
    }
    let moved = { position: add(position, push), velocity: add(velocity, change) };
    if (substep.walls) moved = meetWalls(substep, boxOf(substep, grid, slot), moved);
    storeVector(positions, slot, wrap(world, moved.position));
    storeVector(velocities, slot, moved.velocity);
  }
  return { positions, velocities };
}

/** Pushes apart without regard to time: velocities are neither read nor changed. */
export function separateContacts(
  world: World,
  substep: Substep,
  grid: GridState,
  obstacles?: Obstacles,
): Float32Array {
  const { dimensions } = world;
  const { cells } = grid;
  const positions = grid.positions.slice();
  for (let slot = 0; slot < cells.length; slot++) {
    const cell = cells[slot] as number;
    if (cell >= world.cellCount) continue;
    const position = loadVector(dimensions, grid.positions, slot);
    let push: Vector = new Array<number>(dimensions).fill(0);
    probeCells(world, grid, slot, (other) => {
      const contact = findContact(world, substep, grid, slot, other);
      if (!contact) return;
      const amount = pushOf(substep, partOf(world, grid, slot, other), contact.overlap);
      push = addScaled(push, amount, contact.normal);
    });
    if (obstacles) {
      let deepest = 0;
      let overlaps = 0;
      let sum: Vector = new Array<number>(dimensions).fill(0);
      probeObstacles(world, grid, slot, obstacles, (other) => {
        const contact = findContact(world, substep, grid, slot, other, obstacles);
        if (!contact) return;
        deepest = Math.max(deepest, contact.overlap);
        overlaps = fround(overlaps + contact.overlap);
        sum = addScaled(sum, pushOf(substep, ALONE, contact.overlap), contact.normal);
      });
      push = addScaled(push, fround(obstacleShare(deepest, overlaps)), sum);
    }
    const moved = add(position, push);
    storeVector(
      positions,
      slot,
      wrap(world, substep.walls ? clampVector(moved, boxOf(substep, grid, slot)) : moved),
    );
  }
  return positions;
}

/** Back into a world that wraps around. */
function wrap(world: World, position: Vector): Vector {
  return position.map((coordinate, axis) => wrapCoordinate(world, coordinate, axis));
}

/** One particle. */
interface Moved {
  readonly position: Vector;
  readonly velocity: Vector;
}

interface Effect {
  readonly push: Vector;
  readonly change: Vector;
}

/** What all obstacles do to a particle: each its share, but the one it bounces off as if it were alone. */
function meetObstacles(
  world: World,
  substep: Substep,
  grid: GridState,
  slot: number,
  velocity: Vector,
  partner: number | undefined,
  obstacles: Obstacles,
): Effect {
  const { dimensions } = world;
  let push: Vector = new Array<number>(dimensions).fill(0);
  let change: Vector = new Array<number>(dimensions).fill(0);
  let bounce: Vector = new Array<number>(dimensions).fill(0);
  let deepest = 0;
  let overlaps = 0;
  probeObstacles(world, grid, slot, obstacles, (other) => {
    const contact = findContact(world, substep, grid, slot, other, obstacles);
    if (!contact) return;
    deepest = Math.max(deepest, contact.overlap);
    overlaps = fround(overlaps + contact.overlap);
    const isBounce = partner === (OBSTACLE_PARTNER | other) >>> 0;
    const effect = contactEffect(substep, contact.normal, contact.overlap, velocity, isBounce, ALONE);
    push = add(push, effect.push);
    if (isBounce) bounce = add(bounce, effect.change);
    else change = add(change, effect.change);
  });
  const share = fround(obstacleShare(deepest, overlaps));
  return { push: scale(share, push), change: addScaled(bounce, share, change) };
}

/** How far one side is pushed. The shader multiplies in this order; halving and doubling round nothing. */
function pushOf({ halfRelaxation }: Substep, { push }: Part, overlap: number): number {
  return fround(fround(push * fround(2 * halfRelaxation)) * overlap);
}

/** What one contact does to one side. */
function contactEffect(
  substep: Substep,
  normal: Vector,
  overlap: number,
  relative: Vector,
  isBounce: boolean,
  part: Part,
): Effect {
  const { restitution, friction, gripShare, restSpeed, pushSpeed, dt, inverseDt } = substep;
  const push = pushOf(substep, part, overlap);
  const approach = dot(relative, normal);
  let change: number;
  if (isBounce) {
    change = fround(fround(-part.push * fround(1 + restitution)) * approach);
  } else {
    const most = fround(fround(2 * part.grip) * pushSpeed);
    const cap = approach > 0 ? most : Math.max(most, fround(-part.push * approach));
    const kept = Math.abs(approach) > restSpeed ? fround(1 - restitution) : 1;
    change = fround(Math.min(fround(push * inverseDt), cap) * kept);
  }
  // Friction: up to a share of the sliding, no more than the normal change allows.
  const sliding = subtract(relative, scale(approach, normal));
  const slidingSpeed = fround(Math.sqrt(dot(sliding, sliding)));
  const grip = fround(fround(2 * gripShare) * part.grip);
  const braking = brake(fround(friction * change), fround(grip * slidingSpeed), slidingSpeed);
  // A contact that bears also holds its place; one that bounces only changes course.
  const held = isBounce ? 0 : fround(braking * dt);
  return {
    push: subtract(scale(push, normal), scale(held, sliding)),
    change: subtract(scale(change, normal), scale(braking, sliding)),
  };
}

/** The share of the sliding that friction takes away. */
function brake(grip: number, share: number, slidingSpeed: number): number {
  return slidingSpeed > 0 ? fround(Math.min(grip, share) / slidingSpeed) : 0;
}

/** Where the centre of a particle may be. */
export type Box = Pick<Substep, 'lower' | 'upper'>;

/** Of one that has a size of its own, no nearer to a wall than that. */
export function boxOf({ lower, upper }: Substep, { radii, halves }: GridState, slot: number): Box {
  if (!radii) return { lower, upper };
  const half = (axis: number) => (halves?.[lower.length * slot + axis] as number) || (radii[slot] as number);
  return {
    lower: lower.map((low, axis) => fround(low + half(axis))),
    upper: upper.map((high, axis) => fround(high - half(axis))),
  };
}

function meetWalls(substep: Substep, box: Box, { position, velocity }: Moved): Moved {
  let moved = { position, velocity };
  for (let axis = 0; axis < position.length; axis++) {
    moved = meetWall(substep, moved, axis, box.lower[axis] as number, 1);
    moved = meetWall(substep, moved, axis, box.upper[axis] as number, -1);
  }
  return { position: clampVector(moved.position, box), velocity: moved.velocity };
}

/** One wall: position onto it, velocity as against an unmovable particle. */
function meetWall(
  substep: Substep,
  { position, velocity }: Moved,
  axis: number,
  limit: number,
  inward: 1 | -1,
): Moved {
  const { restitution, friction, restSpeed, dt, inverseDt } = substep;
  const depth = inward * fround(limit - (position[axis] as number));
  if (!(depth > 0)) return { position, velocity };
  const onWall = position.with(axis, limit);
  const approach = inward * (velocity[axis] as number);
  if (!(approach < 0)) return { position: onWall, velocity };
  const bounces = restitution > 0 && approach < -restSpeed;
  const change = bounces
    ? fround(-fround(1 + restitution) * approach)
    : Math.min(fround(depth * inverseDt), -approach);
  const sliding = velocity.with(axis, 0);
  const slidingSpeed = fround(Math.sqrt(dot(sliding, sliding)));
  const braking = brake(fround(friction * change), slidingSpeed, slidingSpeed);
  const slowed = subtract(velocity, scale(braking, sliding));
  slowed[axis] = fround((slowed[axis] as number) + inward * change);
  const held = bounces ? 0 : fround(braking * dt);
  return { position: subtract(onWall, scale(held, sliding)), velocity: slowed };
}

function clampVector(position: Vector, { lower, upper }: Box): Vector {
  return position.map((coordinate, axis) =>
    Math.min(Math.max(coordinate, lower[axis] as number), upper[axis] as number),
  );
}
