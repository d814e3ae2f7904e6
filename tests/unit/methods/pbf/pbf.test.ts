import { describe, expect, test } from 'vitest';
import { ArgumentError } from '../../../../src/index';
import {
  createCpuPositionFluid,
  createPositionFluid,
  type PositionFluidOptions,
} from '../../../../src/methods/pbf';
import { expectComingAndGoing, expectSameFromCheckpoint } from '../../../helpers/inputs/flocks';
import { blockOf, columnOf, FLUID_RADIUS, obstaclesIn } from '../../../helpers/inputs/position-fluids';
import { untouchableGpu } from '../../../helpers/inputs/untouchable-gpu';
import { cornersIn } from '../../../helpers/inputs/vectors';
import { DIMENSIONS } from '../../../helpers/passes';

const FLUID: PositionFluidOptions = {
  dimensions: 2,
  min: [0, 0],
  max: [10, 10],
  radius: 1,
  positions: Float32Array.of(1, 1, 1.5, 1),
};

describe('a position-based fluid rejects', () => {
  test.each<[Record<string, unknown>, RegExp]>([
    [{ dimensions: 1 }, /^dimensions is 1, but it must be 2 or 3\.$/],
    [{ obstacles: new Array(2) }, /^obstacles\[0\]\.shape is undefined, /],
    [{ radius: 0 }, /^radius is 0, but it must be a number from 0\.000001 to 1000000\.$/],
    [{ radius: Number.NaN }, /^radius is NaN, /],
    [{ density: 0 }, /^density is 0, but it must be a number from 1 to 1000\.$/],
    [{ density: Number.NaN, radius: 2 }, /^density is NaN, but it must be a number from 0\.25 to 250\.$/],
    [{ viscosity: -1 }, /^viscosity is -1, but it must be a number from 0 to 1\.$/],
    [{ vorticity: Number.NaN }, /^vorticity is NaN, but it must be a number from 0 to 10\.$/],
    [{ softness: 0 }, /^softness is 0, but it must be a number from 0\.001 to 1000000\.$/],
    [{ tension: 2 }, /^tension is 2, /],
    [{ pressure: Number.NaN }, /^pressure is NaN, /],
    [{ iterations: 0 }, /^iterations is 0, but it must be a number from 1 to 100\.$/],
    [{ iterations: 2.5 }, /^iterations is 2\.5, but it must be a whole number from 1 to 100\.$/],
    [{ gravity: [0] }, /^gravity is \[0\], but it must be 2 finite numbers\.$/],
    [{ gravity: [0, Number.NaN] }, /^gravity\[1\] is NaN, /],
    [{ gravity: [0, 1e20] }, /^gravity\[1\] is 100000000000000000000, /],
    [{ positions: Float32Array.of(1, Number.NaN) }, /^positions\[1\] \(particle 0\) is NaN, /],
    [
      { positions: Float32Array.of(-1, 1) },
      /^positions\[0\] \(particle 0\) is -1, .* in the box, from 0 to 10\.$/,
    ],
    [{ velocities: Float32Array.of(1, 1) }, /^velocities\.length is 2, but it must be 4 /],
    [{ max: [10, Number.POSITIVE_INFINITY] }, /^world\.max\[1\] is Infinity, /],
    [
      { obstacles: [{ shape: 'cone' }] },
      /^obstacles\[0\]\.shape is "cone", but it must be 'ball' or 'box'\.$/,
    ],
    [{ obstacles: [{ shape: 'ball', position: [1, 1], radius: 0 }] }, /^obstacles\[0\]\.radius is 0, /],
    [
      { obstacles: [{ shape: 'box', position: [1, 1], halfExtents: [1, Number.NaN] }] },
      /^obstacles\[0\]\.halfExtents\[1\] is NaN, /,
    ],
    [
      { obstacles: [{ shape: 'ball', position: [1, 1], radius: 1, halfExtents: [1, 1] }] },
      /^obstacles\[0\]\.halfExtents is \[1, 1\], /,
    ],
    [{ obstacles: new Array(1025).fill(0) }, /^obstacles is .* at most 1024 balls and boxes\.$/],
    [{ capacity: 1 }, /^positions is 2 particles, but it must be at most 1 particle \(the capacity\)\.$/],
    [{ wraps: true }, /^options\.wraps is true, /],
  ])('%o', async (changes, message) => {
    const attempt = createPositionFluid(untouchableGpu(), { ...FLUID, ...changes } as PositionFluidOptions);
    const error = await attempt.then(
      () => undefined,
      (caught: unknown) => caught,
    );
    expect(error).toBeInstanceOf(ArgumentError);
    expect((error as Error).message).toMatch(message);
  });
});

