/** Builds grids of a scene's particles, and the inputs of these grids. */
import type { RadiusRange, WorldOptions } from '../core/world/world';
import { type CpuGrid, createGrid } from '../cpu/grid/grid';
import { type CpuLevelGrid, createCpuLevelGrid } from '../cpu/grid/level-grid';
import { HashGrid } from '../engine/grid/hash-grid';
import { createBuffers } from '../gpu/buffers';
import type { Gpu } from '../gpu/device';
import { toBodies, toStored } from '../gpu/layout';
import { type Scene, worldOptions } from '../scenes';

export type SceneGridOptions = WorldOptions & { readonly capacity: number } & (
    | { readonly diameter: number }
    | { readonly radii: RadiusRange }
  );

export function gridOptionsOf(scene: Scene): SceneGridOptions {
  const { count: capacity, radius, radiusRange } = scene;
  const size = radiusRange ? { radii: radiusRange } : { diameter: 2 * radius };
  return { ...worldOptions(scene), capacity, ...size };
}

/** Returns the particles in the layout that a grid on a device reads. */
export function particlesOf({ dimensions, positions, radii }: Scene): Float32Array<ArrayBuffer> {
  return radii ? toBodies(dimensions, positions, { radii }) : toStored(dimensions, positions);
}

export function pointsFor({ dimensions, radii }: Scene, points: Float32Array): Float32Array<ArrayBuffer> {
  if (!radii) return toStored(dimensions, points);
  return toBodies(dimensions, points, { radii: new Float32Array(points.length / dimensions) });
}

/** Returns the lengths of periodic axes, 0 for other axes. */
export function periodOf({ dimensions, periodic = false, min, max }: Scene): number[] {
  return Array.from({ length: dimensions }, (_, axis) => {
    const wraps = typeof periodic === 'boolean' ? periodic : periodic[axis];
    return wraps ? (max[axis] as number) - (min[axis] as number) : 0;
  });
}

/** Returns half the shortest period: `near` accepts no larger finite radius. Infinity if no axis is periodic. */
export function farthestSearch(scene: Scene): number {
  return Math.min(...periodOf(scene).map((length) => length || Number.POSITIVE_INFINITY)) / 2;
}

/** Records a build of the grid from these positions into a new encoder. */
export type BuildOn = (positions: Float32Array) => GPUCommandEncoder;

/** Creates a grid of the scene for `use` and destroys it afterwards. Submit each build before you record another. */
export async function withSceneGrid<Result>(
  gpu: Gpu,
  scene: Scene,
  use: (grid: HashGrid, build: BuildOn) => Promise<Result>,
): Promise<Result> {
  const grid = await HashGrid.create(gpu, gridOptionsOf(scene));
  try {
    const input = await createBuffers(gpu, 'verify.grid', { positions: particlesOf(scene).byteLength });
    try {
      const { positions: buffer } = input.buffers;
      return await use(grid, (positions) => {
        // Deno rejects empty writes.
        if (scene.count > 0) gpu.device.queue.writeBuffer(buffer, 0, particlesOf({ ...scene, positions }));
        const encoder = gpu.device.createCommandEncoder({ label: 'verify.grid' });
        grid.encode(encoder, { positions: buffer, count: scene.count });
        return encoder;
      });
    } finally {
      input.destroy();
    }
  } finally {
    grid.destroy();
  }
}

export function createFilled(scene: Scene): CpuGrid | CpuLevelGrid {
  const { count: capacity, positions, radii, radiusRange } = scene;
  const world = worldOptions(scene);
  if (radii && radiusRange) {
    const grid = createCpuLevelGrid({ ...world, radii: radiusRange, capacity });
    grid.build(positions, radii);
    return grid;
  }
  const grid = createGrid({ ...world, diameter: 2 * scene.radius, capacity });
  grid.build(positions);
  return grid;
}
