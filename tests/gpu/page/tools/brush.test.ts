import { describe, expect } from 'vitest';
import { createSimulation } from '../../../../src/engine/simulation/simulation';
import { GpuBrush } from '../../../../src/page/tools/brush';
import { held, pushed } from '../../../../src/page/tools/brush-law';
import type { Stroke } from '../../../../src/page/view/engine';
import { createScene, sceneOptions } from '../../../../src/scenes';
import { gpuTest, SHARED } from '../../../helpers/node-gpu';
import { DIMENSIONS } from '../../../helpers/passes';

const COUNT = 700;
const SECONDS = 1 / 64;

describe.each(DIMENSIONS)('a brush in %dD', (dimensions) => {
  for (const name of ['uniform', 'mixed', 'crates']) {
    gpuTest(
      `pushes and pulls the particles near its ray and holds one, in the scene ${name}`,
      async (_, tools) => {
        const gpu = tools.wrap();
        const scene = createScene(name, { dimensions, count: COUNT });
        const simulation = await createSimulation(gpu, sceneOptions(scene));
        const brush = await GpuBrush.create(gpu, simulation);
        const middle = scene.max.map((high, axis) => (high + (scene.min[axis] as number)) / 2);
        const direction = dimensions === 2 ? [0, 0] : [0.48, 0.6, 0.64];
        const reach = ((scene.max[0] as number) - (scene.min[0] as number)) / 3;
        for (const force of [64, -640]) {
          const stroke: Stroke = { origin: middle, direction, reach, force };
          const before = await simulation.read();
          brush.push(simulation, stroke, SECONDS);
          const after = await simulation.read();
          const expected = pushed(dimensions, before, stroke, SECONDS);
          expect(after.positions).toEqual(before.positions);
          const most = Math.abs(force) * SECONDS * 2 ** -18;
          let moved = 0;
          after.velocities.forEach((value, index) => {
            const twin = expected[index] as number;
            expect(Math.abs(value - twin)).toBeLessThanOrEqual(most + Math.abs(twin) * 2 ** -20);
            if (twin !== before.velocities[index]) moved++;
          });
          expect(moved).toBeGreaterThan(20);
          expect(moved).toBeLessThan(dimensions * COUNT);
        }
        // Hold one particle, with a low and with a high limit on its speed. No other particle may change.
        for (const speed of [1, 1e6]) {
          const before = await simulation.read();
          const grip = { id: COUNT - 3, position: middle, speed };
          brush.hold(simulation, grip, SECONDS);
          const after = await simulation.read();
          const expected = held(dimensions, before, grip, SECONDS);
          expect(expected).not.toEqual(before.velocities);
          after.velocities.forEach((value, index) => {
            const twin = expected[index] as number;
            expect(Math.abs(value - twin)).toBeLessThanOrEqual(Math.abs(twin) * 2 ** -20);
          });
        }
        brush.destroy();
        simulation.destroy();
      },
      SHARED,
    );
  }
});
