/**
 * Finds the correct pairs in doubles: sorts bodies into columns along the longest edge and sweeps the columns. Shares
 * only the definition of an overlap with the engines. Positions must not be NaN. Uses at most 12 + 4 × dimensions bytes
 * of memory per body, and half a MiB.
 */
import { type Found, mixPair } from './engine';
import type { BenchScene } from './scenes';

/** A digit of the radix sort has half of a coordinate's bits. */
const DIGIT_BITS = 16;
const DIGIT_MASK = 2 ** DIGIT_BITS - 1;

/** Bodies, sorted by column, then by their coordinate along the column. */
interface Columns {
  readonly starts: Uint32Array;
  /**
   * Offsets from a column to the later columns that touch it. The last column along each axis is empty, so no offset
   * joins opposite ends of rows.
   */
  readonly ahead: readonly number[];
  /** The longest edge's axis first, the shortest edge's last. */
  readonly axes: readonly number[];
  readonly ids: Uint32Array;
  /** Coordinates of sorted bodies along `axes`. */
  readonly coordinates: Float32Array;
}

export function findExpected(scene: BenchScene, positions: Float32Array): Found {
  const { dimensions, radius, radii, halfExtents } = scene;
  const { starts, ahead, ids, coordinates, axes } = sortIntoColumns(scene, positions);
  const diameter = greatestReach(scene);
  const is3D = dimensions === 3;
  const halfOf = (halves: Float32Array, id: number, axis: number) =>
    halves[dimensions * id + (axes[axis] as number)] as number;
  let pairs = 0;
  let checksum = 0;
  /** Compares a body with the bodies `first` to `last` − 1. Stops at the first coordinate of `end` or more. */
  const sweep = (body: number, first: number, last: number, end: number) => {
    const id = ids[body] as number;
    const own = radii ? (radii[id] as number) : radius;
    const x = coordinates[dimensions * body] as number;
    const y = coordinates[dimensions * body + 1] as number;
    const z = is3D ? (coordinates[dimensions * body + 2] as number) : 0;
    for (let other = first; other < last; other++) {
      const otherX = coordinates[dimensions * other] as number;
      if (otherX >= end) return;
      const dx = otherX - x;
      const dy = (coordinates[dimensions * other + 1] as number) - y;
      const dz = is3D ? (coordinates[dimensions * other + 2] as number) - z : 0;
      const otherId = ids[other] as number;
      if (halfExtents) {
        const reach = (axis: number) => halfOf(halfExtents, id, axis) + halfOf(halfExtents, otherId, axis);
        if (Math.abs(dx) > reach(0) || Math.abs(dy) > reach(1) || (is3D && Math.abs(dz) > reach(2))) continue;
      } else {
        const reach = own + (radii ? (radii[otherId] as number) : radius);
        if (dx * dx + dy * dy + dz * dz >= reach * reach) continue;
      }
      pairs++;
      checksum = (checksum + mixPair(id, otherId)) >>> 0;
    }
  };
  const firsts = new Float64Array(ahead.length);
  for (let column = 0; column + 1 < starts.length; column++) {
    const columnEnd = starts[column + 1] as number;
    for (let index = 0; index < ahead.length; index++) {
      firsts[index] = starts[column + (ahead[index] as number)] ?? 0;
    }
    for (let body = starts[column] as number; body < columnEnd; body++) {
      const x = coordinates[dimensions * body] as number;
      const end = x + (radii ? (radii[ids[body] as number] as number) + radius : diameter);
      sweep(body, body + 1, columnEnd, end);
      for (let index = 0; index < ahead.length; index++) {
        const last = starts[column + (ahead[index] as number) + 1] ?? 0;
        let first = firsts[index] as number;
        while (first < last && (coordinates[dimensions * first] as number) <= x - diameter) first++;
        firsts[index] = first;
        sweep(body, first, last, end);
      }
    }
  }
  return { pairs, checksum };
}

/**
 * Bodies whose centres are this far apart along an axis do not overlap. For boxes, the distance is a little longer than
 * the longest edge, because touching boxes overlap.
 */
function greatestReach({ radius, halfExtents }: BenchScene): number {
  return 2 * radius * (halfExtents ? 1 + 2 ** -20 : 1);
}

