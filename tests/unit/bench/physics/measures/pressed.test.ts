import { describe, expect, it } from 'vitest';
import { columnScene, floorScene, rowScene } from '../../../../../bench/physics/measures/pressed';
import { measureOverlaps } from '../../../../../bench/physics/overlaps';
import { figuresOf, findCase } from '../cases';

describe.each([2, 3] as const)('bodies that overlap on a floor in %dD', (dimensions) => {
  it.each([10, 20, 40])('come to rest in a row longer than the floor, in a world %d high', async (height) => {
    const scene = `11 in a row 10 wide, world ${height} high`;
    const figures = await figuresOf(findCase('overlap', dimensions, scene));
    expect(figures['rms speed after 10 s']).toBeLessThan(1e-3);
  });

  it('come apart and come to rest if they have room', async () => {
    const room = new Array(dimensions).fill(6).join(' × ');
    const scene = `200 in ${room} on a floor, 4 starts`;
    const figures = await figuresOf(findCase('overlap', dimensions, scene));
    expect(figures['rms speed after 30 s']).toBeLessThan(0.01);
    expect(figures['deepest overlap after 30 s']).toBeLessThan(0.02);
  });

  it('leave a row until its overlaps are below 3/16 of a diameter, and rest there', async () => {
    const room = new Array(dimensions).fill(3).join(' × ');
    const figures = await figuresOf(findCase('overlap', dimensions, `200 in ${room} on a floor, 4 starts`));
    expect(figures['deepest overlap after 30 s']).toBeLessThan(3 / 16);
    // Without `taken` (core/contact/law.ts), some discs at rest keep velocities of up to 0.2 diameters/s.
    expect(figures['rms speed after 30 s']).toBeLessThan(1e-3);
  });

  it('rise by less than 0.6 diameters in a column', async () => {
    const figures = await figuresOf(findCase('overlap', dimensions, '5 on each other that overlap by 0.05'));
    expect(figures['greatest rise of the uppermost']).toBeLessThan(0.6);
  });

  it('overlap at the start', () => {
    for (const [scene, deepest] of [
      [rowScene(dimensions, 20), 0.3],
      [columnScene(dimensions), 0.05],
    ] as const) {
      const positions = Float32Array.from(scene.bodies.flatMap(({ position }) => position));
      expect(measureOverlaps(dimensions, positions, 1).deepest).toBeCloseTo(deepest, 5);
    }
    const positions = floorScene(dimensions, 6, 1).bodies.flatMap(({ position }) => position);
    expect(measureOverlaps(dimensions, Float32Array.from(positions), 1).pairs).toBeGreaterThan(100);
  });
});
