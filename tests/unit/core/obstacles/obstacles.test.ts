/** Tests obstacles that have the same radius as all particles. */

import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../../../src/core/base/errors';
import { deriveSubstep, type SettingsOptions } from '../../../../src/core/contact/settings';
import { obstacleShare } from '../../../../src/core/obstacles/obstacles';
import { planSimulation } from '../../../../src/core/simulation/plan';
import type { SimulationOptions } from '../../../../src/core/simulation/simulation';
import { decodeCheckpoint, encodeCheckpoint } from '../../../../src/core/state/state-file';
import { wrapPositions } from '../../../../src/core/world/cells';
import type { WorldOptions } from '../../../../src/core/world/world';
import { createCpuSimulation } from '../../../../src/cpu';
import { buildGrid } from '../../../../src/reference/grid/grid';
import { resolveBound } from '../../../../src/reference/solve/bound';
import { fileObstacles } from '../../../../src/reference/solve/obstacles';
import { findPartners } from '../../../../src/reference/solve/partner';
import { pushApart, resolveContacts } from '../../../../src/reference/solve/resolve';
import { ReferenceSimulation } from '../../../../src/reference/solve/simulation';
import { createScene } from '../../../../src/scenes';
import { exactOverlap, vectorAt } from '../../../helpers/exact-pairs';
import { countOverlaps, type Field, fieldOf, WORLD_KINDS } from '../../../helpers/inputs/obstacle-fields';
import { optionsOf, stored, unusualCrowds } from '../../../helpers/inputs/unusual-worlds';
import { type Crowd, crowds } from '../../../helpers/inputs/worlds';
import { DIMENSIONS } from '../../../helpers/passes';
import { expectSeen, fc, runs } from '../../../helpers/properties';
import { DT, ENGINES, expectEnergyKept, hashOf, overlapsOf, readNow } from './engines';

const greatestDifference = (a: Float32Array, b: Float32Array) =>
  a.reduce((most, value, index) => Math.max(most, Math.abs(value - (b[index] as number))), 0);

