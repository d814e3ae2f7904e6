import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'puppeteer';
import { expect } from 'vitest';
import { defaultChoices, isUsed, refusalOfField } from '../../src/page/model/choices';
import { interpolate, type Rgb, type Theme } from '../../src/page/model/colour';
import { type Choices, FIELD_NAMES, type FieldName, fieldOf } from '../../src/page/model/fields';
import type { OverlayName } from '../../src/page/model/overlays';
import { titleOf } from '../../src/page/support/format';
import type { Rectangle } from '../../src/page/view/camera';
import { decodePng, type Picture } from '../../src/testing/pictures';
import type { Opener, OpenPage } from '../helpers/browser';

/** The panel's shadow reaches less than this many pixels beyond the panel. */
const SHADOW = 17;
/** Distance of the tested pixels in a box's corners from its edges, in pixels. */
const CORNER_INSET = 1.5;
/** The tests leave out the corners of boxes whose smaller half extent is at most this many pixels. */
const SMALLEST_CORNERED = 3;
const SCREENSHOTS = fileURLToPath(new URL('screenshots/', import.meta.url));

const CHANNELS = 4;
/** Tolerance per channel, out of 255: covers the rounding of the blend and of the screenshot. */
export const TOLERANCE = 4;
/** Few enough particles for quick steps, enough for a picture. */
export const SOME = 600;
/** So few particles that boxes are drawn large enough to test their corners. */
export const FEW = 100;

export interface Circumstances {
  readonly width?: number;
  readonly height?: number;
  readonly pixelRatio?: number;
  readonly isPhone?: boolean;
  readonly theme?: 'light' | 'dark';
  /** Default true: the page starts paused, so that tests decide when time passes. */
  readonly reducedMotion?: boolean;
  /** Default: the page chooses. */
  readonly count?: number;
  /** The query of the address. Default: only the count. */
  readonly query?: string;
  /** The engine, unless the query names one. Default: the GPU, so that all machines run the same. */
  readonly engine?: Choices['engine'];
  readonly before?: () => void;
}

export async function openPlayground(browser: Opener, circumstances: Circumstances = {}): Promise<OpenPage> {
  const { width = 900, height = 620, pixelRatio = 1, isPhone = false, count, before } = circumstances;
  const { query = count === undefined ? '' : `?v=1&count=${count}`, engine = 'gpu' } = circumstances;
  const named = engine === 'auto' || /[?&]engine=/.test(query) ? '' : `${query ? '&' : '?'}engine=${engine}`;
  const opened = await browser.openPage(`./${query}${named}`, {
    async prepare(page) {
      await page.setViewport({
        width,
        height,
        deviceScaleFactor: pixelRatio,
        isMobile: isPhone,
        hasTouch: isPhone,
      });
      await page.emulateMediaFeatures([
        { name: 'prefers-color-scheme', value: circumstances.theme ?? 'dark' },
        {
          name: 'prefers-reduced-motion',
          value: (circumstances.reducedMotion ?? true) ? 'reduce' : 'no-preference',
        },
      ]);
      if (before) await page.evaluateOnNewDocument(before);
    },
  });
  const { page } = opened;
  await waitForPicture(page);
  page.on('error', (error) => console.warn(`The page crashed: ${error.message}`));
  return opened;
}

/**
 * Sets the controls in `wanted`. Sets all others to the scene's defaults, except the count, which becomes FEW, and the
 * engine, which becomes the GPU. Then starts over, paused, with the fitted picture and without sheets.
 */
