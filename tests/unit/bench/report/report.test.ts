import { describe, expect, it } from 'vitest';
import type { Backend } from '../../../../bench/harness/engine';
import { type BenchRecord, FORMAT, FORMAT_VERSION, type Outcome } from '../../../../bench/harness/record';
import { MAP_HASH } from '../../../../bench/peers/map-hash';
import { drawChart, type Line, TESTS, TIMES } from '../../../../bench/report/chart';
import { linesOf } from '../../../../bench/report/curves';
import { formatFigure, formatList, formatRatio, formatTime } from '../../../../bench/report/format';
import { element, type Markup, toHtml } from '../../../../bench/report/markup';
import { createReport } from '../../../../bench/report/page';
import { summarise } from '../../../../bench/report/summary';

function timed(engine: string, count: number, median: number, changes: Partial<Outcome> = {}): Outcome {
  const total = { median, p95: median, least: median, most: median, spread: 0.01, samples: 5 };
  const backend: Backend = engine.startsWith('gpu') ? 'gpu' : 'cpu';
  const scene = { scene: 'uniform', dimensions: 2, count } as const;
  return { engine, backend, ...scene, status: 'timed', total, ...changes };
}

function recordOf(outcomes: readonly Outcome[]): BenchRecord {
  return {
    format: FORMAT,
    formatVersion: FORMAT_VERSION,
    version: '0',
    commit: 'abc1234',
    began: '2026-01-02T00:00:00Z',
    ended: '2026-01-02T00:10:00Z',
    seed: 1,
    repeat: 5,
    limit: 5000,
    machine: { cpu: 'one', cores: 1, runtime: 'Node', copyBytesPerMs: 1e6, copyBytes: 2 ** 29 },
    outcomes,
  };
}

function sentencesOf(title: string, outcomes: readonly Outcome[]): readonly string[] {
  return summarise(recordOf(outcomes)).find((chapter) => chapter.title === title)?.sentences ?? [];
}

