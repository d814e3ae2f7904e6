/**
 * Collects the browser's flags for the record. A page cannot read them, so the visitor may type them or put them into
 * the address (`bench.html?flags=--enable-unsafe-webgpu`).
 */

const PARAMETER = 'flags';

/** `search`: the query string of an address, such as `location.search`. */
export function flagsInAddress(search: string): string {
  return new URLSearchParams(search).get(PARAMETER) ?? '';
}

/** Returns the flags in `typed` (separated by blanks) and facts that the page can detect itself. */
export function detectFlags(typed: string): string[] {
  const detected = [
    // Cross-origin isolated pages have finer clocks than other pages.
    crossOriginIsolated ? 'cross-origin isolated' : '',
    navigator.webdriver ? 'driven by a program' : '',
    /Headless/.test(navigator.userAgent) ? 'headless' : '',
  ];
  return [...typed.split(/\s+/), ...detected].filter((flag) => flag !== '');
}
