/** The fluid: properties of each stage, the documented guarantees on the CPU at small sizes, and rejected options. */
import { beforeEach, describe, expect, test } from 'vitest';
import { type StructInfo, WgslReflect } from 'wgsl_reflect/wgsl_reflect.module.js';
import { linkShader } from '../../../src/gpu/link';
import { createCpuFluid, type FluidOptions, fluidWarnings } from '../../../src/methods/fluid';
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
} from '../../../src/methods/fluid/lattice';
import type { FluidPlan } from '../../../src/methods/fluid/options';
import {
  encodeFrame,
  FRAME_BYTES,
  FRAME_OFFSETS,
  LEVEL_FIELDS,
} from '../../../src/methods/fluid/passes/frame';
import { describeFluidKernel } from '../../../src/methods/fluid/passes/kernel';
import { kernelSources, WEIGHINGS, weighing } from '../../../src/methods/fluid/passes/kernels';
import { Corners } from '../../../src/methods/fluid/reference/corners';
import { MOST_LOWERING, MOST_SLOWING, settlement } from '../../../src/methods/fluid/reference/energy';
import { assemble, correctionRate } from '../../../src/methods/fluid/reference/equations';
import {
  coarsen,
  createHierarchy,
  cycle,
  type Hierarchy,
} from '../../../src/methods/fluid/reference/multigrid';
import { keepOut } from '../../../src/methods/fluid/reference/particles';
import { solvePressure } from '../../../src/methods/fluid/reference/pressure';
import { extrapolate } from '../../../src/methods/fluid/reference/project';
import { particlesToGrid } from '../../../src/methods/fluid/reference/transfer';
import { isInRegion } from '../../../src/methods/fluid/regions';
import {
  checkDamBreak,
  checkGentleWave,
  checkHydrostatic,
  checkRepeats,
  checkSpin,
  damBreak,
  fluidOpener,
  gentleWave,
} from '../../../src/verify/fluid';
import { CELLAR, denseFluid } from '../../helpers/inputs/fluids';

const DIMENSIONS = [2, 3] as const;

/** Returns a field of the uniforms for a substep of `dt`. */
function frameOf(plan: FluidPlan, field: string, dt: number): Float32Array {
  const frame = encodeFrame({ plan, couplingSize: 1, grid: { cells: [6, 6] }, count: 0, dt, obstacles: [] });
  return new Float32Array(frame, new Map(FRAME_OFFSETS).get(field), 4);
}

/** Returns a generator of numbers from 0 to 1, the same in every run. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('shaders of the fluid', () => {
  const sources = [...Object.values(kernelSources(true)), ...WEIGHINGS.map(weighing)];

  test.each(DIMENSIONS)('declare the same uniforms in %dD as the host', (dimensions) => {
    const { structs } = new WgslReflect(
      linkShader(describeFluidKernel(dimensions, kernelSources(true).project)).code,
    );
    const fieldsOf = (name: string) =>
      structs.find((struct: StructInfo) => struct.name === name) as StructInfo;
    const offsets = (struct: StructInfo) => struct.members.map(({ name, offset }) => [name, offset]);
    expect(offsets(fieldsOf('Frame'))).toEqual(FRAME_OFFSETS);
    expect(offsets(fieldsOf('Level'))).toEqual(LEVEL_FIELDS.map((name, index) => [name, 16 * index]));
    expect(fieldsOf('Frame').size).toBe(FRAME_BYTES);
  });

  test('use no more storage buffers than every device supports', () => {
    for (const { name, bindings } of sources) {
      const storage = Object.values(bindings).filter((kind) => Array.isArray(kind));
      expect(storage.length, name).toBeLessThanOrEqual(8);
    }
  });
});

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
    const next = numbers(3);
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

  test.each([false, true])('keep velocities that are equal for all particles (slopes: %s)', (affine) => {
    const next = numbers(7);
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
  });

  test('extrapolate velocities from known faces only, and not from far away', () => {
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

  test('keep particles out of solid cells and let them slide along', () => {
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

  test('solve pressure: the cycle is symmetric, the residual is right, iterations hardly grow', () => {
    const next = numbers(11);
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

/** Fluid below a wavy surface, around a solid block. */
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

