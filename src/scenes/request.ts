/** The argument of `createScene`. */
import type { Dimensions } from '../core/world/world';

export const DEFAULT_SEED = 1;

export interface SceneRequest {
  readonly dimensions: Dimensions;
  readonly count: number;
  /** A whole number from 0 to 2³² − 1. Default: DEFAULT_SEED. */
  readonly seed?: number | undefined;
}

export const REQUEST_NAMES = ['dimensions', 'count', 'seed'] as const;
