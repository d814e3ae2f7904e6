/** The pauses between Dawn's questions on a software GPU: who is native waits, everybody else is called as ever. */
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { calmPolling } from '../../../src/node/dawn';

const genuine = globalThis.setImmediate;

/** As a binding's callback looks: without a name or source. */
function nativeOf(callback: (...values: unknown[]) => void): (...values: unknown[]) => void {
  return new Proxy((...values: unknown[]) => callback(...values), {});
}

describe('calm polling', () => {
  afterEach(() => {
    globalThis.setImmediate = genuine;
    vi.restoreAllMocks();
  });

  it('pauses before what a binding asks, and hands on its values', async () => {
    const wait = vi.spyOn(Atomics, 'wait');
    calmPolling();
    expect(globalThis.setImmediate).not.toBe(genuine);
    let asked = 0;
    const values = await new Promise<unknown[]>((resolve) => {
      // A binding asks again as long as there is a device.
      const poll = nativeOf((...given) => {
        expect(wait).toHaveBeenCalledTimes(++asked);
        if (asked < 3) globalThis.setImmediate(poll, ...given);
        else resolve(given);
      });
      globalThis.setImmediate(poll, 'a', 2);
    });
    expect(values).toEqual(['a', 2]);
    // It ends by itself.
    for (const [, , , milliseconds] of wait.mock.calls) expect(milliseconds).toBe(1);
  });

  it('lets programs be, bound functions and promises included', async () => {
    const wait = vi.spyOn(Atomics, 'wait');
    calmPolling();
    const plain = vi.fn();
    const named = await new Promise((resolve) => {
      globalThis.setImmediate(plain, 1, 2);
      globalThis.setImmediate(resolve.bind(undefined), 'bound');
    });
    expect(named).toBe('bound');
    expect(plain).toHaveBeenCalledExactlyOnceWith(1, 2);
    await expect(promisify(globalThis.setImmediate)('kept')).resolves.toBe('kept');
    const cleared = vi.fn();
    clearImmediate(globalThis.setImmediate(nativeOf(cleared)));
    await new Promise((done) => genuine(done));
    expect(cleared).not.toHaveBeenCalled();
    expect(wait).not.toHaveBeenCalled();
  });
});