describe('a fluid on the CPU', () => {
  const open = fluidOpener(undefined);
  /** The progress reports of a check. */
  const reports: string[] = [];
  const report = (done: number, total: number) => reports.push(`${done} of ${total}`);
  beforeEach(() => reports.splice(0));

  // Long enough for the wave to return from the far wall, and for the splash to fall into it.
  test.each([
    [2, 16, 110, 'flip'],
    [2, 16, 110, 'apic'],
    [3, 8, 20, 'flip'],
  ] as const)(
    'keeps volume, divergence and energy in a dam break in %dD',
    async (dimensions, cells, steps, transfer) => {
      const { pass, detail } = await checkDamBreak(open, damBreak(dimensions, cells, { transfer }), steps);
      expect(pass, detail).toBe(true);
    },
  );

  test('fails a check if any step is wrong, not only the last', async () => {
    const opened = async (options: FluidOptions) => {
      const fluid = createCpuFluid(options);
      const measure = fluid.measure.bind(fluid);
      let measured = 0;
      // The check measures before the first step and after each step.
      fluid.measure = () => ({ ...measure(), ...(measured++ === 1 ? { outside: 1 } : {}) });
      return fluid;
    };
    expect((await checkDamBreak(opened, damBreak(2, 8), 2)).pass).toBe(false);
    expect((await checkDamBreak(open, damBreak(2, 8), 2, report)).pass).toBe(true);
    expect(reports).toEqual(['1 of 2', '2 of 2']);
  });

  test.each([
    [2, 16, 20],
    [3, 8, 10],
  ] as const)('has the hydrostatic pressure at rest in %dD', async (dimensions, cells, steps) => {
    const { pass, detail } = await checkHydrostatic(open, dimensions, cells, steps, report);
    expect(pass, detail).toBe(true);
    expect(reports).toHaveLength(steps);
    expect(reports.at(-1)).toBe(`${steps} of ${steps}`);
  });

  test('keeps more angular momentum with APIC than with PIC', async () => {
    const { pass, detail } = await checkSpin(open, 2, 16, report);
    expect(pass, detail).toBe(true);
    expect(reports).toEqual(Array.from({ length: 180 }, (_, step) => `${step + 1} of 180`));
  });

  test('has the same bits in every run, with a moving obstacle', async () => {
    const obstacles = [{ shape: 'ball', position: [1, 0.2], radius: 0.2, velocity: [-0.5, 0] }] as const;
    const { pass, detail } = await checkRepeats(
      open,
      damBreak(2, 12, { transfer: 'apic', obstacles }),
      20,
      report,
    );
    expect(pass, detail).toBe(true);
    expect(reports).toEqual(Array.from({ length: 60 }, (_, step) => `${step + 1} of 60`));
  });

  test.each(['flip', 'apic'] as const)(
    'removes energy growth from velocities and heights: %s',
    (transfer) => {
      const options = { ...gentleWave(12), transfer };
      const free = createCpuFluid({ ...options, restraint: 0 });
      free.step(1 / 2, 60);
      const checkpoint = free.checkpoint();
      const { energy: before } = free.measure();
      const after = [0, 1e-9, 0.001, 1].map((restraint) => {
        const fluid = createCpuFluid(options);
        fluid.restore(checkpoint);
        fluid.set({ restraint });
        fluid.step(1 / 120, 1);
        const { energy, kineticEnergy } = fluid.measure();
        return { growth: energy / before - 1, kineticEnergy };
      });
      const [grown = 0, ...kept] = after.map(({ growth }) => growth);
      expect(grown).toBeGreaterThan(5e-6);
      for (const growth of kept) expect(Math.abs(growth)).toBeLessThan(2e-8);
      const kinetic = after.map(({ kineticEnergy }) => kineticEnergy);
      expect(kinetic).toEqual(kinetic.toSorted((left, right) => right - left));
      expect(kinetic.at(-1)).toBeLessThan(kinetic[0] as number);
    },
  );

  test('gains no energy when its last bubble closes', () => {
    const fill = [{ min: [0, 0], max: [1.9, 1], velocity: [2, 0] }];
    const fluid = createCpuFluid(damBreak(2, 12, { transfer: 'pic', fill }));
    let { energy: lowest } = fluid.measure();
    for (let step = 0; step < 6; step++) {
      fluid.step(1 / 60);
      const { energy } = fluid.measure();
      expect(energy / lowest - 1).toBeLessThan(2e-6);
      lowest = energy;
    }
  });

  test.each(['flip', 'apic'] as const)(
    'stays calm with %s in a closed room without air next to another room',
    (transfer) => {
      const fluid = createCpuFluid({ ...CELLAR, transfer });
      for (let step = 0; step < 30; step++) {
        fluid.step(1 / 60);
        expect(fluid.measure().greatestSpeed).toBeLessThan(0.5);
      }
      const seen = fluid.measure();
      expect(seen.volume / seen.nominalVolume).toBeCloseTo(1, 2);
      expect(seen.divergenceAfter / seen.divergenceBefore).toBeLessThan(0.01);
      expect(fluidWarnings(seen, fluid)).toEqual([
        expect.stringMatching(/^\d+ of 60 substeps ended with more than/),
      ]);
    },
  );

  test('swells if it starts in too small a room', () => {
    const [free = 0, little = 0, whole = 0] = [0, 0.05, 1].map((restraint) => {
      const fluid = createCpuFluid({ ...denseFluid(), restraint });
      const before = fluid.measure().energy;
      fluid.step(1 / 120, 1);
      return fluid.measure().energy / before - 1;
    });
    expect(free).toBeGreaterThan(0.01);
    expect(little).toBeLessThan(free);
    expect(whole).toBeLessThan(little);
    expect(whole).toBeGreaterThan(0.01);
  });

  // Density correction changes velocities by a share of a cell per substep.
  test.each([
    ['flip', 1e-4],
    ['apic', 1e-6],
  ] as const)('gains no energy by %s in substeps of %f s', (transfer, dt) => {
    const fluid = createCpuFluid(damBreak(2, 8, { transfer }));
    const { energy: before } = fluid.measure();
    for (let step = 0; step < 10; step++) {
      fluid.step(16 * dt, 16);
      expect(fluid.measure().energy / before - 1).toBeLessThan(2e-6);
    }
  });

  test.each([
    [1 / 60, [0, 0], 60],
    [1 / 240, [0, 0], 120],
    [1 / 240, [0, -1e-9], 120],
    [1 / 240, [60, -80], 200],
    [1 / 60, [60, -80], 60],
  ] as const)(
    'corrects density in substeps of %f s with gravity %o at a rate of %f per second, on both engines',
    (dt, gravity, rate) => {
      const { plan } = createCpuFluid({ dimensions: 2, cells: [4, 4], cellSize: 1, gravity });
      expect(correctionRate(plan, dt)).toBeCloseTo(rate, 10);
      expect(Array.from(frameOf(plan, 'scale', dt))).toEqual([dt, 1, 1, rate].map(Math.fround));
    },
  );

  test.each([
    [0, 0],
    [1e-50, 2 ** -126],
    [0.5, 0.5],
  ])('passes restraint %f to the GPU', (restraint, expected) => {
    const { plan } = createCpuFluid({ dimensions: 2, cells: [4, 4], cellSize: 1, restraint });
    expect(frameOf(plan, 'gravity', 1 / 120)[3]).toBe(expected);
  });

  test('keeps energy from growing without stopping a gentle wave', async () => {
    const { pass, detail } = await checkGentleWave(open, 12, 110);
    expect(pass, detail).toBe(true);
  });

  test('computes from the sums how to remove gained energy', () => {
    const sums = { growth: 0, kinetic: 10, along: 2, squared: 1, potential: 200 };
    const nothing = { share: 0, scale: 1, lowering: 0 };
    expect(settlement({ ...sums, gain: -1 }, 0.5)).toEqual(nothing);
    const { share, ...rest } = settlement({ ...sums, gain: 1 }, 0.5);
    expect(share * 2 - share ** 2 / 2).toBeCloseTo(1, 12);
    expect(rest).toEqual({ scale: 1, lowering: 0 });
    // The velocities beside the lattice's give 1.5, half of the rest 4.25, and lowering at most 2.
    const slowed = (taken: number) => ({ share: 1, scale: Math.sqrt(1 - taken / 8.5) });
    expect(settlement({ ...sums, gain: 2.5 }, 0.5)).toEqual({ ...slowed(1), lowering: 0 });
    expect(settlement({ ...sums, gain: 5.85 }, 0.5)).toEqual({
      ...slowed(4.25),
      lowering: expect.closeTo(0.0005, 12),
    });
    expect(settlement({ ...sums, gain: 99 }, 0.5)).toEqual({ ...slowed(4.25), lowering: MOST_LOWERING });
    // If both do not suffice, the rest is taken from velocities, up to a share.
    expect(settlement({ ...sums, gain: 1.8 }, 0.01)).toEqual({
      ...slowed(0.1),
      lowering: expect.closeTo(MOST_LOWERING, 12),
    });
    expect(settlement({ ...sums, gain: 99 }, 0.01)).toEqual({
      ...slowed(8.5 * MOST_SLOWING),
      lowering: MOST_LOWERING,
    });
    // Or up to the growth of kinetic energy, minus what was already removed.
    const grown = (growth: number) => settlement({ ...sums, gain: 99, growth }, 0.01);
    expect(grown(4)).toEqual({ ...slowed(2.5), lowering: MOST_LOWERING });
    expect(grown(99)).toEqual({ ...slowed(8.5), lowering: MOST_LOWERING });
    expect(settlement({ ...sums, gain: 2.7, growth: 99 }, 0.01).scale).toBeCloseTo(slowed(1).scale, 12);
    // Without gravity all is taken from velocities; without motion nothing can be removed.
    expect(settlement({ ...sums, potential: 0, gain: 8.75 }, 0.5)).toEqual({ ...slowed(7.25), lowering: 0 });
    const empty = { gain: 1, growth: 0, kinetic: 0, along: 0, squared: 0, potential: 0 };
    expect(settlement(empty, 1)).toEqual(nothing);
  });

  test('is displaced by an obstacle and stays out of solid cells', () => {
    const fluid = createCpuFluid({
      dimensions: 2,
      cells: [24, 12],
      cellSize: 1 / 12,
      fill: [{ min: [0, 0], max: [2, 0.5] }],
      solids: ([x = 0, y = 0]) => x > 1.4 && x < 1.6 && y < 0.3,
      obstacles: [{ shape: 'box', position: [-0.3, 0.4], halfExtents: [0.3, 0.4], velocity: [2, 0] }],
    });
    for (let step = 0; step < 20; step++) fluid.advance(1 / 60);
    const { positions } = fluid.read();
    for (let first = 0; first < positions.length; first += 2) {
      const [x = 0, y = 0] = positions.subarray(first);
      // The box has moved by 2/3; keeping particles apart may push back by less than half a cell.
      if (y < 0.75) expect(x).toBeGreaterThan(2 / 3 - 0.04);
    }
    expect(fluid.measure()).toMatchObject({ inSolid: 0, outside: 0, nonFinite: 0 });
  });

  test('adds and removes particles, up to its capacity', () => {
    const fluid = createCpuFluid({
      dimensions: 2,
      cells: [4, 4],
      cellSize: 1,
      capacity: 3,
      transfer: 'apic',
    });
    const ids = fluid.add({
      positions: Float32Array.of(1, 1, 2, 2),
      velocities: Float32Array.of(1, 0, 0, 1),
    });
    fluid.step(1 / 60);
    expect(() => fluid.add({ positions: new Float32Array(4).fill(1) })).toThrow(/capacity/);
    expect(() => fluid.add({ positions: Float32Array.of(9, 1) })).toThrow(
      'positions[0] (particle 0) is 9, but it must be a number from 0 to 4, inside the tank.',
    );
    fluid.step(1 / 60);
    expect(fluid.count).toBe(2);
    fluid.remove(ids.subarray(0, 1));
    expect(fluid.drain({ centre: [0, 0], radius: 1 })).toBe(0);
    expect(fluid.drain({ min: [0, 0], max: [4, 4] })).toBe(1);
    fluid.step(1 / 60);
    expect(fluid.measure()).toMatchObject({ count: 0, substeps: 6, volume: 0 });
  });

  test('ignores particles that are not finite, and counts them and those that are too fast', () => {
    const fluid = createCpuFluid(damBreak(2, 8));
    const { velocities } = fluid.particles.buffers;
    // Ignored particles need no substeps.
    velocities[0] = Number.POSITIVE_INFINITY;
    expect(fluid.advance(1 / 60)).toBe(1);
    fluid.particles.buffers.velocities[2] = 1e4;
    fluid.step(1 / 60, 1);
    expect(fluid.measure()).toMatchObject({ nonFinite: 1, outside: 0 });
    expect(fluid.measure().tooFast).toBeGreaterThan(0);
    expect(fluidWarnings(fluid.measure(), fluid)).toEqual([
      expect.stringMatching(
        /^\d+ of 144 particles would have moved farther than 2 cells in a substep and were slowed down/,
      ),
      '1 of 144 particles are not finite; the fluid ignores them.',
    ]);
  });

  test.each([
    ['solids without fluid', { solids: () => true, fill: [] }],
    ['fluid in solids only', { fill: [{ min: [0, 0], max: [0.4, 1] }] }],
    ['an obstacle as large as the tank', { obstacles: [{ shape: 'ball', position: [0.5, 0.5], radius: 9 }] }],
    [
      'no forces, the lightest fluid',
      { gravity: [0, 0], density: 1e-6, blend: 1, correction: 0, separation: 0 },
    ],
    ['one particle', { fill: [], positions: Float32Array.of(0.75, 0.75) }],
    ['the smallest tank, full', { cells: [2, 2], solids: undefined, fill: [{ min: [0, 0], max: [1, 1] }] }],
  ] as const)('continues with %s', (name, changes) => {
    const solids = ([x = 0]: readonly number[]) => x < 0.5;
    const fill = [{ min: [0, 0], max: [1, 0.5] }];
    const options = {
      dimensions: 2,
      cells: [6, 6],
      cellSize: 1 / 6,
      solids,
      fill,
      ...changes,
    } as FluidOptions;
    if (name === 'solids without fluid') {
      expect(() => createCpuFluid(options)).toThrow('solids is');
      return;
    }
    const fluid = createCpuFluid(options);
    for (let step = 0; step < 3; step++) fluid.step(1 / 60);
    const seen = fluid.measure();
    for (const [figure, value] of Object.entries(seen).flatMap(([key, own]) =>
      [own].flat().map((one) => [key, one]),
    ))
      if (typeof value === 'number') expect(value, `${figure}`).not.toBeNaN();
    expect(seen).toMatchObject({ nonFinite: 0, outside: 0, count: fluid.count });
    const isEmpty = name === 'fluid in solids only';
    expect(fluidWarnings(seen, fluid)).toEqual(isEmpty ? [expect.stringMatching(/^There is no fluid/)] : []);
  });
});

