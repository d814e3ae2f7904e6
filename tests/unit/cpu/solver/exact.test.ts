import { describe, expect, it } from 'vitest';
import { FASTEST, REACH } from '../../../../src/core/exact/quanta';
import type { ExactArrays, SimulationOptions } from '../../../../src/core/simulation/simulation';
import { type CpuSimulation, createCpuSimulation } from '../../../../src/cpu';
import { createSimulation } from '../../../../src/engine/simulation/simulation';
import type { Gpu } from '../../../../src/gpu/device';
import { createScene, Random, sceneOptions } from '../../../../src/scenes';
import { DIMENSIONS } from '../../../helpers/passes';
import { fc } from '../../../helpers/properties';
import { runsAll } from '../../../helpers/tiers';

const DT = 1 / 60;

function exactScene(
  name: string,
  dimensions: 2 | 3,
  count: number,
  changes: Partial<SimulationOptions> = {},
) {
  return createCpuSimulation(
    sceneOptions(createScene(name, { dimensions, count }), { exact: true, ...changes }),
  );
}

const hashOf = (simulation: CpuSimulation) => simulation.measure().hash;
const exactOf = (simulation: CpuSimulation) => simulation.checkpoint().exact as ExactArrays;

describe.each(DIMENSIONS)('exact simulations in %dD', (dimensions) => {
  const box = (edge: number) => ({
    min: new Array<number>(dimensions).fill(0),
    max: new Array<number>(dimensions).fill(edge),
  });
  const many = (count: number, edge: number, seed: number, speed = 0): SimulationOptions => {
    const random = new Random(seed);
    return {
      dimensions,
      ...box(edge),
      radius: 0.5,
      exact: true,
      positions: Float32Array.from({ length: dimensions * count }, () => random.between(0.5, edge - 0.5)),
      velocities: Float32Array.from({ length: dimensions * count }, () => random.between(-speed, speed)),
    };
  };

  it('depend neither on the broad phase nor on calls between the steps', () => {
    const [plain, naive, measured] = [{}, { broadPhase: 'naive' } as const, {}].map((changes) =>
      exactScene('clustered', dimensions, 300, { restitution: 0.5, ...changes }),
    ) as [CpuSimulation, CpuSimulation, CpuSimulation];
    for (let step = 0; step < 12; step++) {
      for (const simulation of [plain, naive, measured]) simulation.step(DT);
      measured.measure();
    }
    expect(hashOf(naive)).toBe(hashOf(plain));
    expect(hashOf(measured)).toBe(hashOf(plain));
  });

  it('choose among equally fast approaches by position, not by id', () => {
    // The first particle moves towards two others, which share a cell. One of them is as far above the first particle
    // as the other is below it.
    const velocityOfUpper = (order: readonly number[]) => {
      const [upper, lower] = [
        [4.3, 4.75, 4.5],
        [4.3, 4.25, 4.5],
      ];
      const others = order.map((index) => [upper, lower][index] as number[]);
      const positions = Float32Array.from(
        [[5.125, 4.5, 4.5], ...others].flatMap((at) => at.slice(0, dimensions)),
      );
      const velocities = new Float32Array(positions.length);
      velocities[0] = -1;
      const simulation = createCpuSimulation({
        dimensions,
        ...box(9),
        radius: 0.5,
        exact: true,
        positions,
        velocities,
        restitution: 1,
        friction: 0,
        substeps: 1,
      });
      simulation.step(1 / 480);
      return exactOf(simulation).velocities[dimensions * (1 + order.indexOf(0))];
    };
    expect(velocityOfUpper([1, 0])).toBe(velocityOfUpper([0, 1]));
  });

  it('continue from a checkpoint with the same bits', () => {
    const simulation = exactScene('pile', dimensions, 300, { restitution: 0.3 });
    for (let step = 0; step < 10; step++) simulation.step(DT);
    const copy = exactScene('pile', dimensions, 300);
    copy.restore(simulation.checkpoint());
    expect(hashOf(copy)).toBe(hashOf(simulation));
    for (const one of [simulation, copy]) for (let step = 0; step < 10; step++) one.step(DT);
    expect(hashOf(copy)).toBe(hashOf(simulation));
  });

  it('ignore what is written to their buffers', () => {
    const [plain, written] = [0, 1].map(() => exactScene('clustered', dimensions, 100)) as [
      CpuSimulation,
      CpuSimulation,
    ];
    const write = () => {
      written.buffers.positions.fill(Number.NaN);
      written.buffers.velocities.fill(9);
    };
    for (const query of ['read', 'measure', 'findPairs', 'checkpoint'] as const) {
      write();
      expect(written[query](), query).toEqual(plain[query]());
    }
    write();
    for (const one of [plain, written]) one.separate(2);
    expect(written.checkpoint()).toEqual(plain.checkpoint());
    write();
    for (const one of [plain, written]) one.step(DT);
    expect(written.checkpoint()).toEqual(plain.checkpoint());
  });

  it('show the nearest floats, and keep the positions that they are given', () => {
    const simulation = exactScene('pile', dimensions, 200);
    for (let step = 0; step < 5; step++) simulation.step(DT);
    const { positions, velocities, exact } = simulation.checkpoint();
    const quantum = 2 * simulation.radius * 2 ** -20;
    const expected = exact?.positions.map((at) => at) as Int32Array;
    positions.forEach((position, word) => {
      const low = simulation.world.min[word % dimensions] as number;
      expect(position).toBe(Math.fround(low + (expected[word] as number) * quantum));
      expect(velocities[word]).toBe(Math.fround((exact?.velocities[word] as number) * quantum));
    });
    const still = createCpuSimulation(many(50, 12, 3));
    const given = many(50, 12, 3).positions as Float32Array;
    still.read().positions.forEach((position, word) => {
      expect(Math.abs(position - (given[word] as number))).toBeLessThanOrEqual(2 ** -21);
    });
  });

  it('keep the momentum of two particles to the last bit', () => {
    const speed = fc.double({ min: -20, max: 20, noNaN: true });
    const vector = fc.array(speed, { minLength: dimensions, maxLength: dimensions });
    const share = fc.constantFrom(0, 0.3, 1);
    fc.assert(
      fc.property(
        vector,
        vector,
        share,
        share,
        fc.double({ min: 0.9, max: 1, noNaN: true }),
        (a, b, e, f, gap) => {
          const positions = new Float32Array(2 * dimensions).fill(8);
          positions[0] = 8 + gap;
          const velocities = Float32Array.from([...a, ...b]);
          const options = { dimensions, ...box(16), periodic: true, radius: 0.5, exact: true };
          const simulation = createCpuSimulation({
            ...options,
            positions,
            velocities,
            restitution: e,
            friction: f,
          });
          const sum = () => {
            const { velocities: words } = exactOf(simulation);
            return Array.from(
              { length: dimensions },
              (_, axis) => (words[axis] as number) + (words[dimensions + axis] as number),
            );
          };
          const before = sum();
          for (let step = 0; step < 3; step++) simulation.step(DT);
          expect(sum()).toEqual(before);
        },
      ),
    );
  });

  it('keep the energy of an elastic gas', () => {
    const gas = { ...many(200, dimensions === 2 ? 40 : 12, 5, 4), restitution: 1, friction: 0 };
    const simulation = createCpuSimulation(gas);
    simulation.separate(64);
    const before = simulation.measure().kineticEnergy;
    for (let step = 0; step < (runsAll ? 10_000 : 300); step++) simulation.step(DT);
    const { kineticEnergy } = simulation.measure();
    expect(Math.abs(kineticEnergy / before - 1)).toBeLessThan(0.0003);
  });

  it('hold a particle still on a slope, and let it slide if friction cannot hold it', () => {
    const slope = (degrees: number) => {
      const angle = (degrees * Math.PI) / 180;
      const gravity = [9.81 * Math.sin(angle), -9.81 * Math.cos(angle), 0].slice(0, dimensions);
      const positions = new Float32Array(dimensions).fill(20);
      positions[1] = 0.5;
      return createCpuSimulation({
        dimensions,
        ...box(60),
        radius: 0.5,
        exact: true,
        gravity,
        friction: 0.5,
        positions,
      });
    };
    const resting = slope(20);
    const before = exactOf(resting).positions;
    for (let step = 0; step < 120; step++) resting.step(DT);
    expect([...exactOf(resting).positions]).toEqual([...before]);
    const sliding = slope(30);
    for (let step = 0; step < 60; step++) sliding.step(DT);
    const coulomb = 9.81 * (Math.sin(Math.PI / 6) - 0.5 * Math.cos(Math.PI / 6));
    expect((sliding.read().velocities[0] as number) / coulomb).toBeCloseTo(1, 2);
  });

  it('hold a particle still on an obstacle, and let it slide if friction cannot hold it', () => {
    const stack = (degrees: number, bodies: number) => {
      const angle = (degrees * Math.PI) / 180;
      const gravity = [9.81 * Math.sin(angle), -9.81 * Math.cos(angle), 0].slice(0, dimensions);
      const positions = Float32Array.from({ length: dimensions * bodies }, (_, word) =>
        word % dimensions === 1 ? 21 + Math.floor(word / dimensions) : 20,
      );
      const obstacles = new Float32Array(dimensions).fill(20);
      return createCpuSimulation({
        dimensions,
        ...box(60),
        radius: 0.5,
        exact: true,
        gravity,
        friction: 0.5,
        positions,
        obstacles,
      });
    };
    const resting = stack(20, 1);
    const before = exactOf(resting).positions;
    for (let step = 0; step < 120; step++) resting.step(DT);
    expect(exactOf(resting).positions).toEqual(before);
    const sliding = stack(30, 1);
    for (let step = 0; step < 60; step++) sliding.step(DT);
    expect(sliding.read().positions[0]).toBeGreaterThan(20.5);
    const two = stack(20, 2);
    for (let step = 0; step < 120; step++) two.step(DT);
    const { positions } = exactOf(two);
    for (let step = 0; step < 60; step++) two.step(DT);
    // Speeds may be at most 10⁻⁴ diameters per second.
    for (const [word, at] of exactOf(two).positions.entries()) {
      expect(Math.abs(at - (positions[word] as number))).toBeLessThanOrEqual(2 ** 20 * 1e-4);
    }
  });

  it('lose nothing of slow motion', () => {
    // The particle moves a fortieth of a quantum per substep.
    const speed = 2 ** -20 * 12;
    const velocities = new Float32Array(dimensions).fill(0);
    velocities[0] = speed;
    const positions = new Float32Array(dimensions).fill(4);
    const simulation = createCpuSimulation({
      dimensions,
      ...box(8),
      radius: 0.5,
      exact: true,
      positions,
      velocities,
    });
    for (let step = 0; step < 600; step++) simulation.step(DT);
    expect(Math.abs((exactOf(simulation).positions[0] as number) - (4 * 2 ** 20 + 120))).toBeLessThanOrEqual(
      1,
    );
  });

  it('add up gravity that changes a velocity by less than a quantum per second in a substep', () => {
    const gravity = new Array<number>(dimensions).fill(0);
    gravity[0] = 2 ** -20 * 48;
    const positions = new Float32Array(dimensions).fill(4);
    const simulation = createCpuSimulation({
      dimensions,
      ...box(8),
      radius: 0.5,
      exact: true,
      positions,
      gravity,
    });
    for (let step = 0; step < 600; step++) simulation.step(DT);
    expect(Math.abs((exactOf(simulation).velocities[0] as number) - 480)).toBeLessThanOrEqual(2);
  });

  it('let a falling particle stop on obstacles, and a bouncing one rise as high as it should', () => {
    const heightAfter = (restitution: number, copies = 1) => {
      const positions = new Float32Array(dimensions).fill(8);
      const obstacles = Float32Array.from({ length: dimensions * copies }, (_, word) =>
        word % dimensions === 1 ? 1 : 8,
      );
      positions[1] = 4;
      const gravity = [0, -9.81, 0].slice(0, dimensions);
      const simulation = createCpuSimulation({
        dimensions,
        ...box(16),
        radius: 0.5,
        exact: true,
        gravity,
        positions,
        obstacles,
        restitution,
      });
      let highest = 0;
      let hasHit = false;
      for (let step = 0; step < 90; step++) {
        simulation.step(DT);
        const {
          positions: [, y = 0],
          velocities: [, speed = 0],
        } = simulation.read();
        if (speed >= 0) hasHit = true;
        if (hasHit) highest = Math.max(highest, y - 2);
      }
      return highest;
    };
    expect(heightAfter(0)).toBeLessThan(0.001);
    expect(heightAfter(0.5)).toBeGreaterThan(0.24 * 2);
    expect(heightAfter(0.5)).toBeLessThan(0.26 * 2);
    // Obstacles at the same position act like one.
    expect(heightAfter(0, 3)).toBeLessThan(0.001);
    expect(Math.abs(heightAfter(0.5, 3) / heightAfter(0.5) - 1)).toBeLessThan(0.001);
  });

  it('find and count exactly the overlapping pairs', () => {
    const simulation = createCpuSimulation({ ...many(400, dimensions === 2 ? 12 : 6, 9), periodic: true });
    const { positions } = exactOf(simulation);
    const period = (dimensions === 2 ? 12 : 6) * 2 ** 20;
    const expected: number[] = [];
    for (let a = 0; a < 400; a++) {
      for (let b = a + 1; b < 400; b++) {
        let squared = 0;
        for (let axis = 0; axis < dimensions; axis++) {
          const apart = Math.abs(
            (positions[dimensions * a + axis] as number) - (positions[dimensions * b + axis] as number),
          );
          squared += Math.min(apart, period - apart) ** 2;
        }
        if (squared < 2 ** 40) expected.push(a, b);
      }
    }
    expect(expected.length).toBeGreaterThan(200);
    const { count, pairs } = simulation.findPairs();
    expect([...pairs.subarray(0, 2 * count)]).toEqual(expected);
    expect(simulation.measure().contacts).toBe(expected.length / 2);
  });

  it('stay within their ranges whatever they are given', () => {
    const number = (most: number) => fc.integer({ min: -most, max: most });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(number(8), number(8), number(8)), { minLength: 30, maxLength: 60 }),
        fc.constantFrom(0, 1, 60, 511),
        fc.record({
          restitution: fc.constantFrom(0, 0.5, 1),
          friction: fc.constantFrom(0, 0.2, 10),
          relaxation: fc.constantFrom(0.01, 0.3, 1),
          walls: fc.boolean(),
          substeps: fc.constantFrom(1, 3, 8),
        }),
        fc.constantFrom(0, 9.81, -1000),
        fc.boolean(),
        (places, speed, settings, along, periodic) => {
          const positions = Float32Array.from(
            places.flatMap((at) => at.slice(0, dimensions).map((one) => 4 + one / 8)),
          );
          const velocities = positions.map((_, word) => ((word * 7) % 3) - 1).map((sign) => sign * speed);
          const gravity = new Array<number>(dimensions).fill(along);
          const simulation = createCpuSimulation({
            dimensions,
            ...box(8),
            periodic,
            radius: 0.5,
            exact: true,
            positions,
            velocities,
            gravity,
            ...settings,
          });
          for (let step = 0; step < 5; step++) simulation.step(DT);
          const state = exactOf(simulation);
          expect(state.positions.every((at) => at >= -REACH && at < REACH)).toBe(true);
          expect(state.velocities.every((rate) => Math.abs(rate) <= FASTEST)).toBe(true);
          const again = createCpuSimulation({
            dimensions,
            ...box(8),
            periodic,
            radius: 0.5,
            exact: true,
            positions,
            velocities,
            gravity,
            ...settings,
            broadPhase: 'naive',
          });
          for (let step = 0; step < 5; step++) again.step(DT);
          expect(hashOf(again)).toBe(hashOf(simulation));
        },
      ),
    );
  });

  it('reject what they cannot do', () => {
    const options = many(4, 8, 1);
    const create = (changes: Partial<SimulationOptions>) => () =>
      createCpuSimulation({ ...options, ...changes });
    expect(create({ exact: 1 as never })).toThrow('exact is 1, but it must be true or false.');
    const message = 'left out in an exact simulation, which does not offer it yet';
    expect(create({ radius: undefined, radii: new Float32Array(4).fill(0.5) })).toThrow(message);
    expect(create({ continuous: true })).toThrow(`continuous is true, but it must be ${message}.`);
    expect(create({ boxes: true, radius: undefined, radii: new Float32Array(4).fill(0.5) })).toThrow(message);
    expect(create({ unbounded: true, min: undefined, max: undefined })).toThrow(message);
    expect(create({ crowds: true })).toThrow(message);
    expect(create({ cellSize: 2 })).toThrow(message);
    const max = new Array<number>(dimensions).fill(8).with(0, 70_000);
    expect(create({ max })).toThrow('at most 65534 above min[0]');
    // The error about an option that is not offered comes before other errors, such as a radius beside boxes.
    expect(create({ boxes: true })).toThrow(`boxes is true, but it must be ${message}.`);
    const far = 2 ** 21;
    expect(
      create({
        positions: new Float32Array(0),
        velocities: undefined,
        min: new Array<number>(dimensions).fill(far),
        max: new Array<number>(dimensions).fill(far + 8),
      }),
    ).toThrow(/^min is .*2097152.*, but it must be nearer to 0/);
    expect(create({ velocities: new Float32Array(4 * dimensions).fill(600) })).toThrow(
      'at most 512 in magnitude',
    );
    const simulation = createCpuSimulation(options);
    expect(() => simulation.step(1e-4)).toThrow(
      'dt is 0.0001, but it must be 0 or from 0.00048828125 to 1 s',
    );
    simulation.set({ gravity: new Array<number>(dimensions).fill(1e6) });
    expect(() => simulation.step(DT)).toThrow(/^gravity\[0\] is 1000000, but it must be at most/);
    const floats = createCpuSimulation({ ...options, exact: false });
    expect(() => floats.restore(simulation.checkpoint())).toThrow('left out, like in checkpoints');
    expect(() => simulation.restore(floats.checkpoint())).toThrow('given, like in checkpoints');
    expect(() => simulation.add({ positions: new Float32Array(dimensions).fill(4000) })).toThrow(
      /^positions\[0\] is 4000/,
    );
    const broken = simulation.checkpoint();
    const exact = broken.exact as ExactArrays;
    const beyond = { ...exact, positions: exact.positions.with(1, REACH) };
    expect(() => simulation.restore({ ...broken, exact: beyond })).toThrow(
      /positions\[1\] is 1073741824, but it must be from -1073741824 to 1073741823/,
    );
    exact.velocities[1] = FASTEST + 1;
    expect(() => simulation.restore(broken)).toThrow('checkpoint.exact.velocities[1]');
    expect(() => simulation.restore({ ...broken, exact: { ...exact, steps: -1 } })).toThrow(
      'checkpoint.exact.steps',
    );
  });
});

