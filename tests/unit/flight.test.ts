/**
 * Fast particles on the CPU: none passes through another, bounces as the law has them, the same ends whoever searches,
 * in every world; counters, substeps on demand, what is refused.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CellstormError } from '../../src/core/errors';
import { carryPositions } from '../../src/core/cells';
import { FAST_SHARE, FLIGHT_ROUNDS, restrain } from '../../src/core/flight';
import { deriveSubstep, type Substep } from '../../src/core/settings';
import { planSimulation, type SimulationOptions, type SimulationPlan } from '../../src/core/simulation';
import { defineWorld } from '../../src/core/world';
import { createCpuSimulation } from '../../src/cpu';
import { EqualNeighbours } from '../../src/cpu/equal-neighbours';
import { Flight } from '../../src/cpu/flight';
import type { ParticleState } from '../../src/cpu/kernels';
import { defineLattice } from '../../src/cpu/lattice';
import { MixedNeighbours } from '../../src/cpu/mixed-neighbours';
import { Obstacles } from '../../src/cpu/obstacles';
import { fly } from '../../src/reference/flight';
import { buildGrid } from '../../src/reference/grid';
import { ReferenceSimulation } from '../../src/reference/simulation';
import { createScene, sceneOptions } from '../../src/scenes';
import { bulletsBeforeWall, countPassed, DT, fastCrowd, NEAR_SHARE, nearestPair, SIZES } from '../helpers/bullets';
import { WORLD_KINDS } from '../helpers/obstacle-fields';
import { createNoise, DIMENSIONS } from '../helpers/passes';

/** How near two come, with what 32-bit floats round off. */
const NEAR = NEAR_SHARE - 1e-4;

/** Two in a plane, or as many as there are positions, without gravity. */
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

/** The paths of a plan's particles, as the CPU engine follows them, whose slots are others than the reference's. */
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
  given.positions.set(carryPositions(world, positions));
  given.radii.set(radii);
  given.ids.forEach((_, id) => {
    given.ids[id] = id;
  });
  const equal = new EqualNeighbours(lattice, diameter, count);
  const neighbours = radiusRange ? new MixedNeighbours(lattice, count) : equal;
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
  const obstacles = new Obstacles(equal.order, diameter, plan.obstacleCount);
  obstacles.load(plan.obstacles);
  const flight = new Flight(world, neighbours, plan.obstacleCount > 0 ? obstacles : undefined);
  return { flights: flight.fly(sorted, substep), ...sorted };
}

/** Momentum, and twice the energy. */
function sums(dimensions: number, velocities: Float32Array) {
  const momentum = Array.from({ length: dimensions }, (_, axis) =>
    velocities.reduce((sum, along, index) => sum + (index % dimensions === axis ? along : 0), 0),
  );
  return { momentum, energy: velocities.reduce((sum, along) => sum + along * along, 0) };
}

describe.each(DIMENSIONS)('bullets in %dD', (dimensions) => {
  it.each([1, 8])(
    'do not pass a wall one diameter thick, with %d substeps, unless nobody follows them',
    (substeps) => {
      // With one substep as many as the bar asks for; a step of eight follows eight times as many paths.
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
        const { swept, paths, hits, held } = simulation.flights();
        expect(swept).toBeGreaterThan(0.9 * count);
        expect(paths).toBeGreaterThan(0.9 * count * substeps);
        expect(hits).toBeGreaterThan(0.5 * count);
        expect(held).toBe(0);
      }
    },
    60_000,
  );

  it('do not pass a wall of particles that can move, nor each other', () => {
    const { wall, obstacles, ...options } = bulletsBeforeWall(dimensions, 400);
    const own = options.positions as Float32Array;
    const positions = new Float32Array([...own, ...(obstacles as Float32Array)]);
    const velocities = new Float32Array(positions.length);
    velocities.set(options.velocities as Float32Array);
    const both = { ...options, positions, velocities, substeps: 1, continuous: true };
    const simulation = createCpuSimulation(both);
    simulation.step(DT);
    const after = simulation.read().positions;
    // Whoever stands in the wall has not moved in that substep; the bullets are before it.
    expect(countPassed(options, after.subarray(0, own.length), wall)).toBe(0);
    expect(simulation.flights().hits).toBeGreaterThan(100);
    expect(nearestPair(dimensions, after)).toBeGreaterThan(0.9);
    const off = createCpuSimulation({ ...both, continuous: false });
    off.step(DT);
    expect(countPassed(options, off.read().positions.subarray(0, own.length), wall)).toBe(400);
  });
});

