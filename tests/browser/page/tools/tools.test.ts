import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import type { Choices } from '../../../../src/page/model/fields';
import { browserTest, type OpenPage, useBrowser } from '../../../helpers/browser';
import {
  arrange,
  chooseOption,
  colourDistance,
  describeScenery,
  FEW,
  openPlayground,
  passTimers,
  pixelAt,
  settle,
  takePicture,
  textOf,
  typeNumber,
} from '../../playground';

type Point = readonly [number, number];

/** The default tier runs these tests on the CPU engine only, because a software GPU is slow. */
const ENGINES = [
  ['cpu', []],
  ['gpu', ['full']],
] as const;

/** Nothing moves or falls in this scene at first. */
const CALM = { scene: 'lattice', size: 0.25, brush: 12 } as const satisfies Partial<Choices>;

async function stateOf(page: Page) {
  return page.evaluate(async () => {
    const { simulation } = window.cellstorm ?? {};
    const { positions = [], ids = [] } = (await simulation?.read()) ?? {};
    const { count = 0, obstacleCount = 0, capacity = 0, time = 0 } = simulation ?? {};
    return { ids: [...ids], positions: [...positions], count, obstacleCount, capacity, time };
  });
}

const screenOf = (page: Page, point: readonly number[]): Promise<Point> =>
  page.evaluate((given) => window.cellstorm?.toScreen(given) ?? ([0, 0] as const), point);

/** Returns the screen position of a point that is given as shares of the box's width and height. */
function inBox(page: Page, across: number, up: number): Promise<Point> {
  return page.evaluate(
    (shares) => {
      const { min = [], max = [] } = window.cellstorm?.simulation?.world ?? {};
      const point = shares.map(
        (share, axis) => (min[axis] ?? 0) + share * ((max[axis] ?? 0) - (min[axis] ?? 0)),
      );
      return window.cellstorm?.toScreen(point) ?? ([0, 0] as const);
    },
    [across, up],
  );
}

async function middleOf(page: Page): Promise<Point> {
  const { free } = await describeScenery(page);
  return [Math.round(free.x + free.width / 2), Math.round(free.y + free.height / 2)];
}

const ringOf = (page: Page) =>
  page.$eval('#brush-ring', (element) => element.getBoundingClientRect().toJSON() as DOMRect);

const waitForRing = (page: Page, least: number, most = Number.MAX_SAFE_INTEGER) =>
  page.waitForFunction(
    (from, to) => {
      const width = document.querySelector('#brush-ring')?.clientWidth ?? 0;
      return width > from && width < to;
    },
    {},
    least,
    most,
  );

function wallOf(page: Page): Promise<Point[]> {
  return page.evaluate(async () => {
    const { obstacles } = (await window.cellstorm?.simulation?.checkpoint()) ?? {};
    const positions = obstacles instanceof Float32Array ? obstacles : (obstacles?.positions ?? []);
    return Array.from(
      { length: positions.length / 2 },
      (_, ball) =>
        window.cellstorm?.toScreen([positions[2 * ball] ?? 0, positions[2 * ball + 1] ?? 0]) ??
        ([0, 0] as const),
    );
  });
}

/** Returns the sum of velocity · (position − middle) over all particles: positive if they move outwards. */
function outwardsOf(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const simulation = window.cellstorm?.simulation;
    const { positions = [], velocities = [] } = (await simulation?.read()) ?? {};
    const { min = [], max = [] } = simulation?.world ?? {};
    return Array.from(velocities).reduce((sum, speed, index) => {
      const axis = index % min.length;
      return sum + speed * ((positions[index] ?? 0) - ((min[axis] ?? 0) + (max[axis] ?? 0)) / 2);
    }, 0);
  });
}

