/**
 * Paints spheres as pixels, from far to near. If it drew a scaled picture per sphere instead, a browser without a GPU
 * would take several times as long.
 */
import type { CameraMatrices, Viewport } from './camera';
import { blend, type Discs, regionOf } from './disc-painter';

/** Width in pixels of a sprite, which its sphere fills. */
export const SPRITE_SIZE = 64;
/** Samples lie within this radius of the sprite's middle, because the sphere's edge is blended. */
const SAMPLED = SPRITE_SIZE / 2 - 1;
/** Spheres are sorted into this many slices, all equally deep. */
const SLICES = 8192;

export interface Balls {
  readonly count: number;
  /** Three coordinates per ball. */
  readonly positions: Float32Array;
  readonly reach: (body: number) => number;
  /** A palette index. */
  readonly colour: (body: number) => number;
}

/** Returns the balls in front of the camera as discs, in pixels of the canvas, from far to near. */
export function projectBalls(
  kinds: readonly Balls[],
  { view, projection, origin, pixelsPerUnit, distance: middle }: CameraMatrices,
  { width, height, pixelRatio }: Viewport,
): Omit<Discs, 'palette'> {
  const most = kinds.reduce((sum, { count }) => sum + count, 0);
  const make = () => new Float32Array(most);
  const found = { x: make(), y: make(), radius: make(), colour: new Uint8Array(most) };
  const depth = make();
  const focal = pixelRatio * pixelsPerUnit * middle;
  // The rows of projection · view for x, y and w, and the row that gives the distance along the camera's axis.
  const row = (by: (seen: number) => number) =>
    [0, 1, 2, 3].map((column) =>
      [0, 1, 2, 3].reduce((sum, seen) => sum + by(seen) * (view[4 * column + seen] as number), 0),
    ) as [number, number, number, number];
  const [xx, xy, xz, xw] = row((seen) => projection[4 * seen] as number);
  const [yx, yy, yz, yw] = row((seen) => projection[4 * seen + 1] as number);
  const [wx, wy, wz, ww] = row((seen) => projection[4 * seen + 3] as number);
  const [dx, dy, dz, dw] = row((seen) => (seen === 2 ? -1 : 0));
  const [fromX = 0, fromY = 0, fromZ = 0] = origin;
  let count = 0;
  let [nearest, farthest] = [Number.POSITIVE_INFINITY, 0];
  for (const { count: bodies, positions, reach, colour } of kinds) {
    for (let body = 0; body < bodies; body++) {
      const x = (positions[3 * body] as number) - fromX;
      const y = (positions[3 * body + 1] as number) - fromY;
      const z = (positions[3 * body + 2] as number) - fromZ;
      // Round as in `depth`, so that no depth lies outside the range.
      const far = Math.fround(dx * x + dy * y + dz * z + dw);
      // The comparison with NaN is false.
      if (!(far > 0 && far < Number.POSITIVE_INFINITY)) continue;
      const w = wx * x + wy * y + wz * z + ww;
      found.x[count] = (((xx * x + xy * y + xz * z + xw) / w + 1) / 2) * width * pixelRatio;
      found.y[count] = ((1 - (yx * x + yy * y + yz * z + yw) / w) / 2) * height * pixelRatio;
      found.radius[count] = (reach(body) * focal) / far;
      found.colour[count] = colour(body);
      depth[count] = far;
      nearest = Math.min(nearest, far);
      farthest = Math.max(farthest, far);
      count++;
    }
  }
  return sortByDepth(found, depth, count, nearest, farthest);
}

/** Sorts into slices, the farthest first. Discs of one slice keep their order. */
function sortByDepth(
  found: Omit<Discs, 'palette' | 'count'>,
  depth: Float32Array,
  count: number,
  nearest: number,
  farthest: number,
): Omit<Discs, 'palette'> {
  const scale = farthest > nearest ? (SLICES - 1) / (farthest - nearest) : 0;
  const sliceOf = (disc: number) => Math.floor((farthest - (depth[disc] as number)) * scale);
  const starts = new Uint32Array(SLICES + 1);
  for (let disc = 0; disc < count; disc++) {
    const next = sliceOf(disc) + 1;
    starts[next] = (starts[next] as number) + 1;
  }
  for (let slice = 0; slice < SLICES; slice++) {
    starts[slice + 1] = (starts[slice + 1] as number) + (starts[slice] as number);
  }
  const make = () => new Float32Array(count);
  const sorted = { count, x: make(), y: make(), radius: make(), colour: new Uint8Array(count) };
  for (let disc = 0; disc < count; disc++) {
    const slice = sliceOf(disc);
    const to = starts[slice] as number;
    starts[slice] = to + 1;
    sorted.x[to] = found.x[disc] as number;
    sorted.y[to] = found.y[disc] as number;
    sorted.radius[to] = found.radius[disc] as number;
    sorted.colour[to] = found.colour[disc] as number;
  }
  return sorted;
}

/** `sprites` has one picture of a sphere per palette index. Each is SPRITE_SIZE pixels wide and high. */
export function drawSpheres(
  context: CanvasRenderingContext2D,
  discs: Omit<Discs, 'palette'>,
  sprites: readonly Uint32Array[],
): void {
  const { width, height } = context.canvas;
  const { left, top, right, bottom } = regionOf(discs, width, height);
  if (right <= left || bottom <= top) return;
  const image = context.getImageData(left, top, right - left, bottom - top);
  paintSpheres(new Uint32Array(image.data.buffer), { left, top, right, bottom }, discs, sprites);
  context.putImageData(image, left, top);
}

export function paintSpheres(
  pixels: Uint32Array,
  { left, top, right, bottom }: ReturnType<typeof regionOf>,
  { count, x, y, radius, colour }: Omit<Discs, 'palette'>,
  sprites: readonly Uint32Array[],
): void {
  const width = right - left;
  for (let disc = 0; disc < count; disc++) {
    const [across, down, reach] = [x[disc] as number, y[disc] as number, radius[disc] as number];
    const sprite = sprites[colour[disc] as number] as Uint32Array;
    const outer = reach + 0.5;
    const core = Math.max(0, reach - 0.5) ** 2;
    const scale = SAMPLED / reach;
    // The blended rim reaches half a pixel beyond the sphere.
    const rim = SAMPLED / outer;
    // Pixel p covers p to p + 1.
    const first = Math.max(top, Math.ceil(down - outer - 0.5));
    const last = Math.min(bottom - 1, Math.floor(down + outer - 0.5));
    for (let row = first; row <= last; row++) {
      const rise = row + 0.5 - down;
      const wide = Math.sqrt(Math.max(0, outer * outer - rise * rise));
      const start = Math.max(left, Math.ceil(across - wide - 0.5));
      const end = Math.min(right - 1, Math.floor(across + wide - 0.5));
      let pixel = width * (row - top) + start - left;
      for (let column = start; column <= end; column++, pixel++) {
        const far = column + 0.5 - across;
        const squared = far * far + rise * rise;
        if (squared <= core) {
          pixels[pixel] = sprite[sampleAt(far * scale, rise * scale)] as number;
        } else {
          const ink = sprite[sampleAt(far * rim, rise * rim)] as number;
          pixels[pixel] = blend(pixels[pixel] as number, ink, outer - Math.sqrt(squared));
        }
      }
    }
  }
}

function sampleAt(across: number, down: number): number {
  return SPRITE_SIZE * Math.floor(SPRITE_SIZE / 2 + down) + Math.floor(SPRITE_SIZE / 2 + across);
}
