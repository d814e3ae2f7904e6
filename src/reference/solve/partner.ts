/**
 * Finds each particle's partner, for restitution: its fastest approaching contact, if that is faster than the rest
 * speed. Twin of shaders/solve/partner.wgsl. The output per slot is the partner's slot or NO_PARTNER. Among equally
 * fast contacts, the lowest slot wins.
 */
import { NO_PARTNER } from '../../core/base/constants';
import type { Substep } from '../../core/contact/settings';
import type { World } from '../../core/world/world';
import { type GridState, probeCells } from '../query/probe';
import { dot, findContact, loadVector, subtract } from './contact';

export function findPartners(world: World, substep: Substep, grid: GridState): Uint32Array {
  const { dimensions } = world;
  const { velocities } = grid;
  const count = grid.cells.length;
  const partners = new Uint32Array(count).fill(NO_PARTNER);
  for (let slot = 0; slot < count; slot++) {
    const velocity = loadVector(dimensions, velocities, slot);
    let fastest = -substep.restSpeed;
    probeCells(world, grid, slot, (other) => {
      const contact = findContact(world, substep, grid, slot, other);
      if (!contact) return;
      const approach = dot(subtract(velocity, loadVector(dimensions, velocities, other)), contact.normal);
      if (approach < fastest) {
        fastest = approach;
        partners[slot] = other;
      }
    });
  }
  return partners;
}
