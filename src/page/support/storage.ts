/** Stores choices in the browser for this site. If the browser refuses, a choice applies to this visit only. */
const PREFIX = 'cellstorm:';

export function storedValue(name: string): string | undefined {
  try {
    return localStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
}

export function storeValue(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    // The value applies to this visit only.
  }
}
