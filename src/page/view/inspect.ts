/**
 * Describes the grid's work for one particle, even if the run uses another broad phase. The reference does this work,
 * with the same cells and order as the GPU engine. Because of rounding, the two may disagree on a pair that almost
 * touches.
 */

import { shapesOf } from '../../core/particles/shapes';
import { bucketOfLattice, latticeOfParticle, wrapPositions } from '../../core/world/cells';
import { areWithinReach, bucketAt, coarsened, latticeAt, levelOf, wrapCell } from '../../core/world/levels';
import { mergeLevels } from '../../core/world/merged-levels';
import type { ParticleArrays, World } from '../../index';
import { countParticles } from '../../reference/grid/count';
import { OFFSETS } from '../../reference/grid/offsets';
import { exclusiveScan } from '../../reference/grid/scan';
import { distanceSquared, faceShapes, reachBetween } from '../../reference/solve/contact';

/** With more particles, the page would respond too slowly. */
export const MOST_INSPECTED = 1_000_000;

/** Slots from `start` to `end` − 1. */
export interface Slice {
  readonly start: number;
  readonly end: number;
  /** Ids in the cell, ascending. */
  readonly ids: readonly number[];
}

export interface ProbedCell extends Slice {
  /** Undefined if all radii are equal. */
  readonly level: number | undefined;
  /** Lattice coordinates: see core/world/cells.ts. */
  readonly cell: readonly number[];
  /** Index in the cell table, which is a hash table in an unbounded world. */
  readonly bucket: number;
  readonly min: readonly number[];
  readonly max: readonly number[];
}

/** 'apart': tested, but no contact. 'stranger': its cell only shares a bucket with a probed cell. */
export type Verdict = 'contact' | 'apart' | 'stranger' | 'itself';

export interface Candidate {
  readonly id: number;
  readonly slot: number;
  /** Index in the arrays that were read. */
  readonly index: number;
  readonly verdict: Verdict;
  /** Between the centres, by the minimum image. */
  readonly distance: number;
  /** The sum of both radii. */
  readonly reach: number;
  /** A negative number is a gap. For boxes, see core/particles/shapes.ts. */
  readonly overlap: number;
}

export interface Inspected {
  readonly id: number;
  readonly index: number;
  readonly position: readonly number[];
  readonly velocity: readonly number[];
  /** A box has the radius of the ball around it. */
  readonly radius: number;
  /** Undefined for discs and balls. */
  readonly halves: readonly number[] | undefined;
  readonly slot: number;
  /** Undefined in quarantine. */
  readonly own: ProbedCell | undefined;
  /**
   * In the order of the probe. With levels, cells of the particle's own level come first, then those of each higher
   * level that has particles.
   */
  readonly probe: readonly ProbedCell[];
  /** Sorted by slot. */
  readonly candidates: readonly Candidate[];
}

