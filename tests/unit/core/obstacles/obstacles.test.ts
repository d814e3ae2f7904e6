/**
 * Obstacles, the bodies that never move by themselves, on the CPU, with one radius and with their own sizes: overlaps
 * compared with all pairs, the contact law checked by hand, the CPU engine compared with the reference and the bound,
 * piles at rest, and rejected arguments.
 */

import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../../src/core/base/errors';
import { deriveSubstep, type SettingsOptions } from '../../../src/core/contact/settings';
import { type ObstacleBodies, obstacleShare } from '../../../src/core/obstacles/obstacles';
import { planSimulation } from '../../../src/core/simulation/plan';
import type {
  Checkpoint,
  ParticleArrays,
  ParticleSimulation,
  SimulationOptions,
} from '../../../src/core/simulation/simulation';
import { decodeCheckpoint, encodeCheckpoint } from '../../../src/core/state/state-file';
import { wrapPositions } from '../../../src/core/world/cells';
import type { WorldOptions } from '../../../src/core/world/world';
import { type CpuSimulation, createCpuSimulation } from '../../../src/cpu';
import type { ParticleState } from '../../../src/cpu/shared/kernels';
import { defineLattice } from '../../../src/cpu/shared/lattice';
import { Overlaps } from '../../../src/cpu/solver/obstacle-search';
import { VariableObstacles } from '../../../src/cpu/solver/variable-obstacles';
import { linkShader } from '../../../src/gpu/link';
import { describeKernels } from '../../../src/passes';
import { buildGrid } from '../../../src/reference/grid/grid';
import { resolveBound } from '../../../src/reference/solve/bound';
import { nearestImage } from '../../../src/reference/solve/contact';
import { integrate } from '../../../src/reference/solve/integrate';
import { fileObstacles } from '../../../src/reference/solve/obstacles';
import { findPartners } from '../../../src/reference/solve/partner';
import { resolveContacts, separateContacts } from '../../../src/reference/solve/resolve';
import { ReferenceSimulation } from '../../../src/reference/solve/simulation';
import { createScene } from '../../../src/scenes';
import { createNoise } from '../../../src/testing/noise';
import { exactOverlap, vectorAt } from '../../helpers/exact-pairs';
import { MIXED_KINDS, mixedCrowds } from '../../helpers/inputs/mixed-crowds';
import { countOverlaps, type Field, fieldOf, WORLD_KINDS } from '../../helpers/inputs/obstacle-fields';
import { countSizedOverlaps, sizedFieldOf } from '../../helpers/inputs/sized-obstacle-fields';
import { optionsOf, stored, unusualCrowds } from '../../helpers/inputs/unusual-worlds';
import { type Crowd, crowds, runs } from '../../helpers/inputs/worlds';
import { shuffled } from '../../helpers/passes';
import { fc } from '../../helpers/properties';
import { fewerInSpace } from '../../helpers/thorough';

const DIMENSIONS = [2, 3] as const;
const DT = 1 / 64;

const ENGINES: readonly [string, (options: SimulationOptions) => ParticleSimulation][] = [
  ['CPU engine', createCpuSimulation],
  ['reference', (options) => new ReferenceSimulation(options)],
];

const readNow = (simulation: ParticleSimulation) => simulation.read() as ParticleArrays;
const hashOf = (simulation: ParticleSimulation) => (simulation.measure() as { hash: string }).hash;
const overlapsOf = (simulation: ParticleSimulation) =>
  (simulation.measure() as { obstacleContacts: number }).obstacleContacts;

const greatestDifference = (a: Float32Array, b: Float32Array) =>
  a.reduce((most, value, index) => Math.max(most, Math.abs(value - (b[index] as number))), 0);

/** Runs for more than a second in which particles touch obstacles all the time. */
function expectEnergyKept(simulation: CpuSimulation): void {
  const before = simulation.measure().kineticEnergy;
  let touched = 0;
  for (let step = 0; step < 60; step++) {
    simulation.step(1 / 60);
    touched += overlapsOf(simulation);
  }
  expect(touched).toBeGreaterThan(60);
  expect(simulation.measure().kineticEnergy / before).toBeCloseTo(1, 4);
}

