/**
 * Purpose: from the world to the screen. In the plane the whole box is fitted into the free part of the window, and can be
 * moved and magnified; in space the eye circles a point of it. Matrices are column by column, as WGSL reads them; the eye
 * looks along −z with y up, and clip space is WebGPU's (z from 0 to 1).
 */
import { mat4, vec4 } from 'wgpu-matrix';
import type { Dimensions } from '../core/world';
import type { SeenBox } from './seen-box';

export type Matrix = Float32Array;

/** Of the box that is looked at. */
type Corners = Pick<SeenBox, 'min' | 'max'> & Partial<Pick<SeenBox, 'origin'>>;

/** CSS pixels from the canvas's top left corner. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Viewport {
  /** Size of the canvas in CSS pixels. */
  readonly width: number;
  readonly height: number;
  /** Device pixels a CSS pixel. */
  readonly pixelRatio: number;
  /** The part that no panel covers. */
  readonly free: Rectangle;
}

export interface Sight {
  /** What is taken from points before `view`: see SeenBox. */
  readonly origin: readonly number[];
  readonly view: Matrix;
  readonly projection: Matrix;
  /** CSS pixels a unit of length; in space, where the eye looks at. */
  readonly pixelsPerUnit: number;
  /** In space, distance of the eye from what it looks at, and how far the box reaches from there. */
  readonly distance: number;
  readonly reach: number;
}

/** From the eye through a place of the screen; in the plane only the point of it that is there. */
export interface Ray {
  readonly origin: readonly number[];
  /** Of length 1; in the plane 0. */
  readonly direction: readonly number[];
  /** How far along it what is looked at lies. */
  readonly depth: number;
}

/** Where the eye is, and how a visitor moves it. Ways on the screen are CSS pixels, y down. */
export interface Camera {
  sight(box: Corners, viewport: Viewport): Sight;
  /** What is seen follows by so much. */
  pan(across: number, down: number): void;
  /** Nearer by a factor; what is at this place stays there. */
  zoom(factor: number, x: number, y: number): void;
  /** In space by so many radians; in the plane nothing turns. */
  turn(yaw: number, pitch: number): void;
  ray(x: number, y: number): Ray;
  /** The whole box again. */
  fit(): void;
  /** What addresses tell it by; undefined where the visitor has left everything as it was. */
  look(box: Corners): readonly number[] | undefined;
  /** As such numbers say, which must be in their ranges; those of other dimensions say nothing. */
  lookAs(look: readonly number[], box: Corners): void;
}

const NO_ORIGIN = [0, 0, 0] as const;

/** Free room around the box, CSS pixels. */
const MARGIN = 16;

/** Boxes that an address may look beside the box. */
const MOST_BESIDE = 4;

const PLANE_ZOOM = { least: 0.2, most: 2000 } as const;

export class PlaneCamera implements Camera {
  private magnification = 1;
  /** Of the world, in the middle of the free part; the middle of the box where it is undefined. */
  private centre: readonly [number, number] | undefined;
  /** As it was last seen. */
  private seen = { scale: 1, centre: [0, 0] as readonly [number, number], x: 0, y: 0 };

  sight(box: Corners, viewport: Viewport): Sight {
    const { free } = viewport;
    const [width, height] = extents(box);
    const fitted = Math.max(
      1e-6,
      Math.min((free.width - 2 * MARGIN) / width, (free.height - 2 * MARGIN) / height),
    );
    const scale = fitted * this.magnification;
    const [middleX, middleY] = middle(box);
    const [x, y] = this.centre ?? [middleX, middleY];
    const [left, top] = [free.x + free.width / 2, free.y + free.height / 2];
    this.seen = { scale, centre: [x, y], x: left, y: top };
    const { origin = NO_ORIGIN } = box;
    const [fromX, fromY] = [x - (origin[0] ?? 0), y - (origin[1] ?? 0)];
    const projection = mat4.ortho(
      fromX - left / scale,
      fromX + (viewport.width - left) / scale,
      fromY - (viewport.height - top) / scale,
      fromY + top / scale,
      -1,
      1,
    );
    return { origin, view: mat4.identity(), projection, pixelsPerUnit: scale, distance: 0, reach: 0 };
  }

