/** The CPU engine in periodic and unbounded worlds: pairs compared with exact arithmetic, steps with the reference. */

import { describe, expect, it } from 'vitest';
import { ArgumentError, LimitError } from '../../../src/core/base/errors';
import type { SettingsOptions } from '../../../src/core/contact/settings';
import type { Measures, SimulationOptions } from '../../../src/core/simulation/simulation';
import { bucketOfLattice, cellOfParticle } from '../../../src/core/world/cells';
import { defineWorld, type WorldOptions } from '../../../src/core/world/world';
import { type CpuGrid, type CpuSimulation, createCpuGrid, createCpuSimulation } from '../../../src/cpu';
import { reserve, reservedCells } from '../../../src/cpu/shared/lattice';
import { buildGrid } from '../../../src/reference/grid/grid';
import { comparePairs } from '../../../src/reference/query/pair-list';
import { sweepPairs } from '../../../src/reference/query/sweep';
import { nearestImage } from '../../../src/reference/solve/contact';
import { ReferenceSimulation } from '../../../src/reference/solve/simulation';
import { Random } from '../../../src/scenes';
import { repeat } from '../../../src/scenes/scene';
import { expectPairs, oracle } from '../../helpers/exact-pairs';
import { optionsOf, stored, type UnusualCrowd, unusualCrowds } from '../../helpers/inputs/unusual-worlds';
import { runs } from '../../helpers/inputs/worlds';
import { expectSteadyMemory } from '../../helpers/memory';
import { fc } from '../../helpers/properties';
import { atGate, fewerInSpace, inTurns } from '../../helpers/thorough';

type Dimensions = 2 | 3;

/** Returns the overlapping pairs of a crowd's stored positions. */
function exactPairs(crowd: UnusualCrowd, diameter: number): number[] {
  const { dimensions, period } = crowd.world;
  return oracle(stored(crowd), dimensions, diameter, period);
}

/** Returns a built grid of this crowd with the given capacity. */
function gridOf({ world, positions }: UnusualCrowd, capacity: number, diameter = world.diameter): CpuGrid {
  const grid = createCpuGrid({ ...optionsOf(world), diameter, capacity });
  expect(grid.world).toEqual(world);
  grid.build(positions);
  return grid;
}

const arbitraryCrowd = (kind: string, dimensions: Dimensions, most: number) =>
  (unusualCrowds[kind] as (typeof unusualCrowds)[string])(dimensions, most);

const KINDS = Object.keys(unusualCrowds);

