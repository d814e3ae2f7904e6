/**
 * Purpose: one step of the engine on thirty particles, told one entry at a time. Every number is an output of the reference
 * passes (src/reference): a state in the middle of a pass is what the reference makes of those that came first, or the
 * entries of its output that are written by then. Pure: no DOM, no time, no chance but the seed.
 * Output: `createTrace()`, a list of steps with the state of all arrays, the entries read and written, what is in focus in
 * the world, and a sentence. The last step of a stage has the whole output of its reference pass.
 */

import { defaultSettings, deriveSubstep, type Substep } from '../../core/contact/settings';
import { latticeCoordinate } from '../../core/world/cells';
import { defineWorld, type World } from '../../core/world/world';
import { countParticles } from '../../reference/grid/count';
import { gatherParticles, permute } from '../../reference/grid/gather';
import { buildGrid, type Grid } from '../../reference/grid/grid';
import { exclusiveScan } from '../../reference/grid/scan';
import { scatterParticles } from '../../reference/grid/scatter';
import { probeCells } from '../../reference/query/probe';
import { findContact } from '../../reference/solve/contact';
import { separateContacts } from '../../reference/solve/resolve';
import { Random } from '../../scenes/random';

export const STAGES = [
  { name: 'hash', title: 'Hash' },
  { name: 'count', title: 'Count' },
  { name: 'sum', title: 'Prefix sum' },
  { name: 'scatter', title: 'Scatter' },
  { name: 'order', title: 'Canonical order' },
  { name: 'probe', title: 'Probe' },
  { name: 'push', title: 'Push apart' },
] as const;

export type Stage = (typeof STAGES)[number]['name'];

interface ArrayKind {
  /** What an index of it is. */
  readonly of: 'particle' | 'cell' | 'place' | 'slot';
  /** Numbers an entry. */
  readonly components: 1 | 2;
  /** What an entry is, in words. */
  readonly holds: string;
}

/** Named as in the engine. */
export const ARRAYS = {
  positions: { of: 'particle', components: 2, holds: 'where each is, x above y' },
  cells: { of: 'particle', components: 1, holds: 'the cell of each particle' },
  ranks: { of: 'particle', components: 1, holds: 'how many came into its cell before it' },
  counts: { of: 'cell', components: 1, holds: 'particles in each cell' },
  start: { of: 'cell', components: 1, holds: 'where each cell begins' },
  entries: { of: 'place', components: 1, holds: 'particles by cell, as they came' },
  ids: { of: 'slot', components: 1, holds: 'particles by cell, ascending' },
  sorted: { of: 'slot', components: 2, holds: 'where they are, x above y' },
  candidates: { of: 'slot', components: 1, holds: 'how many in its nine cells' },
  contacts: { of: 'slot', components: 1, holds: 'how many overlap it' },
  moved: { of: 'slot', components: 2, holds: 'where they are afterwards' },
} as const satisfies Record<string, ArrayKind>;

export type ArrayName = keyof typeof ARRAYS;

/** Packed numbers; undefined where nothing is written yet. */
export type Values = readonly (number | undefined)[];

export type Arrays = Readonly<Record<ArrayName, Values>>;

/** What each stage reads and writes. */
export const SHOWN: Readonly<Record<Stage, readonly ArrayName[]>> = {
  hash: ['positions', 'cells'],
  count: ['cells', 'ranks', 'counts'],
  sum: ['counts', 'start'],
  scatter: ['cells', 'ranks', 'start', 'entries'],
  order: ['positions', 'start', 'entries', 'ids', 'sorted'],
  probe: ['start', 'ids', 'sorted', 'candidates', 'contacts'],
  push: ['ids', 'sorted', 'contacts', 'moved'],
};

export interface Entry {
  readonly array: ArrayName;
  readonly index: number;
}

/** Seen by the one in focus: just looked at, near enough, too far. */
export type Verdict = 'contact' | 'apart';

export interface Focus {
  /** Id of the particle that is at work. */
  readonly particle?: number | undefined;
  /** Cells that are written, filed into or probed. */
  readonly cells: readonly number[];
  /** By id: others that were looked at. */
  readonly verdicts: ReadonlyMap<number, Verdict>;
  /** The slots of these cells, while they are gone over one by one. */
  readonly slots: readonly number[];
}

