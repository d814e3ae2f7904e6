import { describe, expect, it } from 'vitest';
import { bedScene } from '../../../../../bench/physics/measures/bed';
import { figuresOf, findCase, scriptedEngine } from '../cases';

const NAMES = {
  2: 'radius 5 on a bed of 60 of radius 1',
  3: 'radius 5 on a bed of 363 of radius 1',
} as const;

describe.each([2, 3] as const)('a heavy ball on a bed in %dD', (dimensions) => {
  it('presses light balls into each other by less than a hundredth of a diameter', async () => {
    const figures = await figuresOf(findCase('ratio', dimensions, NAMES[dimensions]));
    expect(figures['deepest overlap after 10 s']).toBeLessThan(0.01);
    expect(figures['gap after 10 s']).toBeGreaterThan(0.8);
  });

  it('is measured by its gap, the deepest overlap and the speed of all bodies', async () => {
    const { bodies } = bedScene(dimensions, 5);
    const positions = Float32Array.from(bodies.flatMap(({ position }) => position));
    const velocities = new Float32Array(positions.length).fill(0);
    velocities[0] = 3;
    // The heavy ball sinks by 1.2 from 0.2 above the bed.
    const along = positions.length - dimensions + 1;
    positions[along] = (positions[along] as number) - 1.2;
    const engine = scriptedEngine(() => ({ positions, velocities }));
    const figures = await figuresOf(findCase('ratio', dimensions, NAMES[dimensions]), engine);
    expect(figures['gap after 10 s']).toBeCloseTo(5 / 6, 5);
    expect(figures['rms speed after 10 s']).toBeCloseTo(3 / Math.sqrt(bodies.length), 5);
    expect(figures['deepest overlap after 10 s']).toBeGreaterThan(0.3);
    expect(figures['deepest overlap after 10 s']).toBeLessThan(0.51);
  });
});
