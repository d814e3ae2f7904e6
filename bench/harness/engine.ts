/**
 * The interface of a broad phase in the benchmark.
 *
 * Two discs or balls overlap if the distance of their centres is less than the sum of their radii. Two boxes overlap
 * if they have a point in common, so touching boxes overlap. In the scenes, rounding cannot decide whether two bodies
 * overlap (see scenes.ts), so each scene has one correct answer.
 */
import { CellstormError } from '../../src/core/base/errors';
import type { PairList } from '../../src/core/simulation/simulation';
import type { Gpu } from '../../src/gpu/device';
import type { ClockSource } from './gpu-clock';
import type { BenchScene } from './scenes';

export const BACKENDS = ['gpu', 'cpu'] as const;
export type Backend = (typeof BACKENDS)[number];

/** The `peer` of a method that tutorials teach and no package offers. */
export const TUTORIAL = 'the usual tutorial';

interface Described {
  /** The name for `--only`. Only this project's engines begin with `gpu-`, `cpu-` or `cuda-`. */
  readonly name: string;
  /** A package's name, or TUTORIAL; undefined for an engine of this project. */
  readonly peer?: string | undefined;
  readonly about: string;
  /** False for an engine that runs only with its name or `all` in --only. */
  readonly byDefault?: false | undefined;
  /** True if the bodies may be boxes. */
  readonly boxes?: true | undefined;
  /** Says why the engine rejects the scene; undefined if the engine accepts it. `refusalOf` also checks `boxes`. */
  readonly refuse?: ((scene: BenchScene) => string | undefined) | undefined;
  /**
   * One sentence that names what the engine lacks. A run leaves the engine out or, if --only names it, records a
   * refusal.
   */
  readonly absent?: string | undefined;
}

/**
 * - `formula`: computed from the number of bodies, from sorted positions, or from the numbers of bodies in cells.
 * - `loop`: by a copy of the query that only counts. For a package, the copy walks over the package's own structure.
 * - `device`: by a copy of the query that counts on the GPU.
 * - `package`: the package counts, or the benchmark counts the package's calls. Candidates are unknown.
 */
export const COUNTED = ['formula', 'loop', 'device', 'package'] as const;
export type Counted = (typeof COUNTED)[number];

/** The comparisons of one query. A body is never its own candidate. docs/bench-method.md has the rules per engine. */
export interface Work {
  /**
   * How often the query looks at another body, whether or not it then tests the pair. A pair that the query meets from
   * both bodies counts twice. Undefined if a package hides this number.
   */
  readonly candidates?: number | undefined;
  /** How often the query computes the distance of two bodies, or compares their shapes. */
  readonly tests: number;
  readonly counted: Counted;
}

export interface CpuEngine extends Described {
  readonly backend: 'cpu';
  readonly native?: undefined;
  /** One-time work, which is not timed. Throws an AbsentError if a package is missing. */
  readonly open: (scene: BenchScene) => CpuRunner | Promise<CpuRunner>;
}

export interface CpuRunner {
  /** Takes `dimensions` numbers per body. Keeps only a reference: in moving scenes this call is timed, too. */
  place(positions: Float32Array): void;
  /** This call is timed. */
  build(): void;
  /** This call is timed. Returns every overlapping pair once, in any order. The next query may overwrite the list. */
  query(): PairList;
  /**
   * Counts the work of the last query, for which `place` got these positions. Not timed. Must not run the query's own
   * functions with other arguments: V8 could then compile them differently for later timings.
   */
  countWork?(positions: Float32Array): Work;
  /** Bytes of memory without the list of pairs; undefined if unknown. */
  readonly memoryBytes?: number | undefined;
  destroy?(): void;
}

export interface GpuEngine extends Described {
  readonly backend: 'gpu';
  readonly native?: undefined;
  readonly open: (scene: BenchScene, gpu: Gpu) => Promise<GpuRunner>;
}

/** The number of counters. Neighbouring threads use different counters, so that they rarely wait for each other. */
export const FOLD_COUNTERS = 256;
export const FOLD_BYTES = 8 * FOLD_COUNTERS;

/**
 * A query on the GPU counts every overlapping pair once. It writes no list, because a list would take most of the time.
 * The `encode…` methods allocate nothing, so that a submission may hold many runs.
 */
