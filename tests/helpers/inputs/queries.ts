/**
 * Positions that are hard for a wide search: on borders of cells, coincident, outside the box, or in distant blocks of
 * the hashed table. All are multiples of 1/64, so that distances of near points are exact and often equal.
 */
import { type Dimensions, defineWorld, type World, type WorldOptions } from '../../../src/core/world/world';
import { HashGrid } from '../../../src/engine/grid/hash-grid';
import { toBodies } from '../../../src/gpu/layout';
import { createNoise } from '../../../src/testing/noise';
import type { GpuTools } from '../node-gpu';
import { uploadVectors } from '../passes';

export interface AskedWorld {
  readonly options: WorldOptions;
  /** Search radii of more than one cell. Some equal half the period, the largest that a periodic world allows. */
  readonly radii: readonly number[];
}

export const ASKED_DIAMETER = 1;

export const ASKED_SIZES = ['one size', 'many sizes'] as const;
export type AskedSizes = (typeof ASKED_SIZES)[number];

/** The radii of 'many sizes'. With a wider range, a search among so few particles would test all and visit no cells. */
const RADII = { smallest: ASKED_DIAMETER / 16, largest: ASKED_DIAMETER / 2 };

export function createAskedGrid(
  tools: GpuTools,
  options: WorldOptions,
  capacity: number,
  sizes: AskedSizes,
): Promise<HashGrid> {
  const size = sizes === 'one size' ? { diameter: ASKED_DIAMETER } : { radii: RADII };
  return HashGrid.create(tools.wrap(), { ...options, ...size, capacity });
}

/** Uploads positions. For 'many sizes' it adds radii; every sixteenth of these is 0. */
export function uploadPacked(
  tools: GpuTools,
  dimensions: Dimensions,
  label: string,
  packed: Float32Array,
  sizes: AskedSizes,
): GPUBuffer {
  if (sizes === 'one size') return uploadVectors(tools, dimensions, label, packed);
  const noise = createNoise(64);
  const radii = Float32Array.from({ length: packed.length / dimensions }, (_, index) =>
    index % 16 === 0 ? 0 : RADII.smallest * (RADII.largest / RADII.smallest) ** noise(),
  );
  return tools.upload(label, toBodies(dimensions, packed, { radii }));
}

export function askedWorlds(dimensions: Dimensions): Readonly<Record<string, AskedWorld>> {
  const box = (low: number, high: number) => ({
    dimensions,
    min: new Array<number>(dimensions).fill(low),
    max: new Array<number>(dimensions).fill(high),
  });
  return {
    bounded: { options: box(0, 8), radii: [1.25, 2, 2.015625, 3.75, 30] },
    'bounded, of two cells': { options: box(0, 1.5), radii: [1.25, 3] },
    'bounded, with corners that are not dyadic': {
      options: { ...box(-3.3, 4.9), cellSize: 1.1 },
      radii: [1.2, 2.25, 4.5],
    },
    periodic: { options: { ...box(0, 8), periodic: true }, radii: [1.5, 2, 3.5, 3.984375, 4] },
    'periodic, with a wide last cell': {
      options: { ...box(-3, 2.5), periodic: true },
      radii: [1.25, 1.75, 2, 2.5, 2.75],
    },
    'periodic, of three cells': { options: { ...box(0, 3), periodic: true }, radii: [1.25, 1.5] },
    'periodic along x': {
      options: { ...box(0, 7), periodic: [true, false, false].slice(0, dimensions) },
      radii: [1.5, 3.5],
    },
    'periodic except along x': {
      options: { ...box(0, 7), periodic: [false, true, true].slice(0, dimensions) },
      radii: [1.5, 3.5],
    },
    unbounded: { options: { dimensions, unbounded: true }, radii: [1.5, 2, 3.75, 30, 2 ** 30] },
  };
}

export interface AskedCrowd {
  readonly world: World;
  /** `positions` has `dimensions` numbers per particle, `points` as many per point. Some are not finite. */
  readonly positions: Float32Array;
  readonly points: Float32Array;
}

/** Returns particles, and points to search around. The first points coincide with particles. */
export function askedCrowd(options: WorldOptions, particles: number, points: number): AskedCrowd {
  const { dimensions } = options;
  const world = defineWorld(options, ASKED_DIAMETER, particles);
  const noise = createNoise(particles + dimensions);
  const coordinate = (axis: number) => {
    if (world.kind === 'unbounded') {
      // Points near the origin, near borders of blocks of 32 cells, and around 2²⁰, where floats are 1/8 apart.
      const centre = [0, 0, 0, 31, -33, 2 ** 20][Math.floor(6 * noise())] as number;
      return centre + Math.round(8 * 6 * (noise() - 0.5)) / 8;
    }
    const low = Math.round(world.min[axis] as number);
    const length = Math.round(64 * ((world.max[axis] as number) - low)) / 64;
    const isOutside = noise() < 0.15;
    const share = isOutside ? 3 * noise() - 1 : noise();
    const coordinate = low + Math.floor(64 * length * share) / 64;
    return noise() < 0.2 ? Math.round(coordinate) : coordinate;
  };
  const scatter = (count: number) => {
    return Float32Array.from({ length: dimensions * count }, (_, index) => coordinate(index % dimensions));
  };
  const positions = scatter(particles);
  const asked = scatter(points);
  asked.set(positions.subarray(0, dimensions * Math.floor(points / 3)));
  positions.copyWithin(dimensions * 20, dimensions * 10, dimensions * 15);
  positions[dimensions * 3 + 1] = Number.NaN;
  asked[dimensions * 5] = Number.POSITIVE_INFINITY;
  return { world, positions, points: asked };
}
