import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import { browserTest, useBrowser } from '../../../helpers/browser';
import {
  arrange,
  countDifferences,
  describeScenery,
  expectTruePicture,
  FEW,
  openPlayground,
  SOME,
  settle,
  stepTimes,
  takePicture,
  typeCount,
} from '../../playground';

type Point = readonly [number, number];

const scaleOf = (page: Page) => page.evaluate(() => window.cellstorm?.frame?.camera.pixelsPerUnit ?? 0);
const screenOf = (page: Page, point: readonly number[] = [5, 5]): Promise<Point> =>
  page.evaluate((given) => window.cellstorm?.toScreen(given) ?? ([0, 0] as const), point);

const closeTo = ([x, y]: Point, digits = 2) => [expect.closeTo(x, digits), expect.closeTo(y, digits)];

async function middleOf(page: Page): Promise<Point> {
  const { free } = await describeScenery(page);
  return [free.x + free.width / 2, free.y + free.height / 2];
}

describe('the picture', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) => openPlayground(opener, { count: SOME }));

  browserTest('is magnified around the pointer by the wheel, and fitted again by key', async () => {
    const opened = await open();
    const { page } = opened;
    // In a gas no particle covers the middle of another.
    await arrange(page, { scene: 'gas', count: SOME });
    const fitted = await screenOf(page);
    const fittedScale = await scaleOf(page);
    // Pointers lie at whole pixels.
    const pixel = fitted.map(Math.round) as [number, number];
    await page.mouse.move(...pixel);
    await page.mouse.wheel({ deltaY: -600 });
    await settle(page);
    const magnified = [0, 1].map((axis) => {
      const apart = (fitted[axis] as number) - (pixel[axis] as number);
      return (pixel[axis] as number) + Math.exp(0.9) * apart;
    }) as [number, number];
    expect(await screenOf(page)).toEqual(closeTo(magnified));
    expect((await scaleOf(page)) / fittedScale).toBeCloseTo(Math.exp(0.9), 3);
    await expectTruePicture(opened, 'magnified');
    await page.keyboard.press('f');
    await settle(page);
    expect(await screenOf(page)).toEqual(closeTo(fitted));
  });

  browserTest('follows a drag', async () => {
    const { page } = await open();
    await arrange(page, { engine: 'cpu' });
    const [left, top] = await screenOf(page);
    const [x, y] = await middleOf(page);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 30, y - 20);
    await page.mouse.up();
    expect(await screenOf(page)).toEqual(closeTo([left + 30, top - 20]));
  });

  browserTest('follows two fingers on a touchpad', async () => {
    const { page } = await open();
    await arrange(page, { engine: 'cpu' });
    await page.mouse.move(...(await middleOf(page)));
    const before = await scaleOf(page);
    // Browsers report a pinch as a wheel with the control key. The page treats moves below 50 pixels as a pinch, and
    // larger ones as a real wheel.
    await page.keyboard.down('Control');
    await page.mouse.wheel({ deltaY: -40 });
    await page.mouse.wheel({ deltaY: -100 });
    await page.keyboard.up('Control');
    await settle(page);
    expect((await scaleOf(page)) / before).toBeCloseTo(Math.exp(0.4 + 0.15), 3);
  });

  browserTest('is fitted again if the box changes its size', { tags: 'full' }, async () => {
    const { page } = await open();
    await arrange(page, { count: SOME, engine: 'cpu' });
    const fitted = await screenOf(page);
    await page.mouse.move(...(await middleOf(page)));
    await page.mouse.wheel({ deltaY: -600 });
    await settle(page);
    await typeCount(page, 2 * SOME);
    const { box, free } = await describeScenery(page);
    expect(box.x).toBeGreaterThanOrEqual(free.x - 1);
    expect(box.x + box.width).toBeLessThanOrEqual(free.x + free.width + 1);
    await typeCount(page, SOME);
    expect(await screenOf(page)).toEqual(closeTo(fitted));
  });

  browserTest('moves by shift and arrows in 3D, and turns around its middle by arrows', async () => {
    const { page } = await open();
    await arrange(page, { dimensions: 3, engine: 'cpu' });
    const [middle, corner] = await page.evaluate(() => {
      const { min = [], max = [] } = window.cellstorm?.simulation?.world ?? {};
      return [min.map((low, axis) => (low + (max[axis] ?? 0)) / 2), [...min]] as const;
    });
    await page.focus('#stage canvas');
    const [x, y] = await screenOf(page, middle);
    await page.keyboard.down('Shift');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.up('Shift');
    const moved = await screenOf(page, middle);
    expect(moved).toEqual(closeTo([x - 40, y + 40], 0));
    const before = await screenOf(page, corner);
    await page.keyboard.press('ArrowRight');
    const turned = await screenOf(page, middle);
    const after = await screenOf(page, corner);
    // The view turns around its target, which Shift and the arrows moved a little away from the middle of the box.
    expect(Math.hypot(turned[0] - moved[0], turned[1] - moved[1])).toBeLessThan(4);
    expect(Math.hypot(after[0] - before[0], after[1] - before[1])).toBeGreaterThan(5);
  });

  browserTest(
    'once fitted again, shows particles that flew away in an unbounded world',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      await arrange(page, { scene: 'one-large', gravity: 100, engine: 'cpu' });
      const lowest = () => page.evaluate(() => window.cellstorm?.frame?.box.min[1] ?? 0);
      const before = await lowest();
      await stepTimes(page, 12);
      expect(await lowest()).toBe(before);
      await page.keyboard.press('f');
      await settle(page);
      // The particles fell by 2: ½ · 100 · (12 / 60)².
      expect(await lowest()).toBeLessThan(before - 1.5);
    },
  );

  browserTest('turns in 3D by key and by drag', async () => {
    const { page } = await open();
    await arrange(page, { dimensions: 3, count: FEW, engine: 'cpu' });
    const { free } = await describeScenery(page);
    const image = await takePicture(page, 'space');
    await page.focus('#stage canvas');
    await page.keyboard.press('ArrowLeft');
    await settle(page);
    const turned = await takePicture(page, 'space-turned');
    expect(countDifferences(image, turned, free)).toBeGreaterThan(1000);
    const [x, y] = await middleOf(page);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 80, y + 20);
    await page.mouse.up();
    await settle(page);
    expect(countDifferences(turned, await takePicture(page, 'space-dragged'), free)).toBeGreaterThan(1000);
  });
});
