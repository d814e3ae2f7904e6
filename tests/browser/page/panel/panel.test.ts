import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import { defaultChoices, simulationOptions } from '../../../../src/page/model/choices';
import type { Choices, FieldName } from '../../../../src/page/model/fields';
import { readLink } from '../../../../src/page/session/link';
import { formatCount } from '../../../../src/page/support/format';
import { browserTest, useBrowser } from '../../../helpers/browser';
import {
  arrange,
  chooseOption,
  FEW,
  openPlayground,
  settle,
  shownValue,
  stepTimes,
  switchesOf,
  textOf,
  typeCount,
  typeNumber,
  unfold,
} from '../../playground';

const NAIVE = 'Naive: all pairs';

const countOf = (page: Page) => page.evaluate(() => window.cellstorm?.simulation?.count);

const TYPED: Partial<Record<FieldName, number>> = {
  spread: 4,
  size: 0.5,
  boxWidth: 2,
  seed: 7,
  gravity: 5,
  restitution: 0.5,
  friction: 0.25,
  substeps: 3,
  cellSize: 2.5,
  timeScale: 0.5,
  brush: 7,
};

describe('the controls', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) => openPlayground(opener, { query: '?v=1&count=100&engine=cpu' }));

  browserTest('warn if radii differ too much for the substeps', { tags: 'full' }, async () => {
    const { page } = await open();
    await arrange(page, { scene: 'pile', dimensions: 3 });
    await typeNumber(page, 'spread', 64);
    expect(await textOf(page, 'notice')).toMatch(
      /^The largest radius is 64 times the smallest\. With 8 substeps .* Set Substeps to \d+\.$/,
    );
    await typeNumber(page, 'spread', 4);
    expect(await textOf(page, 'notice')).toBe('');
  });

  for (const engine of ['cpu', 'gpu'] as const) {
    browserTest(
      `set the run and the picture, and appear in the address (${engine})`,
      { tags: 'full' },
      async () => {
        const { page } = await open();
        await arrange(page, { engine, broadPhase: 'naive', dimensions: 3 });
        for (const [field, value] of Object.entries(TYPED)) await typeNumber(page, field, value);
        for (const [field, label] of [
          ['colour', 'Id'],
          ['pointer', 'Pull particles'],
          ['appearance', 'Light'],
        ] as const) {
          await chooseOption(page, field, label);
        }
        const usual = defaultChoices('pile', 3);
        const switched = switchesOf({ ...usual, spread: 4, engine });
        for (const name of switched) {
          await page.$eval(`#${name}`, (input) => (input as HTMLElement).click());
          await settle(page);
        }
        await stepTimes(page, 1);
        const got = await page.evaluate(async () => {
          const { simulation, frame } = window.cellstorm ?? {};
          const { radii = [] } = (await simulation?.read()) ?? {};
          const { settings, time, dimensions, count } = simulation ?? {};
          const panel = getComputedStyle(document.documentElement).getPropertyValue('--panel');
          const { scale, theme } = frame ?? {};
          const look = { by: scale?.by, isDark: theme?.isDark, panel };
          return { settings, time, dimensions, count, radii: Array.from(radii), look };
        });
        expect(got.settings).toMatchObject({
          gravity: [0, -5, 0],
          restitution: 0.5,
          friction: 0.25,
          substeps: 3,
          broadPhase: 'naive',
        });
        expect(got.time).toBeCloseTo(0.5 / 60, 9);
        expect([got.dimensions, got.count]).toEqual([3, FEW]);
        expect(got.look).toEqual({
          by: 'id',
          isDark: false,
          panel: expect.stringMatching(/^#(fff|ffffff)$/),
        });
        const expected = {
          ...usual,
          count: FEW,
          ...TYPED,
          colour: 'id',
          engine,
          broadPhase: 'naive',
          pointer: 'pull',
          ...Object.fromEntries(switched.map((name) => [name, !usual[name]])),
        } as Choices;
        expect(got.radii).toEqual(Array.from(simulationOptions(expected, FEW).radii ?? []));
        const address = new URL(page.url());
        expect(readLink(address.search)).toEqual(expected);
        // The visitor's appearance is not part of the link.
        expect(address.searchParams.has('appearance')).toBe(false);
        await chooseOption(page, 'appearance', 'System');
      },
    );
  }

  browserTest('refuse counts that are not whole numbers in the range, and keep the last count', async () => {
    const { page } = await open();
    await arrange(page, { engine: 'cpu', count: 401 });
    for (const wrong of ['1', '-5', '1.5', '99999999999']) {
      await typeCount(page, wrong);
      expect(await textOf(page, 'notice')).toMatch(/whole number from 2 to 100,000,000\./);
      expect(await countOf(page)).toBe(401);
      expect(await shownValue(page, 'count')).toBe('401');
    }
  });

  browserTest('set the smallest number of particles at the start of the slider', async () => {
    const { page } = await open();
    await arrange(page, { engine: 'cpu', count: 401 });
    await page.focus('#count-slider');
    await page.keyboard.press('Home');
    await settle(page);
    expect(await countOf(page)).toBe(2);
    expect(await textOf(page, 'particles')).toBe('2');
  });

  browserTest('are disabled if the scene sets their value, and give the reason', async () => {
    const { page } = await open();
    await arrange(page, { engine: 'cpu', scene: 'crates' });
    await unfold(page, 'spread');
    const reason = await page.$eval('#spread', (input) => {
      const note = document.getElementById(input.getAttribute('aria-describedby') ?? '');
      return {
        isDisabled: (input as HTMLInputElement).disabled,
        text: note?.textContent,
        height: note?.offsetHeight,
      };
    });
    expect(reason).toEqual({
      isDisabled: true,
      text: 'This scene has radii of its own.',
      height: expect.toSatisfy((height: number) => height > 10),
    });
  });
});

