/**
 * The page in a real browser: it paints what the simulation holds, every control does what it says, and it
 * goes on in words and pictures when the GPU does not.
 */
import { describe, expect } from 'vitest';
import type { Measures } from '../../src/core/simulation';
import { createScene } from '../../src/scenes';
import { browserTest, type OpenPage, useBrowser } from '../helpers/browser';
import {
  chooseRadio,
  chooseScene,
  colourDistance,
  compareWithState,
  countDifferences,
  describeScenery,
  openPlayground,
  pixelAt,
  settle,
  stepTimes,
  takePicture,
  textOf,
  typeCount,
} from './playground';

/** Of 255 a channel: rounding of the blend and of the screenshot. */
const TOLERANCE = 4;
/** Few enough for quick steps, many enough for a picture. */
const SOME = 600;
/** Of each kind one; all are made by the same call. */
const SHOWN = ['negative', 'periodic', 'mixed', 'terraces', 'mixed-bullets'];
/** Few enough that boxes are large. */
const FEW = 100;

async function measuresOf({ page }: OpenPage): Promise<Measures> {
  await settle(page);
  const measures = await page.evaluate(() => window.cellstorm?.measures);
  if (!measures) throw new Error('Nothing was measured.');
  return measures;
}

/** Particles have the colour of their speed, and where there are none is background. */
async function expectTruePicture({ page }: OpenPage, name: string, tolerance = TOLERANCE): Promise<void> {
  const scenery = await describeScenery(page);
  const image = await takePicture(page, name);
  const compared = compareWithState(image, scenery, tolerance);
  expect(compared.particles, `${name}: particles of the right colour`).toBeGreaterThan(0.98);
  expect(compared.boxes, `${name}: boxes painted to their corners`).toBeGreaterThan(0.98);
  expect(compared.background, `${name}: background where nothing is`).toBeGreaterThan(0.999);
  expect(compared.backgroundPixels).toBeGreaterThan(1000);
}

/** In space, something is painted in the middle of every particle. */
async function expectAllDrawn({ page }: OpenPage, name: string, least: number): Promise<void> {
  const { points, count, theme } = await describeScenery(page);
  const image = await takePicture(page, name);
  const drawn = points.filter(([x, y]) => colourDistance(pixelAt(image, x, y), theme.background) > least);
  expect(drawn.length, name).toBe(count);
}

