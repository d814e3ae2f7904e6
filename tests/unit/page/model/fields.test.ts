import { describe, expect, it } from 'vitest';
import {
  clampValue,
  FIELD_NAMES,
  fieldOf,
  fromSlider,
  refusalOf,
  sliderPlaces,
  toSlider,
} from '../../../../src/page/model/fields';

describe('a field', () => {
  it.each(FIELD_NAMES)('rejects values out of its range with a message that names the range (%s)', (name) => {
    const field = fieldOf(name);
    for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, -1e9, 'nonsense', undefined, null]) {
      expect(refusalOf(name, wrong)).toMatch(new RegExp(`^${field.label} must be .*\\.$`));
    }
    if (field.kind === 'switch')
      expect([true, false].map((on) => refusalOf(name, on))).toEqual([undefined, undefined]);
    if (field.kind !== 'number') return;
    expect(refusalOf(name, field.min)).toBeUndefined();
    expect(refusalOf(name, field.max)).toBeUndefined();
    const [, least = '', most = ''] =
      / from (\S+) to (\S+)\.$/.exec(refusalOf(name, field.max + 1) ?? '') ?? [];
    expect([least, most].map((end) => Number(end.replaceAll(',', '')))).toEqual([field.min, field.max]);
    expect(clampValue(name, String(field.max * 2 + 1))).toBe(field.max);
    if (field.isWhole) expect(refusalOf(name, field.min + 0.5)).toMatch(/whole number/);
  });

  it('has a slider that begins at its least value, and converts values both ways', () => {
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
