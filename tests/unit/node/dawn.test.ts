/** Tests the pauses between Dawn's polls on a software GPU. */
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { calmPolling } from '../../../src/node/dawn';

const genuine = globalThis.setImmediate;

/** Returns a function like a binding's callback: without a name or source. */
function nativeOf(callback: (...values: unknown[]) => void): (...values: unknown[]) => void {
  return new Proxy((...values: unknown[]) => callback(...values), {});
}

describe('calm polling', () => {
  afterEach(() => {
    globalThis.setImmediate = genuine;
    vi.restoreAllMocks();
  });

  it('pauses before it calls a callback of a binding, and passes the arguments on', async () => {
    const wait = vi.spyOn(Atomics, 'wait');
    calmPolling();
    expect(globalThis.setImmediate).not.toBe(genuine);
    let polls = 0;
    const values = await new Promise<unknown[]>((resolve) => {
      // A binding polls again as long as there is a device.
      const poll = nativeOf((...given) => {
        expect(wait).toHaveBeenCalledTimes(++polls);
        if (polls < 3) globalThis.setImmediate(poll, ...given);
        else resolve(given);
      });
      globalThis.setImmediate(poll, 'a', 2);
    });
    expect(values).toEqual(['a', 2]);
    for (const [, , , milliseconds] of wait.mock.calls) expect(milliseconds).toBe(1);
  });

  it('does not delay callbacks of programs, bound functions and promises included', async () => {
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
