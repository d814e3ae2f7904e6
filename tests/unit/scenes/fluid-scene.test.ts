import { describe, expect, it } from 'vitest';
import { planFluid } from '../../../src/methods/fluid/options';
import { scenesOf } from '../../../src/scenes';
import { createFluidScene, movingBodies, solidBoxes } from '../../../src/scenes/fluid-scene';

const FLUIDS = scenesOf('fluid').map(({ name }) => name);

const STEP = 1 / 60;

describe.each(FLUIDS)('the fluid scene %s', (name) => {
  it.each([2, 3] as const)(
    'has about as many particles as requested, in a tank that holds them, in %dD',
    (dimensions) => {
      for (const count of [200, 5000]) {
        for (const width of count === 5000 ? [1, 2] : [1]) {
          const { bodiesAt, ...scene } = createFluidScene(name, { dimensions, count, width });
          const plan = planFluid({ ...scene, obstacles: bodiesAt?.(0) });
          expect(plan.count / count, `${count} × ${width}`).toBeGreaterThan(count > 1000 ? 0.8 : 0.4);
          expect(plan.count / count, `${count} × ${width}`).toBeLessThan(count > 1000 ? 1.25 : 2.5);
          // After a fall through the tank, a particle moves less than two cells in a substep (a third of a step).
          const height = (scene.cells[1] ?? 0) * scene.cellSize;
          expect((Math.sqrt(2 * 9.8125 * height) * STEP) / 3).toBeLessThan(2 * scene.cellSize);
        }
      }
    },
  );
});

describe('bodies of a fluid scene', () => {
  it('have their position at the given time, and the velocity that leads to the next position', () => {
    const scene = createFluidScene('wave-tank', { dimensions: 2, count: 500, width: 1 });
    const [paddle] = movingBodies(scene, 1.5, STEP);
    const [later] = movingBodies(scene, 1.5 + STEP, STEP);
    expect((paddle?.position[0] ?? 0) + STEP * (paddle?.velocity?.[0] ?? 0)).toBeCloseTo(
      later?.position[0] ?? 0,
      12,
    );
    expect(paddle?.velocity?.[0]).not.toBe(0);
    expect(Math.abs(movingBodies(scene, 0, STEP)[0]?.velocity?.[0] ?? 1)).toBeLessThan(0.1);
  });
});

describe('the solid cells of a fluid scene', () => {
  it.each([2, 3] as const)('are covered by boxes of the same volume, in %dD', (dimensions) => {
    for (const name of ['wave-tank', 'fountain']) {
      const scene = createFluidScene(name, { dimensions, count: 2000, width: 1 });
      const { cells, cellSize, solids } = scene;
      const { positions, halfExtents } = solidBoxes(scene);
      let volume = 0;
      for (let first = 0; first < halfExtents.length; first += dimensions) {
        volume += halfExtents
          .slice(first, first + dimensions)
          .reduce((product, half) => product * ((2 * half) / cellSize), 1);
      }
      let solid = 0;
      const all = cells.reduce((product, along) => product * along, 1);
      for (let index = 0; index < all; index++) {
        const [wide = 1, high = 1] = cells;
        const cell = [index % wide, Math.floor(index / wide) % high, Math.floor(index / (wide * high))];
        if (solids?.(cell.slice(0, dimensions).map((along) => (along + 0.5) * cellSize))) solid++;
      }
      expect(solid).toBeGreaterThan(0);
      expect(volume).toBeCloseTo(solid, 6);
      // On average, a box covers more than four cells.
      expect(positions.length / dimensions).toBeLessThan(solid / 4);
    }
  });
});
