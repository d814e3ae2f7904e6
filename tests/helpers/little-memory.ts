/** Purpose: a JavaScript engine that has little memory left, as code that lists pairs sees it. */

/** Runs with an engine that allocates no Uint32Array of more than so many words. */
export function withLittleMemory(words: number, run: () => void): void {
  const { Uint32Array: whole } = globalThis;
  const little = new Proxy(whole, {
    construct(target, given) {
      if (given[0] > words) throw new RangeError(`Invalid typed array length: ${given[0]}`);
      return Reflect.construct(target, given);
    },
  });
  globalThis.Uint32Array = little;
  try {
    run();
  } finally {
    globalThis.Uint32Array = whole;
  }
}
