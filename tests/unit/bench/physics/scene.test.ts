import { expect, it } from 'vitest';
import { fromScene, tiltedGravity, vector } from '../../../../bench/physics/scene';
import { createScene } from '../../../../src/scenes';

it('tilted gravity points down the slope and has the same strength', () => {
  const [along = 0, down = 0, across = 1] = tiltedGravity(3, 30);
  expect(along).toBeCloseTo(9.81 / 2, 6);
  expect(Math.hypot(along, down)).toBeCloseTo(9.81, 6);
  expect([down < 0, across]).toEqual([true, 0]);
  expect(vector(2, 1, 2, 3)).toEqual([1, 2]);
});

it('a scene of equal balls keeps its bodies and settings', () => {
  const gas = createScene('gas', { dimensions: 3, count: 20 });
  const scene = fromScene(gas);
  expect(scene).toMatchObject({ dimensions: 3, max: gas.max, restitution: 1, friction: 0, obstacles: [] });
  expect(scene.bodies).toHaveLength(20);
  expect(scene.bodies[7]).toEqual({
    position: [...gas.positions.subarray(21, 24)],
    velocity: [...gas.velocities.subarray(21, 24)],
    size: 0.5,
  });
  expect(fromScene(gas)).toEqual(scene);
});