test('a CPU simulation uses positions and velocities that the caller wrote', async () => {
  const { createCpuSimulation } = await import('../../../src/cpu');
  const simulation = createCpuSimulation({
    dimensions: 2,
    radius: 0.5,
    positions: Float32Array.of(1, 1, 5, 5),
    min: [0, 0],
    max: [8, 8],
  });
  simulation.separate(1);
  const { positions, velocities, ids } = simulation.buffers;
  expect(positions.length).toBe(4);
  positions.set([1.25, 1], 2 * ids.indexOf(1));
  velocities.set([0, 2], 2 * ids.indexOf(1));
  simulation.separate(1);
  const { positions: apart, velocities: kept } = simulation.read();
  expect(apart[0]).toBeLessThan(1);
  expect(apart[2]).toBeGreaterThan(1.25);
  expect(Array.from(kept)).toEqual([0, 0, 0, 2]);
});

test.each([
  ['a ball', [{ centre: [1.1, 1.3], radius: 0.77 }], Math.PI * 0.77 ** 2],
  [
    'boxes across each other',
    [
      { min: [0.3, 0], max: [1, 2] },
      { min: [0, 0.55], max: [2, 1.1] },
    ],
    2.115,
  ],
] as const)('a fluid fills only %s, with the planned number of particles', (_, fill, area) => {
  const cellSize = 1 / 8;
  const { positions, count } = createCpuFluid({ dimensions: 2, cells: [16, 16], cellSize, fill }).plan;
  expect(Math.abs((count * cellSize ** 2) / 4 / area - 1)).toBeLessThan(0.03);
  for (let first = 0; first < positions.length; first += 2) {
    const position = Array.from(positions.subarray(first, first + 2));
    expect(
      fill.some((region) => isInRegion(region, position)),
      `${position}`,
    ).toBe(true);
  }
});

