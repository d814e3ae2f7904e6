/**
 * Turns boxes into bodies of a grid with levels. Twin of shaders/grid/box_bodies.wgsl. A body's position is the low
 * corner of its box. A body's radius selects its level, or is −1 if the grid skips the box.
 */
import { snap } from '../../core/world/cells';
import { latticeAt, levelOf } from '../../core/world/levels';
import type { World } from '../../core/world/world';

const { fround } = Math;

export interface BoxBodies {
  /** Four numbers per body: x, y, z (0 in 2D) and the radius. */
  readonly bodies: Float32Array;
  readonly invalid: number;
  readonly tooLarge: number;
}

export function makeBoxBodies(world: World, boxes: Float32Array): BoxBodies {
  const { dimensions } = world;
  const count = boxes.length / (2 * dimensions);
  const bodies = new Float32Array(4 * count);
  let invalid = 0;
  let tooLarge = 0;
  for (let box = 0; box < count; box++) {
    const given = boxes.subarray(2 * dimensions * box, 2 * dimensions * (box + 1));
    const corners = given.map(snap);
    const low = corners.subarray(0, dimensions);
    const high = corners.subarray(dimensions);
    const isBox = given.every(Number.isFinite) && low.every((value, axis) => value <= (high[axis] as number));
    const level = isBox ? boxLevel(world, low, high) : undefined;
    if (!isBox) invalid++;
    else if (level === undefined) tooLarge++;
    bodies.set(low, 4 * box);
    bodies[4 * box + 3] = level === undefined ? -1 : (world.baseDiameter / 2) * 2 ** level;
  }
  return { bodies, invalid, tooLarge };
}

/**
 * Returns the lowest level whose cells are at least as wide as the box, and whose grid has both corners in the same or
 * in adjacent cells. Returns undefined if there is no such level.
 */
function boxLevel(world: World, low: Float32Array, high: Float32Array): number | undefined {
  const halves = Array.from(high, (value, axis) => fround(0.5 * value - 0.5 * (low[axis] as number)));
  const first = levelOf(world, Math.max(...halves));
  if (first === undefined) return undefined;
  for (let level = first; level < world.levels; level++) {
    const from = latticeAt(world, low, 0, level);
    const to = latticeAt(world, high, 0, level);
    if (to.every((cell, axis) => cell - (from[axis] as number) <= 1)) return level;
  }
  return undefined;
}
