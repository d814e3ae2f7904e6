/** Wraps HashGrid as three engines: bounded, unbounded, and with levels. */

import { HEAVY_ROW } from '../../../src/core/base/constants';
import { suggestCellSize } from '../../../src/core/world/cell-size';
import { MAX_CELLS_PER_AXIS } from '../../../src/core/world/world';
import { HashGrid, type HashGridOptions } from '../../../src/engine/grid/hash-grid';
import { createBuffers, createParts } from '../../../src/gpu/buffers';
import type { Gpu } from '../../../src/gpu/device';
import { FOLD_BYTES, type GpuEngine, type GpuRunner } from '../../harness/engine';
import type { BenchScene } from '../../harness/scenes';
import { FOLD_WGSL, floatsOf, pack } from './bodies';
import { workOfGrid } from './cell-work';
import { densityAround } from './crowding';
import kernelText from './grid.wgsl?raw';
import touchesAlways from './touches_always.wgsl?raw';
import touchesSized from './touches_sized.wgsl?raw';

/** If a box had more cells per body than this, and more than FEW_CELLS, the cells alone could fill the memory. */
const MOST_CELLS_PER_BODY = 64;

const FEW_CELLS = 2 ** 20;

/**
 * Returns a message if nearly all cells would be empty. Without a second argument, `chooseCells` chooses the cells. If
 * the second argument has no `cellSize`, cells are as wide as the largest diameter.
 */
export function refuseEmptiness(
  scene: BenchScene,
  { cellSize }: Pick<HashGridOptions, 'cellSize'> = chooseCells(scene),
): string | undefined {
  const edge = cellSize ?? 2 * scene.radius;
  const cells = scene.max.reduce(
    (product, high, axis) => product * ((high - (scene.min[axis] as number)) / edge),
    1,
  );
  if (cells <= Math.max(FEW_CELLS, MOST_CELLS_PER_BODY * scene.count)) return undefined;
  const size = Number((edge / (2 * scene.radius)).toPrecision(2));
  return `The box has ${cells.toPrecision(2)} cells of ${size === 1 ? 'the largest diameter' : `${size} diameters`} for ${scene.count} bodies. Each cell takes eight bytes and is scanned in each build, so a box of more than 2^20 cells may have at most ${MOST_CELLS_PER_BODY} per body.`;
}

/** Returns cells as wide as the largest diameter, or wider if most would be empty or an axis would have too many. */
export function chooseCells(scene: BenchScene): Pick<HashGridOptions, 'cellSize' | 'crowds'> {
  const { dimensions, radius, min, max } = scene;
  const density = densityAround(scene);
  const suggested = suggestCellSize(radius, { dimensions, density }).cellSize;
  const longest = Math.max(...max.map((high, axis) => high - (min[axis] as number)));
  const cellSize = Math.max(suggested, longest / (MAX_CELLS_PER_AXIS / 2));
  // If the three cells of a row hold more than HEAVY_ROW bodies on average, `crowds` gives a workgroup to each body.
  const crowds = 3 * density * cellSize ** dimensions > HEAVY_ROW;
  return { cellSize, crowds };
}

async function openGrid(
  scene: BenchScene,
  gpu: Gpu,
  name: string,
  options: Partial<HashGridOptions>,
): Promise<GpuRunner> {
  const { dimensions, count, radius } = scene;
  // A grid with levels stores each radius with its body. Kernels of the other grids read the radius by id.
  const hasLevels = options.radii !== undefined;
  const radii = hasLevels ? (scene.radii ?? new Float32Array(count).fill(radius)) : undefined;
  const radiiById = hasLevels ? undefined : scene.radii;
  const { grid, owned } = await createParts({
    grid: HashGrid.create(gpu, { dimensions, capacity: count, ...options }),
    owned: createBuffers(gpu, `bench.${name}`, {
      positions: 4 * floatsOf({ dimensions, radii }) * count,
      counters: FOLD_BYTES,
      radii: radiiById ? 4 * count : 0,
    }),
  });
  const { positions, counters } = owned.buffers;
  if (radiiById) gpu.device.queue.writeBuffer(owned.buffers.radii, 0, new Float32Array(radiiById));
  const destroy = () => {
    grid.destroy();
    owned.destroy();
  };
  const kernel = await grid
    .kernel({
      code: [FOLD_WGSL, radiiById ? touchesSized : touchesAlways, kernelText].join('\n'),
      label: name,
      buffers: {
        counters: { type: 'array<atomic<u32>>', access: 'write' },
        ...(radiiById ? { radii: { type: 'array<f32>', access: 'read' } } : {}),
      },
    })
    .catch((error: unknown) => {
      destroy();
      throw error;
    });
  const buffers = { counters, ...(radiiById ? { radii: owned.buffers.radii } : {}) };
  return {
    bodies: positions,
    place: (given) => gpu.device.queue.writeBuffer(positions, 0, pack({ dimensions, radii }, given)),
    encodeBuild: (encoder) => grid.encode(encoder, { positions, count }),
    encodeQuery: (encoder) => kernel.encode(encoder, { buffers }),
    counters,
    countWork: (given) => workOfGrid(grid.world, given, radii),
    memoryBytes: grid.memoryBytes + owned.bytes,
    destroy,
  };
}

export const GPU_GRID: GpuEngine = {
  name: 'gpu-grid',
  backend: 'gpu',
  about:
    'HashGrid in a box: counting sort into cells of the size that `suggestCellSize` suggests, and a neighbour kernel; with `crowds` if the cell of a body holds more than 128 bodies on average.',
  refuse: (scene) => refuseEmptiness(scene),
  open: (scene, gpu) =>
    openGrid(scene, gpu, 'grid', {
      min: scene.min,
      max: scene.max,
      diameter: 2 * scene.radius,
      ...chooseCells(scene),
    }),
};

export const GPU_HASHED: GpuEngine = {
  name: 'gpu-hashed',
  backend: 'gpu',
  about:
    'HashGrid with `unbounded`: hashed cells whose edge is the diameter, rounded up to a power of two, in a table with one to two buckets per body.',
  open: (scene, gpu) => openGrid(scene, gpu, 'hashed', { unbounded: true, diameter: 2 * scene.radius }),
};

export const GPU_LEVELS: GpuEngine = {
  name: 'gpu-levels',
  backend: 'gpu',
  about: 'HashGrid with `radii`: one level of cells per octave of radii, in a box.',
  refuse: (scene) => refuseEmptiness(scene, {}),
  open: (scene, gpu) =>
    openGrid(scene, gpu, 'levels', {
      min: scene.min,
      max: scene.max,
      radii: { smallest: scene.smallestRadius, largest: scene.radius },
    }),
};
