/**
 * Detects the errors of parts of the page that the browser could not load. Their messages differ between browsers, so
 * an event of Vite's loader marks the errors. Only the built page has this loader.
 */
const FAILURES = new WeakSet<object>();

/** Call it once, before any part is loaded. */
export function watchLoading(): void {
  window.addEventListener('vite:preloadError', ({ payload }) => FAILURES.add(payload));
}

export function isUnloaded(error: unknown): boolean {
  return typeof error === 'object' && error !== null && FAILURES.has(error);
}
