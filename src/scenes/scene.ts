/**
 * The interface of collision scenes, and their fixed-point arithmetic. Unless a scene's own file says otherwise,
 * coordinates and velocities are multiples of 1/1024 that 32-bit floats hold exactly. In worlds longer than 16,384,
 * coordinates are multiples of 1/512, and so on. Differences between neighbours and their squares are then exact. So
 * the test "distance² < diameter²" has the same answer on every device.
 */

import type { SettingsOptions } from '../core/contact/settings';
import type { ObstaclesGiven } from '../core/obstacles/obstacles';
import type { Dimensions, RadiusRange, WorldKind } from '../core/world/world';
import type { Drive } from './drive';

/** Fixed-point units per unit of length. */
export const UNITS = 1024;

/** 32-bit floats hold all whole numbers up to this one. */
const EXACT_UNITS = 2 ** 24;

/** Gravity in length / s². It is a multiple of 1/16, so 32-bit floats hold it exactly. */
export const EARTH_GRAVITY = 9.8125;

/** Initial state and parameters of a simulation. The same name, dimensions, count and seed give the same scene. */
export interface Scene {
  /** Name of the scene, as in `SCENES`. */
  readonly name: string;
  /** One or two sentences for people. */
  readonly description: string;
  /** 2 or 3. */
  readonly dimensions: Dimensions;
  /** Number of particles. */
  readonly count: number;
  /** Seed of the random numbers, from 0 to 2³² − 1. */
  readonly seed: number;
  /** Radius of every particle. With variable radii, the largest radius allowed. */
  readonly radius: number;
  /** Radius of each particle; only in scenes with variable radii. */
  readonly radii?: Float32Array | undefined;
  /** Range of radii allowed; only in scenes with variable radii. */
  readonly radiusRange?: RadiusRange | undefined;
  /** Half the edges of each box, packed; 0 for balls. Only in scenes with boxes. */
  readonly halfExtents?: Float32Array | undefined;
  /** Edge of a cell. Default: the engine chooses it. */
  readonly cellSize?: number | undefined;
  /** Lowest corner of the world. In an unbounded world, that of a box around all initial positions. */
  readonly min: readonly number[];
  /** Highest corner of the same box. */
  readonly max: readonly number[];
  /** True if the world wraps around, or a list with true for each axis along which it wraps around. Default: false. */
  readonly periodic?: boolean | readonly boolean[] | undefined;
  /** True if the `crowds` option is on. Default: false. */
  readonly crowds?: boolean | undefined;
  /** Kind of world. */
  readonly world: WorldKind;
  /** Packed initial positions: `dimensions` numbers per particle. */
  readonly positions: Float32Array;
  /** Packed initial velocities, length / s. */
  readonly velocities: Float32Array;
  /** Bodies that never move by themselves. A drive may move them. */
  readonly obstacles?: ObstaclesGiven | undefined;
  /** True if continuous motion is on. Default: false. */
  readonly continuous?: boolean | undefined;
  /** Settings of the simulation, such as gravity. */
  readonly settings: SettingsOptions;
  /** Changes over time. Call `applyDrive` with them before each step. */
  readonly drive?: Drive | undefined;
}

export type SceneContent = Omit<Scene, 'name' | 'description' | 'dimensions' | 'count' | 'seed' | 'world'>;

/** Returns the least whole number above 0 whose `dimensions`-th power is at least `value`. */
export function ceilRoot(value: number, dimensions: number): number {
  let root = Math.max(1, Math.floor(value ** (1 / dimensions)));
  // The first guess may differ by one between JavaScript engines.
  while (power(root, dimensions) < value) root++;
  while (root > 1 && power(root - 1, dimensions) >= value) root--;
  return root;
}

/** Returns a power as a product. The operator `**` may be off in the last bit; products of whole numbers are exact. */
export function power(base: number, exponent: number): number {
  let product = 1;
  for (let factor = 0; factor < exponent; factor++) product *= base;
  return product;
}

/**
 * Returns the smallest power of two, in units, whose multiples are exact in 32-bit floats up to the length `longest`.
 */
export function stepFor(longest: number): number {
  let step = 1;
  while (longest * UNITS > EXACT_UNITS * step) step *= 2;
  return step;
}

/** Rounds units down to a multiple of `step`, and converts them to a length. */
export function toCoordinate(units: number, step: number): number {
  return (Math.floor(units / step) * step) / UNITS;
}

export function repeat(value: number, dimensions: Dimensions): number[] {
  return new Array<number>(dimensions).fill(value);
}

export function earthGravity(dimensions: Dimensions): number[] {
  return repeat(0, dimensions).with(1, -EARTH_GRAVITY);
}

/** Returns cosine and sine, rounded to 1/1024 because JavaScript engines differ in the last bit. */
export function directionAt(angle: number): readonly [number, number] {
  const round = (value: number) => Math.round(value * UNITS) / UNITS;
  return [round(Math.cos(angle)), round(Math.sin(angle))];
}
