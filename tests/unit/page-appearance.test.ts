/** Light or dark, as the system is or as was chosen: what asks the system is asked of the choice, and nothing else is touched. */
import { afterEach, describe, expect, it, vi } from 'vitest';

const DARK = '(prefers-color-scheme: dark)';
const LIGHT = '(prefers-color-scheme: light)';

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
    vi.stubGlobal('CSSMediaRule', FakeRule);
    vi.stubGlobal('matchMedia', () => ({ matches: true }));
    vi.stubGlobal('document', {
      documentElement: { style: { colorScheme: '' } },
      querySelectorAll: (selector: string) => [metas.get(selector)],
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
    const { chooseAppearance, isDark } = await import('../../src/page/appearance');
    const look = () => ({
      isDark: isDark(),
      dark: dark.media.mediaText,
      metas: [...metas.values()].map(({ media }) => media),
      scheme: document.documentElement.style.colorScheme,
    });
    chooseAppearance('light');
    expect(look()).toEqual({ isDark: false, dark: 'not all', metas: ['all', 'not all'], scheme: 'light' });
    chooseAppearance('dark');
    expect(look()).toEqual({ isDark: true, dark: 'all', metas: ['not all', 'all'], scheme: 'dark' });
    chooseAppearance('system');
    expect(look()).toEqual({ isDark: true, dark: DARK, metas: [LIGHT, DARK], scheme: '' });
    expect(narrow.media.mediaText).toBe('(max-width: 500px)');
  });
});
