import { expect, it } from 'vitest';
import { formatReal } from '../../../../src/page/support/format';

it('a number is short, however large or small it is', () => {
  const texts = [0, 1, 0.5, 1234.5678, 3.535e-12, -3.535e-12, 2e-6, 5e12].map(formatReal);
  expect(texts.slice(0, 7)).toEqual(['0', '1', '0.5', '1,235', '3.5e-12', '-3.5e-12', '0.000002']);
  for (const text of texts) expect(text.length).toBeLessThanOrEqual(9);
});
