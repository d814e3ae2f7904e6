import { describe, expect } from 'vitest';
import type { FluidOptions } from '../../../../../src/methods/fluid';
import { planFluid } from '../../../../../src/methods/fluid/options';
import { createLayouts } from '../../../../../src/page/view/draw-pipelines';
import { createFieldPipelines } from '../../../../../src/page/view/fluid/fields';
import { FluidView } from '../../../../../src/page/view/fluid/view';
import { type Pictured, picture, SIZE } from '../../../../helpers/fluid-pictures';
import { gpuTest, SHARED } from '../../../../helpers/node-gpu';
import { DIMENSIONS } from '../../../../helpers/passes';

const TANK: FluidOptions = { dimensions: 2, cells: [20, 20], cellSize: 0.1 };
const BOX: FluidOptions = { dimensions: 3, cells: [16, 16, 16], cellSize: 0.125 };

/** Returns whether a pixel is blue: fluid, or the line along its surface. */
function isFluid({ pixels }: Pictured, x: number, y: number): boolean {
  return pixels.at(x, y)[2] > 127;
}

function surfaceAt(pictured: Pictured, x: number): number {
  for (let y = 0; y < SIZE; y++) {
    if (isFluid(pictured, x, y)) return y;
  }
  return SIZE;
}

describe.each(DIMENSIONS)('pictures of fluids in %dD', (dimensions) => {
  gpuTest(
    'compile their pipelines for each colour, with one and with four samples per pixel',
    async (device, tools) => {
      const plan = planFluid(dimensions === 2 ? TANK : BOX);
      const layouts = createLayouts(device);
      const data = () => tools.allocate('lattice', 16);
      const buffers = { kinds: data(), fullness: data(), velocity: data(), pressure: data() };
      for (const [format, samples] of [
        ['bgra8unorm', 1],
        ['rgba8unorm', 4],
      ] as const) {
        const lent = { format, samples, isSoftware: samples === 1, layouts };
        const view = new FluidView(device, { plan, buffers }, lent);
        for (const colour of ['speed', 'value', 'age'] as const) {
          expect(view.isReady(colour)).toBe(false);
          await view.prepare(colour);
          expect(view.isReady(colour)).toBe(true);
        }
        const { faces } = await createFieldPipelines(device, dimensions, lent);
        expect(faces !== undefined).toBe(dimensions === 3);
        view.destroy();
      }
    },
    { driverless: true },
  );
});

