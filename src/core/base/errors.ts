/**
 * The errors that cellstorm throws. The message of an ArgumentError names the argument, its value and what is accepted.
 * Arguments are checked before any GPU work, so a rejected call changes nothing.
 */

export class CellstormError extends Error {
  override name = 'CellstormError';
}

/** Words that messages print without quotes, such as "51 particles". */
export class Phrase {
  constructor(readonly words: string) {}
}

/** Returns "1 particle" or "2 particles", or another noun that takes an s, for messages. */
export function describeCount(count: number, noun = 'particle'): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
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
  /** The number of particles that would fit if nothing else changed. Set if the number of particles is the problem. */
  readonly fits: number | undefined;

  constructor(limit: string, message: string, fits?: number) {
    super(message);
    this.limit = limit;
    this.fits = fits;
  }
}

/** An object was used after its destroy(). */
export class DestroyedError extends CellstormError {
  override name = 'DestroyedError';

  constructor(what: string) {
    super(`This ${what} was destroyed, so it can no longer be used; create a new one.`);
  }
}

/** WebGPU is missing, has no adapter, lost the device, or rejected something: see `reason`. */
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
  if (ArrayBuffer.isView(value))
    return `a ${value.constructor.name} of length ${(value as Float32Array).length ?? value.byteLength}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}
