/** Computes how a grid with one mistake fails. Uses src/reference instead of the engine. */
import { CROWDED } from '../../core/base/constants';
import { bucketOfLattice, latticeOfParticle } from '../../core/world/cells';
import { defineWorld } from '../../core/world/world';
import type { World } from '../../index';
import { buildGrid, type Grid } from '../../reference/grid/grid';
import { OFFSETS } from '../../reference/grid/offsets';
import { probeCells } from '../../reference/query/probe';
import { findContact } from '../../reference/solve/contact';
import { Random } from '../../scenes';
import { PARTICLE_DIAMETER, placeApart, type Scene } from './scene';
import { range } from './words';

export type Pair = readonly [number, number];

export interface Search {
  /** Tests of one particle against another. */
  readonly looks: number;
  /** How often each touching pair is found; nameOf() makes the keys. Two times are correct. */
  readonly found: ReadonlyMap<string, number>;
  readonly truth: readonly Pair[];
}

export function countFound({ found }: Pick<Search, 'found'>): number {
  return [...found.values()].reduce((sum, times) => sum + times, 0);
}

export function timesFound({ found }: Pick<Search, 'found'>, [a, b]: Pair): number {
  return found.get(nameOf(a, b)) ?? 0;
}

/** Returns whether every touching pair is found twice, and no other pair is found. */
export function isRight({ found, truth }: Search): boolean {
  return found.size === truth.length && truth.every((pair) => timesFound({ found }, pair) === 2);
}

function nameOf(a: number, b: number): string {
  return `${Math.min(a, b)} ${Math.max(a, b)}`;
}

export class Tally {
  looks = 0;
  readonly found = new Map<string, number>();

  constructor(
    private readonly world: World,
    private readonly positions: Float32Array,
    private readonly diameter: number,
  ) {}

  look(a: number, b: number): void {
    this.looks++;
    if (this.touches(a, b)) this.find(a, b);
  }

  find(a: number, b: number): void {
    const name = nameOf(a, b);
    this.found.set(name, (this.found.get(name) ?? 0) + 1);
  }

  search(): Search {
    const { looks, found } = this;
    const particles = range(0, this.positions.length / 2);
    const truth = particles.flatMap((a) =>
      particles.flatMap((b): Pair[] => (a < b && this.touches(a, b) ? [[a, b]] : [])),
    );
    return { looks, found, truth };
  }

  private touches(a: number, b: number): boolean {
    const { world, positions, diameter } = this;
    return findContact(world, { diameter }, { positions }, a, b) !== undefined;
  }
}

function searchGrid(
  world: World,
  positions: Float32Array,
  diameter: number,
  grid: Grid = buildGrid(world, positions),
): Search {
  const tally = new Tally(world, positions, diameter);
  for (const slot of range(0, grid.ids.length)) {
    probeCells(world, grid, slot, (other) => tally.look(grid.ids[slot] as number, grid.ids[other] as number));
  }
  return tally.search();
}

/** Stores particle i in the bucket of cell `stored[i]`, and searches for its neighbours around cell `searched[i]`. */
function searchBuckets<Bucket>(
  world: World,
  positions: Float32Array,
  diameter: number,
  stored: readonly (readonly number[])[],
  searched: readonly (readonly number[])[],
  bucketOf: (lattice: readonly number[]) => Bucket,
): Search {
  const tally = new Tally(world, positions, diameter);
  const buckets = new Map<Bucket, number[]>();
  stored.forEach((lattice, particle) => {
    const bucket = bucketOf(lattice);
    buckets.set(bucket, [...(buckets.get(bucket) ?? []), particle]);
  });
  searched.forEach((lattice, particle) => {
    for (const near of cellsAround(lattice)) {
      for (const other of buckets.get(bucketOf(near)) ?? []) {
        if (other !== particle) tally.look(particle, other);
      }
    }
  });
  return tally.search();
}

export function cellsAround(lattice: readonly number[]): number[][] {
  return OFFSETS[2].map((offset) => lattice.map((coordinate, axis) => coordinate + (offset[axis] as number)));
}

export interface CellSizes {
  readonly search: Search;
  readonly world: World;
  readonly refusal: string | undefined;
}

export type Crowd = Pick<Scene, 'world' | 'positions' | 'diameter'>;

const SIZES_COUNT = 48;
const SIZES_SEED = 3;
const SIZES_EXTENT = [6, 5] as const;

/** Returns particles that overlap little, so that cells that are too small nearly always miss contacts. */
export function createTouching(seed = SIZES_SEED): Crowd {
  const diameter = PARTICLE_DIAMETER;
  const world = defineWorld({ dimensions: 2, min: [0, 0], max: SIZES_EXTENT }, diameter);
  return {
    world,
    diameter,
    positions: placeApart(new Random(seed), SIZES_COUNT, SIZES_EXTENT, { nearest: 0.5 }),
  };
}

export function tryCellSize(diameters: number, scene = createTouching()): CellSizes {
  const { diameter, positions } = scene;
  const { min, max } = scene.world;
  const cellSize = diameters * diameter;
  const options = { dimensions: 2, min, max, cellSize } as const;
  let refusal: string | undefined;
  try {
    defineWorld(options, diameter);
  } catch (error) {
    refusal = (error as Error).message;
  }
  // WRONG ON PURPOSE for cells smaller than a diameter: claims that particles are as small as the cells.
  const world = defineWorld(options, Math.min(cellSize, diameter));
  return { search: searchGrid(world, positions, diameter), world, refusal };
}

export const ROUNDINGS = ['floor', 'truncate', 'both'] as const;

export type Rounding = (typeof ROUNDINGS)[number];

const ENDLESS_SEED = 32;