describe('the summary', () => {
  it('compares the public grid with a bare loop, which is not recommended as an engine', () => {
    const outcomes = [timed('cpu-grid', 1000, 1.1), timed('cpu-tight', 1000, 1), timed('cpu-sweep', 1000, 3)];
    expect(sentencesOf('Compared with grids written for this task alone', outcomes)).toEqual([
      'uniform 2D: compared with cpu-tight, which is written for this task alone, cpu-grid takes 1.10 times as long at 1,000 bodies.',
    ]);
    expect(sentencesOf('Where the dense grid is not the right choice', outcomes)).toEqual([
      expect.stringMatching(/in 1 of the 1 case/),
    ]);
  });

  it('compares the GPU grid with native programs, and names their device', () => {
    const native = (engine: string, median: number) =>
      timed(engine, 1000, median, { backend: 'gpu', device: 'a CPU' });
    const outcomes = [
      timed('gpu-naive', 1000, 9),
      timed('gpu-grid', 1000, 3),
      native('cuda-grid', 2),
      native('cuda-grid-around', 2.5),
    ];
    expect(sentencesOf('Compared with grids written for this task alone', outcomes)).toEqual([
      'uniform 2D: compared with cuda-grid on a CPU, which is written for this task alone, gpu-grid takes 1.50 times as long at 1,000 bodies.',
      'uniform 2D: compared with cuda-grid-around on a CPU, which is written for this task alone, gpu-grid takes 1.20 times as long at 1,000 bodies.',
    ]);
    expect(sentencesOf('Fastest engines', outcomes)).toEqual([
      'uniform 2D: gpu-grid at 1,000 bodies (3 ms).',
    ]);
    expect(sentencesOf('Where the dense grid is not the right choice', outcomes)).toEqual([
      expect.stringMatching(/gpu-grid is the right choice in every case here.* 1 of the 1 case/),
    ]);
    expect(
      sentencesOf('Number of bodies from which an engine beats testing all pairs', outcomes).join(),
    ).not.toContain('cuda');
  });

  it('says how many distances engines test, at the largest number of bodies for which work was counted', () => {
    const work = (tests: number, pairs = 430) => ({ work: { tests, pairs, counted: 'loop' as const } });
    const outcomes = [
      timed('cpu-naive', 1000, 9, work(499_500)),
      timed('cpu-grid', 1000, 1, work(4440)),
      timed('cpu-sweep', 1000, 2, work(860)),
      timed('cpu-grid', 5000, 1),
    ];
    expect(sentencesOf('How many distances are tested', outcomes)).toEqual([
      'uniform 2D, 1,000 bodies: cpu-grid makes 4.44 tests per body (9.7% find a pair) and cpu-sweep makes 0.860 tests per body (50% find a pair). All pairs would be 500 tests per body.',
    ]);
    expect(sentencesOf('How many distances are tested', [timed('cpu-grid', 5000, 1)])).toEqual([]);
    const page = createReport([{ path: 'a.json', record: recordOf(outcomes) }], '');
    expect(page).toContain('<caption>uniform 2D: distance tests per body (pairs ÷ tests)</caption>');
    expect(page).toContain('>4.44 (9.7%)<');
    expect(page).toContain('>cannot tell<');
    const old = createReport([{ path: 'a.json', record: recordOf([timed('cpu-grid', 5000, 1)]) }], '');
    expect(old).not.toContain('distance tests per body');
  });

  it('names the fastest engines, and those within the noise', () => {
    const summaryOf = (grid: number, tree: number, last: number) =>
      sentencesOf('Fastest engines', [
        ...[100, 1000].flatMap((count) => [timed('cpu-grid', count, grid), timed('tree', count, tree)]),
        ...[timed('cpu-grid', 5000, 9), timed('tree', 5000, last)],
        timed('lonely', 9000, 1),
      ]);
    expect(summaryOf(1, 2, 30)).toEqual(['uniform 2D: cpu-grid from 100 to 5,000 bodies (1 ms to 9 ms).']);
    expect(summaryOf(1, 2, 3)).toEqual([
      'uniform 2D: cpu-grid from 100 to 1,000 bodies (1 ms) and tree at 5,000 bodies (3 ms).',
    ]);
    expect(summaryOf(1, 1.02, 30)).toEqual([
      'uniform 2D: cpu-grid from 100 to 5,000 bodies (1 ms to 9 ms, tree within the noise).',
    ]);
  });

  it('reports cases in which another engine of the same backend beats the dense grid, or the grid has no time', () => {
    const title = 'Where the dense grid is not the right choice';
    const mixed = (levels: number) =>
      [1000, 2000].flatMap((count) => [
        timed('gpu-grid', count, 4, { scene: 'mixed' }),
        timed('gpu-levels', count, levels, { scene: 'mixed' }),
        timed('cpu-sweep', count, 0.1, { scene: 'mixed' }),
      ]);
    const huge = [
      timed('gpu-grid', 10, 0, {
        scene: 'huge',
        status: 'refused',
        reason: 'It has no room.',
        total: undefined,
      }),
      timed('gpu-hashed', 10, 2, { scene: 'huge' }),
    ];
    expect(sentencesOf(title, [...mixed(1), ...huge])).toEqual([
      'On the GPU, choose another engine than gpu-grid for mixed 2D from 1,000 to 2,000 bodies and huge 2D at 10 bodies. gpu-grid was the fastest, or as fast within the noise, in 0 of the 2 cases in which other engines were timed too.',
      'mixed 2D: gpu-levels is 4.0 times as fast as gpu-grid from 1,000 to 2,000 bodies.',
      'huge 2D: gpu-grid was refused at 10 bodies; gpu-hashed is the fastest there. It has no room.',
    ]);
    // Counts in between, where the grid is the right choice, are not mentioned.
    const apart = [1, 100, 1].flatMap((other, index) => [
      timed('gpu-grid', 10 ** index, 4),
      timed('gpu-bvh', 10 ** index, other),
    ]);
    expect(sentencesOf(title, apart)).toEqual([
      expect.stringMatching(/gpu-grid for uniform 2D at 1 body and at 100 bodies\. .* 1 of the 3 cases/),
      'uniform 2D: gpu-bvh is 4.0 times as fast as gpu-grid at 1 body.',
      'uniform 2D: gpu-bvh is 4.0 times as fast as gpu-grid at 100 bodies.',
    ]);
    expect(sentencesOf(title, mixed(8))).toEqual([
      'On the GPU, gpu-grid is the right choice in every case here. gpu-grid was the fastest, or as fast within the noise, in 2 of the 2 cases in which other engines were timed too.',
    ]);
  });

  it('reports the number of bodies below which the CPU is faster than the GPU', () => {
    const title = 'Where the dense grid is not the right choice';
    const grids = (gpu: readonly number[]) =>
      [100, 1000].flatMap((count, index) => [
        timed('cpu-grid', count, count / 100),
        timed('gpu-grid', count, gpu[index] as number),
      ]);
    expect(sentencesOf(title, grids([2, 5]))).toEqual([
      'uniform 2D: cpu-grid is faster than gpu-grid below about 320 bodies.',
    ]);
    expect(sentencesOf(title, grids([20, 50]))).toEqual([
      'uniform 2D: cpu-grid is faster than gpu-grid at the largest count at which both were timed.',
    ]);
    expect(sentencesOf(title, grids([0.2, 5]))).toEqual([]);
  });

  it('compares every structure with the dense grid, at the greatest count that both have', () => {
    const outcomes = [
      timed('cpu-grid', 1000, 2),
      timed('cpu-grid', 5000, 8),
      timed('cpu-naive', 1000, 90),
      timed('cpu-tight', 5000, 7),
      timed('kdbush', 5000, 40, { peer: 'kdbush' }),
      timed('cpu-quadtree', 1000, 6),
      timed('cpu-bvh', 5000, 8.1),
      timed('cpu-kd-tree', 5000, 20),
      timed('cpu-boxes', 5000, 4),
    ];
    expect(sentencesOf('Other structures, compared with the dense grid', outcomes)).toEqual([
      'uniform 2D at 5,000 bodies, compared with cpu-grid (8 ms): cpu-boxes is 2.0 times as fast, cpu-bvh is as fast within the noise and cpu-kd-tree takes 2.5 times as long.',
      'uniform 2D at 1,000 bodies, compared with cpu-grid (2 ms): cpu-quadtree takes 3.0 times as long.',
    ]);
  });

  it('compares engines that differ in one thing', () => {
    const outcomes = [
      ...[100, 1000, 5000].map((count) => timed('cpu-rows', count, 2)),
      timed('cpu-morton', 100, 1),
      timed('cpu-morton', 1000, 3),
      timed('cpu-morton', 5000, 4),
      timed('cpu-sweep', 100, 1),
      timed('cpu-sweep-coherent', 100, 1.01),
      timed('cpu-loose-quadtree', 100, 1),
    ];
    expect(sentencesOf('One change at a time', outcomes)).toEqual([
      'uniform 2D, cells in Morton order instead of row order: compared with cpu-rows, cpu-morton is 2.0 times as fast at 100 bodies and takes 1.5 to 2.0 times as long from 1,000 to 5,000 bodies.',
      'uniform 2D, a sort that begins with the last order instead of a new one: compared with cpu-sweep, cpu-sweep-coherent is as fast within the noise at 100 bodies.',
    ]);
  });

  it('compares the grid with the best package', () => {
    const title = 'Compared with packages';
    const summaryOf = (kdbush: number, rbush: number) =>
      sentencesOf(title, [
        timed('cpu-grid', 1000, 2),
        timed('cpu-sweep', 1000, 1),
        timed('kdbush', 1000, kdbush, { peer: 'kdbush' }),
        timed('rbush', 1000, rbush, { peer: 'rbush' }),
      ]);
    expect(summaryOf(17, 30)).toEqual([
      'uniform 2D: the best package takes 8.5 times as long at 1,000 bodies (kdbush, 17 ms against 2 ms), compared with cpu-grid.',
    ]);
    expect(summaryOf(17, 1)).toEqual([
      'uniform 2D: the best package takes 0.50 times as long at 1,000 bodies (rbush, 1 ms against 2 ms), compared with cpu-grid.',
    ]);
    expect(sentencesOf(title, [timed('cpu-grid', 1000, 2)])).toEqual([]);
    // The tutorials' hash is not a package.
    expect(
      sentencesOf(title, [timed('cpu-grid', 1000, 2), timed('map-hash', 1000, 3, { peer: MAP_HASH.peer })]),
    ).toEqual([
      'uniform 2D: the hash of the usual tutorial takes 1.5 times as long at 1,000 bodies (map-hash, 3 ms against 2 ms), compared with cpu-grid.',
    ]);
  });

  it('reports how times grow, and the count above which testing all pairs is slower', () => {
    const counts = [1000, 2000, 5000, 10_000];
    const outcomes = (power: number, share: number) =>
      counts.flatMap((count) => [
        timed('cpu-naive', count, count ** 2 / 1e6),
        timed('cpu-grid', count, share * count ** power),
      ]);
    const growth = (power: number) => sentencesOf('How times grow', outcomes(power, 1e-3));
    expect(growth(1)).toEqual([
      'uniform 2D: over the largest counts, the time of N bodies grows like N^1.0 (cpu-grid) and N^2.0 (cpu-naive).',
    ]);
    expect(growth(1.5)[0]).toMatch(/N\^1\.5 \(cpu-grid\)/);
    const crossover = (share: number) =>
      sentencesOf('Number of bodies from which an engine beats testing all pairs', outcomes(1, share));
    expect(crossover(1 / 300)).toEqual([
      'uniform 2D compared with cpu-naive: cpu-grid from about 3,300 bodies on.',
    ]);
    expect(crossover(1e-6)).toEqual(['uniform 2D compared with cpu-naive: cpu-grid at every common count.']);
    expect(crossover(1)).toEqual([
      'uniform 2D compared with cpu-naive: cpu-grid is still slower at the largest common count.',
    ]);
  });

  it('mentions every failure', () => {
    const sentences = sentencesOf('What was checked', [
      timed('a', 10, 1),
      timed('b', 10, 1, { status: 'wrong', total: undefined }),
      timed('c', 10, 1, { status: 'failed', total: undefined }),
      timed('d', 10, 1, { status: 'skipped', total: undefined }),
      timed('e', 10, 1, { status: 'refused', total: undefined }),
      timed('f', 10, 1, { status: 'stopped', total: undefined }),
    ]);
    expect(sentences).toEqual([
      '1 of 6 runs was timed. Each timed run found the right pairs before timing, and the right pairs of another frame afterwards.',
      '1 run found wrong pairs and has no time: b on uniform 2D.',
      '1 run failed and has no time: c on uniform 2D.',
      '1 run would have taken too long.',
      '1 run took longer than the limit.',
      '1 run lacked memory, a package, a program or a GPU, or had a scene or count that the engine does not accept.',
    ]);
  });

  it('reports what was timed under unusual conditions', () => {
    const summaryOf = (...outcomes: Outcome[]) => sentencesOf('How it was timed', outcomes);
    expect(summaryOf(timed('a', 10, 1, { stepShare: 0.01 }))).toEqual([]);
    expect(
      summaryOf(
        timed('a', 10, 1, { stepShare: 0.02 }),
        timed('b', 10, 1, { apart: true }),
        timed('c', 10, 1, { discarded: 2 }),
      ),
    ).toEqual([
      '1 run was timed alone, because memory did not suffice for all engines of the case together or because a device was lost: b on uniform 2D.',
      '1 run was so short that a step of the clock is more than 1% of a sample: a on uniform 2D.',
      "2 samples were discarded, because the device's clock ran backwards.",
    ]);
    const busy = recordOf([timed('a', 10, 1)]);
    const { sentences = [] } =
      summarise({ ...busy, ended: undefined, machine: { ...busy.machine, load: 3 } }).find(
        ({ title }) => title === 'How it was timed',
      ) ?? {};
    expect(sentences).toEqual([
      expect.stringMatching(/^The machine was busy when the run began, with a load of 3\.0 on 1 core,/),
      'The run was cut off, so cases are missing.',
    ]);
  });
});

