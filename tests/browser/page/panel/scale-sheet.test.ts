import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import { browserTest, useBrowser } from '../../../helpers/browser';
import {
  arrange,
  hideGpu,
  isOpen,
  openPlayground,
  SOME,
  settle,
  stepTimes,
  takePicture,
  textOf,
  waitForText,
} from '../../playground';

interface Devices {
  devices?: GPUDevice[];
}

/** Returns, per list of theme colours, the share of a plot's middle columns that contain a colour of the list. */
function sharesOfColumns(page: Page, plot: string, lists: readonly (readonly string[])[]): Promise<number[]> {
  return page.$eval(
    `${plot} canvas`,
    (canvas, wanted) => {
      const { width, height } = canvas as HTMLCanvasElement;
      const data = (canvas as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height).data;
      const style = getComputedStyle(document.documentElement);
      return wanted.map((names) => {
        const colours = names.map((name) => {
          const colour = style.getPropertyValue(name).trim();
          return [1, 3, 5].map((digit) => Number.parseInt(colour.slice(digit, digit + 2), 16));
        });
        const columns = new Set<number>();
        // Leave out the columns of the axis and of the names.
        const [first, last] = [Math.ceil(0.2 * width), Math.floor(0.6 * width)];
        for (let start = 0; data && start < data.length; start += 4) {
          const isNear = colours.some((channels) =>
            channels.every((channel, index) => Math.abs(channel - (data[start + index] ?? 0)) < 40),
          );
          const column = (start / 4) % width;
          if (isNear && (data[start + 3] ?? 0) > 200 && column >= first && column < last) columns.add(column);
        }
        return columns.size / (last - first);
      });
    },
    lists,
  );
}

/** Expects a curve of each broad phase. The naive curve may cover that of the grid where both take equally long. */
async function expectCurves(page: Page, plot = '#scale-plot'): Promise<void> {
  const lists = [['--accent'], ['--text'], ['--accent', '--text']];
  const [grid, naive, either] = await sharesOfColumns(page, plot, lists);
  expect(either).toBeGreaterThan(0.9);
  expect(grid).toBeGreaterThan(0.35);
  expect(naive).toBeGreaterThan(0.35);
}

function tableOf(page: Page, rows: string): Promise<string[][]> {
  return page.$$eval(rows, (found) =>
    found.map((row) => [...row.children].map((cell) => cell.textContent ?? '')),
  );
}

const rowsOf = (page: Page) => tableOf(page, '#scale-rows tr');

async function waitForRows(page: Page, rows: number): Promise<void> {
  await page.waitForFunction(
    (least) => document.querySelectorAll('#scale-rows tr').length >= least,
    {},
    rows,
  );
}

async function expectNoOverflow(page: Page, selector: string): Promise<void> {
  const beyond = await page.$eval(selector, (sheet) => {
    const { left, right } = sheet.getBoundingClientRect();
    return Math.max(right - innerWidth, -left, sheet.scrollWidth - sheet.clientWidth);
  });
  expect(beyond).toBeLessThanOrEqual(0);
}

async function openSheet(page: Page): Promise<void> {
  await page.$eval('#scale-open', (button) => (button as HTMLButtonElement).click());
  await page.waitForSelector('#scale[open]');
}

async function cancel(page: Page): Promise<void> {
  await page.$eval('#scale-again', (button) => {
    if (button.textContent === 'Cancel') (button as HTMLButtonElement).click();
  });
  await waitForText(page, 'scale-status', /Cancelled|Done/);
}

const timeOf = (page: Page) => page.evaluate(() => window.cellstorm?.simulation?.time ?? -1);

