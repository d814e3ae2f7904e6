/**
 * The errors that cellstorm throws.
 * Guarantee: each message names the argument, its value and what is accepted. An error is thrown before any GPU work
 * and leaves every object as it was.
 */

export class CellstormError extends Error {
  override name = 'CellstormError';
}

/** A value in words, such as "51 particles": messages print it without quotes. */
export class Phrase {
  constructor(readonly words: string) {}
}

/** Returns "1 particle" or "2 particles", for messages. */
export function describeCount(count: number): string {
  return count === 1 ? '1 particle' : `${count} particles`;
}

/** An argument that is malformed or out of range. */
export class ArgumentError extends CellstormError {
  override name = 'ArgumentError';
  readonly argument: string;

  constructor(argument: string, value: unknown, accepted: string) {
    super(`${argument} is ${describeValue(value)}, but it must be ${accepted}.`);
    this.argument = argument;
  }
}

/** A request that exceeds the device or the chosen capacity. */
export class LimitError extends CellstormError {
  override name = 'LimitError';
  readonly limit: string;
  /** The number of particles that would fit with all else unchanged. Set if their number is the problem. */
  readonly fits: number | undefined;

  constructor(limit: string, message: string, fits?: number) {
    super(message);
    this.limit = limit;
    this.fits = fits;
  }
}

/** A call on an object after its destroy(). */
export class DestroyedError extends CellstormError {
  override name = 'DestroyedError';

  constructor(what: string) {
    super(`This ${what} was destroyed, so it can no longer be used; create a new one.`);
  }
}

/** WebGPU is missing, there is no adapter, the device is lost, or it rejects a shader. */
export class GpuError extends CellstormError {
  override name = 'GpuError';
  readonly reason: 'unsupported' | 'insecure' | 'no-adapter' | 'lost' | 'shader' | 'memory' | 'validation';

  constructor(reason: GpuError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

function describeValue(value: unknown): string {
  if (value instanceof Phrase) return value.words;
  if (typeof value === 'string') return `"${value}"`;
  if (Array.isArray(value))
    return `[${value.slice(0, 4).map(describeValue).join(', ')}${value.length > 4 ? ', …' : ''}]`;
  if (ArrayBuffer.isView(value)) return `a ${value.constructor.name} of ${value.byteLength} bytes`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}
