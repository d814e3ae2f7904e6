/** Changes a generated scene: the sizes of its particles and cells, its world, and options of the engine. */
import type { Scene } from './scene';

/** Properties that are left out change nothing. */
export interface SceneChanges {
  /** Edge of a cell in diameters of the smallest particle allowed, at least 1. */
  readonly cellSize?: number | undefined;
  /** True for each axis along which the world wraps around. Has no effect in an unbounded world. */
  readonly periodic?: readonly boolean[] | undefined;
  readonly unbounded?: boolean | undefined;
  /** True to split the work on crowded cells. Must not be false if radii vary. */
  readonly crowds?: boolean | undefined;
  readonly continuous?: boolean | undefined;
}

export function changeScene(scene: Scene, changes: SceneChanges): Scene {
  const { unbounded = scene.world === 'unbounded', periodic = scene.periodic, cellSize } = changes;
  const wraps = Array.isArray(periodic) ? periodic.includes(true) : periodic === true;
  return {
    ...scene,
    world: unbounded ? 'unbounded' : wraps ? 'periodic' : 'bounded',
    periodic,
    cellSize: cellSize === undefined ? scene.cellSize : cellSize * smallestDiameter(scene),
    crowds: changes.crowds ?? scene.crowds,
    continuous: changes.continuous ?? scene.continuous,
  };
}

/** Returns the diameter of the smallest particle that the scene allows: the unit of cell sizes. */
export function smallestDiameter({ radius, radiusRange }: Pick<Scene, 'radius' | 'radiusRange'>): number {
  return 2 * (radiusRange?.smallest ?? radius);
}

/**
 * Multiplies the radii and half extents of all particles by `factor`. A factor above 1 also scales the cell size, if
 * the scene has one. Positions and the box do not change. Obstacles that have their own sizes keep them.
 */
export function scaleScene(scene: Scene, factor: number): Scene {
  const { radius, radii, radiusRange, halfExtents, cellSize } = scene;
  return {
    ...scene,
    radius: Math.fround(radius * factor),
    radii: radii?.map((one) => one * factor),
    radiusRange: radiusRange && {
      smallest: Math.fround(radiusRange.smallest * factor),
      largest: Math.fround(radiusRange.largest * factor),
    },
    halfExtents: halfExtents?.map((half) => half * factor),
    cellSize: cellSize && cellSize * Math.max(1, factor),
  };
}
