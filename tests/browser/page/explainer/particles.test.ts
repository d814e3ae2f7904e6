import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import { stagesOf } from '../../../../src/page/explainer/methods';
import { findParticle } from '../../../../src/page/explainer/trace';
import { formatCount } from '../../../../src/page/support/format';
import { browserTest, useBrowser } from '../../../helpers/browser';
import { findPoorContrast } from '../../contrast';
import { takePicture, textOf } from '../../playground';
import {
  expectedStep,
  expectStep,
  middleOf,
  positionOf,
  readSteps,
  scrubTo,
  setTheme,
  trace,
  traceOf,
} from './shown';

describe('the particles of the explainer', () => {
  const browser = useBrowser({ serve: 'build' });
  const openAt = async (path: string) => {
    const opened = await browser.openPage(`explainer.html${path}`, { width: 1280, height: 1000 });
    await setTheme(opened.page, 'light');
    return opened;
  };
  const chooseMethod = (page: Page, method: string) =>
    page.$eval(`#methods input[value="${method}"]`, (radio) => (radio as HTMLInputElement).click());
  const expectQuery = (page: Page, query: string) =>
    page.waitForFunction((search) => window.location.search === search, {}, query);

  for (const choice of [
    { method: 'hashed', count: 30 },
    { method: 'naive', count: 9 },
    { method: 'hashed', count: 2 },
    { method: 'grid', count: 60 },
  ] as const) {
    browserTest(
      `can be ${choice.count}; the page shows all steps of the method "${choice.method}"`,
      { tags: 'case' },
      async () => {
        const { page, expectNoProblems } = await openAt('');
        await chooseMethod(page, choice.method);
        await scrubTo(page, 'particles', choice.count);
        const wanted = traceOf(choice);
        const all = wanted.steps.map((_, index) => index);
        const shown = await readSteps(page, all);
        for (const index of all)
          expect(shown[index], `step ${index + 1}`).toEqual(expectedStep(index, wanted));
        const pairs = (choice.count * (choice.count - 1)) / 2;
        expect(await textOf(page, 'particles-shown')).toBe(
          `${choice.count}, with ${formatCount(pairs)} pair${pairs === 1 ? '' : 's'}`,
        );
        expect(await page.$$eval('#world .particle', (particles) => particles.length)).toBe(choice.count);
        expect(await page.$$eval('#stages a', (links) => links.map(({ hash }) => hash.slice(1)))).toEqual(
          stagesOf(choice.method),
        );
        expectNoProblems();
      },
    );
  }

  browserTest(
    'the address names the number and the method, and the stage stays if a new method has it',
    { tags: 'full' },
    async () => {
      const { page, expectNoProblems } = await openAt('?appearance=light#scatter-3');
      await chooseMethod(page, 'hashed');
      await scrubTo(page, 'particles', 12);
      const hashed = traceOf({ method: 'hashed', count: 12 });
      const third = hashed.steps.findIndex(({ stage }) => stage === 'scatter') + 3;
      await expectStep(page, third, hashed);
      await expectQuery(page, '?appearance=light&method=hashed&particles=12');
      await page.reload();
      await page.waitForFunction(() => window.explainer !== undefined);
      await expectStep(page, third, hashed);
      await chooseMethod(page, 'naive');
      await expectStep(page, 0, traceOf({ method: 'naive', count: 12 }));
      expectNoProblems();
    },
  );

  browserTest(
    'show which cells share a bucket, and which particles are in a searched bucket but in no searched cell',
    { tags: 'full' },
    async () => {
      const { page } = await openAt('?method=hashed#hash-4');
      const shared = () =>
        page.$$eval('#world .frame.shared', (frames) =>
          frames.map((frame) => [frame.getAttribute('x'), frame.getAttribute('y')]),
        );
      // Particle 3 is in cell (2, 2). Cell (2, −3) shares the bucket of that cell.
      expect(await shared()).toEqual([['6', '0']]);
      await takePicture(page, 'explainer-hashed-light');
      const hashed = traceOf({ method: 'hashed' });
      const skipped = hashed.steps.findIndex(({ text }) => text.includes('only shares a bucket'));
      await scrubTo(page, 'scrub', skipped);
      const ids = await page.$$eval('#world .elsewhere', (all) =>
        all.map((one) => Number((one as SVGElement).dataset.id)),
      );
      const verdicts = hashed.steps[skipped]?.focus.verdicts ?? new Map();
      expect(ids).toEqual([...verdicts].flatMap(([id, verdict]) => (verdict === 'elsewhere' ? [id] : [])));
      expect(ids).toHaveLength(1);
      expect(await page.evaluate(findPoorContrast)).toEqual([]);
    },
  );

  browserTest(
    'are dragged by the mouse, and the page shows the step of the dragged particle',
    { tags: 'full' },
    async () => {
      const { page, expectNoProblems } = await openAt('#hash');
      expect(await positionOf(page, 8)).toEqual([5.25, 1]);
      const { x, y, cell } = await middleOf(page, 8);
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x - cell, y + cell / 2, { steps: 4 });
      await page.waitForFunction(() => window.explainer?.trace.scene.positions[17] === 1.5);
      await page.mouse.move(x - 2 * cell, y + cell, { steps: 4 });
      await page.mouse.up();
      await page.waitForFunction(() => window.explainer?.trace.scene.positions[17] === 2);
      expect(await positionOf(page, 8)).toEqual([3.25, 2]);
      const moved = traceOf({ moved: new Map([[8, [52, 32]]]) });
      await expectStep(page, findParticle(moved, 'hash', 8) ?? -1, moved);
      const now = await middleOf(page, 8);
      // Positions are rounded to sixteenths, so each coordinate differs from the pointer's by up to half a sixteenth.
      expect(Math.hypot(now.x - (x - 2 * cell), now.y - (y + cell))).toBeLessThan(cell / 16);
      await expectQuery(page, '?moved=8.52.32');
      // A pointer beyond the border leaves the particle inside.
      await page.mouse.move(now.x, now.y);
      await page.mouse.down();
      await page.mouse.move(5, now.y, { steps: 4 });
      await page.mouse.up();
      await page.waitForFunction(() => window.explainer?.trace.scene.positions[16] === 0.375);
      await page.click('#put-back');
      expect(await positionOf(page, 8)).toEqual([5.25, 1]);
      await expectQuery(page, '');
      expectNoProblems();
    },
  );

  browserTest(
    'do not move if they are clicked; instead the page shows their step in the current stage',
    { tags: 'full' },
    async () => {
      const { page } = await openAt('#push');
      const { x, y } = await middleOf(page, 0);
      await page.mouse.click(x, y);
      await expectStep(page, findParticle(trace, 'push', 0) ?? -1);
      expect(await page.$eval('#put-back', (button) => button.ariaDisabled)).toBe('true');
    },
  );

  browserTest('are moved by keys, and keep the focus', async () => {
    const { page, expectNoProblems } = await openAt('?method=hashed&particles=5#count');
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    await page.focus('#speed');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Particle 0 in cell (0, −2), at (0.9375, −1.1875)');
    await page.keyboard.press('PageUp');
    await page.keyboard.press('PageUp');
    expect(await focused()).toMatch(/^Particle 3 in cell \(2, 2\), at \(2\.1875, 2\.5\)/);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.down('Shift');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.up('Shift');
    expect(await focused()).toBe('Particle 3 in cell (1, 2), at (1.125, 2.4375)');
    const moved = traceOf({ method: 'hashed', count: 5, moved: new Map([[3, [66, 71]]]) });
    await expectStep(page, findParticle(moved, 'count', 3) ?? -1, moved);
    await page.keyboard.press('PageDown');
    await page.keyboard.press('Enter');
    await expectStep(page, findParticle(moved, 'count', 4) ?? -1, moved);
    // Keys that do not move a particle go through the steps.
    await page.keyboard.press('End');
    await expectStep(page, moved.steps.length - 1, moved);
    await expectQuery(page, '?method=hashed&particles=5&moved=3.66.71');
    expectNoProblems();
  });

  browserTest('follow a finger, and the page does not scroll meanwhile', { tags: 'full' }, async () => {
    const { page, expectNoProblems } = await openAt('#probe');
    await page.setViewport({ width: 390, height: 844, deviceScaleFactor: 2, isMobile: true, hasTouch: true });
    await page.$eval('#world', (world) => world.scrollIntoView({ block: 'center' }));
    const { x, y, cell } = await middleOf(page, 2);
    const before = await page.evaluate(() => window.scrollY);
    await page.touchscreen.touchStart(x, y);
    for (const share of [0.25, 0.5, 0.75, 1]) await page.touchscreen.touchMove(x, y - share * cell);
    await page.touchscreen.touchEnd();
    await page.waitForFunction(() => window.explainer?.trace.scene.positions[5] === 1.9375);
    expect(await positionOf(page, 2)).toEqual([3.5625, 1.9375]);
    expect(await page.evaluate(() => window.scrollY)).toBe(before);
    expect(await page.evaluate(() => window.explainer?.step.focus.particle)).toBe(2);
    expectNoProblems();
  });
});
