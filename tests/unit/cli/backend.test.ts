import { expect, it } from 'vitest';
import { CPU_BYTES_PER_PARTICLE } from '../../../src/cli/backend';
import { createCpuSimulation } from '../../../src/cpu';
import { createScene, sceneOptions } from '../../../src/scenes';

it('the expected bytes per particle are those of a CPU simulation', () => {
  for (const dimensions of [2, 3] as const) {
    const scene = createScene('uniform', { dimensions, count: 200_000 });
    const simulation = createCpuSimulation(sceneOptions(scene));
    expect(simulation.memoryBytes / scene.count / CPU_BYTES_PER_PARTICLE[dimensions]).toBeCloseTo(1, 1);
  }
});
