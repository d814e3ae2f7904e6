import { describe, expect, it } from 'vitest';
import { createCpuSimulation } from '../../../../src/cpu';
import { describeMissing, heatEnd, keyOf, lineShare } from '../../../../src/page/model/overlay-look';
import { NO_FIELDS, NO_OVERLAYS, type Overlays, shownCells } from '../../../../src/page/model/overlays';
import { describeLeftOut, drawableOnCpu } from '../../../../src/page/view/canvas-overlay';
import { createScene, sceneOptions } from '../../../../src/scenes';

const ALL: Overlays = {
  cellLines: true,
  heatMap: true,
  buckets: false,
  thread: true,
  candidatePairs: true,
  contactLines: true,
  ...NO_FIELDS,
};

function open(name: string, dimensions: 2 | 3, count = 200) {
  return createCpuSimulation(sceneOptions(createScene(name, { dimensions, count })));
}

function textsOf(simulation: ReturnType<typeof open>, shown = ALL, pixels = 20): string[] {
  return keyOf(shown, simulation, pixels).map(({ text }) => text);
}

describe('the key to overlays', () => {
  it('has a line for each shown overlay', () => {
    expect(textsOf(open('packing', 2))).toEqual([
      'Cells',
      'Particles per cell: 1 to 4 or more',
      'Order in memory, from first to last',
      'Candidate pairs',
      'Contacts',
    ]);
    expect(textsOf(open('packing', 2), NO_OVERLAYS)).toEqual([]);
    expect(textsOf(open('packing', 2), { ...NO_OVERLAYS, thread: true })).toHaveLength(1);
  });

  it('describes overlays differently in 3D, with many sizes, with boxes, with naive, and from far away', () => {
    expect(textsOf(open('packing', 3)).slice(0, 2)).toEqual([
      'Cells, on the floor and two walls',
      expect.stringMatching(/^Particles over a floor cell: 1 to \d+ or more$/),
    ]);
    const mixed = open('mixed', 2);
    expect(textsOf(mixed)[0]).toBe(`Cells of all ${mixed.world.levels} levels`);
    expect(textsOf(mixed)[1]).toMatch(/of the lowest level/);
    expect(textsOf(open('crates', 2))[4]).toBe('Contacts, from middle to middle');
    const naive = open('packing', 2);
    naive.set({ broadPhase: 'naive' });
    expect(textsOf(naive)[3]).toBe('Candidate pairs of the grid; naive tests all');
    expect(textsOf(naive, ALL, 1)[0]).toMatch(/too narrow .* zoom in/);
  });

  it('counts the occupied cells of an unbounded world, and explains the marks', () => {
    const simulation = open('colliding-cells', 3);
    const { cellCount } = simulation.world;
    const all = { ...ALL, buckets: true };
    expect(textsOf(simulation, all).slice(0, 4)).toEqual([
      'Occupied cells',
      'Particles per cell: 1 to 4 or more',
      'Occupied cells, coloured by bucket',
      'Cells that share a bucket with another cell (hash collision): one colour per bucket',
    ]);
    const texts = keyOf(all, simulation, 20, { cells: 1900, buckets: 1800, shared: 200 });
    expect(texts.slice(2, 4)).toEqual([
      {
        name: 'buckets',
        text: `1,900 occupied cells, coloured by bucket: 1,800 of ${cellCount.toLocaleString('en')} buckets`,
      },
      {
        name: 'thickBuckets',
        text: '200 cells that share a bucket with another cell (hash collision): one colour per bucket',
      },
    ]);
    const flat = open('far-apart', 2, 300);
    const shared = { cells: 290, buckets: 153, shared: 228 };
    expect(flat.world.cellCount).toBe(512);
    expect(keyOf(all, flat, 20, shared)[3]).toEqual({
      name: 'sharedBuckets',
      text: '228 cells that share a bucket with another cell (hash collision). They are many, because 32 cells in a row stay together: this table has only 16 places for such rows. Each search compares the cell, so no pair is wrong',
    });
  });

  it('reports what is not drawn', () => {
    expect(describeMissing({ found: 10, drawn: 10, crowded: 0 })).toBe('');
    expect(describeMissing({ found: 5000, drawn: 4000, crowded: 1 })).toBe(
      'The first 4,000 of 5,000 pairs in view are drawn; zoom in to see all. One particle has more than 1,024 candidates, so pairs are missing.',
    );
    expect(describeLeftOut(ALL, 5000)).toBe('');
    expect(describeLeftOut(ALL, 5001)).toMatch(/at most 5,000 particles/);
    expect(describeLeftOut({ ...NO_OVERLAYS, thread: true }, 20_001)).toMatch(/at most 20,000 particles/);
    const of = (count: number, scene = 'packing') => ({ count, world: open(scene, 2).world });
    expect(drawableOnCpu(ALL, of(5000))).toEqual(ALL);
    expect(drawableOnCpu(ALL, of(5001))).toEqual({ ...ALL, candidatePairs: false, contactLines: false });
    expect(drawableOnCpu(ALL, of(20_001))).toEqual({ ...NO_OVERLAYS, cellLines: true, heatMap: true });
    const fields = { velocityArrows: true, pressureMap: true, solidCells: true };
    expect(drawableOnCpu({ ...ALL, ...fields }, of(5000))).toEqual(ALL);
    const all = { ...ALL, buckets: true };
    expect(drawableOnCpu(all, of(5000))).toEqual(ALL);
    expect(drawableOnCpu(all, of(5000, 'far-apart'))).toEqual(all);
  });
});

describe('lines', () => {
  it('are thinner if particles look smaller, down to half their usual width', () => {
    const simulation = open('packing', 2);
    const share = (pixels: number) => lineShare(simulation, pixels / (2 * simulation.radius));
    expect([100, 20, 10.5, 1].map(share)).toEqual([1, 1, 0.75, 0.5]);
    const mixed = open('mixed', 2);
    const { smallest = 0, largest = 0 } = mixed.radiusRange ?? {};
    const usual = 10.5 / (2 * Math.sqrt(smallest * largest));
    expect(lineShare(mixed, usual)).toBeCloseTo(0.75, 6);
  });
});

describe('shown cells', () => {
  it('are those of the box, without the ring around it', () => {
    const { world } = open('packing', 2);
    expect(shownCells(world)).toEqual(world.cells.map((cells) => cells - 2));
    const periodic = open('periodic', 3).world;
    expect(shownCells(periodic)).toEqual(periodic.cells);
    const levels = open('mixed', 3).world;
    shownCells(levels).forEach((cells, axis) => {
      const extent = (levels.max[axis] as number) - (levels.min[axis] as number);
      expect(cells * levels.cellSize).toBeGreaterThanOrEqual(extent);
      expect((cells - 1) * levels.cellSize).toBeLessThan(extent);
    });
    // Larger cells hold more particles, so the scale of the heat map ends at a larger number.
    expect(heatEnd({ ...world, cellSize: 4 * world.diameter }, 100)).toBeGreaterThan(heatEnd(world, 100));
  });
});
