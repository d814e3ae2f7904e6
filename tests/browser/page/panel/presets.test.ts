import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import { LEADING_PRESETS, LOCKSTEP, MORE_PRESETS, PRESETS } from '../../../../src/page/model/presets';
import { readLink } from '../../../../src/page/session/link';
import { formatCount } from '../../../../src/page/support/format';
import { createScene } from '../../../../src/scenes';
import { browserTest, useBrowser } from '../../../helpers/browser';
import {
  arrange,
  isOpen,
  openPlayground,
  settle,
  stepTimes,
  takePicture,
  textOf,
  toggleField,
} from '../../playground';

const FULL = { tags: 'full' };
const BATCH = 20;

function presetOf(name: string) {
  const preset = PRESETS.find((one) => one.name === name);
  if (!preset) throw new Error(`There is no preset ${name}.`);
  return { ...preset, small: preset.small ?? preset.link };
}

async function openCards(page: Page): Promise<void> {
  await page.click('#presets-open');
  await settle(page);
}

async function choosePreset(page: Page, name: string): Promise<void> {
  if (!(await isOpen(page, 'presets'))) await openCards(page);
  await page.focus(`#preset-${name}`);
  await page.keyboard.press('Enter');
  await settle(page);
}

async function take(page: Page, steps: number): Promise<void> {
  for (let left = steps; left > 0; left -= BATCH) await stepTimes(page, Math.min(left, BATCH));
}

async function along(page: Page, axis: number): Promise<number[]> {
  return page.evaluate(async (which) => {
    const { simulation } = window.cellstorm ?? {};
    const { positions = new Float32Array() } = (await simulation?.read()) ?? {};
    return Array.from(positions).filter((_, index) => index % (simulation?.dimensions ?? 1) === which);
  }, axis);
}

const stateOf = (page: Page) =>
  page.evaluate(() => {
    const { simulation, measures } = window.cellstorm ?? {};
    const { count = 0, time = 0, backend, settings, world, radiusRange } = simulation ?? {};
    const gravity = settings?.gravity.map(Number) ?? [];
    const contacts = measures && 'contacts' in measures ? measures.contacts : 0;
    const figures = measures && 'figures' in measures ? measures.figures : [];
    return { count, time, backend, gravity, levels: world?.levels, radiusRange, contacts, figures };
  });

const share = (values: readonly number[], isIn: (value: number) => boolean) =>
  values.filter(isIn).length / values.length;

