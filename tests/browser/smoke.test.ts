import { describe, expect } from 'vitest';
import { BLANK_PAGE } from '../../scripts/browser';
import { screenshotCanvas } from '../../src/testing/pictures';
import { browserTest, useBrowser } from '../helpers/browser';

const MODULE = 'tests/browser/pages/smoke.ts';
const SIZE = 64;
const ORANGE = [1, 0.6, 0.2] as const;

describe('the browser', () => {
  const browser = useBrowser();

  browserTest('has an adapter', async () => {
    const { call, expectNoProblems } = await browser.openPage(BLANK_PAGE);
    expect(await call(MODULE, 'describeAdapter')).toMatchObject({ vendor: expect.any(String) });
    expectNoProblems();
  });

  browserTest('paints a canvas', async () => {
    const { page, call, expectNoProblems } = await browser.openPage(BLANK_PAGE);
    await call(MODULE, 'paintCanvas', SIZE, ORANGE);
    const { width, height, data } = await screenshotCanvas(page);
    expect([width, height]).toEqual([SIZE, SIZE]);
    const middle = (SIZE / 2) * (SIZE + 1) * 4;
    const colour = [...data.slice(middle, middle + 3)];
    ORANGE.forEach((share, channel) => {
      expect(Math.abs((colour[channel] ?? -1) - share * 255)).toBeLessThanOrEqual(2);
    });
    expectNoProblems();
  });

  browserTest('reports an uncaught GPU error', async () => {
    const { call, problems } = await browser.openPage(BLANK_PAGE);
    await call(MODULE, 'misuseGpu');
    await expect.poll(() => problems.join('\n'), { timeout: 60_000 }).toMatch(/usage|validation|invalid/i);
  });

  browserTest('reports a missing file', async () => {
    const { page, problems } = await browser.openPage(BLANK_PAGE);
    await page.evaluate(() => fetch('/missing.json'));
    await expect.poll(() => problems.join('\n'), { timeout: 60_000 }).toMatch(/status 404|missing\.json/);
  });
});
