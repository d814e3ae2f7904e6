/**
 * Lasting choices of the visitor, stored in the browser for all pages of this site, each under its own name. A browser
 * may refuse to store anything; then a choice holds for this visit only.
 */
const PREFIX = 'cellstorm:';

export function keptAs(name: string): string | undefined {
  try {
    return localStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a value; undefined removes it. */
export function keepAs(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    // The value holds for this visit only.
  }
}
