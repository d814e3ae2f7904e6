/** Tests the built pages: without a GPU, in windows of many sizes, in both themes; file sizes and content policy. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { SerializedAXNode } from 'puppeteer';
import { describe, expect } from 'vitest';
import { browserTest, useBrowser } from '../helpers/browser';
import { findPoorContrast } from './contrast';
import {
  chooseOption,
  chooseScene,
  colourDistance,
  describeScenery,
  expectAllDrawn,
  expectTruePicture,
  FEW,
  openPlayground,
  pixelAt,
  SOME,
  settle,
  stepTimes,
  TOLERANCE,
  takePicture,
  textOf,
  toggle,
  typeCount,
} from './playground';

describe('the page without a GPU', () => {
  const browser = useBrowser({ serve: 'build' });

  browserTest('runs on the CPU if WebGPU is missing', async () => {
    const opened = await openPlayground(browser, {
      count: SOME,
      before: () => Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined }),
    });
    const { page, expectNoProblems } = opened;
    expect(await textOf(page, 'badge')).toBe('CPU engine');
    expect(await textOf(page, 'engine-note')).toMatch(/no WebGPU.*CPU engine/);
    expect(await page.$eval('#badge', (badge) => badge.getBoundingClientRect().width)).toBeGreaterThan(40);
    await chooseScene(page, 'gas');
    await stepTimes(page, 3);
    expect(await page.evaluate(() => window.cellstorm?.simulation?.backend)).toBe('cpu');
    // The 2D canvas rounds values to 32 colours, so a pixel may differ more.
    await expectTruePicture(opened, 'cpu', 3 * TOLERANCE);
    await chooseOption(page, 'dimensions', '3D');
    await stepTimes(page, 2);
    await expectAllDrawn(opened, 'cpu-space', 25);
    await typeCount(page, FEW);
    await chooseScene(page, 'crates');
    await expectAllDrawn(opened, 'cpu-boxes-space', 25);
    await chooseOption(page, 'dimensions', '2D');
    await stepTimes(page, 1);
    await expectTruePicture(opened, 'cpu-boxes', 3 * TOLERANCE);
    expectNoProblems();
  });

  browserTest('distinguishes a missing adapter from missing WebGPU', async () => {
    const { page, expectNoProblems } = await openPlayground(browser, {
      count: SOME,
      before: () => {
        GPU.prototype.requestAdapter = async () => null;
      },
    });
    expect(await textOf(page, 'engine-note')).toMatch(/no graphics adapter.*CPU engine/);
    expect(await page.evaluate(() => window.cellstorm?.simulation?.backend)).toBe('cpu');
    expectNoProblems();
  });

  browserTest('reports an insecure context', async () => {
    const { page } = await openPlayground(browser, {
      count: SOME,
      before: () => {
        Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined });
        Object.defineProperty(window, 'isSecureContext', { get: () => false });
      },
    });
    expect(await textOf(page, 'engine-note')).toMatch(/https or localhost.*CPU engine/);
  });

  browserTest('runs on the CPU if the GPU rejects a shader', async () => {
    const { page } = await openPlayground(browser, {
      count: SOME,
      before: () => {
        GPUDevice.prototype.createComputePipelineAsync = async () => {
          throw new Error('refused for the test');
        };
      },
    });
    expect(await textOf(page, 'engine-note')).toMatch(/refused for the test.*CPU engine/);
    expect(await page.evaluate(() => window.cellstorm?.simulation?.backend)).toBe('cpu');
    await stepTimes(page, 1);
  });
});

describe('the layout of the page', () => {
  const browser = useBrowser({ serve: 'build' });

  browserTest('fits a phone', async () => {
    const opened = await openPlayground(browser, {
      width: 390,
      height: 844,
      pixelRatio: 2,
      isPhone: true,
    });
    const { page, expectNoProblems } = opened;
    const overflow = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return Math.max(scrollWidth - clientWidth, document.body.scrollWidth - document.body.clientWidth);
    });
    expect(overflow).toBeLessThanOrEqual(0);
    // Scrolling within the panel does not scroll the window.
    const top = await page.$eval('#scale-open', (button) => {
      button.scrollIntoView({ block: 'center' });
      return document.querySelector('#title')?.getBoundingClientRect().top ?? 0;
    });
    expect(top).toBeGreaterThan(844 * 0.38);
    expect(await page.evaluate(findUnreachable)).toEqual([]);
    // The panel leaves the picture at least 38% of the screen's height.
    const { free } = await describeScenery(page);
    expect(free.height / 2).toBeGreaterThan(844 * 0.38);
    await takePicture(page, 'phone');
    // The key to the overlays is one line of samples until it is opened.
    for (const name of ['cellLines', 'thread']) {
      await page.$eval(`#${name}`, (input) => (input as HTMLElement).click());
    }
    await settle(page);
    const keyHeight = () => page.$eval('.key', (key) => key.getBoundingClientRect().height);
    expect(await page.$$eval('#overlay-samples span', (samples) => samples.length)).toBe(2);
    expect(await keyHeight()).toBeLessThan(44);
    await takePicture(page, 'phone-key');
    await page.tap('#overlay-fold summary');
    expect(await keyHeight()).toBeGreaterThan(60);
    expect(await page.$eval('#overlay-key', (list) => list.getBoundingClientRect().height)).toBeGreaterThan(
      40,
    );
    for (const name of ['cellLines', 'thread']) {
      await page.$eval(`#${name}`, (input) => (input as HTMLElement).click());
    }
    // A tap shows hints, too.
    await page.tap('#boxWidth');
    expect(await page.$eval('.tip.seen', (tip) => tip.textContent)).toBe("Multiple of the scene's width");
    await takePicture(page, 'phone-hint');
    await page.$eval('#boxWidth', (input) => (input as HTMLElement).blur());
    expect(await page.$('.tip.seen')).toBeNull();
    await settle(page);
    // Folding the panel makes room for the picture.
    await page.click('#fold');
    await settle(page);
    const folded = await describeScenery(page);
    expect(folded.free.height).toBeGreaterThan(free.height * 1.4);
    await expectTruePicture(opened, 'phone-folded');
    expectNoProblems();
  });

  browserTest('shows the focus, is readable in both themes and fits a low window', async () => {
    const opened = await openPlayground(browser, { theme: 'dark', count: SOME });
    const { page, expectNoProblems } = opened;
    const unmarked: string[] = [];
    const visited = new Set<string>();
    const hints: Record<string, readonly (string | null)[]> = {};
    for (let press = 0; press < 50; press++) {
      await page.keyboard.press('Tab');
      const focus = await page.evaluate(() => {
        const active = document.activeElement;
        if (!active || active === document.body) return undefined;
        const style = getComputedStyle(active);
        const tip = document.querySelector('.tip.seen');
        return {
          // The visible hint, and the description for screen readers.
          hints: [
            tip && tip.getBoundingClientRect().width > 0 ? tip.textContent : null,
            document.getElementById(active.getAttribute('aria-describedby') ?? '')?.textContent ?? null,
          ],
          name: active.id || active.textContent || active.tagName,
          isMarked: style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) >= 2,
        };
      });
      if (!focus || visited.has(focus.name)) continue;
      visited.add(focus.name);
      hints[focus.name] = focus.hints;
      if (!focus.isMarked) unmarked.push(focus.name);
    }
    expect(unmarked).toEqual([]);
    for (const name of [
      'play',
      'step',
      'reset',
      'back',
      'scene',
      'count',
      'count-slider',
      'dimensions',
      'broadPhase',
      'colour',
      'fit',
      'help-open',
    ]) {
      expect(visited).toContain(name);
    }
    for (const [name, hint] of [
      ['size', 'Multiple of the radii in the scene'],
      ['boxWidth-slider', "Multiple of the scene's width"],
      ['heatMap', 'How many particles are in each cell; in 3D above each cell of the floor'],
      ['fit', 'Fit the picture (F)'],
    ] as const) {
      expect(hints[name], name).toEqual([hint, hint]);
    }
    expect(hints.count).toEqual(['Up to 1,000,000 on this engine', 'Up to 1,000,000 on this engine']);
    expect(Object.values(hints)).toContainEqual([null, null]);
    expect(await page.$$eval('main [title]', (titled) => titled.length)).toBe(0);
    // A disabled control shows the reason.
    await chooseScene(page, 'crates');
    const reason = await page.$eval('#spread', (input) => {
      const note = document.getElementById(input.getAttribute('aria-describedby') ?? '');
      return {
        isDisabled: (input as HTMLInputElement).disabled,
        text: note?.textContent,
        height: note?.offsetHeight,
      };
    });
    expect(reason).toEqual({
      isDisabled: true,
      text: 'This scene has radii of its own.',
      height: expect.toSatisfy((height: number) => height > 10),
    });

    await chooseScene(page, 'pile');
    await stepTimes(page, 2);
    await expectTruePicture(opened, 'theme-dark');
    expect(Math.max(...(await describeScenery(page)).theme.background)).toBeLessThan(0.15);
    expect(await page.evaluate(findPoorContrast)).toEqual([]);
    // A changed theme shows at once.
    await page.emulateMediaFeatures([
      { name: 'prefers-color-scheme', value: 'light' },
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ]);
    await page.waitForFunction(() => window.cellstorm?.frame?.theme.isDark === false);
    await settle(page);
    await expectTruePicture(opened, 'theme-light');
    const { theme, free } = await describeScenery(page);
    expect(Math.max(...theme.background)).toBeGreaterThan(0.85);
    const pixel = pixelAt(await takePicture(page, 'theme-changed'), free.x + free.width - 4, free.y + 4);
    expect(colourDistance(pixel, theme.background)).toBeLessThanOrEqual(TOLERANCE);
    expect(await page.evaluate(findPoorContrast)).toEqual([]);
    await page.setViewport({ width: 844, height: 390 });
    await settle(page);
    expect(await page.evaluate(findUnreachable)).toEqual([]);
    await takePicture(page, 'landscape');
    // On such a low screen the key to the overlays stays folded, and the help can be closed when scrolled to its end.
    await toggle(page, 'cellLines', 'heatMap', 'contactLines');
    expect(await page.$eval('.key', (key) => key.getBoundingClientRect().height)).toBeLessThan(44);
    await page.keyboard.press('?');
    const closing = await page.$eval('#help', (sheet) => {
      sheet.scrollTop = sheet.scrollHeight;
      const { left, top, width, height } = (
        document.getElementById('help-close') as HTMLElement
      ).getBoundingClientRect();
      const middle = [left + width / 2, top + height / 2] as const;
      return { scrolled: sheet.scrollTop, hit: document.elementFromPoint(...middle)?.id };
    });
    expect(closing).toEqual({ scrolled: expect.toSatisfy((top: number) => top > 100), hit: 'help-close' });
    // A click beside the sheet closes it, too.
    await page.mouse.click(4, 4);
    expect(await page.$$eval('dialog[open]', (sheets) => sheets.length)).toBe(0);
    // Parts that cover the picture never overlap each other.
    for (const [width, height] of OVERLAID) {
      await page.setViewport({ width, height });
      await settle(page);
      expect(await page.evaluate(findOverlaps), `${width} × ${height}`).toEqual([]);
    }
    // Colours with a meaning stay when the system forces all other colours.
    const session = await page.createCDPSession();
    await session.send('Emulation.setEmulatedMedia', {
      features: [
        { name: 'forced-colors', value: 'active' },
        { name: 'prefers-reduced-motion', value: 'reduce' },
      ],
    });
    expect(await page.evaluate(() => matchMedia('(forced-colors: active)').matches)).toBe(true);
    const painted = await page.evaluate(() => {
      const heat = document.querySelector('#overlay-key [data-overlay=heatMap]') as Element;
      const contact = document.querySelector('#overlay-key [data-overlay=contactLines]') as Element;
      return {
        legend: getComputedStyle(document.getElementById('legend-bar') as Element).backgroundImage,
        heat: getComputedStyle(heat, '::before').backgroundImage,
        contact: getComputedStyle(contact, '::before').borderTopColor,
      };
    });
    expect(painted).toEqual({
      legend: expect.stringContaining('gradient'),
      heat: expect.stringContaining('gradient'),
      contact: 'rgb(201, 42, 42)',
    });
    // Outlines that mark something stay, too.
    await page.keyboard.press('i');
    await page.waitForSelector('.probe .own');
    expect(await page.$eval('.probe .own', (cell) => getComputedStyle(cell).outlineStyle)).toBe('solid');
    await takePicture(page, 'forced-colours');
    expectNoProblems();
  });
});

/** Window sizes in CSS pixels in which many parts cover the picture: phones, and both sides of each layout change. */
const OVERLAID = [
  [320, 568],
  [374, 667],
  [375, 667],
  [519, 700],
  [520, 700],
  [800, 500],
  [844, 390],
  [1000, 620],
  [1180, 700],
] as const;

