/**
 * Measures how fast one CPU thread copies, which converts times into bytes, and how coarse its clock is: browsers round
 * it to 5 or 100 µs.
 */

/** Bytes of a copy: more than even the largest cache holds. */
export const COPY_BYTES = 2 ** 29;
/** Every machine has memory for copies of this size. */
export const LEAST_COPY_BYTES = 2 ** 20;
const COPY_REPEATS = 3;

export interface CopySpeed {
  /** Bytes per millisecond, reads plus writes: the best of several. */
  readonly bytesPerMs: number;
  /** Bytes of each copy. */
  readonly bytes: number;
}

let measured: { readonly wanted: number; readonly speed: CopySpeed } | undefined;

/** Measures once per process, since that takes a second. */
export function cpuCopySpeed(bytes = COPY_BYTES): CopySpeed {
  if (measured?.wanted !== bytes) measured = { wanted: bytes, speed: measureCpuCopy(bytes) };
  return measured.speed;
}

/** Copies this many bytes, or halves the number until there is memory for it. */
export function measureCpuCopy(bytes: number): CopySpeed {
  const [from, to] = allocateTwo(bytes);
  let best = Number.POSITIVE_INFINITY;
  // The first copy touches pages that are not mapped yet.
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

/** How many clock steps to measure, and how many readings a step may take before the clock counts as stopped. */
const CLOCK_LOOKS = 20;
const MOST_READINGS = 100_000;

/** Returns the shortest step of `performance.now` in milliseconds; 0 if it stands still. */
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
