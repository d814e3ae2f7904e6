/** Shows one sign for all waits, as soon as a wait is long enough to be noticed. */

const NOTICED_MS = 200;

let waits = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let show: (isWaiting: boolean) => void = () => undefined;

export function signWaiting(shown: typeof show): void {
  show = shown;
}

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
