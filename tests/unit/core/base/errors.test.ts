/** The message of an ArgumentError for each kind of value. */
import { expect, it } from 'vitest';
import { ArgumentError, Phrase } from '../../../src/core/base/errors';

it.each<[string, unknown]>([
  ['51 particles', new Phrase('51 particles')],
  ['"51 particles"', '51 particles'],
  ['[1, "2", a pair, NaN, …]', [1, '2', new Phrase('a pair'), Number.NaN, 5]],
  ['a Float32Array of 8 bytes', new Float32Array(2)],
  ['an object', {}],
  ['null', null],
  ['undefined', undefined],
])('shows %s', (shown, value) => {
  const error = new ArgumentError('positions', value, 'at most 50 particles');
  expect(error.message).toBe(`positions is ${shown}, but it must be at most 50 particles.`);
  expect(error.argument).toBe('positions');
});
