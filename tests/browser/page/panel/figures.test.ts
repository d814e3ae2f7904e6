import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import { formatCount, formatReal, formatShare } from '../../../../src/page/support/format';
import { browserTest, useBrowser } from '../../../helpers/browser';
import {
  arrange,
  chooseOption,
  openPlayground,
  SOME,
  settle,
  stepTimes,
  textOf,
  waitForText,
} from '../../playground';

const NAIVE = 'Naive: all pairs';

async function figuresOf(page: Page): Promise<Record<string, string>> {
  const rows = await page.$$eval('.measures > div', (all) =>
    all
      .filter((row) => row.checkVisibility())
      .map((row) => ['dt', 'dd'].map((tag) => row.querySelector(tag)?.textContent?.trim() ?? '')),
  );
  return Object.fromEntries(rows);
}

async function measuredOf(page: Page) {
  await settle(page);
  const found = await page.evaluate(() => {
    const { simulation, measures } = window.cellstorm ?? {};
    if (!simulation || !measures || 'figures' in measures || !('substeps' in simulation.settings))
      return undefined;
    const { settings, world, time } = simulation;
    const { candidates, contacts, greatestOccupancy, kineticEnergy, hash, count } = measures;
    return {
      ...{ candidates, contacts, greatestOccupancy, kineticEnergy, hash, count, time },
      substeps: settings.substeps,
      cells: [...world.cells],
      cellCount: world.cellCount,
      cellSize: world.cellSize,
    };
  });
  if (!found) throw new Error('No collisions were measured.');
  return found;
}

describe('the figures of the panel', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) => openPlayground(opener, { query: `?v=1&count=${SOME}&engine=cpu` }));

  browserTest(
    'show equal contacts for both broad phases, and all pairs as candidates of the naive one',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      await arrange(page, { count: 300 });
      const measureWith = async (broadPhase: string) => {
        await chooseOption(page, 'broadPhase', broadPhase);
        await page.click('#reset');
        // After 42 steps many particles touch, so a missed particle changes the number of contacts.
        await stepTimes(page, 42);
        return measuredOf(page);
      };
      const grid = await measureWith('Grid');
      await chooseOption(page, 'broadPhase', NAIVE);
      const crossed = await measuredOf(page);
      expect([crossed.contacts, crossed.hash]).toEqual([grid.contacts, grid.hash]);
      const naive = await measureWith(NAIVE);
      expect([naive.contacts, naive.hash]).toEqual([grid.contacts, grid.hash]);
      expect(grid.contacts).toBeGreaterThan(150);
      expect(grid.candidates).toBeLessThan(3000);
      expect(naive.candidates).toBe((300 * 299) / 2);
      expect(await figuresOf(page)).toMatchObject({ 'Candidate pairs': '44,850', 'Checks avoided': '0%' });
    },
  );

  browserTest('explain the number of distance tests', { tags: 'full' }, async () => {
    const { page } = await open();
    await arrange(page, { count: SOME });
    const { candidates, count, substeps } = await measuredOf(page);
    expect(substeps * (2 * candidates + count)).toBeGreaterThan(8 * SOME);
    expect(await textOf(page, 'checks-hint')).toMatch(/from both sides.* 8 substeps of one pass each\./);
  });

  for (const [engine, tags] of [
    ['gpu', ['full']],
    ['cpu', []],
  ] as const) {
    browserTest(`are those of the simulation (${engine})`, { tags: [...tags] }, async () => {
      const { page } = await open();
      await arrange(page, { engine, count: SOME });
      // After 30 steps some particles lie on each other, and no two figures are equal.
      await stepTimes(page, 30);
      const measured = await measuredOf(page);
      const { candidates, contacts, greatestOccupancy, count, substeps, cells } = measured;
      const pairs = (count * (count - 1)) / 2;
      // The GPU tests each pair from both sides, and each particle with itself.
      const checks = engine === 'gpu' ? 2 * candidates + count : candidates;
      const expected = {
        Particles: formatCount(SOME),
        Contacts: formatCount(contacts),
        'Candidate pairs': formatCount(candidates),
        'Collision checks': formatCount(substeps * checks),
        'Checks avoided': formatShare(1 - candidates / pairs),
        'Fullest cell': formatCount(greatestOccupancy),
        // A ring of empty cells surrounds the box.
        Cells: formatCount(cells.reduce((product, along) => product * (along - 2), 1)),
        'Cell size': formatReal(measured.cellSize),
        'Kinetic energy': formatReal(measured.kineticEnergy),
        'Frame rate': 'paused',
        Simulated: '0.50 s',
        'State hash': measured.hash,
      };
      expect(new Set(Object.values(expected)).size).toBe(Object.keys(expected).length);
      expect(contacts).toBeGreaterThan(SOME / 4);
      expect(await figuresOf(page)).toMatchObject(expected);
    });
  }

  browserTest(
    'fill their table without an empty cell, in three columns and in two',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      // The figures do not cover the lines of one pixel between them, nor the border of the table.
      const shareOfArea = () =>
        page.$eval('.measures', (table) => {
          const areaOf = ({ width, height }: DOMRect) => width * height;
          const cells = [...table.children].filter((cell) => cell.checkVisibility());
          const covered = cells.reduce((sum, cell) => sum + areaOf(cell.getBoundingClientRect()), 0);
          return covered / areaOf(table.getBoundingClientRect());
        });
      for (const width of [1500, 900]) {
        await page.setViewport({ width, height: 620 });
        // These scenes have different numbers of figures.
        for (const scene of ['pile', 'dam-break', 'murmuration', 'particle-life']) {
          await arrange(page, { scene, engine: 'cpu' });
          expect(await shareOfArea(), `${scene}, ${width} pixels wide`).toBeGreaterThan(0.96);
        }
      }
    },
  );

  browserTest('name the buckets of an unbounded world', async () => {
    const { page } = await open();
    await arrange(page, { scene: 'far-apart', engine: 'cpu' });
    const { cellCount, cellSize } = await measuredOf(page);
    const figures = await figuresOf(page);
    expect(figures).toMatchObject({ Buckets: formatCount(cellCount), 'Cell size': formatReal(cellSize) });
    expect(figures).not.toHaveProperty('Cells');
  });

  browserTest('show how many pictures the page draws per second', { tags: 'full' }, async () => {
    const { page, expectNoProblems } = await openPlayground(browser, {
      query: '?v=1&count=100&engine=cpu',
      // The page's clock advances by 40 ms with each frame.
      before: () => {
        let clock = performance.now();
        const request = window.requestAnimationFrame.bind(window);
        const advance = () => {
          clock += 40;
          request(advance);
        };
        request(advance);
        window.requestAnimationFrame = (act) => request(() => act(clock));
        performance.now = () => clock;
      },
    });
    await page.keyboard.press(' ');
    await waitForText(page, 'fps', /^25 fps$/);
    expect((await figuresOf(page))['Frame rate']).toBe('25 fps');
    expectNoProblems();
  });
});
