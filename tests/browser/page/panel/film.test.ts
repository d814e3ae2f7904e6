import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny';
import type { Page } from 'puppeteer';
import { describe, expect } from 'vitest';
import { browserTest, useBrowser } from '../../../helpers/browser';
import {
  arrange,
  blur,
  chooseScene,
  isOpen,
  loseDevice,
  openPlayground,
  settle,
  stepTimes,
  takePicture,
  typeNumber,
  waitForText,
} from '../../playground';
import { keepFiles, takeFile } from '../../saved';

declare global {
  interface Window {
    /** Bytes that the recorder of the last live film has produced. */
    recorded?: number;
    /** How often the inspector's marks were drawn onto a picture. */
    marked?: number;
  }
}

/** Runs in the page: counts the bytes that recorders produce. */
function countRecorded(): void {
  const { start } = MediaRecorder.prototype;
  MediaRecorder.prototype.start = function (milliseconds) {
    this.addEventListener('dataavailable', ({ data }) => {
      window.recorded = (window.recorded ?? 0) + data.size;
    });
    start.call(this, milliseconds);
  };
}

/** Runs in the page: counts how often the inspector's marks are drawn. */
function countMarks(): void {
  const { drawImage } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.drawImage = function (...given: unknown[]) {
    const [image] = given;
    if (image instanceof Element && image.id === 'marks') window.marked = (window.marked ?? 0) + 1;
    Reflect.apply(drawImage, this, given);
  };
}

async function filmLive(page: Page, start = () => page.keyboard.press('v')): Promise<void> {
  await page.evaluate(() => {
    window.recorded = 0;
  });
  await start();
}

async function waitForPictures(page: Page): Promise<void> {
  await page.waitForFunction(() => (window.recorded ?? 0) > 0);
}

