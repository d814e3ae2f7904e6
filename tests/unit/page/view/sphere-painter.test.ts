import { describe, expect, it } from 'vitest';
import { project } from '../../../../src/page/view/camera';
import { Camera3D } from '../../../../src/page/view/camera-3d';
import {
  type Balls,
  paintSpheres,
  projectBalls,
  SPRITE_SIZE,
} from '../../../../src/page/view/sphere-painter';
import { Random } from '../../../../src/scenes';

const BOX = { min: [0, 0, 0], max: [10, 10, 10] };
const VIEWPORT = {
  width: 400,
  height: 300,
  pixelRatio: 2,
  free: { x: 0, y: 0, width: 400, height: 300 },
};

/** Each ball's colour is its index. */
const ballsAt = (...positions: readonly number[]): Balls => ({
  count: positions.length / 3,
  positions: Float32Array.from(positions),
  reach: () => 0.5,
  colour: (body) => body,
});

describe('balls before the camera', () => {
  const camera = new Camera3D().matrices(BOX, VIEWPORT);

  it('are where the camera projects them, and smaller if they are farther', () => {
    const points = [
      [1, 2, 3],
      [9, 9, 9],
      [5, 0, 7],
    ];
    const { count, x, y, radius, colour } = projectBalls([ballsAt(...points.flat())], camera, VIEWPORT);
    expect(count).toBe(3);
    const distances = points.map((point) => project(camera, VIEWPORT, point).distance);
    for (let disc = 0; disc < count; disc++) {
      const seen = project(camera, VIEWPORT, points[colour[disc] as number] as number[]);
      expect(x[disc]).toBeCloseTo(2 * seen.x, 2);
      expect(y[disc]).toBeCloseTo(2 * seen.y, 2);
      const focal = camera.pixelsPerUnit * camera.distance;
      expect(radius[disc]).toBeCloseTo((2 * 0.5 * focal) / seen.distance, 3);
    }
    const order = [0, 1, 2].sort((first, second) => (distances[second] ?? 0) - (distances[first] ?? 0));
    expect([...colour]).toEqual(order);
    expect([...radius]).toEqual([...radius].sort((first, second) => first - second));
  });

  it('are all projected, farthest first, wherever they are', () => {
    const random = new Random(7);
    for (let attempt = 0; attempt < 20; attempt++) {
      const given = ballsAt(...Array.from({ length: 300 }, () => (10 * random.nextBits()) / 2 ** 32));
      const { count, colour, radius } = projectBalls([given], camera, VIEWPORT);
      expect(count).toBe(100);
      expect([...colour].sort((first, second) => first - second)).toEqual([...Array(100).keys()]);
      // Balls in one slice of depth may be in any order.
      for (let disc = 1; disc < count; disc++) {
        expect(radius[disc]).toBeGreaterThan(0.998 * (radius[disc - 1] as number));
      }
    }
  });

  it('are left out if they are behind the camera or have no finite position', () => {
    const eye = [5, 0, 0].map((_, axis) => {
      // The third row of the view matrix points from the target to the camera.
      const back = camera.view[4 * axis + 2] as number;
      return 5 + 3 * camera.distance * back;
    });
    const given = ballsAt(...eye, Number.NaN, 1, 1, 1, Number.POSITIVE_INFINITY, 1, 5, 5, 5);
    const { count, colour } = projectBalls([given], camera, VIEWPORT);
    expect([...colour.subarray(0, count)]).toEqual([3]);
    expect(projectBalls([], camera, VIEWPORT).count).toBe(0);
  });
});

describe('a painted sphere', () => {
  const SIZE = 32;
  const region = { left: 10, top: 20, right: 10 + SIZE, bottom: 20 + SIZE };
  /** The red of a sample is its column in the sprite, the green its row. */
  const sprite = Uint32Array.from(
    { length: SPRITE_SIZE ** 2 },
    (_, index) => 0xff000000 + (index % SPRITE_SIZE) + 256 * Math.floor(index / SPRITE_SIZE),
  );
  const blue = new Uint32Array(SPRITE_SIZE ** 2).fill(0xffff0000);
  const paint = (...given: readonly (readonly [x: number, y: number, radius: number, colour: number])[]) => {
    const pixels = new Uint32Array(SIZE * SIZE).fill(0xff000000);
    const column = (index: 0 | 1 | 2 | 3) => Float32Array.from(given, (disc) => disc[index]);
    const discs = { count: given.length, x: column(0), y: column(1), radius: column(2) };
    paintSpheres(pixels, region, { ...discs, colour: Uint8Array.from(column(3)) }, [sprite, blue]);
    return pixels;
  };
  const at = (pixels: Uint32Array, x: number, y: number) =>
    pixels[SIZE * (y - region.top) + x - region.left] as number;

  it('shows its sprite, scaled to its radius', () => {
    const pixels = paint([26, 36, 8, 0]);
    for (const [x, y] of [
      [26, 36],
      [20, 36],
      [26, 41],
      [30, 32],
    ] as const) {
      const colour = at(pixels, x, y);
      expect(colour & 0xff).toBeCloseTo(SPRITE_SIZE / 2 + ((x + 0.5 - 26) * 31) / 8, -0.3);
      expect((colour >>> 8) & 0xff).toBeCloseTo(SPRITE_SIZE / 2 + ((y + 0.5 - 36) * 31) / 8, -0.3);
    }
    expect(at(pixels, 35, 36)).toBe(0xff000000);
    expect(at(pixels, 26, 27)).toBe(0xff000000);
  });

  it('covers its area and earlier spheres, and is cut at the edge of the region', () => {
    const area = (pixels: Uint32Array) =>
      pixels.reduce((sum, pixel) => sum + ((pixel >>> 16) & 0xff) / 255, 0);
    const whole = area(paint([26, 36, 6.3, 1]));
    expect(Math.abs(whole - Math.PI * 6.3 ** 2)).toBeLessThan(3);
    expect(area(paint([10, 36, 6.3, 1]))).toBeCloseTo(whole / 2, 3);
    expect(area(paint([26, 36, 0.3, 1]))).toBeGreaterThan(0);
    const both = paint([26, 36, 6, 0], [26, 36, 3, 1]);
    expect(at(both, 26, 36)).toBe(0xffff0000);
    expect(at(both, 30, 36) >>> 16).toBe(0xff00);
  });
});