describe.each([2, 3] as const)('CpuGrid in %dD', (dimensions) => {
  describe.each(fewerInSpace(dimensions, KINDS))('%s', (kind) => {
    it('finds the same pairs as exact brute force, at any positions', () => {
      let pairs = 0;
      fc.assert(
        fc.property(arbitraryCrowd(kind, dimensions, 60), (crowd) => {
          const grid = gridOf(crowd, 60);
          const expected = exactPairs(crowd, grid.diameter);
          expectPairs(grid, expected);
          pairs += expected.length / 2;
        }),
        runs(atGate(100)),
      );
      expect(pairs).toBeGreaterThan(atGate(1000));
    });

    it('puts particles into the order and the cells of the reference', () => {
      fc.assert(
        fc.property(arbitraryCrowd(kind, dimensions, 60), fc.boolean(), (crowd, broken) => {
          const { world, positions } = crowd;
          if (broken && positions.length > 3 * dimensions) positions[2 * dimensions + 1] = Number.NaN;
          const grid = gridOf(crowd, 60);
          const plain = buildGrid(world, positions);
          expect([...grid.ids()]).toEqual([...plain.ids]);
          const live = plain.start[world.cellCount] as number;
          expect([...grid.cells()]).toEqual([...plain.cells.subarray(0, live)]);
          expect(grid.nonFinite).toBe(plain.ids.length - live);
        }),
        runs(atGate(70)),
      );
    });

    it('finds the same in any order of input, and in portions', () => {
      const random = new Random(3);
      const capacity = 6000;
      const options: WorldOptions =
        kind === 'periodic'
          ? {
              dimensions,
              min: repeat(-3, dimensions),
              max: repeat(dimensions === 2 ? 17 : 5, dimensions),
              periodic: true,
            }
          : { dimensions, unbounded: true };
      const grid = createCpuGrid({ ...options, diameter: 1, capacity });
      const high = dimensions === 2 ? 17 : 5;
      const positions = Float32Array.from({ length: dimensions * capacity }, () => random.between(-3, high));
      grid.build(positions);
      const order = grid.ids();
      const pairsOf = (sources: Uint32Array) => {
        const moved = new Float32Array(positions.length);
        sources.forEach((source, index) => {
          moved.set(positions.subarray(dimensions * source, dimensions * (source + 1)), dimensions * index);
        });
        grid.build(moved);
        const named: number[] = [];
        grid.forEachPair((first, second) => {
          const [a, b] = [sources[first] as number, sources[second] as number];
          named.push(Math.min(a, b) * capacity + Math.max(a, b));
        });
        return Uint32Array.from(named).sort();
      };
      const expected = pairsOf(Uint32Array.from({ length: capacity }, (_, index) => index));
      // More than one portion.
      expect(2 * expected.length).toBeGreaterThan(40_000);
      // Compared as bytes, since the assertion library takes seconds.
      for (const sources of [order, order.slice().reverse()]) {
        expect(Buffer.from(pairsOf(sources).buffer).equals(Buffer.from(expected.buffer))).toBe(true);
      }
      expect([...grid.findPairs().pairs.subarray(0, 2)]).toHaveLength(2);
      const plain = sweepPairs(dimensions, positions, 1, undefined, grid.world.period);
      grid.build(positions);
      const { missing, extra } = comparePairs(grid.findPairs(), plain);
      expect([missing.count, extra.count]).toEqual([0, 0]);
    });

    it('finds the particles near a point', () => {
      fc.assert(
        fc.property(
          arbitraryCrowd(kind, dimensions, 60),
          fc.array(fc.double({ min: -1, max: 2, noNaN: true }), {
            minLength: dimensions,
            maxLength: dimensions,
          }),
          fc.integer({ min: 0, max: 59 }),
          fc.oneof(
            fc.double({ min: 0.01, max: 1, noNaN: true }),
            fc.double({ min: 0.01, max: 60, noNaN: true }),
          ),
          (crowd, offset, index, size) => {
            const { world, positions } = crowd;
            const grid = gridOf(crowd, 60);
            const storedPositions = stored(crowd);
            const half = Math.min(...world.period.map((period) => period || 1e36)) / 2;
            const radius = Math.min(half, size * world.diameter);
            const middle = dimensions * (index % Math.max(1, positions.length / dimensions));
            const point = offset.map((share, axis) => {
              const length = world.period[axis] || 2 * world.diameter;
              return (
                (storedPositions[middle + axis] ?? 0) +
                Math.round(share) * length +
                (share % 1) * world.diameter
              );
            });
            if (!point.every((value) => Number.isFinite(Math.fround(value)))) return;
            const found: number[] = [];
            grid.near(point, radius, (id, distanceSquared) => {
              expect(distanceSquared).toBeLessThanOrEqual(radius * radius);
              found.push(id);
            });
            // Results must be in canonical order, each once.
            const rank = new Map([...grid.ids()].map((id, slot) => [id, slot]));
            const ranks = found.map((id) => rank.get(id) as number);
            ranks.forEach((slot, index) => {
              expect(index === 0 || slot > (ranks[index - 1] as number)).toBe(true);
            });
            const present = new Set(found);
            for (let id = 0; id < storedPositions.length / dimensions; id++) {
              const distance = Math.hypot(
                ...point.map((value, axis) =>
                  nearestImage(
                    (storedPositions[dimensions * id + axis] as number) - value,
                    world.period[axis] as number,
                  ),
                ),
              );
              const noise = 1e-12 * Math.max(...point.map(Math.abs), world.diameter);
              if (Math.abs(distance - radius) > noise) expect(present.has(id)).toBe(distance < radius);
            }
          },
        ),
        runs(atGate(100)),
      );
    });
  });

  it.each([
    { periodic: true, edge: 3 },
    { periodic: true, edge: 3.9375 },
    { periodic: true, edge: 4 },
    { periodic: true, edge: 5.5 },
    { periodic: [true, false, false], edge: 3.5 },
    { periodic: [false, true, false], edge: 3.5 },
    { periodic: [false, true, true], edge: 3 },
    { periodic: [false, false, true], edge: 4.25 },
  ])('finds all pairs with $edge cells per axis, periodic $periodic', ({ periodic, edge }) => {
    const along = Array.isArray(periodic) ? periodic.slice(0, dimensions) : periodic;
    const options = {
      dimensions,
      min: repeat(0, dimensions),
      max: repeat(edge, dimensions),
      periodic: along,
    };
    const grid = createCpuGrid({ ...options, diameter: 1, capacity: 80 });
    // Ties and borders are common.
    const coordinate = fc.oneof(
      fc.integer({ min: -8, max: 16 }).map((half) => half / 2),
      fc.integer({ min: -16, max: 16 }).map((step) => edge + step / 16),
      fc.integer({ min: 0, max: 5000 }).map((unit) => unit / 1024),
    );
    const vectors = fc.array(fc.array(coordinate, { minLength: dimensions, maxLength: dimensions }), {
      maxLength: 80,
      size: 'max',
    });
    fc.assert(
      fc.property(vectors, (list) => {
        // The positions lie up to a period outside.
        const positions = Float32Array.from(
          list.flat().map((value) => Math.max(-edge, Math.min(value, 2 * edge - 2 ** -10))),
        );
        grid.build(positions);
        expectPairs(grid, exactPairs({ world: grid.world, positions }, 1));
      }),
      runs(20),
    );
  });

  it('decides ties across the ends like exact arithmetic', () => {
    // Coordinates that are not dyadic, one diameter apart across the end.
    const single = fc.float({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        fc.float({ min: Math.fround(0.05), max: 3, noNaN: true }),
        fc.double({ min: 3.5, max: 9, noNaN: true }),
        fc.float({ min: -30, max: 30, noNaN: true }),
        fc.array(single, { minLength: dimensions, maxLength: dimensions }),
        fc.double({ min: 0, max: 7, noNaN: true }),
        fc.integer({ min: -3, max: 3 }),
        (diameter, cells, start, offset, angle, ulps) => {
          const low = Math.abs(start) < 2 ** -60 ? 0 : Math.fround(start);
          const grid = createCpuGrid({
            dimensions,
            min: repeat(low, dimensions),
            max: repeat(low + cells * diameter, dimensions),
            periodic: true,
            diameter,
            capacity: 2,
          });
          const { world } = grid;
          const a = offset.map((value) => Math.fround(low + 0.3 * value * diameter));
          const turn = [Math.cos(angle), Math.sin(angle), 0];
          const b = a.map((value, axis) =>
            Math.fround(value - diameter * Math.abs(turn[axis] as number) * (1 + ulps * 2 ** -24)),
          );
          const positions = Float32Array.from([...a, ...b]);
          grid.build(positions);
          expectPairs(grid, exactPairs({ world, positions }, diameter));
        },
      ),
      runs(atGate(300)),
    );
  });

  it('searches to any distance without more memory', () => {
    const capacity = 400;
    const random = new Random(5);
    const near = createCpuGrid({ dimensions, unbounded: true, diameter: 1, capacity });
    const bytes = near.memoryBytes;
    const centres = [0, 1e6, -1e6, 8e6, 1e30, -3e38];
    const positions = Float32Array.from({ length: dimensions * capacity }, (_, index) => {
      const centre = centres[Math.floor(index / dimensions) % centres.length] as number;
      return centre + random.between(-3, 3);
    });
    near.build(positions);
    const crowd = { world: near.world, positions };
    expectPairs(near, exactPairs(crowd, 1));
    expect(near.memoryBytes - 4 * near.collectPairs().pairs.length).toBe(bytes);
    let found = 0;
    near.near(repeat(0, dimensions), 3e38, () => found++);
    expect(found).toBe(capacity - Math.floor(capacity / centres.length));
  });

  it('finds each pair once if neighbouring cells share a bucket', () => {
    const grid = createCpuGrid({ dimensions, unbounded: true, diameter: 1, capacity: 64 });
    const { world } = grid;
    // These cells, one above the other, share a bucket of the smallest table.
    const shared: number[][] = [];
    for (let y = 0; y < 400 && shared.length < 5; y++) {
      const cell = [31, y, 7].slice(0, dimensions);
      const above = cell.with(1, y + 1);
      if (bucketOfLattice(world, cell) === bucketOfLattice(world, above)) shared.push(cell);
    }
    expect(shared).toHaveLength(5);
    for (const cell of shared) {
      const particles: number[][] = [];
      for (let index = 0; index < 32; index++) {
        const [x, y, z] = [index & 3, (index >> 2) & 3, index >> 4];
        particles.push(
          cell.map((value, axis) => value + 0.25 + 0.5 * ([x, y, z][axis] as number) - Number(axis === 0)),
        );
      }
      const positions = Float32Array.from(particles.flat());
      grid.build(positions);
      const expected = exactPairs({ world, positions }, 1);
      expect(expected.length).toBeGreaterThan(64);
      expectPairs(grid, expected);
    }
  });

  it('chooses cells wide enough for a diameter that does not fit a 32-bit float', () => {
    const diameter = 1 + 2 ** -30;
    const grid = createCpuGrid({ dimensions, unbounded: true, diameter, capacity: 2 });
    const positions = new Float32Array(2 * dimensions);
    positions[0] = -(2 ** -40);
    positions[dimensions] = 1;
    grid.build(positions);
    expectPairs(grid, [0, 1]);
    expect(grid.world.cellSize).toBe(2);
  });

  it('rejects a radius above half a period', () => {
    const max = [9, 5, 4].slice(0, dimensions);
    const options = { dimensions, min: max.map(() => 0), max, diameter: 1, capacity: 1 };
    const grid = createCpuGrid({ ...options, periodic: true });
    const half = dimensions === 2 ? 2.5 : 2;
    grid.build(new Float32Array(dimensions).fill(1));
    let found = 0;
    grid.near(
      max.map(() => 1),
      half,
      () => found++,
    );
    expect(found).toBe(1);
    const wide = () =>
      grid.near(
        max.map(() => 1),
        half + 0.1,
        () => {},
      );
    expect(wide).toThrow(ArgumentError);
    expect(wide).toThrow(
      `radius is ${half + 0.1}, but it must be at most ${half}, half the shortest period.`,
    );
    // Other axes do not limit the radius.
    const partly = createCpuGrid({ ...options, periodic: max.map((_, axis) => axis === 0) });
    partly.build(new Float32Array(dimensions).fill(1));
    partly.near(
      max.map(() => 1),
      4.5,
      () => found++,
    );
    expect(found).toBe(2);
  });
});

