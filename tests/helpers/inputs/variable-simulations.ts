/** Dense, moving particles with variable radii. */
import { CROWD_HEADER } from '../../../src/core/base/constants';
import type { SimulationOptions } from '../../../src/core/simulation/simulation';
import type { Dimensions } from '../../../src/core/world/world';
import type { CellSort } from '../../../src/engine/grid/cell-sort';
import { Random } from '../../../src/scenes';
import type { GpuTools } from '../node-gpu';
import { readWords } from '../passes';
import type { WorldCase } from './variable-crowds';

export interface VariableRequest {
  readonly dimensions: Dimensions;
  readonly kind: WorldCase;
  readonly count: number;
  /** Largest radius divided by the smallest, a power of two. The largest is 1. */
  readonly ratio: number;
  readonly seed?: number;
  /** Volume of all particles divided by the volume of the box. */
  readonly density?: number;
}

export interface VariableOptions extends SimulationOptions {
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  readonly radii: Float32Array;
}

export async function countHeavy(tools: GpuTools, { sort }: { readonly sort: CellSort }): Promise<number> {
  const [, heavy = 0] = await readWords(tools, sort.heavy as GPUBuffer, CROWD_HEADER);
  return heavy;
}

/** Coordinates and velocities are multiples of 1 / UNITS. */
const UNITS = 1024;

export function variableOptions(request: VariableRequest, changes: SimulationChanges = {}): VariableOptions {
  const { dimensions, kind, count, ratio, seed = 1, density = 0.8 } = request;
  const random = new Random(seed);
  const radii = Float32Array.from({ length: count }, (_, index) =>
    index === 0 ? 1 : index === 1 ? 1 / ratio : Math.fround(ratio ** -(random.below(UNITS) / UNITS)),
  );
  const volumeOfOne = dimensions === 2 ? Math.PI : (4 / 3) * Math.PI;
  const volume = radii.reduce((sum, radius) => sum + volumeOfOne * radius ** dimensions, 0);
  // A periodic axis needs room for three cells as wide as the largest particle.
  const edge = Math.max(6.5, Math.ceil((volume / density) ** (1 / dimensions)));
  const positions = Float32Array.from(
    { length: dimensions * count },
    () => random.between(0, edge * UNITS) / UNITS,
  );
  const velocities = Float32Array.from(positions, () => random.between(-2 * UNITS, 2 * UNITS) / UNITS);
  const corners = {
    min: new Array<number>(dimensions).fill(0),
    max: new Array<number>(dimensions).fill(edge),
  };
  const periodic = kind === 'periodic' || [true, ...new Array<boolean>(dimensions - 1).fill(false)];
  const world =
    kind === 'unbounded' ? { unbounded: true } : kind === 'bounded' ? corners : { ...corners, periodic };
  const radiusRange = { smallest: 1 / ratio, largest: 1 };
  return { dimensions, ...world, radii, radiusRange, positions, velocities, ...changes };
}

type SimulationChanges = Omit<Partial<SimulationOptions>, 'positions' | 'velocities' | 'radii'>;
