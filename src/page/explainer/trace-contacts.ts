/** Traces the stages `probe` and `push`. */
import { buildGrid, type Grid } from '../../reference/grid/grid';
import { probeCells } from '../../reference/query/probe';
import { findContact } from '../../reference/solve/contact';
import { pushApart } from '../../reference/solve/resolve';
import {
  countContacts,
  describe,
  distanceBetween,
  type Entry,
  formatNumber,
  joinWords,
  PARTICLES,
  positionOf,
  type Recorder,
  range,
  type Scene,
  type Verdict,
} from './trace-recorder';

/** Returns a verdict for each slot that the neighbour loop visits. */
export function probeSlot({ world, diameter }: Scene, grid: Grid, slot: number): Map<number, Verdict> {
  const verdicts = new Map<number, Verdict>();
  probeCells(world, grid, slot, (other) => {
    const contact = findContact(world, { diameter }, grid, slot, other);
    verdicts.set(other, contact ? 'contact' : 'apart');
  });
  return verdicts;
}

export function traceProbe(recorder: Recorder, grid: Grid): void {
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
    `Which particles touch? Two that are closer than the diameter, ${diameter}, are in the same cell or in adjacent cells, ` +
      'because cells are at least one diameter wide. So each particle searches only nine cells. The three cells of a row ' +
      `are one range of slots. The next steps show each test of particle ${idOf(busiest)}, which has the most candidates.`,
  );

  const own = grid.cells[busiest] as number;
  const columns = world.cells[0] as number;
  const particle = idOf(busiest);
  const seen = new Map<number, Verdict>();
  const put = (name: 'candidates' | 'contacts', slot: number, value: number) =>
    recorder.take(name, slot, new Uint32Array(PARTICLES).fill(value));
  const rowsAround = (centre: number) =>
    [centre - columns, centre, centre + columns].map((middle) => [middle - 1, middle, middle + 1] as const);
  /** The entries of `start` that bound a row's slots. */
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
    const between = from === to ? 'no slot' : to - from === 1 ? `slot ${from}` : `slots ${from} to ${to - 1}`;
    const which = ['The row above', 'Its own row', 'The row below'][row];
    recorder.step(
      'probe',
      `${row === 0 ? `Slot ${busiest} is particle ${particle}, in cell ${own}. ` : ''}${which} is cells ${first} to ${last}. ` +
        `Its slots begin at start[${first}] = ${from} and end before start[${last + 1}] = ${to}: ${between}.`,
      {
        particle,
        cells,
        slots,
        verdicts: byId(seen),
        // A particle reads its own state before the first row.
        reads: [...(row === 0 ? stateOf(busiest) : []), ...ends(cells)],
        writes: row === 0 ? [put('candidates', busiest, 0), put('contacts', busiest, 0)] : [],
      },
    );
    for (const other of slots) {
      const verdict = verdicts[busiest]?.get(other);
      const reads = stateOf(other);
      if (!verdict) {
        recorder.step('probe', `Slot ${other} is particle ${particle} itself: skipped.`, {
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
      `${isFirst ? 'All other particles do the same, shown here in one step each. ' : ''}` +
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
    `In all, ${total((found) => found.size) / 2} pairs were tested, each from both sides, and ` +
      `${total(countContacts) / 2} of them touch. Without the grid, all ${(PARTICLES * (PARTICLES - 1)) / 2} pairs ` +
      'would have to be tested.',
  );
}

export function tracePush(recorder: Recorder, grid: Grid): void {
  const { scene } = recorder;
  const { world, diameter, substep } = scene;
  const { ids, positions } = grid;
  const idOf = (slot: number) => ids[slot] as number;
  const moved = pushApart(world, substep, grid);
  recorder.step(
    'push',
    'Each particle moves away from every contact by half of the overlap; the other particle moves by the other half. All ' +
      'read the old positions and write new ones. (Only reads of contacts are marked.) The engine does this during the ' +
      'probe, and a pass removes only a part of the overlap, so that piles come to rest.',
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
    const [from, to] = [positionOf(positions, slot), positionOf(moved, slot)].map(
      (position) => `(${position.map(formatNumber).join(', ')})`,
    );
    const text =
      overlaps.length === 0
        ? `Slot ${slot}, particle ${idOf(slot)}, touches no other particle and stays at ${from}.`
        : `Slot ${slot}, particle ${idOf(slot)}, overlaps ${joinWords(overlaps)}: half of ${overlaps.length === 1 ? 'that' : 'each'} moves it from ${from} to ${to}.`;
    recorder.step('push', text, {
      particle: idOf(slot),
      cells: [grid.cells[slot] as number],
      verdicts,
      reads,
      writes: [recorder.take('moved', slot, moved)],
    });
  }
  const [before, after] = [grid, buildGrid(world, moved)].map((sorted) => {
    const overlaps = range(0, PARTICLES).flatMap((slot) =>
      [...probeSlot(scene, sorted, slot).keys()].map(
        (other) => findContact(world, { diameter }, sorted, slot, other)?.overlap ?? 0,
      ),
    );
    return formatNumber(Math.max(...overlaps));
  });
  recorder.step(
    'push',
    `The deepest overlap was ${before} and is ${after} now: a particle with neighbours on several sides is pushed into ` +
      'some of them again. The next simulation step starts with the hash again, because particles have moved.',
  );
}
