/** The times of a timed step and its stages, on either engine. */

export interface StageTimes {
  readonly source: 'timestamp-query' | 'wall-clock';
  /** Milliseconds, in the order of the stages. Stages of the same name are summed. */
  readonly stages: Readonly<Record<string, number>>;
  readonly total: number;
  /**
   * How many stage runs have no time, because the device's clock ran backwards. `stages` and `total` lack their share,
   * so leave these times out of averages.
   */
  readonly discarded?: number | undefined;
}
