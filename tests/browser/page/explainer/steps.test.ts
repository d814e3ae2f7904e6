import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import type { Step } from '../../../../src/page/explainer/trace-recorder';
import { browserTest, useBrowser } from '../../../helpers/browser';
import { findPoorContrast } from '../../contrast';
import { blur, passTimers, takePicture, textOf } from '../../playground';
import {
  expectedStep,
  expectStep,
  firstOf,
  last,
  lastOf,
  readAloud,
  readSteps,
  setTheme,
  steps,
} from './shown';

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

  browserTest('mark on the picture of the world which cells they read, and the verdicts so far', async () => {
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
        last: [...(document.querySelector('#world')?.lastElementChild?.children ?? [])].map((id) =>
          Number(id.textContent),
        ),
        slots: [...document.querySelectorAll('[data-array="ids"] .around .index')].map((index) =>
          Number(index.textContent),
        ),
      };
    });
    const seen = (verdict: string) =>
      [...focus.verdicts].flatMap(([id, is]) => (is === verdict ? [id] : [])).toSorted((a, b) => a - b);
    // The current particle's id lies above those of others.
    expect(world.last.at(-1)).toBe(focus.particle);
    expect({ ...world, last: world.last.toSorted((a, b) => a - b) }).toEqual({
      atWork: [focus.particle],
      contacts: seen('contact'),
      apart: seen('apart'),
      lit: focus.cells,
      last: Array.from({ length: 30 }, (_, id) => id),
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

  browserTest('are announced to screen readers as one text, without numbers inside pictures', async () => {
    const { page, linked } = await openStep('probe', 8);
    const { statuses, pictures } = await readAloud(page);
    const { text, detail } = steps[linked] as Step;
    expect(statuses).toContain(`${text} ${detail} ${await textOf(page, 'entries')}`);
    expect(pictures).toEqual({
      'Particles, cells, contacts found and missed': '',
      'Particles around the origin, and borders between cells': '',
      'The nine cells around a particle, and the bucket of each': '',
      'Pairs of particles before and after the push': '',
      'Particles, and ghosts of earlier frames': '',
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

  browserTest('are reached by buttons, which stop at the first and the last step', async () => {
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

  browserTest('change by a character key unless character keys are switched off', async () => {
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

  browserTest('are shown by a link whose number is too large: the last one of the stage', async () => {
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

  browserTest(
    'play only when they are started, and stop when they are paused',
    { tags: 'full' },
    async () => {
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
    },
  );

  browserTest('lie beside a link to the playground, which links back', async () => {
    const { page } = await open();
    const home = await page.$eval('#playground-link', (link) => (link as HTMLAnchorElement).href);
    expect(home).toBe(browser.url);
    expect(await (await fetch(home)).text()).toMatch(/<a [^>]*href="\.\/explainer\.html"/);
  });
});
