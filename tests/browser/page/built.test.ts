import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { SerializedAXNode } from 'puppeteer';
import { describe, expect } from 'vitest';
import { browserTest, useBrowser } from '../../helpers/browser';
import { findPoorContrast } from '../contrast';
import { arrange, chooseOption, isOpen, openPlayground, settle, textOf } from '../playground';

const QUICK = '?v=1&count=100&engine=cpu&paused=1';
const PAGES = [
  `./${QUICK}`,
  'explainer.html',
  'bench.html',
  'verify.html?scene=lattice&dimensions=2&count=4',
  'lockstep.html',
];

/**
 * Limits in bytes after gzip:
 * - MOST_LOADED: what the page loads before its first picture;
 * - MOST_UNTOUCHED: what the page loads without input on a screen that shows every part;
 * - MOST_IN_FOLDER: the folder of playground and explainer, which also holds the grid's searches as separate files.
 */
const MOST_LOADED = 125_000;
const MOST_UNTOUCHED = 152_000;
const MOST_IN_FOLDER = 450_000;
/** Files that the folder's limit leaves out: pictures of presets, the recorder of exact films, and the other pages. */
const LEFT_OUT = /\.webp$|^(exact-film|bench|verify|lockstep)[-.]/;

/** Roles of elements that need an accessible name. */
const CONTROLS = new Set([
  ...['button', 'link', 'checkbox', 'radio', 'slider'],
  ...['combobox', 'textbox', 'spinbutton', 'image', 'dialog'],
]);

/** Directives of the content policy that must each refuse something. */
const POLICED = [
  'connect-src',
  'frame-src',
  'img-src',
  'script-src-attr',
  'script-src-elem',
  'style-src-attr',
];

interface TrustMaker {
  createPolicy(
    name: string,
    rules: Readonly<Record<'createHTML' | 'createScript' | 'createScriptURL', (given: string) => string>>,
  ): typeof rules;
}

async function weighFolder(folder: string): Promise<Map<string, number>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return new Map(
    await Promise.all(
      files.map(async ({ name, parentPath }) => {
        const content = await readFile(join(parentPath, name));
        return [name, gzipSync(content).length] as const;
      }),
    ),
  );
}

declare global {
  interface Window {
    /** Directives that have refused something. */
    violated?: string[];
  }
}

/** Runs in the page: inserts inline and foreign content. Returns whether a string was accepted as markup. */
async function attack(): Promise<'taken' | 'refused'> {
  window.violated = [];
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
    window.violated?.push(effectiveDirective);
  });
  const markup =
    '<img src="https://other.example/x.png" onerror="window.broken = true" style="color: red"><iframe src="https://other.example/"></iframe>';
  let asMarkup: 'taken' | 'refused' = 'taken';
  try {
    document.body.insertAdjacentHTML('beforeend', markup);
  } catch {
    asMarkup = 'refused';
  }
  // The policy must hold even for trusted markup.
  const { trustedTypes } = window as unknown as { trustedTypes: TrustMaker };
  const trust = <Given>(given: Given) => given;
  const trusted = trustedTypes.createPolicy('test', {
    createHTML: trust,
    createScript: trust,
    createScriptURL: trust,
  });
  document.body.insertAdjacentHTML('beforeend', trusted.createHTML(markup));
  const script = document.createElement('script');
  script.textContent = trusted.createScript('window.broken = true');
  const foreign = document.createElement('script');
  foreign.src = trusted.createScriptURL('https://other.example/x.js');
  document.body.append(script, foreign);
  await fetch('https://other.example/x.json').catch(() => undefined);
  return asMarkup;
}