describe('a tool', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) => openPlayground(opener, { query: '?v=1&count=100&engine=cpu' }));

  for (const [engine, tags] of ENGINES) {
    browserTest(`drags one particle along with the pointer (${engine})`, { tags: [...tags] }, async () => {
      const { page } = await open();
      await arrange(page, { ...CALM, engine, pointer: 'drag' });
      const before = await stateOf(page);
      const from = await screenOf(page, before.positions.slice(24, 26));
      await page.mouse.move(...from);
      await page.mouse.down();
      await page.waitForFunction(() => window.cellstorm?.isHolding === true);
      expect(await page.$eval('#brush-ring', (ring) => (ring as HTMLElement).hidden)).toBe(true);
      await page.mouse.move(from[0] + 25, from[1] - 15);
      for (let step = 0; step < 12; step++) await page.keyboard.press('.');
      await settle(page);
      const to = await screenOf(page, (await stateOf(page)).positions.slice(24, 26));
      await page.mouse.up();
      expect(Math.hypot(to[0] - from[0] - 25, to[1] - from[1] + 15)).toBeLessThan(4);
    });

    browserTest(
      `makes room for new particles without changing the others (${engine})`,
      { tags: [...tags] },
      async () => {
        const { page } = await open();
        await arrange(page, { ...CALM, engine });
        await page.keyboard.press('.');
        await settle(page);
        const before = await stateOf(page);
        await chooseOption(page, 'pointer', 'Add particles');
        const roomy = await stateOf(page);
        expect(roomy.capacity).toBeGreaterThanOrEqual(FEW + 2000);
        expect(roomy.time).toBe(before.time);
        expect(roomy.positions).toEqual(before.positions);
      },
    );

    browserTest(`adds particles where there is room (${engine})`, { tags: [...tags] }, async () => {
      const { page } = await open();
      await arrange(page, { ...CALM, engine, pointer: 'add', colour: 'age' });
      const before = await stateOf(page);
      await page.mouse.move(...(await inBox(page, 0.5, 0.97)));
      await page.mouse.down();
      await page.waitForFunction((few) => (window.cellstorm?.simulation?.count ?? 0) > few + 20, {}, FEW);
      await page.mouse.up();
      await settle(page);
      const added = await stateOf(page);
      expect(added.positions.slice(0, 2 * FEW)).toEqual(before.positions);
      expect(await textOf(page, 'contacts')).toBe('0');
      expect(await textOf(page, 'particles')).toBe(String(added.count));
      expect(await textOf(page, 'legend-title')).toBe('Age');
      await typeNumber(page, 'gravity', 1);
      expect((await stateOf(page)).count).toBe(added.count);
    });

    browserTest(
      `draws a wall, which the picture shows at once (${engine})`,
      { tags: [...tags] },
      async () => {
        const { page } = await open();
        await arrange(page, { ...CALM, engine, pointer: 'wall' });
        await page.mouse.move(...(await inBox(page, 0.2, 0.1)));
        await page.mouse.down();
        const [x, y] = await inBox(page, 0.8, 0.2);
        await page.mouse.move(x, y, { steps: 4 });
        await page.mouse.up();
        await settle(page);
        const { obstacleCount } = await stateOf(page);
        expect(obstacleCount).toBeGreaterThan(30);
        const { theme, obstacles } = await describeScenery(page);
        const image = await takePicture(page, `tools-${engine}`);
        const painted = obstacles.filter(
          // Compare with the background, not with obstacles' colour: another obstacle's rim may darken the pixel.
          (at) => colourDistance(pixelAt(image, ...at), theme.surface) > 25,
        );
        expect(obstacles.length).toBe(obstacleCount);
        expect(painted.length).toBe(obstacles.length);
      },
    );

    browserTest(
      `erases particles and walls, and Reset brings the scene back (${engine})`,
      { tags: [...tags] },
      async () => {
        const { page } = await open();
        await arrange(page, { ...CALM, engine, pointer: 'wall' });
        await page.focus('#stage canvas');
        await page.keyboard.press('x');
        await settle(page);
        expect((await stateOf(page)).obstacleCount).toBeGreaterThan(0);
        await chooseOption(page, 'pointer', 'Erase');
        await typeNumber(page, 'brush', 1000);
        // A key uses the tool in the middle of the picture.
        await page.focus('#stage canvas');
        await page.keyboard.press('x');
        await page.waitForFunction(() => window.cellstorm?.simulation?.count === 0);
        await settle(page);
        expect(await stateOf(page)).toMatchObject({ count: 0, obstacleCount: 0 });
        await page.click('#reset');
        await settle(page);
        expect(await stateOf(page)).toMatchObject({ count: FEW, obstacleCount: 0, time: 0 });
      },
    );
  }

  for (const [engine, dimensions, pointer, sign, tags] of [
    ['cpu', 2, 'pull', -1, ['full']],
    ['cpu', 3, 'push', 1, []],
    ['gpu', 2, 'push', 1, ['full']],
    ['gpu', 3, 'pull', -1, ['full']],
  ] as const) {
    browserTest(
      `${pointer === 'push' ? 'pushes particles away from' : 'pulls particles towards'} the pointer (${engine}, ${dimensions}D)`,
      { tags: [...tags] },
      async () => {
        const { page } = await open();
        // The particles are too far apart to collide in one step.
        await arrange(page, { scene: 'lattice', size: 0.125, brush: 30, engine, dimensions, pointer });
        await page.mouse.move(...(await middleOf(page)));
        await page.mouse.down();
        await page.keyboard.press('.');
        await settle(page);
        const outwards = await outwardsOf(page);
        await page.mouse.up();
        expect(Math.sign(outwards)).toBe(sign);
      },
    );
  }

  browserTest(
    'shows its reach by a ring, which grows with the picture and is hidden outside the picture',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      await arrange(page, { ...CALM, pointer: 'push', brush: 30, engine: 'cpu' });
      const [x, y] = await middleOf(page);
      await page.mouse.move(x, y);
      await waitForRing(page, 20);
      const { width, left } = await ringOf(page);
      expect(left + width / 2).toBeCloseTo(x, 1);
      await page.mouse.wheel({ deltaY: -100 });
      await waitForRing(page, 1.1 * width);
      await page.keyboard.press('f');
      await waitForRing(page, width - 3, width + 3);
      await page.mouse.down();
      expect((await ringOf(page)).width).toBeGreaterThan(20);
      await page.mouse.up();
      await page.hover('#reset');
      expect((await ringOf(page)).width).toBe(0);
    },
  );

  browserTest(
    'draws a wall while its key is down and arrow keys move the picture',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      await arrange(page, { ...CALM, engine: 'cpu', pointer: 'wall', brush: 1 });
      await page.focus('#stage canvas');
      await page.keyboard.down('x');
      for (let press = 0; press < 3; press++) await page.keyboard.press('ArrowRight');
      await page.keyboard.up('x');
      await page.keyboard.press('ArrowUp');
      await settle(page);
      const wall = await wallOf(page);
      const extent = (axis: 0 | 1) => {
        const along = wall.map((at) => at[axis]);
        return Math.max(...along) - Math.min(...along);
      };
      expect(extent(0)).toBeGreaterThan(100);
      expect(extent(1)).toBeLessThan(30);
    },
  );
});

