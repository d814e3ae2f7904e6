/** Purpose: what is asked for when a scene is made. */
import type { Dimensions } from '../core/world/world';

/** Used where no seed is given. */
export const DEFAULT_SEED = 1;

export interface SceneRequest {
  readonly dimensions: Dimensions;
  readonly count: number;
  /** 0 to 2³² − 1; default DEFAULT_SEED. */
  readonly seed?: number | undefined;
}

export const REQUEST_NAMES = ['dimensions', 'count', 'seed'] as const;
