/** Checks that pairs do not depend on the cell size: 1.5 or 4 diameters, or what suggestCellSize returns. */
import { suggestCellSize } from '../core/world/cell-size';
import { FEWEST_PERIODIC_CELLS } from '../core/world/world';
import type { Gpu } from '../gpu/device';
import type { Scene } from '../scenes';
import { differenceOfPairs, exactPairs } from './exact';
import { createFilled, periodOf, withSceneGrid } from './grids';
import { differenceOfList } from './lists';

/** The most particles: in 3D, cells 4 diameters wide give 4³ times as many candidates as cells one diameter wide. */
export const MOST_RESIZED = 4096;

const DIAMETERS = [1.5, 4] as const;

export async function checkCellSizes(
  gpu: Gpu | undefined,
  scene: Scene,
): Promise<{ pass: boolean; detail: string }> {
  const expected = exactPairs(scene);
  const sizes = sizesFor(scene, gpu ? 'gpu' : 'cpu');
  for (const cellSize of sizes) {
    const changed = { ...scene, cellSize };
    const difference = gpu
      ? await differenceOnGpu(gpu, changed)
      : differenceOfPairs(createFilled(changed).findPairs(), expected);
    if (difference) return { pass: false, detail: `with cells of ${cellSize}, ${difference}` };
  }
  const shown = sizes.map((size) => Number(size.toPrecision(4)));
  return { pass: true, detail: `${expected.count} pairs with cells of ${shown.join(', ')}` };
}

async function differenceOnGpu(gpu: Gpu, scene: Scene): Promise<string | undefined> {
  const expected = exactPairs(scene);
  return withSceneGrid(gpu, scene, async (grid, build) => {
    const list = await grid.pairs({ capacity: expected.count + 2 });
    const encoder = build(scene.positions);
    list.encode(encoder);
    gpu.device.queue.submit([encoder.finish()]);
    return differenceOfList(gpu, list, expected);
  });
}

/** Returns cell sizes that are not too large for a periodic world. */
function sizesFor(scene: Scene, engine: 'cpu' | 'gpu'): number[] {
  const { dimensions, count, radius, min, max, world } = scene;
  const room = min.reduce((product, low, axis) => product * ((max[axis] as number) - low), 1);
  const density = count > 0 && room > 0 ? count / room : undefined;
  const unbounded = world === 'unbounded';
  const { cellSize: suggested } = suggestCellSize(radius, { dimensions, density, engine, unbounded });
  const shortest = Math.min(...periodOf(scene).map((length) => length || Number.POSITIVE_INFINITY));
  return [...DIAMETERS.map((diameters) => diameters * 2 * radius), suggested].filter(
    (size) => FEWEST_PERIODIC_CELLS * size <= shortest,
  );
}
