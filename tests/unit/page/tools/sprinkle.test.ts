import { describe, expect, it } from 'vitest';
import { NO_OBSTACLES, readObstacles } from '../../../../src/core/obstacles/obstacles';
import { planSimulation } from '../../../../src/core/simulation/plan';
import type { SimulationOptions } from '../../../../src/core/simulation/simulation';
import { createCpuSimulation } from '../../../../src/cpu';
import { changeObstacles, onFloor, sprinkle, wall } from '../../../../src/page/tools/sprinkle';
import type { Ray } from '../../../../src/page/view/camera';
import { Random } from '../../../../src/scenes';
import { DIMENSIONS } from '../../../helpers/passes';

function at(...numbers: number[]): Float32Array {
  return Float32Array.from(numbers);
}

describe.each(DIMENSIONS)('new particles in %dD', (dimensions) => {
  const corner = (value: number) => new Array<number>(dimensions).fill(value);
  const kinds: Record<string, Partial<SimulationOptions>> = {
    equal: { radius: 0.5 },
    mixed: { radiusRange: { smallest: 0.25, largest: 1 } },
    boxes: { radiusRange: { smallest: 0.25, largest: 1 }, boxes: true },
  };
  it.each(Object.keys(kinds))('overlap no particle and no obstacle, and lie in the box (%s)', (kind) => {
    const options = { dimensions, min: corner(0), max: corner(16), capacity: 400, ...kinds[kind] };
    const plan = planSimulation({ ...options, obstacleCapacity: 1 } as SimulationOptions);
    const given = plan.radiusRange
      ? { positions: Float32Array.from(corner(2)), radii: at(1) }
      : Float32Array.from(corner(2));
    const simulation = createCpuSimulation({ ...options, obstacles: given } as SimulationOptions);
    const rules = { dimensions, radiusRange: plan.radiusRange, boxes: plan.boxes };
    const fixed = readObstacles('obstacles', given, 1, rules);
    const random = new Random(3);
    let added = 0;
    for (let round = 0; round < 40; round++) {
      const particles = simulation.read();
      const most = Math.min(7, 400 - simulation.count);
      const made = sprinkle(simulation, particles, fixed, { position: corner(2), reach: 4, most }, random);
      if (!made) continue;
      expect(made.positions.length / dimensions).toBeLessThanOrEqual(most);
      added += simulation.add(made).length;
    }
    expect(added).toBeGreaterThan(12);
    expect(simulation.count).toBe(added);
    expect(simulation.measure()).toMatchObject({ contacts: 0, obstacleContacts: 0, outside: 0 });
    const reach = Math.max(...simulation.read().positions);
    expect(reach).toBeGreaterThan(4);
    expect(reach).toBeLessThanOrEqual(6);
    const nowhere = { position: corner(-9), reach: 1, most: 5 };
    expect(sprinkle(simulation, simulation.read(), fixed, nowhere, random)).toBeUndefined();
    const none = { position: corner(9), reach: 1, most: 0 };
    expect(sprinkle(simulation, simulation.read(), fixed, none, random)).toBeUndefined();
  });
});

describe.each(DIMENSIONS)('new particles in a periodic world in %dD', (dimensions) => {
  const corner = (value: number) => new Array<number>(dimensions).fill(value);
  const kinds: Record<string, Partial<SimulationOptions>> = {
    equal: { radius: 0.5 },
    mixed: { radiusRange: { smallest: 0.25, largest: 0.5 } },
    boxes: { radiusRange: { smallest: 0.25, largest: 0.5 }, boxes: true },
  };
  it.each(Object.keys(kinds))('cross an end, and overlap nothing on the other side (%s)', (kind) => {
    const options = {
      ...{ dimensions, min: corner(-4), max: corner(4), periodic: true, capacity: 400 },
      ...kinds[kind],
    };
    const simulation = createCpuSimulation(options as SimulationOptions);
    const random = new Random(3);
    // At the low end along x, half of the tried positions are across that end.
    const position = corner(0).with(0, -4);
    for (let round = 0; round < 60; round++) {
      const most = 400 - simulation.count;
      const made = sprinkle(
        simulation,
        simulation.read(),
        NO_OBSTACLES,
        { position, reach: 2, most },
        random,
      );
      if (made) simulation.add(made);
    }
    const along = Array.from(simulation.read().positions).filter((_, index) => index % dimensions === 0);
    const isAcross = (x: number) => x > 2;
    expect(along.filter(isAcross).length).toBeGreaterThan(3);
    expect(along.filter((x) => !isAcross(x)).length).toBeGreaterThan(3);
    expect(along.every((x) => x >= -4 && x < 4 && (x < -2 || x > 2))).toBe(true);
    expect(simulation.measure()).toMatchObject({ contacts: 0, outside: 0, nonFinite: 0 });
    const outside = { position: position.with(0, -5), reach: 2, most: 5 };
    expect(sprinkle(simulation, simulation.read(), NO_OBSTACLES, outside, random)).toBeUndefined();
  });
});

