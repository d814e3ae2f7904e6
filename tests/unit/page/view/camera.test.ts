import { describe, expect, it } from 'vitest';
import { defineWorld } from '../../../../src/core/world/world';
import { Camera2D, project, readCamera, type Viewport, writeCamera } from '../../../../src/page/view/camera';
import { Camera3D } from '../../../../src/page/view/camera-3d';
import { fc } from '../../../helpers/properties';

const VIEWPORT: Viewport = {
  width: 1000,
  height: 600,
  pixelRatio: 1,
  free: { x: 300, y: 0, width: 700, height: 560 },
};
const FLAT = defineWorld({ dimensions: 2, min: [-10, 5], max: [30, 25] }, 1);
const DEEP = defineWorld({ dimensions: 3, min: [0, 0, 0], max: [20, 10, 30] }, 1);
const KINDS = [
  ['2D', () => new Camera2D(), FLAT],
  ['3D', () => new Camera3D(), DEEP],
] as const;

describe.each(KINDS)('the %s camera', (kind, create, world) => {
  const middle = world.min.map((low, axis) => (low + (world.max[axis] as number)) / 2);
  const screenOf = (camera: ReturnType<typeof create>, point: readonly number[]) =>
    project(camera.matrices(world, VIEWPORT), VIEWPORT, point);

  it('shows the whole box in the free part of the viewport, and centres it there', () => {
    const camera = create();
    const { x, y } = screenOf(camera, middle);
    expect([x, y]).toEqual([expect.closeTo(650, 2), expect.closeTo(280, 2)]);
    for (let bits = 0; bits < 2 ** world.dimensions; bits++) {
      const corner = middle.map((_, axis) => ((bits >> axis) & 1 ? world.max : world.min)[axis] as number);
      const at = screenOf(camera, corner);
      expect(at.x).toBeGreaterThan(300);
      expect(at.x).toBeLessThan(1000);
      expect(at.y).toBeGreaterThan(0);
      expect(at.y).toBeLessThan(560);
    }
  });

  it('zooms at a point, which stays where it is on the screen', () => {
    const camera = create();
    const before = camera.matrices(world, VIEWPORT);
    for (const factor of [2, 3, 0.5]) {
      const point = world.min.map((low, axis) => low + 0.25 * ((world.max[axis] as number) - low));
      // In 3D only points as far away as the camera's target keep their pixel.
      const target = kind === '2D' ? point : middle;
      const at = screenOf(camera, target);
      camera.zoom(factor, at.x, at.y);
      const after = screenOf(camera, target);
      expect([after.x, after.y]).toEqual([expect.closeTo(at.x, 1), expect.closeTo(at.y, 1)]);
    }
    expect(camera.matrices(world, VIEWPORT).pixelsPerUnit / before.pixelsPerUnit).toBeCloseTo(3, 4);
    camera.fit();
    expect(camera.matrices(world, VIEWPORT)).toEqual(before);
  });

  it('moves with a pointer that drags it', () => {
    const camera = create();
    const from = screenOf(camera, middle);
    camera.pan(70, -40);
    const to = screenOf(camera, middle);
    expect([to.x - from.x, to.y - from.y]).toEqual([expect.closeTo(70, 1), expect.closeTo(-40, 1)]);
  });

  it('restores any view from an address', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            across: fc.integer({ min: -300, max: 300 }),
            zoom: fc.double({ min: 0.5, max: 3, noNaN: true }),
          }),
          {
            maxLength: 6,
          },
        ),
        (moves) => {
          const camera = create();
          camera.matrices(world, VIEWPORT);
          expect(camera.state(world)).toBeUndefined();
          camera.zoom(1.5, 300, 300);
          for (const { across, zoom } of moves) {
            camera.matrices(world, VIEWPORT);
            camera.zoom(zoom, 500 + across, 300);
            camera.pan(across, -across / 2);
            camera.turn(across / 50, across / 700);
          }
          const text = writeCamera(world.dimensions, camera.state(world) ?? []);
          expect(text.length).toBeLessThan(64);
          const again = create();
          const read = readCamera(world.dimensions, text) ?? [];
          again.restore(read, world);
          expect(writeCamera(world.dimensions, again.state(world) ?? [])).toBe(text);
          // An address limits the distance of the target from the middle to 4 edges of the box along each axis.
          if (read.some((value) => Math.abs(value) === 4)) return;
          camera.matrices(world, VIEWPORT);
          for (const [x, y] of [
            [650, 280],
            [850, 380],
          ] as const) {
            const { origin, direction, depth } = camera.ray(x, y);
            const seen = screenOf(
              again,
              origin.map((from, axis) => from + depth * (direction[axis] as number)),
            );
            expect(Math.hypot(seen.x - x, seen.y - y)).toBeLessThan(0.5);
          }
        },
      ),
    );
  });

  it('ignores invalid views in an address, and clamps extreme ones', () => {
    const { dimensions } = world;
    const numbers = dimensions === 2 ? 3 : 6;
    const rows = (value: string) => Array.from({ length: numbers }, () => value).join('_');
    for (const text of [
      '',
      'x',
      rows('NaN'),
      rows(''),
      '1_1',
      `${rows('1')}_1`,
      rows('1').replace('1', '1e'),
    ]) {
      expect(readCamera(dimensions, text), text).toBeUndefined();
    }
    const other = create();
    other.restore(dimensions === 2 ? [1, 1, 2, 0, 0, 0] : [1, 1, 2], world);
    expect(other.state(world)).toBeUndefined();
    for (const value of ['1e300', '-1e300', 'Infinity', '-Infinity', '0']) {
      const state = readCamera(dimensions, rows(value)) ?? [];
      const camera = create();
      camera.restore(state, world);
      const { view, projection, pixelsPerUnit } = camera.matrices(world, VIEWPORT);
      expect([...view, ...projection, pixelsPerUnit].every(Number.isFinite), value).toBe(true);
      expect(pixelsPerUnit).toBeGreaterThan(0);
      expect(readCamera(dimensions, writeCamera(dimensions, state))).toEqual(
        state.map((one) => expect.closeTo(one, 3)),
      );
    }
  });

  it('stays finite after any zooming and turning', () => {
    const camera = create();
    for (let press = 0; press < 500; press++) camera.zoom(3, 0, 0);
    for (let press = 0; press < 500; press++) camera.turn(0.3, 0.3);
    const near = camera.matrices(world, VIEWPORT);
    expect([...near.view, ...near.projection].every(Number.isFinite)).toBe(true);
    for (let press = 0; press < 500; press++) camera.zoom(1 / 3, 900, 10);
    const far = camera.matrices(world, VIEWPORT);
    expect(far.pixelsPerUnit).toBeGreaterThan(0);
    expect([...far.view, ...far.projection].every(Number.isFinite)).toBe(true);
  });
});

it('the 3D camera shows points with a greater y higher up, and points with a greater z nearer', () => {
  const camera = new Camera3D();
  const matrices = camera.matrices(DEEP, VIEWPORT);
  const at = (point: readonly number[]) => project(matrices, VIEWPORT, point);
  expect(at([10, 9, 15]).y).toBeLessThan(at([10, 1, 15]).y);
  expect(at([10, 5, 30]).distance).toBeLessThan(at([10, 5, 0]).distance);
});
