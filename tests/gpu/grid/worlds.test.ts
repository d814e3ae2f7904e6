import { describe, expect } from 'vitest';
import { cellBytes, latticeOfParticle } from '../../../src/core/world/cells';
import type { World } from '../../../src/core/world/world';
import { HashGrid } from '../../../src/engine/grid/hash-grid';
import { createSimulation } from '../../../src/engine/simulation/simulation';
import { buildGrid } from '../../../src/reference/grid/grid';
import { bruteForcePairs } from '../../../src/reference/query/brute-force';
import { comparePairs } from '../../../src/reference/query/pair-list';
import { ReferenceSimulation } from '../../../src/reference/solve/simulation';
import { createScene, sceneOptions } from '../../../src/scenes';
import { optionsOf, stored, unusualCrowds } from '../../helpers/inputs/unusual-worlds';
import { expectArraysEqual, gpuTest, SHARED, SHARED_CASE } from '../../helpers/node-gpu';
import { bitsOf, DIMENSIONS, readVectors, readWords, uploadVectors } from '../../helpers/passes';
import { expectSeen, fc, runs } from '../../helpers/properties';

/** Counts the pairs in adjacent cells: the grid tests no others, so it reports no others as borderline. */
function countAdjacent(world: World, positions: Float32Array, pairs: Uint32Array): number {
  let adjacent = 0;
  for (let index = 0; index < pairs.length; index += 2) {
    const a = latticeOfParticle(world, positions, pairs[index] as number);
    const b = latticeOfParticle(world, positions, pairs[index + 1] as number);
    const isNear = a.every((along, axis) => {
      const away = Math.abs(along - (b[axis] as number));
      return away <= 1 || ((world.period[axis] as number) > 0 && away === (world.cells[axis] as number) - 1);
    });
    if (isNear) adjacent++;
  }
  return adjacent;
}

const MOST = 80;

describe.each(DIMENSIONS)('worlds in %dD', (dimensions) => {
  for (const [kind, crowds] of Object.entries(unusualCrowds)) {
    gpuTest(
      `have the reference’s grid, bit by bit, if they are ${kind}`,
      async (device, tools) => {
        await fc.assert(
          fc.asyncProperty(crowds(dimensions, MOST), async ({ world, positions }) => {
            const count = positions.length / dimensions;
            const options = optionsOf(world);
            const grid = await HashGrid.create(tools.wrap(), {
              ...options,
              diameter: world.diameter,
              capacity: MOST,
            });
            expect(grid.world).toEqual(world);
            const input = uploadVectors(tools, dimensions, 'positions', positions);
            const encoder = device.createCommandEncoder();
            grid.encode(encoder, { positions: input, count });
            device.queue.submit([encoder.finish()]);
            const expected = buildGrid(world, positions);
            const start = await readWords(tools, grid.start, world.cellCount + 1);
            expectArraysEqual(start, expected.start.subarray(0, world.cellCount + 1), 'start');
            expectArraysEqual(await readWords(tools, grid.ids, count), expected.ids, 'ids');
            const bytes = cellBytes(world);
            const cells = new Int32Array(await tools.read(grid.cellOfSlot, 0, bytes * count));
            const words = bytes === 16 ? cells.filter((_, index) => index % 4 < 3) : cells;
            const wanted = kind === 'unbounded' ? expected.lattices : Int32Array.from(expected.cells);
            expectArraysEqual(new Uint32Array(words), new Uint32Array(wanted), 'cells');
            const sorted = await readVectors(tools, dimensions, grid.positions, count);
            expectArraysEqual(bitsOf(sorted), bitsOf(expected.positions), 'positions');
            grid.destroy();
            input.destroy();
          }),
          runs(40),
        );
      },
      SHARED,
    );

    gpuTest(
      `have the pairs of brute force if they are ${kind}`,
      async (_, tools) => {
        let pairs = 0;
        await fc.assert(
          fc.asyncProperty(crowds(dimensions, MOST), async (crowd) => {
            const { world, positions } = crowd;
            const simulation = await createSimulation(tools.wrap(), {
              ...optionsOf(world),
              radius: world.diameter / 2,
              positions,
              capacity: MOST,
            });
            for (const broadPhase of ['grid', 'naive'] as const) {
              simulation.set({ broadPhase });
              const found = await simulation.findPairs();
              const { diameter, period } = world;
              const oracle = bruteForcePairs(dimensions, stored(crowd), diameter, undefined, period);
              const { missing, extra } = comparePairs(found, oracle);
              expect([missing.count, extra.count], broadPhase).toEqual([0, 0]);
              expect(countAdjacent(world, stored(crowd), oracle.ambiguous.pairs)).toBeLessThanOrEqual(
                found.borderline,
              );
              pairs += found.count;
            }
            simulation.destroy();
          }),
          runs(25),
        );
        expectSeen(pairs, 200);
      },
      SHARED,
    );
  }

  for (const name of ['periodic', 'channel', 'far-apart', 'colliding-cells']) {
    gpuTest(
      `move the scene ${name} like the reference, and continue from a checkpoint`,
      async (_, tools) => {
        const count = 120;
        const scene = createScene(name, { dimensions, count });
        const options = sceneOptions(scene, { substeps: 2, restitution: 0.5 });
        const simulation = await createSimulation(tools.wrap(), options);
        const reference = new ReferenceSimulation(options);
        for (let step = 0; step < 3; step++) {
          simulation.step(1 / 64);
          reference.step(1 / 64);
        }
        const got = await simulation.read();
        const expected = reference.read();
        const { min, period } = simulation.world;
        let worst = 0;
        for (let index = 0; index < got.positions.length; index++) {
          const axis = index % dimensions;
          const coordinate = got.positions[index] as number;
          let apart = Math.abs(coordinate - (expected.positions[index] as number));
          const length = period[axis] as number;
          if (length > 0) {
            apart = Math.min(apart, Math.abs(apart - length));
            expect(coordinate).toBeGreaterThanOrEqual(min[axis] as number);
            expect(coordinate).toBeLessThanOrEqual((min[axis] as number) + length);
          }
          worst = Math.max(worst, apart);
        }
        // The particles of far-apart are about 2^20 from the origin, where 32-bit floats are 1/8 apart.
        expect(worst).toBeLessThan(name === 'far-apart' ? 0.25 : 1e-3);
        const measures = await simulation.measure();
        expect(measures).toMatchObject({ count, outside: 0, nonFinite: 0 });
        const checkpoint = structuredClone(await simulation.checkpoint());
        simulation.step(1 / 60);
        const { hash } = await simulation.measure();
        const other = await createSimulation(tools.wrap(), {
          ...options,
          positions: undefined,
          velocities: undefined,
          capacity: count,
        });
        other.restore(checkpoint);
        other.step(1 / 60);
        expect((await other.measure()).hash).toBe(hash);
        if (scene.world === 'periodic') {
          const bounded = await createSimulation(tools.wrap(), { ...options, periodic: false });
          expect(() => bounded.restore(checkpoint)).toThrow(/^checkpoint\.period is /);
          bounded.destroy();
        }
        simulation.destroy();
        other.destroy();
      },
      dimensions === 2 ? SHARED : SHARED_CASE,
    );
  }
});

