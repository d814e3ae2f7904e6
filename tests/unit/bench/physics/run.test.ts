import { expect, it } from 'vitest';
import type { PhysicsEngine } from '../../../../bench/physics/engine';
import type { Case } from '../../../../bench/physics/measure';
import { isGood, type Row, runCase } from '../../../../bench/physics/run';

const engine = (name: string, dimensions: readonly (2 | 3)[] = [2, 3]): PhysicsEngine => ({
  name,
  about: '',
  dimensions,
  open: () => expect.fail('This case opens nothing.'),
});

const CASE: Case = {
  group: 'slope',
  dimensions: 3,
  scene: 'a hill',
  figures: [
    { name: 'speed', unit: 'units/s', bar: { most: 1 } },
    { name: 'height', unit: 'units' },
  ],
  async run({ name }) {
    if (name === 'broken') throw new Error('The roof fell in.');
    return [name === 'fast' ? 2 : 0.5, Number.NaN];
  },
};

it('runCase returns a row per figure, without engines that cannot run the scene', async () => {
  const { rows, failures } = await runCase(CASE, [engine('slow'), engine('flat', [2]), engine('fast')]);
  expect(failures).toEqual([]);
  const scene = { group: 'slope', dimensions: 3, scene: 'a hill' };
  expect(rows).toEqual([
    { ...scene, figure: 'speed', unit: 'units/s', bar: { most: 1 }, values: { slow: 0.5, fast: 2 } },
    { ...scene, figure: 'height', unit: 'units', values: { slow: null, fast: null } },
  ]);
  expect(JSON.parse(JSON.stringify(rows))).toEqual(rows);
  const [speed, height] = rows as [Row, Row];
  expect(['slow', 'fast', 'flat'].map((name) => isGood(speed, name))).toEqual([true, false, undefined]);
  expect(isGood(height, 'slow')).toBeUndefined();
  expect(isGood({ ...height, bar: { least: 1 } }, 'slow')).toBe(false);
});

it('runCase reports an engine that fails, and keeps the figures of the others', async () => {
  const { rows, failures } = await runCase(CASE, [engine('broken'), engine('slow')]);
  expect(failures).toEqual(['broken failed in a hill, 3D: The roof fell in.']);
  expect(rows.map(({ values }) => values)).toEqual([{ slow: 0.5 }, { slow: null }]);
});