describe('the page', () => {
  const browser = useBrowser();

  browserTest('plays, paints and complains about nothing', async () => {
    const opened = await openPlayground(browser, { reducedMotion: false, width: 1280, height: 800 });
    const { page, expectNoProblems } = opened;
    const firstPicture = await page.evaluate(
      () => performance.getEntriesByName('cellstorm:first-picture')[0]?.duration,
    );
    console.info(`first picture ${Math.round(firstPicture ?? Number.NaN)} ms after the script's start`);
    await page.waitForFunction(() => (window.cellstorm?.simulation?.time ?? 0) > 0.1);
    expect(await textOf(page, 'play-label')).toBe('Pause');
    await page.keyboard.press(' ');
    await settle(page);
    expect(await textOf(page, 'play-label')).toBe('Play');
    expect(await page.evaluate(() => window.cellstorm?.simulation?.backend)).toBe('gpu');
    await expectTruePicture(opened, 'wide-dark');
    expectNoProblems();
  });

  browserTest('stands still while paused and moves with a step', async () => {
    const { page, expectNoProblems } = await openPlayground(browser);
    expect(await textOf(page, 'notice')).toMatch(/less motion/);
    await typeCount(page, SOME);
    await stepTimes(page, 8);
    const { free } = await describeScenery(page);
    const first = await takePicture(page, 'paused-1');
    await new Promise((done) => setTimeout(done, 500));
    const second = await takePicture(page, 'paused-2');
    expect(countDifferences(first, second, free)).toBe(0);
    await stepTimes(page, 1);
    const third = await takePicture(page, 'stepped');
    expect(countDifferences(second, third, free)).toBeGreaterThan(200);
    expectNoProblems();
  });

  browserTest('shows scenes of every kind as they are', async () => {
    const opened = await openPlayground(browser);
    const { page, expectNoProblems } = opened;
    await typeCount(page, SOME);
    for (const name of SHOWN) {
      await chooseScene(page, name);
      const scene = createScene(name, { dimensions: 2, count: SOME });
      const got = await page.evaluate(async () => {
        const simulation = window.cellstorm?.simulation;
        const particles = await simulation?.read();
        const { positions = [], radii = [], halfExtents = [] } = particles ?? {};
        return {
          radius: simulation?.radius,
          positions: Array.from(positions),
          radii: Array.from(radii),
          halfExtents: Array.from(halfExtents),
        };
      });
      expect(got.radius, name).toBe(scene.radius);
      expect(got.positions, name).toEqual(Array.from(scene.positions));
      expect(got.radii, name).toEqual(Array.from(scene.radii ?? []));
      expect(got.halfExtents, name).toEqual(Array.from(scene.halfExtents ?? []));
      expect(await textOf(page, 'scene-hint')).toBe(scene.description);
    }
    // Apart from one another, so that no particle covers another one's middle.
    await chooseScene(page, 'gas');
    await stepTimes(page, 3);
    await expectTruePicture(opened, 'gas');
    await chooseScene(page, 'crates');
    await typeCount(page, FEW);
    await expectTruePicture(opened, 'boxes');
    expectNoProblems();
  });

  browserTest('draws spheres and boxes in space', async () => {
    const opened = await openPlayground(browser, { theme: 'light' });
    const { page, expectNoProblems } = opened;
    await typeCount(page, SOME);
    await chooseRadio(page, 'dimensions', '3');
    expect(await page.evaluate(() => window.cellstorm?.simulation?.dimensions)).toBe(3);
    await stepTimes(page, 3);
    const scenery = await describeScenery(page);
    const image = await takePicture(page, 'space-light');
    const { background, surface } = scenery.theme;
    const drawn = scenery.points.filter(([x, y]) => {
      const pixel = pixelAt(image, x, y);
      return colourDistance(pixel, background) > 40 && colourDistance(pixel, surface) > 40;
    });
    expect(drawn.length).toBe(scenery.count);
    const { x, y, width } = scenery.free;
    for (const [column, row] of [
      [x + 20, y + 20],
      [x + width - 20, y + 20],
    ] as const) {
      expect(colourDistance(pixelAt(image, column, row), background)).toBeLessThanOrEqual(TOLERANCE);
    }
    // Turning by key and by drag shows it from elsewhere.
    await page.focus('#stage canvas');
    await page.keyboard.press('ArrowLeft');
    await settle(page);
    const turned = await takePicture(page, 'space-turned');
    expect(countDifferences(image, turned, scenery.free)).toBeGreaterThan(1000);
    await page.mouse.move(600, 300);
    await page.mouse.down();
    await page.mouse.move(680, 320);
    await page.mouse.up();
    await settle(page);
    const dragged = await takePicture(page, 'space-dragged');
    expect(countDifferences(turned, dragged, scenery.free)).toBeGreaterThan(1000);
    await typeCount(page, FEW);
    await chooseScene(page, 'crates');
    await expectAllDrawn(opened, 'boxes-space', 40);
    expectNoProblems();
  });

  browserTest('finds the same by grid and by naive', async () => {
    const opened = await openPlayground(browser);
    const { page, expectNoProblems } = opened;
    await typeCount(page, SOME);
    const results: Record<string, Measures[]> = {};
    for (const broadPhase of ['grid', 'naive']) {
      await chooseRadio(page, 'broad-phase', broadPhase);
      expect(await page.evaluate(() => window.cellstorm?.simulation?.settings.broadPhase)).toBe(broadPhase);
      await page.click('#reset');
      await stepTimes(page, 12);
      const after = await measuresOf(opened);
      // The other broad phase measures the very same state.
      await chooseRadio(page, 'broad-phase', broadPhase === 'grid' ? 'naive' : 'grid');
      const crossed = await measuresOf(opened);
      expect([crossed.contacts, crossed.hash]).toEqual([after.contacts, after.hash]);
      results[broadPhase] = [after];
    }
    const [grid] = results.grid ?? [];
    const [naive] = results.naive ?? [];
    expect(grid?.contacts).toBeGreaterThan(0);
    expect(naive?.contacts).toBe(grid?.contacts);
    expect(naive?.hash).toBe(grid?.hash);
    expect(naive?.candidates).toBe((SOME * (SOME - 1)) / 2);
    expect(grid?.candidates).toBeLessThan(SOME * 10);
    expect(await textOf(page, 'hash')).toBe(grid?.hash);
    expect(await textOf(page, 'avoided')).toMatch(/^\d+\.\d+%$/);
    expectNoProblems();
  });

  browserTest('caps naive and says so, refuses counts that cannot be', async () => {
    const { page, expectNoProblems } = await openPlayground(browser);
    await typeCount(page, 4001);
    expect(await page.evaluate(() => window.cellstorm?.simulation?.count)).toBe(4001);
    await chooseRadio(page, 'broad-phase', 'naive');
    expect(await textOf(page, 'notice')).toMatch(/every pair.*capped.*grid takes more/);
    expect(await page.evaluate(() => window.cellstorm?.simulation?.count)).toBe(3000);
    await chooseRadio(page, 'broad-phase', 'grid');
    expect(await page.evaluate(() => window.cellstorm?.simulation?.count)).toBe(4001);
    expect(await textOf(page, 'notice')).toBe('');
    for (const wrong of ['7', '-5', '1.5', '99999999999']) {
      await typeCount(page, wrong);
      expect(await textOf(page, 'notice')).toMatch(/whole number from 100 to 16M/);
      expect(await page.evaluate(() => window.cellstorm?.simulation?.count)).toBe(4001);
      expect(await page.$eval('#count', (input) => (input as HTMLInputElement).value)).toBe('4001');
    }
    await page.focus('#count-slider');
    await page.keyboard.press('Home');
    await settle(page);
    expect(await page.evaluate(() => window.cellstorm?.simulation?.count)).toBe(100);
    expect(await textOf(page, 'particles')).toBe('100');
    expectNoProblems();
  });

  browserTest('says how many fit where a device is too small', async () => {
    const { page, expectNoProblems } = await openPlayground(browser, {
      before: () => {
        const limits = Object.getOwnPropertyDescriptor(GPUAdapter.prototype, 'limits')?.get;
        Object.defineProperty(GPUAdapter.prototype, 'limits', {
          get() {
            return new Proxy(limits?.call(this), {
              get: (target, name) =>
                /^max(StorageBufferBinding|Buffer)Size$/.test(String(name)) ? 2 ** 27 : target[name],
            });
          },
        });
      },
    });
    const before = await page.evaluate(() => window.cellstorm?.simulation?.count);
    await typeCount(page, 16_000_000);
    expect(await textOf(page, 'notice')).toMatch(/maxStorageBufferBindingSize.*at most \d+ particles/);
    expect(await page.evaluate(() => window.cellstorm?.simulation?.count)).toBe(before);
    expect(await page.$eval('#count', (input) => (input as HTMLInputElement).value)).toBe(String(before));
    await stepTimes(page, 1);
    expectNoProblems();
  });

  browserTest('obeys gravity, box width, reset and keys', async () => {
    const { page, expectNoProblems } = await openPlayground(browser);
    await typeCount(page, SOME);
    const width = () => page.evaluate(() => window.cellstorm?.simulation?.world.max[0] ?? 0);
    const time = () => page.evaluate(() => window.cellstorm?.simulation?.time ?? -1);
    const before = await width();
    await page.focus('#box-width');
    await page.keyboard.press('Home');
    await settle(page);
    expect(await width()).toBe(createScene('pile', { dimensions: 2, count: SOME }).max[0]);
    expect(await width()).toBeLessThan(before);
    await page.focus('#gravity');
    await page.keyboard.press('Home');
    expect(await page.evaluate(() => window.cellstorm?.simulation?.settings.gravity)).toEqual([0, 0]);
    expect(await textOf(page, 'gravity-value')).toBe('none');
    await page.keyboard.press('End');
    expect(await page.evaluate(() => window.cellstorm?.simulation?.settings.gravity)).toEqual([0, -20]);
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press('.');
    await page.keyboard.press('.');
    await settle(page);
    expect(await time()).toBeCloseTo(2 / 60, 6);
    await page.keyboard.press('r');
    await settle(page);
    expect(await time()).toBe(0);
    await page.keyboard.press(' ');
    await page.waitForFunction(() => (window.cellstorm?.simulation?.time ?? 0) > 0.05);
    await page.keyboard.press(' ');
    await settle(page);
    const stopped = await time();
    await new Promise((done) => setTimeout(done, 200));
    expect(await time()).toBe(stopped);
    expectNoProblems();
  });

  browserTest('goes on after its device is lost', async () => {
    const opened = await openPlayground(browser);
    const { page, expectNoProblems } = opened;
    await typeCount(page, SOME);
    await stepTimes(page, 2);
    await page.evaluate(() => window.cellstorm?.device?.destroy());
    await page.waitForFunction(() => /lost/.test(document.querySelector('#engine-note')?.textContent ?? ''));
    await settle(page);
    expect(await page.evaluate(() => window.cellstorm?.simulation?.backend)).toBe('gpu');
    await stepTimes(page, 3);
    await expectTruePicture(opened, 'after-loss');
    expectNoProblems();
  });
});

