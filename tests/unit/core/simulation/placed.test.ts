import { describe, expect, it } from 'vitest';
import { planPlaced } from '../../../../src/core/simulation/placed';

describe('planPlaced', () => {
  const options = {
    dimensions: 2,
    diameter: 1,
    min: [0, 0],
    max: [8, 8],
    positions: Float32Array.of(1, 2, 3, 4),
  } as const;

  it('accepts particles without velocities', () => {
    expect(planPlaced(options)).toMatchObject({ capacity: 2, count: 2 });
  });

  it('rejects velocities that are not finite, too great or too few', () => {
    const plan = (...velocities: number[]) =>
      planPlaced({ ...options, velocities: Float32Array.from(velocities) });
    expect(plan(0, -1, 2, 2 ** 47).count).toBe(2);
    const [nan, great] = [Number.NaN, 2 ** 48];
    expect(() => plan(0, 0, 0, nan)).toThrow(/^velocities\[3\] \(particle 1\) is NaN, .* below 2\^48 /);
    expect(() => plan(0, great, 0, 0)).toThrow(/^velocities\[1\] \(particle 0\) is 281474976710656, /);
    expect(() => plan(0, 0)).toThrow(/^velocities\.length is 2, but it must be 4 /);
  });
});
