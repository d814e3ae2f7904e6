/** Traces the stages from `hash` to `order`. */
import { HASH_BLOCK } from '../../core/base/constants';
import { latticeOfParticle } from '../../core/world/cells';
import { countParticles } from '../../reference/grid/count';
import { gatherParticles, permute } from '../../reference/grid/gather';
import { buildGrid, type Grid } from '../../reference/grid/grid';
import { exclusiveScan } from '../../reference/grid/scan';
import { scatterParticles } from '../../reference/grid/scatter';
import {
  BOX,
  cellOfId,
  nameCell,
  nameLattice,
  PICTURE,
  picturedBuckets,
  picturedCell,
  type Scene,
} from './scene';
import type { Entry, Recorder } from './trace-recorder';
import { describe, joinWords, positionOf, range, withSign } from './words';

const nameKind = ({ method }: Scene) => (method === 'hashed' ? 'bucket' : 'cell');

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export function traceHash(recorder: Recorder): void {
  const { scene } = recorder;
  const { method, world, positions } = scene;
  const count = positions.length / 2;
  const { cells } = countParticles(world, positions, count);
  const [columns, rows] = PICTURE;
  const lattices = range(0, count).map((id) => latticeOfParticle(world, positions, id));
  if (method === 'hashed') {
    recorder.step(
      'hash',
      `Hashing gives each particle the number of a bucket, one of ${world.cellCount}.`,
      `Two integers name a cell of an unbounded world. Blocks of ${HASH_BLOCK} cells along x stay together: a hash of ` +
        'their numbers chooses a block of the table, so several cells may share a bucket. In the picture, each cell shows ' +
        'its bucket, and dashed frames mark cells that share one.',
    );
  } else {
    recorder.step(
      'hash',
      'Hashing turns the position of each particle into the number of its cell.',
      `The box has ${BOX[0]} × ${BOX[1]} cells, each 1 wide; (0, 0) is its upper left corner, and y points down. ` +
        `A ring of empty cells around the box makes it ${columns} × ${rows}, so that no later stage must check for the ` +
        'border. Cells are numbered row by row.',
    );
  }
  for (let id = 0; id < count; id++) {
    const [x = 0, y = 0] = positionOf(positions, id);
    const [column = 0, row = 0] = lattices[id] as number[];
    const cell = cells[id] as number;
    const own = nameLattice([column, row]);
    const happens = {
      particle: id,
      cells: cellOfId(scene, id),
      reads: [{ array: 'positions', index: id }] as const,
      writes: [recorder.take('cells', id, cells)],
    };
    if (method === 'hashed') {
      const sharing = new Set(
        lattices.flatMap((lattice, other) => (cells[other] === cell ? [nameLattice(lattice)] : [])),
      );
      sharing.delete(own);
      const shared =
        sharing.size === 0
          ? 'No other cell with particles has this bucket.'
          : `${joinWords([...sharing])} ${sharing.size === 1 ? 'has' : 'have'} particles in the same bucket.`;
      const floors = [x, y].map(
        (at, axis) => `floor(${withSign(at)}) = ${withSign(axis === 0 ? column : row)}`,
      );
      recorder.step(
        'hash',
        `Particle ${id} is in cell ${own}, which is hashed to bucket ${cell}.`,
        `${joinWords(floors)}; floor rounds down. ${shared}`,
        happens,
      );
    } else {
      recorder.step(
        'hash',
        `Particle ${id} is in column ${column} of row ${row}, which is cell ${cell}.`,
        `It is at (${x}, ${y}): column floor(${x}) + 1 = ${column} and row floor(${y}) + 1 = ${row}. floor rounds down, and ` +
          `the 1 is the ring. The cell is ${row} × ${columns} + ${column} = ${cell}.`,
        happens,
      );
    }
  }
  if (method === 'hashed') traceSharing(recorder, lattices, cells);
}

/** The text has no room for more buckets. */
const MOST_LISTED = 4;

