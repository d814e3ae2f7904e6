import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import { createScene, wallOf } from '../../../../src/scenes';
import { browserTest, useBrowser } from '../../../helpers/browser';
import {
  arrange,
  chooseScene,
  follow,
  openPlayground,
  settle,
  shownValue,
  stepTimes,
  takePicture,
  textOf,
  toggleField,
  typeNumber,
  unfold,
  waitForText,
} from '../../playground';

const QUICK = '?v=1&count=400&engine=cpu';

/** Returns the ids of the visible controls, except sliders. */
const visibleControls = (page: Page) =>
  page.$$eval('.controls :is(input:not([type="range"]), select)', (inputs) =>
    inputs.filter((input) => (input as HTMLElement).offsetHeight > 0).map(({ id }) => id),
  );

const runOf = (page: Page) =>
  page.evaluate(() => {
    const { simulation, measures } = window.cellstorm ?? {};
    if (!simulation || !measures || 'figures' in measures) throw new Error('Nothing runs.');
    const { time, count, world, settings } = simulation;
    const { candidates, occupiedCells, greatestOccupancy, contacts, hash } = measures;
    const { kind, period, cellSize, crowds } = world;
    const figures = { candidates, occupiedCells, greatestOccupancy, contacts, hash };
    return { time, count, kind, period: [...period], cellSize, crowds, walls: settings.walls, ...figures };
  });

describe('the button for more settings', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) => openPlayground(opener, { query: QUICK }));

  browserTest('shows the other controls, also in the next visit, and hides them again', async () => {
    const { page } = await open();
    await follow(page, `./${QUICK}`);
    const few = await visibleControls(page);
    expect(few).toEqual([
      ...[
        'scene',
        'dimensions',
        'count',
        'gravity',
        'broadPhase',
        'cellSize',
        'engine',
        'colour',
        'cellLines',
      ],
      'pointer',
    ]);
    await page.focus('#more');
    await page.keyboard.press('Enter');
    const all = await visibleControls(page);
    expect(all.slice(0, few.length)).toEqual(few);
    expect(all).toEqual(expect.arrayContaining(['seed', 'periodicX', 'walls', 'continuous', 'appearance']));
    expect(all).not.toContain('transfer');
    // Two presses of Tab reach the first new control: the first press stops at the heading of its group.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('size');
    await takePicture(page, 'more-settings');
    await follow(page, `./${QUICK}`);
    expect(await visibleControls(page)).toEqual(all);
    await page.click('#more');
    expect(await visibleControls(page)).toEqual(few);
    await follow(page, `./${QUICK}`);
    expect(await visibleControls(page)).toEqual(few);
  });

  browserTest(
    'shows its controls if the link sets one of them; the next visit does not remember this',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      for (const [query, isOpen] of [
        ['&seed=3', true],
        ['&periodicX=1', true],
        ['&gravity=3&cellSize=2&cellLines=1', false],
        // This field has no effect in the scene.
        ['&transfer=apic', false],
      ] as const) {
        await follow(page, `./${QUICK}${query}`);
        expect((await visibleControls(page)).includes('seed'), query).toBe(isOpen);
      }
    },
  );

  browserTest('leaves few controls in scenes of fluids, and hides those without effect', async () => {
    const { page } = await open();
    await follow(page, `./${QUICK}&scene=dam-break`);
    expect(await visibleControls(page)).toEqual([
      ...['scene', 'dimensions', 'count', 'gravity', 'engine', 'colour', 'fluidAs', 'cellLines', 'pointer'],
    ]);
    expect(await page.$eval('#cells-open', (button) => (button as HTMLElement).offsetHeight)).toBe(0);
    const style = await page.$eval('#fluidAs', (select) => {
      const { opacity, textDecorationLine } = getComputedStyle(select);
      return {
        opacity: Number(opacity),
        textDecorationLine,
        isDisabled: (select as HTMLSelectElement).disabled,
      };
    });
    expect(style).toEqual({ opacity: 0.45, textDecorationLine: 'none', isDisabled: true });
  });
});

