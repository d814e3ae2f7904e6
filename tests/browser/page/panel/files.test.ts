/** Tests what the page exports and imports: states, tables, films and presets. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny';
import type { ElementHandle, Page } from 'puppeteer';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { decodeCheckpoint, encodeCheckpoint, optionsOfState } from '../../src/core/state/state-file';
import { createCpuSimulation } from '../../src/cpu/solver/simulation';
import { PRESETS } from '../../src/page/model/presets';
import { browserTest, useBrowser } from '../helpers/browser';
import {
  chooseOption,
  chooseScene,
  FEW,
  openPlayground,
  settle,
  stepTimes,
  takePicture,
  textOf,
  typeCount,
  typeNumber,
} from './playground';

declare global {
  interface Window {
    /** The files that the page has offered for download. */
    saved?: { readonly name: string; readonly blob: Blob }[];
    /** Bytes that the recorder of the last live film has produced. */
    recorded?: number;
    /** How often the inspector's marks were drawn onto a picture. */
    marked?: number;
  }
}

/** Runs in the page before its scripts: keeps files in memory instead of saving them. */
function keepFiles(): void {
  const blobs = new Map<string, Blob>();
  window.saved = [];
  const create = URL.createObjectURL;
  URL.createObjectURL = (blob: Blob | MediaSource) => {
    const url = create(blob);
    if (blob instanceof Blob) blobs.set(url, blob);
    return url;
  };
  HTMLAnchorElement.prototype.click = function () {
    const blob = blobs.get(this.href);
    if (blob) window.saved?.push({ name: this.download, blob });
  };
  const { start } = MediaRecorder.prototype;
  MediaRecorder.prototype.start = function (milliseconds) {
    this.addEventListener('dataavailable', ({ data }) => {
      window.recorded = (window.recorded ?? 0) + data.size;
    });
    start.call(this, milliseconds);
  };
}

async function filmLive(page: Page, start = () => page.keyboard.press('v')): Promise<void> {
  await page.evaluate(() => {
    window.recorded = 0;
  });
  await start();
}

/** Waits until the recorder of a live film has produced pictures, however long that takes. */
async function waitForPictures(page: Page): Promise<void> {
  await page.waitForFunction(() => (window.recorded ?? 0) > 0);
}

/** Waits for the next file that the page offers, and returns it. */
async function takeFile(page: Page): Promise<{ readonly name: string; readonly bytes: Uint8Array }> {
  await page.waitForFunction(() => (window.saved?.length ?? 0) > 0);
  const { name, text } = await page.evaluate(async () => {
    const { name, blob } = window.saved?.shift() ?? { name: '', blob: new Blob() };
    const url: string = await new Promise((resolve) => {
      const reader = new FileReader();
      reader.onload = () => resolve(String(reader.result));
      reader.readAsDataURL(blob);
    });
    return { name, text: url.slice(url.indexOf(',') + 1) };
  });
  return { name, bytes: new Uint8Array(Buffer.from(text, 'base64')) };
}

async function framesOf(bytes: Uint8Array): Promise<{ frames: number; seconds: number; size: number[] }> {
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(bytes) });
  const track = await input.getPrimaryVideoTrack();
  if (!track) throw new Error('The film has no pictures.');
  const sink = new EncodedPacketSink(track);
  let frames = 0;
  for (let packet = await sink.getFirstPacket(); packet; packet = await sink.getNextPacket(packet)) frames++;
  const size = [await track.getCodedWidth(), await track.getCodedHeight()];
  return { frames, seconds: await track.computeDuration(), size };
}

/** Counts the pixels of a film's first picture that are close to a colour. The page's browser decodes the film. */
async function countInFilm(page: Page, bytes: Uint8Array, colour: readonly number[]): Promise<number> {
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(bytes) });
  const track = await input.getPrimaryVideoTrack();
  const packet = track && (await new EncodedPacketSink(track).getFirstPacket());
  const codec = (await track?.getDecoderConfig())?.codec;
  if (!packet || !codec) throw new Error('The film has no pictures.');
  return page.evaluate(
    async (data, codec, colour) => {
      const decoded = new Promise<VideoFrame>((resolve, reject) => {
        const decoder = new VideoDecoder({ output: resolve, error: reject });
        decoder.configure({ codec });
        const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
        decoder.decode(new EncodedVideoChunk({ type: 'key', timestamp: 0, data: bytes }));
        decoder.flush().catch(reject);
      });
      const frame = await decoded;
      const canvas = new OffscreenCanvas(frame.displayWidth, frame.displayHeight);
      const context = canvas.getContext('2d');
      context?.drawImage(frame, 0, 0);
      const { data: pixels = [] } = context?.getImageData(0, 0, canvas.width, canvas.height) ?? {};
      frame.close();
      let found = 0;
      for (let start = 0; start < pixels.length; start += 4) {
        if (colour.every((value, channel) => Math.abs((pixels[start + channel] ?? 0) - value) < 40)) found++;
      }
      return found;
    },
    Buffer.from(packet.data).toString('base64'),
    codec,
    colour,
  );
}

