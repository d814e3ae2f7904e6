/** The page's choices and their form in an address: every choice survives, and invalid input is replaced. */

import { describe, expect, it } from 'vitest';
import {
  capOf,
  chooseScene,
  defaultChoices,
  effectiveCount,
  simulationOptions,
} from '../../../src/page/model/choices';
import {
  type Choices,
  clampValue,
  FIELD_NAMES,
  type FieldName,
  fieldOf,
  fromSlider,
  refusalOf,
  sliderPlaces,
  toSlider,
} from '../../../src/page/model/fields';
import { readLink, readViewState, writeLink } from '../../../src/page/session/link';
import { fc } from '../../helpers/properties';

const HARDWARE = { isSoftware: false, most: 100_000_000 };
const SOFTWARE = { isSoftware: true, most: 1_000_000 };

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

  it('holds the view, but only what differs from the default', () => {
    const space = { ...defaultChoices(), dimensions: 3 } as const;
    expect(writeLink(defaultChoices(), {})).toBe('');
    const text = writeLink(space, { look: [0.5, 0.25, 2, 0.125, 0, -1], isPaused: true, inspected: 17 });
    expect(text).toBe('v=1&dimensions=3&camera=0.5_0.25_2_0.125_0_-1&paused=1&inspect=17');
    expect(readLink(text)).toEqual({ ...defaultChoices('pile', 3) });
    expect(readViewState(text)).toEqual({
      look: [0.5, 0.25, 2, 0.125, 0, -1],
      isPaused: true,
      inspected: 17,
    });
    expect(writeLink(defaultChoices(), { appearance: 'system' })).toBe('v=1&appearance=system');
    // A view of other dimensions is ignored.
    expect(readViewState(text.replace('dimensions=3', 'dimensions=2')).look).toBeUndefined();
    expect(writeLink(space, { look: [0.5, 0.25, 2] })).toBe('v=1&dimensions=3');
    expect(writeLink(defaultChoices(), { look: [0.5, 0.25, 2, 0.125, 0, -1] })).toBe('');
    for (const [given, inspected] of [
      ['-3', 0],
      ['2.4', 2],
      ['1e300', 2 ** 32 - 1],
      ['NaN', undefined],
      ['', undefined],
      ['<b>', undefined],
    ] as const) {
      expect(readViewState(`?camera=NaN_1_1&paused=yes&inspect=${given}`)).toEqual({
        look: undefined,
        isPaused: false,
        inspected,
      });
    }
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

describe('a field', () => {
  it.each(FIELD_NAMES)('%s rejects values out of its range with a message that names the range', (name) => {
    const field = fieldOf(name);
    for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, -1e9, 'nonsense', undefined, null]) {
      expect(refusalOf(name, wrong)).toMatch(new RegExp(`^${field.label} must be .*\\.$`));
    }
    if (field.kind === 'switch')
      expect([true, false].map((on) => refusalOf(name, on))).toEqual([undefined, undefined]);
    if (field.kind !== 'number') return;
    expect(refusalOf(name, field.min)).toBeUndefined();
    expect(refusalOf(name, field.max)).toBeUndefined();
    // The range in the message is the accepted one.
    const [, least = '', most = ''] =
      / from (\S+) to (\S+)\.$/.exec(refusalOf(name, field.max + 1) ?? '') ?? [];
    expect([least, most].map((end) => Number(end.replaceAll(',', '')))).toEqual([field.min, field.max]);
    expect(clampValue(name, String(field.max * 2 + 1))).toBe(field.max);
    if (field.isWhole) expect(refusalOf(name, field.min + 0.5)).toMatch(/whole number/);
  });

  it('has a slider from its least value to its end, and converts values both ways', () => {
    for (const name of FIELD_NAMES) {
      const field = fieldOf(name);
      if (field.kind !== 'number' || field.slider === 0) continue;
      const last = sliderPlaces(field);
      expect(fromSlider(field, 0), name).toBe(field.min);
      expect(fromSlider(field, last), name).toBe(field.slider ?? field.max);
      // The end may depend on the device.
      if (field.isLogarithmic)
        expect(fromSlider({ ...field, slider: 16_777_216 }, last), name).toBe(16_777_216);
      for (let position = 0; position <= last; position++) {
        const value = fromSlider(field, position);
        expect(refusalOf(name, value), name).toBeUndefined();
        // Neighbouring slider positions may round to the same two digits.
        expect(fromSlider(field, toSlider(field, value))).toBeCloseTo(value, -Math.log10(value + 1e-9) + 1);
      }
    }
  });
});

describe('choices', () => {
  it('scale particles or vary their sizes, the same for the same seed', () => {
    const choices = { ...defaultChoices('uniform'), count: 200 };
    const usual = simulationOptions(choices, 200);
    const half = simulationOptions({ ...choices, size: 0.5 }, 200);
    expect(half.radius).toBe((usual.radius as number) / 2);
    expect(half.positions).toEqual(usual.positions);
    const spread = simulationOptions({ ...choices, spread: 8, seed: 5 }, 200);
    expect(spread.radius).toBeUndefined();
    const radii = spread.radii as Float32Array;
    expect(Math.max(...radii)).toBeLessThanOrEqual(usual.radius as number);
    expect(Math.min(...radii)).toBeGreaterThanOrEqual((usual.radius as number) / 8);
    expect(Math.max(...radii) / Math.min(...radii)).toBeGreaterThan(6);
    expect(simulationOptions({ ...choices, spread: 8, seed: 5 }, 200).radii).toEqual(radii);
    expect(simulationOptions({ ...choices, spread: 8, seed: 6 }, 200).radii).not.toEqual(radii);
    const other = simulationOptions({ ...choices, seed: 6 }, 200);
    expect(other.positions).not.toEqual(usual.positions);
  });

  it('give each obstacle a radius if particles vary in size', () => {
    const choices = { ...defaultChoices('obstacles'), spread: 4 };
    const { obstacles } = simulationOptions(choices, 300);
    expect(obstacles).toMatchObject({ radii: expect.any(Float32Array) });
  });

  it('are capped at counts that the engine can simulate', () => {
    const many = { ...defaultChoices(), count: 1_000_000 };
    expect(effectiveCount(many, HARDWARE)).toBe(1_000_000);
    expect(effectiveCount({ ...many, engine: 'cpu' }, HARDWARE)).toBe(50_000);
    expect(effectiveCount({ ...many, broadPhase: 'naive' }, SOFTWARE)).toBe(3000);
    const beyond = readLink('?count=1e99');
    for (const hardware of [HARDWARE, SOFTWARE, { isSoftware: false, most: 123_456 }]) {
      expect(effectiveCount(beyond, hardware)).toBe(hardware.most);
    }
    const { reason } = capOf(beyond, { isSoftware: false, most: 123_456 }) ?? {};
    expect(reason).toBe('At most 123,456 particles run. That is what this device and the page hold.');
  });
});
