import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import { type Inspected, inspectAll } from '../../../../src/page/view/inspect';
import { decodePng, type Picture } from '../../../../src/testing/pictures';
import { browserTest, useBrowser } from '../../../helpers/browser';
import { type Point, readHeld, SAME, screenOf, toScreen } from '../../held';
import {
  arrange,
  blur,
  chooseOption,
  chooseScene,
  colourDistance,
  describeScenery,
  FEW,
  openPlayground,
  passFrames,
  pixelAt,
  settle,
  shownValue,
  stepTimes,
  takePicture,
  textOf,
} from '../../playground';

/** Returns whether two pictures differ within one pixel of a point. */
function differAt(before: Picture, after: Picture, [x, y]: Point): boolean {
  return [-1, 0, 1].some((right) =>
    [-1, 0, 1].some((down) => {
      const pixel = [x + right, y + down] as const;
      return colourDistance(pixelAt(before, ...pixel), pixelAt(after, ...pixel)) > SAME;
    }),
  );
}

/** Expects that the cells, the candidates and the lines to them are marked, and nothing else. `bare` has no marks. */
async function expectMarks(page: Page, bare: Picture, marked: Picture, inspected: Inspected): Promise<void> {
  const onScreen = await screenOf(page);
  const { particles } = await readHeld(page);
  const { theme } = await describeScenery(page);
  const isMarked = (point: readonly number[]) => differAt(bare, marked, onScreen(point));
  expect(inspected.probe.length).toBe(9);
  for (const { cell, min, max } of inspected.probe) {
    const [across = 0, up = 0] = min.map((low, axis) => (low + (max[axis] ?? 0)) / 2);
    const borders = [
      [min[0] ?? 0, up],
      [max[0] ?? 0, up],
      [across, min[1] ?? 0],
      [across, max[1] ?? 0],
    ];
    expect(borders.map(isMarked), `cell ${cell}`).toEqual([true, true, true, true]);
  }
  const positionOf = (index: number) => Array.from(particles.positions.subarray(2 * index, 2 * index + 2));
  const others = inspected.candidates.filter(({ verdict }) => verdict !== 'itself');
  for (const { id, index, verdict } of others) {
    const colour = verdict === 'contact' ? theme.overlay.contact : theme.overlay.candidate;
    expect(
      colourDistance(pixelAt(marked, ...onScreen(positionOf(index))), colour),
      `${verdict} ${id}`,
    ).toBeLessThan(60);
    const line = Array.from({ length: 9 }, (_, step) =>
      positionOf(index).map(
        (along, axis) => along + ((step + 1) / 10) * ((inspected.position[axis] ?? 0) - along),
      ),
    );
    // A dashed line has gaps, so fewer of its points are marked.
    expect(line.filter(isMarked).length, `line to ${id}`).toBeGreaterThanOrEqual(
      verdict === 'contact' ? 9 : 3,
    );
  }
  expect(new Set(others.map(({ verdict }) => verdict))).toEqual(new Set(['contact', 'apart']));
  const distance = (index: number) =>
    Math.hypot(...positionOf(index).map((along, axis) => along - (inspected.position[axis] ?? 0)));
  const far = [...particles.ids.keys()].filter((index) => distance(index) > 3 * inspected.radius * 2);
  expect(far.length).toBeGreaterThan(20);
  expect(far.filter((index) => isMarked(positionOf(index)))).toEqual([]);
}

async function savedPicture(page: Page): Promise<Picture> {
  const text = await page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        HTMLAnchorElement.prototype.click = () => undefined;
        const { toBlob } = HTMLCanvasElement.prototype;
        HTMLCanvasElement.prototype.toBlob = function (...values) {
          resolve(this.toDataURL('image/png'));
          toBlob.apply(this, values);
        };
        document.getElementById('save-picture')?.click();
      }),
  );
  return decodePng(Buffer.from(text.slice(text.indexOf(',') + 1), 'base64'));
}

function cardText(inspected: Inspected): RegExp[] {
  const own = inspected.own as NonNullable<Inspected['own']>;
  return [
    new RegExp(`Cell${own.cell.join(', ')}`),
    new RegExp(`Index${own.bucket.toLocaleString('en')}`),
    new RegExp(`Slot${inspected.slot} of `),
    new RegExp(`from slot ${own.start}, before ${own.end}`),
    new RegExp(
      `${inspected.candidates.length - 1} candidates, ${inspected.candidates.filter(({ verdict }) => verdict === 'contact').length} in contact`,
    ),
  ];
}

