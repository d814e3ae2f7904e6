import { afterEach, describe, expect, it, vi } from 'vitest';

afterEach(() => vi.unstubAllGlobals());

let pages = 0;

async function openPage(kept: Map<string, string> | undefined) {
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => need(kept).get(key) ?? null,
    setItem: (key: string, value: string) => need(kept).set(key, value),
    removeItem: (key: string) => need(kept).delete(key),
  });
  const announced = new Map([
    ['reset', 'R'],
    ['play', 'Space'],
  ]);
  const buttons = [...announced.keys()].map((id) => ({
    getAttribute: () => announced.get(id) ?? null,
    setAttribute: (_: string, value: string) => announced.set(id, value),
    removeAttribute: () => announced.delete(id),
  }));
  const notes = new Map([
    ['reset-note', { textContent: 'Start over (R)' }],
    ['previous-note', { textContent: 'The one before (shift and N)' }],
    ['play-note', { textContent: 'Play or pause (space)' }],
    ['size-note', { textContent: 'Of those (all)' }],
  ]);
  const hinted = [...notes].map(([id, { textContent }]) => ({
    dataset: { hint: textContent },
    getAttribute: () => id,
  }));
  vi.stubGlobal('document', {
    querySelectorAll: (selector: string) => (selector === '[data-hint]' ? hinted : buttons),
    getElementById: (id: string) => notes.get(id) ?? null,
  });
  const module = `../../../../src/page/support/character-keys.ts?page=${pages++}`;
  const page = (await import(module)) as typeof import('../../../../src/page/support/character-keys');
  const box = Object.assign(new EventTarget(), { checked: true });
  page.letChoose(box as unknown as HTMLInputElement);
  return {
    box,
    announced,
    /** Pairs of a visible hint and its text for screen readers. */
    hints: () =>
      hinted.map(({ dataset, getAttribute }) => [dataset.hint, notes.get(getAttribute())?.textContent]),
    ignored: ['r', 'R', '?', '.', 'é', '😀', ' ', 'ArrowLeft', 'Home', 'Escape'].filter(page.isIgnored),
    choose(areOn: boolean) {
      box.checked = areOn;
      box.dispatchEvent(new Event('change'));
      return ['r', '.', ' ', 'End'].filter(page.isIgnored);
    },
  };
}

function need(kept: Map<string, string> | undefined): Map<string, string> {
  if (kept === undefined) throw new Error('SecurityError');
  return kept;
}

describe('shortcuts of single characters', () => {
  it('are on by default, and stay off once they are switched off', async () => {
    const kept = new Map<string, string>();
    const page = await openPage(kept);
    expect([page.box.checked, page.ignored]).toEqual([true, []]);
    expect(page.choose(false)).toEqual(['r', '.']);
    expect([...page.announced]).toEqual([['play', 'Space']]);
    const twice = (...hints: string[]) => hints.map((hint) => [hint, hint]);
    const others = ['Play or pause (space)', 'Of those (all)'];
    expect(page.hints()).toEqual(twice('Start over', 'The one before', ...others));
    const again = await openPage(kept);
    expect(again.box.checked).toBe(false);
    expect(again.ignored).toEqual(['r', 'R', '?', '.', 'é', '😀']);
    expect([...again.announced.keys()]).toEqual(['play']);
    expect(again.choose(true)).toEqual([]);
    expect(again.announced.get('reset')).toBe('R');
    expect(again.hints()).toEqual(twice('Start over (R)', 'The one before (shift and N)', ...others));
    expect(kept.size).toBe(0);
  });

  it('if the browser stores nothing, are switched off only for this visit', async () => {
    const page = await openPage(undefined);
    expect([page.box.checked, page.choose(false), page.choose(true)]).toEqual([true, ['r', '.'], []]);
  });
});
