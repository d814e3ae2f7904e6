/**
 * Collects how the browser was started, for the record. A page cannot read the browser's flags, so the visitor may type
 * them or put them into the address (`bench.html?flags=--enable-unsafe-webgpu`); what the page can detect is added.
 */

const PARAMETER = 'flags';

/** Reads the flags from an address. */
export function flagsInAddress(search: string): string {
  return new URLSearchParams(search).get(PARAMETER) ?? '';
}

/** `typed`: flags separated by spaces. */
export function detectFlags(typed: string): string[] {
  const seen = [
    // Clocks are finer on isolated pages.
    crossOriginIsolated ? 'cross-origin isolated' : '',
    navigator.webdriver ? 'driven by a program' : '',
    /Headless/.test(navigator.userAgent) ? 'headless' : '',
  ];
  return [...typed.split(/\s+/), ...seen].filter((flag) => flag !== '');
}
