import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import { createScene } from '../../../src/scenes';
import { browserTest, useBrowser } from '../../helpers/browser';
import {
  arrange,
  chooseOption,
  countDifferences,
  describeScenery,
  expectTruePicture,
  FEW,
  loseDevice,
  openPlayground,
  passFrames,
  SOME,
  settle,
  shownValue,
  stepTimes,
  takePicture,
  textOf,
  typeNumber,
  unfold,
} from '../playground';

const timeOf = (page: Page) => page.evaluate(() => window.cellstorm?.simulation?.time ?? -1);
const gravityOf = (page: Page) => page.evaluate(() => window.cellstorm?.simulation?.settings.gravity);
const backendOf = (page: Page) => page.evaluate(() => window.cellstorm?.simulation?.backend);

/** A picture that changes by itself does so within this many frames. */
const MANY_FRAMES = 20;

describe('the page', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) => openPlayground(opener, { count: SOME }));

  browserTest('plays by itself, and paints each particle where it is', async () => {
    const opened = await openPlayground(browser, { reducedMotion: false, width: 1280, height: 800 });
    const { page, expectNoProblems } = opened;
    await page.waitForFunction(() => (window.cellstorm?.simulation?.time ?? 0) > 0.1);
    expect(await textOf(page, 'play-label')).toBe('Pause');
    await page.keyboard.press(' ');
    await settle(page);
    expect(await textOf(page, 'play-label')).toBe('Play');
    expect(await backendOf(page)).toBe('gpu');
    await expectTruePicture(opened, 'wide-dark');
    expectNoProblems();
  });

  browserTest('starts paused if the system asks for less motion, and says so', { tags: 'full' }, async () => {
    const { page } = await openPlayground(browser, { query: '?v=1&count=100&engine=cpu' });
    expect(await textOf(page, 'notice')).toMatch(/less motion/);
    expect(await timeOf(page)).toBe(0);
  });

  browserTest('shows the same picture while it is paused, and another one after a step', async () => {
    const { page } = await open();
    await arrange(page, { count: SOME });
    await stepTimes(page, 8);
    const { free } = await describeScenery(page);
    const first = await takePicture(page, 'paused-1');
    await passFrames(page, MANY_FRAMES);
    const second = await takePicture(page, 'paused-2');
    expect(countDifferences(first, second, free)).toBe(0);
    await stepTimes(page, 1);
    expect(countDifferences(second, await takePicture(page, 'stepped'), free)).toBeGreaterThan(200);
  });

  browserTest('makes the box as narrow as its slider says', async () => {
    const { page } = await open();
    await arrange(page, { count: SOME });
    const width = () => page.evaluate(() => window.cellstorm?.simulation?.world.max[0] ?? 0);
    const before = await width();
    await unfold(page, 'boxWidth');
    await page.focus('#boxWidth-slider');
    await page.keyboard.press('Home');
    await settle(page);
    expect(await width()).toBe(createScene('pile', { dimensions: 2, count: SOME }).max[0]);
    expect(await width()).toBeLessThan(before);
  });

  browserTest('applies gravity at once while its slider moves', async () => {
    const { page } = await open();
    await arrange(page);
    await unfold(page, 'gravity');
    await page.focus('#gravity-slider');
    await page.keyboard.press('Home');
    expect(await gravityOf(page)).toEqual([0, 0]);
    expect(await shownValue(page, 'gravity')).toBe('0');
    await page.keyboard.press('End');
    expect(await gravityOf(page)).toEqual([0, -20]);
  });

  browserTest('steps, starts over, plays and pauses by key', async () => {
    const { page } = await open();
    await arrange(page);
    await page.keyboard.press('.');
    await page.keyboard.press('.');
    await settle(page);
    expect(await timeOf(page)).toBeCloseTo(2 / 60, 6);
    await page.keyboard.press('r');
    await settle(page);
    expect(await timeOf(page)).toBe(0);
    await page.keyboard.press(' ');
    await page.waitForFunction(() => (window.cellstorm?.simulation?.time ?? 0) > 0.05);
    await page.keyboard.press(' ');
    await settle(page);
    const stopped = await timeOf(page);
    await passFrames(page, MANY_FRAMES);
    expect(await timeOf(page)).toBe(stopped);
  });

  browserTest(
    'takes a setting while it prepares another colour, and goes on from the same state',
    async () => {
      const { page } = await open();
      await arrange(page);
      await stepTimes(page, 2);
      const got = await page.evaluate(async () => {
        const before = window.cellstorm?.simulation;
        const colour = document.getElementById('colour') as HTMLSelectElement;
        colour.value = [...colour.options].find(({ text }) => text === 'Contacts')?.value ?? '';
        colour.dispatchEvent(new Event('change', { bubbles: true }));
        const slider = document.getElementById('gravity-slider') as HTMLInputElement;
        slider.value = '0';
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        await window.cellstorm?.settled();
        const after = window.cellstorm?.simulation;
        return { isSame: before === after, gravity: after?.settings.gravity, time: after?.time };
      });
      expect(got).toEqual({ isSame: true, gravity: [0, 0], time: expect.closeTo(2 / 60, 6) });
      expect(await textOf(page, 'legend-title')).toBe('Contacts');
    },
  );

  browserTest('has no two elements with the same id, and refers only to ids that exist', async () => {
    const { page } = await open();
    const badIds = await page.evaluate(() => {
      const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
      const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
      const named = [...document.querySelectorAll('[aria-describedby], [aria-labelledby]')].flatMap(
        (element) =>
          ['aria-describedby', 'aria-labelledby'].flatMap((name) =>
            (element.getAttribute(name) ?? '').split(' ').filter(Boolean),
          ),
      );
      return [...twice, ...named.filter((id) => !ids.includes(id))];
    });
    expect(badIds).toEqual([]);
  });
});

