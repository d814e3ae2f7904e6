/**
 * Paints discs into the pixels of a canvas, with smooth edges. Without a GPU, browsers take several times as long to
 * fill a path of arcs. The painter keeps a copy of the pixels below the discs: the ground.
 */

/** A radius in pixels. Smaller discs are painted as squares: as discs, they could miss the middles of all pixels. */
const SMALLEST_DISC = 1;

/** Positions and lengths are in pixels of the canvas. */
export interface Discs {
  readonly count: number;
  /** Not finite for bodies that are not painted. */
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly radius: Float32Array;
  /** Indices in the palette. */
  readonly colour: Uint8Array;
  /** Opaque colours in the byte order of ImageData. */
  readonly palette: Uint32Array;
}

interface Region {
  readonly left: number;
  readonly top: number;
  /** `right` and `bottom` are exclusive. */
  readonly right: number;
  readonly bottom: number;
}

const NOWHERE: Region = { left: 0, top: 0, right: 0, bottom: 0 };

export class DiscPainter {
  private image: ImageData | undefined;
  private pixels = new Uint32Array(0);
  private ground = new Uint32Array(0);
  /** In this region, the last picture differs from the ground. */
  private painted: Region = NOWHERE;

  takeGround(context: CanvasRenderingContext2D): void {
    const { width, height } = context.canvas;
    const image = context.getImageData(0, 0, width, height);
    this.image = image;
    this.pixels = new Uint32Array(image.data.buffer);
    this.ground = this.pixels.slice();
    this.painted = NOWHERE;
  }

  /**
   * Paints the discs on the ground. Call `takeGround` first, and after each change of the ground or of the canvas's
   * size. `isCovered`: something was drawn over the last picture, so the whole picture is replaced.
   */
  paint(context: CanvasRenderingContext2D, discs: Discs, isCovered: boolean): void {
    const { image, pixels, ground } = this;
    if (!image) return;
    const { width, height } = image;
    const painted = isCovered ? { left: 0, top: 0, right: width, bottom: height } : this.painted;
    const region = regionOf(discs, width, height);
    for (let row = painted.top; row < painted.bottom; row++) {
      const from = width * row + painted.left;
      pixels.set(ground.subarray(from, width * row + painted.right), from);
    }
    paintDiscs(pixels, width, height, discs);
    this.painted = region;
    const left = Math.min(region.left, painted.left);
    const top = Math.min(region.top, painted.top);
    const right = Math.max(region.right, painted.right);
    const bottom = Math.max(region.bottom, painted.bottom);
    context.putImageData(image, 0, 0, left, top, right - left, bottom - top);
  }
}

/** Returns a rectangle that contains all discs in the picture. */
export function regionOf(
  { count, x, y, radius }: Omit<Discs, 'palette'>,
  width: number,
  height: number,
): Region {
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let disc = 0; disc < count; disc++) {
    const [across, down, reach] = [x[disc] as number, y[disc] as number, (radius[disc] as number) + 1];
    // Comparisons with NaN are false.
    if (!(across + reach > 0 && across - reach < width && down + reach > 0 && down - reach < height))
      continue;
    left = Math.min(left, across - reach);
    right = Math.max(right, across + reach);
    top = Math.min(top, down - reach);
    bottom = Math.max(bottom, down + reach);
  }
  if (right <= left) return NOWHERE;
  return {
    left: Math.max(0, Math.floor(left)),
    top: Math.max(0, Math.floor(top)),
    right: Math.min(width, Math.ceil(right)),
    bottom: Math.min(height, Math.ceil(bottom)),
  };
}

export function paintDiscs(pixels: Uint32Array, width: number, height: number, discs: Discs): void {
  const { count, x, y, radius, colour, palette } = discs;
  for (let disc = 0; disc < count; disc++) {
    const [across, down, reach] = [x[disc] as number, y[disc] as number, radius[disc] as number];
    const ink = palette[colour[disc] as number] as number;
    const outer = reach + 0.5;
    const inner = reach - 0.5;
    const isSquare = reach < SMALLEST_DISC;
    const extent = isSquare ? reach : outer;
    // Pixel p covers p to p + 1. With NaN, the loops end at once.
    const first = Math.max(0, Math.ceil(down - extent - (isSquare ? 1 : 0.5)));
    const last = Math.min(height - 1, Math.floor(down + extent - (isSquare ? 0 : 0.5)));
    for (let row = first; row <= last; row++) {
      if (isSquare) {
        const high = Math.min(row + 1, down + reach) - Math.max(row, down - reach);
        const end = Math.min(width - 1, Math.floor(across + reach));
        for (let column = Math.max(0, Math.floor(across - reach)); column <= end; column++) {
          const wide = Math.min(column + 1, across + reach) - Math.max(column, across - reach);
          const pixel = width * row + column;
          if (high > 0 && wide > 0) pixels[pixel] = blend(pixels[pixel] as number, ink, high * wide);
        }
        continue;
      }
      const rise = row + 0.5 - down;
      const wide = Math.sqrt(Math.max(0, outer * outer - rise * rise));
      const core = Math.abs(rise) < inner ? Math.sqrt(inner * inner - rise * rise) : -1;
      const start = Math.max(0, Math.ceil(across - wide - 0.5));
      const end = Math.min(width - 1, Math.floor(across + wide - 0.5));
      // Discs cover pixels whose middle is at most `inner` away. They cover the pixels around these in part.
      const full = core < 0 ? end + 1 : Math.max(start, Math.ceil(across - core - 0.5));
      const rest = core < 0 ? end + 1 : Math.min(end + 1, Math.floor(across + core - 0.5) + 1);
      const line = width * row;
      for (let column = start; column < full && column <= end; column++) {
        const far = column + 0.5 - across;
        const cover = outer - Math.sqrt(far * far + rise * rise);
        pixels[line + column] = blend(pixels[line + column] as number, ink, cover);
      }
      for (let pixel = line + full; pixel < line + rest; pixel++) pixels[pixel] = ink;
      for (let column = Math.max(full, rest); column <= end; column++) {
        const far = column + 0.5 - across;
        const cover = outer - Math.sqrt(far * far + rise * rise);
        pixels[line + column] = blend(pixels[line + column] as number, ink, cover);
      }
    }
  }
}

/** Mixes two opaque colours. `cover` is the share of `ink`. */
export function blend(under: number, ink: number, cover: number): number {
  const share = cover >= 1 ? 256 : cover <= 0 ? 0 : Math.round(256 * cover);
  const rest = 256 - share;
  const odd = (((under & 0xff00ff) * rest + (ink & 0xff00ff) * share) >>> 8) & 0xff00ff;
  const even = ((under >>> 8) & 0xff) * rest + ((ink >>> 8) & 0xff) * share;
  return (0xff000000 | odd | (even & 0xff00)) >>> 0;
}
