/**
 * The canvas that a film is taken of: the page's picture and what is laid over it, made one. As large as the picture
 * was when the film began; a window that changes its size meanwhile is shown as a whole, with bars beside it.
 */
import { CellstormError } from '../../core/base/errors';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Pixels of the longer side at most: beyond it, encoders refuse or crawl. */
const MOST_PIXELS = 2560;

/** As large as the picture and never larger, in whole pairs of pixels, which codecs ask for. */
export function filmSize({ width, height }: Size): Size {
  const scale = Math.min(1, MOST_PIXELS / Math.max(width, height, 1));
  const even = (pixels: number) => Math.max(2, 2 * Math.floor((pixels * scale) / 2));
  return { width: even(width), height: even(height) };
}

/** Where a picture lies in a film: pixel on pixel where all that is lost is the odd one, else as large as fits, in the middle. */
export function placeInFilm(picture: Size, film: Size): Size & { readonly x: number; readonly y: number } {
  const isOdd = (more: number) => more === 0 || more === 1;
  const { width, height } = picture;
  if (isOdd(width - film.width) && isOdd(height - film.height)) return { x: 0, y: 0, width, height };
  const scale = Math.min(film.width / Math.max(1, width), film.height / Math.max(1, height));
  const [wide, high] = [width * scale, height * scale];
  return { x: (film.width - wide) / 2, y: (film.height - high) / 2, width: wide, height: high };
}

export class FilmPicture {
  readonly canvas = document.createElement('canvas');
  private readonly context: CanvasRenderingContext2D;

  /** `background`: a CSS colour for the bars. */
  constructor(
    of: Size,
    private readonly background: string,
  ) {
    Object.assign(this.canvas, filmSize(of));
    const context = this.canvas.getContext('2d', { alpha: false });
    if (!context) throw new CellstormError('This browser gives the film no canvas to draw into.');
    this.context = context;
  }

  /**
   * From below to above, all as large as the first. To be called in the task that drew them: a canvas of WebGPU is empty
   * afterwards. What it costs is in bench/NOTES.md: of the page's own thread some 0.2 ms.
   */
  show(layers: readonly HTMLCanvasElement[]): void {
    const { context, canvas, background } = this;
    const [lowest] = layers;
    // Of a window without height there is no picture.
    if (!lowest || lowest.width === 0 || lowest.height === 0) return;
    const { x, y, width, height } = placeInFilm(lowest, canvas);
    context.fillStyle = background;
    context.fillRect(0, 0, canvas.width, canvas.height);
    for (const layer of layers) context.drawImage(layer, x, y, width, height);
  }
}
