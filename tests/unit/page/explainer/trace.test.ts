import { describe, expect, it } from 'vitest';
import { describeEntries } from '../../../../src/page/explainer/array-view';
import { freeCorner } from '../../../../src/page/explainer/corners';
import { createScene, createTrace, findStep } from '../../../../src/page/explainer/trace';
import {
  ARRAYS,
  type ArrayName,
  range,
  SHOWN,
  STAGES,
  type Stage,
  type Step,
  type Values,
} from '../../../../src/page/explainer/trace-recorder';
import { countParticles } from '../../../../src/reference/grid/count';
import { permute } from '../../../../src/reference/grid/gather';
import { buildGrid } from '../../../../src/reference/grid/grid';
import { exclusiveScan } from '../../../../src/reference/grid/scan';
import { scatterParticles } from '../../../../src/reference/grid/scatter';
import { measureState } from '../../../../src/reference/measure/measure';
import { bruteForcePairs } from '../../../../src/reference/query/brute-force';
import { findPairs } from '../../../../src/reference/query/pairs';
import { probeCells } from '../../../../src/reference/query/probe';
import { findContact } from '../../../../src/reference/solve/contact';
import { pushApart } from '../../../../src/reference/solve/resolve';

const scene = createScene();
const { world, diameter, positions, arrivals, substep } = scene;
const { steps } = createTrace();
const count = positions.length / 2;
const counted = countParticles(world, positions, count);
const arrived = countParticles(world, permute(2, positions, arrivals), count);
const start = exclusiveScan(counted.counts);
const grid = buildGrid(world, positions);
const others = Array.from({ length: count }, (_, slot) => {
  const visited: number[] = [];
  probeCells(world, grid, slot, (other) => visited.push(other));
  return visited;
});
const touching = (slot: number) =>
  (others[slot] ?? []).filter((other) => findContact(world, { diameter }, grid, slot, other));

const EXPECTED: Readonly<Record<ArrayName, ArrayLike<number>>> = {
  positions,
  cells: counted.cells,
  ranks: Uint32Array.from({ length: count }, (_, id) => arrived.ranks[arrivals.indexOf(id)] ?? -1),
  counts: counted.counts,
  start,
  entries: scatterParticles(start, arrived, arrivals).ids,
  ids: grid.ids,
  sorted: grid.positions,
  candidates: others.map(({ length }) => length),
  contacts: others.map((_, slot) => touching(slot).length),
  moved: pushApart(world, substep, grid),
};
const NAMES = Object.keys(ARRAYS) as ArrayName[];
/** Arrays whose entries never change once they are written. */
const WRITTEN_ONCE = NAMES.filter((name) => !['counts', 'candidates', 'contacts'].includes(name));

function stepsOf(stage: Stage): Step[] {
  return steps.filter((step) => step.stage === stage);
}

function entryOf(values: Values, name: ArrayName, index: number): Values {
  const { components } = ARRAYS[name];
  return values.slice(components * index, components * (index + 1));
}