  pan(across: number, down: number): void {
    const { scale, centre } = this.seen;
    this.centre = [centre[0] - across / scale, centre[1] + down / scale];
    this.seen = { ...this.seen, centre: this.centre };
  }

  zoom(factor: number, x: number, y: number): void {
    const before = this.magnification;
    this.magnification = clamp(before * factor, PLANE_ZOOM.least, PLANE_ZOOM.most);
    // Of the way from the middle to the place, what the place would move by.
    const grown = 1 - before / this.magnification;
    const { scale, centre, x: left, y: top } = this.seen;
    this.centre = [centre[0] + ((x - left) / scale) * grown, centre[1] - ((y - top) / scale) * grown];
    this.seen = { ...this.seen, centre: this.centre, scale: (scale * this.magnification) / before };
  }

  turn(): void {}

  ray(x: number, y: number): Ray {
    const { scale, centre, x: left, y: top } = this.seen;
    const origin = [centre[0] + (x - left) / scale, centre[1] - (y - top) / scale];
    return { origin, direction: [0, 0], depth: 0 };
  }

  fit(): void {
    this.magnification = 1;
    this.centre = undefined;
  }

  look(box: Corners): readonly number[] | undefined {
    if (this.magnification === 1 && !this.centre) return undefined;
    const [x, y] = middle(box);
    const [width, height] = extents(box);
    const [across, up] = this.centre ?? [x, y];
    return inRange(2, [(across - x) / width, (up - y) / height, this.magnification]);
  }

  lookAs(look: readonly number[], box: Corners): void {
    if (look.length !== LOOK_RANGES[2].length) return;
    const [across = 0, up = 0, magnification = 1] = look;
    const [x, y] = middle(box);
    const [width, height] = extents(box);
    this.centre = [x + across * width, y + up * height];
    this.magnification = magnification;
  }
}

/** Angle between the plane of the floor and the line of sight, and how near the eye may come. */
const LOWEST_PITCH = 0.05;
const HIGHEST_PITCH = 1.4;
const SPACE_ZOOM = { least: 0.4, most: 40 } as const;
/** Focal length in sizes of the free part: the larger, the flatter the picture. */
const FOCAL = 1.5;
/** Radians a second: a turn takes one and a half minutes. */
const ORBIT_SPEED = (2 * Math.PI) / 90;

type Vector3 = readonly [number, number, number];

/** The visitor turns it, or it turns slowly by itself. */
export class SpaceCamera implements Camera {
  private yaw = 0.55;
  private pitch = 0.32;
  private magnification = 1;
  /** What it looks at, from the middle of the box. */
  private offset: Vector3 = [0, 0, 0];
  private isTurned = false;
  private seen = { pixelsPerUnit: 1, focal: 1, x: 0, y: 0, distance: 1, eye: [0, 0, 0] as readonly number[] };

  turn(yaw: number, pitch: number): void {
    this.isTurned = true;
    this.yaw += yaw;
    this.pitch = clamp(this.pitch + pitch, LOWEST_PITCH, HIGHEST_PITCH);
  }

  /** Turns by itself. */
  drift(seconds: number): void {
    this.yaw += ORBIT_SPEED * seconds;
  }

  pan(across: number, down: number): void {
    const { pixelsPerUnit } = this.seen;
    this.move(-across / pixelsPerUnit, down / pixelsPerUnit);
  }

