import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';

const DARK = '(prefers-color-scheme: dark)';
const LIGHT = '(prefers-color-scheme: light)';

class FakeLink {
  constructor(private href: string) {}
  getAttribute(): string {
    return this.href;
  }
  setAttribute(_name: string, href: string): void {
    this.href = href;
  }
}

class FakeRule {
  readonly media: { mediaText: string };
  constructor(mediaText: string) {
    this.media = { mediaText };
  }
}

afterEach(() => {
  vi.unstubAllGlobals();
});

class FakeStorage {
  readonly items = new Map<string, string>();
  getItem(key: string): string | null {
    return this.items.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    this.items.set(key, value);
  }
  removeItem(key: string): void {
    this.items.delete(key);
  }
}

let pages = 0;

async function openPage(search: string, storage: unknown) {
  const [dark, narrow] = [new FakeRule(DARK), new FakeRule('(max-width: 500px)')];
  const metas = new Map<string, { media: string }>(
    [LIGHT, DARK].map((media) => [`meta[media="${media}"]`, { media }]),
  );
  const links = ['./', './explainer.html'].map((href) => new FakeLink(href));
  vi.stubGlobal('CSSMediaRule', FakeRule);
  vi.stubGlobal('matchMedia', () => ({ matches: true }));
  vi.stubGlobal('localStorage', storage);
  vi.stubGlobal('document', {
    documentElement: { style: { colorScheme: '' } },
    querySelectorAll: (selector: string) => (selector === 'a[href^="./"]' ? links : [metas.get(selector)]),
    styleSheets: [
      {
        get cssRules(): never {
          // Browsers refuse access to some style sheets, such as those of extensions.
          throw new Error('SecurityError');
        },
      },
      { cssRules: [dark, narrow] },
    ],
  });
  // A different query loads the module anew for each page.
  const module = `../../../../src/page/support/appearance.ts?page=${pages++}`;
  const page = (await import(module)) as typeof import('../../../../src/page/support/appearance');
  page.openAppearance(search);
  const look = () => ({
    isDark: page.isDark(),
    dark: dark.media.mediaText,
    metas: [...metas.values()].map(({ media }) => media),
    scheme: document.documentElement.style.colorScheme,
    links: links.map((link) => link.getAttribute()),
    inAddress: page.appearanceInAddress(),
  });
  return { ...page, look, narrow };
}

const OTHER_PAGES = ['./', './explainer.html'];
const LOOKS_LIGHT = { isDark: false, dark: 'not all', metas: ['all', 'not all'], scheme: 'light' };
const LOOKS_DARK = { isDark: true, dark: 'all', metas: ['not all', 'all'], scheme: 'dark' };
const AS_SYSTEM = { isDark: true, dark: DARK, metas: [LIGHT, DARK], scheme: '' };
const OF_VISITOR = { links: OTHER_PAGES, inAddress: undefined };

