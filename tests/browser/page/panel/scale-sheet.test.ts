/**
 * Tests the page's numbers: distance tests, the time of each pass, and how both broad phases scale with the particle
 * count.
 */
import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import type { Measures } from '../../src/core/simulation/simulation';
import { browserTest, useBrowser } from '../helpers/browser';
import { openPlayground, SOME, settle, stepTimes, takePicture, textOf } from './playground';

interface Devices {
  /** Set by the test: all devices that the page has requested. */
  devices?: GPUDevice[];
}

/** Takes single steps, far enough apart that each is timed. */
async function timeSteps(page: Page, samples: number): Promise<void> {
  for (let sample = 0; sample < samples; sample++) {
    await new Promise((done) => setTimeout(done, 520));
    await stepTimes(page, 1);
  }
  await page.waitForFunction(() => /\d/.test(document.querySelector('#stages')?.textContent ?? ''));
}

/** Share of a step's time. The band of a pass that takes more is certainly some pixels high. */
const SEEN = 0.1;

/** Parses a time from the list, such as `4.17 ms` or `1.2 s`. A time like `< 0.01 ms` counts as 0. */
function inMs(time: string): number {
  const [, amount = '0', unit] = /^([\d.]+) (m?s)$/.exec(time) ?? [];
  return Number(amount) * (unit === 's' ? 1000 : 1);
}

/** Returns names, times and colours from the list beside the plot. */
function stagesOf(page: Page): Promise<{ name: string; time: string; colour: string }[]> {
  return page.$$eval('#stages li', (items) =>
    items.map((item) => {
      const [swatch, name, time] = item.children;
      const colour = swatch instanceof HTMLElement ? swatch.style.background : '';
      return { name: name?.textContent ?? '', time: time?.textContent ?? '', colour };
    }),
  );
}

/** Returns the colours in the middle column of a plot's canvas, from top to bottom, without repetitions. */
function coloursDown(page: Page, plot: string): Promise<string[]> {
  return page.$eval(`${plot} canvas`, (canvas) => {
    const { width, height } = canvas as HTMLCanvasElement;
    const data = (canvas as HTMLCanvasElement)
      .getContext('2d')
      ?.getImageData(Math.floor(width / 2), 0, 1, height).data;
    const colours: string[] = [];
    for (let start = 0; data && start < data.length; start += 4) {
      const colour = `rgb(${data[start]}, ${data[start + 1]}, ${data[start + 2]})`;
      if (colour !== colours.at(-1)) colours.push(colour);
    }
    return colours;
  });
}

/** Returns for each of these theme colours the share of the middle columns of a plot's canvas that contain it. */
function sharesOfColumns(page: Page, plot: string, names: readonly string[]): Promise<number[]> {
  return page.$eval(
    `${plot} canvas`,
    (canvas, wanted) => {
      const { width, height } = canvas as HTMLCanvasElement;
      const data = (canvas as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height).data;
      const style = getComputedStyle(document.documentElement);
      return wanted.map((name) => {
        const colour = style.getPropertyValue(name).trim();
        const channels = [1, 3, 5].map((digit) => Number.parseInt(colour.slice(digit, digit + 2), 16));
        const columns = new Set<number>();
        // Only columns without the axis and the names.
        const [first, last] = [Math.ceil(0.2 * width), Math.floor(0.6 * width)];
        for (let start = 0; data && start < data.length; start += 4) {
          const isNear = channels.every(
            (channel, index) => Math.abs(channel - (data[start + index] ?? 0)) < 40,
          );
          const column = (start / 4) % width;
          if (isNear && (data[start + 3] ?? 0) > 200 && column >= first && column < last) columns.add(column);
        }
        return columns.size / (last - first);
      });
    },
    names as string[],
  );
}

/** Expects both curves: a solid one of the grid and a dashed one of naive. */
async function expectCurves(page: Page): Promise<void> {
  const [grid, naive] = await sharesOfColumns(page, '#scale-plot', ['--accent', '--text']);
  expect(grid).toBeGreaterThan(0.9);
  expect(naive).toBeGreaterThan(0.35);
}

/** Returns the texts of the table, row by row. */
function rowsOf(page: Page): Promise<string[][]> {
  return page.$$eval('#scale-rows tr', (rows) =>
    rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')),
  );
}

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