describe('the cards of presets', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) =>
    openPlayground(opener, { query: '?v=1&count=100&engine=cpu&scene=gas' }),
  );

  browserTest(
    'are links with pictures, and offer fewer particles if the CPU engine runs',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      await arrange(page, { engine: 'cpu' });
      await openCards(page);
      await page.waitForFunction(() =>
        [...document.querySelectorAll<HTMLImageElement>('#presets img')].every(
          (image) => image.naturalWidth > 0,
        ),
      );
      const cardsOf = (list: string) =>
        page.$$eval(`#${list} a`, (links) =>
          links.map((link) => ({
            href: link.getAttribute('href'),
            alt: link.querySelector('img')?.alt,
            here: link.querySelector('em')?.textContent,
          })),
        );
      const expected = (presets: typeof PRESETS) =>
        presets.map(({ link, small, alt }) => {
          const { count } = readLink(`?${small}`);
          const here = small && expect.stringMatching(`^Here with ${formatCount(count)} particles`);
          return { href: `?${small ?? link}`, alt, here };
        });
      expect(await cardsOf('preset-lead')).toEqual(expected(LEADING_PRESETS));
      const { page: href, alt } = LOCKSTEP;
      expect(await cardsOf('preset-list')).toEqual([
        ...expected(MORE_PRESETS),
        { href, alt, here: undefined },
      ]);
      await takePicture(page, 'presets');
    },
  );

  browserTest(
    'open without reloading the page, which then notes the full number of particles',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      await arrange(page, { engine: 'cpu' });
      await page.evaluate(() => document.body.setAttribute('data-first', 'yes'));
      await choosePreset(page, 'gas');
      // The engine is no part of a preset.
      expect(new URL(page.url()).search).toBe(`?${presetOf('gas').link}&engine=cpu`);
      expect(await isOpen(page, 'presets')).toBe(false);
      expect(await textOf(page, 'notice')).toBe('');
      await choosePreset(page, 'wave-tank');
      expect(await textOf(page, 'notice')).toBe(
        'The processor does the work here, so this preset starts with 3,000 particles in 2D instead of 100,000 in 3D.',
      );
      expect(await page.evaluate(() => document.body.dataset.first)).toBe('yes');
    },
  );

  browserTest(
    'open only after the page knows its engine, so an early choice has few particles',
    { tags: 'full' },
    async () => {
      const { page, expectNoProblems } = await browser.openPage('./?v=1&count=100&paused=1', {
        prepare: async (early) => {
          await early.evaluateOnNewDocument(() => {
            const { gpu } = navigator;
            const request = gpu.requestAdapter.bind(gpu);
            const released = new Promise((done) => addEventListener('release', done));
            gpu.requestAdapter = (options) => released.then(() => request(options));
          });
        },
      });
      await page.waitForFunction(() => window.cellstorm !== undefined);
      await page.click('#presets-open');
      await page.waitForFunction(() =>
        performance.getEntriesByType('resource').some(({ name }) => name.includes('presets-view')),
      );
      await page.evaluate(() => dispatchEvent(new Event('release')));
      await page.waitForSelector('#presets[open]');
      expect(await page.$eval('#preset-million', (card) => card.getAttribute('href'))).toBe(
        '?v=1&count=12000',
      );
      expectNoProblems();
    },
  );

  browserTest('have all particles if the GPU is not emulated', FULL, async () => {
    const { page, expectNoProblems } = await openPlayground(browser, {
      query: '?v=1&count=100&engine=auto',
      // The processor draws, so fewer pixels are quicker.
      width: 480,
      height: 320,
      before: () => {
        const named = { vendor: 'test', architecture: '', device: '', description: 'a test' };
        const info = { ...named, isFallbackAdapter: false };
        Object.defineProperty(GPUAdapter.prototype, 'info', { get: () => info });
        Object.defineProperty(GPUDevice.prototype, 'adapterInfo', { get: () => info });
      },
    });
    await page.keyboard.press('g');
    await settle(page);
    expect(await page.$eval('#preset-million', (card) => card.getAttribute('href'))).toBe(
      '?v=1&count=1000000',
    );
    // The processor does emulate the GPU here, so choose a preset of few particles.
    await choosePreset(page, 'sizes');
    expect(new URL(page.url()).search).toBe(`?${presetOf('sizes').link}`);
    expect(await textOf(page, 'notice')).toBe('');
    expect(await page.$$eval('#preset-lead em', (notes) => notes.length)).toBe(0);
    await stepTimes(page, 1);
    expect(await stateOf(page)).toMatchObject({ count: 16_000, backend: 'gpu', time: 1 / 60 });
    expectNoProblems();
  });
});

