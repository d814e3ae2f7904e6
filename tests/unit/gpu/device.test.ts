import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ArgumentError, CellstormError, GpuError, LimitError } from '../../../src/core/base/errors';
import { defaultCellCount } from '../../../src/core/simulation/default-box';
import { planSimulation } from '../../../src/core/simulation/plan';
import { checkGpu, type GpuRequest, greatestCount, requestGpu, wrapDevice } from '../../../src/gpu/device';
import { DEFAULT_LIMITS, expectRefusal, type Limits } from '../../helpers/inputs/untouchable-gpu';

const { NaN: NOT_A_NUMBER } = Number;

describe('wrapDevice', () => {
  it.each([undefined, null, 7, {}])('rejects %s', (device) => {
    const attempt = () => wrapDevice(device as unknown as GPUDevice);
    expect(attempt).toThrow(ArgumentError);
    expect(attempt).toThrow(/^device is .*, but it must be a GPUDevice\.$/);
  });
});

/** Makes an object with the method by which `checkGpu` recognizes an object of WebGPU. */
const webGpuObject = (method: string) => ({ [method]: () => undefined });

describe('checkGpu', () => {
  it.each<[string, unknown, string]>([
    ['a forgotten await', Promise.resolve(), 'a Promise (did you forget `await`?)'],
    ['a bare device', webGpuObject('createBindGroupLayout'), 'a GPUDevice'],
    ['an adapter', webGpuObject('requestDevice'), 'a GPUAdapter'],
    ['navigator.gpu', webGpuObject('requestAdapter'), 'navigator.gpu'],
    ['nothing', undefined, 'undefined'],
    ['null', null, 'null'],
  ])('refuses %s and says what to pass', (_, gpu, value) => {
    expect(() => checkGpu(gpu)).toThrow(ArgumentError);
    expect(() => checkGpu(gpu)).toThrow(
      `gpu is ${value}, but it must be the result of \`await requestGpu(…)\` or of \`wrapDevice(device)\`.`,
    );
  });
});

