/**
 * What a visitor has chosen for good, kept in the browser for all pages of this site, under one name each. Browsers may
 * refuse to keep anything: then it holds for this visit.
 */
const PREFIX = 'cellstorm:';

export function keptAs(name: string): string | undefined {
  try {
    return localStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** `undefined`: nothing is kept under this name any more. */
export function keepAs(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    // It is for this visit, then.
  }
}