describe.each(DIMENSIONS)('fast crowds in %dD', (dimensions) => {
  it.each(
    WORLD_KINDS.flatMap((kind) => SIZES.map((sizes) => [kind, sizes] as const)),
  )('end where all pairs say, %s, %s', (kind, sizes) => {
    const property = (seed: number) => {
      const options = fastCrowd(dimensions, kind, 60, createNoise(seed), sizes);
      const plan = planSimulation(options);
      const { world, diameter, settings, radii, halves, bulks } = plan;
      const substep = deriveSubstep(world, diameter, { ...settings, restitution: 0.5 }, 1 / 60);
      const ids = Uint32Array.from({ length: 60 }, (_, id) => id);
      const grid = buildGrid(world, options.positions, options.velocities, ids, { radii, halves, bulks });
      const fixed = plan.obstacleCount > 0 ? buildGrid(world, plan.obstacles) : undefined;
      const expected = fly(world, substep, grid, fixed);
      const { flights, ...got } = flyOnCpu(plan, substep);
      const { substepped, swept, paths, hits, held } = expected;
      expect(flights).toEqual({ substepped, swept, paths, hits, held });
      got.ids.forEach((id, slot) => {
        const source = grid.slots[id] as number;
        for (let axis = 0; axis < dimensions; axis++) {
          const place = dimensions * slot + axis;
          expect(got.positions[place]).toBe(expected.positions[dimensions * source + axis]);
          expect(got.velocities[place]).toBe(expected.velocities[dimensions * source + axis]);
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
  });

  it('come no nearer than 15/16 of a diameter on their paths, keep momentum and gain no energy', () => {
    const noise = createNoise(5);
    const spread = fastCrowd(dimensions, 'unbounded', 150, noise);
    // Apart at first: nobody is nearer than a diameter.
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
      // Slow ones are not followed: two of them, or one that another rests beside, may be nearer.
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

  it.each(WORLD_KINDS)('leave the same bits in any order of memory, %s', (kind) => {
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
    expect(straight.flights().swept).toBeGreaterThan(5);
  });

  it.each(WORLD_KINDS)('are where the reference has them after a step, %s', (kind) => {
    const options = fastCrowd(dimensions, kind, 60, createNoise(23));
    const simulation = createCpuSimulation(options);
    const reference = new ReferenceSimulation(options);
    simulation.step(1 / 64);
    reference.step(1 / 64);
    expect(simulation.flights()).toEqual(reference.flights());
    const got = simulation.read().positions;
    reference.read().positions.forEach((along, index) => {
      expect(Math.abs((got[index] as number) - along)).toBeLessThan(1e-4);
    });
  });
});

describe('a path', () => {
  it('ends at a head-on hit, and the pair bounces', () => {
    // Gap of 19: the bullet flies 32 in a substep.
    const simulation = few([2, 4, 21, 4], [32 * 64, 0, 0, 0], { restitution: 1 });
    simulation.step(1 / 64);
    const { positions, velocities } = simulation.read();
    expect(positions[0]).toBeGreaterThan(20);
    expect(positions[0]).toBeLessThanOrEqual(21 - NEAR);
    expect([...velocities]).toEqual([0, 0, 2048, 0]);
    expect(simulation.flights()).toEqual({ substepped: 0, swept: 1, paths: 1, hits: 1, held: 0 });
  });

  it('ends where two fast ones meet half way, though each ends beyond the other', () => {
    const simulation = few([2, 4, 34, 4], [2048, 0, -2048, 0]);
    simulation.step(1 / 64);
    const { positions, velocities } = simulation.read();
    expect(positions[0]).toBeCloseTo(18 - NEAR_SHARE / 2, 1);
    expect(positions[2]).toBeCloseTo(18 + NEAR_SHARE / 2, 1);
    expect(positions[0]).toBeLessThan(positions[2] as number);
    expect([...velocities]).toEqual([0, 0, 0, 0]);
  });

  it('is not ended by who is no longer there, nor by who flies ahead', () => {
    // The second leaves the first one's way before it comes; the third flies ahead of it, as fast.
    const simulation = few([2, 4, 20, 4, 6, 4], [1024, 0, 0, 3 * 64, 1024, 0], { max: [64, 8] });
    simulation.step(1 / 64);
    expect(simulation.read().positions[0]).toBe(18);
    expect(simulation.read().positions[4]).toBe(22);
    expect(simulation.flights().hits).toBe(0);
  });

  it('ends at who rests where its own path ended', () => {
    // The first stops at the wall of the world; the second, behind it, at the first.
    const simulation = few([50, 4, 40, 4], [2048, 0, 2048, 0]);
    simulation.step(1 / 64);
    const { positions } = simulation.read();
    expect(positions[0]).toBe(63.5);
    expect(positions[2]).toBeGreaterThan(62);
    expect(positions[2]).toBeLessThanOrEqual(63.5 - NEAR);
  });

  it('ends at walls, on them, reflected as the restitution has it', () => {
    const simulation = few([60, 4], [2048, 64], { restitution: 0.5 });
    simulation.step(1 / 64);
    const { positions, velocities } = simulation.read();
    expect(positions[0]).toBe(63.5);
    expect([...velocities]).toEqual([-1024, 64]);
    const without = few([60, 4], [2048, 64], { walls: false });
    without.step(1 / 64);
    expect(without.read().positions[0]).toBe(92);
  });

  it('does not end at a hit that is due in the next substep, however soon', () => {
    const simulation = few([10, 4, 30 + NEAR_SHARE + 1e-5, 4], [20 * 64, 0, 0, 0]);
    simulation.step(1 / 64);
    expect(simulation.flights()).toEqual({ substepped: 0, swept: 1, paths: 1, hits: 0, held: 0 });
  });

  it('passes nobody on its way to a wall, however many diameters a tick is', () => {
    const obstacles = new Float32Array(Array.from({ length: 8 }, (_, index) => [20, index + 0.5]).flat());
    for (const exponent of [16, 20, 24, 30, 41]) {
      const simulation = few([10, 4.2], [2 ** exponent * 64, 0], { obstacles });
      simulation.step(1 / 64);
      expect(simulation.read().positions[0], `2^${exponent}`).toBeLessThan(20);
    }
  });

  it('goes around in a world of three cells, many times, and meets whoever is on it', () => {
    const options = { min: [0, 0], max: [3, 3], periodic: true } as const;
    const free = few([0.5, 0.5], [64 * 64, 0], options);
    free.step(1 / 64);
    expect(free.read().positions[0]).toBeCloseTo(1.5, 4);
    const met = few([0.5, 0.5, 2.1, 0.5], [64 * 64, 0, 0, 0], options);
    met.step(1 / 64);
    expect(met.read().positions[0]).toBeLessThanOrEqual(2.1 - NEAR);
    expect(met.read().velocities[2]).toBeCloseTo(32 * 64, 2);
    // Around the end: it flies off to the left and comes from the right.
    const around = few([0.5, 0.5, 1.9, 0.5], [-64 * 64, 0, 0, 0], options);
    around.step(1 / 64);
    expect(around.read().positions[0]).toBeGreaterThanOrEqual(1.9 + NEAR - 0.1);
  });

  it('is held where more hang on each other than rounds settle, and nobody passes', () => {
    const row = FLIGHT_ROUNDS + 20;
    const positions = Array.from({ length: row }, (_, index) => [100 - 1.5 * index, 4]).flat();
    const velocities = Array.from({ length: row }, () => [200 * 64, 0]).flat();
    const simulation = few(positions, velocities, { max: [120, 8] });
    simulation.step(1 / 64);
    const { held, hits } = simulation.flights();
    expect(held).toBeGreaterThan(0);
    expect(hits).toBeGreaterThan(FLIGHT_ROUNDS / 2);
    const after = simulation.read().positions;
    for (let index = 1; index < row; index++) {
      expect((after[2 * index - 2] as number) - (after[2 * index] as number)).toBeGreaterThan(NEAR);
    }
  });

  it('ends at an obstacle, which takes all of the blow', () => {
    const simulation = few([2, 4], [2048, 0], { obstacles: new Float32Array([21, 4]), restitution: 1 });
    simulation.step(1 / 64);
    expect([...simulation.read().velocities]).toEqual([-2048, 0]);
    expect(simulation.read().positions[0]).toBeLessThanOrEqual(21 - NEAR);
  });

  it('of one set aside ends nowhere', () => {
    const simulation = few([2, 4, 21, 4], [2048, 0, 0, 0]);
    const checkpoint = simulation.checkpoint();
    checkpoint.positions[0] = Number.NaN;
    simulation.restore(checkpoint);
    simulation.step(1 / 64);
    expect(simulation.flights().swept).toBe(0);
    expect(simulation.measure().nonFinite).toBe(1);
  });
});

describe('a push', () => {
  const world = defineWorld({ dimensions: 2, min: [0, 0], max: [8, 8], periodic: [true, false] }, 1);

  it('carries nobody farther than the slow may move, where it is longer', () => {
    const before = new Float32Array([4, 4, 4, 4, 7.99, 4, 4, 4]);
    const after = new Float32Array([4 + FAST_SHARE, 4, 4.6, 4.8, 0.49, 4, 1, 1]);
    restrain(world, { diameter: 1 }, before, after, 3);
    // As far as it may; too far, by as much as three and four are to five; around the end; set aside.
    expect([...after.subarray(0, 2)]).toEqual([4 + FAST_SHARE, 4]);
    expect(after[2]).toBeCloseTo(4 + 0.6 * FAST_SHARE, 6);
    expect(after[3]).toBeCloseTo(4 + 0.8 * FAST_SHARE, 6);
    expect(after[4]).toBeCloseTo(7.99 + FAST_SHARE - 8, 6);
    expect([...after.subarray(6)]).toEqual([1, 1]);
  });

  it('takes nobody through the wall that their path ended at, where bullets lie in heaps before it', () => {
    const scene = createScene('bullets', { dimensions: 3, count: 257, seed: 1 });
    const simulation = createCpuSimulation({ ...sceneOptions(scene), substeps: 1 });
    for (let step = 0; step < 3; step++) simulation.step(1 / 60);
    const wall = (scene.obstacles as Float32Array)[0] as number;
    expect(countPassed(scene, simulation.read().positions, wall)).toBe(0);
  });
});

describe('counters and substeps', () => {
  it('tell who needed substeps, and who was too fast for them', () => {
    // In a step of 1/64 s: 1/16, 1/2 and 8 diameters; in one of 8 substeps 1/128, 1/16 and 1.
    const speeds = [4, 0, 32, 0, 512, 0];
    const simulation = few([2, 1, 2, 4, 2, 7], speeds, { substeps: 8 });
    simulation.step(1 / 64);
    expect(simulation.flights()).toEqual({ substepped: 1, swept: 1, paths: 8, hits: 0, held: 0 });
  });

  it('are as many as the fastest needs, or those of the settings where that is too many', () => {
    const simulation = few([2, 1, 2, 4], [3, 0, 47, 0], { substeps: 8 });
    // 0.73 of a diameter: twelve sixteenths.
    expect(simulation.advance(1 / 64)).toBe(12);
    expect(simulation.flights()).toEqual({ substepped: 1, swept: 0, paths: 0, hits: 0, held: 0 });
    expect(simulation.advance(1 / 64, 11)).toBe(8);
    expect(simulation.flights().swept).toBe(1);
    expect(simulation.advance(1 / 64, 256)).toBe(12);
    expect(simulation.advance(1 / 1024)).toBe(8);
    expect(simulation.settings.substeps).toBe(8);
    expect(simulation.time).toBeCloseTo(3 / 64 + 1 / 1024, 10);
  });

  it('are refused in a sentence where paths are not followed, and with what they cannot do', () => {
    const plain = few([2, 4], [0, 0], { continuous: false });
    const sentence = /^This simulation was created without `continuous`, which (flights|advance) needs\.$/;
    expect(() => plain.flights()).toThrow(CellstormError);
    expect(() => plain.flights()).toThrow(sentence);
    expect(() => plain.advance(1 / 64)).toThrow(sentence);
    const simulation = few([2, 4], [0, 0]);
    expect(() => simulation.advance(1 / 64, 0)).toThrow(/^most is 0, but/);
    expect(() => simulation.advance(Number.NaN)).toThrow(/^dt is NaN, but/);
    expect(() => few([2, 4], [0, 0], { continuous: 1 as unknown as boolean })).toThrow(
      /^continuous is 1, but/,
    );
  });
});
