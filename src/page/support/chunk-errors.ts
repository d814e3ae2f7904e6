/**
 * Detects errors of parts of the page that the browser could not load. Their messages differ between browsers, so
 * the loader's event marks them. Only the built page has that loader.
 */
const FAILURES = new WeakSet<object>();

/** Call once, before any part is loaded. */
export function watchLoading(): void {
  window.addEventListener('vite:preloadError', ({ payload }) => FAILURES.add(payload));
}

export function isUnloaded(error: unknown): boolean {
  return typeof error === 'object' && error !== null && FAILURES.has(error);
}
