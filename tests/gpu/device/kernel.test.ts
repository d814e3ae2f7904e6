import { describe, expect, onTestFinished } from 'vitest';
import { GpuError } from '../../../src/core/base/errors';
import { createSimulation, type Simulation } from '../../../src/engine/simulation/simulation';
import { type Gpu, wrapDevice } from '../../../src/gpu/device';
import { Kernel, type KernelDescription } from '../../../src/gpu/kernel';
import { linkShader } from '../../../src/gpu/link';
import { describeKernels } from '../../../src/passes';
import { Count } from '../../../src/passes/grid/count';
import { Scan } from '../../../src/passes/grid/scan';
import { Measure } from '../../../src/passes/measure/measure';
import { createScene, sceneOptions } from '../../../src/scenes';
import { gpuTest, HARDWARE, SHARED } from '../../helpers/node-gpu';
import { DIMENSIONS, readWords, runPass } from '../../helpers/passes';

const PARTS = 8;

describe.each(DIMENSIONS)('kernels in %dD', (dimensions) => {
  for (let part = 0; part < PARTS; part++) {
    gpuTest(
      `compile in every variant, part ${part + 1} of ${PARTS}`,
      async (_, tools) => {
        const gpu = tools.wrap();
        const descriptions = describeKernels(dimensions);
        expect(descriptions.length).toBeGreaterThan(700);
        // Variants of one kernel follow each other, so this spreads them over the parts.
        const asked = descriptions.filter((__, index) => index % PARTS === part);
        await Promise.all(asked.map((description) => Kernel.compile(gpu, description)));
      },
      { driverless: true, tags: 'case' },
    );
  }

  gpuTest(
    'need no optional feature',
    async (_, tools) => {
      const gpu = tools.wrap();
      expect(gpu.timestamps).toBe(false);
      for (const description of describeKernels(dimensions)) {
        const { code } = linkShader(description);
        // Code without a directive compiles the same with and without optional features.
        expect(code.replace(/\/\/.*/g, ''), description.label).not.toMatch(/\b(enable|requires)\b|subgroup/);
      }
      await Scan.create(gpu, dimensions);
    },
    { tags: 'full', without: ['timestamp-query'], driverless: true },
  );
});

function changed(change: (text: string) => string): { description: KernelDescription; text: string } {
  const description = Count.describe({ dimensions: 3, kind: 'bounded' }, false);
  const kernel = description.sources.at(-1);
  if (!kernel) throw new Error('The kernel has no source.');
  const text = change(kernel.text);
  expect(text).not.toBe(kernel.text);
  const sources = [...description.sources.slice(0, -1), { name: kernel.name, text }];
  return { description: { ...description, sources }, text };
}

async function compileError(attempt: () => Promise<unknown>): Promise<GpuError> {
  const caught = await attempt().then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(caught instanceof GpuError)) expect.fail(`No GpuError was thrown, but ${caught}.`);
  expect(caught.reason).toBe('shader');
  return caught;
}

gpuTest(
  'fractions among the constants of a kernel become the nearest 32-bit floats',
  async (_, tools) => {
    const asserts = ['0x1.99999ap-5f == TWENTIETH', '1.0 - 0x1p-20f == ALMOST_ONE', '0x1p-100f == TINY'];
    await Kernel.compile(tools.wrap(), {
      label: 'constants',
      dimensions: 2,
      standalone: true,
      constants: { TWENTIETH: 0.05, ALMOST_ONE: 1 - 2 ** -20, TINY: 2 ** -100 },
      sources: [
        {
          name: 'constants.wgsl',
          text: `${asserts.map((assert) => `const_assert ${assert};`).join('\n')}
@compute @workgroup_size(1) fn main() {}`,
        },
      ],
      entryPoint: 'main',
      bindings: {},
    });
  },
  { driverless: true },
);

