import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import { browserTest, useBrowser } from '../../../helpers/browser';
import {
  arrange,
  chooseOption,
  countDifferences,
  describeScenery,
  openPlayground,
  passFrames,
  settle,
  takePicture,
  textOf,
  waitForText,
} from '../../playground';

type Point = readonly [number, number];

/** Returns the middle of a 2D world, the nearest particle, and what searches around the middle must find. */
async function around(page: Page) {
  const { point, nearest, unit, offsets, radius } = await page.evaluate(async () => {
    const { simulation, toScreen } = window.cellstorm ?? {};
    if (!simulation || !toScreen) throw new Error('Nothing runs.');
    const { min, max } = simulation.world;
    const [x = 0, y = 0] = min.map((low, axis) => (low + (max[axis] as number)) / 2);
    const { positions } = await simulation.read();
    const offsets = Array.from(
      { length: positions.length / 2 },
      (_, particle): Point => [
        (positions[2 * particle] as number) - x,
        (positions[2 * particle + 1] as number) - y,
      ],
    );
    const [dx = 0, dy = 0] =
      offsets.toSorted((one, other) => Math.hypot(...one) - Math.hypot(...other))[0] ?? [];
    return {
      point: toScreen([x, y]) as Point,
      nearest: toScreen([x + dx, y + dy]) as Point,
      unit: (toScreen([x + 1, y])[0] as number) - (toScreen([x, y])[0] as number),
      offsets,
      radius: simulation.radius,
    };
  });
  const count = (isFound: (x: number, y: number) => boolean) =>
    offsets.filter(([x, y]) => isFound(x, y)).length;
  return {
    point,
    nearest,
    unit,
    near: (radii: number) => count((x, y) => Math.hypot(x, y) < radii * radius),
    /** The ray goes from −half to half along x, relative to the middle. */
    along: (half: number) => count((x, y) => Math.hypot(Math.max(0, Math.abs(x) - half), y) <= radius),
    inBox: (half: number) => count((x, y) => Math.max(Math.abs(x), Math.abs(y)) <= half),
  };
}

const ENGINES = [
  ['cpu', []],
  ['gpu', ['full']],
] as const;

describe('the query tool', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) => openPlayground(opener, { query: '?v=1&count=100&engine=cpu' }));

  for (const [engine, tags] of ENGINES) {
    browserTest(`finds the particles near the mouse (${engine})`, { tags: [...tags] }, async () => {
      const { page } = await open();
      await arrange(page, { scene: 'uniform', engine, count: 300, brush: 7, pointer: 'query' });
      const { point, near } = await around(page);
      const { free } = await describeScenery(page);
      await page.mouse.move(point[0], point[1]);
      await settle(page);
      expect(near(7)).toBeGreaterThan(5);
      expect(await textOf(page, 'query-key')).toMatch(
        new RegExp(`^${near(7)} found within 3\\.5 units\\d+ of 300 particles tested\\d+ cells visited$`),
      );
      const marked = await takePicture(page, `query-${engine}`);
      await chooseOption(page, 'pointer', 'Move the picture');
      await passFrames(page, 2);
      expect(countDifferences(marked, await takePicture(page, `query-${engine}-off`), free)).toBeGreaterThan(
        300,
      );
      expect(await page.$eval('#query-fold', (fold) => (fold as HTMLElement).hidden)).toBe(true);
    });

    browserTest(
      `finds the particles along a dragged ray and in a dragged box (${engine})`,
      { tags: [...tags] },
      async () => {
        const { page } = await open();
        await arrange(page, { scene: 'uniform', engine, count: 300, pointer: 'query', query: 'ray' });
        const { point, nearest, unit, along, inBox } = await around(page);
        const [x, y] = point;
        await page.mouse.move(x - 4 * unit, y);
        await page.mouse.down();
        await page.mouse.move(x + 4 * unit, y, { steps: 3 });
        await page.mouse.up();
        await settle(page);
        const answer = await textOf(page, 'query-key');
        expect(along(4)).toBeGreaterThan(0);
        expect(answer).toMatch(new RegExp(`^${along(4)} found along the ray`));
        // After a drag the answer stays while the mouse moves on.
        await page.mouse.move(x, y + 2 * unit);
        await settle(page);
        expect(await textOf(page, 'query-key')).toBe(answer);
        // This ray begins inside a particle.
        await page.mouse.move(...nearest);
        await page.mouse.down();
        await page.mouse.move(nearest[0] + 4 * unit, nearest[1], { steps: 3 });
        await page.mouse.up();
        await settle(page);
        expect(await textOf(page, 'query-key')).toMatch(/found along the ray, the first after 0 units/);
        await chooseOption(page, 'query', 'In a box');
        await page.mouse.move(x - 3 * unit, y - 3 * unit);
        await page.mouse.down();
        await page.mouse.move(x + 3 * unit, y + 3 * unit, { steps: 3 });
        await page.mouse.up();
        await settle(page);
        expect(await textOf(page, 'query-key')).toMatch(new RegExp(`^${inBox(3)} found in the box`));
        expect(page.url()).toMatch(/pointer=query&query=box/);
      },
    );
  }

  browserTest(
    'finds the particles nearest to the middle in 3D if X is pressed',
    { tags: ['case'] },
    async () => {
      const { page } = await open();
      await arrange(page, {
        scene: 'uniform',
        dimensions: 3,
        engine: 'cpu',
        count: 400,
        pointer: 'query',
        query: 'nearest',
        nearestCount: 5,
        brush: 12,
      });
      await page.keyboard.down('x');
      await page.keyboard.up('x');
      await settle(page);
      expect(await textOf(page, 'query-key')).toMatch(/^5 found nearest, at most 6 units away/);
      const { free } = await describeScenery(page);
      const marked = await takePicture(page, 'query-space');
      await chooseOption(page, 'pointer', 'Move the picture');
      await passFrames(page, 2);
      expect(countDifferences(marked, await takePicture(page, 'query-space-off'), free)).toBeGreaterThan(300);
    },
  );

  browserTest('follows particles that move', { tags: 'full' }, async () => {
    const { page } = await open();
    await arrange(page, { scene: 'pile', count: 300, engine: 'cpu', pointer: 'query', brush: 8 });
    const { point } = await around(page);
    await page.mouse.move(point[0], point[1]);
    await settle(page);
    const texts = new Set<string>();
    for (let step = 0; step < 4; step++) {
      await page.evaluate(() => {
        for (let more = 0; more < 20; more++) window.cellstorm?.simulation?.step(1 / 60);
      });
      await page.click('#step');
      await settle(page);
      texts.add(await textOf(page, 'query-key'));
    }
    expect(texts.size).toBeGreaterThan(1);
  });

  browserTest('keeps the answer of a tap with a finger', { tags: ['case'] }, async () => {
    const { page } = await openPlayground(browser, {
      query: '?v=1&count=200&engine=cpu&paused=1&pointer=query&brush=9',
      isPhone: true,
      width: 390,
      height: 780,
    });
    const { free } = await describeScenery(page);
    const client = await page.createCDPSession();
    const touch = (type: 'touchStart' | 'touchEnd', ...points: Point[]) =>
      client.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: points.map(([x, y], id) => ({ x, y, id })),
      });
    await settle(page);
    const before = await textOf(page, 'query-key');
    await touch('touchStart', [free.x + 0.2 * free.width, free.y + 0.6 * free.height]);
    await touch('touchEnd');
    await waitForText(page, 'query-key', /^(?!0 found)\d+ found within/);
    expect(await textOf(page, 'query-key')).not.toBe(before);
  });
});
