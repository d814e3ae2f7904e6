/** Traces the stages `probe`, `pairs` and `push`. */
import { bucketOfLattice } from '../../core/world/cells';
import { buildGrid, type Grid } from '../../reference/grid/grid';
import { probeCells } from '../../reference/query/probe';
import { findContact } from '../../reference/solve/contact';
import { pushApart } from '../../reference/solve/resolve';
import { createScene, nameCell, nameLattice, PARTS_PER_UNIT, picturedCell, type Scene } from './scene';
import { countContacts, type Entry, type Recorder, type Verdict } from './trace-recorder';
import { describe, distanceBetween, formatNumber, joinWords, positionOf, range } from './words';

/** Returns the verdict on each candidate of a slot, by the candidate's slot. */
export function probeSlot({ world, diameter }: Scene, grid: Grid, slot: number): Map<number, Verdict> {
  const verdicts = new Map<number, Verdict>();
  probeCells(world, grid, slot, (other) => {
    const contact = findContact(world, { diameter }, grid, slot, other);
    verdicts.set(other, contact ? 'contact' : 'apart');
  });
  return verdicts;
}

interface Row {
  readonly lattices: readonly (readonly number[])[];
  /** First and last bucket of each range. */
  readonly ranges: readonly (readonly [number, number])[];
}

/** Returns the three rows of cells around a slot. A row is one range of buckets or, in a hash table, sometimes two. */
export function rowsAround({ world }: Scene, { lattices }: Grid, slot: number): Row[] {
  const [x = 0, y = 0] = positionOf(lattices, slot);
  return [y - 1, y, y + 1].map((row) => {
    const cells = [x - 1, x, x + 1].map((column) => [column, row]);
    const ranges: [number, number][] = [];
    for (const bucket of cells.map((cell) => bucketOfLattice(world, cell))) {
      const last = ranges.at(-1);
      if (last && bucket === last[1] + 1) last[1] = bucket;
      else ranges.push([bucket, bucket]);
    }
    return { lattices: cells, ranges };
  });
}

/** Returns the entries of `start` that bound a row's slots. */
function endsOf({ ranges }: Row): Entry[] {
  return ranges.flatMap(([first, last]): Entry[] => [
    { array: 'start', index: first },
    { array: 'start', index: last + 1 },
  ]);
}

function slotsOf({ ranges }: Row, { start }: Grid): number[] {
  return ranges.flatMap(([first, last]) => range(start[first] as number, start[last + 1] as number));
}

/** Names ranges of numbers, for example `slots 3 to 5`, `slot 3 and slots 7 to 9`, `no slots`. */
function nameRuns(kind: string, runs: readonly (readonly [number, number])[]): string {
  const names = runs.flatMap(([first, end]) => {
    if (first === end) return [];
    return [end - first === 1 ? `${kind} ${first}` : `${kind}s ${first} to ${end - 1}`];
  });
  return joinWords(names) || `no ${kind}s`;
}

