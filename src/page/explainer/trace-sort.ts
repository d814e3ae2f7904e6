/** Traces the stages from `hash` to `order`. */
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
  positionOf,
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
      `corner, and y points down. A ring of empty cells around the box makes it ${columns} × ${rows}, so that no later ` +
      'stage must check for the border. Cells are numbered row by row. Hashing turns a position into a cell number. floor rounds down.',
  );
  for (let id = 0; id < PARTICLES; id++) {
    const position = positionOf(positions, id);
    const [column = 0, row = 0] = position.map((coordinate, axis) =>
      latticeCoordinate(world, coordinate, axis),
    );
    const cell = cells[id] as number;
    recorder.step(
      'hash',
      `Particle ${id} is at (${position.join(', ')}). Its column is floor(${position[0]}) + 1 = ${column} and its row is ` +
        `floor(${position[1]}) + 1 = ${row}; the 1 is the ring. So its cell is ${row} × ${columns} + ${column} = ${cell}.`,
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
    'How many particles are in each cell? Every particle adds 1 to the count of its cell; the count before that is its ' +
      'rank. On a GPU all particles do so at once, in the same pass as the hash, with atomic adds, which cannot interrupt ' +
      'each other. Their order differs from run to run, so it is random here. ' +
      `Entries ${behind} to ${behind + 2} are not cells: see the next stage.`,
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
      `Particle ${id} enters cell ${cell}. The count was ${rank}, so its rank is ${rank}, and the count is now ` +
        `${output.counts[cell]}.`,
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
    'Where does each cell begin in a list of all particles, cell after cell? Each start is the sum of the counts of all ' +
      'cells before it. A GPU adds up blocks in parallel, with the same sums.',
  );
  const [columns = 0, rows = 0] = world.cells;
  const isRing = (cell: number) => {
    const [column, row] = [cell % columns, Math.floor(cell / columns)];
    return column === 0 || column === columns - 1 || row === 0 || row === rows - 1;
  };
  let cell = 0;
  while (cell < counts.length) {
    const first = cell;
    // Neighbouring entries of the ring, whose counts are 0, share a step.
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
      const [quarantine, leaving, end] = [first, first + 1, first + 2];
      text =
        `After the last cell, the list of particles in cells ends at ${added}. Two buckets follow: ${quarantine} for ` +
        `particles whose position is not a number any more, ${leaving} for particles being removed. Both are empty, so the list ends ` +
        `at start[${end}] = ${start[end]}, too.`;
    } else if (cell - first > 1) {
      const [upTo, all] = cell - first === 2 ? ['and', 'both'] : ['to', 'all'];
      text = `Cells ${first} ${upTo} ${cell - 1} belong to the ring and are empty: ${all} begin at ${added}.`;
    } else if (isRing(first)) {
      text = `Cell ${first} belongs to the ring and is empty: it begins at ${added}.`;
    }
    const cells = Array.from({ length: cell - first }, (_, index) => first + index);
    recorder.step('sum', text, { reads, writes, cells: isBehind ? [] : cells });
  }
}

/** Counts and scatters the particles in their order of arrival, as the GPU does. */
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
    'Now the entry of each particle in the list is known: the start of its cell plus its rank. No two entries are ' +
      'the same, so all particles can write at once, in any order.',
  );
  for (let id = 0; id < PARTICLES; id++) {
    const arrival = scene.arrivals.indexOf(id);
    const cell = counts.cells[arrival] as number;
    const rank = counts.ranks[arrival] as number;
    const entry = entries.ids.indexOf(id);
    recorder.step(
      'scatter',
      `Particle ${id} goes to start[${cell}] + ranks[${id}] = ${start[cell]} + ${rank} = entry ${entry}.`,
      {
        particle: id,
        cells: [cell],
        reads: [
          { array: 'cells', index: id },
          { array: 'start', index: cell },
          { array: 'ranks', index: id },
        ],
        writes: [recorder.take('entries', entry, entries.ids)],
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
    'Inside a cell, particles are in their order of arrival. In another run that order differs, so sums over neighbours ' +
      'round differently, and the results differ. So each particle counts the smaller ids in its cell; its slot is ' +
      'the start of the cell plus that count. Its position moves along, so that neighbours are near in memory, too.',
  );
  for (let entry = 0; entry < PARTICLES; entry++) {
    const id = entries.ids[entry] as number;
    const slot = sorted.ids.indexOf(id);
    const cell = sorted.cells[slot] as number;
    const [first, end] = [start[cell] as number, start[cell + 1] as number];
    const smaller = slot - first;
    const text =
      end - first === 1
        ? `Entry ${entry} is particle ${id}, alone in cell ${cell}: its slot is ${slot}, too.`
        : `Entry ${entry} is particle ${id}. Of entries ${first} to ${end - 1}, which are cell ${cell}, ` +
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
  // The order is canonical: any order of arrival gives this grid.
  return buildGrid(world, positions);
}
