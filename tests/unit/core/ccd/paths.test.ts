/**
 * Continuous motion on the CPU: fast particles pass through nothing and bounce by the contact law, with the same result
 * for every search and in every world. Also counters, substeps on demand, and rejected arguments.
 */

import { describe, expect, it } from 'vitest';
import { CellstormError } from '../../../src/core/base/errors';
import { CCD_ROUNDS } from '../../../src/core/ccd/law';
import { deriveSubstep, type Substep } from '../../../src/core/contact/settings';
import { planSimulation, type SimulationPlan } from '../../../src/core/simulation/plan';
import type { SimulationOptions } from '../../../src/core/simulation/simulation';
import { wrapPositions } from '../../../src/core/world/cells';
import { createCpuSimulation } from '../../../src/cpu';
import type { ParticleState } from '../../../src/cpu/shared/kernels';
import { defineLattice } from '../../../src/cpu/shared/lattice';
import { CcdSolver } from '../../../src/cpu/solver/ccd';
import { EqualNeighbours } from '../../../src/cpu/solver/equal-neighbours';
import { EqualObstacles } from '../../../src/cpu/solver/equal-obstacles';
import type { ObstacleSearch } from '../../../src/cpu/solver/obstacle-search';
import { VariableNeighbours } from '../../../src/cpu/solver/variable-neighbours';
import { VariableObstacles } from '../../../src/cpu/solver/variable-obstacles';
import { buildGrid } from '../../../src/reference/grid/grid';
import { fly } from '../../../src/reference/solve/ccd';
import { fileObstacles } from '../../../src/reference/solve/obstacles';
import { ReferenceSimulation } from '../../../src/reference/solve/simulation';
import { createScene, sceneOptions, wallOf } from '../../../src/scenes';
import { createNoise } from '../../../src/testing/noise';
import {
  bulletAmongGrains,
  bulletsBeforeSizedWall,
  bulletsBeforeWall,
  countPassed,
  DT,
  fastCrowd,
  NEAR_SHARE,
  nearestPair,
  SIZES,
  WALLS,
} from '../../helpers/inputs/bullets';
import { WORLD_KINDS } from '../../helpers/inputs/obstacle-fields';
import { DIMENSIONS } from '../../helpers/passes';
import { fc } from '../../helpers/properties';
import { everyOther, fewerInSpace, isAsked } from '../../helpers/thorough';

/** The least distance of two centres, with an allowance for 32-bit rounding. */
const NEAR = NEAR_SHARE - 1e-4;

/** Returns a simulation of a few particles in 2D, without gravity. */
function few(positions: number[], velocities: number[], more: Partial<SimulationOptions> = {}) {
  return createCpuSimulation({
    dimensions: 2,
    radius: 0.5,
    min: [0, 0],
    max: [64, 8],
    positions: new Float32Array(positions),
    velocities: new Float32Array(velocities),
    continuous: true,
    substeps: 1,
    friction: 0,
    ...more,
  });
}

/** Follows the paths of a plan's particles on the CPU engine. Its slots differ from the reference's. */
function flyOnCpu(plan: SimulationPlan, substep: Substep) {
  const { world, dimensions, count, diameter, radiusRange, positions, velocities } = plan;
  const { radii = new Float32Array(0), halves = new Float32Array(0), bulks = radii } = plan;
  const lattice = defineLattice(world);
  const state = (): ParticleState => {
    const placed = new Float32Array(dimensions * count);
    const moving = new Float32Array(dimensions * count);
    const own = new Float32Array(radii.length);
    return {
      positions: placed,
      velocities: moving,
      ids: new Uint32Array(count),
      positionWords: new Uint32Array(placed.buffer),
      velocityWords: new Uint32Array(moving.buffer),
      radii: own,
      halves: new Float32Array(halves.length),
      bulks: plan.bulks ? new Float32Array(count) : own,
    };
  };
  const given = state();
  given.positions.set(wrapPositions(world, positions));
  given.radii.set(radii);
  given.ids.forEach((_, id) => {
    given.ids[id] = id;
  });
  const equal = new EqualNeighbours(lattice, diameter, count);
  const neighbours = radiusRange ? new VariableNeighbours(lattice, count) : equal;
  const sorted = state();
  neighbours.sort(given, count, sorted);
  neighbours.source.forEach((source, slot) => {
    sorted.ids[slot] = source;
    sorted.bulks[slot] = bulks[source] as number;
    for (let axis = 0; axis < dimensions; axis++) {
      const [from, to] = [dimensions * source + axis, dimensions * slot + axis];
      sorted.velocities[to] = velocities[from] as number;
      if (halves.length > 0) sorted.halves[to] = halves[from] as number;
    }
  });
  const obstacles: ObstacleSearch = radiusRange
    ? new VariableObstacles(lattice, neighbours)
    : new EqualObstacles(equal.order, diameter, plan.obstacleCapacity);
  obstacles.load(plan.obstacles);
  const ccd = new CcdSolver(world, neighbours, plan.obstacleCapacity > 0 ? obstacles : undefined);
  return { counts: ccd.fly(sorted, substep), ...sorted };
}