/** Runs in the page: returns the pairs of parts that cover the picture and overlap each other. */
function findOverlaps(): string[] {
  const parts = [...document.querySelectorAll<HTMLElement>('.corner button, #legend, #overlay-fold, .panel')]
    .map((element) => ({
      name: element.id || element.className,
      box: element.getBoundingClientRect(),
    }))
    .filter(({ box }) => box.width > 0);
  return parts.flatMap(({ name, box }, index) =>
    parts
      .slice(index + 1)
      .filter(
        ({ box: other }) =>
          box.left < other.right &&
          other.left < box.right &&
          box.top < other.bottom &&
          other.top < box.bottom,
      )
      .map((other) => `${name} and ${other.name}`),
  );
}

/**
 * Limits in bytes after gzip: the page with what it loads before its first picture; the page with what it loads before
 * any input, on a screen that shows every part; the folder with playground and explainer. The folder also holds the
 * grid's searches as separate files, which the page does not load.
 */
const MOST_LOADED = 125_000;
const MOST_UNTOUCHED = 150_000;
const MOST_IN_FOLDER = 372_000;
/** Files that the folder's limit leaves out: pictures of presets, the recorder of exact films and the benchmark. */
const LEFT_OUT = /\.webp$|^(exact-film|bench)[-.]/;

