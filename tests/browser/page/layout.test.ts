import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import { browserTest, useBrowser } from '../../helpers/browser';
import { findPoorContrast } from '../contrast';
import {
  arrange,
  colourDistance,
  describeScenery,
  expectTruePicture,
  openPlayground,
  passFrames,
  pixelAt,
  settle,
  stepTimes,
  TOLERANCE,
  takePicture,
  toggle,
  unfold,
} from '../playground';

/** The CPU engine starts sooner, and no test here depends on the engine. */
const QUICK = '?v=1&count=100&engine=cpu';
/** Tolerance per channel on the 2D canvas, which rounds values to 32 colours. */
const ROUNDED = 3 * TOLERANCE;
const KEY_CLOSED = 44;

const keyHeight = (page: Page) => page.$eval('.key', (key) => key.getBoundingClientRect().height);

/** Sizes of phones, and windows on either side of each width at which the layout changes. */
const OVERLAID = [
  [320, 568],
  [374, 667],
  [375, 667],
  [519, 700],
  [520, 700],
  [799, 500],
  [800, 500],
  [844, 390],
  [999, 620],
  [1000, 620],
  [1179, 700],
  [1180, 700],
] as const;

/** Runs in the page: returns the pairs of parts that overlap. */
function findOverlaps(): string[] {
  const parts = [...document.querySelectorAll<HTMLElement>('.corner button, #legend, #overlay-fold, .panel')]
    .map((element) => ({
      name: element.id || element.className,
      box: element.getBoundingClientRect(),
    }))
    .filter(({ box }) => box.width > 0);
  return parts.flatMap(({ name, box }, index) =>
    parts
      .slice(index + 1)
      .filter(
        ({ box: other }) =>
          box.left < other.right &&
          other.left < box.right &&
          box.top < other.bottom &&
          other.top < box.bottom,
      )
      .map((other) => `${name} and ${other.name}`),
  );
}

/** Runs in the page: returns the controls that are covered, cannot be scrolled into view, or are under 20px high. */
function findUnreachable(): string[] {
  const controls = document.querySelectorAll('main :is(button, input, select):not([hidden] *)');
  return [...controls].flatMap((control) => {
    control.scrollIntoView({ block: 'nearest' });
    const { left, top, width, height } = control.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    const isInside = left >= 0 && left + width <= innerWidth && top >= 0 && top + height <= innerHeight;
    const isHit = hit !== null && (hit === control || control.contains(hit) || hit.contains(control));
    return isInside && isHit && height >= 20 ? [] : [control.id || control.outerHTML];
  });
}

describe('the page on a phone', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) =>
    openPlayground(opener, { query: QUICK, width: 390, height: 844, pixelRatio: 2, isPhone: true }),
  );

  browserTest('is no wider than the screen, and every control can be reached', async () => {
    const { page } = await open();
    await arrange(page, { engine: 'cpu' });
    const overflow = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return Math.max(scrollWidth - clientWidth, document.body.scrollWidth - document.body.clientWidth);
    });
    expect(overflow).toBeLessThanOrEqual(0);
    expect(await page.evaluate(findUnreachable)).toEqual([]);
    await takePicture(page, 'phone');
  });

  browserTest('leaves over 38% of the height to the picture, even when the panel is scrolled', async () => {
    const { page } = await open();
    await arrange(page, { engine: 'cpu' });
    const top = await page.$eval('#scale-open', (button) => {
      button.scrollIntoView({ block: 'center' });
      return document.querySelector('#title')?.getBoundingClientRect().top ?? 0;
    });
    expect(top).toBeGreaterThan(844 * 0.38);
    const { free } = await describeScenery(page);
    expect(free.height / 2).toBeGreaterThan(844 * 0.38);
  });

  browserTest('shows the key to overlays as one line until it is opened', { tags: 'full' }, async () => {
    const { page } = await open();
    await arrange(page, { engine: 'cpu', cellLines: true, thread: true });
    expect(await page.$$eval('#overlay-samples span', (samples) => samples.length)).toBe(2);
    expect(await keyHeight(page)).toBeLessThan(KEY_CLOSED);
    await takePicture(page, 'phone-key');
    await page.tap('#overlay-fold summary');
    expect(await keyHeight(page)).toBeGreaterThan(60);
    const list = await page.$eval('#overlay-key', (element) => element.getBoundingClientRect().height);
    expect(list).toBeGreaterThan(30);
    await page.tap('#overlay-fold summary');
  });

  browserTest('shows a hint after a tap, until the control loses the focus', { tags: 'full' }, async () => {
    const { page } = await open();
    await arrange(page, { engine: 'cpu' });
    await unfold(page, 'boxWidth');
    await page.tap('#boxWidth');
    expect(await page.$eval('.tip.seen', (tip) => tip.textContent)).toBe("Multiple of the scene's width");
    await takePicture(page, 'phone-hint');
    await page.$eval('#boxWidth', (input) => (input as HTMLElement).blur());
    expect(await page.$('.tip.seen')).toBeNull();
  });

  browserTest('gives the picture more room when the panel is folded', { tags: 'full' }, async () => {
    const opened = await open();
    const { page } = opened;
    await arrange(page, { engine: 'cpu' });
    const { free } = await describeScenery(page);
    await page.click('#fold');
    await settle(page);
    expect((await describeScenery(page)).free.height).toBeGreaterThan(free.height * 1.4);
    await expectTruePicture(opened, 'phone-folded', ROUNDED);
    await page.click('#fold');
  });
});