describe('the number of particles', () => {
  const browser = useBrowser({ serve: 'build' });

  browserTest(
    'is limited for the naive broad phase, and the grid restores it',
    { tags: 'full' },
    async () => {
      const { page, expectNoProblems } = await openPlayground(browser, { count: 4001 });
      expect(await countOf(page)).toBe(4001);
      await chooseOption(page, 'broadPhase', NAIVE);
      expect(await textOf(page, 'notice')).toMatch(/every pair.*limit.*grid allows more/);
      expect(await countOf(page)).toBe(3000);
      await chooseOption(page, 'broadPhase', 'Grid');
      expect(await countOf(page)).toBe(4001);
      expect(await textOf(page, 'notice')).toBe('');
      expectNoProblems();
    },
  );

  browserTest(
    'is reduced until it fits on the device, and the page says to which number',
    { tags: 'full' },
    async () => {
      const { page, expectNoProblems } = await openPlayground(browser, {
        count: 90_000_000,
        before: () => {
          const limits = Object.getOwnPropertyDescriptor(GPUAdapter.prototype, 'limits')?.get;
          Object.defineProperty(GPUAdapter.prototype, 'limits', {
            get() {
              return new Proxy(limits?.call(this), {
                get: (target, name) =>
                  /^max(StorageBufferBinding|Buffer)Size$/.test(String(name)) ? 2 ** 16 : target[name],
              });
            },
          });
        },
      });
      const read = () =>
        page.evaluate(() => {
          const { count = 0, backend } = window.cellstorm?.simulation ?? {};
          const shown = Number((document.querySelector('#count') as HTMLInputElement).value);
          return { count, backend, shown, inLink: new URLSearchParams(location.search).get('count') };
        });
      const first = await read();
      expect(first.backend).toBe('gpu');
      expect(first.count).toBeGreaterThan(1000);
      expect(first).toMatchObject({ shown: first.count, inLink: String(first.count) });
      const fit = new RegExp(
        `cannot hold .* maxStorageBufferBindingSize\\), so it starts with ${formatCount(first.count)}\\.`,
      );
      expect(await textOf(page, 'notice')).toMatch(fit);
      expect(await textOf(page, 'engine-note')).toBe('');
      await page.focus('#count-slider');
      await page.keyboard.press('End');
      await settle(page);
      const last = await read();
      expect(last.backend).toBe('gpu');
      expect(last.count).toBeGreaterThan(1000);
      expect(last.count).toBeLessThan(20_000);
      await typeCount(page, 1_000_000);
      expect(await textOf(page, 'notice')).toMatch(
        /^At most [\d,]+ particles run\. The processor emulates the GPU here\./,
      );
      expectNoProblems();
    },
  );
});
