import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import { HASH_EVERY } from '../../../src/page/lockstep/messages';
import { browserTest, useBrowser } from '../../helpers/browser';
import { hideWebGpu } from '../hide-gpu';
import { openPlayground, passFrames, settle, takePicture, textOf, waitForText } from '../playground';

const FULL = { tags: 'full' };

const compared = (page: Page) => page.evaluate(() => [...(window.lockstep?.compared ?? [])]);

/** Waits for this many comparisons, then pauses. */
async function playUntil(page: Page, comparisons: number): Promise<void> {
  await page.waitForFunction((count) => (window.lockstep?.compared.length ?? 0) >= count, {}, comparisons);
  await pause(page);
}

/** Pauses, and waits until both pictures show the last tick. */
async function pause(page: Page): Promise<void> {
  if ((await textOf(page, 'play')) === 'Pause')
    await page.$eval('#play', (play) => (play as HTMLElement).click());
  await page.waitForFunction(() => window.lockstep?.tick === window.lockstep?.shown);
  await passFrames(page, 2);
}

/** Returns how many pixels of the left canvas have each disc colour, and whether both canvases have the same pixels. */
function look(page: Page) {
  return page.evaluate(() => {
    const pictures = ['left', 'right'].map((id) => {
      const canvas = document.getElementById(id) as HTMLCanvasElement;
      // Chrome warns if a canvas that the page draws on is read often, so read a copy.
      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
      if (!copy) throw new Error('There is no 2D context.');
      copy.drawImage(canvas, 0, 0);
      const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
      return Array.from({ length: data.length / 4 }, (_, pixel) =>
        data.slice(4 * pixel, 4 * pixel + 3).join(),
      );
    });
    const [left = [], right = []] = pictures;
    // The colours of a light page.
    const [start, first, second] = ['138,150,163', '20,114,126', '194,96,12'].map(
      (colour) => left.filter((pixel) => pixel === colour).length,
    );
    return { start, first, second, areEqual: left.every((pixel, index) => pixel === right[index]) };
  });
}

async function press(page: Page, side: 'left' | 'right', x: number, y: number): Promise<void> {
  const box = await (await page.waitForSelector(`#${side}-stage:not([disabled])`))?.boundingBox();
  if (!box) throw new Error(`The picture on the ${side} is not shown.`);
  await page.mouse.move(box.x + x * box.width, box.y + y * box.height);
  await page.mouse.down();
  await page.mouse.move(box.x + x * box.width + 40, box.y + y * box.height, { steps: 4 });
}

