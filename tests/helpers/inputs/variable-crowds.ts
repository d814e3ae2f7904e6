/** Makes the hardest sizes and positions for floats: at limits of levels, at borders of cells, and almost touching. */
import { defineLevels } from '../../../src/core/world/level-world';
import type { Dimensions, RadiusRange, World, WorldOptions } from '../../../src/core/world/world';
import { fc } from '../properties';

const { fround } = Math;

export interface VariableWorld {
  readonly options: WorldOptions;
  readonly radii: RadiusRange;
  readonly world: World;
}

export interface VariableCrowd extends VariableWorld {
  readonly positions: Float32Array;
  readonly radiusOf: Float32Array;
}

export const WORLD_CASES = ['bounded', 'periodic', 'periodic along some axes', 'unbounded'] as const;

export type WorldCase = (typeof WORLD_CASES)[number];

function nudge(value: number, steps: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  const bits = view.getInt32(0);
  if (steps === 0 || (bits & 0x7fff_ffff) === 0) return fround(value);
  view.setInt32(0, bits + (bits < 0 ? -steps : steps));
  return view.getFloat32(0);
}

export function variableWorlds(
  kind: WorldCase,
  dimensions: Dimensions,
  capacity: number,
): fc.Arbitrary<VariableWorld> {
  const axes = { minLength: dimensions, maxLength: dimensions };
  return fc
    .record({
      smallest: fc.constantFrom(1, 0.5, 0.75, fround(0.013), 3e-7),
      ratio: fc.constantFrom(1, 1.5, 4, 50, 64, 1000),
      min: fc.array(fc.oneof(fc.constant(0), fc.double({ min: -9, max: 9, noNaN: true })), axes),
      cells: fc.array(
        fc.oneof(fc.integer({ min: 4, max: 6 }), fc.double({ min: 3.1, max: 7, noNaN: true })),
        axes,
      ),
      periodic: fc.array(fc.boolean(), axes),
    })
    .map(({ smallest, ratio, min, cells, periodic }) => {
      const radii = { smallest, largest: smallest * ratio };
      const widest = 2 ** Math.ceil(Math.log2(fround(2 * smallest)) + Math.ceil(Math.log2(ratio)));
      const low = min.map((value) => (Math.abs(value) < 1e-3 ? 0 : fround(value * widest)));
      const box = {
        min: low,
        max: low.map((value, axis) => value + (cells[axis] as number) * widest * 1.001),
      };
      const wraps = kind === 'periodic' ? true : [true, ...periodic.slice(1)];
      const options: WorldOptions =
        kind === 'unbounded'
          ? { dimensions, unbounded: true }
          : { dimensions, ...box, ...(kind === 'bounded' ? {} : { periodic: wraps }) };
      return { options, radii, world: defineLevels(options, radii, capacity) };
    });
}

function coordinates({ world, radii }: VariableWorld, axis: number): fc.Arbitrary<number> {
  const isBox = world.kind !== 'unbounded';
  const low = isBox ? (world.min[axis] as number) : -4 * radii.largest;
  const high = isBox ? (world.max[axis] as number) : 4 * radii.largest;
  const border = fc
    .tuple(
      fc.integer({ min: -2, max: 9 }),
      fc.integer({ min: 0, max: world.levels - 1 }),
      fc.integer({ min: -2, max: 2 }),
    )
    .map(([cell, level, steps]) =>
      nudge(fround((isBox ? low : 0) + cell * world.baseDiameter * 2 ** level), steps),
    )
    .filter((coordinate) => isWelcome(world, coordinate, axis));
  const far =
    world.kind === 'periodic' && (world.period[axis] as number) > 0
      ? fc.constant(low)
      : fc.constantFrom(1e30, -3e38, 1e-40, -1e-40, 0);
  const inside = fc.double({ min: low, max: high, noNaN: true }).map(fround);
  const outside = fc
    .double({ min: low - (high - low), max: high + (high - low), noNaN: true })
    .map(fround)
    .filter((coordinate) => isWelcome(world, coordinate, axis));
  return fc.oneof(
    { weight: 6, arbitrary: inside },
    { weight: 3, arbitrary: border },
    { weight: 1, arbitrary: outside },
    { weight: 1, arbitrary: far },
  );
}

/** Returns radii, many at the limits of a level. Some are invalid; grids quarantine their particles. */
function sizes({ world, radii }: VariableWorld): fc.Arbitrary<number> {
  const edge = fc
    .tuple(fc.integer({ min: -1, max: world.levels - 1 }), fc.integer({ min: -1, max: 1 }))
    .map(([level, steps]) => nudge((world.baseDiameter / 2) * 2 ** level, steps));
  const even = fc.double({ min: 0, max: radii.largest, noNaN: true }).map(fround);
  const spread = fc
    .double({ min: 0, max: 1, noNaN: true })
    .map((share) => fround(radii.smallest * (radii.largest / radii.smallest) ** share));
  return fc.oneof(
    { weight: 4, arbitrary: edge },
    { weight: 4, arbitrary: spread },
    { weight: 1, arbitrary: even },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        0,
        -0,
        1e-40,
        fround(radii.largest),
        -radii.smallest,
        Number.NaN,
        3e38,
        Number.POSITIVE_INFINITY,
      ),
    },
  );
}

/** Returns whether a coordinate is finite. On a periodic axis, `wrapOnce` must also bring it into the box. */
function isWelcome({ min, period }: World, coordinate: number, axis: number): boolean {
  const length = period[axis] as number;
  if (length === 0) return Number.isFinite(coordinate);
  const low = min[axis] as number;
  return coordinate >= low - length && coordinate < low + 2 * length;
}

/** Returns crowds in which about every third particle just touches another one, or just misses it. */
export function variableCrowds(
  kind: WorldCase,
  dimensions: Dimensions,
  most: number,
): fc.Arbitrary<VariableCrowd> {
  return variableWorlds(kind, dimensions, most).chain((choice) => {
    const particle = fc.record({
      position: fc.tuple(...Array.from({ length: dimensions }, (_, axis) => coordinates(choice, axis))),
      radius: sizes(choice),
      angle: fc.double({ min: 0, max: 6.28, noNaN: true }),
      axis: fc.integer({ min: 0, max: dimensions - 1 }),
      steps: fc.integer({ min: -2, max: 2 }),
    });
    return fc.array(particle, { maxLength: most, size: 'max' }).map((particles): VariableCrowd => {
      const positions = particles.map(({ position }) => [...position]);
      particles.forEach(({ radius, angle, axis, steps }, index) => {
        const partner = index >> 1;
        if (index % 3 !== 2 || partner === index) return;
        const reach = radius + (particles[partner]?.radius as number);
        if (!Number.isFinite(reach)) return;
        const beside = [...(positions[partner] as number[])];
        const next = (axis + 1) % dimensions;
        const isStraight = steps === 0 || index % 2 === 0;
        beside[axis] = nudge(
          fround((beside[axis] as number) + reach * (isStraight ? 1 : Math.cos(angle))),
          steps,
        );
        if (!isStraight) beside[next] = fround((beside[next] as number) + reach * Math.sin(angle));
        if (beside.every((value, along) => isWelcome(choice.world, value, along))) positions[index] = beside;
      });
      return {
        ...choice,
        positions: Float32Array.from(positions.flat()),
        radiusOf: Float32Array.from(particles, ({ radius }) => radius),
      };
    });
  });
}
