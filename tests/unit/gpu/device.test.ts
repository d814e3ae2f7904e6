/**
 * Bad input to the GPU engine: a typed error of one sentence that names the argument, the value and what is
 * accepted, before the device is used. The device of these tests offers its limits only.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ArgumentError, CellstormError, GpuError, LimitError } from '../../../src/core/base/errors';
import { defaultCellCount, planSimulation } from '../../../src/core/simulation/plan';
import type { SimulationOptions } from '../../../src/core/simulation/simulation';
import { HashGrid, type HashGridOptions } from '../../../src/engine/grid/hash-grid';
import { createSimulation } from '../../../src/engine/simulation/simulation';
import { type Gpu, type GpuRequest, greatestCount, requestGpu, wrapDevice } from '../../../src/gpu/device';

const DEFAULT_LIMITS = {
  maxStorageBufferBindingSize: 128 * 2 ** 20,
  maxBufferSize: 256 * 2 ** 20,
  maxStorageBuffersPerShaderStage: 8,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupStorageSize: 16_384,
  maxComputeWorkgroupsPerDimension: 65_535,
} as const;

type Limits = { readonly [Name in keyof typeof DEFAULT_LIMITS]?: number };

function untouchable(limits: Limits = {}): Gpu {
  const device = new Proxy({} as GPUDevice, {
    get(_, name) {
      if (name === 'limits') return { ...DEFAULT_LIMITS, ...limits };
      throw new Error(`The device's ${String(name)} was used.`);
    },
  });
  return {
    device,
    info: undefined,
    timestamps: false,
    subgroups: false,
    workgroupsPerDimension: limits.maxComputeWorkgroupsPerDimension ?? 65_535,
    get sharedLayout(): GPUBindGroupLayout {
      throw new Error('The layout was used.');
    },
    lost: undefined,
    checkAlive: () => undefined,
    destroy: () => undefined,
  };
}

/** Matches one sentence: it begins with the argument and has one full stop, at the end, besides those in numbers. */
async function expectRefusal(
  attempt: Promise<unknown>,
  argument: string,
  value: string,
  accepted: RegExp,
): Promise<void> {
  const error = await attempt.then(
    () => expect.fail(`${argument} was accepted.`),
    (caught: unknown) => caught,
  );
  if (!(error instanceof ArgumentError)) expect.fail(`${argument}: ${error}`);
  expect(error.argument).toBe(argument);
  expect(error.message.startsWith(`${argument} is ${value}, but it must be `)).toBe(true);
  expect(error.message.slice(error.message.indexOf(', but'))).toMatch(accepted);
  expect(error.message.endsWith('.')).toBe(true);
  expect(error.message).not.toMatch(/\.\s+[A-Z]|\n/);
}

const { NaN: NOT_A_NUMBER, POSITIVE_INFINITY: INFINITE } = Number;