  zoom(factor: number, x: number, y: number): void {
    const before = this.magnification;
    this.magnification = clamp(before * factor, SPACE_ZOOM.least, SPACE_ZOOM.most);
    const grown = 1 - before / this.magnification;
    const { pixelsPerUnit } = this.seen;
    this.move(((x - this.seen.x) / pixelsPerUnit) * grown, ((this.seen.y - y) / pixelsPerUnit) * grown);
    this.seen = { ...this.seen, pixelsPerUnit: (pixelsPerUnit * this.magnification) / before };
  }

  fit(): void {
    this.magnification = 1;
    this.offset = [0, 0, 0];
  }

  look(box: Corners): readonly number[] | undefined {
    const isMoved = this.offset.some((along) => along !== 0);
    if (!this.isTurned && this.magnification === 1 && !isMoved) return undefined;
    const turns = Math.round(this.yaw / (2 * Math.PI));
    const target = extents(box).map((extent, axis) => (this.offset[axis] as number) / extent);
    return inRange(3, [this.yaw - 2 * Math.PI * turns, this.pitch, this.magnification, ...target]);
  }

  lookAs(look: readonly number[], box: Corners): void {
    if (look.length !== LOOK_RANGES[3].length) return;
    const [yaw = 0, pitch = 0, magnification = 1, ...target] = look;
    this.isTurned = true;
    this.yaw = yaw;
    this.pitch = pitch;
    this.magnification = magnification;
    const along = (axis: 0 | 1 | 2) => (target[axis] ?? 0) * extents(box)[axis];
    this.offset = [along(0), along(1), along(2)];
  }

  sight(box: Corners, viewport: Viewport): Sight {
    const { free } = viewport;
    const [width, height, depth] = extents(box);
    const across = Math.hypot(width, depth) / 2;
    const up = (height / 2) * Math.cos(this.pitch) + across * Math.sin(this.pitch);
    const room = {
      width: Math.max(1, free.width - 2 * MARGIN),
      height: Math.max(1, free.height - 2 * MARGIN),
    };
    const focal = FOCAL * Math.min(room.width, room.height);
    const fitted = Math.max((2 * across * focal) / room.width, (2 * up * focal) / room.height);
    const reach = Math.hypot(width, height, depth) / 2 + Math.hypot(...this.offset);
    const distance = (fitted + 0.55 * across * Math.cos(this.pitch)) / this.magnification;
    const near = Math.max(distance - 1.05 * reach, distance * 0.02);
    const far = distance + 1.05 * reach;
    // What it looks at appears in the middle of the free part.
    const [x, y] = [free.x + free.width / 2, free.y + free.height / 2];
    const along = near / focal;
    const projection = mat4.frustum(
      -x * along,
      (viewport.width - x) * along,
      -(viewport.height - y) * along,
      y * along,
      near,
      far,
    );
    const back = this.axes()[2];
    const centre = middle(box);
    const { offset } = this;
    const target: Vector3 = [centre[0] + offset[0], centre[1] + offset[1], centre[2] + offset[2]];
    const eye: Vector3 = [
      target[0] + distance * back[0],
      target[1] + distance * back[1],
      target[2] + distance * back[2],
    ];
    this.seen = { pixelsPerUnit: focal / distance, focal, x, y, distance, eye };
    const { origin = NO_ORIGIN } = box;
    const [from, to] = [eye, target].map((place) =>
      place.map((along, axis) => along - (origin[axis] ?? 0)),
    ) as [number[], number[]];
    return {
      origin,
      view: mat4.lookAt(from, to, [0, 1, 0]),
      projection,
      pixelsPerUnit: focal / distance,
      distance,
      reach,
    };
  }

  ray(x: number, y: number): Ray {
    const { focal, x: left, y: top, distance, eye } = this.seen;
    const [right, up, back] = this.axes();
    const towards = [0, 1, 2].map(
      (axis) =>
        (right[axis] as number) * ((x - left) / focal) +
        (up[axis] as number) * ((top - y) / focal) -
        (back[axis] as number),
    );
    const length = Math.hypot(...towards);
    // The plane of what is looked at is as far as `distance` along the line of sight, and `length` times that along this ray.
    return { origin: eye, direction: towards.map((along) => along / length), depth: distance * length };
  }

