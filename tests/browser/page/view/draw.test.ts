import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import { createScene } from '../../../../src/scenes';
import { browserTest, useBrowser } from '../../../helpers/browser';
import {
  arrange,
  chooseOption,
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
} from '../../playground';

async function expectAsCreated(page: Page, name: string, count: number): Promise<void> {
  const scene = createScene(name, { dimensions: 2, count });
  const got = await page.evaluate(async () => {
    const { simulation } = window.cellstorm ?? {};
    const { positions = [], radii = [], halfExtents = [] } = (await simulation?.read()) ?? {};
    return {
      radius: simulation?.radius,
      positions: Array.from(positions),
      radii: Array.from(radii),
      halfExtents: Array.from(halfExtents),
    };
  });
  expect(got).toEqual({
    radius: scene.radius,
    positions: Array.from(scene.positions),
    radii: Array.from(scene.radii ?? []),
    halfExtents: Array.from(scene.halfExtents ?? []),
  });
  expect(await textOf(page, 'scene-hint')).toBe(scene.description);
}

describe('the playground in 2D', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) => openPlayground(opener, { query: `?v=1&count=${SOME}&scene=gas` }));

  for (const scene of ['gas', 'crates']) {
    browserTest(
      `starts with the particles of the scene ${scene}, and describes the scene in the hint`,
      { tags: 'case' },
      async () => {
        const { page } = await open();
        await arrange(page, { scene, count: SOME });
        await expectAsCreated(page, scene, SOME);
      },
    );
  }

  browserTest.for(['negative', 'periodic', 'mixed', 'terraces', 'mixed-bullets'])(
    'starts with the particles of the scene %s, and describes the scene in the hint',
    { tags: 'case' },
    async (scene) => {
      const { page } = await open();
      await arrange(page, { scene, count: SOME });
      await expectAsCreated(page, scene, SOME);
    },
  );

  for (const [colour, title] of [
    ['speed', /^Speed$/],
    ['id', /^Id$/],
    ['contacts', /^Contacts$/],
    ['density', /2 diameters/],
  ] as const) {
    browserTest(`colours particles by ${colour}`, async () => {
      const opened = await open();
      const { page } = opened;
      // In a gas no particle covers the middle of another.
      await arrange(page, { scene: 'gas', count: SOME, colour });
      await stepTimes(page, 3);
      expect(await textOf(page, 'legend-title')).toMatch(title);
      await expectTruePicture(opened, `colour-${colour}`);
    });
  }

  browserTest(
    'shows the right values each time the visitor changes the colour',
    { tags: 'full' },
    async () => {
      const opened = await open();
      const { page } = opened;
      await arrange(page, { scene: 'gas' });
      await stepTimes(page, 3);
      // Choose some labels twice: the second time their bind groups come from a cache.
      for (const label of ['Id', 'Age', 'Speed', 'Age', 'Id', 'Contacts']) {
        await chooseOption(page, 'colour', label);
        await expectTruePicture(opened, `colour-again-${label.toLowerCase()}`);
      }
      const bar = await page.$eval('#legend-bar', (element) => getComputedStyle(element).backgroundImage);
      expect(bar).toMatch(/^linear-gradient\(to right, rgb/);
      expect(await textOf(page, 'legend-end')).toBe('6 or more');
    },
  );

  browserTest('shows obstacles', async () => {
    const { page } = await open();
    await arrange(page, { scene: 'obstacles', count: SOME });
    const { theme, obstacles } = await describeScenery(page);
    const image = await takePicture(page, 'obstacles');
    const painted = obstacles.filter(
      ([x, y]) => colourDistance(pixelAt(image, x, y), theme.obstacle) <= TOLERANCE,
    );
    // Some particles cover obstacles.
    expect(painted.length).toBeGreaterThan(0.7 * obstacles.length);
    expect(obstacles.length).toBeGreaterThan(20);
  });

  browserTest(
    'shows boxes, coloured by speed if the chosen colour does not apply to boxes',
    { tags: 'full' },
    async () => {
      const opened = await open();
      const { page } = opened;
      await arrange(page, { scene: 'crates', colour: 'density' });
      expect(await textOf(page, 'notice')).toMatch(/Neighbours of boxes .* colours show speed/);
      expect(await textOf(page, 'legend-title')).toBe('Speed');
      await expectTruePicture(opened, 'boxes');
    },
  );

  browserTest('leaves out particles that are far away, on both engines', { tags: 'full' }, async () => {
    const opened = await open();
    const { page } = opened;
    await arrange(page, { scene: 'far-apart', size: 0.25 });
    expect(await textOf(page, 'notice')).toMatch(/too far apart .* it shows \d+ particles of 100/);
    for (const engine of ['GPU', 'CPU']) {
      await chooseOption(page, 'engine', engine);
      await expectTruePicture(opened, `endless-${engine.toLowerCase()}`, 3 * TOLERANCE);
    }
  });

  browserTest(
    'shows buckets only in an unbounded world; in a box, their switch is disabled',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      await arrange(page, { scene: 'gas', engine: 'cpu', unbounded: true, buckets: true });
      const stateOf = () =>
        page.$eval('#buckets', (input) => [
          (input as HTMLInputElement).checked,
          (input as HTMLInputElement).disabled,
          input.closest<HTMLElement>('[data-hint]')?.dataset.hint,
          document.getElementById('overlay-fold')?.hidden,
        ]);
      expect((await stateOf()).toSpliced(2, 1)).toEqual([true, false, false]);
      await page.$eval('#unbounded', (input) => (input as HTMLElement).click());
      await settle(page);
      expect(await stateOf()).toEqual([true, true, expect.stringMatching(/^Only unbounded worlds/), true]);
      await page.$eval('#unbounded', (input) => (input as HTMLElement).click());
      await settle(page);
      expect((await stateOf()).toSpliced(2, 1)).toEqual([true, false, false]);
    },
  );
});

describe('the picture in 3D', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) =>
    openPlayground(opener, { theme: 'light', query: `?v=1&count=${SOME}&dimensions=3` }),
  );

  browserTest('shows every sphere, and the background beside them', async () => {
    const { page } = await open();
    await arrange(page, { dimensions: 3, count: SOME });
    expect(await page.evaluate(() => window.cellstorm?.simulation?.dimensions)).toBe(3);
    await stepTimes(page, 3);
    const { points, count, theme, free } = await describeScenery(page);
    const image = await takePicture(page, 'space-light');
    const { background, surface } = theme;
    const drawn = points.filter(([x, y]) => {
      const pixel = pixelAt(image, x, y);
      return colourDistance(pixel, background) > 40 && colourDistance(pixel, surface) > 40;
    });
    expect(drawn.length).toBe(count);
    const { x, y, width } = free;
    for (const column of [x + 20, x + width - 20]) {
      expect(colourDistance(pixelAt(image, column, y + 20), background)).toBeLessThanOrEqual(TOLERANCE);
    }
  });

  browserTest('shows every box', { tags: 'full' }, async () => {
    const opened = await open();
    await arrange(opened.page, { dimensions: 3, scene: 'crates', count: FEW });
    await expectAllDrawn(opened, 'boxes-space', 40);
  });
});
