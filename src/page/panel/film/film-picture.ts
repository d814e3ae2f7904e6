/** The canvas that a film records. Its size never changes. Bars fill what a picture of another shape leaves free. */
import { CellstormError } from '../../../index';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Most pixels along a film's longer side. Beyond this, encoders refuse or are very slow. */
const MOST_PIXELS = 2560;

/** A film is at most as large as the picture. Codecs require even numbers. */
export function filmSize({ width, height }: Size): Size {
  const scale = Math.min(1, MOST_PIXELS / Math.max(width, height, 1));
  const even = (pixels: number) => Math.max(2, 2 * Math.floor((pixels * scale) / 2));
  return { width: even(width), height: even(height) };
}

/** Keeps the scale if the film cuts off at most one row and one column. Otherwise scales and centres the picture. */
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

  /** `layers` go from bottom to top. Call this in the task that drew them: afterwards a WebGPU canvas is empty. */
  show(layers: readonly HTMLCanvasElement[]): void {
    const { context, canvas, background } = this;
    const [lowest] = layers;
    // A window may have no width or height.
    if (!lowest || lowest.width === 0 || lowest.height === 0) return;
    const { x, y, width, height } = placeInFilm(lowest, canvas);
    context.fillStyle = background;
    context.fillRect(0, 0, canvas.width, canvas.height);
    for (const layer of layers) context.drawImage(layer, x, y, width, height);
  }
}
