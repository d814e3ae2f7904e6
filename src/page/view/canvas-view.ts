/**
 * Draws particles for the CPU engine: in 2D discs and rectangles, in 3D spheres and faces of boxes, from far to near.
 * Colours are those of the GPU view, rounded to COLOURS steps. In 2D, the world and the obstacles are drawn anew only
 * when they or the view change. Discs of particles are painted as pixels, and so are spheres if there are no boxes.
 */
import type { StaticBodies } from '../../core/obstacles/tree';
import type { ParticleArrays } from '../../index';
import { interpolate, type Rgb, type Theme, toCss } from '../model/colour';
import { hidesLines, SPHERE_SHARE } from '../model/overlays';
import type { SimulationView } from '../model/simulation-view';
import { type CameraMatrices, project, type Rectangle, type Viewport } from './camera';
import type { CanvasOverlay } from './canvas-overlay';
import { DiscPainter, type Discs } from './disc-painter';
import type { Frame } from './engine';
import { drawSpheres, projectBalls, SPRITE_SIZE } from './sphere-painter';

const COLOURS = 32;
/** Boxes that are narrower than this many CSS pixels have no rim. */
const NARROWEST_RIMMED = 5;
/** Width of a box's rim, in CSS pixels. */
const RIM_WIDTH = 1.5;
/** A rim's brightness, as a share of the face's. */
const RIM_BRIGHTNESS = 0.7;
/**
 * The direction towards the light, in camera coordinates. Keep this equal to LIGHT in shaders/draw/frame.wgsl, and the
 * factors in shadeFaces() equal to those in shaders/draw/spheres.wgsl.
 */
const LIGHT = [-0.4017, 0.7231, 0.5624] as const;

interface Point {
  readonly x: number;
  readonly y: number;
}

export class CanvasView {
  readonly canvas = document.createElement('canvas');
  private sprites: Sprites | undefined;
  private readonly painter = new DiscPainter();
  /** The values that decide what the painter's ground shows; empty if the ground is out of date. */
  private ground: readonly unknown[] = [];
  private discs = roomForDiscs(0);
  /** True if something was drawn over the discs, perhaps outside their region. */
  private isCovered = false;

  /** `values[i]` decides the colour of particle i. */
  draw(
    simulation: SimulationView,
    particles: ParticleArrays,
    values: ArrayLike<number>,
    obstacles: StaticBodies,
    frame: Frame,
    createOverlay?: (context: CanvasRenderingContext2D) => CanvasOverlay,
  ): void {
    // Each frame writes pixels, so they must not lie in the memory of a GPU.
    const context = this.canvas.getContext('2d', { alpha: false, willReadFrequently: true });
    if (!context) return;
    this.resize(frame.viewport);
    const { pixelRatio } = frame.viewport;
    context.save();
    context.scale(pixelRatio, pixelRatio);
    const { dimensions, radius } = simulation;
    const share = dimensions === 3 && hidesLines(frame.overlays) ? SPHERE_SHARE : 1;
    const overlay = createOverlay?.(context);
    const fixed: Bodies = {
      count: obstacles.positions.length / dimensions,
      positions: obstacles.positions,
      reach: (body) => obstacles.radii?.[body] ?? radius,
      halves: obstacles.halves,
      colour: () => OBSTACLE_COLOUR,
    };
    const { end } = frame.scale;
    const moving: Bodies = {
      count: particles.ids.length,
      positions: particles.positions,
      reach: (body) => share * (particles.radii?.[body] ?? radius),
      halves: share < 1 ? particles.halfExtents?.map((half) => share * half) : particles.halfExtents,
      colour: (body) => colourOf((values[body] ?? 0) / end),
    };
    if (dimensions === 2) {
      this.draw2D(context, fixed, moving, frame, obstacles);
      overlay?.drawFaces();
    } else {
      this.ground = [];
      clear(context, frame);
      if (frame.box.isWorld) drawBox(context, frame);
      overlay?.drawFaces();
      this.draw3D(context, [fixed, moving], frame);
    }
    overlay?.drawLines();
    context.restore();
    this.isCovered = overlay !== undefined || moving.halves !== undefined;
  }

  /** Sets the canvas's size only if it differs, because setting it clears the canvas. */
  private resize({ width, height, pixelRatio }: Viewport): void {
    const { canvas } = this;
    const across = Math.max(1, Math.round(width * pixelRatio));
    const down = Math.max(1, Math.round(height * pixelRatio));
    if (canvas.width === across && canvas.height === down) return;
    canvas.width = across;
    canvas.height = down;
    this.ground = [];
  }

