import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import type { Rgb } from '../../../../src/page/model/colour';
import type { OverlayName } from '../../../../src/page/model/overlays';
import type { Rectangle } from '../../../../src/page/view/camera';
import { occupiedCells } from '../../../../src/page/view/occupied-cells';
import type { Grid } from '../../../../src/reference/grid/grid';
import { probeCells } from '../../../../src/reference/query/probe';
import { findContact } from '../../../../src/reference/solve/contact';
import type { Picture } from '../../../../src/testing/pictures';
import { browserTest, useBrowser } from '../../../helpers/browser';
import { type Held, type Point, readHeld, SAME, toScreen } from '../../held';
import {
  arrange,
  colourDistance,
  countDifferences,
  countPixels,
  describeScenery,
  openPlayground,
  pixelAt,
  takePicture,
  textOf,
  toggle,
  waitForText,
} from '../../playground';

type Line = readonly [slot: number, other: number];

function positionOf({ positions }: Grid, slot: number): readonly number[] {
  return [positions[2 * slot] as number, positions[2 * slot + 1] as number];
}

function between(grid: Grid, [slot, other]: Line, steps = 9): number[][] {
  const [from, to] = [positionOf(grid, slot), positionOf(grid, other)];
  return Array.from({ length: steps }, (_, step) =>
    from.map((along, axis) => along + ((step + 1) / (steps + 1)) * ((to[axis] as number) - along)),
  );
}

function distancesAt(before: Picture, after: Picture, points: readonly Point[]): number[] {
  return points.map(([x, y]) => colourDistance(pixelAt(before, x, y), pixelAt(after, x, y)));
}

/** Returns the share of lines on which two pictures differ. */
async function shareMarked(
  page: Page,
  before: Picture,
  after: Picture,
  grid: Grid,
  lines: readonly Line[],
): Promise<number> {
  const points = await toScreen(
    page,
    lines.flatMap((line) => between(grid, line)),
  );
  const differs = distancesAt(before, after, points).map((distance) => distance > SAME);
  const steps = points.length / lines.length;
  return (
    lines.filter((_, line) => differs.slice(line * steps, (line + 1) * steps).includes(true)).length /
    lines.length
  );
}

/** Returns the middles of empty cells, of occupied cells, and of borders between two empty cells. */
function cellsOf({ world, grid }: Held) {
  // Leave out the ring of empty cells.
  const [columns, rows] = world.cells.map((cells) => cells - 2) as [number, number];
  const taken = new Set(
    Array.from(grid.ids, (_, slot) =>
      [(grid.lattices[2 * slot] as number) - 1, (grid.lattices[2 * slot + 1] as number) - 1].join(),
    ),
  );
  const point = (x: number, y: number) =>
    [x, y].map((along, axis) => (world.min[axis] as number) + along * world.cellSize);
  const found = { empty: [] as number[][], taken: [] as number[][], borders: [] as number[][], columns };
  for (let x = 0; x < columns; x++) {
    for (let y = 0; y < rows; y++) {
      (taken.has(`${x},${y}`) ? found.taken : found.empty).push(point(x + 0.5, y + 0.5));
      const isFree = !taken.has(`${x},${y}`) && !taken.has(`${x - 1},${y}`);
      if (x > 0 && isFree && y + 1.5 < rows) found.borders.push(point(x, y + 0.5));
    }
  }
  expect(Math.min(found.empty.length, found.taken.length, found.borders.length)).toBeGreaterThan(5);
  return found;
}

function candidatesOf({ world, grid }: Held): { contacts: Line[]; apart: Line[] } {
  const contacts: Line[] = [];
  const apart: Line[] = [];
  for (let slot = 0; slot < grid.ids.length; slot++) {
    probeCells(world, grid, slot, (other) => {
      if (other < slot) return;
      const isContact = findContact(world, { diameter: world.diameter }, grid, slot, other);
      (isContact ? contacts : apart).push([slot, other]);
    });
  }
  expect(Math.min(contacts.length, apart.length)).toBeGreaterThan(20);
  return { contacts, apart };
}