export interface GpuRunner {
  /** Writes to `bodies`; not timed. */
  place(positions: Float32Array): void;
  /** The engine writes here only in `place`; the harness also copies frames here. Usage: COPY_SRC and COPY_DST. */
  readonly bodies: GPUBuffer;
  encodeBuild(encoder: GPUCommandEncoder): void;
  /** Adds to `counters`; the caller clears them. Several queries may follow one build. */
  encodeQuery(encoder: GPUCommandEncoder): void;
  /**
   * An `array<atomic<u32>>` of FOLD_BYTES, with COPY_SRC and COPY_DST. Word 2i counts the pairs of counter i. Word
   * 2i + 1 is the sum of their `mixPair` hashes.
   */
  readonly counters: GPUBuffer;
  /** Counts the work of a build and query of these positions, which `place` got. Not timed. */
  countWork?(positions: Float32Array): Work | Promise<Work>;
  /** Bytes of memory, including the positions. */
  readonly memoryBytes: number;
  destroy(): void;
}

/** Runs outside JavaScript and WebGPU, with its own memory and clock. */
export interface NativeEngine extends Described {
  readonly backend: Backend;
  readonly native: true;
  /** `copyBytes` is the size of the copies that measure the bandwidth. */
  readonly open: (scene: BenchScene, copyBytes: number) => Promise<NativeRunner>;
}

export interface OwnDevice {
  readonly name: string;
  readonly copyBytesPerMs: number;
  readonly copyBytes: number;
  readonly clock: ClockSource;
  /** The step of the clock, in nanoseconds. */
  readonly clockStep: number;
}

/** `wind` copies the next frame's positions (see `roll`) to the bodies. */
export type Part = 'wind' | 'build' | 'query';

export interface NativeRunner {
  readonly device: OwnDevice;
  readonly memoryBytes: number;
  place(positions: Float32Array): Promise<void>;
  /** Stores frames. Each `wind` loads the next frame; after the last frame, the order is reversed. */
  roll(frames: readonly Float32Array[]): Promise<void>;
  find(): Promise<Found>;
  /** Runs `parts` `batch` times, always in the order of `Part`. Returns the mean milliseconds of a run. */
  time(parts: readonly Part[], batch: number): Promise<number>;
  countWork?(positions: Float32Array): Work;
  destroy(): Promise<void>;
}

export type Engine = CpuEngine | GpuEngine | NativeEngine;

export function refusalOf({ boxes, refuse }: Engine, scene: BenchScene): string | undefined {
  if (scene.halfExtents && !boxes) return 'It finds overlapping discs and balls, not boxes.';
  return refuse?.(scene);
}

/** Thrown if an engine lacks something outside this project, such as a package. */
export class AbsentError extends CellstormError {
  override name = 'AbsentError';
}

export interface Found {
  readonly pairs: number;
  /** Sum of `mixPair`, modulo 2³². */
  readonly checksum: number;
}

/** Returns a hash of a pair, whatever the order of its ids. MIX_PAIR_WGSL computes the same hash. */
export function mixPair(a: number, b: number): number {
  const first = a < b ? a : b;
  const second = a < b ? b : a;
  const mixed = Math.imul(first ^ 0x9e37_79b9, 0x85eb_ca6b) ^ second;
  return Math.imul(mixed ^ (mixed >>> 15), 0xc2b2_ae35) >>> 0;
}

export const MIX_PAIR_WGSL = /* wgsl */ `
fn mix_pair(a: u32, b: u32) -> u32 {
  let mixed = ((min(a, b) ^ 0x9e3779b9u) * 0x85ebca6bu) ^ max(a, b);
  return (mixed ^ (mixed >> 15u)) * 0xc2b2ae35u;
}
`;

export function foldPairs({ count, pairs }: PairList): Found {
  let checksum = 0;
  for (let word = 0; word < 2 * count; word += 2) {
    checksum = (checksum + mixPair(pairs[word] as number, pairs[word + 1] as number)) >>> 0;
  }
  return { pairs: count, checksum };
}

export function foldCounters(words: Uint32Array): Found {
  let pairs = 0;
  let checksum = 0;
  for (let word = 0; word < 2 * FOLD_COUNTERS; word += 2) {
    pairs += words[word] as number;
    checksum = (checksum + (words[word + 1] as number)) >>> 0;
  }
  return { pairs, checksum };
}
