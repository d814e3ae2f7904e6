import { createLife, type LifeOptions } from '../../../methods/flock';
import { attractionTable, createLifeScene } from '../../../scenes/method-scene';
import type { Choices } from '../../model/fields';
import type { Start } from '../../model/simulation-view';
import { CpuLifeSimulation, GpuLifeSimulation } from './life-simulation';

export function startLife(choices: Choices, count: number): Start {
  const { scene: name, dimensions, boxWidth, seed, kinds, attraction, tableSeed } = choices;
  const { strength, halfLife, core } = choices;
  const scene = createLifeScene(name, { dimensions, count, width: boxWidth, seed, kinds });
  const { radius, ...options } = scene;
  const { min, max, periodic, reach: cellSize, positions } = scene;
  const table = { attraction, tableSeed };
  const sized = (capacity: number | undefined): LifeOptions => ({
    ...options,
    ...{ capacity, strength, halfLife, core },
    attraction: attractionTable(attraction, kinds, tableSeed),
  });
  return {
    options: { dimensions, radius, min, max, periodic, cellSize, positions },
    method: {
      method: 'life',
      choices,
      count,
      cells: 0,
      onGpu: async (gpu, { capacity }) =>
        new GpuLifeSimulation(gpu.device, await createLife(gpu, sized(capacity)), radius, table),
      onCpu: async ({ capacity }) => {
        const { createCpuLife } = await import('../../../methods/flock/cpu-life');
        return new CpuLifeSimulation(createCpuLife(sized(capacity)), radius, table);
      },
    },
  };
}