/** Returns the momentum, and twice the energy. */
function sums(dimensions: number, velocities: Float32Array) {
  const momentum = Array.from({ length: dimensions }, (_, axis) =>
    velocities.reduce((sum, along, index) => sum + (index % dimensions === axis ? along : 0), 0),
  );
  return { momentum, energy: velocities.reduce((sum, along) => sum + along * along, 0) };
}

describe.each(DIMENSIONS)('bullets in %dD', (dimensions) => {
  // The reference takes seconds for whole steps.
  it.each(isAsked(dimensions) ? [1, 8] : [8])(
    'do not pass a wall one diameter thick with %d substeps, but do without continuous motion',
    (substeps) => {
      // Fewer particles with eight substeps, since these follow eight times as many paths.
      const { wall, ...options } = bulletsBeforeWall(dimensions, substeps === 1 ? 10_000 : 1000);
      for (const continuous of [true, false]) {
        const simulation = createCpuSimulation({ ...options, substeps, continuous });
        const { count } = simulation;
        simulation.step(DT);
        const passed = countPassed(options, simulation.read().positions, wall);
        if (!continuous) {
          expect(passed).toBe(count);
          continue;
        }
        expect(passed).toBe(0);
        const { swept, paths, hits, held } = simulation.continuousCounts();
        expect(swept).toBeGreaterThan(0.9 * count);
        expect(paths).toBeGreaterThan(0.9 * count * substeps);
        expect(hits).toBeGreaterThan(0.5 * count);
        expect(held).toBe(0);
      }
    },
    60_000,
  );

  it.each(fewerInSpace(dimensions, WALLS))(
    'do not pass a wall of obstacles of many sizes (%s), but do without continuous motion',
    (kind) => {
      const { wall, ...options } = bulletsBeforeSizedWall(dimensions, 400, kind);
      for (const continuous of [true, false]) {
        const simulation = createCpuSimulation({ ...options, substeps: 1, continuous });
        simulation.step(DT);
        const passed = countPassed(options, simulation.read().positions, wall);
        expect(passed).toBe(continuous ? 0 : simulation.count);
        if (!continuous) continue;
        const { hits, held } = simulation.continuousCounts();
        expect(hits).toBeGreaterThan(200);
        expect(held).toBe(0);
      }
    },
  );

  it('pass neither a wall of movable particles nor each other', () => {
    const { wall, obstacles, ...options } = bulletsBeforeWall(dimensions, 400);
    const own = options.positions as Float32Array;
    const positions = new Float32Array([...own, ...(obstacles as Float32Array)]);
    const velocities = new Float32Array(positions.length);
    velocities.set(options.velocities as Float32Array);
    const both = { ...options, positions, velocities, substeps: 1, continuous: true };
    const simulation = createCpuSimulation(both);
    simulation.step(DT);
    const after = simulation.read().positions;
    // Particles of the wall do not move in this substep, so the bullets must stay before it.
    expect(countPassed(options, after.subarray(0, own.length), wall)).toBe(0);
    expect(simulation.continuousCounts().hits).toBeGreaterThan(100);
    expect(nearestPair(dimensions, after)).toBeGreaterThan(0.9);
    const off = createCpuSimulation({ ...both, continuous: false });
    off.step(DT);
    expect(countPassed(options, off.read().positions.subarray(0, own.length), wall)).toBe(400);
  });
});

