/** Times pictures of a WebGPU canvas with a 2D canvas over it, with or without a film. Runs in a page. */
import { FilmPicture } from '../../src/page/panel/film/film-picture';
import { openLiveFilm } from '../../src/page/panel/film/live-film';

/**
 * - `draw` only draws the picture.
 * - `compose` also draws it onto the film's canvas, but records nothing.
 * - `canvas` records only the WebGPU canvas.
 * - `film` records as the playground does.
 */
export const FILM_KINDS = ['draw', 'compose', 'canvas', 'film'] as const;

export type FilmKind = (typeof FILM_KINDS)[number];

/** Milliseconds per picture: in total, and in calls of the film. */
export interface FilmTimes {
  readonly picture: number;
  readonly call: number;
}

export async function measureFilm(kind: FilmKind, size: object, pictures: number): Promise<FilmTimes> {
  const device = await (await navigator.gpu.requestAdapter())?.requestDevice();
  if (!device)
    throw new Error(
      'WebGPU offers no adapter in this browser; check the flags that scripts/browser.ts starts it with.',
    );
  const [canvas, marks] = [document.createElement('canvas'), document.createElement('canvas')];
  for (const each of [canvas, marks]) {
    Object.assign(each, size);
    each.style.position = 'fixed';
    document.body.append(each);
  }
  const context = canvas.getContext('webgpu');
  context?.configure({ device, format: navigator.gpu.getPreferredCanvasFormat(), alphaMode: 'opaque' });
  marks.getContext('2d')?.fillRect(10, 10, 100, 100);
  const { show, stop } = open(kind, canvas);
  let call = 0;
  const began = performance.now();
  for (let picture = 0; picture < pictures; picture++) {
    await new Promise(requestAnimationFrame);
    const view = context?.getCurrentTexture().createView();
    if (!view) throw new Error('The canvas has no texture.');
    const encoder = device.createCommandEncoder();
    const clearValue = [picture % 2, 0, 0, 1];
    encoder
      .beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store', clearValue }] })
      .end();
    device.queue.submit([encoder.finish()]);
    const before = performance.now();
    show([canvas, marks]);
    call += performance.now() - before;
  }
  const picture = (performance.now() - began) / pictures;
  await stop();
  for (const each of [canvas, marks]) each.remove();
  device.destroy();
  return { picture, call: call / pictures };
}

interface Filming {
  show(layers: readonly HTMLCanvasElement[]): void;
  stop(): Promise<unknown>;
}

function open(kind: FilmKind, canvas: HTMLCanvasElement): Filming {
  const none: Filming = { show: () => undefined, stop: async () => undefined };
  if (kind === 'film') return openLiveFilm(canvas, '#000');
  if (kind === 'compose') {
    const film = new FilmPicture(canvas, '#000');
    return { ...none, show: (layers) => film.show(layers) };
  }
  if (kind === 'draw') return none;
  // The same frame rate, bit rate and length of parts as in live-film.ts.
  const recorder = new MediaRecorder(canvas.captureStream(60), {
    mimeType: 'video/webm;codecs=vp9',
    videoBitsPerSecond: 10e6,
  });
  recorder.start(1000);
  const ended = new Promise((resolve) => recorder.addEventListener('stop', resolve));
  return {
    ...none,
    stop: () => {
      recorder.stop();
      return ended;
    },
  };
}
