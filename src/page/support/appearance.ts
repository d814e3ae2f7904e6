/**
 * The light or dark appearance of a page. It follows the system unless the visitor has chosen one in the playground.
 * The browser stores that choice for all pages. An appearance in the URL overrides the choice for this visit. The page
 * then adds it to its links to other pages.
 * Media rules in the style sheets define both themes, so the page looks right before a script runs. A choice replaces
 * the conditions of those rules.
 */
import { storedValue, storeValue } from './storage';

export const APPEARANCES = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

export type Appearance = (typeof APPEARANCES)[number][0];

/** The name in URLs and in the browser's storage. */
const PARAMETER = 'appearance';

/** Media conditions as the style sheets and elements contain them. */
const CONDITIONS = { light: '(prefers-color-scheme: light)', dark: '(prefers-color-scheme: dark)' } as const;
const THEMES = ['light', 'dark'] as const;

/** A style rule or an element that applies in one of the two themes. */
interface Conditional {
  readonly theme: (typeof THEMES)[number];
  require(condition: string): void;
}

let chosen: Appearance = 'system';
let inAddress: Appearance | undefined;
let conditionals: readonly Conditional[] | undefined;
const listeners = new Set<() => void>();

export function isDark(): boolean {
  return chosen === 'system' ? matchMedia(CONDITIONS.dark).matches : chosen === 'dark';
}

/** Calls the listener whenever the page may have become light or dark. Returns a function that removes the listener. */
export function onAppearance(listener: () => void): () => void {
  const system = matchMedia(CONDITIONS.dark);
  system.addEventListener('change', listener);
  listeners.add(listener);
  return () => {
    system.removeEventListener('change', listener);
    listeners.delete(listener);
  };
}

/** Applies the appearance in the URL. If there is none, applies the one that the browser has stored. Call it once. */
export function openAppearance(search: string): void {
  inAddress = appearanceOf(new URLSearchParams(search).get(PARAMETER));
  if (inAddress) putInLinks(inAddress);
  apply(inAddress ?? appearanceOf(storedValue(PARAMETER)) ?? 'system');
}

export function chooseAppearance(appearance: Appearance): void {
  if (inAddress) putInLinks(undefined);
  inAddress = undefined;
  storeValue(PARAMETER, appearance === 'system' ? undefined : appearance);
  apply(appearance);
}

export function chosenAppearance(): Appearance {
  return chosen;
}

/** Returns the appearance in the URL; undefined if there is none or the visitor has chosen one since. */
export function appearanceInAddress(): Appearance | undefined {
  return inAddress;
}

function appearanceOf(text: string | null | undefined): Appearance | undefined {
  return APPEARANCES.find(([name]) => name === text)?.[0];
}

function apply(appearance: Appearance): void {
  if (appearance === chosen) return;
  chosen = appearance;
  conditionals ??= [...conditionalRules(), ...conditionalElements()];
  for (const { theme, require } of conditionals) {
    require(appearance === 'system' ? CONDITIONS[theme] : appearance === theme ? 'all' : 'not all');
  }
  // Affects the parts that the browser draws, such as scrollbars.
  document.documentElement.style.colorScheme = appearance === 'system' ? '' : appearance;
  for (const listener of listeners) listener();
}

function putInLinks(appearance: Appearance | undefined): void {
  const search = appearance ? `?${PARAMETER}=${appearance}` : '';
  for (const link of document.querySelectorAll('a[href^="./"]')) {
    const [path = ''] = (link.getAttribute('href') ?? '').split('?');
    link.setAttribute('href', `${path}${search}`);
  }
}

function conditionalRules(): Conditional[] {
  return [...document.styleSheets].flatMap(rulesOf).flatMap((rule) => {
    const theme =
      rule instanceof CSSMediaRule && THEMES.find((one) => rule.media.mediaText === CONDITIONS[one]);
    if (!theme) return [];
    return [
      {
        theme,
        require: (condition: string) => {
          rule.media.mediaText = condition;
        },
      },
    ];
  });
}

/** Returns a sheet's rules. Returns none if a browser extension has inserted the sheet, because reading it throws. */
function rulesOf(sheet: CSSStyleSheet): readonly CSSRule[] {
  try {
    return [...sheet.cssRules];
  } catch {
    return [];
  }
}

/** Finds the elements that set the colour of the browser's own frame. */
function conditionalElements(): Conditional[] {
  return THEMES.flatMap((theme) =>
    [...document.querySelectorAll<HTMLMetaElement>(`meta[media="${CONDITIONS[theme]}"]`)].map((element) => ({
      theme,
      require: (condition: string) => {
        element.media = condition;
      },
    })),
  );
}
