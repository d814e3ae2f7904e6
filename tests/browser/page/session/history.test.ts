/**
 * Tests how the page continues: after Back, after a lost device, after changes during other work, and from unusual
 * addresses.
 */
import { describe, expect } from 'vitest';
import { browserTest, useBrowser } from '../helpers/browser';
import {
  chooseOption,
  chooseScene,
  expectTruePicture,
  FEW,
  follow,
  openPlayground,
  SOME,
  settle,
  stepTimes,
  textOf,
  typeNumber,
} from './playground';

describe('the page continues', () => {
  const browser = useBrowser({ serve: 'build' });
  const read = () => {
    const { simulation } = window.cellstorm ?? {};
    const { settings, time, count, obstacleCount, backend } = simulation ?? {};
    return {
      gravity: settings?.gravity[1],
      broadPhase: settings?.broadPhase,
      time,
      count,
      obstacleCount,
      backend,
    };
  };

  browserTest('with the chosen settings after Back and after a lost device', async () => {
    const { page, expectNoProblems } = await openPlayground(browser, { count: SOME });
    await stepTimes(page, 2);
    await typeNumber(page, 'gravity', 0);
    await chooseOption(page, 'broadPhase', 'Naive: all pairs');
    await stepTimes(page, 2);
    await page.keyboard.press('b');
    await settle(page);
    const back = await page.evaluate(read);
    expect(back).toMatchObject({ gravity: 0, broadPhase: 'naive' });
    // The page keeps a state every few seconds, so a slow machine may have kept one in between.
    expect(back.time).toBeLessThan(3.5 / 60);
    // A change right after a loss: the last kept state continues with the change.
    await page.waitForFunction(() => window.cellstorm?.measures !== undefined);
    await page.evaluate(() => {
      window.cellstorm?.device?.destroy();
    });
    await page.waitForFunction(() => /lost/.test(document.querySelector('#engine-note')?.textContent ?? ''));
    await typeNumber(page, 'friction', 0.5);
    await settle(page);
    const note = await textOf(page, 'engine-note');
    expect(note).toMatch(/goes on from \d\.\d\d s on a new device/);
    const after = await page.evaluate(read);
    expect(after).toMatchObject({ gravity: 0, broadPhase: 'naive', count: SOME, backend: 'gpu' });
    expect(note).toContain(`from ${after.time?.toFixed(2)} s`);
    expect(await page.evaluate(() => window.cellstorm?.simulation?.settings.friction)).toBe(0.5);
    // If the CPU is chosen during a loss, no note about a new device stays.
    await page.evaluate(() => {
      (document.getElementById('engine-note') as HTMLElement).textContent = '';
      window.cellstorm?.device?.destroy();
    });
    await page.waitForFunction(() => /lost/.test(document.querySelector('#engine-note')?.textContent ?? ''));
    await chooseOption(page, 'engine', 'CPU');
    await typeNumber(page, 'friction', 0.25);
    expect(await textOf(page, 'engine-note')).toBe('');
    expect((await page.evaluate(read)).backend).toBe('cpu');
    expectNoProblems();
  });

  browserTest('at the same time if the brush changes while the capacity grows', async () => {
    const opened = await openPlayground(browser, { count: FEW });
    const { page, expectNoProblems } = opened;
    await chooseScene(page, 'gas');
    await stepTimes(page, 3);
    await page.evaluate(() => {
      const pointer = document.getElementById('pointer') as HTMLSelectElement;
      pointer.value = [...pointer.options].find(({ text }) => text === 'Add particles')?.value ?? '';
      pointer.dispatchEvent(new Event('change', { bubbles: true }));
      const brush = document.getElementById('brush-slider') as HTMLInputElement;
      const change = () => {
        brush.value = String(brush.valueAsNumber - 1);
        brush.dispatchEvent(new Event('input', { bubbles: true }));
      };
      for (const milliseconds of [0, 20, 80]) setTimeout(change, milliseconds);
    });
    await page.waitForFunction((few) => (window.cellstorm?.simulation?.capacity ?? 0) > few, {}, FEW);
    await settle(page);
    expect((await page.evaluate(read)).time).toBeCloseTo(3 / 60, 6);
    // Switching between all colours, some twice, must not mix up cached bind groups.
    for (const label of ['Id', 'Age', 'Speed', 'Age', 'Id', 'Contacts']) {
      await chooseOption(page, 'colour', label);
      await expectTruePicture(opened, `colour-again-${label.toLowerCase()}`);
    }
    const bar = await page.$eval('#legend-bar', (element) => getComputedStyle(element).backgroundImage);
    expect(bar).toMatch(/^linear-gradient\(to right, rgb/);
    expect(await textOf(page, 'legend-end')).toBe('6 or more');
    expectNoProblems();
  });

  browserTest('with the same particles and ages after their ids were reused', async () => {
    const opened = await openPlayground(browser, { count: FEW });
    const { page, expectNoProblems } = opened;
    await chooseScene(page, 'lattice');
    await chooseOption(page, 'colour', 'Age');
    await typeNumber(page, 'timeScale', 2);
    await chooseOption(page, 'pointer', 'Add particles');
    await stepTimes(page, 30);
    await chooseOption(page, 'pointer', 'Erase');
    await typeNumber(page, 'brush', 1000);
    await page.focus('#stage canvas');
    await page.keyboard.press('x');
    await page.waitForFunction(() => window.cellstorm?.simulation?.count === 0);
    await chooseOption(page, 'pointer', 'Add particles');
    await typeNumber(page, 'brush', 20);
    await page.focus('#stage canvas');
    await page.keyboard.down('x');
    await page.waitForFunction(() => (window.cellstorm?.simulation?.count ?? 0) > 10);
    await page.keyboard.up('x');
    await settle(page);
    for (let state = 0; state < 9 && (await page.evaluate(read)).time !== 0; state++) {
      await page.keyboard.press('b');
      await settle(page);
    }
    expect(await page.evaluate(read)).toMatchObject({ time: 0, count: FEW });
    await stepTimes(page, 30);
    await expectTruePicture(opened, 'ages-again');
    expectNoProblems();
  });

  browserTest('from addresses whose values conflict or would take minutes per step', async () => {
    const links = [
      ['?v=1&scene=one-cell&size=4&count=100', /more usual settings instead/, 'One cell', 'gpu'],
      [
        '?v=1&substeps=256&restitution=0.5&count=20000',
        /512 passes .* capped at 15,\d+ particles/,
        'Pile',
        'gpu',
      ],
      // Obstacles in that many cells would need gigabytes.
      [
        '?v=1&scene=drum&dimensions=3&count=10000&size=0.125&boxWidth=8&engine=cpu',
        /box is of 2\d{8} cells, but it must be of at most 134217728 .* more usual settings instead/,
        'Drum',
        'cpu',
      ],
    ] as const;
    const { page, expectNoProblems } = await openPlayground(browser, { query: links[0][0] });
    for (const [query, notice, scene, backend] of links) {
      if (query !== links[0][0]) await follow(page, query);
      expect(await textOf(page, 'notice')).toMatch(notice);
      expect((await page.evaluate(read)).backend).toBe(backend);
      expect(
        await page.$eval('#scene', (select) => (select as HTMLSelectElement).selectedOptions[0]?.text),
      ).toBe(scene);
    }
    expectNoProblems();
  });
});
