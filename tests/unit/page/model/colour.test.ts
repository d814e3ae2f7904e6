import { expect, it } from 'vitest';
import { legendCss, legendOf, type Scale, type Theme, themeOfScale } from '../../../../src/page/model/colour';

it.each([2, 5, 6, 8])('the legend has a band of equal width for each of %i species', (kinds) => {
  const scale: Scale = { by: 'species', end: kinds - 1 };
  const theme = themeOfScale({ isDark: true, stops: [] } as unknown as Theme, scale);
  const css = legendCss(legendOf(scale, theme));
  const bands = [...css.matchAll(/(rgb\(.*?\)) ([\d.]+)% ([\d.]+)%/g)];
  expect(new Set(bands.map(([, colour]) => colour)).size).toBe(kinds);
  const widths = bands.map(([, , from, to]) => Number(to) - Number(from));
  expect(widths).toEqual(widths.map(() => expect.closeTo(100 / kinds, 6)));
});
