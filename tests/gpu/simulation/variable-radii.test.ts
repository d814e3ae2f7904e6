/** Tests that simulations with variable radii stay within the error bound. src/verify/verify.ts tests their scenes. */
import { describe, expect } from 'vitest';
import { HEAVY_ROW, MOST_LOAD } from '../../../src/core/base/constants';
import { deriveSubstep } from '../../../src/core/contact/settings';
import { planSimulation } from '../../../src/core/simulation/plan';
import type { SimulationOptions } from '../../../src/core/simulation/simulation';
import { decodeCheckpoint, encodeCheckpoint } from '../../../src/core/state/state-file';
import { createSimulation } from '../../../src/engine/simulation/simulation';
import { buildGrid } from '../../../src/reference/grid/grid';
import { resolveBound } from '../../../src/reference/solve/bound';
import { minimumImageInDoubles } from '../../../src/reference/solve/contact';
import { integrate } from '../../../src/reference/solve/integrate';
import { ReferenceSimulation } from '../../../src/reference/solve/simulation';
import { createNoise } from '../../../src/testing/noise';
import { compareWithin } from '../../../src/verify/simulations';
import { inPairs } from '../../helpers/inputs/pairs';
import { countHeavy, type VariableOptions, variableOptions } from '../../helpers/inputs/variable-simulations';
import { cornersIn } from '../../helpers/inputs/vectors';
import { expectArraysEqual, type GpuTools, gpuTest, SHARED, SHARED_CASE } from '../../helpers/node-gpu';
import { DIMENSIONS, FOLD } from '../../helpers/passes';

/** A power of two, so that integrating rounds the same way everywhere. */
const DT = 1 / 64;

async function expectBounded(tools: GpuTools, options: VariableOptions): Promise<void> {
  for (const mode of ['pushApart', 'resolve'] as const) {
    // Without gravity, there would be no loads after the step.
    const gravity = [0.5, -9.8, 0.25].slice(0, options.dimensions);
    const settings = { restitution: 0.5, substeps: 1, gravity };
    const simulation = await createSimulation(tools.wrap(), { ...options, ...settings });
    const { world } = simulation;
    // Start with loads, so that the first substep uses them.
    const loads = options.radii.map((_, index) => [0, 1.3, 700.7][index % 3] as number);
    simulation.restore({ ...(await simulation.checkpoint()), loads });
    if (mode === 'pushApart') simulation.separate(1);
    else simulation.step(DT);
    const { diameter } = planSimulation(options);
    const substep = deriveSubstep(world, diameter, simulation.settings, mode === 'pushApart' ? 0 : DT);
    const moved = mode === 'pushApart' ? options : integrate(world, substep, options);
    const grid = buildGrid(world, moved.positions, moved.velocities, undefined, {
      radii: options.radii,
      loads,
    });
    const bound = resolveBound(world, substep, grid, mode);
    const finding = compareWithin(world, await simulation.read(), grid, bound);
    expect(finding.pass, `${mode}: ${finding.detail}`).toBe(true);
    simulation.destroy();
  }
}

/** Returns options with one large particle that overlaps so many small ones that it is heavy. */
function largeAmongSmall(dimensions: 2 | 3, kind: 'bounded' | 'unbounded'): VariableOptions {
  const noise = createNoise(5);
  const count = 8 * HEAVY_ROW;
  const edge = 32;
  const positions = Float32Array.from({ length: dimensions * count }, (_, index) =>
    index < dimensions ? edge / 2 : Math.floor(noise() * edge * 1024) / 1024,
  );
  const velocities = positions.map((_, index) => ((index % 5) - 2) / 4);
  const radii = new Float32Array(count).fill(1 / 8);
  radii[0] = 8;
  const corner = cornersIn(dimensions);
  const world = kind === 'unbounded' ? { unbounded: true } : { min: corner(0), max: corner(edge) };
  return { dimensions, ...world, radii, positions, velocities };
}

async function hashAfter(tools: GpuTools, options: SimulationOptions, fold?: number): Promise<string> {
  const simulation = await createSimulation(tools.wrap(fold), options);
  for (let step = 0; step < 4; step++) simulation.step(DT);
  const { hash } = await simulation.measure();
  simulation.destroy();
  return hash;
}