/** Roles of elements that need an accessible name. */
const CONTROLS = new Set([
  ...[
    'button',
    'link',
    'checkbox',
    'radio',
    'slider',
    'combobox',
    'textbox',
    'spinbutton',
    'image',
    'dialog',
  ],
]);

/** Directives of the content policy that must each refuse something: inline code or styles, or foreign content. */
const POLICED = [
  'connect-src',
  'frame-src',
  'img-src',
  'script-src-attr',
  'script-src-elem',
  'style-src-attr',
];

/** The Trusted Types factory of browsers: makes trusted markup, scripts and script addresses. */
interface TrustMaker {
  createPolicy(
    name: string,
    rules: Readonly<Record<'createHTML' | 'createScript' | 'createScriptURL', (given: string) => string>>,
  ): typeof rules;
}

/** Returns the bytes of each file after gzip. */
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

describe('the built page', () => {
  const browser = useBrowser({ serve: 'build' });

  browserTest('paints from a sub-path and loads no more than the limits', async () => {
    const opened = await browser.openPage('./', { width: 1440, height: 900 });
    const { page, expectNoProblems } = opened;
    expect(new URL(page.url()).pathname).toBe('/some/folder/');
    expect(await page.title()).toMatch(/cellstorm/i);
    await page.evaluate(() => window.cellstorm?.ready);
    // The last part that loads without input.
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
    const early = bytesOf((name) => name === 'index.html' || loaded.includes(name));
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
    await page.setViewport({ width: 900, height: 620 });
    await page.waitForFunction(() => (window.cellstorm?.simulation?.time ?? 0) > 0.05);
    await page.click('#play');
    await settle(page);
    await expectTruePicture(opened, 'built');
    // The CPU engine is a separate file.
    await chooseOption(page, 'engine', 'CPU');
    expect(await textOf(page, 'badge')).toBe('CPU engine');
    expect(await page.evaluate(() => window.cellstorm?.simulation?.backend)).toBe('cpu');
    expectNoProblems();

    // A part that failed to load is requested again.
    await page.focus('#play');
    await page.setOfflineMode(true);
    await page.keyboard.press('g');
    await settle(page);
    expect(await textOf(page, 'notice')).toMatch(/^A part of the page could not be loaded/);
    await chooseOption(page, 'dimensions', '3D');
    expect(await textOf(page, 'notice')).toMatch(/^A part of the page could not be loaded/);
    expect(await page.evaluate(() => window.cellstorm?.simulation?.dimensions)).toBe(2);
    // Controls that need no missing part still work.
    await chooseOption(page, 'pointer', 'Push particles');
    expect(await textOf(page, 'notice')).toMatch(/^A part of the page could not be loaded/);
    await chooseOption(page, 'colour', 'Id');
    expect(await textOf(page, 'legend-title')).toBe('Id');
    await page.setOfflineMode(false);
    await chooseOption(page, 'dimensions', '3D');
    expect(await page.evaluate(() => window.cellstorm?.simulation?.dimensions)).toBe(3);
    await page.focus('#play');
    await page.keyboard.press('g');
    await settle(page);
    expect(await page.$eval('#presets', (sheet) => (sheet as HTMLDialogElement).open)).toBe(true);
  });

  browserTest(
    'starts the benchmark from a sub-path, with a worker that shares the engine with the page',
    async () => {
      const { page, expectNoProblems } = await browser.openPage('bench.html', { width: 900, height: 620 });
      await page.waitForFunction(() => !document.querySelector<HTMLButtonElement>('#go')?.disabled);
      expect(await page.$$eval('#cpu-engines input', (boxes) => boxes.length)).toBeGreaterThan(1);
      expect(await page.$eval('#gpu-engines input', (box) => (box as HTMLInputElement).disabled)).toBe(false);
      expectNoProblems();
    },
  );

  browserTest(
    'enforces its content policy, names every control and has readable texts on every route',
    async () => {
      for (const path of [`./?v=1&count=${FEW}&paused=1`, 'explainer.html', 'bench.html']) {
        const { page } = await browser.openPage(path, { width: 900, height: 620 });
        await page.waitForFunction(() => document.querySelector('main button:not([disabled])'));
        for (const theme of ['light', 'dark']) {
          await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
          expect(await page.evaluate(findPoorContrast), `${path}, ${theme}`).toEqual([]);
        }
        const nameless: string[] = [];
        const visit = ({ role, name, children }: SerializedAXNode) => {
          if (CONTROLS.has(role) && !name?.trim()) nameless.push(role);
          children?.forEach(visit);
        };
        visit((await page.accessibility.snapshot({ interestingOnly: false })) as SerializedAXNode);
        expect(nameless, path).toEqual([]);
        // The policy blocks inline scripts and styles, and scripts, pictures, frames and requests of other origins.
        // It also refuses a string as markup if no Trusted Types policy has made it trusted.
        const refused = await page.evaluate(async (wanted) => {
          const directives = new Set<string>();
          document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
            directives.add(effectiveDirective);
          });
          const markup =
            '<img src="https://other.example/x.png" onerror="window.broken = true" style="color: red"><iframe src="https://other.example/"></iframe>';
          let asMarkup = 'taken';
          try {
            document.body.insertAdjacentHTML('beforeend', markup);
          } catch {
            asMarkup = 'refused';
          }
          // The policy must hold even for markup that was made trusted.
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
          const end = performance.now() + 5000;
          const isIn = (name: string) => directives.has(name);
          while (!wanted.every(isIn) && performance.now() < end)
            await new Promise((done) => setTimeout(done, 20));
          return { asMarkup, missing: wanted.filter((name) => !isIn(name)), isBroken: 'broken' in window };
        }, POLICED);
        // The benchmark starts its worker from a URL that is not trusted, so its page cannot require Trusted Types.
        const asMarkup = path === 'bench.html' ? 'taken' : 'refused';
        expect(refused, path).toEqual({ asMarkup, missing: [], isBroken: false });
      }
    },
  );

  browserTest('shows the explainer from a sub-path, without an engine', async () => {
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

/** Runs in the page: returns the controls that are under 20px high, or that scrolling leaves out of view or covered. */
function findUnreachable(): string[] {
  const controls = document.querySelectorAll(
    'main :is(button, input, select):not(.lil-closed > .lil-children *, [hidden] *)',
  );
  return [...controls].flatMap((control) => {
    control.scrollIntoView({ block: 'nearest' });
    const { left, top, width, height } = control.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    const isInside = left >= 0 && left + width <= innerWidth && top >= 0 && top + height <= innerHeight;
    const isHit = hit !== null && (hit === control || control.contains(hit) || hit.contains(control));
    return isInside && isHit && height >= 20 ? [] : [control.id || control.outerHTML];
  });
}
