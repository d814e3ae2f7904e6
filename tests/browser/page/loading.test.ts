import type { HTTPRequest, Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import { browserTest, useBrowser } from '../../helpers/browser';
import {
  arrange,
  describeScenery,
  FEW,
  hideGpu,
  loseDevice,
  openPlayground,
  passFrames,
  settle,
  stepTimes,
  takePicture,
  textOf,
  waitForText,
} from '../playground';

type Fate = (request: HTTPRequest) => void;

/** Each fate handles the requests for addresses that end with its key. All other requests continue. */
async function interceptRequests(page: Page, fates: Map<string, Fate>): Promise<void> {
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    const [path = ''] = request.url().split('?');
    const fate = [...fates].find(([end]) => path.endsWith(end))?.[1];
    if (fate) fate(request);
    else request.continue();
  });
}

function holdBack(): { readonly fate: Fate; release(): void } {
  const held: HTTPRequest[] = [];
  return {
    fate: (request) => held.push(request),
    release: () => {
      for (const request of held.splice(0)) request.continue();
    },
  };
}

const signOf = (page: Page) =>
  page.$eval('#waiting', (element) => {
    const { animationName, content } = getComputedStyle(element, '::before');
    const { width, height } = element.getBoundingClientRect();
    const cursor = getComputedStyle(document.querySelector('#stage') as Element).cursor;
    return { animationName, content, cursor, width, height, role: element.role };
  });

const TOOLS = '/src/page/tools/tools.ts';
const CHART = '/src/page/panel/chart.ts';

