import { describe, expect, it } from 'vitest';
import type { SettingsOptions } from '../../../../src/core/contact/settings';
import { hashState } from '../../../../src/core/state/hash';
import { decodeCheckpoint, encodeCheckpoint } from '../../../../src/core/state/state-file';
import { type CpuSimulation, createCpuLevelGrid, createCpuSimulation } from '../../../../src/cpu';
import { bruteForceLevelPairs } from '../../../../src/reference/grid/levels';
import { minimumImageInDoubles } from '../../../../src/reference/solve/contact';
import { ReferenceSimulation } from '../../../../src/reference/solve/simulation';
import { WORLD_CASES } from '../../../helpers/inputs/variable-crowds';
import { type VariableOptions, variableOptions } from '../../../helpers/inputs/variable-simulations';
import { expectSteadyMemory } from '../../../helpers/memory';

const GRAVITY = [0.5, -9.8, 0.25];

/** The rounding of coordinates below 16. */
const ROUNDING = 16 * 2 ** -24;

const hashOf = (simulation: CpuSimulation) => simulation.measure().hash;

/** Returns the greatest differences of components of the positions (as minimum images) and of the velocities. */
function difference(fast: CpuSimulation, plain: Pick<CpuSimulation, 'read'> | ReferenceSimulation) {
  const a = fast.read();
  const b = plain.read() as ReturnType<ReferenceSimulation['read']>;
  expect(a.ids).toEqual(b.ids);
  const { period, dimensions } = fast.world;
  let positions = 0;
  let velocities = 0;
  a.positions.forEach((value, index) => {
    const apart = value - (b.positions[index] as number);
    positions = Math.max(
      positions,
      Math.abs(minimumImageInDoubles(apart, period[index % dimensions] as number)),
    );
    velocities = Math.max(
      velocities,
      Math.abs((a.velocities[index] as number) - (b.velocities[index] as number)),
    );
  });
  return { positions, velocities };
}

