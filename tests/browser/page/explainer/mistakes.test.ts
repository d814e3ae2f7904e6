import { describe, expect } from 'vitest';
import { browserTest, useBrowser } from '../../../helpers/browser';
import { findPoorContrast } from '../../contrast';
import { takePicture, textOf } from '../../playground';
import { expectStep, firstOf, numbersIn, scrubTo, setTheme, verdictOf } from './shown';

describe('the mistakes of the explainer', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share(async (opener) => {
    const opened = await opener.openPage('explainer.html#cell-size', { width: 1280, height: 900 });
    await setTheme(opened.page, 'light');
    return opened;
  });

  browserTest(
    'include cells that are too small, or larger than they need to be',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      for (const [size, state] of [
        [0.5, 'broken'],
        [0.9, 'lucky'],
        [1, 'right'],
        [8, 'slow'],
      ] as const) {
        // The slider is logarithmic.
        await scrubTo(page, 'size', Math.log2(size));
        const { text, ...shown } = await verdictOf(page, 'size');
        expect({ size, ...shown }).toEqual({ size, state });
        const missed = await page.$$eval('#size-picture .missed', (lines) => lines.length);
        expect(missed > 0, text).toBe(state === 'broken');
        if (missed > 0) expect(numbersIn(text)).toContain(missed);
        if (size < 1) expect(text).toMatch(/world\.cellSize is .*at least the largest diameter/);
      }
      expect(await textOf(page, 'size-bars')).toMatch(/2,256 of 2,256 without a grid/);
    },
  );

  browserTest('include coordinates that are rounded towards zero instead of down', async () => {
    const { page } = await open();
    await page.click('#rounding input[value="truncate"]');
    const cast = await verdictOf(page, 'floor');
    expect(cast.state).toBe('slow');
    const [castFound, castTruth, castLooks = 0, floorLooks = 0] = numbersIn(cast.text);
    expect(castFound).toBe(castTruth);
    expect(castLooks).toBeGreaterThan(1.5 * floorLooks);
    const heads = () => page.$$eval('#floor-picture .head', (texts) => texts.map((text) => text.textContent));
    expect(await heads()).toEqual(['cell −2', 'cell −1', 'cell 0', 'cell 1', 'cell 2']);
    await page.click('#rounding input[value="both"]');
    expect((await heads()).filter((head) => head?.startsWith('looks'))).toHaveLength(6);
    const both = await verdictOf(page, 'floor');
    expect(both.state).toBe('broken');
    const [bothFound = 0, bothTruth = 0] = numbersIn(both.text);
    expect(bothFound).toBeLessThan(bothTruth);
    expect(await page.$$eval('#floor-picture .half', (lines) => lines.length)).toBeGreaterThan(0);
    await page.click('#rounding input[value="floor"]');
    const floor = await verdictOf(page, 'floor');
    expect(floor.state).toBe('right');
    expect(floor.text).toMatch(/(\d+) of \1/);
  });

  browserTest('include searching shared buckets without comparing the cells of their particles', async () => {
    const { page } = await open();
    const doubled = await verdictOf(page, 'collision');
    expect(doubled.state).toBe('broken');
    const [, expected = 0, found = 0] = numbersIn(doubled.text);
    expect(found).toBeGreaterThan(expected);
    expect(await textOf(page, 'buckets')).toMatch(
      /^Bucket 61cells \(−3, −1\), \(−3, 0\) and \(−3, 1\): 3 particles, searched 3 timesBucket 62cells/,
    );
    await page.$eval('#floor', (piece) => piece.scrollIntoView());
    await takePicture(page, 'explainer-mistakes-light');
    await page.click('#compare');
    const compared = await verdictOf(page, 'collision');
    expect(compared.state).toBe('right');
    expect(numbersIn(compared.text)).toContain(expected);
  });

  browserTest('include pushing each pair twice, once from either side', { tags: 'full' }, async () => {
    const { page } = await open();
    const choose = async (handling: string) => {
      await page.click(`#handling input[value="${handling}"]`);
      const { state, text } = await verdictOf(page, 'handling');
      const marks = await page.$$eval('#handling-picture .count', (all) =>
        all.map((mark) => mark.textContent),
      );
      return { state, text, marks, bars: await textOf(page, 'handling-bars') };
    };
    const both = await choose('both');
    expect(both).toMatchObject({ state: 'broken', marks: new Array(12).fill('2×') });
    expect(both.text).toMatch(/24 pushes for 12 contacts.* up to 0\.261 apart/);
    expect(both.bars).toMatch(/^Pushes24 for 12 contactsWidest gap0\.261 /);
    const larger = await choose('larger');
    expect(larger).toMatchObject({ state: 'right', marks: [] });
    expect(larger.text).toMatch(/12 pushes for 12 contacts, in 32 looks/);
    const own = await choose('own');
    expect(own).toMatchObject({ state: 'right', marks: [] });
    expect(own.text).toMatch(/24 half pushes for 12 contacts, in 64 looks/);
    expect(own.bars).toMatch(/^Pushes12 for 12 contactsWidest gap0 /);
  });

  browserTest(
    'include counters that are not cleared, so that particles touch ghosts',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      const see = () =>
        page.evaluate(() => ({
          state: document.querySelector<HTMLElement>('#frame-verdict')?.dataset.state,
          ghosts: document.querySelectorAll('#frame-picture .ghost').length,
          lines: document.querySelectorAll('#frame-picture .haunted').length,
        }));
      await scrubTo(page, 'frame', 3);
      expect(await see()).toEqual({ state: 'broken', ghosts: 20, lines: 20 });
      expect((await verdictOf(page, 'frame')).text).toMatch(
        /add up to 30, although there are 10 particles.* ghosts 20 times; in 10 cases, the ghost is their own/,
      );
      expect(await textOf(page, 'frame-bars')).toMatch(
        /^Found28 of 8: .*Looks158 against 48 with cleared counters; a full bar is \d+$/,
      );
      await scrubTo(page, 'frame', 1);
      expect(await see()).toEqual({ state: 'lucky', ghosts: 0, lines: 0 });
      await scrubTo(page, 'frame', 6);
      expect((await see()).ghosts).toBe(50);
      await page.$eval('#ghosts', (piece) => piece.scrollIntoView());
      await takePicture(page, 'explainer-ghosts-light');
      await page.click('#clear');
      expect(await see()).toEqual({ state: 'right', ghosts: 0, lines: 0 });
      expect((await verdictOf(page, 'frame')).text).toMatch(/add up to 10, one for each particle/);
    },
  );

  browserTest('include crowds in one cell', async () => {
    const { page } = await open();
    await scrubTo(page, 'crowd-count', 200);
    const crowded = await verdictOf(page, 'crowd');
    expect(crowded.state).toBe('slow');
    expect(crowded.text).toMatch(/in 39,800 looks \(39,800 without a grid\).*crowds: true/);
    await scrubTo(page, 'crowd-share', 100);
    const spread = await verdictOf(page, 'crowd');
    expect(spread.state).toBe('right');
    expect(numbersIn(spread.text)[1]).toBeLessThan(39800 / 5);
  });

  browserTest('are readable', async () => {
    const { page } = await open();
    expect(await page.evaluate(findPoorContrast)).toEqual([]);
  });

  browserTest('can be made and mended by keys alone, with a visible focus', { tags: 'full' }, async () => {
    const { page, expectNoProblems } = await browser.openPage('explainer.html#count-3', {
      width: 1280,
      height: 900,
    });
    await page.focus('#character-keys');
    const tabTo = async (id: string) => {
      await page.keyboard.press('Tab');
      const focus = await page.evaluate(() => {
        const active = document.activeElement as HTMLInputElement;
        const { outlineStyle, outlineWidth } = getComputedStyle(active);
        return {
          id: active.id || active.value,
          isMarked: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2,
        };
      });
      expect(focus).toEqual({ id, isMarked: true });
    };
    const stateAfter = async (
      id: string,
      key: 'Home' | 'End' | 'ArrowLeft' | 'ArrowRight' | 'ArrowDown' | ' ',
    ) => {
      await page.keyboard.press(key);
      return (await verdictOf(page, id)).state;
    };
    await tabTo('size');
    expect(await stateAfter('size', 'Home')).toBe('broken');
    expect(await stateAfter('size', 'End')).toBe('slow');
    await tabTo('truncate');
    expect(await stateAfter('floor', 'ArrowRight')).toBe('broken');
    expect(await stateAfter('floor', 'ArrowLeft')).toBe('slow');
    expect(await stateAfter('floor', 'ArrowLeft')).toBe('right');
    await tabTo('compare');
    expect(await stateAfter('collision', ' ')).toBe('right');
    expect(await stateAfter('collision', ' ')).toBe('broken');
    await tabTo('table');
    const before = await verdictOf(page, 'collision');
    await stateAfter('collision', 'End');
    expect(await verdictOf(page, 'collision')).not.toEqual(before);
    await tabTo('both');
    expect(await stateAfter('handling', 'ArrowRight')).toBe('right');
    expect(await stateAfter('handling', 'ArrowRight')).toBe('right');
    expect(await stateAfter('handling', 'ArrowRight')).toBe('broken');
    await tabTo('clear');
    expect(await stateAfter('frame', ' ')).toBe('right');
    expect(await stateAfter('frame', ' ')).toBe('broken');
    await tabTo('frame');
    expect(await stateAfter('frame', 'Home')).toBe('lucky');
    expect(await stateAfter('frame', 'ArrowRight')).toBe('broken');
    await tabTo('crowd-count');
    expect(await stateAfter('crowd', 'End')).toBe('slow');
    await tabTo('crowd-share');
    expect(await stateAfter('crowd', 'End')).toBe('right');
    expect(await stateAfter('crowd', 'Home')).toBe('slow');
    await expectStep(page, firstOf('count') + 3);
    expectNoProblems();
  });
});