/** Counts the pixels of a colour below the overlay key, which has samples of all colours. */
function countBelowKey(picture: Picture, free: Rectangle, colour: Rgb): number {
  return countPixels(picture, { ...free, y: free.y + 80, height: free.height - 80 }, colour, 25);
}

describe.each([
  ['gpu', []],
  ['cpu', ['full']],
] as const)('on the %s engine in 2D', (engine, tags) => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) =>
    openPlayground(opener, { query: `?v=1&count=100&engine=${engine}` }),
  );

  async function show(overlay: OverlayName) {
    const { page } = await open();
    await arrange(page, { scene: 'packing', engine });
    const held = await readHeld(page);
    const plain = await takePicture(page, `overlay-${engine}-plain`);
    await toggle(page, overlay);
    const picture = await takePicture(page, `overlay-${engine}-${overlay}`);
    const { theme } = await describeScenery(page);
    return { page, held, plain, picture, theme };
  }

  browserTest(
    'cell lines lie on the borders of cells, and not in their middles',
    { tags: [...tags] },
    async () => {
      const { page, held, plain, picture } = await show('cellLines');
      const { empty, borders } = cellsOf(held);
      expect(Math.max(...distancesAt(plain, picture, await toScreen(page, empty)))).toBeLessThanOrEqual(SAME);
      // Rounding decides on which pixel a line lies.
      const seen = (await toScreen(page, borders)).filter(([x, y]) =>
        distancesAt(plain, picture, [
          [x - 1, y],
          [x, y],
          [x + 1, y],
        ]).some((distance) => distance > SAME),
      );
      expect(seen.length).toBe(borders.length);
    },
  );

  browserTest('the heat map colours occupied cells and no empty ones', { tags: [...tags] }, async () => {
    const { page, held, plain, picture } = await show('heatMap');
    const { empty, taken } = cellsOf(held);
    expect(Math.max(...distancesAt(plain, picture, await toScreen(page, empty)))).toBe(0);
    expect(Math.min(...distancesAt(plain, picture, await toScreen(page, taken)))).toBeGreaterThan(SAME);
  });

  browserTest('the thread joins each particle to the next one in memory', { tags: [...tags] }, async () => {
    const { page, held, plain, picture } = await show('thread');
    const thread = Array.from(held.grid.ids.subarray(1), (_, slot): Line => [slot, slot + 1]);
    expect(await shareMarked(page, plain, picture, held.grid, thread)).toBeGreaterThan(0.97);
  });

  browserTest('contact lines join the particles that overlap', { tags: [...tags] }, async () => {
    const { page, held, picture, theme } = await show('contactLines');
    const { contacts } = candidatesOf(held);
    const middles = await toScreen(
      page,
      contacts.map((line) => between(held.grid, line, 1)[0] as number[]),
    );
    const red = middles.filter(
      ([x, y]) => colourDistance(pixelAt(picture, x, y), theme.overlay.contact) < 40,
    );
    expect(red.length / contacts.length).toBeGreaterThan(0.97);
  });

  browserTest(
    'dashes join candidate pairs; pairs in contact do not get the contact colour',
    { tags: [...tags] },
    async () => {
      const { page, held, plain, picture, theme } = await show('candidatePairs');
      const { contacts, apart } = candidatesOf(held);
      const { empty, columns } = cellsOf(held);
      expect(await shareMarked(page, plain, picture, held.grid, apart)).toBeGreaterThan(0.97);
      const middles = await toScreen(
        page,
        contacts.map((line) => between(held.grid, line, 1)[0] as number[]),
      );
      const red = middles.filter(
        ([x, y]) => colourDistance(pixelAt(picture, x, y), theme.overlay.contact) < 40,
      );
      expect(red).toEqual([]);
      const far = await toScreen(page, empty.slice(-columns));
      expect(Math.max(...distancesAt(plain, picture, far))).toBe(0);
    },
  );

  browserTest('occupied cells of an unbounded world are coloured by bucket', { tags: 'full' }, async () => {
    const { page } = await open();
    await arrange(page, { scene: 'far-apart', engine });
    const { world, particles } = await readHeld(page);
    const cells = occupiedCells(world, particles);
    const { free } = await describeScenery(page);
    const plain = await takePicture(page, `overlay-${engine}-endless`);
    await toggle(page, 'buckets');
    await waitForText(page, 'overlay-key', /^\d+ occupied cells, coloured by bucket: \d+ of 128 buckets/);
    const buckets = new Set(cells.map(({ bucket }) => bucket));
    const shared = cells.filter(({ isShared }) => isShared);
    expect(await textOf(page, 'overlay-key')).toContain(
      `${cells.length} occupied cells, coloured by bucket: ${buckets.size} of 128 buckets${shared.length} cells that share a bucket with another cell (hash collision)`,
    );
    const picture = await takePicture(page, `overlay-${engine}-buckets`);
    const middles = await toScreen(
      page,
      cells.map(({ min, size }) => min.map((low) => low + size / 2)),
    );
    const seen = middles.filter(
      ([x, y]) => x > free.x && x < free.x + free.width && y > free.y + 100 && y < free.y + free.height,
    );
    expect(seen.length).toBeGreaterThan(5);
    expect(Math.min(...distancesAt(plain, picture, seen))).toBeGreaterThan(SAME);
    expect(countDifferences(plain, picture, free)).toBeLessThan(0.7 * free.width * free.height);
    expect(page.url()).toMatch(/buckets=1/);
  });

  if (engine === 'gpu') {
    browserTest(
      'a note gives the number of candidate pairs if the list cannot hold all',
      { tags: 'full' },
      async () => {
        const { page } = await open();
        // In one cell, all pairs are candidates.
        await arrange(page, { scene: 'one-cell', count: 300, candidatePairs: true });
        await waitForText(page, 'overlay-note', /./);
        expect(await textOf(page, 'overlay-note')).toBe(
          'The first 32,768 of 44,850 pairs in view are drawn; zoom in to see all.',
        );
        expect(await textOf(page, 'overlay-key')).toBe('Candidate pairs');
        expect(page.url()).toMatch(/candidatePairs=1/);
      },
    );
  }
});

