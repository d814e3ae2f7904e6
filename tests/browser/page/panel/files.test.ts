import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ElementHandle, Page } from 'puppeteer';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { decodeCheckpoint, encodeCheckpoint, optionsOfState } from '../../../../src/core/state/state-file';
import { createCpuSimulation } from '../../../../src/cpu';
import { browserTest, useBrowser } from '../../../helpers/browser';
import {
  arrange,
  chooseOption,
  chooseScene,
  FEW,
  goBackToStart,
  loseDevice,
  openPlayground,
  settle,
  shownValue,
  stepTimes,
  takePicture,
  textOf,
  typeNumber,
  waitForText,
} from '../../playground';
import { keepFiles, takeFile } from '../../saved';

const QUICK = '?v=1&count=100&engine=cpu&scene=gas';

const countOf = (page: Page) => page.evaluate(() => window.cellstorm?.simulation?.count);

async function hashOf(page: Page): Promise<string> {
  await settle(page);
  return textOf(page, 'hash');
}

async function save(page: Page, kind: 'state' | 'table') {
  await page.click('#keep-open');
  await page.click(`#save-${kind}`);
  return takeFile(page);
}

/** Returns whether the page showed that it accepts the file. */
function drop(page: Page, name: string, text: string): Promise<boolean> {
  return page.evaluate(
    (fileName, content) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([content], fileName));
      document.dispatchEvent(new DragEvent('dragover', { dataTransfer, cancelable: true }));
      const isShown = !document.querySelector<HTMLElement>('#drop')?.hidden;
      document.dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }));
      return isShown;
    },
    name,
    text,
  );
}

