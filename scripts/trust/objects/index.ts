/** The package's public GPU objects. An object that is created again with an equal count gets equal inputs. */
import { BOX_CHUNKS, BOX_PAIRS, GRID, GRID_PARTICLES, GRIDS_BY_PART, RADIX_SORT } from './engine';
import { FLOCK, FLUID, LIFE, PBF } from './methods';
import type { PublicObject } from './object';
import { OTHER_SIMULATIONS, SIMULATION } from './simulations';

export { digestOf, type Held, type PublicObject } from './object';

export const OBJECTS: readonly PublicObject[] = [
  SIMULATION,
  GRID,
  BOX_PAIRS,
  BOX_CHUNKS,
  RADIX_SORT,
  GRID_PARTICLES,
  FLUID,
  FLOCK,
  LIFE,
  PBF,
];

export const ALL_OBJECTS: readonly PublicObject[] = [SIMULATION, ...OTHER_SIMULATIONS, ...OBJECTS.slice(1)];

export function objectsNamed(name: string): readonly PublicObject[] {
  return ALL_OBJECTS.filter((object) => object.name.includes(name));
}

/** Like objectsNamed, but with GRIDS_BY_PART in place of GRID, because GRID takes long to create. */
export function smallObjectsNamed(name: string): readonly PublicObject[] {
  const small = [...ALL_OBJECTS.filter((object) => object !== GRID), ...GRIDS_BY_PART];
  return small.filter((object) => object.name.includes(name));
}