/** Returns the options of a crowd in a kind of world. */
function crowd(kind: string, dimensions: Dimensions, count: number, seed: number): SimulationOptions {
  const random = new Random(seed);
  const edge = Math.ceil((count * (dimensions === 2 ? 1.2 : 1.1)) ** (1 / dimensions));
  const number = (low: number, high: number) => random.between(1024 * low, 1024 * high) / 1024;
  const corners = {
    min: repeat(-1, dimensions),
    max: repeat(edge + 0.375, dimensions),
  };
  const world =
    kind === 'unbounded'
      ? { unbounded: true }
      : kind === 'periodic'
        ? { ...corners, periodic: true }
        : { ...corners, periodic: [false, true, false].slice(0, dimensions) };
  return {
    dimensions,
    radius: 0.5,
    ...world,
    positions: Float32Array.from({ length: dimensions * count }, () => number(-1, edge)),
    velocities: Float32Array.from({ length: dimensions * count }, () => number(-4, 4)),
    gravity: [0.5, -9.8, 0.25].slice(0, dimensions),
  };
}

const WORLDS = ['periodic', 'partly periodic', 'unbounded'];

const hashOf = (simulation: CpuSimulation) => simulation.measure().hash;

const INTEGERS = [
  'count',
  'candidates',
  'contacts',
  'occupiedCells',
  'greatestOccupancy',
  'crowded',
  'bucketCollisions',
  'outside',
  'nonFinite',
] as const;

