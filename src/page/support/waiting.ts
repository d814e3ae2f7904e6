/**
 * Shows a sign while the page loads code, starts a run or changes one. All waits share the sign, which appears once a
 * wait has lasted long enough to be noticed. The state belongs to the document, so this module holds it once.
 */

/** Milliseconds; the sign does not appear for shorter waits. */
const NOTICED_MS = 200;

let underWay = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let show: (isWaiting: boolean) => void = () => undefined;

/** Sets the function that shows and hides the sign. */
export function signWaiting(shown: typeof show): void {
  show = shown;
}

/** Shows the sign until the work has succeeded or failed. Returns the work. */
export function whileWaiting<Result>(work: Promise<Result>): Promise<Result> {
  if (underWay++ === 0) timer = setTimeout(() => show(true), NOTICED_MS);
  const done = () => {
    if (--underWay > 0) return;
    clearTimeout(timer);
    show(false);
  };
  // The caller handles errors of the work.
  work.then(done, done);
  return work;
}
