/** Tests simulations of boxes and balls. tests/gpu/device/verify.test.ts tests the scenes of boxes. */
import { describe, expect } from 'vitest';
import { HEAVY_ROW } from '../../../src/core/base/constants';
import { deriveSubstep } from '../../../src/core/contact/settings';
import { planSimulation } from '../../../src/core/simulation/plan';
import type { SimulationOptions } from '../../../src/core/simulation/simulation';
import { decodeCheckpoint, encodeCheckpoint } from '../../../src/core/state/state-file';
import { estimateMemory } from '../../../src/engine/simulation/memory';
import { createSimulation } from '../../../src/engine/simulation/simulation';
import { buildGrid } from '../../../src/reference/grid/grid';
import { measureState } from '../../../src/reference/measure/measure';
import { sweepShapes } from '../../../src/reference/query/shape-pairs';
import { resolveBound } from '../../../src/reference/solve/bound';
import { integrate } from '../../../src/reference/solve/integrate';
import { repeat } from '../../../src/scenes/scene';
import { createNoise } from '../../../src/testing/noise';
import { compareWithin } from '../../../src/verify/simulations';
import { shapedOptions } from '../../helpers/inputs/shaped-simulations';
import { countHeavy } from '../../helpers/inputs/variable-simulations';
import { cornersIn } from '../../helpers/inputs/vectors';
import { expectArraysEqual, type GpuTools, gpuTest, SHARED } from '../../helpers/node-gpu';
import { DIMENSIONS, FOLD } from '../../helpers/passes';

/** A power of two, so that integrating rounds the same way everywhere. */
const DT = 1 / 64;

/** Compares a simulation with the reference, and its pairs with an oracle. Returns the number of pairs. */
async function expectRight(tools: GpuTools, options: SimulationOptions): Promise<number> {
  const simulation = await createSimulation(tools.wrap(), options);
  const { world } = simulation;
  const plan = planSimulation(options);
  const { positions, velocities } = plan;
  const { overlapping, ambiguous } = sweepShapes(world.dimensions, positions, plan, world);
  expect(ambiguous.count).toBe(0);
  expectArraysEqual((await simulation.findPairs()).pairs, overlapping.pairs, 'pairs');
  const start = buildGrid(world, positions, velocities, undefined, plan);
  const expected = measureState(world, plan.diameter, start, plan.settings.broadPhase);
  const measures = await simulation.measure();
  for (const name of ['contacts', 'candidates', 'borderline', 'occupiedCells', 'hash'] as const) {
    expect(measures[name], name).toBe(expected[name]);
  }
  expect(measures.kineticEnergy / expected.kineticEnergy).toBeCloseTo(1, 5);
  expect(measures.deepestOverlap).toBeCloseTo(expected.deepestOverlap, 5);
  const checkpoint = await simulation.checkpoint();
  for (const mode of ['pushApart', 'resolve'] as const) {
    simulation.restore(checkpoint);
    if (mode === 'pushApart') simulation.separate(1);
    else simulation.step(DT);
    const substep = deriveSubstep(world, plan.diameter, simulation.settings, mode === 'pushApart' ? 0 : DT);
    const moved = mode === 'pushApart' ? plan : integrate(world, substep, plan);
    const grid = buildGrid(world, moved.positions, moved.velocities, undefined, plan);
    const finding = compareWithin(
      world,
      await simulation.read(),
      grid,
      resolveBound(world, substep, grid, mode),
    );
    expect(finding.pass, `${mode}: ${finding.detail}`).toBe(true);
  }
  simulation.destroy();
  return overlapping.count;
}