function expectSameMeasures(fast: Measures, plain: Measures): void {
  for (const name of INTEGERS) expect(fast[name], name).toBe(plain[name]);
  expect(fast.hash).toBe(plain.hash);
  expect(fast.borderline).toBe(0);
  expect(fast.deepestOverlap).toBeCloseTo(plain.deepestOverlap, 5);
  expect(fast.meanOverlap).toBeCloseTo(plain.meanOverlap, 5);
}

describe.each([2, 3] as const)('CpuSimulation in %dD', (dimensions) => {
  describe.each(fewerInSpace(dimensions, WORLDS))('%s', (kind) => {
    /** Returns the greatest differences of two states by component, of minimum images. */
    function difference(fast: CpuSimulation, plain: ReferenceSimulation) {
      const [a, b] = [fast.read(), plain.read()];
      expect([...a.ids]).toEqual([...b.ids]);
      const { period } = fast.world;
      let positions = 0;
      let velocities = 0;
      a.positions.forEach((value, index) => {
        const apart = value - (b.positions[index] as number);
        positions = Math.max(positions, Math.abs(nearestImage(apart, period[index % dimensions] as number)));
        velocities = Math.max(
          velocities,
          Math.abs((a.velocities[index] as number) - (b.velocities[index] as number)),
        );
      });
      return { positions, velocities };
    }

    const cases: SettingsOptions[] = [
      { restitution: 0, friction: 0.4 },
      { restitution: 0.5, friction: 0.4 },
      { restitution: 0.5, friction: 0.4, broadPhase: 'naive' },
      { restitution: 1, friction: 0, walls: false },
    ];
    it.each(inTurns(2, cases, WORLDS.indexOf(kind)))(
      'each of 8 steps with %o differs from the reference only by rounding',
      (settings) => {
        const options = { ...crowd(kind, dimensions, 200, 1), ...settings, substeps: 1 };
        const fast = createCpuSimulation(options);
        const plain = new ReferenceSimulation(options);
        const dt = 1 / 240;
        for (let step = 0; step < 8; step++) {
          fast.step(dt);
          plain.step(dt);
          const { positions, velocities } = difference(fast, plain);
          // As in simulation.test.ts, but across an end the difference rounds twice.
          const rounding = 2 * 16 * 2 ** -24;
          expect(positions).toBeLessThan(40 * rounding);
          expect(velocities).toBeLessThan((40 * rounding * 0.175) / dt);
          // Starts from the same bits again, because rounding errors grow.
          plain.restore(fast.checkpoint());
          expectSameMeasures(fast.measure(), plain.measure());
          expect(fast.findPairs()).toMatchObject({ count: plain.findPairs().count, borderline: 0 });
        }
      },
    );

    it('20 steps of a sparse crowd end at the positions of the reference', () => {
      const { positions, velocities, ...options } = crowd(kind, dimensions, 200, 2);
      const some = { ...options, gravity: repeat(0, dimensions), substeps: 2 };
      const few = {
        ...some,
        positions: (positions as Float32Array).slice(0, 20 * dimensions),
        velocities: (velocities as Float32Array).slice(0, 20 * dimensions),
      };
      const fast = createCpuSimulation(few);
      const plain = new ReferenceSimulation(few);
      for (let step = 0; step < 20; step++) {
        fast.step(1 / 20);
        plain.step(1 / 20);
      }
      expect(difference(fast, plain).positions).toBeLessThan(1e-3);
      const [a, b] = [fast.measure(), plain.measure()];
      for (const name of INTEGERS) expect(a[name], name).toBe(b[name]);
      expect(a.outside).toBe(0);
    });

    it('pushing apart differs only by rounding, and does not change velocities', () => {
      const options = crowd(kind, dimensions, 200, 4);
      const fast = createCpuSimulation(options);
      const plain = new ReferenceSimulation(options);
      fast.separate(4);
      plain.separate(4);
      const { positions, velocities } = difference(fast, plain);
      expect(positions).toBeLessThan(80 * 16 * 2 ** -24);
      expect(velocities).toBe(0);
    });

    it.each([0, 0.5, 1])('the broad phases give the same bits at restitution %d', (restitution) => {
      const options = { ...crowd(kind, dimensions, 150, 6), restitution };
      const grid = createCpuSimulation(options);
      const naive = createCpuSimulation({ ...options, broadPhase: 'naive' });
      for (let step = 0; step < 5; step++) {
        grid.step(1 / 60);
        naive.step(1 / 60);
        grid.separate(2);
        naive.separate(2);
      }
      expect(hashOf(naive)).toBe(hashOf(grid));
      expect(naive.measure().candidates).toBe((150 * 149) / 2);
      expect(naive.findPairs()).toEqual(grid.findPairs());
    });

    it('gives the same bits in every run, whatever was in memory before', () => {
      const options = { ...crowd(kind, dimensions, 300, 7), restitution: 0.3, capacity: 310 };
      const hashes = [0, 1, 2].map((run) => {
        const simulation = createCpuSimulation(options);
        const { positions, velocities } = options as { positions: Float32Array; velocities: Float32Array };
        if (run > 0) {
          const leaving = [5, 17, 18, 200, 299].slice(run - 1);
          simulation.remove(leaving);
          expect(simulation.count).toBe(300 - leaving.length);
          const packed = (from: Float32Array) =>
            Float32Array.from(
              leaving.flatMap((id) => [...from.subarray(dimensions * id, dimensions * (id + 1))]),
            );
          const ids = simulation.add({ positions: packed(positions), velocities: packed(velocities) });
          expect([...ids]).toEqual(leaving);
        }
        for (let step = 0; step < 20; step++) {
          simulation.step(1 / 60);
          // Reading must not change anything.
          if (run === 2) simulation.measure();
        }
        return hashOf(simulation);
      });
      expect(new Set(hashes).size).toBe(1);
    });

    it('continues from a checkpoint with the same bits', () => {
      const options = { ...crowd(kind, dimensions, 250, 8), restitution: 0.4, friction: 0.3 };
      const straight = createCpuSimulation(options);
      for (let step = 0; step < 10; step++) straight.step(1 / 60);
      const checkpoint = straight.checkpoint();
      for (let step = 0; step < 10; step++) straight.step(1 / 60);
      const { positions: _, velocities: __, ...empty } = options;
      const resumed = createCpuSimulation({ ...empty, capacity: 250 });
      resumed.restore(checkpoint);
      for (let step = 0; step < 10; step++) resumed.step(1 / 60);
      expect(hashOf(resumed)).toBe(hashOf(straight));
      const plain = new ReferenceSimulation({ ...empty, capacity: 250 });
      plain.restore(checkpoint);
      resumed.restore(checkpoint);
      expectSameMeasures(resumed.measure(), plain.measure());
    });

    it('stepping allocates nothing and alternates between the same buffers', () => {
      const options = { ...crowd(kind, dimensions, 100, 11), restitution: 0.5 };
      const simulation = createCpuSimulation(options);
      expectSteadyMemory(simulation);
    });

    it('coincident particles are pushed apart the same way', () => {
      const { positions: _, velocities: __, ...options } = crowd(kind, dimensions, 100, 1);
      const low = options.unbounded ? 1e6 : -1;
      const positions = new Float32Array(dimensions * 7).fill(low);
      const fast = createCpuSimulation({ ...options, positions });
      const plain = new ReferenceSimulation({ ...options, positions });
      fast.step(1 / 60);
      plain.step(1 / 60);
      // Floats near a million are multiples of 1/16.
      expect(difference(fast, plain).positions).toBeLessThan(options.unbounded ? 0.6 : 1e-4);
      expectSameMeasures(
        createCpuSimulation({ ...options, positions }).measure(),
        new ReferenceSimulation({ ...options, positions }).measure(),
      );
    });

    it.each([0, 1, 2])('works with %d particles', (count) => {
      const { positions: _, velocities: __, ...options } = crowd(kind, dimensions, 100, 1);
      const simulation = createCpuSimulation({
        ...options,
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

  it.each(KINDS)('%s: measures and results agree with the reference, at any positions', (kind) => {
    let collisions = 0;
    fc.assert(
      fc.property(
        arbitraryCrowd(kind, dimensions, 60).filter(({ positions }) => positions.every(Number.isFinite)),
        ({ world, positions }) => {
          const options = { ...optionsOf(world), radius: world.diameter / 2, positions, capacity: 60 };
          const fast = createCpuSimulation(options);
          const plain = new ReferenceSimulation(options);
          expect(fast.world).toEqual(world);
          expect([...fast.read().positions]).toEqual([...plain.read().positions]);
          const [a, b] = [fast.measure(), plain.measure()];
          collisions += a.bucketCollisions;
          for (const name of INTEGERS) {
            // The reference decides in 32-bit floats, this engine exactly.
            if (name !== 'contacts' || b.borderline === 0) expect(a[name], name).toBe(b[name]);
          }
          expect(a.hash).toBe(b.hash);
        },
      ),
      runs(atGate(100)),
    );
    if (kind === 'unbounded') expect(collisions).toBeGreaterThan(atGate(1000));
  });

  it('a contact across the ends acts like any other', () => {
    const edge = 8;
    const options = {
      dimensions,
      radius: 0.5,
      min: repeat(0, dimensions),
      max: repeat(edge, dimensions),
      periodic: true,
      restitution: 0.5,
      friction: 0.3,
    };
    const { positions, velocities } = crowd('unbounded', dimensions, 30, 12) as {
      positions: Float32Array;
      velocities: Float32Array;
    };
    const at = (shift: number) => {
      const simulation = createCpuSimulation({
        ...options,
        velocities,
        positions: positions.map((value) => (((value + shift) % edge) + edge) % edge),
      });
      const run = [simulation.measure()];
      simulation.step(1 / 60);
      run.push(simulation.measure());
      return run;
    };
    const [start, end] = at(1) as [Measures, Measures];
    for (const shift of [0, 0.5, 4.25]) {
      const [first, last] = at(shift) as [Measures, Measures];
      expect(first.contacts).toBe(start.contacts);
      expect(first.meanOverlap).toBeCloseTo(start.meanOverlap, 10);
      expect(last.kineticEnergy).toBeCloseTo(end.kineticEnergy, 1);
    }
  });

  it('away from the ends, a periodic world gives the bits of a box without walls', () => {
    const { positions, velocities, radius } = crowd('unbounded', dimensions, 60, 13);
    const box = {
      dimensions,
      radius,
      positions,
      velocities,
      min: repeat(-16, dimensions),
      max: repeat(48, dimensions),
      restitution: 0.5,
      walls: false,
    };
    const bounded = createCpuSimulation(box);
    const periodic = createCpuSimulation({ ...box, periodic: true });
    for (let step = 0; step < 3; step++) {
      bounded.step(1 / 60);
      periodic.step(1 / 60);
    }
    expect(hashOf(periodic)).toBe(hashOf(bounded));
    const { min: _, max: __, ...rest } = box;
    const unbounded = createCpuSimulation({ ...rest, unbounded: true });
    unbounded.step(1 / 480);
    const again = createCpuSimulation(box);
    again.step(1 / 480);
    // Sums have a different order in an unbounded world.
    const [a, b] = [unbounded.read(), again.read()];
    a.positions.forEach((value, index) => {
      expect(value).toBeCloseTo(b.positions[index] as number, 5);
    });
  });

  it('two equal clusters a million cells apart have equal contacts', () => {
    const { positions, ...options } = crowd('unbounded', dimensions, 40, 14);
    const cluster = positions as Float32Array;
    // Coarse enough to be exact at both positions.
    const coarse = cluster.map((value) => Math.round(8 * value) / 8);
    const twice = Float32Array.from([...coarse, ...coarse.map((value) => value + 2 ** 20)]);
    const simulation = createCpuSimulation({ ...options, positions: twice, velocities: undefined });
    const { contacts, candidates, occupiedCells } = createCpuSimulation({
      ...options,
      positions: coarse,
      velocities: undefined,
    }).measure();
    const both = simulation.measure();
    expect([both.contacts, both.candidates, both.occupiedCells]).toEqual([
      2 * contacts,
      2 * candidates,
      2 * occupiedCells,
    ]);
    simulation.step(1 / 60);
    expect(simulation.measure()).toMatchObject({ count: 80, nonFinite: 0, outside: 0 });
  });
});

describe('lattice', () => {
  it.each([
    { max: [3, 4], periodic: [true, true] },
    { max: [4, 3], periodic: [true, false] },
    { max: [5, 4], periodic: [false, true] },
    { max: [3, 3, 4], periodic: [true, true, true] },
    { max: [4, 3, 5], periodic: [false, false, true] },
  ])('numbers the cells of $max, periodic $periodic', ({ max, periodic }) => {
    const dimensions = max.length as Dimensions;
    const options = { dimensions, min: max.map(() => 0), max, periodic };
    const world = defineWorld(options, 1);
    const centres: number[][] = [];
    for (let z = 0; z < (max[2] ?? 1); z++)
      for (let y = 0; y < (max[1] as number); y++)
        for (let x = 0; x < (max[0] as number); x++) centres.push([x, y, z].slice(0, dimensions));
    const grid = createCpuGrid({ ...options, diameter: 1, capacity: centres.length });
    grid.build(Float32Array.from(centres.flat()));
    // Positions ascend like cells, so slots equal indices.
    expect([...grid.ids()]).toEqual(centres.map((_, index) => index));
    expect([...grid.cells()]).toEqual(centres.map((centre) => cellOfParticle(world, centre, 0)));
  });

  it('names the world that is too large', () => {
    const unbounded = defineWorld({ dimensions: 2, unbounded: true }, 1, 7);
    const tooLong = () => new Float32Array(2 ** 53);
    expect(() => reserve(7, tooLong, reservedCells(unbounded))).toThrow(
      '7 particles take more memory than this JavaScript engine can allocate: choose a smaller capacity.',
    );
    const flat = { dimensions: 3 as const, min: [0, 0, 0], max: [3, 26_000, 26_000], cellSize: 1 };
    const grid = () => createCpuGrid({ ...flat, periodic: true, diameter: 0.5, capacity: 1 });
    expect(grid).toThrow(LimitError);
    expect(grid).toThrow(
      /^3 × 26000 × 26000 cells, and one more at each end of axes that wrap around, are more/,
    );
  });
});
