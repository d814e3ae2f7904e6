/** Finds the k particles nearest to a point. */
import { type Visit, visitAll, visitNear } from './near';
import type { CellOrder } from './order';

/** The particles nearest to a point, by distance and then by id. */
export interface Nearest {
  /** Ids of the particles. */
  readonly ids: Uint32Array;
  /** Squared distances; in a periodic world, of minimum images. */
  readonly distancesSquared: Float64Array;
}

export function findNearest(
  order: CellOrder,
  positions: Float32Array,
  point: readonly number[],
  k: number,
  radius: number,
): Nearest {
  const { activeCount, lattice } = order;
  return widen(k, radius, {
    activeCount,
    dimensions: lattice.dimensions,
    cellSize: lattice.world.cellSize,
    halfPeriod: Math.min(...lattice.periods) / 2,
    near: (reach, visit) => visitNear(order, positions, point, reach, visit),
    all: (visit) => visitAll(order, positions, point, radius, visit),
  });
}

/** Two ways to visit particles: `near` visits those within `reach`, and `all` those within the search radius. */
export interface Surroundings {
  readonly activeCount: number;
  readonly dimensions: number;
  readonly cellSize: number;
  /** The longest reach that `near` accepts. */
  readonly halfPeriod: number;
  readonly near: (reach: number, visit: Visit) => void;
  readonly all: (visit: Visit) => void;
}

export function widen(k: number, radius: number, surroundings: Surroundings): Nearest {
  const { activeCount, dimensions, cellSize, halfPeriod, near, all } = surroundings;
  const best = new Best(Math.min(k, activeCount));
  for (let reach = Math.min(radius, cellSize); ; reach = Math.min(radius, 2 * reach)) {
    const cells = (2 * (reach / cellSize) + 3) ** dimensions;
    if (reach > halfPeriod || cells > activeCount) break;
    best.length = 0;
    near(reach, best.offer);
    if (best.isFull || reach >= radius) return best.found();
  }
  best.length = 0;
  all(best.offer);
  return best.found();
}

class Best {
  length = 0;
  private readonly ids: Uint32Array;
  private readonly squares: Float64Array;

  constructor(capacity: number) {
    this.ids = new Uint32Array(capacity);
    this.squares = new Float64Array(capacity);
  }

  get isFull(): boolean {
    return this.length === this.ids.length;
  }

  readonly offer = (id: number, distanceSquared: number): void => {
    const { ids, squares, length } = this;
    if (this.isFull && (length === 0 || !this.isBefore(id, distanceSquared, length - 1))) return;
    let low = 0;
    let high = length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.isBefore(id, distanceSquared, middle)) high = middle;
      else low = middle + 1;
    }
    // Drops the last particle of a full list.
    ids.copyWithin(low + 1, low, length);
    squares.copyWithin(low + 1, low, length);
    ids[low] = id;
    squares[low] = distanceSquared;
    if (!this.isFull) this.length++;
  };

  found(): Nearest {
    return { ids: this.ids.slice(0, this.length), distancesSquared: this.squares.slice(0, this.length) };
  }

  private isBefore(id: number, distanceSquared: number, entry: number): boolean {
    const other = this.squares[entry] as number;
    return distanceSquared < other || (distanceSquared === other && id < (this.ids[entry] as number));
  }
}
