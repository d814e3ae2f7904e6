/**
 * Tests rays among particles at extreme coordinates. A search that looped over the images of such a particle would
 * never end.
 */
import { describe, expect, it } from 'vitest';
import { wrapOnce } from '../../../../src/core/world/cells';
import type { Dimensions, World, WorldOptions } from '../../../../src/core/world/world';
import { createCpuGrid, createCpuIndex, createCpuLevelGrid } from '../../../../src/cpu';
import { hitsAlongRay } from '../../../../src/reference/query/rays';
import { expectHits } from '../../../helpers/inputs/rays';
import { cornersIn } from '../../../helpers/inputs/vectors';
import { expectSeen, fc, runs } from '../../../helpers/properties';

/** In doubles, the error of the distance from ray to centre, as a share of the distance from origin to centre. */
const DOUBLES = 2 ** -45;

const EDGE = 8;
const RADIUS = 0.5;

/** With 40 copies of each particle a ray usually walks through cells; with one copy it usually tests all particles. */
const COPIES = [1, 40];

function worldsIn(dimensions: Dimensions): Readonly<Record<string, WorldOptions>> {
  const corner = cornersIn(dimensions);
  const box = { dimensions, min: corner(-3), max: corner(EDGE - 3) };
  return {
    bounded: box,
    periodic: { ...box, periodic: true },
    channel: { ...box, periodic: corner(0).map((_, axis) => axis !== 1) },
    unbounded: { dimensions, unbounded: true },
  };
}

/** A coordinate in the box, up to five periods outside, or anywhere up to the limits of 32-bit floats. */
const extreme = fc.oneof(
  { weight: 4, arbitrary: fc.double({ min: -3, max: EDGE - 3, noNaN: true }) },
  { weight: 2, arbitrary: fc.double({ min: -5 * EDGE, max: 5 * EDGE, noNaN: true }) },
  { weight: 1, arbitrary: fc.constantFrom(1e20, -1e20, 3e38, -3e38, 3.4028234e38, -3.4028234e38) },
  { weight: 1, arbitrary: fc.float({ noNaN: true, noDefaultInfinity: true }) },
);

/**
 * Wraps positions once. A particle that is then still outside the box along a periodic axis becomes NaN, because no ray
 * meets it.
 */
function reachable(world: World, positions: Float32Array): Float32Array {
  const { dimensions, min, period } = world;
  const stored = positions.map((value, word) => wrapOnce(world, value, word % dimensions));
  stored.forEach((value, word) => {
    const axis = word % dimensions;
    const [low, length] = [min[axis] as number, period[axis] as number];
    const isOutside = value - low < -(2 ** -126) || value > low + length;
    const first = word - axis;
    if (length > 0 && isOutside) stored.fill(Number.NaN, first, first + dimensions);
  });
  return stored;
}

