/** Random bounded worlds, and finite positions that are hard for 32-bit floats. */
import {
  type Dimensions,
  defineWorld,
  MAX_CELLS,
  type World,
  type WorldOptions,
} from '../../../src/core/world/world';
import { fc } from '../properties';

const { fround } = Math;

export interface Crowd {
  readonly world: World;
  readonly options: WorldOptions;
  readonly positions: Float32Array;
}

/** Worlds for arithmetic that only needs to know which axes are periodic. */
export const PLAIN_WORLDS = {
  2: defineWorld({ dimensions: 2, min: [0, 0], max: [8, 8] }, 1),
  3: defineWorld({ dimensions: 3, min: [0, 0, 0], max: [8, 8, 8] }, 1),
} as const;

/** The most cells of a world, few enough that the reference stays fast. */
const MOST_CELLS = 20_000;

function worldOf(dimensions: Dimensions): fc.Arbitrary<Omit<Crowd, 'positions'>> {
  const axes = { minLength: dimensions, maxLength: dimensions };
  return fc
    .record({
      diameter: fc.float({ min: fround(0.01), max: 30, noNaN: true }),
      min: fc.array(fc.oneof(fc.constant(0), fc.float({ min: -500, max: 500, noNaN: true })), axes),
      extents: fc.array(fc.double({ min: 1, max: dimensions === 2 ? 60 : 14, noNaN: true }), axes),
      enlarged: fc.oneof(fc.constant(1), fc.double({ min: 1, max: 3, noNaN: true })),
    })
    .map(({ diameter, min, extents, enlarged }) => {
      const low = min.map((value) => (Math.abs(value) < 2 ** -60 ? 0 : value));
      const max = extents.map((extent, axis) => (low[axis] as number) + (extent + 0.5) * diameter * enlarged);
      const options = { dimensions, min: low, max, cellSize: diameter * enlarged };
      return { options, world: defineWorld(options, diameter) };
    })
    .filter(({ world }) => world.cellCount <= Math.min(MOST_CELLS, MAX_CELLS));
}

function coordinateIn(world: World, axis: number): fc.Arbitrary<number> {
  const low = world.min[axis] as number;
  const high = world.max[axis] as number;
  const cells = world.cells[axis] as number;
  const border = fc
    .tuple(fc.integer({ min: 0, max: cells - 2 }), fc.integer({ min: -2, max: 2 }))
    .map(([cell, ulps]) => nudge(fround(low + cell * world.cellSize), ulps));
  return fc.oneof(
    { weight: 6, arbitrary: fc.double({ min: low, max: high, noNaN: true }).map(fround) },
    { weight: 3, arbitrary: border },
    { weight: 1, arbitrary: fc.constantFrom(low, high, 0, -0, low - 1, high + 1, -1e30, 3e38) },
    { weight: 1, arbitrary: fc.constantFrom(1e-40, -1e-40, nudge(low, 1), nudge(low, -1)) },
  );
}

function nudge(value: number, ulps: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  const bits = view.getInt32(0);
  if (bits === 0 || bits === -0x8000_0000 || ulps === 0) return value;
  view.setInt32(0, bits + (bits < 0 ? -ulps : ulps));
  const moved = view.getFloat32(0);
  return Number.isFinite(moved) ? moved : value;
}

/** About one particle of 14 coincides with an earlier one. */
export function crowds(dimensions: Dimensions, most: number): fc.Arbitrary<Crowd> {
  return worldOf(dimensions).chain(({ world, options }) => {
    const particle = fc.tuple(...world.min.map((_, axis) => coordinateIn(world, axis)));
    return fc.array(particle, { maxLength: most, size: 'max' }).map((particles) => {
      const repeated = particles.map((position, index) =>
        index % 7 === 6 ? (particles[index >> 1] as number[]) : position,
      );
      return { world, options, positions: Float32Array.from(repeated.flat()) };
    });
  });
}
