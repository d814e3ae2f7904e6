import { describe, expect, it } from 'vitest';
import { ArgumentError, CellstormError } from '../../../../src/core/base/errors';
import type { WorldOptions } from '../../../../src/core/world/world';
import { createCpuLevelGrid } from '../../../../src/cpu';
import { createNoise } from '../../../../src/testing/noise';
import { repeatBalls, storedBalls } from '../../../helpers/inputs/balls';
import { variableCrowds, WORLD_CASES } from '../../../helpers/inputs/variable-crowds';
import { cornersIn } from '../../../helpers/inputs/vectors';
import { expectSeen, fc, runs } from '../../../helpers/properties';
import { arbitraryCorners, cornersOf, expectInBox } from '../box-oracle';

/**
 * Most radii are from 1 to 64. Some are 0, so that these particles are points. Some are 65, which is too large, so that
 * these particles are quarantined.
 */
function radiiOf(count: number, noise: () => number): Float32Array {
  return Float32Array.from({ length: count }, (_, id) =>
    id % 50 === 7 ? 0 : id % 97 === 11 ? 65 : 64 ** noise(),
  );
}

describe.each([2, 3] as const)('a box among particles of variable radii in %dD', (dimensions) => {
  const corner = cornersIn(dimensions);
  const radii = { smallest: 1, largest: 64 };
  const far = 2 ** 20;

  it.each(WORLD_CASES)(
    'contains the same centres as by brute force, at any positions, in a world that is %s',
    (kind) => {
      let found = 0;
      // Each particle is repeated, because a search among few particles would test all of them instead of using cells.
      const times = 12;
      fc.assert(
        fc.property(
          variableCrowds(kind, dimensions, 40),
          fc.array(arbitraryCorners(dimensions), { minLength: 1, maxLength: 5 }),
          (crowd, list) => {
            const balls = repeatBalls(crowd, times);
            const { options, radii, positions, radiusOf } = balls;
            const grid = createCpuLevelGrid({ ...options, radii, capacity: times * 40 });
            grid.build(positions, radiusOf);
            const inside = storedBalls({ ...balls, world: grid.world });
            for (const corners of list) {
              const [min, max] = cornersOf(
                grid.world,
                inside.map((value) => value || 0),
                corners,
              );
              found += expectInBox(grid, inside, min, max).length;
            }
          },
        ),
        runs(120),
      );
      expectSeen(found, 5000);
    },
  );

  const edge = dimensions === 2 ? 1600 : 600;
  const box = { dimensions, min: corner(0), max: corner(edge) };
  const within = (noise: () => number) => edge * (1.2 * noise() - 0.1);
  const crowds: Readonly<
    Record<string, { options: WorldOptions; coordinate: (noise: () => number, id: number) => number }>
  > = {
    bounded: { options: box, coordinate: within },
    periodic: { options: { ...box, periodic: true }, coordinate: within },
    'periodic except along y': {
      options: { ...box, min: corner(-3.3), periodic: corner(0).map((_, axis) => axis !== 1) },
      coordinate: within,
    },
    unbounded: { options: { dimensions, unbounded: true }, coordinate: within },
    'unbounded, with clusters far apart': {
      options: { dimensions, unbounded: true },
      coordinate: (noise, id) => far * ((id % 3) - 1) + 200 * noise(),
    },
  };

  it.each(Object.keys(crowds))(
    'contains the same centres as by brute force, whatever its size, in a world that is %s',
    (name) => {
      const { options, coordinate } = crowds[name] as (typeof crowds)[string];
      const noise = createNoise(dimensions + name.length);
      const count = 2000;
      const positions = Float32Array.from({ length: dimensions * count }, (_, word) =>
        coordinate(noise, Math.floor(word / dimensions)),
      );
      const radiusOf = radiiOf(count, noise);
      const grid = createCpuLevelGrid({ ...options, radii, capacity: count });
      grid.build(positions, radiusOf);
      const { world } = grid;
      const inside = storedBalls({ world, positions, radiusOf });
      const positionOf = (id: number) =>
        Array.from(inside.subarray(dimensions * id, dimensions * (id + 1)), (x) => x || 0);
      let found = 0;
      const sizes = [0, 0.5, 3, 40, 150, 500, 1000, 3000, far, 3 * far, 1e30];
      for (const size of sizes) {
        for (let index = 0; index < 4; index++) {
          const id = Math.floor(count * noise());
          const middle = positionOf(id).map(
            (value, axis) => value + (world.period[axis] as number) * ((index % 5) - 2),
          );
          const half = middle.map((_, axis) =>
            index % 4 === axis ? size : index % 4 === 3 ? size * noise() : size / 40,
          );
          const [min, max] = [-1, 1].map((sign) =>
            middle.map((value, axis) => value + sign * (half[axis] as number)),
          ) as [number[], number[]];
          found += expectInBox(grid, inside, min, max).length;
          // This box reaches from one centre to another and includes both.
          const other = positionOf((id * 7) % count);
          const low = middle.map((value, axis) => Math.min(value, other[axis] as number));
          const high = middle.map((value, axis) => Math.max(value, other[axis] as number));
          found += expectInBox(grid, inside, low, high).length;
          // Along x, these corners are swapped.
          if (size === 0) expectInBox(grid, inside, max.with(0, (max[0] as number) + 1), min);
        }
      }
      expect(found).toBeGreaterThan(5000);
      expect(expectInBox(grid, inside, corner(-3e38), corner(3e38)).length).toBe(count - grid.nonFinite);
    },
  );

  it('wraps at the ends of a periodic world, and tests centres, whatever the radii', () => {
    const grid = createCpuLevelGrid({ ...box, max: corner(512), periodic: true, radii, capacity: 8 });
    const line = Float32Array.from({ length: 8 * dimensions }, (_, word) =>
      word % dimensions === 0 ? 64 * (word / dimensions) : 256,
    );
    grid.build(line, Float32Array.of(64, 0, 1, 3, 64, 0, 20, 7));
    const between = (low: number, high: number) => [
      ...grid.findInBox(corner(0).with(0, low), corner(512).with(0, high)),
    ];
    expect(between(64, 192)).toEqual([1, 2, 3]);
    expect(between(64.001, 191.999)).toEqual([2]);
    expect(between(448, 513)).toEqual([0, 7]);
    expect(between(-64, 64)).toEqual([0, 1, 7]);
    expect(between(1088, 1152)).toEqual([1, 2]);
    expect(between(100, 612)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(between(65, 575)).toEqual([0, 2, 3, 4, 5, 6, 7]);
    expect(between(64, 63)).toEqual([]);
  });

  it('can be searched inside a visitor but not before the first build, and must have valid corners', () => {
    const grid = createCpuLevelGrid({ dimensions, unbounded: true, radii, capacity: 4 });
    expect(() => grid.findInBox(corner(-1), corner(1))).toThrow(CellstormError);
    grid.build(Float32Array.from([...corner(0), ...corner(0.5), ...corner(1e30)]), Float32Array.of(9, 0, 64));
    const found: number[] = [];
    grid.inBox(corner(-1), corner(1), (id) => {
      grid.inBox(corner(0.25), corner(1), (other) => found.push(id, other));
      expect(() => grid.build(new Float32Array(dimensions), Float32Array.of(1))).toThrow(CellstormError);
      expect(() => grid.countPairs()).toThrow(/^This CpuLevelGrid is running .*, inBox or alongRay\. /);
    });
    expect(found).toEqual([0, 1, 1, 1]);
    expect([...grid.findInBox(corner(-3e38), corner(3e38))]).toEqual([0, 1, 2]);
    expect(() => grid.findInBox(corner(Number.NaN), corner(1))).toThrow(ArgumentError);
    expect(() => grid.inBox(corner(0), [1], () => {})).toThrow(/^max is \[1\], /);
  });
});
