/**
 * Measures the step of the CPU's clock, and how fast one CPU thread copies memory. The copy speed converts times into
 * bytes (see bytes-equivalent in docs/GLOSSARY.md). Browsers round the clock to 5 or 100 µs.
 */

/** Default size of a copy in bytes: more than usual caches hold. */
export const COPY_BYTES = 2 ** 29;
/** Least size of a copy in bytes: every machine has memory for it. */
export const LEAST_COPY_BYTES = 2 ** 20;
const COPY_REPEATS = 3;

export interface CopySpeed {
  /** Bytes per millisecond, reads plus writes, of the fastest of several copies. */
  readonly bytesPerMs: number;
  readonly bytes: number;
}

let measured: { readonly wanted: number; readonly speed: CopySpeed } | undefined;

/** Measures again only if `bytes` has changed, since a measurement takes a second. */
export function cpuCopySpeed(bytes = COPY_BYTES): CopySpeed {
  if (measured?.wanted !== bytes) measured = { wanted: bytes, speed: measureCpuCopy(bytes) };
  return measured.speed;
}

/** Halves the size of copies until there is memory for two arrays. */
export function measureCpuCopy(bytes: number): CopySpeed {
  const [from, to] = allocateTwo(bytes);
  let best = Number.POSITIVE_INFINITY;
  // The first copy is slow, since it touches pages that are not mapped yet. So make one copy more.
  for (let repeat = 0; repeat <= COPY_REPEATS; repeat++) {
    const began = performance.now();
    to.set(from);
    const took = performance.now() - began;
    if (took > 0) best = Math.min(best, took);
  }
  return { bytesPerMs: (2 * from.byteLength) / best, bytes: from.byteLength };
}

function allocateTwo(bytes: number): readonly [Float64Array, Float64Array] {
  try {
    return [new Float64Array(bytes / 8).fill(1), new Float64Array(bytes / 8)];
  } catch (error) {
    if (bytes <= LEAST_COPY_BYTES) throw error;
    return allocateTwo(bytes / 2);
  }
}

const CLOCK_STEPS = 20;
/** The clock counts as stopped after this many equal readings. */
const MOST_READINGS = 100_000;

/** Returns the shortest step of `performance.now` in milliseconds; 0 if this clock stands still. */
export function measureCpuStep(): number {
  let least = Number.POSITIVE_INFINITY;
  for (let step = 0; step < CLOCK_STEPS; step++) {
    const began = performance.now();
    let now = began;
    for (let reading = 0; now === began; reading++) {
      if (reading === MOST_READINGS) return 0;
      now = performance.now();
    }
    least = Math.min(least, now - began);
  }
  return least;
}