/** Returns options with one large box that overlaps so many small boxes and balls that it is heavy. */
function largeAmongSmall(dimensions: 2 | 3): SimulationOptions {
  const noise = createNoise(5);
  const count = 8 * HEAVY_ROW;
  const edge = 32;
  const corner = cornersIn(dimensions);
  const radii = new Float32Array(count);
  const halfExtents = new Float32Array(dimensions * count);
  radii.fill(1 / 8, 1, count / 2);
  halfExtents.fill(1 / 8, (dimensions * count) / 2);
  halfExtents.fill(4, 0, dimensions);
  const positions = Float32Array.from({ length: dimensions * count }, (_, index) =>
    index < dimensions ? edge / 2 : Math.floor(noise() * edge * 1024) / 1024,
  );
  const velocities = positions.map((_, index) => ((index % 5) - 2) / 4);
  return { dimensions, min: corner(0), max: corner(edge), radii, halfExtents, positions, velocities };
}

describe.each(DIMENSIONS)('a simulation of boxes and balls in %dD', (dimensions) => {
  // `cellstorm verify` has scenes for the other kinds of worlds.
  for (const kind of ['periodic along some axes', 'unbounded'] as const) {
    gpuTest(
      `equals the reference and the oracle, in a world that is ${kind}`,
      async (_, tools) => {
        const settings = { restitution: 0.5, substeps: 1 };
        const options = shapedOptions({ dimensions, kind, count: 257, dyadic: true }, settings);
        expect(await expectRight(tools, options)).toBeGreaterThan(40);
      },
      dimensions === 2 ? SHARED : { ...SHARED, tags: 'full' },
    );
  }

  gpuTest(
    'stays within the bound if the contacts of a large box with many small bodies are split over threads',
    async (_, tools) => {
      const options = { ...largeAmongSmall(dimensions), restitution: 0.5, substeps: 1 };
      await expectRight(tools, options);
      const simulation = await createSimulation(tools.wrap(), options);
      simulation.separate(1);
      expect(await countHeavy(tools, simulation)).toBeGreaterThan(0);
      simulation.destroy();
    },
    dimensions === 2 ? SHARED : { ...SHARED, tags: 'full' },
  );

  gpuTest(
    'gives the same bits in folded dispatches, and if restored from a file after particles were added and removed',
    async (_, tools) => {
      const settings = { substeps: 2, capacity: 210 };
      const room = {
        min: repeat(0, dimensions),
        max: repeat(6, dimensions),
        cellSize: 2,
      };
      const options = shapedOptions({ dimensions, kind: 'bounded', count: 200 }, { ...settings, ...room });
      const more = shapedOptions({ dimensions, kind: 'bounded', count: 8, seed: 3 });
      const hashes = new Set<string>();
      const contacts = new Set<number>();
      for (const [fold, isRestored] of [
        [undefined, false],
        [FOLD, false],
        [undefined, true],
      ] as const) {
        let simulation = await createSimulation(tools.wrap(fold), options);
        simulation.step(DT);
        simulation.remove([1, 2, 3, 150]);
        const { positions, radii, halfExtents } = more;
        expect([...simulation.add({ positions, radii, halfExtents })].slice(0, 5)).toEqual([
          1, 2, 3, 150, 200,
        ]);
        contacts.add((await simulation.measure()).contacts);
        if (isRestored) {
          const file = encodeCheckpoint(await simulation.checkpoint());
          simulation.destroy();
          const { positions: _p, velocities: _v, radii: _r, halfExtents: _h, ...empty } = options;
          simulation = await createSimulation(tools.wrap(), { ...empty, boxes: true });
          simulation.restore(decodeCheckpoint(file));
          const read = await simulation.read();
          expect(read.halfExtents?.subarray(dimensions, 4 * dimensions)).toEqual(
            halfExtents.subarray(0, 3 * dimensions),
          );
          expect(read.radii?.subarray(1, 4)).toEqual(radii.subarray(0, 3));
        }
        for (let step = 0; step < 2; step++) simulation.step(DT);
        const { hash, nonFinite } = await simulation.measure();
        expect(nonFinite).toBe(0);
        hashes.add(hash);
        simulation.destroy();
      }
      expect(hashes.size).toBe(1);
      expect(contacts.size).toBe(1);
    },
    { ...SHARED, tags: 'full' },
  );

  gpuTest(
    'ignores boxes that only touch, pushes coincident boxes apart, and keeps the sizes of quarantined boxes',
    async (_, tools) => {
      const corner = cornersIn(dimensions);
      // A block of unit boxes that just touch, and two coincident boxes.
      const block = Array.from({ length: 27 }, (__, index) =>
        corner(0).map((___, axis) => 2 + (Math.floor(index / 3 ** axis) % 3)),
      ).slice(0, 3 ** dimensions);
      const centres = [...block, corner(12), corner(12)];
      const halves = centres.map((__, index) => corner(0.5).with(0, index < block.length ? 0.5 : 0.25));
      const options: SimulationOptions = {
        dimensions,
        min: corner(0),
        max: corner(16),
        positions: Float32Array.from(centres.flat()),
        halfExtents: Float32Array.from(halves.flat()),
      };
      const simulation = await createSimulation(tools.wrap(), options);
      expect(await simulation.measure()).toMatchObject({ contacts: 1, borderline: 0, outside: 0 });
      simulation.separate(1);
      const { positions } = await simulation.read();
      const pair = positions.subarray(-2 * dimensions);
      // These boxes are thinnest along x. The one with the higher slot, here also the higher id, moves to greater x.
      expect(pair[dimensions]).toBeGreaterThan(pair[0] as number);
      expect([...pair.subarray(1, dimensions), ...pair.subarray(dimensions + 1)]).toEqual(
        new Array(2 * (dimensions - 1)).fill(12),
      );
      expect([...positions.subarray(0, -2 * dimensions)]).toEqual(block.flat());
      simulation.set({ gravity: corner(1e20) });
      simulation.step(DT);
      expect(await simulation.measure()).toMatchObject({ nonFinite: centres.length });
      const { halfExtents } = await simulation.checkpoint();
      expect(halfExtents).toEqual(options.halfExtents);
      simulation.destroy();
    },
    SHARED,
  );

  gpuTest(
    'pushes a ball away from the corner of a box along the line between them, even at a distance of 2⁻⁵⁰',
    async (_, tools) => {
      const corner = cornersIn(dimensions);
      const [half, radius] = [2 ** -40, 2 ** -38];
      // The squared distance rounds to 2⁻¹⁰⁰, the least that does not count as 0. Along y, the ball is 2⁻⁶³ away.
      const apart = corner(0)
        .with(0, half + 2 ** -50)
        .with(1, half + 2 ** -63);
      const simulation = await createSimulation(tools.wrap(), {
        dimensions,
        min: corner(-32 * radius),
        max: corner(32 * radius),
        positions: Float32Array.from([...corner(0), ...apart]),
        radii: Float32Array.of(0, radius),
        halfExtents: Float32Array.from([...corner(half), ...corner(0)]),
      });
      simulation.separate(1);
      const { positions } = await simulation.read();
      const push = apart.map((along, axis) => (positions[dimensions + axis] as number) - along);
      expect(push[0]).toBeGreaterThan(0);
      expect((push[1] as number) / (push[0] as number) / 2 ** -13).toBeCloseTo(1, 1);
      simulation.destroy();
    },
    SHARED,
  );

  gpuTest(
    'takes as much memory as estimated',
    async (_, tools) => {
      const simulation = await createSimulation(
        tools.wrap(),
        shapedOptions({ dimensions, kind: 'bounded', count: 5000 }),
      );
      const { levels, cellCount } = simulation.world;
      const estimated = estimateMemory(dimensions, 5000, cellCount, 'bounded', { levels, boxes: true });
      expect(Math.abs(estimated / simulation.memoryBytes - 1)).toBeLessThan(0.02);
      const without = estimateMemory(dimensions, 5000, cellCount, 'bounded', { levels });
      expect(estimated - without).toBe(5000 * 32);
      simulation.destroy();
    },
    SHARED,
  );
});
