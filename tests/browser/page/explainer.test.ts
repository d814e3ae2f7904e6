import type { Page, SerializedAXNode } from 'puppeteer';
import { describe, expect } from 'vitest';
import { createTrace } from '../../../src/page/explainer/trace';
import { ARRAYS, type ArrayName, SHOWN, STAGES, type Step } from '../../../src/page/explainer/trace-recorder';
import { browserTest, useBrowser } from '../../helpers/browser';
import { findPoorContrast } from '../contrast';
import { blur, passTimers, takePicture, textOf } from '../playground';

const { steps } = createTrace();

interface Shown {
  readonly place: string;
  readonly text: string;
  readonly stage: string;
  readonly arrays: readonly {
    readonly name: string;
    readonly values: readonly string[];
    readonly read: readonly number[];
    readonly written: readonly number[];
  }[];
}

/** Reads what the page shows at these steps, by default at the current step. */
async function readSteps(page: Page, indices: readonly number[] = [-1]): Promise<Shown[]> {
  return page.evaluate((wanted) => {
    const scrub = document.querySelector<HTMLInputElement>('#scrub');
    return wanted.map((index) => {
      if (scrub && index >= 0) {
        scrub.value = String(index);
        scrub.dispatchEvent(new Event('input'));
      }
      const lists = [...document.querySelectorAll<HTMLElement>('.array:not([hidden]) .list')];
      return {
        place: document.querySelector('#place')?.textContent ?? '',
        text: document.querySelector('#text')?.textContent ?? '',
        stage: document.querySelector('[aria-current="step"]')?.getAttribute('href') ?? '',
        arrays: lists.map((list) => {
          const entries = [...list.querySelectorAll<HTMLElement>('li')];
          const marked = (...marks: string[]) =>
            entries.flatMap((entry, index) => (marks.includes(entry.dataset.mark ?? '') ? [index] : []));
          return {
            name: list.dataset.array ?? '',
            values: entries.map((entry) => entry.querySelector('.value')?.textContent ?? ''),
            read: marked('read', 'both'),
            written: marked('written', 'both'),
          };
        }),
      };
    });
  }, indices);
}

function expectedStep(index: number): Shown {
  const step = steps[index] as Step;
  const of = (entries: Step['reads'], name: ArrayName) => {
    const indices = entries.filter(({ array }) => array === name).map(({ index: entry }) => entry);
    return [...new Set(indices)].toSorted((a, b) => a - b);
  };
  const names = Object.keys(ARRAYS) as ArrayName[];
  const arrays = names
    .filter((name) => SHOWN[step.stage].includes(name))
    .map((name) => {
      const { components } = ARRAYS[name];
      const values = Array.from({ length: step.arrays[name].length / components }, (_, entry) =>
        step.arrays[name]
          .slice(components * entry, components * (entry + 1))
          .map((value) => (value === undefined ? '' : components === 1 ? String(value) : value.toFixed(2)))
          .join('\n'),
      );
      return { name, values, read: of(step.reads, name), written: of(step.writes, name) };
    });
  return { place: `${index + 1} of ${steps.length}`, text: step.text, stage: `#${step.stage}`, arrays };
}

async function expectStep(page: Page, index: number): Promise<void> {
  const [shown] = await readSteps(page);
  expect(shown?.place).toBe(`${index + 1} of ${steps.length}`);
  expect(shown).toEqual(expectedStep(index));
}

function firstOf(stage: string): number {
  return steps.findIndex((step) => step.stage === stage);
}

function lastOf(stage: string): number {
  return steps.findLastIndex((step) => step.stage === stage);
}

async function scrubTo(page: Page, id: string, value: number): Promise<void> {
  await page.$eval(
    `#${id}`,
    (slider, to) => {
      (slider as HTMLInputElement).value = String(to);
      slider.dispatchEvent(new Event('input', { bubbles: true }));
    },
    value,
  );
}

async function verdictOf(page: Page, id: string): Promise<{ state: string | undefined; text: string }> {
  return page.$eval(`#${id}-verdict`, (verdict) => ({
    state: (verdict as HTMLElement).dataset.state,
    text: verdict.textContent ?? '',
  }));
}

/** Returns what screen readers get: the status texts, and the text in each picture by the picture's name. */
async function readAloud(page: Page): Promise<{ statuses: string[]; pictures: Record<string, string> }> {
  const tree = await page.accessibility.snapshot({ interestingOnly: false });
  const textIn = ({ role, name, children = [] }: SerializedAXNode): string =>
    role === 'StaticText' ? (name ?? '') : children.map(textIn).filter(Boolean).join(' ');
  const statuses: string[] = [];
  const pictures: Record<string, string> = {};
  const visit = (node: SerializedAXNode) => {
    if (node.role === 'status') statuses.push(textIn(node));
    if (node.role === 'image') pictures[node.name ?? ''] = textIn(node);
    node.children?.forEach(visit);
  };
  if (tree) visit(tree);
  return { statuses, pictures };
}

