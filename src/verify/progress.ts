/** Progress of checks that take minutes: callbacks after each step. No result depends on them. */

/** Is called when `done` of `total` steps are over. */
export type Tell = (done: number, total: number) => void;

/** Like Tell, with the name of the check. */
export type Watch = (check: string, done: number, total: number) => void;

export const SILENT = (): void => undefined;
