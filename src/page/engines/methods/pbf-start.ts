import { createPositionFluid, type PositionFluidOptions } from '../../../methods/pbf';
import { createPositionFluidScene } from '../../../scenes/method-scene';
import { gravityVector } from '../../model/choices';
import type { Choices } from '../../model/fields';
import type { Start } from '../../model/simulation-view';
import { CpuPositionFluidSimulation, GpuPositionFluidSimulation } from './pbf-simulation';

export function startPositionFluid(choices: Choices, count: number): Start {
  const { scene: name, dimensions, boxWidth, seed, substeps } = choices;
  const { iterations, viscosity, vorticity, tension, pressure, softness } = choices;
  const scene = createPositionFluidScene(name, { dimensions, count, width: boxWidth, seed });
  const { min, max, reach, positions, obstacles, radius } = scene;
  const gravity = gravityVector(choices);
  const sized = (capacity: number | undefined): PositionFluidOptions => ({
    ...{ dimensions, min, max, radius: reach, positions, obstacles, gravity, capacity },
    ...{ iterations, viscosity, vorticity, tension, pressure, softness },
  });
  return {
    options: { dimensions, radius, min, max, cellSize: reach, positions, gravity, substeps },
    method: {
      method: 'pbf',
      choices,
      count,
      cells: 0,
      onGpu: async (gpu, { capacity }) =>
        new GpuPositionFluidSimulation(
          gpu.device,
          await createPositionFluid(gpu, sized(capacity)),
          scene,
          substeps,
        ),
      onCpu: async ({ capacity }) => {
        const { createCpuPositionFluid } = await import('../../../methods/pbf/cpu-fluid');
        return new CpuPositionFluidSimulation(createCpuPositionFluid(sized(capacity)), scene, substeps);
      },
    },
  };
}
