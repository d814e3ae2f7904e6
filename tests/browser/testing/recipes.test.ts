/** Runs the recipes of the guides as they are written, in a project that has the package installed. */
import { describe, expect } from 'vitest';
import { browserTest } from '../../helpers/browser';
import { codeOf, useInstalledPackage } from '../../helpers/built/installed-package';

const GUIDE = 'docs/testing.md';
const CI_GUIDE = 'docs/testing-ci.md';
const VITEST = 'node_modules/vitest/vitest.mjs';

/** Three tests, which fail for three of the reasons that the guide lists, and a skipped test. */
const FAILING = `
gpuTest('differs', async (_, { upload, expectBuffer }) => {
  await expectBuffer(upload('values', Float32Array.of(1, 2))).toEqual(Float32Array.of(1, 3));
});
gpuTest('is invalid', (device) => void device.createBuffer({ size: 4, usage: 0 }));
gpuTest('leaks', (device) => void device.createBuffer({ label: 'kept', size: 64, usage: 0x80 }));
gpuTest('is left out', { skip: true }, () => { throw new Error('This must not run.'); });
`;

async function recipe(heading: string, guide = GUIDE): Promise<string> {
  const [code] = await codeOf(guide, heading, 'js');
  if (code === undefined) throw new Error(`${guide} has no code under "${heading}".`);
  return code;
}

describe('the recipe', () => {
  const packages = ['webgpu', 'debug', 'ms', 'vitest', 'puppeteer', 'playwright-core', '@deno'];
  const installed = useInstalledPackage(packages);

  const forNodeTest = async () =>
    (await recipe('## vitest')).replace(/^import \{ test \}.*\n/m, await recipe('## node:test'));

  browserTest('for vitest passes', { tags: 'full' }, async () => {
    await installed.write('double.test.js', await recipe('## vitest'));
    const { code, output } = await installed.runFile(VITEST, 'run', '--reporter=verbose', 'double');
    expect(output).toMatch(/✓ double\.test\.js > doubles every value/);
    expect(code).toBe(0);
  });

  browserTest('for vitest fails on wrong values, GPU errors and leaks', { tags: 'full' }, async () => {
    await installed.write('failing.test.js', (await recipe('## vitest')) + FAILING);
    const { code, output } = await installed.runFile(VITEST, 'run', 'failing');
    expect(output).toMatch(/3 failed \| 1 passed \| 1 skipped/);
    expect(output).toContain('values: 1 of 2 values differ.\n  index  got  expected\n      1    2         3');
    expect(output).toMatch(/The GPU reported:\nvalidation error: /);
    expect(output).toContain('The test left objects that it did not destroy');
    expect(output).toContain('buffer "kept" of 64 bytes');
    expect(code).toBe(1);
  });

  browserTest(
    'for node:test passes, and fails on wrong values, GPU errors and leaks',
    { tags: 'full' },
    async () => {
      await installed.write('double.test.mjs', await forNodeTest());
      const passed = await installed.runFile('--test', '--test-reporter=tap', 'double.test.mjs');
      expect(passed.output).toMatch(/^# pass 1$/m);
      expect(passed.code).toBe(0);
      await installed.write('failing.test.mjs', (await forNodeTest()) + FAILING);
      const { code, output } = await installed.runFile('--test', '--test-reporter=tap', 'failing.test.mjs');
      for (const line of ['# pass 1', '# fail 3', '# skipped 1']) expect(output).toContain(line);
      expect(output).toContain('values: 1 of 2 values differ.');
      expect(output).toContain('buffer "kept" of 64 bytes');
      expect(code).toBe(1);
    },
  );

  browserTest('for puppeteer captures its canvas', { tags: 'full' }, async () => {
    await installed.write('canvas.mjs', await recipe('## puppeteer'));
    expect(await installed.runFile('canvas.mjs')).toEqual({ code: 0, output: 'The canvas is orange.\n' });
  });

  browserTest('for Playwright captures its canvas', { tags: 'full' }, async () => {
    const [imported, launched] = (await recipe('## Playwright')).trim().split('\n\n');
    const code = (await recipe('## puppeteer'))
      .replace(/^import puppeteer .*$/m, imported as string)
      .replace(/^const browser = .*$/m, launched as string);
    expect(code).not.toContain('puppeteer');
    await installed.write('playwright.mjs', code);
    expect(await installed.runFile('playwright.mjs')).toEqual({ code: 0, output: 'The canvas is orange.\n' });
  });

  browserTest('for Deno runs a shader in wgpu', { tags: 'full' }, async () => {
    await installed.write('deno.mjs', await recipe('## Deno'));
    const { code, output } = await installed.runFile('deno.mjs');
    expect(output).toMatch(/^accepted\n(.|\n)*broken/);
    expect(code).toBe(0);
  });

  browserTest('for set-up finds the Chrome and the driver that are there', { tags: 'full' }, async () => {
    await installed.write('setup.mjs', await recipe('## GitHub Actions', CI_GUIDE));
    const { code, output } = await installed.runFile('setup.mjs');
    expect(output).toMatch(/^\S+ (SwiftShader|lavapipe|undefined)$/m);
    expect(code).toBe(0);
  });
});
