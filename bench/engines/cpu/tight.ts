/**
 * The yardstick for the public CPU grid: written by hand for equal radii, a bounded world and finite coordinates. A
 * query compares each body only with later slots of its cell, the next cell, and adjacent cells in the rows ahead. So
 * each pair is found once.
 *
 * Arrays are fields of an object, as in a real program. If a closure held them as constants, V8 would compile their
 * addresses into the code. That would be up to twice as fast, but only until a second closure is created.
 */
import type { PairList } from '../../../src/core/simulation/simulation';
import type { CpuEngine, Work } from '../../harness/engine';
import { longerList } from '../../harness/pair-sink';
import type { BenchScene } from '../../harness/scenes';

/** The table of starts takes at most 256 MiB. */
const MOST_CELLS = 2 ** 26;

const FIRST_WORDS = 2 ** 16;

/** The rows ahead in 3D: the next row, and three rows in the next layer. */
const ROWS_AHEAD = 4;

interface Tight {
  readonly count: number;
  readonly columns: number;
  readonly rows: number;
  readonly cells: number;
  readonly minX: number;
  readonly minY: number;
  readonly minZ: number;
  /** 1 / diameter. */
  readonly inverse: number;
  readonly diameterSquared: number;
  /** 3D only: offsets from a cell to the first of the three cells of each row ahead. */
  readonly ahead: Int32Array;
  /** The cell of each body. */
  readonly keys: Int32Array;
  readonly cellOfSlot: Int32Array;
  readonly starts: Uint32Array;
  readonly ids: Uint32Array;
  /** The position of each slot's body. */
  readonly sorted: Float32Array;
  positions: Float32Array;
  words: Uint32Array;
}

export const CPU_TIGHT: CpuEngine = {
  name: 'cpu-tight',
  backend: 'cpu',
  about:
    'Hand-written for equal radii in a box only: counting sort into cells, a table of the starts of cells, typed arrays.',
  refuse(scene) {
    if (scene.radii) return 'It supports only one radius.';
    if (cellsOf(scene).cells > MOST_CELLS) return `Its table holds at most ${MOST_CELLS} cells.`;
    return undefined;
  },
  open(scene) {
    const { dimensions, count, radius, min } = scene;
    const { columns, rows, cells } = cellsOf(scene);
    const [minX = 0, minY = 0, minZ = 0] = min;
    const layer = columns * rows;
    const tight: Tight = {
      count,
      columns,
      rows,
      cells,
      minX,
      minY,
      minZ,
      inverse: 1 / (2 * radius),
      diameterSquared: 4 * radius * radius,
      ahead: Int32Array.of(columns - 1, layer - columns - 1, layer - 1, layer + columns - 1),
      keys: new Int32Array(count),
      cellOfSlot: new Int32Array(count),
      starts: new Uint32Array(cells + 1),
      ids: new Uint32Array(count),
      sorted: new Float32Array(dimensions * count),
      positions: new Float32Array(0),
      words: new Uint32Array(FIRST_WORDS),
    };
    const { keys, cellOfSlot, starts, ids, sorted } = tight;
    return {
      place(positions) {
        tight.positions = positions;
      },
      build() {
        starts.fill(0);
        if (dimensions === 2) {
          count2D(tight);
          sort2D(tight);
        } else {
          count3D(tight);
          sort3D(tight);
        }
      },
      query: () => (dimensions === 2 ? query2D(tight) : query3D(tight)),
      countWork: () => countWork(tight, dimensions),
      memoryBytes: [keys, cellOfSlot, starts, ids, sorted].reduce(
        (sum, { byteLength }) => sum + byteLength,
        0,
      ),
    };
  },
};

/** Counts the cells of the box with a ring of empty cells around it, so that queries need no test for the border. */
function cellsOf({ dimensions, radius, min, max }: BenchScene) {
  const cellsPerAxis = max.map((high, axis) => Math.floor((high - (min[axis] as number)) / (2 * radius)) + 3);
  const [columns = 1, rows = 1, layers = 1] = cellsPerAxis;
  return { columns, rows, cells: columns * rows * (dimensions === 3 ? layers : 1) };
}

/** Turns counts into ends. The sort turns ends into starts, visiting bodies backwards to keep their order in a cell. */
function countsToEnds(starts: Uint32Array, cells: number): void {
  let sum = 0;
  for (let cell = 0; cell <= cells; cell++) {
    sum += starts[cell] as number;
    starts[cell] = sum;
  }
}

function count2D(tight: Tight): void {
  const { positions, keys, starts, count, columns, inverse, minX, minY } = tight;
  for (let body = 0; body < count; body++) {
    const column = (((positions[2 * body] as number) - minX) * inverse) | 0;
    const row = (((positions[2 * body + 1] as number) - minY) * inverse) | 0;
    const key = (row + 1) * columns + column + 1;
    keys[body] = key;
    starts[key] = (starts[key] as number) + 1;
  }
}

function count3D(tight: Tight): void {
  const { positions, keys, starts, count, columns, rows, inverse, minX, minY, minZ } = tight;
  for (let body = 0; body < count; body++) {
    const column = (((positions[3 * body] as number) - minX) * inverse) | 0;
    const row = (((positions[3 * body + 1] as number) - minY) * inverse) | 0;
    const layer = (((positions[3 * body + 2] as number) - minZ) * inverse) | 0;
    const key = ((layer + 1) * rows + row + 1) * columns + column + 1;
    keys[body] = key;
    starts[key] = (starts[key] as number) + 1;
  }
}

