import type { SimulationOptions } from '../../../index';
import { createFluid, type FluidOptions } from '../../../methods/fluid';
import { planFluid } from '../../../methods/fluid/options';
import { Random } from '../../../scenes';
import { createFluidScene, MOST_CELLS_ALONG, movingBodies, PER_CELL } from '../../../scenes/fluid-scene';
import { gravityVector } from '../../model/choices';
import type { Choices } from '../../model/fields';
import type { Start } from '../../model/simulation-view';
import { formatCount } from '../../support/format';
import { CpuFluidSimulation, GpuFluidSimulation } from './fluid-simulation';

/** Width of the random offsets ÷ the distance between particles. Each particle stays in its own part of a cell. */
const SEEDED = 0.4;

/** Capacity per initial particle if there are emitters; enough for the fountain when its basin overflows. */
const ROOM = 1.5;

/** The page shows a note if the lattice allows less than this share of the chosen number of particles. */
const SHORT = 0.75;

export function startFluid(choices: Choices, count: number): Start {
  const { dimensions, boxWidth, seed, substeps, transfer, flipShare } = choices;
  const scene = createFluidScene(choices.scene, { dimensions, count, width: boxWidth });
  const { cells, cellSize, fill, solids, emitters, drains } = scene;
  const along = PER_CELL[dimensions] ** (1 / dimensions);
  const gravity = gravityVector(choices);
  const given: FluidOptions = {
    dimensions,
    cells,
    cellSize,
    fill,
    solids,
    gravity,
    transfer,
    blend: transfer === 'flip' ? flipShare : undefined,
    obstacles: movingBodies(scene, 0, 0),
    emitters,
    drains,
    substeps,
  };
  const { positions, velocities, min, max, lattice } = planFluid(given);
  const random = new Random(seed);
  const reach = (SEEDED * cellSize) / along;
  positions.forEach((coordinate, index) => {
    positions[index] = coordinate + reach * (random.nextBits() / 2 ** 32 - 0.5);
  });
  const options: SimulationOptions = {
    dimensions,
    radius: Math.fround(cellSize / along / 2),
    min,
    max,
    cellSize,
    positions,
    velocities,
    capacity: Math.round((emitters.length > 0 ? ROOM : 1) * (positions.length / dimensions)),
    gravity,
    substeps,
  };
  const fluidOptions = (capacity: number | undefined): FluidOptions => ({
    ...given,
    fill: [],
    positions,
    velocities,
    capacity: Math.max(1, capacity ?? 0),
  });
  const made = positions.length / dimensions;
  const isShort = made < SHORT * count && 2 * Math.max(...cells) > MOST_CELLS_ALONG;
  return {
    options,
    note: isShort
      ? `This tank takes ${formatCount(made)} particles, not ${formatCount(count)}: its lattice has at most ${formatCount(MOST_CELLS_ALONG)} cells along an axis. A narrower tank takes more.`
      : '',
    method: {
      method: 'fluid',
      choices,
      count,
      cells: dimensions * 2 * lattice.size,
      onGpu: async (gpu, held) => {
        const fluid = await createFluid(gpu, fluidOptions(held.capacity));
        return new GpuFluidSimulation(fluid, scene, held);
      },
      onCpu: async (held) => {
        const { createCpuFluid } = await import('../../../methods/fluid/cpu-fluid');
        return new CpuFluidSimulation(createCpuFluid(fluidOptions(held.capacity)), scene, held);
      },
    },
  };
}
