/**
 * Finds the balls with variable radii that a ray meets. On each level in use, searches the cells from which the level's
 * largest particle could reach the ray; see ../shared/ray-walk.ts.
 */

import { Path, type Ray, RayHitList, type RayHits, rayWorldOf, Walk, wrapRay } from '../shared/ray-walk';
import { visitLevelRow } from './near';
import type { LevelOrder } from './order';

/** A relative margin. Rounding errors of cells and hits are a few times 2⁻⁵³ of the distance along the ray. */
const TOLERANCE = 2 ** -40;

export function findAlongRayLevels(order: LevelOrder, ray: Ray): RayHits {
  const { lattice, levelChoice, activeCount, cells, radii, source, positions } = order;
  const { world } = lattice;
  const rayWorld = rayWorldOf(world);
  const start = wrapRay(world, ray);
  const hits = new RayHitList(positions, source);
  const levels = [...levelChoice.used.subarray(0, levelChoice.usedLevels)];
  const walks = levels.map((level) => {
    const path = new Path(rayWorld, start, cells.greatestRadius(level), TOLERANCE);
    return new Walk(
      path,
      lattice.periods.map((_, axis) => cells.along(axis, level)),
    );
  });
  const lookups = walks.reduce((sum, walk) => sum + walk.lookups(!cells.isDense), 0);
  if (lookups > activeCount) {
    const path = new Path(rayWorld, start, world.diameter / 2, TOLERANCE);
    for (let slot = 0; slot < activeCount; slot++) hits.addAnyImage(path, slot, radii[slot] as number);
    return hits.inOrder();
  }
  walks.forEach((walk, index) => {
    const level = levels[index] as number;
    walk.visit(
      (first, last, row, layer, image, consider) =>
        visitLevelRow(order, level, first, last, row, layer, (slot) => consider(slot, image)),
      (slot, image) => {
        const radius = radii[slot] as number;
        const distance = walk.path.meet(positions, slot, image, radius);
        if (distance >= 0) hits.add(walk.path, slot, image, radius, distance);
      },
    );
  });
  return hits.inOrder();
}
