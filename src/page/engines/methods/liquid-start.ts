/**
 * Purpose: a liquid scene as it is chosen, ready to start on either engine. Loaded when such a scene is chosen.
 */
import type { SimulationOptions } from '../../../core/simulation/simulation';
import { createFluid, type FluidOptions } from '../../../methods/fluid';
import { planFluid } from '../../../methods/fluid/options';
import { Random } from '../../../scenes';
import { gravityVector } from '../../model/choices';
import type { Choices } from '../../model/fields';
import { formatCount } from '../../support/format';
import { CpuLiquidBody, GpuLiquidBody } from './liquid-body';
import { liquidScene, MOST_CELLS_ALONG, movingAt, PER_CELL } from './liquid-scenes';
import type { Start } from './start';

/** By how much a seed moves a particle, in shares of how far particles are apart: it stays in its part of a cell. */
const SEEDED = 0.4;

/** Where liquid comes in, room for particles in shares of those at first: a pool that runs over keeps below that. */
const ROOM = 1.5;

/** Of a tank as long as its lattice may be, what particles are fewer than this share of those asked for is said. */
const SHORT = 0.75;

export function startLiquid(choices: Choices, count: number): Start {
  const { dimensions, boxWidth, seed, substeps, transfer, flipShare } = choices;
  const scene = liquidScene(choices.scene, { dimensions, count, width: boxWidth });
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
    obstacles: movingAt(scene, 0, 0),
    emitters,
    drains,
    substeps,
  };
  const { positions, velocities, min, max, lattice } = planFluid(given);
  const random = new Random(seed);
  const reach = (SEEDED * cellSize) / along;
  positions.forEach((at, index) => {
    positions[index] = at + reach * (random.nextBits() / 2 ** 32 - 0.5);
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
      ? `This tank takes ${formatCount(made)} particles, not ${formatCount(count)}: its lattice has at most ${formatCount(MOST_CELLS_ALONG)} cells along an axis. A narrower one takes more.`
      : '',
    method: {
      method: 'liquid',
      cells: dimensions * 2 * lattice.size,
      onGpu: async (gpu, held) => {
        const fluid = await createFluid(gpu, fluidOptions(held.capacity));
        return new GpuLiquidBody(fluid, scene, held);
      },
      onCpu: async (held) => {
        // Loaded only when needed.
        const { createCpuFluid } = await import('../../../methods/fluid/cpu-fluid');
        return new CpuLiquidBody(createCpuFluid(fluidOptions(held.capacity)), scene, held);
      },
    },
  };
}