/** Adds a step that lists the buckets with particles of several cells. */
function traceSharing(recorder: Recorder, lattices: readonly number[][], buckets: Uint32Array): void {
  const cells = new Map<number, Set<string>>();
  for (const [id, lattice] of lattices.entries()) {
    const bucket = buckets[id] as number;
    cells.set(bucket, (cells.get(bucket) ?? new Set()).add(nameLattice(lattice)));
  }
  const total = [...cells.values()].reduce((sum, sharing) => sum + sharing.size, 0);
  const shared = [...cells].filter(([, sharing]) => sharing.size > 1).toSorted(([a], [b]) => a - b);
  const particles = describe(lattices.length, 'particle');
  const listed = shared
    .slice(0, MOST_LISTED)
    .map(([bucket, sharing]) => `bucket ${bucket} has cells ${joinWords([...sharing])}`);
  const more =
    shared.length > MOST_LISTED
      ? `; ${describe(shared.length - MOST_LISTED, 'more bucket')} ${shared.length - MOST_LISTED === 1 ? 'has' : 'have'} several, too`
      : '';
  recorder.step(
    'hash',
    `The ${particles} are in ${describe(total, 'cell')} and in ${describe(cells.size, 'bucket')}.`,
    shared.length === 0
      ? 'No bucket has particles of several cells.'
      : `${capitalize(listed.join('; '))}${more}.`,
    {
      cells: lattices.flatMap((lattice, id) =>
        (cells.get(buckets[id] as number)?.size ?? 0) > 1 ? picturedCell(recorder.scene, lattice) : [],
      ),
    },
  );
}