gpuTest(
  'dispatches read their counts from a buffer on software adapters, and have the greatest count on others',
  async (device, tools) => {
    const description: KernelDescription = {
      label: 'counted',
      dimensions: 2,
      standalone: true,
      sources: [
        {
          name: 'counted.wgsl',
          text: '@compute @workgroup_size(1) fn main() { atomicAdd(&workgroups[0], 1u); }',
        },
      ],
      entryPoint: 'main',
      bindings: { workgroups: 'write array<atomic<u32>>' },
    };
    const usage = GPUBufferUsage.INDIRECT | GPUBufferUsage.COPY_DST;
    const buffer = tools.upload('counts', Uint32Array.of(9, 3, 1, 1), usage);
    const software = { ...HARDWARE, vendor: 'google', architecture: 'swiftshader' };
    // On hardware, five workgroups are folded into three columns and two rows.
    for (const [info, ran] of [
      [software, 3],
      [HARDWARE, 6],
    ] as const) {
      const gpu = wrapDevice(device, info, 3);
      const kernel = await Kernel.create(gpu, description);
      const workgroups = tools.upload('workgroups', Uint32Array.of(0));
      const group = kernel.bind({ workgroups });
      runPass(gpu, (pass) => kernel.encodeCounted(pass, undefined, group, { buffer, offset: 4, most: 5 }));
      expect([...(await readWords(tools, workgroups, 1))]).toEqual([ran]);
    }
  },
  SHARED,
);

describe('a kernel that does not compile', () => {
  gpuTest(
    'reports file, line and column of the original source, and shows the line',
    async (_, tools) => {
      const { description, text } = changed((code) =>
        code.replace('ranks[slot] =', 'ranks[slot] = missing +'),
      );
      const { message } = await compileError(() => Kernel.compile(tools.wrap(), description));
      const line = text.split('\n').findIndex((candidate) => candidate.includes('missing')) + 1;
      const column = (text.split('\n')[line - 1] ?? '').indexOf('missing') + 1;
      expect(message).toContain('The shader of grid.count does not compile:');
      expect(message).toContain(`shaders/grid/count.wgsl:${line}:${column}: `);
      expect(message).toMatch(/missing.*\n {4}ranks\[slot\] = missing \+ /);
    },
    SHARED,
  );

  gpuTest(
    'reports the module that contains the error, not the kernel',
    async (_, tools) => {
      const description = Count.describe({ dimensions: 3, kind: 'bounded' }, false);
      const sources = description.sources.map((source) =>
        source.name === 'world/bounded.wgsl'
          ? { ...source, text: `${source.text}\nconst WRONG = 1;` }
          : source,
      );
      const changed = {
        ...description,
        sources: [...sources, { name: 'last.wgsl', text: 'const WRONG = 2;' }],
      };
      const { message } = await compileError(() => Kernel.compile(tools.wrap(), changed));
      expect(message).toMatch(/shaders\/last\.wgsl:1:\d+: .*WRONG/);
      expect(message).not.toContain('count.wgsl');
    },
    SHARED,
  );

  gpuTest(
    'is reported as a rejected pipeline if the shader lacks the entry point',
    async (_, tools) => {
      const description = Count.describe({ dimensions: 3, kind: 'bounded' }, false);
      const attempt = () => Kernel.compile(tools.wrap(), { ...description, entryPoint: 'missing' });
      expect((await compileError(attempt)).message).toMatch(
        /^The device rejected the pipeline grid\.count: /,
      );
    },
    SHARED,
  );

  gpuTest(
    'fails again when requested again; a valid kernel compiles once',
    async (_, tools) => {
      const gpu = tools.wrap();
      const { description } = changed((code) => code.replace('ranks[slot] =', 'ranks[slot] = missing +'));
      const named = { ...description, label: 'grid.count.broken' };
      await compileError(() => Kernel.create(gpu, named));
      await compileError(() => Kernel.create(gpu, named));
      const kernels = await Promise.all([
        Kernel.create(gpu, Count.describe({ dimensions: 2, kind: 'bounded' }, false)),
        Kernel.create(gpu, Count.describe({ dimensions: 2, kind: 'bounded' }, false)),
      ]);
      expect(kernels[0]).toBe(kernels[1]);
      expect(await Kernel.create(gpu, Count.describe({ dimensions: 3, kind: 'bounded' }, false))).not.toBe(
        kernels[0],
      );
    },
    SHARED,
  );
});

