import { afterAll, describe, expect, test } from 'vitest';
import { runInDeno } from '../../src/testing/deno';
import { DenoEntry, denoDriver, skipsDeno } from '../helpers/deno';
import type { SmokeReport } from './entries/smoke';

const deno = new DenoEntry<number, SmokeReport>('tests/portability/entries/smoke.ts');
afterAll(() => deno.close());

describe.skipIf(skipsDeno)(`Deno with wgpu on ${denoDriver}`, () => {
  test('runs a kernel', async () => {
    const { adapter, squares, complaints } = await deno.ask(1000);
    expect(complaints).toEqual([]);
    expect(adapter).not.toBe('');
    expect(squares).toEqual(Array.from({ length: 1000 }, (_, index) => index * index));
  });

  test('rejects a question if the entry throws an error, and answers the next one', async () => {
    await expect(deno.ask(-1)).rejects.toThrow(/smoke\.mjs failed under Deno: /);
    expect((await deno.ask(3)).squares).toEqual([0, 1, 4]);
  });

  test('rejects a question if the process ends before it answers', async () => {
    const other = new DenoEntry<number, SmokeReport>('tests/portability/entries/smoke.ts');
    const [asked] = await Promise.allSettled([other.ask(1000), other.close()]);
    expect(asked).toMatchObject({ reason: { message: expect.stringMatching(/ended early with SIGKILL/) } });
  });
  test('runs code once, and returns its JSON', async () => {
    const code = 'export default ({ a, b }: { a: number; b: number }) => ({ sum: a + b })';
    expect(await runInDeno({ code }, { a: 1, b: 2 }, { driver: 'software' })).toEqual({ sum: 3 });
    expect(await runInDeno({ code: 'export default () => undefined' })).toBeNull();
    const half = `export default () => { Deno.stdout.writeSync(new TextEncoder().encode('half')); return 1; }`;
    expect(await runInDeno({ code: half }, null, { timeoutMs: 20_000 })).toBe(1);
  });

  test('reports what code printed before it failed, and rejects code that gives no answer in time', async () => {
    const failing = `export default () => { console.log('so far'); throw new Error('mine'); }`;
    await expect(runInDeno({ code: failing })).rejects.toThrow(
      /^The code failed under Deno: Error: mine\n(.|\n)*so far$/,
    );
    const endless = 'export default () => new Promise((done) => setTimeout(done, 60_000))';
    await expect(runInDeno({ code: endless }, null, { timeoutMs: 1500 })).rejects.toThrow(
      'The code failed under Deno: it gave no answer within 1.5 s.',
    );
    await expect(runInDeno({ code: 'export default (' })).rejects.toThrow(
      /ended early with 1\.\n(.|\n)*Expression expected/,
    );
  });
});
