/** What the page gives away and takes in: states, tables, films and presets. */
import { describe, expect } from 'vitest';
import { browserTest, useBrowser } from '../helpers/browser';
import { openPlayground, settle, takePicture, textOf } from './playground';

describe('look', () => {
  const browser = useBrowser();
  for (const theme of ['light', 'dark'] as const) {
    browserTest(`of ${theme}`, async () => {
      for (const phone of [false, true]) {
        const { page, expectNoProblems } = await openPlayground(browser, {
          theme,
          ...(phone
            ? { width: 390, height: 844, isPhone: true, pixelRatio: 2 }
            : { width: 1280, height: 800 }),
        });
        const name = `keep-${theme}-${phone ? 'phone' : 'wide'}`;
        await takePicture(page, `${name}-panel`);
        await page.evaluate(() => (document.activeElement as HTMLElement).blur());
        await page.keyboard.press('g');
        await new Promise((done) => setTimeout(done, 500));
        await takePicture(page, `${name}-presets`);
        await page.keyboard.press('Escape');
        await page.keyboard.press('s');
        await takePicture(page, `${name}-sheet`);
        await page.keyboard.press('Escape');
        await page.keyboard.press('v');
        await new Promise((done) => setTimeout(done, 300));
        await takePicture(page, `${name}-live`);
        await page.click('#recording-discard');
        expect(await textOf(page, 'notice')).toMatch(/discarded/);
        await settle(page);
        expectNoProblems();
      }
    });
  }
});