describe.each([2, 3] as const)('CpuSimulation with variable radii in %dD', (dimensions) => {
  const gravity = GRAVITY.slice(0, dimensions);

  describe.each(WORLD_CASES)('in a world that is %s', (kind) => {
    const crowd = (changes: SettingsOptions = {}, seed = 1, ratio = 16): VariableOptions =>
      variableOptions({ dimensions, kind, count: 160, ratio, seed }, { gravity, ...changes });

    const cases: SettingsOptions[] = [
      { restitution: 0, friction: 0.4 },
      { restitution: 0.5, friction: 0.4 },
      { restitution: 0.5, friction: 0.4, broadPhase: 'naive' },
      { restitution: 1, friction: 0, walls: false },
    ];
    it.each(cases)(
      'differs from the reference only by rounding after each of 4 steps with %o',
      { tags: dimensions === 3 ? 'case' : [] },
      (settings) => {
        const options = crowd({ ...settings, substeps: 1 });
        const fast = createCpuSimulation(options);
        const plain = new ReferenceSimulation(options);
        const dt = 1 / 240;
        for (let step = 0; step < 4; step++) {
          fast.step(dt);
          plain.step(dt);
          const { positions, velocities } = difference(fast, plain);
          // The bound of worlds.test.ts, with twice the error of velocities, because a light particle takes nearly all
          // of a push.
          const rounding = 2 * ROUNDING;
          expect(positions).toBeLessThan(40 * rounding);
          expect(velocities).toBeLessThan((40 * rounding * 0.35) / dt);
          // Start from the same bits again, because rounding errors grow.
          plain.restore(fast.checkpoint());
        }
      },
    );

    it('pushes deep overlaps apart like the reference', () => {
      const deep = variableOptions(
        { dimensions, kind, count: 120, ratio: 16, density: 3 },
        { relaxation: 1 },
      );
      const fast = createCpuSimulation(deep);
      const plain = new ReferenceSimulation(deep);
      fast.separate(3);
      plain.separate(3);
      const { positions, velocities } = difference(fast, plain);
      expect(positions).toBeLessThan(40 * 3 * 2 * ROUNDING);
      expect(velocities).toBe(0);
    });

    it.each(['grid', 'naive'] as const)(
      'has the pairs of brute force and the measures of the reference with the broad phase %s',
      (broadPhase) => {
        const options = crowd({ broadPhase }, 5, 64);
        const fast = createCpuSimulation(options);
        const plain = new ReferenceSimulation(options);
        const { positions, radii } = fast.read();
        const expected = bruteForceLevelPairs(fast.world, positions, radii as Float32Array);
        expect(fast.findPairs()).toEqual({ count: expected.length / 2, pairs: expected, borderline: 0 });
        const a = fast.measure();
        const b = plain.measure();
        for (const name of ['count', 'contacts', 'outside', 'nonFinite', 'hash', 'borderline'] as const) {
          expect(a[name], name).toBe(b[name]);
        }
        for (const name of ['kineticEnergy', 'deepestOverlap', 'meanOverlap'] as const) {
          expect(a[name], name).toBeCloseTo(b[name], 5);
        }
        a.momentum.forEach((along, axis) => {
          expect(along).toBeCloseTo(b.momentum[axis] as number, 9);
        });
        const all = (160 * 159) / 2;
        if (broadPhase === 'naive') expect(a.candidates).toBe(all);
        else expect(a.candidates).toBeLessThanOrEqual(all);
        expect(a.candidates).toBeGreaterThanOrEqual(a.contacts);
        expect(a.occupiedCells).toBeGreaterThan(1);
        expect(a.greatestOccupancy).toBeGreaterThan(1);
      },
    );

    it('gives the same positions with both broad phases, except that sums in another order round differently', () => {
      const options = crowd({}, 6);
      const grid = createCpuSimulation(options);
      const naive = createCpuSimulation({ ...options, broadPhase: 'naive' });
      grid.separate(2);
      naive.separate(2);
      grid.step(1 / 240);
      naive.step(1 / 240);
      expect(difference(grid, naive).positions).toBeLessThan(40 * ROUNDING);
    });

    it('gives the same bits in every run, also if particles were removed and added again', () => {
      const options = { ...crowd({ restitution: 0.3 }, 7), capacity: 170 };
      const hashes = [0, 1, 2].map((run) => {
        const simulation = createCpuSimulation(options);
        if (run > 0) {
          const leaving = [5, 17, 18, 80, 159].slice(run - 1);
          simulation.remove(leaving);
          const packed = (from: Float32Array, size: number) =>
            Float32Array.from(leaving.flatMap((id) => [...from.subarray(size * id, size * (id + 1))]));
          const ids = simulation.add({
            positions: packed(options.positions, dimensions),
            velocities: packed(options.velocities, dimensions),
            radii: packed(options.radii, 1),
          });
          expect([...ids]).toEqual(leaving);
        }
        for (let step = 0; step < 4; step++) {
          simulation.step(1 / 60);
          if (run === 2) simulation.measure();
        }
        return hashOf(simulation);
      });
      expect(new Set(hashes).size).toBe(1);
    });

    it('continues from a checkpoint in a file with the same bits', () => {
      // The world is dense, so many particles carry a load.
      const options = variableOptions(
        { dimensions, kind, count: 160, ratio: 2, seed: 8, density: 4 },
        { gravity, restitution: 0.4, friction: 0.3, substeps: 1 },
      );
      const straight = createCpuSimulation(options);
      for (let step = 0; step < 3; step++) straight.step(1 / 60);
      const { positions: _, velocities: __, radii: ___, ...empty } = options;
      const resumed = createCpuSimulation({ ...empty, capacity: 200 });
      resumed.restore(decodeCheckpoint(encodeCheckpoint(straight.checkpoint())));
      const checkpoint = straight.checkpoint();
      expect(resumed.checkpoint()).toEqual(checkpoint);
      expect(checkpoint.loads?.filter((load) => load > 0).length).toBeGreaterThan(10);
      const { loads: ____, ...unloaded } = checkpoint;
      const other = createCpuSimulation({ ...empty, capacity: 200 });
      other.restore(unloaded);
      expect(other.read().loads).toEqual(new Float32Array(160));
      for (const simulation of [straight, resumed, other]) {
        for (let step = 0; step < 3; step++) simulation.step(1 / 60);
      }
      expect(hashOf(resumed)).toBe(hashOf(straight));
      expect(resumed.read().loads).toEqual(straight.read().loads);
      expect(hashOf(other)).not.toBe(hashOf(straight));
      const { ids, positions, velocities, radii } = resumed.read();
      expect(radii).toEqual(options.radii);
      expect(hashOf(resumed)).toBe(hashState(dimensions, positions, velocities, ids, { radii }));
    });

    it('allocates nothing in a step, and alternates between the same buffers', () => {
      expectSteadyMemory(createCpuSimulation(crowd({ restitution: 0.5 })));
    });

    it.each([0, 1, 2])('works with %d particles', (count) => {
      const { positions: _, velocities: __, ...options } = crowd();
      const simulation = createCpuSimulation({
        ...options,
        radii: new Float32Array(count).fill(0.5),
        positions: new Float32Array(dimensions * count).fill(1),
      });
      expect(simulation.findPairs().pairs.length).toBe(count === 2 ? 2 : 0);
      simulation.step(1 / 60);
      expect(simulation.measure().count).toBe(count);
      simulation.separate(2);
      simulation.remove(simulation.read().ids);
      simulation.step(1 / 60);
      expect(simulation.count).toBe(0);
    });
  });

  it('keeps momentum and energy with restitution 1 and radii from 1/64 to 1', () => {
    const request = { dimensions, kind: 'periodic', count: 100, ratio: 64, density: 0.2 } as const;
    const simulation = createCpuSimulation(variableOptions(request, { restitution: 1, friction: 0 }));
    simulation.separate(64);
    const before = simulation.measure();
    for (let step = 0; step < 60; step++) simulation.step(1 / 60);
    const after = simulation.measure();
    const size = Math.sqrt(2 * before.kineticEnergy);
    after.momentum.forEach((along, axis) => {
      expect(Math.abs(along - (before.momentum[axis] as number)) / size).toBeLessThan(1e-4);
    });
    expect(Math.abs(after.kineticEnergy / before.kineticEnergy - 1)).toBeLessThan(0.01);
    expect(hashOf(simulation)).not.toBe(before.hash);
  });

  it('gives the same results as a simulation of one radius if all radii are equal', () => {
    const mixed = variableOptions({ dimensions, kind: 'periodic', count: 150, ratio: 1 }, { gravity });
    const { radii: _, radiusRange: __, ...plain } = mixed;
    const equal = createCpuSimulation({ ...plain, radius: 1 });
    const own = createCpuSimulation(mixed);
    equal.step(1 / 60);
    own.step(1 / 60);
    expect(difference(own, equal).positions).toBeLessThan(8 * 40 * ROUNDING);
    own.restore({ ...equal.checkpoint(), radiusRange: own.radiusRange, radii: mixed.radii });
    expect(own.findPairs()).toEqual(equal.findPairs());
  });

  it('pushes coincident particles apart, each by its share', () => {
    const low = new Array<number>(dimensions).fill(0);
    const simulation = createCpuSimulation({
      dimensions,
      min: low,
      max: low.map(() => 9),
      positions: new Float32Array(2 * dimensions).fill(4),
      radii: new Float32Array([1, 0.25]),
    });
    simulation.separate(60);
    const { positions } = simulation.read();
    const moved = [0, dimensions].map((first) =>
      Math.hypot(...Array.from(positions.subarray(first, first + dimensions), (value) => value - 4)),
    );
    expect((moved[0] as number) + (moved[1] as number)).toBeCloseTo(1.25, 4);
    expect((moved[1] as number) / (moved[0] as number)).toBeCloseTo(4 ** dimensions, 1);
  });

  for (const { count, tags } of [
    { count: 50, tags: [] },
    { count: 120, tags: 'full' },
  ]) {
    it(`brings piles of ${count} particles with radii from 1/8 to 1 to rest, with little overlap`, {
      tags,
    }, () => {
      // In one of the piles, a small particle may still roll off a large one after 20 s, so the test averages speeds.
      const seeds = [1, 2, 3, 4];
      const speeds = seeds.map((seed) => {
        const request = { dimensions, kind: 'bounded', count, ratio: 8, density: 0.4, seed } as const;
        const simulation = createCpuSimulation(variableOptions(request, { gravity }));
        simulation.separate(64);
        for (let step = 0; step < 1200; step++) simulation.step(1 / 60);
        expect(simulation.measure().meanOverlap).toBeLessThan(0.005);
        const { velocities } = simulation.read();
        return Math.sqrt(velocities.reduce((sum, along) => sum + along * along, 0) / count);
      });
      // The largest radius is 1. A falling particle reaches a speed of more than 10.
      expect(speeds.reduce((sum, speed) => sum + speed, 0) / seeds.length).toBeLessThan(0.05);
    });
  }

  it('keeps each particle at least its own radius away from walls', () => {
    const options = variableOptions({ dimensions, kind: 'bounded', count: 100, ratio: 64, density: 0.2 });
    const simulation = createCpuSimulation({ ...options, gravity: gravity.map((along) => 10 * along) });
    for (let step = 0; step < 30; step++) simulation.step(1 / 60);
    const { positions, radii } = simulation.read();
    radii?.forEach((radius, particle) => {
      for (let axis = 0; axis < dimensions; axis++) {
        const coordinate = positions[dimensions * particle + axis] as number;
        expect(coordinate).toBeGreaterThanOrEqual(Math.fround(radius));
        expect(coordinate).toBeLessThanOrEqual(Math.fround((simulation.world.max[axis] as number) - radius));
      }
    });
    expect(simulation.measure()).toMatchObject({ outside: 0, nonFinite: 0 });
  });

  it('rejects obstacles if it was created without room for them', () => {
    const simulation = createCpuSimulation(
      variableOptions({ dimensions, kind: 'unbounded', count: 9, ratio: 4 }),
    );
    simulation.setObstacles(new Float32Array(0));
    expect(simulation.obstacleCount).toBe(0);
    expect(() => simulation.setObstacles(new Float32Array(dimensions))).toThrow(
      /^obstacles is 1 obstacle, but it must be at most 0 obstacles/,
    );
  });
});

