/**
 * The page in a real browser: it paints what the simulation holds, every control does what it says, and it
 * goes on in words and pictures when the GPU does not.
 */
import { describe, expect } from 'vitest';
import type { Measures } from '../../src/core/simulation';
import { defaultChoices, simulationOptions } from '../../src/page/choices';
import { type Choices, FIELD_NAMES, type FieldName, fieldOf } from '../../src/page/fields';
import { readLink } from '../../src/page/link';
import { createScene } from '../../src/scenes';
import { browserTest, type OpenPage, useBrowser } from '../helpers/browser';
import {
  chooseOption,
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
  typeNumber,
  unfold,
} from './playground';

/** Of 255 a channel: rounding of the blend and of the screenshot. */
const TOLERANCE = 4;
/** Few enough for quick steps, many enough for a picture. */
const SOME = 600;
/** Of each kind one; all are made by the same call. */
const SHOWN = ['negative', 'periodic', 'mixed', 'terraces', 'mixed-bullets'];
/** Few enough that boxes are large. */
const FEW = 100;
const NAIVE = 'Naive: all pairs';

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
    await chooseOption(page, 'dimensions', '3D');
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
      await chooseOption(page, 'broadPhase', broadPhase === 'grid' ? 'Grid' : NAIVE);
      expect(await page.evaluate(() => window.cellstorm?.simulation?.settings.broadPhase)).toBe(broadPhase);
      await page.click('#reset');
      await stepTimes(page, 12);
      const after = await measuresOf(opened);
      // The other broad phase measures the very same state.
      await chooseOption(page, 'broadPhase', broadPhase === 'grid' ? NAIVE : 'Grid');
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
    await chooseOption(page, 'broadPhase', NAIVE);
    expect(await textOf(page, 'notice')).toMatch(/every pair.*capped.*grid takes more/);
    expect(await page.evaluate(() => window.cellstorm?.simulation?.count)).toBe(3000);
    await chooseOption(page, 'broadPhase', 'Grid');
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
    await page.focus('#boxWidth-slider');
    await page.keyboard.press('Home');
    await settle(page);
    expect(await width()).toBe(createScene('pile', { dimensions: 2, count: SOME }).max[0]);
    expect(await width()).toBeLessThan(before);
    await unfold(page, 'gravity');
    await page.focus('#gravity-slider');
    await page.keyboard.press('Home');
    expect(await page.evaluate(() => window.cellstorm?.simulation?.settings.gravity)).toEqual([0, 0]);
    expect(await page.$eval('#gravity', (input) => (input as HTMLInputElement).value)).toBe('0');
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

  browserTest('does with every control what it says, and keeps it in the address', async () => {
    const { page, expectNoProblems } = await openPlayground(browser);
    await typeCount(page, FEW);
    const typed: Partial<Record<FieldName, number>> = {
      size: 0.5,
      spread: 4,
      boxWidth: 2,
      seed: 7,
      gravity: 5,
      restitution: 0.5,
      friction: 0.25,
      substeps: 3,
      iterations: 2,
      timeScale: 0.5,
    };
    for (const [field, value] of Object.entries(typed)) await typeNumber(page, field, value);
    for (const [field, label] of [
      ['dimensions', '3D'],
      ['colour', 'Id'],
      ['broadPhase', NAIVE],
    ] as const) {
      await chooseOption(page, field, label);
    }
    await stepTimes(page, 1);
    const got = await page.evaluate(async () => {
      const { simulation, frame } = window.cellstorm ?? {};
      const { radii = [] } = (await simulation?.read()) ?? {};
      const { settings, time, dimensions, count } = simulation ?? {};
      return { settings, time, dimensions, count, radii: Array.from(radii), by: frame?.scale.by };
    });
    expect(got.settings).toMatchObject({
      gravity: [0, -5, 0],
      restitution: 0.5,
      friction: 0.25,
      substeps: 3,
      iterations: 2,
      broadPhase: 'naive',
    });
    expect(got.time).toBeCloseTo(0.5 / 60, 9);
    expect([got.dimensions, got.count, got.by]).toEqual([3, FEW, 'id']);
    const expected = {
      ...defaultChoices('pile', 3),
      count: FEW,
      ...typed,
      colour: 'id',
      broadPhase: 'naive',
    } as Choices;
    expect(got.radii).toEqual(Array.from(simulationOptions(expected, FEW).radii ?? []));
    const address = new URL(page.url());
    expect(readLink(address.search)).toEqual(expected);
    // The same again for whoever follows the link.
    await page.goto(address.href);
    await page.waitForFunction(() => window.cellstorm !== undefined);
    await page.evaluate(() => window.cellstorm?.ready);
    await stepTimes(page, 1);
    const again = await page.evaluate(async () => {
      const { radii = [] } = (await window.cellstorm?.simulation?.read()) ?? {};
      return { settings: window.cellstorm?.simulation?.settings, radii: Array.from(radii) };
    });
    expect(again).toEqual({ settings: got.settings, radii: got.radii });
    for (const field of FIELD_NAMES) {
      const shown = await page.$eval(`#${field}`, (control) =>
        control instanceof HTMLSelectElement
          ? control.selectedOptions[0]?.textContent
          : (control as HTMLInputElement).value,
      );
      const definition = fieldOf(field);
      if (definition.kind === 'number') expect(Number(shown), field).toBe(expected[field]);
      else {
        const option = definition.options.find(({ value }) => value === expected[field]);
        expect(shown, field).toBe(option?.label);
      }
    }
    expectNoProblems();
  });

  browserTest('colours by density, contacts and id, with a legend, and shows what never moves', async () => {
    const opened = await openPlayground(browser);
    const { page, expectNoProblems } = opened;
    await typeCount(page, SOME);
    await chooseScene(page, 'gas');
    for (const [label, title] of [
      ['Id', /^Id$/],
      ['Contacts', /^Contacts$/],
      ['Density', /2 diameters/],
    ] as const) {
      await chooseOption(page, 'colour', label);
      expect(await textOf(page, 'legend-title')).toMatch(title);
      await expectTruePicture(opened, `colour-${label.toLowerCase()}`);
    }
    // Boxes are not counted around each other: that is said, and speeds are shown.
    await chooseScene(page, 'terraces');
    expect(await textOf(page, 'notice')).toMatch(/Boxes .* stay with speed/);
    expect(await textOf(page, 'legend-title')).toBe('Speed');
    await chooseOption(page, 'colour', 'Speed');
    await chooseScene(page, 'obstacles');
    const { theme, obstacles } = await describeScenery(page);
    const image = await takePicture(page, 'obstacles');
    const painted = obstacles.filter(
      ([x, y]) => colourDistance(pixelAt(image, x, y), theme.obstacle) <= TOLERANCE,
    );
    // Some particles lie upon them.
    expect(painted.length).toBeGreaterThan(0.7 * obstacles.length);
    expect(obstacles.length).toBeGreaterThan(20);
    expectNoProblems();
  });

  browserTest('moves, magnifies and fits the plane, goes back, and has a sheet of keys', async () => {
    const opened = await openPlayground(browser);
    const { page, expectNoProblems } = opened;
    await typeCount(page, SOME);
    const place = () => page.evaluate(() => window.cellstorm?.toScreen([5, 5]) ?? [0, 0]);
    const fitted = await place();
    const { free } = await describeScenery(page);
    const [x, y] = [free.x + free.width / 2, free.y + free.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 30, y - 20);
    await page.mouse.up();
    const moved = await place();
    expect([moved[0] - fitted[0], moved[1] - fitted[1]]).toEqual([
      expect.closeTo(30, 2),
      expect.closeTo(-20, 2),
    ]);
    await page.mouse.move(moved[0], moved[1]);
    await page.mouse.wheel({ deltaY: -600 });
    await settle(page);
    const [nearX, nearY] = await place();
    // Pointers are at whole pixels: half of one along each axis, magnified.
    expect(Math.hypot(nearX - moved[0], nearY - moved[1])).toBeLessThan(Math.SQRT1_2 * (Math.exp(0.9) - 1));
    const scale = () => page.evaluate(() => window.cellstorm?.frame?.sight.pixelsPerUnit ?? 0);
    const near = await scale();
    await expectTruePicture(opened, 'magnified');
    await page.keyboard.press('f');
    await settle(page);
    expect(await place()).toEqual([expect.closeTo(fitted[0], 2), expect.closeTo(fitted[1], 2)]);
    expect(near / (await scale())).toBeCloseTo(Math.exp(0.9), 3);
    // The first state is kept before any step.
    const hash = await textOf(page, 'hash');
    await stepTimes(page, 3);
    expect(await textOf(page, 'hash')).not.toBe(hash);
    await page.keyboard.press('b');
    await settle(page);
    expect(await textOf(page, 'notice')).toMatch(/^Back at 0\.00 s\.$/);
    expect(await textOf(page, 'hash')).toBe(hash);
    await page.evaluate(() => {
      HTMLAnchorElement.prototype.click = function () {
        document.title = this.download;
      };
      Object.defineProperty(navigator, 'clipboard', {
        value: { writeText: async (text: string) => document.body.setAttribute('data-copied', text) },
      });
    });
    await page.keyboard.press('p');
    await page.waitForFunction(() => document.title === 'cellstorm-pile-2d-0.00s.png');
    await page.click('#copy-link');
    await page.waitForFunction(() => document.body.dataset.copied === location.href);
    expect(await textOf(page, 'notice')).toMatch(/on the clipboard/);
    await page.keyboard.press('?');
    expect(await page.$eval('#help', (sheet) => (sheet as HTMLDialogElement).open)).toBe(true);
    expect(await textOf(page, 'help-keys')).toMatch(/play or pause.*start over.*back.*fit/);
    await takePicture(page, 'help');
    await page.keyboard.press('Escape');
    expect(await page.$eval('#help', (sheet) => (sheet as HTMLDialogElement).open)).toBe(false);
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
    expect(await textOf(page, 'engine-note')).toMatch(/goes on from \d\.\d\d s on a new device/);
    expect(await page.evaluate(() => window.cellstorm?.simulation?.backend)).toBe('gpu');
    expect(await page.evaluate(() => window.cellstorm?.simulation?.count)).toBe(SOME);
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
    for (let press = 0; press < 32; press++) {
      await page.keyboard.press('Tab');
      const focus = await page.evaluate(() => {
        const active = document.activeElement;
        if (!active || active === document.body) return undefined;
        const style = getComputedStyle(active);
        return {
          name: active.id || active.textContent || active.tagName,
          isMarked: style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) >= 2,
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
    await chooseOption(page, 'engine', 'CPU');
    expect(await textOf(page, 'badge')).toBe('CPU engine');
    expect(await page.evaluate(() => window.cellstorm?.simulation?.backend)).toBe('cpu');
    expectNoProblems();
  });
});

/** In the page: controls that cannot be brought into view or are covered there. */
function findUnreachable(): string[] {
  const controls = document.querySelectorAll(
    'main :is(button, input, select):not(.lil-closed > .lil-children *)',
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
