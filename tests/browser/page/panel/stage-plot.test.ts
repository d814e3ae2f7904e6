import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import { browserTest, useBrowser } from '../../../helpers/browser';
import { hideGpu, openPlayground, passFrames, SOME, stepTimes, takePicture, textOf } from '../../playground';

async function stepUntilTimed(page: Page): Promise<void> {
  while (!/\d/.test(await textOf(page, 'stages'))) await stepTimes(page, 1);
}

/** A pass that takes more than this share of the step has a visible band in the plot. */
const SEEN = 0.1;

/** Parses `4.17 ms` or `1.2 s`. `< 0.01 ms` counts as 0. */
function inMs(time: string): number {
  const [, amount = '0', unit] = /^([\d.]+) (m?s)$/.exec(time) ?? [];
  return Number(amount) * (unit === 's' ? 1000 : 1);
}

function stagesOf(page: Page): Promise<{ name: string; time: string; colour: string }[]> {
  return page.$$eval('#stages li', (items) =>
    items.map((item) => {
      const [swatch, name, time] = item.children;
      const colour = swatch instanceof HTMLElement ? swatch.style.background : '';
      return { name: name?.textContent ?? '', time: time?.textContent ?? '', colour };
    }),
  );
}

/** Returns the colours of the middle column, from top to bottom. Successive equal pixels count once. */
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

describe('the times of a step', () => {
  const browser = useBrowser({ serve: 'build' });

  browserTest('are listed and drawn in the order of the stages', { tags: 'full' }, async () => {
    const { page, expectNoProblems } = await openPlayground(browser, {
      count: SOME,
      width: 1280,
      height: 800,
    });
    await stepUntilTimed(page);
    await page.waitForSelector('#stages-plot canvas');
    await page.waitForFunction(() => document.querySelector('#stages-plot canvas')?.clientWidth);
    const stages = await stagesOf(page);
    expect(stages.map(({ name }) => name)).toEqual(['integrate', 'scan', 'scatter', 'gather', 'resolve']);
    for (const { time } of stages) expect(time).toMatch(/^[<\d. ]+ m?s$/);
    expect(await textOf(page, 'stages-clock')).toMatch(/timestamps of the GPU.*; 48 dispatches per step/);
    const colours = stages.map(({ colour }) => colour);
    expect(new Set(colours).size).toBe(5);
    await passFrames(page, 2);
    // Bands have the order of the list. A pass that takes almost no time has no band.
    const bands = (await coloursDown(page, '#stages-plot')).filter((colour) => colours.includes(colour));
    const times = stages.map(({ time }) => inMs(time));
    const sum = times.reduce((total, time) => total + time);
    expect(sum).toBeGreaterThan(0);
    expect(bands).toEqual(
      expect.arrayContaining(colours.filter((_, pass) => (times[pass] ?? 0) > sum * SEEN)),
    );
    expect(bands).toEqual(colours.filter((colour) => bands.includes(colour)));
    await takePicture(page, 'numbers-wide-dark');
    expectNoProblems();
  });

  browserTest(
    "come from the page's clock if there are no timestamps, and the page says so",
    { tags: 'full' },
    async () => {
      const { page, expectNoProblems } = await openPlayground(browser, {
        count: SOME,
        before: () => {
          Object.defineProperty(GPUAdapter.prototype, 'features', { get: () => new Set() });
        },
      });
      await stepUntilTimed(page);
      expect((await stagesOf(page)).map(({ name }) => name)).toEqual(['whole step']);
      expect(await textOf(page, 'stages-clock')).toMatch(/no timestamps.*page's clock/);
      expectNoProblems();
    },
  );

  browserTest('are shown for the stages of the CPU engine on a phone', { tags: 'full' }, async () => {
    const { page, expectNoProblems } = await openPlayground(browser, {
      count: SOME,
      width: 390,
      height: 844,
      isPhone: true,
      theme: 'light',
      before: hideGpu,
    });
    await stepUntilTimed(page);
    await page.$eval('#stages-plot', (plot) => plot.scrollIntoView({ block: 'nearest' }));
    await page.waitForSelector('#stages-plot canvas');
    expect((await stagesOf(page)).map(({ name }) => name)).toEqual(['integrate', 'sort', 'resolve']);
    await takePicture(page, 'numbers-phone-light');
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await passFrames(page, 3);
    const { plot, canvas } = await page.$eval('#stages-plot', (holder) => ({
      plot: holder.clientHeight,
      canvas: holder.querySelector('canvas')?.clientHeight,
    }));
    expect(canvas, 'the chart in the other theme is as high as its holder').toBe(plot);
    expectNoProblems();
  });
});
