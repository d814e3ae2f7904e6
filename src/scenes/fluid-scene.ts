/**
 * Scales a fluid scene from its tank's own units to metres, seconds and the wanted number of particles. The positions
 * of bodies depend on simulated time alone, so they are the same on every engine.
 */
import type { Dimensions } from '../core/world/world';
import { requireScene } from './registry';
import { EARTH_GRAVITY } from './scene';
import type { Inlet, Region, TankBody, TankContent } from './tank';
import { FLUID_SUBSTEPS } from './tanks';

/** Lengths in metres, times in seconds. */
export interface FluidScene {
  readonly dimensions: Dimensions;
  readonly cells: readonly number[];
  readonly cellSize: number;
  readonly fill: readonly Region[];
  readonly solids?: ((centre: readonly number[]) => boolean) | undefined;
  /** Returns the bodies at a time. Their number and shapes never change. */
  readonly bodiesAt?: ((time: number) => readonly TankBody[]) | undefined;
  readonly emitters: readonly Inlet[];
  readonly drains: readonly Region[];
}

export interface FluidSceneRequest {
  readonly dimensions: Dimensions;
  /** Approximate number of particles. */
  readonly count: number;
  /** Factor on the tank's usual width. */
  readonly width: number;
}

const STEP_SECONDS = 1 / 60;
/**
 * The greatest number of cells that fluid moves in a substep after a fall from the tank's full height. The fluid cuts
 * short any move of more than two cells along an axis.
 */
const CELLS_PER_SUBSTEP = 1.6;
/** Least height of a tank, in metres. In a lower tank, waves would end at once. */
const LEAST_HEIGHT = 2;
/** Particles per cell: the fluid's defaults. */
export const PER_CELL = { 2: 4, 3: 8 } as const;
const FEWEST_CELLS = 4;
export const MOST_CELLS_ALONG = 4096;

/** Samples along the tank's height that measure the volume of fluid. */
const SAMPLES = { 2: 64, 3: 32 } as const;

const scaled = (vector: readonly number[], factor: number) => vector.map((along) => along * factor);

export function createFluidScene(name: string, { dimensions, count, width }: FluidSceneRequest): FluidScene {
  const content = requireScene('fluid', name).tank(dimensions, width);
  const { size, fill, solids, bodiesAt, emitters = [], drains = [] } = content;
  const high = cellsAlongHeight(dimensions, count, content);
  const height = heightOf(high);
  const speed = Math.sqrt(EARTH_GRAVITY * height);
  const time = height / speed;
  const scaledRegion = (region: Region): Region => {
    const velocity = region.velocity && scaled(region.velocity, speed);
    if ('radius' in region) {
      return { centre: scaled(region.centre, height), radius: region.radius * height, velocity };
    }
    return { min: scaled(region.min, height), max: scaled(region.max, height), velocity };
  };
  const scaledBody = (body: TankBody): TankBody => {
    const position = scaled(body.position, height);
    if (body.shape === 'ball') return { shape: 'ball', position, radius: body.radius * height };
    return { shape: 'box', position, halfExtents: scaled(body.halfExtents, height) };
  };
  return {
    dimensions,
    cells: size.map((along) => Math.max(2, Math.round(along * high))),
    cellSize: height / high,
    fill: fill.map(scaledRegion),
    emitters: emitters.map((emitter) => ({
      ...scaledRegion(emitter),
      velocity: scaled(emitter.velocity, speed),
    })),
    drains: drains.map(scaledRegion),
    solids: solids && ((centre) => solids(scaled(centre, 1 / height))),
    bodiesAt: bodiesAt && ((at) => bodiesAt(at / time).map(scaledBody)),
  };
}

/** Returns the bodies at a time, each with the velocity that takes it to its position `seconds` later. */
export function movingBodies(
  { bodiesAt }: FluidScene,
  time: number,
  seconds: number,
): readonly (TankBody & { readonly velocity: readonly number[] })[] {
  if (!bodiesAt) return [];
  const later = bodiesAt(time + seconds);
  return bodiesAt(time).map((body, index) => ({
    ...body,
    velocity: body.position.map((at, axis) => {
      const goal = later[index]?.position[axis] ?? at;
      return seconds > 0 ? (goal - at) / seconds : 0;
    }),
  }));
}

/**
 * Covers the solid cells with few boxes. A run is a line of solid cells along y. Equal runs at consecutive z form a
 * slab, and equal slabs at consecutive x form a box.
 */