describe.each(DIMENSIONS)('fast crowds in %dD', (dimensions) => {
  const fields = WORLD_KINDS.flatMap((kind) => SIZES.map((sizes) => [kind, sizes] as const));
  it.each(fewerInSpace(dimensions, fields))(
    'end at the same positions as with a search of all pairs, %s, %s',
    (kind, sizes) => {
      const property = (seed: number) => {
        const options = fastCrowd(dimensions, kind, 60, createNoise(seed), sizes);
        const plan = planSimulation(options);
        const { world, diameter, settings, radii, halves, bulks } = plan;
        const substep = deriveSubstep(world, diameter, { ...settings, restitution: 0.5 }, 1 / 60);
        const ids = Uint32Array.from({ length: 60 }, (_, id) => id);
        const grid = buildGrid(world, options.positions, options.velocities, ids, { radii, halves, bulks });
        const expected = fly(world, substep, grid, fileObstacles(world, plan.obstacles));
        const { counts, ...got } = flyOnCpu(plan, substep);
        const { substepped, swept, paths, hits, held } = expected;
        expect(counts).toEqual({ substepped, swept, paths, hits, held });
        got.ids.forEach((id, slot) => {
          const source = grid.slots[id] as number;
          for (let axis = 0; axis < dimensions; axis++) {
            const word = dimensions * slot + axis;
            expect(got.positions[word]).toBe(expected.positions[dimensions * source + axis]);
            expect(got.velocities[word]).toBe(expected.velocities[dimensions * source + axis]);
          }
        });
        return hits;
      };
      expect(property(1)).toBeGreaterThan(10);
      fc.assert(
        fc.property(fc.integer({ min: 2, max: 10_000 }), (seed) => {
          property(seed);
        }),
        { numRuns: 6 },
      );
    },
  );

  it('come no nearer than 15/16 of a diameter, keep momentum and gain no energy', () => {
    const noise = createNoise(5);
    const spread = fastCrowd(dimensions, 'unbounded', 150, noise);
    // Before the step all pairs must be about a diameter apart.
    const simulation = createCpuSimulation({
      ...spread,
      obstacles: undefined,
      continuous: false,
      restitution: 1,
    });
    simulation.separate(64);
    simulation.separate(64);
    const { positions } = simulation.read();
    expect(nearestPair(dimensions, positions)).toBeGreaterThan(0.99);
    const velocities = spread.velocities;
    for (const restitution of [0, 1]) {
      const options = { ...spread, obstacles: undefined, positions, velocities, restitution, friction: 0 };
      const { world, diameter, settings } = planSimulation(options);
      const substep = deriveSubstep(world, diameter, settings, 1 / 60);
      const ends = positions.map((along, index) =>
        Math.fround(along + Math.fround(substep.dt * (velocities[index] as number))),
      );
      const after = fly(world, substep, buildGrid(world, ends, velocities));
      expect(after.hits).toBeGreaterThan(20);
      // Slow particles are not followed: two of them, or one that another rests beside, may be nearer.
      expect(nearestPair(dimensions, after.positions)).toBeGreaterThan(NEAR - 0.25);
      const before = sums(dimensions, velocities);
      const { momentum, energy } = sums(dimensions, after.velocities);
      const size = Math.sqrt(before.energy);
      momentum.forEach((along, axis) => {
        expect(Math.abs(along - (before.momentum[axis] as number)) / size).toBeLessThan(1e-4);
      });
      if (restitution === 1) expect(energy / before.energy).toBeCloseTo(1, 4);
      else expect(energy).toBeLessThan(0.99 * before.energy);
    }
  });

  it.each(WORLD_KINDS)('give the same bits in any memory order, %s', (kind) => {
    const options = fastCrowd(dimensions, kind, 80, createNoise(9));
    const straight = createCpuSimulation(options);
    const restored = createCpuSimulation({
      ...options,
      positions: undefined,
      velocities: undefined,
      capacity: 80,
    });
    for (let step = 0; step < 3; step++) {
      straight.step(1 / 60);
      restored.restore(straight.checkpoint());
      straight.step(1 / 60);
      restored.step(1 / 60);
      expect(restored.measure().hash).toBe(straight.measure().hash);
    }
    expect(straight.continuousCounts().swept).toBeGreaterThan(5);
  });

  it.each(WORLD_KINDS)('have the same positions as the reference after a step, %s', (kind) => {
    const options = fastCrowd(dimensions, kind, 60, createNoise(23));
    const simulation = createCpuSimulation(options);
    const reference = new ReferenceSimulation(options);
    simulation.step(1 / 64);
    reference.step(1 / 64);
    expect(simulation.continuousCounts()).toEqual(reference.continuousCounts());
    const got = simulation.read().positions;
    reference.read().positions.forEach((along, index) => {
      expect(Math.abs((got[index] as number) - along)).toBeLessThan(1e-4);
    });
  });
});

