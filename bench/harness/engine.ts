/**
 * Purpose: what the benchmark asks of a broad phase: take positions, build, find every overlapping pair. All are run
 * through these few functions, on the same scenes, and held against the same answer.
 *
 * Two bodies overlap if the distance of their centres is less than the sum of their radii. Coordinates are such that
 * 32-bit floats hold every difference and square exactly, so there is one answer, and every engine must find just it.
 */
import { CellstormError } from '../../src/core/base/errors';
import type { PairList } from '../../src/core/simulation/simulation';
import type { Gpu } from '../../src/gpu/device';
import type { ClockSource } from './gpu-clock';
import type { BenchScene } from './scenes';

export const BACKENDS = ['gpu', 'cpu'] as const;
export type Backend = (typeof BACKENDS)[number];

/** Whose what is that nobody published as a package and everybody writes. */
export const TUTORIAL = 'the usual tutorial';

interface Described {
  /** As in `--only`; lower case with hyphens, the backend first: `cpu-grid`. Packages are called by their own names. */
  readonly name: string;
  /** Whose it is: a package's name, or TUTORIAL; undefined if it is ours. */
  readonly peer?: string | undefined;
  /** How it is used: one sentence. */
  readonly about: string;
  /** Why it cannot take a scene, as one sentence; undefined if it can. */
  readonly refuse?: ((scene: BenchScene) => string | undefined) | undefined;
  /** What it lacks, as one sentence: then only runs that name it have it, and refuse it. */
  readonly absent?: string | undefined;
}

export interface CpuEngine extends Described {
  readonly backend: 'cpu';
  readonly native?: undefined;
  /** Not timed: what a program does once. Peers are imported here, and one that is not installed throws. */
  readonly open: (scene: BenchScene) => CpuRunner | Promise<CpuRunner>;
}

export interface CpuRunner {
  /** Where the bodies are from now on: packed, `dimensions` numbers a body. Not timed: it keeps the reference. */
  place(positions: Float32Array): void;
  /** Timed: from positions to whatever is searched, copying them into the structure included. */
  build(): void;
  /** Timed: every overlapping pair once, in any order, the two in any order; the words may be overwritten by the next. */
  query(): PairList;
  /** What its structure holds, if it can tell; the list of pairs is not part of it. */
  readonly memoryBytes?: number | undefined;
  destroy?(): void;
}

export interface GpuEngine extends Described {
  readonly backend: 'gpu';
  readonly native?: undefined;
  readonly open: (scene: BenchScene, gpu: Gpu) => Promise<GpuRunner>;
}

/**
 * Counters that a query adds to, two u32 each: pairs, and the sum of their `mixPair`. More than one, since a million
 * threads that add to the same word wait for each other; slot or id modulo this chooses.
 */
export const FOLD_COUNTERS = 256;
export const FOLD_BYTES = 8 * FOLD_COUNTERS;

/**
 * Every overlapping pair once, folded where it is found: a list would measure the writing of lists. Recording allocates
 * nothing, so that many can be recorded behind one another.
 */
export interface GpuRunner {
  /** Not timed: writes them to `bodies`. */
  place(positions: Float32Array): void;
  /** All that `place` writes to. Usage includes COPY_SRC and COPY_DST. */
  readonly bodies: GPUBuffer;
  encodeBuild(encoder: GPUCommandEncoder): void;
  /** Adds to `counters`, which the caller clears. May be recorded several times after one build. */
  encodeQuery(encoder: GPUCommandEncoder): void;
  /** FOLD_BYTES: `array<atomic<u32>>`, pairs at 2 i, checksums at 2 i + 1. Usage includes COPY_SRC and COPY_DST. */
  readonly counters: GPUBuffer;
  /** All buffers of the engine, positions included. */
  readonly memoryBytes: number;
  destroy(): void;
}

/** One that uses neither JavaScript nor WebGPU, such as a program of its own: it keeps its memory and its time itself. */
export interface NativeEngine extends Described {
  readonly backend: Backend;
  readonly native: true;
  /** `copyBytes`: of the copies that the bandwidth of its device is measured by. */
  readonly open: (scene: BenchScene, copyBytes: number) => Promise<NativeRunner>;
}

/** What a native engine runs on, as it says itself. */
export interface OwnDevice {
  readonly name: string;
  /** Bytes a millisecond that copies move, reads and writes both counted. */
  readonly copyBytesPerMs: number;
  /** Of each of these copies. */
  readonly copyBytes: number;
  readonly clock: ClockSource;
  /** Nanoseconds. */
  readonly clockStep: number;
}

/** What is timed; `wind` puts the next frame in place. */
export type Part = 'wind' | 'build' | 'query';

export interface NativeRunner {
  readonly device: OwnDevice;
  /** What it has allocated for the scene, positions included. */
  readonly memoryBytes: number;
  place(positions: Float32Array): Promise<void>;
  /** Frames that `wind` puts in place one after the other, there and back again. */
  roll(frames: readonly Float32Array[]): Promise<void>;
  /** Builds and queries. */
  find(): Promise<Found>;
  /** Milliseconds of one, of `batch` behind one another, each of them all of these parts. */
  time(parts: readonly Part[], batch: number): Promise<number>;
  destroy(): Promise<void>;
}

export type Engine = CpuEngine | GpuEngine | NativeEngine;

/** What an engine needs is not there, such as a package that nobody installed. */
export class AbsentError extends CellstormError {
  override name = 'AbsentError';
}

/** What an engine found. */
export interface Found {
  readonly pairs: number;
  /** Sum of `mixPair`, modulo 2³². */
  readonly checksum: number;
}

/** A pair as a number, whoever comes first; MIX_PAIR_WGSL is the same. */
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

/** The same for the same set of pairs, in whatever order. */
export function foldPairs({ count, pairs }: PairList): Found {
  let checksum = 0;
  for (let word = 0; word < 2 * count; word += 2) {
    checksum = (checksum + mixPair(pairs[word] as number, pairs[word + 1] as number)) >>> 0;
  }
  return { pairs: count, checksum };
}

/** What a query on the GPU left in its counters. */
export function foldCounters(words: Uint32Array): Found {
  let pairs = 0;
  let checksum = 0;
  for (let word = 0; word < 2 * FOLD_COUNTERS; word += 2) {
    pairs += words[word] as number;
    checksum = (checksum + (words[word + 1] as number)) >>> 0;
  }
  return { pairs, checksum };
}
