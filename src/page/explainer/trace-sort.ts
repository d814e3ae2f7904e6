import { latticeCoordinate } from '../../core/world/cells';
import { countParticles } from '../../reference/grid/count';
import { gatherParticles, permute } from '../../reference/grid/gather';
import { buildGrid, type Grid } from '../../reference/grid/grid';
import { exclusiveScan } from '../../reference/grid/scan';
import { scatterParticles } from '../../reference/grid/scatter';
import {
  COLUMNS,
  type Entry,
  PARTICLES,
  placeOf,
  type Recorder,
  ROWS,
  range,
  type Scene,
} from './trace-recorder';

export function traceHash(recorder: Recorder): void {
  const { world, positions } = recorder.scene;
  const { cells } = countParticles(world, positions, PARTICLES);
  const [columns = 0, rows = 0] = world.cells;
  recorder.step(
    'hash',
    `Which cell is each particle in? The box has ${COLUMNS} × ${ROWS} cells, each as wide as 1; (0, 0) is its upper left ` +
      `corner, y goes down. A ring of empty cells makes ${columns} × ${rows}, so that no later stage must ask whether a cell ` +
      'is at the border. They are numbered row by row. To go from a place to such a number is to hash it; floor rounds down.',
  );
  for (let id = 0; id < PARTICLES; id++) {
    const place = placeOf(positions, id);
    const [column = 0, row = 0] = place.map((coordinate, axis) => latticeCoordinate(world, coordinate, axis));
    const cell = cells[id] as number;
    recorder.step(
      'hash',
      `Particle ${id} is at (${place.join(', ')}). Its column is floor(${place[0]}) + 1 = ${column} and its row is ` +
        `floor(${place[1]}) + 1 = ${row}; the 1 is the ring. So its cell is ${row} × ${columns} + ${column} = ${cell}.`,
      {
        particle: id,
        cells: [cell],
        reads: [{ array: 'positions', index: id }],
        writes: [recorder.take('cells', id, cells)],
      },
    );
  }
}

export function traceCount(recorder: Recorder): void {
  const { world, positions, arrivals } = recorder.scene;
  const behind = world.cellCount;
  recorder.step(
    'count',
    'How many are in each cell? Every particle adds 1 to the count of its cell. What the count was before is its rank. ' +
      'On a GPU all do so at once, in the same pass as the hash, by atomic adds, which none can come between. Who is first ' +
      `is left to chance: so they come shuffled here. Entries ${behind} to ${behind + 2} are no cells: see the next stage.`,
  );
  const arrived = permute(2, positions, arrivals);
  const ranks = new Uint32Array(PARTICLES);
  for (let count = 1; count <= PARTICLES; count++) {
    const output = countParticles(world, arrived.subarray(0, 2 * count), count);
    const id = arrivals[count - 1] as number;
    const cell = output.cells[count - 1] as number;
    const rank = output.ranks[count - 1] as number;
    ranks[id] = rank;
    recorder.set('counts', output.counts);
    recorder.step(
      'count',
      `Particle ${id} comes into cell ${cell}. The count was ${rank}, so its rank is ${rank}, and the count is ` +
        `${output.counts[cell]} now.`,
      {
        particle: id,
        cells: [cell],
        reads: [
          { array: 'cells', index: id },
          { array: 'counts', index: cell },
        ],
        writes: [{ array: 'counts', index: cell }, recorder.take('ranks', id, ranks)],
      },
    );
  }
}