describe('a 2D surface', () => {
  gpuTest(
    'is a disc with a smooth edge if particles fill a disc',
    async (_, tools) => {
      const seen = await picture(tools, { ...TANK, fill: [{ centre: [1, 1], radius: 0.6 }] });
      const [x, y] = seen.toPixel([1, 1]);
      const radius = seen.toPixel([1.6, 1])[0] - x;
      let area = 0;
      let partly = 0;
      const wrong: number[][] = [];
      for (let row = 0; row < SIZE; row++) {
        for (let column = 0; column < SIZE; column++) {
          const away = Math.hypot(column + 0.5 - x, row + 0.5 - y) - radius;
          const share = seen.pixels.at(column, row)[2] / 255;
          if (isFluid(seen, column, row)) area++;
          if (share > 0.1 && share < 0.9) partly++;
          // Each particle lies at random in its share of a cell, so pixels near the edge may or may not be fluid.
          if (Math.abs(away) > 4.5 && isFluid(seen, column, row) !== away < 0) wrong.push([column, row]);
        }
      }
      expect(wrong).toEqual([]);
      expect(Math.abs(area / (Math.PI * radius ** 2) - 1)).toBeLessThan(0.05);
      expect(partly).toBeGreaterThan(2 * radius);
      expect(partly).toBeLessThan(12 * radius);
    },
    SHARED,
  );

  gpuTest(
    'has no holes in a full tank and stops at solid cells at any zoom, and is flat in a half full tank',
    async (_, tools) => {
      const corner = (seen: Pictured, point: readonly [number, number]) =>
        seen.toPixel(point).map((along) => Math.min(SIZE, Math.max(0, along))) as [number, number];
      const wall = ([x = 0, y = 0]: readonly number[]) => x > 1.2 && x < 1.4 && y < 0.5;
      const bytes: number[] = [];
      const wrong: number[][] = [];
      for (const zoom of [0.2, 1, 6, 60]) {
        const full = await picture(
          tools,
          { ...TANK, fill: [{ min: [0, 0], max: [2, 2] }], solids: wall },
          { zoom },
        );
        const [left, top] = corner(full, [0, 2]);
        const [right, bottom] = corner(full, [2, 0]);
        const [from, high] = corner(full, [1.2, 0.5]);
        const [to] = corner(full, [1.4, 0]);
        for (let row = Math.ceil(top) + 1; row < Math.floor(bottom) - 1; row++) {
          for (let column = Math.ceil(left) + 1; column < Math.floor(right) - 1; column++) {
            const isNear = row > high - 2 && column > from - 2 && column < to + 1;
            const isInside = row > high + 1 && column > from + 1 && column < to - 2;
            if (isNear && !isInside) continue;
            if (isFluid(full, column, row) === isInside) wrong.push([zoom, column, row]);
          }
        }
        bytes.push(full.bytes);
        if (zoom > 1) continue;
        const half = await picture(tools, { ...TANK, fill: [{ min: [0, 0], max: [2, 1] }] }, { zoom });
        const [, level] = half.toPixel([0, 1]);
        const [start] = half.toPixel([0, 0]);
        const [end] = half.toPixel([2, 0]);
        for (let column = Math.ceil(start) + 1; column < Math.floor(end) - 1; column++) {
          if (Math.abs(surfaceAt(half, column) - level) > 1.6) wrong.push([zoom, column]);
        }
      }
      expect(wrong).toEqual([]);
      // The textures take no more bytes than the picture, and far fewer if particles are large on the screen.
      expect(Math.max(...bytes)).toBeLessThanOrEqual(4 * SIZE * SIZE);
      expect(bytes[3]).toBeLessThan((bytes[1] as number) / 8);
    },
    SHARED,
  );

  gpuTest(
    'shows a single particle as a drop with the area of the particle’s share of a cell',
    async (_, tools) => {
      const seen = await picture(tools, { ...TANK, positions: Float32Array.of(1, 1) }, { zoom: 8 });
      const [x, y] = seen.toPixel([1, 1]);
      const radius = (seen.toPixel([1.05, 1])[0] - x) / Math.sqrt(Math.PI);
      expect(radius).toBeGreaterThan(8);
      expect(isFluid(seen, x + radius - 2, y)).toBe(true);
      expect(isFluid(seen, x + radius + 2, y)).toBe(false);
    },
    SHARED,
  );
});

describe('a 3D surface', () => {
  const ball = { centre: [1, 1, 1], radius: 0.6 } as const;

  gpuTest(
    'is a ball, thickest in its middle, if particles fill a ball',
    async (_, tools) => {
      const seen = await picture(tools, { ...BOX, fill: [ball] });
      const [x, y] = seen.toPixel([1, 1, 1]);
      const across = seen.frame.camera.pixelsPerUnit;
      const redAt = (share: number) => seen.pixels.at(x - share * 0.6 * across, y)[0];
      expect(redAt(1.25)).toBe(255);
      const reds = [1, 0.95, 0.88, 0.75].map(redAt);
      expect(reds).toEqual(reds.toSorted((a, b) => b - a));
      expect((reds[0] as number) - (reds[3] as number)).toBeGreaterThan(60);
      expect(redAt(0)).toBeLessThanOrEqual(reds[3] as number);
      expect(seen.pixels.at(x, y)[2]).toBeGreaterThan(80);
    },
    SHARED,
  );

  gpuTest(
    'is hidden by a ball in front of it, and hides a ball behind it',
    async (_, tools) => {
      const green = async (position: readonly number[]) => {
        const seen = await picture(
          tools,
          { ...BOX, fill: [ball] },
          { samples: 4, ball: { position, radius: 0.25 } },
        );
        const [x, y] = seen.toPixel(position);
        return seen.pixels.at(x, y);
      };
      // The camera is at high x, y and z.
      const near = await green([1.4, 1.4, 1.75]);
      const far = await green([0.8, 0.8, 0.25]);
      expect(near[1]).toBeGreaterThan(100);
      expect(near[2]).toBeLessThan(60);
      expect(far[2]).toBeGreaterThan(60);
      expect(far[1]).toBeLessThan(near[1] / 2);
    },
    { ...SHARED, tags: 'full' },
  );
});