/** Returns a function that describes a particle by id. The ids in `particles` must ascend. */
export function inspectAll(
  given: World,
  radius: number,
  particles: ParticleArrays,
): (id: number) => Inspected | undefined {
  const { dimensions, levels } = given;
  const { ids, velocities } = particles;
  const positions = wrapPositions(given, particles.positions);
  const sizes = shapesOf(dimensions, particles);
  const { radii, halves } = sizes;
  const world = mergeLevels(given, positions, radii);
  const { counts, cells: buckets, ranks } = countParticles(world, positions, ids.length, ids, radii);
  const start = exclusiveScan(counts);
  const bodies = { positions, ...sizes };
  const levelAt = (index: number) => radii && levelOf(world, radii[index] as number);
  const slotOf = (index: number) => (start[buckets[index] as number] as number) + (ranks[index] as number);
  const latticeOf = (index: number) => {
    const level = levelAt(index);
    return level === undefined
      ? latticeOfParticle(world, positions, index)
      : latticeAt(world, positions, index, level);
  };
  let occupied = 0;
  if (radii) for (let index = 0; index < ids.length; index++) occupied |= 1 << (levelAt(index) ?? 31);

  const gather = (wanted: ReadonlySet<number>) => {
    const found = new Map<number, number[]>();
    for (const bucket of wanted) found.set(bucket, []);
    for (let index = 0; index < ids.length; index++) found.get(buckets[index] as number)?.push(index);
    return found;
  };

  const judge = (own: number, index: number, isStranger: boolean): Candidate => {
    const reach = reachBetween(world.levels > 0 ? 0 : world.diameter, radii, own, index);
    const squared = distanceSquared(world, positions, own, index);
    const distance = Math.sqrt(squared);
    const faced = halves && faceShapes(world, bodies, own, index);
    const isContact = faced ? faced.isContact : squared < Math.fround(reach * reach);
    const verdict: Verdict = isStranger ? 'stranger' : isContact ? 'contact' : 'apart';
    return {
      id: ids[index] as number,
      slot: slotOf(index),
      index,
      verdict: index === own ? 'itself' : verdict,
      distance,
      reach,
      overlap: faced?.overlap ?? reach - distance,
    };
  };

  return (id) => {
    const own = indexOfId(ids, id);
    if (own === undefined) return undefined;
    const bucket = buckets[own] as number;
    const vector = (array: Float32Array) =>
      Array.from(array.subarray(dimensions * own, dimensions * (own + 1)));
    const half = halves && vector(halves);
    const common = {
      id,
      index: own,
      position: vector(positions),
      velocity: vector(velocities),
      radius: radii?.[own] ?? radius,
      halves: half?.some((along) => along > 0) ? half : undefined,
      slot: slotOf(own),
    };
    if (bucket >= world.cellCount) return { ...common, own: undefined, probe: [], candidates: [] };
    const level = levelAt(own);
    const lattice = latticeOf(own);
    const probed = cellsAround(world, lattice, level, occupied);
    const members = gather(new Set(probed.map(({ bucket: wanted }) => wanted)));
    const probe = probed.map((cell): ProbedCell => {
      const inCell = (members.get(cell.bucket) ?? []).filter(
        (index) =>
          levelAt(index) === cell.level &&
          latticeOf(index).every((coordinate, axis) => coordinate === cell.cell[axis]),
      );
      const first = start[cell.bucket] as number;
      const end = start[cell.bucket + 1] as number;
      const corners = cornersOf(world, cell.cell, cell.level ?? 0);
      return { ...cell, start: first, end, ids: inCell.map((index) => ids[index] as number), ...corners };
    });
    const found = new Map<number, Candidate>();
    for (const indices of members.values()) {
      for (const index of indices) found.set(index, judge(own, index, true));
    }
    if (levels > 0) {
      // Particles of lower levels are candidates too, although the probe visits none of their cells.
      for (let index = 0; index < ids.length; index++) {
        const isInCell = (buckets[index] as number) < world.cellCount;
        if (isInCell && areWithinReach(world, positions, radii as Float32Array, own, index)) {
          found.set(index, judge(own, index, false));
        }
      }
    } else {
      for (const cell of probe) {
        for (const other of cell.ids) {
          const index = indexOfId(ids, other) as number;
          found.set(index, judge(own, index, false));
        }
      }
    }
    return {
      ...common,
      own: probe.find(
        (cell) => cell.level === level && cell.cell.every((coordinate, axis) => coordinate === lattice[axis]),
      ),
      probe,
      candidates: [...found.values()].sort((a, b) => a.slot - b.slot),
    };
  };
}

export function indexOfId(ids: Uint32Array, id: number): number | undefined {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] as number) < id) low = middle + 1;
    else high = middle;
  }
  return ids[low] === id ? low : undefined;
}

type CellAddress = Pick<ProbedCell, 'level' | 'cell' | 'bucket'>;

/** `level` is undefined without variable radii. Bit l of `occupied` is set if level l has particles. */
function cellsAround(
  world: World,
  lattice: readonly number[],
  level: number | undefined,
  occupied: number,
): CellAddress[] {
  const offsets = OFFSETS[world.dimensions];
  if (level === undefined) {
    return offsets.map((offset) => {
      const cell = lattice.map((coordinate, axis) => {
        const moved = coordinate + (offset[axis] as number);
        const cells = world.cells[axis] as number;
        return world.period[axis] === 0 ? moved : (moved + cells) % cells;
      });
      return { level, cell, bucket: bucketOfLattice(world, cell) };
    });
  }
  return Array.from({ length: world.levels - level }, (_, above) => level + above)
    .filter((higher) => higher === level || (occupied & (1 << higher)) !== 0)
    .flatMap((higher) => {
      const middle = coarsened(world, lattice, level, higher);
      const around = offsets.map((offset) => {
        const beside = middle.map((coordinate, axis) => coordinate + (offset[axis] as number));
        return wrapCell(world, beside, higher);
      });
      return around.map((cell) => ({ level: higher, cell, bucket: bucketAt(world, cell, higher) }));
    });
}

/** The last cell along a periodic axis extends to the end of the world. */
export function cornersOf(
  world: World,
  cell: readonly number[],
  level: number,
): { readonly min: number[]; readonly max: number[] } {
  const size = world.cellSize * 2 ** level;
  const low = (axis: number) => (world.kind === 'unbounded' ? 0 : (world.min[axis] as number));
  const edge = (axis: number, after: number) => {
    // Cell 0 is in the ring, outside the world.
    const ring = world.levels === 0 && world.kind !== 'unbounded' && world.period[axis] === 0 ? 1 : 0;
    return low(axis) + ((cell[axis] as number) - ring + after) * size;
  };
  const min = cell.map((_, axis) => edge(axis, 0));
  const max = cell.map((coordinate, axis) => {
    const period = world.period[axis] as number;
    const cells = world.cells[axis] as number;
    const isLast = period > 0 && coordinate === (world.levels > 0 ? cells >> level : cells) - 1;
    return isLast ? (world.max[axis] as number) : edge(axis, 1);
  });
  return { min, max };
}
