/**
 * Purpose: grids over the particles of a scene, for what is asked of them: of one diameter, or of the radii that a scene
 * has. Inputs: a scene. Outputs: what a grid is created with, and particles and places as it takes them.
 */
import type { RadiusRange, WorldOptions } from '../core/world';
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

/** The scene's particles. */
export function particlesOf({ dimensions, positions, radii }: Scene): Float32Array<ArrayBuffer> {
  return radii ? toBodies(dimensions, positions, { radii }) : toStored(dimensions, positions);
}

/** Packed places that are no particles, laid out as those of particles are. */
export function placesFor({ dimensions, radii }: Scene, places: Float32Array): Float32Array<ArrayBuffer> {
  if (!radii) return toStored(dimensions, places);
  return toBodies(dimensions, places, { radii: new Float32Array(places.length / dimensions) });
}