describe('radii out of range', () => {
  const positions = Float32Array.of(1, 1, 5, 5);
  const fine = 1e-9;
  const half = Float32Array.of(fine, fine, 1, 1);

  it.each([
    ['the largest of radii', { radii: Float32Array.of(fine, 1) }],
    ['radiusRange.largest', { radiusRange: { smallest: fine, largest: 1 }, radii: Float32Array.of(1, 1) }],
    ['the largest of the balls around halfExtents', { halfExtents: half }],
    [
      'the largest of radii and the balls around halfExtents',
      { radii: Float32Array.of(fine, 0), halfExtents: Float32Array.of(0, 0, 1, 1) },
    ],
  ])('are rejected with a message that names the option they come from: %s', (name, sizes) => {
    expect(() => createCpuSimulation({ dimensions: 2, unbounded: true, positions, ...sizes })).toThrow(
      new RegExp(
        `^${name} is 1(\\.41\\d*)?, but it must be at most 2\\^\\d+ times [\\d.e-]+, the largest radius that the lowest level of cells holds\\.$`,
      ),
    );
  });

  it('are also rejected by a grid', () => {
    expect(() =>
      createCpuLevelGrid({
        dimensions: 2,
        unbounded: true,
        capacity: 2,
        radii: { smallest: fine, largest: 1 },
      }),
    ).toThrow(/^radii\.largest is 1, /);
  });
});
