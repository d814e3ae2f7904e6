/**
 * A page's light or dark appearance: the URL's for this visit, otherwise the visitor's stored choice, otherwise the
 * system's. The style sheets have the colours of the dark theme in media rules, so the system's choice holds before a
 * script runs. Choosing light or dark replaces the conditions of these rules.
 */
import { storedValue, storeValue } from './storage';

export const APPEARANCES = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

export type Appearance = (typeof APPEARANCES)[number][0];

/** Name of the choice in URLs and in the browser's storage. */
const PARAMETER = 'appearance';

/** Conditions of the media rules in style sheets, and of <meta> elements. */
const CONDITIONS = { light: '(prefers-color-scheme: light)', dark: '(prefers-color-scheme: dark)' } as const;
const THEMES = ['light', 'dark'] as const;

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

/** Returns a function that removes the listener. */
export function onAppearance(listener: () => void): () => void {
  const system = matchMedia(CONDITIONS.dark);
  system.addEventListener('change', listener);
  listeners.add(listener);
  return () => {
    system.removeEventListener('change', listener);
    listeners.delete(listener);
  };
}

/** Call this once, when the page opens. */
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

/** Returns undefined if the URL names none, or if the visitor has made a choice since. */
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
  // Colours scrollbars and other parts that the browser draws.
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

/** Returns the rules of a style sheet; none if reading them throws, as for the sheet of a browser extension. */
function rulesOf(sheet: CSSStyleSheet): readonly CSSRule[] {
  try {
    return [...sheet.cssRules];
  } catch {
    return [];
  }
}

/** Finds the <meta> elements that set the colour of the browser's own frame. */
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
