/**
 * Overlays and the inspector in a real browser, on both engines: each overlay changes the picture where it should and nowhere
 * else, and the card says what the simulation holds.
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

type Place = readonly [number, number];
/** What may differ where nothing should: a pixel's share of somebody beside. */
const SAME = 12;

interface Held {
  readonly world: World;
  readonly radius: number;
  readonly particles: ParticleArrays;
  readonly grid: Grid;
}

async function heldBy(page: Page): Promise<Held> {
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

/** Where points of the plane are on the screen, worked out from where two are. */
async function screenOf(page: Page): Promise<(point: readonly number[]) => Place> {
  const [[left, bottom], [right, top]] = await page.evaluate(() => {
    const place = (along: number) => window.cellstorm?.toScreen([along, along]) as [number, number];
    return [place(0), place(1)] as const;
  });
  return ([x = 0, y = 0]) => [left + x * (right - left), bottom + y * (top - bottom)];
}

async function toScreen(page: Page, points: readonly (readonly number[])[]): Promise<Place[]> {
  return points.map(await screenOf(page));
}

function placeOf({ positions }: Grid, slot: number): readonly number[] {
  return [positions[2 * slot] as number, positions[2 * slot + 1] as number];
}

/** Points along the way between two slots. */
function between(grid: Grid, slot: number, other: number, steps = 9): number[][] {
  const [from, to] = [placeOf(grid, slot), placeOf(grid, other)];
  return Array.from({ length: steps }, (_, step) =>
    from.map((along, axis) => along + ((step + 1) / (steps + 1)) * ((to[axis] as number) - along)),
  );
}

/** Of ways between slots, the share on which a picture differs from another in at least one pixel. */
async function shareMarked(
  page: Page,
  before: DecodedPng,
  after: DecodedPng,
  grid: Grid,
  ways: readonly (readonly [number, number])[],
): Promise<number> {
  const points = await toScreen(
    page,
    ways.flatMap(([slot, other]) => between(grid, slot, other)),
  );
  const differs = points.map(([x, y]) => colourDistance(pixelAt(before, x, y), pixelAt(after, x, y)) > SAME);
  const steps = points.length / ways.length;
  return (
    ways.filter((_, way) => differs.slice(way * steps, (way + 1) * steps).includes(true)).length / ways.length
  );
}

/** Each overlay of the plane by itself, held against the grid of what the simulation holds. */
async function expectOverlays(page: Page, name: string): Promise<void> {
  const { world, grid } = await heldBy(page);
  const plain = await takePicture(page, `${name}-plain`);
  const show = async (overlay: OverlayName) => {
    await toggle(page, overlay);
    const picture = await takePicture(page, `${name}-${overlay}`);
    await toggle(page, overlay);
    return picture;
  };
  const distances = (picture: DecodedPng, places: readonly Place[]) =>
    places.map(([x, y]) => colourDistance(pixelAt(plain, x, y), pixelAt(picture, x, y)));
  // Cells, without the ring of empty ones; above the particles of a packing there are some with nobody.
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
      // Half a pixel in, where the line's own pixel is.
      if (x > 0 && isFree && y + 1.5 < rows) borders.push(point(x, y + 0.5));
    }
  }
  expect(Math.min(empty.length, taken.length, borders.length), name).toBeGreaterThan(5);

  const lined = await show('cellLines');
  expect(Math.max(...distances(lined, await toScreen(page, empty)))).toBeLessThanOrEqual(SAME);
  // A line is on either of two pixels.
  const borderPlaces = await toScreen(page, borders);
  const seen = borderPlaces.filter(([x, y]) =>
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
  // Where only candidates are asked for, contacts are dashed as the others.
  const painted = middles.filter(
    ([x, y]) => colourDistance(pixelAt(paired, x, y), theme?.overlay.contact ?? [0, 0, 0]) < 40,
  );
  expect(painted).toEqual([]);
  expect(Math.max(...distances(paired, await toScreen(page, empty.slice(-columns))))).toBe(0);
}

