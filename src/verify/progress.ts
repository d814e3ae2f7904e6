/** Callbacks that report the progress of checks that take minutes. No result depends on them. */

/** Called after each step: `done` of `total` steps are finished. */
export type OnStep = (done: number, total: number) => void;

/** Like OnStep, with the name of the check. */
export type OnCheckStep = (check: string, done: number, total: number) => void;

export const SILENT = (): void => undefined;
