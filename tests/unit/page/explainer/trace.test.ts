import { describe, expect, it } from 'vitest';
import { bucketOfLattice } from '../../../../src/core/world/cells';
import { describeEntries, entryText } from '../../../../src/page/explainer/array-view';
import { freeCorner } from '../../../../src/page/explainer/corners';
import {
  ARRAYS,
  type ArrayName,
  METHOD_NAMES,
  type Stage,
  shownArrays,
  stagesOf,
} from '../../../../src/page/explainer/methods';
import {
  type Choice,
  createScene,
  DEFAULT_CHOICE,
  picturedBuckets,
  picturedCell,
} from '../../../../src/page/explainer/scene';
import { createTrace, findParticle, findStep } from '../../../../src/page/explainer/trace';
import { rowsAround } from '../../../../src/page/explainer/trace-contacts';
import type { Step, Values } from '../../../../src/page/explainer/trace-recorder';
import { range } from '../../../../src/page/explainer/words';
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

const NAMES = Object.keys(ARRAYS) as ArrayName[];
/** Arrays whose entries change after they are written. */
const REWRITTEN: readonly ArrayName[] = ['counts', 'candidates', 'contacts'];

/** One particle beyond the box, two that coincide, and one exactly a diameter (11/16) from them. */
const MOVED: Choice['moved'] = new Map([
  [0, [-8, 90]],
  [3, [50, 40]],
  [4, [50, 40]],
  [5, [61, 40]],
]);

const CHOICES: readonly Choice[] = [
  ...METHOD_NAMES.map((method) => ({ ...DEFAULT_CHOICE, method })),
  ...METHOD_NAMES.map((method) => ({ method, count: 2, moved: new Map() })),
  ...METHOD_NAMES.map((method) => ({ method, count: 12, moved: MOVED })),
  { method: 'grid', count: 60, moved: new Map() },
  { method: 'hashed', count: 60, moved: new Map() },
];

function study(choice: Choice) {
  const scene = createScene(choice);
  const { world, diameter, positions, arrivals, substep, method } = scene;
  const count = positions.length / 2;
  const { steps } = createTrace(scene);
  const counted = countParticles(world, positions, count);
  const arrived = countParticles(world, permute(2, positions, arrivals), count);
  const start = exclusiveScan(counted.counts);
  const grid = buildGrid(world, positions);
  const others = range(0, count).map((slot) => {
    const visited: number[] = [];
    probeCells(world, grid, slot, (other) => visited.push(other));
    return visited;
  });
  const touching = (slot: number) =>
    (others[slot] ?? []).filter((other) => findContact(world, { diameter }, grid, slot, other));
  const expected: Readonly<Record<ArrayName, ArrayLike<number>>> = {
    positions,
    cells: counted.cells,
    ranks: Uint32Array.from({ length: count }, (_, id) => arrived.ranks[arrivals.indexOf(id)] ?? -1),
    counts: counted.counts,
    start,
    entries: scatterParticles(start, arrived, arrivals).ids,
    ids: grid.ids,
    sorted: grid.positions,
    lattices: grid.lattices,
    candidates: others.map(({ length }) => length),
    contacts: others.map((_, slot) => touching(slot).length),
    moved: pushApart(world, substep, grid),
  };
  const stepsOf = (stage: Stage) => steps.filter((step) => step.stage === stage);
  return { scene, steps, count, method, counted, start, grid, others, touching, expected, stepsOf };
}

function entryOf(values: Values, name: ArrayName, index: number): Values {
  const { components } = ARRAYS[name];
  return values.slice(components * index, components * (index + 1));
}

function sum(values: ArrayLike<number | undefined>): number {
  return Array.from(values).reduce<number>((total, value) => total + (value ?? 0), 0);
}

