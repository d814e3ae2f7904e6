/** The times of the stages of one step. */
export interface StageTimes {
  /** The clock of the times: the GPU's timestamps or the host's wall clock. */
  readonly source: 'timestamp-query' | 'wall-clock';
  /** Milliseconds per stage, in the order of the stages. Stages of the same name are summed. */
  readonly stages: Readonly<Record<string, number>>;
  /** Milliseconds of the whole step. */
  readonly total: number;
  /**
   * Number of stage runs without a time, because the device's clock ran backwards; left out if there are none.
   * `stages` and `total` lack the times of these runs, so leave such a step out of averages.
   */
  readonly discarded?: number | undefined;
  /**
   * Number of dispatches that the step recorded on the GPU. Each dispatch, even one without work, waits for the one
   * before. Left out on the CPU.
   */
  readonly dispatches?: number | undefined;
}