describe('without a GPU the page', () => {
  const browser = useBrowser();

  browserTest('runs on the CPU where WebGPU is missing', async () => {
    const opened = await openPlayground(browser, {
      before: () => Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined }),
    });
    const { page, expectNoProblems } = opened;
    expect(await textOf(page, 'badge')).toBe('CPU engine');
    expect(await textOf(page, 'engine-note')).toMatch(/no WebGPU.*CPU engine/);
    expect(await page.$eval('#badge', (badge) => badge.getBoundingClientRect().width)).toBeGreaterThan(40);
    await chooseScene(page, 'gas');
    await typeCount(page, SOME);
    await stepTimes(page, 3);
    expect(await page.evaluate(() => window.cellstorm?.simulation?.backend)).toBe('cpu');
    // The 2D canvas has 32 colours.
    await expectTruePicture(opened, 'cpu', 3 * TOLERANCE);
    await chooseRadio(page, 'dimensions', '3');
    await stepTimes(page, 2);
    await expectAllDrawn(opened, 'cpu-space', 25);
    await typeCount(page, FEW);
    await chooseScene(page, 'crates');
    await expectAllDrawn(opened, 'cpu-boxes-space', 25);
    await chooseRadio(page, 'dimensions', '2');
    await stepTimes(page, 1);
    await expectTruePicture(opened, 'cpu-boxes', 3 * TOLERANCE);
    expectNoProblems();
  });

  browserTest('tells a missing adapter from a missing WebGPU', async () => {
    const { page, expectNoProblems } = await openPlayground(browser, {
      before: () => {
        GPU.prototype.requestAdapter = async () => null;
      },
    });
    expect(await textOf(page, 'engine-note')).toMatch(/no graphics adapter.*CPU engine/);
    expect(await page.evaluate(() => window.cellstorm?.simulation?.backend)).toBe('cpu');
    expectNoProblems();
  });

  browserTest('tells an insecure context', async () => {
    const { page } = await openPlayground(browser, {
      before: () => {
        Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined });
        Object.defineProperty(window, 'isSecureContext', { get: () => false });
      },
    });
    expect(await textOf(page, 'engine-note')).toMatch(/https and localhost.*CPU engine/);
  });

  browserTest('takes the CPU where the GPU refuses a shader', async () => {
    const { page } = await openPlayground(browser, {
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
  const browser = useBrowser();

  for (const theme of ['light', 'dark'] as const) {
    browserTest(`is ${theme} throughout and readable`, async () => {
      const opened = await openPlayground(browser, { theme });
      const { page, expectNoProblems } = opened;
      await typeCount(page, SOME);
      await stepTimes(page, 2);
      await expectTruePicture(opened, `theme-${theme}`);
      const { theme: colours } = await describeScenery(page);
      const brightness = Math.max(...colours.background);
      if (theme === 'light') expect(brightness).toBeGreaterThan(0.85);
      else expect(brightness).toBeLessThan(0.15);
      const poor = await page.evaluate(findPoorContrast);
      expect(poor).toEqual([]);
      expectNoProblems();
    });
  }

  browserTest('changes with the theme while it is open', async () => {
    const { page } = await openPlayground(browser, { theme: 'dark' });
    await page.emulateMediaFeatures([
      { name: 'prefers-color-scheme', value: 'light' },
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ]);
    await page.waitForFunction(() => window.cellstorm?.frame?.theme.isDark === false);
    await settle(page);
    const { theme, free } = await describeScenery(page);
    expect(theme.isDark).toBe(false);
    const image = await takePicture(page, 'theme-changed');
    const pixel = pixelAt(image, free.x + free.width - 4, free.y + 4);
    expect(colourDistance(pixel, theme.background)).toBeLessThanOrEqual(TOLERANCE);
  });

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
    expect(await page.evaluate(findUnreachable)).toEqual([]);
    // The sheet leaves the picture at least two fifths of the screen, and folds.
    const { free } = await describeScenery(page);
    expect(free.height / 2).toBeGreaterThan(844 * 0.38);
    await takePicture(page, 'phone');
    await page.click('#fold');
    await settle(page);
    const folded = await describeScenery(page);
    expect(folded.free.height).toBeGreaterThan(free.height * 1.4);
    await expectTruePicture(opened, 'phone-folded');
    expectNoProblems();
  });

  browserTest('has reachable controls in a small landscape window', async () => {
    const { page } = await openPlayground(browser, { width: 844, height: 390 });
    expect(await page.evaluate(findUnreachable)).toEqual([]);
    await takePicture(page, 'landscape');
  });

  browserTest('shows where the focus is', async () => {
    const { page } = await openPlayground(browser);
    const unmarked: string[] = [];
    const visited = new Set<string>();
    for (let press = 0; press < 20; press++) {
      await page.keyboard.press('Tab');
      const focus = await page.evaluate(() => {
        const active = document.activeElement;
        if (!active || active === document.body) return undefined;
        const shown = active.matches('input[type=radio]') ? active.nextElementSibling : active;
        const style = shown ? getComputedStyle(shown) : undefined;
        return {
          name: active.id || active.getAttribute('name') || active.tagName,
          isMarked: style?.outlineStyle !== 'none' && Number.parseFloat(style?.outlineWidth ?? '0') >= 2,
        };
      });
      if (!focus || visited.has(focus.name)) continue;
      visited.add(focus.name);
      if (!focus.isMarked) unmarked.push(focus.name);
    }
    expect(unmarked).toEqual([]);
    for (const name of [
      'play',
      'step',
      'reset',
      'scene',
      'count',
      'count-slider',
      'dimensions',
      'broad-phase',
    ]) {
      expect(visited).toContain(name);
    }
  });

  browserTest('refuses scripts that are not its own', async () => {
    const { page } = await openPlayground(browser);
    const violated = await page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective));
          const script = document.createElement('script');
          script.textContent = 'window.broken = true';
          document.body.append(script);
          setTimeout(() => resolve('nothing'), 1000);
        }),
    );
    expect(violated).toMatch(/^script-src/);
    expect(await page.evaluate(() => 'broken' in window)).toBe(false);
  });
});

