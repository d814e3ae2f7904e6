import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { effectiveCount } from '../../../../src/page/model/limits';
import { LEADING_PRESETS, LOCKSTEP, PRESETS } from '../../../../src/page/model/presets';
import { readLink, writeLink } from '../../../../src/page/session/link';

const ROOT = new URL('../../../../', import.meta.url);

function sizesIn(folder: string): Map<string, number> {
  const path = fileURLToPath(new URL(folder, ROOT));
  return new Map(readdirSync(path).map((file) => [file, statSync(`${path}${file}`).size]));
}

const sum = (sizes: ReadonlyMap<string, number>) =>
  [...sizes.values()].reduce((bytes, size) => bytes + size, 0);

describe('presets', () => {
  it('are links as the page writes them, each with a picture; all pictures together are small', () => {
    expect(PRESETS.length).toBeGreaterThanOrEqual(8);
    for (const { name, link, small = link, title, text, alt } of PRESETS) {
      for (const one of [link, small]) expect(writeLink(readLink(`?${one}`)), name).toBe(one);
      for (const words of [title, text, alt]) expect(words.length, name).toBeGreaterThan(2);
    }
    const named = (presets: readonly { name: string }[]) => presets.map(({ name }) => `${name}.webp`).sort();
    const onPage = sizesIn('src/page/presets/');
    expect([...onPage.keys()].sort()).toEqual(named([...PRESETS, LOCKSTEP]));
    expect(sum(onPage)).toBeLessThanOrEqual(30_000);
    const inReadme = sizesIn('docs/presets/');
    expect([...inReadme.keys()].sort()).toEqual(named(LEADING_PRESETS));
    expect(sum(inReadme)).toBeLessThanOrEqual(24_000);
  });

  it('have counts that a graphics card or, in their small form, the CPU engine can handle', () => {
    const card = { kind: 'gpu', isSoftware: false, most: 1_000_000 } as const;
    const processor = { kind: 'cpu', isSoftware: true, most: 1_000_000 } as const;
    for (const { name, link, small = link } of PRESETS) {
      const [all, some] = [readLink(`?${link}`), readLink(`?${small}`)];
      expect(effectiveCount(all, card), name).toBe(all.count);
      expect(effectiveCount(some, processor), name).toBe(some.count);
      expect({ ...some, count: all.count, dimensions: all.dimensions }, name).toEqual(all);
    }
  });

  it('begin with six for a GPU, whose small forms have less than a quarter of the particles', () => {
    const counts = LEADING_PRESETS.map(({ name, link, small = '' }) => {
      const [all, some] = [readLink(`?${link}`), readLink(`?${small}`)];
      expect(some.count, name).toBeLessThan(all.count / 4);
      return [name, all.scene, all.dimensions, all.count];
    });
    expect(counts).toEqual([
      ['million', 'pile', 2, 1_000_000],
      ['sizes', 'mixed-wide', 2, 16_000],
      ['bullets', 'bullets', 3, 10_000],
      ['hourglass', 'hourglass', 2, 20_000],
      ['wave-tank', 'wave-tank', 3, 100_000],
      ['murmuration', 'murmuration', 3, 100_000],
    ]);
  });
});