describe.each(CHOICES)('the trace of $method with $count particles', (choice) => {
  const { scene, steps, count, method, counted, start, grid, others, touching, expected, stepsOf } =
    study(choice);
  const { world, diameter, positions, arrivals } = scene;
  const isSorted = method !== 'naive';

  it('goes through the stages in order, and through each from its beginning', () => {
    const stages = steps.map(({ stage }) => stage).filter((stage, index, all) => stage !== all[index - 1]);
    expect(stages).toEqual(stagesOf(method));
    for (const stage of stages) {
      expect(stepsOf(stage).map(({ index }) => index)).toEqual(stepsOf(stage).map((_, index) => index));
    }
  });

  it('ends every stage with the output of its reference pass', () => {
    const complete: Record<Stage, readonly ArrayName[]> = {
      hash: ['cells'],
      count: ['counts', 'ranks'],
      sum: ['start'],
      scatter: ['entries'],
      order: method === 'hashed' ? ['ids', 'sorted', 'lattices'] : ['ids', 'sorted'],
      probe: ['candidates', 'contacts'],
      pairs: ['candidates', 'contacts'],
      push: ['moved'],
    };
    for (const stage of stagesOf(method)) {
      const last = stepsOf(stage).at(-1);
      for (const name of complete[stage]) {
        expect(last?.arrays[name], `${stage}: ${name}`).toEqual(Array.from(expected[name]));
      }
    }
  });

  it('has at every step only entries that equal those of the reference or are still undefined', () => {
    const wrong: string[] = [];
    for (const [index, step] of steps.entries()) {
      for (const name of NAMES) {
        if (REWRITTEN.includes(name)) continue;
        if (step.arrays[name].length !== expected[name].length)
          wrong.push(`step ${index}: length of ${name}`);
        step.arrays[name].forEach((value, entry) => {
          if (value !== undefined && value !== expected[name][entry])
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
        if (written.length === 0 && step.arrays[name] === before?.arrays[name]) continue;
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
        if (!isThere || !shownArrays(method, stage).includes(array))
          wrong.push(`step ${index}: ${array}[${entry}]`);
      }
    }
    expect(wrong).toEqual([]);
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

  it('says in one short sentence what happens, and mentions the numbers that it writes', () => {
    for (const { stage, index, text, detail, arrays, writes } of steps) {
      expect(text).toMatch(/^[A-Z(][^.?!]*(\.\d[^.?!]*)*\.$/);
      expect(text.split(' ').length, text).toBeLessThanOrEqual(25);
      expect(detail.length, detail).toBeLessThanOrEqual(300);
      expect(`${text}${detail}`).not.toMatch(/undefined|NaN|Infinity|\[object/);
      if (index === 0 || ['sum', 'push', 'pairs'].includes(stage)) continue;
      for (const { array, index: entry } of writes) {
        if (ARRAYS[array].components === 2 || / row.* has (slot|no slot)/.test(text)) continue;
        expect(`${text} ${detail}`).toMatch(new RegExp(`\\b${arrays[array][entry]}\\b`));
      }
    }
  });

  it('pushes the contacts of brute force apart, and names the deepest overlap', () => {
    const oracle = bruteForcePairs(2, positions, diameter);
    expect(oracle.ambiguous.count).toBe(0);
    expect(findPairs(world, diameter, grid)).toEqual(oracle.overlapping);
    const measures = measureState(world, diameter, grid);
    const last = stepsOf(isSorted ? 'probe' : 'pairs').at(-1);
    expect(sum(last?.arrays.contacts ?? [])).toBe(2 * oracle.overlapping.count);
    expect(sum(last?.arrays.candidates ?? [])).toBe(2 * measures.candidates);
    expect(last?.text).toContain(`${measures.candidates} pairs are tested`);
    expect(last?.text).toContain(`${measures.contacts} of them touch`);
    const deepest = Number(measures.deepestOverlap.toFixed(3));
    expect(stepsOf('push').at(-1)?.text).toContain(
      deepest > 0 ? `was ${deepest} and is` : 'No particles overlapped, so none has moved.',
    );
    const pushed = stepsOf('push').filter(({ focus }) => focus.particle !== undefined);
    const input = isSorted ? 'sorted' : 'positions';
    expect(
      pushed.map(({ reads }) => reads.flatMap(({ array, index }) => (array === input ? [index] : []))),
    ).toEqual(range(0, count).map((slot) => [slot, ...touching(slot)]));
  });

  if (isSorted) {
    it('counts arrived particles, and sums the counts read so far, like the reference', () => {
      stepsOf('count').forEach(({ arrays }, arrivedCount) => {
        const ids = arrivals.subarray(0, arrivedCount);
        const reference = countParticles(world, permute(2, positions, ids), arrivedCount);
        expect(arrays.counts).toEqual(Array.from(reference.counts));
        ids.forEach((id, arrival) => {
          expect(arrays.ranks[id]).toBe(reference.ranks[arrival]);
        });
      });
      for (const { arrays } of stepsOf('sum')) {
        const written = arrays.start.indexOf(undefined);
        const length = written < 0 ? arrays.start.length : written;
        expect(arrays.start.slice(0, length)).toEqual(
          Array.from(exclusiveScan(counted.counts.subarray(0, length))),
        );
      }
    });

    it('probes the same slots as the reference, and finds the same contacts', () => {
      const candidates = Array.from(expected.candidates);
      const slot = candidates.indexOf(Math.max(...candidates));
      const single = stepsOf('probe').filter(({ text }) => /away/.test(text));
      const probed = single.map(({ reads }) => reads[0]?.index ?? -1);
      // In an unbounded world, rows may have any order in the table.
      expect(method === 'hashed' ? probed.toSorted((a, b) => a - b) : probed).toEqual(others[slot]);
      single.forEach(({ arrays, focus }, probe) => {
        const seen = probed.slice(0, probe + 1);
        expect(arrays.candidates[slot]).toBe(seen.length);
        expect([...focus.verdicts.keys()]).toEqual(seen.map((other) => grid.ids[other]));
        expect(focus.slots).toContain(probed[probe]);
      });
      for (const { focus, text } of stepsOf('probe')) {
        if (focus.particle === undefined) continue;
        const own = grid.ids.indexOf(focus.particle);
        for (const [id, verdict] of focus.verdicts) {
          const other = grid.ids.indexOf(id);
          if (verdict === 'elsewhere') {
            expect(text).toMatch(`Particle ${id} only shares a bucket`);
            const [cell] = picturedCell(scene, [...grid.lattices.subarray(2 * other, 2 * other + 2)]);
            expect(focus.cells).not.toContain(cell);
            continue;
          }
          expect(others[own]).toContain(other);
          expect(verdict).toBe(touching(own).includes(other) ? 'contact' : 'apart');
        }
      }
    });

    it('reads the bounds of each row of cells, and every slot in it', () => {
      const of = ({ reads }: Step, array: ArrayName) =>
        reads.filter((read) => read.array === array).map(({ index }) => index);
      const latticesAround = (slot: number) => {
        const [x = 0, y = 0] = grid.lattices.subarray(2 * slot, 2 * slot + 2);
        return [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((across) => [x + across, y + down]));
      };
      const probes = stepsOf('probe').filter(({ focus }) => focus.particle !== undefined);
      for (const slot of range(0, count)) {
        const own = probes.filter(({ focus }) => focus.particle === grid.ids[slot]);
        const buckets = latticesAround(slot).map((lattice) => bucketOfLattice(world, lattice));
        const ranges = rowsAround(scene, grid, slot).flatMap((row) => row.ranges);
        expect(ranges.flatMap(([first, last]) => range(first, last + 1))).toEqual(buckets);
        expect(own.flatMap((step) => of(step, 'start'))).toEqual(
          ranges.flatMap(([first, last]) => [first, last + 1]),
        );
        const inBuckets = range(0, count).filter((other) => buckets.includes(grid.cells[other] as number));
        for (const array of ['ids', 'sorted'] as const) {
          const read = [...new Set(own.flatMap((step) => of(step, array)))].toSorted((a, b) => a - b);
          expect(read).toEqual(inBuckets);
        }
        // The nine cells around the particle are marked, except those outside the picture.
        const marked = [...new Set(own.flatMap(({ focus }) => focus.cells))].toSorted((a, b) => a - b);
        expect(marked).toEqual(latticesAround(slot).flatMap((lattice) => picturedCell(scene, lattice)));
      }
      expect(start.at(-1)).toBe(count);
      const ordered = stepsOf('order').filter(({ index }) => index > 0);
      expect(ordered.map((step) => of(step, 'positions'))).toEqual(
        ordered.map(({ focus }) => [focus.particle]),
      );
    });
  } else {
    it('tests every pair once, in the order of two nested loops', () => {
      const tests = stepsOf('pairs').slice(1, -1);
      const pairs = range(0, count).flatMap((a) => range(a + 1, count).map((b) => [a, b]));
      expect(tests.map(({ reads }) => reads.map(({ index }) => index))).toEqual(pairs);
      tests.forEach(({ text, detail, focus }, index) => {
        const [a = 0, b = 0] = pairs[index] ?? [];
        const isContact = touching(a).includes(b);
        expect(text).toMatch(
          new RegExp(`^Particles ${a} and ${b} are .* so they ${isContact ? 'touch' : 'do not touch'}\\.`),
        );
        expect(detail).toContain(`Test ${index + 1} of ${pairs.length}`);
        expect(focus.verdicts.get(b)).toBe(isContact ? 'contact' : 'apart');
        expect(focus.verdicts.size).toBe(b - a);
      });
      const gridScene = createScene({ ...choice, method: 'grid' });
      const { candidates } = measureState(
        gridScene.world,
        diameter,
        buildGrid(gridScene.world, gridScene.positions),
      );
      expect(stepsOf('pairs').at(-1)?.detail).toBe(`A grid would test only ${candidates} of these pairs.`);
    });
  }
});

describe('the particles of the explainer', () => {
  it('are thirty at first, at most four per cell, and arrive out of order', () => {
    const { scene, count, counted, expected, grid, steps } = study(DEFAULT_CHOICE);
    expect(count).toBe(30);
    expect(scene.world.cells).toEqual([8, 7]);
    expect(Math.max(...counted.counts)).toBe(4);
    expect([...scene.arrivals].toSorted((a, b) => a - b)).toEqual(range(0, count));
    expect(expected.entries).not.toEqual(grid.ids);
    // After the first step of a stage, few steps write nothing. They end the stage, look up a row or skip a particle.
    expect(steps.filter(({ writes, index }) => writes.length === 0 && index > 0).length).toBeLessThan(8);
  });

  it('keep their positions in the picture if the number or method changes, unless `moved` gives them others', () => {
    const at = (choice: Partial<Choice>) => createScene({ ...DEFAULT_CHOICE, ...choice }).positions;
    expect(at({ count: 60 }).subarray(0, 60)).toEqual(at({}));
    const shifted = at({ method: 'hashed' }).map((value, index) => value + (index % 2 === 0 ? 3 : 2));
    expect(shifted).toEqual(at({}));
    expect(at({ method: 'naive' })).toEqual(at({}));
    const moved = new Map([[7, [40, 24]]] as const);
    expect([...at({ moved }).subarray(14, 16)]).toEqual([2.5, 1.5]);
    expect([...at({ moved, method: 'hashed' }).subarray(14, 16)]).toEqual([-0.5, -0.5]);
    expect(at({ moved, count: 5 })).toEqual(at({ count: 5 }));
  });

  it('stay in the box, or in the picture of the unbounded world', () => {
    const moved = new Map([[0, [-99, 999]]] as const);
    const at = (method: Choice['method']) => [
      ...createScene({ ...DEFAULT_CHOICE, method, moved }).positions.subarray(0, 2),
    ];
    expect(at('grid')).toEqual([0.375, 4.625]);
    expect(at('naive')).toEqual([0.375, 4.625]);
    expect(at('hashed')).toEqual([-3.625, 3.625]);
  });

  it('share buckets in the hashed grid; the trace lists them and skips pairs that share only a bucket', () => {
    const { stepsOf, scene } = study({ ...DEFAULT_CHOICE, method: 'hashed' });
    const last = stepsOf('hash').at(-1);
    expect(scene.world.cellCount).toBe(128);
    expect(last?.text).toBe('The 30 particles are in 23 cells and in 17 buckets.');
    expect(last?.detail).toBe(
      'Bucket 61 has cells (−3, 1) and (−3, 0); bucket 62 has cells (−2, 0), (−2, −1) and (−2, 1); bucket 63 has cells (−1, 1) and (−1, 0); bucket 96 has cells (0, −2) and (0, 1); 1 more bucket has several, too.',
    );
    const marked = [...new Set(last?.focus.cells)].map((cell) => picturedBuckets(scene)[cell]);
    expect(marked.toSorted()).toEqual([61, 61, 62, 62, 62, 63, 63, 96, 96, 97, 97]);
    expect(stepsOf('probe').some(({ text }) => text.includes('only shares a bucket'))).toBe(true);
  });
});

describe('the explainer', () => {
  it('writes coordinates with two decimals, cells without decimals, and nothing for entries not yet written', () => {
    expect(entryText([0.5, -1.25], 'positions', 0)).toBe('0.50\n−1.25');
    expect(entryText([0, 0, -3, 2], 'lattices', 1)).toBe('−3\n2');
    expect(entryText([7, undefined], 'ids', 1)).toBe('');
  });

  it('puts the number of a cell into a corner without particles, or else into the corner with the most room', () => {
    const cornerOf = (...positions: [number, number][]) => {
      const { x, y, 'text-anchor': anchor } = freeCorner(2, 3, positions);
      return [x < 2.5 ? 'left' : 'right', y < 3.5 ? 'upper' : 'lower', anchor];
    };
    expect(cornerOf([5, 5])).toEqual(['left', 'upper', 'start']);
    expect(cornerOf([2.1, 3.1])).toEqual(['right', 'upper', 'end']);
    expect(cornerOf([2.1, 3.1], [2.9, 3.2])).toEqual(['left', 'lower', 'start']);
    expect(cornerOf([2.2, 3.2], [2.8, 3.2], [2.2, 3.8], [2.7, 3.7])).toEqual(['right', 'lower', 'end']);
  });

  it('finds the step that an address names, else the nearest step of its stage, else the first step of all', () => {
    const trace = createTrace();
    const at = (stage: string, index: number) => {
      const step = trace.steps[findStep(trace, stage, index)];
      return [step?.stage, step?.index];
    };
    expect(at('count', 12)).toEqual(['count', 12]);
    expect(at('count', 1e9)).toEqual(['count', 30]);
    expect(at('count', -4)).toEqual(['count', 0]);
    expect(at('count', Number.NaN)).toEqual(['count', 0]);
    expect(at('nonsense', 3)).toEqual(['hash', 0]);
    expect(at('pairs', 3)).toEqual(['hash', 0]);
  });

  it('finds the first step of a stage that is about a given particle, if there is one', () => {
    const trace = createTrace();
    expect(trace.steps[findParticle(trace, 'scatter', 9) ?? -1]?.text).toMatch(/^Particle 9 writes/);
    expect(findParticle(trace, 'sum', 9)).toBeUndefined();
    expect(findParticle(trace, 'pairs', 9)).toBeUndefined();
  });
});