describe('a path', () => {
  it('ends at a head-on hit, and the pair bounces', () => {
    // The gap is 19; the bullet flies 32 in a substep.
    const simulation = few([2, 4, 21, 4], [32 * 64, 0, 0, 0], { restitution: 1 });
    simulation.step(1 / 64);
    const { positions, velocities } = simulation.read();
    expect(positions[0]).toBeGreaterThan(20);
    expect(positions[0]).toBeLessThanOrEqual(21 - NEAR);
    expect([...velocities]).toEqual([0, 0, 2048, 0]);
    expect(simulation.continuousCounts()).toEqual({ substepped: 0, swept: 1, paths: 1, hits: 1, held: 0 });
  });

  it('ends where two fast particles meet, although each would move past the other', () => {
    const simulation = few([2, 4, 34, 4], [2048, 0, -2048, 0]);
    simulation.step(1 / 64);
    const { positions, velocities } = simulation.read();
    expect(positions[0]).toBeCloseTo(18 - NEAR_SHARE / 2, 1);
    expect(positions[2]).toBeCloseTo(18 + NEAR_SHARE / 2, 1);
    expect(positions[0]).toBeLessThan(positions[2] as number);
    expect([...velocities]).toEqual([0, 0, 0, 0]);
  });

  it('is not ended by a particle that has moved away, nor by one that flies ahead', () => {
    // The second particle leaves the first one's path in time; the third flies ahead at the same speed.
    const simulation = few([2, 4, 20, 4, 6, 4], [1024, 0, 0, 3 * 64, 1024, 0], { max: [64, 8] });
    simulation.step(1 / 64);
    expect(simulation.read().positions[0]).toBe(18);
    expect(simulation.read().positions[4]).toBe(22);
    expect(simulation.continuousCounts().hits).toBe(0);
  });

  it('ends at a particle that rests where its own path ended', () => {
    // The first particle stops at the wall, the second at the first.
    const simulation = few([50, 4, 40, 4], [2048, 0, 2048, 0]);
    simulation.step(1 / 64);
    const { positions } = simulation.read();
    expect(positions[0]).toBe(63.5);
    expect(positions[2]).toBeGreaterThan(62);
    expect(positions[2]).toBeLessThanOrEqual(63.5 - NEAR);
  });

  it('ends on walls, reflected by the restitution', () => {
    const simulation = few([60, 4], [2048, 64], { restitution: 0.5 });
    simulation.step(1 / 64);
    const { positions, velocities } = simulation.read();
    expect(positions[0]).toBe(63.5);
    expect([...velocities]).toEqual([-1024, 64]);
    const without = few([60, 4], [2048, 64], { walls: false });
    without.step(1 / 64);
    expect(without.read().positions[0]).toBe(92);
  });

  it('accelerates only while it flies', () => {
    // It would fly four diameters in the substep, but hits the floor after two.
    const options = { gravity: [0, -64 * 64], restitution: 1 };
    const simulation = few([8, 2.5], [0, -192], options);
    simulation.step(1 / 64);
    const { positions, velocities } = simulation.read();
    expect(positions[1]).toBe(0.5);
    expect(velocities[1]).toBeCloseTo(256 - 32, 1);
    // A blocked particle gains no speed in any number of steps.
    const held = few([2, 4, 3, 4], [6, 0, 6, 0], {
      gravity: [64 * 8, 0],
      max: [3.5, 8],
      substeps: 1,
      restitution: 0,
    });
    for (let step = 0; step < 50; step++) held.step(1 / 64);
    const speeds = held.read().velocities;
    expect(Math.abs(speeds[0] as number) + Math.abs(speeds[2] as number)).toBeLessThan(40);
  });

  it('does not end at a hit of the next substep, even if that comes at once', () => {
    const simulation = few([10, 4, 30 + NEAR_SHARE + 1e-5, 4], [20 * 64, 0, 0, 0]);
    simulation.step(1 / 64);
    expect(simulation.continuousCounts()).toEqual({ substepped: 0, swept: 1, paths: 1, hits: 0, held: 0 });
  });

  it('passes no obstacle on its way to a wall, even if a tick is many diameters long', () => {
    const obstacles = new Float32Array(Array.from({ length: 8 }, (_, index) => [20, index + 0.5]).flat());
    for (const exponent of [16, 20, 24, 30, 41]) {
      const simulation = few([10, 4.2], [2 ** exponent * 64, 0], { obstacles });
      simulation.step(1 / 64);
      expect(simulation.read().positions[0], `2^${exponent}`).toBeLessThan(20);
    }
  });

  it('wraps around a world of three cells many times, and hits a particle on its way', () => {
    const options = { min: [0, 0], max: [3, 3], periodic: true } as const;
    const free = few([0.5, 0.5], [64 * 64, 0], options);
    free.step(1 / 64);
    expect(free.read().positions[0]).toBeCloseTo(1.5, 4);
    const met = few([0.5, 0.5, 2.1, 0.5], [64 * 64, 0, 0, 0], options);
    met.step(1 / 64);
    expect(met.read().positions[0]).toBeLessThanOrEqual(2.1 - NEAR);
    expect(met.read().velocities[2]).toBeCloseTo(32 * 64, 2);
    // Across the boundary: it flies off to the left and comes from the right.
    const around = few([0.5, 0.5, 1.9, 0.5], [-64 * 64, 0, 0, 0], options);
    around.step(1 / 64);
    expect(around.read().positions[0]).toBeGreaterThanOrEqual(1.9 + NEAR - 0.1);
  });

  it('hits a particle that comes across the boundary, even if its own particle is slow', () => {
    const simulation = few([2, 4, 4, 4], [0.3 * 64, 0, 30 * 64, 0], {
      max: [12, 12],
      periodic: true,
      restitution: 1,
    });
    simulation.step(1 / 64);
    expect(simulation.continuousCounts().hits).toBe(2);
    expect([...simulation.read().velocities]).toEqual([30 * 64, 0, Math.fround(0.3 * 64), 0]);
  });

  it('is held if a chain is longer than the rounds can settle, and passes no particle', () => {
    const row = CCD_ROUNDS + 20;
    const positions = Array.from({ length: row }, (_, index) => [100 - 1.5 * index, 4]).flat();
    const velocities = Array.from({ length: row }, () => [200 * 64, 0]).flat();
    const simulation = few(positions, velocities, { max: [120, 8] });
    simulation.step(1 / 64);
    const { held, hits } = simulation.continuousCounts();
    expect(held).toBeGreaterThan(0);
    expect(hits).toBeGreaterThan(CCD_ROUNDS / 2);
    const after = simulation.read().positions;
    for (let index = 1; index < row; index++) {
      expect((after[2 * index - 2] as number) - (after[2 * index] as number)).toBeGreaterThan(NEAR);
    }
  });

  it('ends at an obstacle, and bounces off it with its full speed', () => {
    const simulation = few([2, 4], [2048, 0], { obstacles: new Float32Array([21, 4]), restitution: 1 });
    simulation.step(1 / 64);
    expect([...simulation.read().velocities]).toEqual([-2048, 0]);
    expect(simulation.read().positions[0]).toBeLessThanOrEqual(21 - NEAR);
  });

  it('of a quarantined particle is not followed', () => {
    const simulation = few([2, 4, 21, 4], [2048, 0, 0, 0]);
    const checkpoint = simulation.checkpoint();
    checkpoint.positions[0] = Number.NaN;
    simulation.restore(checkpoint);
    simulation.step(1 / 64);
    expect(simulation.continuousCounts().swept).toBe(0);
    expect(simulation.measure().nonFinite).toBe(1);
  });
});

