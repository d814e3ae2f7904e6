import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import type { VerifyReport } from '../../../src/verify/answers';
import { type VerifyCase, verify } from '../../../src/verify/verify';
import { browserTest, useBrowser } from '../../helpers/browser';
import { withDevice } from '../../helpers/node-gpu';
import { hideWebGpu } from '../hide-gpu';
import { takePicture, textOf } from '../playground';

const OPTIONS = { scenes: ['lattice', 'mixed'], dimensions: [2], counts: [64] } as const;
const QUERY = 'scene=lattice,mixed&dimensions=2&count=64';

/** The figures of these checks depend on rounding, so devices may report different figures. */
const ROUNDED = /^(separate|step|repeats|paths)/;

async function reportOf(page: Page): Promise<VerifyReport> {
  const report = await page.evaluate(() => window.cellstormVerify);
  if (report === undefined) throw new Error('The page has no cellstormVerify.');
  return report;
}

async function runInNode(): Promise<VerifyCase[]> {
  const cases: VerifyCase[] = [];
  await withDevice(async (_, tools) => {
    for await (const one of verify({ gpu: tools.wrap() }, OPTIONS)) cases.push(one);
  });
  return cases;
}

/** Runs in the page before its scripts: changes the worker's answers as if one check had found a difference. */
function spoilAnswers(): void {
  const add = Worker.prototype.addEventListener;
  type Answer = { kind: string; found?: VerifyCase; report?: VerifyReport };
  Worker.prototype.addEventListener = function (this: Worker, type: string, listener: unknown) {
    const spoil = (one: VerifyCase) =>
      one.check === 'list' ? { ...one, pass: false, detail: 'pair 3 is 7 and 12' } : one;
    const spoilt = ({ data }: MessageEvent<Answer>) => {
      const { found, report } = data;
      const changed: Answer = { ...data };
      if (found) changed.found = spoil(found);
      if (report) changed.report = { ...report, cases: report.cases.map(spoil), pass: false };
      (listener as (event: { data: Answer }) => void)({ data: changed });
    };
    Reflect.apply(add, this, [type, type === 'message' ? spoilt : listener]);
  };
}

async function expectFits(page: Page): Promise<void> {
  const [wide, window] = await page.evaluate(
    () => [document.documentElement.scrollWidth, innerWidth] as const,
  );
  expect(wide).toBeLessThanOrEqual(window);
}

