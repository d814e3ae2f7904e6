import type { SimulationOptions } from '../../../src/core/simulation/simulation';
import type { Dimensions } from '../../../src/core/world/world';
import { createNoise } from '../../../src/testing/noise';
import { WORLD_CASES, type WorldCase } from './variable-crowds';

export { WORLD_CASES, type WorldCase };

export interface ShapedRequest {
  readonly dimensions: Dimensions;
  readonly kind: WorldCase;
  readonly count: number;
  readonly seed?: number;
  /** Makes positions and sizes multiples of 1/1024, so that the difference of any two of them is exact. */
  readonly dyadic?: boolean;
}

export interface ShapedOptions extends SimulationOptions {
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  readonly radii: Float32Array;
  readonly halfExtents: Float32Array;
}

/** One third of the particles are balls, the others boxes. Sizes range from 1/32 to 1; large ones are more frequent. */
export function shapedOptions(
  { dimensions, kind, count, seed = 1, dyadic = false }: ShapedRequest,
  changes: Omit<Partial<SimulationOptions>, 'positions' | 'velocities' | 'radii' | 'halfExtents'> = {},
): ShapedOptions {
  const noise = createNoise(seed);
  const round = (value: number) => (dyadic ? Math.ceil(value * 1024) / 1024 : value);
  // A periodic axis needs room for three cells as wide as the largest particle.
  const edge = Math.max(12, Math.ceil((count * (dimensions === 2 ? 3 : 8)) ** (1 / dimensions)));
  const size = () => round(1 / 32 ** (noise() ** 2));
  const radii = new Float32Array(count);
  const halfExtents = new Float32Array(dimensions * count);
  for (let body = 0; body < count; body++) {
    if (body % 3 === 0) radii[body] = size();
    else for (let axis = 0; axis < dimensions; axis++) halfExtents[dimensions * body + axis] = size();
  }
  const corner = (value: number) => new Array<number>(dimensions).fill(value);
  const wraps = corner(0).map(
    (_, axis) => kind === 'periodic' || (kind === 'periodic along some axes' && axis === 0),
  );
  const box = { min: corner(0), max: corner(edge), ...(wraps.includes(true) ? { periodic: wraps } : {}) };
  return {
    dimensions,
    ...(kind === 'unbounded' ? { unbounded: true } : box),
    radii,
    halfExtents,
    radiusRange: { smallest: 1 / 32, largest: 1.75 },
    positions: Float32Array.from({ length: dimensions * count }, () => round(edge * noise())),
    velocities: Float32Array.from(
      { length: dimensions * count },
      () => Math.floor(64 * (2 * noise() - 1)) / 16,
    ),
    ...changes,
  };
}