export async function arrange(page: Page, wanted: Partial<Choices> = {}): Promise<void> {
  const { scene, dimensions } = wanted;
  const choices: Choices = { ...defaultChoices(scene, dimensions), engine: 'gpu', count: FEW, ...wanted };
  // A scene sets other fields, which may depend on the dimensions, so set these three first.
  const first: readonly FieldName[] = ['engine', 'dimensions', 'scene'];
  const names = [...first, ...FIELD_NAMES.filter((name) => !first.includes(name))];
  const values = names.map((name) => {
    const field = fieldOf(name);
    const value = choices[name];
    const label = field.kind === 'choice' && field.options.find((option) => option.value === value)?.label;
    return [name, label || value] as const;
  });
  await page.evaluate(
    async (settings, early) => {
      for (const sheet of document.querySelectorAll<HTMLDialogElement>('dialog[open]')) sheet.close();
      const isShown = (id: string) => document.getElementById(id)?.hidden === false;
      if (isShown('inspector')) document.getElementById('inspector-close')?.click();
      const play = document.getElementById('play');
      if (play?.dataset.playing === 'true') play.click();
      for (const [name, value] of settings) {
        const control = document.getElementById(name) as HTMLInputElement | HTMLSelectElement;
        const isSwitch = control instanceof HTMLInputElement && control.type === 'checkbox';
        if (isSwitch && control.checked !== value) control.click();
        if (isSwitch || control.disabled || control.value === String(value)) continue;
        control.value = String(value);
        control.dispatchEvent(new Event('change'));
        if (early.includes(name)) await window.cellstorm?.settled();
      }
      document.getElementById('reset')?.click();
      await window.cellstorm?.settled();
      document.getElementById('fit')?.click();
      (document.activeElement as HTMLElement | null)?.blur();
      await window.cellstorm?.settled();
    },
    values,
    first as string[],
  );
}

/** Returns the switches that have an effect with these choices and can be changed. */
export function switchesOf(choices: Choices): FieldName[] {
  return FIELD_NAMES.filter(
    (name) =>
      fieldOf(name).kind === 'switch' && isUsed(name, choices) && refusalOfField(name, choices) === '',
  );
}

export async function passFrames(page: Page, frames: number): Promise<void> {
  await page.evaluate(async (times) => {
    for (let frame = 0; frame < times; frame++) await new Promise(requestAnimationFrame);
  }, frames);
}

/** Waits until the page's present timers of up to this many milliseconds have fired, also on a slow machine. */
export async function passTimers(page: Page, milliseconds: number): Promise<void> {
  await page.evaluate((after) => new Promise((done) => setTimeout(done, after)), milliseconds);
}

export async function waitForText(page: Page, id: string, pattern: RegExp): Promise<string> {
  await page.waitForFunction(
    (name, source) => new RegExp(source).test(document.getElementById(name)?.textContent ?? ''),
    {},
    id,
    pattern.source,
  );
  return textOf(page, id);
}

/** Takes focus from the focused control, so that keys reach the page. */
export async function blur(page: Page): Promise<void> {
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
}

export async function loseDevice(page: Page): Promise<void> {
  await page.evaluate(() => {
    document.getElementById('engine-note')?.replaceChildren();
    window.cellstorm?.device?.destroy();
  });
  await waitForText(page, 'engine-note', /lost/);
}

/** Goes back to the state that was kept first. A slow machine may have kept more states. */
export async function goBackToStart(page: Page): Promise<void> {
  const time = () => page.evaluate(() => window.cellstorm?.simulation?.time);
  await blur(page);
  for (let before: number | undefined; (await time()) !== before; ) {
    before = await time();
    await page.keyboard.press('b');
    await settle(page);
  }
}

/** Returns the value of an input, or the label of a select's option. */
export async function shownValue(page: Page, id: string): Promise<string> {
  return page.$eval(`#${id}`, (control) =>
    control instanceof HTMLSelectElement
      ? (control.selectedOptions[0]?.text ?? '')
      : (control as HTMLInputElement).value,
  );
}

export async function isOpen(page: Page, id: string): Promise<boolean> {
  return page.$eval(`#${id}`, (sheet) => (sheet as HTMLDialogElement).open);
}

/** Runs in the page before its own scripts. */
export function hideGpu(): void {
  Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined });
}

export async function follow(page: Page, address: string): Promise<void> {
  await page.goto(new URL(address, page.url()).href);
  await waitForPicture(page);
}

async function waitForPicture(page: Page): Promise<void> {
  await page.waitForFunction(() => window.cellstorm !== undefined);
  await page.evaluate(() => window.cellstorm?.ready);
  await settle(page);
}

export async function settle(page: Page): Promise<void> {
  await page.evaluate(() => window.cellstorm?.settled());
}

export async function chooseScene(page: Page, scene: string): Promise<void> {
  await chooseOption(page, 'scene', titleOf(scene));
}