export function solidBoxes({ dimensions, cells, cellSize, solids }: FluidScene): {
  readonly positions: readonly number[];
  readonly halfExtents: readonly number[];
} {
  const positions: number[] = [];
  const halfExtents: number[] = [];
  if (!solids) return { positions, halfExtents };
  const [wide = 0, high = 0, deep = 1] = cells;
  const isSolid = (...cell: readonly number[]) =>
    solids(cell.slice(0, dimensions).map((number) => (number + 0.5) * cellSize));
  /** The slabs at x − 1, each with the x at which it began. */
  let open = new Map<string, number>();
  for (let x = 0; x <= wide; x++) {
    const here = x < wide ? slabs(deep, (z) => runsAlong(high, (y) => isSolid(x, y, z))) : [];
    for (const [slab, first] of open) {
      if (here.includes(slab)) continue;
      const [bottom = 0, top = 0, front = 0, back = 0] = slab.split(' ').map(Number);
      const ends = [
        [first, x],
        [bottom, top],
        [front, back],
      ] as const;
      for (const [low, end] of ends.slice(0, dimensions)) {
        positions.push(((low + end) / 2) * cellSize);
        halfExtents.push(((end - low) / 2) * cellSize);
      }
    }
    open = new Map(here.map((slab) => [slab, open.get(slab) ?? x]));
  }
  return { positions, halfExtents };
}

/** Returns the slabs at one x. A slab is a text 'bottom top front back', so that slabs compare by value. */
function slabs(deep: number, runsAt: (z: number) => readonly number[]): string[] {
  const found: string[] = [];
  let runs: readonly number[] = [];
  let front = 0;
  for (let z = 0; z <= deep; z++) {
    const here = z < deep ? runsAt(z) : [];
    if (z < deep && here.join() === runs.join()) continue;
    for (let run = 0; run < runs.length; run += 2) found.push([runs[run], runs[run + 1], front, z].join(' '));
    runs = here;
    front = z;
  }
  return found;
}

/** Returns the start and the end of each run of indices for which `isIn` returns true. */
function runsAlong(length: number, isIn: (index: number) => boolean): number[] {
  const ends: number[] = [];
  for (let index = 0; index <= length; index++) {
    const isHere = index < length && isIn(index);
    if (isHere !== (ends.length % 2 === 1)) ends.push(index);
  }
  return ends;
}

/** Returns how many cells high the tank is. Unless a limit changes this, `fill` holds about `count` particles. */
function cellsAlongHeight(
  dimensions: Dimensions,
  count: number,
  { size, fill, solids }: TankContent,
): number {
  const samples = SAMPLES[dimensions];
  const along = size.map((extent) => Math.round(extent * samples));
  const [wide = 0, high = 0, deep = 1] = along;
  let full = 0;
  for (let index = 0; index < wide * high * deep; index++) {
    const cell = [index % wide, Math.floor(index / wide) % high, Math.floor(index / (wide * high))];
    const centre = cell.slice(0, dimensions).map((number) => (number + 0.5) / samples);
    if (!solids?.(centre) && fill.some((region) => isWithin(region, centre))) full++;
  }
  const share = full / samples ** dimensions;
  const most = Math.floor(MOST_CELLS_ALONG / Math.max(...size));
  const wanted = (count / (PER_CELL[dimensions] * share)) ** (1 / dimensions);
  return Math.min(most, Math.max(FEWEST_CELLS, Math.round(wanted)));
}

function isWithin(region: Region, position: readonly number[]): boolean {
  if ('radius' in region) {
    return Math.hypot(...position.map((at, axis) => at - (region.centre[axis] ?? 0))) < region.radius;
  }
  return position.every((at, axis) => at >= (region.min[axis] ?? 0) && at < (region.max[axis] ?? 0));
}

/**
 * Returns the tank's height h in metres. A fall from h ends at √(2gh), which may be at most CELLS_PER_SUBSTEP cells per
 * substep. So a tank with many cells is higher than LEAST_HEIGHT.
 */
function heightOf(high: number): number {
  const seconds = STEP_SECONDS / FLUID_SUBSTEPS;
  return Math.max(LEAST_HEIGHT, 2 * EARTH_GRAVITY * ((high * seconds) / CELLS_PER_SUBSTEP) ** 2);
}
