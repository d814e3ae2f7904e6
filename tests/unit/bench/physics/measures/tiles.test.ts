import { describe, expect, it } from 'vitest';
import { tilesScene } from '../../../../../bench/physics/measures/tiles';
import { vector } from '../../../../../bench/physics/scene';
import { figuresOf, findCase } from '../cases';

describe.each([2, 3] as const)('on flush tiles in %dD', (dimensions) => {
  it.each([
    'ball at 7 units/s slides over tiles 1 wide',
    'ball at 20 units/s slides over tiles 0.37 wide',
    'box at 7 units/s slides over tiles 1 wide',
    'box at 20 units/s slides over tiles 0.37 wide',
  ])('a %s and keeps its speed, although it bounces', async (scene) => {
    const figures = await figuresOf(findCase('bounce', dimensions, scene));
    expect(Math.abs((figures['speed after 3 s'] as number) - 1)).toBeLessThan(1e-3);
  });

  it('a ball that falls near a seam gets at most a tenth of its speed sideways', async () => {
    // The ball lands at 8.3 units/s.
    for (const [restitution, most] of [
      [0, 0.83],
      [0.5, 0.1],
    ] as const) {
      const scene = `ball falls by 3.5 onto tiles, restitution ${restitution}`;
      const figures = await figuresOf(findCase('bounce', dimensions, scene));
      expect(figures['greatest sideways speed']).toBeLessThanOrEqual(most);
    }
  });

  it('the tiles touch and have one height', () => {
    const body = { position: vector(dimensions, 8, 4, 8), size: 0.5 };
    const { obstacles, bodies } = tilesScene(dimensions, 0.5, 0, body);
    expect(bodies).toEqual([body]);
    expect(obstacles).toHaveLength(144);
    for (const [index, { position, size }] of obstacles.entries()) {
      const [halfWidth = 0, halfHeight = 0] = size as number[];
      expect((position[0] as number) - halfWidth).toBe(0.5 * index);
      expect((position[1] as number) + halfHeight).toBe(2);
    }
  });
});
