/**
 * Says that something is on its way: a part of the page that was asked for and is being loaded, another run that is being
 * started. One sign for all, shown only where a wait is long enough to be noticed. Of the document, so there is one.
 */

/** Shorter waits are none. */
const NOTICED_MS = 200;

let underWay = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let show: (isWaiting: boolean) => void = () => undefined;

/** The sign is shown and taken away by this; without one nothing is shown. */
export function signWaiting(shown: typeof show): void {
  show = shown;
}

/** What is handed in is waited for, whatever comes of it; it is handed back. */
export function whileWaiting<Result>(work: Promise<Result>): Promise<Result> {
  if (underWay++ === 0) timer = setTimeout(() => show(true), NOTICED_MS);
  const done = () => {
    if (--underWay > 0) return;
    clearTimeout(timer);
    show(false);
  };
  // Whoever asked hears of an error.
  work.then(done, done);
  return work;
}