/** Pixels of a part of a picture that have a colour, below the key, which has samples of all. */
function countBelowKey(picture: DecodedPng, free: Rectangle, colour: Rgb): number {
  return countPixels(picture, { ...free, y: free.y + 80, height: free.height - 80 }, colour, 25);
}

/** Whether pictures differ within a pixel of a place. */
function differAt(before: DecodedPng, after: DecodedPng, [x, y]: Place): boolean {
  return [-1, 0, 1].some((right) =>
    [-1, 0, 1].some((down) => {
      const place = [x + right, y + down] as const;
      return colourDistance(pixelAt(before, ...place), pixelAt(after, ...place)) > SAME;
    }),
  );
}

/** The inspector's marks, held against a picture without: cells, each candidate with the way to it, and nobody else. */
async function expectMarks(page: Page, bare: DecodedPng, marked: DecodedPng, told: Inspected): Promise<void> {
  const place = await screenOf(page);
  const { particles } = await heldBy(page);
  const { theme } = await describeScenery(page);
  const isMarked = (point: readonly number[]) => differAt(bare, marked, place(point));
  expect(told.probe.length).toBe(9);
  for (const { cell, min, max } of told.probe) {
    const [across = 0, up = 0] = min.map((low, axis) => (low + (max[axis] ?? 0)) / 2);
    const borders = [
      [min[0] ?? 0, up],
      [max[0] ?? 0, up],
      [across, min[1] ?? 0],
      [across, max[1] ?? 0],
    ];
    expect(borders.map(isMarked), `cell ${cell}`).toEqual([true, true, true, true]);
  }
  const placeOf = (index: number) => Array.from(particles.positions.subarray(2 * index, 2 * index + 2));
  const others = told.candidates.filter(({ verdict }) => verdict !== 'itself');
  for (const { id, index, verdict } of others) {
    const colour = verdict === 'contact' ? theme.overlay.contact : theme.overlay.candidate;
    expect(
      colourDistance(pixelAt(marked, ...place(placeOf(index))), colour),
      `${verdict} ${id}`,
    ).toBeLessThan(60);
    const way = Array.from({ length: 9 }, (_, step) =>
      placeOf(index).map((along, axis) => along + ((step + 1) / 10) * ((told.position[axis] ?? 0) - along)),
    );
    // Dashes have gaps.
    expect(way.filter(isMarked).length, `way to ${id}`).toBeGreaterThanOrEqual(verdict === 'contact' ? 9 : 3);
  }
  expect(new Set(others.map(({ verdict }) => verdict))).toEqual(new Set(['contact', 'apart']));
  const distance = (index: number) =>
    Math.hypot(...placeOf(index).map((along, axis) => along - (told.position[axis] ?? 0)));
  const far = [...particles.ids.keys()].filter((index) => distance(index) > 3 * told.radius * 2);
  expect(far.length).toBeGreaterThan(20);
  expect(far.filter((index) => isMarked(placeOf(index)))).toEqual([]);
}

/** The picture that the page saves. */
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

function cardText(told: Inspected): RegExp[] {
  const own = told.own as NonNullable<Inspected['own']>;
  return [
    new RegExp(`Cell${own.cell.join(', ')}`),
    new RegExp(`Index${own.bucket.toLocaleString('en')}`),
    new RegExp(`Slot${told.slot} of `),
    new RegExp(`from slot ${own.start}, before ${own.end}`),
    new RegExp(
      `${told.candidates.length - 1} candidates, ${told.candidates.filter(({ verdict }) => verdict === 'contact').length} in contact`,
    ),
  ];
}

