/** A film of pictures at equal intervals of simulated time: MP4 if the browser encodes H.264, otherwise WebM. */
import {
  BufferTarget,
  CanvasSource,
  canEncodeVideo,
  Mp4OutputFormat,
  Output,
  Quality,
  WebMOutputFormat,
} from 'mediabunny';
import { CellstormError } from '../../../index';
import { FilmPicture, filmSize } from './film-picture';

export interface ExactFilm {
  readonly extension: 'mp4' | 'webm';
  readonly frames: number;
  /** Resolves when there is room for the next picture. */
  add(canvas: HTMLCanvasElement): Promise<void>;
  finish(): Promise<Blob>;
  cancel(): Promise<void>;
}

const CODECS = ['avc', 'vp9', 'vp8'] as const;

export async function openExactFilm(
  of: HTMLCanvasElement,
  background: string,
  framesPerSecond: number,
): Promise<ExactFilm> {
  if (typeof VideoEncoder === 'undefined') {
    throw new CellstormError('This browser has no WebCodecs, which exact films need; a live film may work.');
  }
  const size = filmSize(of);
  const quality = new Quality('high');
  let codec: (typeof CODECS)[number] | undefined;
  for (const candidate of CODECS) {
    codec ??= (await canEncodeVideo(candidate, { ...size, quality })) ? candidate : undefined;
  }
  if (!codec) {
    const pixels = `${size.width} by ${size.height} pixels`;
    throw new CellstormError(
      `This browser encodes neither H.264 nor VP9 nor VP8 of ${pixels}; try a smaller window.`,
    );
  }
  return start(new FilmPicture(of, background), { codec, quality }, framesPerSecond);
}

async function start(
  picture: FilmPicture,
  encoding: { readonly codec: (typeof CODECS)[number]; readonly quality: Quality },
  framesPerSecond: number,
): Promise<ExactFilm> {
  const isMp4 = encoding.codec === 'avc';
  const target = new BufferTarget();
  const output = new Output({
    format: isMp4 ? new Mp4OutputFormat({ fastStart: 'in-memory' }) : new WebMOutputFormat(),
    target,
  });
  const source = new CanvasSource(picture.canvas, encoding);
  output.addVideoTrack(source, { frameRate: framesPerSecond });
  await output.start();
  let frames = 0;
  return {
    extension: isMp4 ? 'mp4' : 'webm',
    get frames() {
      return frames;
    },
    async add(canvas) {
      picture.show([canvas]);
      await source.add(frames / framesPerSecond, 1 / framesPerSecond);
      frames++;
    },
    async finish() {
      await output.finalize();
      return new Blob([target.buffer ?? new ArrayBuffer(0)], { type: isMp4 ? 'video/mp4' : 'video/webm' });
    },
    cancel: () => output.cancel(),
  };
}
