/**
 * Purpose: how fast one thread of the processor copies, which turns its times into bytes, and how coarse its clock is:
 * browsers round it to 5 or 100 µs.
 */

/** Of a copy: more than caches hold, the largest included. */
export const COPY_BYTES = 2 ** 29;
/** What every machine has room for. */
export const LEAST_COPY_BYTES = 2 ** 20;
const COPY_REPEATS = 3;

export interface CopySpeed {
  /** Bytes a millisecond, reads and writes both counted: the best of several. */
  readonly bytesPerMs: number;
  /** Of each of these copies. */
  readonly bytes: number;
}

let measured: { readonly wanted: number; readonly speed: CopySpeed } | undefined;

/** Measured once: runs of one process have the same, since it takes a second. */
export function cpuCopySpeed(bytes = COPY_BYTES): CopySpeed {
  if (measured?.wanted !== bytes) measured = { wanted: bytes, speed: measureCpuCopy(bytes) };
  return measured.speed;
}

/** Of so many bytes, or of half as many as often as there is no room for them. */
export function measureCpuCopy(bytes: number): CopySpeed {
  const [from, to] = allocateTwo(bytes);
  let best = Number.POSITIVE_INFINITY;
  // The first touches pages that are not there yet.
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

/** Looks at the clock for a step of it, and how many readings of one it may take: a clock that stands still has none. */
const CLOCK_LOOKS = 20;
const MOST_READINGS = 100_000;

/** Least milliseconds that `performance.now` goes on by; 0 of one that stands still. */
export function measureCpuStep(): number {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < CLOCK_LOOKS; look++) {
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