describe('the numbers of the page', () => {
  const browser = useBrowser({ serve: 'build' });

  browserTest('show distance tests and passes of a step, and a sweep over counts, on the GPU', async () => {
    const { page, expectNoProblems } = await openPlayground(browser, {
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
    });
    // The plot appears after a single sample.
    await timeSteps(page, 1);
    await page.waitForSelector('#stages-plot canvas');
    await page.waitForFunction(() => document.querySelector('#stages-plot canvas')?.clientWidth);
    const listed = await stagesOf(page);
    const colours = listed.map(({ colour }) => colour);
    expect(new Set(colours).size).toBe(5);
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    // Bands lie below each other in the order of the list. A pass that takes almost no time has no band. The times
    // themselves vary.
    const bands = (await coloursDown(page, '#stages-plot')).filter((colour) => colours.includes(colour));
    const times = listed.map(({ time }) => inMs(time));
    const sum = times.reduce((total, time) => total + time);
    expect(sum).toBeGreaterThan(0);
    expect(bands).toEqual(
      expect.arrayContaining(colours.filter((_, pass) => (times[pass] ?? 0) > sum * SEEN)),
    );
    expect(bands).toEqual(colours.filter((colour) => bands.includes(colour)));
    await timeSteps(page, 1);
    await takePicture(page, 'numbers-wide-dark');
    const { expected, hash } = await page.evaluate(() => {
      const { candidates = 0, count = 0, hash } = (window.cellstorm?.measures ?? {}) as Partial<Measures>;
      const { substeps = 0 } = window.cellstorm?.simulation?.settings ?? {};
      return { expected: (2 * candidates + count) * substeps, hash };
    });
    expect(expected).toBeGreaterThan(8 * SOME);
    expect(Number((await textOf(page, 'checks')).replaceAll(',', ''))).toBe(expected);
    expect(await textOf(page, 'checks-hint')).toMatch(/from both sides.*8 substeps\./);
    const stages = await stagesOf(page);
    expect(stages.map(({ name }) => name)).toEqual(['integrate', 'scan', 'scatter', 'gather', 'resolve']);
    for (const { time } of stages) expect(time).toMatch(/^[<\d. ]+ m?s$/);
    expect(await textOf(page, 'stages-clock')).toMatch(/timestamps of the GPU/);

    // The visitor's run pauses during the sweep and continues unchanged afterwards.
    await page.click('#play');
    await page.click('#scale-open');
    await waitForRows(page, 1);
    const standing = await page.evaluate(() => window.cellstorm?.simulation?.time);
    await waitForRows(page, 2);
    expect(await page.evaluate(() => window.cellstorm?.simulation?.time)).toBe(standing);
    await takePicture(page, 'scale-wide-dark');
    await page.click('#scale-again');
    await page.waitForFunction(() =>
      /Cancelled/.test(document.querySelector('#scale-status')?.textContent ?? ''),
    );
    const rows = await rowsOf(page);
    expect(rows.slice(0, 2).map(([size, pairs]) => [size, pairs])).toEqual([
      ['100', '4,950'],
      ['300', '44,850'],
    ]);
    expect(rows[0]?.slice(2).every((text) => /^[×\d][\d., ]*( ms)?$/.test(text))).toBe(true);
    expect(await textOf(page, 'scale-words')).toMatch(/grid/i);
    expect(await textOf(page, 'scale-about')).toMatch(/Pile in 2D on a software GPU, 8 substeps per step/);
    expect(await textOf(page, 'scale-method')).toMatch(/timestamps of the GPU/);
    await page.waitForFunction(
      (time) => (window.cellstorm?.simulation?.time ?? 0) > (time ?? 0),
      {},
      standing,
    );

    // Losing the sweep's device ends only the sweep.
    await page.click('#scale-again');
    await waitForRows(page, 1);
    await page.evaluate(() => (window as Devices).devices?.at(-1)?.destroy());
    await page.waitForFunction(() => /lost/.test(document.querySelector('#scale-status')?.textContent ?? ''));
    expect((await rowsOf(page)).length).toBeGreaterThan(0);
    await page.keyboard.press('Escape');
    await page.click('#play');
    await settle(page);
    expect(await textOf(page, 'engine-note')).toBe('');
    await stepTimes(page, 1);
    expect(await page.evaluate(() => window.cellstorm?.measures?.hash)).not.toBe(hash);
    expectNoProblems();
  });

  browserTest("use the page's clock without timestamps, and say so", async () => {
    const { page, expectNoProblems } = await openPlayground(browser, {
      count: SOME,
      before: () => {
        Object.defineProperty(GPUAdapter.prototype, 'features', { get: () => new Set() });
      },
    });
    await timeSteps(page, 1);
    expect((await stagesOf(page)).map(({ name }) => name)).toEqual(['whole step']);
    expect(await textOf(page, 'stages-clock')).toMatch(/no timestamps.*page's clock/);
    expectNoProblems();
  });

  browserTest('fit a phone, and cover the CPU engine', async () => {
    const { page, expectNoProblems } = await openPlayground(browser, {
      count: SOME,
      width: 390,
      height: 844,
      isPhone: true,
      theme: 'light',
      before: () => Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined }),
    });
    await timeSteps(page, 2);
    await page.$eval('#scale-open', (button) => button.scrollIntoView({ block: 'nearest' }));
    await page.waitForSelector('#stages-plot canvas');
    expect((await stagesOf(page)).map(({ name }) => name)).toEqual(['integrate', 'sort', 'resolve']);
    await takePicture(page, 'numbers-phone-light');
    // Two clicks while the sheet loads open one sheet and start one sweep.
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
    // By then naive has three sizes, enough to fit a growth rate.
    await waitForRows(page, 4);
    await page.$eval('#scale-again', (button) => {
      if (button.textContent === 'Cancel') (button as HTMLButtonElement).click();
    });
    await page.waitForFunction(() =>
      /Cancelled|Done/.test(document.querySelector('#scale-status')?.textContent ?? ''),
    );
    expect(await textOf(page, 'scale-about')).toMatch(/Pile in 2D on the CPU engine/);
    expect(await textOf(page, 'scale-words')).toMatch(
      /Grid grows like N\^\d\.\d\d.*Naive grows like N\^\d\.\d\d/,
    );
    await expectCurves(page);
    await expectNoOverflow(page, '#scale');
    await takePicture(page, 'scale-phone-light');
    expectNoProblems();
  });
});