export function traceProbe(recorder: Recorder, grid: Grid): void {
  const { scene } = recorder;
  const { method, diameter } = scene;
  const isHashed = method === 'hashed';
  const { ids, start, positions } = grid;
  const count = ids.length;
  const idOf = (slot: number) => ids[slot] as number;
  const latticeOf = (slot: number) => positionOf(grid.lattices, slot);
  const verdicts = range(0, count).map((slot) => probeSlot(scene, grid, slot));
  const total = (of: (found: Map<number, Verdict>) => number) =>
    verdicts.reduce((sum, found) => sum + of(found), 0);
  const candidates = Uint32Array.from(verdicts, (found) => found.size);
  const contacts = Uint32Array.from(verdicts, countContacts);
  const byId = (found: ReadonlyMap<number, Verdict>) =>
    new Map([...found].map(([other, verdict]) => [idOf(other), verdict]));
  const busiest = candidates.indexOf(Math.max(...candidates));
  const particle = idOf(busiest);
  recorder.step(
    'probe',
    `Each particle searches nine cells for particles that are nearer than the diameter, ${diameter}.`,
    'Cells are at least one diameter wide, so particles that touch are in the same or adjacent cells. First come the tests of ' +
      `particle ${particle}, which has the most candidates. ` +
      (isHashed
        ? 'The search also compares cells, because a bucket may have particles of other cells. (The engine does this after it tests the distance.)'
        : 'The three cells of a row are one range of slots.'),
  );
  const seen = new Map<number, Verdict>();
  const put = (name: 'candidates' | 'contacts', slot: number, value: number) =>
    recorder.take(name, slot, new Uint32Array(count).fill(value));
  const stateOf = (slot: number): Entry[] => [
    { array: 'ids', index: slot },
    { array: 'sorted', index: slot },
    ...(isHashed ? [{ array: 'lattices', index: slot } as const] : []),
  ];
  for (const [index, row] of rowsAround(scene, grid, busiest).entries()) {
    const slots = slotsOf(row, grid);
    const cells = row.lattices.flatMap((lattice) => picturedCell(scene, lattice));
    const runs = row.ranges.map(
      ([first, last]) => [start[first] as number, start[last + 1] as number] as const,
    );
    const which = ['The row above', 'Its own row', 'The row below'][index];
    const [from = [], to = []] = [row.lattices[0], row.lattices.at(-1)];
    const buckets = nameRuns(
      'bucket',
      row.ranges.map(([first, last]) => [first, last + 1] as const),
    );
    const bounds = row.ranges.map(
      ([first, last]) => `start[${first}] = ${start[first]} and start[${last + 1}] = ${start[last + 1]}`,
    );
    recorder.step(
      'probe',
      `${which}, cells ${nameCell(scene, from)} to ${nameCell(scene, to)}, has ${nameRuns('slot', runs)}.`,
      `${index === 0 ? `Slot ${busiest} is particle ${particle}, in cell ${nameCell(scene, latticeOf(busiest))}. ` : ''}` +
        `${isHashed ? `The cells have ${buckets}. ` : ''}${joinWords(bounds)}.`,
      {
        particle,
        cells,
        slots,
        verdicts: byId(seen),
        reads: [...(index === 0 ? stateOf(busiest) : []), ...endsOf(row)],
        writes: index === 0 ? [put('candidates', busiest, 0), put('contacts', busiest, 0)] : [],
      },
    );
    for (const other of slots) {
      const reads = stateOf(other);
      const happens = { particle, cells, slots, reads };
      const isInRow = row.lattices.some((lattice) => nameLattice(lattice) === nameLattice(latticeOf(other)));
      const verdict = verdicts[busiest]?.get(other);
      if (!isInRow) {
        recorder.step(
          'probe',
          `Particle ${idOf(other)} only shares a bucket with this row, so it is skipped.`,
          `Slot ${other} is in cell ${nameLattice(latticeOf(other))}.`,
          // If another row shares this bucket and has tested the particle already, keep that verdict.
          { ...happens, verdicts: byId(new Map([[other, 'elsewhere'], ...seen])) },
        );
      } else if (!verdict) {
        recorder.step('probe', `Slot ${other} is particle ${particle} itself, so it is skipped.`, '', {
          ...happens,
          verdicts: byId(seen),
        });
      } else {
        seen.set(other, verdict);
        const writes = [put('candidates', busiest, seen.size)];
        if (verdict === 'contact') writes.push(put('contacts', busiest, countContacts(seen)));
        const distance = formatNumber(distanceBetween(positions, busiest, other));
        recorder.step(
          'probe',
          `Particle ${idOf(other)} is ${distance} away, so it ${verdict === 'contact' ? 'touches' : 'does not touch'} particle ${particle}.`,
          `Slot ${other} is candidate ${seen.size}${verdict === 'contact' ? ` and contact ${countContacts(seen)}` : ''}; the diameter is ${diameter}.`,
          { ...happens, verdicts: byId(seen), writes },
        );
      }
    }
  }
  for (const slot of range(0, count)) {
    if (slot === busiest) continue;
    const isFirst = slot === (busiest === 0 ? 1 : 0);
    const rows = rowsAround(scene, grid, slot);
    const visited = new Set([slot, ...rows.flatMap((row) => slotsOf(row, grid))]);
    recorder.step(
      'probe',
      `Particle ${idOf(slot)} has ${describe(candidates[slot] as number, 'candidate')} and ` +
        `${describe(contacts[slot] as number, 'contact')}.`,
      `${isFirst ? 'All other particles do the same, shown here in one step each. ' : ''}` +
        `Slot ${slot} is in cell ${nameCell(scene, latticeOf(slot))}.`,
      {
        particle: idOf(slot),
        cells: rows.flatMap(({ lattices }) => lattices.flatMap((lattice) => picturedCell(scene, lattice))),
        verdicts: byId(verdicts[slot] ?? new Map()),
        reads: [...rows.flatMap(endsOf), ...[...visited].flatMap(stateOf)],
        writes: [recorder.take('candidates', slot, candidates), recorder.take('contacts', slot, contacts)],
      },
    );
  }
  recorder.step(
    'probe',
    `In all, ${total((found) => found.size) / 2} pairs are tested, and ${total(countContacts) / 2} of them touch.`,
    `Each pair is tested from both sides. Without the grid, all ${(count * (count - 1)) / 2} pairs would have to be tested.`,
  );
}

