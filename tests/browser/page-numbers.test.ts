/** The numbers of the page: distance tests, the time of each pass, and how both broad phases grow with the number of particles. */
import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import type { Measures } from '../../src/core/simulation/simulation';
import { browserTest, useBrowser } from '../helpers/browser';
import { openPlayground, SOME, settle, stepTimes, takePicture, textOf } from './playground';

interface Devices {
  /** Of the test: all devices that the page has asked for. */
  devices?: GPUDevice[];
}

/** Steps one by one until so many have been timed. */
async function timeSteps(page: Page, samples: number): Promise<void> {
  for (let sample = 0; sample < samples; sample++) {
    await new Promise((done) => setTimeout(done, 520));
    await stepTimes(page, 1);
  }
  await page.waitForFunction(() => /\d/.test(document.querySelector('#stages')?.textContent ?? ''));
}

/** Of a step: the share of a pass whose band is certain to be some pixels high. */
const SEEN = 0.1;

/** Of a time as the list has it, `4.17 ms` or `1.2 s`; one below what is shown counts as nothing. */
function inMs(time: string): number {
  const [, amount = '0', unit] = /^([\d.]+) (m?s)$/.exec(time) ?? [];
  return Number(amount) * (unit === 's' ? 1000 : 1);
}

/** Names and times of the list beside the plot. */
function stagesOf(page: Page): Promise<{ name: string; time: string; colour: string }[]> {
  return page.$$eval('#stages li', (items) =>
    items.map((item) => {
      const [swatch, name, time] = item.children;
      const colour = swatch instanceof HTMLElement ? swatch.style.background : '';
      return { name: name?.textContent ?? '', time: time?.textContent ?? '', colour };
    }),
  );
}

/** Colours of a plot's canvas from top to bottom in the column in the middle, each once for each run of it. */
function coloursDown(page: Page, plot: string): Promise<string[]> {
  return page.$eval(`${plot} canvas`, (canvas) => {
    const { width, height } = canvas as HTMLCanvasElement;
    const data = (canvas as HTMLCanvasElement)
      .getContext('2d')
      ?.getImageData(Math.floor(width / 2), 0, 1, height).data;
    const colours: string[] = [];
    for (let at = 0; data && at < data.length; at += 4) {
      const colour = `rgb(${data[at]}, ${data[at + 1]}, ${data[at + 2]})`;
      if (colour !== colours.at(-1)) colours.push(colour);
    }
    return colours;
  });
}

/** Of the columns in the middle of a plot's canvas, the share that has each of these colours of the theme somewhere. */
function sharesOfColumns(page: Page, plot: string, names: readonly string[]): Promise<number[]> {
  return page.$eval(
    `${plot} canvas`,
    (canvas, wanted) => {
      const { width, height } = canvas as HTMLCanvasElement;
      const data = (canvas as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height).data;
      const style = getComputedStyle(document.documentElement);
      return wanted.map((name) => {
        const colour = style.getPropertyValue(name).trim();
        const channels = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
        const columns = new Set<number>();
        // Beside axis and names.
        const [first, last] = [Math.ceil(0.2 * width), Math.floor(0.6 * width)];
        for (let at = 0; data && at < data.length; at += 4) {
          const isNear = channels.every((channel, index) => Math.abs(channel - (data[at + index] ?? 0)) < 40);
          const column = (at / 4) % width;
          if (isNear && (data[at + 3] ?? 0) > 200 && column >= first && column < last) columns.add(column);
        }
        return columns.size / (last - first);
      });
    },
    names as string[],
  );
}

/** Both curves are there: the grid's drawn through, that of naive dashed. */
async function expectCurves(page: Page): Promise<void> {
  const [grid, naive] = await sharesOfColumns(page, '#scale-plot', ['--accent', '--text']);
  expect(grid).toBeGreaterThan(0.9);
  expect(naive).toBeGreaterThan(0.35);
}

/** Sizes of the table, and whether naive was measured. */
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

  browserTest('tell the tests and the passes of a step, and how it grows, on the GPU', async () => {
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
    // A single sample is a picture already.
    await timeSteps(page, 1);
    await page.waitForSelector('#stages-plot canvas');
    await page.waitForFunction(() => document.querySelector('#stages-plot canvas')?.clientWidth);
    const listed = await stagesOf(page);
    const colours = listed.map(({ colour }) => colour);
    expect(new Set(colours).size).toBe(5);
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    // A pass that takes next to nothing has no band; the others are one below the other as in the list. How long each took is
    // chance.
    const bands = (await coloursDown(page, '#stages-plot')).filter((colour) => colours.includes(colour));
    const times = listed.map(({ time }) => inMs(time));
    const sum = times.reduce((total, time) => total + time);
    expect(sum).toBeGreaterThan(0);
    expect(bands).toEqual(expect.arrayContaining(colours.filter((_, of) => (times[of] ?? 0) > sum * SEEN)));
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

    // The visitor's run stands still meanwhile, and is as it was afterwards.
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

    // A device that is lost takes only the sweep along.
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

  browserTest('do without timestamps, and say so', async () => {
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

  browserTest('fit a phone, and tell of the CPU engine', async () => {
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
    // Asked for once more while it is loaded, it is one sheet and one sweep.
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
    // Naive has three sizes by then, which a growth takes.
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