export interface Step {
  readonly stage: Stage;
  /** Place in its stage; 0 is what the stage is about, before it begins. */
  readonly place: number;
  readonly arrays: Arrays;
  readonly reads: readonly Entry[];
  readonly writes: readonly Entry[];
  readonly focus: Focus;
  readonly text: string;
}

/** Thirty particles in a box of 6 × 5 cells. */
export interface Scene {
  readonly world: World;
  readonly diameter: number;
  readonly positions: Float32Array;
  /** The order in which particles happen to be counted. */
  readonly arrivals: Uint32Array;
  readonly substep: Substep;
}

export interface Trace {
  readonly scene: Scene;
  readonly steps: readonly Step[];
}

const PARTICLES = 30;
const COLUMNS = 6;
const ROWS = 5;
const CELL_SIZE = 1;
/** Less than a cell, so that ids can be read and the picture is not one heap. */
export const PARTICLE_DIAMETER = 0.6875;
/** Particles lie on a lattice of so many places a unit: short, exact numbers. */
const PLACES = 16;
/** No two are nearer than this at first. */
const NEAREST = 0.4375;
/** Chosen for cells of none to four particles and arrivals out of order. */
const SEED = 555;
/** Pushes take all of an overlap at once, half on each side, so that they are seen. The engine takes a share of it. */
const RELAXATION = 1;

export function createScene(seed = SEED): Scene {
  const world = defineWorld(
    { dimensions: 2, min: [0, 0], max: [COLUMNS * CELL_SIZE, ROWS * CELL_SIZE], cellSize: CELL_SIZE },
    PARTICLE_DIAMETER,
  );
  const random = new Random(seed);
  const positions = placeApart(random, PARTICLES, [COLUMNS, ROWS]);
  const arrivals = Uint32Array.from({ length: PARTICLES }, (_, index) => index);
  for (let last = PARTICLES - 1; last > 0; last--) {
    const other = random.below(last + 1);
    const moved = arrivals[last] as number;
    arrivals[last] = arrivals[other] as number;
    arrivals[other] = moved;
  }
  const settings = { ...defaultSettings(2), relaxation: RELAXATION };
  return {
    world,
    diameter: PARTICLE_DIAMETER,
    positions,
    arrivals,
    substep: deriveSubstep(world, PARTICLE_DIAMETER, settings, 0),
  };
}

/** Particles at random in a box whose low corner is `low`, none nearer to another than `nearest`. */
export function placeApart(
  random: Random,
  count: number,
  extent: readonly [number, number],
  { low = [0, 0], nearest = NEAREST }: { low?: readonly [number, number]; nearest?: number } = {},
): Float32Array {
  const positions: number[] = [];
  const inset = Math.ceil((PARTICLE_DIAMETER / 2) * PLACES);
  while (positions.length < 2 * count) {
    const place = extent.map(
      (length, axis) => (low[axis] as number) + random.between(inset, length * PLACES - inset) / PLACES,
    );
    const isNear = positions.some(
      (x, index) =>
        index % 2 === 0 &&
        Math.hypot(x - (place[0] as number), (positions[index + 1] as number) - (place[1] as number)) <
          nearest,
    );
    if (!isNear) positions.push(...place);
  }
  return Float32Array.from(positions);
}

export function createTrace(scene = createScene()): Trace {
  const recorder = new Recorder(scene);
  traceHash(recorder);
  traceCount(recorder);
  traceSum(recorder);
  traceScatter(recorder);
  const grid = traceOrder(recorder);
  traceProbe(recorder, grid);
  tracePush(recorder, grid);
  return { scene, steps: recorder.steps };
}

/** Keeps the arrays as they are by now; steps share those that did not change between them. */
class Recorder {
  readonly steps: Step[] = [];
  private arrays: Arrays;

