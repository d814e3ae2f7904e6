/**
 * Obstacles, the particles that never move, on the CPU: who overlaps them against all pairs, the contact law by hand,
 * both engines against each other and the bound, what comes to rest, and what is refused.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { carryPositions } from '../../src/core/cells';
import { ArgumentError } from '../../src/core/errors';
import { obstacleShare } from '../../src/core/obstacles';
import { deriveSubstep, type SettingsOptions } from '../../src/core/settings';
import {
  type ParticleArrays,
  type ParticleSimulation,
  planSimulation,
  type SimulationOptions,
} from '../../src/core/simulation';
import { decodeCheckpoint, encodeCheckpoint } from '../../src/core/state-file';
import type { WorldOptions } from '../../src/core/world';
import { createCpuSimulation } from '../../src/cpu';
import { linkShader } from '../../src/gpu/link';
import { describeKernels } from '../../src/passes';
import { resolveBound } from '../../src/reference/bound';
import { buildGrid } from '../../src/reference/grid';
import { findPartners } from '../../src/reference/partner';
import { resolveContacts, separateContacts } from '../../src/reference/resolve';
import { ReferenceSimulation } from '../../src/reference/simulation';
import { createScene } from '../../src/scenes';
import { exactOverlap, vectorAt } from '../helpers/exact-pairs';
import { countOverlaps, type Field, fieldOf, WORLD_KINDS } from '../helpers/obstacle-fields';
import { optionsOf, stored, unusualCrowds } from '../helpers/unusual-worlds';
import { type Crowd, crowds, runs } from '../helpers/worlds';

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

describe.each(DIMENSIONS)('obstacles in %dD', (dimensions) => {
  describe.each(WORLD_KINDS)('%s', (kind) => {
    const field = (seed: number, changes: SettingsOptions = {}): Field => {
      return { ...fieldOf({ kind, dimensions, count: 150, obstacles: 130, seed }), ...changes };
    };

    it.each(ENGINES)('are overlapped by whom all pairs say (%s)', (_, create) => {
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

    it('are overlapped by whom exact arithmetic says, wherever they are (CPU engine)', () => {
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
          // Every third is an obstacle.
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
              const places = [
                vectorAt(positions, dimensions, a),
                vectorAt(obstacles, dimensions, b),
              ] as const;
              if (exactOverlap(...places, diameter, world.period)) expected++;
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
      'push and turn particles as far as the bound allows, at restitution %d',
      (restitution) => {
        for (let seed = 1; seed < 4; seed++) {
          const options = field(seed, { restitution, substeps: 1 });
          const { world, settings, diameter } = planSimulation(options);
          const substep = deriveSubstep(world, diameter, settings, DT);
          const obstacles = buildGrid(world, carryPositions(world, options.obstacles));
          const grid = buildGrid(world, carryPositions(world, options.positions), options.velocities);
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

    it.each([0, 0.5])('do in one step what the reference says, at restitution %d', (restitution) => {
      for (let seed = 1; seed < 6; seed++) {
        const options = field(seed, { restitution, substeps: 1, iterations: 2 });
        const fast = createCpuSimulation(options);
        const plain = new ReferenceSimulation(options);
        // Not one after the other: particles that a wall has put into one corner part by their last bits.
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
        // Positions are below 32 and about 100 operations apart; an overlap's error becomes velocity by 1 / dt.
        const rounding = 32 * 2 ** -24;
        expect(Math.max(...apart)).toBeLessThan(100 * rounding);
        expect(greatestDifference(a.velocities, b.velocities)).toBeLessThan((100 * rounding) / DT);
      }
    });

    it.each(ENGINES)(
      'leave the same bits again, naive, from a checkpoint, in any order (%s)',
      (_, create) => {
        const options = field(9, { restitution: 0.5, iterations: 2, substeps: 2 });
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
        // Two that change places in the list: an obstacle has no name.
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
  /** A particle beside an obstacle, which is at (4, 4, 4). */
  const beside = <Changes extends Partial<SimulationOptions>>(
    x: number,
    velocity: readonly [number, number],
    changes?: Changes,
  ) => ({
    ...box,
    // In the middle once it has moved.
    positions: at(x, 4 - DT * velocity[1]),
    velocities: Float32Array.from([...velocity, 0].slice(0, dimensions)),
    obstacles: at(4, 4),
    substeps: 1,
    friction: 0,
    ...changes,
  });

  describe.each(ENGINES)('by hand (%s)', (_, create) => {
    it('take all of the push that two sides take', () => {
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

    it('give back the share of the speed that a wall gives', () => {
      for (const restitution of [0.25, 1]) {
        const simulation = create(beside(4.75, [-2, 1], { restitution, relaxation: 0.5 }));
        // Free flight over 1/64 s first.
        simulation.step(DT);
        const { velocities } = readNow(simulation);
        expect(velocities[0]).toBe(2 * restitution);
        expect(velocities[1]).toBe(1);
      }
    });

    it('stop what approaches, and without gravity give no speed', () => {
      const fast = create(beside(4.5, [-1, 0], { relaxation: 1 }));
      fast.step(DT);
      expect(readNow(fast).velocities[0]).toBe(0);
      const still = create(beside(4.5, [0, 0], { relaxation: 1 }));
      still.step(DT);
      expect(readNow(still).velocities[0]).toBe(0);
      expect(readNow(still).positions[0]).toBe(5);
    });

    it('brake what slides along them, by no more than friction of the push and its share of the sliding', () => {
      const along = (friction: number, relaxation: number) => {
        const simulation = create(beside(4.875, [-8, 1], { friction, relaxation }));
        simulation.step(DT);
        return readNow(simulation).velocities;
      };
      const [free, little, much] = [along(0, 0.25), along(0.005, 0.25), along(10, 0.25)];
      // It arrives at 4.75, where the push, 0.25 of 0.25, is 4 in a second.
      expect(free[1]).toBe(1);
      expect(little[1]).toBeCloseTo(1 - 0.005 * 4, 6);
      expect(much[1]).toBe(dimensions === 2 ? 1 - 0.125 : 1 - 0.03125);
    });

    it('do together no more than one, however many lie in one place', () => {
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

    it('bounce a particle off one of them, and others wait: no energy comes of it', () => {
      // Between two obstacles, another particle behind.
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
      // The one behind was left alone.
      expect(velocities[dimensions + 1]).toBe(-1);
      expect(Math.abs(velocities[0] as number)).toBeGreaterThan(1);
    });

    it('part from a particle in their very place', () => {
      const simulation = create(beside(4, [0, 0]));
      simulation.separate(60);
      expect(
        overlapsOf(simulation) === 0 || greatestDifference(readNow(simulation).positions, at(4, 4)) > 0.99,
      ).toBe(true);
    });

    it('are in no count but their own, and may be replaced', () => {
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

    it('are refused in a sentence, and nothing is changed', () => {
      const options = beside(4.5, [0, 0]);
      const cases: [unknown, RegExp][] = [
        [[1, 2, 3], /^obstacles is \[1, 2, 3\], but it must be a Float32Array with/],
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
        /^obstacles is 2 particles, but it must be at most 1 particle \(as many as the simulation was created with\)\.$/;
      expect(() => simulation.setObstacles(two)).toThrow(tooMany);
      expect(() => simulation.setObstacles(undefined as unknown as Float32Array)).toThrow(ArgumentError);
      const { obstacles: _none, ...without } = options;
      const bare = create(without);
      expect(bare).toMatchObject({ obstacleCount: 0, obstacleCapacity: 0 });
      expect(() => bare.restore(simulation.checkpoint() as Parameters<typeof bare.restore>[0])).toThrow(
        /^checkpoint\.obstacles is 1 particle, but it must be at most 0 particles/,
      );
      expect(() => create({ ...options, crowds: true })).toThrow(
        /^crowds is true, but it must be false or left out where there are obstacles\.$/,
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
    const before = simulation.measure().kineticEnergy;
    let touched = 0;
    for (let step = 0; step < 60; step++) {
      simulation.step(1 / 60);
      touched += overlapsOf(simulation);
    }
    expect(touched).toBeGreaterThan(60);
    expect(simulation.measure().kineticEnergy / before).toBeCloseTo(1, 4);
  });

  it.each([1, 0.5, 0.25])('hold a pile that comes to rest on a floor of obstacles %d apart', (spacing) => {
    const columns = dimensions === 2 ? 12 : 5;
    const places: number[] = [];
    const across = Math.ceil(columns / spacing);
    for (let x = 0; x <= across; x++) {
      for (let z = 0; z <= (dimensions === 3 ? across : 0); z++) {
        places.push(...[x * spacing, 1, z * spacing].slice(0, dimensions));
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
      obstacles: Float32Array.from(places),
      gravity: [0, -9.81, 0].slice(0, dimensions),
    });
    for (let step = 0; step < 1200; step++) simulation.step(1 / 60);
    const { kineticEnergy, obstacleContacts, deepestOverlap } = simulation.measure();
    expect(obstacleContacts).toBeGreaterThan(columns / 2);
    expect(deepestOverlap).toBeLessThan(0.05);
    expect(Math.sqrt((2 * kineticEnergy) / 50)).toBeLessThan(0.02);
    // Nobody fell through.
    readNow(simulation).positions.forEach((value, index) => {
      if (index % dimensions === 1) expect(value).toBeGreaterThan(1);
    });
  });
});

it('share themselves out from the second on', () => {
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

it('are in no kernel of a simulation without them', () => {
  for (const dimensions of DIMENSIONS) {
    // Ends of paths have names for obstacles, and those of simulations without them never come up.
    const kernels = describeKernels(dimensions, true).filter(({ label }) => !label.includes('.flight.'));
    const [having, others] = [true, false].map((has) =>
      kernels.filter(({ label }) => label.endsWith('.obstacles') === has),
    ) as [typeof kernels, typeof kernels];
    expect(having).toHaveLength(24);
    for (const kernel of having) expect(linkShader(kernel).code).toContain('fn probe_obstacles(');
    for (const kernel of others) {
      // Rays have obstacles of their own kind in comments nowhere: the word alone tells.
      expect(linkShader(kernel).code.toLowerCase(), kernel.label).not.toContain('obstacle');
    }
  }
});