function sortIntoColumns(scene: BenchScene, positions: Float32Array): Columns {
  const { dimensions, min, max } = scene;
  const count = positions.length / dimensions;
  const edgeOf = (axis: number) => (max[axis] as number) - (min[axis] as number);
  // Sort the axes by their edges, because a scene may be a line along any axis.
  const axes = Array.from({ length: dimensions }, (_, axis) => axis).sort((a, b) => edgeOf(b) - edgeOf(a));
  const [longest = 0, middle = 1, shortest = 1] = axes;
  const width = chooseWidth(
    greatestReach(scene),
    count,
    dimensions === 2 ? [edgeOf(middle)] : [edgeOf(middle), edgeOf(shortest)],
  );
  const row = columnsAlong(edgeOf(middle), width);
  const columnOf = (body: number) => {
    const from = body * dimensions;
    const column = Math.floor(((positions[from + middle] as number) - (min[middle] as number)) / width);
    if (dimensions === 2) return column;
    return (
      row * Math.floor(((positions[from + shortest] as number) - (min[shortest] as number)) / width) + column
    );
  };
  const bits = new Int32Array(positions.buffer, positions.byteOffset, positions.length);
  const wordOf = (body: number) => {
    const word = bits[body * dimensions + longest] as number;
    // Flip the sign bit of positive floats and all bits of negative ones. The words then have the order of the floats.
    return word ^ ((word >> 31) | -0x8000_0000);
  };
  let from = new Uint32Array(count).map((_, body) => body);
  let to = new Uint32Array(count);
  const sortInto = (buckets: number, bucketOf: (body: number) => number): Uint32Array => {
    const starts = sortStably(from, to, buckets, bucketOf);
    [from, to] = [to, from];
    return starts;
  };
  sortInto(DIGIT_MASK + 1, (body) => wordOf(body) & DIGIT_MASK);
  sortInto(DIGIT_MASK + 1, (body) => wordOf(body) >>> DIGIT_BITS);
  const columns = row * (dimensions === 2 ? 1 : columnsAlong(edgeOf(shortest), width));
  const starts = sortInto(columns, columnOf);
  const coordinates = new Float32Array(positions.length);
  for (let index = 0; index < count; index++) {
    const body = (from[index] as number) * dimensions;
    coordinates[index * dimensions] = positions[body + longest] as number;
    coordinates[index * dimensions + 1] = positions[body + middle] as number;
    if (dimensions === 3) coordinates[index * dimensions + 2] = positions[body + shortest] as number;
  }
  return {
    starts,
    ahead: dimensions === 2 ? [1] : [1, row - 1, row, row + 1],
    axes,
    ids: from,
    coordinates,
  };
}

/** Counts columns along an edge, with an empty column at the end. */
function columnsAlong(edge: number, width: number): number {
  return Math.floor(edge / width) + 2;
}

const FEW_COLUMNS = 64;

/** Returns a width of at least a diameter that gives at most max(`count`, FEW_COLUMNS) columns. */
function chooseWidth(diameter: number, count: number, edges: readonly number[]): number {
  let width = diameter;
  const columns = () => edges.reduce((product, edge) => product * columnsAlong(edge, width), 1);
  while (columns() > Math.max(count, FEW_COLUMNS)) width *= 2;
  return width;
}

/** Sorts the bodies of `from` into `to` by bucket. Returns the first index of each bucket, then the end. */
function sortStably(
  from: Uint32Array,
  to: Uint32Array,
  buckets: number,
  bucketOf: (body: number) => number,
): Uint32Array {
  const starts = new Uint32Array(buckets + 1);
  for (let index = 0; index < from.length; index++) {
    const bucket = bucketOf(from[index] as number);
    starts[bucket + 1] = (starts[bucket + 1] as number) + 1;
  }
  for (let bucket = 0; bucket < buckets; bucket++) {
    starts[bucket + 1] = (starts[bucket + 1] as number) + (starts[bucket] as number);
  }
  for (let index = 0; index < from.length; index++) {
    const body = from[index] as number;
    const bucket = bucketOf(body);
    const next = starts[bucket] as number;
    starts[bucket] = next + 1;
    to[next] = body;
  }
  // The loop advanced starts[i] to the start of bucket i + 1.
  starts.copyWithin(1, 0, buckets);
  starts[0] = 0;
  return starts;
}
