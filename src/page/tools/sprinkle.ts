/**
 * Makes particles and walls at the pointer. New particles are at rest and inside the world. They overlap nothing, not
 * even across an end of a periodic world.
 */

import { describeObstacles } from '../../core/obstacles/obstacles';
import type { StaticBodies } from '../../core/obstacles/tree';
import { minimumImage, wrapAxis } from '../../core/world/cells';
import type { NewParticles, ObstaclesGiven, ParticleArrays, ParticleSimulation, World } from '../../index';
import type { Random } from '../../scenes';
import type { Ray } from '../view/camera';

type Sizes = Pick<ParticleSimulation, 'dimensions' | 'radius' | 'radiusRange' | 'boxes' | 'world'>;

/** The tool tries few positions at a time, so it pours a stream, not a lump. */
const MOST_TRIED = 24;

/** More than the relative error of a radius in 32 bits. */
const ROUNDING = 2 ** -20;

interface Solid {
  readonly centre: readonly number[];
  /** 0 for a box. */
  readonly radius: number;
  /** Half of a box's edges; empty or 0 for a ball. */
  readonly half: readonly number[];
}

/** Makes particles within `reach` of `position`. Returns undefined if no tried position has room. */
export function sprinkle(
  simulation: Sizes,
  particles: ParticleArrays,
  fixed: StaticBodies,
  { position, reach, most }: { position: readonly number[]; reach: number; most: number },
  random: Random,
): NewParticles | undefined {
  const { dimensions, world, radiusRange, boxes } = simulation;
  const share = () => random.nextBits() / 2 ** 32;
  const solids = [
    ...bodiesNear(simulation, particles.positions, particles.radii, particles.halfExtents, position, reach),
    ...bodiesNear(simulation, fixed.positions, fixed.radii, fixed.halves, position, reach),
  ];
  const made: Solid[] = [];
  for (let attempt = 0; attempt < MOST_TRIED && made.length < most; attempt++) {
    const radius = radiusRange
      ? Math.fround(radiusRange.smallest * (radiusRange.largest / radiusRange.smallest) ** share())
      : simulation.radius;
    // A radius that is rounded up could exceed the largest allowed one.
    const own = Math.min(radius, simulation.radius);
    const offset = Array.from({ length: dimensions }, () => 2 * share() - 1);
    if (Math.hypot(...offset) > 1) continue;
    const tried = offset.map((way, axis) => Math.fround((position[axis] ?? 0) + way * reach));
    const isInside = tried.every((along, axis) => {
      const [low, high] = [world.min[axis] ?? 0, world.max[axis] ?? 0];
      // A periodic axis has no walls: a particle may cross an end if the pointer is inside.
      const pointed = position[axis] ?? 0;
      if (world.period[axis]) return pointed >= low && pointed <= high;
      return along >= low + own && along <= high - own;
    });
    const centre = tried.map((along, axis) => wrapAxis(world, along, axis));
    if (!isInside || solids.some((body) => gapTo(world, body, centre) < own)) continue;
    const body = { centre, radius: own, half: [] };
    solids.push(body);
    made.push(body);
  }
  if (made.length === 0) return undefined;
  const positions = Float32Array.from(made.flatMap(({ centre }) => centre));
  if (!radiusRange) return { positions };
  const radii = Float32Array.from(made, ({ radius }) => radius);
  if (!boxes) return { positions, radii };
  // A new box is a square or cube with its corners on the ball that was tried. Keep the ball a little inside the range
  // of radii, because rounding could move the box out of that range.
  const { smallest, largest } = radiusRange;
  const halfExtents = Float32Array.from(
    made.flatMap(({ radius }) => {
      const bound = Math.min(largest * (1 - ROUNDING), Math.max(smallest * (1 + ROUNDING), radius));
      return new Array<number>(dimensions).fill(bound / Math.sqrt(dimensions));
    }),
  );
  return { positions, radii: new Float32Array(made.length), halfExtents };
}

/** 0 or less inside the solid. */
function gapTo(world: World, { centre, radius, half }: Solid, position: readonly number[]): number {
  const beyond = position.map((along, axis) =>
    Math.max(0, Math.abs(minimumImage(world, along, centre[axis] as number, axis)) - (half[axis] ?? 0)),
  );
  return Math.hypot(...beyond) - radius;
}

function bodiesNear(
  { dimensions, radius, world }: Sizes,
  positions: Float32Array,
  radii: Float32Array | undefined,
  halves: Float32Array | undefined,
  position: readonly number[],
  reach: number,
): Solid[] {
  const found: Solid[] = [];
  for (let first = 0; first < positions.length; first += dimensions) {
    const index = first / dimensions;
    const half = halves ? Array.from(halves.subarray(first, first + dimensions)) : [];
    const own = (half[0] ?? 0) > 0 ? 0 : (radii?.[index] ?? radius);
    let isNear = true;
    for (let axis = 0; axis < dimensions; axis++) {
      const way = Math.abs(minimumImage(world, positions[first + axis] as number, position[axis] ?? 0, axis));
      // NaN is never near in this form of the comparison.
      if (!(way < reach + radius + own + (half[axis] ?? 0))) isNear = false;
    }
    if (isNear)
      found.push({ centre: Array.from(positions.subarray(first, first + dimensions)), radius: own, half });
  }
  return found;
}

