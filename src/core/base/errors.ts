/**
 * Purpose: the one family of errors that cellstorm throws.
 * Guarantee: each message is one sentence that names the argument, the value it had and what is
 * accepted; it is thrown before any GPU work and leaves every object as it was.
 */

export class CellstormError extends Error {
  override name = 'CellstormError';
}

/** A value told in words, such as "51 particles": messages print it bare, where a string is quoted. */
export class Phrase {
  constructor(readonly words: string) {}
}

/** "1 particle", "2 particles": for messages. */
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

/** A request that the device, or the chosen capacity, cannot hold. */
export class LimitError extends CellstormError {
  override name = 'LimitError';
  readonly limit: string;
  /** Particles that would fit, other things being as they were asked for, where it is their number that is too large. */
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

/** No WebGPU here, no adapter, a lost device, or a shader that a device refuses. */
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