describe.each(DIMENSIONS)('obstacles in %dD', (dimensions) => {
  describe.each(fewerInSpace(dimensions, WORLD_KINDS))('%s', (kind) => {
    const field = (seed: number, changes: SettingsOptions = {}): Field => {
      return { ...fieldOf({ kind, dimensions, count: 150, obstacles: 130, seed }), ...changes };
    };

    it.each(ENGINES)('are overlapped by the same particles as in a search of all pairs (%s)', (_, create) => {
      for (const [count, obstacles] of [
        [150, 130],
        [20, 300],
        [300, 1],
      ] as const) {
        for (let seed = 1; seed < 4; seed++) {
          const options = fieldOf({ kind, dimensions, count, obstacles, seed });
          const { overlaps, doubtful } = countOverlaps(options);
          expect(doubtful).toBe(0);
          if (obstacles > 1) expect(overlaps).toBeGreaterThan(5);
          expect(overlapsOf(create(options))).toBe(overlaps);
        }
      }
    });

    it('are overlapped by the same particles as in exact arithmetic, anywhere (CPU engine)', () => {
      const arbitrary =
        kind === 'bounded'
          ? crowds(dimensions, 50)
          : (unusualCrowds[kind] as (typeof unusualCrowds)[string])(dimensions, 50);
      let total = 0;
      fc.assert(
        fc.property(arbitrary, (crowd) => {
          const { world } = crowd;
          const { diameter } = world;
          const finite = 'options' in crowd ? crowd.positions : stored(crowd);
          // Every third body is an obstacle.
          const part = (fixed: boolean) =>
            finite.filter((_, index) => (Math.floor(index / dimensions) % 3 === 0) === fixed);
          const [positions, obstacles] = [part(false), part(true)];
          const options: WorldOptions = 'options' in crowd ? (crowd as Crowd).options : optionsOf(world);
          const simulation = createCpuSimulation({
            ...options,
            dimensions,
            radius: diameter / 2,
            positions,
            obstacles,
          });
          let expected = 0;
          for (let a = 0; a < positions.length / dimensions; a++) {
            for (let b = 0; b < obstacles.length / dimensions; b++) {
              const centres = [
                vectorAt(positions, dimensions, a),
                vectorAt(obstacles, dimensions, b),
              ] as const;
              if (exactOverlap(...centres, diameter, world.period)) expected++;
            }
          }
          expect(overlapsOf(simulation)).toBe(expected);
          total += expected;
        }),
        runs(30),
      );
      expect(total).toBeGreaterThan(50);
    });

    it.each([0, 0.5, 1])(
      'change positions and velocities within the bound, at restitution %d',
      (restitution) => {
        for (let seed = 1; seed < 4; seed++) {
          const options = field(seed, { restitution, substeps: 1 });
          const { world, settings, diameter } = planSimulation(options);
          const substep = deriveSubstep(world, diameter, settings, DT);
          const obstacles = fileObstacles(world, { positions: options.obstacles });
          const grid = buildGrid(world, wrapPositions(world, options.positions), options.velocities);
          for (const mode of ['resolve', 'separate'] as const) {
            const partners = restitution > 0 ? findPartners(world, substep, grid, obstacles) : undefined;
            const got =
              mode === 'resolve'
                ? resolveContacts(world, substep, grid, partners, obstacles)
                : { positions: separateContacts(world, substep, grid, obstacles), velocities: undefined };
            const bound = resolveBound(world, substep, grid, mode, obstacles);
            for (const [values, exact, limits] of [
              [got.positions, bound.exactPositions, bound.positions],
              [got.velocities, bound.exactVelocities, bound.velocities],
            ] as const) {
              values?.forEach((value, index) => {
                const limit = (limits[Math.floor(index / dimensions)] as number) / 2;
                const period = values === got.positions ? (world.period[index % dimensions] as number) : 0;
                const difference = Math.abs(value - (exact[index] as number));
                expect(Math.min(difference, Math.abs(period - difference))).toBeLessThanOrEqual(limit);
              });
            }
          }
        }
      },
    );

    it.each([0, 0.5])('act like in the reference in one step, at restitution %d', (restitution) => {
      for (let seed = 1; seed < 6; seed++) {
        const options = field(seed, { restitution, substeps: 1 });
        const fast = createCpuSimulation(options);
        const plain = new ReferenceSimulation(options);
        // Only one step: particles that a wall has pushed into one corner separate by their last bits.
        for (const simulation of [fast, plain]) {
          if (seed % 2 === 0) simulation.step(DT);
          else simulation.separate(3);
        }
        const [a, b] = [readNow(fast), readNow(plain)];
        const { world } = fast;
        const apart = a.positions.map((value, index) => {
          const difference = Math.abs(value - (b.positions[index] as number));
          const period = world.period[index % dimensions] as number;
          return Math.min(difference, Math.abs(period - difference));
        });
        // Positions below 32 differ by about 100 operations; the error of an overlap turns into velocity by 1 / dt.
        const rounding = 32 * 2 ** -24;
        expect(Math.max(...apart)).toBeLessThan(100 * rounding);
        expect(greatestDifference(a.velocities, b.velocities)).toBeLessThan((100 * rounding) / DT);
      }
    });

    it.each(ENGINES)(
      'give the same bits in another run, with naive, from a checkpoint, and in any order (%s)',
      (_, create) => {
        const options = field(9, { restitution: 0.5, substeps: 2 });
        const run = (changes: Partial<SimulationOptions>, restored = false) => {
          let simulation = create({ ...options, ...changes });
          for (let step = 0; step < 4; step++) {
            simulation.step(DT);
            if (!restored || step !== 1) continue;
            const checkpoint = decodeCheckpoint(
              encodeCheckpoint(simulation.checkpoint() as Parameters<typeof encodeCheckpoint>[0]),
            );
            simulation = create({ ...options, obstacles: options.obstacles.slice().fill(0) });
            simulation.restore(checkpoint);
          }
          return hashOf(simulation);
        };
        const hash = run({});
        expect(run({})).toBe(hash);
        expect(run({ broadPhase: 'naive' })).toBe(hash);
        expect(run({}, true)).toBe(hash);
        expect(run({ obstacles: new Float32Array(0) })).not.toBe(hash);
        // Obstacles have no ids, so swapping two in the list must not change anything.
        const swapped = options.obstacles.slice();
        swapped.copyWithin(0, 2 * dimensions, 3 * dimensions);
        swapped.set(options.obstacles.subarray(0, dimensions), 2 * dimensions);
        expect(run({ obstacles: swapped })).toBe(hash);
      },
    );
  });

  const at = (...coordinates: number[]) => Float32Array.from([...coordinates, 4].slice(0, dimensions));
  const box = {
    dimensions,
    radius: 0.5,
    min: [0, 0, 0].slice(0, dimensions),
    max: [8, 8, 8].slice(0, dimensions),
  } as const;
  /** A particle beside an obstacle at (4, 4, 4). */
  const beside = <Changes extends Partial<SimulationOptions>>(
    x: number,
    velocity: readonly [number, number],
    changes?: Changes,
  ) => ({
    ...box,
    // After its free motion the particle is at the obstacle's height.
    positions: at(x, 4 - DT * velocity[1]),
    velocities: Float32Array.from([...velocity, 0].slice(0, dimensions)),
    obstacles: at(4, 4),
    substeps: 1,
    friction: 0,
    ...changes,
  });

  describe.each(ENGINES)('by hand (%s)', (_, create) => {
    it('give a particle the whole push that two particles would share', () => {
      const simulation = create(beside(4.75, [0, 0], { relaxation: 0.5 }));
      simulation.separate(1);
      expect(readNow(simulation).positions).toEqual(at(4.875, 4));
      const pair = create({
        ...box,
        relaxation: 0.5,
        positions: Float32Array.from([...at(4.75, 4), ...at(4, 4)]),
      });
      pair.separate(1);
      expect(Array.from(readNow(pair).positions)).toEqual([...at(4.8125, 4), ...at(3.9375, 4)]);
    });

    it('reflect a particle with the same restitution as a wall', () => {
      for (const restitution of [0.25, 1]) {
        const simulation = create(beside(4.75, [-2, 1], { restitution, relaxation: 0.5 }));
        // Before the contact the particle flies freely for 1/64 s.
        simulation.step(DT);
        const { velocities } = readNow(simulation);
        expect(velocities[0]).toBe(2 * restitution);
        expect(velocities[1]).toBe(1);
      }
    });

    it('stop an approaching particle, and give it no speed without gravity', () => {
      const fast = create(beside(4.5, [-1, 0], { relaxation: 1 }));
      fast.step(DT);
      expect(readNow(fast).velocities[0]).toBe(0);
      const still = create(beside(4.5, [0, 0], { relaxation: 1 }));
      still.step(DT);
      expect(readNow(still).velocities[0]).toBe(0);
      expect(readNow(still).positions[0]).toBe(5);
    });

    it('slow a sliding particle by at most friction times the push, and at most by its share of the sliding', () => {
      const along = (friction: number, relaxation: number) => {
        const simulation = create(beside(4.875, [-8, 1], { friction, relaxation }));
        simulation.step(DT);
        return readNow(simulation).velocities;
      };
      const [free, little, much] = [along(0, 0.25), along(0.005, 0.25), along(10, 0.25)];
      // The particle arrives at 4.75, and the push of 0.25 · 0.25 there is a speed of 4.
      expect(free[1]).toBe(1);
      expect(little[1]).toBeCloseTo(1 - 0.005 * 4, 6);
      expect(much[1]).toBe(dimensions === 2 ? 1 - 0.125 : 1 - 0.03125);
    });

    it('push no more together than alone if they coincide', () => {
      const ends = [1, 2, 3, 40].map((times) => {
        const obstacles = Float32Array.from(Array.from({ length: times }, () => [...at(4, 4)]).flat());
        const simulation = create(beside(4.75, [-1, 0], { relaxation: 0.25, obstacles }));
        simulation.step(DT);
        expect(overlapsOf(simulation)).toBe(times);
        return readNow(simulation).positions[0] as number;
      });
      for (const end of ends) expect(end).toBeCloseTo(ends[0] as number, 5);
      expect(ends[0]).toBeGreaterThan(4.75 - DT);
    });

    it('bounce a particle off only one of them at a time, so that no energy is gained', () => {
      // A particle between two obstacles, with another particle behind it.
      const options = {
        ...box,
        restitution: 1,
        friction: 0,
        substeps: 1,
        positions: Float32Array.from([...at(4, 4.75), ...at(4, 5.5)]),
        velocities: Float32Array.from([...at(0, -3).fill(0, 2), ...at(0, -1).fill(0, 2)]),
        obstacles: Float32Array.from([...at(3.5, 4.125), ...at(4.5, 4.125)]),
      };
      const simulation = create(options);
      simulation.step(DT);
      const { velocities } = readNow(simulation);
      expect(velocities.reduce((sum, value) => sum + value * value, 0)).toBeCloseTo(10, 5);
      // The particle behind keeps its velocity.
      expect(velocities[dimensions + 1]).toBe(-1);
      expect(Math.abs(velocities[0] as number)).toBeGreaterThan(1);
    });

    it('push out a coincident particle', () => {
      const simulation = create(beside(4, [0, 0]));
      simulation.separate(60);
      expect(
        overlapsOf(simulation) === 0 || greatestDifference(readNow(simulation).positions, at(4, 4)) > 0.99,
      ).toBe(true);
    });

    it('act the same in a world with `crowds`', () => {
      const hashes = [true, false].map((crowds) => {
        const simulation = create(beside(4.75, [-1, 1], { friction: 0.5, crowds }));
        simulation.step(DT);
        expect(overlapsOf(simulation)).toBe(1);
        return hashOf(simulation);
      });
      expect(hashes[0]).toBe(hashes[1]);
    });

    it('are not counted as particles, and can be replaced', () => {
      const options = beside(4.5, [1, 0], { capacity: 2 });
      const given = at(4, 4);
      const simulation = create({ ...options, obstacles: given });
      given.fill(0);
      expect(simulation).toMatchObject({ count: 1, obstacleCount: 1, obstacleCapacity: 1 });
      expect(simulation.checkpoint()).toMatchObject({ obstacles: at(4, 4) });
      expect(simulation.measure()).toMatchObject({
        count: 1,
        contacts: 0,
        candidates: 0,
        occupiedCells: 1,
        obstacleContacts: 1,
        kineticEnergy: 0.5,
      });
      expect(simulation.findPairs()).toMatchObject({ count: 0 });
      expect(Array.from(readNow(simulation).ids)).toEqual([0]);
      simulation.setObstacles(at(6, 4));
      expect(overlapsOf(simulation)).toBe(0);
      simulation.setObstacles(at(5, 4));
      expect(overlapsOf(simulation)).toBe(1);
      const checkpoint = simulation.checkpoint();
      expect(checkpoint).toMatchObject({ obstacles: at(5, 4) });
      simulation.setObstacles(new Float32Array(0));
      expect(simulation.obstacleCount).toBe(0);
      expect(overlapsOf(simulation)).toBe(0);
      expect('obstacles' in (simulation.checkpoint() as object)).toBe(false);
      simulation.restore(checkpoint as Parameters<typeof simulation.restore>[0]);
      expect(overlapsOf(simulation)).toBe(1);
      expect(simulation.obstacleCount).toBe(1);
    });

    it('act by their positions, not by their order in the array', () => {
      const options = {
        ...box,
        positions: at(4.5, 5.375),
        velocities: Float32Array.from([0, -1, 0].slice(0, dimensions)),
      };
      const pegs = [at(4.25, 4.5), at(4.75, 4.5)];
      const [there, back] = [pegs, pegs.toReversed()].map((list) => {
        const obstacles = Float32Array.from(list.flatMap((peg) => Array.from(peg)));
        const simulation = create({ ...options, obstacles, restitution: 0.5, substeps: 1 });
        simulation.step(DT);
        return Array.from(readNow(simulation).velocities);
      });
      expect(there).toEqual(back);
      expect(Math.abs(there?.[0] as number)).toBeGreaterThan(0.1);
    });

    it('are not removed by an empty call', () => {
      const simulation = create(beside(4.5, [0, 0]));
      expect(() => simulation.setObstacles(undefined as unknown as Float32Array)).toThrow(ArgumentError);
      expect(simulation.obstacleCount).toBe(1);
    });

    it('can be added later, up to the capacity', () => {
      const options = { ...box, positions: at(4.5, 4) };
      const simulation = create({ ...options, obstacleCapacity: 2 });
      expect(simulation).toMatchObject({ obstacleCount: 0, obstacleCapacity: 2 });
      expect(overlapsOf(simulation)).toBe(0);
      simulation.setObstacles(at(4, 4));
      expect(overlapsOf(simulation)).toBe(1);
      simulation.setObstacles(Float32Array.from([...at(4, 4), ...at(5, 4)]));
      expect(overlapsOf(simulation)).toBe(2);
      expect(() => simulation.setObstacles(new Float32Array(3 * dimensions))).toThrow(/at most 2 particles/);
      expect(overlapsOf(simulation)).toBe(2);
      const two = Float32Array.from([...at(1, 1), ...at(2, 2)]);
      expect(() => create({ ...options, obstacles: two, obstacleCapacity: 1 })).toThrow(
        /^obstacles is 2 particles, but it must be at most 1 particle \(the obstacleCapacity\)\.$/,
      );
      for (const wrong of [-1, 1.5, Number.NaN]) {
        expect(() => create({ ...options, obstacleCapacity: wrong })).toThrow(/^obstacleCapacity is /);
      }
    });

    it('are rejected with an error message, and nothing changes', () => {
      const options = beside(4.5, [0, 0]);
      const cases: [unknown, RegExp][] = [
        [[1, 2, 3], /^obstacles is \[1, 2, 3\], but it must be a Float32Array of positions, or an object/],
        [new Float32Array(dimensions + 1), /^obstacles\.length is/],
        [at(Number.NaN, 1), /^obstacles\[0\] \(particle 0\) is NaN, but it must be a finite number\.$/],
      ];
      for (const [obstacles, message] of cases) {
        const wrong = { ...options, obstacles: obstacles as Float32Array };
        expect(() => create(wrong)).toThrow(ArgumentError);
        expect(() => create(wrong)).toThrow(message);
        const simulation = create(options);
        expect(() => simulation.setObstacles(obstacles as Float32Array)).toThrow(message);
        expect(overlapsOf(simulation)).toBe(1);
      }
      const two = Float32Array.from([...at(1, 1), ...at(2, 2)]);
      const simulation = create(options);
      const tooMany =
        /^obstacles is 2 particles, but it must be at most 1 particle \(the obstacleCapacity of the simulation\)\.$/;
      expect(() => simulation.setObstacles(two)).toThrow(tooMany);
      const { obstacles: _none, ...without } = options;
      const bare = create(without);
      expect(bare).toMatchObject({ obstacleCount: 0, obstacleCapacity: 0 });
      expect(() => bare.setObstacles(at(1, 1))).toThrow(/^obstacles is 1 particle, .*at most 0 particles/);
      expect(() => bare.restore(simulation.checkpoint() as Parameters<typeof bare.restore>[0])).toThrow(
        /^checkpoint\.obstacles is 1 particle, but it must be at most 0 particles/,
      );
    });
  });

  it('keep the energy of an elastic gas among them', () => {
    const scene = createScene('obstacles', { dimensions, count: 300, seed: 3 });
    const gas = fieldOf({ kind: 'bounded', dimensions, count: 300, obstacles: 1, seed: 4 });
    const simulation = createCpuSimulation({
      ...box,
      max: scene.max,
      positions: scene.positions,
      velocities: gas.velocities,
      obstacles: scene.obstacles,
      restitution: 1,
      friction: 0,
    });
    expectEnergyKept(simulation);
  });

  it.each(fewerInSpace(dimensions, [1, 0.5, 0.25]))(
    'hold a pile that comes to rest on a floor of obstacles %d apart',
    (spacing) => {
      const columns = dimensions === 2 ? 12 : 5;
      const centres: number[] = [];
      const across = Math.ceil(columns / spacing);
      for (let x = 0; x <= across; x++) {
        for (let z = 0; z <= (dimensions === 3 ? across : 0); z++) {
          centres.push(...[x * spacing, 1, z * spacing].slice(0, dimensions));
        }
      }
      const pile = createScene('pile', { dimensions, count: 50, seed: 2 });
      const simulation = createCpuSimulation({
        ...box,
        min: [0, 0, 0].slice(0, dimensions),
        max: [columns, 40, columns].slice(0, dimensions),
        positions: pile.positions.map((value, index) => {
          return index % dimensions === 1 ? value + 2 : (value / (pile.max[0] as number)) * columns;
        }),
        obstacles: Float32Array.from(centres),
        gravity: [0, -9.81, 0].slice(0, dimensions),
      });
      for (let step = 0; step < (dimensions === 2 ? 1200 : 600); step++) simulation.step(1 / 60);
      const { kineticEnergy, obstacleContacts, deepestOverlap } = simulation.measure();
      expect(obstacleContacts).toBeGreaterThan(columns / 2);
      expect(deepestOverlap).toBeLessThan(0.05);
      expect(Math.sqrt((2 * kineticEnergy) / 50)).toBeLessThan(0.02);
      // No particle may fall through.
      readNow(simulation).positions.forEach((value, index) => {
        if (index % dimensions === 1) expect(value).toBeGreaterThan(1);
      });
    },
  );
});

