/** Collects the browser's flags, which a page cannot read: the visitor types them or opens `bench.html?flags=…`. */

const PARAMETER = 'flags';

export function flagsInAddress(search: string): string {
  return new URLSearchParams(search).get(PARAMETER) ?? '';
}

/** Splits the typed flags at blanks, and adds what the page can detect. */
export function detectFlags(typed: string): string[] {
  const detected = [
    // Isolated pages have finer clocks.
    crossOriginIsolated ? 'cross-origin isolated' : '',
    navigator.webdriver ? 'driven by a program' : '',
    /Headless/.test(navigator.userAgent) ? 'headless' : '',
  ];
  return [...typed.split(/\s+/), ...detected].filter((flag) => flag !== '');
}