describe.each([2, 3] as const)('a ray among particles at extreme coordinates in %dD', (dimensions) => {
  const corner = cornersIn(dimensions);
  const worlds = worldsIn(dimensions);
  const vector = fc.tuple(...corner(0).map(() => extreme));
  const direction = fc
    .tuple(...corner(0).map(() => fc.constantFrom(-1, 0, 0.5, 1, 2)))
    .filter((along) => along.some((value) => value !== 0));
  const reach = fc.oneof(
    { weight: 1, arbitrary: fc.constant(Number.POSITIVE_INFINITY) },
    { weight: 5, arbitrary: fc.double({ min: 0, max: 4 * EDGE, noNaN: true }) },
  );

  it.each(Object.keys(worlds))('meets the particles that brute force finds in a %s world', (name) => {
    const options = worlds[name] as WorldOptions;
    let met = 0;
    fc.assert(
      fc.property(
        fc.array(vector, { minLength: 1, maxLength: 12, size: 'max' }),
        fc.record({ direction, reach, from: fc.nat(11) }),
        (particles, { direction, reach, from }) => {
          const positions = Float32Array.from(particles.flat());
          const count = particles.length;
          const near = particles[from % count]?.every((value) => Math.abs(value) < 100);
          const origin = near
            ? (particles[from % count] as number[]).map((value) => value + 0.25)
            : corner(0);
          for (const copies of COPIES) {
            const repeated = Float32Array.from({ length: copies * positions.length }, (_, word) =>
              Number(positions[word % positions.length]),
            );
            const capacity = copies * count;
            const equal = createCpuGrid({ ...options, diameter: 2 * RADIUS, capacity });
            equal.build(repeated);
            const sized = createCpuLevelGrid({
              ...options,
              radii: { smallest: 0.125, largest: 1 },
              capacity,
            });
            sized.build(repeated, new Float32Array(capacity).fill(RADIUS));
            const { world } = equal;
            const wrapped = origin.map((value, axis) => {
              const length = world.period[axis] as number;
              const periods = Math.floor((value - (world.min[axis] as number)) / length);
              return length > 0 ? value - length * periods : value;
            });
            const ray = { origin: wrapped, direction, greatestDistance: reach };
            const expected = hitsAlongRay(reachable(world, positions), world.period, ray, RADIUS, DOUBLES);
            for (const grid of [equal, sized]) {
              const { ids, distances } = grid.findAlongRay(origin, direction, reach);
              const firstCopies = [...ids.keys()].filter((index) => (ids[index] as number) < count);
              const what = `${copies} copies, ${grid.constructor.name}, ${JSON.stringify(ray)}`;
              expectHits(
                firstCopies.map((index) => ids[index] as number),
                firstCopies.map((index) => distances[index] as number),
                expected,
                what,
              );
              expect(ids.length, what).toBe(copies * firstCopies.length);
              met += firstCopies.length;
            }
          }
        },
      ),
      runs(60),
    );
    expectSeen(met, 60);
  });

  it('meets no ball more than a period outside the box, even if the ray is short and there are many balls', () => {
    // Wrapped by one period, each ball is on the ray and in the last column of cells, but still outside the box.
    const options = { dimensions, min: corner(0), max: corner(EDGE), periodic: true };
    const position = corner(4).with(0, 2 * EDGE + 0.5);
    for (const count of COPIES) {
      const positions = Float32Array.from({ length: count * dimensions }, (_, word) =>
        Number(position[word % dimensions]),
      );
      const grid = createCpuGrid({ ...options, diameter: 1, capacity: count });
      grid.build(positions);
      const sized = createCpuLevelGrid({
        ...options,
        radii: { smallest: 0.5, largest: 0.5 },
        capacity: count,
      });
      sized.build(positions, new Float32Array(count).fill(0.5));
      for (const one of [grid, sized]) {
        const { ids } = one.findAlongRay(corner(4).with(0, 7), corner(0).with(0, 1), 3);
        expect(ids.length, `${one.constructor.name}, ${count}`).toBe(0);
      }
    }
  });

  it('gets its answer at once in a periodic world, also from an index, which wraps any coordinate', () => {
    const options = { dimensions, min: corner(-3), max: corner(EDGE - 3), periodic: true };
    for (const coordinates of [
      [1, -1e20],
      [3e38, -3e38],
      [EDGE - 3, 3.4028234e38],
    ]) {
      const position = corner(1).map((value, axis) => coordinates[axis] ?? value);
      const grid = createCpuGrid({ ...options, diameter: 1, capacity: 1 });
      grid.build(Float32Array.from(position));
      const sized = createCpuLevelGrid({ ...options, radii: { smallest: 0.5, largest: 0.5 }, capacity: 1 });
      sized.build(Float32Array.from(position), Float32Array.of(0.5));
      const index = createCpuIndex({ ...options, capacity: 1 });
      index.add(position.map(Math.fround), 0.5);
      for (const one of [grid, sized]) {
        expect([...one.findAlongRay(corner(0), corner(2), 0.5).ids]).toEqual([]);
        expect([...one.findAlongRay(corner(0), corner(1), Number.POSITIVE_INFINITY).ids]).toEqual([]);
        expect([...one.findNear(corner(0), 3)]).toEqual([]);
        expect([...one.findInBox(corner(-3), corner(EDGE - 3.5))]).toEqual([]);
      }
      expect(index.findAlongRay(corner(0), corner(2), 0.5).ids.length).toBeLessThanOrEqual(1);
    }
  });
});
