/** GPU tests on a device that is made up, so that it reports what no real device reports on demand. */
import { describe, expect, test, vi } from 'vitest';
import { createGpuTest, type GpuTestOptions, type TestFunction } from '../../../src/testing/gpu-test';

interface Story {
  /** The error that each scope reports. */
  readonly scopes?: Readonly<Record<string, string>>;
  readonly uncaptured?: string;
  readonly lost?: { readonly reason: string; readonly message: string };
}

/** Returns WebGPU whose devices report what the story says, while the body runs. */
function made({ scopes = {}, uncaptured, lost }: Story): { gpu: () => GPU; tell: () => Promise<void> } {
  const stack: string[] = [];
  let lose: (info: unknown) => void = () => undefined;
  const device = {
    onuncapturederror: (_: unknown) => undefined,
    lost: new Promise((done) => {
      lose = done;
    }),
    queue: { onSubmittedWorkDone: () => Promise.resolve() },
    createBuffer: () => ({}),
    createTexture: () => ({}),
    createQuerySet: () => ({}),
    pushErrorScope: (scope: string) => stack.push(scope),
    popErrorScope: () => {
      const message = scopes[stack.pop() ?? ''];
      return Promise.resolve(message === undefined ? null : { message });
    },
    destroy: () => undefined,
  };
  const adapter = { features: new Set(), requestDevice: () => Promise.resolve(device) };
  const gpu = { requestAdapter: () => Promise.resolve(adapter) } as unknown as GPU;
  return {
    gpu: () => gpu,
    async tell() {
      if (uncaptured !== undefined) device.onuncapturederror({ error: { message: uncaptured } });
      if (lost !== undefined) lose(lost);
      await Promise.resolve();
    },
  };
}

async function outcome(story: Story, thrown?: Error): Promise<string> {
  const { gpu, tell } = made(story);
  const run = createGpuTest(() => undefined, { gpu }).withDevice(async () => {
    await tell();
    if (thrown) throw thrown;
  });
  return run.then(
    () => 'passed',
    (error: Error) => error.message,
  );
}

describe('a GPU test', () => {
  test.each<[string, Story, string]>([
    ['passes if nothing is reported', {}, 'passed'],
    ['fails on validation', { scopes: { validation: 'wrong usage' } }, 'validation error: wrong usage'],
    ['fails without memory', { scopes: { 'out-of-memory': 'too large' } }, 'out-of-memory error: too large'],
    ['fails on an internal error', { scopes: { internal: 'compiler' } }, 'internal error: compiler'],
    ['fails on an error that no scope caught', { uncaptured: 'late' }, 'uncaptured error: late'],
    [
      'fails if the device is lost',
      { lost: { reason: 'unknown', message: 'driver gone' } },
      'device lost (unknown): driver gone',
    ],
    ['may destroy its device', { lost: { reason: 'destroyed', message: '' } }, 'passed'],
  ])('%s', async (_, story, expected) => {
    expect(await outcome(story)).toBe(expected === 'passed' ? expected : `The GPU reported:\n${expected}`);
  });

  test('adds the reports to the error of its body', async () => {
    const message = await outcome({ scopes: { validation: 'wrong usage' } }, new Error('mine'));
    expect(message).toBe('mine\nThe GPU also reported:\nvalidation error: wrong usage');
  });
});

describe('createGpuTest', () => {
  const register = (defaults: GpuTestOptions, ...rest: [GpuTestOptions?]) => {
    const runner = vi.fn<TestFunction>();
    const gpuTest = createGpuTest(runner, defaults);
    const [options] = rest;
    if (options) gpuTest('name', options, () => undefined);
    else gpuTest('name', () => undefined);
    return runner.mock.calls[0]?.slice(0, 2);
  };

  test('passes options of the runner on, and keeps its own', () => {
    expect(register({})).toEqual(['name', { timeout: 60_000 }]);
    expect(register({ timeout: 5, leaks: 'allow', driver: 'software' })).toEqual(['name', { timeout: 5 }]);
    expect(register({ timeout: undefined }, { shared: true, limits: {}, skip: true, tags: 'slow' })).toEqual([
      'name',
      { skip: true, tags: 'slow' },
    ]);
  });

  test('rejects what is no test function and no body', () => {
    expect(() => createGpuTest('test' as never)).toThrow('test is "test", but it must be a function.');
    expect(() => createGpuTest(test)('name', { shared: true } as never)).toThrow('body is an object');
  });
});
