/**
 * Purpose: which pairs there are, found by a method that shares nothing with the engines under test but the definition of
 * an overlap: bodies are dealt into columns along the longest edge of the box, sorted along it and swept, in doubles.
 * Input: a scene and positions, none of them NaN. Output: their number and checksum.
 * Guarantee: typed arrays alone, of at most 12 + 4 × dimensions bytes a body beside the positions, however many there are: a
 * hundred million are as exact as a hundred. Who has not so much memory gets a RangeError.
 */
import { type Found, mixPair } from './engine';
import type { BenchScene } from './scenes';

/** Coordinates are sorted by half of their bits at a time. */
const DIGIT_BITS = 16;
const DIGIT_MASK = 2 ** DIGIT_BITS - 1;

/** Bodies by column, and in it by where they are along it. */
interface Columns {
  /** First place of each column, and an end. */
  readonly starts: Uint32Array;
  /** From a column to those that come after it and touch it; columns at the border have an empty one beside them. */
  readonly ahead: readonly number[];
  readonly ids: Uint32Array;
  /** Axis by axis as `axes` has them, a body after the other: along the columns first. */
  readonly placed: Float32Array;
}

export function findExpected(scene: BenchScene, positions: Float32Array): Found {
  const { dimensions, radius, radii } = scene;
  const { starts, ahead, ids, placed } = dealIntoColumns(scene, positions);
  const diameter = 2 * radius;
  const inSpace = dimensions === 3;
  let pairs = 0;
  let checksum = 0;
  /** One body with those of a column from `place` on that begin before `end`. */
  const sweep = (body: number, first: number, last: number, end: number) => {
    const id = ids[body] as number;
    const own = radii ? (radii[id] as number) : radius;
    const x = placed[dimensions * body] as number;
    const y = placed[dimensions * body + 1] as number;
    const z = inSpace ? (placed[dimensions * body + 2] as number) : 0;
    for (let other = first; other < last; other++) {
      const otherX = placed[dimensions * other] as number;
      if (otherX >= end) return;
      const dx = otherX - x;
      const dy = (placed[dimensions * other + 1] as number) - y;
      const dz = inSpace ? (placed[dimensions * other + 2] as number) - z : 0;
      const otherId = ids[other] as number;
      const reach = own + (radii ? (radii[otherId] as number) : radius);
      if (dx * dx + dy * dy + dz * dz >= reach * reach) continue;
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
      const x = placed[dimensions * body] as number;
      // Nobody is wider than the diameter less this body's own radius.
      const end = x + (radii ? (radii[ids[body] as number] as number) + radius : diameter);
      sweep(body, body + 1, columnEnd, end);
      for (let index = 0; index < ahead.length; index++) {
        const last = starts[column + (ahead[index] as number) + 1] ?? 0;
        let first = firsts[index] as number;
        while (first < last && (placed[dimensions * first] as number) <= x - diameter) first++;
        firsts[index] = first;
        sweep(body, first, last, end);
      }
    }
  }
  return { pairs, checksum };
}

function dealIntoColumns({ dimensions, radius, min, max }: BenchScene, positions: Float32Array): Columns {
  const count = positions.length / dimensions;
  const edgeOf = (axis: number) => (max[axis] as number) - (min[axis] as number);
  // Worlds may be lines along any axis.
  const axes = Array.from({ length: dimensions }, (_, axis) => axis).sort((a, b) => edgeOf(b) - edgeOf(a));
  const [along = 0, across = 1, beyond = 1] = axes;
  // Columns of a diameter or wider, so that there are no more of them than bodies.
  const width = chooseWidth(
    2 * radius,
    count,
    dimensions === 2 ? [edgeOf(across)] : [edgeOf(across), edgeOf(beyond)],
  );
  const row = columnsAlong(edgeOf(across), width);
  const columnOf = (body: number) => {
    const from = body * dimensions;
    const column = Math.floor(((positions[from + across] as number) - (min[across] as number)) / width);
    if (dimensions === 2) return column;
    return (
      row * Math.floor(((positions[from + beyond] as number) - (min[beyond] as number)) / width) + column
    );
  };
  const bits = new Int32Array(positions.buffer, positions.byteOffset, positions.length);
  const wordOf = (body: number) => {
    const word = bits[body * dimensions + along] as number;
    // Negative ones with all bits turned over, others with the sign: then they are ordered as whole numbers.
    return word ^ ((word >> 31) | -0x8000_0000);
  };
  let from = new Uint32Array(count).map((_, body) => body);
  let to = new Uint32Array(count);
  const deal = (buckets: number, bucketOf: (body: number) => number): Uint32Array => {
    const starts = dealStably(from, to, buckets, bucketOf);
    [from, to] = [to, from];
    return starts;
  };
  deal(DIGIT_MASK + 1, (body) => wordOf(body) & DIGIT_MASK);
  deal(DIGIT_MASK + 1, (body) => wordOf(body) >>> DIGIT_BITS);
  const columns = row * (dimensions === 2 ? 1 : columnsAlong(edgeOf(beyond), width));
  const starts = deal(columns, columnOf);
  const placed = new Float32Array(positions.length);
  for (let place = 0; place < count; place++) {
    const body = (from[place] as number) * dimensions;
    placed[place * dimensions] = positions[body + along] as number;
    placed[place * dimensions + 1] = positions[body + across] as number;
    if (dimensions === 3) placed[place * dimensions + 2] = positions[body + beyond] as number;
  }
  return {
    starts,
    ahead: dimensions === 2 ? [1] : [1, row - 1, row, row + 1],
    ids: from,
    placed,
  };
}

/** With an empty one at the end. */
function columnsAlong(edge: number, width: number): number {
  return Math.floor(edge / width) + 2;
}

/** Fewer columns are always fine. */
const FEW_COLUMNS = 64;

function chooseWidth(diameter: number, count: number, edges: readonly number[]): number {
  let width = diameter;
  const columns = () => edges.reduce((product, edge) => product * columnsAlong(edge, width), 1);
  while (columns() > Math.max(count, FEW_COLUMNS)) width *= 2;
  return width;
}

/** Bodies by bucket, those of one in the order they came in. Returns where each bucket begins, and an end. */
function dealStably(
  from: Uint32Array,
  to: Uint32Array,
  buckets: number,
  bucketOf: (body: number) => number,
): Uint32Array {
  const starts = new Uint32Array(buckets + 1);
  for (let place = 0; place < from.length; place++) {
    const bucket = bucketOf(from[place] as number);
    starts[bucket + 1] = (starts[bucket + 1] as number) + 1;
  }
  for (let bucket = 0; bucket < buckets; bucket++) {
    starts[bucket + 1] = (starts[bucket + 1] as number) + (starts[bucket] as number);
  }
  for (let place = 0; place < from.length; place++) {
    const body = from[place] as number;
    const bucket = bucketOf(body);
    const next = starts[bucket] as number;
    starts[bucket] = next + 1;
    to[next] = body;
  }
  // Each start has become the next one's.
  starts.copyWithin(1, 0, buckets);
  starts[0] = 0;
  return starts;
}
