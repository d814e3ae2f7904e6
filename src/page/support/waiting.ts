/**
 * Shows a sign while the page loads code, starts a run or changes one. All waits share the sign. It appears when a wait
 * has lasted long enough to be noticed.
 */

/** Milliseconds before the sign appears. Shorter waits show none. */
const NOTICED_MS = 200;

let waits = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let show: (isWaiting: boolean) => void = () => undefined;

export function signWaiting(shown: typeof show): void {
  show = shown;
}

/** Shows the sign until the work has succeeded or failed. Returns the work. */
export function whileWaiting<Result>(work: Promise<Result>): Promise<Result> {
  if (waits++ === 0) timer = setTimeout(() => show(true), NOTICED_MS);
  const done = () => {
    if (--waits > 0) return;
    clearTimeout(timer);
    show(false);
  };
  // The caller handles errors of the work.
  work.then(done, done);
  return work;
}
