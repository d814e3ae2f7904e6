/** A small pile settles with little overlap; the bars hold only for the full pile. */
import { expect, it } from 'vitest';
import { FULL_PILE } from '../../../../../bench/physics/measure';
import { pileCases } from '../../../../../bench/physics/measures/pile';
import { figuresOf, findCase, SMALL } from '../cases';

it('a pile comes to rest with little overlap', async () => {
  const figures = await figuresOf(findCase('pile', 2, '60 discs, 1000 steps', SMALL));
  expect(figures['mean overlap']).toBeGreaterThan(0);
  expect(figures['mean overlap']).toBeLessThan(1);
  expect(figures['deepest overlap']).toBeGreaterThan(figures['mean overlap'] as number);
  expect(figures['deepest overlap']).toBeLessThan(5);
  expect(figures['rms speed']).toBeLessThan(0.1);
});

it('only the full pile has bars', () => {
  const barsOf = (pile: number) => pileCases(3, { ...SMALL, pile })[0]?.figures.map(({ bar }) => bar?.most);
  expect(barsOf(60)).toEqual([undefined, undefined, undefined]);
  expect(barsOf(FULL_PILE)).toEqual([0.15, 3.66, undefined]);
});