describe('the page verify.html', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share(async (opener) => {
    const opened = await opener.openPage(`verify.html?${QUERY}`, { width: 1280, height: 900 });
    await reportOf(opened.page);
    return opened;
  });

  browserTest('passes, and stores its report where a program finds it', { tags: 'full' }, async () => {
    const { page } = await open();
    const report = await reportOf(page);
    expect(report).toMatchObject({ pass: true, complaints: [], notes: [], options: { counts: [64] } });
    expect(report.error).toBeUndefined();
    expect(report.adapter).toMatch(/swiftshader/i);
    expect(report.runtime).toContain('Chrome');
    expect(JSON.parse(await textOf(page, 'result'))).toEqual(report);
    expect(await textOf(page, 'adapter')).toBe(report.adapter);
    expect(await textOf(page, 'verdict-title')).toBe('Pass');
    const { cases, hash } = report;
    expect(await textOf(page, 'conclusion')).toBe(
      `${cases.length} of ${cases.length} checks passed. Hash of all states: ${hash}.`,
    );
  });

  browserTest('shows each check, and the state hash of each scene', { tags: 'full' }, async () => {
    const { page } = await open();
    const { cases } = await reportOf(page);
    const shown = await page.$$eval('#scenes details', (folds) =>
      folds.map((fold) => ({
        name: fold.querySelector('.name')?.textContent,
        hash: fold.querySelector('summary code')?.textContent,
        rows: [...fold.querySelectorAll('tbody tr')].map((row) =>
          [...row.children].map(({ textContent }) => textContent),
        ),
      })),
    );
    const expected = OPTIONS.scenes.map((scene) => {
      const own = cases.filter((one) => one.scene === scene);
      return {
        name: `${scene} 2D, 64 particles`,
        hash: own.find(({ check }) => check === 'repeats')?.hash,
        rows: own.map(({ check, detail }) => [check, 'pass', detail]),
      };
    });
    expect(shown).toEqual(expected);
    for (const { hash } of shown) expect(hash).toMatch(/^[0-9a-f]{16}$/);
  });

  browserTest(
    'finds what Node finds, with equal figures in all checks that do not depend on rounding',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      const { cases } = await reportOf(page);
      const inNode = await runInNode();
      const exact = ({ check, detail, ...rest }: VerifyCase) => ({
        ...rest,
        check,
        detail: ROUNDED.test(check) ? '' : detail,
        hash: undefined,
      });
      expect(cases.map(exact)).toEqual(inNode.map(exact));
      const hashes = [cases, inNode].map((list) => list.flatMap(({ hash }) => hash ?? []).join(' '));
      // Another build of Dawn or of the driver may compile a shader differently, so the hashes may differ.
      console.info(
        `hashes in Chrome ${hashes[0]}: ${hashes[0] === hashes[1] ? 'the same' : hashes[1]} in Node`,
      );
    },
  );

  browserTest('copies its report as JSON, and shows all checks at once', { tags: 'full' }, async () => {
    const { page } = await open();
    await page.evaluate(() => {
      navigator.clipboard.writeText = async (text) => {
        document.body.dataset.copied = text;
      };
    });
    await page.click('#copy');
    await page.waitForSelector('[data-copied]');
    expect(JSON.parse(await page.$eval('body', (body) => body.dataset.copied ?? ''))).toEqual(
      await reportOf(page),
    );
    expect(await textOf(page, 'status')).toBe('The JSON is on the clipboard.');
    const countOpen = () => page.$$eval('#scenes details[open]', ({ length }) => length);
    expect(await countOpen()).toBe(0);
    await page.click('#fold');
    expect(await countOpen()).toBe(OPTIONS.scenes.length);
    await page.click('#fold');
    expect(await countOpen()).toBe(0);
  });

  browserTest('fits a wide window (light theme) and a phone (dark)', { tags: 'full' }, async () => {
    const { page } = await open();
    await page.click('#fold');
    for (const [width, height, theme] of [
      [1280, 900, 'light'],
      [390, 844, 'dark'],
    ] as const) {
      await page.setViewport({ width, height });
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
      await expectFits(page);
      await takePicture(page, `verify-${width}-${theme}`);
    }
    await page.setViewport({ width: 1280, height: 900 });
    await page.click('#fold');
  });

  browserTest(
    'shows the choices that its address contains, and starts again with other choices',
    { tags: 'full' },
    async () => {
      const { page } = await browser.openPage(`verify.html?${QUERY}`, { width: 1280, height: 900 });
      await page.waitForSelector('input[name="scene"]');
      const chosen = () =>
        page.$$eval('input:checked', (boxes) => boxes.map((box) => (box as HTMLInputElement).value));
      expect(await chosen()).toEqual(['lattice', 'mixed', '2']);
      await page.click('#plan summary');
      await page.click('input[value="mixed"]');
      await page.$eval('#steps', (input) => {
        (input as HTMLInputElement).value = '2';
      });
      await Promise.all([page.waitForNavigation(), page.click('#plan button')]);
      expect(new URL(page.url()).search).toBe('?scene=lattice&dimensions=2&count=64&steps=2');
      const { cases } = await reportOf(page);
      expect(cases.find(({ check }) => check === 'repeats')?.detail).toMatch(/ after 2 steps$/);
    },
  );

  browserTest('opens the scene of a mismatch, and shows the first difference', { tags: 'full' }, async () => {
    const { page } = await browser.openPage('verify.html?scene=lattice&dimensions=2&count=4', {
      prepare: async (fresh) => {
        await fresh.evaluateOnNewDocument(spoilAnswers);
      },
    });
    const { cases } = await reportOf(page);
    expect(await textOf(page, 'verdict-title')).toBe('Mismatch');
    expect(await textOf(page, 'conclusion')).toContain(
      `${cases.length - 1} of ${cases.length} checks passed`,
    );
    expect(await textOf(page, 'remarks')).toBe('lattice 2D, 4 particles, list: pair 3 is 7 and 12');
    expect(await page.$$eval('#scenes [open] tr[data-pass="false"]', ({ length }) => length)).toBe(1);
  });

  browserTest('stops when the visitor says so', { tags: 'full' }, async () => {
    const { page } = await browser.openPage('verify.html?count=1');
    await page.waitForFunction(() => document.querySelector('#scenes details'));
    await page.click('#go');
    const report = await reportOf(page);
    expect(report).toMatchObject({ pass: false, error: 'The run was stopped.' });
    expect(report.cases.length).toBeGreaterThan(0);
  });

  browserTest.for([
    ['count=many', /^count is many, but it must be a whole number\.$/],
    ['count=-1', /^count is -1, but it must be/],
    ['scene=nope', /^scene is "nope", but it must be one of uniform, /],
    ['dimensions=4', /^dimensions is 4, but it must be 2, 3 or 2,3\.$/],
    ['speed=3', /^The address has the parameter speed, but this page accepts scene, dimensions, /],
  ] as const)('says what is wrong with %s', async ([query, message]) => {
    const { page } = await browser.openPage(`verify.html?${query}`);
    const { error, pass } = await reportOf(page);
    expect(error).toMatch(message);
    expect(pass).toBe(false);
    expect(await textOf(page, 'conclusion')).toBe(error);
  });

  browserTest('says so if the browser has no WebGPU', async () => {
    const { page } = await browser.openPage('verify.html?count=4', {
      prepare: async (fresh) => {
        await fresh.setBypassCSP(true);
        await fresh.evaluateOnNewDocument(hideWebGpu);
      },
    });
    const error = 'This browser has no WebGPU.';
    expect(await reportOf(page)).toMatchObject({ pass: false, cases: [], error });
    expect(await textOf(page, 'verdict-title')).toBe('No result');
    expect(await textOf(page, 'conclusion')).toBe(error);
  });
});
