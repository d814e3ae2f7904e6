import { describe, expect, it } from 'vitest';
import { defineShapes } from '../../../../src/core/particles/shapes';
import { hashState } from '../../../../src/core/state/hash';
import { defineLevels } from '../../../../src/core/world/level-world';
import type { Dimensions } from '../../../../src/core/world/world';
import { createCpuSimulation } from '../../../../src/cpu';
import { defineLattice } from '../../../../src/cpu/shared/lattice';
import { meetShapes as faceShapesFast, NO_CONTACT, normal } from '../../../../src/cpu/solver/general-contact';
import { faceShapes } from '../../../../src/reference/solve/contact';
import { DIMENSIONS } from '../../../helpers/passes';
import { fc, runs } from '../../../helpers/properties';

const WORLDS = {
  2: defineLevels({ dimensions: 2, unbounded: true }, { smallest: 0.25, largest: 16 }, 2, true),
  3: defineLevels({ dimensions: 3, unbounded: true }, { smallest: 0.25, largest: 16 }, 2, true),
};

/** The half extents of a box, or the radius of a ball. */
type Body = readonly number[] | number;

interface Faced {
  readonly isContact: boolean;
  readonly overlap: number;
  readonly normal: readonly number[];
}

function shapesOf(dimensions: Dimensions, bodies: readonly Body[]) {
  const halves = bodies.flatMap((body) => (typeof body === 'number' ? new Array(dimensions).fill(0) : body));
  const radii = bodies.map((body) => (typeof body === 'number' ? body : 0));
  return defineShapes(dimensions, Float32Array.from(radii), Float32Array.from(halves));
}

/** Returns the contact of two bodies. Its normal points from the second to the first; `swapped` exchanges the two. */
function face(
  dimensions: Dimensions,
  bodies: readonly [Body, Body],
  positions: readonly number[],
  swapped = false,
): Faced {
  const state = { positions: Float32Array.from(positions), ...shapesOf(dimensions, bodies) };
  return faceShapes(WORLDS[dimensions], state, swapped ? 1 : 0, swapped ? 0 : 1);
}

function faceFast(
  dimensions: Dimensions,
  bodies: readonly [Body, Body],
  positions: readonly number[],
  swapped = false,
): Faced {
  const state = { positions: Float32Array.from(positions), ...shapesOf(dimensions, bodies) };
  const lattice = defineLattice(WORLDS[dimensions]);
  const overlap = faceShapesFast(lattice, state, swapped ? 1 : 0, swapped ? 0 : 1);
  return { isContact: overlap !== NO_CONTACT, overlap, normal: Array.from(normal.subarray(0, dimensions)) };
}

describe.each([
  ['the reference', face],
  ['the CPU engine', faceFast],
] as const)('overlap in %s', (__, faceIn) => {
  it.each<[string, readonly [Body, Body], number[], number[], number]>([
    ['two discs', [1, 2], [0, 0, 2, 0], [-1, 0], 1],
    ['a disc beside a box', [1, [2, 1]], [2.5, 0.5, 0, 0], [1, 0], 0.5],
    ['a disc at the corner of a box', [1, [2, 1]], [2.375, 1.5, 0, 0], [0.6, 0.8], 0.375],
    ['a disc with its centre in a box', [1, [2, 1]], [0, 0.75, 0, 0], [0, 1], 1.25],
    ['a disc with its centre on the edge of a box', [1, [2, 1]], [0.5, 1, 0, 0], [0, 1], 1],
    [
      'two boxes',
      [
        [1, 1],
        [2, 1],
      ],
      [2.5, 1.75, 0, 0],
      [0, 1],
      0.25,
    ],
    [
      'two boxes, the other way',
      [
        [1, 1],
        [2, 1],
      ],
      [-2.75, 0.25, 0, 0],
      [-1, 0],
      0.25,
    ],
    [
      'boxes that overlap equally along both axes',
      [
        [1, 1],
        [1, 1],
      ],
      [1, -1, 0, 0],
      [1, 0],
      1,
    ],
    [
      'coincident boxes',
      [
        [1, 0.5],
        [1, 0.5],
      ],
      [3, 3, 3, 3],
      [0, -1],
      1,
    ],
    ['coincident discs', [1, 1], [3, 3, 3, 3], [-1, 0], 2],
  ])('is correct for %s', (_, bodies, positions, direction, overlap) => {
    const contact = faceIn(2, bodies, positions);
    expect(contact.isContact).toBe(true);
    expect(contact.overlap).toBeCloseTo(overlap, 6);
    contact.normal.forEach((along, axis) => {
      expect(along).toBeCloseTo(direction[axis] as number, 6);
    });
  });

  it.each<[string, readonly [Body, Body], number[]]>([
    ['discs', [1, 2], [3, 0, 0, 0]],
    ['a disc and a box', [1, [2, 1]], [3, 0.5, 0, 0]],
    ['a disc and a corner', [1.25, [2, 1]], [2.75, 2, 0, 0]],
    [
      'boxes',
      [
        [1, 1],
        [2, 1],
      ],
      [3, 0, 0, 0],
    ],
    [
      'boxes at a corner',
      [
        [1, 1],
        [2, 1],
      ],
      [3, 2, 0, 0],
    ],
  ])('does not exist if %s just touch', (_, bodies, positions) => {
    expect(faceIn(2, bodies, positions).isContact).toBe(false);
    expect(
      faceIn(
        2,
        bodies,
        positions.map((position, index) => (index < 2 ? position * (1 - 2 ** -20) : position)),
      ).isContact,
    ).toBe(true);
  });
});

