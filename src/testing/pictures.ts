/** Pictures of a canvas in a page, read from and written to PNG, and compared with a stated tolerance. */
import { convertIndexedToRgb, decode, encode } from 'fast-png';
import { checkKnownKeys, checkRange } from '../core/base/checks';
import { ArgumentError, CellstormError } from '../core/base/errors';

/** A picture of 8 bits per channel. */
export interface Picture {
  /** Pixels per row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Red, green, blue and alpha of each pixel, row by row from the top, not premultiplied. */
  readonly data: Uint8Array;
}

/** The part of a page that `screenshotCanvas` needs. Pages of puppeteer and of Playwright have it. */
export interface ScreenshotPage {
  /** Runs code in the page. */
  evaluate(code: string): Promise<unknown>;
  /** Finds the first element that matches a selector. */
  $(selector: string): Promise<ScreenshotElement | null>;
}

/** An element of a page that can be captured. */
export interface ScreenshotElement {
  /** Says whether the element has a size and no style hides it. */
  isVisible(): Promise<boolean>;
  /** Captures the element as PNG. */
  screenshot(options?: { type?: 'png' }): Promise<Uint8Array>;
}

/** Options of `comparePictures`. */
export interface CompareOptions {
  /**
   * The greatest difference of a channel, 0 to 255, at which two pixels still count as equal. Default 0. A few steps
   * allow for blending that rounds differently on another GPU.
   */
  readonly tolerance?: number | undefined;
}

/** A pixel of a picture. */
export interface PicturePoint {
  /** The column, from 0 at the left. */
  readonly x: number;
  /** The row, from 0 at the top. */
  readonly y: number;
}

/** A rectangle of pixels. Its x and y are those of its upper left pixel. */
export interface PictureBox extends PicturePoint {
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
}

/** How two pictures of the same size differ. */
export interface PictureDifference {
  /** Whether no pixel differs by more than the tolerance. */
  readonly equal: boolean;
  /** The tolerance that was used. */
  readonly tolerance: number;
  /** Number of pixels with a channel that differs by more than the tolerance. */
  readonly pixels: number;
  /** The share of all pixels that differ by more than the tolerance, 0 to 1. */
  readonly share: number;
  /** The greatest difference of any channel of any pixel, 0 to 255, even if it is below the tolerance. */
  readonly greatest: number;
  /** A pixel with that difference; undefined if the pictures are the same. */
  readonly at: PicturePoint | undefined;
  /** The smallest rectangle around all pixels that differ by more than the tolerance; undefined if there are none. */
  readonly box: PictureBox | undefined;
  /** All of this in one sentence, for messages. */
  readonly summary: string;
}

const CHANNELS = 4;
const OPAQUE = 255;

/** Waits until what was drawn is on the screen: the compositor shows it a frame later. */
const TWO_FRAMES =
  'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))';

/**
 * Captures a canvas, or any other element, as the page shows it, with everything that covers it. The picture's pixels
 * are those of the screen: in puppeteer and Playwright, by default one per CSS pixel. Rejects with an ArgumentError if
 * no element matches or if the element is hidden.
 *
 * @example
 * ```ts
 * import { screenshotCanvas } from 'cellstorm/testing';
 *
 * const { width, height, data } = await screenshotCanvas(page, 'canvas');
 * const middle = 4 * (Math.floor(height / 2) * width + Math.floor(width / 2));
 * console.log(data.slice(middle, middle + 4)); // red, green, blue, alpha
 * ```
 */
export async function screenshotCanvas(page: ScreenshotPage, selector = 'canvas'): Promise<Picture> {
  const element = await page.$(selector);
  if (element === null)
    throw new ArgumentError('selector', selector, 'the selector of an element in the page');
  // Otherwise Playwright would wait until its time limit, and puppeteer's error would name no element.
  if (!(await element.isVisible())) {
    const accepted = 'the selector of an element that is visible: it has a size, and no style hides it';
    throw new ArgumentError('selector', selector, accepted);
  }
  await page.evaluate(TWO_FRAMES);
  return decodePng(await element.screenshot({ type: 'png' }));
}

/**
 * Compares two pictures of the same size, channel by channel. Throws a CellstormError if the sizes differ.
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 * import { comparePictures, decodePng, screenshotCanvas } from 'cellstorm/testing';
 *
 * const expected = decodePng(await readFile('expected.png'));
 * const { equal, summary } = comparePictures(await screenshotCanvas(page), expected, { tolerance: 2 });
 * if (!equal) throw new Error(summary);
 * ```
 */