describe('overlays', () => {
  const browser = useBrowser({ serve: 'build' });

  browserTest(
    'change the picture where they should, on both engines, in the plane and in space',
    async () => {
      const { page, expectNoProblems } = await openPlayground(browser, { count: FEW });
      await chooseScene(page, 'packing');
      await expectOverlays(page, 'overlay-gpu');
      await chooseOption(page, 'dimensions', '3D');
      const { free, theme } = await describeScenery(page);
      const plain = await takePicture(page, 'overlay-space-plain');
      const { first, candidate, contact } = theme.overlay;
      // Spheres are smaller below some of them, so that difference alone says little: lines have colours of their own.
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
      // More pairs than a list holds: all of one cell.
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
    },
  );

  browserTest('have an inspector that says what the simulation holds', async () => {
    const { page, expectNoProblems } = await openPlayground(browser, { theme: 'light', count: FEW });
    // Asked about a run that is gone when the answer comes, it asks about the one that stands still in its place.
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
    // Pressed twice while it is loaded, it is open.
    await page.$eval('#inspect', (button) => {
      for (let press = 0; press < 2; press++) (button as HTMLButtonElement).click();
    });
    await page.waitForSelector('[data-asked]');
    await chooseScene(page, 'packing');
    const expectTold = async (id: number) => {
      const { world, radius, particles } = await heldBy(page);
      const told = inspectAll(world, radius, particles)(id) as Inspected;
      expect(await page.$eval('#inspected', (input) => (input as HTMLInputElement).value)).toBe(String(id));
      const text = await textOf(page, 'inspector-body');
      for (const line of cardText(told)) expect(text).toMatch(line);
      expect(await textOf(page, 'inspector-status')).toContain(`Particle ${id}: `);
      const rows = await page.$$eval('#inspector-body [data-verdict]', (all) =>
        all.map((row) => [
          Number(row.querySelector('td')?.textContent),
          (row as HTMLElement).dataset.verdict ?? '',
        ]),
      );
      const expected = told.candidates
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
    await expectTold(37);
    await page.keyboard.press('n');
    await expectTold(38);
    await page.keyboard.down('Shift');
    await page.keyboard.press('N');
    await page.keyboard.press('N');
    await page.keyboard.up('Shift');
    await expectTold(36);
    await typeId(FEW);
    expect(await textOf(page, 'inspector-body')).toBe('No particle has the id 100; ids go from 0 to 99.');
    // A click on one keeps it, where another is pointed at afterwards; a click beside all lets go.
    const { particles } = await heldBy(page);
    const centres = await toScreen(
      page,
      [12, 55].map((id) => Array.from(particles.positions.subarray(2 * id, 2 * id + 2))),
    );
    const frames = () =>
      page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await page.mouse.click(...(centres[0] as [number, number]));
    await expectTold(12);
    await page.mouse.move(...(centres[1] as [number, number]));
    await frames();
    await expectTold(12);
    const { free } = await describeScenery(page);
    await page.mouse.click(free.x + free.width / 2, free.y + 3);
    await page.mouse.move(...(centres[1] as [number, number]));
    await frames();
    await expectTold(55);
    // The ring is around it.
    const image = await takePicture(page, 'inspector');
    const { reaches, theme } = await describeScenery(page);
    const [x, y] = centres[1] as Place;
    const ring = (reaches[55]?.[0] ?? 0) + 3;
    expect(colourDistance(pixelAt(image, x - ring, y), theme.overlay.first)).toBeLessThan(90);
    // Of what else is marked, and of saved pictures, which have the marks.
    const { world, radius } = await heldBy(page);
    const told = inspectAll(world, radius, particles)(55) as Inspected;
    const showMarks = (visibility: string) =>
      page.$eval(
        '#marks',
        (marks, value) => Object.assign((marks as HTMLElement).style, { visibility: value }),
        visibility,
      );
    await showMarks('hidden');
    const bare = await takePicture(page, 'inspector-bare');
    await showMarks('visible');
    await expectMarks(page, bare, image, told);
    await expectMarks(page, bare, await savedPicture(page), told);
    // It follows the state.
    await page.click('#step');
    await settle(page);
    await expectTold(55);
    await chooseOption(page, 'engine', 'CPU');
    await expectTold(55);
    // On a phone it takes the place of the controls, not of the picture.
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
    // What is said is not below it.
    await page.keyboard.press('b');
    const said = await page.evaluate(() => {
      const { left, right, top, bottom } =
        document.getElementById('notice')?.getBoundingClientRect() ?? new DOMRect();
      return document.elementFromPoint((left + right) / 2, (top + bottom) / 2)?.textContent;
    });
    expect(said).toMatch(/^Back at /);
    // Nor is the legend below the buttons beside it where little room is left for both.
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
