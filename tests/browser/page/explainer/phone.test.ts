import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import { METHOD_NAMES } from '../../../../src/page/explainer/methods';
import { browserTest, useBrowser } from '../../../helpers/browser';
import { takePicture } from '../../playground';
import { firstOf, lastOf, STAGES, scrubTo, setTheme, traceOf } from './shown';

describe('the explainer on a phone', () => {
  const browser = useBrowser({ serve: 'build' });
  const setPhone = (page: Page, width: number, height: number) =>
    page.setViewport({ width, height, deviceScaleFactor: 2, isMobile: true, hasTouch: true });
  const open = browser.share(async (opener) => {
    // The address asks for dark; the system is light.
    const opened = await opener.openPage('explainer.html?appearance=dark', { width: 390, height: 844 });
    await setPhone(opened.page, 390, 844);
    await setTheme(opened.page, 'light');
    return opened;
  });

  browserTest(
    'is dark if its address asks for that, and passes the request on in its link to the playground',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
        'rgb(11, 14, 19)',
      );
      expect(await page.$eval('#playground-link', (link) => (link as HTMLAnchorElement).href)).toBe(
        `${browser.url}?appearance=dark`,
      );
    },
  );

  browserTest('is no wider than the screen at any stage', async () => {
    const { page } = await open();
    await setPhone(page, 390, 844);
    const overflows: Record<string, number> = {};
    for (const name of STAGES) {
      await scrubTo(page, 'scrub', firstOf(name) + 5);
      overflows[name] = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return Math.max(0, scrollWidth - clientWidth);
      });
    }
    expect(overflows).toEqual(Object.fromEntries(STAGES.map((name) => [name, 0])));
    for (const method of METHOD_NAMES.toReversed()) {
      await page.$eval(`#methods input[value="${method}"]`, (radio) => (radio as HTMLInputElement).click());
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), method).toBe(0);
    }
  });

  browserTest('cuts off no text of a step', { tags: 'full' }, async () => {
    const { page } = await open();
    await setPhone(page, 390, 844);
    for (const method of METHOD_NAMES.toReversed()) {
      await page.$eval(`#methods input[value="${method}"]`, (radio) => (radio as HTMLInputElement).click());
      const { steps } = traceOf({ method });
      const indices = steps.flatMap(({ index }, step) =>
        index < 2 || steps[step + 1]?.index === 0 || step === steps.length - 1 ? [step] : [],
      );
      const cut = await page.evaluate((wanted) => {
        const [scrub, telling] = ['scrub', 'telling'].map(
          (id) => document.getElementById(id) as HTMLInputElement,
        );
        return wanted.filter((index) => {
          if (!scrub || !telling) return true;
          scrub.value = String(index);
          scrub.dispatchEvent(new Event('input'));
          return telling.scrollHeight > telling.clientHeight + 1;
        });
      }, indices);
      expect(
        cut.map((index) => steps[index]?.text),
        method,
      ).toEqual([]);
    }
    await takePicture(page, 'explainer-phone');
  });

  for (const [name, width, height, stages] of [
    ['upright', 390, 844, STAGES],
    ['on its side', 844, 390, STAGES.filter((_, index) => index % 3 === 2)],
  ] as const) {
    browserTest(`keeps text and buttons visible wherever the page is scrolled (${name})`, async () => {
      const { page } = await open();
      await setPhone(page, width, height);
      for (const stage of stages) {
        await scrubTo(page, 'scrub', lastOf(stage));
        const hidden = await page.evaluate(() => {
          const figures = [...document.querySelectorAll('#world, .array:not([hidden])')];
          return figures.flatMap((figure) => {
            figure.scrollIntoView({ block: 'center' });
            return ['text', 'play', 'scrub', 'place'].filter((id) => {
              const { left, right, top, bottom } =
                document.getElementById(id)?.getBoundingClientRect() ?? new DOMRect();
              const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
              return top < 0 || bottom > innerHeight || !hit?.closest(`#${id}`);
            });
          });
        });
        expect(hidden, stage).toEqual([]);
      }
      await page.$eval('#arrays', (arrays) => arrays.scrollIntoView());
      await takePicture(page, 'explainer-phone-arrays');
    });
  }

  browserTest('has its buttons in at most two rows on the narrowest screen', async () => {
    const { page } = await open();
    await setPhone(page, 320, 568);
    const narrow = await page.$eval('#transport', (transport) => ({
      height: transport.clientHeight,
      overflow: document.documentElement.scrollWidth - innerWidth,
    }));
    // Three rows would be higher.
    expect(narrow).toEqual({ height: expect.toSatisfy((height: number) => height < 110), overflow: 0 });
  });
});
