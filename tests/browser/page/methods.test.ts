import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import type { Rgb } from '../../../src/page/model/colour';
import { SCENES } from '../../../src/scenes';
import { browserTest, useBrowser } from '../../helpers/browser';
import {
  arrange,
  chooseOption,
  chooseScene,
  colourDistance,
  colourOfValue,
  countDifferences,
  describeScenery,
  expectTruePicture,
  goBackToStart,
  openPlayground,
  pixelAt,
  stepTimes,
  takePicture,
  textOf,
  toggle,
  unfold,
  waitForText,
} from '../playground';

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
      // Not every step is timed.
      isComplete: rows
        .filter((row) => !row.querySelector('#step-time'))
        .every((row) => (row.querySelector('dd')?.textContent ?? '–') !== '–'),
    };
  });
}

function refusalOf(page: Page, id: string) {
  return page.$eval(`#${id}`, (control) => [
    (control as HTMLInputElement).disabled,
    control.closest<HTMLElement>('[data-hint]')?.dataset.hint,
  ]);
}

/** Per method, a figure that only this method shows. */
const FIGURES = { fluid: 'Divergence left', pbf: 'Mean excess', flock: 'Order', life: 'Drift' } as const;
const OTHERS = SCENES.filter((scene) => scene.method !== 'collisions');

