import { describe, expect, it } from 'vitest';
import { LimitError } from '../../../src/core/base/errors';
import {
  createCpuBoxPairs,
  createCpuGrid,
  createCpuIndex,
  createCpuLevelGrid,
  createCpuSimulation,
} from '../../../src/cpu';
import { sortPairs } from '../../../src/cpu/equal/search';
import { withLittleMemory } from '../../helpers/little-memory';

describe('a search for pairs without enough memory for their list', () => {
  const count = 700;
  const all = (count * (count - 1)) / 2;
  const bounds = { dimensions: 2, min: [0, 0], max: [4, 4] } as const;
  const positions = new Float32Array(2 * count).fill(1.5);
  const equal = createCpuGrid({ ...bounds, diameter: 1, capacity: count });
  const mixed = createCpuLevelGrid({ ...bounds, radii: { smallest: 0.25, largest: 1 }, capacity: count });
  equal.build(positions);
  mixed.build(positions, new Float32Array(count).fill(0.5));
  const boxes = createCpuBoxPairs({ dimensions: 2 });
  const alike = Float32Array.from({ length: 4 * count }, (_, word) => (word % 4 < 2 ? 1 : 2));
  boxes.build(alike);
  const index = createCpuIndex({ ...bounds, radius: 0.5, capacity: count });
  for (let id = 0; id < count; id++) index.add([1.5, 1.5]);
  const simulation = createCpuSimulation({ ...bounds, radius: 0.5, positions });
  const sentence = (instead: string) =>
    new RegExp(
      `^[1-9]\\d* pairs were found so far, and a list of all takes more memory than this JavaScript engine can allocate: ${instead}\\.$`,
    );
  const ofGrid = sentence('use forEachPair or countPairs of a grid, which need no list');

  it.each([
    ['a CpuGrid', equal, ofGrid],
    ['a CpuLevelGrid', mixed, ofGrid],
    ['a CpuIndex', index, sentence('use forEachPair, which needs no list')],
    ['a CpuSimulation', simulation, ofGrid],
    [
      'a CpuBoxPairs',
      boxes,
      sentence('use forEachPair or countPairs, which store only a part of the pairs at a time'),
    ],
  ] as const)('by %s throws an error, and leaves the state unchanged', (_, engine, message) => {
    withLittleMemory(2 ** 17, () => {
      expect(() => engine.findPairs()).toThrow(LimitError);
      expect(() => engine.findPairs()).toThrow(message);
    });
    if ('forEachPair' in engine) {
      let visits = 0;
      let sum = 0;
      engine.forEachPair((first, second) => {
        visits++;
        sum += second - first;
      });
      expect([visits, sum]).toEqual([all, ((count + 1) * all) / 3]);
    }
    expect(engine.findPairs().pairs.length).toBe(2 * all);
  });

  it('throws an error if one row of boxes has too many pairs, and leaves the boxes unchanged', () => {
    const row = createCpuBoxPairs({ dimensions: 2 });
    row.build(alike);
    withLittleMemory(2 ** 17, () => {
      const message =
        /^65536 pairs were found so far, and a list of all takes more memory than this JavaScript engine can allocate: these pairs must be stored at the same time, /;
      for (const visit of [() => row.forEachPair(() => {}), () => row.countPairs()]) {
        expect(visit).toThrow(LimitError);
        expect(visit).toThrow(message);
      }
    });
    expect(row.countPairs()).toBe(all);
  });

  it('by a simulation throws an error if there is no memory even for the first pairs', () => {
    const halfExtents = new Float32Array(2 * count).fill(0.25);
    const shapes = createCpuSimulation({ ...bounds, halfExtents, positions });
    for (const engine of [simulation, shapes]) {
      withLittleMemory(2 * count, () => {
        expect(() => engine.findPairs()).toThrow(LimitError);
        expect(() => engine.findPairs()).toThrow(/^0 pairs were found so far, /);
      });
      withLittleMemory(2 ** 17, () => {
        expect(() => engine.findPairs()).toThrow(/^[1-9]\d* pairs were found so far, /);
      });
      expect(engine.findPairs().count).toBe(all);
    }
  });

  it('by a grid throws an error if there is no memory even for the first pairs, and leaves the grid unchanged', () => {
    const grid = createCpuGrid({ ...bounds, diameter: 1, capacity: count });
    grid.build(positions);
    const bytes = grid.memoryBytes;
    withLittleMemory(256, () => {
      expect(() => grid.collectPairs()).toThrow(/^0 pairs were found so far, /);
    });
    expect(grid.memoryBytes).toBe(bytes);
    let isAscending = true;
    grid.forEachPair((first, second) => {
      isAscending &&= first < second;
    });
    expect([isAscending, grid.countPairs(), grid.findPairs().count]).toEqual([true, all, all]);
  });

  it('can still count and visit the pairs', () => {
    withLittleMemory(2 ** 17, () => {
      for (const engine of [equal, mixed, index]) {
        let visits = 0;
        engine.forEachPair(() => visits++);
        expect(visits).toBe(all);
      }
      expect([equal.countPairs(), mixed.countPairs()]).toEqual([all, all]);
    });
  });

  it('says how many pairs it found if there is no memory for a sorted copy', () => {
    const words = Uint32Array.of(4, 5, 0, 1, 0, 2);
    withLittleMemory(5, () => {
      expect(() => sortPairs(words, 6, 3)).toThrow(/^3 pairs were found so far, /);
    });
    expect([...sortPairs(words, 6, 6)]).toEqual([0, 1, 0, 2, 4, 5]);
  });

  it('is not the only search that throws: searches of an index do, too, if there is no memory for a list of ids', () => {
    const crowd = createCpuIndex({ ...bounds, radius: 0.5, capacity: count });
    for (let id = 0; id < count; id++) crowd.add([1.5, 1.5]);
    withLittleMemory(256, () => {
      const message = /^256 objects were found so far, .*: choose a smaller radius or box\.$/;
      expect(() => crowd.findNear([1, 1], 2)).toThrow(message);
      expect(() => crowd.overlapping(0, () => {})).toThrow(message);
      expect(() => crowd.inBox([1, 1], [2, 2], () => {})).toThrow(LimitError);
    });
    expect(crowd.findNear([1, 1], 2)).toHaveLength(count);
    crowd.remove(0);
  });
});
