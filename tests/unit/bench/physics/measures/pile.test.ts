import { expect, it } from 'vitest';
import { DT } from '../../../../../bench/physics/engine';
import { FULL_PILE } from '../../../../../bench/physics/measure';
import { pileCases } from '../../../../../bench/physics/measures/pile';
import { createCpuSimulation } from '../../../../../src/cpu';
import { createScene, sceneOptions } from '../../../../../src/scenes';
import { figuresOf, findCase, SMALL } from '../cases';

it('a pile comes to rest with little overlap', async () => {
  const figures = await figuresOf(findCase('pile', 2, '60 discs, 1000 steps', SMALL));
  expect(figures['mean overlap']).toBeGreaterThan(0);
  expect(figures['mean overlap']).toBeLessThan(0.1);
  expect(figures['deepest overlap']).toBeGreaterThan(figures['mean overlap'] as number);
  expect(figures['deepest overlap']).toBeLessThan(0.2);
  expect(figures['rms speed']).toBeLessThan(0.01);
});

it('the figures of a pile are those that the simulation itself measures', async () => {
  const scene = createScene('pile', { dimensions: 3, count: SMALL.pile });
  const simulation = createCpuSimulation(sceneOptions(scene));
  for (let step = 0; step < 1000; step++) simulation.step(DT);
  const { meanOverlap, deepestOverlap, kineticEnergy, count } = simulation.measure();
  simulation.destroy();
  const figures = await figuresOf(findCase('pile', 3, '60 spheres, 1000 steps', SMALL));
  const diameter = 2 * scene.radius;
  expect(figures['mean overlap']).toBeCloseTo((100 * meanOverlap) / diameter, 9);
  expect(figures['deepest overlap']).toBeCloseTo((100 * deepestOverlap) / diameter, 9);
  expect(figures['rms speed']).toBeCloseTo(Math.sqrt((2 * kineticEnergy) / count) / diameter, 9);
});

it('only the full pile has bars', () => {
  const barsOf = (pile: number) => pileCases(3, { ...SMALL, pile })[0]?.figures.map(({ bar }) => bar?.most);
  expect(barsOf(60)).toEqual([undefined, undefined, undefined]);
  expect(barsOf(FULL_PILE)).toEqual([0.144, 3.61, 0.0041]);
});
