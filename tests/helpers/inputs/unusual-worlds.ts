/** Positions that are hardest for 32-bit floats: on and beside borders, outside the box, and of every magnitude. */
import { wrapOnce } from '../../../src/core/world/cells';
import { type Dimensions, defineWorld, type World, type WorldOptions } from '../../../src/core/world/world';
import { fc } from '../properties';

const { fround } = Math;

export function optionsOf({ kind, dimensions, min, max, period, cellSize }: World): WorldOptions {
  if (kind === 'unbounded') return { dimensions, unbounded: true, cellSize };
  return { dimensions, min, max, periodic: period.map((length) => length > 0) };
}

function nudge(value: number, ulps: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  const bits = view.getInt32(0);
  if (ulps === 0 || (bits & 0x7fff_ffff) === 0) return value;
  view.setInt32(0, bits + (bits < 0 ? -ulps : ulps));
  return view.getFloat32(0);
}

/** Any box of 3 to 9 cells per axis. Some or all axes are periodic. */
function periodicWorlds(dimensions: Dimensions): fc.Arbitrary<World> {
  const axes = { minLength: dimensions, maxLength: dimensions };
  return fc
    .record({
      diameter: fc.oneof(fc.constant(1), fc.float({ min: fround(0.01), max: 30, noNaN: true })),
      min: fc.array(fc.oneof(fc.constant(0), fc.float({ min: -500, max: 500, noNaN: true })), axes),
      cells: fc.array(
        fc.oneof(fc.integer({ min: 4, max: 9 }), fc.double({ min: 3.1, max: 9, noNaN: true })),
        axes,
      ),
      periodic: fc.array(fc.boolean(), axes),
    })
    .map(({ diameter, min, cells, periodic }) => {
      const low = min.map((value) => (Math.abs(value) < 2 ** -60 ? 0 : fround(value)));
      const max = cells.map((count, axis) => (low[axis] as number) + count * diameter * (1 + 2 ** -12));
      const along = periodic.includes(true) ? periodic : [true, ...periodic.slice(1)];
      return defineWorld({ dimensions, min: low, max, periodic: along }, diameter);
    });
}

/** Returns coordinates in the box and up to its length outside it. Many are at most two ulps from a border. */
function coordinates(world: World, axis: number): fc.Arbitrary<number> {
  const low = world.min[axis] as number;
  const length = world.period[axis] || (world.max[axis] as number) - low;
  const border = fc
    .tuple(fc.integer({ min: 0, max: world.cells[axis] as number }), fc.integer({ min: -2, max: 2 }))
    .map(([cell, ulps]) => nudge(fround(low + cell * world.cellSize), ulps));
  const end = fc
    .tuple(fc.constantFrom(low, low + length), fc.integer({ min: -2, max: 2 }))
    .map(([value, ulps]) => nudge(fround(value), ulps));
  return fc.oneof(
    { weight: 5, arbitrary: fc.double({ min: low, max: low + length, noNaN: true }).map(fround) },
    { weight: 2, arbitrary: border },
    { weight: 2, arbitrary: end },
    {
      weight: 1,
      arbitrary: fc.double({ min: low - length, max: low + 2 * length, noNaN: true }).map(fround),
    },
    { weight: 1, arbitrary: low === 0 ? fc.constantFrom(0, -0, 1e-40, -1e-40) : fc.constant(low) },
  );
}

/** Returns coordinates near the origin and near the diameter times powers of two, up to the limit of 32-bit floats. */
function farCoordinates(diameter: number): fc.Arbitrary<number> {
  const centre = fc
    .tuple(fc.integer({ min: -40, max: 100 }), fc.constantFrom(1, -1))
    .map(([exponent, sign]) => sign * 2 ** exponent * diameter)
    .filter((coordinate) => Number.isFinite(fround(coordinate)));
  const near = fc
    .tuple(centre, fc.double({ min: -2, max: 2, noNaN: true }))
    .map(([coordinate, offset]) => fround(coordinate + offset * diameter))
    .filter(Number.isFinite);
  return fc.oneof(
    { weight: 4, arbitrary: fc.double({ min: -4 * diameter, max: 4 * diameter, noNaN: true }).map(fround) },
    { weight: 3, arbitrary: near },
    {
      weight: 1,
      arbitrary: fc
        .tuple(centre, fc.integer({ min: -2, max: 2 }))
        .map(([coordinate, ulps]) => nudge(fround(coordinate), ulps)),
    },
    { weight: 1, arbitrary: fc.constantFrom(0, -0, 1e-40, -1e-40, 3.4e38, -3.4e38, 1e30, -1e30) },
  );
}

export interface UnusualCrowd {
  readonly world: World;
  readonly positions: Float32Array;
}

function crowdsIn(world: World, coordinateOf: (axis: number) => fc.Arbitrary<number>, most: number) {
  const particle = fc.tuple(...world.cells.map((_, axis) => coordinateOf(axis)));
  return fc.array(particle, { maxLength: most, size: 'max' }).map((particles): UnusualCrowd => {
    // Every sixth particle differs from another one only along x, so that there are pairs.
    const positions = particles.map((position, index) => {
      const other = particles[index >> 1] as number[];
      return index % 3 === 2
        ? position.map((value, axis) => (axis === 0 ? value : (other[axis] as number)))
        : position;
    });
    return { world, positions: Float32Array.from(positions.flat()) };
  });
}

export const unusualCrowds: Readonly<
  Record<string, (dimensions: Dimensions, most: number) => fc.Arbitrary<UnusualCrowd>>
> = {
  periodic: (dimensions, most) =>
    periodicWorlds(dimensions).chain((world) => crowdsIn(world, (axis) => coordinates(world, axis), most)),
  unbounded: (dimensions, most) =>
    fc.constantFrom(1, 0.75, 1.01, 3e-9, 2 ** 59).chain((diameter) => {
      const world = defineWorld({ dimensions, unbounded: true }, diameter, most);
      return crowdsIn(world, () => farCoordinates(diameter), most);
    }),
};

/** Returns the positions that a grid stores. */
export function stored({ world, positions }: UnusualCrowd): Float32Array {
  return positions.map((value, index) => wrapOnce(world, value, index % world.dimensions));
}
