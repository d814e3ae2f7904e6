import type { Page, WebWorker } from 'puppeteer';
import { describe, expect } from 'vitest';
import { parseRecord } from '../../../bench/harness/record';
import { browserTest, useBrowser } from '../../helpers/browser';
import { takePicture, textOf, waitForText } from '../playground';

declare global {
  interface Window {
    /** The worker that last got a message. */
    benchWorker?: Worker;
  }
}

/** Bytes that the bandwidth test may allocate in these tests. */
const ROOM = 2 ** 23;
const ENGINES = ['gpu-grid', 'cpu-naive', 'cpu-grid'];

async function choose(page: Page, name: string, values: readonly string[]): Promise<void> {
  await page.$$eval(
    `input[name="${name}"]`,
    (boxes, wanted) => {
      for (const box of boxes)
        (box as HTMLInputElement).checked = wanted.includes((box as HTMLInputElement).value);
    },
    values,
  );
}

/** Limits the memory that a worker sees: copies of half a gigabyte take seconds. */
async function spareMemory(worker: WebWorker): Promise<void> {
  await worker.evaluate((most) => {
    globalThis.Float64Array = new Proxy(Float64Array, {
      construct(of, given: [number]) {
        if (8 * given[0] > most) throw new RangeError('There is no room for the test.');
        return new of(...given);
      },
    });
    const limits = Object.getOwnPropertyDescriptor(GPUDevice.prototype, 'limits')?.get;
    Object.defineProperty(GPUDevice.prototype, 'limits', {
      get() {
        return new Proxy(limits?.call(this), {
          get: (target, name) => (name === 'maxBufferSize' ? most : target[name]),
        });
      },
    });
  }, ROOM);
}

/** Runs in the page before its scripts. Raises the time limit of engines, which a busy machine would exceed. */
function raiseLimit(): void {
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (this: Worker, question: { plan?: object }) {
    window.benchWorker = this;
    const { plan } = question;
    Reflect.apply(post, this, [plan ? { ...question, plan: { ...plan, limit: 60_000 } } : question]);
  };
}

const waitForButton = (page: Page) =>
  page.waitForFunction(() => !document.querySelector<HTMLButtonElement>('#go')?.disabled);

async function choosePlan(
  page: Page,
  engines: readonly string[],
  counts: readonly string[],
  rounds: number,
): Promise<void> {
  await choose(page, 'engine', engines);
  await choose(page, 'scene', ['uniform']);
  await choose(page, 'count', counts);
  await page.$eval(
    'input[name="rounds"]',
    (input, value) => {
      (input as HTMLInputElement).value = value;
    },
    String(rounds),
  );
}

async function runToEnd(page: Page): Promise<void> {
  await page.click('#go');
  await page.waitForFunction(() => window.bench?.isRunning === false);
}

/**
 * Starts a run and waits for its first result. In the same task, stops the run or reports an error of its worker,
 * so that the run is never complete. With 'leave', the run goes on.
 */
async function startAndEnd(page: Page, how: 'stop' | 'error' | 'leave'): Promise<void> {
  await choosePlan(page, ['cpu-naive'], ['300', '10000'], 99);
  await page.evaluate((how) => {
    const go = document.getElementById('go') as HTMLButtonElement;
    const charts = document.getElementById('charts') as HTMLElement;
    go.click();
    if (charts.querySelector('circle')) throw new Error('Results of the last run are still there.');
    return new Promise<void>((done) => {
      new MutationObserver((_, observer) => {
        if (!charts.querySelector('circle')) return;
        observer.disconnect();
        if (how === 'stop') go.click();
        if (how === 'error') {
          window.benchWorker?.dispatchEvent(new ErrorEvent('error', { message: 'the roof fell in' }));
        }
        done();
      }).observe(charts, { childList: true, subtree: true });
    });
  }, how);
}

