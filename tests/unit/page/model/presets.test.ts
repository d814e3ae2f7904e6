import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PRESETS } from '../../../../src/page/model/presets';
import { readLink, writeLink } from '../../../../src/page/session/link';

const PICTURES = fileURLToPath(new URL('../../../../src/page/presets/', import.meta.url));

describe('presets', () => {
  it('are links as the page writes them, each with a picture; all pictures together are small', () => {
    expect(PRESETS.length).toBeGreaterThanOrEqual(8);
    for (const { name, link, title, text, alt } of PRESETS) {
      expect(writeLink(readLink(`?${link}`)), name).toBe(link);
      for (const words of [title, text, alt]) expect(words.length, name).toBeGreaterThan(2);
    }
    const pictures = readdirSync(PICTURES);
    expect(pictures.sort()).toEqual(PRESETS.map(({ name }) => `${name}.webp`).sort());
    const bytes = pictures.reduce((sum, file) => sum + statSync(`${PICTURES}${file}`).size, 0);
    expect(bytes).toBeLessThanOrEqual(26_000);
  });
});
