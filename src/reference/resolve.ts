/**
 * Purpose: one Jacobi pass of the contact law (src/core/settings.ts). Twin of shaders/solve/resolve.wgsl,
 * operation by operation in its order, each rounded to 32 bits.
 * Inputs: sorted state and, for restitution, partners. Outputs: new positions and velocities, slots as they
 * were; `separateContacts` gives positions alone. Contributions are added in ascending slot order.
 */
import { carryCoordinate } from '../core/cells';
import { OBSTACLE_PARTNER, obstacleShare } from '../core/obstacles';
import type { Substep } from '../core/settings';
import type { World } from '../core/world';
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
import type { Grid } from './grid';
import type { MovedState } from './integrate';
import { probeCells, probeObstacles } from './probe';

const { fround } = Math;

type GridState = Pick<Grid, 'start' | 'cells' | 'lattices' | 'positions' | 'velocities'>;

/** The grid of the particles that never move. */
type Obstacles = Pick<Grid, 'start' | 'lattices' | 'positions'>;

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
      const contact = findContact(world, substep, grid.positions, slot, other);
      if (!contact) return;
      const relative = subtract(velocity, loadVector(dimensions, grid.velocities, other));
      const isMutual = bounces && partners[slot] === other && partners[other] === slot;
      const effect = contactEffect(substep, contact.normal, contact.overlap, relative, isMutual);
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
    if (substep.walls) moved = meetWalls(substep, moved.position, moved.velocity);
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
      const contact = findContact(world, substep, grid.positions, slot, other);
      if (contact) push = addScaled(push, fround(substep.halfRelaxation * contact.overlap), contact.normal);
    });
    if (obstacles) {
      let deepest = 0;
      let overlaps = 0;
      let sum: Vector = new Array<number>(dimensions).fill(0);
      probeObstacles(world, grid, slot, obstacles, (other) => {
        const contact = findContact(world, substep, grid.positions, slot, other, obstacles.positions);
        if (!contact) return;
        deepest = Math.max(deepest, contact.overlap);
        overlaps = fround(overlaps + contact.overlap);
        sum = addScaled(sum, fround(2 * substep.halfRelaxation * contact.overlap), contact.normal);
      });
      push = addScaled(push, fround(obstacleShare(deepest, overlaps)), sum);
    }
    const moved = add(position, push);
    storeVector(positions, slot, wrap(world, substep.walls ? clampVector(moved, substep) : moved));
  }
  return positions;
}

/** Back into a world that wraps around. */
function wrap(world: World, position: Vector): Vector {
  return position.map((coordinate, axis) => carryCoordinate(world, coordinate, axis));
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
    const contact = findContact(world, substep, grid.positions, slot, other, obstacles.positions);
    if (!contact) return;
    deepest = Math.max(deepest, contact.overlap);
    overlaps = fround(overlaps + contact.overlap);
    const isBounce = partner === (OBSTACLE_PARTNER | other) >>> 0;
    const effect = contactEffect(substep, contact.normal, contact.overlap, velocity, isBounce, 1);
    push = add(push, effect.push);
    if (isBounce) bounce = add(bounce, effect.change);
    else change = add(change, effect.change);
  });
  const share = fround(obstacleShare(deepest, overlaps));
  return { push: scale(share, push), change: addScaled(bounce, share, change) };
}

/** What one contact does to one side, which does `part` of what both do. */
function contactEffect(
  substep: Substep,
  normal: Vector,
  overlap: number,
  relative: Vector,
  isBounce: boolean,
  part: 0.5 | 1 = 0.5,
): Effect {
  const { restitution, friction, halfRelaxation, gripShare, restSpeed, pushSpeed, dt, inverseDt } = substep;
  // Doubling and halving round nothing.
  const push = fround(2 * part * halfRelaxation * overlap);
  const approach = dot(relative, normal);
  let change: number;
  if (isBounce) {
    change = fround(fround(-part * fround(1 + restitution)) * approach);
  } else {
    const cap = approach > 0 ? pushSpeed : Math.max(pushSpeed, fround(-part * approach));
    const kept = Math.abs(approach) > restSpeed ? fround(1 - restitution) : 1;
    change = fround(Math.min(fround(push * inverseDt), cap) * kept);
  }
  // Friction: up to a share of the sliding, no more than the normal change allows.
  const sliding = subtract(relative, scale(approach, normal));
  const slidingSpeed = fround(Math.sqrt(dot(sliding, sliding)));
  const braking = brake(fround(friction * change), fround(gripShare * slidingSpeed), slidingSpeed);
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

function meetWalls(substep: Substep, position: Vector, velocity: Vector) {
  let moved = { position, velocity };
  for (let axis = 0; axis < position.length; axis++) {
    moved = meetWall(substep, moved.position, moved.velocity, axis, substep.lower[axis] as number, 1);
    moved = meetWall(substep, moved.position, moved.velocity, axis, substep.upper[axis] as number, -1);
  }
  return { position: clampVector(moved.position, substep), velocity: moved.velocity };
}

/** One wall: position onto it, velocity as against an unmovable particle. */
function meetWall(
  substep: Substep,
  position: Vector,
  velocity: Vector,
  axis: number,
  limit: number,
  inward: 1 | -1,
): { position: Vector; velocity: Vector } {
  const { restitution, friction, restSpeed, dt, inverseDt } = substep;
  const depth = inward * fround(limit - (position[axis] as number));
  if (!(depth > 0)) return { position, velocity };
  const onWall = position.with(axis, limit);
  const approach = inward * (velocity[axis] as number);
  if (!(approach < 0)) return { position: onWall, velocity };
  let change = Math.min(fround(depth * inverseDt), -approach);
  if (restitution > 0 && approach < -restSpeed) change = fround(-fround(1 + restitution) * approach);
  const sliding = velocity.with(axis, 0);
  const slidingSpeed = fround(Math.sqrt(dot(sliding, sliding)));
  const braking = brake(fround(friction * change), slidingSpeed, slidingSpeed);
  const slowed = subtract(velocity, scale(braking, sliding));
  slowed[axis] = fround((slowed[axis] as number) + inward * change);
  return {
    position: subtract(onWall, scale(fround(braking * dt), sliding)),
    velocity: slowed,
  };
}

function clampVector(position: Vector, substep: Pick<Substep, 'lower' | 'upper'>): Vector {
  return position.map((coordinate, axis) =>
    Math.min(Math.max(coordinate, substep.lower[axis] as number), substep.upper[axis] as number),
  );
}
