import { encode } from 'fast-png';
import { describe, expect, test } from 'vitest';
import { CellstormError } from '../../../src/core/base/errors';
import {
  comparePictures,
  decodePng,
  encodePng,
  type Picture,
  screenshotCanvas,
} from '../../../src/testing/pictures';

/** Returns a grey picture of 10 × 6 pixels in which some channels are changed. */
function picture(
  changes: readonly (readonly [x: number, y: number, channel: number, value: number])[],
): Picture {
  const data = new Uint8Array(4 * 60).fill(100);
  for (const [x, y, channel, value] of changes) data[4 * (10 * y + x) + channel] = value;
  return { width: 10, height: 6, data };
}

describe('comparePictures', () => {
  const plain = picture([]);

  test('finds no difference between equal pictures', () => {
    expect(comparePictures(plain, picture([]))).toEqual({
      equal: true,
      tolerance: 0,
      pixels: 0,
      share: 0,
      greatest: 0,
      at: undefined,
      box: undefined,
      summary: '0 of 60 pixels (0.00%) differ by more than 0.',
    });
  });

  test('finds no difference between pictures without pixels', () => {
    const empty = { width: 0, height: 0, data: new Uint8Array() };
    expect(comparePictures(empty, empty)).toMatchObject({
      equal: true,
      share: 0,
      summary: '0 of 0 pixels (0.00%) differ by more than 0.',
    });
  });

  test('says where and how much pictures differ, in either order', () => {
    const changed = picture([
      [2, 1, 0, 110],
      [7, 4, 3, 50],
      [7, 4, 1, 101],
      [0, 0, 2, 103],
    ]);
    const expected = {
      equal: false,
      tolerance: 3,
      pixels: 2,
      share: 2 / 60,
      greatest: 50,
      at: { x: 7, y: 4 },
      box: { x: 2, y: 1, width: 6, height: 4 },
      summary:
        '2 of 60 pixels (3.33%) differ by more than 3, all inside 6 × 4 pixels at (2, 1); the greatest difference is 50 at (7, 4).',
    };
    expect(comparePictures(plain, changed, { tolerance: 3 })).toEqual(expected);
    expect(comparePictures(changed, plain, { tolerance: 3 })).toEqual(expected);
  });

  test('accepts differences up to the tolerance, and still reports the greatest', () => {
    const changed = picture([[9, 5, 1, 98]]);
    expect(comparePictures(plain, changed, { tolerance: 2 })).toMatchObject({
      equal: true,
      greatest: 2,
      at: { x: 9, y: 5 },
    });
    expect(comparePictures(plain, changed, { tolerance: 1 })).toMatchObject({
      equal: false,
      box: { x: 9, y: 5, width: 1, height: 1 },
    });
  });

  test('rejects pictures of different sizes, values that are no picture, and a wrong tolerance', () => {
    const wide = { width: 12, height: 5, data: new Uint8Array(4 * 60) };
    expect(() => comparePictures(plain, wide)).toThrow('different sizes, 10 × 6 and 12 × 5;');
    expect(() => comparePictures(plain, { ...wide, width: 13 })).toThrow(
      /^b is an object, but it must be a picture/,
    );
    expect(() => comparePictures(plain, plain, { tolerance: -1 })).toThrow('tolerance is -1');
    expect(() => comparePictures(plain, plain, { threshold: 1 } as never)).toThrow('options.threshold');
  });
});

describe('PNG files', () => {
  test('restore the picture that was written into them', () => {
    const changed = picture([[3, 2, 3, 0]]);
    expect(decodePng(encodePng(changed))).toEqual(changed);
  });

  test.each([
    [1, [7, 9], [7, 7, 7, 255, 9, 9, 9, 255]],
    [2, [7, 1, 9, 2], [7, 7, 7, 1, 9, 9, 9, 2]],
    [3, [1, 2, 3, 4, 5, 6], [1, 2, 3, 255, 4, 5, 6, 255]],
    [4, [1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8]],
  ])('with %i channels are read as red, green, blue and alpha', (channels, values, expected) => {
    const png = encode({ width: 2, height: 1, channels, depth: 8, data: Uint8Array.from(values) });
    expect(decodePng(png)).toEqual({ width: 2, height: 1, data: Uint8Array.from(expected) });
  });

  test('are rejected if they have 16 bits per channel, or are not given as bytes', () => {
    const png = encode({ width: 1, height: 1, channels: 1, depth: 16, data: Uint16Array.of(7) });
    expect(() => decodePng(png)).toThrow(
      'The PNG has 16 bits per channel, but only 8 bits are read; convert it.',
    );
    expect(() => decodePng('a.png' as never)).toThrow('png is "a.png", but it must be a Uint8Array');
  });
});

test('PNG files that are damaged, cut off or no PNG at all are rejected with an error of the kit', () => {
  const png = encodePng(picture([]));
  const flipped = png.slice();
  flipped[60] = (flipped[60] as number) ^ 0x41;
  for (const bytes of [flipped, png.subarray(0, 20), png.subarray(0, -20), new Uint8Array(10)]) {
    expect(() => decodePng(bytes)).toThrow(CellstormError);
    expect(() => decodePng(bytes)).toThrow(/^The bytes are no PNG file, or they are damaged: /);
  }
});

test('screenshotCanvas refuses a hidden element at once', async () => {
  const element = { isVisible: () => Promise.resolve(false), screenshot: () => expect.fail('captured') };
  const page = { $: () => Promise.resolve(element), evaluate: () => Promise.resolve() };
  await expect(screenshotCanvas(page)).rejects.toThrow(
    'selector is "canvas", but it must be the selector of an element that is visible: it has a size, and no style hides it.',
  );
});

test('screenshotCanvas names a selector without an element', async () => {
  const page = { $: () => Promise.resolve(null), evaluate: () => Promise.resolve() };
  await expect(screenshotCanvas(page, '#none')).rejects.toThrow(
    'selector is "#none", but it must be the selector of an element in the page.',
  );
});