function numbersIn(text: string): number[] {
  return (text.match(/\d+(\.\d+)?/g) ?? []).map(Number);
}

async function setTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
}

const last = steps.length - 1;

describe('the steps of the explainer', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share(async (opener) => {
    const opened = await opener.openPage('explainer.html', { width: 1280, height: 900 });
    await setTheme(opened.page, 'dark');
    return opened;
  });

  async function openStep(stage: string, offset = 0) {
    const opened = await open();
    const { page } = opened;
    await page.evaluate((fragment) => {
      // Setting the same fragment again would cause no event.
      window.location.hash = '';
      window.location.hash = fragment;
    }, `#${stage}-${offset}`);
    const index = firstOf(stage) + offset;
    await page.waitForFunction(
      (text) => document.querySelector('#place')?.textContent === text,
      {},
      `${index + 1} of ${steps.length}`,
    );
    await blur(page);
    return { ...opened, linked: index };
  }

  const legendOf = (page: Page) =>
    page.$$eval('#legend > span', (samples) =>
      samples.flatMap((sample) => (sample.checkVisibility() ? [sample.textContent ?? ''] : [])),
    );

  browserTest(
    'are shown by a link, even if the address changes again before the page handles the first change',
    async () => {
      const { page, expectNoProblems } = await browser.openPage('explainer.html#probe-8');
      await expectStep(page, firstOf('probe') + 8);
      await page.evaluate(() => {
        window.location.hash = '#order-2';
        window.history.replaceState(null, '', '#probe-8');
      });
      await expectStep(page, firstOf('order') + 2);
      expectNoProblems();
    },
  );

  browserTest('mark in the world the cells that they read, and the verdicts so far', async () => {
    const { page, linked } = await openStep('probe', 8);
    const { focus } = steps[linked] as Step;
    const world = await page.evaluate(() => {
      const ids = (kind: string) =>
        [...document.querySelectorAll<SVGElement>(`#world .${kind}`)].map(({ dataset }) =>
          Number(dataset.id),
        );
      const cells = [...document.querySelectorAll('#world .cell')];
      return {
        atWork: ids('at-work'),
        contacts: ids('contact'),
        apart: ids('apart'),
        lit: cells.flatMap((cell, index) => (cell.classList.contains('lit') ? [index] : [])),
        // Ids lie above all discs, so that ids of covered discs are readable.
        last: document.querySelector('#world')?.lastElementChild?.textContent ?? '',
        slots: [...document.querySelectorAll('[data-array="ids"] .around .index')].map((index) =>
          Number(index.textContent),
        ),
      };
    });
    const seen = (verdict: string) =>
      [...focus.verdicts].flatMap(([id, is]) => (is === verdict ? [id] : [])).toSorted((a, b) => a - b);
    expect(world).toEqual({
      atWork: [focus.particle],
      contacts: seen('contact'),
      apart: seen('apart'),
      lit: focus.cells,
      last: Array.from({ length: 30 }, (_, id) => id).join(''),
      slots: focus.slots,
    });
    expect(focus.slots.length).toBeGreaterThan(1);
    expect(seen('contact').length * seen('apart').length).toBeGreaterThan(0);
    expect(await textOf(page, 'entries')).toMatch(
      /^Reads ids\[\d+\], sorted\[\d+\]\. Writes candidates\[\d+\]/,
    );
    await takePicture(page, 'explainer-dark');
  });

  browserTest('have a legend of the marks that the stage shows, and of no others', async () => {
    const { page } = await openStep('probe', 8);
    const legend = await legendOf(page);
    expect(legend).toEqual(expect.arrayContaining(['tested, too far', '0slots of the cells searched']));
    expect(legend).not.toContain('before the push');
  });

  browserTest('are readable', async () => {
    const { page } = await openStep('probe', 8);
    expect(await page.evaluate(findPoorContrast)).toEqual([]);
    await page.evaluate(() => window.scrollTo(0, 0));
  });

  browserTest('are announced as a whole text, without single numbers from pictures', async () => {
    const { page, linked } = await openStep('probe', 8);
    const { statuses, pictures } = await readAloud(page);
    expect(statuses[0]).toBe(`${(steps[linked] as Step).text} ${await textOf(page, 'entries')}`);
    expect(pictures).toEqual({
      'The world: cells, and particles with their ids': '',
      'Particles, cells, contacts found and missed': '',
      'Particles around the origin, and borders between cells': '',
      'The nine cells around a particle, and the bucket of each': '',
      'Particles and cells': '',
    });
  });

  browserTest('are all reached by the slider', async () => {
    const { page } = await open();
    const all = steps.map((_, index) => index);
    const shown = await readSteps(page, all);
    expect(shown.length).toBe(steps.length);
    for (const index of all) expect(shown[index], `step ${index + 1}`).toEqual(expectedStep(index));
  });

  browserTest('are reached by buttons, from the first to the last step', async () => {
    const { page } = await open();
    await page.click('#first');
    await page.click('#back');
    await expectStep(page, 0);
    await page.click('#forward');
    await page.click('#forward');
    await expectStep(page, 2);
    await page.click('#last');
    await page.click('#forward');
    await expectStep(page, last);
    await page.click('#back');
    await expectStep(page, last - 1);
  });

  browserTest('are reached by keys, also while the slider has the focus', async () => {
    const { page } = await openStep('probe', 8);
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowLeft');
    await expectStep(page, 1);
    await page.focus('#scrub');
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await expectStep(page, last - 1);
  });

  browserTest('follow a character key until character keys are switched off', async () => {
    const { page } = await open();
    await page.click('#first');
    await blur(page);
    await page.keyboard.press('.');
    await expectStep(page, firstOf('count'));
    await page.click('#character-keys');
    await page.keyboard.press('.');
    await expectStep(page, firstOf('count'));
    await page.keyboard.press('ArrowRight');
    await expectStep(page, firstOf('count') + 1);
    await page.click('#character-keys');
  });

  browserTest('are named in the address', async () => {
    const { page } = await open();
    await page.click('#last');
    await page.click('#back');
    await page.waitForFunction(
      (hash) => window.location.hash === hash,
      {},
      `#push-${last - 1 - firstOf('push')}`,
    );
    await page.click('#stages a[href="#order"]');
    await page.waitForFunction(() => window.explainer?.step.stage === 'order');
    await expectStep(page, firstOf('order'));
  });

  browserTest('end at the last step of a stage if the number in the address is too large', async () => {
    const { page } = await openStep('probe', 8);
    await page.evaluate(() => {
      window.location.hash = '#sum-99999';
    });
    await page.waitForFunction(() => window.explainer?.step.stage === 'sum');
    await page.evaluate(() => {
      window.location.hash = '#mistakes';
    });
    await expectStep(page, lastOf('sum'));
  });

  browserTest('play only when they are started, and stop when they are paused', async () => {
    const { page } = await openStep('sum');
    expect(await page.evaluate(() => window.explainer?.isPlaying)).toBe(false);
    await page.evaluate(() => window.scrollTo(0, 0));
    await page.select('#speed', '10');
    await page.focus('#scrub');
    await page.keyboard.press(' ');
    expect(await textOf(page, 'play-label')).toBe('Pause');
    await page.waitForFunction(() => window.explainer?.step.stage === 'scatter');
    await page.click('#play');
    expect(await textOf(page, 'play-label')).toBe('Play');
    const [paused] = await readSteps(page);
    // At this speed a step takes 100 ms.
    await passTimers(page, 300);
    expect(await readSteps(page)).toEqual([paused]);
  });

  browserTest('lie beside a link to the playground, which links back', async () => {
    const { page } = await open();
    const home = await page.$eval('#playground-link', (link) => (link as HTMLAnchorElement).href);
    expect(home).toBe(browser.url);
    expect(await (await fetch(home)).text()).toMatch(/<a [^>]*href="\.\/explainer\.html"/);
  });
});