describe('requestGpu', () => {
  beforeEach(() => {
    vi.stubGlobal('GPUShaderStage', { COMPUTE: 4 });
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  /** Makes a stand-in for navigator.gpu. Its adapter creates devices and records the requests. */
  function provider(limits: Readonly<Record<string, number>> = {}, features: readonly string[] = []) {
    const requests: GPUDeviceDescriptor[] = [];
    const adapter = {
      limits: { ...DEFAULT_LIMITS, ...limits },
      features: new Set(features),
      info: { vendor: 'test' },
      async requestDevice(descriptor: GPUDeviceDescriptor) {
        requests.push(descriptor);
        return {
          lost: new Promise(() => undefined),
          features: new Set(descriptor.requiredFeatures),
          limits: { ...DEFAULT_LIMITS, ...descriptor.requiredLimits },
          createBindGroupLayout: () => ({}),
        };
      },
    };
    const adapterRequests: (GPURequestAdapterOptions | undefined)[] = [];
    const gpu = {
      async requestAdapter(options?: GPURequestAdapterOptions) {
        adapterRequests.push(options);
        return adapter;
      },
    };
    return { requests, adapterRequests, adapter, gpu: gpu as unknown as GPU };
  }

  it.each([new Error('the browser blocks it'), 'the browser blocks it'])(
    'says so if the request for an adapter is rejected with %o',
    async (reason) => {
      const gpu = { requestAdapter: () => Promise.reject(reason) } as unknown as GPU;
      const attempt = requestGpu({ particles: 1, dimensions: 2, gpu });
      await expect(attempt).rejects.toThrow(GpuError);
      await expect(attempt).rejects.toThrow(/^WebGPU gave no adapter: the browser blocks it$/);
    },
  );

  it.each<[string, string, object, RegExp]>([
    ['particles', '-1', { particles: -1 }, /a whole number from 0/],
    ['particles', 'NaN', { particles: NOT_A_NUMBER }, /a whole number/],
    ['particles', 'undefined', { particles: undefined }, /a whole number/],
    ['dimensions', '"2"', { dimensions: '2' }, /2 or 3/],
    ['cells', '0.5', { cells: 0.5 }, /a whole number from 0 to 2147483644/],
    ['request.particels', '3', { particels: 3 }, /one of particles/],
    ['requiredFeatures', '"subgroups"', { requiredFeatures: 'subgroups' }, /names of features/],
    ['requiredFeatures', '7', { requiredFeatures: 7 }, /a list of at most/],
    ['requiredLimits', '7', { requiredLimits: 7 }, /an object/],
    ['requiredLimits', 'null', { requiredLimits: null }, /an object/],
  ])('rejects %s = %s before it requests an adapter', async (argument, value, changes, accepted) => {
    const { gpu, adapterRequests } = provider();
    const request = { particles: 1, dimensions: 2, gpu, ...changes } as GpuRequest;
    await expectRefusal(requestGpu(request), argument, value, accepted);
    expect(adapterRequests).toEqual([]);
  });

  it('says what is missing: WebGPU, a secure context, an adapter or a device', async () => {
    vi.stubGlobal('navigator', {});
    const request = { particles: 1, dimensions: 2 } as const;
    const outcome = (options: GpuRequest) => requestGpu(options).catch((error: unknown) => error as GpuError);
    expect(await outcome(request)).toMatchObject({ reason: 'unsupported', message: /cellstorm\/cpu/ });
    vi.stubGlobal('isSecureContext', false);
    expect(await outcome(request)).toMatchObject({ reason: 'insecure', message: /https/ });
    const none = { requestAdapter: async () => null } as unknown as GPU;
    const refused = await outcome({ ...request, gpu: none });
    expect(refused).toBeInstanceOf(GpuError);
    expect(refused).toMatchObject({ reason: 'no-adapter', message: /offers no adapter/ });
    const { gpu, adapter } = provider();
    adapter.requestDevice = async () => {
      throw new TypeError('not today');
    };
    expect(await outcome({ ...request, gpu })).toMatchObject({ reason: 'validation', message: /not today/ });
    for (const error of [await outcome(request), refused]) expect(error).toBeInstanceOf(CellstormError);
  });

  it('names the exceeded limit and what would fit, before it requests a device', async () => {
    const { gpu, requests } = provider();
    const attempt = requestGpu({ particles: 20_000_000, dimensions: 3, gpu });
    await expect(attempt).rejects.toBeInstanceOf(LimitError);
    await expect(attempt).rejects.toMatchObject({
      limit: 'maxStorageBufferBindingSize',
      message: expect.stringMatching(
        /^20000000 particles in \d+ cells need a buffer of 320000000 bytes, but this device's maxStorageBufferBindingSize is 134217728: at most 8388608 particles in the default box fit, or any number up to 8388608 in at most 33554424 cells\.$/,
      ),
    });
    await expect(
      requestGpu({ particles: 8_388_608, cells: 33_554_424, dimensions: 3, gpu }),
    ).resolves.toBeDefined();
    await expect(requestGpu({ particles: 8_388_609, cells: 1, dimensions: 3, gpu })).rejects.toThrow(/fit/);
    await expect(requestGpu({ particles: 1, cells: 33_554_425, dimensions: 3, gpu })).rejects.toThrow(/fit/);
    expect(requests).toHaveLength(1);
  });

  it('requests only the limits that it needs, and optional features if the adapter has them', async () => {
    const roomy = { maxStorageBufferBindingSize: 2 ** 31, maxBufferSize: 2 ** 32 };
    const { gpu, requests, adapterRequests } = provider(roomy, ['timestamp-query', 'shader-f16']);
    const small = await requestGpu({ particles: 1000, dimensions: 2, gpu });
    expect(requests[0]).toMatchObject({
      requiredFeatures: ['timestamp-query'],
      requiredLimits: { maxStorageBufferBindingSize: 128 * 2 ** 20, maxBufferSize: 256 * 2 ** 20 },
    });
    expect([small.timestamps, small.workgroupsPerDimension]).toEqual([true, 65_535]);
    expect(small.info).toEqual({ vendor: 'test' });
    await requestGpu({ particles: 40_000_000, cells: 100, dimensions: 2, gpu, powerPreference: 'low-power' });
    const bytes = 8 * 40_000_000;
    expect(requests[1]?.requiredLimits).toEqual({ maxStorageBufferBindingSize: bytes, maxBufferSize: bytes });
    expect(adapterRequests).toEqual([{}, { powerPreference: 'low-power' }]);
    const { gpu: plain, requests: others } = provider();
    const bare = await requestGpu({ particles: 0, dimensions: 3, gpu: plain });
    expect(others[0]?.requiredFeatures).toEqual([]);
    expect(bare.timestamps).toBe(false);
  });

  it('merges the features and limits that the caller requires with its own', async () => {
    const roomy = { maxStorageBufferBindingSize: 2 ** 31, maxBufferSize: 2 ** 32, maxBindGroups: 8 };
    const { gpu, requests } = provider(roomy, ['timestamp-query', 'shader-f16']);
    await requestGpu({
      particles: 40_000_000,
      cells: 100,
      dimensions: 2,
      gpu,
      requiredFeatures: ['shader-f16', 'timestamp-query'],
      requiredLimits: {
        maxBufferSize: 2 ** 30,
        maxStorageBufferBindingSize: 1,
        maxBindGroups: 6,
        none: undefined,
      },
    });
    expect(requests[0]?.requiredFeatures).toEqual(['timestamp-query', 'shader-f16']);
    expect(requests[0]?.requiredLimits).toEqual({
      maxStorageBufferBindingSize: 8 * 40_000_000,
      maxBufferSize: 2 ** 30,
      maxBindGroups: 6,
    });
  });

  it('refuses features and limits that the adapter does not offer, before it requests a device', async () => {
    const more = { minUniformBufferOffsetAlignment: 256 };
    const { gpu, requests } = provider(more, ['subgroups', 'float32-blendable']);
    const attempt = (request: object) =>
      requestGpu({ particles: 1, dimensions: 2, gpu, ...request }).catch((error: unknown) => error);
    const outcomes = [
      [
        { requiredFeatures: ['subgroups', 'shader-f16'] },
        'requiredFeatures is "shader-f16", but it must be one of subgroups, float32-blendable, which this adapter has.',
      ],
      [
        { requiredLimits: { maxBuffersSize: 1 } },
        'requiredLimits.maxBuffersSize is 1, but it must be left out: it is no limit.',
      ],
      [
        { requiredLimits: { maxBufferSize: 2 ** 40 } },
        'requiredLimits.maxBufferSize is 1099511627776, but it must be a whole number from 0 to 268435456.',
      ],
      [
        { requiredLimits: { minUniformBufferOffsetAlignment: 32 } },
        'requiredLimits.minUniformBufferOffsetAlignment is 32, but it must be a whole number from 256 to 2147483648.',
      ],
    ] as const;
    for (const [request, message] of outcomes) {
      expect(await attempt(request)).toMatchObject({ name: 'ArgumentError', message });
    }
    expect(requests).toEqual([]);
    await attempt({ requiredLimits: { minUniformBufferOffsetAlignment: 512 } });
    expect(requests).toHaveLength(1);
  });

  it('grants a device for as many particles as greatestCount finds, and refuses one for 1% more', async () => {
    const cases: [Limits, 2 | 3, string, 'particles' | 'cells'][] = [
      [{}, 2, 'maxStorageBufferBindingSize', 'cells'],
      [{}, 3, 'maxStorageBufferBindingSize', 'particles'],
      [{ maxBufferSize: 4000 }, 2, 'maxBufferSize', 'cells'],
    ];
    for (const [changes, dimensions, limit, buffer] of cases) {
      const limits = { ...DEFAULT_LIMITS, ...changes };
      const fit = greatestCount(limits as unknown as GPUSupportedLimits, dimensions);
      expect(fit).toMatchObject({ limit, buffer });
      const { gpu } = provider(limits);
      const { particles } = fit;
      await expect(requestGpu({ particles, dimensions, gpu })).resolves.toBeDefined();
      const more = requestGpu({ particles: particles + Math.ceil(particles / 100), dimensions, gpu });
      await expect(more).rejects.toBeInstanceOf(LimitError);
    }
    const folded = { ...DEFAULT_LIMITS, maxComputeWorkgroupsPerDimension: 2 };
    expect(greatestCount(folded as unknown as GPUSupportedLimits, 2)).toMatchObject({
      particles: 1024,
      limit: 'maxComputeWorkgroupsPerDimension',
    });
  });

  it('requests enough cells for the default world of any number of particles', () => {
    for (const dimensions of [2, 3] as const) {
      for (const capacity of [0, 1, 1000, 1_000_000, 10_000_000]) {
        for (const radius of [0.5, 0.1, 1 / 3]) {
          const { world } = planSimulation({ dimensions, capacity, radius });
          expect(world.cellCount).toBeLessThanOrEqual(defaultCellCount(dimensions, capacity));
        }
      }
    }
  });
});
