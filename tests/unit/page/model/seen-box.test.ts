import { describe, expect, it } from 'vitest';
import { defaultChoices, simulationOptions } from '../../../../src/page/model/choices';
import { FIELDS, MOST_PARTICLES } from '../../../../src/page/model/fields';
import { capOf } from '../../../../src/page/model/limits';
import { boxAround, worldBox } from '../../../../src/page/model/seen-box';
import { Camera2D, project, type Viewport } from '../../../../src/page/view/camera';
import { Camera3D } from '../../../../src/page/view/camera-3d';
import { SCENES } from '../../../../src/scenes';

function around(dimensions: 2 | 3, points: readonly (readonly number[])[], radius = 0.5) {
  const ids = Uint32Array.from(points, (_, index) => 3 * index);
  return boxAround({ dimensions, radius }, { ids, positions: Float32Array.from(points.flat()) });
}

describe('the shown box', () => {
  it('is the box of the world, if the world has one', () => {
    expect(worldBox({ min: [0, 1], max: [4, 5] })).toEqual({
      min: [0, 1],
      max: [4, 5],
      origin: [0, 0],
      isWorld: true,
      leftOut: '',
    });
  });

  it('surrounds all finite particles, including their radius', () => {
    const box = around(3, [
      [1, 2, 3],
      [Number.NaN, 0, 0],
      [-4, 8, 3],
    ]);
    expect(box).toEqual({
      min: [-4.5, 1.5, 2.5],
      max: [1.5, 8.5, 3.5],
      origin: [1, 2, 3],
      isWorld: false,
      leftOut: '',
    });
    const empty = around(2, []);
    expect(empty.leftOut).toBe('');
    expect(empty.max[0]).toBeGreaterThan(empty.min[0] as number);
  });

  it('surrounds only the particles near the first one if others are too far away, and says so', () => {
    const far = 2 ** 20;
    const box = around(2, [
      [far, far],
      [far + 3, far - 2],
      [-far, far],
      [far, -far],
    ]);
    expect([box.min, box.max]).toEqual([
      [far - 0.5, far - 2.5],
      [far + 3.5, far + 0.5],
    ]);
    expect(box.leftOut).toBe(
      'The particles lie too far apart for one picture, so it shows 2 particles of 4: those near particle 0.',
    );
    // These particles span 1,500 diameters, which is less than the limit of 2,000.
    const row = Array.from({ length: 3000 }, (_, index) => [index, 0]);
    expect(around(2, row, 1).leftOut).toBe('');
  });

  it('is drawn precisely at any distance from the origin', () => {
    const viewport: Viewport = {
      width: 800,
      height: 600,
      pixelRatio: 1,
      free: { x: 0, y: 0, width: 800, height: 600 },
    };
    for (const camera of [new Camera2D(), new Camera3D()]) {
      const dimensions = camera instanceof Camera2D ? 2 : 3;
      const points = [0, 8].map((along) => new Array<number>(dimensions).fill(along));
      const at = (out: number) => {
        const box = around(
          dimensions,
          points.map((point) => point.map((along) => along + out)),
        );
        const matrices = camera.matrices(box, viewport);
        return [4, 4.25].map((x) =>
          project(
            matrices,
            viewport,
            [x, 4, 4].slice(0, dimensions).map((along) => along + out),
          ),
        );
      };
      const far = at(2 ** 20);
      at(0).forEach(({ x, y }, step) => {
        expect([far[step]?.x, far[step]?.y]).toEqual([expect.closeTo(x, 2), expect.closeTo(y, 2)]);
      });
    }
  });

  it('exists for unbounded scenes too, so that every scene can be chosen', () => {
    expect(FIELDS.scene.options.map(({ value }) => value)).toEqual(SCENES.map(({ name }) => name));
    for (const scene of ['far-apart', 'colliding-cells', 'one-large']) {
      const choices = { ...defaultChoices(scene), boxWidth: 3 };
      expect(simulationOptions(choices, 100)).toMatchObject({ unbounded: true });
      expect(simulationOptions(choices, 100)).not.toHaveProperty('max');
      expect(capOf(choices, { isSoftware: true, most: MOST_PARTICLES })).toBeUndefined();
    }
  });
});