/** Puts particles on all sides of the origin, in cells of size 1. */
export function createEndless(seed = ENDLESS_SEED): Crowd {
  const diameter = PARTICLE_DIAMETER;
  const world = defineWorld({ dimensions: 2, unbounded: true, cellSize: 1 }, diameter, 0);
  return { world, diameter, positions: placeApart(new Random(seed), 30, [6, 4], { low: [-3, -2] }) };
}

/** WRONG ON PURPOSE: rounds towards 0, like a cast in WGSL or C. */
function truncatedLattice({ inverseCellSize }: World, positions: Float32Array, particle: number): number[] {
  return [0, 1].map((axis) => Math.trunc((positions[2 * particle + axis] as number) * inverseCellSize));
}

/** Searches with a rounding. `both` stores particles by a cast, but searches around the cells that floor gives. */
export function tryRounding(rounding: Rounding, scene = createEndless()): Search {
  const { world, positions, diameter } = scene;
  if (rounding === 'floor') return searchGrid(world, positions, diameter);
  const particles = range(0, positions.length / 2);
  const truncated = particles.map((particle) => truncatedLattice(world, positions, particle));
  const floored = particles.map((particle) => latticeOfParticle(world, positions, particle));
  const searched = rounding === 'both' ? floored : truncated;
  return searchBuckets(world, positions, diameter, truncated, searched, String);
}

export function fullestCell(rounding: Rounding, { world, positions } = createEndless()): number {
  const occupants = new Map<string, number>();
  for (const particle of range(0, positions.length / 2)) {
    const lattice = (rounding === 'floor' ? latticeOfParticle : truncatedLattice)(world, positions, particle);
    occupants.set(String(lattice), (occupants.get(String(lattice)) ?? 0) + 1);
  }
  return Math.max(...occupants.values());
}

export interface Sharing {
  readonly search: Search;
  readonly world: World;
  readonly particle: number;
  readonly cells: readonly { readonly lattice: readonly number[]; readonly bucket: number }[];
}

/** Numbers of buckets; the first is the engine's smallest table. */
export const TABLES = [128, 256, 512, 1024] as const;

/** Searches a hash table. `compares`: whether to compare the true cell of each candidate, as the engine does. */
export function tryTable(buckets: number, compares: boolean, scene = createEndless()): Sharing {
  const { positions, diameter } = scene;
  const world = defineWorld({ dimensions: 2, unbounded: true, cellSize: 1 }, diameter, buckets);
  const lattices = range(0, positions.length / 2).map((particle) =>
    latticeOfParticle(world, positions, particle),
  );
  const search = compares
    ? searchGrid(world, positions, diameter)
    : // WRONG ON PURPOSE: treats every particle in a bucket as if it were in the searched cell.
      searchBuckets(world, positions, diameter, lattices, lattices, (lattice) =>
        bucketOfLattice(world, lattice),
      );
  const particle = mostDoubled(scene);
  const cells = cellsAround(lattices[particle] ?? [0, 0]).map((lattice) => ({
    lattice,
    bucket: bucketOfLattice(world, lattice),
  }));
  return { search, world, particle, cells };
}

/** Returns the particle that finds the largest number of contacts twice in the smallest table. */
function mostDoubled({ positions, diameter }: Crowd): number {
  const world = defineWorld({ dimensions: 2, unbounded: true, cellSize: 1 }, diameter, TABLES[0]);
  const particles = range(0, positions.length / 2);
  const lattices = particles.map((particle) => latticeOfParticle(world, positions, particle));
  const doubled = particles.map((particle) => {
    const buckets = cellsAround(lattices[particle] as number[]).map((near) => bucketOfLattice(world, near));
    return particles.filter((other) => {
      const bucket = bucketOfLattice(world, lattices[other] as number[]);
      const isTwice = other !== particle && buckets.indexOf(bucket) !== buckets.lastIndexOf(bucket);
      return isTwice && findContact(world, { diameter }, { positions }, particle, other);
    }).length;
  });
  return doubled.indexOf(Math.max(...doubled));
}

export interface Crowding {
  readonly search: Search;
  readonly world: World;
  readonly positions: Float32Array;
  readonly fullest: number;
  /** Comparisons of ids that it takes to sort the particles in all cells. */
  readonly comparisons: number;
  /** True if `crowds` would sort a cell by merging. */
  readonly isCrowded: boolean;
}

export const MOST_CROWDED = 200;
const CROWD_EDGE = 8;
export const CROWD_DIAMETER = 0.25;
/** Multiples of the golden ratio, modulo 1, are spread evenly. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** Spreads particles over `share` of the world's width; a share of 0 puts all of them into one cell. */
export function tryCrowd(count: number, share: number): Crowding {
  const world = defineWorld(
    { dimensions: 2, min: [0, 0], max: [CROWD_EDGE, CROWD_EDGE], cellSize: 1 },
    CROWD_DIAMETER,
  );
  // The particles' box grows from less than a cell to less than the world.
  const width = 0.875 + share * (CROWD_EDGE - 1);
  const low = 0.0625 + Math.floor(CROWD_EDGE / 2) * (1 - share);
  const positions = Float32Array.from(
    range(0, count).flatMap((index) => [
      low + (((index + 0.5) * GOLDEN) % 1) * width,
      low + ((index + 0.5) / count) * width,
    ]),
  );
  const grid = buildGrid(world, positions);
  const occupants = range(0, world.cellCount).map(
    (cell) => (grid.start[cell + 1] as number) - (grid.start[cell] as number),
  );
  const fullest = Math.max(...occupants);
  return {
    search: searchGrid(world, positions, CROWD_DIAMETER, grid),
    world,
    positions,
    fullest,
    comparisons: occupants.reduce((sum, inCell) => sum + inCell * (inCell - 1), 0),
    isCrowded: fullest > CROWDED,
  };
}
