/**
 * Purpose: vessels of obstacles and what is filled into them. In the plane a vessel is a line of balls; in space the line
 * stands between two panes, the walls of the box, so that one sees into it.
 * Guarantee: as scene.ts says.
 */
import type { Dimensions } from '../core/world/world';
import type { Random } from './random';
import { stepFor, toCoordinate, UNITS } from './scene';

/** Of grains at the start, about 1.05 diameters, in units, and how far each is moved from its place at most. */
const GRAIN_SPACING = 1076;
const GRAIN_SHAKE = 26;

/** Of the balls of a vessel, in lengths: half a diameter, so that grains hardly feel that it is of balls. */
const BALL_SPACING = 0.5;
/** Across the panes a whole diameter holds everybody back, too. */
const BALL_SPACING_ACROSS = 0.75;

/** In lengths. */
export type Point = readonly [x: number, y: number];

/** Places along a line of corners, evenly between each two of them, both ends included. */
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
 * Obstacles at these places; in space in rows from pane to pane, which are `depth` apart. Drums ask for them at every step.
 * `within`: the longest edge of the world.
 */
export function standBalls(
  dimensions: Dimensions,
  places: readonly Point[],
  depth: number,
  within: number,
): Float32Array {
  const step = stepFor(within);
  // Rounded, so that another engine's sines, which may differ in the last bit, give the same places.
  const round = (along: number) => toCoordinate(Math.round(along * UNITS), step);
  const rows = dimensions === 2 ? 1 : Math.ceil(depth / BALL_SPACING_ACROSS);
  const across = Array.from({ length: rows }, (_, row) => round(((row + 0.5) * depth) / rows));
  const positions = new Float32Array(dimensions * rows * places.length);
  let next = 0;
  for (const place of places) {
    const [x, y] = [round(place[0]), round(place[1])];
    for (const z of across) {
      positions[next++] = x;
      positions[next++] = y;
      if (dimensions === 3) positions[next++] = z;
    }
  }
  return positions;
}

/** Room for grains' centres: so far to both sides of a middle at each height. */
export interface Room {
  readonly middle: number;
  readonly bottom: number;
  readonly top: number;
  halfWidth(height: number): number;
}

interface Row {
  readonly height: number;
  readonly first: number;
  readonly places: number;
}

/** Rows of places, in units, the lowest first. */
function rowsOf({ middle, bottom, top, halfWidth }: Room): Row[] {
  const rows: Row[] = [];
  for (let height = Math.ceil(bottom * UNITS); height <= top * UNITS; height += GRAIN_SPACING) {
    const width = Math.floor(2 * UNITS * halfWidth(height / UNITS));
    if (width < 0) continue;
    const places = Math.floor(width / GRAIN_SPACING) + 1;
    // Rows of odd and even length alternate by themselves where the room widens; else they are moved by a quarter.
    const aside = ((rows.length % 2) - 0.5) * Math.min(GRAIN_SPACING / 2, width % GRAIN_SPACING);
    const first = Math.floor(middle * UNITS - ((places - 1) * GRAIN_SPACING) / 2 + aside);
    rows.push({ height, first, places });
  }
  return rows;
}

function layersIn(dimensions: Dimensions, depth: number): number {
  if (dimensions === 2) return 1;
  return Math.max(1, Math.floor((depth * UNITS - UNITS - 2 * GRAIN_SHAKE) / GRAIN_SPACING) + 1);
}

/** Grains that a room takes. */
export function capacityOf(dimensions: Dimensions, room: Room, depth: number): number {
  const places = rowsOf(room).reduce((sum, row) => sum + row.places, 0);
  return places * layersIn(dimensions, depth);
}

/** Grains in a room, from the bottom upwards, nothing touching. */
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
  for (const { height, first, places } of rowsOf(room)) {
    for (let place = 0; place < places * layers && next < positions.length; place++) {
      positions[next++] = shaken(first + (place % places) * GRAIN_SPACING);
      positions[next++] = shaken(height);
      if (dimensions === 3) positions[next++] = shaken(front + Math.floor(place / places) * GRAIN_SPACING);
    }
  }
  return positions;
}
