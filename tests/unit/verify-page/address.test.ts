import { describe, expect, it } from 'vitest';
import { addressOf, readAddress } from '../../../src/verify-page/address';

const NONE = { scene: '', dimensions: '', count: '', steps: '', seed: '' };

describe('the address of verify.html', () => {
  it('has a default for every option', () => {
    expect(readAddress('')).toEqual({ options: { counts: [257] }, reports: false });
  });

  it('carries all options', () => {
    const { options, reports } = readAddress(
      '?scene=pile,gas&dimensions=3&count=0,1e3&steps=5&seed=2&report&appearance=dark',
    );
    expect(options).toEqual({
      scenes: ['pile', 'gas'],
      dimensions: [3],
      counts: [0, 1000],
      steps: 5,
      seed: 2,
    });
    expect(reports).toBe(true);
  });

  it('with exact, selects only the comparison with recorded hashes', () => {
    expect(readAddress('?exact&dimensions=3').options).toEqual({
      exact: true,
      dimensions: [3],
      counts: [257],
    });
    expect(addressOf(NONE, '?exact')).toBe('?');
  });

  it.each([
    ['?exact&count=5', /^The address has exact and count; leave one out\.$/],
    [
      '?speed=1',
      /^The address has the parameter speed, but this page accepts scene, .*, exact, report, appearance\.$/,
    ],
    ['?dimensions=1', /^dimensions is 1, but it must be 2, 3 or 2,3\.$/],
    ['?count=257,', /^count is , but it must be a whole number\.$/],
    ['?steps=1.5', /^steps is 1\.5, but it must be a whole number\.$/],
  ])('rejects %s', (search, message) => {
    expect(() => readAddress(search)).toThrow(message);
  });

  it('is made of the given values, and keeps parameters that are not options', () => {
    const values = { ...NONE, scene: 'pile,gas', count: '4' };
    expect(addressOf(values, '?scene=mixed&seed=3&appearance=dark')).toBe(
      '?appearance=dark&scene=pile,gas&count=4',
    );
    expect(readAddress(addressOf(NONE, '')).options).toEqual(readAddress('').options);
  });
});