describe('in 3D', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) =>
    openPlayground(opener, { query: '?v=1&count=100&dimensions=3&scene=packing' }),
  );

  for (const [overlay, colour] of [
    ['contactLines', 'contact'],
    ['thread', 'first'],
    ['candidatePairs', 'candidate'],
    ['cellLines', undefined],
    ['heatMap', undefined],
  ] as const) {
    browserTest(`the overlay ${overlay} shows, and disappears when off`, { tags: 'full' }, async () => {
      const { page } = await open();
      await arrange(page, { scene: 'packing', dimensions: 3 });
      const { free, theme } = await describeScenery(page);
      const plain = await takePicture(page, 'overlay-space-plain');
      await toggle(page, overlay);
      const picture = await takePicture(page, `overlay-space-${overlay}`);
      expect(countDifferences(plain, picture, free)).toBeGreaterThan(500);
      // The page draws spheres smaller, so that they do not hide an overlay. Pictures therefore differ even without
      // lines, so look for the lines' colour.
      if (colour) {
        expect(countBelowKey(plain, free, theme.overlay[colour])).toBe(0);
        expect(countBelowKey(picture, free, theme.overlay[colour])).toBeGreaterThan(20);
      }
      await toggle(page, overlay);
      expect(countDifferences(plain, await takePicture(page, 'overlay-space-none'), free)).toBe(0);
    });
  }
});