describe('the page lockstep.html', () => {
  const browser = useBrowser({ serve: 'build' });
  const openWith = (prepare: (page: Page) => Promise<void>, path = 'lockstep.html') =>
    browser.openPage(path, { width: 1280, height: 800, prepare });
  const calm = (page: Page) =>
    page.emulateMediaFeatures([
      { name: 'prefers-reduced-motion', value: 'reduce' },
      { name: 'prefers-color-scheme', value: 'light' },
    ]);

  browserTest(
    'keeps both engines equal while the pointer pours and tilts in one picture and keys pour in the other',
    FULL,
    async () => {
      const { page, expectNoProblems } = await openWith(calm);
      await waitForText(page, 'verdict-title', /^Paused$/);
      expect(await page.evaluate(() => window.lockstep?.tick)).toBe(0);
      expect([await textOf(page, 'left-name'), await textOf(page, 'right-name')]).toEqual([
        'GPU engine',
        'CPU engine',
      ]);
      expect(await textOf(page, 'left-device')).toMatch(/swiftshader/i);
      await page.click('#play');
      await press(page, 'left', 0.7, 0.3);
      await playUntil(page, 1);
      await page.mouse.up();
      expect(await look(page)).toMatchObject({
        areEqual: true,
        first: expect.toSatisfy((n) => n > 500),
        second: 0,
      });
      // Pour by keys in the other picture.
      await page.focus('#right-stage');
      for (let times = 0; times < 8; times++) await page.keyboard.press('ArrowLeft');
      await page.$eval('#play', (play) => (play as HTMLElement).click());
      await page.keyboard.down(' ');
      await playUntil(page, 2);
      await page.keyboard.up(' ');
      await page.$eval('#tilt', (radio) => (radio as HTMLElement).click());
      await press(page, 'left', 0.9, 0.5);
      await page.$eval('#play', (play) => (play as HTMLElement).click());
      await playUntil(page, 3);
      await page.mouse.up();
      await page.evaluate(() => (document.activeElement as HTMLElement).blur());
      await passFrames(page, 2);
      expect(await look(page)).toMatchObject({ areEqual: true, second: expect.toSatisfy((n) => n > 500) });
      const results = await compared(page);
      expect(results.map(({ tick, isEqual }) => [tick, isEqual])).toEqual(
        results.map((_, index) => [HASH_EVERY * (index + 1), true]),
      );
      const hash = await textOf(page, 'left-hash');
      expect(hash).toMatch(/^[0-9a-f]{16}$/);
      expect(await textOf(page, 'right-hash')).toBe(hash);
      expect(await textOf(page, 'verdict-title')).toBe('Equal');
      expect(await textOf(page, 'verdict-text')).toBe(
        `At tick ${results.at(-1)?.tick}, both hashes are equal. Compared ${results.length} times, never different.`,
      );
      await takePicture(page, 'lockstep-wide-light');
      await page.setViewport({ width: 390, height: 844 });
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
      await passFrames(page, 2);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
      await takePicture(page, 'lockstep-phone-dark');
      expectNoProblems();
    },
  );

  browserTest(
    'shows a tiny mistake of one engine at the next comparison, and starts over',
    FULL,
    async () => {
      const { page, expectNoProblems } = await openWith(calm);
      await page.waitForSelector('#mistake:not([disabled])');
      await page.click('#mistake');
      await playUntil(page, 1);
      expect((await compared(page))[0]).toEqual({
        tick: HASH_EVERY,
        isEqual: false,
        count: 1,
        differsSince: HASH_EVERY,
      });
      expect(await textOf(page, 'verdict-title')).toBe('Different');
      expect(await textOf(page, 'verdict-text')).toMatch(
        /^At tick \d+, the hashes differ\. They first differed at tick 60\. In tick 0, the left engine used a gravity/,
      );
      await page.click('#reset');
      expect(await textOf(page, 'verdict-title')).toBe('Paused');
      await page.click('#play');
      await playUntil(page, 1);
      expect(await textOf(page, 'verdict-title')).toBe('Equal');
      expectNoProblems();
    },
  );

  browserTest('runs both pictures on the CPU engine without WebGPU, and says so', FULL, async () => {
    const { page } = await openWith(async (fresh) => {
      await fresh.setBypassCSP(true);
      await fresh.evaluateOnNewDocument(hideWebGpu);
    });
    await playUntil(page, 1);
    expect(await textOf(page, 'note')).toBe(
      'This browser has no WebGPU. So the CPU engine computes both pictures, in two threads.',
    );
    expect([await textOf(page, 'left-name'), await textOf(page, 'right-name')]).toEqual([
      'CPU engine',
      'CPU engine',
    ]);
    expect(await textOf(page, 'verdict-title')).toBe('Equal');
    expect(await look(page)).toMatchObject({ areEqual: true });
  });

  browserTest('opens from the card among the presets, with the same appearance', FULL, async () => {
    const { page } = await openPlayground(browser, { query: '?v=1&count=100&engine=cpu&appearance=light' });
    await page.click('#presets-open');
    await settle(page);
    await Promise.all([page.waitForNavigation(), page.click('#preset-lockstep')]);
    expect(page.url()).toBe(`${browser.url}lockstep.html?appearance=light`);
    await page.waitForSelector('#play:not([disabled])');
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
      'rgb(238, 241, 245)',
    );
  });
});
