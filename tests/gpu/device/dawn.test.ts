import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { GpuError } from '../../../src/core/base/errors';
import { openDawn } from '../../../src/node/dawn';
import { allowsNoGpu, testPreference } from '../../../src/testing/environment';

/** openDawn stores its result under this key. */
const OWNER = Symbol.for('cellstorm.dawn');
const owner = globalThis as { [OWNER]?: { readonly gpus: GPU[] } | undefined };

describe('openDawn', () => {
  // Other test files may have opened Dawn in this process.
  const before = owner[OWNER];
  const manifest = process.env.VK_DRIVER_FILES;
  beforeAll(() => {
    owner[OWNER] = undefined;
  });
  afterAll(() => {
    // Keep all GPU objects alive: Dawn crashes if one is collected.
    before?.gpus.push(...(owner[OWNER]?.gpus ?? []));
    owner[OWNER] = before;
    if (manifest !== undefined) process.env.VK_DRIVER_FILES = manifest;
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  // This test comes first: after openDawn succeeds, it returns the same result, whatever the driver.
  test('rejects an unknown driver', async () => {
    vi.stubEnv('CELLSTORM_DRIVER', 'vulkan');
    await expect(openDawn()).rejects.toThrow('CELLSTORM_DRIVER is "vulkan", but it must be one of auto,');
  });

  test('says what to do if the driver is missing', async () => {
    vi.stubEnv('CELLSTORM_DRIVER', 'lavapipe');
    const outcome = await openDawn().catch((error: unknown) => error);
    // Dawn accepts recent versions of Mesa's driver, so both outcomes are valid.
    if (outcome instanceof GpuError)
      expect(outcome.message).toMatch(/lavapipe.*To get a driver.*--backend cpu\.$/);
    else expect(outcome).toMatchObject({ driver: 'lavapipe' });
  });

  test.skipIf(allowsNoGpu())('opens the tests’ driver once', async () => {
    const dawn = await openDawn({ driver: testPreference() });
    expect(await openDawn()).toBe(dawn);
    expect(await dawn.gpu.requestAdapter()).not.toBeNull();
    expect(GPUBufferUsage.STORAGE).toBe(0x80);
  });
});