describe('the built page', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) => openPlayground(opener, { query: QUICK }));

  browserTest('loads no more bytes than the limits allow, and works in a subfolder of a site', async () => {
    const { page, expectNoProblems } = await browser.openPage('./?engine=gpu', {
      width: 1440,
      height: 900,
    });
    expect(new URL(page.url()).pathname).toBe('/some/folder/');
    expect(await page.title()).toMatch(/cellstorm/i);
    await page.evaluate(() => window.cellstorm?.ready);
    // Wait for the last part that loads without input.
    await page.waitForSelector('#stages-plot canvas');
    const { loaded, untouched } = await page.evaluate(() => {
      const [picture] = performance.getEntriesByName('cellstorm:first-picture');
      const end = picture ? picture.startTime + picture.duration : 0;
      const parts = performance.getEntriesByType('resource');
      const names = (entries: PerformanceEntryList) =>
        entries.map(({ name }) => new URL(name).pathname.split('/').at(-1) as string);
      return { loaded: names(parts.filter(({ startTime }) => startTime < end)), untouched: names(parts) };
    });
    const sizes = await weighFolder(browser.folder as string);
    const bytesOf = (isCounted: (name: string) => boolean) =>
      [...sizes].reduce((sum, [name, bytes]) => sum + (isCounted(name) ? bytes : 0), 0);
    // Count the file that measures the device, too. Only an address without choices loads it.
    const measuring = (name: string) => /^first-minute-/.test(name);
    expect([...sizes.keys()].filter(measuring)).toHaveLength(1);
    const early = bytesOf((name) => name === 'index.html' || loaded.includes(name) || measuring(name));
    const alone = bytesOf((name) => name === 'index.html' || untouched.includes(name));
    const whole = bytesOf((name) => !LEFT_OUT.test(name));
    console.info(
      `bytes after gzip: ${early} until the first picture, ${alone} without input, ${whole} in the folder`,
    );
    expect(loaded.length).toBeGreaterThan(5);
    expect(early).toBeLessThan(MOST_LOADED);
    expect(alone).toBeGreaterThan(early);
    expect(alone).toBeLessThan(MOST_UNTOUCHED);
    expect(whole).toBeLessThan(MOST_IN_FOLDER);
    expectNoProblems();
  });

  browserTest(
    'keeps its state if a part fails to load, and requests that part again at its next use',
    { tags: 'full' },
    async () => {
      // Requests fail on purpose, so the page may report problems.
      const { page } = await openPlayground(browser, { query: QUICK });
      const unloaded = /^A part of the page could not be loaded/;
      await page.setOfflineMode(true);
      await page.keyboard.press('g');
      await settle(page);
      expect(await textOf(page, 'notice')).toMatch(unloaded);
      await chooseOption(page, 'dimensions', '3D');
      expect(await textOf(page, 'notice')).toMatch(unloaded);
      expect(await page.evaluate(() => window.cellstorm?.simulation?.dimensions)).toBe(2);
      await chooseOption(page, 'pointer', 'Push particles');
      expect(await textOf(page, 'notice')).toMatch(unloaded);
      await chooseOption(page, 'colour', 'Id');
      expect(await textOf(page, 'legend-title')).toBe('Id');
      await page.setOfflineMode(false);
      await chooseOption(page, 'dimensions', '3D');
      expect(await page.evaluate(() => window.cellstorm?.simulation?.dimensions)).toBe(3);
      await page.focus('#play');
      await page.keyboard.press('g');
      await settle(page);
      expect(await isOpen(page, 'presets')).toBe(true);
    },
  );

  browserTest('can change to an engine whose code is in a separate file', async () => {
    const { page } = await open();
    await arrange(page, { engine: 'gpu' });
    expect(await page.evaluate(() => window.cellstorm?.simulation?.backend)).toBe('gpu');
    await chooseOption(page, 'engine', 'CPU');
    expect(await textOf(page, 'badge')).toBe('CPU engine');
    expect(await page.evaluate(() => window.cellstorm?.simulation?.backend)).toBe('cpu');
  });
});

describe.each(PAGES)('the built page %s', (path) => {
  const browser = useBrowser({ serve: 'build' });
  const open = async () => {
    const opened = await browser.openPage(path, { width: 900, height: 620 });
    await opened.page.waitForFunction(() => document.querySelector('main button:not([disabled])'));
    return opened;
  };

  browserTest('has readable texts in both themes, and labels all controls', { tags: 'case' }, async () => {
    const { page, expectNoProblems } = await open();
    for (const theme of ['light', 'dark']) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
      expect(await page.evaluate(findPoorContrast), theme).toEqual([]);
    }
    const nameless: string[] = [];
    const visit = ({ role, name, children }: SerializedAXNode) => {
      if (CONTROLS.has(role) && !name?.trim()) nameless.push(role);
      children?.forEach(visit);
    };
    visit((await page.accessibility.snapshot({ interestingOnly: false })) as SerializedAXNode);
    expect(nameless).toEqual([]);
    expectNoProblems();
  });

  browserTest(
    'refuses inline scripts and styles, and everything from other origins',
    { tags: 'case' },
    async () => {
      const { page } = await open();
      // These pages start their workers from URLs that are not trusted, so they cannot require Trusted Types.
      expect(await page.evaluate(attack)).toBe(/^(bench|verify|lockstep)/.test(path) ? 'taken' : 'refused');
      await expect
        .poll(() => page.evaluate(() => window.violated), { timeout: 60_000 })
        .toEqual(expect.arrayContaining(POLICED));
      expect(await page.evaluate(() => 'broken' in window)).toBe(false);
    },
  );
});

describe('the built explainer', () => {
  const browser = useBrowser({ serve: 'build' });

  browserTest('opens the linked step, loads under 100 kB of script, and links the playground', async () => {
    const { page, expectNoProblems } = await browser.openPage('explainer.html#sum-9', {
      width: 900,
      height: 620,
    });
    await page.waitForFunction(() => window.explainer?.step.stage === 'sum');
    expect(await textOf(page, 'place')).toBe('72 of 241');
    const scripts = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter(({ name }) => name.endsWith('.js'))
        .map((entry) => (entry as PerformanceResourceTiming).decodedBodySize),
    );
    expect(scripts.length).toBeGreaterThan(0);
    expect(scripts.reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000);
    expect(await page.$eval('#playground-link', (link) => (link as HTMLAnchorElement).href)).toBe(
      browser.url,
    );
    expectNoProblems();
  });
});