describe('a choice of light or dark', () => {
  it("overrides the system's setting, even if a foreign style sheet cannot be read", async () => {
    const page = await openPage('', new FakeStorage());
    expect(page.look()).toEqual({ ...AS_SYSTEM, ...OF_VISITOR });
    page.chooseAppearance('light');
    expect(page.look()).toEqual({ ...LOOKS_LIGHT, ...OF_VISITOR });
    page.chooseAppearance('dark');
    expect(page.look()).toEqual({ ...LOOKS_DARK, ...OF_VISITOR });
    page.chooseAppearance('system');
    expect(page.look()).toEqual({ ...AS_SYSTEM, ...OF_VISITOR });
    expect(page.narrow.media.mediaText).toBe('(max-width: 500px)');
  });

  it('is stored in the browser', async () => {
    const storage = new FakeStorage();
    (await openPage('', storage)).chooseAppearance('light');
    const again = await openPage('?v=1&count=100', storage);
    expect(again.look()).toEqual({ ...LOOKS_LIGHT, ...OF_VISITOR });
    expect(again.chosenAppearance()).toBe('light');
    again.chooseAppearance('system');
    expect(storage.items.size).toBe(0);
    expect((await openPage('', storage)).look()).toEqual({ ...AS_SYSTEM, ...OF_VISITOR });
    expect((await openPage('', new FakeStorage())).look()).toEqual({ ...AS_SYSTEM, ...OF_VISITOR });
  });

  it('from an address holds for this visit only, until the visitor chooses', async () => {
    const storage = new FakeStorage();
    storage.setItem('cellstorm:appearance', 'light');
    const page = await openPage('?flags=--x&appearance=dark', storage);
    expect(page.look()).toEqual({
      ...LOOKS_DARK,
      links: ['./?appearance=dark', './explainer.html?appearance=dark'],
      inAddress: 'dark',
    });
    expect([...storage.items.values()]).toEqual(['light']);
    page.chooseAppearance('dark');
    expect(page.look()).toEqual({ ...LOOKS_DARK, ...OF_VISITOR });
    expect([...storage.items.values()]).toEqual(['dark']);
    const system = await openPage('?appearance=system', storage);
    expect(system.look()).toMatchObject({ ...AS_SYSTEM, inAddress: 'system' });
    for (const nothing of ['?appearance=', '?appearance=%3Cb%3E']) {
      expect((await openPage(nothing, storage)).look()).toEqual({ ...LOOKS_DARK, ...OF_VISITOR });
    }
  });

  it('holds for this visit only if the browser stores nothing, and ignores an invalid stored value', async () => {
    const refuse = () => {
      throw new Error('SecurityError');
    };
    const page = await openPage('', { getItem: refuse, setItem: refuse, removeItem: refuse });
    expect(page.look()).toEqual({ ...AS_SYSTEM, ...OF_VISITOR });
    page.chooseAppearance('light');
    expect(page.look()).toEqual({ ...LOOKS_LIGHT, ...OF_VISITOR });
    const storage = new FakeStorage();
    storage.setItem('cellstorm:appearance', 'purple');
    expect((await openPage('', storage)).look()).toEqual({ ...AS_SYSTEM, ...OF_VISITOR });
  });
});

function coloursOf(sheets: readonly string[], theme: 'light' | 'dark'): Map<string, string> {
  const found = new Map<string, string>();
  for (const sheet of sheets) {
    const text = readFileSync(new URL(`../../../../src/page/${sheet}`, import.meta.url), 'utf8');
    const [light = '', dark = ''] = [...text.matchAll(/:root \{([^}]*)\}/g)].map(
      ([, inside]) => inside as string,
    );
    for (const block of theme === 'dark' ? [light, dark] : [light]) {
      for (const [, name, value] of block.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)) {
        found.set(name as string, value as string);
      }
    }
  }
  return found;
}

function contrastOf(first: string, second: string): number {
  const luminances = [first, second].map((colour) => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  });
  return (Math.max(...luminances) + 0.05) / (Math.min(...luminances) + 0.05);
}

describe.each(['light', 'dark'] as const)('the %s colours', (theme) => {
  const colours = coloursOf(['theme.css', 'explainer/styles/text.css'], theme);
  const contrastsOf = (fronts: readonly string[], backs: readonly string[]) =>
    fronts.flatMap((front) =>
      backs.map((back): [string, number] => {
        return [`${front} on ${back}`, contrastOf(colours.get(front) as string, colours.get(back) as string)];
      }),
    );

  // The texts include those that charts draw on a canvas.
  it('give every text a contrast of at least 4.5 with its background', () => {
    const texts = [
      ...contrastsOf(['text', 'faint'], ['stage', 'stage-box', 'panel', 'sunken', 'lit']),
      ...contrastsOf(['accent'], ['stage', 'stage-box', 'panel', 'sunken']),
      ...contrastsOf(['bad'], ['panel', 'sunken']),
      ...contrastsOf(['text'], ['disc']),
      ...contrastsOf(['on-accent'], ['accent']),
      ...contrastsOf(['on-note'], ['note']),
      ...contrastsOf(['on-hit'], ['hit']),
    ];
    expect(texts.filter(([, contrast]) => !(contrast >= 4.5))).toEqual([]);
  });

  it('give meaningful lines and edges of controls a contrast of at least 3', () => {
    const lines = [
      ...contrastsOf(['control-edge'], ['stage', 'panel', 'sunken']),
      ...contrastsOf(['grid'], ['stage-box', 'panel']),
      ...contrastsOf(['accent', 'bad', 'text'], ['stage-box', 'panel', 'lit']),
    ];
    expect(lines.filter(([, contrast]) => !(contrast >= 3))).toEqual([]);
  });
});
