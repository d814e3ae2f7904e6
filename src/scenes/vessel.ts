/**
 * Vessels made of obstacles, and the grains inside. In 2D a vessel is a line of balls. In 3D the line is repeated
 * between two walls of the box, the panes. Coordinates are exact as scene.ts describes.
 */
import type { Dimensions } from '../core/world/world';
import type { Random } from './random';
import { stepFor, toCoordinate, UNITS } from './scene';

/** Distance between neighbouring grains, in units: about 1.05 diameters. */
const GRAIN_SPACING = 1076;
/** Greatest random offset of a grain, in units. */
const GRAIN_SHAKE = 26;

/** Greatest distance between neighbouring balls of a wall. Half a diameter makes the wall almost smooth. */
const BALL_SPACING = 0.5;
/** Greatest distance between neighbouring balls of a row from pane to pane. It is short enough to stop grains. */
const BALL_SPACING_ACROSS = 0.75;

export type Point = readonly [x: number, y: number];

/** Returns points along a polyline, evenly spaced on each of its segments. All corners are included. */
export function beadsAlong(corners: readonly Point[]): Point[] {
  return corners.flatMap((to, index) => {
    const from = corners[index - 1];
    if (!from) return [to];
    const [across, up] = [to[0] - from[0], to[1] - from[1]];
    const steps = Math.max(1, Math.ceil(Math.hypot(across, up) / BALL_SPACING));
    return Array.from({ length: steps }, (_, step): Point => {
      const share = (step + 1) / steps;
      return [from[0] + share * across, from[1] + share * up];
    });
  });
}

/**
 * Returns one ball per point; in 3D, a row of balls per point, from pane to pane. `depth` is the distance between the
 * panes, and `within` the longest edge of the vessel. Must be fast, because the scene `drum` calls it in each step.
 */
export function standBalls(
  dimensions: Dimensions,
  points: readonly Point[],
  depth: number,
  within: number,
): Float32Array {
  const step = stepFor(within);
  // Round the coordinates, because sines differ in the last bit between JavaScript engines.
  const round = (along: number) => toCoordinate(Math.round(along * UNITS), step);
  const rows = dimensions === 2 ? 1 : Math.ceil(depth / BALL_SPACING_ACROSS);
  const across = Array.from({ length: rows }, (_, row) => round(((row + 0.5) * depth) / rows));
  const positions = new Float32Array(dimensions * rows * points.length);
  let next = 0;
  for (const point of points) {
    const [x, y] = [round(point[0]), round(point[1])];
    for (const z of across) {
      positions[next++] = x;
      positions[next++] = y;
      if (dimensions === 3) positions[next++] = z;
    }
  }
  return positions;
}

/** The region for the centres of grains: at each height, up to `halfWidth` on both sides of the middle. */
export interface Room {
  readonly middle: number;
  readonly bottom: number;
  readonly top: number;
  halfWidth(height: number): number;
}

interface Row {
  readonly height: number;
  readonly first: number;
  readonly count: number;
}

/** Returns the rows of a room in units, the lowest row first. */
function rowsOf({ middle, bottom, top, halfWidth }: Room): Row[] {
  const rows: Row[] = [];
  for (let height = Math.ceil(bottom * UNITS); height <= top * UNITS; height += GRAIN_SPACING) {
    const width = Math.floor(2 * UNITS * halfWidth(height / UNITS));
    if (width < 0) continue;
    const count = Math.floor(width / GRAIN_SPACING) + 1;
    // Staggers rows of equal length, as far as there is room. Rows that differ by one grain are staggered anyway.
    const aside = ((rows.length % 2) - 0.5) * Math.min(GRAIN_SPACING / 2, width % GRAIN_SPACING);
    const first = Math.floor(middle * UNITS - ((count - 1) * GRAIN_SPACING) / 2 + aside);
    rows.push({ height, first, count });
  }
  return rows;
}

function layersIn(dimensions: Dimensions, depth: number): number {
  if (dimensions === 2) return 1;
  return Math.max(1, Math.floor((depth * UNITS - UNITS - 2 * GRAIN_SHAKE) / GRAIN_SPACING) + 1);
}

export function capacityOf(dimensions: Dimensions, room: Room, depth: number): number {
  const inLayer = rowsOf(room).reduce((sum, row) => sum + row.count, 0);
  return inLayer * layersIn(dimensions, depth);
}

/** Fills a room with grains from the bottom up, without overlaps. */
export function fillRoom(
  dimensions: Dimensions,
  count: number,
  random: Random,
  room: Room,
  depth: number,
): Float32Array {
  const step = stepFor(Math.max(room.middle * 2, room.top, depth));
  const layers = layersIn(dimensions, depth);
  const front = Math.floor((depth * UNITS - (layers - 1) * GRAIN_SPACING) / 2);
  const positions = new Float32Array(dimensions * count);
  const shaken = (units: number) => toCoordinate(units + random.between(-GRAIN_SHAKE, GRAIN_SHAKE), step);
  let next = 0;
  for (const row of rowsOf(room)) {
    for (let grain = 0; grain < row.count * layers && next < positions.length; grain++) {
      positions[next++] = shaken(row.first + (grain % row.count) * GRAIN_SPACING);
      positions[next++] = shaken(row.height);
      if (dimensions === 3) positions[next++] = shaken(front + Math.floor(grain / row.count) * GRAIN_SPACING);
    }
  }
  return positions;
}