  constructor(readonly scene: Scene) {
    const { world } = scene;
    const lengths = { particle: PARTICLES, place: PARTICLES, slot: PARTICLES, cell: world.cellCount + 3 };
    const names = Object.keys(ARRAYS) as ArrayName[];
    const empty = names.map((name) => {
      const { of, components } = ARRAYS[name];
      return [name, new Array<number | undefined>(components * lengths[of]).fill(undefined)];
    });
    this.arrays = Object.fromEntries(empty) as Record<ArrayName, Values>;
    this.set('positions', scene.positions);
    // The scan of the step before leaves them cleared.
    this.set('counts', new Uint32Array(lengths.cell));
  }

  /** The whole of an array. */
  set(name: ArrayName, values: ArrayLike<number>): void {
    this.arrays = { ...this.arrays, [name]: Array.from(values) };
  }

  /** One entry of an output. */
  take(name: ArrayName, index: number, output: ArrayLike<number>): Entry {
    const { components } = ARRAYS[name];
    const values = [...this.arrays[name]];
    for (let number = components * index; number < components * (index + 1); number++) {
      values[number] = output[number];
    }
    this.arrays = { ...this.arrays, [name]: values };
    return { array: name, index };
  }

  step(stage: Stage, text: string, happens: Partial<Omit<Step, 'focus'> & Focus> = {}): void {
    const { reads = [], writes = [], particle, cells = [], verdicts = new Map(), slots = [] } = happens;
    const place = this.steps.at(-1)?.stage === stage ? (this.steps.at(-1)?.place ?? 0) + 1 : 0;
    const focus = { particle, cells, verdicts, slots };
    this.steps.push({ stage, place, arrays: this.arrays, reads, writes, focus, text });
  }
}