async function inspectedOf(page: Page, id: number): Promise<Inspected> {
  const { world, radius, particles } = await readHeld(page);
  return inspectAll(world, radius, particles)(id) as Inspected;
}

async function expectInspected(page: Page, id: number): Promise<void> {
  const inspected = await inspectedOf(page, id);
  expect(await shownValue(page, 'inspected')).toBe(String(id));
  const text = await textOf(page, 'inspector-body');
  for (const line of cardText(inspected)) expect(text).toMatch(line);
  expect(await textOf(page, 'inspector-status')).toContain(`Particle ${id}: `);
  const rows = await page.$$eval('#inspector-body [data-verdict]', (all) =>
    all.map((row) => [
      Number(row.querySelector('td')?.textContent),
      (row as HTMLElement).dataset.verdict ?? '',
    ]),
  );
  const expected = inspected.candidates
    .filter(({ verdict }) => verdict !== 'itself')
    .map((one) => [one.id, one.verdict]);
  const byId = (first: (string | number)[], second: (string | number)[]) =>
    Number(first[0]) - Number(second[0]);
  expect(rows.sort(byId)).toEqual(expected.sort(byId));
}

async function typeId(page: Page, id: number): Promise<void> {
  await page.focus('#inspected');
  await page.$eval('#inspected', (input) => (input as HTMLInputElement).select());
  await page.keyboard.type(String(id));
  await page.keyboard.press('Enter');
  await blur(page);
}

async function centreOf(page: Page, id: number): Promise<Point> {
  const { particles } = await readHeld(page);
  const [centre] = await toScreen(page, [Array.from(particles.positions.subarray(2 * id, 2 * id + 2))]);
  return centre as Point;
}

const showMarks = (page: Page, visibility: string) =>
  page.$eval(
    '#marks',
    (marks, value) => Object.assign((marks as HTMLElement).style, { visibility: value }),
    visibility,
  );

describe('the inspector', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) =>
    openPlayground(opener, { theme: 'light', query: '?v=1&count=100&scene=packing&engine=cpu' }),
  );

  async function inspect(id: number, engine: 'cpu' | 'gpu' = 'cpu') {
    const opened = await open();
    const { page } = opened;
    await arrange(page, { scene: 'packing', engine });
    await page.keyboard.press('i');
    await settle(page);
    await typeId(page, id);
    return opened;
  }

  browserTest('goes to the next and the previous particle by key', { tags: 'full' }, async () => {
    const { page } = await inspect(37);
    await page.keyboard.press('n');
    await expectInspected(page, 38);
    await page.keyboard.down('Shift');
    await page.keyboard.press('N');
    await page.keyboard.press('N');
    await page.keyboard.up('Shift');
    await expectInspected(page, 36);
  });

  browserTest('says which ids exist if one does not', { tags: 'full' }, async () => {
    const { page } = await inspect(FEW);
    expect(await textOf(page, 'inspector-body')).toBe('No particle has the id 100; ids go from 0 to 99.');
  });

  browserTest(
    'keeps a clicked particle until a click beside all particles, then follows the pointer',
    async () => {
      const { page } = await inspect(37);
      await page.mouse.click(...(await centreOf(page, 12)));
      await expectInspected(page, 12);
      await page.mouse.move(...(await centreOf(page, 55)));
      await passFrames(page, 2);
      await expectInspected(page, 12);
      const { free } = await describeScenery(page);
      await page.mouse.click(free.x + free.width / 2, free.y + 3);
      await page.mouse.move(...(await centreOf(page, 55)));
      await passFrames(page, 2);
      await expectInspected(page, 55);
    },
  );

  browserTest(
    'marks the particle, its cells and its candidates, and nothing else',
    { tags: 'full' },
    async () => {
      const { page } = await inspect(55);
      const image = await takePicture(page, 'inspector');
      const { reaches, theme } = await describeScenery(page);
      const [x, y] = await centreOf(page, 55);
      const ring = (reaches[55]?.[0] ?? 0) + 3;
      expect(colourDistance(pixelAt(image, x - ring, y), theme.overlay.first)).toBeLessThan(90);
      await showMarks(page, 'hidden');
      const bare = await takePicture(page, 'inspector-bare');
      await showMarks(page, 'visible');
      await expectMarks(page, bare, image, await inspectedOf(page, 55));
    },
  );

  browserTest('draws its marks into a saved picture, too', { tags: 'full' }, async () => {
    const { page } = await inspect(55);
    await showMarks(page, 'hidden');
    const bare = await takePicture(page, 'inspector-bare');
    await showMarks(page, 'visible');
    await expectMarks(page, bare, await savedPicture(page), await inspectedOf(page, 55));
  });

  browserTest('closes by key', async () => {
    const { page } = await inspect(55);
    await page.keyboard.press('i');
    expect(await page.$eval('#inspector', (card) => (card as HTMLElement).hidden)).toBe(true);
  });

  for (const engine of ['cpu', 'gpu'] as const) {
    browserTest(
      `shows a particle's cell and candidates (${engine})`,
      { tags: engine === 'cpu' ? [] : ['full'] },
      async () => {
        const { page } = await inspect(37, engine);
        await expectInspected(page, 37);
      },
    );
  }

  browserTest(
    'reads the new run if the visitor replaces a run while the inspector reads it',
    { tags: 'full' },
    async () => {
      // A new page has not loaded the card yet. Here `read` waits until another run replaces this one, and then fails.
      const { page, expectNoProblems } = await openPlayground(browser, { count: FEW });
      await page.evaluate(() => {
        const { simulation = {} } = window.cellstorm ?? {};
        Object.assign(simulation, {
          async read() {
            document.body.dataset.asked = '';
            while (window.cellstorm?.simulation === simulation) await new Promise(requestAnimationFrame);
            throw new Error('It is gone.');
          },
        });
      });
      // The visitor clicks twice while the card loads. Then the card must be open.
      await page.$eval('#inspect', (button) => {
        for (let press = 0; press < 2; press++) (button as HTMLButtonElement).click();
      });
      await page.waitForSelector('[data-asked]');
      await chooseScene(page, 'packing');
      await typeId(page, 37);
      await expectInspected(page, 37);
      expectNoProblems();
    },
  );

  browserTest('follows the state after a step and on another engine', { tags: 'full' }, async () => {
    const { page } = await inspect(55, 'gpu');
    await stepTimes(page, 1);
    await expectInspected(page, 55);
    await chooseOption(page, 'engine', 'CPU');
    await expectInspected(page, 55);
  });
});

