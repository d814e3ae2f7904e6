import { describe, expect, test } from 'vitest';
import { withoutProfile } from '../../../scripts/webp';

const chunk = (name: string, data: string) => {
  const header = Buffer.from(`${name}____`, 'latin1');
  header.writeUInt32LE(data.length, 4);
  return Buffer.concat([header, Buffer.from(data.padEnd(2 * Math.ceil(data.length / 2), '\0'), 'latin1')]);
};

const file = (...chunks: readonly Buffer[]) => {
  const header = Buffer.from('RIFF____WEBP', 'latin1');
  header.writeUInt32LE(4 + chunks.reduce((bytes, { length }) => bytes + length, 0), 4);
  return Buffer.concat([header, ...chunks]);
};

describe('a WebP picture', () => {
  test.each(['VP8 ', 'VP8L'])('loses its colour profile and keeps its pixels (%s)', (name) => {
    const pixels = chunk(name, 'pixels.');
    const whole = file(chunk('VP8X', 'flags+size'), chunk('ICCP', 'sRGB.'), pixels);
    expect(withoutProfile(whole)).toEqual(file(pixels));
    expect(withoutProfile(file(pixels))).toEqual(file(pixels));
  });

  test('must have pixels', () => {
    expect(() => withoutProfile(file(chunk('ICCP', 'sRGB')))).toThrow(/no pixels of a WebP picture/);
    expect(() => withoutProfile(Buffer.from('no picture at all'))).toThrow(/no pixels of a WebP picture/);
  });
});