describe('a chart', () => {
  const numbers = (node: Markup, name: string) =>
    [...toHtml(node).matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value]) => value ?? '');
  const line = (name: string, look: number, times: readonly number[]): Line => ({
    name,
    look,
    points: times.map((value, index) => ({ count: 10 ** (index + 2), value })),
  });
  const draw = (...lines: Line[]) =>
    drawChart(TIMES, 'uniform 2D', lines, { width: 400, height: 300 }) as Markup;

  it('draws a power law as a straight line, greater times higher, and names without overlap', () => {
    const chart = draw(
      line('steep', 0, [1, 100, 10_000]),
      line('flat', 1, [1, 10, 100]),
      line('near', 9, [2, 11, 101]),
    );
    const [steep, flat] = numbers(chart, 'points').map((points) =>
      points.split(' ').map((point) => point.split(',').map(Number) as [number, number]),
    );
    expect(steep).toHaveLength(3);
    const slope = (points: [number, number][] = [], at: number) =>
      ((points[at + 1]?.[1] ?? 0) - (points[at]?.[1] ?? 0)) /
      ((points[at + 1]?.[0] ?? 0) - (points[at]?.[0] ?? 0));
    expect(slope(steep, 0)).toBeLessThan(0);
    expect(slope(steep, 0)).toBeCloseTo(slope(steep, 1), 1);
    expect(slope(steep, 0) / slope(flat, 0)).toBeCloseTo(2, 1);
    const names = chart.children
      .flatMap((child) => (typeof child === 'string' || !('data-engine' in child.attributes) ? [] : child))
      .map(({ children }) => (children.at(-1) as Markup).attributes.y as number);
    expect(Math.abs((names[1] ?? 0) - (names[2] ?? 0))).toBeGreaterThanOrEqual(13.9);
    // Lines beyond the number of colours are dashed.
    expect(numbers(chart, 'stroke-dasharray')).toEqual(['none', 'none', '7 4']);
  });

  it('is missing if nothing was timed, but is drawn with a single point or a time of zero', () => {
    expect(drawChart(TIMES, 'none', [line('a', 0, [])], { width: 400, height: 300 })).toBeUndefined();
    expect(toHtml(draw(line('a', 0, [0])))).not.toMatch(/NaN|Infinity/);
  });

  it('gives an engine the same look in all charts of a record', () => {
    const charts = linesOf([timed('a', 10, 1), timed('b', 10, 1), timed('b', 10, 1, { scene: 'mixed' })]);
    expect(
      charts.map(({ name, times }) => [name, ...times.map(({ name: of, look }) => `${of} ${look}`)]),
    ).toEqual([
      ['uniform 2D', 'a 0', 'b 1'],
      ['mixed 2D', 'b 1'],
    ]);
  });

  it('also shows the tests of engines that count them, with the same look as their times', () => {
    const work = (tests: number) => ({ work: { tests, pairs: 43, counted: 'loop' as const } });
    const outcomes = [
      timed('hidden', 100, 1),
      timed('cpu-grid', 1000, 2, work(4440)),
      timed('cpu-grid', 100, 1, work(390)),
      timed('none', 100, 1, work(0)),
    ];
    const [chart] = linesOf(outcomes);
    expect(chart?.times.map(({ name }) => name)).toEqual(['hidden', 'cpu-grid', 'none']);
    const points = [
      { count: 100, value: 390 },
      { count: 1000, value: 4440 },
    ];
    expect(chart?.tests).toEqual([{ name: 'cpu-grid', look: 1, points }]);
    const drawn = toHtml(
      drawChart(TESTS, 'uniform 2D', chart?.tests ?? [], { width: 400, height: 300 }) as Markup,
    );
    expect(drawn).toContain('Distance tests of a query against the number of bodies, uniform 2D');
    expect(drawn).toContain('cpu-grid: 100 with 390 tests, 1,000 with 4,440 tests');
    expect([...drawn.matchAll(/>([\d.K]+)<\/text>/g)].map(([, label]) => label)).toEqual([
      ...['100', '1K'],
      ...['100', '1K', '10K'],
    ]);
    const page = createReport([{ path: 'a.json', record: recordOf(outcomes) }], '');
    expect(page).toContain('uniform 2D: time of a build and query</figcaption>');
    expect(page).toContain('uniform 2D: distance tests of a query</figcaption>');
    const old = createReport([{ path: 'a.json', record: recordOf([timed('cpu-grid', 5000, 1)]) }], '');
    expect(old).not.toContain('distance tests of a query');
  });
});

