/** Records a canvas of its own in real time, because a recorder cannot switch between canvases. */
import { CellstormError } from '../../../index';
import { FilmPicture } from './film-picture';

export interface LiveFilm {
  readonly extension: 'mp4' | 'webm';
  /** Recorded seconds, without pauses. */
  readonly seconds: number;
  /** Resolves with the reason if the recorder fails. */
  readonly failed: Promise<string>;
  /** Call this in the task that drew the picture. */
  show(layers: readonly HTMLCanvasElement[]): void;
  pause(isPaused: boolean): void;
  /** The film is empty if nothing was recorded. */
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
/** The recorder delivers parts of this length. If it fails, at most the last part is lost. */
const PART_MS = 1000;

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
