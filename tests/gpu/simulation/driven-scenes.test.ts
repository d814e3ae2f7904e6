/** Tests that changes of gravity and obstacles take effect in their step, as on the CPU engine. */
import { describe, expect } from 'vitest';
import type { SimulationOptions } from '../../../src/core/simulation/simulation';
import { createCpuSimulation } from '../../../src/cpu';
import { createSimulation } from '../../../src/engine/simulation/simulation';
import {
  applyDrive,
  createScene,
  type Drivable,
  sceneNames,
  sceneOptions,
  strengthOf,
} from '../../../src/scenes';
import { gpuTest, SHARED, SHARED_CASE } from '../../helpers/node-gpu';
import { DIMENSIONS } from '../../helpers/passes';

const DT = 1 / 60;
const SETTINGS = { substeps: 2 } as const;
/** Steps until the grains rest on each other. */
const STEPS_BEFORE = 60;
const STEPS = 4;
/** Tolerance of positions: far above roundings, and less than a 25th of what the drum's wall moves in a step. */
const APART = 1e-3;

describe.each(DIMENSIONS)('grains in %dD', (dimensions) => {
  for (const name of sceneNames({ driven: true })) {
    gpuTest(
      `move as on the CPU engine, and continue from a checkpoint with the same bits, in the scene ${name}`,
      async (_, tools) => {
        const scene = createScene(name, { dimensions, count: 80, seed: 5 });
        const play = (simulation: Drivable & { step(dt: number): void }, steps: number) => {
          for (let step = 0; step < steps; step++) {
            applyDrive(simulation, scene.drive, strengthOf(scene.settings));
            simulation.step(DT);
          }
        };
        const cpu = createCpuSimulation(sceneOptions(scene, SETTINGS));
        play(cpu, STEPS_BEFORE);
        const checkpoint = cpu.checkpoint();
        play(cpu, 2 * STEPS);

        const open = (changes: Partial<SimulationOptions> = {}) =>
          createSimulation(tools.wrap(), sceneOptions(scene, { ...SETTINGS, ...changes }));
        const first = await open();
        first.restore(checkpoint);
        play(first, STEPS);
        const halfway = await first.checkpoint();
        play(first, STEPS);
        const expected = cpu.read();
        const got = await first.read();
        const worst = expected.positions.reduce(
          (most, along, index) => Math.max(most, Math.abs(along - (got.positions[index] as number))),
          0,
        );
        expect(got.ids).toEqual(expected.ids);
        expect(worst).toBeLessThan(APART);

        const second = await open();
        second.restore(halfway);
        // With variable radii, the naive broad phase adds sums over neighbours in another order.
        if (!scene.radii) second.set({ broadPhase: 'naive' });
        play(second, STEPS);
        const measures = await first.measure();
        expect(measures).toMatchObject({ count: 80, outside: 0, nonFinite: 0 });
        // Without contacts of particles with each other or with obstacles, this test would compare only free motion.
        expect(measures.contacts + measures.obstacleContacts).toBeGreaterThan(5);
        expect((await second.measure()).hash).toBe(measures.hash);
        first.destroy();
        second.destroy();
      },
      dimensions === 2 ? SHARED : SHARED_CASE,
    );
  }
});
