/**
 * Tests overlays and the inspector in a real browser, on both engines: each overlay changes the picture where it should
 * and nowhere else, and the card shows what the simulation holds.
 */
import { type DecodedPng, decode } from 'fast-png';
import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import type { ParticleArrays } from '../../src/core/simulation/simulation';
import type { World } from '../../src/core/world/world';
import type { Rgb } from '../../src/page/model/colour';
import type { OverlayName } from '../../src/page/model/overlays';
import type { Rectangle } from '../../src/page/view/camera';
import { type Inspected, inspectAll } from '../../src/page/view/inspect';
import { buildGrid, type Grid } from '../../src/reference/grid/grid';
import { probeCells } from '../../src/reference/query/probe';
import { findContact } from '../../src/reference/solve/contact';
import { browserTest, useBrowser } from '../helpers/browser';
import {
  chooseOption,
  chooseScene,
  colourDistance,
  countDifferences,
  countPixels,
  describeScenery,
  FEW,
  openPlayground,
  pixelAt,
  settle,
  takePicture,
  textOf,
  toggle,
  typeCount,
} from './playground';

type Point = readonly [number, number];
/** Colour distance that still counts as equal: a particle beside a pixel may tint it. */
const SAME = 12;

interface Held {
  readonly world: World;
  readonly radius: number;
  readonly particles: ParticleArrays;
  readonly grid: Grid;
}

/** Reads what the simulation holds, and sorts it into the reference's grid. */
async function readHeld(page: Page): Promise<Held> {
  const { world, radius, positions, velocities, ids } = await page.evaluate(async () => {
    const simulation = window.cellstorm?.simulation;
    const particles = await simulation?.read();
    if (!simulation || !particles) throw new Error('Nothing runs.');
    return {
      world: simulation.world,
      radius: simulation.radius,
      positions: Array.from(particles.positions),
      velocities: Array.from(particles.velocities),
      ids: Array.from(particles.ids),
    };
  });
  const particles = {
    positions: Float32Array.from(positions),
    velocities: Float32Array.from(velocities),
    ids: Uint32Array.from(ids),
  };
  const grid = buildGrid(world, particles.positions, particles.velocities, particles.ids);
  return { world, radius, particles, grid };
}

/** Returns a function from points of a 2D world to the screen, derived from two such points. */
async function screenOf(page: Page): Promise<(point: readonly number[]) => Point> {
  const [[left, bottom], [right, top]] = await page.evaluate(() => {
    const diagonal = (along: number) => window.cellstorm?.toScreen([along, along]) as [number, number];
    return [diagonal(0), diagonal(1)] as const;
  });
  return ([x = 0, y = 0]) => [left + x * (right - left), bottom + y * (top - bottom)];
}

async function toScreen(page: Page, points: readonly (readonly number[])[]): Promise<Point[]> {
  return points.map(await screenOf(page));
}

function positionOf({ positions }: Grid, slot: number): readonly number[] {
  return [positions[2 * slot] as number, positions[2 * slot + 1] as number];
}

/** Returns points on the line between the particles of two slots. */
function between(grid: Grid, slot: number, other: number, steps = 9): number[][] {
  const [from, to] = [positionOf(grid, slot), positionOf(grid, other)];
  return Array.from({ length: steps }, (_, step) =>
    from.map((along, axis) => along + ((step + 1) / (steps + 1)) * ((to[axis] as number) - along)),
  );
}

/** Returns the share of lines between slots on which two pictures differ in at least one pixel. */
async function shareMarked(
  page: Page,
  before: DecodedPng,
  after: DecodedPng,
  grid: Grid,
  lines: readonly (readonly [number, number])[],
): Promise<number> {
  const points = await toScreen(
    page,
    lines.flatMap(([slot, other]) => between(grid, slot, other)),
  );
  const differs = points.map(([x, y]) => colourDistance(pixelAt(before, x, y), pixelAt(after, x, y)) > SAME);
  const steps = points.length / lines.length;
  return (
    lines.filter((_, line) => differs.slice(line * steps, (line + 1) * steps).includes(true)).length /
    lines.length
  );
}

