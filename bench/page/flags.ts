/**
 * Purpose: what a record says of how the browser was started. Browsers do not tell their flags, so whoever knows them writes
 * them into the page, or into its address (`bench.html?flags=--enable-unsafe-webgpu`); beside them stands what a page sees.
 */

const PARAMETER = 'flags';

/** Of an address. */
export function flagsInAddress(search: string): string {
  return new URLSearchParams(search).get(PARAMETER) ?? '';
}

/** `told`: flags apart by spaces. */
export function detectFlags(told: string): string[] {
  const seen = [
    // Where it is, clocks are finer.
    crossOriginIsolated ? 'cross-origin isolated' : '',
    navigator.webdriver ? 'driven by a program' : '',
    /Headless/.test(navigator.userAgent) ? 'headless' : '',
  ];
  return [...told.split(/\s+/), ...seen].filter((flag) => flag !== '');
}