describe('the control of the cell size', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) => openPlayground(opener, { query: QUICK }));

  for (const engine of ['cpu', 'gpu'] as const) {
    browserTest(`changes the cells of the running state (${engine})`, { tags: 'full' }, async () => {
      const { page } = await open();
      await arrange(page, { engine, scene: 'uniform', count: 400 });
      await stepTimes(page, 3);
      const before = await runOf(page);
      expect(before.cellSize).toBe(1);
      await page.focus('#cellSize-slider');
      await page.keyboard.press('End');
      await settle(page);
      const after = await runOf(page);
      expect(after).toMatchObject({ time: before.time, hash: before.hash, contacts: before.contacts });
      expect(after.cellSize).toBeCloseTo(8, 3);
      expect(after.candidates).toBeGreaterThan(10 * before.candidates);
      expect(after.occupiedCells).toBeLessThan(before.occupiedCells / 10);
      expect(after.greatestOccupancy).toBeGreaterThan(3 * before.greatestOccupancy);
      expect(await textOf(page, 'occupied')).toBe(String(after.occupiedCells));
      expect(new URL(page.url()).searchParams.get('cellSize')).toBe('8');
      await page.click('#back');
      await settle(page);
      expect((await runOf(page)).time).toBe(0);
      await page.click('#reset');
      await settle(page);
      expect((await runOf(page)).cellSize).toBeCloseTo(8, 3);
    });
  }

  browserTest('ends at the last of many quick changes, in the same run', { tags: 'full' }, async () => {
    const { page } = await open();
    await arrange(page, { engine: 'cpu', count: 400 });
    await stepTimes(page, 2);
    await page.evaluate(async () => {
      const slider = document.getElementById('cellSize-slider') as HTMLInputElement;
      for (let place = 0; place <= Number(slider.max); place += 40) {
        slider.value = String(place);
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        if (place % 80 === 0) await new Promise(requestAnimationFrame);
      }
      await window.cellstorm?.settled();
    });
    const { cellSize, time } = await runOf(page);
    expect(cellSize).toBeCloseTo(8, 3);
    expect(time).toBeCloseTo(2 / 60, 6);
  });

  browserTest(
    'refuses sizes below one diameter, and those for which the world is too small',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      await arrange(page, { engine: 'cpu', count: 400 });
      await typeNumber(page, 'cellSize', 0.5);
      expect(await textOf(page, 'notice')).toBe('Cell size must be a number from 1 to 2,048.');
      expect(await shownValue(page, 'cellSize')).toBe('1');
      await toggleField(page, 'periodicX');
      await stepTimes(page, 1);
      await typeNumber(page, 'cellSize', 100);
      expect(await textOf(page, 'notice')).toMatch(/^Cell size is 100, but it must be at most \d[\d.]+ here/);
      expect(await shownValue(page, 'cellSize')).toBe('1');
      expect((await runOf(page)).time).toBeCloseTo(1 / 60, 6);
    },
  );

  browserTest(
    'stops at the widest cells that a periodic box allows, and refuses wider ones',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      await arrange(page, { engine: 'cpu', scene: 'periodic', count: 60 });
      const typeSize = (selector: string, size: string) =>
        page.$eval(
          selector,
          (input, text) => {
            (input as HTMLInputElement).value = text;
            for (const type of ['input', 'change']) input.dispatchEvent(new Event(type, { bubbles: true }));
          },
          size,
        );
      await page.waitForFunction(() => !(document.querySelector('.suggestion') as HTMLElement).hidden);
      await typeSize('#cellSize', '8');
      await waitForText(
        page,
        'notice',
        /^Cell size is 8, but it must be at most 4\.66 here, because 3 cells/,
      );
      await settle(page);
      expect(await shownValue(page, 'cellSize')).toBe('1');
      await typeSize('#cellSize-slider', '100000');
      await settle(page);
      expect(await shownValue(page, 'cellSize')).toBe('4.66');
      expect(await textOf(page, 'notice')).toBe('');
    },
  );

  browserTest('has a mark at the suggestion, which the hint explains', { tags: 'full' }, async () => {
    const { page } = await open();
    const markOf = () =>
      page.evaluate(() => {
        const mark = document.querySelector<HTMLElement>('.suggestion');
        const slider = document.getElementById('cellSize-slider') as HTMLInputElement;
        const [at, along] = [mark, slider].map((element) => element?.getBoundingClientRect());
        const share = Number(mark?.style.getPropertyValue('--share'));
        return {
          isHidden: mark?.hidden,
          share,
          isBelow: (at?.bottom ?? 0) > (along?.bottom ?? 0) - 8,
          way: ((at?.left ?? 0) + 1.5 - (along?.left ?? 0) - 8) / ((along?.width ?? 0) - 16),
          hint: slider.closest<HTMLElement>('[data-hint]')?.dataset.hint ?? '',
        };
      });
    await arrange(page, { engine: 'cpu', scene: 'gas', count: 400 });
    await waitForText(page, 'field-cellSize-note', /particles per square/);
    const mark = await markOf();
    expect(mark).toMatchObject({ isHidden: false, share: 0, isBelow: true });
    expect(mark.hint).toMatch(
      /^In diameters .* With 0\.1\d+ particles per square of one diameter, cells are/,
    );
    await arrange(page, { engine: 'gpu', scene: 'gas', count: 400 });
    await waitForText(page, 'field-cellSize-note', /By the cost model, cells of 1\.\d+ diameters/);
    const onGpu = await markOf();
    // The suggestion is about 1.4. The slider goes from 1 to eight times the suggestion.
    expect(onGpu.share).toBeGreaterThan(0.08);
    expect(onGpu.share).toBeLessThan(0.2);
    expect(onGpu.way).toBeCloseTo(onGpu.share, 1);
    await arrange(page, { engine: 'cpu', scene: 'mixed', count: 400 });
    expect((await markOf()).isHidden).toBe(true);
  });
});

