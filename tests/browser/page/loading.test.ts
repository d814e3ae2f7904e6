/**
 * Tests parts of the page that load late or fail at first: what is shown meanwhile, and what happens once they are
 * loaded.
 */
import type { HTTPRequest, Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import { browserTest, useBrowser } from '../helpers/browser';
import {
  chooseScene,
  describeScenery,
  FEW,
  openPlayground,
  settle,
  stepTimes,
  takePicture,
  textOf,
  typeNumber,
} from './playground';

/** Decides what happens to a request. */
type Fate = (request: HTTPRequest) => void;

/** Applies each fate to requests for addresses that end with its key. */
async function interceptRequests(page: Page, fates: Map<string, Fate>): Promise<void> {
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    const [path = ''] = request.url().split('?');
    const fate = [...fates].find(([end]) => path.endsWith(end))?.[1];
    if (fate) fate(request);
    else request.continue();
  });
}

/** Holds requests back until `release` is called. */
function holdBack(): { readonly fate: Fate; release(): void } {
  const held: HTTPRequest[] = [];
  return {
    fate: (request) => held.push(request),
    release: () => {
      for (const request of held.splice(0)) request.continue();
    },
  };
}

const waitingText = (page: Page) => textOf(page, 'waiting');

describe('a part of the page', () => {
  const browser = useBrowser();

  browserTest('that is the last engine may fail to load, and Reset tries again', async () => {
    const { page } = await openPlayground(browser, { count: FEW, theme: 'light' });
    await chooseScene(page, 'gas');
    const fates = new Map<string, Fate>([['/src/page/engines/cpu-engine.ts', (request) => request.abort()]]);
    await interceptRequests(page, fates);
    for (let loss = 1; loss <= 3; loss++) {
      await page.evaluate(() => window.cellstorm?.device?.destroy());
      await page.waitForFunction(() =>
        /lost/.test(document.querySelector('#engine-note')?.textContent ?? ''),
      );
      await settle(page);
      await page.$eval('#engine-note', (note) => note.replaceChildren());
    }
    expect(await textOf(page, 'notice')).toMatch(/\. Nothing runs now; Reset tries again\.$/);
    expect(await textOf(page, 'badge')).toBe('nothing runs');
    expect(await page.evaluate(() => window.cellstorm?.simulation === undefined)).toBe(true);
    await takePicture(page, 'nothing-runs');
    fates.clear();
    await page.click('#reset');
    await settle(page);
    expect(await textOf(page, 'badge')).toBe('CPU engine');
    expect(await textOf(page, 'notice')).toBe('');
    expect(await textOf(page, 'engine-note')).toMatch(/^The GPU was lost 3 times .* The CPU engine runs/);
    await stepTimes(page, 1);
    expect(await page.evaluate(() => window.cellstorm?.simulation?.time)).toBeCloseTo(1 / 60, 6);
  });

  browserTest('is announced while it loads, and a tool starts at the current pointer', async () => {
    const { page, expectNoProblems } = await openPlayground(browser, { count: FEW });
    // Nothing moves or falls at first, and no particle has a neighbour close enough to hit at once.
    await chooseScene(page, 'lattice');
    await typeNumber(page, 'size', 0.125);
    await typeNumber(page, 'brush', 12);
    expect(await waitingText(page)).toBe('');
    const tools = holdBack();
    await interceptRequests(page, new Map([['/src/page/tools/tools.ts', tools.fate]]));
    await page.select('#pointer', 'Push particles');
    await page.waitForFunction(() => document.querySelector('#waiting')?.textContent === 'One moment…');
    const sign = () =>
      page.$eval('#waiting', (element) => {
        const { animationName, content } = getComputedStyle(element, '::before');
        const { width, height } = element.getBoundingClientRect();
        const cursor = getComputedStyle(document.querySelector('#stage') as Element).cursor;
        return { animationName, content, cursor, width, height, role: element.role };
      });
    const still = {
      animationName: 'none',
      content: 'none',
      cursor: 'progress',
      width: expect.toSatisfy((width: number) => width > 60),
      height: expect.toSatisfy((height: number) => height > 10),
      role: 'status',
    };
    expect(await sign()).toEqual(still);
    await takePicture(page, 'waiting');
    await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'no-preference' }]);
    expect(await sign()).toEqual({ ...still, animationName: 'turn', content: '""', width: 14, height: 14 });
    await takePicture(page, 'waiting-in-motion');

    const { free } = await describeScenery(page);
    const [x, y] = [free.x + free.width / 2, free.y + free.height / 2];
    const aside = free.width / 5;
    // A press that ended before the tool was loaded has no effect.
    await page.mouse.move(x - aside, y);
    await page.mouse.down();
    await page.mouse.up();
    await page.mouse.move(x, y - aside);
    await page.mouse.down();
    await page.mouse.move(x + aside, y, { steps: 3 });
    tools.release();
    await settle(page);
    expect(await waitingText(page)).toBe('');
    expect((await sign()).cursor).not.toBe('progress');
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
  });

  browserTest('that failed to load is requested again: tools when used, the chart when visible', async () => {
    const { page } = await openPlayground(browser, {
      count: FEW,
      // Without a GPU the test need not wait for kernels.
      before: () => Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined }),
    });
    const fates = new Map<string, Fate>();
    await interceptRequests(page, fates);
    let failed = 0;
    const fail: Fate = (request) => {
      failed++;
      request.abort();
    };
    fates.set('/src/page/panel/chart.ts', fail);
    fates.set('/src/page/tools/tools.ts', fail);
    const charts = () => page.$$eval('#stages-plot canvas', (canvases) => canvases.length);
    const show = (id: string) => page.$eval(id, (element) => element.scrollIntoView({ block: 'center' }));
    await show('#stages-plot');
    await stepTimes(page, 1);
    await page.waitForFunction(() => document.querySelectorAll('#stages li').length > 1);
    while (failed === 0) await stepTimes(page, 1);
    await settle(page);
    await page.select('#pointer', 'Erase');
    while (failed === 1) await settle(page);
    await settle(page);
    expect(await textOf(page, 'notice')).toMatch(/dynamically imported module/);
    expect(await charts()).toBe(0);
    expect(await page.evaluate(() => window.cellstorm?.simulation?.count)).toBe(FEW);

    fates.clear();
    await show('#scene');
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    await show('#stages-plot');
    await page.waitForSelector('#stages-plot canvas');
    const { free } = await describeScenery(page);
    await page.mouse.move(free.x + free.width / 2, free.y + (2 * free.height) / 3);
    await page.mouse.down();
    await page.waitForFunction((few) => (window.cellstorm?.simulation?.count ?? few) < few, {}, FEW);
    await page.mouse.up();
  });
});