describe('a sweep on the GPU', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) =>
    openPlayground(opener, {
      count: SOME,
      width: 1280,
      height: 800,
      before: () => {
        const { requestDevice } = GPUAdapter.prototype;
        const devices: GPUDevice[] = [];
        (window as Devices).devices = devices;
        GPUAdapter.prototype.requestDevice = async function (descriptor) {
          const device = await requestDevice.call(this, descriptor);
          devices.push(device);
          return device;
        };
      },
    }),
  );

  browserTest(
    'pauses the run of the visitor, which goes on when the sweep is cancelled',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      await arrange(page, { count: SOME });
      await page.click('#play');
      await openSheet(page);
      await waitForRows(page, 1);
      const standing = await timeOf(page);
      await waitForRows(page, 2);
      expect(await timeOf(page)).toBe(standing);
      await takePicture(page, 'scale-wide-dark');
      await cancel(page);
      const rows = await rowsOf(page);
      expect(rows.slice(0, 2).map(([size, , pairs]) => [size, pairs])).toEqual([
        ['2', '1'],
        ['10', '45'],
      ]);
      for (const [, tests, pairs] of rows.slice(0, 2))
        expect(Number(tests)).toBeLessThanOrEqual(Number(pairs));
      expect(rows[0]?.slice(3).every((text) => /^[×\d][\d., ]*( ms)?$/.test(text))).toBe(true);
      expect(await textOf(page, 'scale-words')).toMatch(/grid/i);
      expect(await tableOf(page, '#classic-table tbody tr')).toEqual([
        ['100', '4,950', '820', '6.0'],
        ['1,000', '499,500', '8,612', '58'],
        ['10,000', '49,995,000', '88,480', '565'],
      ]);
      expect(await textOf(page, 'classic-memory')).toMatch(
        /134 MB with an entry per cell, but 0\.2 MB with a hash table/,
      );
      expect(await textOf(page, 'scale-about')).toMatch(/Pile in 2D on a software GPU, 8 substeps per step/);
      expect(await textOf(page, 'scale-method')).toMatch(/timestamps of the GPU/);
      await page.waitForFunction((time) => (window.cellstorm?.simulation?.time ?? 0) > time, {}, standing);
    },
  );

  browserTest(
    'ends if its device is lost, but the run of the visitor goes on',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      await arrange(page, { count: SOME });
      const hash = await textOf(page, 'hash');
      await openSheet(page);
      await waitForRows(page, 1);
      await page.evaluate(() => (window as Devices).devices?.at(-1)?.destroy());
      await waitForText(page, 'scale-status', /lost/);
      expect((await rowsOf(page)).length).toBeGreaterThan(0);
      await page.keyboard.press('Escape');
      await settle(page);
      expect(await isOpen(page, 'scale')).toBe(false);
      expect(await textOf(page, 'engine-note')).toBe('');
      await stepTimes(page, 1);
      expect(await textOf(page, 'hash')).not.toBe(hash);
    },
  );
});

describe('a sweep on the CPU engine', () => {
  const browser = useBrowser({ serve: 'build' });

  browserTest(
    'starts only once after two clicks, fits a phone, and says how the times of both broad phases grow',
    { tags: 'full' },
    async () => {
      const { page, expectNoProblems } = await openPlayground(browser, {
        count: SOME,
        width: 390,
        height: 844,
        isPhone: true,
        theme: 'light',
        before: hideGpu,
      });
      await page.$eval('#scale-open', (button) => {
        const { showModal } = HTMLDialogElement.prototype;
        HTMLDialogElement.prototype.showModal = function opened() {
          this.dataset.opened = `${this.dataset.opened ?? ''}.`;
          showModal.call(this);
        };
        for (let press = 0; press < 2; press++) (button as HTMLButtonElement).click();
      });
      await page.waitForSelector('#scale[open]');
      expect(await page.$eval('#scale', (sheet) => (sheet as HTMLElement).dataset.opened)).toBe('.');
      // By then naive has six sizes, enough to fit a growth rate.
      await waitForRows(page, 7);
      await cancel(page);
      expect(await textOf(page, 'scale-about')).toMatch(/Pile in 2D on the CPU engine/);
      const [, tests, pairs] = (await rowsOf(page)).find(([size]) => size === '300') ?? [];
      expect(pairs).toBe('44,850');
      expect(Number(tests?.replace(',', ''))).toBeLessThan(44_850 / 10);
      expect(await textOf(page, 'scale-words')).toMatch(
        /the grid has [\d,]+ candidates, [\d.]+ per particle/,
      );
      expect(await textOf(page, 'scale-words')).toMatch(
        /Grid grows like N\^-?\d\.\d\d.*Naive grows like N\^-?\d\.\d\d/,
      );
      const work = (await tableOf(page, '#scale-work tbody tr')).find(([size]) => size === '300') ?? [];
      expect(work[1]).toBe(tests);
      expect(Number(work[2])).toBeCloseTo(Number(tests?.replace(',', '')) / 300, 1);
      expect(work[3]).toMatch(/^[\d.]+%$/);
      expect(work[4]).toMatch(/^[\d.]+ kB$/);
      await expectCurves(page);
      await expectCurves(page, '#scale-plot ~ .plot');
      await expectNoOverflow(page, '#scale');
      await takePicture(page, 'scale-phone-light');
      expectNoProblems();
    },
  );
});
