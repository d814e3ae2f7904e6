import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import { browserTest, useBrowser } from '../../../helpers/browser';
import { findPoorContrast } from '../../contrast';
import {
  arrange,
  isOpen,
  openPlayground,
  settle,
  shownValue,
  stepTimes,
  takePicture,
  textOf,
  waitForText,
} from '../../playground';

const COUNT = 400;

async function openSheet(page: Page): Promise<void> {
  await page.$eval('#cells-open', (button) => (button as HTMLElement).click());
  await page.waitForSelector('#cells-sheet[open]');
}

const rowsOf = (page: Page) =>
  page.$$eval('#cells-rows tr', (rows) =>
    rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')),
  );

describe('a sweep over cell sizes', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) =>
    openPlayground(opener, { query: `?v=1&count=${COUNT}&engine=cpu`, width: 1280, height: 800 }),
  );

  browserTest(
    'times the present state, and lets the visitor use one of the sizes',
    { tags: 'full' },
    async () => {
      const { page, expectNoProblems } = await open();
      await arrange(page, { engine: 'cpu', scene: 'uniform', count: COUNT, cellSize: 3 });
      await stepTimes(page, 2);
      const candidates = await textOf(page, 'candidates');
      await openSheet(page);
      await waitForText(page, 'cells-status', /^Done\.$/);
      const rows = await rowsOf(page);
      expect(rows.map(([size]) => size)).toEqual(['1', '1.41', '2', '2.83', '3', '4', '8']);
      const numbers = rows.map((row) => row.slice(1, 5).map((text) => Number(text.replaceAll(',', ''))));
      for (let index = 1; index < numbers.length; index++) {
        const [[cells = 0, occupied = 0, fullest = 0, tests = 0] = [], [c = 0, o = 0, f = 0, t = 0] = []] = [
          numbers[index - 1],
          numbers[index],
        ];
        expect([c < cells, o < occupied, f >= fullest, t > tests]).toEqual([true, true, true, true]);
      }
      // The row of the present size has the figures of the visitor's run.
      expect(rows[4]?.[4]).toBe(candidates);
      expect(rows.every((row) => / (ms|s)$/.test(row[5] ?? ''))).toBe(true);
      expect(await textOf(page, 'cells-words')).toMatch(
        /^The fastest sizes? here (is|are) [\d.]+.*: [\d.]+ ms per step\./,
      );
      expect(await page.evaluate(() => window.cellstorm?.simulation?.time)).toBeCloseTo(2 / 60, 6);
      expect(await page.$('#cells-plot canvas')).not.toBeNull();
      for (const theme of ['dark', 'light']) {
        await page.emulateMediaFeatures([
          { name: 'prefers-color-scheme', value: theme },
          { name: 'prefers-reduced-motion', value: 'reduce' },
        ]);
        await takePicture(page, `cells-${theme}`);
        expect(await page.evaluate(findPoorContrast), theme).toEqual([]);
      }
      await page.$$eval('#cells-rows button', (buttons) => (buttons[2] as HTMLElement).click());
      await settle(page);
      expect(await isOpen(page, 'cells-sheet')).toBe(false);
      expect(await shownValue(page, 'cellSize')).toBe('2');
      expect(await page.evaluate(() => window.cellstorm?.simulation?.world.cellSize)).toBeCloseTo(2, 4);
      expectNoProblems();
    },
  );

  browserTest(
    'opens with a button that is visible without scrolling, as the sweep over counts does',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      await arrange(page, { engine: 'cpu', count: COUNT });
      await stepTimes(page, 2);
      for (const button of ['#scale-open', '#cells-open']) {
        const below = await page.$eval(button, (shown) => {
          const { bottom } = shown.getBoundingClientRect();
          let ends = innerHeight;
          for (let parent = shown.parentElement; parent; parent = parent.parentElement) {
            if (getComputedStyle(parent).overflowY !== 'visible')
              ends = Math.min(ends, parent.getBoundingClientRect().bottom);
          }
          return bottom - ends;
        });
        expect(below, button).toBeLessThan(0);
      }
    },
  );

  browserTest(
    'can be cancelled and run again, and the run of the visitor goes on',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      await arrange(page, { engine: 'cpu', scene: 'gas', count: COUNT });
      await page.click('#play');
      await openSheet(page);
      await page.waitForFunction(() => document.querySelectorAll('#cells-rows tr').length > 0);
      const time = await page.evaluate(() => window.cellstorm?.simulation?.time ?? 0);
      await page.$eval('#cells-again', (button) => (button as HTMLElement).click());
      await waitForText(page, 'cells-status', /^Cancelled\. Earlier times stay\.$|^Done/);
      await page.waitForFunction((then) => (window.cellstorm?.simulation?.time ?? 0) > then, {}, time);
      expect(await textOf(page, 'cells-again')).toBe('Run again');
      await page.$eval('#cells-again', (button) => (button as HTMLElement).click());
      await waitForText(page, 'cells-status', /Timing|Done/);
      await page.keyboard.press('Escape');
      expect(await isOpen(page, 'cells-sheet')).toBe(false);
    },
  );

  browserTest('times the sizes of levels if radii vary, and runs on the GPU', { tags: 'full' }, async () => {
    const { page } = await open();
    await arrange(page, { engine: 'gpu', scene: 'mixed', count: COUNT });
    await openSheet(page);
    await waitForText(page, 'cells-status', /^Done\.$/);
    // The engine itself chooses 16 here, because narrower cells would be too many.
    expect((await rowsOf(page)).map(([size]) => size)).toEqual(['2', '4', '8', '16']);
    expect(await textOf(page, 'cells-words')).not.toMatch(/suggestion/);
  });

  browserTest('fits a phone', { tags: 'full' }, async () => {
    const { page } = await open();
    await page.setViewport({ width: 390, height: 844, deviceScaleFactor: 2, isMobile: true, hasTouch: true });
    await arrange(page, { engine: 'cpu', count: COUNT });
    await openSheet(page);
    await waitForText(page, 'cells-status', /^Done\.$/);
    const beyond = await page.$eval('#cells-sheet', (sheet) => {
      const { left, right } = sheet.getBoundingClientRect();
      return Math.max(right - innerWidth, -left, sheet.scrollWidth - sheet.clientWidth);
    });
    expect(beyond).toBeLessThanOrEqual(0);
    await takePicture(page, 'cells-phone');
  });
});
