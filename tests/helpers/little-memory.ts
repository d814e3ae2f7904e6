/** Calls `run` while every Uint32Array of more than `words` elements fails to allocate. */
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
