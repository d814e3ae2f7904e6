/**
 * Purpose: from the world to the screen. A flat sight fits the box of the plane into the free part of the
 * window; an orbiting one circles the box of space. Matrices are column by column, as WGSL reads them; the
 * eye looks along −z with y up, and clip space is WebGPU's (z from 0 to 1).
 */
import type { World } from '../core/world';

export type Matrix = Float32Array;

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
  readonly view: Matrix;
  readonly projection: Matrix;
  /** CSS pixels a unit of length; in space, at the middle of the box. */
  readonly pixelsPerUnit: number;
  /** Distance of the eye from the middle of the box, and how far the box reaches from there. */
  readonly distance: number;
  readonly reach: number;
}

/** Free room around the box, CSS pixels. */
const MARGIN = 16;

export function flatSight(world: World, viewport: Viewport): Sight {
  const { free } = viewport;
  const [width, height] = extents(world);
  const scale = Math.max(
    1e-6,
    Math.min((free.width - 2 * MARGIN) / width, (free.height - 2 * MARGIN) / height),
  );
  const [x, y] = middle(world);
  const projection = identity();
  projection[0] = (2 * scale) / viewport.width;
  projection[5] = (2 * scale) / viewport.height;
  projection[10] = 0;
  projection[12] = (2 * (free.x + free.width / 2)) / viewport.width - 1 - x * projection[0];
  projection[13] = 1 - (2 * (free.y + free.height / 2)) / viewport.height - y * projection[5];
  return { view: identity(), projection, pixelsPerUnit: scale, distance: 0, reach: 0 };
}

/** Angle between the plane of the floor and the line of sight, and how near the eye may come. */
const LOWEST_PITCH = 0.05;
const HIGHEST_PITCH = 1.4;
const ZOOM = { least: 0.4, most: 6 } as const;
/** Focal length in sizes of the free part: the larger, the flatter the picture. */
const FOCAL = 1.5;
/** Radians a second: a turn takes one and a half minutes. */
const ORBIT_SPEED = (2 * Math.PI) / 90;

/** Where the eye of a picture of space stands; the visitor turns it, or it turns slowly by itself. */
export class Orbit {
  private yaw = 0.55;
  private pitch = 0.32;
  private zoom = 1;

  turn(yaw: number, pitch: number): void {
    this.yaw += yaw;
    this.pitch = Math.min(HIGHEST_PITCH, Math.max(LOWEST_PITCH, this.pitch + pitch));
  }

  magnify(factor: number): void {
    this.zoom = Math.min(ZOOM.most, Math.max(ZOOM.least, this.zoom * factor));
  }

  /** Turns by itself. */
  drift(seconds: number): void {
    this.yaw += ORBIT_SPEED * seconds;
  }

  sight(world: World, viewport: Viewport): Sight {
    const { free } = viewport;
    const [width, height, depth] = extents(world);
    const across = Math.hypot(width, depth) / 2;
    const up = (height / 2) * Math.cos(this.pitch) + across * Math.sin(this.pitch);
    const room = {
      width: Math.max(1, free.width - 2 * MARGIN),
      height: Math.max(1, free.height - 2 * MARGIN),
    };
    const focal = FOCAL * Math.min(room.width, room.height);
    const fitted = Math.max((2 * across * focal) / room.width, (2 * up * focal) / room.height);
    const reach = Math.hypot(width, height, depth) / 2;
    const distance = (fitted + 0.55 * across * Math.cos(this.pitch)) / this.zoom;
    const near = Math.max(distance - 1.05 * reach, distance * 0.02);
    const far = distance + 1.05 * reach;
    const projection = new Float32Array(16);
    projection[0] = (2 * focal) / viewport.width;
    projection[5] = (2 * focal) / viewport.height;
    // The middle of the box appears in the middle of the free part.
    projection[8] = 1 - (2 * (free.x + free.width / 2)) / viewport.width;
    projection[9] = (2 * (free.y + free.height / 2)) / viewport.height - 1;
    projection[10] = far / (near - far);
    projection[11] = -1;
    projection[14] = (near * far) / (near - far);
    return {
      view: this.look(world, distance),
      projection,
      pixelsPerUnit: focal / distance,
      distance,
      reach,
    };
  }

  private look(world: World, distance: number): Matrix {
    const [cosYaw, sinYaw] = [Math.cos(this.yaw), Math.sin(this.yaw)];
    const [cosPitch, sinPitch] = [Math.cos(this.pitch), Math.sin(this.pitch)];
    const right = [cosYaw, 0, -sinYaw] as const;
    const up = [-sinYaw * sinPitch, cosPitch, -cosYaw * sinPitch] as const;
    const back = [sinYaw * cosPitch, sinPitch, cosYaw * cosPitch] as const;
    const centre = middle(world);
    const along = (axis: readonly [number, number, number]) =>
      -(axis[0] * centre[0] + axis[1] * centre[1] + axis[2] * centre[2]);
    return new Float32Array([
      ...[right[0], up[0], back[0], 0],
      ...[right[1], up[1], back[1], 0],
      ...[right[2], up[2], back[2], 0],
      ...[along(right), along(up), along(back) - distance, 1],
    ]);
  }
}

/** A point of the world on the canvas: CSS pixels and the distance along the line of sight. */
export function project(
  sight: Sight,
  viewport: Viewport,
  point: readonly number[],
): { x: number; y: number; distance: number } {
  const eye = transform(sight.view, [point[0] ?? 0, point[1] ?? 0, point[2] ?? 0, 1]);
  const [x, y, , w] = transform(sight.projection, eye);
  return {
    x: ((x / w + 1) / 2) * viewport.width,
    y: ((1 - y / w) / 2) * viewport.height,
    distance: -eye[2],
  };
}

type Vector4 = [number, number, number, number];

function transform(matrix: Matrix, vector: Vector4): Vector4 {
  const row = (index: number) =>
    vector.reduce((sum, component, column) => sum + component * (matrix[4 * column + index] ?? 0), 0);
  return [row(0), row(1), row(2), row(3)];
}

function identity(): Matrix {
  const matrix = new Float32Array(16);
  for (let axis = 0; axis < 4; axis++) matrix[5 * axis] = 1;
  return matrix;
}

function extents(world: World): [number, number, number] {
  const extent = (axis: number) => (world.max[axis] ?? 0) - (world.min[axis] ?? 0);
  return [extent(0), extent(1), extent(2)];
}

function middle(world: World): [number, number, number] {
  const centre = (axis: number) => ((world.max[axis] ?? 0) + (world.min[axis] ?? 0)) / 2;
  return [centre(0), centre(1), centre(2)];
}