describe('a kernel', () => {
  gpuTest(
    'is cached by its sources, not by its label',
    async (_, tools) => {
      const gpu = tools.wrap();
      const described = (ids: boolean, label: string) => ({
        ...Count.describe({ dimensions: 2, kind: 'bounded' }, ids),
        label,
      });
      const [first, other, same] = await Promise.all([
        Kernel.create(gpu, described(false, 'test.count')),
        Kernel.create(gpu, described(true, 'test.count')),
        Kernel.create(gpu, described(false, 'test.count-again')),
      ]);
      expect(other).not.toBe(first);
      expect(same).toBe(first);
      const constants = { ...described(false, 'test.count'), constants: { UNUSED: 1 } };
      expect(await Kernel.create(gpu, constants)).not.toBe(first);
    },
    SHARED,
  );

  gpuTest(
    'cannot be bound without all of its buffers',
    async (_, tools) => {
      const kernel = await Kernel.create(
        tools.wrap(),
        Count.describe({ dimensions: 2, kind: 'bounded' }, false),
      );
      const buffer = tools.allocate('buffer', 16);
      expect(() => kernel.bind({ position_in: buffer, counts: buffer })).toThrow(
        'The kernel grid.count was bound without its buffer ranks.',
      );
    },
    SHARED,
  );
});

