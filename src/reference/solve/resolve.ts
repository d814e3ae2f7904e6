/**
 * One Jacobi pass of the contact law (src/core/contact/law.ts). Twin of shaders/solve/resolve.wgsl. Adds up contacts in
 * the order of slots.
 */

import { restitutionOf } from '../../core/contact/law';
import type { Substep } from '../../core/contact/settings';
import { OBSTACLE_PARTNER, obstacleShare } from '../../core/obstacles/obstacles';
import { wrapAxis } from '../../core/world/cells';
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
import {
  type Box,
  clampVector,
  contactEffect,
  depthOf,
  type Effect,
  gainOf,
  isStopped,
  loadOf,
  type Moved,
  meetWalls,
  noEffect,
  ON_OBSTACLE,
  obstaclePushOf,
  partOf,
  pushOf,
  settle,
  sumOf,
} from './contact-law';
import type { MovedState } from './integrate';
import { type Obstacles, probeObstacles } from './obstacles';

const { fround } = Math;

export function resolveContacts(
  world: World,
  substep: Substep,
  grid: GridState,
  partners?: Uint32Array,
  obstacles?: Obstacles,
): MovedState {
  const { dimensions } = world;
  const { cells } = grid;
  // Quarantined particles keep their state.
  const positions = grid.positions.slice();
  const velocities = grid.velocities.slice();
  const loads = grid.radii && (grid.loads?.slice() ?? new Float32Array(cells.length));
  const loadAt = (slot: number) => (grid.radii ? (grid.loads?.[slot] ?? 0) : 0);
  for (let slot = 0; slot < cells.length; slot++) {
    const cell = cells[slot] as number;
    if (cell >= world.cellCount) continue;
    const position = loadVector(dimensions, grid.positions, slot);
    const velocity = loadVector(dimensions, grid.velocities, slot);
    const own = restitutionOf(substep.restitution, loadAt(slot));
    let sum = noEffect(dimensions);
    probeCells(world, grid, slot, (other) => {
      const contact = findContact(world, substep, grid, slot, other);
      if (!contact) return;
      const relative = subtract(velocity, loadVector(dimensions, grid.velocities, other));
      const load = fround(loadAt(slot) + loadAt(other));
      const restitution = restitutionOf(substep.restitution, load);
      const isMutual = restitution > 0 && partners?.[slot] === other && partners[other] === slot;
      const part = partOf(world, grid, slot, other, !isMutual);
      const depth = depthOf(substep, grid, slot, other, contact.overlap, grid);
      const spring = pushOf(substep, part, contact.overlap);
      const motion = { relative, slide: relative, bounces: isMutual, stops: false };
      const meeting = { ...motion, part, restitution, depth, spring };
      sum = sumOf(sum, contactEffect(substep, contact, meeting));
    });
    if (obstacles) {
      const partner = partners?.[slot];
      sum = sumOf(
        sum,
        meetObstacles(world, substep, grid, slot, velocity, sum.change, own, partner, obstacles),
      );
    }
    const { push, change, bearing } = settle(substep, sum);
    let moved: Moved = { position: add(position, push), velocity: add(velocity, change), bearing };
    if (substep.walls) moved = meetWalls(substep, own, boxOf(substep, grid, slot), moved);
    storeVector(positions, slot, wrap(world, moved.position));
    storeVector(velocities, slot, moved.velocity);
    if (loads) loads[slot] = loadOf(substep, moved.bearing, subtract(moved.velocity, velocity));
  }
  return { positions, velocities, loads };
}

/** Pushes particles apart. Neither reads nor changes velocities. */
export function pushApart(
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
        sum = addScaled(sum, pushOf(substep, ON_OBSTACLE, contact.overlap), contact.normal);
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

function wrap(world: World, position: Vector): Vector {
  return position.map((coordinate, axis) => wrapAxis(world, coordinate, axis));
}

/**
 * Adds up the effects of obstacles. Multiplies everything except a bounce by obstacleShare. `pressed`: the change of the
 * particle's velocity by other particles.
 */
function meetObstacles(
  world: World,
  substep: Substep,
  grid: GridState,
  slot: number,
  velocity: Vector,
  pressed: Vector,
  restitution: number,
  partner: number | undefined,
  obstacles: Obstacles,
): Effect {
  const { dimensions } = world;
  let sum = noEffect(dimensions);
  let isAnyStop = false;
  let bounce: Vector = new Array<number>(dimensions).fill(0);
  let deepest = 0;
  let overlaps = 0;
  const slide = subtract(velocity, gainOf(substep));
  const load = grid.loads?.[slot] ?? 0;
  probeObstacles(world, grid, slot, obstacles, (other) => {
    const contact = findContact(world, substep, grid, slot, other, obstacles);
    if (!contact) return;
    deepest = Math.max(deepest, contact.overlap);
    overlaps = fround(overlaps + contact.overlap);
    const isBounce = restitution > 0 && partner === (OBSTACLE_PARTNER | other) >>> 0;
    const stops = isStopped(substep, restitution, velocity, pressed, contact);
    const depth = depthOf(substep, grid, slot, other, contact.overlap, obstacles);
    const spring = obstaclePushOf(substep, load, contact.overlap);
    const effect = contactEffect(substep, contact, {
      relative: velocity,
      slide,
      bounces: isBounce,
      stops,
      part: ON_OBSTACLE,
      restitution,
      depth,
      spring,
    });
    if (isBounce) bounce = add(bounce, effect.change);
    isAnyStop ||= stops;
    sum = sumOf(sum, isBounce ? { ...effect, change: sum.change.map(() => 0) } : effect);
  });
  const share = fround(obstacleShare(deepest, overlaps));
  const change = scale(share, sum.change);
  const squared = dot(change, change);
  const against = fround(-dot(velocity, change) / squared);
  const kept = isAnyStop && squared > 0 ? Math.min(1, Math.max(0, against)) : 1;
  const factor = fround(share * kept);
  return {
    push: scale(share, sum.push),
    change: addScaled(bounce, kept, change),
    support: scale(factor, sum.support),
    bearing: fround(factor * sum.bearing),
    closing: sum.closing,
    deepest: sum.deepest,
  };
}

export function boxOf({ lower, upper }: Substep, { radii, halves }: GridState, slot: number): Box {
  if (!radii) return { lower, upper };
  const half = (axis: number) => (halves?.[lower.length * slot + axis] as number) || (radii[slot] as number);
  return {
    lower: lower.map((low, axis) => fround(low + half(axis))),
    upper: upper.map((high, axis) => fround(high - half(axis))),
  };
}
