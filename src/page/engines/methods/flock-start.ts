import { createFlock, type FlockOptions } from '../../../methods/flock';
import { createFlockScene } from '../../../scenes/method-scene';
import type { Choices } from '../../model/fields';
import type { Start } from '../../model/simulation-view';
import { CpuFlockSimulation, GpuFlockSimulation } from './flock-simulation';

export function startFlock(choices: Choices, count: number): Start {
  const { scene: name, dimensions, boxWidth, seed } = choices;
  const scene = createFlockScene(name, { dimensions, count, width: boxWidth, seed });
  const { radius, hunterRadius: _drawn, ...options } = scene;
  const { min, max, periodic, perception: cellSize, positions, velocities } = scene;
  const sized = (capacity: number | undefined): FlockOptions => ({ ...options, capacity });
  return {
    options: { dimensions, radius, min, max, periodic, cellSize, positions, velocities },
    method: {
      method: 'flock',
      choices,
      count,
      cells: 0,
      onGpu: async (gpu, { capacity }) =>
        new GpuFlockSimulation(gpu.device, await createFlock(gpu, sized(capacity)), scene),
      onCpu: async ({ capacity }) => {
        const { createCpuFlock } = await import('../../../methods/flock/cpu-flock');
        return new CpuFlockSimulation(createCpuFlock(sized(capacity)), scene);
      },
    },
  };
}
