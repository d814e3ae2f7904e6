/** Callbacks that report the progress of long checks. */

/** `done` of `total` steps are finished. */
export type OnStep = (done: number, total: number) => void;

export type OnCheckStep = (check: string, done: number, total: number) => void;

export const SILENT = (): void => undefined;