function sort2D(tight: Tight): void {
  const { positions, keys, cellOfSlot, starts, cells, ids, sorted, count } = tight;
  countsToEnds(starts, cells);
  for (let body = count - 1; body >= 0; body--) {
    const key = keys[body] as number;
    const slot = (starts[key] as number) - 1;
    starts[key] = slot;
    ids[slot] = body;
    cellOfSlot[slot] = key;
    sorted[2 * slot] = positions[2 * body] as number;
    sorted[2 * slot + 1] = positions[2 * body + 1] as number;
  }
}

function sort3D(tight: Tight): void {
  const { positions, keys, cellOfSlot, starts, cells, ids, sorted, count } = tight;
  countsToEnds(starts, cells);
  for (let body = count - 1; body >= 0; body--) {
    const key = keys[body] as number;
    const slot = (starts[key] as number) - 1;
    starts[key] = slot;
    ids[slot] = body;
    cellOfSlot[slot] = key;
    sorted[3 * slot] = positions[3 * body] as number;
    sorted[3 * slot + 1] = positions[3 * body + 1] as number;
    sorted[3 * slot + 2] = positions[3 * body + 2] as number;
  }
}

function query2D(tight: Tight): PairList {
  const { cellOfSlot, starts, ids, sorted, count, diameterSquared, columns } = tight;
  let found = tight.words;
  let length = 0;
  for (let slot = 0; slot < count; ) {
    const cell = cellOfSlot[slot] as number;
    const cellEnd = starts[cell + 1] as number;
    const ownEnd = starts[cell + 2] as number;
    const first = starts[cell + columns - 1] as number;
    const end = starts[cell + columns + 2] as number;
    // Make room for all candidates of the cell, so that the loops need no check.
    const room = 2 * (cellEnd - slot) * (ownEnd - slot + end - first) + 2;
    if (length + room > found.length) found = longerList(found, length, 2 * (length + room));
    for (; slot < cellEnd; slot++) {
      const x = sorted[2 * slot] as number;
      const y = sorted[2 * slot + 1] as number;
      const id = ids[slot] as number;
      for (let other = slot + 1; other < ownEnd; other++) {
        const dx = (sorted[2 * other] as number) - x;
        const dy = (sorted[2 * other + 1] as number) - y;
        // A branch would often be mispredicted, so write every candidate, but keep it only if the bodies overlap.
        found[length] = id;
        found[length + 1] = ids[other] as number;
        length += Number(dx * dx + dy * dy < diameterSquared) << 1;
      }
      for (let other = first; other < end; other++) {
        const dx = (sorted[2 * other] as number) - x;
        const dy = (sorted[2 * other + 1] as number) - y;
        found[length] = id;
        found[length + 1] = ids[other] as number;
        length += Number(dx * dx + dy * dy < diameterSquared) << 1;
      }
    }
  }
  tight.words = found;
  return { count: length / 2, pairs: found };
}

function query3D(tight: Tight): PairList {
  const { cellOfSlot, starts, ids, sorted, count, diameterSquared, ahead } = tight;
  let found = tight.words;
  let length = 0;
  for (let slot = 0; slot < count; ) {
    const cell = cellOfSlot[slot] as number;
    const cellEnd = starts[cell + 1] as number;
    const ownEnd = starts[cell + 2] as number;
    let room = ownEnd - slot;
    for (let row = 0; row < ROWS_AHEAD; row++) {
      const cellAhead = cell + (ahead[row] as number);
      room += (starts[cellAhead + 3] as number) - (starts[cellAhead] as number);
    }
    room = 2 * (cellEnd - slot) * room + 2;
    if (length + room > found.length) found = longerList(found, length, 2 * (length + room));
    for (; slot < cellEnd; slot++) {
      const x = sorted[3 * slot] as number;
      const y = sorted[3 * slot + 1] as number;
      const z = sorted[3 * slot + 2] as number;
      const id = ids[slot] as number;
      for (let other = slot + 1; other < ownEnd; other++) {
        const dx = (sorted[3 * other] as number) - x;
        const dy = (sorted[3 * other + 1] as number) - y;
        const dz = (sorted[3 * other + 2] as number) - z;
        found[length] = id;
        found[length + 1] = ids[other] as number;
        length += Number(dx * dx + dy * dy + dz * dz < diameterSquared) << 1;
      }
      for (let row = 0; row < ROWS_AHEAD; row++) {
        const cellAhead = cell + (ahead[row] as number);
        const end = starts[cellAhead + 3] as number;
        for (let other = starts[cellAhead] as number; other < end; other++) {
          const dx = (sorted[3 * other] as number) - x;
          const dy = (sorted[3 * other + 1] as number) - y;
          const dz = (sorted[3 * other + 2] as number) - z;
          found[length] = id;
          found[length + 1] = ids[other] as number;
          length += Number(dx * dx + dy * dy + dz * dz < diameterSquared) << 1;
        }
      }
    }
  }
  tight.words = found;
  return { count: length / 2, pairs: found };
}

function countWork({ cellOfSlot, starts, count, columns, ahead }: Tight, dimensions: number): Work {
  const rowsAhead = dimensions === 2 ? [columns - 1] : [...ahead];
  let candidates = 0;
  for (let slot = 0; slot < count; slot++) {
    const cell = cellOfSlot[slot] as number;
    candidates += (starts[cell + 2] as number) - slot - 1;
    for (const row of rowsAhead) {
      candidates += (starts[cell + row + 3] as number) - (starts[cell + row] as number);
    }
  }
  return { candidates, tests: candidates, counted: 'formula' };
}
