/** Compares the searches in a box of a CPU grid with brute force, and makes the corners of such boxes. */
import { expect } from 'vitest';
import type { World } from '../../../src/core/world/world';
import type { CpuGrid, CpuLevelGrid } from '../../../src/cpu';
import { particlesInBox } from '../../../src/reference/query/boxes';
import { fc } from '../../helpers/properties';

type Dimensions = 2 | 3;

/**
 * Two corners of a box: the positions of two particles, moved along each axis by some number of periods. Along an axis
 * that is not periodic, two diameters replace the period.
 */
interface Corners {
  readonly particles: readonly [number, number];
  readonly moves: readonly (readonly [number, number])[];
}

export function arbitraryCorners(dimensions: Dimensions): fc.Arbitrary<Corners> {
  const move = fc.oneof(
    fc.constant(0),
    fc.integer({ min: -3, max: 3 }),
    fc.double({ min: -4, max: 4, noNaN: true }),
  );
  return fc.record({
    particles: fc.tuple(fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 59 })),
    moves: fc.array(fc.tuple(move, move), { minLength: dimensions, maxLength: dimensions }),
  });
}

export function cornersOf(
  world: World,
  inside: Float32Array,
  { particles, moves }: Corners,
): [number[], number[]] {
  const { dimensions, period, diameter } = world;
  const count = Math.max(1, inside.length / dimensions);
  const corner = (which: 0 | 1) =>
    moves.map((move, axis) => {
      const base = inside[dimensions * (particles[which] % count) + axis] ?? 0;
      return Math.max(-3e38, Math.min(3e38, base + move[which] * (period[axis] || 2 * diameter)));
    });
  const [a, b] = [corner(0), corner(1)];
  // The first corner mostly has the lower coordinate along each axis.
  const ordered = moves.map((move, axis) => move[0] === 3 || (a[axis] as number) <= (b[axis] as number));
  return [
    a.map((value, axis) => (ordered[axis] ? value : (b[axis] as number))),
    b.map((value, axis) => (ordered[axis] ? value : (a[axis] as number))),
  ];
}

/** Searches by `findInBox` and `inBox`, compares both answers with brute force, and returns them. */
export function expectInBox(
  grid: CpuGrid | CpuLevelGrid,
  inside: Float32Array,
  min: readonly number[],
  max: readonly number[],
): number[] {
  const { min: origin, period } = grid.world;
  const got = [...grid.findInBox(min, max)];
  const visited: number[] = [];
  grid.inBox(min, max, (id) => visited.push(id));
  expect(visited.length).toBe(got.length);
  expect(visited.every((id, index) => id === got[index])).toBe(true);
  expect(got.every((id, index) => index === 0 || id > (got[index - 1] as number))).toBe(true);
  // Along a periodic axis, a box of three periods contains all particles. Longer boxes are shortened to three, because
  // the oracle would round distant corners.
  const isWhole = (axis: number) =>
    (period[axis] as number) > 0 &&
    (max[axis] as number) - (min[axis] as number) > 3 * (period[axis] as number);
  const near = min.map((value, axis) => (isWhole(axis) ? (origin[axis] as number) : value));
  const far = max.map((value, axis) =>
    isWhole(axis) ? (origin[axis] as number) + 3 * (period[axis] as number) : value,
  );
  // Corners outside a periodic world may be rounded when they are wrapped. Particles within `noise` of a face may be
  // found or missed.
  const noise = period.map((length, axis) =>
    length === 0 ? 0 : 1e-14 * (Math.abs(near[axis] as number) + Math.abs(far[axis] as number) + length),
  );
  const by = (sign: number) => [
    near.map((value, axis) => value - sign * (noise[axis] as number)),
    far.map((value, axis) => value + sign * (noise[axis] as number)),
  ];
  const [lower, upper] = by(1) as [number[], number[]];
  const [low, high] = by(-1) as [number[], number[]];
  const outer = new Set(particlesInBox(inside, period, lower, upper));
  const inner = particlesInBox(inside, period, low, high);
  const isEmpty = min.some((value, axis) => value > (max[axis] as number));
  const known = new Set(got);
  if (isEmpty) expect(got).toEqual([]);
  else expect(inner.filter((id) => !known.has(id))).toEqual([]);
  expect(got.filter((id) => !outer.has(id))).toEqual([]);
  return got;
}
