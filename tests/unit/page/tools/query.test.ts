import { describe, expect, it } from 'vitest';
import { createCpuSimulation } from '../../../../src/cpu';
import { defaultChoices } from '../../../../src/page/model/choices';
import { createCpuAnswers } from '../../../../src/page/tools/query/cpu-answers';
import { outlineOf } from '../../../../src/page/tools/query/outline';
import { questionOf } from '../../../../src/page/tools/query/question';
import { cellsText, MOST_CELLS_DRAWN, visitedBy } from '../../../../src/page/tools/query/visited';
import type { Found } from '../../../../src/page/view/answers';
import { createScene, sceneOptions } from '../../../../src/scenes';
import { ASKED_WORLDS, answerOf, questionsAround } from '../../../helpers/inputs/questions';

describe.each([2, 3] as const)('the query tool on the CPU engine in %iD', (dimensions) => {
  it.each(ASKED_WORLDS)(
    'finds every particle that brute force finds, and each is among those tested (%s)',
    (name, change) => {
      const scene = createScene(name, { dimensions, count: 300 });
      const simulation = createCpuSimulation(sceneOptions(scene, change));
      const { radius, world } = simulation;
      const particles = simulation.read();
      const answers = createCpuAnswers(simulation);
      expect(answers.world.cells).toEqual(world.cells);
      expect(answers.world.cellSize).toBe(world.cellSize);
      answers.build(particles);
      let fewest = Number.POSITIVE_INFINITY;
      for (const question of questionsAround(world, particles)) {
        const { indices } = answers.ask(question) as Found;
        const expected = answerOf(world, particles, question, radius);
        expect([...Array.from(indices)].sort((a, b) => a - b)).toEqual(expected.toSorted((a, b) => a - b));
        for (const backend of ['cpu', 'gpu'] as const) {
          const visited = visitedBy(answers.world, particles, question, { radius, backend });
          expect(visited.tested).toEqual(expect.arrayContaining(expected));
          expect(visited.isAll || visited.cells > 0).toBe(true);
          expect(visited.drawn.length).toBe(Math.min(visited.cells, MOST_CELLS_DRAWN));
          for (const { min, max } of visited.drawn) {
            min.forEach((low, axis) => {
              expect(max[axis]).toBeGreaterThan(low);
            });
          }
          // Without levels and periods, the tested particles are those in the drawn cells.
          if (world.levels === 0 && world.kind !== 'periodic' && !visited.isAll) {
            const inside = Array.from({ length: 300 }, (_, index) => index).filter((index) =>
              visited.drawn.some(({ min, max }) =>
                min.every((low, axis) => {
                  const along = particles.positions[dimensions * index + axis] as number;
                  return along >= low && (along < (max[axis] as number) || along === world.max[axis]);
                }),
              ),
            );
            expect(visited.tested).toEqual(inside);
          }
          fewest = Math.min(fewest, visited.tested.length);
        }
      }
      expect(fewest).toBeLessThan(150);
    },
  );
});

describe('the outline of visited cells', () => {
  const cell = (x: number, y: number, z: number) => ({ min: [x, y, z], max: [x + 1, y + 1, z + 1] });

  it('has the edges of a block, but none inside it or on its faces', () => {
    const block = [0, 1, 2].flatMap((x) => [0, 1].flatMap((y) => [0, 1].map((z) => cell(x, y, z))));
    const edges = outlineOf(block);
    // The block is 3 × 2 × 2 cells.
    expect(edges).toHaveLength(4 * (3 + 2 + 2));
    for (const [from, to] of edges) {
      const isAtEnd = [3, 2, 2].map(
        (end, axis) => from[axis] === to[axis] && [0, end].includes(from[axis] as number),
      );
      expect(isAtEnd.filter(Boolean)).toHaveLength(2);
    }
  });

  it('goes around the inner corner of an L of cells, and has a single edge where two cells touch only along an edge', () => {
    expect(outlineOf([cell(0, 0, 0)])).toHaveLength(12);
    // An L of three cells has 8 edges around its top, 8 around its bottom, and 6 upright ones.
    expect(outlineOf([cell(0, 0, 0), cell(1, 0, 0), cell(0, 1, 0)])).toHaveLength(22);
    expect(outlineOf([cell(0, 0, 0), cell(1, 1, 0)])).toHaveLength(23);
  });

  it('is a box around a point, or two boxes if it passes an end that wraps', () => {
    const box = { dimensions: 3, min: [0, 0, 0], max: [10, 10, 10], radius: 0.5 } as const;
    const outlineAround = (point: number[], periodic: boolean[]) => {
      const positions = Float32Array.of(5, 5, 5);
      const simulation = createCpuSimulation({ ...box, periodic, positions });
      const question = {
        kind: 'box',
        min: point.map((at) => at - 2),
        max: point.map((at) => at + 2),
      } as const;
      const searcher = { radius: 0.5, backend: 'cpu' } as const;
      return visitedBy(simulation.world, simulation.read(), question, searcher).outline;
    };
    const inside = outlineAround([5.5, 5.5, 5.5], [false, false, false]);
    expect(inside).toHaveLength(12);
    expect(Math.min(...inside.flat(2))).toBeCloseTo(3, 4);
    expect(Math.max(...inside.flat(2))).toBeCloseTo(8, 4);
    const across = outlineAround([0.5, 5.5, 5.5], [true, false, false]);
    expect(across).toHaveLength(24);
    const along = new Set(across.flat().map(([x]) => Math.round(x ?? 0)));
    expect([...along].sort((a, b) => a - b)).toEqual([0, 3, 8, 10]);
  });

  it('is described, with a note if it surrounds only some of the cells', () => {
    const textOf = (dimensions: 2 | 3, kind: 'ray' | 'box', length: number) => {
      const far = Array<number>(dimensions).fill(length);
      const simulation = createCpuSimulation({
        dimensions,
        min: far.map(() => 0),
        max: far,
        radius: 0.5,
        positions: new Float32Array(dimensions * 4000),
      });
      const min = far.map(() => 0.5);
      const ray = { kind: 'ray', origin: min, direction: far.map(() => dimensions ** -0.5), length } as const;
      const question = kind === 'ray' ? ray : ({ kind, min, max: far } as const);
      const searcher = { radius: 0.5, backend: 'cpu' } as const;
      return cellsText(visitedBy(simulation.world, simulation.read(), question, searcher), dimensions);
    };
    expect(textOf(3, 'ray', 9)).toMatch(/^\d+ cells visited; the lines are their outline$/);
    expect(textOf(3, 'box', 40)).toMatch(/^6\d,\d{3} cells visited; the lines are their outline$/);
    expect(textOf(3, 'ray', 900)).toMatch(
      /^\d,\d{3} cells visited; the lines are the outline of the first 4,000$/,
    );
    expect(textOf(2, 'ray', 9)).toMatch(/^\d+ cells visited$/);
    expect(textOf(2, 'box', 90)).toMatch(/^\d,\d{3} cells visited, 4,000 of them drawn$/);
  });
});