describe('paths of particles of many sizes', () => {
  /** A simulation in 2D with one substep of 1/64 s, without gravity. */
  function sized(
    radii: number[],
    positions: number[],
    velocities: number[],
    more: Partial<SimulationOptions> = {},
  ) {
    return few(positions, velocities, { radius: undefined, radii: new Float32Array(radii), ...more });
  }

  it("are followed for particles that move farther than a sixteenth of their own diameter, or of a box's shortest edge", () => {
    // A sixteenth of the diameters 1 and 4 in a substep of 1/64 s are speeds of 4 and 16.
    const velocities = [3.9, 0, 4.1, 0, 15.9, 0, 16.1, 0];
    const balls = sized([0.5, 0.5, 2, 2], [3, 1, 3, 3, 30, 4, 50, 4], velocities);
    balls.step(1 / 64);
    expect(balls.continuousCounts()).toEqual({ substepped: 0, swept: 2, paths: 2, hits: 0, held: 0 });
    const halfExtents = new Float32Array([0.5, 2, 2, 0.5, 1, 2, 2, 2]);
    const boxes = sized([0, 0, 0, 0], [3, 2, 10, 4, 20, 4, 30, 4], [4.1, 0, 3.9, 0, 7.9, 0, 16.1, 0], {
      halfExtents,
    });
    boxes.step(1 / 64);
    expect(boxes.continuousCounts().swept).toBe(2);
  });

  it('lead a small particle into a large one by at most a sixteenth of the small one', () => {
    const simulation = sized([0.25, 8], [2, 8, 40, 8], [4096, 0, 0, 0], { max: [64, 16] });
    simulation.step(1 / 64);
    const { positions } = simulation.read();
    const reach = (positions[2] as number) - (positions[0] as number);
    expect(reach).toBeGreaterThan(8.25 - 0.5 / 16 - 1e-3);
    expect(reach).toBeLessThan(8.25);
    expect(simulation.continuousCounts().hits).toBe(1);
  });

  it('end in a bounce by mass', () => {
    // Areas 1 and 9, restitution 1: the light one comes back at 4/5 of its speed, the heavy one gets a fifth.
    const simulation = sized([0.5, 1.5], [2, 4, 21, 4], [2048, 0, 0, 0], { restitution: 1 });
    simulation.step(1 / 64);
    const { velocities } = simulation.read();
    expect(velocities[0]).toBeCloseTo(-0.8 * 2048, 2);
    expect(velocities[2]).toBeCloseTo(0.2 * 2048, 2);
    // The same if the heavy one flies, or both.
    const heavy = sized([0.5, 1.5], [40, 4, 10, 4], [0, 0, 2048, 0], { restitution: 1 });
    heavy.step(1 / 64);
    expect(heavy.read().velocities[0]).toBeCloseTo(1.8 * 2048, 2);
    expect(heavy.read().velocities[2]).toBeCloseTo(0.8 * 2048, 2);
    const both = sized([0.5, 1.5], [10, 4, 30, 4], [1024, 0, -1024, 0], { restitution: 1 });
    both.step(1 / 64);
    expect(both.read().velocities[0]).toBeCloseTo(-2.6 * 1024, 2);
    expect(both.read().velocities[2]).toBeCloseTo(-0.6 * 1024, 2);
  });

  it("end at walls, at a distance of each particle's own size", () => {
    const simulation = sized([2, 0, 0.25], [40, 2, 30, 5, 20, 7], [4096, 0, 4096, 0, 4096, 0], {
      halfExtents: new Float32Array([0, 0, 3, 0.5, 0, 0]),
    });
    simulation.step(1 / 64);
    const { positions } = simulation.read();
    expect([positions[0], positions[2], positions[4]]).toEqual([62, 61, 63.75]);
  });

  it('end at a box far thinner than a step, for any shape, and in no other lane', () => {
    const bodies = [0.25, 0.5, 0, 0];
    const halfExtents = new Float32Array([0, 0, 0, 0, 0.25, 0.5, 0.03125, 4]);
    const positions = [4, 1, 6, 4, 8, 7, 40, 4];
    const velocities = [4096, 0, 3500, 0, 4000, 0, 0, 0];
    const simulation = sized(bodies, positions, velocities, { halfExtents });
    simulation.step(1 / 64);
    const after = simulation.read().positions;
    // All hit the box. Of simultaneous hits, the one with the greatest closing speed counts.
    expect(after[0]).toBeCloseTo(40 - 0.03125 - 0.25, 1);
    expect(after[2]).toBeCloseTo(40 - 0.03125 - 0.5, 1);
    expect(after[4]).toBeCloseTo(40 - 0.03125 - 0.25, 1);
    expect(simulation.continuousCounts()).toEqual({ substepped: 0, swept: 3, paths: 3, hits: 3, held: 0 });
    const without = sized(bodies, positions, velocities, { halfExtents, continuous: false });
    without.step(1 / 64);
    expect([0, 2, 4].every((word) => (without.read().positions[word] as number) > 41)).toBe(true);
  });

  it.each(DIMENSIONS)(
    'do not lead 10,000 balls and boxes through a wall of thin boxes, %dD',
    (dimensions) => {
      const scene = createScene('mixed-bullets', { dimensions, count: 10_000, seed: 5 });
      const wall = wallOf(scene);
      const behind = (positions: Float32Array) =>
        scene.positions.reduce((sum, begin, index) => {
          const passes = index % dimensions === 0 && begin < wall && (positions[index] as number) >= wall;
          return sum + Number(passes);
        }, 0);
      const bullets = behind(new Float32Array(scene.positions.length).fill(wall));
      expect(bullets).toBeGreaterThan(7500);
      for (const continuous of [true, false]) {
        const simulation = createCpuSimulation(sceneOptions(scene, { continuous }));
        simulation.step(1 / 60);
        expect(behind(simulation.read().positions)).toBe(continuous ? 0 : bullets);
      }
    },
    60_000,
  );

  it('keep momentum', () => {
    const options = fastCrowd(2, 'unbounded', 150, createNoise(5), 'boxes');
    const { world, diameter, settings, radii, halves, bulks } = planSimulation({
      ...options,
      restitution: 1,
    });
    const substep = deriveSubstep(world, diameter, settings, 1 / 60);
    const { positions, velocities } = options;
    const grid = buildGrid(world, positions, velocities, undefined, { radii, halves, bulks });
    const after = fly(world, substep, grid);
    expect(after.hits).toBeGreaterThan(20);
    const momenta = (moving: Float32Array) =>
      moving.map((along, index) => along * (grid.bulks?.[index >> 1] as number) ** 2);
    const before = sums(2, momenta(grid.velocities)).momentum;
    const size = momenta(grid.velocities).reduce((sum, along) => sum + Math.abs(along), 0);
    sums(2, momenta(after.velocities)).momentum.forEach((along, axis) => {
      expect(Math.abs(along - (before[axis] as number)) / size).toBeLessThan(1e-5);
    });
  });
});

