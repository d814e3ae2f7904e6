import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import { defaultChoices } from '../../../../src/page/model/choices';
import { type Choices, FIELD_NAMES, fieldOf } from '../../../../src/page/model/fields';
import { readViewState, writeLink } from '../../../../src/page/session/link';
import { browserTest, useBrowser } from '../../../helpers/browser';
import {
  arrange,
  chooseOption,
  follow,
  openPlayground,
  settle,
  shownValue,
  switchesOf,
  textOf,
} from '../../playground';

const QUICK = '?v=1&count=100&engine=cpu';

const lookOf = (page: Page) =>
  page.evaluate(() => ({
    view: Array.from(window.cellstorm?.frame?.camera.view ?? []),
    inspected: (document.querySelector('#inspected') as HTMLInputElement).value,
    isOpen: !(document.querySelector('#inspector') as HTMLElement).hidden,
  }));

describe('an address', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) => openPlayground(opener, { query: QUICK }));
  const isDark = (page: Page) => page.evaluate(() => window.cellstorm?.frame?.theme.isDark);

  browserTest('sets every control', async () => {
    const usual = defaultChoices('pile', 3);
    const switches = switchesOf({ ...usual, engine: 'cpu' });
    const choices = {
      ...usual,
      ...{
        engine: 'cpu',
        count: 101,
        size: 0.5,
        spread: 4,
        boxWidth: 2,
        seed: 7,
        gravity: 5,
        restitution: 0.5,
      },
      ...{
        friction: 0.25,
        substeps: 3,
        timeScale: 0.5,
        broadPhase: 'naive',
        cellSize: 2.5,
        colour: 'id',
        pointer: 'pull',
        brush: 7,
      },
      ...Object.fromEntries(switches.map((name) => [name, !usual[name]])),
    } as Choices;
    const { page, expectNoProblems } = await openPlayground(browser, { query: `?${writeLink(choices)}` });
    for (const name of FIELD_NAMES) {
      const field = fieldOf(name);
      const isOn = await page.$eval(`#${name}`, (control) => (control as HTMLInputElement).checked);
      if (field.kind === 'switch') expect(isOn, name).toBe(choices[name]);
      else if (field.kind === 'number')
        expect(Number(await shownValue(page, name)), name).toBe(choices[name]);
      else {
        const option = field.options.find(({ value }) => value === choices[name]);
        expect(await shownValue(page, name), name).toBe(option?.label);
      }
    }
    expectNoProblems();
  });

  browserTest(
    'keeps the view and the inspected particle, and brings them back',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      await arrange(page, { dimensions: 3, engine: 'cpu' });
      for (const key of ['+', 'ArrowLeft', 'ArrowUp', 'i', ' ', ' '] as const) await page.keyboard.press(key);
      await settle(page);
      const looked = await lookOf(page);
      expect(looked).toMatchObject({ isOpen: true, inspected: expect.stringMatching(/^\d+$/) });
      const address = new URL(page.url());
      expect(readViewState(address.search)).toMatchObject({
        isPaused: true,
        inspected: Number(looked.inspected),
      });
      await follow(page, address.href);
      const lookedAgain = await lookOf(page);
      expect(lookedAgain).toMatchObject({ isOpen: true, inspected: looked.inspected });
      expect(lookedAgain.view).toEqual(looked.view.map((value) => expect.closeTo(value, 1)));
    },
  );

  browserTest(
    'sets the appearance that it contains, until the visitor chooses another',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      await follow(page, `./${QUICK}&appearance=light`);
      expect(await isDark(page)).toBe(false);
      expect(await shownValue(page, 'appearance')).toBe('Light');
      expect(new URL(page.url()).searchParams.get('appearance')).toBe('light');
      await chooseOption(page, 'appearance', 'Dark');
      expect(await isDark(page)).toBe(true);
      expect(new URL(page.url()).searchParams.has('appearance')).toBe(false);
      await chooseOption(page, 'appearance', 'System');
      expect(await page.evaluate(() => localStorage.length)).toBe(0);
    },
  );

  browserTest(
    'leaves out the appearance that the visitor chose, but the next page keeps it',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      await arrange(page, { engine: 'cpu' });
      await chooseOption(page, 'appearance', 'Light');
      expect(new URL(page.url()).searchParams.has('appearance')).toBe(false);
      await follow(page, page.url());
      expect(await isDark(page)).toBe(false);
      await chooseOption(page, 'appearance', 'System');
      expect(await isDark(page)).toBe(true);
    },
  );

  for (const [name, query, notice, scene, backend] of [
    [
      'with wrong values says what is shown instead',
      '?v=1&scene=nope&count=-3&engine=cpu',
      /The link says scene=nope\. Scene .* so it is Pile now\. The link says count=-3\. .* so it is 2 now\.$/,
      'Pile',
      'cpu',
    ],
    [
      'whose values conflict gives way to usual settings',
      '?v=1&scene=one-cell&size=4&count=100&engine=gpu',
      /more usual settings instead/,
      'One cell',
      'gpu',
    ],
    [
      'whose steps would take minutes gets fewer particles',
      '?v=1&substeps=256&restitution=0.5&count=20000&engine=gpu',
      /512 passes .* allows 15,\d+ particles here/,
      'Pile',
      'gpu',
    ],
    [
      'whose cells would need gigabytes gives way to usual settings',
      '?v=1&scene=drum&dimensions=3&count=10000&size=0.125&boxWidth=8&engine=cpu',
      /box is of 2\d{8} cells, but it must be of at most 134217728 .* more usual settings instead/,
      'Drum',
      'cpu',
    ],
  ] as const) {
    browserTest(name, { tags: backend === 'gpu' ? 'case' : [] }, async () => {
      const { page } = await open();
      await follow(page, `./${query}`);
      expect(await textOf(page, 'notice')).toMatch(notice);
      expect(await page.evaluate(() => window.cellstorm?.simulation?.backend)).toBe(backend);
      expect(await shownValue(page, 'scene')).toBe(scene);
    });
  }
});
