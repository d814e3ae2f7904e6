import { decode } from 'fast-png';
import { describe, expect, it } from 'vitest';
import { renderImage } from '../../../src/cli/image';
import { defineLevels } from '../../../src/core/world/level-world';
import { defineWorld } from '../../../src/core/world/world';

describe('a picture', () => {
  function look(png: Uint8Array): { width: number; height: number; drawn: number } {
    const { data, width, height } = decode(png);
    let drawn = 0;
    for (let pixel = 0; pixel < width * height; pixel++) {
      if ([16, 18, 24].some((value, channel) => data[3 * pixel + channel] !== value)) drawn++;
    }
    return { width, height, drawn };
  }

  function draw(positions: Float32Array): ReturnType<typeof look> {
    const world = defineWorld({ dimensions: 2, unbounded: true }, 1);
    const ids = Uint32Array.from({ length: positions.length / 2 }, (_, index) => index);
    return look(renderImage(world, 0.5, { ids, positions, velocities: new Float32Array(positions.length) }));
  }

  it('of an unbounded world frames its particles', () => {
    // Four touching discs in a region three discs wide and two high. Positions that are not finite do not count.
    const nowhere = [Number.NaN, 1e6, -1e6, Number.POSITIVE_INFINITY];
    const picture = draw(Float32Array.of(1000, -7, 1001, -7, 1002, -7, ...nowhere, 1000, -6));
    expect([picture.width, picture.height]).toEqual([1200, 800]);
    const share = picture.drawn / (1200 * 800);
    expect(Math.abs(share - (4 * Math.PI) / 4 / 6)).toBeLessThan(0.01);
  });

  it('of an unbounded world is drawn at any position of its particles', { tags: 'full' }, () => {
    // The picture is as wide as its one disc, even if rounding absorbs the radius at that position.
    for (const distance of [0, 1e30]) {
      const { width, height, drawn } = draw(Float32Array.of(distance, -distance));
      expect([width, height]).toEqual([1200, 1200]);
      expect(Math.abs(drawn / 1200 ** 2 - Math.PI / 4)).toBeLessThan(0.01);
    }
    expect(draw(Float32Array.of(-3e38, 0, 3e38, 0)).drawn).toBeGreaterThan(0);
    for (const empty of [new Float32Array(0), Float32Array.of(Number.NaN, 0)]) {
      expect(draw(empty)).toEqual({ width: 1200, height: 1200, drawn: 0 });
    }
  });

  it.each([2, 3] as const)('of boxes in %dD shows them as rectangles, and balls as discs', (dimensions) => {
    const min = [0, 0, 0].slice(0, dimensions);
    const max = [8, 4, 4].slice(0, dimensions);
    const radiusRange = { smallest: 0.5, largest: 2 };
    const world = defineLevels({ dimensions, min, max }, radiusRange, 3, true);
    const packed = (...vectors: number[][]) =>
      Float32Array.from(vectors.flatMap((vector) => vector.slice(0, dimensions)));
    const picture = look(
      renderImage(world, 2, {
        ids: Uint32Array.of(0, 1, 2),
        // The second box hides a part of the first.
        positions: packed([2, 2, 1], [3.5, 2, 3], [6, 2, 2]),
        velocities: new Float32Array(3 * dimensions),
        radii: Float32Array.of(0, 0, 1),
        halfExtents: packed([1.5, 0.5, 0.25], [0.5, 1.25, 1], [0, 0, 0]),
      }),
    );
    expect([picture.width, picture.height]).toEqual([1200, 600]);
    const covered = 3 * 1 + 1 * 2.5 - 0.5 * 1 + Math.PI;
    expect(Math.abs(picture.drawn / (1200 * 600) - covered / 32)).toBeLessThan(0.002);
  });

  it('of boxes in 3D shows the nearer face', { tags: 'full' }, () => {
    const world = defineLevels(
      { dimensions: 3, min: [0, 0, 0], max: [4, 4, 4] },
      { smallest: 0.5, largest: 2 },
      2,
      true,
    );
    // The colour tells the resting box from the moving one. The box that reaches higher along z is visible.
    for (const [depth, front] of [
      [0.25, 68],
      [1.5, 253],
    ] as const) {
      const picture = renderImage(world, 2, {
        ids: Uint32Array.of(0, 1),
        positions: Float32Array.of(2, 2, 1.5, 2, 2, 2),
        velocities: Float32Array.of(0, 0, 0, 1, 0, 0),
        halfExtents: Float32Array.of(1, 1, 1.5, 1, 1, depth),
      });
      const { data, width, height } = decode(picture);
      expect(data[3 * ((height / 2) * width + width / 2)]).toBe(front);
    }
  });
});
