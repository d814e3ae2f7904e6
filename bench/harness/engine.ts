/**
 * The interface of a broad phase in the benchmark: take positions, build, find every overlapping pair. All engines run
 * through these few functions, on the same scenes, and are checked against the same answer.
 *
 * Two bodies overlap if the distance of their centres is less than the sum of their radii. Coordinates are chosen so
 * that 32-bit floats hold every difference and square exactly. So there is one correct answer, and every engine must
 * find it.
 */
import { CellstormError } from '../../src/core/base/errors';
import type { PairList } from '../../src/core/simulation/simulation';
import type { Gpu } from '../../src/gpu/device';
import type { ClockSource } from './gpu-clock';
import type { BenchScene } from './scenes';

export const BACKENDS = ['gpu', 'cpu'] as const;
export type Backend = (typeof BACKENDS)[number];

/** The `peer` of a method that tutorials teach, for which no package exists. */
export const TUTORIAL = 'the usual tutorial';

interface Described {
  /** Name for `--only`: lower case with hyphens, the backend first, as in `cpu-grid`. Packages keep their own names. */
  readonly name: string;
  /** A package's name, or TUTORIAL; undefined for an engine of this project. */
  readonly peer?: string | undefined;
  /** How the engine works, in one sentence. */
  readonly about: string;
  /** Returns why it cannot take a scene, in one sentence; undefined if it can. */
  readonly refuse?: ((scene: BenchScene) => string | undefined) | undefined;
  /** What it lacks, in one sentence. Then only runs that name it include it, and they refuse it. */
  readonly absent?: string | undefined;
}

export interface CpuEngine extends Described {
  readonly backend: 'cpu';
  readonly native?: undefined;
  /** Not timed: one-time work. Packages are imported here; throws if one is not installed. */
  readonly open: (scene: BenchScene) => CpuRunner | Promise<CpuRunner>;
}

export interface CpuRunner {
  /** Not timed: sets the positions, `dimensions` numbers per body. Keeps a reference to the array. */
  place(positions: Float32Array): void;
  /** Timed: builds the search structure from the positions, including copying them into it. */
  build(): void;
  /**
   * Timed: returns every overlapping pair once, in any order, ids in any order. The next query may overwrite the list.
   */
  query(): PairList;
  /** Size of the structure if it can tell, without the list of pairs. */
  readonly memoryBytes?: number | undefined;
  destroy?(): void;
}

export interface GpuEngine extends Described {
  readonly backend: 'gpu';
  readonly native?: undefined;
  readonly open: (scene: BenchScene, gpu: Gpu) => Promise<GpuRunner>;
}

/**
 * Number of counters that a query adds to, two u32 each: pairs, and the sum of their `mixPair`. There are many, because
 * a million threads that add to the same word wait for each other. The slot or id, modulo this number, selects the
 * counter.
 */
export const FOLD_COUNTERS = 256;
export const FOLD_BYTES = 8 * FOLD_COUNTERS;

/**
 * Finds every overlapping pair once and counts it on the spot: writing a list would measure the writing. Recording
 * allocates nothing, so that many runs can be recorded one after another.
 */
export interface GpuRunner {
  /** Not timed: writes the positions to `bodies`. */
  place(positions: Float32Array): void;
  /** The only buffer that `place` writes to. Usage includes COPY_SRC and COPY_DST. */
  readonly bodies: GPUBuffer;
  encodeBuild(encoder: GPUCommandEncoder): void;
  /** Adds to `counters`, which the caller clears. May be recorded several times after one build. */
  encodeQuery(encoder: GPUCommandEncoder): void;
  /** FOLD_BYTES of `array<atomic<u32>>`: pairs at 2 i, checksums at 2 i + 1. Usage includes COPY_SRC and COPY_DST. */
  readonly counters: GPUBuffer;
  /** All buffers of the engine, positions included. */
  readonly memoryBytes: number;
  destroy(): void;
}

/** An engine outside JavaScript and WebGPU, such as a separate program. It has its own memory and clock. */
export interface NativeEngine extends Described {
  readonly backend: Backend;
  readonly native: true;
  /** `copyBytes` is the size of the copies that measure the bandwidth of its device. */
  readonly open: (scene: BenchScene, copyBytes: number) => Promise<NativeRunner>;
}

/** The device of a native engine, as the engine reports it. */
export interface OwnDevice {
  readonly name: string;
  /** Bytes per millisecond that copies move, reads plus writes. */
  readonly copyBytesPerMs: number;
  /** Bytes of each copy. */
  readonly copyBytes: number;
  readonly clock: ClockSource;
  /** Nanoseconds. */
  readonly clockStep: number;
}

/** A timed part of the work; `wind` loads the next frame. */
export type Part = 'wind' | 'build' | 'query';

export interface NativeRunner {
  readonly device: OwnDevice;
  /** Memory allocated for the scene, including positions. */
  readonly memoryBytes: number;
  place(positions: Float32Array): Promise<void>;
  /** Sets the frames that `wind` loads one after another, forwards and backwards. */
  roll(frames: readonly Float32Array[]): Promise<void>;
  /** Builds and queries once. */
  find(): Promise<Found>;
  /** Returns the milliseconds of one run of all `parts`, averaged over `batch` runs in a row. */
  time(parts: readonly Part[], batch: number): Promise<number>;
  destroy(): Promise<void>;
}

export type Engine = CpuEngine | GpuEngine | NativeEngine;

/** A requirement of an engine is missing, such as a package that is not installed. */
export class AbsentError extends CellstormError {
  override name = 'AbsentError';
}

/** The result of a query. */
export interface Found {
  readonly pairs: number;
  /** Sum of `mixPair`, modulo 2³². */
  readonly checksum: number;
}

/** Hashes a pair, in either order; MIX_PAIR_WGSL does the same. */
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

/** Counts and hashes a set of pairs; the order does not matter. */
export function foldPairs({ count, pairs }: PairList): Found {
  let checksum = 0;
  for (let word = 0; word < 2 * count; word += 2) {
    checksum = (checksum + mixPair(pairs[word] as number, pairs[word + 1] as number)) >>> 0;
  }
  return { pairs: count, checksum };
}

/** Adds up the counters of a query on the GPU. */
export function foldCounters(words: Uint32Array): Found {
  let pairs = 0;
  let checksum = 0;
  for (let word = 0; word < 2 * FOLD_COUNTERS; word += 2) {
    pairs += words[word] as number;
    checksum = (checksum + (words[word + 1] as number)) >>> 0;
  }
  return { pairs, checksum };
}
