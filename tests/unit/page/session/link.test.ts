import { describe, expect, it } from 'vitest';
import { chooseScene, defaultChoices } from '../../../../src/page/model/choices';
import {
  type Choices,
  FIELD_NAMES,
  type FieldName,
  fieldOf,
  refusalOf,
} from '../../../../src/page/model/fields';
import {
  describeRefused,
  isBare,
  readLink,
  readViewState,
  USUAL_LINK,
  writeLink,
} from '../../../../src/page/session/link';
import { fc } from '../../../helpers/properties';

function valuesOf(name: FieldName): fc.Arbitrary<string | number | boolean> {
  const field = fieldOf(name);
  if (field.kind === 'choice') return fc.constantFrom(...field.options.map(({ value }) => value));
  if (field.kind === 'switch') return fc.boolean();
  const { min, max } = field;
  return field.isWhole ? fc.integer({ min, max }) : fc.double({ min, max, noNaN: true });
}

const CHOICES = fc.record(
  Object.fromEntries(FIELD_NAMES.map((name) => [name, valuesOf(name)])),
) as fc.Arbitrary<unknown> as fc.Arbitrary<Choices>;

describe('a link', () => {
  it('restores any choices', () => {
    fc.assert(
      fc.property(CHOICES, (choices) => {
        expect(readLink(`?${writeLink(choices)}`)).toEqual(choices);
      }),
    );
  });

  it.each([
    ['', true],
    ['?appearance=dark&utm_source=mail', true],
    ['?paused=1', true],
    [`?${USUAL_LINK}`, false],
    ['?count=50', false],
    ['?liquidAs=particles', false],
    ['?camera=1,2,3', false],
    ['?inspect=5', false],
  ])('with the query "%s" leaves the first scene to the page: %s', (search, isLeft) => {
    expect(isBare(search)).toBe(isLeft);
    expect({ ...readLink(`?${USUAL_LINK}`) }).toEqual(defaultChoices());
  });

  it('is empty for the defaults, and holds only what differs from the scene', () => {
    expect(writeLink(defaultChoices())).toBe('');
    expect(readLink('')).toEqual(defaultChoices());
    expect(writeLink(chooseScene(defaultChoices(), 'gas'))).toBe('v=1&scene=gas');
    expect(writeLink({ ...defaultChoices(), gravity: 3, dimensions: 3 })).toBe('v=1&dimensions=3&gravity=3');
    expect(writeLink({ ...defaultChoices(), cellLines: true })).toBe('v=1&cellLines=1');
    expect(readLink('?cellLines=1&thread=0&heatMap=yes')).toEqual({ ...defaultChoices(), cellLines: true });
  });

  it('reads field names of older links', () => {
    expect(readLink('v=1&scene=dam-break-flip&liquidAs=particles').fluidAs).toBe('particles');
  });

  it('holds only what differs from the default view', () => {
    const space = { ...defaultChoices(), dimensions: 3 } as const;
    expect(writeLink(defaultChoices(), {})).toBe('');
    const text = writeLink(space, { camera: [0.5, 0.25, 2, 0.125, 0, -1], isPaused: true, inspected: 17 });
    expect(text).toBe('v=1&dimensions=3&camera=0.5_0.25_2_0.125_0_-1&paused=1&inspect=17');
    expect(readLink(text)).toEqual({ ...defaultChoices('pile', 3) });
    expect(readViewState(text)).toEqual({
      camera: [0.5, 0.25, 2, 0.125, 0, -1],
      isPaused: true,
      inspected: 17,
    });
    expect(writeLink(defaultChoices(), { appearance: 'system' })).toBe('v=1&appearance=system');
    expect(readViewState(text.replace('dimensions=3', 'dimensions=2')).camera).toBeUndefined();
    expect(writeLink(space, { camera: [0.5, 0.25, 2] })).toBe('v=1&dimensions=3');
    expect(writeLink(defaultChoices(), { camera: [0.5, 0.25, 2, 0.125, 0, -1] })).toBe('');
    for (const [given, inspected] of [
      ['-3', 0],
      ['2.4', 2],
      ['1e300', 2 ** 32 - 1],
      ['NaN', undefined],
      ['', undefined],
      ['<b>', undefined],
    ] as const) {
      expect(readViewState(`?camera=NaN_1_1&paused=yes&inspect=${given}`)).toEqual({
        camera: undefined,
        isPaused: false,
        inspected,
      });
    }
  });

  it('is described by sentences that name its refused values and what is shown instead', () => {
    expect(describeRefused('?count=-3')).toBe(
      'The link says count=-3. Particles must be a whole number from 2 to 100,000,000, so it is 2 now.',
    );
    expect(describeRefused('?scene=nope')).toBe(
      'The link says scene=nope. Scene must be one of the names in its list, so it is Pile now.',
    );
    expect(describeRefused('?engine=xyz')).toBe(
      'The link says engine=xyz. Engine must be one of Automatic, GPU, CPU, so it is Automatic now.',
    );
    expect(describeRefused('?cellLines=yes')).toBe(
      'The link says cellLines=yes. Cell lines must be on or off, so it is off now.',
    );
    expect(describeRefused('?scene=gas&gravity=1e9&seed=2.5')).toMatch(
      /^The link says seed=2\.5\. .* so it is 3 now\. The link says gravity=1e9\. .* so it is 100 now\.$/,
    );
    expect(describeRefused('?scene=nope&count=0&engine=1&colour=2&seed=x')).toMatch(
      /^(The link says .* now\. ){3}2 more values are not accepted\.$/,
    );
    expect(describeRefused(`?seed=${'9'.repeat(200)}`).length).toBeLessThan(150);
    expect(describeRefused('?v=1&scene=gas&count=300&gravity=0.3&cellLines=1&other=9&liquidAs=surface')).toBe(
      '',
    );
  });

  it('accepts the words that messages about wrong values offer', () => {
    expect(
      describeRefused('?unbounded=on&scene=bullets&continuous=off&engine=CPU&pointer=Ask the grid'),
    ).toBe('');
    expect(readLink('?unbounded=on&scene=bullets&continuous=off&engine=CPU&pointer=Ask the grid')).toEqual({
      ...defaultChoices('bullets'),
      unbounded: true,
      continuous: false,
      engine: 'cpu',
      pointer: 'query',
    });
  });

  it('gives valid choices for any content', () => {
    const hostile = fc.array(
      fc.tuple(fc.constantFrom<string>(...FIELD_NAMES, 'v', '__proto__', 'x'), fc.string()),
    );
    fc.assert(
      fc.property(hostile, (entries) => {
        const choices = readLink(new URLSearchParams(entries.map(([name, text]) => [name, text])).toString());
        expect(Object.keys(choices).sort()).toEqual([...FIELD_NAMES].sort());
        for (const name of FIELD_NAMES) expect(refusalOf(name, choices[name]), name).toBeUndefined();
      }),
    );
    const read = readLink(
      '?count=1e99&restitution=-4&scene=%3Cimg%3E&dimensions=4&seed=2.6&friction=&substeps=NaN',
    );
    expect(read).toEqual({ ...defaultChoices(), count: 100_000_000, restitution: 0, seed: 3 });
  });
});
