import { describe, expect, test } from 'vitest';
import {
  AIR,
  defineLattice,
  defineLevels,
  eachCell,
  eachFace,
  FLUID,
  type Lattice,
  type Level,
  SOLID,
} from '../../../../../src/methods/fluid/lattice';
import { Corners } from '../../../../../src/methods/fluid/reference/corners';
import { assemble } from '../../../../../src/methods/fluid/reference/equations';
import {
  coarsen,
  createHierarchy,
  cycle,
  type Hierarchy,
} from '../../../../../src/methods/fluid/reference/multigrid';
import { keepOut } from '../../../../../src/methods/fluid/reference/particles';
import { solvePressure } from '../../../../../src/methods/fluid/reference/pressure';
import { extrapolate } from '../../../../../src/methods/fluid/reference/project';
import { particlesToGrid } from '../../../../../src/methods/fluid/reference/transfer';
import { createNoise } from '../../../../../src/testing/noise';

const DIMENSIONS = [2, 3] as const;

describe.each(DIMENSIONS)('stages in %dD', (dimensions) => {
  const lattice = defineLattice(dimensions, [6, 5, dimensions === 3 ? 4 : 1]);
  const entries = (): Float64Array => new Float64Array(dimensions * lattice.size);

  test('read a linear velocity field exactly, with its slopes', () => {
    const field = entries();
    for (let axis = 0; axis < dimensions; axis++) {
      eachFace(lattice, axis, (face, x, y, z) => {
        const point = [x, y, z].map((cell, along) => cell + (along === axis ? 0 : 0.5));
        field[axis * lattice.size + face] =
          1 + axis + 2 * (point[0] as number) - 3 * (point[1] as number) + (point[2] as number);
      });
    }
    const corners = new Corners(lattice);
    const velocity = new Float64Array(3);
    const next = createNoise(3);
    for (let round = 0; round < 50; round++) {
      const position = Float64Array.from(lattice.cells, (count) => 0.5 + next() * (count - 1));
      if (dimensions === 2) position[2] = 0.5;
      const [x = 0, y = 0, z = 0] = position;
      corners.velocityAt(position, field, velocity);
      for (let axis = 0; axis < dimensions; axis++) {
        expect(velocity[axis]).toBeCloseTo(1 + axis + 2 * x - 3 * y + z, 10);
        corners.find(axis, position, true);
        let sum = 0;
        for (let corner = 0; corner < corners.count; corner++)
          sum +=
            (corners.weights[corner] as number) *
            (field[axis * lattice.size + corners.entry + (corners.offsets[corner] as number)] as number);
        expect(sum).toBe(velocity[axis]);
        expect(corners.slope(field, axis * lattice.size, 0)).toBeCloseTo(2, 10);
        expect(corners.slope(field, axis * lattice.size, 1)).toBeCloseTo(-3, 10);
      }
    }
  });

  test.each([false, true])(
    'give faces the velocity of the particles if it is constant, and with slopes also if it is linear (slopes: %s)',
    (affine) => {
      const next = createNoise(7);
      const count = 200;
      const positions = Float32Array.from(
        { length: dimensions * count },
        (_, index) => 0.25 * (0.1 + next() * ((lattice.cells[index % dimensions] as number) - 0.2)),
      );
      const velocities = new Float32Array(dimensions * count);
      const slopes = new Float32Array(dimensions ** 2 * count);
      for (let particle = 0; particle < count; particle++) {
        const [x = 0, y = 0] = positions.subarray(dimensions * particle);
        velocities.set(affine ? [1 - 4 * y, 2 + 4 * x] : [1, 2], dimensions * particle);
        if (affine) slopes.set([-1, 1], dimensions ** 2 * particle + 1);
        if (affine && dimensions === 3) slopes.set([0, -1, 0, 1, 0, 0, 0, 0, 0], 9 * particle);
        else if (affine) slopes.set([0, -1, 1, 0], 4 * particle);
      }
      const out = {
        velocity: entries(),
        fullness: new Float64Array(lattice.size),
        inside: new Uint32Array(lattice.size),
      };
      const ids = Uint32Array.from({ length: count }, (_, id) => id);
      const kinds = new Uint8Array(lattice.size).fill(SOLID);
      eachCell(lattice, (entry, x) => {
        if (x !== 2) kinds[entry] = AIR;
      });
      const input = { lattice, cellSize: 0.25, particlesPerCell: 2, kinds };
      particlesToGrid(input, { count, positions, velocities, ids }, affine ? slopes : undefined, out);
      let reached = 0;
      for (let axis = 0; axis < 2; axis++) {
        eachFace(lattice, axis, (face, x, y) => {
          const got = out.velocity[axis * lattice.size + face] as number;
          if (got === 0) return;
          const expected = axis === 0 ? (affine ? 1 - (y + 0.5) : 1) : affine ? 2 + (x + 0.5) : 2;
          expect(got).toBeCloseTo(expected, 4);
          reached++;
        });
      }
      expect(reached).toBeGreaterThan(30);
      expect(out.inside.reduce((sum, one) => sum + one, 0)).toBe(count);
      expect(out.fullness.reduce((sum, one) => sum + one, 0)).toBeCloseTo(count / input.particlesPerCell, 9);
    },
  );

  test('extrapolate velocities only from known faces, and only to the next four faces', () => {
    const long = defineLattice(dimensions, [9, 2, dimensions === 3 ? 2 : 1]);
    const velocity = new Float64Array(dimensions * long.size).fill(9);
    const known = new Uint8Array(dimensions * long.size);
    eachFace(long, 0, (face, x) => {
      if (x > 1) return;
      known[face] = 1;
      velocity[face] = 3;
    });
    extrapolate(long, velocity, known);
    eachFace(long, 0, (face, x) => {
      expect(velocity[face]).toBe(x <= 5 ? 3 : 0);
    });
  });

  test('keep particles out of solid cells and let them slide along these cells', () => {
    const mask = new Uint8Array(lattice.size);
    eachCell(lattice, (entry, x) => {
      if (x === 3) mask[entry] = 1;
    });
    const to = [3.5, 2.5, dimensions === 3 ? 1.5 : 0];
    const stopped = keepOut({ lattice, cellSize: 1, mask, obstacles: [] }, [2.5, 1.5, to[2] as number], to);
    expect(stopped).toBe(1);
    expect(to[0]).toBeLessThan(3);
    expect(to[0]).toBeGreaterThan(2.9);
    expect(to[1]).toBe(2.5);
    const out = [-1, 9, to[2] as number];
    expect(keepOut({ lattice, cellSize: 1, mask, obstacles: [] }, [0.5, 4.5, to[2] as number], out)).toBe(3);
    expect(out[0]).toBeGreaterThan(0);
    expect(out[1]).toBeLessThan(5);
  });

  test('solve pressure with a symmetric cycle, a correct residual and hardly more iterations on larger lattices', () => {
    const next = createNoise(11);
    const counts: number[] = [];
    for (const cells of dimensions === 2 ? [16, 32, 128] : [8, 16]) {
      const size = defineLattice(dimensions, [cells, cells, dimensions === 3 ? cells : 1]);
      const { hierarchy, velocity } = problem(size, next);
      const level = hierarchy.levels.levels[0] as Level;
      coarsen(hierarchy);
      const apply = (source: Float64Array) => {
        hierarchy.right.set(source);
        cycle(hierarchy);
        return hierarchy.solution.slice(0, size.size);
      };
      const random = () =>
        Float64Array.from({ length: size.size }, (_, entry) =>
          (hierarchy.diagonal[entry] as number) > 0 ? next() - 0.5 : 0,
        );
      const [one, two, rows] = [random(), random(), hierarchy.right.slice(0, size.size)];
      const dot = (a: Float64Array, b: Float64Array) =>
        a.reduce((sum, value, index) => sum + value * (b[index] as number), 0);
      const [first, second] = [dot(apply(one), two), dot(apply(two), one)];
      expect(Math.abs(first - second)).toBeLessThan(1e-9 * dot(apply(one), one));
      hierarchy.right.set(rows);
      const pressure = new Float64Array(size.size);
      const { iterations, residual, greatest } = solvePressure(hierarchy, pressure, 1e-4, 50);
      expect(residual).toBeLessThanOrEqual(1e-4);
      counts.push(iterations);
      let worst = 0;
      hierarchy.right.set(rows);
      eachCell(level, (cell) => {
        if ((hierarchy.diagonal[cell] as number) === 0) return;
        let left = (rows[cell] as number) - (hierarchy.diagonal[cell] as number) * (pressure[cell] as number);
        for (let axis = 0; axis < dimensions; axis++) {
          const stride = size.strides[axis] as number;
          const face = axis * hierarchy.levels.size + cell;
          left +=
            (hierarchy.coupling[face] as number) * (pressure[cell - stride] as number) +
            (hierarchy.coupling[face + stride] as number) * (pressure[cell + stride] as number);
        }
        worst = Math.max(worst, Math.abs(left));
      });
      expect(worst / greatest).toBeCloseTo(residual, 8);
      expect(velocity.length).toBe(dimensions * size.size);
    }
    expect(Math.max(...counts)).toBeLessThanOrEqual((counts[0] as number) + 4);
    expect(Math.max(...counts)).toBeLessThanOrEqual(12);
  });
});

/** Returns the equations and velocities of a fluid below a wavy surface, around a solid block. */
function problem(lattice: Lattice, next: () => number): { hierarchy: Hierarchy; velocity: Float64Array } {
  const hierarchy = createHierarchy(defineLevels(lattice));
  const kinds = new Uint8Array(lattice.size).fill(SOLID);
  const fullness = new Float64Array(lattice.size);
  const [cells] = lattice.cells;
  eachCell(lattice, (entry, x, y) => {
    const isSolid = Math.abs(x / cells - 0.5) < 0.1 && y / cells < 0.3;
    kinds[entry] = isSolid ? SOLID : y / cells < 0.7 + 0.1 * Math.sin((9 * x) / cells) ? FLUID : AIR;
    fullness[entry] = 0.6 + 0.4 * next();
  });
  const velocity = Float64Array.from({ length: lattice.dimensions * lattice.size }, () => next() - 0.5);
  const equations = { ...hierarchy, couplingSize: hierarchy.levels.size };
  assemble({ lattice, kinds, fullness, velocity, rate: 1, correction: 0 }, equations);
  return { hierarchy, velocity };
}