describe('overlap', () => {
  const size = fc.double({ min: 0.25, max: 4, noNaN: true }).map(Math.fround);
  const bodyIn = (dimensions: Dimensions): fc.Arbitrary<Body> =>
    fc.oneof(size, fc.array(size, { minLength: dimensions, maxLength: dimensions }));

  it.each(DIMENSIONS)('is the same from both sides, and is the shortest way out, in %dD', (dimensions) => {
    const coordinate = fc.double({ min: -5, max: 5, noNaN: true }).map(Math.fround);
    const positions = fc.array(coordinate, { minLength: dimensions, maxLength: dimensions });
    fc.assert(
      fc.property(
        bodyIn(dimensions),
        bodyIn(dimensions),
        positions,
        fc.array(coordinate, { minLength: 30, maxLength: 30 }),
        (one, two, at, aside) => {
          const origin = new Array<number>(dimensions).fill(0);
          const here = face(dimensions, [one, two], [...at, ...origin]);
          const there = face(dimensions, [one, two], [...at, ...origin], true);
          expect({ ...there, normal: there.normal.map((along) => along + 0) }).toEqual({
            ...here,
            normal: here.normal.map((along) => 0 - along),
          });
          if (!here.isContact) return;
          const moved = (way: readonly number[], share: number) =>
            face(
              dimensions,
              [one, two],
              [...at.map((along, axis) => along + share * here.overlap * (way[axis] as number)), ...origin],
            );
          expect(moved(here.normal, 1.0001).overlap).toBeLessThan(1e-4);
          expect(moved(here.normal, 1.0001).isContact && moved(here.normal, 1.0001).overlap > 1e-5).toBe(
            false,
          );
          for (let index = 0; index + dimensions <= aside.length; index += dimensions) {
            const way = aside.slice(index, index + dimensions);
            const length = Math.hypot(...way);
            if (length < 1e-3) continue;
            expect(
              moved(
                way.map((along) => along / length),
                0.999,
              ).isContact,
            ).toBe(true);
          }
        },
      ),
      runs(150),
    );
  });
});

describe('sizes', () => {
  it('of a box include the radius of a ball of the same volume, and the radius of a ball around the whole box', () => {
    for (const dimensions of DIMENSIONS) {
      const edge = (dimensions === 2 ? Math.PI : (4 / 3) * Math.PI) ** (1 / dimensions);
      const { bulks, radii } = shapesOf(dimensions, [1, new Array(dimensions).fill(edge / 2)]);
      expect(bulks[1]).toBeCloseTo(1, 6);
      expect(radii[1]).toBeGreaterThanOrEqual(Math.sqrt(dimensions) * (edge / 2) * (1 - 2 ** -24));
    }
    // The radius is no larger than necessary: 3, 4 and 5 are exact.
    expect(shapesOf(2, [[3, 4]]).radii[0]).toBe(5);
  });

  it('are part of the state hash, each half extent included', () => {
    const positions = new Float32Array(6);
    const sizes = { radii: new Float32Array(2), halves: new Float32Array([1, 2, 3, 0, 0, 0]) };
    const hashes = new Set<string>([hashState(3, positions, positions, undefined, sizes)]);
    for (let index = 0; index < 6; index++) {
      const halves = sizes.halves.with(index, 7);
      hashes.add(hashState(3, positions, positions, undefined, { ...sizes, halves }));
    }
    expect(hashes.size).toBe(7);
  });

  it('may be as wide as the world, but no wider along an axis with walls', () => {
    const slab = {
      dimensions: 2,
      min: [0, 0],
      max: [100, 50],
      positions: new Float32Array([50, 0.5]),
    } as const;
    const simulation = createCpuSimulation({
      ...slab,
      halfExtents: new Float32Array([50, 0.5]),
      radiusRange: { smallest: 0.5, largest: 64 },
      capacity: 2,
    });
    simulation.step(1 / 60);
    expect([...simulation.read().positions]).toEqual([50, 0.5]);
    expect(() => createCpuSimulation({ ...slab, halfExtents: new Float32Array([50.5, 0.5]) })).toThrow(
      /^halfExtents\[0\] is 50\.5, but it must be at most 50, half of the world along axis 0\.$/,
    );
    const positions = new Float32Array([50, 25]);
    expect(() => simulation.add({ positions, radii: new Float32Array([26]) })).toThrow(
      /^radii\[0\] is 26, but it must be at most 25, half of the world along axis 1\.$/,
    );
  });
});
