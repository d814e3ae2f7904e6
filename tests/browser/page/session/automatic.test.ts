import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import { browserTest, useBrowser } from '../../../helpers/browser';
import {
  chooseOption,
  hideGpu,
  openPlayground,
  settle,
  stepTimes,
  textOf,
  typeCount,
  waitForText,
} from '../../playground';

const stateOf = (page: Page) =>
  page.evaluate(async () => {
    const simulation = window.cellstorm?.simulation;
    const { hash, count } = (await simulation?.measure()) ?? { hash: '', count: 0 };
    return { backend: simulation?.backend, hash, count, time: simulation?.time };
  });

describe('the automatic engine', () => {
  const browser = useBrowser({ serve: 'build' });

  browserTest('is the CPU engine in a worker if the processor emulates the GPU, and says so', async () => {
    const { page, expectNoProblems } = await openPlayground(browser, { count: 300, engine: 'auto' });
    expect(await textOf(page, 'badge')).toBe('CPU engine');
    expect(await page.$eval('#engine', (select) => (select as HTMLSelectElement).value)).toBe('Automatic');
    expect(await textOf(page, 'field-engine-note')).toBe(
      'Automatic chose the CPU engine: the processor emulates the GPU here, which is slower.',
    );
    expect(await textOf(page, 'engine-note')).toBe('');
    await expect.poll(() => page.workers().length).toBe(1);
    expect(new URL(page.url()).search).toBe('?v=1&count=300');
    await chooseOption(page, 'engine', 'GPU');
    expect(await textOf(page, 'badge')).toBe('Software GPU');
    expect(await page.$eval('#field-engine-note', (note) => (note as HTMLElement).hidden)).toBe(true);
    expect(page.workers()).toHaveLength(0);
    expect(new URL(page.url()).search).toBe('?v=1&count=300&engine=gpu');
    await page.reload();
    await page.waitForFunction(() => window.cellstorm !== undefined);
    await page.evaluate(() => window.cellstorm?.ready);
    expect(await textOf(page, 'badge')).toBe('Software GPU');
    await chooseOption(page, 'engine', 'Automatic');
    expect(await textOf(page, 'badge')).toBe('CPU engine');
    expectNoProblems();
  });

  browserTest(
    'measures a scene if the address has no choices, and adds none to the address',
    { tags: 'full' },
    async () => {
      const { page } = await openPlayground(browser, { query: '', engine: 'auto' });
      const { count, backend } = await stateOf(page);
      expect(backend).toBe('cpu');
      expect(count).toBeGreaterThanOrEqual(100);
      expect(count).toBeLessThanOrEqual(12_000);
      expect(await textOf(page, 'field-engine-note')).toMatch(
        /CPU engine.* It opened with [\d,]+ discs, .* it measured .* per step of 4,000 discs/,
      );
      await settle(page);
      expect(new URL(page.url()).search).toBe('');
      // The page rounds measured counts to two digits, so it cannot have chosen this one.
      await typeCount(page, 4001);
      expect(new URL(page.url()).search).toBe('?v=1&count=4001');
      expect(await textOf(page, 'field-engine-note')).not.toContain('It opened');
      // With the usual count, the address has its version alone, or nothing if the page opened with that count.
      await typeCount(page, 4000);
      expect(new URL(page.url()).search).toBe(count === 4000 ? '' : '?v=1');
    },
  );

  browserTest('measures a GPU that is not emulated', { tags: 'full' }, async () => {
    const { page, expectNoProblems } = await openPlayground(browser, {
      query: '',
      engine: 'auto',
      before: () => {
        const info = {
          vendor: 'test',
          architecture: '',
          device: '',
          description: 'a test',
          isFallbackAdapter: false,
        };
        Object.defineProperty(GPUAdapter.prototype, 'info', { get: () => info });
        Object.defineProperty(GPUDevice.prototype, 'adapterInfo', { get: () => info });
      },
    });
    const { count, backend } = await stateOf(page);
    expect(backend).toBe('gpu');
    expect(await textOf(page, 'badge')).toBe('GPU · a test');
    expect(await textOf(page, 'field-engine-note')).toMatch(
      /^Automatic chose the GPU of this device\. It opened with [\d,]+ discs, .* it measured .* per step of 16,000 discs/,
    );
    // The processor does emulate the GPU here, so a step of few discs already fills the frame.
    expect(count).toBeLessThan(16_000);
    expect(new URL(page.url()).search).toBe('');
    expectNoProblems();
  });

  browserTest('explains that there is no GPU', { tags: 'full' }, async () => {
    const { page } = await openPlayground(browser, { count: 300, engine: 'auto', before: hideGpu });
    expect(await textOf(page, 'engine-note')).toMatch(/no WebGPU.*CPU engine/);
    expect(await textOf(page, 'field-engine-note')).toBe(
      'Automatic chose the CPU engine: no GPU can be used here.',
    );
    expect(new URL(page.url()).search).toBe('?v=1&count=300');
  });
});

describe('the worker of the CPU engine', () => {
  const browser = useBrowser({ serve: 'build' });
  const query = '?v=1&count=200&engine=cpu';

  for (const scene of ['pile', 'dam-break', 'murmuration', 'drum']) {
    browserTest(`takes the same steps as the page's own thread (${scene})`, { tags: 'case' }, async () => {
      const link = `${query}&scene=${scene}`;
      const { page } = await openPlayground(browser, { query: link });
      await expect.poll(() => page.workers().length).toBe(1);
      await stepTimes(page, 7);
      const inWorker = await stateOf(page);
      const without = await openPlayground(browser, {
        query: link,
        before: () => Object.defineProperty(window, 'Worker', { value: undefined }),
      });
      expect(without.page.workers()).toHaveLength(0);
      expect(await textOf(without.page, 'badge')).toBe('CPU engine');
      await stepTimes(without.page, 7);
      expect(await stateOf(without.page)).toEqual(inWorker);
      expect(inWorker.hash).toMatch(/^[0-9a-f]{16}$/);
      without.expectNoProblems();
    });
  }

  browserTest(
    'passes its errors to the page, and is replaced by Reset after it stopped',
    { tags: 'full' },
    async () => {
      const { page } = await openPlayground(browser, {
        query,
        before: () => {
          const workers: Worker[] = [];
          Object.assign(window, { workers });
          window.Worker = class extends Worker {
            constructor(...given: ConstructorParameters<typeof Worker>) {
              super(...given);
              workers.push(this);
            }
          };
        },
      });
      await page.evaluate(() => window.cellstorm?.simulation?.step(Number.NaN));
      expect(await waitForText(page, 'notice', /dt is NaN, but it must be/)).toBeTruthy();
      await stepTimes(page, 1);
      expect((await stateOf(page)).time).toBeCloseTo(1 / 60);
      await page.evaluate(() => {
        const { workers } = window as unknown as { workers: Worker[] };
        workers.at(-1)?.dispatchEvent(new ErrorEvent('error', { message: 'out of memory' }));
        document.getElementById('step')?.click();
      });
      expect(await waitForText(page, 'notice', /stopped/)).toBe(
        'The CPU engine stopped (out of memory). Press Reset.',
      );
      await page.click('#reset');
      await settle(page);
      await stepTimes(page, 2);
      expect((await stateOf(page)).time).toBeCloseTo(2 / 60);
      await expect.poll(() => page.workers().length).toBe(1);
    },
  );
});
