/**
 * Purpose: which balls a ray meets that each have a radius of their own, in each kind of world. Inputs: their order, a
 * ray. Output: the sources of the particles and their distances, by distance and then by source, as ray-walk.ts finds
 * them: on each level in use, in the cells so near the ray that the largest there may be met.
 */

import { beginInside, Meetings, Path, type Ray, type RayHits, spaceOf, Walk } from '../shared/ray-walk';
import { visitLevelRow } from './near';
import type { LevelOrder } from './order';

/**
 * Cells are told in doubles, and so is who is met: each is off by a few 2⁻⁵³ of the coordinates and of the way, which is 64
 * times as long as the world at most where it wraps around. This is more than that, and little beside the smallest cells.
 */
const WIDENED = 2 ** -40;

export function findAlongRayLevels(order: LevelOrder, ray: Ray): RayHits {
  const { lattice, filing, live, cells, radii, source, positions } = order;
  const { world } = lattice;
  const space = spaceOf(world);
  const start = beginInside(world, ray);
  const met = new Meetings(positions, source);
  const levels = [...filing.used.subarray(0, filing.usedLevels)];
  const walks = levels.map((level) => {
    const path = new Path(space, start, cells.greatestRadius(level), WIDENED);
    return new Walk(
      path,
      lattice.periods.map((_, axis) => cells.along(axis, level)),
    );
  });
  const lookups = walks.reduce((sum, walk) => sum + walk.lookups(!cells.isDense), 0);
  if (lookups > live) {
    const path = new Path(space, start, world.diameter / 2, WIDENED);
    for (let slot = 0; slot < live; slot++) met.ask(path, slot, radii[slot] as number);
    return met.inOrder();
  }
  walks.forEach((walk, place) => {
    const level = levels[place] as number;
    walk.go(
      (first, last, row, layer, image, consider) =>
        visitLevelRow(order, level, first, last, row, layer, (slot) => consider(slot, image)),
      (slot, image) => {
        const radius = radii[slot] as number;
        const distance = walk.path.meet(positions, slot, image, radius);
        if (distance >= 0) met.add(walk.path, slot, image, radius, distance);
      },
    );
  });
  return met.inOrder();
}
