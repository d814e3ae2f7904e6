/** Every kernel in every variant compiles, and one that does not says where. */
import { describe, expect } from 'vitest';
import { GpuError } from '../../src/core/errors';
import { createSimulation } from '../../src/engine/simulation';
import { wrapDevice } from '../../src/gpu/device';
import { Kernel, type KernelDescription } from '../../src/gpu/kernel';
import { linkShader } from '../../src/gpu/link';
import { describeKernels } from '../../src/passes';
import { Count } from '../../src/passes/count';
import { Scan } from '../../src/passes/scan';
import { createScene, sceneOptions } from '../../src/scenes';
import { gpuTest } from '../helpers/node-gpu';
import { DIMENSIONS } from '../helpers/passes';

describe.each(DIMENSIONS)('in %dD', (dimensions) => {
  gpuTest('every variant compiles', async (_, tools) => {
    const gpu = tools.wrap();
    expect(gpu.subgroups).toBe(true);
    const descriptions = describeKernels(dimensions, true);
    expect(descriptions.length).toBeGreaterThan(20);
    await Promise.all(descriptions.map((description) => Kernel.compile(gpu, description)));
  });

  gpuTest(
    'no variant needs an optional feature, except those that say so',
    async (device, tools) => {
      const gpu = tools.wrap();
      expect([gpu.subgroups, gpu.timestamps]).toEqual([false, false]);
      for (const description of describeKernels(dimensions, gpu.subgroups)) {
        const { code } = linkShader(description);
        const { messages } = await device.createShaderModule({ code }).getCompilationInfo();
        expect(
          messages.map(({ message }) => message),
          description.label,
        ).toEqual([]);
      }
      await Scan.create(gpu, dimensions);
      device.pushErrorScope('validation');
      const [reduce] = Scan.describe(dimensions, true);
      await expect(Kernel.compile(gpu, reduce as KernelDescription)).rejects.toThrow(/subgroups/);
      expect(await device.popErrorScope()).not.toBeNull();
    },
    { without: ['subgroups', 'timestamp-query'] },
  );
});

/** The counting kernel, its text changed. */
function changed(change: (text: string) => string): { description: KernelDescription; text: string } {
  const description = Count.describe(3, false);
  const kernel = description.sources.at(-1);
  if (!kernel) throw new Error('The kernel has no source.');
  const text = change(kernel.text);
  expect(text).not.toBe(kernel.text);
  const sources = [...description.sources.slice(0, -1), { name: kernel.name, text }];
  return { description: { ...description, sources }, text };
}

/** What compiling it throws; the validation error that the device reports as well is expected. */
async function compileError(device: GPUDevice, attempt: () => Promise<unknown>): Promise<GpuError> {
  device.pushErrorScope('validation');
  const caught = await attempt().then(
    () => undefined,
    (error: unknown) => error,
  );
  await device.popErrorScope();
  if (!(caught instanceof GpuError)) expect.fail(`No GpuError was thrown, but ${caught}.`);
  expect(caught.reason).toBe('shader');
  return caught;
}

describe('a kernel that does not compile', () => {
  gpuTest(
    'names file, line and column, past the branches that were removed, and shows the line',
    async (device, tools) => {
      const { description, text } = changed((code) =>
        code.replace('ranks[slot] =', 'ranks[slot] = nobody +'),
      );
      const { message } = await compileError(device, () => Kernel.compile(tools.wrap(), description));
      const line = text.split('\n').findIndex((candidate) => candidate.includes('nobody')) + 1;
      const column = (text.split('\n')[line - 1] ?? '').indexOf('nobody') + 1;
      expect(message).toContain('The shader of grid.count does not compile:');
      expect(message).toContain(`shaders/grid/count.wgsl:${line}:${column}: `);
      expect(message).toMatch(/nobody.*\n {4}ranks\[slot\] = nobody \+ /);
    },
    { shared: true },
  );

  gpuTest(
    'names the module that the error is in, not the kernel',
    async (device, tools) => {
      const description = Count.describe(3, false);
      const sources = description.sources.map((source) =>
        source.name === 'shared/cells.wgsl'
          ? { ...source, text: `${source.text}\nconst WRONG = 1;` }
          : source,
      );
      const changed = {
        ...description,
        sources: [...sources, { name: 'last.wgsl', text: 'const WRONG = 2;' }],
      };
      const { message } = await compileError(device, () => Kernel.compile(tools.wrap(), changed));
      expect(message).toMatch(/shaders\/last\.wgsl:1:\d+: .*WRONG/);
      expect(message).not.toContain('count.wgsl');
    },
    { shared: true },
  );

  gpuTest(
    'is refused as a pipeline where the host’s layout is not the shader’s',
    async (device, tools) => {
      const { bindings, ...rest } = Count.describe(3, false);
      const attempt = () =>
        Kernel.compile(tools.wrap(), { ...rest, bindings: { ...bindings, counts: 'read' } });
      expect((await compileError(device, attempt)).message).toMatch(
        /^The pipeline grid\.count was refused by the device: /,
      );
    },
    { shared: true },
  );

  gpuTest(
    'can be asked for again, and is compiled once where it does',
    async (device, tools) => {
      const gpu = tools.wrap();
      const { description } = changed((code) => code.replace('ranks[slot] =', 'ranks[slot] = nobody +'));
      const named = { ...description, label: 'grid.count.broken' };
      await compileError(device, () => Kernel.create(gpu, named));
      await compileError(device, () => Kernel.create(gpu, named));
      const kernels = await Promise.all([
        Kernel.create(gpu, Count.describe(2, false)),
        Kernel.create(gpu, Count.describe(2, false)),
      ]);
      expect(kernels[0]).toBe(kernels[1]);
      expect(await Kernel.create(gpu, Count.describe(3, false))).not.toBe(kernels[0]);
    },
    { shared: true },
  );

  gpuTest(
    'fails the next call, and every later one, where it is compiled in passing and refused',
    async (device) => {
      const compile = device.createShaderModule;
      device.createShaderModule = (descriptor) => {
        const code = descriptor.code.replace('fn measure_state', 'fn nobody_knows');
        return compile.call(device, { ...descriptor, code });
      };
      const scene = createScene('gas', { dimensions: 2, count: 10 });
      const simulation = await createSimulation(wrapDevice(device), sceneOptions(scene));
      simulation.step(1 / 60);
      // The submission is refused with it.
      device.pushErrorScope('validation');
      const measuring = simulation.measure();
      await expect(measuring).rejects.toThrow(GpuError);
      await expect(measuring).rejects.toThrow(
        /^The pipeline measure\.measure\.grid was refused by the device: /,
      );
      expect(await device.popErrorScope()).not.toBeNull();
      expect(() => simulation.step(1 / 60)).toThrow(/was refused by the device/);
      device.createShaderModule = compile;
      simulation.destroy();
    },
    { shared: false },
  );

  gpuTest(
    'is not bound without all of its buffers',
    async (_, tools) => {
      const kernel = await Kernel.create(tools.wrap(), Count.describe(2, false));
      const buffer = tools.allocate('buffer', 16);
      expect(() => kernel.bind({ position_in: buffer, counts: buffer })).toThrow(
        'The kernel grid.count was bound without its buffer ranks.',
      );
    },
    { shared: true },
  );
});
