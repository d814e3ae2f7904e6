/**
 * Tests the page in a real browser: it paints what the simulation holds, and every control works.
 * page-circumstances.test.ts covers the page without a GPU, its layout and the built page.
 */
import { describe, expect } from 'vitest';
import type { Measures } from '../../src/core/simulation/simulation';
import { defaultChoices, refusedFields, simulationOptions } from '../../src/page/model/choices';
import { type Choices, FIELD_NAMES, type FieldName, fieldOf } from '../../src/page/model/fields';
import { readLink, readViewState } from '../../src/page/session/link';
import { formatCount } from '../../src/page/support/format';
import { createScene } from '../../src/scenes';
import { browserTest, type OpenPage, useBrowser } from '../helpers/browser';
import { THOROUGH } from '../helpers/thorough';
import {
  chooseOption,
  chooseScene,
  colourDistance,
  countDifferences,
  describeScenery,
  expectAllDrawn,
  expectTruePicture,
  FEW,
  follow,
  openPlayground,
  pixelAt,
  SOME,
  settle,
  stepTimes,
  TOLERANCE,
  takePicture,
  textOf,
  typeCount,
  typeNumber,
  unfold,
} from './playground';

/** More scenes for thorough runs. All are created by the same call as the others. */
const SHOWN = ['negative', 'periodic', 'mixed', 'terraces', 'mixed-bullets'];
const NAIVE = 'Naive: all pairs';

async function measuresOf({ page }: OpenPage): Promise<Measures> {
  await settle(page);
  const measures = await page.evaluate(() => window.cellstorm?.measures);
  if (!measures || 'figures' in measures) throw new Error('No collisions were measured.');
  return measures;
}