describe('the switches of the world', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) => openPlayground(opener, { query: QUICK }));

  browserTest('make an axis periodic, remove the box and open the walls', { tags: 'full' }, async () => {
    const { page } = await open();
    await arrange(page, { engine: 'cpu', count: 400 });
    await toggleField(page, 'periodicX');
    const { kind, period } = await runOf(page);
    expect([kind, period[0] !== 0, period[1]]).toEqual(['periodic', true, 0]);
    await toggleField(page, 'unbounded');
    expect((await runOf(page)).kind).toBe('unbounded');
    expect(await visibleControls(page)).not.toContain('periodicX');
    expect(await visibleControls(page)).not.toContain('walls');
    await toggleField(page, 'unbounded');
    await toggleField(page, 'periodicX');
    await stepTimes(page, 2);
    await toggleField(page, 'walls');
    expect(await runOf(page)).toMatchObject({
      kind: 'bounded',
      walls: false,
      time: expect.closeTo(2 / 60, 6),
    });
  });

  browserTest('let bullets through their wall if continuous motion is off', { tags: 'full' }, async () => {
    const { page } = await open();
    const wall = wallOf(createScene('bullets', { dimensions: 2, count: 400 }));
    const passed = async () => {
      await stepTimes(page, 1);
      return page.evaluate(async (x) => {
        const { positions } = (await window.cellstorm?.simulation?.read()) ?? { positions: [] };
        return Array.from(positions).filter((at, index) => index % 2 === 0 && at > x).length;
      }, wall);
    };
    await arrange(page, { engine: 'cpu', scene: 'bullets', count: 400 });
    expect(await passed()).toBe(0);
    await unfold(page, 'continuous');
    await takePicture(page, 'bullets-stopped');
    await toggleField(page, 'continuous');
    expect(await passed()).toBe(400);
    await takePicture(page, 'bullets-through');
    await chooseScene(page, 'pile');
    await chooseScene(page, 'bullets');
    expect(await passed()).toBe(0);
  });

  browserTest('split crowds on the GPU without starting the run again', { tags: 'full' }, async () => {
    const { page } = await open();
    await arrange(page, { engine: 'gpu', scene: 'one-cell', count: 400 });
    await stepTimes(page, 1);
    const before = await runOf(page);
    expect(before.crowds).toBe(false);
    await toggleField(page, 'crowds');
    expect(await runOf(page)).toMatchObject({ crowds: true, time: before.time, hash: before.hash });
  });
});
