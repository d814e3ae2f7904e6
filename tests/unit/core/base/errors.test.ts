import { expect, it, vi } from 'vitest';
import { ArgumentError, Phrase } from '../../../../src/core/base/errors';

const circular: unknown[] = [1];
circular.push(circular);

it.each<[string, unknown]>([
  ['51 particles', new Phrase('51 particles')],
  ['"51 particles"', '51 particles'],
  ['[1, "2", a pair, NaN, …]', [1, '2', new Phrase('a pair'), Number.NaN, 5]],
  ['a Float32Array of length 2', new Float32Array(2)],
  ['"two\\nlines"', 'two\nlines'],
  [`"${'x'.repeat(200)}"`, 'x'.repeat(200)],
  [`"${'x'.repeat(200)}…"`, 'x'.repeat(201)],
  ['an object', {}],
  ['null', null],
  ['undefined', undefined],
  ['[undefined, undefined]', new Array(2)],
  ['[1, [1, [1, […]]]]', circular],
  ['the BigInt 5', 5n],
  ['Symbol(five)', Symbol('five')],
  ['an object', Object.create(null)],
  ['[an object, Symbol(), the BigInt 1]', [Object.create(null), Symbol(), 1n]],
  ['a function', () => 5],
  ['a Promise (did you forget `await`?)', Promise.resolve(5)],
])('an ArgumentError shows %s', (shown, value) => {
  const error = new ArgumentError('positions', value, 'at most 50 particles');
  expect(error.message).toBe(`positions is ${shown}, but it must be at most 50 particles.`);
  expect(error.argument).toBe('positions');
});

it('an ArgumentError describes a buffer by its label, size and usage', () => {
  vi.stubGlobal('GPUBufferUsage', { COPY_DST: 8, STORAGE: 128 });
  const describe = (usage: number) =>
    new ArgumentError('points', { label: 'mine', size: 48, usage }, 'larger').message;
  expect(describe(136)).toBe(
    'points is the buffer "mine" of 48 bytes and usage COPY_DST | STORAGE, but it must be larger.',
  );
  expect(describe(1024)).toMatch(/ and usage 1024, /);
  vi.unstubAllGlobals();
});