describe('fields', () => {
  const full: FluidOptions = {
    ...TANK,
    cells: [8, 8],
    cellSize: 0.25,
    fill: [{ min: [0, 0], max: [2, 2] }],
  };

  gpuTest(
    'show arrows along the velocity, longer for higher speeds',
    async (_, tools) => {
      for (const [velocity, ahead] of [
        [
          [3, 0],
          [1, 0],
        ],
        [
          [0, -3],
          [0, 1],
        ],
        [
          [0.6, 0],
          [1, 0],
        ],
      ] as const) {
        const seen = await picture(tools, full, {
          velocity,
          overlays: { velocityArrows: true },
          isSurface: false,
        });
        // Search only within half the distance to the next arrow.
        const [x, y] = seen.toPixel([0.875, 0.875]);
        const half = seen.toPixel([1.125, 1])[0] - x;
        const found: (readonly [number, number])[] = [];
        for (let row = -Math.floor(half); row < half; row++) {
          for (let column = -Math.floor(half); column < half; column++) {
            const pixel = [column + 0.5, row + 0.5] as const;
            if (seen.pixels.at(x + column, y + row)[1] > 127) found.push(pixel);
          }
        }
        const along = found.map(([dx, dy]) => dx * ahead[0] + dy * ahead[1]);
        const across = found.map(([dx, dy]) => Math.abs(dx * ahead[1] - dy * ahead[0]));
        const isFast = Math.hypot(...velocity) > 1;
        expect(found.length).toBeGreaterThan(isFast ? 12 : 1);
        const extent = Math.max(...along) - Math.min(...along);
        if (isFast) expect(extent).toBeGreaterThan(1.2 * half);
        else expect(extent).toBeLessThan(half);
        const widest = (from: number, to: number) =>
          Math.max(
            0,
            ...across.filter((_, index) => (along[index] as number) >= from && (along[index] as number) < to),
          );
        if (isFast) expect(widest(0, half)).toBeGreaterThan(widest(-half, -0.3 * half) + 0.9);
      }
    },
    SHARED,
  );

  gpuTest(
    'show higher pressure in lighter colours, and solid cells at their positions',
    async (_, tools) => {
      const solids = ([x = 0]: readonly number[]) => x > 1.5;
      const seen = await picture(
        tools,
        { ...full, fill: [{ min: [0, 0], max: [2, 1.5] }], solids },
        {
          overlays: { pressureMap: true, solidCells: true },
          isSurface: false,
          pressure: (height) => 4 * (6 - height),
        },
      );
      const lightAt = (height: number) => {
        const [x, y] = seen.toPixel([0.875, height]);
        return seen.pixels.at(x, y).reduce((sum, channel) => sum + channel, 0);
      };
      const lights = [1.4, 1.2, 1, 0.8, 0.6, 0.4, 0.2].map(lightAt);
      expect(lights).toEqual(lights.toSorted((a, b) => a - b));
      expect((lights.at(-1) as number) - (lights[0] as number)).toBeGreaterThan(200);
      const greens = (cell: number) => {
        const [x, y] = seen.toPixel([cell + 0.25, 1.875]);
        return seen.pixels.at(x, y)[1];
      };
      expect(greens(1)).toBe(0);
      expect(greens(1.5)).toBeGreaterThan(60);
      // In 3D, too, solid cells appear only at their positions.
      const space = await picture(
        tools,
        {
          ...BOX,
          cells: [4, 4, 4],
          cellSize: 0.5,
          solids: ([x = 0, y = 0, z = 0]) => x > 1 && y < 1 && z > 1,
        },
        { overlays: { solidCells: true }, isSurface: false },
      );
      const [x, y] = space.toPixel([1.5, 0.75, 1.75]);
      expect(space.pixels.at(x, y)[1]).toBeGreaterThan(60);
      const [left, up] = space.toPixel([0.5, 1.5, 0.5]);
      expect(space.pixels.at(left, up)[1]).toBe(0);
    },
    SHARED,
  );
});