describe('the page after its device was lost', () => {
  const browser = useBrowser({ serve: 'build' });

  browserTest(
    'goes on from a kept state on a new device, and applies a change made meanwhile',
    { tags: 'full' },
    async () => {
      const opened = await openPlayground(browser, { count: SOME });
      const { page, expectNoProblems } = opened;
      await stepTimes(page, 2);
      while (!/^Back at/.test(await textOf(page, 'notice'))) {
        await page.keyboard.press('b');
        await settle(page);
      }
      await typeNumber(page, 'gravity', 0);
      await page.evaluate(async () => {
        const note = document.getElementById('engine-note') as HTMLElement;
        const isLost = new Promise<void>((done) => {
          new MutationObserver(() => done()).observe(note, {
            childList: true,
            characterData: true,
            subtree: true,
          });
        });
        window.cellstorm?.device?.destroy();
        await isLost;
        const slider = document.getElementById('friction-slider') as HTMLInputElement;
        slider.value = slider.max;
        slider.dispatchEvent(new Event('input', { bubbles: true }));
      });
      await settle(page);
      const note = await textOf(page, 'engine-note');
      expect(note).toMatch(/goes on from \d\.\d\d s on a new device/);
      expect(note).toContain(`from ${(await timeOf(page)).toFixed(2)} s`);
      expect(await backendOf(page)).toBe('gpu');
      const { settings, count } = await page.evaluate(() => {
        const { settings, count } = window.cellstorm?.simulation ?? {};
        return { settings, count };
      });
      expect(settings).toMatchObject({ gravity: [0, 0], friction: 1 });
      expect(count).toBe(SOME);
      await stepTimes(page, 3);
      await expectTruePicture(opened, 'after-loss');
      expectNoProblems();
    },
  );

  browserTest(
    'shows no note about a new device once the CPU engine is chosen',
    { tags: 'full' },
    async () => {
      const { page, expectNoProblems } = await openPlayground(browser, { count: FEW });
      await loseDevice(page);
      await chooseOption(page, 'engine', 'CPU');
      await typeNumber(page, 'friction', 0.25);
      expect(await textOf(page, 'engine-note')).toBe('');
      expect(await backendOf(page)).toBe('cpu');
      expectNoProblems();
    },
  );
});