async function filmExactly(page: Page, seconds: number): Promise<void> {
  await page.keyboard.press('s');
  await typeNumber(page, 'film-seconds', seconds);
  await page.click('#film-exact');
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

/** Counts pixels of the first picture that are close to a colour. */
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

describe('a film', () => {
  const browser = useBrowser({ serve: 'build' });
  const open = browser.share(async (opener) => {
    const opened = await openPlayground(opener, { before: keepFiles, count: 100, width: 401, height: 301 });
    // `before` takes a single function, which cannot call others, so these two run later.
    await opened.page.evaluate(countRecorded);
    await opened.page.evaluate(countMarks);
    return opened;
  });
  const isRecording = (page: Page) => page.$eval('#recording', (bar) => !(bar as HTMLElement).hidden);
  const timeOf = (page: Page) => page.evaluate(() => window.cellstorm?.simulation?.time ?? -1);

  browserTest('of too many seconds is refused', { tags: 'full' }, async () => {
    const { page } = await open();
    await arrange(page);
    await filmExactly(page, 99);
    await waitForText(page, 'notice', /lasts 1 to 60 seconds\.$/);
  });

  browserTest('of exact frames has sixty frames per simulated second', { tags: 'full' }, async () => {
    const { page } = await open();
    await arrange(page);
    const before = await timeOf(page);
    await filmExactly(page, 1);
    expect(await isRecording(page)).toBe(true);
    await waitForText(page, 'notice', /^The film of 60 frames is saved\.$/);
    const exact = await takeFile(page);
    expect(exact.name).toMatch(/^cellstorm-pile-2d-1\.00s-exact\.(webm|mp4)$/);
    expect(await framesOf(exact.bytes)).toEqual({
      frames: 60,
      seconds: expect.closeTo(1, 2),
      size: [400, 300],
    });
    expect(await timeOf(page)).toBeCloseTo(before + 1, 6);
    expect(await isRecording(page)).toBe(false);
  });

  browserTest(
    'that ends early keeps its frames, each with the marks of the inspector',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      await arrange(page);
      await page.keyboard.press('i');
      await settle(page);
      await blur(page);
      await page.evaluate(() => {
        window.marked = 0;
      });
      await filmExactly(page, 5);
      await waitForText(page, 'recording-text', /Frame ([3-9]|\d\d+) of 300/);
      await takePicture(page, 'film');
      await chooseScene(page, 'gas');
      const notice = await waitForText(page, 'notice', /of 300 frames is saved/);
      expect(notice).toMatch(/Another simulation started\.$/);
      const [, count] = /first (\d+) of/.exec(notice) ?? [];
      const ended = await takeFile(page);
      expect((await framesOf(ended.bytes)).frames).toBe(Number(count));
      expect(ended.name).toMatch(/^cellstorm-pile-2d-0\.\d\ds-exact\./);
      expect(await page.evaluate(() => window.marked)).toBeGreaterThanOrEqual(Number(count));
    },
  );

  browserTest('keeps a sweep from starting', { tags: 'full' }, async () => {
    const { page } = await open();
    await arrange(page);
    await filmExactly(page, 5);
    await waitForText(page, 'recording-text', /Frame \d+ of 300/);
    await page.$eval('#scale-open', (button) => (button as HTMLButtonElement).click());
    await waitForText(page, 'notice', /^The film takes steps, which would disturb the times of a sweep/);
    expect(await isOpen(page, 'scale')).toBe(false);
    await chooseScene(page, 'gas');
    await waitForText(page, 'notice', /of 300 frames is saved/);
    await takeFile(page);
  });

  for (const [isMarked, title] of [
    [true, 'of a picture that stands still has the marks of the inspector'],
    [false, 'has no marks without an inspector'],
  ] as const) {
    browserTest(title, { tags: 'full' }, async () => {
      const { page } = await open();
      await arrange(page, { scene: 'gas' });
      if (isMarked) {
        await page.keyboard.press('i');
        await settle(page);
        await blur(page);
      }
      const marks = await page.evaluate(() =>
        window.cellstorm?.frame?.theme.overlay.first.map((share) => 255 * share),
      );
      await filmLive(page);
      await waitForPictures(page);
      await page.keyboard.press('v');
      await waitForText(page, 'notice', /^The film is saved\.$/);
      const { bytes } = await takeFile(page);
      const found = await countInFilm(page, bytes, marks ?? []);
      if (isMarked) expect(found).toBeGreaterThan(10);
      else expect(found).toBe(0);
    });
  }

  browserTest(
    'of the live picture leaves out the time during which the page is hidden',
    { tags: 'full' },
    async () => {
      const { page } = await open();
      await arrange(page, { scene: 'gas' });
      await filmLive(page);
      await stepTimes(page, 3);
      await waitForPictures(page);
      await page.evaluate(() => {
        for (const isHidden of [true, false]) {
          Object.defineProperty(document, 'hidden', { value: isHidden, configurable: true });
          document.dispatchEvent(new Event('visibilitychange'));
        }
      });
      await waitForText(page, 'notice', /leaves out the time during which the page was hidden/);
      await page.keyboard.press('v');
      await waitForText(page, 'notice', /^The film is saved\.$/);
      const live = await takeFile(page);
      expect(live.name).toMatch(/^cellstorm-gas-2d-0\.05s\.(webm|mp4)$/);
      expect((await framesOf(live.bytes)).frames).toBeGreaterThan(0);
    },
  );

  browserTest('is saved if the device is lost, whether it is live or exact', { tags: 'full' }, async () => {
    const { page } = await open();
    await arrange(page, { scene: 'gas' });
    await page.keyboard.press('s');
    await filmLive(page, () => page.click('#film-live'));
    await stepTimes(page, 1);
    await waitForPictures(page);
    await loseDevice(page);
    await waitForText(page, 'notice', /ended early and is saved\. The GPU was lost\./);
    expect((await takeFile(page)).bytes.length).toBeGreaterThan(0);
    await settle(page);
    await filmExactly(page, 5);
    await waitForText(page, 'recording-text', /Frame ([2-9]|\d\d+) of 300/);
    await loseDevice(page);
    await waitForText(page, 'notice', /of 300 frames is saved\. The GPU was lost\.$/);
    expect((await takeFile(page)).bytes.length).toBeGreaterThan(0);
    await settle(page);
  });

  browserTest('is refused, with the reason, if the browser cannot record', { tags: 'full' }, async () => {
    const { page } = await openPlayground(browser, { query: '?v=1&count=100&engine=cpu' });
    await page.evaluate(() => {
      Object.assign(window, { VideoEncoder: undefined, MediaRecorder: undefined });
    });
    await page.keyboard.press('v');
    await waitForText(page, 'notice', /records no films of a canvas/);
    await page.keyboard.press('s');
    await page.click('#film-exact');
    await waitForText(page, 'notice', /There is no film\. This browser has no WebCodecs/);
  });
});