  private draw2D(
    context: CanvasRenderingContext2D,
    fixed: Bodies,
    moving: Bodies,
    frame: Frame,
    obstacles: StaticBodies,
  ): void {
    const { box, camera, viewport, theme } = frame;
    const low = project(camera, viewport, box.min);
    const high = project(camera, viewport, box.max);
    const scale = camera.pixelsPerUnit;
    const place: Placing = {
      scale,
      left: low.x - (box.min[0] ?? 0) * scale,
      bottom: low.y + (box.min[1] ?? 0) * scale,
    };
    const shown = [theme, obstacles, box.isWorld, viewport.pixelRatio, low.x, low.y, high.x, high.y];
    if (shown.length !== this.ground.length || shown.some((part, index) => part !== this.ground[index])) {
      clear(context, frame);
      if (box.isWorld) {
        context.fillStyle = toCss(theme.surface);
        context.strokeStyle = toCss(theme.line);
        context.fillRect(low.x, high.y, high.x - low.x, low.y - high.y);
        context.strokeRect(low.x, high.y, high.x - low.x, low.y - high.y);
      }
      fillBodies(context, fixed, place, theme);
      this.painter.takeGround(context);
      this.ground = shown;
    }
    this.painter.paint(context, this.discsOf(moving, place, frame), this.isCovered);
    if (moving.halves) fillBodies(context, moving, place, theme, 'boxes');
  }

  private discsOf(
    { count, positions, reach, halves, colour }: Bodies,
    { scale, left, bottom }: Placing,
    { viewport, theme }: Frame,
  ): Discs {
    if (this.discs.x.length < count) this.discs = roomForDiscs(count);
    const { discs } = this;
    const { pixelRatio } = viewport;
    for (let body = 0; body < count; body++) {
      const isBox = halves !== undefined && (halves[2 * body] as number) > 0;
      discs.x[body] = isBox ? Number.NaN : pixelRatio * (left + (positions[2 * body] as number) * scale);
      discs.y[body] = pixelRatio * (bottom - (positions[2 * body + 1] as number) * scale);
      discs.radius[body] = pixelRatio * reach(body) * scale;
      discs.colour[body] = colour(body);
    }
    return { ...discs, count, palette: inksOf(theme) };
  }

  private draw3D(
    context: CanvasRenderingContext2D,
    bodies: readonly Bodies[],
    { camera, viewport, theme }: Frame,
  ): void {
    if (bodies.every(({ count, halves }) => count === 0 || !halves)) {
      drawSpheres(context, projectBalls(bodies, camera, viewport), this.spritesOf(theme).pixels);
      return;
    }
    const focal = camera.pixelsPerUnit * camera.distance;
    const { pictures } = this.spritesOf(theme);
    const faces = shadeFaces(camera, theme);
    const seen = bodies.flatMap((one) =>
      Array.from({ length: one.count }, (_, body) => {
        const point = one.positions.subarray(3 * body, 3 * body + 3);
        return { one, body, point, ...project(camera, viewport, Array.from(point)) };
      }).filter(({ distance }) => distance > 0),
    );
    seen.sort((first, second) => second.distance - first.distance);
    for (const { one, body, point, x, y, distance } of seen) {
      const colour = one.colour(body);
      const half = one.halves?.subarray(3 * body, 3 * body + 3);
      if (half && (half[0] ?? 0) > 0) {
        paintBoxFaces(context, point, half, camera, viewport, faces[colour] ?? []);
        continue;
      }
      const picture = pictures[colour];
      const pixels = (one.reach(body) * focal) / distance;
      if (picture) context.drawImage(picture, x - pixels, y - pixels, 2 * pixels, 2 * pixels);
    }
  }

  private spritesOf(theme: Theme): Sprites {
    if (this.sprites?.theme !== theme) {
      const pictures = paletteOf(theme).map(paintSphere);
      this.sprites = { theme, pictures, pixels: pictures.map(pixelsOf) };
    }
    return this.sprites;
  }
}

/** Spheres in all colours of the palette, as pictures and as pixels. */
interface Sprites {
  readonly theme: Theme;
  readonly pictures: readonly HTMLCanvasElement[];
  readonly pixels: readonly Uint32Array[];
}

interface Bodies {
  readonly count: number;
  readonly positions: Float32Array;
  readonly reach: (body: number) => number;
  readonly halves: Float32Array | undefined;
  /** Returns a body's index in the palette. */
  readonly colour: (body: number) => number;
}

