import { describe, expect, it } from 'vitest';
import { DEFAULT_SIZES, GROUP_NAMES } from '../../../../bench/physics/measure';
import { readOptions } from '../../../../bench/physics/options';
import { CellstormError } from '../../../../src/core/base/errors';

it('without flags all engines and groups run, in 2D and 3D', () => {
  expect(readOptions([])).toEqual({
    engines: undefined,
    groups: GROUP_NAMES,
    dimensions: [2, 3],
    sizes: DEFAULT_SIZES,
    json: undefined,
  });
});

it('flags choose engines, groups, dimensions, sizes and the file for JSON', () => {
  const args = ['--engines', 'rapier,cpu', '--only', 'pile', '--dimensions', '3', '--minutes', '5', '--full'];
  expect(readOptions([...args, '--json', 'physics.json'])).toEqual({
    engines: ['cpu', 'rapier'],
    groups: ['pile'],
    dimensions: [3],
    sizes: { ...DEFAULT_SIZES, standing: 300, pile: 10_000 },
    json: 'physics.json',
  });
});

it('minutes become whole seconds', () => {
  expect(readOptions(['--minutes', '0.06']).sizes.standing).toBe(4);
});

describe('rejects', () => {
  it.each([
    [['--engine', 'cpu'], /Unknown option '--engine'.* The flags are --engines, --only/],
    [['here'], /Unexpected argument 'here'/],
    [['--only'], /'--only <value>' argument missing/],
    [
      ['--engines', 'cpu,unity'],
      /^--engines names "unity", but it may list only cpu, gpu, box2d3, rapier, exact\.$/,
    ],
    [['--engines', ''], /^--engines names ""/],
    [['--only', 'slopes'], /^--only names "slopes", but it may list only slope, standing/],
    [['--dimensions', '4'], /^--dimensions names "4", but it may list only 2, 3\.$/],
    [['--minutes', 'five'], /^--minutes is five, but it must be a number from 0\.05 to 60\.$/],
    [['--minutes', '0'], /^--minutes is 0,/],
    [['--minutes', '61'], /^--minutes is 61,/],
    [['--json='], /^--json is empty/],
  ])('%j', (args, message) => {
    expect(() => readOptions(args)).toThrow(CellstormError);
    expect(() => readOptions(args)).toThrow(message);
  });
});