describe('a scene of a fluid or flock', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) => openPlayground(opener, { query: '?v=1&count=100&engine=cpu' }));

  // After a change of engine, all kernels compile again. So test one engine after the other.
  function testScenes(engine: 'gpu' | 'cpu'): void {
    for (const { name, method } of OTHERS) {
      const tags = engine === 'cpu' ? [] : ['full' as const];
      browserTest(`runs and shows its own figures (${name}, ${engine})`, { tags }, async () => {
        const { page } = await open();
        await arrange(page, { scene: name, engine });
        const before = await stateOf(page);
        await stepTimes(page, 2);
        const after = await stateOf(page);
        expect(after).toMatchObject({ method, backend: engine, isComplete: true });
        expect(after.time).toBeCloseTo(2 / 60, 10);
        expect(after.count).toBeGreaterThan(20);
        expect(after.positions).not.toEqual(before.positions);
        expect(after.titles).toContain(FIGURES[method]);
        expect(after.titles).not.toContain('Candidate pairs');
      });
    }
  }

  testScenes('gpu');

  browserTest('shows a fluid as a surface or as particles', { tags: 'full' }, async () => {
    const { page } = await open();
    await arrange(page, { scene: 'wave-tank' });
    await stepTimes(page, 2);
    const { free } = await describeScenery(page);
    const surface = await takePicture(page, 'fluid-surface');
    await chooseOption(page, 'fluidAs', 'Particles');
    const plain = await takePicture(page, 'fluid-particles');
    expect(countDifferences(surface, plain, free)).toBeGreaterThan(500);
    expect(page.url()).toMatch(/fluidAs=particles/);
  });

  for (const [name, text] of [
    ['velocityArrows', /^Velocity; the longest arrow is [\d.]+ units\/s or more$/],
    ['pressureMap', /^Pressure: 0 to [\d,.]+ Pa or more$/],
    ['solidCells', /^Cells that are solid/],
  ] as const) {
    browserTest(`shows a field of a fluid (${name})`, { tags: 'full' }, async () => {
      const { page } = await open();
      await arrange(page, { scene: 'wave-tank', fluidAs: 'particles' });
      await stepTimes(page, 2);
      const { free } = await describeScenery(page);
      const plain = await takePicture(page, 'fluid-particles');
      await toggle(page, name);
      await waitForText(page, 'overlay-key', /./);
      expect(await textOf(page, 'overlay-key')).toMatch(text);
      expect(countDifferences(plain, await takePicture(page, name), free)).toBeGreaterThan(40);
      await toggle(page, name);
      await waitForText(page, 'overlay-key', /^$/);
    });
  }

  testScenes('cpu');

  browserTest(
    'hides controls that have no effect on a flock, and groups of controls that are then empty',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      const visible = (id: string) =>
        page.$eval(`#${id}`, (input) => (input as HTMLElement).offsetHeight > 0);
      await arrange(page, { scene: 'murmuration', engine: 'cpu' });
      await unfold(page, 'seed');
      expect(await Promise.all(['gravity', 'cellSize', 'transfer', 'seed'].map(visible))).toEqual([
        ...[false, false, false, true],
      ]);
      const groups = () =>
        page.$$eval('#more-controls summary', (titles) =>
          titles.filter((title) => (title as HTMLElement).offsetHeight > 0).map((title) => title.textContent),
        );
      expect(await groups()).not.toContain('Fluid');
      await arrange(page, { scene: 'dam-break', engine: 'cpu' });
      expect(await groups()).toContain('Fluid');
      expect(await visible('gravity')).toBe(true);
    },
  );

  for (const [engine, tags] of [
    ['cpu', []],
    ['gpu', ['full']],
  ] as const) {
    browserTest(
      `colours particles by species, and applies another table of attractions at once (${engine})`,
      { tags: [...tags] },
      async () => {
        const opened = await open();
        const { page } = opened;
        await arrange(page, { scene: 'particle-life', engine, kinds: 3, core: 0.8 });
        // In these steps the repulsion at short range (`core`) moves particles apart, so that none covers another.
        await stepTimes(page, 30);
        const { time } = await stateOf(page);
        expect(await textOf(page, 'legend-title')).toBe('Species');
        expect(await textOf(page, 'legend-end')).toBe('3');
        await expectTruePicture(opened, `species-${engine}`);
        await unfold(page, 'attraction');
        await chooseOption(page, 'attraction', 'Chase');
        expect(await refusalOf(page, 'tableSeed')).toEqual([true, 'Only random tables have a number.']);
        expect(await page.evaluate(() => window.cellstorm?.simulation?.settings.attraction)).toBe('chase');
        expect(page.url()).toMatch(/attraction=chase/);
        expect((await stateOf(page)).time).toBe(time);
      },
    );
  }

  browserTest('disables the surface of a fluid on the CPU engine', async () => {
    const { page } = await open();
    await arrange(page, { scene: 'fountain', engine: 'cpu' });
    expect(await refusalOf(page, 'fluidAs')).toEqual([
      true,
      'The CPU engine draws fluids only as particles.',
    ]);
  });

  for (const [engine, tags] of [
    ['cpu', []],
    ['gpu', ['full']],
  ] as const) {
    browserTest(`colours added particles by their ages (${engine})`, { tags: [...tags] }, async () => {
      const { page } = await open();
      await arrange(page, { scene: 'fountain', engine, fluidAs: 'particles', colour: 'age', timeScale: 2 });
      await stepTimes(page, 30);
      const time = await page.evaluate(() => window.cellstorm?.simulation?.time ?? 0);
      expect(time).toBeCloseTo(1, 6);
      const scenery = await describeScenery(page);
      const image = await takePicture(page, `ages-${engine}`);
      const young = scenery.values.flatMap((age, particle) => (age < 0.5 ? [particle] : []));
      // Other particles may cover a young particle. It counts if the colour at its centre is nearer to its own colour
      // than to the colour of the greatest age.
      const isYoung = young.filter((particle) => {
        const [x, y] = scenery.points[particle] ?? [0, 0];
        const [own, old] = [scenery.values[particle] ?? 0, time].map((age) => colourOfValue(scenery, age));
        const seen = pixelAt(image, x, y);
        return colourDistance(seen, own as Rgb) < colourDistance(seen, old as Rgb);
      });
      expect(young.length).toBeGreaterThan(10);
      expect(isYoung.length / young.length).toBeGreaterThan(0.5);
    });
  }

  browserTest('goes back to its first state', { tags: 'full' }, async () => {
    const { page } = await open();
    await arrange(page, { scene: 'dam-break', engine: 'cpu' });
    await stepTimes(page, 2);
    await goBackToStart(page);
    expect((await stateOf(page)).time).toBe(0);
    expect(new URL(page.url()).search).toMatch(/scene=dam-break.*engine=cpu/);
  });

  browserTest('can be replaced by a scene of collisions, which shows its own figures', async () => {
    const { page } = await open();
    await arrange(page, { scene: 'dam-break', engine: 'cpu' });
    await chooseScene(page, 'pile');
    expect((await stateOf(page)).titles).toContain('Candidate pairs');
    expect(await textOf(page, 'notice')).toBe('');
  });
});