describe('a fluid rejects', () => {
  const base: FluidOptions = { dimensions: 2, cells: [4, 4], cellSize: 1 };
  test.each<[Partial<Record<keyof FluidOptions, unknown>>, string]>([
    [{ cells: [1, 4] }, 'cells[0] is 1, but it must be a whole number from 2 to 4096.'],
    [{ cells: [4096, 4096.5] }, 'cells[1] is 4096.5, but it must be a whole number from 2 to 4096.'],
    [{ dimensions: 3 }, 'cells is [4, 4], but it must be 3 whole numbers.'],
    [
      { cellSize: Number.NaN },
      'cellSize is NaN, but it must be a number from 9.5367431640625e-7 to 1048576.',
    ],
    [{ particlesPerCell: 5 }, 'particlesPerCell is 5, but it must be 1, 4, 9 or 16.'],
    [{ transfer: 'mpm' }, `transfer is "mpm", but it must be 'flip', 'pic' or 'apic'.`],
    [{ transfer: 'apic', blend: 0.5 }, "blend is 0.5, but it must be left out, unless transfer is 'flip'."],
    [{ solids: [1, 0] }, 'solids is [1, 0], but it must be a function or 16 numbers, one per cell.'],
    [
      { solids: () => true },
      'solids is () => true, but it must be a mask that leaves at least one cell free.',
    ],
    [{ tolerance: 0 }, 'tolerance is 0, but it must be a number from 0.000001 to 0.5.'],
    [
      { gravity: [0, Number.NaN] },
      'gravity[1] is NaN, but it must be a finite number that fits 32-bit floats.',
    ],
    [
      { viscosity: 1 } as never,
      'options.viscosity is 1, but it must be left out or renamed to one of dimensions, cells',
    ],
    [
      { obstacles: [{ shape: 'cone', position: [1, 1] }] },
      `obstacles[0].shape is "cone", but it must be 'ball' or 'box'.`,
    ],
    [
      { fill: [{ min: [0, 0], max: [4, 4] }], capacity: 10 },
      'The fluid begins with 64 particles, but capacity is 10; it must be at least as large.',
    ],
    [{ obstacles: [null] }, `obstacles[0].shape is undefined, but it must be 'ball' or 'box'.`],
    [{ capacity: 0, fill: [{ min: [0, 0], max: [4, 4] }] }, 'capacity is 0, but it must be a whole number'],
    [
      { positions: Float32Array.of(5, 1) },
      'positions[0] (particle 0) is 5, but it must be a number from 0 to 4',
    ],
  ])('%o', (changes, message) => {
    expect(() => createCpuFluid({ ...base, ...changes } as FluidOptions)).toThrow(message);
  });

  test('too many particles, before it allocates any', () => {
    const fill = [{ min: [0, 0, 0], max: [256, 256, 256] }];
    const wish = { dimensions: 3, cells: [160, 160, 100], cellSize: 1, particlesPerCell: 27, fill } as const;
    expect(() => createCpuFluid(wish)).toThrow(
      'The fluid begins with 69120000 particles, but at most 67108864 are accepted; fill less',
    );
  });

  test('invalid time steps, and calls after destroy', () => {
    const fluid = createCpuFluid(base);
    for (const substeps of [0, 1.5, Number.NaN, 65])
      expect(() => fluid.step(0.1, substeps)).toThrow(
        `substeps is ${substeps}, but it must be a whole number`,
      );
    expect(fluid.time).toBe(0);
    for (const dt of [Number.NaN, -1, 1e-9])
      for (const call of ['step', 'advance'] as const)
        expect(() => fluid[call](dt)).toThrow(/^dt is .*, but it must be 0, or from/);
    expect(() => fluid.advance(0.1, 0)).toThrow('most is 0, but it must be a whole number from 1 to 64.');
    fluid.destroy();
    expect(() => fluid.step(0.1)).toThrow('This CpuFluid was destroyed');
  });
});
