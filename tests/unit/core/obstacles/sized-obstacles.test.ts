import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../../../src/core/base/errors';
import { deriveSubstep } from '../../../../src/core/contact/settings';
import type { ObstacleBodies } from '../../../../src/core/obstacles/obstacles';
import { planSimulation } from '../../../../src/core/simulation/plan';
import type { Checkpoint, SimulationOptions } from '../../../../src/core/simulation/simulation';
import { decodeCheckpoint, encodeCheckpoint } from '../../../../src/core/state/state-file';
import { wrapPositions } from '../../../../src/core/world/cells';
import { createCpuSimulation } from '../../../../src/cpu';
import type { ParticleState } from '../../../../src/cpu/shared/kernels';
import { defineLattice } from '../../../../src/cpu/shared/lattice';
import { Overlaps } from '../../../../src/cpu/solver/obstacle-search';
import { VariableObstacles } from '../../../../src/cpu/solver/variable-obstacles';
import { buildGrid } from '../../../../src/reference/grid/grid';
import { resolveBound } from '../../../../src/reference/solve/bound';
import { minimumImageInDoubles } from '../../../../src/reference/solve/contact';
import { integrate } from '../../../../src/reference/solve/integrate';
import { fileObstacles } from '../../../../src/reference/solve/obstacles';
import { createNoise } from '../../../../src/testing/noise';
import { exactOverlap, vectorAt } from '../../../helpers/exact-pairs';
import { countSizedOverlaps, sizedFieldOf } from '../../../helpers/inputs/sized-obstacle-fields';
import { variableCrowds, WORLD_CASES } from '../../../helpers/inputs/variable-crowds';
import { DIMENSIONS, shuffled } from '../../../helpers/passes';
import { expectSeen, fc, runs } from '../../../helpers/properties';
import { DT, ENGINES, expectEnergyKept, hashOf, overlapsOf, readNow } from './engines';

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
  for (const kind of WORLD_CASES) {
    const tier = dimensions === 2 && kind === 'periodic' ? {} : { tags: 'case' };
    describe(`in a world that is ${kind}`, tier, () => {
      it.each(ENGINES)(
        'overlap particles in as many pairs as a search of all pairs finds (%s)',
        (_, create) => {
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
        },
      );

      it('overlap particles in as many pairs as in exact arithmetic, at any position (CPU engine)', () => {
        let total = 0;
        let close = 0;
        fc.assert(
          fc.property(
            variableCrowds(kind, dimensions, 50),
            ({ world, options, radii, positions, radiusOf }) => {
              const isRadius = (radius: number, least: number, most: number) =>
                radius >= least && radius <= most;
              const { smallest, largest } = {
                smallest: Math.fround(radii.smallest),
                largest: Math.fround(radii.largest),
              };
              // Obstacles may have radii up to half the shortest period, minus the largest particle's radius.
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
                  positions: Float32Array.from(
                    bodies.flatMap((body) => vectorAt(positions, dimensions, body)),
                  ),
                  radii: Float32Array.from(bodies, (body) => radiusOf[body] as number),
                };
              };
              const [moving, obstacles] = [take(false), take(true)];
              const simulation = createCpuSimulation({
                ...options,
                ...moving,
                radiusRange: radii,
                obstacles,
              });
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
                      minimumImageInDoubles(value - (there[axis] as number), period[axis] as number),
                    ),
                  );
                  const reach = radius + otherRadius;
                  const doubt = 1e-9 * (distance + reach + Math.max(...period));
                  // Exact arithmetic is slow, so it decides only close pairs.
                  const isClose = Math.abs(distance - reach) <= doubt;
                  if (isClose) close++;
                  if (isClose ? exactOverlap(here, there, radius, period, otherRadius) : distance < reach)
                    expected++;
                });
              });
              expect(overlapsOf(simulation)).toBe(expected);
              total += expected;
            },
          ),
          runs(40),
        );
        expectSeen(total, 40);
        expectSeen(close, 3);
      });

      it.each([
        [true, 0.5],
        [true, 0],
        [false, 0.5],
      ] as const)(
        'change positions and velocities within the bound (CPU engine, boxes: %s, restitution %d)',
        (boxes, restitution) => {
          const field = sizedFieldOf({ kind, dimensions, count: 100, obstacles: 120, dyadic: true, boxes });
          const gravity = new Array<number>(dimensions).fill(0).with(1, -8);
          const options = { ...field, restitution, gravity, substeps: 1 };
          const { world, diameter, settings, obstacles: given, ...sizes } = planSimulation(options);
          for (const mode of ['pushApart', 'resolve'] as const) {
            const simulation = createCpuSimulation(options);
            if (mode === 'pushApart') simulation.separate(1);
            else simulation.step(DT);
            const got = simulation.read();
            const substep = deriveSubstep(world, diameter, settings, mode === 'pushApart' ? 0 : DT);
            // The field is dyadic, so the motion before the pass rounds nothing.
            const start = { positions: wrapPositions(world, field.positions), velocities: field.velocities };
            const moved = mode === 'pushApart' ? start : integrate(world, substep, start);
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
                const off = minimumImageInDoubles((got.positions[from] as number) - exact, length);
                if (!(Math.abs(off) <= limit / 2)) beyond++;
                const moves = Math.abs(exact - (without.exactPositions[at] as number)) > 2 ** -10;
                if (moves && limit < 2 ** -10) pushed++;
                if (mode === 'pushApart') continue;
                const turn = (got.velocities[from] as number) - (bound.exactVelocities[at] as number);
                if (!(Math.abs(turn) <= fastest / 2)) beyond++;
              }
            });
            expect(beyond).toBe(0);
            // Obstacles must change many coordinates by more than the bound. Otherwise the comparison would prove
            // nothing.
            expect(pushed).toBeGreaterThan(20);
          }
        },
      );

      it.each(
        ENGINES.flatMap(([name, create]) => [true, false].map((boxes) => [name, boxes, create] as const)),
      )('give the same bits from a checkpoint and in any order (%s, boxes: %s)', (name, boxes, create) => {
        const isFast = name === 'CPU engine';
        // The reference is slow, because it searches all pairs.
        const [count, fixed] = isFast ? [150, 130] : [30, 25];
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
      });
    });
  }

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
  const block = (x: number, y: number, ...half: number[]): ObstacleBodies => ({
    positions: at(x, y),
    halfExtents: Float32Array.from([...half, 64].slice(0, dimensions)),
  });

  describe.each(ENGINES)('checked by hand in the %s', (_, create) => {
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

    it('let a box land on two boxes whose tops differ a little, and rise only a little afterwards', () => {
      const positions = Float32Array.from([...at(2, 0.5), ...at(6, 0.51)]);
      const half = [2, 1, 64].slice(0, dimensions);
      const simulation = create({
        ...world,
        boxes: true,
        positions: at(4, 7),
        halfExtents: new Float32Array(dimensions).fill(0.5),
        obstacles: { positions, halfExtents: Float32Array.from([...half, ...half]) },
        gravity: [0, -10, 0].slice(0, dimensions),
      });
      let lowest = Number.POSITIVE_INFINITY;
      let rise = 0;
      for (let step = 0; step < 90; step++) {
        simulation.step(1 / 60);
        const height = readNow(simulation).positions[1] as number;
        lowest = Math.min(lowest, height);
        rise = Math.max(rise, height - lowest);
      }
      expect(lowest).toBeGreaterThan(1.95);
      // Some overlap is left after the impact, and pushes of the contact remove it.
      expect(rise).toBeLessThan(0.05);
    });

    it('bounce an approaching particle like an infinite mass, whatever their own size', () => {
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

    // A box is endless along a periodic axis if its half extent is at least half the period. It then touches its own
    // images.
    it('never push along the axis on which they are endless, not even where their images meet', () => {
      const periodic = [true, false, false].slice(0, dimensions);
      const options = { ...alone, boxes: true, periodic, positions: at(5, 1.5), relaxation: 0.5 };
      for (const half of [4, 5, 100]) {
        const simulation = create({ ...options, obstacles: block(1, 1, half, 0.75) });
        simulation.separate(1);
        expect(readNow(simulation).positions).toEqual(at(5, 1.875));
        expect(simulation.checkpoint()).toMatchObject({ obstacles: block(1, 1, half, 0.75) });
      }
    });

    it('push a particle out from any depth if they are thick and endless', () => {
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

    it('together move a particle no farther than the deepest overlap alone would, and only one bounces it', () => {
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

    it('push out a coincident particle along an axis that the slots of both bodies determine', () => {
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

    it('are returned with the given values, with zeros for sizes left out, and can be replaced', () => {
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

    it('are rejected with an error message if they are wrong, and nothing changes', () => {
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
        [options, { positions }, /^obstacles\.radii is undefined, .*length 1, one radius per body\.$/],
        [options, { ...one(1), mass: 1 }, /^obstacles\.mass is 1, /],
        [options, one(0), /^obstacles\.radii\[0\] is 0, .*greater than 0\.$/],
        [options, one(Number.NaN), /^obstacles\.radii\[0\] is NaN, /],
        [options, one(2 ** -60), /^obstacles\.radii\[0\] is .*, but it must be from /],
        [options, one(2 ** 60), /^obstacles\.radii\[0\] is .*, but it must be from /],
        [
          options,
          { ...one(1), radii: new Float32Array(2) },
          /^obstacles\.radii is .*length 1, one radius per body\.$/,
        ],
        [options, block(4, 4, 1, 1), /^obstacles\.halfExtents is .*left out, since no particle may be a box/],
        [
          options,
          { positions: new Float32Array(2 * dimensions), radii: Float32Array.of(1, 1) },
          /^obstacles is 2 obstacles, .*at most 1 obstacle \(the obstacleCapacity of the simulation\)\.$/,
        ],
        // The largest particle has a radius of three quarters.
        [
          periodic,
          one(3.5),
          /^obstacles\.radii\[0\] is 3\.5, .*at most 3\.25 \(half of the period along axis 0, minus/,
        ],
        [
          { ...periodic, boxes: true },
          block(4, 4, 3.5, 1),
          /^obstacles\.halfExtents\[0\] is 3\.5, .*, or at least 4 for a box that is endless along this axis\.$/,
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
        if (message.source.includes('2 obstacles')) continue;
        expect(() => create({ ...base, obstacles: wrong as ObstacleBodies })).toThrow(message);
      }
      const equal = create({ ...world, radius: 0.5, positions: at(4, 4.5), obstacles: positions });
      expect(() => equal.setObstacles(one(0.5))).toThrow(
        /^obstacles\.radii is .*left out, since all particles of this simulation have one radius\.$/,
      );
      expect(() => equal.setObstacles(block(4, 4, 1, 1))).toThrow(/^obstacles\.halfExtents is .*left out/);
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
      // With a half extent of at least half the period, the box is endless.
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

  it('can include one huge body and thousands of tiny ones', () => {
    const noise = createNoise(3);
    const count = 200;
    const fixed = 3000;
    const scatter = (bodies: number, high: number) =>
      Float32Array.from({ length: dimensions * bodies }, () => high * noise());
    const obstacles = { positions: scatter(fixed, 100), radii: new Float32Array(fixed) };
    for (let body = 0; body < fixed; body++) obstacles.radii[body] = 1e-4 * (1 + noise());
    // The huge body reaches to (50, 50), in 3D to (50, 50, 50).
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

  it('are not touched by a particle whose position stopped being finite after the sort', () => {
    const search = new VariableObstacles(lattice);
    search.load({ positions: at(4, 4), radii: Float32Array.of(1) });
    const positions = at(4, 4);
    const state = { positions, radii: Float32Array.of(0.5), halves: new Float32Array(0) } as ParticleState;
    expect(search.find(state, 0).count).toBe(1);
    for (const nowhere of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      positions[dimensions - 1] = nowhere;
      expect(search.find(state, 0).count).toBe(0);
    }
  });

  it('push in the same way near the origin and far from it', () => {
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

  it('add the bytes of their arrays and of their tree to the memory of a simulation', () => {
    const field = sizedFieldOf({ kind: 'bounded', dimensions, count: 10, obstacles: 1000 });
    const bytes = (obstacles: ObstacleBodies | undefined) =>
      createCpuSimulation({ ...field, obstacles }).memoryBytes;
    const bare = bytes(undefined);
    const one = bytes(permuted(dimensions, field.obstacles, [0])) - bare;
    const all = bytes(field.obstacles) - bare;
    // Per obstacle: position, radius, half extents and bulk (the radius of a ball of the same volume), in two copies,
    // one of them in the tree's order; and, on average, half a node of the tree.
    const each = 2 * 4 * (2 * dimensions + 2) + 4 * (dimensions + 1);
    expect(all).toBeGreaterThan(990 * each);
    expect(all).toBeLessThan(1010 * each);
    expect(one).toBeLessThan(3 * each);
  });
});
