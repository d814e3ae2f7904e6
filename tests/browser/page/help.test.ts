import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import { browserTest, useBrowser } from '../../helpers/browser';
import {
  arrange,
  blur,
  isOpen,
  openPlayground,
  settle,
  stepTimes,
  takePicture,
  textOf,
  waitForText,
} from '../playground';

const timeOf = (page: Page) => page.evaluate(() => window.cellstorm?.simulation?.time ?? -1);
const leftOf = (page: Page) => page.evaluate(() => window.cellstorm?.toScreen([5, 5])[0] ?? 0);
const openSheets = (page: Page) => page.$$eval('dialog[open]', (sheets) => sheets.length);

describe('the keys and buttons of the page', () => {
  const browser = useBrowser({ serve: 'build' });
  // The CPU engine starts sooner, and no test here depends on the engine.
  const open = browser.share((opener) => openPlayground(opener, { query: '?v=1&count=100&engine=cpu' }));

  browserTest('save the picture under the name of the scene', async () => {
    const { page } = await open();
    await arrange(page, { engine: 'cpu' });
    await page.evaluate(() => {
      HTMLAnchorElement.prototype.click = function () {
        document.title = this.download;
      };
    });
    await page.keyboard.press('p');
    await page.waitForFunction(() => document.title === 'cellstorm-pile-2d-0.00s.png');
  });

  browserTest('copy the link', async () => {
    const { page } = await open();
    await arrange(page, { engine: 'cpu' });
    await page.evaluate(() => {
      Object.defineProperty(navigator, 'clipboard', {
        configurable: true,
        value: { writeText: async (text: string) => document.body.setAttribute('data-copied', text) },
      });
    });
    await page.click('#copy-link');
    await page.waitForFunction(() => document.body.dataset.copied === location.href);
    await waitForText(page, 'notice', /on the clipboard/);
  });

  browserTest('open and close the help, which lists the keys', async () => {
    const { page } = await open();
    await arrange(page, { engine: 'cpu' });
    await page.keyboard.press('?');
    expect(await isOpen(page, 'help')).toBe(true);
    expect(await textOf(page, 'help-keys')).toMatch(/play or pause.*start over.*back.*fit/);
    await takePicture(page, 'help');
    await page.keyboard.press('Escape');
    expect(await isOpen(page, 'help')).toBe(false);
  });

  browserTest('do nothing if they are character keys and the visitor has switched those off', async () => {
    const { page } = await open();
    await arrange(page, { engine: 'cpu' });
    await page.click('#help-open');
    await page.click('#character-keys');
    await page.keyboard.press('Escape');
    await blur(page);
    const [time, left] = [await timeOf(page), await leftOf(page)];
    for (const key of ['?', '.', 'g', 'ArrowLeft'] as const) await page.keyboard.press(key);
    await settle(page);
    expect(await openSheets(page)).toBe(0);
    expect(await timeOf(page)).toBe(time);
    expect(await leftOf(page)).toBeGreaterThan(left);
    await page.click('#help-open');
    await page.click('#character-keys');
    // A question mark also closes the help if it is open.
    await page.keyboard.press('?');
    expect(await openSheets(page)).toBe(0);
    await page.keyboard.press('.');
    await settle(page);
    expect(await timeOf(page)).toBeGreaterThan(time);
  });

  browserTest('bring back the first state, with the same hash', async () => {
    const { page } = await open();
    await arrange(page, { engine: 'cpu' });
    const hash = await textOf(page, 'hash');
    await stepTimes(page, 3);
    expect(await textOf(page, 'hash')).not.toBe(hash);
    // A slow machine may have kept states in between.
    while ((await textOf(page, 'hash')) !== hash) {
      await page.keyboard.press('b');
      await settle(page);
    }
    expect(await textOf(page, 'notice')).toMatch(/^Back at 0\.00 s\.$/);
  });
});