export function comparePictures(a: Picture, b: Picture, options: CompareOptions = {}): PictureDifference {
  checkKnownKeys('options', options, ['tolerance']);
  const { tolerance = 0 } = options;
  checkRange('tolerance', tolerance, 0, 255);
  checkPicture('a', a);
  checkPicture('b', b);
  const { width, height } = a;
  if (width !== b.width || height !== b.height) {
    throw new CellstormError(
      `The pictures have different sizes, ${width} × ${height} and ${b.width} × ${b.height}; capture both in the same viewport.`,
    );
  }
  let pixels = 0;
  let greatest = 0;
  let worst = 0;
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let pixel = 0; pixel < width * height; pixel++) {
    let difference = 0;
    for (let index = CHANNELS * pixel; index < CHANNELS * (pixel + 1); index++) {
      difference = Math.max(difference, Math.abs((a.data[index] as number) - (b.data[index] as number)));
    }
    if (difference > greatest) {
      greatest = difference;
      worst = pixel;
    }
    if (difference <= tolerance) continue;
    const x = pixel % width;
    const y = Math.floor(pixel / width);
    pixels++;
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = y;
  }
  const at = greatest === 0 ? undefined : { x: worst % width, y: Math.floor(worst / width) };
  const box =
    pixels === 0 ? undefined : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
  // Pictures without pixels are equal.
  const share = pixels / (width * height) || 0;
  const most = at === undefined ? '' : `; the greatest difference is ${greatest} at (${at.x}, ${at.y})`;
  const where =
    box === undefined ? '' : `, all inside ${box.width} × ${box.height} pixels at (${box.x}, ${box.y})`;
  const summary = `${pixels} of ${width * height} pixels (${(100 * share).toFixed(2)}%) differ by more than ${tolerance}${where}${most}.`;
  return { equal: pixels === 0, tolerance, pixels, share, greatest, at, box, summary };
}

/**
 * Reads a PNG file with a palette, or with 8 bits per channel: grey or colour, with or without alpha. Throws a
 * CellstormError if the bytes are no such file, or damaged.
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 * import { decodePng } from 'cellstorm/testing';
 *
 * const { width, height } = decodePng(await readFile('expected.png'));
 * ```
 */
export function decodePng(png: Uint8Array): Picture {
  if (!(png instanceof Uint8Array))
    throw new ArgumentError('png', png, 'a Uint8Array with the bytes of a PNG file');
  const decoded = decodeChecked(png);
  const { width, height, depth, palette } = decoded;
  if (depth !== 8 && !palette) {
    throw new CellstormError(`The PNG has ${depth} bits per channel, but only 8 bits are read; convert it.`);
  }
  const values = palette ? convertIndexedToRgb(decoded) : decoded.data;
  const channels = values.length / (width * height);
  // Channels are grey, grey and alpha, RGB, or RGBA.
  const [red, green, blue] = channels < 3 ? [0, 0, 0] : [0, 1, 2];
  const alpha = channels % 2 === 0 ? channels - 1 : undefined;
  const data = new Uint8Array(CHANNELS * width * height);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const from = channels * pixel;
    data[CHANNELS * pixel] = values[from + red] as number;
    data[CHANNELS * pixel + 1] = values[from + green] as number;
    data[CHANNELS * pixel + 2] = values[from + blue] as number;
    data[CHANNELS * pixel + 3] = alpha === undefined ? OPAQUE : (values[from + alpha] as number);
  }
  return { width, height, data };
}

function decodeChecked(png: Uint8Array): ReturnType<typeof decode> {
  try {
    return decode(png, { checkCrc: true });
  } catch (error) {
    throw new CellstormError(`The bytes are no PNG file, or they are damaged: ${(error as Error).message}`);
  }
}

/**
 * Writes a picture as PNG, for example to store what a test expects or got.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { encodePng, screenshotCanvas } from 'cellstorm/testing';
 *
 * await writeFile('expected.png', encodePng(await screenshotCanvas(page)));
 * ```
 */
export function encodePng(picture: Picture): Uint8Array {
  checkPicture('picture', picture);
  return encode({ ...picture, channels: CHANNELS, depth: 8 });
}

function checkPicture(argument: string, picture: Picture): void {
  const { width, height, data } = picture ?? {};
  if (ArrayBuffer.isView(data) && data.length === CHANNELS * width * height) return;
  throw new ArgumentError(argument, picture, 'a picture: width, height, and data with four bytes per pixel');
}
