/**
 * Purpose: a film of exact frames: pictures at even distances in time, however long each took to make. Encoded by WebCodecs,
 * put into a file by mediabunny; a chunk of its own, loaded with the first such film.
 * Outputs: MP4 (H.264) where the browser encodes that, else WebM (VP9 or VP8), in memory.
 */
import {
  BufferTarget,
  CanvasSource,
  canEncodeVideo,
  Mp4OutputFormat,
  Output,
  Quality,
  WebMOutputFormat,
} from 'mediabunny';
import { CellstormError } from '../core/errors';

export interface ExactFilm {
  readonly extension: 'mp4' | 'webm';
  readonly frames: number;
  /** Takes the canvas as it is now, and resolves when there is room for the next picture. */
  add(canvas: HTMLCanvasElement): Promise<void>;
  finish(): Promise<Blob>;
  cancel(): Promise<void>;
}

/** Pixels of the longer side at most: beyond it, encoders refuse or crawl. */
const MOST_PIXELS = 2560;
const CODECS = ['avc', 'vp9', 'vp8'] as const;

/** As large as the canvas and never larger, in whole pairs of pixels, which codecs ask for. */
export function filmSize({ width, height }: { readonly width: number; readonly height: number }): {
  readonly width: number;
  readonly height: number;
} {
  const scale = Math.min(1, MOST_PIXELS / Math.max(width, height, 1));
  const even = (pixels: number) => Math.max(2, 2 * Math.floor((pixels * scale) / 2));
  return { width: even(width), height: even(height) };
}

export async function openExactFilm(
  of: HTMLCanvasElement,
  background: string,
  framesPerSecond: number,
): Promise<ExactFilm> {
  if (typeof VideoEncoder === 'undefined') {
    throw new CellstormError('This browser has no WebCodecs, which exact films need; a live one may work.');
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
  return start(size, { codec, quality }, background, framesPerSecond);
}

async function start(
  size: { readonly width: number; readonly height: number },
  encoding: { readonly codec: (typeof CODECS)[number]; readonly quality: Quality },
  background: string,
  framesPerSecond: number,
): Promise<ExactFilm> {
  const copy = document.createElement('canvas');
  Object.assign(copy, size);
  const context = copy.getContext('2d', { alpha: false });
  if (!context) throw new CellstormError('This browser gives the film no canvas to draw into.');
  const isMp4 = encoding.codec === 'avc';
  const target = new BufferTarget();
  const output = new Output({
    format: isMp4 ? new Mp4OutputFormat({ fastStart: 'in-memory' }) : new WebMOutputFormat(),
    target,
  });
  const source = new CanvasSource(copy, encoding);
  output.addVideoTrack(source, { frameRate: framesPerSecond });
  await output.start();
  let frames = 0;
  return {
    extension: isMp4 ? 'mp4' : 'webm',
    get frames() {
      return frames;
    },
    async add(canvas) {
      // A window that changes its size meanwhile is shown as a whole.
      const scale = Math.min(size.width / canvas.width, size.height / canvas.height);
      const [width, height] = [canvas.width * scale, canvas.height * scale];
      context.fillStyle = background;
      context.fillRect(0, 0, size.width, size.height);
      context.drawImage(canvas, (size.width - width) / 2, (size.height - height) / 2, width, height);
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
