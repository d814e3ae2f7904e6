/**
 * Purpose: what a scene is, and the fixed-point arithmetic all scenes are made with.
 * Guarantee: every coordinate and velocity is a whole number of 1/1024 that 32-bit floats hold exactly
 * (worlds longer than 16,384 coarsen it to 1/512 and so on). Differences of neighbours and their squares
 * then are exact too, so «distance² < diameter²» has one answer on every device.
 */

import type { SettingsOptions } from '../core/contact/settings';
import type { ObstaclesGiven } from '../core/obstacles/obstacles';
import type { Dimensions, RadiusRange, WorldKind } from '../core/world/world';
import type { Drive } from './drive';
import type { Random } from './random';

/** Coordinates are counted in these: 1024 to one unit of length. */
export const UNITS = 1024;

/** Units a 32-bit float tells apart. */
const EXACT_UNITS = 2 ** 24;

/** Initial state and parameters of a simulation; the same for the same name, dimensions, count and seed. */
export interface Scene {
  readonly name: string;
  readonly description: string;
  readonly dimensions: Dimensions;
  readonly count: number;
  readonly seed: number;
  /** Of every particle; where each has its own, the largest there may be. */
  readonly radius: number;
  /** Where each particle has its own, and what they may be. */
  readonly radii?: Float32Array | undefined;
  readonly radiusRange?: RadiusRange | undefined;
  /** Where some are boxes: half of their edges, 0 of others. */
  readonly halfExtents?: Float32Array | undefined;
  readonly cellSize?: number | undefined;
  /** The box; of unbounded worlds, one that holds all particles at the start. */
  readonly min: readonly number[];
  readonly max: readonly number[];
  readonly periodic?: boolean | readonly boolean[] | undefined;
  readonly crowds?: boolean | undefined;
  readonly world: WorldKind;
  /** Packed, `dimensions` numbers a particle. */
  readonly positions: Float32Array;
  readonly velocities: Float32Array;
  /** Particles that never move, unless the drive moves them. */
  readonly obstacles?: ObstaclesGiven | undefined;
  /** Whether the paths of fast particles are followed. */
  readonly continuous?: boolean | undefined;
  readonly settings: SettingsOptions;
  /** What changes as time passes: to be applied before each step, see drive.ts. */
  readonly drive?: Drive | undefined;
}

/** What a generator decides; the rest of a Scene is what it was asked for. */
export type SceneContent = Pick<
  Scene,
  | 'radius'
  | 'radii'
  | 'radiusRange'
  | 'halfExtents'
  | 'cellSize'
  | 'min'
  | 'max'
  | 'periodic'
  | 'crowds'
  | 'positions'
  | 'velocities'
  | 'obstacles'
  | 'continuous'
  | 'settings'
  | 'drive'
>;

export interface SceneDefinition {
  readonly name: string;
  readonly description: string;
  /** Default: bounded, or periodic where an axis wraps around. */
  readonly world?: WorldKind;
  readonly generate: (dimensions: Dimensions, count: number, random: Random) => SceneContent;
}

/** The least whole number whose `dimensions`-th power is at least `value`; exact on every engine. */
export function ceilRoot(value: number, dimensions: number): number {
  let root = Math.max(1, Math.floor(value ** (1 / dimensions)));
  // The first guess may be off by one from one engine to the next; the answer is not.
  while (power(root, dimensions) < value) root++;
  while (root > 1 && power(root - 1, dimensions) >= value) root--;
  return root;
}

/** A small whole power by products, which are exact; the power operator may be off by an ulp. */
export function power(base: number, exponent: number): number {
  let product = 1;
  for (let factor = 0; factor < exponent; factor++) product *= base;
  return product;
}

/** Units to the finest step that 32-bit floats hold exactly throughout a world this long: a power of two. */
export function stepFor(longest: number): number {
  let step = 1;
  while (longest * UNITS > EXACT_UNITS * step) step *= 2;
  return step;
}

/** Units to a coordinate, rounded down to a whole step. */
export function toCoordinate(units: number, step: number): number {
  return (Math.floor(units / step) * step) / UNITS;
}

/** `dimensions` equal numbers. */
export function repeat(value: number, dimensions: Dimensions): number[] {
  return new Array<number>(dimensions).fill(value);
}

/** Cosine and sine of an angle, in steps of 1/1024: other engines' may differ in the last bit. */
export function directionAt(angle: number): readonly [number, number] {
  const round = (value: number) => Math.round(value * UNITS) / UNITS;
  return [round(Math.cos(angle)), round(Math.sin(angle))];
}
