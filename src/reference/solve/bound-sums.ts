/**
 * Exact vectors with error bounds, and sums of them, for bound.ts, bound-contact.ts and bound-law.ts. bound.ts explains
 * the terms.
 */
import { UNIT_ROUNDOFF as U } from '../query/brute-force';

/** A factor that covers products of errors and the roundings of the doubles used here. */
export const SLACK = 1 + 2 ** -10;

/** The most that flushing a few subnormals to 0 can lose. */
const FLUSHED = 2 ** -120;

/** Relative errors of a contact, derived in bound-contact.ts and bound-law.ts. */
export interface Accuracy {
  readonly distance: number;
  readonly normal: number;
  readonly approach: number;
  readonly sliding: number;
  readonly friction: number;
}

/**
 * Returns the relative errors. `apart` is the relative error of the difference of coordinates, beyond its one rounding.
 */
export function accuracyOf(dimensions: number, apart = 0): Accuracy {
  const distance = ((dimensions + 2) / 2 + 9) * U + apart;
  const normal = distance + 6 * U + apart;
  const approach = normal + (dimensions + 1) * U;
  const sliding = approach + normal + 3 * U;
  return { distance, normal, approach, sliding, friction: (dimensions + 26) * U };
}

/** An exact vector, and the greatest distance of a computed one from it. */
export interface Approximate {
  readonly value: number[];
  error: number;
}

/** The exact sum of the contributions of contacts, and the error of a computed one. */
export class Sum {
  readonly value: number[];
  error = 0;
  magnitude = 0;
  terms = 0;

  constructor(dimensions: number) {
    this.value = new Array<number>(dimensions).fill(0);
  }

  add(contribution: readonly number[], error: number, magnitude: number): void {
    for (let axis = 0; axis < this.value.length; axis++) {
      this.value[axis] = (this.value[axis] as number) + (contribution[axis] as number);
    }
    this.error += error + FLUSHED;
    this.magnitude += magnitude;
    this.terms++;
  }

  /** Returns the vector plus this sum. */
  addTo(vector: readonly number[]): Approximate {
    // Adding nothing rounds nothing.
    if (this.terms === 0) return { value: [...vector], error: 0 };
    const growth = (this.terms * U) / (1 - this.terms * U);
    return {
      value: vector.map((component, axis) => component + (this.value[axis] as number)),
      error: this.error + growth * this.magnitude + U * (length(vector) + this.magnitude),
    };
  }
}

/** Returns one component of the difference of two packed vectors. */
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
