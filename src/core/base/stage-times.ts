/** Purpose: what a timed step says about its stages, on either engine. */

export interface StageTimes {
  readonly source: 'timestamp-query' | 'wall-clock';
  /** Milliseconds, in the order of the stages; stages of the same name are added up. */
  readonly stages: Readonly<Record<string, number>>;
  readonly total: number;
  /**
   * Where a device's clock ran backwards: so many stages, each as often as it is done, have no time. Their share is
   * missing in `stages` and `total`, so whoever averages leaves these times out.
   */
  readonly discarded?: number | undefined;
}
