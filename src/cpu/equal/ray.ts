/** Finds the particles that a ray meets. Each particle counts as a ball of one given radius. */
import { FARTHEST_CELL } from '../../core/base/constants';
import type { World } from '../../core/world/world';
import { lowerBound } from '../shared/lattice';
import {
  type CellsAlong,
  Path,
  type Ray,
  RayHitList,
  type RayHits,
  rayWorldOf,
  type VisitRow,
  Walk,
  wrapRay,
} from '../shared/ray-walk';
import { visitCells } from './hashed';
import type { CellOrder } from './order';

/** A relative margin. It exceeds the rounding error of cells, which are computed in 32-bit floats. */
const TOLERANCE = 2 ** -20;

export function findAlongRay(order: CellOrder, positions: Float32Array, ray: Ray, radius: number): RayHits {
  const { activeCount, source, lattice } = order;
  const { world } = lattice;
  const start = wrapRay(world, ray);
  const path = new Path(rayWorldOf(world), start, radius, TOLERANCE);
  const walk = new Walk(
    path,
    world.cells.map((_, axis) => cellsAlong(world, axis)),
  );
  const hits = new RayHitList(positions, source);
  // One search of the keys finds a whole row. In an unbounded world, a lookup finds only cells of one block.
  if (walk.lookups(world.kind === 'unbounded') > activeCount) {
    for (let slot = 0; slot < activeCount; slot++) hits.addAnyImage(path, slot, radius);
  } else {
    const visitRow = world.kind === 'unbounded' ? rowsOfBuckets(order) : rowsOfKeys(order);
    walk.visit(visitRow, (slot, image) => {
      const distance = path.meet(positions, slot, image, radius);
      if (distance >= 0) hits.add(path, slot, image, radius, distance);
    });
  }
  return hits.inOrder();
}

function cellsAlong(world: World, axis: number): CellsAlong {
  const { cellSize, inverseCellSize } = world;
  if (world.kind === 'unbounded') {
    const last = FARTHEST_CELL;
    return { cellSize, inverseCellSize, low: 0, zero: 0, first: -last, last, period: 0 };
  }
  const low = world.min[axis] as number;
  const period = world.period[axis] as number;
  // Along an axis that does not wrap, there is an empty cell at each end.
  const ring = period > 0 ? 0 : 1;
  const last = (world.cells[axis] as number) - 1 - ring;
  return { cellSize, inverseCellSize, low, zero: ring, first: ring, last, period };
}

function rowsOfBuckets(order: CellOrder): VisitRow {
  const { dimensions } = order.lattice;
  return (first, last, row, layer, image, consider) => {
    const corner = (x: number) => [x, row, layer].slice(0, dimensions);
    visitCells(order, corner(first), corner(last), (slot) => consider(slot, image));
  };
}

function rowsOfKeys({ keys, activeCount, lattice }: CellOrder): VisitRow {
  const { rowStride, layerStride, wrapsX, wrapsY, wrapsZ } = lattice;
  // Along axes that wrap, cells begin at 0, but their coordinates in keys begin at 1.
  const start = Number(wrapsX) + Number(wrapsY) * rowStride + Number(wrapsZ) * layerStride;
  return (first, last, row, layer, image, consider) => {
    const rowKey = start + layer * layerStride + row * rowStride;
    let slot = lowerBound(keys, activeCount, rowKey + first);
    for (; (keys[slot] as number) <= rowKey + last; slot++) consider(slot, image);
  };
}
