import { describe, expect, it } from 'vitest';
import { binScene, sizesColumnScene } from '../../../../../bench/physics/measures/sizes';
import { figuresOf, findCase, scriptedEngine } from '../cases';

describe.each([2, 3] as const)('bodies of different sizes in %dD', (dimensions) => {
  const [box, ball] = dimensions === 2 ? ['rectangles', 'discs'] : ['boxes', 'balls'];

  it.each([
    `100 ${box} of different sizes fall into a bin`,
    `20 ${ball} of different sizes fall in a column`,
  ])('get no faster than a fall, gain no energy and come to rest: %s', async (name) => {
    const figures = await figuresOf(findCase('impact', dimensions, `${name}, 3 starts`));
    expect(figures['greatest energy in 10 s']).toBeLessThanOrEqual(1 + 1e-5);
    expect(figures['greatest speed in 10 s']).toBeLessThanOrEqual(1);
    expect(figures['rms speed after 10 s']).toBeLessThan(0.1);
  });
});

it('the bodies differ and do not overlap at the start', () => {
  const column = sizesColumnScene(2, 1).bodies;
  expect(new Set(column.map(({ size }) => size)).size).toBeGreaterThan(15);
  for (const [index, { position, size }] of column.entries()) {
    const [low, high] = [column[index - 1], position[1] as number];
    if (low)
      expect(high - (low.position[1] as number)).toBeCloseTo(
        (size as number) + (low.size as number) + 0.3,
        9,
      );
  }
  const bin = binScene(3, 1).bodies;
  for (const [index, one] of bin.entries()) {
    for (const other of bin.slice(0, index)) {
      const distances = one.position.map((along, axis) => Math.abs(along - (other.position[axis] as number)));
      expect(Math.max(...distances)).toBeGreaterThan(1);
    }
  }
  for (const { position, size } of bin) {
    (size as number[]).forEach((half, axis) => {
      expect(half).toBeLessThanOrEqual(0.5);
      expect((position[axis] as number) - half).toBeGreaterThanOrEqual(0);
    });
  }
});

it('the figures weigh bodies by volume, and the energy includes the potential energy', async () => {
  const { bodies } = sizesColumnScene(2, 1);
  const top = Math.max(...bodies.map(({ position }) => position[1] as number));
  const positions = Float32Array.from(bodies.flatMap(({ position }) => position));
  const speed = Math.sqrt(2 * 9.81 * top);
  const velocities = Float32Array.from(bodies.flatMap(() => [0, speed / 2]));
  const still = new Float32Array(positions.length);
  const engine = scriptedEngine((steps) => ({ positions, velocities: steps === 600 ? velocities : still }));
  const figures = await figuresOf(
    findCase('impact', 2, '20 discs of different sizes fall in a column, 3 starts'),
    engine,
  );
  expect(figures['greatest speed in 10 s']).toBeCloseTo(0.5, 1);
  expect(figures['rms speed after 10 s']).toBeCloseTo(speed / 2, 4);
  expect(figures['greatest energy in 10 s']).toBeGreaterThan(1.2);
});
