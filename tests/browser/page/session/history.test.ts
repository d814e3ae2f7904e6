import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import { browserTest, useBrowser } from '../../../helpers/browser';
import {
  arrange,
  chooseOption,
  expectTruePicture,
  FEW,
  goBackToStart,
  openPlayground,
  settle,
  stepTimes,
  TOLERANCE,
  typeNumber,
} from '../../playground';

const readRun = (page: Page) =>
  page.evaluate(() => {
    const { settings, time = -1, count } = window.cellstorm?.simulation ?? {};
    return { gravity: settings?.gravity[1], broadPhase: settings?.broadPhase, time, count };
  });

describe('the run', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) => openPlayground(opener, { query: '?v=1&count=100&engine=cpu' }));

  for (const [engine, tags] of [
    ['gpu', ['full']],
    ['cpu', []],
  ] as const) {
    browserTest(`has the chosen settings after Back (${engine})`, { tags: 'full' }, async () => {
      const { page } = await open();
      await arrange(page, { engine });
      await stepTimes(page, 2);
      await typeNumber(page, 'gravity', 0);
      await chooseOption(page, 'broadPhase', 'Naive: all pairs');
      await stepTimes(page, 2);
      await goBackToStart(page);
      expect(await readRun(page)).toEqual({ gravity: 0, broadPhase: 'naive', time: 0, count: FEW });
    });

    browserTest(
      `stays at its time if the brush changes while the capacity grows (${engine})`,
      { tags: [...tags] },
      async () => {
        const { page } = await open();
        await arrange(page, { engine, scene: 'gas' });
        await stepTimes(page, 3);
        const changes = await page.evaluate(async (few) => {
          const pointer = document.getElementById('pointer') as HTMLSelectElement;
          pointer.value = [...pointer.options].find(({ text }) => text === 'Add particles')?.value ?? '';
          pointer.dispatchEvent(new Event('change', { bubbles: true }));
          const brush = document.getElementById('brush-slider') as HTMLInputElement;
          let changes = 0;
          while ((window.cellstorm?.simulation?.capacity ?? 0) <= few) {
            changes++;
            brush.value = String(brush.valueAsNumber - 1);
            brush.dispatchEvent(new Event('input', { bubbles: true }));
            await new Promise(requestAnimationFrame);
          }
          await window.cellstorm?.settled();
          return changes;
        }, FEW);
        expect(changes).toBeGreaterThan(0);
        expect((await readRun(page)).time).toBeCloseTo(3 / 60, 6);
      },
    );
  }

  browserTest(
    'has its first particles and their ages after Back, although their ids were reused',
    { tags: 'full' },
    async () => {
      const opened = await open();
      const { page } = opened;
      await arrange(page, { engine: 'cpu', scene: 'lattice', colour: 'age', timeScale: 2, pointer: 'add' });
      await stepTimes(page, 30);
      await chooseOption(page, 'pointer', 'Erase');
      await typeNumber(page, 'brush', 1000);
      await page.focus('#stage canvas');
      await page.keyboard.press('x');
      await page.waitForFunction(() => window.cellstorm?.simulation?.count === 0);
      await chooseOption(page, 'pointer', 'Add particles');
      await typeNumber(page, 'brush', 20);
      await page.focus('#stage canvas');
      await page.keyboard.down('x');
      await page.waitForFunction(() => (window.cellstorm?.simulation?.count ?? 0) > 10);
      await page.keyboard.up('x');
      await settle(page);
      await goBackToStart(page);
      expect(await readRun(page)).toMatchObject({ time: 0, count: FEW });
      await stepTimes(page, 30);
      await expectTruePicture(opened, 'ages-again', 3 * TOLERANCE);
    },
  );
});
