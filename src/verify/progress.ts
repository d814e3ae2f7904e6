/**
 * Purpose: what checks that take minutes say while they run, for whoever waits. Inputs: from checks, steps done and steps in
 * all. Output: calls, one after each step; nothing depends on them.
 */

/** `done` of `total` steps are over. */
export type Tell = (done: number, total: number) => void;

/** The same, and which check they are of. */
export type Watch = (check: string, done: number, total: number) => void;

export const SILENT = (): void => undefined;