/** Traces the tests of all pairs. Returns the grid of one cell with which the reference tests them. */
export function tracePairs(recorder: Recorder): Grid {
  const { scene } = recorder;
  const { world, positions, diameter } = scene;
  const count = positions.length / 2;
  const grid = buildGrid(world, positions);
  const tests = (count * (count - 1)) / 2;
  const tested = new Uint32Array(count);
  const contacts = new Uint32Array(count);
  recorder.set('candidates', tested);
  recorder.set('contacts', contacts);
  recorder.step(
    'pairs',
    `The naive loop tests every particle with every later one: ${describe(tests, 'test')}.`,
    `With n particles there are n(n − 1) / 2 pairs, so twice the particles take about four times the tests. Nothing ` +
      'is sorted or stored, so this is fast for few particles.',
  );
  let test = 0;
  let touching = 0;
  for (const a of range(0, count)) {
    const verdicts = probeSlot(scene, grid, a);
    const seen = new Map<number, Verdict>();
    for (const b of range(a + 1, count)) {
      const verdict = verdicts.get(b) ?? 'apart';
      seen.set(b, verdict);
      const isContact = verdict === 'contact';
      if (isContact) touching++;
      const writes = [a, b].flatMap((id) => {
        tested[id] = (tested[id] ?? 0) + 1;
        if (isContact) contacts[id] = (contacts[id] ?? 0) + 1;
        const candidate = recorder.take('candidates', id, tested);
        return isContact ? [candidate, recorder.take('contacts', id, contacts)] : [candidate];
      });
      const distance = formatNumber(distanceBetween(positions, a, b));
      recorder.step(
        'pairs',
        `Particles ${a} and ${b} are ${distance} apart, so they ${isContact ? 'touch' : 'do not touch'}.`,
        `Test ${++test} of ${tests}, with ${describe(touching, 'contact')} so far; the diameter is ${diameter}.`,
        {
          particle: a,
          verdicts: new Map(seen),
          reads: [a, b].map((index) => ({ array: 'positions', index })),
          writes,
        },
      );
    }
  }
  const parts = range(0, count).map((id) => positionOf(positions, id).map((at) => at * PARTS_PER_UNIT));
  const moved = new Map(parts.map(([x = 0, y = 0], id) => [id, [x, y] as const]));
  const gridScene = createScene({ method: 'grid', count, moved });
  const sorted = buildGrid(gridScene.world, gridScene.positions);
  const needed = range(0, count).reduce((sum, slot) => sum + probeSlot(gridScene, sorted, slot).size, 0) / 2;
  recorder.step(
    'pairs',
    `All ${tests} pairs are tested, and ${touching} of them touch.`,
    `A grid would test only ${needed} of these pairs.`,
  );
  return grid;
}

export function tracePush(recorder: Recorder, grid: Grid): void {
  const { scene } = recorder;
  const { method, world, diameter, substep } = scene;
  const { ids, positions } = grid;
  const count = ids.length;
  const input = method === 'naive' ? 'positions' : 'sorted';
  const idOf = (slot: number) => ids[slot] as number;
  const moved = pushApart(world, substep, grid);
  recorder.step(
    'push',
    'Each particle moves away from every particle that it touches, by half of their overlap.',
    'The other particle moves by the other half. All read the old positions and write new ones. (Only reads of contacts ' +
      'are marked.) The engine removes only a part of the overlap at a time, so that piles come to rest.',
  );
  for (const slot of range(0, count)) {
    const overlaps: string[] = [];
    const verdicts = new Map<number, Verdict>();
    const reads: Entry[] = method === 'naive' ? [] : [{ array: 'ids', index: slot }];
    reads.push({ array: input, index: slot });
    for (const [other, verdict] of probeSlot(scene, grid, slot)) {
      if (verdict === 'apart') continue;
      verdicts.set(idOf(other), verdict);
      reads.push({ array: input, index: other });
      const overlap = findContact(world, { diameter }, grid, slot, other)?.overlap ?? 0;
      overlaps.push(`particle ${idOf(other)} by ${formatNumber(overlap)}`);
    }
    const [from, to] = [positionOf(positions, slot), positionOf(moved, slot)].map((position) =>
      nameLattice(position.map((at) => Number(formatNumber(at)))),
    );
    const touched = describe(verdicts.size, 'particle');
    recorder.step(
      'push',
      verdicts.size === 0
        ? `Particle ${idOf(slot)} touches no other particle and stays where it is.`
        : `Particle ${idOf(slot)} touches ${touched} and moves away from ${verdicts.size === 1 ? 'it' : 'them'}.`,
      verdicts.size === 0
        ? `It is at ${from}.`
        : `It overlaps ${joinWords(overlaps)}. Half of ${verdicts.size === 1 ? 'that' : 'each'} moves it from ${from} to ${to}.`,
      {
        particle: idOf(slot),
        cells: method === 'naive' ? [] : picturedCell(scene, positionOf(grid.lattices, slot)),
        verdicts,
        reads,
        writes: [recorder.take('moved', slot, moved)],
      },
    );
  }
  const [before, after] = [grid, buildGrid(world, moved)].map((sorted) => {
    const overlaps = range(0, count).flatMap((slot) =>
      [...probeSlot(scene, sorted, slot).keys()].map(
        (other) => findContact(world, { diameter }, sorted, slot, other)?.overlap ?? 0,
      ),
    );
    return formatNumber(Math.max(0, ...overlaps));
  });
  recorder.step(
    'push',
    before === '0'
      ? 'No particles overlapped, so none has moved.'
      : `The deepest overlap was ${before} and is ${after} now.`,
    (after === '0'
      ? ''
      : 'A particle between neighbours, or between a neighbour and a wall, may still overlap them. ') +
      'The next simulation step starts from the beginning, because particles may move.',
  );
}
