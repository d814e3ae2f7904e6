import { describe, expect, test } from 'vitest';
import type { Emitter } from '../../../../src/methods/fluid';
import { checkEmitters, emit } from '../../../../src/methods/fluid/emitters';

const STEP = 1 / 120;

describe('emitters', () => {
  test.each([
    [2, [3, 0], { min: [0.2, 0.3], max: [0.5, 0.7] }, 3 * 0.4],
    [2, [-1, 2], { min: [0.3, 0.3], max: [0.6, 0.6] }, 0.3 * 3],
    [3, [0, 0, 2], { centre: [0.5, 0.5, 0.5], radius: 0.3 }, 2 * Math.PI * 0.3 ** 2],
  ] as const)(
    'add as many particles as flow through them, evenly (%dD, velocity %j)',
    (dimensions, velocity, region, flux) => {
      const spacing = dimensions === 2 ? 1 / 48 : 1 / 20;
      const scope = { dimensions, spacing, max: new Array<number>(dimensions).fill(1) };
      const emitter: Emitter = { ...region, velocity };
      const ways: number[] = new Array<number>(dimensions).fill(0);
      const counts: number[] = [];
      const steps = 20;
      for (let step = 0; step < steps; step++) {
        const { positions, velocities } = emit([emitter], scope, ways, STEP, () => true);
        expect(velocities).toHaveLength(positions.length);
        counts.push(positions.length / dimensions);
      }
      const expected = (flux * STEP * steps) / spacing ** dimensions;
      const total = counts.reduce((sum, count) => sum + count, 0);
      expect(Math.abs(total / expected - 1)).toBeLessThan(0.05);
      expect(Math.max(...counts)).toBeLessThan(3 * (total / steps));
      expect(ways[0]).toBeCloseTo((velocity[0] as number) * STEP * steps, 9);
    },
  );

  test('add particles only when they enter the tank, if the region reaches beyond the tank', () => {
    const scope = { dimensions: 2, spacing: 1 / 32, max: [1, 1] } as const;
    const emitter: Emitter = { min: [-0.5, 0.25], max: [0.5, 0.75], velocity: [2, 0] };
    const { positions } = emit([emitter], scope, [0, 0], 0.0625, () => true);
    // 4 columns of 16 points enter.
    expect(Math.abs(positions.length / 2 - 4 * 16)).toBeLessThanOrEqual(8);
    expect(Math.max(...positions.filter((_, index) => index % 2 === 0))).toBeLessThan(0.125 + 1 / 32);
  });

  test('are rejected if they have room for too many particles, with a message that gives the number', () => {
    const scope = { dimensions: 2, spacing: 0.5, max: [4096, 4096] } as const;
    const emitter: Emitter = { min: [0, 0], max: [300, 300], velocity: [1, 0] };
    expect(() => checkEmitters([emitter], scope)).toThrow(
      'emitters[0] has room for about 362404 particles, but at most 262144 are accepted;',
    );
  });

  test('add as many particles in one step as in several shorter ones, and keep new particles apart', () => {
    const scope = { dimensions: 2, spacing: 1 / 32, max: [1, 1] } as const;
    const emitter: Emitter = { min: [0.2, 0.2], max: [0.6, 0.8], velocity: [2, 0] };
    const [whole, parts] = [
      [0, 0],
      [0, 0],
    ];
    const once = emit([emitter], scope, whole, 0.04, () => true).positions.length;
    let often = 0;
    for (let part = 0; part < 4; part++)
      often += emit([emitter], scope, parts, 0.01, () => true).positions.length;
    expect(once).toBe(often);
    const { positions } = emit([emitter], scope, whole, 0.05, (position) => (position[1] as number) < 0.5);
    const points: [number, number][] = [];
    for (let first = 0; first < positions.length; first += 2)
      points.push([positions[first] ?? 0, positions[first + 1] ?? 0]);
    expect(points.length).toBeGreaterThan(10);
    expect(Math.max(...points.map(([, y]) => y))).toBeLessThan(0.5);
    const distances = points.flatMap((one, index) =>
      points.slice(0, index).map((other) => Math.hypot(one[0] - other[0], one[1] - other[1])),
    );
    expect(Math.min(...distances)).toBeGreaterThan(0.5 / 32);
  });
});
