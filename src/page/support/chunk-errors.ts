/**
 * Tells parts of the page that the browser could not load from other errors, which browsers word each in their own
 * way. Of the built page only: its loader says so of each.
 */
const FAILURES = new WeakSet<object>();

/** To be called once, before any part is loaded. */
export function watchLoading(): void {
  window.addEventListener('vite:preloadError', ({ payload }) => FAILURES.add(payload));
}

export function isUnloaded(error: unknown): boolean {
  return typeof error === 'object' && error !== null && FAILURES.has(error);
}