describe('paths at obstacles with their own sizes', () => {
  /** One disc of radius 1/2. */
  function one(
    position: number[],
    velocity: number[],
    obstacles: { positions: number[]; radii?: number[]; halfExtents?: number[] },
    more: Partial<SimulationOptions> = {},
  ) {
    const { positions, radii = [0], halfExtents = radii.flatMap(() => [0, 0]) } = obstacles;
    return few(position, velocity, {
      radius: undefined,
      radii: new Float32Array([0.5]),
      halfExtents: new Float32Array(2),
      obstacles: {
        positions: new Float32Array(positions),
        radii: new Float32Array(radii),
        halfExtents: new Float32Array(halfExtents),
      },
      ...more,
    });
  }

  it('end at a depth of a sixteenth of the lesser thickness', () => {
    for (const [radius, deep] of [
      [3, 1 / 16],
      [0.125, 1 / 64],
    ] as const) {
      const simulation = one([2, 4], [2048, 0], { positions: [21, 4], radii: [radius] }, { restitution: 1 });
      simulation.step(1 / 64);
      const gap = 21 - (simulation.read().positions[0] as number);
      // The contact law has already pushed the disc out by its share.
      expect(gap).toBeGreaterThanOrEqual(0.5 + radius - deep);
      expect(gap).toBeLessThan(0.5 + radius - deep / 2);
      expect([...simulation.read().velocities]).toEqual([-2048, 0]);
    }
  });

  it('end at the corner of a box, which deflects them, and not beside it', () => {
    const box = { positions: [20, 4], halfExtents: [2, 2] };
    const hit = one([2, 6.25], [2048, 0], box, { restitution: 1, max: [64, 16] });
    hit.step(1 / 64);
    // The disc stops 7/16 from the corner, which is 1/4 to the side of its path.
    const [across, along] = [0.25 / 0.4375, -Math.sqrt(1 - (0.25 / 0.4375) ** 2)];
    const { positions, velocities } = hit.read();
    expect(positions[0]).toBeCloseTo(18 + 0.4375 * along, 1);
    expect((velocities[0] as number) / 2048).toBeCloseTo(1 - 2 * along * along, 1);
    expect((velocities[1] as number) / 2048).toBeCloseTo(-2 * along * across, 1);
    const missed = one([2, 6.45], [2048, 0], box, { max: [64, 16] });
    missed.step(1 / 64);
    expect(missed.continuousCounts()).toEqual({ substepped: 0, swept: 1, paths: 1, hits: 0, held: 0 });
  });

  it('end at the first image on the way, across the boundary', () => {
    // The ball reaches from -6 to 6, and its image from 10 on.
    const ball = { positions: [0, 8], radii: [6] };
    const world = { min: [0, 0], max: [16, 16], periodic: true };
    for (const [begin, end] of [
      [7, 9.5],
      [9, 6.5],
    ] as const) {
      const simulation = one([begin, 8], [Math.sign(end - begin) * 2048, 0], ball, world);
      simulation.step(1 / 64);
      expect(simulation.read().positions[0]).toBeCloseTo(end + Math.sign(end - begin) / 16, 1);
    }
    // The path leads through the gap between the ball's images and across the boundary.
    const free = one([7, 0], [64 * 140, 0], { ...ball, radii: [7.25] }, world);
    free.step(1 / 64);
    expect(free.continuousCounts().hits).toBe(0);
    expect(free.read().positions[1]).toBe(0);
  });

  it.each(DIMENSIONS)('end on an endless floor at any position, %dD', (dimensions) => {
    const noise = createNoise(3);
    const count = 200;
    const corner = (at: number) => new Array<number>(dimensions).fill(at);
    const isUp = (index: number) => index % dimensions === 1;
    const options = {
      dimensions,
      radii: new Float32Array(count).fill(0.125),
      halfExtents: new Float32Array(dimensions * count),
      min: corner(0),
      max: corner(16),
      periodic: corner(0).map((_, axis) => axis !== 1),
      positions: Float32Array.from({ length: dimensions * count }, (_, index) =>
        isUp(index) ? 4 + 10 * noise() : 16 * noise(),
      ),
      velocities: Float32Array.from(
        { length: dimensions * count },
        (_, index) => 64 * (isUp(index) ? -50 : 60 * (noise() - 0.5)),
      ),
      obstacles: {
        positions: new Float32Array(corner(4).with(1, 2)),
        radii: new Float32Array(1),
        halfExtents: new Float32Array(corner(8).with(1, 1 / 64)),
      },
      substeps: 1,
    };
    const below = (positions: Float32Array) =>
      positions.reduce((sum, along, index) => sum + Number(isUp(index) && along < 2), 0);
    for (const continuous of [true, false]) {
      const simulation = createCpuSimulation({ ...options, continuous });
      simulation.step(1 / 64);
      expect(below(simulation.read().positions)).toBe(continuous ? 0 : count);
    }
  });

  it.each(DIMENSIONS)(
    'end at the same positions among thousands of grains and beside a huge one, %dD',
    (dimensions) => {
      const { end, ...options } = bulletAmongGrains(dimensions, 4000);
      const simulation = createCpuSimulation(options);
      simulation.step(DT);
      expect(simulation.read().positions[0]).toBeCloseTo(end, 2);
      expect(simulation.read().positions[0]).toBeLessThanOrEqual(end);
    },
  );
});