describe('the page', () => {
  const browser = useBrowser();

  browserTest(
    'runs nothing if the GPU is lost and the CPU engine fails to load, and tries again after Reset',
    { tags: 'full' },
    async () => {
      const { page } = await openPlayground(browser, {
        query: '?v=1&count=100&scene=gas',
        theme: 'light',
      });
      const fates = new Map<string, Fate>([
        ['/src/page/engines/cpu-engine.ts', (request) => request.abort()],
      ]);
      await interceptRequests(page, fates);
      for (let loss = 1; loss <= 3; loss++) {
        await loseDevice(page);
        await settle(page);
      }
      expect(await textOf(page, 'notice')).toMatch(/\. Nothing runs now; Reset tries again\.$/);
      expect(await textOf(page, 'badge')).toBe('nothing runs');
      expect(await page.evaluate(() => window.cellstorm?.simulation === undefined)).toBe(true);
      await takePicture(page, 'nothing-runs');
      // Chrome holds back the requests of workers, too, but Puppeteer does not continue them.
      page.removeAllListeners('request');
      await page.setRequestInterception(false);
      await page.$eval('#engine-note', (note) => note.replaceChildren());
      await page.click('#reset');
      await settle(page);
      expect(await textOf(page, 'badge')).toBe('CPU engine');
      expect(await textOf(page, 'notice')).toBe('');
      expect(await textOf(page, 'engine-note')).toMatch(/^The GPU was lost 3 times .* The CPU engine runs/);
      await stepTimes(page, 1);
      expect(await page.evaluate(() => window.cellstorm?.simulation?.time)).toBeCloseTo(1 / 60, 6);
    },
  );

  browserTest(
    'says that it waits for a part, without animation if the system asks for less motion',
    { tags: 'full' },
    async () => {
      const { page } = await openPlayground(browser, { count: FEW, before: hideGpu });
      expect(await textOf(page, 'waiting')).toBe('');
      const tools = holdBack();
      await interceptRequests(page, new Map([[TOOLS, tools.fate]]));
      await page.select('#pointer', 'Push particles');
      await waitForText(page, 'waiting', /^One moment…$/);
      const still = {
        animationName: 'none',
        content: 'none',
        cursor: 'progress',
        width: expect.toSatisfy((width: number) => width > 60),
        height: expect.toSatisfy((height: number) => height > 10),
        role: 'status',
      };
      expect(await signOf(page)).toEqual(still);
      await takePicture(page, 'waiting');
      await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'no-preference' }]);
      expect(await signOf(page)).toEqual({
        ...still,
        animationName: 'turn',
        content: '""',
        width: 14,
        height: 14,
      });
      await takePicture(page, 'waiting-in-motion');
      tools.release();
      await settle(page);
      expect(await textOf(page, 'waiting')).toBe('');
      expect((await signOf(page)).cursor).not.toBe('progress');
    },
  );

  browserTest(
    'starts a tool, as soon as it is loaded, at the current position of the pointer',
    { tags: 'full' },
    async () => {
      const { page, expectNoProblems } = await openPlayground(browser, { count: FEW, before: hideGpu });
      // In this scene nothing moves at first, and no particle is near enough to another one to hit it at once.
      await arrange(page, { scene: 'lattice', size: 0.125, brush: 12, engine: 'cpu' });
      const tools = holdBack();
      await interceptRequests(page, new Map([[TOOLS, tools.fate]]));
      await page.select('#pointer', 'Push particles');
      const { free } = await describeScenery(page);
      const [x, y] = [free.x + free.width / 2, free.y + free.height / 2];
      const aside = free.width / 5;
      await page.mouse.move(x - aside, y);
      await page.mouse.down();
      await page.mouse.up();
      await page.mouse.move(x, y - aside);
      await page.mouse.down();
      await page.mouse.move(x + aside, y, { steps: 3 });
      tools.release();
      await settle(page);
      await page.keyboard.press('.');
      await settle(page);
      const pushed = await page.evaluate(async () => {
        const simulation = window.cellstorm?.simulation;
        const { positions = [], velocities = [] } = (await simulation?.read()) ?? {};
        return Array.from({ length: velocities.length / 2 }, (_, particle) => ({
          point: window.cellstorm?.toScreen([positions[2 * particle] ?? 0, positions[2 * particle + 1] ?? 0]),
          speed: Math.hypot(velocities[2 * particle] ?? 0, velocities[2 * particle + 1] ?? 0),
        })).flatMap(({ point, speed }) => (point && speed > 0.01 ? [point] : []));
      });
      await page.mouse.up();
      expect(pushed.length).toBeGreaterThan(2);
      for (const [across, down] of pushed) {
        expect(Math.hypot(across - x - aside, down - y)).toBeLessThan(aside / 2);
      }
      expectNoProblems();
    },
  );

  browserTest('requests a tool again at its next use if it failed to load', { tags: 'full' }, async () => {
    const { page } = await openPlayground(browser, { count: FEW, before: hideGpu });
    const fates = new Map<string, Fate>([[TOOLS, (request) => request.abort()]]);
    await interceptRequests(page, fates);
    await page.select('#pointer', 'Erase');
    await waitForText(page, 'notice', /dynamically imported module/);
    await settle(page);
    expect(await page.evaluate(() => window.cellstorm?.simulation?.count)).toBe(FEW);
    fates.clear();
    const { free } = await describeScenery(page);
    await page.mouse.move(free.x + free.width / 2, free.y + (2 * free.height) / 3);
    await page.mouse.down();
    await page.waitForFunction((few) => (window.cellstorm?.simulation?.count ?? few) < few, {}, FEW);
    await page.mouse.up();
  });

  browserTest(
    'requests the chart again if it failed to load and is scrolled into view again',
    { tags: 'full' },
    async () => {
      const { page } = await openPlayground(browser, { count: FEW, before: hideGpu });
      let failed = 0;
      const fates = new Map<string, Fate>([
        [
          CHART,
          (request) => {
            failed++;
            request.abort();
          },
        ],
      ]);
      await interceptRequests(page, fates);
      const show = (id: string) => page.$eval(id, (element) => element.scrollIntoView({ block: 'center' }));
      await show('#stages-plot');
      while (failed === 0) await stepTimes(page, 1);
      await settle(page);
      expect(await page.$$eval('#stages-plot canvas', (canvases) => canvases.length)).toBe(0);
      fates.clear();
      await show('#scene');
      await passFrames(page, 2);
      await show('#stages-plot');
      await page.waitForSelector('#stages-plot canvas');
    },
  );
});