describe.each(DIMENSIONS)('a periodic box in %dD', (dimensions) => {
  const corner = (value: number) => new Array<number>(dimensions).fill(value);
  const fill = (...points: readonly (readonly number[])[]) =>
    Float32Array.from(points.flatMap((point) => [...point, 1].slice(0, dimensions)));

  gpuTest(
    'wraps positions far outside, and queries do not move them',
    async (_, tools) => {
      const simulation = await createSimulation(tools.wrap(), {
        dimensions,
        min: corner(0),
        max: corner(8),
        periodic: true,
        radius: 0.5,
        positions: fill([2.25, 1], [26.5, 1], [2.625, -23], [1e30, 4]),
        capacity: 5,
      });
      const seen = await simulation.read();
      expect([...seen.positions]).toEqual([...fill([2.25, 1], [2.5, 1], [2.625, 1], [0, 4])]);
      simulation.add({ positions: fill([2.25 - 16, 9]) });
      const hashes = new Set<string>();
      for (const broadPhase of ['grid', 'naive'] as const) {
        simulation.set({ broadPhase });
        expect((await simulation.findPairs()).pairs).toEqual(
          Uint32Array.of(0, 1, 0, 2, 0, 4, 1, 2, 1, 4, 2, 4),
        );
        hashes.add((await simulation.measure()).hash);
        hashes.add((await simulation.measure()).hash);
      }
      expect(hashes.size).toBe(1);
      simulation.destroy();
    },
    SHARED,
  );

  gpuTest(
    'wraps particles that a crowd pushes many periods away',
    async (_, tools) => {
      const count = 400;
      const positions = Float32Array.from(
        { length: count * dimensions },
        (_value, index) => 1 + (index % 7) / 1024,
      );
      const options = { dimensions, min: corner(0), max: corner(4), periodic: true, radius: 0.5, positions };
      const simulation = await createSimulation(tools.wrap(), {
        ...options,
        substeps: 1,
        gravity: corner(9),
      });
      const found: Uint32Array[] = [];
      for (const act of [() => simulation.separate(1), () => simulation.step(1 / 60)]) {
        act();
        const { positions: held } = await simulation.read();
        expect(held.every((value) => value >= 0 && value < 4)).toBe(true);
        const { hash, outside } = await simulation.measure();
        expect(outside).toBe(0);
        for (const broadPhase of ['grid', 'naive'] as const) {
          simulation.set({ broadPhase });
          found.push((await simulation.findPairs()).pairs);
        }
        expect((await simulation.measure()).hash).toBe(hash);
      }
      expectArraysEqual(found[0] as Uint32Array, found[1] as Uint32Array, 'pairs');
      expectArraysEqual(found[2] as Uint32Array, found[3] as Uint32Array, 'pairs');
      simulation.destroy();
    },
    SHARED,
  );

  gpuTest(
    'is as exact at its ends as in its middle if it begins at 0, even if it is long',
    async (_, tools) => {
      const max = [32768, 3, 3].slice(0, dimensions);
      const positions = fill([32767 + 2 ** -9, 1], [2 ** -10, 1], [16383 + 2 ** -10, 1], [16384, 1]);
      const options = { dimensions, min: corner(0), max, periodic: true, radius: 0.5, positions };
      const simulation = await createSimulation(tools.wrap(), options);
      for (const broadPhase of ['grid', 'naive'] as const) {
        simulation.set({ broadPhase });
        const { pairs, borderline } = await simulation.findPairs();
        expect([...pairs]).toEqual([0, 1, 2, 3]);
        expect(borderline).toBe(0);
      }
      simulation.destroy();
    },
    SHARED,
  );
});