describe('in the presets', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) =>
    // The processor draws, so fewer pixels are quicker.
    openPlayground(opener, { query: '?v=1&count=100&engine=cpu', pixelRatio: 0.5 }),
  );

  async function start(name: string): Promise<Page> {
    const { page } = await open();
    await arrange(page, { engine: 'cpu' });
    await choosePreset(page, name);
    const { count } = readLink(`?${presetOf(name).small}`);
    const started = await stateOf(page);
    expect(started.time).toBe(0);
    // A fluid fills its tank with about `count` particles.
    expect(Math.abs(started.count / count - 1)).toBeLessThan(0.05);
    return page;
  }

  browserTest('a pile of discs falls over', FULL, async () => {
    const page = await start('million');
    const edge = Math.max(...(await along(page, 0)));
    await take(page, 120);
    const [x, y] = [await along(page, 0), await along(page, 1)];
    // The foot has spread by more than 10, and the top is lower than the foot was wide.
    expect(Math.max(...x)).toBeGreaterThan(edge + 10);
    expect(Math.max(...y)).toBeLessThan(edge);
    expect((await stateOf(page)).contacts).toBeGreaterThan(x.length);
  });

  browserTest('discs of sizes 1 to 64 fall on each other', FULL, async () => {
    const page = await start('sizes');
    const radii = await page.evaluate(async () =>
      Array.from((await window.cellstorm?.simulation?.read())?.radii ?? []),
    );
    for (let octave = 0; octave < 6; octave++) {
      expect(radii.filter((radius) => Math.floor(Math.log2(radius)) === octave).length).toBeGreaterThan(1);
    }
    expect(await stateOf(page)).toMatchObject({ radiusRange: { smallest: 1, largest: 64 }, contacts: 0 });
    expect((await stateOf(page)).levels).toBeGreaterThan(1);
    const before = await along(page, 1);
    await take(page, 400);
    expect((await stateOf(page)).contacts).toBeGreaterThan(500);
    const lowered = (await along(page, 1)).map((y, particle) => (before[particle] as number) - y);
    expect(share(lowered, (length) => length > 1)).toBeGreaterThan(0.9);
  });

  browserTest('no bullet passes the wall, unless Continuous is off', FULL, async () => {
    const page = await start('bullets');
    const { count } = readLink(`?${presetOf('bullets').small}`);
    const { obstacles } = createScene('bullets', { dimensions: 3, count });
    const wall = (obstacles as Float32Array)[0] as number;
    expect(wall).toBeGreaterThan(Math.max(...(await along(page, 0))));
    await take(page, 40);
    expect(share(await along(page, 0), (x) => x > wall)).toBe(0);
    await toggleField(page, 'continuous');
    await take(page, 10);
    expect(share(await along(page, 0), (x) => x > wall)).toBeGreaterThan(0.5);
  });

  browserTest('all grains run through the hourglass, which then turns over', FULL, async () => {
    const page = await start('hourglass');
    const middle = await page.evaluate(() => {
      const { min = [], max = [] } = window.cellstorm?.simulation?.world ?? {};
      return ((min[1] ?? 0) + (max[1] ?? 0)) / 2;
    });
    const above = async () => share(await along(page, 1), (y) => y > middle);
    expect(await above()).toBe(1);
    await take(page, 300);
    const flowing = await above();
    expect(flowing).toBeGreaterThan(0.2);
    expect(flowing).toBeLessThan(0.95);
    const turned = async () => ((await stateOf(page)).gravity[1] as number) > 0;
    for (let batch = 0; batch < 150 && (await above()) > 0; batch++) await take(page, BATCH);
    expect(await above()).toBe(0);
    expect(await turned()).toBe(false);
    for (let batch = 0; batch < 60 && !(await turned()); batch++) await take(page, BATCH);
    expect(await turned()).toBe(true);
  });

  browserTest('a paddle drives waves to the beach', FULL, async () => {
    const page = await start('wave-tank');
    const surface = Math.max(...(await along(page, 1)));
    const solids = () =>
      page.evaluate(() => Array.from(window.cellstorm?.simulation?.moved?.positions ?? []));
    const before = await solids();
    await take(page, 120);
    const moved = (await solids()).map((at, index) => Math.abs(at - (before[index] as number)) > 0.05);
    // Only the paddle has moved, and only along x.
    expect(moved.filter(Boolean)).toHaveLength(1);
    // The crest is above the former surface by more than a tenth of the water's depth.
    expect(Math.max(...(await along(page, 1)))).toBeGreaterThan(1.1 * surface);
    const { figures } = await stateOf(page);
    const volume = figures.find(({ title }) => title === 'Volume')?.value ?? '';
    expect(Math.abs(Number.parseFloat(volume) - 100)).toBeLessThan(5);
  });

  browserTest('birds in 3D fly like their neighbours', FULL, async () => {
    const page = await start('murmuration');
    /** Returns the mean cosine of the angle between the velocities of a bird and the bird that is nearest to it. */
    const likeness = () =>
      page.evaluate(async () => {
        const { positions = [], velocities = [] } = (await window.cellstorm?.simulation?.read()) ?? {};
        const vector = (array: ArrayLike<number>, bird: number) =>
          [0, 1, 2].map((axis) => array[3 * bird + axis] as number);
        let sum = 0;
        const samples = 300;
        for (let bird = 0; bird < samples; bird++) {
          const at = vector(positions, bird);
          const distances = Array.from({ length: positions.length / 3 }, (_, other) =>
            other === bird
              ? Number.POSITIVE_INFINITY
              : Math.hypot(...vector(positions, other).map((x, i) => x - (at[i] as number))),
          );
          const nearest = distances.indexOf(Math.min(...distances));
          const [a, b] = [vector(velocities, bird), vector(velocities, nearest)];
          const dot = a.reduce((product, x, axis) => product + x * (b[axis] as number), 0);
          sum += dot / (Math.hypot(...a) * Math.hypot(...b));
        }
        return sum / samples;
      });
    const before = await likeness();
    await take(page, 100);
    const after = await likeness();
    expect(after).toBeGreaterThan(before);
    expect(after).toBeGreaterThan(0.95);
  });

  browserTest('a splash leaps over the step', FULL, async () => {
    const page = await start('splash');
    const size = await page.evaluate(() => [...(window.cellstorm?.simulation?.world.max ?? [])]);
    const [length = 0, height = 0] = size;
    // The scene's step begins at 0.74 of the tank's length, and rises to 0.12 of the tank's height.
    const beyond = async () => share(await along(page, 0), (x) => x > 0.86 * length);
    expect(await beyond()).toBe(0);
    let highest = 0;
    for (let batch = 0; batch < 20 && (await beyond()) < 0.02; batch++) {
      await take(page, BATCH);
      const y = await along(page, 1);
      const isOver = (x: number, particle: number) =>
        x > 0.74 * length && x < 0.86 * length ? (y[particle] as number) : 0;
      highest = Math.max(highest, ...(await along(page, 0)).map(isOver));
    }
    expect(await beyond()).toBeGreaterThanOrEqual(0.02);
    expect(highest).toBeGreaterThan(0.12 * height);
  });

  browserTest('particles of life gather in clusters', FULL, async () => {
    const page = await start('life');
    const occupied = async () => {
      const [x, y] = [await along(page, 0), await along(page, 1)];
      const cells = x.map(
        (across, particle) => `${Math.floor(2 * across)} ${Math.floor(2 * (y[particle] ?? 0))}`,
      );
      return new Set(cells).size;
    };
    const before = await occupied();
    await take(page, 200);
    expect(await occupied()).toBeLessThan(0.7 * before);
  });

  const PROMISED = [...LEADING_PRESETS.map(({ name }) => name), 'splash', 'life'];
  for (const { name } of MORE_PRESETS.filter((preset) => !PROMISED.includes(preset.name))) {
    browserTest(`the preset ${name} runs`, FULL, async () => {
      const page = await start(name);
      const before = await along(page, 1);
      await take(page, BATCH);
      const after = await along(page, 1);
      expect(after.every(Number.isFinite)).toBe(true);
      // In some presets only contacts move particles, so those without contacts stay.
      expect(share(after, (y) => !before.includes(y))).toBeGreaterThan(0.1);
      expect((await stateOf(page)).time).toBeGreaterThan(0);
    });
  }
});
