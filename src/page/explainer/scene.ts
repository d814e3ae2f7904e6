/** The particles of the first chapter, in the world of a method. */
import { defaultSettings, deriveSubstep, type Substep } from '../../core/contact/settings';
import { bucketOfLattice, latticeOfParticle } from '../../core/world/cells';
import { defineWorld } from '../../core/world/world';
import type { World } from '../../index';
import { Random } from '../../scenes';
import type { Method } from './methods';
import { range, withSign } from './words';

export interface Scene {
  readonly method: Method;
  readonly world: World;
  readonly diameter: number;
  readonly positions: Float32Array;
  /** Ids in the order in which the particles are counted. */
  readonly arrivals: Uint32Array;
  readonly substep: Substep;
  /** A position plus this vector is the position in the picture, in cells. */
  readonly offset: readonly [number, number];
}

export interface Choice {
  readonly method: Method;
  readonly count: number;
  /** Positions of moved particles by id, from the box's corner, in parts of a unit. */
  readonly moved: ReadonlyMap<number, readonly [number, number]>;
}

export const FEWEST = 2;
export const MOST = 60;
export const DEFAULT_CHOICE: Choice = { method: 'grid', count: 30, moved: new Map() };

/** Cells of the box along each axis. */
export const BOX = [6, 5] as const;
/** Cells of the picture along each axis: the box and a ring of cells around it. The naive loop shows only the box. */
export const PICTURE = [BOX[0] + 2, BOX[1] + 2] as const;
/** Smaller than a cell: larger discs would cover each other and each other's ids. */
export const PARTICLE_DIAMETER = 0.6875;
/** Positions are whole multiples of 1 / PARTS_PER_UNIT, which are short as text and exact as numbers. */
export const PARTS_PER_UNIT = 16;
/** The least distance of a particle's middle from the border, in parts of a unit. */
const INSET = Math.ceil((PARTICLE_DIAMETER / 2) * PARTS_PER_UNIT);
/** Least distance between two particles at the start. */
const NEAREST = 0.4375;
/** With this seed and thirty particles, cells have zero to four particles, which arrive out of order. */
const SEED = 555;
/** One push removes the whole overlap, so that the push is visible. The engine removes less by default. */
const RELAXATION = 1;
/** The unbounded world has its origin near the middle of the picture, so that some coordinates are negative. */
const ORIGIN = [3, 2] as const;

export function createScene({ method, count, moved } = DEFAULT_CHOICE): Scene {
  const random = new Random(SEED);
  const positions = placeApart(random, count, BOX);
  const arrivals = Uint32Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last--) {
    const other = random.below(last + 1);
    const swapped = arrivals[last] as number;
    arrivals[last] = arrivals[other] as number;
    arrivals[other] = swapped;
  }
  for (const [id, to] of moved) {
    if (id < count)
      positions.set(
        nearestAllowed(method, to).map((part) => part / PARTS_PER_UNIT),
        2 * id,
      );
  }
  const isHashed = method === 'hashed';
  if (isHashed) {
    for (const [index, value] of positions.entries()) positions[index] = value - (ORIGIN[index % 2] ?? 0);
  }
  const world = defineWorld(
    isHashed
      ? { dimensions: 2, unbounded: true, cellSize: 1 }
      : // In a world of one cell, the reference tests all pairs.
        { dimensions: 2, min: [0, 0], max: BOX, cellSize: method === 'naive' ? Math.max(...BOX) : 1 },
    PARTICLE_DIAMETER,
    count,
  );
  const settings = { ...defaultSettings(2), relaxation: RELAXATION };
  return {
    method,
    world,
    diameter: PARTICLE_DIAMETER,
    positions,
    arrivals,
    substep: deriveSubstep(world, PARTICLE_DIAMETER, settings, 0),
    offset: isHashed ? [ORIGIN[0] + 1, ORIGIN[1] + 1] : [1, 1],
  };
}

/** Keeps a position, in parts of a unit, inside the box or, in the unbounded world, inside the picture. */
export function nearestAllowed(method: Method, [x, y]: readonly [number, number]): [number, number] {
  const beyond = method === 'hashed' ? PARTS_PER_UNIT : 0;
  const clamp = (part: number, cells: number) =>
    Math.min(Math.max(Math.round(part), INSET - beyond), cells * PARTS_PER_UNIT + beyond - INSET);
  return [clamp(x, BOX[0]), clamp(y, BOX[1])];
}

/** Returns random positions in a box. `low`: its lowest corner. `nearest`: the least distance between two particles. */
export function placeApart(
  random: Random,
  count: number,
  extent: readonly [number, number],
  { low = [0, 0], nearest = NEAREST }: { low?: readonly [number, number]; nearest?: number } = {},
): Float32Array {
  const positions: number[] = [];
  while (positions.length < 2 * count) {
    const position = extent.map(
      (length, axis) =>
        (low[axis] as number) + random.between(INSET, length * PARTS_PER_UNIT - INSET) / PARTS_PER_UNIT,
    );
    const isNear = positions.some(
      (x, index) =>
        index % 2 === 0 &&
        Math.hypot(x - (position[0] as number), (positions[index + 1] as number) - (position[1] as number)) <
          nearest,
    );
    if (!isNear) positions.push(...position);
  }
  return Float32Array.from(positions);
}

/** Returns a list with the cell's index in the picture; an empty list if the picture does not show the cell. */
export function picturedCell({ method, offset }: Scene, lattice: readonly number[]): number[] {
  const [column = 0, row = 0] = lattice.map((at, axis) =>
    method === 'hashed' ? at + (offset[axis] ?? 0) : at,
  );
  const isShown = column >= 0 && column < PICTURE[0] && row >= 0 && row < PICTURE[1];
  return isShown ? [row * PICTURE[0] + column] : [];
}

export function cellOfId(scene: Scene, id: number): number[] {
  return picturedCell(scene, latticeOfParticle(scene.world, scene.positions, id));
}

export function picturedBuckets({ method, world, offset }: Scene): number[] {
  const [columns, rows] = PICTURE;
  return range(0, columns * rows).map((cell) => {
    const at = [cell % columns, Math.floor(cell / columns)];
    return method === 'hashed'
      ? bucketOfLattice(
          world,
          at.map((along, axis) => along - (offset[axis] ?? 0)),
        )
      : cell;
  });
}

/** Names a cell by its number; in an unbounded world, by its coordinates. */
export function nameCell({ method, world }: Scene, lattice: readonly number[]): string {
  return method === 'hashed' ? nameLattice(lattice) : String(bucketOfLattice(world, lattice));
}

export function nameLattice(lattice: readonly number[]): string {
  return `(${lattice.map(withSign).join(', ')})`;
}
