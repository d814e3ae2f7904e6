/**
 * Runs the benchmark in a real browser: times engines of both kinds, shows results as they come in and saves the
 * record.
 */
import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import { parseRecord } from '../../bench/harness/record';
import { browserTest, useBrowser } from '../helpers/browser';
import { takePicture, textOf } from './playground';

declare global {
  interface Window {
    /** The worker that last got a message. */
    benchWorker?: Worker;
  }
}

/** The most bytes that a bandwidth test may copy. */
const ROOM = 2 ** 23;
const ENGINES = ['gpu-grid', 'cpu-naive', 'cpu-grid'];

/** Leaves just these boxes checked. */
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

/**
 * Copies of half a gigabyte take seconds, so the worker sees a machine with less memory. A high time limit keeps a busy
 * machine from skipping or stopping runs.
 */
async function spareTime(page: Page): Promise<void> {
  await page.workers()[0]?.evaluate((most) => {
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
  await page.evaluate(() => {
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (this: Worker, question: { plan?: object }) {
      window.benchWorker = this;
      const { plan } = question;
      Reflect.apply(post, this, [plan ? { ...question, plan: { ...plan, limit: 60_000 } } : question]);
    };
  });
}

/** Starts a run and ends it in the same task that shows its first result, so that the run is never complete. */
async function startAndEnd(page: Page, how: 'stop' | 'break'): Promise<void> {
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
        else window.benchWorker?.dispatchEvent(new ErrorEvent('error', { message: 'the roof fell in' }));
        done();
      }).observe(charts, { childList: true, subtree: true });
    });
  }, how);
}

async function expectFits(page: Page): Promise<void> {
  const [wide, window] = await page.evaluate(
    () => [document.documentElement.scrollWidth, innerWidth] as const,
  );
  expect(wide).toBeLessThanOrEqual(window);
}

describe('the benchmark page', () => {
  const browser = useBrowser({ serve: 'build' });

  browserTest('runs the chosen engines, shows the results and saves the record', async () => {
    const { page, expectNoProblems } = await browser.openPage('bench.html?flags=--told+--twice', {
      width: 1280,
      height: 900,
    });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
    await page.waitForFunction(() => !document.querySelector<HTMLButtonElement>('#go')?.disabled);
    await spareTime(page);
    expect(await page.$eval('#gpu-note', (note) => (note as HTMLElement).hidden)).toBe(true);
    expect(await page.$eval('#save', (save) => (save as HTMLButtonElement).disabled)).toBe(true);
    const names = await page.$$eval('input', (inputs) =>
      inputs.map((input) => [...(input.labels ?? [])].map((label) => label.textContent?.trim()).join()),
    );
    expect(names.every((name) => name)).toBe(true);

    // Starting without engines shows a message; started by keyboard.
    await choose(page, 'engine', []);
    await page.focus('#go');
    await page.keyboard.press('Enter');
    expect(await textOf(page, 'status')).toMatch(/No engines chosen/);
    expect(await page.evaluate(() => window.bench?.isRunning)).toBe(false);

    await choose(page, 'engine', ENGINES);
    await choose(page, 'scene', ['uniform']);
    await choose(page, 'count', ['300', '1000']);
    await page.$eval('input[name="rounds"]', (input) => {
      (input as HTMLInputElement).value = '3';
    });
    await page.keyboard.press('Enter');
    // Results appear before the run ends.
    await page.waitForSelector('#charts circle');
    await page.waitForFunction(() => window.bench?.isRunning === false);
    expect(await textOf(page, 'status')).toBe('Done: 6 of 6 runs timed.');
    await takePicture(page, 'bench-light');
    await page.click('#choices summary');
    await takePicture(page, 'bench-choices');
    await page.$eval('#flags', (flags) => flags.scrollIntoView({ block: 'center' }));
    await takePicture(page, 'bench-flags');

    const shown = await page.evaluate(() => ({
      series: [...document.querySelectorAll<SVGElement>('#charts [data-engine]')].map((line) => [
        line.dataset.engine ?? '',
        line.querySelectorAll('circle').length,
      ]),
      heads: [...document.querySelectorAll('#tables tbody th')].map(({ textContent }) => textContent ?? ''),
      cells: [...document.querySelectorAll('#tables td')].map(({ textContent }) => textContent ?? ''),
      words: document.querySelector('#words')?.textContent ?? '',
    }));
    expect(new Map(shown.series as [string, number][])).toEqual(new Map(ENGINES.map((name) => [name, 2])));
    expect(shown.heads.toSorted()).toEqual(ENGINES.toSorted());
    for (const cell of shown.cells) expect(cell).toMatch(/^[\d.,]+ \([\d.,]+\)$/);
    expect(shown.words).toContain('6 of 6 runs were timed');

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
    // The copies fill the available memory.
    expect([machine.copyBytes, machine.gpuCopyBytes]).toEqual([ROOM, ROOM]);
    expect(machine.runtime).toContain('Chrome');
    expect(machine.adapter).toMatch(/SwiftShader/i);
    expect(machine.copyBytesPerMs).toBeGreaterThan(0);
    expect(machine.gpuCopyBytesPerMs).toBeGreaterThan(0);
    expect(outcomes.map(({ engine, count, status }) => [engine, count, status])).toEqual(
      expect.arrayContaining(
        ENGINES.flatMap((engine) => [300, 1000].map((count) => [engine, count, 'timed'])),
      ),
    );

    await expectFits(page);
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await page.$eval('#found', (found) => found.scrollIntoView());
    await takePicture(page, 'bench-dark');
    await page.setViewport({ width: 390, height: 800 });
    await expectFits(page);
    await page.$eval('#found', (found) => found.scrollIntoView());
    await takePicture(page, 'bench-phone');
    await page.evaluate(() => scrollTo(0, 0));
    await takePicture(page, 'bench-phone-top');

    // Stopping a long run keeps its results so far.
    await choose(page, 'engine', ['cpu-naive']);
    await choose(page, 'count', ['300', '10000']);
    await page.$eval('input[name="rounds"]', (input) => {
      (input as HTMLInputElement).value = '99';
    });
    await startAndEnd(page, 'stop');
    await page.waitForFunction(() => window.bench?.isRunning === false);
    expect(await textOf(page, 'status')).toBe('Stopped: 1 of 1 run timed.');
    expect(await page.evaluate(() => window.bench?.record?.outcomes.length)).toBe(1);

    // A run that fails keeps its results, too.
    await startAndEnd(page, 'break');
    expect(await textOf(page, 'status')).toBe(
      'The benchmark failed: the roof fell in. Reload the page to try again. The results so far can be saved.',
    );
    const kept = await page.evaluate(() => ({
      counts: window.bench?.record?.outcomes.map(({ count }) => count),
      ended: window.bench?.record?.ended,
      mayBeSaved: !document.querySelector<HTMLButtonElement>('#save')?.disabled,
    }));
    expect(kept).toEqual({ counts: [300], ended: undefined, mayBeSaved: true });
    expectNoProblems();
  });
});
