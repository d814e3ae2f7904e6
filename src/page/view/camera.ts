/**
 * Conventions of all cameras, and the camera of 2D scenes. Matrices are stored by columns, as in WGSL. Cameras look
 * along −z with y up; clip z runs from 0 to 1, as WebGPU requires.
 */
import type { Dimensions } from '../../index';
import type { SeenBox } from '../model/seen-box';

/** In CSS pixels of the window. */
export interface ScreenPosition {
  readonly x: number;
  readonly y: number;
}

export type Matrix = Float32Array;

export type Corners = Pick<SeenBox, 'min' | 'max'> & Partial<Pick<SeenBox, 'origin'>>;

/** In CSS pixels from the canvas's top left corner. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Viewport {
  /** In CSS pixels. */
  readonly width: number;
  readonly height: number;
  /** Device pixels per CSS pixel. */
  readonly pixelRatio: number;
  /** The part that no panel covers. */
  readonly free: Rectangle;
}

export interface CameraMatrices {
  /** Subtract this from points before `view` is applied: see `SeenBox`. */
  readonly origin: readonly number[];
  readonly view: Matrix;
  readonly projection: Matrix;
  /** CSS pixels per unit of length; in 3D, at the target's distance. */
  readonly pixelsPerUnit: number;
  /** Distance from the camera to its target; 0 in 2D. */
  readonly distance: number;
  /** No point of the box is farther than this from the target. 0 in 2D. */
  readonly reach: number;
}

/** A ray from the camera through a point of the screen. In 2D, `origin` is the point of the world shown there. */
export interface Ray {
  readonly origin: readonly number[];
  /** Length 1; all 0 in 2D. */
  readonly direction: readonly number[];
  /** Distance along the ray to the target's plane; 0 in 2D. */
  readonly depth: number;
}

/** Distances on the screen are in CSS pixels, with y down. */
export interface Camera {
  matrices(box: Corners, viewport: Viewport): CameraMatrices;
  pan(across: number, down: number): void;
  /** The point of the world at this position stays there. */
  zoom(factor: number, x: number, y: number): void;
  /** Angles are in radians. Does nothing in 2D. */
  turn(yaw: number, pitch: number): void;
  ray(x: number, y: number): Ray;
  fit(): void;
  /** Returns the numbers listed at CAMERA_RANGES; undefined if the visitor has not moved the camera. */
  state(box: Corners): readonly number[] | undefined;
  /** Numbers must lie within CAMERA_RANGES. Ignores a state of other dimensions. */
  restore(state: readonly number[], box: Corners): void;
}

const IDENTITY = [
  [1, 0, 0, 0],
  [0, 1, 0, 0],
  [0, 0, 1, 0],
  [0, 0, 0, 1],
] as const;

export const NO_ORIGIN = [0, 0, 0] as const;

/** The free margin around the box, in CSS pixels. */
export const MARGIN = 16;

/** Greatest distance of a centre or target from the middle of the box along each axis, in edges of the box. */
const MOST_BESIDE = 4;

const PLANE_ZOOM = { least: 0.2, most: 2000 } as const;
/** Limits of the angle between the floor and the camera's axis, in radians. */
export const LOWEST_PITCH = 0.05;
export const HIGHEST_PITCH = 1.4;
export const SPACE_ZOOM = { least: 0.4, most: 40 } as const;

export class Camera2D implements Camera {
  private magnification = 1;
  /** The world's point in the middle of the free part; undefined for the middle of the box. */
  private centre: readonly [number, number] | undefined;
  /** The view of the last `matrices` call; `pan` and `zoom` update it. */
  private seen = { scale: 1, centre: [0, 0] as readonly [number, number], x: 0, y: 0 };

  matrices(box: Corners, viewport: Viewport): CameraMatrices {
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
    const [across, up] = [(2 * scale) / viewport.width, (2 * scale) / viewport.height];
    const projection = matrix([
      [across, 0, 0, 0],
      [0, up, 0, 0],
      [0, 0, -0.5, 0],
      [
        (2 * left) / viewport.width - 1 - across * fromX,
        1 - (2 * top) / viewport.height - up * fromY,
        0.5,
        1,
      ],
    ]);
    return { origin, view: matrix(IDENTITY), projection, pixelsPerUnit: scale, distance: 0, reach: 0 };
  }

