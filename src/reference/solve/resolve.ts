/**
 * One Jacobi pass of the contact law (src/core/contact/law.ts). Twin of shaders/solve/resolve.wgsl. Adds up contacts in
 * the order of slots.
 */

import { restitutionOf } from '../../core/contact/law';
import type { Substep } from '../../core/contact/settings';
import { obstacleShare } from '../../core/obstacles/obstacles';
import { wrapAxis } from '../../core/world/cells';
import type { World } from '../../core/world/world';
import { type GridState, probeCells } from '../query/probe';
import {
  add,
  addScaled,
  type Bodies,
  type Contact,
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
  loadOf,
  type Moved,
  meetObstacles,
  meetWalls,
  movingShare,
  noEffect,
  pushAside,
  pushOf,
  ratesOf,
  rub,
  settle,
  shareOf,
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
    let total = noEffect(dimensions);
    probeCells(world, grid, slot, (other) => {
      const contact = findContact(world, substep, grid, slot, other);
      if (!contact) return;
      const relative = subtract(velocity, loadVector(dimensions, grid.velocities, other));
      const load = fround(loadAt(slot) + loadAt(other));
      const restitution = restitutionOf(substep.restitution, load);
      const isMutual = restitution > 0 && partners?.[slot] === other && partners[other] === slot;
      const share = shareOf(world, grid, slot, other, !isMutual);
      const rates = ratesOf(substep, grid, slot, other, load);
      const meeting = { relative, bounces: isMutual, share, restitution, rates };
      if (!isMutual && grid.radii?.[slot] === grid.radii?.[other]) {
        const both = add(position, loadVector(dimensions, grid.positions, other));
        total = { ...total, push: add(total.push, pushAside(substep, contact, rates[0], both)) };
      }
      total = sumOf(total, contactEffect(substep, contact, meeting));
    });
    const settled = settle(substep, total);
    const { push, change, bearing } = settled;
    const changed = add(velocity, change);
    let moved: Moved = {
      position: add(position, push),
      velocity: changed,
      pressing: 0,
      sliding: changed,
      isBounced: false,
    };
    if (obstacles) {
      storeVector(positions, slot, wrap(world, moved.position));
      const contacts = contactsWithObstacles(world, substep, { ...grid, positions }, slot, obstacles);
      moved = meetObstacles(substep, own, contacts, moved);
    }
    const box = substep.walls ? boxOf(substep, grid, slot) : undefined;
    if (box) moved = meetWalls(substep, own, box, moved);
    moved = rub(substep, moved, box);
    const share = movingShare(substep, settled, moved.velocity);
    moved = { ...moved, velocity: scale(share, moved.velocity) };
    storeVector(positions, slot, wrap(world, moved.position));
    storeVector(velocities, slot, moved.velocity);
    if (loads) {
      const bears = fround(bearing + moved.pressing);
      loads[slot] = loadOf(substep, bears, subtract(moved.velocity, velocity));
    }
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
      const amount = pushOf(substep, shareOf(world, grid, slot, other), contact.overlap);
      push = addScaled(push, amount, contact.normal);
    });
    if (obstacles) {
      let deepest = 0;
      let overlaps = 0;
      let sum: Vector = new Array<number>(dimensions).fill(0);
      probeObstacles(world, grid.positions, slot, obstacles, (other) => {
        const contact = findContact(world, substep, grid, slot, other, obstacles);
        if (!contact) return;
        deepest = Math.max(deepest, contact.overlap);
        overlaps = fround(overlaps + contact.overlap);
        sum = addScaled(sum, pushOf(substep, 1, contact.overlap), contact.normal);
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

function contactsWithObstacles(
  world: World,
  substep: Substep,
  bodies: Bodies,
  slot: number,
  obstacles: Obstacles,
): Contact[] {
  const contacts: Contact[] = [];
  probeObstacles(world, bodies.positions, slot, obstacles, (other) => {
    const contact = findContact(world, substep, bodies, slot, other, obstacles);
    if (contact) contacts.push(contact);
  });
  return contacts;
}

export function boxOf({ lower, upper }: Substep, { radii, halves }: GridState, slot: number): Box {
  if (!radii) return { lower, upper };
  const half = (axis: number) => (halves?.[lower.length * slot + axis] as number) || (radii[slot] as number);
  return {
    lower: lower.map((low, axis) => fround(low + half(axis))),
    upper: upper.map((high, axis) => fround(high - half(axis))),
  };
}
