import { describe, expect } from 'vitest';
import type { FluidOptions } from '../../../../../src/methods/fluid';
import { type FluidPlan, planFluid } from '../../../../../src/methods/fluid/options';
import { shapeOf } from '../../../../../src/page/view/fluid/uniforms';
import { readVolume } from '../../../../helpers/fluid-pictures';
import { gpuTest, SHARED } from '../../../../helpers/node-gpu';

const TANK: FluidOptions = { dimensions: 3, cells: [8, 6, 4], cellSize: 0.25 };
/** Voxels of the tank along each axis, two per cell. */
const [WIDTH, HEIGHT, DEPTH] = [16, 12, 8];

/** One particle in the middle of each voxel in which `isIn` returns true. */
function lattice(isIn: (x: number, y: number, z: number) => boolean): Float32Array {
  const positions: number[] = [];
  for (let z = 0; z < DEPTH; z++) {
    for (let y = 0; y < HEIGHT; y++) {
      for (let x = 0; x < WIDTH; x++) {
        if (isIn(x, y, z)) positions.push(0.125 * (x + 0.5), 0.125 * (y + 0.5), 0.125 * (z + 0.5));
      }
    }
  }
  return Float32Array.from(positions);
}

describe('the volume of a fluid', () => {
  gpuTest(
    'has density 1 in a full tank, up to the walls',
    async (_, tools) => {
      const { densities } = await readVolume(tools, { ...TANK, positions: lattice(() => true) });
      expect(densities.length).toBe(WIDTH * HEIGHT * DEPTH);
      for (const density of densities) expect(density).toBeCloseTo(1, 3);
    },
    SHARED,
  );

  gpuTest(
    'counts every particle once, wherever it is',
    async (_, tools) => {
      const positions = Float32Array.of(1, 0.75, 0.5, 0.01, 0.01, 0.01, 1.99, 1.49, 0.99, 1.3, 0.7, 0.33);
      const { densities } = await readVolume(tools, { ...TANK, positions });
      const sum = densities.reduce((total, density) => total + density, 0);
      expect(sum).toBeCloseTo(positions.length / 3, 1);
    },
    SHARED,
  );

  gpuTest(
    'has density 1 up to a solid, and ½ at the level of the fluid',
    async (_, tools) => {
      const solids = ([x = 0]: readonly number[]) => x > 1;
      const positions = lattice((x, y) => x < WIDTH / 2 && y < HEIGHT / 2);
      const { at } = await readVolume(tools, { ...TANK, solids, positions });
      expect(at(2, 2, 4)).toBeCloseTo(1, 3);
      // A quarter of the space from which this voxel gathers is solid. The shader corrects for it, but not exactly.
      expect(at(7, 2, 4)).toBeGreaterThan(0.85);
      expect(at(7, 2, 4)).toBeLessThan(1.15);
      expect(0.5 * (at(2, 5, 4) + at(2, 6, 4))).toBeCloseTo(0.5, 2);
      expect(at(2, 10, 4)).toBe(0);
    },
    SHARED,
  );

  gpuTest(
    'gives each voxel the mean colour value of its particles, from 0 to 1',
    async (_, tools) => {
      const wanted = { velocityOf: ([x = 0]: readonly number[]) => [x > 1 ? 0.75 : 0.25, 0, 0] };
      const { shares } = await readVolume(tools, { ...TANK, positions: lattice(() => true) }, wanted);
      expect(shares[0]).toBeCloseTo(0.25, 2);
      expect(shares[WIDTH - 1]).toBeCloseTo(0.75, 2);
      expect(((shares[7] as number) + (shares[8] as number)) / 2).toBeCloseTo(0.5, 2);
    },
    SHARED,
  );

  gpuTest(
    'lists the particles outside the fluid',
    async (_, tools) => {
      const pool = lattice((_x, y) => y < HEIGHT / 2);
      const positions = Float32Array.of(...pool, 1, 1.4, 0.5, 0.4, 1.3, 0.3);
      const { drops } = await readVolume(tools, { ...TANK, positions });
      expect(drops).toContain(pool.length / 3);
      expect(drops).toContain(pool.length / 3 + 1);
      // Particles at the surface may be listed, too, as drops without a size; particles below it are not.
      expect(new Set(drops).size).toBe(drops.length);
      for (const slot of drops) expect(positions[3 * slot + 1]).toBeGreaterThan(0.125 * (HEIGHT / 2 - 1));
    },
    SHARED,
  );

  gpuTest(
    'has at most 2,048 voxels along an axis, and in all at most 2²³ on a hardware GPU or 2¹⁸ on a software GPU',
    () => {
      const shape = (cells: readonly number[], isSoftware: boolean) => {
        const plan = planFluid({ dimensions: 3, cells, cellSize: 1 });
        return shapeOf(plan as FluidPlan, isSoftware).voxels;
      };
      const count = ([x, y, z]: readonly [number, number, number]) => x * y * z;
      expect(shape([8, 6, 4], true)).toEqual([WIDTH, HEIGHT, DEPTH]);
      expect(count(shape([400, 200, 200], false))).toBeLessThanOrEqual(2 ** 23);
      expect(count(shape([400, 200, 200], false))).toBeGreaterThan(2 ** 22.9);
      expect(count(shape([400, 200, 200], true))).toBeLessThanOrEqual(2 ** 18);
      expect(shape([4096, 4, 4], false)).toEqual([2048, 8, 8]);
    },
  );
});
