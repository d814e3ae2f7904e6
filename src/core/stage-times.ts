/** Purpose: what a timed step says about its stages, on either engine. */

export interface StageTimes {
  readonly source: 'timestamp-query' | 'wall-clock';
  /** Milliseconds, in the order of the stages; stages of the same name are added up. */
  readonly stages: Readonly<Record<string, number>>;
  readonly total: number;
}
