/** The times of the stages of one step, on either engine. */

export interface StageTimes {
  readonly source: 'timestamp-query' | 'wall-clock';
  /** Milliseconds per stage, in the order of the stages. Stages of the same name are summed. */
  readonly stages: Readonly<Record<string, number>>;
  readonly total: number;
  /**
   * Number of stage runs without a time, because the device's clock ran backwards. `stages` and `total` do not include
   * these runs, so leave a step with discarded runs out of averages.
   */
  readonly discarded?: number | undefined;
}