describe('what a search visits', () => {
  const simulation = createCpuSimulation(sceneOptions(createScene('uniform', { dimensions: 2, count: 400 })));
  const particles = simulation.read();
  const { world, radius } = simulation;
  const middle = world.max.map(
    (high, axis) => Math.floor(high / 2 / world.cellSize) * world.cellSize + 0.5 * world.cellSize + 0 * axis,
  );
  const cellsOf = (reach: number, backend: 'gpu' | 'cpu') =>
    visitedBy(
      world,
      particles,
      { kind: 'near', point: middle, radius: reach * world.cellSize },
      { radius, backend },
    ).cells;

  it('is the block of cells within the radius; on the CPU, the block is one cell wider on each side', () => {
    expect([cellsOf(0.25, 'gpu'), cellsOf(1, 'gpu'), cellsOf(2, 'gpu')]).toEqual([1, 9, 25]);
    expect([cellsOf(0.25, 'cpu'), cellsOf(1, 'cpu'), cellsOf(2, 'cpu')]).toEqual([9, 25, 49]);
  });

  it('is three rows of cells for a ray along an axis, because balls reach into adjacent rows', () => {
    const ray = (x: number) =>
      visitedBy(
        world,
        particles,
        { kind: 'ray', origin: middle, direction: [1, 0], length: x * world.cellSize },
        { radius, backend: 'cpu' },
      ).cells;
    // A ball's radius is half a cell, so one more row and column on each side are within reach.
    expect(ray(4)).toBe(3 * 7);
    expect(ray(8)).toBe(3 * 11);
  });

  it('grows on the CPU with the number of nearest particles to find', () => {
    const tested = (k: number) =>
      visitedBy(
        world,
        particles,
        { kind: 'nearest', point: middle, radius: 12 * world.cellSize, k },
        { radius, backend: 'cpu' },
      ).tested.length;
    expect(tested(2)).toBeLessThan(tested(30));
    expect(tested(30)).toBeLessThan(tested(200));
  });
});

describe('a question', () => {
  const simulation = createCpuSimulation(sceneOptions(createScene('uniform', { dimensions: 3, count: 100 })));
  const choices = { ...defaultChoices(), brush: 4, nearestCount: 3 };
  const { radius } = simulation;
  const way = { from: [1, 2, 3], to: [4, 6, 3], isDrag: true };

  it('is made from the choices and the path of the pointer', () => {
    const ask = (query: typeof choices.query, given = way) =>
      questionOf({ ...choices, query }, simulation, given);
    const reach = 4 * radius;
    expect(ask('near')).toEqual({ kind: 'near', point: way.to, radius: reach });
    expect(ask('nearest')).toEqual({ kind: 'nearest', point: way.to, radius: reach, k: 3 });
    expect(ask('ray')).toEqual({ kind: 'ray', origin: way.from, direction: [0.6, 0.8, 0], length: 5 });
    expect(ask('ray', { ...way, to: way.from })).toBeUndefined();
    // In 3D a drag gives no depth.
    expect(ask('box')).toEqual({ kind: 'box', min: [1, 2, 3 - reach], max: [4, 6, 3 + reach] });
    expect(ask('box', { ...way, isDrag: false })).toEqual({
      kind: 'box',
      min: way.to.map((along) => along - reach),
      max: way.to.map((along) => along + reach),
    });
  });

  it('has at most half the shortest period as its radius', () => {
    const periodic = createCpuSimulation(
      sceneOptions(createScene('periodic', { dimensions: 2, count: 100 })),
    );
    const question = questionOf({ ...choices, query: 'near', brush: 1000 }, periodic, { ...way, to: [1, 1] });
    expect(question).toMatchObject({ radius: Math.min(...periodic.world.period) / 2 });
  });
});