describe('bullets in heaps', () => {
  it('are not pushed through the wall at which their paths ended', () => {
    for (const seed of everyOther([1, 2, 3, 4])) {
      const scene = createScene('bullets', { dimensions: 3, count: 257, seed });
      const simulation = createCpuSimulation({ ...sceneOptions(scene), restitution: 0.9, friction: 0.5 });
      for (let step = 0; step < 12; step++) simulation.step(1 / 60);
      expect(countPassed(scene, simulation.read().positions, wallOf(scene)), `seed ${seed}`).toBe(0);
    }
  });

  it('are not moved back along a wall that they bounce off', () => {
    for (const continuous of [false, true]) {
      const simulation = few([8, 0.51], [64, -64], { restitution: 1, friction: 1, continuous });
      simulation.step(1 / 64);
      const { positions, velocities } = simulation.read();
      expect([...velocities]).toEqual([0, 64]);
      expect(positions[0]).toBeGreaterThanOrEqual(continuous ? 8 : 9);
    }
  });

  it('come to rest on each other, like without continuous motion', () => {
    const speeds = [false, true].map((continuous) => {
      const columns = 12;
      const positions = Array.from({ length: 20 * columns }, (_, index) => [
        1 + 2 * (index % columns) + 0.2 * Math.sin(index),
        1 + 2 * Math.floor(index / columns),
      ]).flat();
      const simulation = few(
        positions,
        positions.map(() => 0),
        { max: [24, 60], gravity: [0, -100], friction: 0.2, substeps: 8, continuous },
      );
      let paths = 0;
      for (let step = 0; step < 400; step++) {
        simulation.step(1 / 60);
        if (continuous) paths += simulation.continuousCounts().paths;
      }
      if (continuous) expect(paths).toBeGreaterThan(1000);
      return Math.sqrt((2 * simulation.measure().kineticEnergy) / simulation.count);
    });
    expect(speeds[0]).toBeLessThan(0.1);
    expect(speeds[1]).toBeLessThan(0.1);
  });
});

