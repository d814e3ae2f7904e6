/** The errors that cellstorm throws. */

/** The base class of all errors that cellstorm throws. */
export class CellstormError extends Error {
  /** Name of the class. */
  override name = 'CellstormError';
}

/** A value that error messages print as it is, without quotes. */
export class Phrase {
  constructor(readonly words: string) {}
}

/** Returns, for instance, "1 particle" or "2 particles". */
export function describeCount(count: number, noun = 'particle'): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** An argument is malformed or out of range. The message names the argument, its value and what is accepted. */
export class ArgumentError extends CellstormError {
  /** Name of the class. */
  override name = 'ArgumentError';
  /** Name of the argument, such as `positions[3]`. */
  readonly argument: string;

  /** `accepted` completes the sentence "… but it must be". */
  constructor(argument: string, value: unknown, accepted: string) {
    super(`${argument} is ${describeValue(value)}, but it must be ${accepted}.`);
    this.argument = argument;
  }
}

/** A request exceeds a limit of the device, the memory or the chosen capacity. */
export class LimitError extends CellstormError {
  /** Name of the class. */
  override name = 'LimitError';
  /** Name of the exceeded limit. */
  readonly limit: string;
  /** How many particles would fit if the number of cells shrank in the same proportion; undefined if not known. */
  readonly fits: number | undefined;

  /** `fits` is undefined if not known. */
  constructor(limit: string, message: string, fits?: number) {
    super(message);
    this.limit = limit;
    this.fits = fits;
  }
}

/** An object was used after its `destroy()`. */
export class DestroyedError extends CellstormError {
  /** Name of the class. */
  override name = 'DestroyedError';

  /** `what` names the object, such as "simulation". */
  constructor(what: string) {
    super(`This ${what} was destroyed, so it can no longer be used; create a new one.`);
  }
}

/** WebGPU is missing, has no adapter, lost the device, or rejected something. */
export class GpuError extends CellstormError {
  /** Name of the class. */
  override name = 'GpuError';
  /** The kind of failure. */
  readonly reason: 'unsupported' | 'insecure' | 'no-adapter' | 'lost' | 'shader' | 'memory' | 'validation';

  /** Sets `reason` and the message. */
  constructor(reason: GpuError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Greatest depth of nested arrays in messages: arrays may contain themselves. */
const MOST_NESTED = 3;

const MOST_QUOTED = 200;

function shortened(text: string): string {
  return text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED)}…` : text;
}

function describeValue(value: unknown, nested = 0): string {
  if (value instanceof Phrase) return value.words;
  // JSON.stringify escapes control characters.
  if (typeof value === 'string') return JSON.stringify(shortened(value));
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'bigint') return `the BigInt ${value}`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) {
    if (nested === MOST_NESTED) return '[…]';
    // Read by index, so that holes become undefined and no method of the given array runs.
    const first = { length: Math.min(4, value.length) };
    const shown = Array.from(first, (_, index) => describeValue(value[index], nested + 1));
    return `[${shown.join(', ')}${value.length > 4 ? ', …' : ''}]`;
  }
  if (ArrayBuffer.isView(value))
    return `a ${value.constructor.name} of length ${(value as Float32Array).length ?? value.byteLength}`;
  const { size, usage, label, then } = value as Partial<GPUBuffer & PromiseLike<unknown>>;
  if (typeof then === 'function') return 'a Promise (did you forget `await`?)';
  if (typeof size !== 'number' || typeof usage !== 'number' || !globalThis.GPUBufferUsage) return 'an object';
  const flags = GPUBufferUsage as unknown as Readonly<Record<string, number>>;
  const usages = Object.getOwnPropertyNames(flags).filter((name) => usage & (flags[name] as number));
  return `the buffer "${label}" of ${size} bytes and usage ${usages.join(' | ') || usage}`;
}
