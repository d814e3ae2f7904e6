import { describe, expect, it } from 'vitest';
import { ArgumentError, CellstormError } from '../../../../src/core/base/errors';
import { type CpuGrid, createCpuGrid } from '../../../../src/cpu';
import { optionsOf, stored, type UnusualCrowd, unusualCrowds } from '../../../helpers/inputs/unusual-worlds';
import { cornersIn } from '../../../helpers/inputs/vectors';
import { type Crowd, crowds } from '../../../helpers/inputs/worlds';
import { expectSeen, fc, runs } from '../../../helpers/properties';
import { arbitraryCorners, cornersOf, expectInBox } from '../box-oracle';

type Dimensions = 2 | 3;

const KINDS = ['bounded', ...Object.keys(unusualCrowds)];

function crowdsOf(kind: string, dimensions: Dimensions): fc.Arbitrary<UnusualCrowd & Partial<Crowd>> {
  const unusual = unusualCrowds[kind];
  return unusual ? unusual(dimensions, 60) : crowds(dimensions, 60);
}

function gridOf({ world, positions, options }: UnusualCrowd & Partial<Crowd>): CpuGrid {
  const { diameter } = world;
  const grid = createCpuGrid({ ...(options ?? optionsOf(world)), diameter, capacity: 60 });
  expect(grid.world).toEqual(world);
  grid.build(positions);
  return grid;
}

describe.each([2, 3] as const)('a box in a grid in %dD', (dimensions) => {
  it.each(KINDS)('contains the same particles as by brute force in a world that is %s', (kind) => {
    let most = 0;
    let found = 0;
    fc.assert(
      fc.property(
        crowdsOf(kind, dimensions),
        fc.array(arbitraryCorners(dimensions), { minLength: 1, maxLength: 8 }),
        (crowd, list) => {
          const { world } = crowd;
          const grid = gridOf(crowd);
          const inside = stored(crowd);
          for (const corners of list) {
            const [min, max] = cornersOf(world, inside, corners);
            const got = expectInBox(grid, inside, min, max);
            most = Math.max(most, got.length);
            found += got.length;
          }
        },
      ),
      runs(400),
    );
    expectSeen(most, 21);
    expectSeen(found, 1000);
  });

  it('includes its bounds, and wraps at the ends of a periodic world', () => {
    const corner = cornersIn(dimensions);
    const grid = createCpuGrid({
      dimensions,
      min: corner(0),
      max: corner(8),
      periodic: true,
      diameter: 1,
      capacity: 9,
    });
    // Eight particles at x = 0, 1 … 7, in the middle of the world along the other axes.
    const line = Float32Array.from({ length: 8 * dimensions }, (_, word) =>
      word % dimensions === 0 ? word / dimensions : 4,
    );
    grid.build(line);
    const between = (low: number, high: number) => [
      ...grid.findInBox(corner(0).with(0, low), corner(8).with(0, high)),
    ];
    expect(between(2, 4)).toEqual([2, 3, 4]);
    expect(between(6, 8)).toEqual([0, 6, 7]);
    expect(between(6, 9.5)).toEqual([0, 1, 6, 7]);
    expect(between(-1, 1)).toEqual([0, 1, 7]);
    expect(between(-10, -8)).toEqual([0, 6, 7]);
    expect(between(2.5, 10.25)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(between(2.5, 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(between(2.5, 9.75)).toEqual([0, 1, 3, 4, 5, 6, 7]);
    expect(between(17, 18)).toEqual([1, 2]);
    expect(between(-1e30, 1e30)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(between(4, 3)).toEqual([]);
  });

  it('includes a particle on its upper bound if the length of the box is rounded', () => {
    const corner = cornersIn(dimensions);
    const world = { min: corner(-20), max: corner(20), periodic: true };
    const grid = createCpuGrid({ dimensions, ...world, diameter: 1, capacity: 1 });
    const bound = Math.fround(0.303);
    // The low corner plus the rounded length is below the bound.
    expect(-15.6973 + (bound - -15.6973)).toBeLessThan(bound);
    grid.build(new Float32Array(corner(bound)));
    expect([...grid.findInBox(corner(-15.6973), corner(bound))]).toEqual([0]);
  });

  it('can be searched inside a visitor, and must have valid corners', () => {
    const corner = cornersIn(dimensions);
    const grid = createCpuGrid({ dimensions, unbounded: true, diameter: 1, capacity: 4 });
    grid.build(Float32Array.from([...corner(0), ...corner(0.5), ...corner(1e30)]));
    const found: number[] = [];
    grid.inBox(corner(-1), corner(1), (id) => {
      grid.inBox(corner(0.25), corner(1), (other) => found.push(id, other));
      expect(() => grid.build(new Float32Array(dimensions))).toThrow(CellstormError);
    });
    expect(found).toEqual([0, 1, 1, 1]);
    expect([...grid.findInBox(corner(-3e38), corner(3e38))]).toEqual([0, 1, 2]);
    expect(() => grid.findInBox(corner(Number.NaN), corner(1))).toThrow(ArgumentError);
    expect(() => grid.findInBox(corner(0), [1])).toThrow(/^max is \[1\], /);
  });
});
