/** The times of a timed step and its stages, on either engine. */

export interface StageTimes {
  readonly source: 'timestamp-query' | 'wall-clock';
  /** Milliseconds, in the order of the stages. Stages of the same name are summed. */
  readonly stages: Readonly<Record<string, number>>;
  readonly total: number;
  /**
   * Number of stage runs without a time, because the device's clock ran backwards. `stages` and `total` lack their
   * share, so leave these times out of averages.
   */
  readonly discarded?: number | undefined;
}
