/**
 * Recognizes failures to load a part of the page. Messages differ between browsers, so remembers what Vite's loader
 * reports; only the built page has it.
 */
const FAILURES = new WeakSet<object>();

/** Call it once, before any part is loaded. */
export function watchLoading(): void {
  window.addEventListener('vite:preloadError', ({ payload }) => FAILURES.add(payload));
}

export function isUnloaded(error: unknown): boolean {
  return typeof error === 'object' && error !== null && FAILURES.has(error);
}
