/** Measures the step of the CPU's clock (often rounded in browsers), and how fast one thread copies memory. */

/** More bytes than usual caches hold. */
export const COPY_BYTES = 2 ** 29;
/** The fewest bytes to copy if memory is short. */
export const LEAST_COPY_BYTES = 2 ** 20;
const COPY_REPEATS = 3;

export interface CopySpeed {
  /** Counts the bytes read and the bytes written. */
  readonly bytesPerMs: number;
  readonly bytes: number;
}

let measured: { readonly wanted: number; readonly speed: CopySpeed } | undefined;

/** Returns how fast one thread copies. Reuses the last measurement if `bytes` is the same: measuring takes a second. */
export function cpuCopySpeed(bytes = COPY_BYTES): CopySpeed {
  if (measured?.wanted !== bytes) measured = { wanted: bytes, speed: measureCpuCopy(bytes) };
  return measured.speed;
}

/** Times copies of `bytes` bytes. Halves that number until there is memory for two arrays of this size. */
export function measureCpuCopy(bytes: number): CopySpeed {
  const [from, to] = allocateTwo(bytes);
  let best = Number.POSITIVE_INFINITY;
  // Make one copy more, because the first copy touches pages of memory that are not mapped yet.
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
/** After this many equal readings, the clock counts as stopped. */
const MOST_READINGS = 100_000;

/** Returns the clock's step in milliseconds; 0 if `performance.now` stands still. */
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