describe.each(DIMENSIONS)('obstacles in %dD', (dimensions) => {
  for (const kind of WORLD_KINDS) {
    const tier = dimensions === 2 && kind === 'periodic' ? {} : { tags: 'case' };
    describe(`in a world that is ${kind}`, tier, () => {
      const field = (seed: number, changes: SettingsOptions = {}): Field => {
        return { ...fieldOf({ kind, dimensions, count: 150, obstacles: 130, seed }), ...changes };
      };

      it.each(ENGINES)(
        'overlap particles in as many pairs as a search of all pairs finds (%s)',
        (_, create) => {
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
        },
      );

      it('overlap particles in as many pairs as in exact arithmetic, at any position (CPU engine)', () => {
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
        expectSeen(total, 150);
      });

      it.each([0, 0.5, 1])(
        'change positions and velocities within the bound at restitution %d',
        (restitution) => {
          for (let seed = 1; seed < 4; seed++) {
            const options = field(seed, { restitution, substeps: 1 });
            const { world, settings, diameter } = planSimulation(options);
            const substep = deriveSubstep(world, diameter, settings, DT);
            const obstacles = fileObstacles(world, { positions: options.obstacles });
            const grid = buildGrid(world, wrapPositions(world, options.positions), options.velocities);
            for (const mode of ['resolve', 'pushApart'] as const) {
              const partners = restitution > 0 ? findPartners(world, substep, grid) : undefined;
              const got =
                mode === 'resolve'
                  ? resolveContacts(world, substep, grid, partners, obstacles)
                  : { positions: pushApart(world, substep, grid, obstacles), velocities: undefined };
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

      it.each([0, 0.5])('act in one step as in the reference at restitution %d', (restitution) => {
        for (let seed = 1; seed < 6; seed++) {
          const options = field(seed, { restitution, substeps: 1 });
          const fast = createCpuSimulation(options);
          const plain = new ReferenceSimulation(options);
          // Make one call only. It may push several particles into the same corner, where the last bits decide what a
          // second call does.
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
          // Positions are below 32, and about 100 operations round them. The error of an overlap, divided by dt,
          // becomes an error of velocity.
          const rounding = 32 * 2 ** -24;
          expect(Math.max(...apart)).toBeLessThan(100 * rounding);
          expect(greatestDifference(a.velocities, b.velocities)).toBeLessThan((100 * rounding) / DT);
        }
      });

      it.each(ENGINES)(
        'give the same bits in another run, with the naive broad phase, from a checkpoint, and in any order (%s)',
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
          // Obstacles have no ids, so their order must not matter.
          const swapped = options.obstacles.slice();
          swapped.copyWithin(0, 2 * dimensions, 3 * dimensions);
          swapped.set(options.obstacles.subarray(0, dimensions), 2 * dimensions);
          expect(run({ obstacles: swapped })).toBe(hash);
        },
      );
    });
  }

  it('have a bound that covers both outcomes if rounding decides whether they bounce a particle', () => {
    const corner = (coordinate: number) => new Array<number>(dimensions).fill(coordinate);
    const { world, settings, diameter } = planSimulation({
      dimensions,
      radius: 0.5,
      min: corner(0),
      max: corner(8),
      gravity: corner(0).with(1, -100),
      restitution: 0.5,
      positions: new Float32Array(0),
    });
    const substep = deriveSubstep(world, diameter, settings, DT);
    const obstacles = fileObstacles(world, { positions: new Float32Array(dimensions).fill(4) });
    const offset = [0.3, 0.9, 0.1].slice(0, dimensions);
    const scale = 0.996 / Math.hypot(...offset);
    const positions = Float32Array.from(offset, (along) => 4 + scale * along);
    const distance = Math.hypot(...positions.map((along) => along - 4));
    const outcome = (approach: number) => {
      const speed = approach * substep.restSpeed;
      const velocities = positions.map((along) => (-speed * (along - 4)) / distance);
      const grid = buildGrid(world, positions, velocities);
      const changed = resolveContacts(world, substep, grid, undefined, obstacles).velocities;
      const bound = resolveBound(world, substep, grid, 'resolve', obstacles).velocities[0] as number;
      return { speed: Math.hypot(...changed), bound };
    };
    const [slower, doubtful, faster] = [outcome(0.999), outcome(1), outcome(1.001)];
    const jump = Math.abs(faster.speed - slower.speed);
    expect(jump).toBeGreaterThan(0.4 * substep.restSpeed);
    expect(doubtful.bound).toBeGreaterThan(jump);
    for (const settled of [slower, faster]) expect(settled.bound).toBeLessThan(0.001 * substep.restSpeed);
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

  describe.each(ENGINES)('checked by hand in the %s', (_, create) => {
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
        simulation.step(DT);
        const { velocities } = readNow(simulation);
        expect(velocities[0]).toBe(2 * restitution);
        expect(velocities[1]).toBe(1);
      }
    });

    it.each([
      ['rests', 0],
      ['slides', 1],
    ])(
      'without gravity, push a particle by the same distance whatever rounding adds to its velocity, if it %s',
      (_, slide) => {
        const moved = (approach: number) => {
          const simulation = create(beside(4.75, [-approach, slide]));
          simulation.step(DT);
          return readNow(simulation);
        };
        const { positions, velocities } = moved(0);
        expect(positions[0]).toBeCloseTo(5 - 0.25 / 32, 6);
        for (const approach of [-1e-6, 1e-6]) {
          const rounded = moved(approach);
          expect(greatestDifference(rounded.positions, positions)).toBeLessThan(1e-6);
          expect(greatestDifference(rounded.velocities, velocities)).toBeLessThan(2e-6);
        }
        // In a step, an obstacle removes 31/32 of an overlap.
        const { positions: stopped } = moved(8);
        expect(stopped[0]).toBeCloseTo(5 - (0.25 + 8 * DT) / 32, 6);
      },
    );

    it('stop an approaching particle, and give a particle at rest no speed if there is no gravity', () => {
      const fast = create(beside(4.5, [-1, 0], { relaxation: 1 }));
      fast.step(DT);
      expect(readNow(fast).velocities[0]).toBe(0);
      const still = create(beside(4.5, [0, 0], { relaxation: 1 }));
      still.step(DT);
      expect(readNow(still).velocities[0]).toBe(0);
      expect(readNow(still).positions[0]).toBe(5 - 0.5 / 32);
    });

    it.each([
      ['one obstacle', [0]],
      [
        'a dense floor',
        [-0.95, -0.85, -0.75, -0.65, -0.55, -0.45, -0.35, -0.25, -0.15, -0.05, 0.05, 0.15, 0.25, 0.35],
      ],
    ])('let a falling particle land without rising again: on %s', (_, places) => {
      const gravity = [0, -10, 0].slice(0, dimensions);
      const obstacles = Float32Array.from(places.flatMap((place) => [...at(4 + place, 2)]));
      const simulation = create({ ...box, positions: at(4, 7.5), obstacles, gravity });
      let lowest = Number.POSITIVE_INFINITY;
      let rise = 0;
      for (let step = 0; step < 90; step++) {
        simulation.step(1 / 60);
        const height = readNow(simulation).positions[1] as number;
        lowest = Math.min(lowest, height);
        rise = Math.max(rise, height - lowest);
      }
      expect(lowest).toBeGreaterThan(2.95);
      expect(lowest).toBeLessThan(3);
      expect(rise).toBeLessThan(0.002);
    });

    it('slow a sliding particle by at most friction times the change of its normal velocity', () => {
      const along = (friction: number) => {
        const simulation = create(beside(4.875, [-8, 1], { friction }));
        simulation.step(DT);
        return readNow(simulation).velocities;
      };
      const [free, little, much] = [along(0), along(0.005), along(10)];
      // The obstacle takes the whole speed of the approach, 8.
      expect(free[1]).toBe(1);
      expect(little[1]).toBeCloseTo(1 - 0.005 * 8, 6);
      expect(much[1]).toBe(0);
    });

    it('together push a particle no farther than one of them alone if they coincide', () => {
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

    it('bounce a particle off all of them as off one wall, so that no energy is gained', () => {
      // One particle lies on two obstacles, and another lies on that particle. After a move by the velocities, the
      // coordinates of both add up to 19 (3D: 27). There `side` (core/contact/law.ts) is 0, so neither moves aside.
      const options = {
        ...box,
        restitution: 1,
        friction: 0,
        substeps: 1,
        positions: Float32Array.from([...at(4.40625, 4.75), ...at(4.40625, 5.5)]),
        velocities: Float32Array.from([...at(0, -3).fill(0, 2), ...at(0, -1).fill(0, 2)]),
        obstacles: Float32Array.from([...at(3.90625, 4.125), ...at(4.90625, 4.125)]),
      };
      const simulation = create(options);
      simulation.step(DT);
      const { velocities } = readNow(simulation);
      expect(velocities.reduce((sum, value) => sum + value * value, 0)).toBeCloseTo(10, 5);
      expect(velocities[dimensions + 1]).toBe(-1);
      expect(velocities[0]).toBeCloseTo(0, 6);
      expect(velocities[1]).toBeCloseTo(3, 6);
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
        positions: at(4.4375, 5.375),
        velocities: Float32Array.from([0.5, -1, 0].slice(0, dimensions)),
      };
      const pegs = [at(4.25, 4.5), at(4.75, 4.5)];
      const [there, back] = [pegs, pegs.toReversed()].map((list) => {
        const obstacles = Float32Array.from(list.flatMap((peg) => Array.from(peg)));
        const simulation = create({ ...options, obstacles, restitution: 0.5, substeps: 1 });
        simulation.step(DT);
        return Array.from(readNow(simulation).velocities);
      });
      expect(there).toEqual(back);
      expect(Math.abs(there?.[0] as number)).toBeGreaterThan(0.01);
    });

    it('are not removed by a call of setObstacles without an argument', () => {
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
      expect(() => simulation.setObstacles(new Float32Array(3 * dimensions))).toThrow(/at most 2 obstacles/);
      expect(overlapsOf(simulation)).toBe(2);
      const two = Float32Array.from([...at(1, 1), ...at(2, 2)]);
      expect(() => create({ ...options, obstacles: two, obstacleCapacity: 1 })).toThrow(
        /^obstacles is 2 obstacles, but it must be at most 1 obstacle \(the obstacleCapacity\)\.$/,
      );
      for (const wrong of [-1, 1.5, Number.NaN]) {
        expect(() => create({ ...options, obstacleCapacity: wrong })).toThrow(/^obstacleCapacity is /);
      }
    });

    it('are rejected with an error message if they are wrong, and nothing changes', () => {
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
        /^obstacles is 2 obstacles, but it must be at most 1 obstacle \(the obstacleCapacity of the simulation\)\.$/;
      expect(() => simulation.setObstacles(two)).toThrow(tooMany);
      const { obstacles: _none, ...without } = options;
      const bare = create(without);
      expect(bare).toMatchObject({ obstacleCount: 0, obstacleCapacity: 0 });
      expect(() => bare.setObstacles(at(1, 1))).toThrow(/^obstacles is 1 obstacle, .*at most 0 obstacles/);
      expect(() => bare.restore(simulation.checkpoint() as Parameters<typeof bare.restore>[0])).toThrow(
        /^checkpoint\.obstacles is 1 obstacle, but it must be at most 0 obstacles/,
      );
    });
  });

  it('give a fast particle no energy at restitution 0, wherever obstacles overlap', () => {
    let hits = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const field = fieldOf({ kind: 'bounded', dimensions, count: 1, obstacles: 400, seed });
      const velocities = field.velocities.map((along) => 20 * along);
      const gravity = new Array<number>(dimensions).fill(0);
      const simulation = createCpuSimulation({ ...field, velocities, gravity, restitution: 0, friction: 0 });
      for (let step = 0; step < 30; step++) {
        const before = simulation.measure().kineticEnergy;
        simulation.step(1 / 60);
        const after = simulation.measure().kineticEnergy;
        expect(after).toBeLessThanOrEqual(before * (1 + 1e-6));
        if (after < 0.9 * before) hits++;
      }
    }
    expect(hits).toBeGreaterThan(30);
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

  it.each([1, 0.5, 0.25])(
    'that are %d apart form a floor on which a pile comes to rest',
    { tags: 'case' },
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
      readNow(simulation).positions.forEach((value, index) => {
        if (index % dimensions === 1) expect(value).toBeGreaterThan(1);
      });
    },
  );
});

it('obstacleShare divides a push only if there are several obstacles', () => {
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