/** Expects that an incomplete run left a result to save, and that another run succeeds. */
async function expectKeptAndStarted(page: Page): Promise<void> {
  const kept = await page.evaluate(() => ({
    counts: window.bench?.record?.outcomes.map(({ count }) => count),
    ended: window.bench?.record?.ended,
    isRunning: window.bench?.isRunning,
    mayBeSaved: !document.querySelector<HTMLButtonElement>('#save')?.disabled,
  }));
  expect(kept).toEqual({ counts: [300], ended: undefined, isRunning: false, mayBeSaved: true });
  await choosePlan(page, ['cpu-grid'], ['300'], 3);
  await runToEnd(page);
  expect(await textOf(page, 'status')).toBe('Done: 1 of 1 run timed.');
}

async function expectFits(page: Page): Promise<void> {
  const [wide, window] = await page.evaluate(
    () => [document.documentElement.scrollWidth, innerWidth] as const,
  );
  expect(wide).toBeLessThanOrEqual(window);
}

describe('the benchmark page', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share(async (opener) => {
    const opened = await opener.openPage('bench.html?flags=--told+--twice', {
      width: 1280,
      height: 900,
      async prepare(page) {
        page.on('workercreated', (worker) => {
          spareMemory(worker).catch(() => undefined);
        });
        await page.evaluateOnNewDocument(raiseLimit);
      },
    });
    await opened.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
    await waitForButton(opened.page);
    return opened;
  });

  browserTest('offers engines on the GPU, and labels every control', { tags: 'full' }, async () => {
    const { page } = await open();
    expect(await page.$eval('#gpu-note', (note) => (note as HTMLElement).hidden)).toBe(true);
    const names = await page.$$eval('input', (inputs) =>
      inputs.map((input) => [...(input.labels ?? [])].map((label) => label.textContent?.trim()).join()),
    );
    expect(names.every((name) => name)).toBe(true);
  });

  browserTest('does not start, and says why, if no engine is chosen', { tags: 'full' }, async () => {
    const { page } = await open();
    await choosePlan(page, [], ['300'], 3);
    await page.focus('#go');
    await page.keyboard.press('Enter');
    expect(await textOf(page, 'status')).toMatch(/No engines chosen/);
    expect(await page.evaluate(() => window.bench?.isRunning)).toBe(false);
  });

  browserTest('shows the times of the chosen engines as they come in', { tags: 'full' }, async () => {
    const { page } = await open();
    await choosePlan(page, ENGINES, ['300', '1000'], 3);
    await page.focus('#go');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => window.bench?.isRunning && document.querySelector('#charts circle'));
    await page.waitForFunction(() => window.bench?.isRunning === false);
    expect(await textOf(page, 'status')).toBe('Done: 6 of 6 runs timed.');
    await takePicture(page, 'bench-light');
    const shown = await page.evaluate(() => ({
      charts: [...document.querySelectorAll('#charts figure')].map((figure) => ({
        caption: figure.querySelector('figcaption')?.textContent,
        series: [...figure.querySelectorAll<SVGElement>('[data-engine]')].map((line) => [
          line.dataset.engine ?? '',
          line.querySelectorAll('circle').length,
        ]),
      })),
      tables: [...document.querySelectorAll('#tables table')].map((table) => ({
        caption: table.querySelector('caption')?.textContent,
        heads: [...table.querySelectorAll('tbody th')].map(({ textContent }) => textContent ?? ''),
        cells: [...table.querySelectorAll('td')].map(({ textContent }) => textContent ?? ''),
      })),
      words: document.querySelector('#words')?.textContent ?? '',
    }));
    expect(shown.charts.map(({ caption }) => caption)).toEqual([
      'uniform 2D: time of a build and query',
      'uniform 2D: distance tests of a query',
    ]);
    for (const { series } of shown.charts) {
      expect(new Map(series as [string, number][])).toEqual(new Map(ENGINES.map((name) => [name, 2])));
    }
    const [times, work] = shown.tables;
    expect(shown.tables.map(({ caption }) => caption)).toEqual([
      'uniform 2D: ms (ratio to the fastest)',
      'uniform 2D: distance tests per body (pairs ÷ tests)',
    ]);
    for (const { heads } of shown.tables) expect(heads.toSorted()).toEqual(ENGINES.toSorted());
    for (const cell of times?.cells ?? []) expect(cell).toMatch(/^[\d.,]+ \([\d.,]+\)$/);
    for (const cell of work?.cells ?? []) expect(cell).toMatch(/^[\d.]+ \([\d.]+%\)$/);
    // On average, cpu-naive tests each body against half of the others.
    expect(work?.cells.join()).toMatch(/150 \(.*500 \(/);
    expect(shown.words).toContain('6 of 6 runs were timed');
  });

  browserTest('saves the record of a run', { tags: 'full' }, async () => {
    const { page } = await open();
    await choosePlan(page, ['gpu-grid', 'cpu-grid'], ['300'], 3);
    await runToEnd(page);
    await page.evaluate(() => {
      URL.createObjectURL = (blob) => {
        (blob as Blob).text().then((text) => document.body.setAttribute('data-saved', text));
        return 'data:,';
      };
    });
    await page.click('#save');
    await page.waitForSelector('[data-saved]');
    const saved = await page.$eval('body', (body) => body.dataset.saved ?? '');
    const { machine, outcomes, limit, commit, began, ended = '' } = parseRecord('saved', saved);
    expect({ limit, commit }).toEqual({ limit: 1000, commit: expect.stringMatching(/^[0-9a-f]{7,}\+?$/) });
    expect(ended > began).toBe(true);
    expect(machine.flags).toEqual(expect.arrayContaining(['--told', '--twice', 'driven by a program']));
    // The worker may have opened the GPU before spareMemory took effect, so the GPU may copy more.
    expect(machine.copyBytes).toBe(ROOM);
    expect(machine.gpuCopyBytes).toBeGreaterThanOrEqual(ROOM);
    expect(machine.runtime).toContain('Chrome');
    expect(machine.adapter).toMatch(/SwiftShader/i);
    expect(machine.copyBytesPerMs).toBeGreaterThan(0);
    expect(machine.gpuCopyBytesPerMs).toBeGreaterThan(0);
    expect(outcomes.map(({ engine, count, status }) => [engine, count, status])).toEqual([
      ['gpu-grid', 300, 'timed'],
      ['cpu-grid', 300, 'timed'],
    ]);
  });

  browserTest(
    'fits a wide window while its choices are open, and a phone while it shows results',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      await choosePlan(page, ['cpu-grid'], ['300'], 3);
      await runToEnd(page);
      const fold = () => page.click('#choices summary');
      await fold();
      await expectFits(page);
      await takePicture(page, 'bench-choices');
      await fold();
      await page.$eval('#found', (found) => found.scrollIntoView());
      await page.setViewport({ width: 390, height: 800 });
      await expectFits(page);
      await takePicture(page, 'bench-phone');
      await page.setViewport({ width: 1280, height: 900 });
    },
  );

  browserTest('keeps the results of a run that the visitor stops', { tags: 'full' }, async () => {
    const { page } = await open();
    await startAndEnd(page, 'stop');
    await page.waitForFunction(() => window.bench?.isRunning === false);
    expect(await textOf(page, 'status')).toBe('Stopped: 1 of 1 run timed.');
    await expectKeptAndStarted(page);
  });

  browserTest('says why a run failed, keeps its results, and starts again', { tags: 'full' }, async () => {
    const { page } = await open();
    await startAndEnd(page, 'error');
    expect(await textOf(page, 'status')).toBe(
      'The benchmark failed: the roof fell in. Press Start to try again. The results so far can be saved.',
    );
    await expectKeptAndStarted(page);
  });

  browserTest(
    'says that its worker ended, keeps the results, and starts again',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      await startAndEnd(page, 'leave');
      await page
        .workers()
        .at(-1)
        ?.evaluate(() => close())
        .catch(() => undefined);
      expect(await waitForText(page, 'status', /failed/)).toBe(
        'The benchmark failed: the browser ended its worker, perhaps because memory ran out. Press Start to try again. The results so far can be saved.',
      );
      await expectKeptAndStarted(page);
    },
  );
});