describe('files', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share((opener) => openPlayground(opener, { query: QUICK, before: keepFiles }));
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cellstorm-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function openFile(page: Page, name: string, content: Uint8Array | string): Promise<void> {
    const path = join(folder, name);
    await writeFile(path, content);
    const input = (await page.$('#file')) as ElementHandle<HTMLInputElement>;
    await input.uploadFile(path);
  }

  async function openSaved(engine: 'cpu' | 'gpu' = 'cpu') {
    const opened = await open();
    const { page } = opened;
    await arrange(page, { scene: 'gas', engine });
    await stepTimes(page, 3);
    const saved = await hashOf(page);
    const state = await save(page, 'state');
    await stepTimes(page, 2);
    const later = await hashOf(page);
    await chooseScene(page, 'lattice');
    await openFile(page, 'mine.bin', state.bytes);
    await waitForText(page, 'notice', /^100 particles of the scene gas from mine\.bin\.$/);
    return { ...opened, saved, state, later };
  }

  browserTest('of a state give the same state hash in another simulation', async () => {
    const { page } = await open();
    await arrange(page, { scene: 'gas', engine: 'cpu' });
    await stepTimes(page, 3);
    const state = await save(page, 'state');
    expect(state.name).toBe('cellstorm-gas-2d-0.05s.bin');
    const checkpoint = decodeCheckpoint(state.bytes);
    const elsewhere = createCpuSimulation(optionsOfState(checkpoint));
    elsewhere.restore(checkpoint);
    expect(elsewhere.measure().hash).toBe(await hashOf(page));
  });

  browserTest(
    'of a state appear by name, and replace the scene and its number of particles',
    { tags: 'full' },
    async () => {
      const { page } = await openSaved();
      expect(await textOf(page, 'scene-hint')).toMatch(/from mine\.bin, a state of the scene gas\. /);
      expect(await page.$eval('#scene-hint', (hint) => hint.clientHeight)).toBeGreaterThan(0);
      expect(await page.$eval('#scene', (select) => (select as HTMLSelectElement).selectedIndex)).toBe(-1);
      expect(await page.$eval('#count', (input) => (input as HTMLInputElement).disabled)).toBe(true);
      expect(await shownValue(page, 'gravity')).toBe('0');
      await takePicture(page, 'opened');
    },
  );

  browserTest('are closed when a scene is chosen', { tags: 'full' }, async () => {
    const { page } = await openSaved();
    await chooseScene(page, 'lattice');
    expect(await textOf(page, 'scene-hint')).not.toMatch(/file/);
    expect(await page.$eval('#count', (input) => (input as HTMLInputElement).disabled)).toBe(false);
  });

  browserTest('are not part of the link, and the page says so', { tags: 'full' }, async () => {
    const { page } = await openSaved();
    await page.evaluate(() => {
      Object.defineProperty(navigator, 'clipboard', {
        configurable: true,
        value: { writeText: async () => undefined },
      });
    });
    await page.click('#copy-link');
    await waitForText(page, 'notice', /cannot carry the particles of mine\.bin/);
  });

  browserTest(
    'of a table are loaded into the present world when they are dropped',
    { tags: 'full' },
    async () => {
      const { page, saved } = await openSaved();
      const table = await save(page, 'table');
      expect(table.name).toBe('cellstorm-mine-2d-0.05s.csv');
      await stepTimes(page, 1);
      expect(await drop(page, 'again.csv', new TextDecoder().decode(table.bytes))).toBe(true);
      await waitForText(page, 'notice', /^100 particles from again\.csv\.$/);
      expect(await hashOf(page)).toBe(saved);
      expect(await textOf(page, 'scene-hint')).toMatch(/again\.csv/);
      await typeNumber(page, 'gravity', 3);
      expect(await page.evaluate(() => window.cellstorm?.simulation?.settings.gravity)).toEqual([0, -3]);
      expect(await countOf(page)).toBe(FEW);
    },
  );

  browserTest(
    'that are wrong change nothing; the page says what is wrong, and shows markup in their names as text',
    async () => {
      const { page, saved, state } = await openSaved();
      const { min, max } = decodeCheckpoint(state.bytes);
      const table = new TextDecoder().decode((await save(page, 'table')).bytes);
      const markup = '<img src=x onerror=alert(1)>.csv';
      await drop(page, markup, `${table}7,1e9,1,0,0\n`);
      expect(await waitForText(page, 'notice', /line 102/)).toBe(
        `${markup}, line 102, column x is "1e9", but it must be from ${min[0]} to ${max[0]}, in the box.`,
      );
      expect(await page.$$eval('.notes img', (images) => images.length)).toBe(0);
      expect(await hashOf(page)).toBe(saved);
    },
  );

  browserTest('that cannot be read are named: a folder, or a file that is gone', async () => {
    const { page } = await open();
    await arrange(page, { engine: 'cpu' });
    await page.evaluate(() => {
      const { arrayBuffer } = File.prototype;
      File.prototype.arrayBuffer = async () => {
        File.prototype.arrayBuffer = arrayBuffer;
        throw new DOMException('Nothing is there.', 'NotFoundError');
      };
    });
    await drop(page, 'folder', '');
    await waitForText(
      page,
      'notice',
      /^folder cannot be read: it may be a folder, deleted, or too large for the memory\.$/,
    );
  });

  browserTest('of a table start with no load on any particle', { tags: 'full' }, async () => {
    const { page } = await open();
    await arrange(page, { scene: 'mixed-pile', engine: 'cpu' });
    await stepTimes(page, 60);
    const loadsOf = async () => decodeCheckpoint((await save(page, 'state')).bytes).loads;
    expect((await loadsOf())?.some((load) => load > 0)).toBe(true);
    const table = new TextDecoder().decode((await save(page, 'table')).bytes);
    // Leave out one particle, so that the old loads would not even fit.
    await drop(page, 'fewer.csv', table.replace(/\n[^\n]+\n$/, '\n'));
    await waitForText(page, 'notice', /^99 particles from fewer\.csv/);
    expect((await loadsOf())?.some((load) => load > 0)).toBe(false);
  });

  browserTest(
    'of a state without particles can be run, and replaced by another state',
    { tags: 'full' },
    async () => {
      const { page, state } = await openSaved();
      const empty = { ...optionsOfState(decodeCheckpoint(state.bytes)), capacity: 1 };
      await openFile(page, 'empty.bin', encodeCheckpoint(createCpuSimulation(empty).checkpoint()));
      await waitForText(page, 'notice', /^0 particles from empty\.bin\.$/);
      await stepTimes(page, 1);
      expect(await countOf(page)).toBe(0);
      expect(await textOf(page, 'particles')).toBe('0');
      await openFile(page, 'mine.bin', state.bytes);
      await waitForText(page, 'notice', /^100 particles of the scene gas from mine\.bin\.$/);
    },
  );

  for (const [scene, notice] of [
    ['lattice', /saved; when opened, it goes on with the same bits/],
    ['hourglass', /saved; when opened, its gravity and obstacles no longer move/],
  ] as const) {
    browserTest(
      `of a state are saved with a notice of how they run when opened (${scene})`,
      { tags: 'case' },
      async () => {
        const { page } = await open();
        await arrange(page, { scene, engine: 'cpu' });
        await save(page, 'state');
        await waitForText(page, 'notice', notice);
      },
    );
  }

  browserTest('give their state again after Reset or a change of engine', { tags: 'full' }, async () => {
    const { page, saved } = await openSaved();
    await stepTimes(page, 1);
    await page.click('#reset');
    expect(await hashOf(page)).toBe(saved);
    await stepTimes(page, 1);
    await chooseOption(page, 'engine', 'GPU');
    expect(await hashOf(page)).toBe(saved);
  });

  for (const engine of ['cpu', 'gpu'] as const) {
    browserTest(`of a state continue with the same bits (${engine})`, { tags: 'case' }, async () => {
      const { page, saved, later } = await openSaved(engine);
      expect(await hashOf(page)).toBe(saved);
      await stepTimes(page, 2);
      expect(await hashOf(page)).toBe(later);
      await goBackToStart(page);
      expect(await hashOf(page)).toBe(saved);
    });
  }

  browserTest('stay open after the loss of the device', { tags: 'full' }, async () => {
    const { page } = await openSaved('gpu');
    await stepTimes(page, 1);
    await loseDevice(page);
    expect(await hashOf(page)).not.toBe('–');
    expect(await countOf(page)).toBe(FEW);
    expect(await textOf(page, 'scene-hint')).toMatch(/mine\.bin/);
  });
});