describe('walls', () => {
  const plane = planSimulation({ dimensions: 2, radius: 0.5, min: [0, 0], max: [16, 16], capacity: 0 });
  const space = planSimulation({
    dimensions: 3,
    radius: 0.5,
    min: [0, 1, 0],
    max: [16, 17, 16],
    capacity: 0,
  });

  it('are rows of balls in 2D, a radius apart, and are not built twice', () => {
    const { balls, end } = wall(plane, NO_OBSTACLES, [2, 3], [5, 3], 9);
    expect(end).toEqual([5, 3]);
    expect(balls).toEqual([2, 2.5, 3, 3.5, 4, 4.5, 5].map((x) => [x, 3]));
    const fixed = { positions: Float32Array.from(balls.flat()) };
    expect(wall(plane, fixed, [2, 3], [5, 3], 9).balls).toEqual([]);
    expect(wall(plane, fixed, [5, 3], [6, 3], 9).balls).toEqual([
      [5.5, 3],
      [6, 3],
    ]);
    expect(wall(plane, NO_OBSTACLES, [15.5, 3], [20, 3], 9).balls).toEqual([
      [15.5, 3],
      [16, 3],
    ]);
  });

  it('end when there is no more room, and can be continued from there', () => {
    const first = wall(plane, NO_OBSTACLES, [2, 3], [5, 3], 9, 3);
    expect(first.balls).toEqual([2, 2.5, 3].map((x) => [x, 3]));
    expect(first.end).toEqual([3, 3]);
    const fixed = { positions: Float32Array.from(first.balls.flat()) };
    const { balls, end } = wall(plane, fixed, first.end, [5, 3], 9);
    expect(balls).toEqual([3.5, 4, 4.5, 5].map((x) => [x, 3]));
    expect(end).toEqual([5, 3]);
  });

  it('are built quickly at any length and height', () => {
    const wide = planSimulation({
      dimensions: 3,
      radius: 0.5,
      min: [0, 0, 0],
      max: [400, 12, 400],
      capacity: 0,
    });
    const { balls } = wall(wide, NO_OBSTACLES, [-200, 0, 200], [600, 0, 200], 1e9);
    // 801 pillars, as high as the box.
    expect(balls.length).toBe(801 * 24);
  });

  it('are pillars on the floor in 3D', () => {
    const ray: Ray = { origin: [3, 5, 3], direction: [0, -1, 0], depth: 1 };
    expect(onFloor(ray, 1)).toEqual([3, 1, 3]);
    expect(onFloor({ ...ray, direction: [0, 1, 0] }, 1)).toBeUndefined();
    expect(onFloor({ ...ray, direction: [1, 0, 0] }, 1)).toBeUndefined();
    const foot = [3, 1, 3];
    expect(wall(space, NO_OBSTACLES, foot, foot, 1.5).balls).toEqual([
      [3, 1.5, 3],
      [3, 2, 3],
      [3, 2.5, 3],
    ]);
  });

  it('are added to the present obstacles, and removed from them', () => {
    const fixed = { positions: at(1, 1, 2, 2, 3, 3) };
    expect(changeObstacles(plane, fixed, { without: [1], balls: [[4, 4]] })).toEqual(at(1, 1, 3, 3, 4, 4));
    const mixed = { ...plane, radiusRange: { smallest: 0.25, largest: 0.5 }, boxes: true };
    const given = { positions: at(1, 1, 2, 2), radii: at(0, 2), halfExtents: at(1, 3, 0, 0) };
    const bodies = readObstacles('obstacles', given, 2, mixed);
    expect(changeObstacles(mixed, bodies, { balls: [[4, 4]] })).toEqual({
      positions: at(1, 1, 2, 2, 4, 4),
      radii: at(0, 2, 0.5),
      halfExtents: at(1, 3, 0, 0, 0, 0),
    });
    const { halfExtents: _none, ...balls } = given;
    const round = { ...mixed, boxes: false };
    const two = readObstacles('obstacles', { ...balls, radii: at(1, 2) }, 2, round);
    expect(changeObstacles(round, two, { without: [0] })).toEqual({ positions: at(2, 2), radii: at(2) });
  });
});