describe('the built page', () => {
  const browser = useBrowser({ serve: 'build' });

  browserTest('paints from a sub-path', async () => {
    const opened = await browser.openPage('./', { width: 900, height: 620 });
    const { page, expectNoProblems } = opened;
    await page.evaluate(() => window.cellstorm?.ready);
    await page.waitForFunction(() => (window.cellstorm?.simulation?.time ?? 0) > 0.05);
    await page.click('#play');
    await settle(page);
    await expectTruePicture(opened, 'built');
    // The CPU engine is a file of its own.
    await chooseRadio(page, 'engine', 'cpu');
    expect(await textOf(page, 'badge')).toBe('CPU engine');
    expect(await page.evaluate(() => window.cellstorm?.simulation?.backend)).toBe('cpu');
    expectNoProblems();
  });
});

/** In the page: controls that cannot be brought into view or are covered there. */
function findUnreachable(): string[] {
  const controls = document.querySelectorAll('main button, main input, main select');
  return [...controls].flatMap((control) => {
    control.scrollIntoView({ block: 'nearest' });
    const { left, top, width, height } = control.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    const isInside = left >= 0 && left + width <= innerWidth && top >= 0 && top + height <= innerHeight;
    const isHit = hit !== null && (hit === control || control.contains(hit) || hit.contains(control));
    return isInside && isHit && height >= 20 ? [] : [control.id || control.outerHTML];
  });
}

/** In the page: visible texts whose contrast with what is behind them is below 4.5. */
function findPoorContrast(): string[] {
  const parse = (text: string) => (text.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (colour: number[]) => {
    const [red = 0, green = 0, blue = 0] = colour.slice(0, 3).map((channel) => {
      const share = channel / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (element: Element): number[] => {
    for (let at: Element | null = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || (colour[3] ?? 0) > 0.99) return colour;
    }
    return [255, 255, 255];
  };
  const poor: string[] = [];
  for (const element of document.querySelectorAll('main *')) {
    const text = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim());
    const { width, height } = element.getBoundingClientRect();
    if (!text || width < 2 || height < 2) continue;
    const style = getComputedStyle(element);
    const back = behind(element);
    const opacity = Number(style.opacity);
    const front = parse(style.color).map(
      (channel, index) => channel * opacity + (back[index] ?? 0) * (1 - opacity),
    );
    const [high, low] = [luminance(front), luminance(back)].sort((first, second) => second - first);
    const contrast = ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05);
    if (contrast < 4.5) poor.push(`${element.tagName} "${element.textContent}" ${contrast.toFixed(2)}`);
  }
  return poor;
}