/** Compares each 2D overlay by itself with the grid of what the simulation holds. */
async function expectOverlays(page: Page, name: string): Promise<void> {
  const { world, grid } = await readHeld(page);
  const plain = await takePicture(page, `${name}-plain`);
  const show = async (overlay: OverlayName) => {
    await toggle(page, overlay);
    const picture = await takePicture(page, `${name}-${overlay}`);
    await toggle(page, overlay);
    return picture;
  };
  const distances = (picture: DecodedPng, points: readonly Point[]) =>
    points.map(([x, y]) => colourDistance(pixelAt(plain, x, y), pixelAt(picture, x, y)));
  // Cells without the ring. Above the particles of a packing some cells are empty.
  const [columns, rows] = world.cells.map((cells) => cells - 2) as [number, number];
  const counts = new Map<string, number>();
  grid.ids.forEach((_, slot) => {
    const cell = [
      (grid.lattices[2 * slot] as number) - 1,
      (grid.lattices[2 * slot + 1] as number) - 1,
    ].join();
    counts.set(cell, (counts.get(cell) ?? 0) + 1);
  });
  const empty: number[][] = [];
  const taken: number[][] = [];
  const borders: number[][] = [];
  const point = (x: number, y: number) =>
    [x, y].map((along, axis) => (world.min[axis] as number) + along * world.cellSize);
  for (let x = 0; x < columns; x++) {
    for (let y = 0; y < rows; y++) {
      (counts.has([x, y].join()) ? taken : empty).push(point(x + 0.5, y + 0.5));
      const isFree = ![`${x},${y}`, `${x - 1},${y}`].some((cell) => counts.has(cell));
      // Borders between two empty cells.
      if (x > 0 && isFree && y + 1.5 < rows) borders.push(point(x, y + 0.5));
    }
  }
  expect(Math.min(empty.length, taken.length, borders.length), name).toBeGreaterThan(5);

  const lined = await show('cellLines');
  expect(Math.max(...distances(lined, await toScreen(page, empty)))).toBeLessThanOrEqual(SAME);
  // The line may lie on either of two pixels.
  const borderPoints = await toScreen(page, borders);
  const seen = borderPoints.filter(([x, y]) =>
    [-1, 0, 1].some((beside) => distances(lined, [[x + beside, y]]).some((distance) => distance > SAME)),
  );
  expect(seen.length, `${name}: lines`).toBe(borders.length);

  const heated = await show('heatMap');
  expect(Math.max(...distances(heated, await toScreen(page, empty)))).toBe(0);
  expect(Math.min(...distances(heated, await toScreen(page, taken)))).toBeGreaterThan(SAME);

  const slots = Array.from(grid.ids, (_, slot) => slot);
  const thread = slots.slice(1).map((slot) => [slot - 1, slot] as const);
  const threaded = await show('thread');
  expect(await shareMarked(page, plain, threaded, grid, thread), `${name}: thread`).toBeGreaterThan(0.97);

  const contacts: (readonly [number, number])[] = [];
  const apart: (readonly [number, number])[] = [];
  for (const slot of slots) {
    probeCells(world, grid, slot, (other) => {
      if (other < slot) return;
      const isContact = findContact(world, { diameter: world.diameter }, grid, slot, other);
      (isContact ? contacts : apart).push([slot, other]);
    });
  }
  expect(Math.min(contacts.length, apart.length)).toBeGreaterThan(20);
  const { theme } = await page.evaluate(() => ({ theme: window.cellstorm?.frame?.theme }));
  const touching = await show('contactLines');
  const middles = await toScreen(
    page,
    contacts.map(([slot, other]) => between(grid, slot, other, 1)[0] as number[]),
  );
  const red = middles.filter(
    ([x, y]) => colourDistance(pixelAt(touching, x, y), theme?.overlay.contact ?? [0, 0, 0]) < 40,
  );
  expect(red.length / contacts.length, `${name}: contacts`).toBeGreaterThan(0.97);
  const paired = await show('candidatePairs');
  expect(await shareMarked(page, plain, paired, grid, apart), `${name}: candidates`).toBeGreaterThan(0.97);
  // If only candidates are shown, contacts are dashed like the others.
  const painted = middles.filter(
    ([x, y]) => colourDistance(pixelAt(paired, x, y), theme?.overlay.contact ?? [0, 0, 0]) < 40,
  );
  expect(painted).toEqual([]);
  expect(Math.max(...distances(paired, await toScreen(page, empty.slice(-columns))))).toBe(0);
}