/** Returns where the ray meets the height `floor`; undefined if it does not. */
export function onFloor({ origin, direction }: Ray, floor: number): number[] | undefined {
  const along = (floor - (origin[1] ?? 0)) / (direction[1] ?? 0);
  if (!(along > 0 && Number.isFinite(along))) return undefined;
  return origin.map((from, axis) => from + along * (direction[axis] ?? 0));
}

/**
 * Returns at most `most` balls of a wall, and the point where the wall ends. Tries positions at most one radius apart.
 * Skips positions outside the world, and those within half a radius of an obstacle's or earlier ball's centre.
 * Neighbouring centres are less than two radii apart, so no particle slips between two bodies of that radius. In 3D the
 * balls form pillars on the floor, higher than `height` by about a radius.
 */
export function wall(
  { dimensions, radius, world }: Sizes,
  fixed: StaticBodies,
  from: readonly number[],
  to: readonly number[],
  height: number,
  most = Number.POSITIVE_INFINITY,
): { readonly balls: readonly (readonly number[])[]; readonly end: readonly number[] } {
  const length = Math.hypot(...to.map((along, axis) => along - (from[axis] as number)));
  const pieces = Math.max(1, Math.ceil(length / radius));
  const floor = (world.min[1] ?? 0) + radius;
  const room = ((world.max[1] ?? 0) - floor) / radius;
  const levels =
    dimensions === 3 ? Math.max(1, Math.min(Math.floor(room) + 1, Math.round(height / radius))) : 1;
  const taken = new PositionLookup(radius / 2);
  for (let first = 0; first < fixed.positions.length; first += dimensions) {
    taken.add(Array.from(fixed.positions.subarray(first, first + dimensions)));
  }
  const balls: number[][] = [];
  let end = from;
  for (let piece = 0; piece <= pieces; piece++) {
    const foot = to.map((along, axis) => {
      const start = from[axis] as number;
      return piece === pieces ? along : start + ((along - start) * piece) / pieces;
    });
    for (let level = 0; level < levels; level++) {
      const position =
        dimensions === 3 ? [foot[0] as number, floor + level * radius, foot[2] as number] : foot;
      const centre = position.map(Math.fround);
      const isInside = centre.every((along, axis) => {
        return along >= (world.min[axis] ?? 0) && along <= (world.max[axis] ?? 0);
      });
      if (!isInside || taken.isTaken(centre)) continue;
      if (balls.length >= most) return { balls, end };
      balls.push(centre);
      taken.add(centre);
    }
    end = foot;
  }
  return { balls, end };
}

/** Finds added positions nearer than `reach`. Cells are `reach` wide, so only adjacent cells matter. */
class PositionLookup {
  private readonly cells = new Map<string, (readonly number[])[]>();

  constructor(private readonly reach: number) {}

  add(position: readonly number[]): void {
    const name = this.cellOf(position).join();
    const cell = this.cells.get(name);
    if (cell) cell.push(position);
    else this.cells.set(name, [position]);
  }

  isTaken(position: readonly number[]): boolean {
    const [x = 0, y = 0, z = 0] = this.cellOf(position);
    const steps = [-1, 0, 1];
    const upwards = position.length === 3 ? steps : [0];
    return steps.some((across) =>
      steps.some((up) =>
        upwards.some((deep) => {
          const name =
            position.length === 3 ? `${x + across},${y + up},${z + deep}` : `${x + across},${y + up}`;
          return this.cells.get(name)?.some((other) => this.isNear(position, other)) ?? false;
        }),
      ),
    );
  }

  private isNear(position: readonly number[], other: readonly number[]): boolean {
    return Math.hypot(...position.map((along, axis) => along - (other[axis] as number))) < this.reach;
  }

  private cellOf(position: readonly number[]): number[] {
    return position.map((along) => Math.floor(along / this.reach));
  }
}

/** Removes the obstacles with the indices `without`, and adds balls of the particles' largest radius. */
export function changeObstacles(
  { dimensions, radius, radiusRange, boxes }: Sizes,
  fixed: StaticBodies,
  { without = [], balls = [] }: { without?: readonly number[]; balls?: readonly (readonly number[])[] },
): ObstaclesGiven {
  const given = describeObstacles(dimensions, fixed);
  const { positions, radii, halfExtents } = ArrayBuffer.isView(given)
    ? { positions: given, radii: undefined, halfExtents: undefined }
    : given;
  const gone = new Set(without);
  const kept = Array.from({ length: positions.length / dimensions }, (_, index) => index).filter(
    (index) => !gone.has(index),
  );
  const packed = (array: Float32Array | undefined, each: number) =>
    kept.flatMap((index) => Array.from(array?.subarray(each * index, each * (index + 1)) ?? []));
  const centres = Float32Array.from([...packed(positions, dimensions), ...balls.flat()]);
  if (!radiusRange) return centres;
  return {
    positions: centres,
    radii: Float32Array.from([...packed(radii, 1), ...balls.map(() => radius)]),
    ...(boxes
      ? {
          halfExtents: Float32Array.from([
            ...packed(halfExtents ?? new Float32Array(positions.length), dimensions),
            ...balls.flatMap(() => new Array<number>(dimensions).fill(0)),
          ]),
        }
      : {}),
  };
}
