/** Exact vectors with error bounds, and their sums. bound.ts explains the terms. */
import { UNIT_ROUNDOFF as U } from '../query/brute-force';

export const SLACK = 1 + 2 ** -10;

/** The greatest length that is lost if its square is flushed to 0. */
export const LOST = 2 ** -62;

/** The most that flushing a few subnormals to 0 can lose. */
const FLUSHED = 2 ** -120;

export interface Accuracy {
  readonly distance: number;
  readonly normal: number;
  readonly approach: number;
  readonly sliding: number;
  readonly friction: number;
  /** Relative error of a length: the root halves the k u of the squares and adds 9 u. */
  readonly length: number;
}

/**
 * Returns the relative errors. `apart` is the error that a difference of coordinates has besides its one rounding, as a
 * share of the distance.
 */
export function accuracyOf(dimensions: number, apart = 0): Accuracy {
  const distance = ((dimensions + 2) / 2 + 9) * U + apart;
  const normal = distance + 6 * U + apart;
  const approach = normal + (dimensions + 1) * U;
  const sliding = approach + normal + 3 * U;
  return {
    distance,
    normal,
    approach,
    sliding,
    friction: (dimensions + 26) * U,
    length: (dimensions / 2 + 9) * U,
  };
}

/** An exact vector, and the greatest distance of the computed vector from it. */
export interface Approximate {
  readonly value: number[];
  error: number;
}

/** An exact number, and the greatest difference of the computed number from it. */
export interface ApproximateNumber {
  value: number;
  error: number;
}

/** `magnitude` is at least the length of `value`, and scales the roundings of the sum. */
export interface Term extends Approximate {
  readonly magnitude: number;
}

/** Returns a term whose error also covers `other`. */
export function either(term: Term, other: Term): Term {
  const apart = length(term.value.map((along, axis) => along - (other.value[axis] as number)));
  return {
    value: term.value,
    error: Math.max(term.error, other.error + apart),
    magnitude: Math.max(term.magnitude, other.magnitude),
  };
}

export class Sum {
  readonly value: number[];
  error = 0;
  magnitude = 0;
  terms = 0;

  constructor(dimensions: number) {
    this.value = new Array<number>(dimensions).fill(0);
  }

  add({ value, error, magnitude }: Term): void {
    for (let axis = 0; axis < this.value.length; axis++) {
      this.value[axis] = (this.value[axis] as number) + (value[axis] as number);
    }
    // Flushing and rounding lose nothing of an exact 0.
    if (!(error > 0 || magnitude > 0)) return;
    this.error += error + FLUSHED;
    this.magnitude += magnitude;
    this.terms++;
  }

  total(): Approximate {
    const growth = (this.terms * U) / (1 - this.terms * U);
    return { value: [...this.value], error: this.error + growth * this.magnitude };
  }
}

/** The largest of some numbers, and the range in which its computed value lies. */
export class Largest {
  value = 0;
  private least = 0;
  private most = 0;

  /** `isCertain` is false if GPU or reference may leave the number out. */
  add(value: number, error: number, isCertain: boolean): void {
    this.value = Math.max(this.value, value);
    if (isCertain) this.least = Math.max(this.least, value - error);
    this.most = Math.max(this.most, value + error);
  }

  addAll(other: Largest): void {
    this.value = Math.max(this.value, other.value);
    this.least = Math.max(this.least, other.least);
    this.most = Math.max(this.most, other.most);
  }

  get error(): number {
    return Math.max(this.value - this.least, this.most - this.value);
  }
}

export class EffectSums {
  readonly push: Sum;
  readonly change: Sum;
  readonly support: Sum;
  /** Sum of the components of supports along gravity. It has an error of its own. */
  readonly lift = new Sum(1);
  readonly bearing = new Sum(1);
  readonly closing = new Largest();
  readonly depth = new Largest();
  readonly strain = new Largest();

  constructor(dimensions: number) {
    this.push = new Sum(dimensions);
    this.change = new Sum(dimensions);
    this.support = new Sum(dimensions);
  }
}

/** Returns `vector` + `added`. `vector` has no error. Adding an exact 0 rounds nothing. */
export function sumOf(vector: readonly number[], added: Approximate): Approximate {
  const value = vector.map((along, axis) => along + (added.value[axis] as number));
  const size = length(added.value);
  if (size === 0 && added.error === 0) return { value, error: 0 };
  return { value, error: added.error + U * (length(vector) + size) };
}

/** Returns `from` − `factor` · `taken`. Subtracting an exact 0 rounds nothing. */
export function differenceOf(from: Approximate, taken: Approximate, factor = 1): Approximate {
  const size = length(taken.value);
  if (size === 0 && taken.error === 0) return from;
  return {
    value: from.value.map((along, axis) => along - factor * (taken.value[axis] as number)),
    error: from.error + factor * (taken.error + U * size) + U * (length(from.value) + factor * size),
  };
}

/** Returns the part of a vector that is perpendicular to `direction`, a unit vector. */
export function across(vector: readonly number[], direction: readonly number[]): number[] {
  const along = inner(vector, direction);
  return vector.map((component, axis) => component - along * (direction[axis] as number));
}

export function component(
  dimensions: number,
  vectors: Float32Array,
  slot: number,
  other: number,
  axis: number,
  others = vectors,
): number {
  return (vectors[slot * dimensions + axis] as number) - (others[other * dimensions + axis] as number);
}

export function vectorOf(dimensions: number, vectors: Float32Array, slot: number): number[] {
  return Array.from(vectors.subarray(slot * dimensions, (slot + 1) * dimensions));
}

export function inner(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, along, axis) => sum + along * (b[axis] as number), 0);
}

export function length(vector: readonly number[]): number {
  return Math.sqrt(inner(vector, vector));
}

export function scaled(factor: number, vector: readonly number[]): number[] {
  return vector.map((along) => factor * along);
}
