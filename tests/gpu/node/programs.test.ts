/** Tests programs that use an installed cellstorm/node: they run, end by themselves, and get errors that name a fix. */
import { describe, expect, test } from 'vitest';
import { allowsNoGpu } from '../../../src/testing/environment';
import { codeOf, type InstalledPackage, useInstalledPackage } from '../../helpers/built/installed-package';
import { adapterName } from '../../helpers/node-gpu';

const GUIDE = 'docs/node.md';
async function runIn(installed: InstalledPackage, code: string, ...flags: readonly string[]) {
  await installed.write('program.mjs', code);
  return installed.runFile(...flags, 'program.mjs');
}

const skips = adapterName === 'none' && allowsNoGpu();

/** Collects garbage in a running program, which frees Dawn's GPU object unless something keeps it. */
const COLLECT = `
for (let round = 0; round < 10; round++) {
  globalThis.gc();
  await new Promise((done) => setTimeout(done, 5));
}
`;

describe.skipIf(skips)('a program of the guide', () => {
  const installed = useInstalledPackage(['webgpu', 'debug', 'ms']);

  test.for([
    ['as it is', (code: string) => code, []],
    ['without destroy()', (code: string) => code.replace('gpu.destroy();\n', ''), []],
    ['while garbage is collected', (code: string) => code + COLLECT, ['--expose-gc']],
    [
      'without destroy(), while garbage is collected',
      (code: string) => code.replace('gpu.destroy();\n', COLLECT),
      ['--expose-gc'],
    ],
  ] as const)('ends with code 0 and prints a hash: %s', { tags: 'case' }, async ([, change, flags]) => {
    const [code = ''] = await codeOf(GUIDE, '## On the GPU');
    expect(code).toContain('gpu.destroy();\n');
    const { code: status, output } = await runIn(installed, change(code), ...flags);
    expect(output).toMatch(/^\d+ [0-9a-f]{16}$/m);
    expect(status).toBe(0);
  });

  test('runs WebGPU code of its own', async () => {
    const [code = ''] = await codeOf(GUIDE, '## Your own WebGPU code');
    const { code: status, output } = await runIn(installed, code);
    expect(output).toMatch(/^(SwiftShader|lavapipe|system|environment) \S+ 268435456$/m);
    expect(status).toBe(0);
  });

  test('runs the CPU engine', async () => {
    const [code = ''] = await codeOf(GUIDE, '## Without WebGPU');
    expect(await runIn(installed, code)).toEqual({ code: 0, output: '1\n' });
  });

  test('gets errors that name the argument and the fix', async () => {
    const program = `
      import { ArgumentError } from 'cellstorm';
      import { openGpu, openWebGpu } from 'cellstorm/node';
      const print = (error) => console.log(error instanceof ArgumentError, error.message);
      await openGpu().catch(print);
      await openGpu({ particles: -1, dimensions: 2 }).catch(print);
      await openGpu({ particles: 1, dimensions: 2, driver: 'vulkan' }).catch(print);
      await openGpu({ particles: 1, dimensions: 2, gpu: navigator }).catch(print);
      console.log('WebGPU is not started:', globalThis.GPUBufferUsage === undefined);
      const { driver } = await openWebGpu({ driver: 'software' });
      console.log((await openWebGpu()).driver === driver);
      await openWebGpu({ driver: 'system' }).catch(print);
    `;
    const { code, output } = await runIn(installed, program.replace('navigator', '{}'));
    const lines = output.split('\n').filter((line) => /^(true|false|WebGPU is)/.test(line));
    expect(lines.slice(0, 6)).toEqual([
      expect.stringMatching(/^true dimensions is undefined, but it must be 2 or 3\./),
      expect.stringMatching(/^true particles is -1, but it must be a whole number/),
      'true driver is "vulkan", but it must be one of auto, system, software, swiftshader, lavapipe.',
      'true options.gpu is an object, but it must be left out: openGpu starts WebGPU itself.',
      'WebGPU is not started: true',
      'true',
    ]);
    expect(lines[6]).toMatch(
      /^true driver is "system", but it must be left out, because this process already runs WebGPU on the (SwiftShader|lavapipe) driver\.$/,
    );
    expect(code).toBe(0);
  });

  test('gets an error if a worker thread opens WebGPU', { tags: 'full' }, async () => {
    const program = `
      import { Worker, isMainThread } from 'node:worker_threads';
      import { fileURLToPath } from 'node:url';
      import { openWebGpu } from 'cellstorm/node';
      if (isMainThread) new Worker(fileURLToPath(import.meta.url));
      else await openWebGpu().catch((error) => console.log(error.message));
    `;
    const { code, output } = await runIn(installed, program);
    expect(output).toBe(
      'WebGPU was opened in a worker thread, but its driver can be chosen only in the main thread: open it there.\n',
    );
    expect(code).toBe(0);
  });
});

describe('a program without the package webgpu', () => {
  const installed = useInstalledPackage([]);

  test('gets an error that names the package to install', { tags: 'full' }, async () => {
    const program = `
      import { openGpu } from 'cellstorm/node';
      await openGpu({ particles: 1, dimensions: 2 }).catch((error) => console.log(error.name, error.message));
    `;
    expect(await runIn(installed, program)).toEqual({
      code: 0,
      output:
        'GpuError The package "webgpu" (WebGPU for Node) is not installed: run "npm install webgpu", or use the CPU engine: import cellstorm/cpu, or give the command --backend cpu.\n',
    });
  });
});