describe('the page used by keyboard', () => {
  const browser = useBrowser({ serve: 'build' });

  browserTest('marks the focus, lets it reach the controls, and shows their hints', async () => {
    const { page, expectNoProblems } = await openPlayground(browser, { query: QUICK });
    const unmarked: string[] = [];
    const hints = new Map<string, readonly (string | null)[]>();
    for (let press = 0; press < 100; press++) {
      await page.keyboard.press('Tab');
      const focus = await page.evaluate(() => {
        const active = document.activeElement;
        if (!active || active === document.body) return undefined;
        const style = getComputedStyle(active);
        const tip = document.querySelector('.tip.seen');
        return {
          hints: [
            tip && tip.getBoundingClientRect().width > 0 ? tip.textContent : null,
            document.getElementById(active.getAttribute('aria-describedby') ?? '')?.textContent ?? null,
          ],
          name: active.id || active.textContent || active.tagName,
          isMarked: style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) >= 2,
        };
      });
      if (!focus || hints.has(focus.name)) continue;
      hints.set(focus.name, focus.hints);
      if (!focus.isMarked) unmarked.push(focus.name);
      // The next controls in the order are those that the button shows.
      if (focus.name === 'more') await page.keyboard.press('Enter');
    }
    expect(unmarked).toEqual([]);
    const reached = ['play', 'step', 'reset', 'back', 'scene', 'count', 'count-slider', 'dimensions'];
    expect([...hints.keys()]).toEqual(
      expect.arrayContaining([...reached, 'broadPhase', 'colour', 'fit', 'help-open']),
    );
    for (const [name, hint] of [
      ['size', 'Multiple of the radii in the scene'],
      ['boxWidth-slider', "Multiple of the scene's width"],
      ['heatMap', 'How many particles are in each cell; in 3D above each cell of the floor'],
      ['fit', 'Fit the picture (F)'],
      ['count', 'Up to 50,000 on this engine'],
    ] as const) {
      expect(hints.get(name), name).toEqual([hint, hint]);
    }
    expect([...hints.values()]).toContainEqual([null, null]);
    await page.focus('#size');
    expect(await page.$('.tip.seen')).not.toBeNull();
    await page.keyboard.press('Escape');
    expect(await page.$('.tip.seen')).toBeNull();
    expect(await page.$$eval('main [title]', (titled) => titled.length)).toBe(0);
    expectNoProblems();
  });
});