describe('the mistakes of the explainer', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share(async (opener) => {
    const opened = await opener.openPage('explainer.html#cell-size', { width: 1280, height: 900 });
    await setTheme(opened.page, 'light');
    return opened;
  });

  browserTest('include cells that are too small, or larger than they need to be', async () => {
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
    expect(await textOf(page, 'size-bars')).toMatch(/2256 of 2256 without a grid/);
  });

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

  browserTest('include shared buckets if the cells of their particles are not compared', async () => {
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

  browserTest('include crowds in one cell', async () => {
    const { page } = await open();
    await scrubTo(page, 'crowd-count', 200);
    const crowded = await verdictOf(page, 'crowd');
    expect(crowded.state).toBe('slow');
    expect(crowded.text).toMatch(/in 39800 looks \(39800 without a grid\).*crowds: true/);
    await scrubTo(page, 'crowd-share', 100);
    const spread = await verdictOf(page, 'crowd');
    expect(spread.state).toBe('right');
    expect(numbersIn(spread.text)[1]).toBeLessThan(39800 / 5);
  });

  browserTest('are readable', async () => {
    const { page } = await open();
    expect(await page.evaluate(findPoorContrast)).toEqual([]);
  });

  browserTest('can be made and mended by keys alone, with a visible focus', async () => {
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
    await tabTo('crowd-count');
    expect(await stateAfter('crowd', 'End')).toBe('slow');
    await tabTo('crowd-share');
    expect(await stateAfter('crowd', 'End')).toBe('right');
    expect(await stateAfter('crowd', 'Home')).toBe('slow');
    await expectStep(page, firstOf('count') + 3);
    expectNoProblems();
  });
});

describe('the explainer on a phone', () => {
  const browser = useBrowser({ serve: 'build' });
  const setPhone = (page: Page, width: number, height: number) =>
    page.setViewport({ width, height, deviceScaleFactor: 2, isMobile: true, hasTouch: true });
  const open = browser.share(async (opener) => {
    // The address asks for dark; the system is light.
    const opened = await opener.openPage('explainer.html?appearance=dark', { width: 390, height: 844 });
    await setPhone(opened.page, 390, 844);
    await setTheme(opened.page, 'light');
    return opened;
  });

  browserTest('is dark if its address asks for that, and so is the playground behind its link', async () => {
    const { page } = await open();
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
      'rgb(11, 14, 19)',
    );
    expect(await page.$eval('#playground-link', (link) => (link as HTMLAnchorElement).href)).toBe(
      `${browser.url}?appearance=dark`,
    );
  });

  browserTest('is no wider than the screen at any stage', async () => {
    const { page } = await open();
    await setPhone(page, 390, 844);
    const overflows: Record<string, number> = {};
    for (const { name } of STAGES) {
      await scrubTo(page, 'scrub', firstOf(name) + 5);
      overflows[name] = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return Math.max(0, scrollWidth - clientWidth);
      });
    }
    expect(overflows).toEqual(Object.fromEntries(STAGES.map(({ name }) => [name, 0])));
  });

  browserTest('cuts off no text of a step', async () => {
    const { page } = await open();
    await setPhone(page, 390, 844);
    const cut = await page.evaluate(
      (indices) => {
        const [scrub, telling] = ['scrub', 'telling'].map(
          (id) => document.getElementById(id) as HTMLInputElement,
        );
        return indices.filter((index) => {
          if (!scrub || !telling) return true;
          scrub.value = String(index);
          scrub.dispatchEvent(new Event('input'));
          return telling.scrollHeight > telling.clientHeight + 1;
        });
      },
      STAGES.flatMap(({ name }) => [firstOf(name), firstOf(name) + 1, lastOf(name)]),
    );
    expect(cut).toEqual([]);
    await takePicture(page, 'explainer-phone');
  });

  for (const [name, width, height, stages] of [
    ['upright', 390, 844, STAGES],
    ['on its side', 844, 390, STAGES.filter((_, index) => index % 3 === 2)],
  ] as const) {
    browserTest(`keeps text and buttons visible wherever the page is scrolled (${name})`, async () => {
      const { page } = await open();
      await setPhone(page, width, height);
      for (const { name: stage } of stages) {
        await scrubTo(page, 'scrub', lastOf(stage));
        const hidden = await page.evaluate(() => {
          const figures = [...document.querySelectorAll('#world, .array:not([hidden])')];
          return figures.flatMap((figure) => {
            figure.scrollIntoView({ block: 'center' });
            return ['text', 'play', 'scrub', 'place'].filter((id) => {
              const { left, right, top, bottom } =
                document.getElementById(id)?.getBoundingClientRect() ?? new DOMRect();
              const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
              return top < 0 || bottom > innerHeight || !hit?.closest(`#${id}`);
            });
          });
        });
        expect(hidden, stage).toEqual([]);
      }
      await page.$eval('#arrays', (arrays) => arrays.scrollIntoView());
      await takePicture(page, 'explainer-phone-arrays');
    });
  }

  browserTest('has its buttons in at most two rows on the narrowest screen', async () => {
    const { page } = await open();
    await setPhone(page, 320, 568);
    const narrow = await page.$eval('#transport', (transport) => ({
      height: transport.clientHeight,
      overflow: document.documentElement.scrollWidth - innerWidth,
    }));
    // Three rows would take 124 pixels.
    expect(narrow).toEqual({ height: expect.toSatisfy((height: number) => height < 110), overflow: 0 });
  });
});
