import { describe, expect, it } from 'vitest';
import { deriveSubstep, type Substep } from '../../../../src/core/contact/settings';
import { planSimulation, type SimulationPlan } from '../../../../src/core/simulation/plan';
import { wrapPositions } from '../../../../src/core/world/cells';
import { createCpuSimulation } from '../../../../src/cpu';
import type { ParticleState } from '../../../../src/cpu/shared/kernels';
import { defineLattice } from '../../../../src/cpu/shared/lattice';
import { CcdSolver } from '../../../../src/cpu/solver/ccd';
import { EqualNeighbours } from '../../../../src/cpu/solver/equal-neighbours';
import { EqualObstacles } from '../../../../src/cpu/solver/equal-obstacles';
import type { ObstacleSearch } from '../../../../src/cpu/solver/obstacle-search';
import { VariableNeighbours } from '../../../../src/cpu/solver/variable-neighbours';
import { VariableObstacles } from '../../../../src/cpu/solver/variable-obstacles';
import { buildGrid } from '../../../../src/reference/grid/grid';
import { fly } from '../../../../src/reference/solve/ccd';
import { fileObstacles } from '../../../../src/reference/solve/obstacles';
import { ReferenceSimulation } from '../../../../src/reference/solve/simulation';
import { createNoise } from '../../../../src/testing/noise';
import { fastCrowd, NEAR_SHARE, nearestPair, SIZES } from '../../../helpers/inputs/bullets';
import { WORLD_KINDS } from '../../../helpers/inputs/obstacle-fields';
import { DIMENSIONS } from '../../../helpers/passes';
import { fc, runs } from '../../../helpers/properties';

/** The least distance of two centres, with an allowance for 32-bit rounding. */
const NEAR = NEAR_SHARE - 1e-4;

/** Follows paths on the CPU engine, which numbers slots differently from the reference. */
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
      loads: new Float32Array(radii.length),
      quanta: new Int32Array(0),
      rates: new Int32Array(0),
    };
  };
  const given = state();
  given.positions.set(wrapPositions(world, positions));
  given.radii.set(radii);
  given.ids.forEach((_, id) => {
    given.ids[id] = id;
  });
  const equal = new EqualNeighbours(lattice, diameter, count, false);
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
    ? new VariableObstacles(lattice)
    : new EqualObstacles(lattice, diameter, plan.obstacleCapacity);
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

describe.each(DIMENSIONS)('fast crowds in %dD', (dimensions) => {
  const fields = WORLD_KINDS.flatMap((kind) => SIZES.map((sizes) => [kind, sizes] as const));
  it.each(fields)(
    'end at the same positions as with a search of all pairs, world: %s, sizes: %s',
    { tags: dimensions === 2 ? [] : 'case' },
    (kind, sizes) => {
      const compare = (seed: number) => {
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
      expect(compare(1)).toBeGreaterThan(10);
      fc.assert(
        fc.property(fc.integer({ min: 2, max: 10_000 }), (seed) => {
          compare(seed);
        }),
        runs(6),
      );
    },
  );

  it('keep their distance, keep momentum and gain no energy', () => {
    const noise = createNoise(5);
    const spread = fastCrowd(dimensions, 'unbounded', 150, noise);
    // Before the step all pairs must be at least about a diameter apart.
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
      // Two fast particles stay at least 15/16 of a diameter apart. Slow ones are not followed, so pairs with a slow
      // particle may be nearer.
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

  it.each(WORLD_KINDS)('give the same bits in any memory order, world: %s', (kind) => {
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

  it.each(WORLD_KINDS)('have nearly the positions of the reference after a step, world: %s', (kind) => {
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

describe('fast crowds of balls and boxes', () => {
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