describe('a kernel that the device rejects while a simulation runs', () => {
  const DT = 1 / 60;
  const refusal = (label: string) => new RegExp(`^The device rejected the pipeline ${label}: `);
  const lossTo = (label: string) =>
    new RegExp(
      `^This simulation lost its particles .*; restore a checkpoint .*: The device rejected the pipeline ${label}: `,
    );

  /** Creates a simulation, then a twin on a device that rejects the shaders of `label` until `restore` is called. */
  async function createPair(device: GPUDevice, label: string) {
    const options = sceneOptions(createScene('clustered', { dimensions: 2, count: 200 }));
    const intact = await createSimulation(wrapDevice(device), options);
    const compile = device.createShaderModule;
    device.createShaderModule = (descriptor) => {
      const code = descriptor.label?.startsWith(label)
        ? '@compute @workgroup_size(1) fn missing() {}'
        : descriptor.code;
      return compile.call(device, { ...descriptor, code });
    };
    const gpu: Gpu = wrapDevice(device);
    const simulation = await createSimulation(gpu, options);
    // Restore the device even if this test fails, because other tests share it.
    onTestFinished(() => {
      device.createShaderModule = compile;
    });
    const restore = () => {
      device.createShaderModule = compile;
      simulation.destroy();
      intact.destroy();
    };
    return { gpu, simulation, intact, restore };
  }

  async function expectSame(simulation: Simulation, intact: Simulation): Promise<void> {
    expect(await simulation.checkpoint()).toEqual(await intact.checkpoint());
  }

  gpuTest(
    'makes every query that needs it fail, and nothing else',
    async (device) => {
      for (const [label, ask] of [
        ['measure.measure.grid', (simulation: Simulation) => simulation.measure()],
        ['measure.measure.grid', (simulation: Simulation) => simulation.findPairs()],
        ['measure.pairs.grid.tally', (simulation: Simulation) => simulation.findPairs()],
        ['measure.pairs.grid.fill', (simulation: Simulation) => simulation.findPairs()],
      ] as const) {
        const { simulation, intact, restore } = await createPair(device, label);
        simulation.step(DT);
        const asking = ask(simulation);
        simulation.step(DT);
        await expect(asking).rejects.toThrow(GpuError);
        await expect(asking).rejects.toThrow(refusal(label));
        await expect(ask(simulation)).rejects.toThrow(refusal(label));
        simulation.separate();
        intact.step(DT);
        intact.step(DT);
        intact.separate();
        await expectSame(simulation, intact);
        restore();
      }
    },
    SHARED,
  );

  gpuTest(
    'is also reported if the device accepts the shader but cannot make the pipeline',
    async (device) => {
      const { pushErrorScope: push, popErrorScope: pop, createComputePipeline: create } = device;
      for (const failing of ['internal', 'out-of-memory'] as const) {
        const { simulation, restore } = await createPair(device, 'none');
        const open: { readonly filter: GPUErrorFilter; compiles: boolean }[] = [];
        device.pushErrorScope = (filter) => {
          open.push({ filter, compiles: false });
          push.call(device, filter);
        };
        device.createComputePipeline = (descriptor) => {
          for (const scope of open) scope.compiles = true;
          return create.call(device, descriptor);
        };
        device.popErrorScope = async () => {
          const scope = open.pop();
          const error = await pop.call(device);
          return scope?.compiles && scope.filter === failing ? { message: 'no registers left' } : error;
        };
        const measuring = simulation.measure();
        Object.assign(device, { pushErrorScope: push, popErrorScope: pop, createComputePipeline: create });
        await expect(measuring).rejects.toThrow(refusal('measure.measure.grid'));
        await expect(measuring).rejects.toThrow(/no registers left$/);
        restore();
      }
    },
    SHARED,
  );

  gpuTest(
    'makes the simulation lose its state if a change needed the kernel, until a checkpoint is restored',
    async (device) => {
      const label = 'solve.resolve.grid.pushApart';
      const changes: [string, (simulation: Simulation) => unknown][] = [
        [label, (simulation) => simulation.separate()],
        [label, (simulation) => simulation.profileSeparate()],
        ['solve.retire', (simulation) => simulation.remove([3, 5])],
        ['solve.resolve.naive.respond', (simulation) => simulation.step(DT)],
        ['solve.resolve.naive.respond', (simulation) => simulation.profile(DT)],
      ];
      for (const [refused, change] of changes) {
        const { simulation, intact, restore } = await createPair(device, refused);
        for (const each of [simulation, intact]) {
          each.step(DT);
          if (refused.includes('naive')) each.set({ broadPhase: 'naive' });
        }
        const checkpoint = await simulation.checkpoint();
        const changing = (async () => change(simulation))().catch((error: unknown) => error);
        // The rejection is not known yet, and the state that this read asks for never existed.
        const reading = simulation.read();
        await expect(reading, refused).rejects.toThrow(GpuError);
        await expect(reading, refused).rejects.toThrow(lossTo(refused));
        await changing;
        expect(() => simulation.separate()).toThrow(lossTo(refused));
        await expect(simulation.measure()).rejects.toThrow(lossTo(refused));
        simulation.restore(checkpoint);
        await expectSame(simulation, intact);
        await expect((async () => change(simulation))()).rejects.toThrow(refusal(refused));
        await expectSame(simulation, intact);
        for (const each of [simulation, intact]) {
          each.set({ broadPhase: 'grid' });
          each.step(DT);
        }
        await expectSame(simulation, intact);
        restore();
      }
    },
    SHARED,
  );

  gpuTest(
    'leaves the caller’s encoder unchanged once the rejection is known; a state restored by then is kept',
    async (device) => {
      const label = 'solve.resolve.grid.pushApart';
      const { simulation, intact, restore } = await createPair(device, label);
      const checkpoint = await simulation.checkpoint();
      simulation.separate();
      simulation.restore(checkpoint);
      await expectSame(simulation, intact);
      const encoder = device.createCommandEncoder();
      simulation.encodeStep(encoder, DT);
      expect(() => simulation.encodeSeparate(encoder)).toThrow(refusal(label));
      simulation.encodeStep(encoder, DT);
      device.queue.submit([encoder.finish()]);
      intact.step(DT);
      intact.step(DT);
      await expectSame(simulation, intact);
      restore();
    },
    SHARED,
  );

  gpuTest(
    'is rejected for every waiting caller, and works once the device accepts it',
    async (device) => {
      const { gpu, simulation, restore } = await createPair(device, 'measure.measure.grid');
      const measuring = simulation.measure();
      const create = () => Kernel.create(gpu, Measure.describe({ dimensions: 2, kind: 'bounded' }, 'grid'));
      for (const attempt of await Promise.allSettled([measuring, create()])) {
        const message = expect.stringMatching(refusal('measure.measure.grid'));
        expect(attempt).toMatchObject({ status: 'rejected', reason: { message } });
      }
      restore();
      await create();
    },
    SHARED,
  );
});
