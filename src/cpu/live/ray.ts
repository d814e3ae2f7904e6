/** Finds the objects of an index that a ray meets. */
import type { Bounds } from '../../core/world/bounds';
import { Path, type Ray, RayHitList, type RayHits, Walk, wrapRay } from '../shared/ray-walk';
import { type LiveCells, RADIUS, WORDS } from './cells';

/** A relative margin, greater than the rounding errors of cells and hits in doubles. */
const TOLERANCE = 2 ** -40;

export function findAlongRayLive(cells: LiveCells, bounds: Bounds, ray: Ray): RayHits {
  const { dimensions, min, period } = bounds;
  const { reals, counts, occupied, occupiedLevels } = cells;
  const start = wrapRay(bounds, ray);
  // Along axes that do not wrap, cells are counted from coordinate 0.
  const extents = period.map((length, axis) => (length > 0 ? Math.abs(min[axis] as number) + length : 0));
  const halfPeriod = Math.min(...period.map((length) => length || Number.POSITIVE_INFINITY)) / 2;
  const hits = new RayHitList(reals);
  for (let index = 0; index < occupiedLevels; index++) {
    const level = occupied[index] as number;
    // No radius exceeds half a period, but greatestRadius may, if cells are large.
    const greatest = Math.min(cells.greatestRadius(level), halfPeriod);
    const path = new Path({ dimensions, min, period, extents }, start, greatest, TOLERANCE, WORDS);
    const walk = new Walk(
      path,
      period.map((_, axis) => cells.along(axis, level)),
    );
    const radiusOf = (id: number) => reals[WORDS * id + RADIUS] as number;
    if (walk.lookups(true) > (counts[level] as number)) {
      cells.visitLevel(level, (id) => hits.addAnyImage(path, id, radiusOf(id)));
      continue;
    }
    walk.visit(
      (first, last, row, layer, image, consider) =>
        cells.visitRow(level, first, last, row, layer, (id) => consider(id, image)),
      (id, image) => {
        const distance = path.meet(reals, id, image, radiusOf(id));
        if (distance >= 0) hits.add(path, id, image, radiusOf(id), distance);
      },
    );
  }
  return hits.inOrder();
}