describe('counters and substeps', () => {
  it('count the particles that needed substeps and those too fast for them', () => {
    // In a step of 1/64 s they move 1/16, 1/2 and 8 diameters; in one of 8 substeps 1/128, 1/16 and 1.
    const speeds = [4, 0, 32, 0, 512, 0];
    const simulation = few([2, 1, 2, 4, 2, 7], speeds, { substeps: 8 });
    simulation.step(1 / 64);
    expect(simulation.continuousCounts()).toEqual({ substepped: 1, swept: 1, paths: 8, hits: 0, held: 0 });
  });

  it('are as many as the fastest particle needs, or as set if that is too many', () => {
    const simulation = few([2, 1, 2, 4], [3, 0, 47, 0], { substeps: 8 });
    // 0.73 of a diameter is twelve sixteenths.
    expect(simulation.advance(1 / 64)).toBe(12);
    expect(simulation.continuousCounts()).toEqual({ substepped: 1, swept: 0, paths: 0, hits: 0, held: 0 });
    expect(simulation.advance(1 / 64, 11)).toBe(8);
    expect(simulation.continuousCounts().swept).toBe(1);
    expect(simulation.advance(1 / 64, 256)).toBe(12);
    expect(simulation.advance(1 / 1024)).toBe(8);
    expect(simulation.settings.substeps).toBe(8);
    expect(simulation.time).toBeCloseTo(3 / 64 + 1 / 1024, 10);
  });

  it('depend on the particle that moves farthest in its own diameters, including gravity', () => {
    const simulation = few([2, 1, 20, 4], [3, 0, 40, 0], {
      radius: undefined,
      radii: new Float32Array([0.25, 2]),
      gravity: [0, -64],
      substeps: 2,
    });
    // (3 + 1) / 64 of 0.5 is two sixteenths; (40 + 1) / 64 of 4 is 2.6 sixteenths.
    expect(simulation.advance(1 / 64)).toBe(3);
    const reference = new ReferenceSimulation({
      dimensions: 2,
      radii: new Float32Array([2]),
      min: [0, 0],
      max: [64, 8],
      positions: new Float32Array([20, 4]),
      velocities: new Float32Array([40, 0]),
      continuous: true,
      substeps: 1,
    });
    expect(reference.advance(1 / 64, 3)).toBe(3);
  });

  it('are rejected with an error message without `continuous`, and for wrong arguments', () => {
    const plain = few([2, 4], [0, 0], { continuous: false });
    const sentence =
      /^This simulation was created without `continuous`, which (continuousCounts|advance) needs\.$/;
    expect(() => plain.continuousCounts()).toThrow(CellstormError);
    expect(() => plain.continuousCounts()).toThrow(sentence);
    expect(() => plain.advance(1 / 64)).toThrow(sentence);
    const simulation = few([2, 4], [0, 0]);
    expect(() => simulation.advance(1 / 64, 0)).toThrow(/^most is 0, but/);
    expect(() => simulation.advance(Number.NaN)).toThrow(/^dt is NaN, but/);
    expect(() => few([2, 4], [0, 0], { continuous: 1 as unknown as boolean })).toThrow(
      /^continuous is 1, but/,
    );
  });
});