export async function chooseOption(page: Page, field: string, label: string): Promise<void> {
  await page.select(`#${field}`, label);
  await settle(page);
}

export async function typeNumber(page: Page, field: string, value: number | string): Promise<void> {
  await unfold(page, field);
  await page.$eval(`#${field}`, (input) => {
    (input as HTMLInputElement).focus();
    (input as HTMLInputElement).select();
  });
  await page.keyboard.sendCharacter(String(value));
  await page.keyboard.press('Tab');
  await settle(page);
}

export async function typeCount(page: Page, count: number | string): Promise<void> {
  await typeNumber(page, 'count', count);
}

/** Makes a control visible that is behind the button "More settings" or in a folded group. */
export async function unfold(page: Page, field: string): Promise<void> {
  await page.$eval(`#${field}`, async (input) => {
    if (input.closest('#more-controls[hidden]')) document.getElementById('more')?.click();
    const group = input.closest('details');
    if (group) group.open = true;
  });
}

export async function toggle(page: Page, ...names: OverlayName[]): Promise<void> {
  for (const name of names) await page.$eval(`#${name}`, (input) => (input as HTMLElement).click());
  await settle(page);
}

export async function toggleField(page: Page, name: FieldName): Promise<void> {
  await unfold(page, name);
  await page.click(`#${name}`);
  await settle(page);
}

/** Presses Step this many times within one frame, so that the page draws and measures once. */
export async function stepTimes(page: Page, steps: number): Promise<void> {
  await page.evaluate(async (times) => {
    const button = document.getElementById('step') as HTMLButtonElement;
    button.focus();
    for (let step = 0; step < times; step++) button.click();
    await window.cellstorm?.settled();
  }, steps);
}

export async function textOf(page: Page, id: string): Promise<string> {
  return page.$eval(`#${id}`, (element) => element.textContent ?? '');
}

export interface Scenery {
  readonly dimensions: number;
  readonly count: number;
  /** The middles of particles, in pixels of the screenshot. */
  readonly points: readonly (readonly [number, number])[];
  /** The values that decide the particles' colours. */
  readonly values: readonly number[];
  /** Positions of 2D obstacles, in pixels of the screenshot. */
  readonly obstacles: readonly (readonly [number, number])[];
  /** Half width and half height in pixels; in 3D as if the particle were in the middle of the box. */
  readonly reaches: readonly (readonly [number, number])[];
  readonly boxes: readonly boolean[];
  readonly box: Rectangle;
  readonly free: Rectangle;
  readonly theme: Theme;
  /** The value that gets the last colour. */
  readonly scaleEnd: number;
}