  /** Across the screen and up it, in the plane of what is looked at. */
  private move(across: number, up: number): void {
    const [right, upwards] = this.axes();
    const along = (axis: 0 | 1 | 2) => this.offset[axis] + right[axis] * across + upwards[axis] * up;
    this.offset = [along(0), along(1), along(2)];
  }

  /** To the right, up and towards the eye. */
  private axes(): readonly [Vector3, Vector3, Vector3] {
    const [cosYaw, sinYaw] = [Math.cos(this.yaw), Math.sin(this.yaw)];
    const [cosPitch, sinPitch] = [Math.cos(this.pitch), Math.sin(this.pitch)];
    return [
      [cosYaw, 0, -sinYaw],
      [-sinYaw * sinPitch, cosPitch, -cosYaw * sinPitch],
      [sinYaw * cosPitch, sinPitch, cosYaw * cosPitch],
    ];
  }
}

/** A point of the world on the canvas: CSS pixels and the distance along the line of sight. */
export function project(
  sight: Sight,
  viewport: Viewport,
  point: readonly number[],
): { x: number; y: number; distance: number } {
  const from = (axis: number) => (point[axis] ?? 0) - (sight.origin[axis] ?? 0);
  const eye = vec4.transformMat4([from(0), from(1), from(2), 1], sight.view);
  const [x = 0, y = 0, , w = 1] = vec4.transformMat4(eye, sight.projection);
  return {
    x: ((x / w + 1) / 2) * viewport.width,
    y: ((1 - y / w) / 2) * viewport.height,
    distance: -(eye[2] ?? 0),
  };
}

const BESIDE = [-MOST_BESIDE, MOST_BESIDE] as const;

/**
 * Least and most of what a look is told by. In the plane: the middle, in boxes from the middle of the box, and the zoom; in space
 * yaw, pitch and zoom (the distance is the usual one over it), and what is looked at, in boxes from the middle.
 */
const LOOK_RANGES: Readonly<Record<Dimensions, readonly (readonly [number, number])[]>> = {
  2: [BESIDE, BESIDE, [PLANE_ZOOM.least, PLANE_ZOOM.most]],
  3: [
    [-Math.PI, Math.PI],
    [LOWEST_PITCH, HIGHEST_PITCH],
    [SPACE_ZOOM.least, SPACE_ZOOM.most],
    BESIDE,
    BESIDE,
    BESIDE,
  ],
};

function inRange(dimensions: Dimensions, look: readonly number[]): readonly number[] {
  return LOOK_RANGES[dimensions].map(([least, most], index) => clamp(look[index] as number, least, most));
}

/** Short enough for an address, exact to a tenth of a pixel or so. */
export function writeLook(dimensions: Dimensions, look: readonly number[]): string {
  const near = inRange(dimensions, look);
  const zoom = Number((near[2] as number).toPrecision(5));
  const decimals = Math.ceil(4 + Math.log10(Math.max(1, zoom)));
  return near.map((value, index) => (index === 2 ? zoom : Number(value.toFixed(decimals)))).join('_');
}

/** What such a text says, brought into range; undefined of what is none. */
export function readLook(dimensions: Dimensions, text: string): readonly number[] | undefined {
  const look = text.split('_').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const isWhole = look.length === LOOK_RANGES[dimensions].length && !look.some(Number.isNaN);
  return isWhole ? inRange(dimensions, look) : undefined;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

function extents({ min, max }: Corners): [number, number, number] {
  const extent = (axis: number) => (max[axis] ?? 0) - (min[axis] ?? 0);
  return [extent(0), extent(1), extent(2)];
}

function middle({ min, max }: Corners): [number, number, number] {
  const centre = (axis: number) => ((max[axis] ?? 0) + (min[axis] ?? 0)) / 2;
  return [centre(0), centre(1), centre(2)];
}
