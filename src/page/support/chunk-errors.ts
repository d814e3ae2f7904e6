/**
 * Recognizes failures to load a part of the page. Browsers have different messages, so this file remembers the errors
 * that Vite's loader reports. Only the built page has this loader.
 */
const FAILURES = new WeakSet<object>();

/** Call this once, before any part is loaded. */
export function watchLoading(): void {
  window.addEventListener('vite:preloadError', ({ payload }) => FAILURES.add(payload));
}

/** A worker sends errors as data, so the page must mark them again. */
export function markUnloaded(error: Error): void {
  FAILURES.add(error);
}

export function isUnloaded(error: unknown): boolean {
  return typeof error === 'object' && error !== null && FAILURES.has(error);
}