describe.each(DIMENSIONS)('a simulation with variable radii in %dD', (dimensions) => {
  const LONG = dimensions === 2 ? SHARED : ({ ...SHARED, tags: 'full' } as const);
  gpuTest(
    'stays within the bound if only some axes are periodic, with radii that range over 1:64',
    async (_, tools) => {
      const request = { dimensions, kind: 'periodic along some axes', count: 300, ratio: 64 } as const;
      await expectBounded(tools, variableOptions(request));
    },
    { ...LONG, tags: 'full' },
  );

  gpuTest(
    'gives a particle between two others MOST_LOAD in weak gravity, and no load in even weaker gravity',
    async (_, tools) => {
      // Two balls approach each ball of radius 0.5 from opposite sides. Each triple lies in another direction.
      const positions: number[] = [];
      const velocities: number[] = [];
      const triples = 16;
      for (let triple = 0; triple < triples; triple++) {
        const angle = (triple * Math.PI) / triples;
        const way = [Math.cos(angle), Math.sin(angle), 0].slice(0, dimensions);
        for (const side of [0, 1, -1]) {
          positions.push(...way.map((along, axis) => (axis === 0 ? 8 * triple : 0) + side * along));
          velocities.push(...way.map((along) => -side * along));
        }
      }
      const options: SimulationOptions = {
        dimensions,
        unbounded: true,
        positions: Float32Array.from(positions),
        velocities: Float32Array.from(velocities),
        radii: Float32Array.from({ length: 3 * triples }, (_value, index) => (index % 3 === 0 ? 0.5 : 0.75)),
        friction: 0,
        substeps: 1,
      };
      const loadsAt = async (gravity: number) => {
        const simulation = await createSimulation(tools.wrap(), {
          ...options,
          gravity: cornersIn(dimensions)(0).with(1, -gravity),
        });
        simulation.step(DT);
        const { loads } = await simulation.read();
        simulation.destroy();
        return Array.from(loads as Float32Array);
      };
      const outer = (loads: number[]) => loads.filter((_load, index) => index % 3 > 0);
      const middle = (loads: number[]) => loads.filter((_load, index) => index % 3 === 0);
      const weak = await loadsAt(2 ** -24);
      expect(new Set(middle(weak))).toEqual(new Set([MOST_LOAD]));
      expect(new Set(outer(weak))).toEqual(new Set([0]));
      expect(new Set(await loadsAt(2 ** -60))).toEqual(new Set([0]));
    },
    { ...SHARED, tags: 'full' },
  );

  const kinds = ['bounded', 'unbounded', 'periodic', 'periodic along some axes'] as const;
  describe.each(kinds)('in a world that is %s', (kind) => {
    gpuTest(
      'finds new overlaps in each round of separate',
      async (_, tools) => {
        // At this density, full relaxation pushes particles into new overlaps.
        const options = variableOptions(
          { dimensions, kind, count: 300, ratio: 8, density: 4 },
          { relaxation: 1, substeps: 1 },
        );
        const simulation = await createSimulation(tools.wrap(), options);
        const reference = new ReferenceSimulation(options);
        // A push may bring any candidate into contact, so the GPU must have the reference's candidates.
        const { candidates } = await simulation.measure();
        expect(candidates).toBe(reference.measure().candidates);
        for (const act of [
          (one: { separate(rounds: number): void }) => one.separate(3),
          (one: { step(dt: number): void }) => one.step(DT),
        ]) {
          act(simulation);
          act(reference);
          const got = await simulation.read();
          const expected = reference.read();
          const { period } = simulation.world;
          const apart = got.positions.map((coordinate, index) =>
            Math.abs(
              minimumImageInDoubles(
                coordinate - (expected.positions[index] as number),
                period[index % dimensions] ?? 0,
              ),
            ),
          );
          expect(apart.reduce((most, distance) => Math.max(most, distance), 0)).toBeLessThan(2 ** -8);
        }
        simulation.destroy();
      },
      SHARED_CASE,
    );
  });

  for (const kind of ['bounded', 'unbounded'] as const) {
    gpuTest(
      `stays within the bound if the contacts of a large particle are split over threads, in a world that is ${kind}`,
      async (_, tools) => {
        const options = largeAmongSmall(dimensions, kind);
        await expectBounded(tools, options);
        const simulation = await createSimulation(tools.wrap(), options);
        simulation.separate(1);
        expect(await countHeavy(tools, simulation)).toBeGreaterThan(0);
        simulation.destroy();
      },
      (dimensions === 2) === (kind === 'bounded') ? SHARED : { ...SHARED, tags: 'full' },
    );
  }

  gpuTest(
    'does not depend on which particles were heavy before',
    async (_, tools) => {
      const kind = dimensions === 2 ? 'bounded' : 'unbounded';
      const settings = { restitution: 0, substeps: 1 };
      const { radii, positions, ...rest } = largeAmongSmall(dimensions, kind);
      const options = { ...rest, radii, positions, ...settings };
      radii.fill(8, 0, 3);
      for (let index = 0; index < 3 * dimensions; index++) positions[index] = 12 + index;
      // In this heap, the small particles are heavy, too. At `positions`, most are not.
      const heap = positions.map((along, index) => (index < 3 * dimensions ? along : 1 + along / 64));
      const used = await createSimulation(tools.wrap(), { ...options, positions: heap });
      used.step(DT);
      const before = await countHeavy(tools, used);
      const fresh = await createSimulation(tools.wrap(), options);
      used.restore(await fresh.checkpoint());
      for (const simulation of [used, fresh]) simulation.step(DT);
      const after = await countHeavy(tools, used);
      expect(after).toBeGreaterThanOrEqual(3);
      expect(before).toBeGreaterThan(2 * after);
      const [got, expected] = [await used.read(), await fresh.read()];
      expectArraysEqual(got.positions, expected.positions, 'positions');
      expectArraysEqual(got.velocities, expected.velocities, 'velocities');
      for (const simulation of [used, fresh]) simulation.destroy();
    },
    { ...LONG, tags: 'full' },
  );

  gpuTest(
    'gives the same bits in every run, in folded dispatches, and if restored from a file',
    async (_, tools) => {
      for (const kind of ['bounded', 'unbounded'] as const) {
        // Cells of this size are few enough for folded dispatches. Without gravity there would be no loads.
        const gravity = [1, -9.8, 2].slice(0, dimensions);
        const settings = { restitution: 0.5, substeps: 2, cellSize: 1, gravity };
        const options = variableOptions({ dimensions, kind, count: 500, ratio: 16, density: 2 }, settings);
        const hash = await hashAfter(tools, options);
        expect(await hashAfter(tools, options)).toBe(hash);
        if (kind === 'bounded') expect(await hashAfter(tools, options, FOLD)).toBe(hash);
        const first = await createSimulation(tools.wrap(), options);
        first.step(DT);
        const saved = await first.checkpoint();
        expect(saved.loads?.filter((load) => load > 0).length).toBeGreaterThan(50);
        const file = encodeCheckpoint(saved);
        first.destroy();
        const { positions: _positions, velocities: _velocities, radii: _radii, ...rest } = options;
        const second = await createSimulation(tools.wrap(), { ...rest, capacity: 500 });
        second.restore(decodeCheckpoint(file));
        for (let step = 1; step < 4; step++) second.step(DT);
        const measures = await second.measure();
        expect(measures).toMatchObject({ hash, count: 500, nonFinite: 0 });
        const { loads: _loads, ...unloaded } = saved;
        second.restore(unloaded);
        for (let step = 1; step < 4; step++) second.step(DT);
        expect((await second.measure()).hash).not.toBe(hash);
        const { radii, ...checkpoint } = await second.checkpoint();
        second.restore({ ...checkpoint, radii: radii?.map((radius) => Math.max(radius, 1 / 15)) });
        expect((await second.measure()).hash).not.toBe(measures.hash);
        second.destroy();
      }
    },
    { ...LONG, tags: 'full' },
  );

  for (const [situation, arrange, settings] of [
    ['among many particles with restitution 1', (options: VariableOptions) => options, { restitution: 1 }],
    ['in pairs that bounce', (options: VariableOptions) => inPairs(options), { restitution: 0.5 }],
    ['in pairs that do not bounce', (options: VariableOptions) => inPairs(options), { restitution: 0 }],
  ] as const) {
    gpuTest(
      `keeps momentum with friction, ${situation}`,
      async (_, tools) => {
        // Walls would change the momentum. Gravity is 0 by default.
        const changes = { friction: 0.5, substeps: 2, walls: false, ...settings };
        const options = arrange(
          variableOptions({ dimensions, kind: 'bounded', count: 400, ratio: 64 }, changes),
        );
        const simulation = await createSimulation(tools.wrap(), options);
        const before = await simulation.measure();
        for (let step = 0; step < 8; step++) simulation.step(DT);
        const after = await simulation.measure();
        expect(after.kineticEnergy).toBeLessThan(0.98 * before.kineticEnergy);
        const { radii, velocities } = options;
        for (let axis = 0; axis < dimensions; axis++) {
          const moved = radii.reduce(
            (sum, radius, index) =>
              sum + radius ** dimensions * Math.abs(velocities[dimensions * index + axis] as number),
            0,
          );
          const lost = Math.abs((before.momentum[axis] as number) - (after.momentum[axis] as number));
          expect(lost).toBeLessThan(1e-5 * moved);
          const exact = radii.reduce(
            (sum, radius, index) =>
              sum + radius ** dimensions * (velocities[dimensions * index + axis] as number),
            0,
          );
          expect(Math.abs((before.momentum[axis] as number) - exact)).toBeLessThan(1e-6 * moved);
        }
        simulation.destroy();
      },
      LONG,
    );
  }

  gpuTest(
    'gives nearly the same result with `radii` that are all equal as with one `radius`',
    async (_, tools) => {
      const {
        radii,
        radiusRange: _range,
        ...options
      } = variableOptions(
        { dimensions, kind: 'bounded', count: 300, ratio: 1, density: 1 },
        { restitution: 0.5, substeps: 1 },
      );
      const own = await createSimulation(tools.wrap(), { ...options, radii });
      const shared = await createSimulation(tools.wrap(), { ...options, radius: 1 });
      expectArraysEqual((await own.findPairs()).pairs, (await shared.findPairs()).pairs, 'pairs');
      const [first, second] = await Promise.all([own.measure(), shared.measure()]);
      expect([first.contacts, first.outside]).toEqual([second.contacts, second.outside]);
      expect(first.kineticEnergy / second.kineticEnergy).toBeCloseTo(1, 5);
      for (const simulation of [own, shared]) simulation.step(DT);
      const [got, expected] = await Promise.all([own.read(), shared.read()]);
      for (const name of ['positions', 'velocities'] as const) {
        got[name].forEach((value, index) => {
          expect(Math.abs(value - (expected[name][index] as number))).toBeLessThan(1e-3);
        });
      }
      own.destroy();
      shared.destroy();
    },
    { ...SHARED, tags: 'full' },
  );

  gpuTest(
    'adds and removes particles with their radii, and quarantines those that are not finite',
    async (_, tools) => {
      const corner = cornersIn(dimensions);
      const simulation = await createSimulation(tools.wrap(), {
        dimensions,
        min: corner(0),
        max: corner(16),
        radiusRange: { smallest: 0.25, largest: 2 },
        capacity: 4,
      });
      const at = (...coordinates: readonly number[]) => Float32Array.from(coordinates.flatMap(corner));
      expect([...simulation.add({ positions: at(4, 5, 11), radii: Float32Array.of(0.5, 2, 1) })]).toEqual([
        0, 1, 2,
      ]);
      expect(() => simulation.add({ positions: at(9) })).toThrow(/^radii is undefined/);
      expect(() => simulation.add({ positions: at(9), radii: Float32Array.of(3) })).toThrow(
        /^radii\[0\] is 3/,
      );
      expect(await simulation.measure()).toMatchObject({ count: 3, nonFinite: 0, contacts: 1 });
      const asked = simulation.findPairs();
      simulation.remove([0]);
      expect([...(await asked).pairs]).toEqual([0, 1]);
      expect((await simulation.findPairs()).count).toBe(0);
      expect([...simulation.add({ positions: at(9, 12), radii: Float32Array.of(0.25, 1.5) })]).toEqual([
        0, 3,
      ]);
      simulation.step(DT);
      const { ids, radii } = await simulation.read();
      expect([[...ids], [...(radii ?? [])]]).toEqual([
        [0, 1, 2, 3],
        [0.25, 2, 1, 1.5],
      ]);
      // Particles that are quarantined for their speed keep their radius: their checkpoint can be restored.
      simulation.set({ gravity: corner(1e20) });
      simulation.step(DT);
      expect(await simulation.measure()).toMatchObject({ count: 4, nonFinite: 4 });
      simulation.restore(await simulation.checkpoint());
      simulation.remove([1]);
      expect([...((await simulation.read()).radii ?? [])]).toEqual([0.25, 1, 1.5]);
      simulation.destroy();
    },
    SHARED,
  );
});