it('exact simulations name the obstacles that are out of range, before any work', async () => {
  const options = { dimensions: 2, radius: 0.5, min: [0, 0], max: [8, 8], capacity: 1, exact: true } as const;
  const obstacles = Float32Array.of(1, 2, 3, 4000);
  const message =
    'obstacles[3] (obstacle 1) is 4000, but it must be from -1024 to below 1024 in this exact simulation.';
  const inObject = message.replace('obstacles', 'obstacles.positions');
  expect(() => createCpuSimulation({ ...options, obstacles })).toThrow(message);
  expect(() => createCpuSimulation({ ...options, obstacles: { positions: obstacles } })).toThrow(inObject);
  const simulation = createCpuSimulation({ ...options, obstacleCapacity: 2 });
  expect(() => simulation.setObstacles(obstacles)).toThrow(message);
  expect(() => simulation.setObstacles({ positions: obstacles })).toThrow(inObject);
  const checkpoint = simulation.checkpoint();
  expect(() => simulation.restore({ ...checkpoint, obstacles })).toThrow(`checkpoint.${message}`);
  expect(simulation.obstacleCount).toBe(0);
  const onGpu = createSimulation(undefined as unknown as Gpu, { ...options, obstacles });
  await expect(onGpu).rejects.toThrow(message);
});