describe('the explainer', () => {
  it('has thirty particles, up to four per cell, which arrive out of order', () => {
    expect(count).toBe(30);
    expect(world.cells).toEqual([8, 7]);
    const counts = Array.from(counted.counts);
    expect(Math.max(...counts)).toBe(4);
    expect([...arrivals].toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, id) => id));
    expect(EXPECTED.entries).not.toEqual(grid.ids);
  });

  it('goes through the stages in order, and through each from its beginning', () => {
    const stages = steps.map(({ stage }) => stage).filter((stage, index, all) => stage !== all[index - 1]);
    expect(stages).toEqual(STAGES.map(({ name }) => name));
    for (const { name } of STAGES) {
      expect(stepsOf(name).map(({ index }) => index)).toEqual(stepsOf(name).map((_, index) => index));
    }
  });

  it('ends every stage with the output of its reference pass', () => {
    const complete: Record<Stage, readonly ArrayName[]> = {
      hash: ['cells'],
      count: ['counts', 'ranks'],
      sum: ['start'],
      scatter: ['entries'],
      order: ['ids', 'sorted'],
      probe: ['candidates', 'contacts'],
      push: ['moved'],
    };
    for (const { name: stage } of STAGES) {
      const last = stepsOf(stage).at(-1);
      for (const name of complete[stage]) {
        expect(last?.arrays[name], `${stage}: ${name}`).toEqual(Array.from(EXPECTED[name]));
      }
    }
  });

  it('has at every step only entries that equal those of the reference or are still undefined', () => {
    const wrong: string[] = [];
    for (const [index, step] of steps.entries()) {
      for (const name of WRITTEN_ONCE) {
        const expected = EXPECTED[name];
        if (step.arrays[name].length !== expected.length) wrong.push(`step ${index}: length of ${name}`);
        step.arrays[name].forEach((value, entry) => {
          if (value !== undefined && value !== expected[entry])
            wrong.push(`step ${index}: ${name}[${entry}]`);
        });
      }
    }
    expect(wrong).toEqual([]);
  });

  it('changes exactly the entries that it lists as written', () => {
    const wrong: string[] = [];
    for (const [index, step] of steps.entries()) {
      const before = steps[index - 1];
      for (const name of before ? NAMES : []) {
        const written = step.writes.filter(({ array }) => array === name).map(({ index: entry }) => entry);
        for (let entry = 0; entry < step.arrays[name].length / ARRAYS[name].components; entry++) {
          const now = entryOf(step.arrays[name], name, entry);
          const then = entryOf(before?.arrays[name] ?? [], name, entry);
          const isSame = now.every((value, component) => value === then[component]);
          const isRight = written.includes(entry) ? !now.includes(undefined) : isSame;
          if (!isRight) wrong.push(`step ${index}: ${name}[${entry}]`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('reads only entries that exist, and shows every array that it reads or writes', () => {
    const wrong: string[] = [];
    for (const [index, { stage, arrays, reads, writes }] of steps.entries()) {
      for (const { array, index: entry } of [...reads, ...writes]) {
        const values = entryOf(arrays[array], array, entry);
        const isThere = values.length === ARRAYS[array].components && !values.includes(undefined);
        if (!isThere || !SHOWN[stage].includes(array)) wrong.push(`step ${index}: ${array}[${entry}]`);
      }
    }
    expect(wrong).toEqual([]);
    // After the first step of a stage, few steps write nothing: those that end a stage or look up rows.
    const idle = steps.filter(({ writes, index }) => writes.length === 0 && index > 0);
    expect(idle.length).toBeLessThan(8);
  });

  it('counts arrived particles like the reference', () => {
    stepsOf('count').forEach(({ arrays }, arrivedCount) => {
      const ids = arrivals.subarray(0, arrivedCount);
      const reference = countParticles(world, permute(2, positions, ids), arrivedCount);
      expect(arrays.counts).toEqual(Array.from(reference.counts));
      ids.forEach((id, arrival) => {
        expect(arrays.ranks[id]).toBe(reference.ranks[arrival]);
      });
    });
  });

  it('sums the counts read so far like the reference', () => {
    for (const { arrays } of stepsOf('sum')) {
      const written = arrays.start.indexOf(undefined);
      const length = written < 0 ? arrays.start.length : written;
      expect(arrays.start.slice(0, length)).toEqual(
        Array.from(exclusiveScan(counted.counts.subarray(0, length))),
      );
    }
  });

  it('probes the same slots as the reference, in its order, and finds the same contacts', () => {
    const busiest = EXPECTED.candidates as number[];
    const slot = busiest.indexOf(Math.max(...busiest));
    const single = stepsOf('probe').filter(({ text }) => /away/.test(text));
    expect(single.map(({ reads }) => reads[0]?.index)).toEqual(others[slot]);
    single.forEach(({ arrays, focus }, probe) => {
      const seen = others[slot]?.slice(0, probe + 1) ?? [];
      expect(arrays.candidates[slot]).toBe(seen.length);
      expect(arrays.contacts[slot]).toBe(seen.filter((other) => touching(slot).includes(other)).length);
      expect([...focus.verdicts.keys()]).toEqual(seen.map((other) => grid.ids[other]));
    });
    for (const { focus, reads } of single) {
      const [first = 0, , last = 0] = focus.cells;
      expect(focus.slots).toEqual(range(start[first] ?? 0, start[last + 1] ?? 0));
      expect(focus.slots).toContain(reads[0]?.index);
    }
    for (const { focus } of stepsOf('probe')) {
      if (focus.particle === undefined) continue;
      const own = grid.ids.indexOf(focus.particle);
      for (const [id, verdict] of focus.verdicts) {
        const isContact = touching(own).includes(grid.ids.indexOf(id));
        expect(verdict).toBe(isContact ? 'contact' : 'apart');
      }
    }
  });

  it('reads all that the pass reads: the bounds of each row of cells, and every slot in it', () => {
    const columns = world.cells[0] as number;
    const of = ({ reads }: Step, array: ArrayName) =>
      reads.filter((read) => read.array === array).map(({ index }) => index);
    const rowsOf = (slot: number) =>
      [-columns, 0, columns].map((offset) => (grid.cells[slot] as number) + offset);
    const boundsOf = (slot: number) => rowsOf(slot).flatMap((middle) => [middle - 1, middle + 2]);
    const probes = stepsOf('probe').filter(({ focus }) => focus.particle !== undefined);
    for (const slot of range(0, count)) {
      const own = probes.filter(({ focus }) => focus.particle === grid.ids[slot]);
      expect(own.flatMap((step) => of(step, 'start'))).toEqual(boundsOf(slot));
      const probed = [slot, ...(others[slot] ?? [])].toSorted((a, b) => a - b);
      for (const array of ['ids', 'sorted'] as const) {
        const read = [...new Set(own.flatMap((step) => of(step, array)))].toSorted((a, b) => a - b);
        expect(read).toEqual(probed);
      }
      // Exactly the nine cells around the particle are marked.
      const marked = [...new Set(own.flatMap(({ focus }) => focus.cells))].toSorted((a, b) => a - b);
      expect(marked).toEqual(rowsOf(slot).flatMap((middle) => [middle - 1, middle, middle + 1]));
    }
    const ordered = stepsOf('order').filter(({ index }) => index > 0);
    expect(ordered.map((step) => of(step, 'positions'))).toEqual(
      ordered.map(({ focus }) => [focus.particle]),
    );
    const pushed = stepsOf('push').filter(({ focus }) => focus.particle !== undefined);
    expect(pushed.map((step) => of(step, 'sorted'))).toEqual(
      range(0, count).map((slot) => [slot, ...touching(slot)]),
    );
  });

  it('describes exactly the entries that each step reads and writes', () => {
    for (const step of steps) {
      const description = describeEntries(step);
      const idle = step.index === 0 ? 'Nothing is read or written yet.' : 'Nothing is read or written.';
      if (step.reads.length + step.writes.length === 0) expect(description).toBe(idle);
      for (const [verb, entries] of [
        ['Reads', step.reads],
        ['Writes', step.writes],
      ] as const) {
        const sentence = new RegExp(`${verb} ([^.]*)\\.`).exec(description)?.[1] ?? '';
        const named = [...sentence.matchAll(/(\w+)\[([^\]]*)\]/g)].flatMap(([, array, runs = '']) =>
          runs.split(', ').flatMap((run) => {
            const [first = 0, last = first] = run.split(' to ').map(Number);
            return range(first, last + 1).map((index) => `${array} ${index}`);
          }),
        );
        expect(new Set(named)).toEqual(new Set(entries.map(({ array, index }) => `${array} ${index}`)));
      }
    }
  });

  it('finds the pairs of brute force, and reports the measured number of candidates', () => {
    const oracle = bruteForcePairs(2, positions, diameter);
    expect(oracle.ambiguous.count).toBe(0);
    expect(findPairs(world, diameter, grid)).toEqual(oracle.overlapping);
    const measures = measureState(world, diameter, grid);
    const last = stepsOf('probe').at(-1);
    const sum = (values: Values) => values.reduce<number>((total, value) => total + (value ?? 0), 0);
    expect(sum(last?.arrays.contacts ?? [])).toBe(2 * oracle.overlapping.count);
    expect(sum(last?.arrays.candidates ?? [])).toBe(2 * measures.candidates);
    expect(last?.text).toContain(`${measures.candidates} pairs`);
    expect(last?.text).toContain(`${measures.contacts} of them touch`);
    const deepest = Number(measures.deepestOverlap.toFixed(3));
    expect(stepsOf('push').at(-1)?.text).toContain(`was ${deepest} and is`);
  });

  it('mentions the written numbers in its text', () => {
    for (const { stage, index, text, arrays, writes } of steps) {
      if (index === 0) continue;
      for (const { array, index } of writes) {
        if (['sum', 'push'].includes(stage) || array === 'sorted' || /row .* is cells/.test(text)) continue;
        expect(text).toMatch(new RegExp(`\\b(${arrays[array][index]}|none|no contact|a contact|alone)\\b`));
      }
    }
  });

  it('puts the number of a cell into a corner without particles, or else into the one with most room', () => {
    const cornerOf = (...positions: [number, number][]) => {
      const { x, y, 'text-anchor': anchor } = freeCorner(2, 3, positions);
      return [x < 2.5 ? 'left' : 'right', y < 3.5 ? 'upper' : 'lower', anchor];
    };
    expect(cornerOf([5, 5])).toEqual(['left', 'upper', 'start']);
    expect(cornerOf([2.1, 3.1])).toEqual(['right', 'upper', 'end']);
    expect(cornerOf([2.1, 3.1], [2.9, 3.2])).toEqual(['left', 'lower', 'start']);
    expect(cornerOf([2.2, 3.2], [2.8, 3.2], [2.2, 3.8], [2.7, 3.7])).toEqual(['right', 'lower', 'end']);
  });

  it('finds the step of an address, and the nearest step if the address has none', () => {
    const trace = { scene, steps };
    const at = (stage: string, index: number) => {
      const step = steps[findStep(trace, stage, index)];
      return [step?.stage, step?.index];
    };
    expect(at('count', 12)).toEqual(['count', 12]);
    expect(at('count', 1e9)).toEqual(['count', count]);
    expect(at('count', -4)).toEqual(['count', 0]);
    expect(at('count', Number.NaN)).toEqual(['count', 0]);
    expect(at('nonsense', 3)).toEqual(['hash', 0]);
  });
});