async function noticeOf(page: Page, pattern: RegExp): Promise<string> {
  await page.waitForFunction(
    (source) => new RegExp(source).test(document.querySelector('#notice')?.textContent ?? ''),
    {},
    pattern.source,
  );
  return textOf(page, 'notice');
}

describe('the page', () => {
  const browser = useBrowser({ serve: 'build' });
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

  const hashOf = async (page: Page) => {
    await settle(page);
    return textOf(page, 'hash');
  };
  const countOf = (page: Page) => page.evaluate(() => window.cellstorm?.simulation?.count);

  browserTest('saves and opens states and tables, and shows presets as cards', async () => {
    const { page, expectNoProblems } = await openPlayground(browser, { count: FEW, before: keepFiles });
    // Choosing a card does not reload the page.
    await page.evaluate(() => document.body.setAttribute('data-first', 'yes'));
    await page.click('#presets-open');
    await settle(page);
    await page.waitForFunction(() =>
      [...document.querySelectorAll<HTMLImageElement>('#presets img')].every(
        (image) => image.naturalWidth > 0,
      ),
    );
    const cards = await page.$$eval('#presets a', (links) =>
      links.map((link) => ({ href: link.getAttribute('href'), alt: link.querySelector('img')?.alt })),
    );
    expect(cards).toEqual(PRESETS.map(({ link, alt }) => ({ href: `?${link}`, alt })));
    await takePicture(page, 'presets');
    await page.focus('#preset-gas');
    await page.keyboard.press('Enter');
    await settle(page);
    expect(new URL(page.url()).search).toBe(`?${PRESETS.find(({ name }) => name === 'gas')?.link}`);
    expect(await page.$eval('#presets', (sheet) => (sheet as HTMLDialogElement).open)).toBe(false);
    expect(await page.evaluate(() => document.body.dataset.first)).toBe('yes');

    await typeCount(page, FEW);
    await stepTimes(page, 3);
    await page.click('#keep-open');
    await takePicture(page, 'keep');
    await page.click('#save-state');
    const state = await takeFile(page);
    expect(state.name).toBe('cellstorm-gas-2d-0.05s.bin');
    const saved = await hashOf(page);
    const checkpoint = decodeCheckpoint(state.bytes);
    const elsewhere = createCpuSimulation(optionsOfState(checkpoint));
    elsewhere.restore(checkpoint);
    expect(elsewhere.measure().hash).toBe(saved);
    await page.keyboard.press('s');
    await page.click('#save-table');
    const table = await takeFile(page);
    expect(table.name).toBe('cellstorm-gas-2d-0.05s.csv');
    await stepTimes(page, 2);
    const later = await hashOf(page);

    // The state continues with the same bits, whatever ran in between.
    await chooseScene(page, 'lattice');
    await openFile(page, 'mine.bin', state.bytes);
    await noticeOf(page, /^100 particles of the scene gas from mine\.bin\.$/);
    expect(await hashOf(page)).toBe(saved);
    expect(await textOf(page, 'scene-hint')).toMatch(/from the file mine\.bin, a state of the scene gas\. /);
    const hints = await page.$$eval('#scene-hint', (found) =>
      found.map(({ clientHeight }) => clientHeight > 0),
    );
    expect(hints).toEqual([true]);
    expect(await page.$eval('#scene', (select) => (select as HTMLSelectElement).selectedIndex)).toBe(-1);
    expect(await page.$eval('#count', (input) => (input as HTMLInputElement).disabled)).toBe(true);
    expect(await page.$eval('#gravity', (input) => (input as HTMLInputElement).value)).toBe('0');
    await takePicture(page, 'opened');
    await stepTimes(page, 2);
    expect(await hashOf(page)).toBe(later);
    // A slow machine may have kept states in between.
    for (let press = 0; press < 3 && (await hashOf(page)) !== saved; press++) await page.keyboard.press('b');
    await noticeOf(page, /^Back at 0\.05 s\.$/);
    expect(await hashOf(page)).toBe(saved);
    await page.evaluate(() => {
      Object.defineProperty(navigator, 'clipboard', { value: { writeText: async () => undefined } });
    });
    await page.click('#copy-link');
    await noticeOf(page, /cannot carry the particles of mine\.bin/);
    await page.click('#reset');
    expect(await hashOf(page)).toBe(saved);
    await chooseOption(page, 'engine', 'CPU');
    expect(await hashOf(page)).toBe(saved);
    await chooseOption(page, 'engine', 'GPU');
    await stepTimes(page, 1);
    await page.evaluate(() => window.cellstorm?.device?.destroy());
    await page.waitForFunction(() => /lost/.test(document.querySelector('#engine-note')?.textContent ?? ''));
    expect(await hashOf(page)).not.toBe('–');
    expect(await countOf(page)).toBe(FEW);
    expect(await textOf(page, 'scene-hint')).toMatch(/mine\.bin/);

    // A table is loaded into the current world; an invalid table changes nothing.
    const drop = (name: string, text: string) =>
      page.evaluate(
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
    const text = new TextDecoder().decode(table.bytes);
    expect(await drop('again.csv', text)).toBe(true);
    await noticeOf(page, /^100 particles from again\.csv\.$/);
    expect(await hashOf(page)).toBe(saved);
    const markup = '<img src=x onerror=alert(1)>.csv';
    await drop(markup, `${text}7,1e9,1,0,0\n`);
    expect(await noticeOf(page, /line 102/)).toBe(
      `${markup}, line 102, column x is "1e9", but it must be from ${checkpoint.min[0]} to ${checkpoint.max[0]}, in the box.`,
    );
    // A dropped folder looks like a file, and so does a file that was removed meanwhile.
    await page.evaluate(() => {
      const { arrayBuffer } = File.prototype;
      File.prototype.arrayBuffer = async () => {
        File.prototype.arrayBuffer = arrayBuffer;
        throw new DOMException('Nothing is there.', 'NotFoundError');
      };
    });
    await drop('folder', '');
    await noticeOf(
      page,
      /^folder cannot be read: it may be a folder, deleted, or too large for the memory\.$/,
    );
    expect(await page.$$eval('.notes img', (images) => images.length)).toBe(0);
    expect(await hashOf(page)).toBe(saved);
    expect(await textOf(page, 'scene-hint')).toMatch(/again\.csv/);
    await typeNumber(page, 'gravity', 3);
    expect(await page.evaluate(() => window.cellstorm?.simulation?.settings.gravity)).toEqual([0, -3]);
    expect(await countOf(page)).toBe(FEW);
    // A state without particles runs, too, and another state can replace it.
    const empty = { ...optionsOfState(checkpoint), capacity: 1 };
    await openFile(page, 'empty.bin', encodeCheckpoint(createCpuSimulation(empty).checkpoint()));
    await noticeOf(page, /^0 particles from empty\.bin\.$/);
    await stepTimes(page, 1);
    expect(await countOf(page)).toBe(0);
    expect(await textOf(page, 'particles')).toBe('0');
    await openFile(page, 'mine.bin', state.bytes);
    await noticeOf(page, /^100 particles of the scene gas from mine\.bin\.$/);
    // The scene from before can be chosen again.
    await chooseScene(page, 'lattice');
    expect(await textOf(page, 'scene-hint')).not.toMatch(/file/);
    expect(await page.$eval('#count', (input) => (input as HTMLInputElement).disabled)).toBe(false);
    // A saved state does not hold what a scene moves.
    for (const [scene, notice] of [
      ['lattice', /saved; when opened, it goes on with the same bits/],
      ['hourglass', /saved, without what the scene moves/],
    ] as const) {
      await chooseScene(page, scene);
      await page.click('#keep-open');
      await page.click('#save-state');
      await noticeOf(page, notice);
    }
    expectNoProblems();
  });

  browserTest('records live films and films of exact frames', async () => {
    const { page, expectNoProblems } = await openPlayground(browser, {
      before: keepFiles,
      count: FEW,
      width: 401,
      height: 301,
    });
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    const isRecording = () => page.$eval('#recording', (bar) => !(bar as HTMLElement).hidden);

    await page.keyboard.press('s');
    await typeNumber(page, 'film-seconds', 99);
    await page.click('#film-exact');
    await noticeOf(page, /lasts 1 to 60 seconds, not 99\.$/);
    await page.keyboard.press('s');
    await typeNumber(page, 'film-seconds', 1);
    const before = await page.evaluate(() => window.cellstorm?.simulation?.time ?? -1);
    await page.click('#film-exact');
    expect(await isRecording()).toBe(true);
    await noticeOf(page, /^The film of 60 frames is saved\.$/);
    const exact = await takeFile(page);
    expect(exact.name).toMatch(/^cellstorm-pile-2d-1\.00s-exact\.(webm|mp4)$/);
    expect(await framesOf(exact.bytes)).toEqual({
      frames: 60,
      seconds: expect.closeTo(1, 2),
      size: [400, 300],
    });
    expect(await page.evaluate(() => window.cellstorm?.simulation?.time)).toBeCloseTo(before + 1, 6);
    expect(await isRecording()).toBe(false);

    // A film that ends early keeps its frames, each with the inspector's marks.
    await page.evaluate(() => {
      const { drawImage } = CanvasRenderingContext2D.prototype;
      window.marked = 0;
      CanvasRenderingContext2D.prototype.drawImage = function (...given: unknown[]) {
        const [image] = given;
        if (image instanceof Element && image.id === 'marks') window.marked = (window.marked ?? 0) + 1;
        drawImage.apply(this, given as unknown as Parameters<typeof drawImage>);
      };
      (document.activeElement as HTMLElement).blur();
    });
    await page.keyboard.press('i');
    await settle(page);
    await page.keyboard.press('s');
    await typeNumber(page, 'film-seconds', 5);
    await page.click('#film-exact');
    await page.waitForFunction(() =>
      /Frame ([3-9]|\d\d+) of 300/.test(document.querySelector('#recording-text')?.textContent ?? ''),
    );
    await takePicture(page, 'film');
    // A sweep cannot be timed during a film.
    await page.$eval('#scale-open', (button) => (button as HTMLButtonElement).click());
    await noticeOf(page, /^The film takes steps, which would disturb the times of a sweep/);
    expect(await page.$eval('#scale', (sheet) => (sheet as HTMLDialogElement).open)).toBe(false);
    await chooseScene(page, 'gas');
    const notice = await noticeOf(page, /of 300 frames is saved/);
    expect(notice).toMatch(/Another simulation started\.$/);
    const [, count] = /first (\d+) of/.exec(notice) ?? [];
    const ended = await takeFile(page);
    expect((await framesOf(ended.bytes)).frames).toBe(Number(count));
    // The film shows the scene from before.
    expect(ended.name).toMatch(/^cellstorm-pile-2d-1\.\d\ds-exact\./);
    expect(await page.evaluate(() => window.marked)).toBeGreaterThanOrEqual(Number(count));

    // A live film has the marks while they are visible, even if the picture stands still.
    const marks = await page.evaluate(() =>
      window.cellstorm?.frame?.theme.overlay.first.map((share) => 255 * share),
    );
    const found: number[] = [];
    for (const isMarked of [true, false]) {
      await filmLive(page);
      await waitForPictures(page);
      await page.keyboard.press('v');
      await noticeOf(page, /^The film is saved\.$/);
      const { bytes } = await takeFile(page);
      found.push(await countInFilm(page, bytes, marks ?? []));
      if (isMarked) await page.click('#inspector-close');
    }
    expect(found[0]).toBeGreaterThan(10);
    expect(found[1]).toBe(0);

    await filmLive(page);
    await stepTimes(page, 3);
    await waitForPictures(page);
    await page.evaluate(() => {
      for (const isHidden of [true, false]) {
        Object.defineProperty(document, 'hidden', { value: isHidden, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }
    });
    await noticeOf(page, /leaves out the time during which the page was hidden/);
    await page.keyboard.press('v');
    await noticeOf(page, /^The film is saved\.$/);
    const live = await takeFile(page);
    expect(live.name).toMatch(/^cellstorm-gas-2d-0\.05s\.(webm|mp4)$/);
    expect((await framesOf(live.bytes)).frames).toBeGreaterThan(0);
    await page.keyboard.press('s');
    await filmLive(page, () => page.click('#film-live'));
    await stepTimes(page, 1);
    await waitForPictures(page);
    await page.evaluate(() => window.cellstorm?.device?.destroy());
    await noticeOf(page, /ended early and is saved\. The GPU was lost\./);
    expect((await takeFile(page)).bytes.length).toBeGreaterThan(0);
    await settle(page);
    await page.keyboard.press('s');
    await page.click('#film-exact');
    await page.waitForFunction(() =>
      /Frame ([2-9]|\d\d+) of 300/.test(document.querySelector('#recording-text')?.textContent ?? ''),
    );
    await page.evaluate(() => window.cellstorm?.device?.destroy());
    await noticeOf(page, /of 300 frames is saved\. The GPU was lost\.$/);
    expect((await takeFile(page)).bytes.length).toBeGreaterThan(0);
    await settle(page);

    await page.evaluate(() => {
      Object.assign(window, { VideoEncoder: undefined, MediaRecorder: undefined });
    });
    await page.keyboard.press('v');
    await noticeOf(page, /records no films of a canvas/);
    await page.keyboard.press('s');
    await page.click('#film-exact');
    await noticeOf(page, /There is no film\. This browser has no WebCodecs/);
    expectNoProblems();
  });
});
