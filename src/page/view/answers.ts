import type { ParticleArrays, World } from '../../index';

export type Question =
  | { readonly kind: 'near'; readonly point: readonly number[]; readonly radius: number }
  | {
      readonly kind: 'nearest';
      readonly point: readonly number[];
      readonly radius: number;
      readonly k: number;
    }
  | { readonly kind: 'box'; readonly min: readonly number[]; readonly max: readonly number[] }
  | {
      readonly kind: 'ray';
      readonly origin: readonly number[];
      /** A unit vector. */
      readonly direction: readonly number[];
      readonly length: number;
    };

export interface Found {
  /** Indices into the arrays of particles, in the order in which the grid lists them. */
  readonly indices: ArrayLike<number>;
  /** Distances along a ray, in the order of `indices`. */
  readonly distances?: ArrayLike<number>;
}

/** A grid over copies of a run's particles, on the run's engine. Calls must not overlap. */
export interface Answers {
  readonly world: World;
  build(particles: ParticleArrays): void;
  ask(question: Question): Promise<Found> | Found;
  destroy(): void;
}