/** The palette's last index. */
const OBSTACLE_COLOUR = COLOURS;

function paletteOf({ stops, obstacle }: Theme): readonly Rgb[] {
  const values = Array.from({ length: COLOURS }, (_, step) => interpolate(stops, step / (COLOURS - 1)));
  return [...values, obstacle];
}

function colourOf(share: number): number {
  return Math.min(COLOURS - 1, Math.max(0, Math.round(share * (COLOURS - 1))));
}

interface Placing {
  /** CSS pixels per unit of length. */
  readonly scale: number;
  /** `left` and `bottom`: the position of the world's origin, in CSS pixels. */
  readonly left: number;
  readonly bottom: number;
}

function roomForDiscs(count: number): Omit<Discs, 'count' | 'palette'> {
  return {
    x: new Float32Array(count),
    y: new Float32Array(count),
    radius: new Float32Array(count),
    colour: new Uint8Array(count),
  };
}

/** The palette in the byte order of ImageData on little-endian machines: red is the lowest byte. */
function inksOf(theme: Theme): Uint32Array {
  return Uint32Array.from(paletteOf(theme), (colour) =>
    colour.reduce((ink, channel, index) => ink + Math.round(255 * channel) * 256 ** index, 0xff000000),
  );
}

function clear(context: CanvasRenderingContext2D, { viewport, theme }: Frame): void {
  context.fillStyle = toCss(theme.background);
  context.fillRect(0, 0, viewport.width + 1, viewport.height + 1);
}

function fillBodies(
  context: CanvasRenderingContext2D,
  one: Bodies,
  { scale, left, bottom }: Placing,
  theme: Theme,
  which: 'all' | 'boxes' = 'all',
): void {
  const palette = paletteOf(theme);
  groupByColour(one).forEach((group, step) => {
    if (group.length === 0) return;
    const colour = palette[step] as Rgb;
    const rims: Rectangle[] = [];
    context.fillStyle = toCss(colour);
    context.beginPath();
    for (const body of group) {
      const x = left + (one.positions[2 * body] ?? 0) * scale;
      const y = bottom - (one.positions[2 * body + 1] ?? 0) * scale;
      const across = (one.halves?.[2 * body] ?? 0) * scale;
      const up = (one.halves?.[2 * body + 1] ?? 0) * scale;
      if (across > 0) {
        context.rect(x - across, y - up, 2 * across, 2 * up);
        if (2 * Math.min(across, up) >= NARROWEST_RIMMED) rims.push(rimOf(x, y, across, up));
      } else if (which === 'all') {
        const pixels = one.reach(body) * scale;
        context.moveTo(x + pixels, y);
        context.arc(x, y, pixels, 0, 2 * Math.PI);
      }
    }
    context.fill();
    // Rims separate adjacent boxes of the same colour.
    context.strokeStyle = toCss(colour, RIM_BRIGHTNESS);
    context.lineWidth = RIM_WIDTH;
    context.beginPath();
    for (const { x, y, width, height } of rims) context.rect(x, y, width, height);
    context.stroke();
  });
}

/** Leaves out bodies with a coordinate that is not finite. */
function groupByColour({ count, positions, colour }: Bodies): number[][] {
  const groups = Array.from({ length: COLOURS + 1 }, (): number[] => []);
  for (let body = 0; body < count; body++) {
    const sum = (positions[2 * body] ?? 0) + (positions[2 * body + 1] ?? 0);
    if (Number.isFinite(sum)) groups[colour(body)]?.push(body);
  }
  return groups;
}

function rimOf(x: number, y: number, across: number, up: number): Rectangle {
  const inset = RIM_WIDTH / 2;
  return {
    x: x - across + inset,
    y: y - up + inset,
    width: 2 * (across - inset),
    height: 2 * (up - inset),
  };
}

/** `axis` and `side` give the normal. */
interface Face {
  readonly axis: number;
  readonly side: 1 | -1;
  readonly fill: string;
  readonly rim: string;
}

function shadeFaces({ view }: CameraMatrices, theme: Theme): readonly (readonly Face[])[] {
  const lights = [0, 1, 2].flatMap((axis) =>
    ([1, -1] as const).map((side) => {
      // The normal is in camera coordinates, like LIGHT. The second column of `view` is the world's up direction.
      const normal = [0, 1, 2].map((row) => side * (view[4 * axis + row] ?? 0));
      const along = (direction: readonly number[]) =>
        normal.reduce((sum, component, row) => sum + component * (direction[row] ?? 0), 0);
      const sky = 0.5 + 0.5 * along([view[4] ?? 0, view[5] ?? 0, view[6] ?? 0]);
      return { axis, side, light: 0.34 + 0.26 * sky + 0.62 * Math.max(0, along(LIGHT)) };
    }),
  );
  return paletteOf(theme).map((colour) =>
    lights.map(({ axis, side, light }) => ({
      axis,
      side,
      fill: toCss(colour, light),
      rim: toCss(colour, RIM_BRIGHTNESS * light),
    })),
  );
}

