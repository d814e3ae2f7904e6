import { describe, expect, it } from 'vitest';
import { type Discs, paintDiscs } from '../../../../src/page/view/disc-painter';

const SIZE = 40;
const GROUND = 0xff000000;
const RED = 0xff0000ff;
const GREEN = 0xff00ff00;

type Disc = readonly [x: number, y: number, radius: number, colour?: number];

function paint(...given: readonly Disc[]): Uint32Array {
  const pixels = new Uint32Array(SIZE * SIZE).fill(GROUND);
  const discs: Discs = {
    count: given.length,
    x: Float32Array.from(given, ([x]) => x),
    y: Float32Array.from(given, ([, y]) => y),
    radius: Float32Array.from(given, ([, , radius]) => radius),
    colour: Uint8Array.from(given, ([, , , colour = 0]) => colour),
    palette: Uint32Array.of(RED, GREEN),
  };
  paintDiscs(pixels, SIZE, SIZE, discs);
  return pixels;
}

/** The sum of the red of all pixels; a full pixel counts as 1. */
const redOf = (pixels: Uint32Array) => pixels.reduce((sum, pixel) => sum + (pixel & 0xff) / 255, 0);
const at = (pixels: Uint32Array, x: number, y: number) => pixels[SIZE * y + x];

describe('a painted disc', () => {
  it.each([1, 1.5, 2.25, 3.7, 6, 11.3])('of radius %f covers its area, wherever it is', (radius) => {
    for (const [x, y] of [
      [20, 20],
      [20.5, 20.5],
      [19.3, 20.8],
    ] as const) {
      const area = redOf(paint([x, y, radius]));
      // The edge is a ramp one pixel wide, which adds π / 12 of a pixel. Sampling errors grow with the edge's length.
      expect(Math.abs(area - Math.PI * radius ** 2)).toBeLessThan(0.1 * Math.PI * radius + 0.3);
    }
  });

  it('is full in the middle, ends at its edge, and is symmetrical', () => {
    const pixels = paint([20, 20, 5]);
    expect(at(pixels, 20, 20)).toBe(RED);
    expect(at(pixels, 23, 20)).toBe(RED);
    expect(at(pixels, 26, 20)).toBe(GROUND);
    expect(at(pixels, 20, 13)).toBe(GROUND);
    for (let row = 0; row < SIZE; row++) {
      for (let column = 0; column < SIZE; column++) {
        expect(at(pixels, column, row)).toBe(at(pixels, SIZE - 1 - column, row));
        expect(at(pixels, column, row)).toBe(at(pixels, row, column));
      }
    }
  });

  it('with a radius below one pixel is a square of the same width', () => {
    expect(redOf(paint([20.5, 20.5, 0.5]))).toBeCloseTo(1);
    expect(redOf(paint([20.3, 20.9, 0.75]))).toBeCloseTo(1.5 ** 2, 1);
    expect(redOf(paint([20.3, 20.9, 0.1]))).toBeGreaterThan(0);
  });

  it('is cut at the edges of the picture, and left out if its position is not finite', () => {
    expect(redOf(paint([0, 20, 8]))).toBeCloseTo(redOf(paint([20, 20, 8])) / 2, 5);
    expect(
      redOf(paint([-30, 20, 8], [20, 90, 8], [Number.NaN, 20, 8], [20, Number.POSITIVE_INFINITY, 8])),
    ).toBe(0);
  });

  it('covers earlier discs, and mixes with them at its edge', () => {
    const pixels = paint([20, 20, 8], [20, 20, 4.2, 1]);
    expect(at(pixels, 20, 20)).toBe(GREEN);
    expect(at(pixels, 26, 20)).toBe(RED);
    const edge = at(pixels, 24, 20) as number;
    expect((edge & 0xff) + ((edge >>> 8) & 0xff)).toBeGreaterThan(250);
    expect(edge >>> 24).toBe(255);
  });
});
