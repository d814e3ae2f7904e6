import { describe, expect, test } from 'vitest';
import { type DenoSource, openDeno, runInDeno } from '../../../src/testing/deno';

describe('openDeno', () => {
  test('rejects a source that does not have either a file or code', () => {
    const open = (source: unknown) => () => openDeno(source as DenoSource);
    expect(open('code')).toThrow('source is "code", but it must be an object with some of file, code.');
    expect(open({})).toThrow('source is an object, but it must be an object with either file or code.');
    expect(open({ file: 'a.ts', code: '' })).toThrow('an object with either file or code');
    expect(open({ file: '/nowhere/a.ts' })).toThrow(
      'source.file is "/nowhere/a.ts", but it must be the path of a module.',
    );
  });

  test('rejects wrong options', async () => {
    const code = 'export default () => 1';
    expect(() => openDeno({ code }, { driver: 'vulkan' as never })).toThrow('driver is "vulkan"');
    expect(() => openDeno({ code }, { timeout: 5 } as never)).toThrow('options.timeout');
    await expect(runInDeno({ code }, null, { deno: '/nowhere/deno' })).rejects.toThrow(
      /deno is "\/nowhere\/deno", but it must be the path of the Deno binary\.|There is no Vulkan driver for Deno/,
    );
  });
});
