/** Tests scenes of other methods on one page: fluids and a flock, on the GPU and on the CPU engine. */
import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import type { Rgb } from '../../src/page/model/colour';
import { SCENES } from '../../src/scenes';
import { browserTest, useBrowser } from '../helpers/browser';
import {
  chooseOption,
  chooseScene,
  colourDistance,
  colourOfValue,
  countDifferences,
  describeScenery,
  FEW,
  openPlayground,
  pixelAt,
  settle,
  stepTimes,
  takePicture,
  textOf,
  toggle,
  typeNumber,
  unfold,
} from './playground';

/** Returns the particles' positions, engine and method, and what the panel shows about them. */
async function stateOf(page: Page) {
  return page.evaluate(async () => {
    const { simulation, measures } = window.cellstorm ?? {};
    if (!simulation || !measures) throw new Error('Nothing runs.');
    const { positions } = await simulation.read();
    const rows = [...document.querySelectorAll<HTMLElement>('.measures > div')].filter(
      ({ hidden }) => !hidden,
    );
    return {
      positions: Array.from(positions),
      time: simulation.time,
      backend: simulation.backend,
      method: simulation.method,
      count: measures.count,
      titles: rows.map((row) => row.querySelector('dt')?.textContent ?? ''),
      // The step time may be missing: not every step is timed.
      isComplete: rows
        .filter((row) => !row.querySelector('#step-time'))
        .every((row) => (row.querySelector('dd')?.textContent ?? '–') !== '–'),
    };
  });
}

/** Checks both ways of drawing a fluid, and the overlays of its fields. */
async function expectFluid(page: Page): Promise<void> {
  const { free } = await describeScenery(page);
  const surface = await takePicture(page, 'fluid-surface');
  await chooseOption(page, 'fluidAs', 'Particles');
  const plain = await takePicture(page, 'fluid-particles');
  expect(countDifferences(surface, plain, free)).toBeGreaterThan(500);
  for (const [name, text] of [
    ['velocityArrows', /^Velocity; the longest arrow is [\d.]+ units\/s or more$/],
    ['pressureMap', /^Pressure: 0 to [\d,.]+ Pa or more$/],
    ['solidCells', /^Cells that are solid/],
  ] as const) {
    await toggle(page, name);
    await page.waitForFunction(() => document.getElementById('overlay-key')?.textContent !== '');
    expect(await textOf(page, 'overlay-key')).toMatch(text);
    expect(countDifferences(plain, await takePicture(page, name), free), name).toBeGreaterThan(40);
    await toggle(page, name);
    await page.waitForFunction(() => document.getElementById('overlay-key')?.textContent === '');
  }
  expect(page.url()).toMatch(/fluidAs=particles/);
  await chooseOption(page, 'fluidAs', 'Surface');
}

describe('scenes of other methods', () => {
  const browser = useBrowser({ serve: 'build' });

  browserTest('run one after another on both engines, and change to collisions', async () => {
    const { page, expectNoProblems } = await openPlayground(browser, { count: FEW });
    for (const { name, method } of SCENES) {
      if (method === 'collisions') continue;
      await chooseScene(page, name);
      const before = await stateOf(page);
      await stepTimes(page, 2);
      const after = await stateOf(page);
      expect(after, name).toMatchObject({ method, backend: 'gpu', isComplete: true });
      expect(after.time, name).toBeCloseTo(2 / 60, 10);
      expect(after.count, name).toBeGreaterThan(20);
      expect(after.positions, name).not.toEqual(before.positions);
      expect(after.titles, name).toContain(method === 'fluid' ? 'Divergence left' : 'Order');
      expect(after.titles, name).not.toContain('Candidate pairs');
      if (name === 'wave-tank') await expectFluid(page);
    }
    // Settings without a meaning for a flock are disabled, with a hint.
    await unfold(page, 'gravity');
    expect(
      await page.$eval('#gravity', (input) => [
        (input as HTMLInputElement).disabled,
        input.closest<HTMLElement>('[data-hint]')?.dataset.hint,
      ]),
    ).toEqual([true, 'This has no effect on a flock.']);
    // Particles that the scene adds have their own age, on both engines.
    await chooseScene(page, 'fountain');
    await chooseOption(page, 'fluidAs', 'Particles');
    await chooseOption(page, 'colour', 'Age');
    await typeNumber(page, 'timeScale', 2);
    for (const engine of ['GPU', 'CPU']) {
      await chooseOption(page, 'engine', engine);
      if (engine === 'CPU') {
        expect(
          await page.$eval('#fluidAs', (input) => [
            (input as HTMLSelectElement).disabled,
            input.closest<HTMLElement>('[data-hint]')?.dataset.hint,
          ]),
        ).toEqual([true, 'The CPU engine draws fluids only as particles.']);
      }
      await stepTimes(page, 30);
      const time = await page.evaluate(() => window.cellstorm?.simulation?.time ?? 0);
      expect(time).toBeCloseTo(1, 6);
      const scenery = await describeScenery(page);
      const image = await takePicture(page, `ages-${engine.toLowerCase()}`);
      const young = scenery.values.flatMap((age, particle) => (age < 0.5 ? [particle] : []));
      // Some young particles are covered by others. If they were as old as the fluid, they would have its colour.
      const isYoung = young.filter((particle) => {
        const [x, y] = scenery.points[particle] ?? [0, 0];
        const [own, old] = [scenery.values[particle] ?? 0, time].map((age) => colourOfValue(scenery, age));
        const seen = pixelAt(image, x, y);
        return colourDistance(seen, own as Rgb) < colourDistance(seen, old as Rgb);
      });
      expect(young.length, engine).toBeGreaterThan(10);
      expect(isYoung.length / young.length, engine).toBeGreaterThan(0.5);
    }
    await typeNumber(page, 'timeScale', 1);
    await chooseScene(page, 'murmuration');
    for (const name of ['murmuration', 'dam-break']) {
      if (name === 'dam-break') await chooseScene(page, name);
      const before = await stateOf(page);
      await stepTimes(page, 2);
      const after = await stateOf(page);
      expect(after, name).toMatchObject({ backend: 'cpu', isComplete: true });
      expect(after.positions, name).not.toEqual(before.positions);
    }
    // Back goes to the first kept state.
    await page.keyboard.press('b');
    await settle(page);
    expect((await stateOf(page)).time).toBe(0);
    expect(new URL(page.url()).search).toMatch(/scene=dam-break.*engine=cpu/);
    await chooseScene(page, 'pile');
    expect((await stateOf(page)).titles).toContain('Candidate pairs');
    expect(await textOf(page, 'notice')).toBe('');
    expectNoProblems();
  });
});