describe('the page', () => {
  const browser = useBrowser({ serve: 'build' });

  browserTest('plays and paints without errors', async () => {
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

  browserTest(
    'stands still while paused, applies gravity, width, reset and keys, and survives a lost device',
    async () => {
      const opened = await openPlayground(browser, { count: SOME });
      const { page, expectNoProblems } = opened;
      expect(await textOf(page, 'notice')).toMatch(/less motion/);
      await stepTimes(page, 8);
      const { free } = await describeScenery(page);
      const first = await takePicture(page, 'paused-1');
      await new Promise((done) => setTimeout(done, 500));
      const second = await takePicture(page, 'paused-2');
      expect(countDifferences(first, second, free)).toBe(0);
      await stepTimes(page, 1);
      const third = await takePicture(page, 'stepped');
      expect(countDifferences(second, third, free)).toBeGreaterThan(200);

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

      // Settings may change while colours are being prepared.
      await page.click('#reset');
      await stepTimes(page, 2);
      const got = await page.evaluate(async () => {
        const before = window.cellstorm?.simulation;
        const colour = document.getElementById('colour') as HTMLSelectElement;
        colour.value = [...colour.options].find(({ text }) => text === 'Contacts')?.value ?? '';
        colour.dispatchEvent(new Event('change', { bubbles: true }));
        const slider = document.getElementById('gravity-slider') as HTMLInputElement;
        slider.value = '0';
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        await window.cellstorm?.settled();
        const after = window.cellstorm?.simulation;
        return { isSame: before === after, gravity: after?.settings.gravity, time: after?.time };
      });
      expect(got).toEqual({ isSame: true, gravity: [0, 0], time: expect.closeTo(2 / 60, 6) });
      expect(await textOf(page, 'legend-title')).toBe('Contacts');

      // The page continues after its device is lost.
      await chooseOption(page, 'colour', 'Speed');
      await stepTimes(page, 2);
      await page.evaluate(() => window.cellstorm?.device?.destroy());
      await page.waitForFunction(() =>
        /lost/.test(document.querySelector('#engine-note')?.textContent ?? ''),
      );
      await settle(page);
      expect(await textOf(page, 'engine-note')).toMatch(/goes on from \d\.\d\d s on a new device/);
      expect(await page.evaluate(() => window.cellstorm?.simulation?.backend)).toBe('gpu');
      expect(await page.evaluate(() => window.cellstorm?.simulation?.count)).toBe(SOME);
      await stepTimes(page, 3);
      await expectTruePicture(opened, 'after-loss');
      expectNoProblems();
    },
  );

  browserTest(
    'finds the same pairs by grid and naive, moves the picture, goes back and lists its keys',
    async () => {
      const opened = await openPlayground(browser, { count: SOME });
      const { page, expectNoProblems } = opened;
      const results: Record<string, Measures[]> = {};
      for (const broadPhase of ['grid', 'naive']) {
        await chooseOption(page, 'broadPhase', broadPhase === 'grid' ? 'Grid' : NAIVE);
        expect(await page.evaluate(() => window.cellstorm?.simulation?.settings.broadPhase)).toBe(broadPhase);
        await page.click('#reset');
        // Let the pile settle: then a missed particle would change the number of contacts.
        await stepTimes(page, 42);
        const after = await measuresOf(opened);
        // The other broad phase measures the same state.
        await chooseOption(page, 'broadPhase', broadPhase === 'grid' ? NAIVE : 'Grid');
        const crossed = await measuresOf(opened);
        expect([crossed.contacts, crossed.hash]).toEqual([after.contacts, after.hash]);
        results[broadPhase] = [after];
      }
      const [grid] = results.grid ?? [];
      const [naive] = results.naive ?? [];
      expect(grid?.contacts).toBeGreaterThan(SOME / 2);
      expect(naive?.contacts).toBe(grid?.contacts);
      expect(naive?.hash).toBe(grid?.hash);
      expect(naive?.candidates).toBe((SOME * (SOME - 1)) / 2);
      expect(grid?.candidates).toBeLessThan(SOME * 10);
      expect(await textOf(page, 'hash')).toBe(grid?.hash);
      expect(await textOf(page, 'avoided')).toMatch(/^\d+\.\d+%$/);

      // The picture moves.
      await page.click('#reset');
      await settle(page);
      const pointOnScreen = () => page.evaluate(() => window.cellstorm?.toScreen([5, 5]) ?? [0, 0]);
      const fitted = await pointOnScreen();
      const { free } = await describeScenery(page);
      const [x, y] = [free.x + free.width / 2, free.y + free.height / 2];
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + 30, y - 20);
      await page.mouse.up();
      const moved = await pointOnScreen();
      expect([moved[0] - fitted[0], moved[1] - fitted[1]]).toEqual([
        expect.closeTo(30, 2),
        expect.closeTo(-20, 2),
      ]);
      await page.mouse.move(moved[0], moved[1]);
      await page.mouse.wheel({ deltaY: -600 });
      await settle(page);
      const [nearX, nearY] = await pointOnScreen();
      // Pointers lie at whole pixels: the error is half a pixel along each axis, magnified.
      expect(Math.hypot(nearX - moved[0], nearY - moved[1])).toBeLessThan(Math.SQRT1_2 * (Math.exp(0.9) - 1));
      const scale = () => page.evaluate(() => window.cellstorm?.frame?.sight.pixelsPerUnit ?? 0);
      const near = await scale();
      await expectTruePicture(opened, 'magnified');
      await page.keyboard.press('f');
      await settle(page);
      expect(await pointOnScreen()).toEqual([expect.closeTo(fitted[0], 2), expect.closeTo(fitted[1], 2)]);
      expect(near / (await scale())).toBeCloseTo(Math.exp(0.9), 3);
      // Browsers report two fingers on a touchpad as a wheel with the control key. The picture follows the fingers
      // exactly.
      await page.keyboard.down('Control');
      const apart = await scale();
      await page.mouse.wheel({ deltaY: -40 });
      await page.mouse.wheel({ deltaY: -100 });
      await page.keyboard.up('Control');
      await settle(page);
      expect((await scale()) / apart).toBeCloseTo(Math.exp(0.4 + 0.15), 3);
      await page.keyboard.press('f');
      await settle(page);
      // If the box changes its size, the picture is fitted again, so that the box is in view.
      await page.mouse.wheel({ deltaY: -600 });
      await settle(page);
      await typeCount(page, 2 * SOME);
      const { box, free: seen } = await describeScenery(page);
      expect(box.x).toBeGreaterThanOrEqual(seen.x - 1);
      expect(box.x + box.width).toBeLessThanOrEqual(seen.x + seen.width + 1);
      await typeCount(page, SOME);
      expect(await pointOnScreen()).toEqual([expect.closeTo(fitted[0], 2), expect.closeTo(fitted[1], 2)]);
      const badNames = await page.evaluate(() => {
        const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
        const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
        const named = [...document.querySelectorAll('[aria-describedby], [aria-labelledby]')].flatMap(
          (element) =>
            ['aria-describedby', 'aria-labelledby'].flatMap((name) =>
              (element.getAttribute(name) ?? '').split(' ').filter(Boolean),
            ),
        );
        return [...twice, ...named.filter((id) => !ids.includes(id))];
      });
      expect(badNames).toEqual([]);
      // The first state is kept before any step.
      const hash = await textOf(page, 'hash');
      await stepTimes(page, 3);
      expect(await textOf(page, 'hash')).not.toBe(hash);
      // A slow machine may have kept states in between.
      for (let press = 0; press < 4 && (await textOf(page, 'hash')) !== hash; press++) {
        await page.keyboard.press('b');
        await settle(page);
      }
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
      const back = await pointOnScreen();
      await page.keyboard.press('p');
      await page.waitForFunction(() => document.title === 'cellstorm-pile-2d-0.00s.png');
      await page.click('#copy-link');
      await page.waitForFunction(() => document.body.dataset.copied === location.href);
      expect(await textOf(page, 'notice')).toMatch(/on the clipboard/);
      await page.keyboard.press('?');
      expect(await page.$eval('#help', (sheet) => (sheet as HTMLDialogElement).open)).toBe(true);
      expect(await textOf(page, 'help-keys')).toMatch(/play or pause.*start over.*back.*fit/);
      await takePicture(page, 'help');
      // When character keys are switched off, only the other keys still work.
      await page.click('#character-keys');
      await page.keyboard.press('Escape');
      expect(await page.$eval('#help', (sheet) => (sheet as HTMLDialogElement).open)).toBe(false);
      const time = () => page.evaluate(() => window.cellstorm?.simulation?.time);
      const before = await time();
      await page.evaluate(() => (document.activeElement as HTMLElement).blur());
      for (const key of ['?', '.', 'g', 'ArrowLeft'] as const) await page.keyboard.press(key);
      await settle(page);
      expect(await page.$$eval('dialog[open]', (sheets) => sheets.length)).toBe(0);
      expect([await time(), (await pointOnScreen())[0] > back[0]]).toEqual([before, true]);
      await page.click('#help-open');
      await page.click('#character-keys');
      await page.keyboard.press('?');
      expect(await page.$$eval('dialog[open]', (sheets) => sheets.length)).toBe(0);
      await page.keyboard.press('.');
      await settle(page);
      expect(await time()).toBeGreaterThan(before ?? 0);
      expectNoProblems();
    },
  );

  browserTest('colours by density, contacts and id, and shows every kind of scene unchanged', async () => {
    const opened = await openPlayground(browser, { count: SOME });
    const { page, expectNoProblems } = opened;
    const expectAsGiven = async (name: string, count: number) => {
      const scene = createScene(name, { dimensions: 2, count });
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
    };
    // In a gas no particle covers the middle of another.
    await chooseScene(page, 'gas');
    await expectAsGiven('gas', SOME);
    await stepTimes(page, 3);
    await expectTruePicture(opened, 'gas');
    for (const [label, title] of [
      ['Id', /^Id$/],
      ['Contacts', /^Contacts$/],
      ['Density', /2 diameters/],
    ] as const) {
      await chooseOption(page, 'colour', label);
      expect(await textOf(page, 'legend-title')).toMatch(title);
      await expectTruePicture(opened, `colour-${label.toLowerCase()}`);
    }
    await chooseScene(page, 'obstacles');
    const { theme, obstacles } = await describeScenery(page);
    const image = await takePicture(page, 'obstacles');
    const painted = obstacles.filter(
      ([x, y]) => colourDistance(pixelAt(image, x, y), theme.obstacle) <= TOLERANCE,
    );
    // Some particles cover obstacles.
    expect(painted.length).toBeGreaterThan(0.7 * obstacles.length);
    expect(obstacles.length).toBeGreaterThan(20);
    for (const name of THOROUGH ? SHOWN : []) {
      await chooseScene(page, name);
      await expectAsGiven(name, SOME);
    }
    // Contacts and density are not available for boxes: a notice says so, and the colour stays speed.
    await chooseScene(page, 'crates');
    expect(await textOf(page, 'notice')).toMatch(/Boxes .* stay with speed/);
    expect(await textOf(page, 'legend-title')).toBe('Speed');
    await expectAsGiven('crates', SOME);
    await chooseOption(page, 'colour', 'Speed');
    await typeCount(page, FEW);
    await expectTruePicture(opened, 'boxes');
    // An unbounded world has no box: the picture fits the particles, and the page rejects overlays instead of half
    // drawing them.
    await chooseScene(page, 'far-apart');
    await typeNumber(page, 'size', 0.25);
    expect(await textOf(page, 'notice')).toMatch(/too far apart .* the picture shows \d+ particles of 100/);
    for (const engine of ['GPU', 'CPU']) {
      await chooseOption(page, 'engine', engine);
      await expectTruePicture(opened, `endless-${engine.toLowerCase()}`, 3 * TOLERANCE);
    }
    await page.click('#contactLines');
    await settle(page);
    expect(await textOf(page, 'notice')).toMatch(/without an end has no box/);
    expect(await page.$eval('#overlay-fold', (key) => (key as HTMLElement).hidden)).toBe(true);
    expect(await textOf(page, 'cells-title')).toBe('Buckets');
    // Particles that flew away are in the picture again after it is fitted.
    await chooseScene(page, 'one-large');
    await typeNumber(page, 'gravity', 100);
    const lowest = () => page.evaluate(() => window.cellstorm?.frame?.box.min[1] ?? 0);
    const before = await lowest();
    await stepTimes(page, 12);
    expect(await lowest()).toBe(before);
    await page.keyboard.press('f');
    await settle(page);
    // They fell for a fifth of a second.
    expect(await lowest()).toBeLessThan(before - 1.5);
    expectNoProblems();
  });

  browserTest('draws spheres and boxes in 3D', async () => {
    const opened = await openPlayground(browser, { theme: 'light', count: SOME });
    const { page, expectNoProblems } = opened;
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
    // Turning by key and by drag changes the picture.
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

  browserTest('caps the particle count of naive, and rejects invalid counts', async () => {
    const { page, expectNoProblems } = await openPlayground(browser, { count: 4001 });
    expect(await page.evaluate(() => window.cellstorm?.simulation?.count)).toBe(4001);
    await chooseOption(page, 'broadPhase', NAIVE);
    expect(await textOf(page, 'notice')).toMatch(/every pair.*capped.*grid takes more/);
    expect(await page.evaluate(() => window.cellstorm?.simulation?.count)).toBe(3000);
    await chooseOption(page, 'broadPhase', 'Grid');
    expect(await page.evaluate(() => window.cellstorm?.simulation?.count)).toBe(4001);
    expect(await textOf(page, 'notice')).toBe('');
    for (const wrong of ['7', '-5', '1.5', '99999999999']) {
      await typeCount(page, wrong);
      expect(await textOf(page, 'notice')).toMatch(/whole number from 100 to 100,000,000\./);
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

  browserTest(
    'starts with as many particles as fit if the device is too small, and says how many',
    async () => {
      const { page, expectNoProblems } = await openPlayground(browser, {
        // The address asks for this many from the start.
        count: 90_000_000,
        before: () => {
          const limits = Object.getOwnPropertyDescriptor(GPUAdapter.prototype, 'limits')?.get;
          Object.defineProperty(GPUAdapter.prototype, 'limits', {
            get() {
              return new Proxy(limits?.call(this), {
                get: (target, name) =>
                  /^max(StorageBufferBinding|Buffer)Size$/.test(String(name)) ? 2 ** 16 : target[name],
              });
            },
          });
        },
      });
      const read = () =>
        page.evaluate(() => {
          const { count = 0, backend } = window.cellstorm?.simulation ?? {};
          const shown = Number((document.querySelector('#count') as HTMLInputElement).value);
          return { count, backend, shown, inLink: new URLSearchParams(location.search).get('count') };
        });
      const first = await read();
      expect(first.backend).toBe('gpu');
      expect(first.count).toBeGreaterThan(1000);
      expect(first).toMatchObject({ shown: first.count, inLink: String(first.count) });
      const fit = new RegExp(
        `cannot hold .* maxStorageBufferBindingSize\\), so it starts with ${formatCount(first.count)}\\.`,
      );
      expect(await textOf(page, 'notice')).toMatch(fit);
      expect(await page.evaluate(() => document.querySelector('#engine-note')?.textContent)).toBe('');
      // The slider ends at the most that the device holds.
      await page.focus('#count-slider');
      await page.keyboard.press('End');
      await settle(page);
      const last = await read();
      expect(last.backend).toBe('gpu');
      expect(last.count).toBeGreaterThan(1000);
      expect(last.count).toBeLessThan(20_000);
      await typeCount(page, 1_000_000);
      expect(await textOf(page, 'notice')).toMatch(
        /^At most [\d,]+ particles run\. The processor emulates the GPU here\./,
      );
      await stepTimes(page, 1);
      expectNoProblems();
    },
  );

  browserTest('applies every control, and keeps it in the address', async () => {
    const { page, expectNoProblems } = await openPlayground(browser, { count: FEW });
    // Start with the choices that need other kernels, so that each kernel compiles once. Naive has the fewest.
    await chooseOption(page, 'broadPhase', NAIVE);
    await chooseOption(page, 'dimensions', '3D');
    const typed: Partial<Record<FieldName, number>> = {
      spread: 4,
      size: 0.5,
      boxWidth: 2,
      seed: 7,
      gravity: 5,
      restitution: 0.5,
      friction: 0.25,
      substeps: 3,
      timeScale: 0.5,
      brush: 7,
    };
    for (const [field, value] of Object.entries(typed)) await typeNumber(page, field, value);
    for (const [field, label] of [
      ['colour', 'Id'],
      ['pointer', 'Pull particles'],
      ['appearance', 'Light'],
    ] as const) {
      await chooseOption(page, field, label);
    }
    const refused = refusedFields({ ...defaultChoices('pile', 3), engine: 'gpu' });
    const switched = FIELD_NAMES.filter((name) => fieldOf(name).kind === 'switch' && !refused.get(name));
    for (const name of switched) await page.click(`#${name}`);
    await stepTimes(page, 1);
    const got = await page.evaluate(async () => {
      const { simulation, frame } = window.cellstorm ?? {};
      const { radii = [] } = (await simulation?.read()) ?? {};
      const { settings, time, dimensions, count } = simulation ?? {};
      const panel = getComputedStyle(document.documentElement).getPropertyValue('--panel');
      const { scale, theme } = frame ?? {};
      const look = { by: scale?.by, isDark: theme?.isDark, panel };
      return { settings, time, dimensions, count, radii: Array.from(radii), look };
    });
    expect(got.settings).toMatchObject({
      gravity: [0, -5, 0],
      restitution: 0.5,
      friction: 0.25,
      substeps: 3,
      broadPhase: 'naive',
    });
    expect(got.time).toBeCloseTo(0.5 / 60, 9);
    expect([got.dimensions, got.count]).toEqual([3, FEW]);
    // The system asks for dark, but the page's own choice wins.
    expect(got.look).toEqual({ by: 'id', isDark: false, panel: expect.stringMatching(/^#(fff|ffffff)$/) });
    const expected = {
      ...defaultChoices('pile', 3),
      count: FEW,
      ...typed,
      colour: 'id',
      broadPhase: 'naive',
      pointer: 'pull',
      ...Object.fromEntries(switched.map((name) => [name, true])),
    } as Choices;
    expect(got.radii).toEqual(Array.from(simulationOptions(expected, FEW).radii ?? []));
    // The address keeps the view as well.
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    for (const key of ['+', 'ArrowLeft', 'ArrowUp', 'i', ' ', ' '] as const) await page.keyboard.press(key);
    await settle(page);
    const look = () =>
      page.evaluate(() => ({
        view: Array.from(window.cellstorm?.frame?.sight.view ?? []),
        inspected: (document.querySelector('#inspected') as HTMLInputElement).value,
        isOpen: !(document.querySelector('#inspector') as HTMLElement).hidden,
      }));
    const looked = await look();
    expect(looked).toMatchObject({ isOpen: true, inspected: expect.stringMatching(/^\d+$/) });
    const address = new URL(page.url());
    expect(readLink(address.search)).toEqual(expected);
    // The appearance is not in the address: it belongs to the visitor.
    expect(address.searchParams.has('appearance')).toBe(false);
    expect(readViewState(address.search)).toMatchObject({
      isPaused: true,
      inspected: Number(looked.inspected),
    });
    // Following the link gives the same again.
    await follow(page, address.href);
    await stepTimes(page, 1);
    const again = await page.evaluate(async () => {
      const { radii = [] } = (await window.cellstorm?.simulation?.read()) ?? {};
      const { frame, simulation } = window.cellstorm ?? {};
      return { settings: simulation?.settings, radii: Array.from(radii), isDark: frame?.theme.isDark };
    });
    expect(again).toEqual({ settings: got.settings, radii: got.radii, isDark: false });
    const lookedAgain = await look();
    expect(lookedAgain).toMatchObject({ isOpen: true, inspected: looked.inspected });
    expect(lookedAgain.view).toEqual(looked.view.map((value) => expect.closeTo(value, 1)));
    for (const field of FIELD_NAMES) {
      const shown = await page.$eval(`#${field}`, (control) =>
        control instanceof HTMLSelectElement
          ? control.selectedOptions[0]?.textContent
          : (control as HTMLInputElement)[
              (control as HTMLInputElement).type === 'checkbox' ? 'checked' : 'value'
            ],
      );
      const definition = fieldOf(field);
      if (definition.kind === 'switch') expect(shown, field).toBe(expected[field]);
      else if (definition.kind === 'number') expect(Number(shown), field).toBe(expected[field]);
      else {
        const option = definition.options.find(({ value }) => value === expected[field]);
        expect(shown, field).toBe(option?.label);
      }
    }
    // A link does not carry the appearance, unless it was written into the address by hand.
    const isDark = () => page.evaluate(() => window.cellstorm?.frame?.theme.isDark);
    await chooseOption(page, 'appearance', 'System');
    expect(await isDark()).toBe(true);
    await follow(page, `./?v=1&count=${FEW}&appearance=light`);
    expect(await isDark()).toBe(false);
    expect(await page.$eval('#appearance', (select) => (select as HTMLSelectElement).value)).toBe('Light');
    expect(new URL(page.url()).searchParams.get('appearance')).toBe('light');
    await chooseOption(page, 'appearance', 'Dark');
    expect(new URL(page.url()).searchParams.has('appearance')).toBe(false);
    await chooseOption(page, 'appearance', 'System');
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
    expectNoProblems();
  });

  browserTest('pushes and pulls particles at the pointer, on both engines, in 2D and 3D', async () => {
    const { page, expectNoProblems } = await openPlayground(browser, { count: SOME });
    // Nothing moves or falls at first, and no particle has a neighbour close enough to hit at once.
    await chooseScene(page, 'lattice');
    await typeNumber(page, 'size', 0.125);
    await typeNumber(page, 'brush', 30);
    for (const [engine, dimensions, label, sign] of [
      ['GPU', '2D', 'Push particles', 1],
      ['GPU', '3D', 'Pull particles', -1],
      ['CPU', '3D', 'Push particles', 1],
      ['CPU', '2D', 'Pull particles', -1],
    ] as const) {
      await chooseOption(page, 'engine', engine);
      await chooseOption(page, 'dimensions', dimensions);
      await chooseOption(page, 'pointer', label);
      await page.click('#reset');
      await settle(page);
      const { free } = await describeScenery(page);
      const ring = () => page.$eval('#brush-ring', (element) => element.getBoundingClientRect().toJSON());
      const [x, y] = [free.x + free.width / 2, free.y + free.height / 2];
      // The ring shows the brush's reach before it is used, and grows when the picture is magnified.
      await page.mouse.move(x, y);
      const { width, left } = await ring();
      expect(left + width / 2).toBeCloseTo(x, 1);
      await page.mouse.wheel({ deltaY: -100 });
      await page.waitForFunction(
        (before) => (document.querySelector('#brush-ring')?.clientWidth ?? 0) > 1.1 * before,
        {},
        width,
      );
      await page.keyboard.press('f');
      // The ring also changes without a mouse move.
      await page.waitForFunction(
        (before) => Math.abs((document.querySelector('#brush-ring')?.clientWidth ?? 0) - before) < 3,
        {},
        width,
      );
      await page.mouse.move(x, y);
      await page.mouse.down();
      expect((await ring()).width).toBeGreaterThan(20);
      await page.keyboard.press('.');
      await settle(page);
      const outwards = await page.evaluate(async () => {
        const simulation = window.cellstorm?.simulation;
        const { positions = [], velocities = [] } = (await simulation?.read()) ?? {};
        const { min = [], max = [] } = simulation?.world ?? {};
        return Array.from(velocities).reduce((sum, speed, index) => {
          const axis = index % min.length;
          return sum + speed * ((positions[index] ?? 0) - ((min[axis] ?? 0) + (max[axis] ?? 0)) / 2);
        }, 0);
      });
      await page.mouse.up();
      expect(Math.sign(outwards), `${engine} ${dimensions} ${label}`).toBe(sign);
      expect((await ring()).width).toBeGreaterThan(20);
      await page.hover('#reset');
      expect((await ring()).width).toBe(0);
    }
    expectNoProblems();
  });

  // The tests of pushing and of fingers use tools on the CPU engine, too.
  for (const engine of THOROUGH ? ['GPU', 'CPU'] : ['GPU']) {
    browserTest(`drags, adds and erases particles, draws walls and colours by age (${engine})`, async () => {
      const opened = await openPlayground(browser, { count: FEW });
      const { page, expectNoProblems } = opened;
      await chooseOption(page, 'engine', engine);
      await chooseScene(page, 'lattice');
      await typeNumber(page, 'size', 0.25);
      await typeNumber(page, 'brush', 12);
      const state = () =>
        page.evaluate(async () => {
          const simulation = window.cellstorm?.simulation;
          const { positions = [], ids = [] } = (await simulation?.read()) ?? {};
          const { count = 0, obstacleCount = 0, capacity = 0, time = 0, world } = simulation ?? {};
          return { ids: [...ids], positions: [...positions], count, obstacleCount, capacity, time, world };
        });
      const toScreen = (x: number, y: number) =>
        page.evaluate((point) => window.cellstorm?.toScreen(point) ?? ([0, 0] as const), [x, y]);
      const before = await state();
      const { min = [], max = [] } = before.world ?? {};
      const [width, height] = [0, 1].map((axis) => (max[axis] ?? 0) - (min[axis] ?? 0));
      const inBox = (across: number, up: number) =>
        toScreen((min[0] ?? 0) + across * (width ?? 0), (min[1] ?? 0) + up * (height ?? 0));

      // One particle follows the pointer.
      await chooseOption(page, 'pointer', 'Drag one particle');
      const from = await toScreen(before.positions[24] as number, before.positions[25] as number);
      await page.mouse.move(...from);
      await page.mouse.down();
      await settle(page);
      await page.waitForFunction(() => window.cellstorm?.isHolding === true);
      expect(await page.$eval('#brush-ring', (ring) => (ring as HTMLElement).hidden)).toBe(true);
      await page.mouse.move(from[0] + 25, from[1] - 15);
      for (let step = 0; step < 12; step++) await page.keyboard.press('.');
      await settle(page);
      const dragged = await state();
      const to = await toScreen(dragged.positions[24] as number, dragged.positions[25] as number);
      expect(Math.hypot(to[0] - from[0] - 25, to[1] - from[1] + 15)).toBeLessThan(4);
      await page.mouse.up();

      // New particles appear in free space. The others stay as they are.
      await chooseOption(page, 'pointer', 'Add particles');
      const roomy = await state();
      expect(roomy.capacity).toBeGreaterThanOrEqual(FEW + 2000);
      expect(roomy.time).toBe(dragged.time);
      expect(roomy.positions).toEqual(dragged.positions);
      await chooseOption(page, 'colour', 'Age');
      await page.mouse.move(...(await inBox(0.5, 0.97)));
      await page.mouse.down();
      await page.waitForFunction((few) => (window.cellstorm?.simulation?.count ?? 0) > few + 20, {}, FEW);
      await page.mouse.up();
      await settle(page);
      const added = await state();
      expect(added.positions.slice(0, 2 * FEW)).toEqual(dragged.positions);
      expect((await measuresOf(opened)).contacts).toBe(0);
      expect(await textOf(page, 'particles')).toBe(String(added.count));
      expect(await textOf(page, 'legend-title')).toBe('Age');
      // Changing a setting keeps all particles.
      await typeNumber(page, 'gravity', 1);
      expect((await state()).count).toBe(added.count);
      await page.keyboard.press('b');
      await settle(page);

      // A wall appears at once.
      await chooseOption(page, 'pointer', 'Draw a wall');
      await page.mouse.move(...(await inBox(0.2, 0.1)));
      await page.mouse.down();
      const [wallX, wallY] = await inBox(0.8, 0.2);
      await page.mouse.move(wallX, wallY, { steps: 4 });
      await page.mouse.up();
      await settle(page);
      const walled = await state();
      expect(walled.obstacleCount).toBeGreaterThan(30);
      const { theme, obstacles } = await describeScenery(page);
      const image = await takePicture(page, `tools-${engine.toLowerCase()}`);
      const painted = obstacles.filter(
        // The colour of an obstacle is darker at the rim of the next one.
        ([x, y]) => colourDistance(pixelAt(image, x, y), theme.surface) > 25,
      );
      expect(obstacles.length).toBe(walled.obstacleCount);
      expect(painted.length).toBe(obstacles.length);

      // Erasing removes everything within the brush, walls too. By key it works in the middle of the picture.
      await chooseOption(page, 'pointer', 'Erase');
      await typeNumber(page, 'brush', 1000);
      await page.focus('#stage canvas');
      await page.keyboard.press('x');
      await page.waitForFunction(() => window.cellstorm?.simulation?.count === 0);
      await settle(page);
      expect(await state()).toMatchObject({ count: 0, obstacleCount: 0 });
      await page.click('#reset');
      await settle(page);
      expect(await state()).toMatchObject({ count: FEW, obstacleCount: 0, time: 0 });
      expectNoProblems();
    });
  }

  browserTest('distinguishes one finger from two, and moves and draws walls by key', async () => {
    const { page, expectNoProblems } = await openPlayground(browser, {
      // Tools restart the run to make room. Without a GPU that takes almost no time.
      before: () => Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined }),
    });
    await typeCount(page, FEW);
    await chooseScene(page, 'lattice');
    await typeNumber(page, 'size', 0.25);
    const client = await page.createCDPSession();
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: (readonly [number, number])[]) =>
      client.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: points.map(([x, y], id) => ({ x, y, id })),
      });
    const look = () =>
      page.evaluate(() => ({
        scale: window.cellstorm?.frame?.sight.pixelsPerUnit ?? 0,
        count: window.cellstorm?.simulation?.count,
        walls: window.cellstorm?.simulation?.obstacleCount,
      }));
    const wall = () =>
      page.evaluate(async () => {
        const { obstacles } = (await window.cellstorm?.simulation?.checkpoint()) ?? {};
        const positions = obstacles instanceof Float32Array ? obstacles : (obstacles?.positions ?? []);
        return Array.from({ length: positions.length / 2 }, (_, ball) =>
          window.cellstorm?.toScreen([positions[2 * ball] ?? 0, positions[2 * ball + 1] ?? 0]),
        ) as [number, number][];
      });
    const { free } = await describeScenery(page);
    const [x, y] = [Math.round(free.x + free.width / 2), Math.round(free.y + free.height / 2)];

    // Two fingers magnify by the ratio of their distances, and no tool works meanwhile.
    for (const label of ['Add particles', 'Erase', 'Draw a wall']) {
      await chooseOption(page, 'pointer', label);
      const before = await look();
      await touch('touchStart', [x - 40, y], [x + 40, y]);
      await touch('touchMove', [x - 60, y], [x + 50, y]);
      await touch('touchMove', [x - 80, y], [x + 80, y]);
      await new Promise((done) => setTimeout(done, 200));
      await touch('touchEnd');
      await settle(page);
      const after = await look();
      expect(after.scale / before.scale, label).toBeCloseTo(2, 3);
      expect([after.count, after.walls], label).toEqual([FEW, 0]);
      await page.keyboard.press('f');
    }
    // One finger draws from its first point on. A tap draws, too.
    await typeNumber(page, 'brush', 1);
    await touch('touchStart', [x, y]);
    await touch('touchMove', [x + 30, y]);
    await touch('touchMove', [x + 60, y]);
    await touch('touchEnd');
    await settle(page);
    const drawn = (await wall()).map(([across]) => across);
    expect(Math.min(...drawn)).toBeLessThan(x + 8);
    expect(Math.max(...drawn)).toBeGreaterThan(x + 52);
    await touch('touchStart', [x, y - 100]);
    await touch('touchEnd');
    await settle(page);
    expect((await wall()).some(([, down]) => down < y - 80)).toBe(true);
    await chooseOption(page, 'pointer', 'Add particles');
    await typeNumber(page, 'brush', 12);
    await touch('touchStart', [x, y]);
    await page.waitForFunction((few) => (window.cellstorm?.simulation?.count ?? 0) > few, {}, FEW);
    await touch('touchEnd');

    // While the key is down, a wall grows in the middle of the picture as arrows move the picture.
    await page.click('#reset');
    await chooseOption(page, 'pointer', 'Draw a wall');
    await typeNumber(page, 'brush', 1);
    await page.focus('#stage canvas');
    await page.keyboard.down('x');
    for (let press = 0; press < 3; press++) await page.keyboard.press('ArrowRight');
    await page.keyboard.up('x');
    await page.keyboard.press('ArrowUp');
    await settle(page);
    const built = await wall();
    const [left, right] = [Math.min, Math.max].map((most) => most(...built.map(([across]) => across)));
    expect((right ?? 0) - (left ?? 0)).toBeGreaterThan(100);
    expect(
      Math.max(...built.map(([, down]) => down)) - Math.min(...built.map(([, down]) => down)),
    ).toBeLessThan(30);

    // With shift, arrows move the 3D view instead of turning it.
    await chooseOption(page, 'dimensions', '3D');
    await page.focus('#stage canvas');
    const seen = () =>
      page.evaluate(() => {
        const { min = [], max = [] } = window.cellstorm?.simulation?.world ?? {};
        const middle = min.map((low, axis) => (low + (max[axis] ?? 0)) / 2);
        return [middle, min].map((point) => window.cellstorm?.toScreen(point) ?? [0, 0]);
      });
    const [[midX = 0, midY = 0] = []] = await seen();
    await page.keyboard.down('Shift');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.up('Shift');
    const [moved, corner] = await seen();
    expect(moved).toEqual([expect.closeTo(midX - 40, 0), expect.closeTo(midY + 40, 0)]);
    await page.keyboard.press('ArrowRight');
    const [turned, turnedCorner] = await seen();
    // The view turns around the point it looks at, which is beside the middle now.
    expect(Math.hypot(...(turned ?? []).map((value, axis) => value - (moved?.[axis] ?? 0)))).toBeLessThan(4);
    expect(
      Math.hypot(...(turnedCorner ?? []).map((value, axis) => value - (corner?.[axis] ?? 0))),
    ).toBeGreaterThan(5);
    expectNoProblems();
  });
});
