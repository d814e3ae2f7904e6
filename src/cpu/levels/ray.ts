/**
 * Finds the balls with their own radii that a ray meets, in each kind of world. Inputs: their order, a ray. Output:
 * sources and distances of the particles, by distance and then by source, as ../shared/ray-walk.ts finds them: on each
 * level in use, in the cells near enough to the ray for the largest particle there.
 */

import { beginInside, Meetings, Path, type Ray, type RayHits, spaceOf, Walk } from '../shared/ray-walk';
import { visitLevelRow } from './near';
import type { LevelOrder } from './order';

/**
 * Relative error of cells and of hits, which are computed in doubles. Each is off by a few 2⁻⁵³ of the coordinates and
 * of the distance along the ray, at most 64 times the length of a periodic world. This is more than that, and little
 * compared with the smallest cells.
 */
const WIDENED = 2 ** -40;

export function findAlongRayLevels(order: LevelOrder, ray: Ray): RayHits {
  const { lattice, levelChoice, live, cells, radii, source, positions } = order;
  const { world } = lattice;
  const space = spaceOf(world);
  const start = beginInside(world, ray);
  const met = new Meetings(positions, source);
  const levels = [...levelChoice.used.subarray(0, levelChoice.usedLevels)];
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
  walks.forEach((walk, index) => {
    const level = levels[index] as number;
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