/** Paints the faces that point to the camera; these never hide each other. */
function paintBoxFaces(
  context: CanvasRenderingContext2D,
  centre: Float32Array,
  half: Float32Array,
  camera: CameraMatrices,
  viewport: Viewport,
  faces: readonly Face[],
): void {
  const corners = Array.from({ length: 8 }, (_, bits) =>
    project(
      camera,
      viewport,
      [1, 2, 4].map((bit, axis) => (centre[axis] ?? 0) + (bits & bit ? 1 : -1) * (half[axis] ?? 0)),
    ),
  );
  if (corners.some(({ distance }) => distance <= 0)) return;
  const nearest = Math.min(...corners.map(({ distance }) => distance));
  const narrowest = (2 * Math.min(...half) * camera.pixelsPerUnit * camera.distance) / nearest;
  context.lineJoin = 'round';
  for (const { axis, side, fill, rim } of faces) {
    const [across, up] = [1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3)];
    const first = side > 0 ? 1 << axis : 0;
    const around = [first, first | across, first | across | up, first | up].map((bits) => corners[bits]);
    // Seen from outside, corners run counter-clockwise for side 1 and clockwise for side −1. So side × area is negative
    // for a face that points to the camera.
    if (side * doubleAreaOf(around) >= 0) continue;
    context.beginPath();
    for (const corner of around) if (corner) context.lineTo(corner.x, corner.y);
    context.closePath();
    context.fillStyle = fill;
    context.fill();
    // The stroke also closes the gap between faces.
    context.strokeStyle = narrowest >= NARROWEST_RIMMED ? rim : fill;
    context.stroke();
  }
}

/** Positive if the corners run clockwise on the screen. */
function doubleAreaOf(corners: readonly (Point | undefined)[]): number {
  let sum = 0;
  corners.forEach((corner, index) => {
    const next = corners[(index + 1) % corners.length];
    if (corner && next) sum += corner.x * next.y - next.x * corner.y;
  });
  return sum;
}

function paintSphere(colour: Rgb): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = SPRITE_SIZE;
  canvas.height = SPRITE_SIZE;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) return canvas;
  const half = SPRITE_SIZE / 2;
  const shade = context.createRadialGradient(half * 0.7, half * 0.55, 0, half, half, half);
  shade.addColorStop(0, toCss(colour, 1.25));
  shade.addColorStop(0.6, toCss(colour, 0.85));
  shade.addColorStop(1, toCss(colour, 0.42));
  context.fillStyle = shade;
  context.arc(half, half, half, 0, 2 * Math.PI);
  context.fill();
  return canvas;
}

function pixelsOf(sprite: HTMLCanvasElement): Uint32Array {
  const image = sprite.getContext('2d')?.getImageData(0, 0, SPRITE_SIZE, SPRITE_SIZE);
  const pixels = new Uint32Array(image?.data.buffer ?? new ArrayBuffer(4 * SPRITE_SIZE ** 2));
  return pixels.map((pixel) => pixel | 0xff000000);
}

/** The edges of a box, as pairs of corners. Bit i of a corner is set at the high end of axis i. */
const EDGES = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((corner) =>
  [1, 2, 4].filter((bit) => (corner & bit) === 0).map((bit) => [corner, corner | bit] as const),
);

function drawBox(context: CanvasRenderingContext2D, { box, camera, viewport, theme }: Frame): void {
  const corner = (bits: number) =>
    project(
      camera,
      viewport,
      [1, 2, 4].map((bit, axis) => (bits & bit ? box.max : box.min)[axis] ?? 0),
    );
  context.fillStyle = toCss(theme.surface);
  context.strokeStyle = toCss(theme.line);
  context.beginPath();
  for (const bits of [0, 1, 5, 4]) context.lineTo(corner(bits).x, corner(bits).y);
  context.fill();
  context.beginPath();
  for (const [from, to] of EDGES) {
    context.moveTo(corner(from).x, corner(from).y);
    context.lineTo(corner(to).x, corner(to).y);
  }
  context.stroke();
}