/**
 * Counts the pixels of a colour in a part of a picture. It skips the overlay key at the top, which has samples of all.
 */
function countBelowKey(picture: DecodedPng, free: Rectangle, colour: Rgb): number {
  return countPixels(picture, { ...free, y: free.y + 80, height: free.height - 80 }, colour, 25);
}

/** Returns whether two pictures differ within one pixel of a point. */
function differAt(before: DecodedPng, after: DecodedPng, [x, y]: Point): boolean {
  return [-1, 0, 1].some((right) =>
    [-1, 0, 1].some((down) => {
      const pixel = [x + right, y + down] as const;
      return colourDistance(pixelAt(before, ...pixel), pixelAt(after, ...pixel)) > SAME;
    }),
  );
}

/**
 * Checks the inspector's marks against a picture without them: the cells and each candidate with its line, nothing
 * else.
 */
async function expectMarks(
  page: Page,
  bare: DecodedPng,
  marked: DecodedPng,
  inspected: Inspected,
): Promise<void> {
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
    // Dashes have gaps.
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

/** Returns the picture that the page saves. */
async function savedPicture(page: Page): Promise<DecodedPng> {
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
  return decode(Buffer.from(text.slice(text.indexOf(',') + 1), 'base64'));
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

describe('overlays', () => {
  const browser = useBrowser({ serve: 'build' });

  browserTest('change the picture only where they should, on both engines, in 2D and 3D', async () => {
    const { page, expectNoProblems } = await openPlayground(browser, { count: FEW });
    await chooseScene(page, 'packing');
    await expectOverlays(page, 'overlay-gpu');
    await chooseOption(page, 'dimensions', '3D');
    const { free, theme } = await describeScenery(page);
    const plain = await takePicture(page, 'overlay-space-plain');
    const { first, candidate, contact } = theme.overlay;
    // Below some overlays spheres are drawn smaller, so a difference proves little: look for the lines' own colours.
    for (const [name, colour] of [
      ['cellLines', undefined],
      ['heatMap', undefined],
      ['thread', first],
      ['candidatePairs', candidate],
      ['contactLines', contact],
    ] as const) {
      await toggle(page, name);
      const picture = await takePicture(page, `overlay-space-${name}`);
      expect(countDifferences(plain, picture, free), name).toBeGreaterThan(500);
      if (colour) {
        expect(countBelowKey(plain, free, colour), name).toBe(0);
        expect(countBelowKey(picture, free, colour), name).toBeGreaterThan(20);
      }
      await toggle(page, name);
    }
    expect(countDifferences(plain, await takePicture(page, 'overlay-space-none'), free)).toBe(0);
    // All particles in one cell make more pairs than the list holds.
    await chooseOption(page, 'dimensions', '2D');
    await chooseScene(page, 'one-cell');
    await typeCount(page, 300);
    await toggle(page, 'candidatePairs');
    await page.waitForFunction(() => document.getElementById('overlay-note')?.textContent !== '');
    expect(await textOf(page, 'overlay-note')).toBe(
      'The first 32,768 of 44,850 pairs in view are drawn; come nearer to see all.',
    );
    expect(await textOf(page, 'overlay-key')).toBe('Candidate pairs');
    expect(page.url()).toMatch(/candidatePairs=1/);
    await toggle(page, 'candidatePairs');
    await typeCount(page, FEW);
    await chooseOption(page, 'engine', 'CPU');
    await chooseScene(page, 'packing');
    await expectOverlays(page, 'overlay-cpu');
    expectNoProblems();
  });

  browserTest('have an inspector that shows what the simulation holds', async () => {
    const { page, expectNoProblems } = await openPlayground(browser, { theme: 'light', count: FEW });
    // If the run is replaced before the inspector has read it, the inspector reads the new one.
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
    // Two clicks while it loads open it.
    await page.$eval('#inspect', (button) => {
      for (let press = 0; press < 2; press++) (button as HTMLButtonElement).click();
    });
    await page.waitForSelector('[data-asked]');
    await chooseScene(page, 'packing');
    const expectInspected = async (id: number) => {
      const { world, radius, particles } = await readHeld(page);
      const inspected = inspectAll(world, radius, particles)(id) as Inspected;
      expect(await page.$eval('#inspected', (input) => (input as HTMLInputElement).value)).toBe(String(id));
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
    };
    const typeId = async (id: number) => {
      await page.focus('#inspected');
      await page.$eval('#inspected', (input) => (input as HTMLInputElement).select());
      await page.keyboard.type(String(id));
      await page.keyboard.press('Enter');
      await page.$eval('#inspected', (input) => (input as HTMLInputElement).blur());
    };
    await typeId(37);
    await expectInspected(37);
    await page.keyboard.press('n');
    await expectInspected(38);
    await page.keyboard.down('Shift');
    await page.keyboard.press('N');
    await page.keyboard.press('N');
    await page.keyboard.up('Shift');
    await expectInspected(36);
    await typeId(FEW);
    expect(await textOf(page, 'inspector-body')).toBe('No particle has the id 100; ids go from 0 to 99.');
    // A click on a particle pins it, even if the pointer moves to another. A click beside all particles releases it.
    const { particles } = await readHeld(page);
    const centres = await toScreen(
      page,
      [12, 55].map((id) => Array.from(particles.positions.subarray(2 * id, 2 * id + 2))),
    );
    const frames = () =>
      page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await page.mouse.click(...(centres[0] as [number, number]));
    await expectInspected(12);
    await page.mouse.move(...(centres[1] as [number, number]));
    await frames();
    await expectInspected(12);
    const { free } = await describeScenery(page);
    await page.mouse.click(free.x + free.width / 2, free.y + 3);
    await page.mouse.move(...(centres[1] as [number, number]));
    await frames();
    await expectInspected(55);
    // The ring surrounds the inspected particle.
    const image = await takePicture(page, 'inspector');
    const { reaches, theme } = await describeScenery(page);
    const [x, y] = centres[1] as Point;
    const ring = (reaches[55]?.[0] ?? 0) + 3;
    expect(colourDistance(pixelAt(image, x - ring, y), theme.overlay.first)).toBeLessThan(90);
    // The other marks; saved pictures have the marks, too.
    const { world, radius } = await readHeld(page);
    const inspected = inspectAll(world, radius, particles)(55) as Inspected;
    const showMarks = (visibility: string) =>
      page.$eval(
        '#marks',
        (marks, value) => Object.assign((marks as HTMLElement).style, { visibility: value }),
        visibility,
      );
    await showMarks('hidden');
    const bare = await takePicture(page, 'inspector-bare');
    await showMarks('visible');
    await expectMarks(page, bare, image, inspected);
    await expectMarks(page, bare, await savedPicture(page), inspected);
    // The card follows the state.
    await page.click('#step');
    await settle(page);
    await expectInspected(55);
    await chooseOption(page, 'engine', 'CPU');
    await expectInspected(55);
    // On a phone the card covers the controls, not the picture.
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
    // Notices lie above the card.
    await page.keyboard.press('b');
    const notice = await page.evaluate(() => {
      const { left, right, top, bottom } =
        document.getElementById('notice')?.getBoundingClientRect() ?? new DOMRect();
      return document.elementFromPoint((left + right) / 2, (top + bottom) / 2)?.textContent;
    });
    expect(notice).toMatch(/^Back at /);
    // In a low window the legend does not slide below the buttons beside it.
    await page.setViewport({ width: 844, height: 390 });
    await settle(page);
    const [buttons = 0, legend = 0] = await page.evaluate(() => [
      document.getElementById('help-open')?.getBoundingClientRect().right,
      document.querySelector('.legend')?.getBoundingClientRect().left,
    ]);
    expect(buttons).toBeGreaterThan(0);
    expect(legend).toBeGreaterThanOrEqual(buttons);
    await page.keyboard.press('i');
    expect(await page.$eval('#inspector', (card) => (card as HTMLElement).hidden)).toBe(true);
    expectNoProblems();
  });
});
