/** Damages bytes and plain objects at random. The same noise gives the same damage. */

export type Noise = () => number;

export function below(noise: Noise, bound: number): number {
  return Math.floor(bound * noise());
}

export function pick<Value>(noise: Noise, values: readonly Value[]): Value {
  return values[below(noise, values.length)] as Value;
}

/** Returns a copy, damaged one to four times. */
export function harmBytes(noise: Noise, bytes: Uint8Array, other: Uint8Array): Uint8Array {
  let harmed: Uint8Array = bytes.slice();
  for (let times = noise() < 0.7 ? 1 : 2 + below(noise, 3); times > 0; times--) {
    const at = below(noise, harmed.length + 1);
    const kind = below(noise, 10);
    if (kind <= 3) changeDigit(noise, harmed);
    else if (kind <= 5) {
      for (let flips = 1 + below(noise, 4); flips > 0 && harmed.length > 0; flips--) {
        const where = below(noise, harmed.length);
        harmed[where] = (harmed[where] as number) ^ (1 << below(noise, 8));
      }
    } else if (kind === 6) harmed = harmed.slice(0, at);
    else if (kind === 7) harmed = join(harmed, harmed.subarray(0, below(noise, 64)));
    else if (kind === 8) {
      harmed = join(harmed.subarray(0, at), harmed.subarray(Math.max(0, at - below(noise, 40))));
    } else {
      const from = below(noise, other.length);
      const part = other.subarray(from, from + below(noise, 200));
      harmed = join(harmed.subarray(0, at), part, harmed.subarray(at));
    }
  }
  return harmed;
}

function changeDigit(noise: Noise, bytes: Uint8Array): void {
  const from = below(noise, bytes.length);
  const isDigit = (byte: number) => byte >= 48 && byte <= 57;
  const after = bytes.subarray(from).findIndex(isDigit);
  if (after >= 0) bytes[from + after] = 48 + below(noise, 10);
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/**
 * Numbers at the ends of ranges and beyond. None is a whole number between 1000 and 2^31: some creators would accept it
 * and reserve much memory.
 */
const NUMBERS = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  ...[0, -0, -1, 0.5, 1, 1.5, 2, 3, 4, 5, 7, 64, 255, 256, 257, 1000],
  ...[1e-300, 1e-45, 1e-38, 1e-12, 1e-6, 1e-3, 1e12, 1e18, 3e38, 1e39, 1e300, 2 ** 31, 2 ** 32, 2 ** 53],
] as const;

/** Returns a value that is probably wrong in place of `old`. */
export function strangeValue(noise: Noise, old: unknown): unknown {
  const circular: unknown[] = [];
  circular.push(circular);
  const makers: readonly (() => unknown)[] = [
    () => pick(noise, NUMBERS),
    () => pick(noise, NUMBERS),
    () => (typeof old === 'number' ? old * (0.5 + noise()) : old),
    () => (typeof old === 'number' ? Math.round(old * 4 * noise()) : old),
    () => (typeof old === 'number' ? -old : -1),
    () => (typeof old === 'number' ? old : 1) * pick(noise, [0.5, 2, 1.0000001, -1, 1e6]),
    () => pick(noise, [undefined, null, true, false]),
    () =>
      pick(noise, ['', '2', 'x', 'NaN', 'true', '[object Object]', '\u0000\n', 'é'.repeat(50), '__proto__']),
    () =>
      pick(noise, [
        10n,
        Symbol('strange'),
        Object.create(null),
        new Map(),
        new Date(0),
        /x/,
        () => 1,
        circular,
      ]),
    () => ({ length: 2, 0: 1, 1: 1 }),
    () => new Array(below(noise, 4)),
    () => Array.from({ length: below(noise, 5) }, () => pick(noise, NUMBERS)),
    () => [old],
    () => [[1, 2], [3]],
    () => new Float32Array(below(noise, 8)),
    () => Float32Array.from({ length: below(noise, 9) }, () => pick(noise, NUMBERS)),
    () => pick(noise, [new Uint32Array(3), new Float64Array(4), new Uint8Array(6), new ArrayBuffer(8)]),
    () =>
      Array.isArray(old)
        ? [...old, 1]
        : ArrayBuffer.isView(old)
          ? Array.from(old as Float32Array)
          : typeof old,
    () =>
      Array.isArray(old) ? old.slice(1) : old instanceof Float32Array ? old.subarray(1) : { value: old },
  ];
  return pick(noise, makers)();
}

/** Returns a deep copy in which one to three values are changed, removed or added, at any depth. */
export function harmObject(noise: Noise, given: object): object {
  const harmed = copyOf(given) as Record<string, unknown>;
  for (let times = noise() < 0.7 ? 1 : 2 + below(noise, 2); times > 0; times--) {
    let target: Record<string, unknown> | Float32Array = harmed;
    for (;;) {
      const keys: string[] = Object.keys(target);
      const key = pick(noise, keys);
      const value: unknown = (target as Record<string, unknown>)[key];
      const isDeep = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
      if (isDeep && noise() < 0.6) {
        target = value as Record<string, unknown>;
        continue;
      }
      const kind = below(noise, 10);
      if (target instanceof Float32Array) target[Number(key)] = pick(noise, NUMBERS);
      else if (ArrayBuffer.isView(target))
        (target as unknown as Uint32Array)[Number(key)] = below(noise, 300);
      else if (key === undefined || kind === 0)
        target[pick(noise, ['colour', 'raduis', 'length', 'min', 'max'])] = 1;
      else if (kind === 1) delete target[key];
      else target[key] = strangeValue(noise, value);
      break;
    }
  }
  return harmed;
}

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (ArrayBuffer.isView(value)) return (value as Float32Array).slice();
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, copyOf(child)]));
}
