import { describe, expect, it } from 'vitest';
import { CELLSTORM_EXACT } from '../../../../../bench/physics/engines/cellstorm';
import { cornerCases } from '../../../../../bench/physics/measures/corner';
import { figuresOf, findCase } from '../cases';

describe.each(['two walls', 'two obstacles', 'a wall and an obstacle'])('a body between %s', (sides) => {
  it.each(['ball', 'box'])('stands still at angles up to 30° if it is a %s', async (shape) => {
    for (const degrees of [5, 20, 30]) {
      const { speed } = await figuresOf(findCase('slope', 3, `${degrees}°, ${shape} between ${sides}`));
      expect(speed, `${degrees}°`).toBeLessThanOrEqual(1e-4);
    }
  });

  it.each(['ball', 'box'])('slides at 45° with the acceleration of Coulomb if it is a %s', async (shape) => {
    const figures = await figuresOf(findCase('slope', 3, `45°, ${shape} between ${sides}`));
    expect(Math.abs(figures['acceleration above Coulomb'] as number)).toBeLessThan(0.1);
  });
});

it('an exact ball between two walls stands at 30°, and slides at 45° with the acceleration of Coulomb', async () => {
  const { speed } = await figuresOf(findCase('slope', 3, '30°, ball between two walls'), CELLSTORM_EXACT);
  expect(speed).toBe(0);
  const slide = await figuresOf(findCase('slope', 3, '45°, ball between two walls'), CELLSTORM_EXACT);
  expect(Math.abs(slide['acceleration above Coulomb'] as number)).toBeLessThan(0.1);
});

it('there are no corners in 2D, because both sides would hold the body', () => {
  expect(cornerCases(2)).toEqual([]);
});
