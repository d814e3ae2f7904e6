import { describe, expect, test, vi } from 'vitest';
import type { GpuTestBody } from '../../../src/testing/gpu-session';
import { createGpuTest, type GpuTestOptions, type TestFunction } from '../../../src/testing/gpu-test';

/** The errors that a fake device reports. */
interface Reports {
  /** An error per kind of error scope. */
  readonly scopes?: Readonly<Record<string, string>>;
  readonly uncaptured?: string;
  readonly lost?: { readonly reason: string; readonly message: string };
}

/**
 * Returns a fake WebGPU, because real devices do not report errors on demand. Its device reports the error of a scope
 * when the scope is popped, unless the device is destroyed. It reports everything else when the body calls `tell`.
 */
function made({ scopes = {}, uncaptured, lost }: Reports): { gpu: () => GPU; tell: () => Promise<void> } {
  const stack: string[] = [];
  let isDestroyed = false;
  let lose: (info: unknown) => void = () => undefined;
  const device = {
    onuncapturederror: (_: unknown) => undefined,
    lost: new Promise((done) => {
      lose = done;
    }),
    stack,
    queue: { onSubmittedWorkDone: () => Promise.resolve() },
    createBuffer: () => ({}),
    createTexture: () => ({}),
    createQuerySet: () => ({}),
    pushErrorScope: (scope: string) => stack.push(scope),
    popErrorScope: () => {
      const message = scopes[stack.pop() ?? ''];
      return Promise.resolve(message === undefined || isDestroyed ? null : { message });
    },
    destroy: () => {
      isDestroyed = true;
    },
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

async function outcome(reports: Reports, thrown?: Error): Promise<string> {
  const { gpu, tell } = made(reports);
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
  test.each<[string, Reports, string]>([
    ['passes if nothing is reported', {}, 'passed'],
    [
      'fails on a validation error',
      { scopes: { validation: 'wrong usage' } },
      'validation error: wrong usage',
    ],
    [
      'fails if memory runs out',
      { scopes: { 'out-of-memory': 'too large' } },
      'out-of-memory error: too large',
    ],
    ['fails on an internal error', { scopes: { internal: 'compiler' } }, 'internal error: compiler'],
    ['fails on an error that no scope caught', { uncaptured: 'late' }, 'uncaptured error: late'],
    [
      'fails if the device is lost',
      { lost: { reason: 'unknown', message: 'driver gone' } },
      'device lost (unknown): driver gone',
    ],
    ['may destroy its device', { lost: { reason: 'destroyed', message: '' } }, 'passed'],
  ])('%s', async (_, reports, expected) => {
    expect(await outcome(reports)).toBe(expected === 'passed' ? expected : `The GPU reported:\n${expected}`);
  });

  test.each([new Error('mine'), new DOMException('mine')])(
    'adds the reports to the error of its body ($constructor.name)',
    async (error) => {
      const message = await outcome({ scopes: { validation: 'wrong usage' } }, error);
      expect(message).toBe('mine\nThe GPU also reported:\nvalidation error: wrong usage');
    },
  );
});

describe('the error scopes of a GPU test', () => {
  const withDevice = (body: GpuTestBody) => {
    const { gpu } = made({ scopes: { validation: 'wrong usage' } });
    return createGpuTest(() => undefined, { gpu }).withDevice(body);
  };

  test('are read before the body destroys the device', async () => {
    await expect(withDevice((device) => device.destroy())).rejects.toThrow('validation error: wrong usage');
  });

  test('cannot be popped by the body', async () => {
    const popAndGoOn = withDevice(async (device) => {
      await expect(device.popErrorScope()).rejects.toThrow('no scope that the test pushed');
    });
    await expect(popAndGoOn).rejects.toThrow('The GPU reported:\nvalidation error: wrong usage');
  });

  test('are all closed, even if the body leaves a scope open', async () => {
    const shared = createGpuTest(() => undefined, { gpu: made({}).gpu, shared: true });
    const depths: number[] = [];
    for (let run = 0; run < 2; run++) {
      await shared.withDevice(async (device) => {
        device.pushErrorScope('validation');
        await device.popErrorScope();
        device.pushErrorScope('internal');
        depths.push((device as unknown as { stack: string[] }).stack.length);
      });
    }
    expect(depths).toEqual([4, 4]);
  });
});

describe('bodies on a shared device', () => {
  const pause = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));
  const kit = (defaults: GpuTestOptions = {}) => {
    const open = vi.fn(made({}).gpu);
    return { open, ...createGpuTest(() => undefined, { gpu: open, shared: true, ...defaults }) };
  };

  test('run one after another, also after a body that fails', async () => {
    const { open, withDevice } = kit();
    const log: string[] = [];
    const body = (name: string) =>
      withDevice(async () => {
        log.push(`${name} starts`);
        await pause(5);
        log.push(`${name} ends`);
        if (name === 'a') throw new Error('mine');
      });
    const runs = [body('a'), body('b'), body('c')];
    await expect(runs[0]).rejects.toThrow('mine');
    await Promise.all(runs.slice(1));
    expect(log).toEqual(['a starts', 'a ends', 'b starts', 'b ends', 'c starts', 'c ends']);
    expect(open).toHaveBeenCalledOnce();
  });

  test('stop waiting for a hanging body after its timeout, and get a new device', async () => {
    const { open, withDevice } = kit({ timeout: 5 });
    void withDevice(() => new Promise(() => undefined));
    await withDevice(() => undefined);
    await withDevice(() => undefined);
    expect(open).toHaveBeenCalledTimes(2);
  });

  test.each([0, Number.POSITIVE_INFINITY])('keep their order with a timeout of %s', async (timeout) => {
    const { open, withDevice } = kit({ timeout });
    await Promise.all([withDevice(async () => void (await pause(5))), withDevice(() => undefined)]);
    expect(open).toHaveBeenCalledOnce();
  });

  test('are rejected inside another body on this device', async () => {
    const { withDevice } = kit();
    await expect(withDevice(() => withDevice(() => undefined))).rejects.toThrow(
      'options.shared is true, but it must be left out inside a body on the shared device.',
    );
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

  test('passes options of the runner on, but not its own options', () => {
    expect(register({})).toEqual(['name', { timeout: 60_000 }]);
    expect(register({ timeout: 5, leaks: 'allow', driver: 'software' })).toEqual(['name', { timeout: 5 }]);
    expect(register({ timeout: undefined }, { shared: true, limits: {}, skip: true, tags: 'slow' })).toEqual([
      'name',
      { skip: true, tags: 'slow' },
    ]);
  });

  test('passes on options that only one runner has', () => {
    const options = { concurrent: true, plan: 1 } as GpuTestOptions;
    expect(register({}, options)).toEqual(['name', { timeout: 60_000, concurrent: true, plan: 1 }]);
  });

  test.each([
    [null, '%s is null, but it must be an object with some of limits, features, '],
    [{ feature: [] }, '%s.feature is [], but it must be left out or renamed to one of limits, features, '],
    [{ leaks: 'ignore' }, `leaks is "ignore", but it must be 'fail' or 'allow'.`],
    [{ shared: 'yes' }, 'shared is "yes", but it must be true or false.'],
  ])('rejects the options %j', async (options, message) => {
    const given = options as never;
    expect(() => createGpuTest(test, given)).toThrow(message.replace('%s', 'defaults'));
    const kit = createGpuTest(() => undefined);
    const expected = message.replace('%s', 'options');
    expect(() => kit('name', given, () => undefined)).toThrow(expected);
    await expect(kit.withDevice(() => undefined, given)).rejects.toThrow(expected);
  });

  test('rejects a test function or a body that is not a function', () => {
    expect(() => createGpuTest('test' as never)).toThrow('test is "test", but it must be a function.');
    expect(() => createGpuTest(test)('name', { shared: true } as never)).toThrow('body is an object');
  });
});