export function traceSum(recorder: Recorder): void {
  const { world, positions } = recorder.scene;
  const { counts } = countParticles(world, positions, PARTICLES);
  recorder.step(
    'sum',
    'Where does each cell begin in a list of all particles, cell after cell? Where all those before it end: each start is ' +
      'the sum of all counts before it. A GPU adds up blocks side by side, with the same sums.',
  );
  const [columns = 0, rows = 0] = world.cells;
  const isRing = (cell: number) => {
    const [column, row] = [cell % columns, Math.floor(cell / columns)];
    return column === 0 || column === columns - 1 || row === 0 || row === rows - 1;
  };
  let cell = 0;
  while (cell < counts.length) {
    const first = cell;
    // What is always empty is done at once: cells of the ring, and what is behind all cells.
    const isBehind = cell >= world.cellCount;
    do cell++;
    while (isBehind ? cell < counts.length : cell < world.cellCount && isRing(first) && isRing(cell));
    const start = exclusiveScan(counts.subarray(0, cell));
    const writes: Entry[] = [];
    for (let index = first; index < cell; index++) writes.push(recorder.take('start', index, start));
    const reads: Entry[] = [];
    if (first > 0) {
      reads.push({ array: 'start', index: first - 1 }, { array: 'counts', index: first - 1 });
    }
    const sum = start[first] as number;
    const before = first - 1;
    const added =
      first > 0
        ? `start[${before}] + counts[${before}] = ${start[before]} + ${counts[before]} = ${sum}`
        : `${sum}`;
    let text = `Cell ${first} begins at ${added}.`;
    if (isBehind) {
      const [aside, leaving, end] = [first, first + 1, first + 2];
      text =
        `Behind the last cell, at ${added}, the particles in cells end. Two buckets follow: ${aside} for those whose place ` +
        `is no number any more, ${leaving} for those being removed. Nobody is in them, so the list ends at ` +
        `start[${end}] = ${start[end]}, too.`;
    } else if (cell - first > 1) {
      const [upTo, all] = cell - first === 2 ? ['and', 'both'] : ['to', 'all'];
      text = `Cells ${first} ${upTo} ${cell - 1} are ring, and empty: ${all} begin at ${added}.`;
    } else if (isRing(first)) {
      text = `Cell ${first} is ring, and empty: it begins at ${added}.`;
    }
    const cells = Array.from({ length: cell - first }, (_, index) => first + index);
    recorder.step('sum', text, { reads, writes, cells: isBehind ? [] : cells });
  }
}

/** In the order of arrival, as the GPU would have it. */
export function countArrived({ world, positions, arrivals }: Scene) {
  const counts = countParticles(world, permute(2, positions, arrivals), PARTICLES, arrivals);
  const start = exclusiveScan(counts.counts);
  return { counts, start, entries: scatterParticles(start, counts, arrivals) };
}

export function traceScatter(recorder: Recorder): void {
  const { scene } = recorder;
  const { counts, start, entries } = countArrived(scene);
  recorder.step(
    'scatter',
    'Now every particle knows its place in the list: where its cell begins, plus its rank. No two have the same, so all can ' +
      'write at once, in any order.',
  );
  for (let id = 0; id < PARTICLES; id++) {
    const arrival = scene.arrivals.indexOf(id);
    const cell = counts.cells[arrival] as number;
    const rank = counts.ranks[arrival] as number;
    const place = entries.ids.indexOf(id);
    recorder.step(
      'scatter',
      `Particle ${id} goes to start[${cell}] + ranks[${id}] = ${start[cell]} + ${rank} = place ${place}.`,
      {
        particle: id,
        cells: [cell],
        reads: [
          { array: 'cells', index: id },
          { array: 'start', index: cell },
          { array: 'ranks', index: id },
        ],
        writes: [recorder.take('entries', place, entries.ids)],
      },
    );
  }
}

export function traceOrder(recorder: Recorder): Grid {
  const { scene } = recorder;
  const { world, positions } = scene;
  const { start, entries } = countArrived(scene);
  const arrived = permute(2, positions, scene.arrivals);
  const sorted = gatherParticles(world, start, entries, arrived, new Float32Array(arrived.length));
  recorder.step(
    'order',
    'Inside a cell, particles stand as they came. In another run they come in another order, sums over neighbours are ' +
      'rounded differently, and no two runs are the same. So each counts the smaller ids in its cell: so far behind the ' +
      'beginning of the cell is its slot. Its position moves along, so that neighbours are near in memory, too.',
  );
  for (let place = 0; place < PARTICLES; place++) {
    const id = entries.ids[place] as number;
    const slot = sorted.ids.indexOf(id);
    const cell = sorted.cells[slot] as number;
    const [first, end] = [start[cell] as number, start[cell + 1] as number];
    const smaller = slot - first;
    const text =
      end - first === 1
        ? `Place ${place} has particle ${id}, alone in cell ${cell}: its slot is ${slot}, too.`
        : `Place ${place} has particle ${id}. Of places ${first} to ${end - 1}, all of cell ${cell}, ` +
          `${smaller === 0 ? 'none has a smaller id' : `${smaller} ${smaller === 1 ? 'has a smaller id' : 'have smaller ids'}`}: ` +
          `its slot is ${first} + ${smaller} = ${slot}.`;
    const slice = range(first, end).map((index) => ({ array: 'entries', index }) as const);
    recorder.step('order', text, {
      particle: id,
      cells: [cell],
      reads: [
        { array: 'positions', index: id },
        { array: 'start', index: cell },
        { array: 'start', index: cell + 1 },
        ...slice,
      ],
      writes: [recorder.take('ids', slot, sorted.ids), recorder.take('sorted', slot, sorted.positions)],
    });
  }
  // Canonical: the same as from particles that came in order.
  return buildGrid(world, positions);
}