export function traceCount(recorder: Recorder): void {
  const { scene } = recorder;
  const { world, positions, arrivals } = scene;
  const behind = world.cellCount;
  const kind = nameKind(scene);
  recorder.step(
    'count',
    `Each particle adds 1 to the count of its ${kind}, and keeps the old count as its rank.`,
    'On a GPU all particles do so at once, with atomic adds, which cannot interrupt each other. Their order differs from ' +
      `run to run, so it is random here. Entries ${behind} to ${behind + 2} are no ${kind}s: see the next stage.`,
  );
  const arrived = permute(2, positions, arrivals);
  const ranks = new Uint32Array(arrivals.length);
  for (let count = 1; count <= arrivals.length; count++) {
    const output = countParticles(world, arrived.subarray(0, 2 * count), count);
    const id = arrivals[count - 1] as number;
    const cell = output.cells[count - 1] as number;
    const rank = output.ranks[count - 1] as number;
    ranks[id] = rank;
    recorder.set('counts', output.counts);
    recorder.step(
      'count',
      `Particle ${id} enters ${kind} ${cell}, whose count was ${rank} and is now ${output.counts[cell]}.`,
      `The rank of the particle is ${rank}.`,
      {
        particle: id,
        cells: cellOfId(scene, id),
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
  const { scene } = recorder;
  const { method, world, positions } = scene;
  const kind = nameKind(scene);
  const { counts } = countParticles(world, positions, positions.length / 2);
  recorder.step(
    'sum',
    `The prefix sum finds where each ${kind} begins in a list of all particles, ${kind} after ${kind}.`,
    `Each start is the sum of the counts of all ${kind}s before it. A GPU adds up blocks in parallel, with the same sums.`,
  );
  const [columns, rows] = PICTURE;
  const isRing = (cell: number) => {
    const [column, row] = [cell % columns, Math.floor(cell / columns)];
    return column === 0 || column === columns - 1 || row === 0 || row === rows - 1;
  };
  // Neighbouring cells of the ring, or empty buckets, share a step.
  const isSkipped = (cell: number) => (method === 'hashed' ? counts[cell] === 0 : isRing(cell));
  const buckets = picturedBuckets(scene);
  let cell = 0;
  while (cell < counts.length) {
    const first = cell;
    const isBehind = cell >= world.cellCount;
    do cell++;
    while (isBehind ? cell < counts.length : cell < world.cellCount && isSkipped(first) && isSkipped(cell));
    const start = exclusiveScan(counts.subarray(0, cell));
    const writes: Entry[] = [];
    for (let index = first; index < cell; index++) writes.push(recorder.take('start', index, start));
    const reads: Entry[] = [];
    if (first > 0) {
      reads.push({ array: 'start', index: first - 1 }, { array: 'counts', index: first - 1 });
    }
    const sum = start[first] as number;
    const before = first - 1;
    const sumText =
      first > 0
        ? `start[${before}] + counts[${before}] = ${start[before]} + ${counts[before]} = ${sum}.`
        : 'There are no particles before it.';
    let text = `${capitalize(kind)} ${first} begins at ${sum}.`;
    let detail = sumText;
    if (isBehind) {
      const [quarantine, leaving, end] = [first, first + 1, first + 2];
      text = `After the last ${kind}, the list of particles ends at ${sum}.`;
      detail =
        `${sumText} Two more buckets follow: ${quarantine} for particles whose position is not a number any more, ` +
        `${leaving} for particles being removed. Both are empty, so the list ends at start[${end}] = ${start[end]}, too.`;
    } else if (isSkipped(first)) {
      const [upTo, all] = cell - first === 2 ? ['and', 'both'] : ['to', 'all'];
      const ring = method === 'hashed' ? '' : 'of the ring ';
      text =
        cell - first > 1
          ? `${capitalize(kind)}s ${first} ${upTo} ${cell - 1} ${ring}are empty, so ${all} begin at ${sum}.`
          : `${capitalize(kind)} ${first} ${ring}is empty and begins at ${sum}.`;
    }
    const cells = buckets.flatMap((bucket, index) => (bucket >= first && bucket < cell ? [index] : []));
    recorder.step('sum', text, detail, { reads, writes, cells: isBehind ? [] : cells });
  }
}

/** Counts and scatters the particles in their order of arrival, as the GPU does. */
export function countArrived({ world, positions, arrivals }: Scene) {
  const counts = countParticles(world, permute(2, positions, arrivals), arrivals.length, arrivals);
  const start = exclusiveScan(counts.counts);
  return { counts, start, entries: scatterParticles(start, counts, arrivals) };
}

export function traceScatter(recorder: Recorder): void {
  const { scene } = recorder;
  const { counts, start, entries } = countArrived(scene);
  const kind = nameKind(scene);
  recorder.step(
    'scatter',
    `Each particle writes its id into the list, at the start of its ${kind} plus its rank.`,
    'No two particles have the same entry, so all can write at once, in any order.',
  );
  for (let id = 0; id < scene.arrivals.length; id++) {
    const arrival = scene.arrivals.indexOf(id);
    const cell = counts.cells[arrival] as number;
    const rank = counts.ranks[arrival] as number;
    const entry = entries.ids.indexOf(id);
    recorder.step(
      'scatter',
      `Particle ${id} writes its id into entry ${entry}.`,
      `start[${cell}] + ranks[${id}] = ${start[cell]} + ${rank} = ${entry}.`,
      {
        particle: id,
        cells: cellOfId(scene, id),
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
  const { method, world, positions } = scene;
  const { start, entries } = countArrived(scene);
  const arrived = permute(2, positions, scene.arrivals);
  const sorted = gatherParticles(world, start, entries, arrived, new Float32Array(arrived.length));
  const kind = nameKind(scene);
  recorder.step(
    'order',
    `Canonical order sorts the ids of each ${kind}, so that every run gives the same list.`,
    'The order of arrival differs from run to run, and sums over neighbours round differently in another order. So each ' +
      'particle counts the smaller ids. Its position moves along, so that neighbours are near in memory.',
  );
  for (let entry = 0; entry < scene.arrivals.length; entry++) {
    const id = entries.ids[entry] as number;
    const slot = sorted.ids.indexOf(id);
    const cell = sorted.cells[slot] as number;
    const [first, end] = [start[cell] as number, start[cell + 1] as number];
    const smaller = slot - first;
    const lattice = latticeOfParticle(world, positions, id);
    const moved = method === 'hashed' ? `Its cell is ${nameCell(scene, lattice)}. ` : '';
    const [text, detail] =
      end - first === 1
        ? [
            `Particle ${id} is alone in ${kind} ${cell}, so it stays at ${slot}.`,
            `Entry ${entry} becomes slot ${slot}.`,
          ]
        : [
            `In ${kind} ${cell}, ${smaller === 0 ? 'no id is' : `${describe(smaller, 'id')} ${smaller === 1 ? 'is' : 'are'}`} ` +
              `smaller than ${id}, so particle ${id} goes to slot ${slot}.`,
            `Entry ${entry} is one of entries ${first} to ${end - 1} of the ${kind}. ${first} + ${smaller} = ${slot}.`,
          ];
    const slice = range(first, end).map((index) => ({ array: 'entries', index }) as const);
    const writes = [recorder.take('ids', slot, sorted.ids), recorder.take('sorted', slot, sorted.positions)];
    if (method === 'hashed') writes.push(recorder.take('lattices', slot, sorted.lattices));
    recorder.step('order', text, `${moved}${detail}`, {
      particle: id,
      cells: cellOfId(scene, id),
      reads: [
        { array: 'positions', index: id },
        { array: 'start', index: cell },
        { array: 'start', index: cell + 1 },
        ...slice,
      ],
      writes,
    });
  }
  // The order is canonical: any order of arrival gives this grid.
  return buildGrid(world, positions);
}