describe('createSimulation rejects', () => {
  const good: SimulationOptions = {
    dimensions: 2,
    radius: 0.5,
    min: [0, 0],
    max: [10, 10],
    positions: Float32Array.of(1, 1, 2, 2),
  };

  it.each<[string, string, object, RegExp]>([
    ['dimensions', '4', { dimensions: 4 }, /2 or 3/],
    ['dimensions', 'undefined', { dimensions: undefined }, /2 or 3/],
    ['radius', '0', { radius: 0 }, /greater than 0/],
    ['radius', '-1', { radius: -1 }, /greater than 0/],
    ['radius', 'NaN', { radius: NOT_A_NUMBER }, /greater than 0/],
    ['radius', 'Infinity', { radius: INFINITE }, /greater than 0/],
    ['radius', '"1"', { radius: '1' }, /greater than 0/],
    ['radius', 'undefined', { radius: undefined }, /greater than 0/],
    ['positions[3] (particle 1)', 'NaN', { positions: Float32Array.of(1, 1, 2, NOT_A_NUMBER) }, /finite/],
    ['positions[0] (particle 0)', 'Infinity', { positions: Float32Array.of(1e39, 1) }, /finite/],
    ['positions', '[1, 2]', { positions: [1, 2] }, /a Float32Array with 2 numbers per particle/],
    ['positions.length', '3', { positions: new Float32Array(3) }, /2 \(2 numbers for each of 1/],
    ['velocities[1] (particle 0)', 'Infinity', { velocities: Float32Array.of(0, INFINITE, 0, 0) }, /finite/],
    ['velocities.length', '2', { velocities: new Float32Array(2) }, /4 \(2 numbers for each of 2/],
    ['velocities', 'a Float64Array of 32 bytes', { velocities: new Float64Array(4) }, /a Float32Array/],
    ['capacity', '-1', { capacity: -1 }, /a whole number from 0 to 2147483647/],
    ['capacity', '1.5', { capacity: 1.5 }, /a whole number/],
    ['capacity', 'NaN', { capacity: NOT_A_NUMBER }, /a whole number/],
    ['capacity', '2147483648', { capacity: 2 ** 31 }, /from 0 to 2147483647/],
    ['positions', 'a Float32Array of 16 bytes', { capacity: 1 }, /at most 1 particle \(/],
    ['world.cellSize', '0.99', { cellSize: 0.99 }, /at least the largest diameter, 1/],
    ['world.cellSize', 'NaN', { cellSize: NOT_A_NUMBER }, /a finite number/],
    ['world.min', '[0]', { min: [0] }, /2 finite numbers/],
    ['world.min[1]', 'NaN', { min: [0, NOT_A_NUMBER] }, /a finite number/],
    ['world.max[0]', 'Infinity', { max: [INFINITE, 10] }, /a finite number/],
    ['world.max[1]', '0.5', { max: [10, 0.5] }, /at least world\.min\[1\] \+ one diameter = 1/],
    ['world', '[1000002, 12]', { max: [1e6, 10] }, /at most 524288 cells along an axis/],
    ['world', '[500002, 500002]', { max: [5e5, 5e5] }, /and 2147483644 in all/],
    ['gravity', '[1, 2, 3]', { gravity: [1, 2, 3] }, /2 finite numbers/],
    ['restitution', '2', { restitution: 2 }, /from 0 to 1/],
    ['friction', '-1', { friction: -1 }, /from 0 to 10/],
    ['substeps', '0', { substeps: 0 }, /from 1 to 256/],
    ['relaxation', '0', { relaxation: 0 }, /from 0\.01 to 1/],
    ['walls', '1', { walls: 1 }, /true or false/],
    ['broadPhase', '"tree"', { broadPhase: 'tree' }, /'grid' or 'naive'/],
    ['options.raduis', '1', { raduis: 1 }, /one of .*radius/],
  ])('%s = %s', async (argument, value, changes, accepted) => {
    const options = { ...good, ...changes } as SimulationOptions;
    await expectRefusal(createSimulation(untouchable(), options), argument, value, accepted);
  });

  it.each([undefined, null, 7])('the options %s', async (options) => {
    const attempt = createSimulation(untouchable(), options as unknown as SimulationOptions);
    await expect(attempt).rejects.toThrow(/^options is .*, but it must be an object/);
  });

  it.each<[string, Limits, Partial<SimulationOptions>, RegExp]>([
    [
      'maxStorageBufferBindingSize',
      {},
      { capacity: 17_000_000 },
      /^17000000 particles in \d+ cells need a buffer of 136000000 bytes, but .* request it with particles: 17000000, cells: \d+\.$/,
    ],
    [
      'maxStorageBufferBindingSize',
      {},
      { max: [6000, 6000] },
      /^2 particles in 36024004 cells need a buffer of \d+ bytes/,
    ],
    ['maxBufferSize', { maxBufferSize: 500 }, {}, /maxBufferSize of 500; request/],
    [
      'maxStorageBuffersPerShaderStage',
      { maxStorageBuffersPerShaderStage: 4 },
      {},
      /^This device's maxStorageBuffersPerShaderStage is 4, but cellstorm needs 8\.$/,
    ],
    [
      'maxComputeInvocationsPerWorkgroup',
      { maxComputeInvocationsPerWorkgroup: 128 },
      {},
      /is 128, but cellstorm needs 256/,
    ],
    [
      'maxComputeWorkgroupStorageSize',
      { maxComputeWorkgroupStorageSize: 1024 },
      {},
      /is 1024, but cellstorm needs 16384/,
    ],
    [
      'maxComputeWorkgroupsPerDimension',
      { maxComputeWorkgroupsPerDimension: 2 },
      { capacity: 1025 },
      /^1025 particles .* need 5 workgroups, .* of 2 holds 4: at most 1024 particles in 16381 cells fit\.$/,
    ],
  ])('options beyond %s', async (limit, limits, changes, message) => {
    const attempt = createSimulation(untouchable(limits), { ...good, ...changes });
    await expect(attempt).rejects.toBeInstanceOf(LimitError);
    await expect(attempt).rejects.toMatchObject({ limit, message: expect.stringMatching(message) });
  });

  it('accepts options just within the limits, and only then uses the device', async () => {
    const fits = { ...good, capacity: 1024, max: [100, 100] };
    const attempt = createSimulation(untouchable({ maxComputeWorkgroupsPerDimension: 2 }), fits);
    await expect(attempt).rejects.toThrow(/was used/);
    const large = { ...good, capacity: 2 ** 24, max: [5788, 5788] };
    await expect(createSimulation(untouchable(), large)).rejects.toThrow(/was used/);
  });
});

describe('HashGrid.create rejects', () => {
  const good: HashGridOptions = { dimensions: 3, min: [0, 0, 0], max: [9, 9, 9], diameter: 1, capacity: 10 };

  it.each<[string, string, object, RegExp]>([
    ['dimensions', '1', { dimensions: 1 }, /2 or 3/],
    ['capacity', '-1', { capacity: -1 }, /a whole number from 0/],
    ['capacity', 'undefined', { capacity: undefined }, /a whole number from 0/],
    ['diameter', '0', { diameter: 0 }, /from 2\^-40 to 2\^60/],
    ['diameter', 'NaN', { diameter: NOT_A_NUMBER }, /from 2\^-40/],
    ['world.cellSize', '0.5', { cellSize: 0.5 }, /at least the largest diameter, 1/],
    ['world.min', '[0, 0]', { min: [0, 0] }, /3 finite numbers/],
    ['world.max[2]', '0', { max: [9, 9, 0] }, /at least world\.min\[2\] \+ one diameter/],
    ['world', '[3002, 3002, 3002]', { max: [3000, 3000, 3000] }, /2147483644 in all/],
    ['options.size', '2', { size: 2 }, /one of min, max, periodic, unbounded/],
  ])('%s = %s', async (argument, value, changes, accepted) => {
    const options = { ...good, ...changes } as HashGridOptions;
    await expectRefusal(HashGrid.create(untouchable(), options), argument, value, accepted);
  });

  it('options beyond a limit', async () => {
    const attempt = HashGrid.create(untouchable(), { ...good, capacity: 9_000_000 });
    await expect(attempt).rejects.toMatchObject({ name: 'LimitError', limit: 'maxStorageBufferBindingSize' });
    const wide = HashGrid.create(untouchable(), { ...good, max: [400, 400, 400] });
    await expect(wide).rejects.toThrow(/^10 particles in 64964808 cells need a buffer of \d+ bytes/);
  });
});

describe('wrapDevice', () => {
  it.each([undefined, null, 7, {}])('rejects %s', (device) => {
    const attempt = () => wrapDevice(device as unknown as GPUDevice);
    expect(attempt).toThrow(ArgumentError);
    expect(attempt).toThrow(/^device is .*, but it must be a GPUDevice\.$/);
  });
});

describe('requestGpu', () => {
  beforeEach(() => {
    vi.stubGlobal('GPUShaderStage', { COMPUTE: 4 });
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  /** An adapter that creates devices and records the requests. */
  function provider(limits: Limits = {}, features: readonly string[] = []) {
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

  it.each<[string, string, object, RegExp]>([
    ['particles', '-1', { particles: -1 }, /a whole number from 0/],
    ['particles', 'NaN', { particles: NOT_A_NUMBER }, /a whole number/],
    ['particles', 'undefined', { particles: undefined }, /a whole number/],
    ['dimensions', '"2"', { dimensions: '2' }, /2 or 3/],
    ['cells', '0.5', { cells: 0.5 }, /a whole number from 0 to 2147483644/],
    ['request.particels', '3', { particels: 3 }, /one of particles/],
  ])('rejects %s = %s before it requests an adapter', async (argument, value, changes, accepted) => {
    const { gpu, adapterRequests } = provider();
    const request = { particles: 1, dimensions: 2, gpu, ...changes } as GpuRequest;
    await expectRefusal(requestGpu(request), argument, value, accepted);
    expect(adapterRequests).toEqual([]);
  });

  it('says whether WebGPU, a secure context, an adapter or a device is missing', async () => {
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
    const { gpu, requests, adapterRequests } = provider(roomy, [
      'subgroups',
      'timestamp-query',
      'shader-f16',
    ]);
    const small = await requestGpu({ particles: 1000, dimensions: 2, gpu });
    expect(requests[0]).toMatchObject({
      requiredFeatures: ['timestamp-query', 'subgroups'],
      requiredLimits: { maxStorageBufferBindingSize: 128 * 2 ** 20, maxBufferSize: 256 * 2 ** 20 },
    });
    expect([small.timestamps, small.subgroups, small.workgroupsPerDimension]).toEqual([true, true, 65_535]);
    expect(small.info).toEqual({ vendor: 'test' });
    await requestGpu({ particles: 40_000_000, cells: 100, dimensions: 2, gpu, powerPreference: 'low-power' });
    const bytes = 8 * 40_000_000;
    expect(requests[1]?.requiredLimits).toEqual({ maxStorageBufferBindingSize: bytes, maxBufferSize: bytes });
    expect(adapterRequests).toEqual([{}, { powerPreference: 'low-power' }]);
    const { gpu: plain, requests: others } = provider();
    const bare = await requestGpu({ particles: 0, dimensions: 3, gpu: plain });
    expect(others[0]?.requiredFeatures).toEqual([]);
    expect([bare.timestamps, bare.subgroups]).toEqual([false, false]);
  });

  it('finds a greatest number of particles: it is granted, and one percent more is not', async () => {
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