describe('the page', () => {
  it('shows the whole of each record, and escapes its texts', () => {
    const outcomes = [
      timed('cpu-grid', 1000, 2),
      timed('evil<script>', 1000, 5),
      timed('gone', 1000, 1, { status: 'failed', reason: 'a < b & "c"', total: undefined }),
    ];
    const html = createReport([{ path: 'here/one.json', record: recordOf(outcomes) }], 'p { color: red }');
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(html).toContain('<style>\np { color: red }</style>');
    expect(html).toContain('here/one.json, 2026-01-02');
    expect(html).toContain('0, commit abc1234');
    expect(html).toContain('<dt>limit of a build and query</dt><dd>5 s</dd>');
    expect(html).toContain('(512 MiB each)');
    expect(html).toContain('<dt>ended</dt><dd>2026-01-02T00:10:00Z</dd>');
    expect(html).toContain('>2.00 (1.0)</td>');
    expect(html).toContain('>5.00 (2.5)</td>');
    expect(html).toContain('failed. a &lt; b &amp; &quot;c&quot;');
    expect(html).not.toContain('<script');
    expect(html).not.toContain('https://');
    expect(html.match(/<svg/g)).toHaveLength(1);
  });
});

it('numbers, ratios and lists have the form that readers expect', () => {
  expect([0.00512, 0.5, 12.345, 1234].map(formatTime)).toEqual(['5.12 µs', '0.5 ms', '12.3 ms', '1.23 s']);
  expect([0.00512, 12.345, 1234, undefined].map(formatFigure)).toEqual(['0.00512', '12.3', '1,234', '']);
  expect([0.123, 0.97, 9.94, 9.96, 1 / 0].map(formatRatio)).toEqual(['0.12', '1.0', '9.9', '10', '']);
  expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(formatList)).toEqual([
    '',
    'a',
    'a and b',
    'a, b and c',
  ]);
  expect(toHtml(element('p', { title: '"' }, '<'))).toBe('<p title="&quot;">&lt;</p>');
});
