/**
 * Defines the interface of a broad phase in the benchmark: take positions, build, find every overlapping pair.
 *
 * Two bodies overlap if the distance of their centres is less than the sum of their radii. Scenes choose coordinates
 * such that rounding cannot decide this (see scenes.ts). So every scene has one correct answer.
 */
import { CellstormError } from '../../src/core/base/errors';
import type { PairList } from '../../src/core/simulation/simulation';
import type { Gpu } from '../../src/gpu/device';
import type { ClockSource } from './gpu-clock';
import type { BenchScene } from './scenes';

export const BACKENDS = ['gpu', 'cpu'] as const;
export type Backend = (typeof BACKENDS)[number];

/** Value of `peer` for a method that tutorials teach and that no package offers. */
export const TUTORIAL = 'the usual tutorial';

interface Described {
  /**
   * The name that `--only` takes, in lower case with hyphens. Names of engines of this project begin with `gpu-`,
   * `cpu-` or `cuda-`. Other engines have short names without such a beginning, for example `rapier2d`.
   */
  readonly name: string;
  /** A package's name, or TUTORIAL; undefined for an engine of this project. */
  readonly peer?: string | undefined;
  /** How the engine works, in one sentence. */
  readonly about: string;
  /** Says in one sentence why the engine does not accept the scene; undefined if the engine accepts it. */
  readonly refuse?: ((scene: BenchScene) => string | undefined) | undefined;
  /**
   * Says in one sentence what the engine lacks, such as its program; undefined if it lacks nothing. A run leaves out
   * such an engine. If --only names it, the record says that it was refused.
   */
  readonly absent?: string | undefined;
}

export interface CpuEngine extends Described {
  readonly backend: 'cpu';
  readonly native?: undefined;
  /** Does the one-time work, which is not timed. Throws an AbsentError if the package of a peer is missing. */
  readonly open: (scene: BenchScene) => CpuRunner | Promise<CpuRunner>;
}

export interface CpuRunner {
  /**
   * Takes `dimensions` numbers per body. Only keeps a reference to the array, because the time of this call counts as
   * part of the build in moving scenes.
   */
  place(positions: Float32Array): void;
  /** Builds the search structure from the positions; timed. */
  build(): void;
  /**
   * Returns every overlapping pair once; timed. Pairs, and the two ids of a pair, may be in any order. The next query
   * may overwrite the list.
   */
  query(): PairList;
  /** Bytes of the structure without the list of pairs; undefined if unknown. */
  readonly memoryBytes?: number | undefined;
  destroy?(): void;
}

export interface GpuEngine extends Described {
  readonly backend: 'gpu';
  readonly native?: undefined;
  readonly open: (scene: BenchScene, gpu: Gpu) => Promise<GpuRunner>;
}

/**
 * Number of counters that a query adds to. A counter is two u32: a number of pairs, and the sum of their `mixPair`
 * hashes. The thread's slot or id, modulo this number, selects the counter. With a single counter, a million threads
 * would wait for each other.
 */
export const FOLD_COUNTERS = 256;
export const FOLD_BYTES = 8 * FOLD_COUNTERS;

/**
 * An engine that is open on a scene. Its query counts every overlapping pair once and writes no list, because writing
 * a list would take most of the time. Its `encode…` methods allocate nothing, so that a submission may hold
 * many runs.
 */
export interface GpuRunner {
  /** Writes the positions to `bodies`; not timed. */
  place(positions: Float32Array): void;
  /** The only buffer that `place` writes to. Usage includes COPY_SRC and COPY_DST. */
  readonly bodies: GPUBuffer;
  encodeBuild(encoder: GPUCommandEncoder): void;
  /** The query adds to `counters`; the caller clears them. Several queries may follow one build. */
  encodeQuery(encoder: GPUCommandEncoder): void;
  /**
   * FOLD_BYTES of `array<atomic<u32>>`: counter i has its number of pairs at 2 i, its checksum at 2 i + 1. Usage
   * includes COPY_SRC and COPY_DST.
   */
  readonly counters: GPUBuffer;
  /** Bytes of all buffers of the engine, positions included. */
  readonly memoryBytes: number;
  destroy(): void;
}

/** An engine outside JavaScript and WebGPU, such as a separate program, with its own memory and clock. */
export interface NativeEngine extends Described {
  readonly backend: Backend;
  readonly native: true;
  /** `copyBytes`: size of the copies that measure the bandwidth of the engine's device. */
  readonly open: (scene: BenchScene, copyBytes: number) => Promise<NativeRunner>;
}

export interface OwnDevice {
  readonly name: string;
  /** Bytes per millisecond that copies move, reads plus writes. */
  readonly copyBytesPerMs: number;
  readonly copyBytes: number;
  readonly clock: ClockSource;
  /** Nanoseconds per step of the clock. */
  readonly clockStep: number;
}

/** A part of the timed work. `wind` copies the positions of the next frame (see `roll`) to the bodies. */
export type Part = 'wind' | 'build' | 'query';

export interface NativeRunner {
  readonly device: OwnDevice;
  /** Bytes allocated for the scene, positions included. */
  readonly memoryBytes: number;
  place(positions: Float32Array): Promise<void>;
  /** Each `wind` loads the next frame. After the last frame, the frames come in reverse order. */
  roll(frames: readonly Float32Array[]): Promise<void>;
  find(): Promise<Found>;
  /** Runs all `parts` in order, `batch` times in a row. Returns the mean milliseconds of a run. */
  time(parts: readonly Part[], batch: number): Promise<number>;
  destroy(): Promise<void>;
}

export type Engine = CpuEngine | GpuEngine | NativeEngine;

/** Thrown if an engine lacks something outside this project, such as a package that is not installed. */
export class AbsentError extends CellstormError {
  override name = 'AbsentError';
}

export interface Found {
  readonly pairs: number;
  /** Sum of `mixPair`, modulo 2³². */
  readonly checksum: number;
}

/** Hashes a pair, whichever id is first. MIX_PAIR_WGSL computes the same hash. */
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
