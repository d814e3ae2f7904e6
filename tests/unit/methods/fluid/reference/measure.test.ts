/** Tests the measured volume of given particles. cpu-fluid.test.ts checks the volume of a dam break. */
import { describe, expect, test } from 'vitest';
import { AIR, defineLattice, entryAt, SOLID } from '../../../../../src/methods/fluid/lattice';
import { markFluid, markSolids } from '../../../../../src/methods/fluid/reference/cells';
import { measureVolume } from '../../../../../src/methods/fluid/reference/measure';
import { particlesToGrid } from '../../../../../src/methods/fluid/reference/transfer';
import { Random } from '../../../../../src/scenes/random';

type Inside = (x: number, y: number) => boolean;

/** Cells of the tank along each axis; a cell has edge 1. */
const CELLS = 16;

const PER_CELL = 4;

const LATTICE = defineLattice(2, [CELLS, CELLS, 1]);

/** Returns the area of a shape, by counting finer cells whose centres are inside. */
function areaOf(inside: Inside): number {
  const fine = 8;
  let count = 0;
  for (let y = 0.5; y < CELLS * fine; y++)
    for (let x = 0.5; x < CELLS * fine; x++) if (inside(x / fine, y / fine)) count++;
  return count / fine ** 2;
}

function transfer(positions: readonly number[], kinds: Uint8Array) {
  const count = positions.length / 2;
  const still = { velocities: new Float32Array(2 * count), ids: new Uint32Array(count) };
  const out = {
    velocity: new Float64Array(2 * LATTICE.size),
    fullness: new Float64Array(LATTICE.size),
    inside: new Uint32Array(LATTICE.size),
  };
  const input = { lattice: LATTICE, cellSize: 1, particlesPerCell: PER_CELL, kinds };
  particlesToGrid(input, { count, positions: Float32Array.from(positions), ...still }, undefined, out);
  return out;
}

function volumeOf(positions: readonly number[]): number {
  const kinds = new Uint8Array(LATTICE.size);
  const mask = new Uint8Array(LATTICE.size);
  markSolids({ lattice: LATTICE, cellSize: 1, mask, obstacles: [] }, kinds);
  const { inside, fullness } = transfer(positions, kinds);
  markFluid(LATTICE, inside, kinds);
  return measureVolume(LATTICE, 1, kinds, fullness);
}

/**
 * Returns the relative error of the volume, averaged over offsets of the particles' rows. `density` is a share of the
 * particles of a full cell, `jitter` a share of the spacing. In the `spray` lowest rows of cells, each empty cell gets
 * a particle.
 */
function offBy(inside: Inside, density: number, jitter: number, spray: number): number {
  const random = new Random(5);
  const chance = () => random.nextBits() / 2 ** 32;
  const spacing = 1 / Math.sqrt(PER_CELL * density);
  const area = areaOf(inside);
  const rounds = 12;
  let sum = 0;
  for (let round = 0; round < rounds; round++) {
    const [startX, startY] = [chance(), chance()];
    const positions: number[] = [];
    const taken = new Set<number>();
    for (let row = -1; row <= CELLS / spacing; row++) {
      for (let column = -1; column <= CELLS / spacing; column++) {
        const x = spacing * (column + startX + jitter * (chance() - 0.5));
        const y = spacing * (row + startY + jitter * (chance() - 0.5));
        if (x <= 0 || y <= 0 || x >= CELLS || y >= CELLS || !inside(x, y)) continue;
        positions.push(x, y);
        taken.add(Math.floor(x) + CELLS * Math.floor(y));
      }
    }
    let drops = 0;
    for (let cell = 0; cell < CELLS * spray; cell++) {
      if (taken.has(cell)) continue;
      positions.push((cell % CELLS) + chance(), Math.floor(cell / CELLS) + chance());
      drops++;
    }
    sum += volumeOf(positions) / (area + drops * spacing ** 2) - 1;
  }
  return sum / rounds;
}

describe('volume', () => {
  test.each<[string, Inside, number, number]>([
    ['a pool', (_, y) => y < 6.4, 0, 0.015],
    ['a slope', (x, y) => y < 4 + 0.5 * x, 0, 0.015],
    ['a ball', (x, y) => Math.hypot(x - 8.2, y - 7.7) < 4, 0, 0.025],
    ['a thin layer on the floor', (_, y) => y < 0.5, 0, 0.04],
    ['a sheet in the air', (_, y) => y > 7.3 && y < 8.3, 0, 0.04],
    ['a hollow with spray in it', (x, y) => y < 10 && Math.hypot(x - 8, y - 5) > 2, 10, 0.025],
    ['a gap with spray in it', (_, y) => y < 10 && Math.abs(y - 5.5) > 0.5, 10, 0.05],
  ])('equals the area of %s, whether particles are in rows or not', (_, inside, spray, bound) => {
    for (const jitter of [0.25, 0.9])
      expect(Math.abs(offBy(inside, 1, jitter, spray)), `${jitter}`).toBeLessThan(bound);
  });

  test.each([0.9, 1.1])(
    "equals the particles' area instead of their nominal volume, at density %f",
    (density) => {
      expect(Math.abs(offBy((x, y) => y < 4 + 0.5 * x, density, 0.9, 0))).toBeLessThan(0.02);
    },
  );
});

test('cells beside solids are as full as other cells', () => {
  const kinds = new Uint8Array(LATTICE.size).fill(SOLID);
  const positions: number[] = [];
  for (let y = 0; y < CELLS; y++) {
    for (let x = 0; x < CELLS; x++) {
      if (x === 7 || y === 12) continue;
      kinds[entryAt(LATTICE, x, y, 0)] = AIR;
      for (let part = 0; part < PER_CELL; part++)
        positions.push(x + 0.25 + 0.5 * (part % 2), y + (part < 2 ? 0.25 : 0.75));
    }
  }
  const full = transfer(positions, kinds).fullness.filter((share) => share > 0);
  expect(full.length).toBe(positions.length / (2 * PER_CELL));
  for (const share of full) expect(share).toBeCloseTo(1, 12);
});
