import { describe, expect } from 'vitest';
import type { FluidOptions } from '../../../../../src/methods/fluid';
import { type Pictured, picture, SIZE } from '../../../../helpers/fluid-pictures';
import { gpuTest, SHARED } from '../../../../helpers/node-gpu';

const BOX: FluidOptions = { dimensions: 3, cells: [16, 16, 16], cellSize: 0.125 };
const EDGE = 2;

/** Returns a function that gives how far a pixel's centre lies inside the outline of a box on the floor, in pixels. */
function insideOf(seen: Pictured, height: number) {
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) =>
    seen.toPixel([EDGE * (bits & 1), height * ((bits >> 1) & 1), EDGE * (bits >> 2)]),
  );
  const lines = corners.flatMap((a) =>
    corners.flatMap((b) => {
      const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
      if (length === 0) return [];
      const normal = [(a[1] - b[1]) / length, (b[0] - a[0]) / length] as const;
      const away = (x: number, y: number) => (x - a[0]) * normal[0] + (y - a[1]) * normal[1];
      // The outline consists of the lines with all corners on one side.
      return corners.every(([x, y]) => away(x, y) > -1e-6) ? [away] : [];
    }),
  );
  return (x: number, y: number) => Math.min(...lines.map((away) => away(x + 0.5, y + 0.5)));
}

function eachPixel(visit: (x: number, y: number) => void): void {
  for (let y = 0; y < SIZE; y++) {
    for (let x = 0; x < SIZE; x++) visit(x, y);
  }
}

describe.each([1, 4] as const)('water with a sample count of %d', (samples) => {
  gpuTest(
    'fills the tank without gaps, up to the walls, the floor and its level surface',
    async (_, tools) => {
      for (const [height, slack] of [
        [2, 1.25],
        [1, 2],
      ] as const) {
        const seen = await picture(
          tools,
          { ...BOX, fill: [{ min: [0, 0, 0], max: [2, height, 2] }] },
          { samples, isSoftware: samples === 1 },
        );
        const inside = insideOf(seen, height);
        const wrong: number[][] = [];
        eachPixel((x, y) => {
          const isWater = seen.pixels.at(x, y)[2] > 8;
          const within = inside(x, y);
          if (Math.abs(within) > slack && isWater !== within > 0) wrong.push([height, x, y, within]);
        });
        expect(wrong).toEqual([]);
      }
    },
    SHARED,
  );

  gpuTest(
    'looks the same whether its particles lie at random or in rows',
    async (_, tools) => {
      const wanted = { samples, isSoftware: samples === 1 };
      const random = await picture(tools, { ...BOX, fill: [{ min: [0, 0, 0], max: [2, 1, 2] }] }, wanted);
      const positions = Float32Array.from({ length: 3 * 32 * 16 * 32 }, (_, index) => {
        const particle = Math.floor(index / 3);
        const cell = [particle % 32, Math.floor(particle / 32) % 16, Math.floor(particle / 512)];
        return (EDGE / 32) * ((cell[index % 3] as number) + 0.5);
      });
      const even = await picture(tools, { ...BOX, positions }, wanted);
      let squares = 0;
      let water = 0;
      const inside = insideOf(even, 1);
      eachPixel((x, y) => {
        if (inside(x, y) < 2) return;
        water++;
        const expected = even.pixels.at(x, y);
        random.pixels.at(x, y).forEach((channel, index) => {
          squares += (channel - (expected[index] as number)) ** 2;
        });
      });
      expect(water).toBeGreaterThan(4000);
      // The root of the mean squared difference. A channel is at most 255.
      expect(Math.sqrt(squares / (3 * water))).toBeLessThan(8);
    },
    SHARED,
  );
});

describe('a picture of a 3D fluid', () => {
  const sheet = Float32Array.from({ length: 3 * 32 * 32 }, (_, index) => {
    const particle = Math.floor(index / 3);
    const along = [0.0625 * ((particle % 32) + 0.5), 1, 0.0625 * (Math.floor(particle / 32) + 0.5)];
    return along[index % 3] as number;
  });
  /** Two layers of particles: a sheet of water that is thin enough for foam. */
  const doubled = Float32Array.of(
    ...sheet,
    ...sheet.map((along, index) => along + (index % 3 === 1 ? 0.05 : 0)),
  );

  gpuTest(
    'shows a particle in the air as a small drop, white if it is fast',
    async (_, tools) => {
      const at = [1, 1, 1];
      const drop = async (speed: number) => {
        const seen = await picture(
          tools,
          { ...BOX, positions: Float32Array.from(at) },
          { zoom: 6, samples: 4, isSoftware: false, velocityOf: () => [speed, 0, 0] },
        );
        const [x, y] = seen.toPixel(at);
        const across = seen.frame.camera.pixelsPerUnit;
        return { seen, x, y, radius: 0.34 * 0.0625 * across };
      };
      const fast = await drop(1);
      const [red, green, blue] = fast.seen.pixels.at(fast.x, fast.y);
      expect(Math.min(red, green, blue)).toBeGreaterThan(170);
      const beside = fast.seen.pixels.at(fast.x + fast.radius + 3, fast.y);
      expect(beside[1]).toBe(0);
      const slow = await drop(0);
      const clear = slow.seen.pixels.at(slow.x, slow.y);
      expect(clear[1]).toBeLessThan(120);
      expect(clear[1]).toBeGreaterThan(10);
    },
    SHARED,
  );

  gpuTest(
    'shows foam in a thin fast sheet, but neither in a slow one nor in deep fast water',
    async (_, tools) => {
      const green = async (options: Partial<FluidOptions>, speed: number, point: readonly number[]) => {
        const seen = await picture(
          tools,
          { ...BOX, ...options },
          { samples: 4, isSoftware: false, velocityOf: () => [speed, 0, 0] },
        );
        const [x, y] = seen.toPixel(point);
        return seen.pixels.at(x, y)[1];
      };
      const deep = { fill: [{ min: [0, 0, 0], max: [2, 1, 2] }] };
      const fast = await green({ positions: doubled }, 1, [1, 1.05, 1]);
      expect(fast).toBeGreaterThan(60);
      expect(await green({ positions: doubled }, 0, [1, 1.05, 1])).toBeLessThan(0.5 * fast);
      expect(await green(deep, 1, [1, 1, 1])).toBeLessThan(0.5 * fast);
    },
    SHARED,
  );
});

describe('the floor', () => {
  gpuTest(
    'has a shadow of the fluid, on the side away from the sun',
    async (_, tools) => {
      const beside = async (fill: FluidOptions['fill']) => {
        const seen = await picture(tools, { ...BOX, fill }, { samples: 4, isSoftware: false });
        // The sun is at low x and z, so the shadow falls to high x and z.
        return [
          [1.5, 0, 2.2],
          [0.1, 0, 2.3],
        ].map((point) => seen.pixels.at(...seen.toPixel(point))[0]);
      };
      const [empty = 0, emptyFar = 0] = await beside([{ min: [0, 0, 0], max: [0.1, 0.1, 0.1] }]);
      const [shaded = 0, lit = 0] = await beside([{ min: [0, 0, 0], max: [2, 1.2, 2] }]);
      expect(shaded).toBeLessThan(0.8 * empty);
      expect(lit).toBeGreaterThan(0.9 * emptyFar);
    },
    SHARED,
  );
});
