/** Light or dark, as the system is or as was chosen: what asks the system is asked of the choice, and nothing else is touched. */
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

describe('a choice of light or dark', () => {
  it('takes the place of what the system says, whatever sheets of others are there', async () => {
    const [dark, narrow] = [new FakeRule(DARK), new FakeRule('(max-width: 500px)')];
    const metas = new Map<string, { media: string }>(
      [LIGHT, DARK].map((media) => [`meta[media="${media}"]`, { media }]),
    );
    const links = ['./', './explainer.html'].map((href) => new FakeLink(href));
    vi.stubGlobal('CSSMediaRule', FakeRule);
    vi.stubGlobal('matchMedia', () => ({ matches: true }));
    vi.stubGlobal('document', {
      documentElement: { style: { colorScheme: '' } },
      querySelectorAll: (selector: string) => (selector === 'a[href^="./"]' ? links : [metas.get(selector)]),
      styleSheets: [
        {
          get cssRules(): never {
            // Of an extension, say.
            throw new Error('SecurityError');
          },
        },
        { cssRules: [dark, narrow] },
      ],
    });
    const { appearanceInAddress, chooseAppearance, isDark } = await import('../../src/page/appearance');
    const look = () => ({
      isDark: isDark(),
      dark: dark.media.mediaText,
      metas: [...metas.values()].map(({ media }) => media),
      scheme: document.documentElement.style.colorScheme,
      links: links.map((link) => link.getAttribute()),
    });
    const light = appearanceInAddress('?flags=--x&appearance=light');
    chooseAppearance(light);
    expect(look()).toEqual({
      isDark: false,
      dark: 'not all',
      metas: ['all', 'not all'],
      scheme: 'light',
      links: ['./?appearance=light', './explainer.html?appearance=light'],
    });
    chooseAppearance('dark');
    expect(look()).toEqual({
      isDark: true,
      dark: 'all',
      metas: ['not all', 'all'],
      scheme: 'dark',
      links: ['./?appearance=dark', './explainer.html?appearance=dark'],
    });
    for (const nothing of ['', '?appearance=', '?appearance=%3Cb%3E']) {
      expect(appearanceInAddress(nothing)).toBe('system');
    }
    chooseAppearance('system');
    expect(look()).toEqual({
      isDark: true,
      dark: DARK,
      metas: [LIGHT, DARK],
      scheme: '',
      links: ['./', './explainer.html'],
    });
    expect(narrow.media.mediaText).toBe('(max-width: 500px)');
  });
});
