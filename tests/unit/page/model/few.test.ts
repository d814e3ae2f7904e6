import { describe, expect, it } from 'vitest';
import { createCpuSimulation } from '../../../../src/cpu';
import { startFrom } from '../../../../src/page/engines/methods/start';
import { chooseScene, defaultChoices, roomFor } from '../../../../src/page/model/choices';
import { FEWEST_PARTICLES, refusalOf } from '../../../../src/page/model/fields';
import { SCENES } from '../../../../src/scenes';

const STEP = 1 / 60;

describe.each(SCENES.map(({ name }) => name))('a few particles of the scene %s', (scene) => {
  it.each([2, 3] as const)('have finite positions after three steps (%iD)', async (dimensions) => {
    expect(refusalOf('count', FEWEST_PARTICLES)).toBeUndefined();
    expect(refusalOf('count', FEWEST_PARTICLES - 1)).toMatch(/from 2 to/);
    for (const count of [2, 3, 5, 10]) {
      const choices = chooseScene({ ...defaultChoices(), dimensions, count }, scene);
      const { options, method, drive } = await startFrom(choices, count);
      const room = { ...options, ...roomFor(choices, options) };
      const body = method ? await method.onCpu(room) : createCpuSimulation(room);
      // A fluid fills whole cells, each with several particles.
      if (method?.method !== 'fluid') expect(body.count).toBe(count);
      expect(body.count).toBeGreaterThan(0);
      drive?.(0);
      for (let step = 0; step < 3; step++) body.step(STEP);
      const { hash } = await body.measure();
      expect(hash).toMatch(/^[0-9a-f]{16}$/);
      const { positions } = await body.read();
      expect(positions.every(Number.isFinite)).toBe(true);
      body.destroy();
    }
  });
});
