/**
 * Whether a page is light or dark: as the system is, unless the visitor has chosen in the playground. A choice is the
 * visitor's own: kept in the browser, for all pages, and in no link. Only an address that contains it sets it for
 * this visit, and goes on saying it. What dark means is in media rules of the style sheets, so that it is seen before a script
 * runs; a choice puts another condition in the place of theirs. Of the document, so there is one.
 */
import { keepAs, keptAs } from './storage';

export const APPEARANCES = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

export type Appearance = (typeof APPEARANCES)[number][0];

/** In addresses, and what is kept. */
const PARAMETER = 'appearance';

/** What style sheets and elements ask of the system. */
const CONDITIONS = { light: '(prefers-color-scheme: light)', dark: '(prefers-color-scheme: dark)' } as const;
const LOOKS = ['light', 'dark'] as const;

/** Something that is there in one of the two looks. */
interface Conditional {
  readonly look: (typeof LOOKS)[number];
  require(condition: string): void;
}

let chosen: Appearance = 'system';
let inAddress: Appearance | undefined;
let conditionals: readonly Conditional[] | undefined;
const listeners = new Set<() => void>();

export function isDark(): boolean {
  return chosen === 'system' ? matchMedia(CONDITIONS.dark).matches : chosen === 'dark';
}

/** Calls whenever the page may have become light or dark, until what is returned is called. */
export function onAppearance(listener: () => void): () => void {
  const system = matchMedia(CONDITIONS.dark);
  system.addEventListener('change', listener);
  listeners.add(listener);
  return () => {
    system.removeEventListener('change', listener);
    listeners.delete(listener);
  };
}

/** To be called once: as the address says, else as was chosen in this browser. */
export function openAppearance(search: string): void {
  inAddress = appearanceOf(new URLSearchParams(search).get(PARAMETER));
  if (inAddress) takeAlong(inAddress);
  apply(inAddress ?? appearanceOf(keptAs(PARAMETER)) ?? 'system');
}

/** What the visitor chooses, here and from now on. */
export function chooseAppearance(appearance: Appearance): void {
  if (inAddress) takeAlong(undefined);
  inAddress = undefined;
  keepAs(PARAMETER, appearance === 'system' ? undefined : appearance);
  apply(appearance);
}

export function chosenAppearance(): Appearance {
  return chosen;
}

/** What the address says, as long as the visitor has not chosen. */
export function appearanceInAddress(): Appearance | undefined {
  return inAddress;
}

function appearanceOf(text: string | null | undefined): Appearance | undefined {
  return APPEARANCES.find(([name]) => name === text)?.[0];
}

function apply(appearance: Appearance): void {
  if (appearance === chosen) return;
  chosen = appearance;
  conditionals ??= [...rulesOfLooks(), ...elementsOfLooks()];
  for (const { look, require } of conditionals) {
    require(appearance === 'system' ? CONDITIONS[look] : appearance === look ? 'all' : 'not all');
  }
  // Of what the browser draws itself.
  document.documentElement.style.colorScheme = appearance === 'system' ? '' : appearance;
  for (const listener of listeners) listener();
}

/** Links to the other pages say what the address of this one says. */
function takeAlong(appearance: Appearance | undefined): void {
  const search = appearance ? `?${PARAMETER}=${appearance}` : '';
  for (const link of document.querySelectorAll('a[href^="./"]')) {
    const [path = ''] = (link.getAttribute('href') ?? '').split('?');
    link.setAttribute('href', `${path}${search}`);
  }
}

function rulesOfLooks(): Conditional[] {
  return [...document.styleSheets].flatMap(rulesOf).flatMap((rule) => {
    const look =
      rule instanceof CSSMediaRule && LOOKS.find((one) => rule.media.mediaText === CONDITIONS[one]);
    if (!look) return [];
    return [
      {
        look,
        require: (condition: string) => {
          rule.media.mediaText = condition;
        },
      },
    ];
  });
}

/** None of a sheet that an extension of the browser has put in: such a one does not let itself be read. */
function rulesOf(sheet: CSSStyleSheet): readonly CSSRule[] {
  try {
    return [...sheet.cssRules];
  } catch {
    return [];
  }
}

/** The colour of the browser's own frame. */
function elementsOfLooks(): Conditional[] {
  return LOOKS.flatMap((look) =>
    [...document.querySelectorAll<HTMLMetaElement>(`meta[media="${CONDITIONS[look]}"]`)].map((element) => ({
      look,
      require: (condition: string) => {
        element.media = condition;
      },
    })),
  );
}