describe('the page in a window', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) => openPlayground(opener, { query: QUICK, theme: 'dark' }));

  async function begin(wanted: Parameters<typeof arrange>[1] = {}) {
    const opened = await open();
    const { page } = opened;
    await page.setViewport({ width: 900, height: 620 });
    await arrange(page, { engine: 'cpu', ...wanted });
    return opened;
  }

  browserTest('is dark, and readable, if the system is dark', { tags: 'full' }, async () => {
    const opened = await begin();
    const { page } = opened;
    await stepTimes(page, 2);
    await expectTruePicture(opened, 'theme-dark', ROUNDED);
    expect(Math.max(...(await describeScenery(page)).theme.background)).toBeLessThan(0.15);
    expect(await page.evaluate(findPoorContrast)).toEqual([]);
  });

  browserTest('turns light when the system does, and stays readable', { tags: 'full' }, async () => {
    const opened = await begin();
    const { page } = opened;
    await stepTimes(page, 2);
    const setTheme = (value: 'light' | 'dark') =>
      page.emulateMediaFeatures([
        { name: 'prefers-color-scheme', value },
        { name: 'prefers-reduced-motion', value: 'reduce' },
      ]);
    await setTheme('light');
    await page.waitForFunction(() => window.cellstorm?.frame?.theme.isDark === false);
    await settle(page);
    await expectTruePicture(opened, 'theme-light', ROUNDED);
    const { theme, free } = await describeScenery(page);
    expect(Math.max(...theme.background)).toBeGreaterThan(0.85);
    const pixel = pixelAt(await takePicture(page, 'theme-changed'), free.x + free.width - 4, free.y + 4);
    expect(colourDistance(pixel, theme.background)).toBeLessThanOrEqual(TOLERANCE);
    expect(await page.evaluate(findPoorContrast)).toEqual([]);
    await setTheme('dark');
    await page.waitForFunction(() => window.cellstorm?.frame?.theme.isDark === true);
  });

  browserTest('can be used if the window is low', { tags: 'full' }, async () => {
    const { page } = await begin({ cellLines: true, heatMap: true, contactLines: true });
    await page.setViewport({ width: 844, height: 390 });
    await settle(page);
    expect(await page.evaluate(findUnreachable)).toEqual([]);
    await takePicture(page, 'landscape');
    expect(await keyHeight(page)).toBeLessThan(KEY_CLOSED);
  });

  browserTest(
    'closes its help by a click beside the help, or by a button that stays in view',
    { tags: 'full' },
    async () => {
      const { page } = await begin();
      await page.setViewport({ width: 844, height: 390 });
      await page.keyboard.press('?');
      const closing = await page.$eval('#help', (sheet) => {
        sheet.scrollTop = sheet.scrollHeight;
        const { left, top, width, height } = (
          document.getElementById('help-close') as HTMLElement
        ).getBoundingClientRect();
        const middle = [left + width / 2, top + height / 2] as const;
        return { scrolled: sheet.scrollTop, hit: document.elementFromPoint(...middle)?.id };
      });
      expect(closing).toEqual({ scrolled: expect.toSatisfy((top: number) => top > 100), hit: 'help-close' });
      await page.mouse.click(4, 4);
      expect(await page.$$eval('dialog[open]', (sheets) => sheets.length)).toBe(0);
    },
  );

  browserTest('shows no two parts over the picture that overlap each other', { tags: 'full' }, async () => {
    const { page } = await begin({ cellLines: true, heatMap: true, contactLines: true });
    for (const [width, height] of OVERLAID) {
      await page.setViewport({ width, height });
      await settle(page);
      expect(await page.evaluate(findOverlaps), `${width} × ${height}`).toEqual([]);
    }
  });

  browserTest(
    'keeps meaningful colours and outlines if the system forces its own colours',
    { tags: 'full' },
    async () => {
      const { page } = await begin();
      await toggle(page, 'heatMap', 'contactLines');
      const session = await page.createCDPSession();
      const features = [{ name: 'prefers-reduced-motion', value: 'reduce' }];
      const emulate = (forced: string) =>
        session.send('Emulation.setEmulatedMedia', {
          features: [{ name: 'forced-colors', value: forced }, ...features],
        });
      await emulate('active');
      expect(await page.evaluate(() => matchMedia('(forced-colors: active)').matches)).toBe(true);
      const painted = await page.evaluate(() => {
        const heat = document.querySelector('#overlay-key [data-overlay=heatMap]') as Element;
        const contact = document.querySelector('#overlay-key [data-overlay=contactLines]') as Element;
        return {
          legend: getComputedStyle(document.getElementById('legend-bar') as Element).backgroundImage,
          heat: getComputedStyle(heat, '::before').backgroundImage,
          contact: getComputedStyle(contact, '::before').borderTopColor,
        };
      });
      expect(painted).toEqual({
        legend: expect.stringContaining('gradient'),
        heat: expect.stringContaining('gradient'),
        contact: 'rgb(255, 107, 107)',
      });
      await page.keyboard.press('i');
      await page.waitForSelector('.probe .own');
      expect(await page.$eval('.probe .own', (cell) => getComputedStyle(cell).outlineStyle)).toBe('solid');
      await passFrames(page, 1);
      await takePicture(page, 'forced-colours');
      await emulate('none');
    },
  );
});