export async function describeScenery(page: Page): Promise<Scenery> {
  const scenery = await page.evaluate(async () => {
    const handle = window.cellstorm;
    const simulation = handle?.simulation;
    const frame = handle?.frame;
    if (!handle || !simulation || !frame) throw new Error('Nothing runs.');
    const { dimensions, world } = simulation;
    const { by } = frame.scale;
    const { obstacles: given } = await simulation.checkpoint();
    const fixed = given instanceof Float32Array ? given : (given?.positions ?? new Float32Array(0));
    const { positions, velocities, radii, halfExtents, ids } = await simulation.read();
    const vector = (array: Float32Array, particle: number) =>
      Array.from(array.subarray(dimensions * particle, dimensions * (particle + 1)));
    const particles = Array.from(ids, (_, particle) => particle);
    const [left, bottom] = handle.toScreen(world.min);
    const [right, top] = handle.toScreen(world.max);
    const { free, pixelRatio } = frame.viewport;
    const half = (particle: number, axis: number) => halfExtents?.[dimensions * particle + axis] ?? 0;
    const reach = (particle: number, axis: number) =>
      (half(particle, axis) || (radii?.[particle] ?? simulation.radius)) * frame.camera.pixelsPerUnit;
    return {
      dimensions,
      count: simulation.count,
      points: particles.map((particle) => handle.toScreen(vector(positions, particle))),
      values: particles.map((particle) => {
        if (by === 'speed') return Math.hypot(...vector(velocities, particle));
        if (by === 'id') return ids[particle] ?? 0;
        if (by === 'species') return (ids[particle] ?? 0) % (simulation.kinds ?? 1);
        if (by === 'age') return simulation.time - (simulation.births?.[ids[particle] ?? 0] ?? 0);
        const within = 2 * simulation.radius * (by === 'density' ? 2 : 1);
        const first = dimensions * particle;
        return particles.filter((other) => {
          let squares = 0;
          for (let axis = 0; axis < dimensions; axis++) {
            const coordinate = positions[dimensions * other + axis] ?? 0;
            squares += (coordinate - (positions[first + axis] ?? 0)) ** 2;
          }
          return other !== particle && Math.sqrt(squares) < within;
        }).length;
      }),
      obstacles: Array.from({ length: fixed.length / dimensions }, (_, obstacle) =>
        handle.toScreen(vector(fixed, obstacle)),
      ),
      reaches: particles.map((particle) => [reach(particle, 0), reach(particle, 1)] as const),
      boxes: particles.map((particle) => half(particle, 0) > 0),
      box: { x: left, y: top, width: right - left, height: bottom - top },
      free,
      theme: frame.theme,
      scaleEnd: frame.scale.end,
      pixelRatio,
    };
  });
  const { pixelRatio } = scenery;
  const scale = ({ x, y, width, height }: Rectangle): Rectangle => ({
    x: x * pixelRatio,
    y: y * pixelRatio,
    width: width * pixelRatio,
    height: height * pixelRatio,
  });
  return {
    ...scenery,
    points: scenery.points.map(([x, y]) => [x * pixelRatio, y * pixelRatio] as const),
    obstacles: scenery.obstacles.map(([x, y]) => [x * pixelRatio, y * pixelRatio] as const),
    reaches: scenery.reaches.map(([across, up]) => [across * pixelRatio, up * pixelRatio] as const),
    box: scale(scenery.box),
    free: scale(scenery.free),
  };
}

/** Takes a screenshot and saves it in tests/browser/screenshots. */
export async function takePicture(page: Page, name: string): Promise<Picture> {
  // The compositor shows a drawn picture one frame later.
  await passFrames(page, 2);
  const png = await page.screenshot({ optimizeForSpeed: true });
  await mkdir(SCREENSHOTS, { recursive: true });
  await writeFile(`${SCREENSHOTS}${name}.png`, png);
  return decodePng(png);
}

export function pixelAt(image: Picture, x: number, y: number): Rgb {
  const start = (Math.floor(y) * image.width + Math.floor(x)) * CHANNELS;
  const channel = (index: number) => (image.data[start + index] ?? 0) / 255;
  return [channel(0), channel(1), channel(2)];
}

/** Returns whether a pixel is within `tolerance`, out of 255, of a colour. Called often, so it allocates nothing. */
function isColour(image: Picture, column: number, row: number, colour: Rgb, tolerance: number): boolean {
  const start = (row * image.width + column) * CHANNELS;
  for (let channel = 0; channel < 3; channel++) {
    const distance = (image.data[start + channel] as number) - 255 * (colour[channel] as number);
    if (distance > tolerance || distance < -tolerance) return false;
  }
  return true;
}

export function countPixels(
  image: Picture,
  { x, y, width, height }: Rectangle,
  colour: Rgb,
  tolerance: number,
): number {
  let found = 0;
  for (let row = Math.ceil(y); row < y + height; row++) {
    for (let column = Math.ceil(x); column < x + width; column++) {
      if (isColour(image, column, row, colour, tolerance)) found++;
    }
  }
  return found;
}

/** Returns the greatest difference of any channel, 0 to 255. */
export function colourDistance(first: Rgb, second: Rgb): number {
  return 255 * Math.max(...first.map((channel, index) => Math.abs(channel - (second[index] ?? 0))));
}

export function colourOfValue({ theme, scaleEnd }: Scenery, value: number): Rgb {
  return interpolate(theme.stops, value / scaleEnd);
}

export function countDifferences(
  first: Picture,
  second: Picture,
  { x, y, width, height }: Rectangle,
): number {
  let differences = 0;
  for (let row = Math.ceil(y); row < y + height; row++) {
    for (let column = Math.ceil(x); column < x + width; column++) {
      const start = CHANNELS * (row * first.width + column);
      if (
        first.data[start] !== second.data[start] ||
        first.data[start + 1] !== second.data[start + 1] ||
        first.data[start + 2] !== second.data[start + 2]
      ) {
        differences++;
      }
    }
  }
  return differences;
}

