/**
 * A film of the picture in real time, by the browser's own recorder: WebM or MP4, whichever it supports. It records a
 * canvas of its own, because a recorder cannot switch between canvases, and the picture may consist of several.
 */
import { CellstormError } from '../../core/base/errors';
import { FilmPicture } from './film-picture';

export interface LiveFilm {
  readonly extension: 'mp4' | 'webm';
  /** Length so far, without pauses. */
  readonly seconds: number;
  /** Resolves when the recorder ends by itself, with the reason. */
  readonly failed: Promise<string>;
  /** Records the next picture. Call this in the task that drew the picture. */
  show(layers: readonly HTMLCanvasElement[]): void;
  pause(isPaused: boolean): void;
  /** Ends the film and returns it; empty if nothing was recorded. */
  stop(): Promise<Blob>;
}

const TYPES = [
  'video/webm;codecs=vp9',
  'video/webm;codecs=vp8',
  'video/webm',
  'video/mp4;codecs=avc1.640033',
  'video/mp4',
];
const FRAMES_PER_SECOND = 60;
const BITS_PER_SECOND = 10e6;
/** Milliseconds between parts: the most that a crash of the recorder can lose. */
const PART_MS = 1000;

/** `of`: the picture on the screen. `background`: a CSS colour. */
export function openLiveFilm(of: HTMLCanvasElement, background: string): LiveFilm {
  const type =
    typeof MediaRecorder === 'undefined'
      ? undefined
      : TYPES.find((candidate) => MediaRecorder.isTypeSupported(candidate));
  if (!type || typeof of.captureStream !== 'function') {
    throw new CellstormError('This browser records no films of a canvas; a film of exact frames may work.');
  }
  const picture = new FilmPicture(of, background);
  const stream = picture.canvas.captureStream(FRAMES_PER_SECOND);
  const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: BITS_PER_SECOND });
  const parts: Blob[] = [];
  let recorded = 0;
  let since: number | undefined = performance.now();
  const ended = new Promise<void>((resolve) => recorder.addEventListener('stop', () => resolve()));
  recorder.addEventListener('dataavailable', ({ data }) => {
    if (data.size > 0) parts.push(data);
  });
  const failed = new Promise<string>((resolve) =>
    recorder.addEventListener('error', (event) => {
      const { error } = event as Event & { readonly error?: DOMException };
      resolve(error?.message || 'The browser stopped recording.');
    }),
  );
  recorder.start(PART_MS);
  const seconds = () => (recorded + (since === undefined ? 0 : performance.now() - since)) / 1000;
  return {
    extension: type.includes('mp4') ? 'mp4' : 'webm',
    get seconds() {
      return seconds();
    },
    failed,
    show: (layers) => picture.show(layers),
    pause(isPaused) {
      if (recorder.state === 'inactive' || isPaused === (since === undefined)) return;
      recorded = 1000 * seconds();
      since = isPaused ? undefined : performance.now();
      if (isPaused) recorder.pause();
      else recorder.resume();
    },
    async stop() {
      if (recorder.state !== 'inactive') recorder.stop();
      await ended;
      for (const track of stream.getTracks()) track.stop();
      return new Blob(parts, { type: type.split(';')[0] as string });
    },
  };
}
