/**
 * The interface of scenes, and the fixed-point arithmetic with which scenes are generated.
 * Guarantee: every coordinate and velocity is a multiple of 1/1024 that 32-bit floats hold exactly. Worlds longer than
 * 16,384 use 1/512, and so on. Differences between neighbours and their squares are then exact too, so the test
 * "distance² < diameter²" has the same answer on every device.
 */

import type { SettingsOptions } from '../core/contact/settings';
import type { ObstaclesGiven } from '../core/obstacles/obstacles';
import type { Dimensions, RadiusRange, WorldKind } from '../core/world/world';
import type { Drive } from './drive';

/** Fixed-point units per unit of length. */
export const UNITS = 1024;

/** 32-bit floats hold every whole number of units up to this one. */
const EXACT_UNITS = 2 ** 24;

/** Length / s²; a multiple of 1/16, so that it is exact. */
export const EARTH_GRAVITY = 9.8125;

/** Initial state and parameters of a simulation. The same name, dimensions, count and seed give the same scene. */
export interface Scene {
  readonly name: string;
  readonly description: string;
  readonly dimensions: Dimensions;
  readonly count: number;
  readonly seed: number;
  /** The radius of every particle. With variable radii, the largest radius allowed. */
  readonly radius: number;
  /** The radius of each particle; only in scenes with variable radii. */
  readonly radii?: Float32Array | undefined;
  /** The range of radii allowed; only in scenes with variable radii. */
  readonly radiusRange?: RadiusRange | undefined;
  /** Half the edges of each box, packed; all 0 for balls. Only in scenes with boxes. */
  readonly halfExtents?: Float32Array | undefined;
  readonly cellSize?: number | undefined;
  /** The world's box. In an unbounded world, a box around all initial positions. */
  readonly min: readonly number[];
  readonly max: readonly number[];
  readonly periodic?: boolean | readonly boolean[] | undefined;
  readonly crowds?: boolean | undefined;
  readonly world: WorldKind;
  /** Packed: `dimensions` numbers per particle. */
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  /** Bodies that never move by themselves. A drive may move them. */
  readonly obstacles?: ObstaclesGiven | undefined;
  /** True if continuous motion is on. */
  readonly continuous?: boolean | undefined;
  readonly settings: SettingsOptions;
  /** The changes over time; apply them before each step (see drive.ts). */
  readonly drive?: Drive | undefined;
}

/** The result of a generator: a Scene without the fields that createScene adds. */
export type SceneContent = Omit<Scene, 'name' | 'description' | 'dimensions' | 'count' | 'seed' | 'world'>;

/** Returns the least whole number whose `dimensions`-th power is at least `value`, on every JavaScript engine. */
export function ceilRoot(value: number, dimensions: number): number {
  let root = Math.max(1, Math.floor(value ** (1 / dimensions)));
  // The first guess may differ by one between JavaScript engines; these loops correct it.
  while (power(root, dimensions) < value) root++;
  while (root > 1 && power(root - 1, dimensions) >= value) root--;
  return root;
}

/** Returns a whole power. Unlike the power operator, which may be off in the last bit, products are exact. */
export function power(base: number, exponent: number): number {
  let product = 1;
  for (let factor = 0; factor < exponent; factor++) product *= base;
  return product;
}

/** Returns the finest step, a power of two in units, whose multiples up to this length are exact in 32-bit floats. */
export function stepFor(longest: number): number {
  let step = 1;
  while (longest * UNITS > EXACT_UNITS * step) step *= 2;
  return step;
}

/** Converts units to a coordinate and rounds it down to a whole step. */
export function toCoordinate(units: number, step: number): number {
  return (Math.floor(units / step) * step) / UNITS;
}

export function repeat(value: number, dimensions: Dimensions): number[] {
  return new Array<number>(dimensions).fill(value);
}

/** Returns gravity straight down, along −y. */
export function earthGravity(dimensions: Dimensions): number[] {
  return repeat(0, dimensions).with(1, -EARTH_GRAVITY);
}

/** Returns cosine and sine of an angle, rounded to 1/1024 because JavaScript engines differ in the last bit. */
export function directionAt(angle: number): readonly [number, number] {
  const round = (value: number) => Math.round(value * UNITS) / UNITS;
  return [round(Math.cos(angle)), round(Math.sin(angle))];
}