  pan(across: number, down: number): void {
    const { scale, centre } = this.seen;
    this.centre = [centre[0] - across / scale, centre[1] + down / scale];
    this.seen = { ...this.seen, centre: this.centre };
  }

  zoom(factor: number, x: number, y: number): void {
    const before = this.magnification;
    this.magnification = clamp(before * factor, PLANE_ZOOM.least, PLANE_ZOOM.most);
    // The point at x, y stays if the centre moves towards it by this share.
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

  state(box: Corners): readonly number[] | undefined {
    if (this.magnification === 1 && !this.centre) return undefined;
    const [x, y] = middle(box);
    const [width, height] = extents(box);
    const [across, up] = this.centre ?? [x, y];
    return inRange(2, [(across - x) / width, (up - y) / height, this.magnification]);
  }

  restore(state: readonly number[], box: Corners): void {
    if (state.length !== CAMERA_RANGES[2].length) return;
    const [across = 0, up = 0, magnification = 1] = state;
    const [x, y] = middle(box);
    const [width, height] = extents(box);
    this.centre = [x + across * width, y + up * height];
    this.magnification = magnification;
  }
}

/** Returns the position of a point in CSS pixels of the canvas. `distance` is measured along the axis of the camera. */
export function project(
  camera: CameraMatrices,
  viewport: Viewport,
  point: readonly number[],
): { x: number; y: number; distance: number } {
  const from = (axis: number) => (point[axis] ?? 0) - (camera.origin[axis] ?? 0);
  const seen = transform(camera.view, [from(0), from(1), from(2), 1]);
  const [x = 0, y = 0, , w = 1] = transform(camera.projection, seen);
  return {
    x: ((x / w + 1) / 2) * viewport.width,
    y: ((1 - y / w) / 2) * viewport.height,
    distance: -(seen[2] ?? 0),
  };
}

function matrix(columns: readonly (readonly number[])[]): Matrix {
  return Float32Array.from(columns.flat());
}

function transform(by: Matrix, vector: readonly number[]): number[] {
  return vector.map((_, row) =>
    vector.reduce((sum, part, column) => sum + part * (by[4 * column + row] as number), 0),
  );
}

const BESIDE = [-MOST_BESIDE, MOST_BESIDE] as const;

/**
 * Least and greatest values of a camera's state, in this order:
 *
 * - 2D: the centre of the picture, then the zoom
 * - 3D: yaw, pitch, zoom (which divides the usual distance), then the target
 *
 * Centre and target are offsets from the box's middle, in edges of the box.
 */
export const CAMERA_RANGES: Readonly<Record<Dimensions, readonly (readonly [number, number])[]>> = {
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

export function inRange(dimensions: Dimensions, state: readonly number[]): readonly number[] {
  return CAMERA_RANGES[dimensions].map(([least, most], index) => clamp(state[index] as number, least, most));
}

/** The text is short, but exact to about a tenth of a pixel. */
export function writeCamera(dimensions: Dimensions, state: readonly number[]): string {
  const near = inRange(dimensions, state);
  const zoom = Number((near[2] as number).toPrecision(5));
  const decimals = Math.ceil(4 + Math.log10(Math.max(1, zoom)));
  return near.map((value, index) => (index === 2 ? zoom : Number(value.toFixed(decimals)))).join('_');
}

/** Reads a camera's state, clamped to the ranges. Returns undefined if the text is no such state. */
export function readCamera(dimensions: Dimensions, text: string): readonly number[] | undefined {
  const state = text.split('_').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const isWhole = state.length === CAMERA_RANGES[dimensions].length && !state.some(Number.isNaN);
  return isWhole ? inRange(dimensions, state) : undefined;
}

export function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

export function extents({ min, max }: Corners): [number, number, number] {
  const extent = (axis: number) => (max[axis] ?? 0) - (min[axis] ?? 0);
  return [extent(0), extent(1), extent(2)];
}

export function middle({ min, max }: Corners): [number, number, number] {
  const centre = (axis: number) => ((max[axis] ?? 0) + (min[axis] ?? 0)) / 2;
  return [centre(0), centre(1), centre(2)];
}