/** Returns the same obstacles in another order. */
const permuted = (
  dimensions: number,
  obstacles: ObstacleBodies,
  order: readonly number[],
): ObstacleBodies => {
  const take = (numbers: Float32Array, stride: number) =>
    Float32Array.from(
      order.flatMap((body) => Array.from(numbers.subarray(stride * body, stride * (body + 1)))),
    );
  const { positions, radii, halfExtents } = obstacles;
  return {
    positions: take(positions, dimensions),
    ...(radii ? { radii: take(radii, 1) } : {}),
    ...(halfExtents ? { halfExtents: take(halfExtents, dimensions) } : {}),
  };
};

describe.each(DIMENSIONS)('obstacles with their own sizes in %dD', (dimensions) => {
  describe.each(fewerInSpace(dimensions, MIXED_KINDS))('%s', (kind) => {
    it.each(ENGINES)('are overlapped by the same particles as in a search of all pairs (%s)', (_, create) => {
      for (const boxes of [true, false]) {
        for (const [count, obstacles] of [
          [150, 130],
          [100, 1],
          [10, 200],
        ] as const) {
          const options = sizedFieldOf({ kind, dimensions, count, obstacles, seed: 5, boxes });
          const { overlaps, doubtful } = countSizedOverlaps(options);
          expect(doubtful).toBe(0);
          if (count > 100) expect(overlaps).toBeGreaterThan(10);
          const simulation = create(options);
          expect(overlapsOf(simulation)).toBe(overlaps);
          expect(simulation.obstacleCount).toBe(obstacles);
        }
      }
    });

    it('are overlapped by the same particles as in exact arithmetic, anywhere (CPU engine)', () => {
      let total = 0;
      let close = 0;
      fc.assert(
        fc.property(mixedCrowds(kind, dimensions, 50), ({ world, options, radii, positions, radiusOf }) => {
          const isRadius = (radius: number, least: number, most: number) => radius >= least && radius <= most;
          const { smallest, largest } = {
            smallest: Math.fround(radii.smallest),
            largest: Math.fround(radii.largest),
          };
          // Every third body is an obstacle, of any size that does not reach across the period.
          const around = Math.min(...world.period.map((length) => length || Number.POSITIVE_INFINITY));
          const most = Math.min(2 ** 59, (around - world.diameter) / 2);
          const isFixed = (body: number) => body % 3 === 2;
          const all = Array.from(radiusOf.keys()).filter((body) => {
            const radius = radiusOf[body] as number;
            return isFixed(body) ? isRadius(radius, 2 ** -41, most) : isRadius(radius, smallest, largest);
          });
          const take = (fixed: boolean) => {
            const bodies = all.filter((body) => isFixed(body) === fixed);
            return {
              positions: Float32Array.from(bodies.flatMap((body) => vectorAt(positions, dimensions, body))),
              radii: Float32Array.from(bodies, (body) => radiusOf[body] as number),
            };
          };
          const [moving, obstacles] = [take(false), take(true)];
          const simulation = createCpuSimulation({ ...options, ...moving, radiusRange: radii, obstacles });
          const { period } = simulation.world;
          const [centres, fixed] = [moving, obstacles].map((bodies) =>
            wrapPositions(simulation.world, bodies.positions),
          ) as [Float32Array, Float32Array];
          let expected = 0;
          moving.radii.forEach((radius, a) => {
            obstacles.radii.forEach((otherRadius, b) => {
              const [here, there] = [vectorAt(centres, dimensions, a), vectorAt(fixed, dimensions, b)];
              const distance = Math.hypot(
                ...here.map((value, axis) =>
                  nearestImage(value - (there[axis] as number), period[axis] as number),
                ),
              );
              const reach = radius + otherRadius;
              const doubt = 1e-9 * (distance + reach + Math.max(...period));
              // Exact arithmetic is slow.
              const isClose = Math.abs(distance - reach) <= doubt;
              if (isClose) close++;
              if (isClose ? exactOverlap(here, there, radius, period, otherRadius) : distance < reach)
                expected++;
            });
          });
          expect(overlapsOf(simulation)).toBe(expected);
          total += expected;
        }),
        runs(40),
      );
      expect(total).toBeGreaterThan(50);
      expect(close).toBeGreaterThan(5);
    });

    it('push and turn particles within the bound (CPU engine)', () => {
      for (const [boxes, restitution] of [
        [true, 0.5],
        [true, 0],
        [false, 0.5],
      ] as const) {
        const field = sizedFieldOf({ kind, dimensions, count: 100, obstacles: 120, dyadic: true, boxes });
        const gravity = new Array<number>(dimensions).fill(0).with(1, -8);
        const options = { ...field, restitution, gravity, substeps: 1 };
        const { world, diameter, settings, obstacles: given, ...sizes } = planSimulation(options);
        for (const mode of ['separate', 'resolve'] as const) {
          const simulation = createCpuSimulation(options);
          if (mode === 'separate') simulation.separate(1);
          else simulation.step(DT);
          const got = simulation.read();
          const substep = deriveSubstep(world, diameter, settings, mode === 'separate' ? 0 : DT);
          // Nothing is rounded in between.
          const start = { positions: wrapPositions(world, field.positions), velocities: field.velocities };
          const moved = mode === 'separate' ? start : integrate(world, substep, start);
          const grid = buildGrid(world, moved.positions, moved.velocities, undefined, sizes);
          const bound = resolveBound(world, substep, grid, mode, fileObstacles(world, given));
          const without = resolveBound(world, substep, grid, mode);
          let pushed = 0;
          let beyond = 0;
          grid.ids.forEach((id, slot) => {
            const [limit, fastest] = [bound.positions[slot] as number, bound.velocities[slot] as number];
            for (let axis = 0; axis < dimensions; axis++) {
              const [at, from] = [dimensions * slot + axis, dimensions * id + axis];
              const exact = bound.exactPositions[at] as number;
              const length = world.period[axis] as number;
              const off = nearestImage((got.positions[from] as number) - exact, length);
              if (!(Math.abs(off) <= limit / 2)) beyond++;
              const moves = Math.abs(exact - (without.exactPositions[at] as number)) > 2 ** -10;
              if (moves && limit < 2 ** -10) pushed++;
              if (mode === 'separate') continue;
              const turn = (got.velocities[from] as number) - (bound.exactVelocities[at] as number);
              if (!(Math.abs(turn) <= fastest / 2)) beyond++;
            }
          });
          expect(beyond).toBe(0);
          // Otherwise the bound would be tested on zeros only.
          expect(pushed).toBeGreaterThan(20);
        }
      }
    });

    it.each(ENGINES)(
      'give the same bits in another run, from a checkpoint, and in any order (%s)',
      (name, create) => {
        const isFast = name === 'CPU engine';
        const [count, fixed] = isFast ? [150, 130] : [30, 25];
        for (const boxes of isFast ? [true, false] : [true]) {
          const field = sizedFieldOf({ kind, dimensions, count, obstacles: fixed, seed: 9, boxes });
          const options = { ...field, restitution: 0.5, substeps: 2 };
          const run = (changes: Partial<SimulationOptions>, restored = false) => {
            let simulation = create({ ...options, ...changes });
            for (let step = 0; step < (isFast ? 4 : 2); step++) {
              simulation.step(DT);
              if (!restored || step !== 0) continue;
              const checkpoint = decodeCheckpoint(
                encodeCheckpoint(simulation.checkpoint() as Parameters<typeof encodeCheckpoint>[0]),
              );
              const elsewhere = { ...field.obstacles, positions: field.obstacles.positions.slice().fill(0) };
              simulation = create({ ...options, obstacles: elsewhere });
              simulation.restore(checkpoint);
              expect(simulation.checkpoint()).toMatchObject({ obstacles: field.obstacles });
            }
            return hashOf(simulation);
          };
          const hash = run({});
          expect(run({}, true)).toBe(hash);
          expect(run({ obstacles: undefined })).not.toBe(hash);
          const order = shuffled(
            Array.from({ length: fixed }, (_, body) => body),
            createNoise(7),
          );
          expect(run({ obstacles: permuted(dimensions, field.obstacles, order) })).toBe(hash);
        }
      },
    );
  });

  const at = (...coordinates: number[]) => Float32Array.from([...coordinates, 4].slice(0, dimensions));
  const world = {
    dimensions,
    min: [0, 0, 0].slice(0, dimensions),
    max: [8, 8, 8].slice(0, dimensions),
  } as const;
  const alone = {
    ...world,
    radii: Float32Array.of(0.5),
    radiusRange: { smallest: 0.25, largest: 0.75 },
    substeps: 1,
    friction: 0,
  };
  /** A floor, or a block in it, with these half edges. */
  const block = (x: number, y: number, ...half: number[]): ObstacleBodies => ({
    positions: at(x, y),
    halfExtents: Float32Array.from([...half, 64].slice(0, dimensions)),
  });

  describe.each(ENGINES)('by hand (%s)', (_, create) => {
    it('give a particle the whole push, even if they are small', () => {
      for (const radius of [2 ** -20, 0.125, 2]) {
        const options = { ...alone, positions: at(4, 4), relaxation: 0.5 };
        const obstacles = { positions: at(3.75 - radius, 4), radii: Float32Array.of(radius) };
        const simulation = create({ ...options, obstacles });
        // The particle overlaps by a quarter and moves by half of that.
        simulation.separate(1);
        expect(readNow(simulation).positions).toEqual(at(4.125, 4));
        const deep = create({ ...options, boxes: true, obstacles: block(3.25, 4, 0.5, 3) });
        deep.separate(1);
        expect(readNow(deep).positions).toEqual(at(4.125, 4));
      }
    });

    it('bounce a fast particle like an infinite mass, at any size', () => {
      for (const radius of [0.125, 2]) {
        const positions = at(4.75 + DT, 4);
        const velocities = Float32Array.from([-2, 1, 0].slice(0, dimensions));
        positions[1] = 4 - DT;
        positions[0] = 4.75 + 2 * DT;
        const obstacles = { positions: at(4.5 - radius, 4), radii: Float32Array.of(radius) };
        const simulation = create({ ...alone, positions, velocities, obstacles, restitution: 0.5 });
        simulation.step(DT);
        expect(Array.from(readNow(simulation).velocities.subarray(0, 2))).toEqual([1, 1]);
      }
    });

    it('push a box out of a box the shortest way, and a ball off its corner', () => {
      const options = { ...alone, boxes: true, relaxation: 0.5, obstacles: block(4, 4, 1, 1) };
      const box = create({
        ...options,
        radii: Float32Array.of(0),
        halfExtents: Float32Array.from([0.25, 0.5, 0.25].slice(0, dimensions)),
        positions: at(4.75, 5.25),
      });
      box.separate(1);
      expect(readNow(box).positions).toEqual(at(4.75, 5.375));
      const ball = create({ ...options, positions: at(5.1875, 5.25) });
      ball.separate(1);
      // The centre is 0.3125 from the corner, along (3, 4) / 5, so the overlap is 0.1875.
      const [x, y] = readNow(ball).positions;
      expect(x).toBeCloseTo(5.1875 + 0.09375 * 0.6, 6);
      expect(y).toBeCloseTo(5.25 + 0.09375 * 0.8, 6);
    });

    it('never push along themselves if endless, not even where their images meet', () => {
      const periodic = [true, false, false].slice(0, dimensions);
      const options = { ...alone, boxes: true, periodic, positions: at(5, 1.5), relaxation: 0.5 };
      for (const half of [4, 5, 100]) {
        const simulation = create({ ...options, obstacles: block(1, 1, half, 0.75) });
        simulation.separate(1);
        expect(readNow(simulation).positions).toEqual(at(5, 1.875));
        expect(simulation.checkpoint()).toMatchObject({ obstacles: block(1, 1, half, 0.75) });
      }
    });

    it('push out from any depth if thick and endless', () => {
      const options = {
        ...alone,
        boxes: true,
        walls: false,
        min: [0, -64, 0].slice(0, dimensions),
        max: [8, 64, 8].slice(0, dimensions),
        positions: at(4, -19),
      };
      const periodic = [true, false, false].slice(0, dimensions);
      for (const half of [4, 8]) {
        const obstacles = block(4, -40, half, 40);
        const simulation = create({ ...options, periodic, relaxation: 1, obstacles });
        simulation.separate(64);
        expect(readNow(simulation).positions[0]).toBe(4);
        expect(readNow(simulation).positions[1]).toBeCloseTo(0.5, 3);
      }
    });

    it('push no more together than the deepest alone, and only one of them bounces', () => {
      for (const times of [1, 2, 40, 200]) {
        const centres = Array.from({ length: times }, () => Array.from(at(3, 4))).flat();
        const obstacles = {
          positions: Float32Array.from(centres),
          radii: new Float32Array(times).fill(1.25),
        };
        const options = { ...alone, positions: at(4.5, 4), relaxation: 0.5, obstacles };
        const simulation = create(options);
        simulation.separate(1);
        expect(overlapsOf(simulation)).toBe(times);
        expect(readNow(simulation).positions[0]).toBeCloseTo(4.625, 5);
        const velocities = Float32Array.from([-2, 0, 0].slice(0, dimensions));
        const fast = create({ ...options, positions: at(4.5 + 2 * DT, 4), velocities, restitution: 1 });
        fast.step(DT);
        expect(readNow(fast).velocities[0]).toBe(2);
      }
    });

    it('push out a coincident particle along an axis that both slots determine', () => {
      // The bodies are in a row, so that slots have the order of positions.
      const row = Array.from({ length: 5 }, (_, body) => Array.from(at(1.5 * body + 1, 4))).flat();
      const positions = Float32Array.from(row);
      const radii = new Float32Array(5).fill(0.25);
      for (const boxes of [false, true]) {
        for (const first of [0, 4]) {
          const obstacles = { positions: positions.slice(dimensions * first), radii: radii.slice(first) };
          const simulation = create({ ...alone, radii, positions, boxes, obstacles, relaxation: 0.5 });
          simulation.separate(1);
          const moved = readNow(simulation).positions;
          for (let slot = first; slot < 5; slot++) {
            const way = Array.from(vectorAt(moved, dimensions, slot), (value, axis) => {
              return value - (positions[dimensions * slot + axis] as number);
            });
            const obstacle = slot - first;
            const axis = boxes ? 0 : (slot + obstacle) % dimensions;
            expect(way).toEqual(new Array(dimensions).fill(0).with(axis, slot > obstacle ? 0.25 : -0.25));
          }
          simulation.separate(60);
          expect(overlapsOf(simulation)).toBe(0);
        }
      }
    });

    it('are not touched by quarantined particles', () => {
      for (const sized of [true, false]) {
        const { radii, radiusRange, ...rest } = alone;
        const own = sized ? { radii: new Float32Array(3).fill(0.5), radiusRange } : { radius: 0.5 };
        const positions = Float32Array.from([...at(4, 4), ...at(4, 4), ...at(4, 4)]);
        const obstacles = sized ? { positions: at(4, 4.5), radii: Float32Array.of(1) } : at(4, 4.5);
        const simulation = create({ ...rest, ...own, positions, obstacles });
        expect(overlapsOf(simulation)).toBe(3);
        const checkpoint = simulation.checkpoint() as Checkpoint;
        const gone = checkpoint.positions.slice();
        gone[0] = Number.NaN;
        gone[dimensions + 1] = Number.POSITIVE_INFINITY;
        simulation.restore({ ...checkpoint, positions: gone });
        expect(simulation.measure()).toMatchObject({ nonFinite: 2, obstacleContacts: 1 });
        simulation.step(DT);
        expect(Array.from(readNow(simulation).positions.subarray(0, 2))).toEqual([Number.NaN, 4]);
      }
    });

    it('are returned in the given form, and can be replaced', () => {
      const positions = Float32Array.from([...at(2, 4), ...at(6, 4)]);
      const radii = Float32Array.of(0, 1);
      const halfExtents = Float32Array.from([...at(0.5, 1).fill(0.5, 2), ...at(0, 0).fill(0)]);
      const given = { positions, radii, halfExtents };
      const kept = { positions: positions.slice(), radii: radii.slice(), halfExtents: halfExtents.slice() };
      const simulation = create({ ...alone, boxes: true, positions: at(2.75, 4), obstacles: given });
      for (const numbers of [positions, radii, halfExtents]) numbers.fill(1);
      expect(simulation).toMatchObject({ count: 1, obstacleCount: 2, obstacleCapacity: 2 });
      expect(simulation.checkpoint()).toMatchObject({ obstacles: kept });
      expect(overlapsOf(simulation)).toBe(1);
      simulation.setObstacles(block(4, 4, 1, 1));
      expect(simulation.obstacleCount).toBe(1);
      expect(overlapsOf(simulation)).toBe(1);
      simulation.setObstacles({ positions: at(2, 2), radii: Float32Array.of(0.5) });
      expect(overlapsOf(simulation)).toBe(0);
      const checkpoint = decodeCheckpoint(encodeCheckpoint(simulation.checkpoint() as Checkpoint));
      simulation.setObstacles({ positions: new Float32Array(0) });
      expect(simulation.obstacleCount).toBe(0);
      expect('obstacles' in (simulation.checkpoint() as object)).toBe(false);
      simulation.restore(checkpoint);
      expect(simulation.checkpoint()).toMatchObject({
        obstacles: {
          positions: at(2, 2),
          radii: Float32Array.of(0.5),
          halfExtents: new Float32Array(dimensions),
        },
      });
      expect(simulation.measure()).toMatchObject({ obstacleContacts: 0 });
      simulation.setObstacles(kept);
      expect(overlapsOf(simulation)).toBe(1);
    });

    it('are rejected with an error message, and nothing changes', () => {
      const positions = at(4, 4);
      const obstacles = { positions, radii: Float32Array.of(1) };
      const options = { ...alone, positions: at(4, 4.75), obstacles };
      const periodic = { ...options, periodic: true };
      const one = (radius: number) => ({ positions, radii: Float32Array.of(radius) });
      const cases: [SimulationOptions, unknown, RegExp][] = [
        [
          options,
          positions,
          /^obstacles is .*an object with positions and radii, since each particle has its own radius\.$/,
        ],
        [
          options,
          null,
          /^obstacles is null, .*a Float32Array of positions, or an object with positions and sizes\.$/,
        ],
        [options, { positions }, /^obstacles\.radii is undefined, .*a radius for each of 1 particles\.$/],
        [options, { ...one(1), mass: 1 }, /^obstacles\.mass is 1, /],
        [options, one(0), /^obstacles\.radii\[0\] is 0, .*greater than 0\.$/],
        [options, one(Number.NaN), /^obstacles\.radii\[0\] is NaN, /],
        [options, one(2 ** -60), /^obstacles\.radii\[0\] is .*, but it must be from /],
        [options, one(2 ** 60), /^obstacles\.radii\[0\] is .*, but it must be from /],
        [
          options,
          { ...one(1), radii: new Float32Array(2) },
          /^obstacles\.radii is .*for each of 1 particles\.$/,
        ],
        [options, block(4, 4, 1, 1), /^obstacles\.halfExtents is .*left out, since no particle may be a box/],
        [
          options,
          { positions: new Float32Array(2 * dimensions), radii: Float32Array.of(1, 1) },
          /^obstacles is 2 particles, .*at most 1 particle \(the obstacleCapacity of the simulation\)\.$/,
        ],
        // The largest particle has a radius of three quarters.
        [
          periodic,
          one(3.5),
          /^obstacles\.radii\[0\] is 3\.5, .*at most 3\.25 \(half of the period along axis 0/,
        ],
        [
          { ...periodic, boxes: true },
          block(4, 4, 3.5, 1),
          /^obstacles\.halfExtents\[0\] is 3\.5, .*, or at least 4 for a box without an end\.$/,
        ],
      ];
      for (const [base, wrong, message] of cases) {
        const simulation = create(base);
        const before = simulation.checkpoint();
        expect(() => simulation.setObstacles(wrong as ObstacleBodies)).toThrow(ArgumentError);
        expect(() => simulation.setObstacles(wrong as ObstacleBodies)).toThrow(message);
        expect(simulation.checkpoint()).toEqual(before);
        expect(overlapsOf(simulation)).toBe(1);
        const checkpoint = { ...before, obstacles: wrong } as Checkpoint;
        expect(() => simulation.restore(checkpoint)).toThrow(/^checkpoint\.obstacles/);
        expect(simulation.checkpoint()).toEqual(before);
        // A new simulation gets the capacity for its obstacles, so too many are no error there.
        if (message.source.includes('2 particles')) continue;
        expect(() => create({ ...base, obstacles: wrong as ObstacleBodies })).toThrow(message);
      }
      const equal = create({ ...world, radius: 0.5, positions: at(4, 4.5), obstacles: positions });
      expect(() => equal.setObstacles(one(0.5))).toThrow(
        /^obstacles\.radii is .*left out, since all particles of this simulation have one radius\.$/,
      );
      expect(() => equal.setObstacles(block(4, 4, 1, 1))).toThrow(/^obstacles\.halfExtents is .*left out/);
      // An object without sizes means the same as an array.
      equal.setObstacles({ positions: at(4, 5) });
      expect(equal.checkpoint()).toMatchObject({ obstacles: at(4, 5) });
    });
  });

  it('let a ball rest on a box, and let another slide over an endless box without a bump', () => {
    const gravity = new Array<number>(dimensions).fill(0).with(1, -8);
    const options = { ...alone, boxes: true, gravity, substeps: 8 };
    const resting = createCpuSimulation({ ...options, positions: at(4, 3), obstacles: block(4, 1, 3, 0.75) });
    for (let step = 0; step < 300; step++) resting.step(1 / 60);
    const { positions, velocities } = resting.read();
    expect(positions[1]).toBeGreaterThan(2.2);
    expect(positions[1]).toBeLessThan(2.2501);
    expect(Math.hypot(...velocities)).toBeLessThan(1e-3);
    for (const half of [4, 8]) {
      // The box has a half extent of half the period or more. Another particle falls beside it.
      const endless = createCpuSimulation({
        ...options,
        periodic: [true, false, false].slice(0, dimensions),
        positions: at(7, 2.25),
        velocities: Float32Array.from([5, 0, 0].slice(0, dimensions)),
        obstacles: block(1, 1, half, 0.75),
      });
      let lowest = 8;
      for (let step = 0; step < 240; step++) {
        endless.step(1 / 60);
        lowest = Math.min(lowest, endless.read().positions[1] as number);
      }
      expect(endless.read().velocities[0]).toBe(5);
      expect(lowest).toBeGreaterThan(2.2);
    }
  });

  it('can have one huge body and thousands of tiny ones', () => {
    const noise = createNoise(3);
    const count = 200;
    const fixed = 3000;
    const scatter = (bodies: number, high: number) =>
      Float32Array.from({ length: dimensions * bodies }, () => high * noise());
    const obstacles = { positions: scatter(fixed, 100), radii: new Float32Array(fixed) };
    for (let body = 0; body < fixed; body++) obstacles.radii[body] = 1e-4 * (1 + noise());
    // The huge body reaches to (50, 50, 50).
    obstacles.positions.fill(-1e4, 0, dimensions);
    obstacles.radii[0] = Math.sqrt(dimensions) * (1e4 + 50);
    const options: SimulationOptions = {
      dimensions,
      unbounded: true,
      positions: scatter(count, 100),
      radii: Float32Array.from({ length: count }, () => 0.01 + (dimensions === 2 ? 1 : 4) * noise()),
      radiusRange: { smallest: 0.01, largest: 5 },
      obstacles,
    };
    const { overlaps } = countSizedOverlaps(options);
    expect(overlaps).toBeGreaterThan(100);
    expect(overlapsOf(createCpuSimulation(options))).toBe(overlaps);
  });

  const lattice = defineLattice(planSimulation({ ...alone, positions: at(4, 4) }).world);

  it('are all found if one particle overlaps many of them', () => {
    const overlaps = new Overlaps();
    const fixed = Float32Array.from({ length: 300 * dimensions }, (_, index) => index / 1024);
    for (let obstacle = 0; obstacle < 300; obstacle++) {
      overlaps.addBalls(lattice, at(1, 2), 0, fixed, obstacle, 8);
    }
    expect(overlaps.count).toBe(300);
    for (let obstacle = 0; obstacle < 300; obstacle++) {
      const apart = vectorAt(fixed, dimensions, obstacle).map(
        (value, axis) => (at(1, 2)[axis] as number) - value,
      );
      const distance = Math.hypot(...apart);
      expect(overlaps.obstacles[obstacle]).toBe(obstacle);
      expect(overlaps.depths[obstacle]).toBeCloseTo(8 - distance, 12);
      apart.forEach((along, axis) => {
        expect(overlaps.normals[3 * obstacle + axis]).toBeCloseTo(along / distance, 12);
      });
    }
  });

  it('are not touched by particles that became invalid after the sort', () => {
    const search = new VariableObstacles(lattice, { live: 1 });
    search.load({ positions: at(4, 4), radii: Float32Array.of(1) });
    const positions = at(4, 4);
    const state = { positions, radii: Float32Array.of(0.5), halves: new Float32Array(0) } as ParticleState;
    expect(search.find(state, 0).count).toBe(1);
    for (const nowhere of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      positions[dimensions - 1] = nowhere;
      expect(search.find(state, 0).count).toBe(0);
    }
  });

  it('push the same near the origin and far from it', () => {
    for (const [far, scale] of [
      [2 ** 20, 1],
      [-(2 ** 40), 2 ** 20],
      [2 ** 70, 2 ** 50],
    ] as const) {
      const options = {
        dimensions,
        unbounded: true,
        radii: Float32Array.of(scale),
        radiusRange: { smallest: scale, largest: scale },
        relaxation: 0.5,
        positions: new Float32Array(dimensions).fill(far).fill(far + scale, 0, 1),
      };
      const obstacles = {
        positions: new Float32Array(2 * dimensions).fill(far, 0, dimensions),
        radii: Float32Array.of(scale, scale),
      };
      const simulation = createCpuSimulation({ ...options, obstacles });
      expect(overlapsOf(simulation)).toBe(1);
      simulation.separate(1);
      expect(simulation.read().positions[0]).toBe(far + 1.5 * scale);
    }
  });

  it('keep the energy of an elastic gas among them', () => {
    const field = sizedFieldOf({ kind: 'bounded', dimensions, count: 200, obstacles: 60 });
    const simulation = createCpuSimulation({ ...field, restitution: 1, friction: 0 });
    expectEnergyKept(simulation);
  });

  it('take exactly the memory that they report', () => {
    const field = sizedFieldOf({ kind: 'bounded', dimensions, count: 10, obstacles: 1000 });
    const bytes = (obstacles: ObstacleBodies | undefined) =>
      createCpuSimulation({ ...field, obstacles }).memoryBytes;
    const bare = bytes(undefined);
    const one = bytes(permuted(dimensions, field.obstacles, [0])) - bare;
    const all = bytes(field.obstacles) - bare;
    // Each has a position, radius, half extents and bulk, as given and in the tree's order, and half a node.
    const each = 2 * 4 * (2 * dimensions + 2) + 4 * (dimensions + 1);
    expect(all).toBeGreaterThan(990 * each);
    expect(all).toBeLessThan(1010 * each);
    expect(one).toBeLessThan(3 * each);
  });
});

it('obstacles share a push from the second one on', () => {
  const shares = [
    [0, 0],
    [1, 1],
    [1, 2],
    [1, 2.5],
    [1, 8],
    [0.5, 4],
  ] as const;
  expect(shares.map(([deepest, sum]) => obstacleShare(deepest, sum))).toEqual([1, 1, 0.5, 0.4, 0.125, 0.125]);
});

it('obstacles appear in no kernel of a simulation without them', () => {
  for (const dimensions of DIMENSIONS) {
    // Kernels for paths can name obstacles as hits, but without obstacles such hits never occur.
    const kernels = describeKernels(dimensions, true).filter(({ label }) => !label.includes('.ccd.'));
    const [having, others] = [true, false].map((has) =>
      kernels.filter(({ label }) => label.split('.').includes('obstacles') === has),
    ) as [typeof kernels, typeof kernels];
    // Kernels with obstacles exist for each kind of world, with one radius, crowds, and variable radii.
    expect(having.length).toBeGreaterThan(80);
    for (const kernel of having) expect(linkShader(kernel).code).toContain('fn probe_obstacles(');
    for (const kernel of others) {
      // All kernels have the parameter for the first obstacle, but only some use it.
      const code = linkShader(kernel).code.replace(/\/\/.*|\n *first_obstacle: u32,/g, '');
      expect(code.toLowerCase(), kernel.label).not.toContain('obstacle');
    }
  }
});