export interface Comparison {
  /** Share of the particles in the free part whose middle has the colour of their value. */
  readonly particles: number;
  /** Share of the boxes with painted corners. Leaves out tiny boxes; 1 without boxes. */
  readonly boxes: number;
  /** Among the pixels away from particles, the share with the right colour: that of the box or the background. */
  readonly background: number;
  readonly backgroundPixels: number;
}

export function compareWithState(image: Picture, scenery: Scenery, tolerance: number): Comparison {
  const { points, values, reaches, boxes, box, free, theme } = scenery;
  const near = new Uint8Array(image.width * image.height);
  let seen = 0;
  let hits = 0;
  const corners: boolean[] = [];
  points.forEach(([x, y], particle) => {
    const expected = colourOfValue(scenery, values[particle] ?? 0);
    // Particles outside the free part lie behind a panel or outside the window.
    if (isInside(x, y, free, -2)) {
      seen++;
      if (colourDistance(pixelAt(image, x, y), expected) <= tolerance) hits++;
    }
    const [across, up] = reaches[particle] ?? [0, 0];
    if (boxes[particle] && Math.min(across, up) > SMALLEST_CORNERED) {
      const isPainted = (side: number, end: number) => {
        const pixel = pixelAt(image, x + side * (across - CORNER_INSET), y + end * (up - CORNER_INSET));
        return colourDistance(pixel, theme.surface) > tolerance;
      };
      corners.push(isPainted(-1, -1) && isPainted(1, -1) && isPainted(-1, 1) && isPainted(1, 1));
    }
    const [wide, high] = [across + 2, up + 2];
    for (let row = Math.floor(y - high); row <= y + high; row++) {
      for (let column = Math.floor(x - wide); column <= x + wide; column++) {
        if (row >= 0 && row < image.height && column >= 0 && column < image.width) {
          near[row * image.width + column] = 1;
        }
      }
    }
  });
  let pixels = 0;
  let empty = 0;
  for (let row = Math.ceil(free.y); row < free.y + free.height; row += 2) {
    for (let column = Math.ceil(free.x + SHADOW); column < free.x + free.width - SHADOW; column += 2) {
      const inside = isInside(column + 0.5, row + 0.5, box, -2);
      const isOutside = !isInside(column + 0.5, row + 0.5, box, 2);
      if (near[row * image.width + column] === 1 || (!inside && !isOutside)) continue;
      pixels++;
      const expected = inside ? theme.surface : theme.background;
      if (isColour(image, column, row, expected, tolerance)) empty++;
    }
  }
  return {
    particles: hits / seen,
    boxes: corners.length > 0 ? corners.filter(Boolean).length / corners.length : 1,
    background: empty / pixels,
    backgroundPixels: pixels,
  };
}

function isInside(x: number, y: number, box: Rectangle, margin: number): boolean {
  return (
    x > box.x - margin &&
    x < box.x + box.width + margin &&
    y > box.y - margin &&
    y < box.y + box.height + margin
  );
}

export async function expectTruePicture(
  { page }: OpenPage,
  name: string,
  tolerance = TOLERANCE,
): Promise<void> {
  const scenery = await describeScenery(page);
  const image = await takePicture(page, name);
  const compared = compareWithState(image, scenery, tolerance);
  expect(compared.particles, `${name}: particles of the right colour`).toBeGreaterThan(0.98);
  expect(compared.boxes, `${name}: boxes painted to their corners`).toBeGreaterThan(0.98);
  expect(compared.background, `${name}: background where nothing is`).toBeGreaterThan(0.999);
  expect(compared.backgroundPixels).toBeGreaterThan(1000);
}

/** Expects that every particle's middle is painted. In 3D, the paint may be that of a particle in front. */
export async function expectAllDrawn({ page }: OpenPage, name: string, least: number): Promise<void> {
  const { points, count, theme } = await describeScenery(page);
  const image = await takePicture(page, name);
  const drawn = points.filter(([x, y]) => colourDistance(pixelAt(image, x, y), theme.background) > least);
  expect(drawn.length, name).toBe(count);
}
