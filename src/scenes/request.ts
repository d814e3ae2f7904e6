import type { Dimensions } from '../core/world/world';

export const DEFAULT_SEED = 1;

/** Parameters of the scene to generate. */
export interface SceneRequest {
  /** 2 or 3. */
  readonly dimensions: Dimensions;
  /** Number of particles, from 0 to 2³¹ − 1. */
  readonly count: number;
  /** A whole number from 0 to 2³² − 1. Default: 1. */
  readonly seed?: number | undefined;
}

export const REQUEST_NAMES = ['dimensions', 'count', 'seed'] as const;
