/** Dawn in Node: one driver a process, found by itself, and one sentence where there is none. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { GpuError } from '../../../src/core/base/errors';
import { openDawn } from '../../../src/node/dawn';
import { allowsNoGpu, testPreference } from '../../../src/testing/environment';

/** Where openDawn keeps what it opened, for the whole process. */
const OWNER = Symbol.for('cellstorm.dawn');
const owner = globalThis as { [OWNER]?: { readonly gpus: GPU[] } | undefined };

describe('openDawn', () => {
  // Other files have opened it in this process: here it is as if nobody had.
  const before = owner[OWNER];
  const manifest = process.env.VK_DRIVER_FILES;
  beforeAll(() => {
    owner[OWNER] = undefined;
  });
  afterAll(() => {
    // None may be collected.
    before?.gpus.push(...(owner[OWNER]?.gpus ?? []));
    owner[OWNER] = before;
    if (manifest !== undefined) process.env.VK_DRIVER_FILES = manifest;
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  test('refuses a driver that it does not know, and can be called again', async () => {
    vi.stubEnv('CELLSTORM_DRIVER', 'vulkan');
    await expect(openDawn()).rejects.toThrow('CELLSTORM_DRIVER is "vulkan", but it must be one of auto,');
  });

  test('says what to do where the driver is not there', async () => {
    vi.stubEnv('CELLSTORM_DRIVER', 'lavapipe');
    const outcome = await openDawn().catch((error: unknown) => error);
    // Recent versions of Mesa's driver are good enough for Dawn.
    if (outcome instanceof GpuError)
      expect(outcome.message).toMatch(/lavapipe.*To get a driver.*CPU backend\.$/);
    else expect(outcome).toMatchObject({ driver: 'lavapipe' });
  });

  test.skipIf(allowsNoGpu())('opens the driver of the tests once', async () => {
    const dawn = await openDawn({ driver: testPreference() });
    expect(await openDawn()).toBe(dawn);
    expect(await dawn.gpu.requestAdapter()).not.toBeNull();
    expect(GPUBufferUsage.STORAGE).toBe(0x80);
  });
});