function traceHash(recorder: Recorder): void {
  const { world, positions } = recorder.scene;
  const { cells } = countParticles(world, positions, PARTICLES);
  const [columns = 0, rows = 0] = world.cells;
  recorder.step(
    'hash',
    `Which cell is each particle in? The box has ${COLUMNS} × ${ROWS} cells, each as wide as 1; (0, 0) is its upper left ` +
      `corner, y goes down. A ring of empty cells makes ${columns} × ${rows}, so that later nobody has to ask whether a cell ` +
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

function traceCount(recorder: Recorder): void {
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

function traceSum(recorder: Recorder): void {
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
function countArrived({ world, positions, arrivals }: Scene) {
  const counts = countParticles(world, permute(2, positions, arrivals), PARTICLES, arrivals);
  const start = exclusiveScan(counts.counts);
  return { counts, start, entries: scatterParticles(start, counts, arrivals) };
}

function traceScatter(recorder: Recorder): void {
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

function traceOrder(recorder: Recorder): Grid {
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

/** The slots that the reference's loop visits, and which of them are contacts. */
function probeSlot({ world, diameter }: Scene, grid: Grid, slot: number): Map<number, Verdict> {
  const verdicts = new Map<number, Verdict>();
  probeCells(world, grid, slot, (other) => {
    const contact = findContact(world, { diameter }, grid, slot, other);
    verdicts.set(other, contact ? 'contact' : 'apart');
  });
  return verdicts;
}

function traceProbe(recorder: Recorder, grid: Grid): void {
  const { scene } = recorder;
  const { world, diameter } = scene;
  const { ids, start, positions } = grid;
  const idOf = (slot: number) => ids[slot] as number;
  const verdicts = range(0, PARTICLES).map((slot) => probeSlot(scene, grid, slot));
  const total = (of: (found: Map<number, Verdict>) => number) =>
    verdicts.reduce((sum, found) => sum + of(found), 0);
  const candidates = Uint32Array.from(verdicts, (found) => found.size);
  const contacts = Uint32Array.from(verdicts, countContacts);
  const byId = (found: ReadonlyMap<number, Verdict>) =>
    new Map([...found].map(([other, verdict]) => [idOf(other), verdict]));
  const busiest = candidates.indexOf(Math.max(...candidates));
  recorder.step(
    'probe',
    `Who touches whom? Two closer than the diameter, ${diameter}, are in the same cell or in cells that touch, since a cell ` +
      'is at least as wide. So each looks at nine cells only. Three cells of a row are one range of slots, since they are ' +
      `numbered one after another. First, look by look, the one with most to look at: particle ${idOf(busiest)}.`,
  );

  const own = grid.cells[busiest] as number;
  const columns = world.cells[0] as number;
  const particle = idOf(busiest);
  const seen = new Map<number, Verdict>();
  const put = (name: 'candidates' | 'contacts', slot: number, value: number) =>
    recorder.take(name, slot, new Uint32Array(PARTICLES).fill(value));
  const rowsAround = (centre: number) =>
    [centre - columns, centre, centre + columns].map((middle) => [middle - 1, middle, middle + 1] as const);
  /** Where the slots of a row of cells begin and end. */
  const ends = ([first, , last]: readonly [number, number, number]): Entry[] => [
    { array: 'start', index: first },
    { array: 'start', index: last + 1 },
  ];
  const stateOf = (slot: number): Entry[] => [
    { array: 'ids', index: slot },
    { array: 'sorted', index: slot },
  ];
  for (const [row, cells] of rowsAround(own).entries()) {
    const [first, , last] = cells;
    const [from, to] = [start[first] as number, start[last + 1] as number];
    const slots = range(from, to);
    const between = from === to ? 'nobody' : to - from === 1 ? `slot ${from}` : `slots ${from} to ${to - 1}`;
    const which = ['The row above it', 'Its own row', 'The row below it'][row];
    recorder.step(
      'probe',
      `${row === 0 ? `Slot ${busiest} is particle ${particle}, in cell ${own}. ` : ''}${which} is cells ${first} to ${last}. ` +
        `They begin at start[${first}] = ${from} and end before start[${last + 1}] = ${to}: ${between}.`,
      {
        particle,
        cells,
        slots,
        verdicts: byId(seen),
        // It reads once who and where it is itself.
        reads: [...(row === 0 ? stateOf(busiest) : []), ...ends(cells)],
        writes: row === 0 ? [put('candidates', busiest, 0), put('contacts', busiest, 0)] : [],
      },
    );
    for (const other of slots) {
      const verdict = verdicts[busiest]?.get(other);
      const reads = stateOf(other);
      if (!verdict) {
        recorder.step('probe', `Slot ${other} is particle ${particle} itself: passed over.`, {
          particle,
          cells,
          slots,
          verdicts: byId(seen),
          reads,
        });
        continue;
      }
      seen.set(other, verdict);
      const writes = [put('candidates', busiest, seen.size)];
      if (verdict === 'contact') writes.push(put('contacts', busiest, countContacts(seen)));
      const distance = distanceBetween(positions, busiest, other);
      recorder.step(
        'probe',
        `Slot ${other} is particle ${idOf(other)}, ${formatNumber(distance)} away from particle ${particle}: ` +
          `${verdict === 'contact' ? '' : 'not '}less than the diameter, ${diameter}, so ` +
          `${verdict === 'contact' ? 'a contact' : 'no contact'}.`,
        { particle, cells, slots, verdicts: byId(seen), reads, writes },
      );
    }
  }
  for (const slot of range(0, PARTICLES)) {
    if (slot === busiest) continue;
    const isFirst = slot === (busiest === 0 ? 1 : 0);
    const centre = grid.cells[slot] as number;
    const rows = rowsAround(centre);
    const others = [...(verdicts[slot]?.keys() ?? [])];
    recorder.step(
      'probe',
      `${isFirst ? 'All others do the same, here each in one step. ' : ''}` +
        `Slot ${slot}, particle ${idOf(slot)}, in cell ${centre}: ${describe(candidates[slot] as number, 'candidate')}, ` +
        `${describe(contacts[slot] as number, 'contact')}.`,
      {
        particle: idOf(slot),
        cells: rows.flat(),
        verdicts: byId(verdicts[slot] ?? new Map()),
        reads: [...rows.flatMap(ends), ...[slot, ...others].flatMap(stateOf)],
        writes: [recorder.take('candidates', slot, candidates), recorder.take('contacts', slot, contacts)],
      },
    );
  }
  recorder.step(
    'probe',
    `In all, ${total((found) => found.size) / 2} pairs were looked at, each from both sides, and ` +
      `${total(countContacts) / 2} of them touch. Without the grid all ${(PARTICLES * (PARTICLES - 1)) / 2} pairs ` +
      'would have to be looked at.',
  );
}

function tracePush(recorder: Recorder, grid: Grid): void {
  const { scene } = recorder;
  const { world, diameter, substep } = scene;
  const { ids, positions } = grid;
  const idOf = (slot: number) => ids[slot] as number;
  const moved = separateContacts(world, substep, grid);
  recorder.step(
    'push',
    'Each moves away from every contact by half of the overlap, and the other does the other half. All read the old ' +
      'positions and write new ones, so nobody waits for anybody. The engine does so in one pass with the probe, of which ' +
      'only the reads of contacts are marked here, and takes a smaller share at a time, so that crowds come to rest.',
  );
  for (const slot of range(0, PARTICLES)) {
    const overlaps: string[] = [];
    const verdicts = new Map<number, Verdict>();
    const reads: Entry[] = [
      { array: 'ids', index: slot },
      { array: 'sorted', index: slot },
    ];
    for (const [other, verdict] of probeSlot(scene, grid, slot)) {
      if (verdict === 'apart') continue;
      verdicts.set(idOf(other), verdict);
      reads.push({ array: 'sorted', index: other });
      const overlap = findContact(world, { diameter }, grid, slot, other)?.overlap ?? 0;
      overlaps.push(`particle ${idOf(other)} by ${formatNumber(overlap)}`);
    }
    const [from, to] = [placeOf(positions, slot), placeOf(moved, slot)].map(
      (place) => `(${place.map(formatNumber).join(', ')})`,
    );
    const text =
      overlaps.length === 0
        ? `Slot ${slot}, particle ${idOf(slot)}, touches nobody and stays at ${from}.`
        : `Slot ${slot}, particle ${idOf(slot)}, overlaps ${joinWords(overlaps)}: half of ${overlaps.length === 1 ? 'that' : 'each'} moves it from ${from} to ${to}.`;
    recorder.step('push', text, {
      particle: idOf(slot),
      cells: [grid.cells[slot] as number],
      verdicts,
      reads,
      writes: [recorder.take('moved', slot, moved)],
    });
  }
  const [before, after] = [grid, buildGrid(world, moved)].map((of) => {
    const overlaps = range(0, PARTICLES).flatMap((slot) =>
      [...probeSlot(scene, of, slot).keys()].map(
        (other) => findContact(world, { diameter }, of, slot, other)?.overlap ?? 0,
      ),
    );
    return formatNumber(Math.max(...overlaps));
  });
  recorder.step(
    'push',
    `The deepest overlap was ${before} and is ${after} now: who has neighbours on several sides is pushed into some of them ` +
      'again. The next step begins anew with the cells, since particles have moved.',
  );
}

/** The step that is so far into a stage, or the stage's last; the first one where there is no such stage. */
export function findStep({ steps }: Trace, stage: string, place: number): number {
  const first = steps.findIndex((step) => step.stage === stage);
  if (first < 0) return 0;
  const last = steps.findLastIndex((step) => step.stage === stage);
  return Math.min(last, first + Math.max(0, Number.isFinite(place) ? Math.floor(place) : 0));
}

/** Up to three decimals. */
export function formatNumber(value: number): string {
  return String(Number(value.toFixed(3)));
}

export function describe(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function countContacts(verdicts: ReadonlyMap<number, Verdict>): number {
  return [...verdicts.values()].filter((verdict) => verdict === 'contact').length;
}

function placeOf(positions: Float32Array, index: number): number[] {
  return Array.from(positions.subarray(2 * index, 2 * index + 2));
}

function distanceBetween(positions: Float32Array, first: number, second: number): number {
  const [a, b] = [placeOf(positions, first), placeOf(positions, second)];
  return Math.hypot((a[0] as number) - (b[0] as number), (a[1] as number) - (b[1] as number));
}

export function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

export function range(first: number, end: number): number[] {
  return Array.from({ length: end - first }, (_, index) => first + index);
}