describe('the card of the inspector', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) =>
    openPlayground(opener, { query: '?v=1&count=100&engine=cpu&inspect=55', width: 390, height: 844 }),
  );

  browserTest('covers the controls on a phone, but not the picture', { tags: 'full' }, async () => {
    const { page } = await open();
    await page.setViewport({ width: 390, height: 844 });
    await settle(page);
    const isReached = await page.evaluate(() => {
      const [card, close] = ['inspector', 'inspector-close'].map((id) =>
        document.getElementById(id)?.getBoundingClientRect(),
      );
      const hit =
        close && document.elementFromPoint((close.left + close.right) / 2, (close.top + close.bottom) / 2);
      const picture = document.getElementById('free')?.getBoundingClientRect().bottom ?? 0;
      return (
        hit?.closest('#inspector-close') !== null &&
        (card?.top ?? 0) > picture &&
        (card?.bottom ?? 0) <= innerHeight
      );
    });
    expect(isReached).toBe(true);
  });

  browserTest('does not cover notices', { tags: 'full' }, async () => {
    const { page } = await open();
    await page.setViewport({ width: 390, height: 844 });
    await stepTimes(page, 1);
    await blur(page);
    await page.keyboard.press('b');
    const notice = await page.evaluate(() => {
      const { left, right, top, bottom } =
        document.getElementById('notice')?.getBoundingClientRect() ?? new DOMRect();
      return document.elementFromPoint((left + right) / 2, (top + bottom) / 2)?.textContent;
    });
    expect(notice).toMatch(/^Back at /);
  });

  browserTest('leaves room for the legend beside the buttons in a low window', { tags: 'full' }, async () => {
    const { page } = await open();
    await page.setViewport({ width: 844, height: 390 });
    await settle(page);
    const [buttons = 0, legend = 0] = await page.evaluate(() => [
      document.getElementById('help-open')?.getBoundingClientRect().right,
      document.querySelector('.legend')?.getBoundingClientRect().left,
    ]);
    expect(buttons).toBeGreaterThan(0);
    expect(legend).toBeGreaterThanOrEqual(buttons);
  });
});