describe('a finger', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) => openPlayground(opener, { query: '?v=1&count=100&engine=cpu' }));

  type Touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: Point[]) => Promise<unknown>;

  async function start(
    pointer: Choices['pointer'],
    brush: number,
  ): Promise<OpenPage & { touch: Touch; middle: Point }> {
    const opened = await open();
    const { page } = opened;
    await arrange(page, { ...CALM, engine: 'cpu', pointer, brush });
    const client = await page.createCDPSession();
    const touch: Touch = (type, ...points) =>
      client.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: points.map(([x, y], id) => ({ x, y, id })),
      });
    return { ...opened, touch, middle: await middleOf(page) };
  }

  for (const pointer of ['add', 'erase', 'wall'] as const) {
    browserTest(
      `and a second one magnify the picture as much as their distance grows, without using the tool ${pointer}`,
      { tags: 'full' },
      async () => {
        const { page, touch, middle } = await start(pointer, 12);
        const [x, y] = middle;
        const scale = () => page.evaluate(() => window.cellstorm?.frame?.camera.pixelsPerUnit ?? 0);
        const before = await scale();
        await touch('touchStart', [x - 40, y], [x + 40, y]);
        await touch('touchMove', [x - 60, y], [x + 50, y]);
        await touch('touchMove', [x - 80, y], [x + 80, y]);
        // With a single finger, the tool would start after 120 ms.
        await passTimers(page, 200);
        await touch('touchEnd');
        await settle(page);
        expect((await scale()) / before).toBeCloseTo(2, 3);
        expect(await stateOf(page)).toMatchObject({ count: FEW, obstacleCount: 0 });
      },
    );
  }

  browserTest('alone draws a wall that begins at the point it touched first', async () => {
    const { page, touch, middle } = await start('wall', 1);
    const [x, y] = middle;
    await touch('touchStart', [x, y]);
    await touch('touchMove', [x + 30, y]);
    await touch('touchMove', [x + 60, y]);
    await touch('touchEnd');
    await settle(page);
    const drawn = (await wallOf(page)).map(([across]) => across);
    expect(Math.min(...drawn)).toBeLessThan(x + 8);
    expect(Math.max(...drawn)).toBeGreaterThan(x + 52);
  });

  browserTest('draws a wall by a tap', async () => {
    const { page, touch, middle } = await start('wall', 1);
    const [x, y] = middle;
    await touch('touchStart', [x, y - 100]);
    await touch('touchEnd');
    await settle(page);
    expect((await wallOf(page)).some(([, down]) => down < y - 80)).toBe(true);
  });

  browserTest('adds particles while it is down', async () => {
    const { page, touch, middle } = await start('add', 12);
    await touch('touchStart', middle);
    await page.waitForFunction((few) => (window.cellstorm?.simulation?.count ?? 0) > few, {}, FEW);
    await touch('touchEnd');
  });
});