describe.each(DIMENSIONS)('a fluid on the CPU in %dD', (dimensions) => {
  test('corrects more excess density with every iteration, and keeps momentum if it touches no wall', () => {
    const options = blockOf(dimensions, { squeeze: 0.85, iterations: 4, gravity: 0 });
    const fluids = [1, 2, 3, 4].map((iterations) => createCpuPositionFluid({ ...options, iterations }));
    const excesses = fluids.map((fluid) => {
      fluid.step(1 / 100);
      const { densities } = fluid.buffers;
      return densities.reduce((sum, density) => sum + Math.max(0, density - 1), 0) / fluid.count;
    });
    for (let round = 1; round < excesses.length; round++) {
      expect(excesses[round]).toBeLessThan(excesses[round - 1] as number);
    }
    expect(excesses.at(-1)).toBeLessThan(0.7 * (excesses[0] as number));
    const velocities = fluids.at(-1)?.read().velocities as Float32Array;
    for (let axis = 0; axis < dimensions; axis++) {
      let [before, after] = [0, 0];
      for (let index = axis; index < velocities.length; index += dimensions) {
        before += options.velocities[index] as number;
        after += velocities[index] as number;
      }
      // Positions are rounded five times, by up to 2^-23, and their change is divided by 1/100 s. So a velocity is off
      // by up to 6e-5, and in the sum most of these errors cancel.
      expect(Math.abs(after - before)).toBeLessThan(1e-5 * velocities.length);
    }
  });

  test('in a periodic box, adds and removes particles and continues from a checkpoint', async () => {
    const block = blockOf(dimensions, { squeeze: 1, iterations: 2, gravity: 1 });
    const capacity = block.positions.length / dimensions + 3;
    const options = { ...block, periodic: true, capacity, obstacles: obstaclesIn(dimensions) };
    const [fluid, other] = [createCpuPositionFluid(options), createCpuPositionFluid(options)];
    await expectComingAndGoing(fluid);
    other.setObstacles([]);
    await expectSameFromCheckpoint(fluid, other);
    expect(() => fluid.step(16)).toThrow(
      'dt is 16, but it must be at most 1 s (milliseconds? then pass 0.016).',
    );
    expect(() => other.restore({ ...fluid.checkpoint(), density: 1 })).toThrow(/^checkpoint\.density is 1, /);
  });

  test('moves as if removed particles had never existed, also after a checkpoint with gaps in its ids', () => {
    const block = blockOf(dimensions, { squeeze: 0.85, iterations: 2, gravity: 1 });
    const count = block.positions.length / dimensions;
    const removed = Array.from({ length: count }, (_, id) => id).filter((id) => id % 3 === 1 || id === 0);
    const stepped = createCpuPositionFluid(block);
    stepped.step(1 / 100);
    stepped.remove(removed);
    // The order of pairs depends on the order of the ids, which stays the same.
    const { positions, velocities } = stepped.read();
    const apart = createCpuPositionFluid({ ...block, positions, velocities });
    const restored = createCpuPositionFluid({
      ...block,
      positions: new Float32Array(0),
      velocities: new Float32Array(0),
      capacity: count,
    });
    restored.restore(structuredClone(stepped.checkpoint()));
    for (const one of [stepped, restored, apart]) for (let step = 0; step < 3; step++) one.step(1 / 100);
    expect(stepped.read().positions).toEqual(apart.read().positions);
    expect(restored.read()).toEqual(stepped.read());
    for (const id of removed) expect(stepped.buffers.positions[dimensions * id]).toBeNaN();
    // A new particle with the id of a removed one has no density yet.
    expect([...stepped.add({ positions: block.positions.slice(0, dimensions) })]).toEqual([0]);
    expect(stepped.buffers.densities[0]).toBe(0);
  });

  test('leaves a particle at rest after the only other particle in its reach is removed', () => {
    const corner = cornersIn(dimensions);
    const fluid = createCpuPositionFluid({
      dimensions,
      min: corner(0),
      max: corner(20),
      radius: 1,
      gravity: corner(0),
      positions: Float32Array.from([...corner(5), ...corner(5).with(0, 5.6), ...corner(15)]),
    });
    fluid.step(1 / 60);
    fluid.remove([1]);
    const { velocities } = fluid.buffers;
    velocities.fill(0);
    fluid.step(1 / 60);
    expect([...fluid.read().velocities]).toEqual(new Array(2 * dimensions).fill(0));
  });

  test('falls through a periodic box at the speed that gravity gives', () => {
    const block = blockOf(dimensions, { squeeze: 1.1, iterations: 1, gravity: 8 });
    const velocities = block.velocities.map((_, index) => (index % dimensions === 1 ? -30 : 0));
    const fluid = createCpuPositionFluid({ ...block, velocities, periodic: true });
    for (let step = 0; step < 16; step++) fluid.step(1 / 64);
    const after = fluid.read();
    const falling = after.velocities.filter((__, index) => index % dimensions === 1);
    const mean = falling.reduce((sum, value) => sum + value, 0) / falling.length;
    expect(mean).toBeCloseTo(-30 - 8 / 4, 3);
    const edge = block.max[1] as number;
    expect(after.positions.every((value) => value >= 0 && value <= edge)).toBe(true);
  });

  test('stays out of balls and boxes, and has the same density at a box as at a wall', () => {
    const column = columnOf(dimensions);
    const far = column.max[0] as number;
    const all = (value: number) => new Array<number>(dimensions).fill(value);
    // The column stands on a box instead of the floor.
    const halfExtents = all(far).with(1, 0.5);
    const middle = all(far / 2).with(1, 0.5);
    const fluid = createCpuPositionFluid({
      ...column,
      max: column.max.map((value, axis) => (axis === 1 ? value + 1 : value)),
      positions: column.positions.map((value, index) => (index % dimensions === 1 ? value + 1 : value)),
      viscosity: 0.05,
      obstacles: [{ shape: 'box', position: all(far / 2).with(1, 0.5), halfExtents }],
    });
    const onFloor = createCpuPositionFluid({ ...column, viscosity: 0.05 });
    for (const one of [fluid, onFloor]) for (let step = 0; step < 8; step++) one.step(1 / 128);
    const [above, there] = [fluid.measure(), onFloor.measure()];
    expect(Math.abs(above.meanDensity - there.meanDensity)).toBeLessThan(0.003);
    const radius = 1.2 * FLUID_RADIUS;
    const position = middle.with(1, 1.5);
    fluid.setObstacles([{ shape: 'ball', position, radius }]);
    // The ball must push particles out at once; one round of corrections alone would not suffice.
    fluid.set({ iterations: 1 });
    fluid.step(1 / 128);
    const { positions } = fluid.read();
    const ways = Array.from({ length: fluid.count }, (_, id) =>
      Math.hypot(...position.map((value, axis) => (positions[dimensions * id + axis] as number) - value)),
    );
    expect(Math.min(...ways)).toBeGreaterThan(radius - 1e-6);
    expect(ways.filter((way) => way < 1.5 * radius).length).toBeGreaterThan(3);
  });
});
