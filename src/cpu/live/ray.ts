/**
 * Finds the objects of an index that a ray meets, each a ball of its own radius. Inputs: the cells of the index, a ray.
 * Output: ids and distances, by distance and then by id, as ../shared/ray-walk.ts finds them: on each level in the
 * cells near enough to the ray for the largest object there, or among all objects there if those are fewer.
 */
import type { Bounds } from '../../core/world/bounds';
import { beginInside, Meetings, Path, type Ray, type RayHits, Walk } from '../shared/ray-walk';
import { type LiveCells, RADIUS, WORDS } from './cells';

/** Relative error of cells and of hits, which are computed in doubles; the same as for grids with radii. */
const WIDENED = 2 ** -40;

export function findAlongRayLive(cells: LiveCells, bounds: Bounds, ray: Ray): RayHits {
  const { dimensions, min, period } = bounds;
  const { reals, counts, occupied, occupiedLevels } = cells;
  const start = beginInside(bounds, ray);
  // Along axes that do not wrap, cells are counted from 0.
  const extents = period.map((length, axis) => (length > 0 ? Math.abs(min[axis] as number) + length : 0));
  const halfPeriod = Math.min(...period.map((length) => length || Number.POSITIVE_INFINITY)) / 2;
  const met = new Meetings(reals);
  for (let index = 0; index < occupiedLevels; index++) {
    const level = occupied[index] as number;
    // No radius is larger than half a period, but cells may be.
    const greatest = Math.min(cells.greatestRadius(level), halfPeriod);
    const path = new Path({ dimensions, period, extents }, start, greatest, WIDENED, WORDS);
    const walk = new Walk(
      path,
      period.map((_, axis) => cells.along(axis, level)),
    );
    const radiusOf = (id: number) => reals[WORDS * id + RADIUS] as number;
    if (walk.lookups(true) > (counts[level] as number)) {
      cells.visitLevel(level, (id) => met.ask(path, id, radiusOf(id)));
      continue;
    }
    walk.go(
      (first, last, row, layer, image, consider) =>
        cells.visitRow(level, first, last, row, layer, (id) => consider(id, image)),
      (id, image) => {
        const distance = path.meet(reals, id, image, radiusOf(id));
        if (distance >= 0) met.add(path, id, image, radiusOf(id), distance);
      },
    );
  }
  return met.inOrder();
}
