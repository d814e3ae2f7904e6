/**
 * Purpose: the liquid scenes as plain data: the tank, what is full at first, what is solid, and bodies that move, as functions
 * of simulated time alone; so a reset or a restored state repeats them, on any engine.
 * Inputs: name, dimensions, about how many particles, how many times as wide as usual. Output: options of a fluid and a motion.
 */
import { ArgumentError } from '../../../core/base/errors';
import type { Dimensions } from '../../../core/world/world';
import type { Emitter, FluidRegion, ObstacleOptions } from '../../../methods/fluid';
import { LIQUID_SUBSTEPS } from '../../model/scenes';

/** Lengths in metres, times in seconds. */
export interface LiquidScene {
  readonly dimensions: Dimensions;
  readonly cells: readonly number[];
  readonly cellSize: number;
  readonly fill: readonly FluidRegion[];
  readonly solids?: ((middle: readonly number[]) => boolean) | undefined;
  /** Bodies as they are at a time; they keep their number and their form. */
  readonly obstaclesAt?: ((time: number) => readonly ObstacleOptions[]) | undefined;
  readonly emitters: readonly Emitter[];
  readonly drains: readonly FluidRegion[];
}

/** A tank of which all lengths are in its heights, and times in those that a wave of its height takes for it. */
interface Content {
  /** Width, height and, in space, depth. */
  readonly size: readonly number[];
  readonly fill: readonly FluidRegion[];
  readonly solids?: (middle: readonly number[]) => boolean;
  readonly obstaclesAt?: (time: number) => readonly ObstacleOptions[];
  readonly emitters?: readonly Emitter[];
  readonly drains?: readonly FluidRegion[];
}

/** Of the tank's own gravity: scenes move as they do on Earth, whatever gravity is chosen. */
const GRAVITY = 9.8125;
const STEP_SECONDS = 1 / 60;
/** Cells that what falls the height of the tank goes in a substep; two are the most that the liquid allows. */
const CELLS_A_SUBSTEP = 1.6;
const LEAST_HEIGHT = 2;
/** As the fluid has it where nothing else is said. */
export const PER_CELL = { 2: 4, 3: 8 } as const;
const FEWEST_CELLS = 4;
export const MOST_CELLS_ALONG = 4096;

type Generator = (dimensions: Dimensions, width: number) => Content;

const GENERATORS: Readonly<Record<string, Generator>> = {
  'dam-break': (dimensions, width) => ({
    size: tank(dimensions, 2 * width, 0.5),
    fill: [box(dimensions, [0, 0], [0.6, 0.8], 0.5)],
  }),
  'two-drops': (dimensions, width) => {
    const middle = 0.8 * width;
    const across = dimensions === 3 ? [0.4] : [];
    const still = dimensions === 3 ? [0] : [];
    return {
      size: tank(dimensions, 1.6 * width, 0.8),
      fill: [
        box(dimensions, [0, 0], [1.6 * width, 0.12], 0.8),
        { centre: [middle - 0.45, 0.62, ...across], radius: 0.19, velocity: [0.45, 0.1, ...still] },
        { centre: [middle + 0.45, 0.72, ...across], radius: 0.15, velocity: [-0.6, 0, ...still] },
      ],
    };
  },
  'wave-tank': (dimensions, width) => {
    const depth = 0.5;
    const end = 3.2 * width;
    const foot = 0.55 * end;
    const thick = 0.06;
    const [rest, sway, period] = [0.22, 0.13, 2.4];
    const paddle = (time: number): ObstacleOptions => ({
      shape: 'box',
      // It begins at rest.
      position: [
        rest - sway * Math.cos((2 * Math.PI * time) / period),
        0.4,
        ...(dimensions === 3 ? [depth / 2] : []),
      ],
      halfExtents: [thick, 0.4, ...(dimensions === 3 ? [depth] : [])],
    });
    return {
      size: tank(dimensions, end, depth),
      fill: [box(dimensions, [rest - sway + thick, 0], [end, 0.42], depth)],
      solids: ([x = 0, y = 0]) => y < (0.55 * (x - foot)) / (end - foot),
      obstaclesAt: (time) => [paddle(time)],
    };
  },
  fountain: (dimensions, width) => {
    const depth = 1;
    const end = 1.6 * width;
    const middle = [end / 2, depth / 2];
    // What comes in leaves through two slots in the floor, quicker the deeper the pool is: at this level as much.
    const [level, slot] = [0.24, dimensions === 3 ? 0.07 : 0.05];
    const [top, bore, jet] = [0.34, 0.1, dimensions === 3 ? 0.06 : 0.022];
    // Outwards, lest what falls stops what rises.
    const ways =
      dimensions === 3
        ? [
            [0.2, 0],
            [-0.2, 0],
            [0, 0.2],
            [0, -0.2],
          ]
        : [[0.3], [-0.3]];
    const upright = (vector: readonly number[], up: number) => [vector[0] ?? 0, up, ...vector.slice(1)];
    return {
      size: tank(dimensions, end, depth),
      fill: [box(dimensions, [0, 0], [end, level], depth)],
      solids: ([x = 0, y = 0, z = depth / 2]) =>
        y < top - 0.04 && Math.abs(x - end / 2) < bore && Math.abs(z - depth / 2) < bore,
      emitters: ways.map((way) => ({
        centre: upright(
          middle.slice(0, dimensions - 1).map((at, axis) => at + 0.25 * (way[axis] ?? 0)),
          top,
        ),
        radius: jet,
        velocity: upright(way, 1),
      })),
      drains: [0.12, end - 0.12 - slot].map((left) =>
        box(dimensions, [left, 0], [left + slot, 0.025], depth),
      ),
    };
  },
};

export function liquidScene(
  name: string,
  {
    dimensions,
    count,
    width,
  }: { readonly dimensions: Dimensions; readonly count: number; readonly width: number },
): LiquidScene {
  const generate = GENERATORS[name];
  if (!generate) throw new ArgumentError('scene', name, `one of ${Object.keys(GENERATORS).join(', ')}`);
  const { size, fill, solids, obstaclesAt, emitters = [], drains = [] } = generate(dimensions, width);
  const high = cellsAcross(dimensions, count, size, fill, solids);
  const height = heightOf(high);
  const cellSize = height / high;
  const cells = size.map((along) => Math.max(2, Math.round(along * high)));
  /** From the tank's own units. */
  const speed = Math.sqrt(GRAVITY * height);
  const time = height / speed;
  const scaled = (vector: readonly number[], by: number) => vector.map((along) => along * by);
  const scaledRegion = (region: FluidRegion): FluidRegion => {
    const velocity = region.velocity && scaled(region.velocity, speed);
    if ('radius' in region) {
      return { centre: scaled(region.centre, height), radius: region.radius * height, velocity };
    }
    return { min: scaled(region.min, height), max: scaled(region.max, height), velocity };
  };
  return {
    dimensions,
    cells,
    cellSize,
    fill: fill.map(scaledRegion),
    emitters: emitters.map((emitter) => ({
      ...scaledRegion(emitter),
      velocity: scaled(emitter.velocity, speed),
    })),
    drains: drains.map(scaledRegion),
    solids: solids && ((middle) => solids(scaled(middle, 1 / height))),
    obstaclesAt:
      obstaclesAt &&
      ((at) =>
        obstaclesAt(at / time).map((body) => {
          const position = scaled(body.position, height);
          if (body.shape === 'ball') return { shape: 'ball', position, radius: body.radius * height };
          return { shape: 'box', position, halfExtents: scaled(body.halfExtents, height) };
        })),
  };
}

/** Bodies at a time, each with the velocity that brings it to where it is `seconds` later. */
export function movingAt(
  { obstaclesAt }: LiquidScene,
  time: number,
  seconds: number,
): readonly ObstacleOptions[] {
  if (!obstaclesAt) return [];
  const later = obstaclesAt(time + seconds);
  return obstaclesAt(time).map((body, index) => ({
    ...body,
    velocity: body.position.map((at, axis) => {
      const goal = later[index]?.position[axis] ?? at;
      return seconds > 0 ? (goal - at) / seconds : 0;
    }),
  }));
}

/** Solid cells as boxes: runs along y, as far along z and then x as they are the same. Their middles and half extents. */
export function solidBoxes({ dimensions, cells, cellSize, solids }: LiquidScene): {
  readonly positions: readonly number[];
  readonly halves: readonly number[];
} {
  const positions: number[] = [];
  const halves: number[] = [];
  if (!solids) return { positions, halves };
  const [wide = 0, high = 0, deep = 1] = cells;
  const isSolid = (...cell: readonly number[]) =>
    solids(cell.slice(0, dimensions).map((number) => (number + 0.5) * cellSize));
  /** Of the columns before: from which on each of their boxes, by what it spans along y and z, has been the same. */
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
        halves.push(((end - low) / 2) * cellSize);
      }
    }
    open = new Map(here.map((slab) => [slab, open.get(slab) ?? x]));
  }
  return { positions, halves };
}

/** Runs along y that are the same from one z to another: bottom, top, front and back of each, as text. */
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

/** Where runs begin and end, one after the other. */
function runsAlong(length: number, isIn: (index: number) => boolean): number[] {
  const ends: number[] = [];
  for (let index = 0; index <= length; index++) {
    const isHere = index < length && isIn(index);
    if (isHere !== (ends.length % 2 === 1)) ends.push(index);
  }
  return ends;
}

function tank(dimensions: Dimensions, width: number, depth: number): number[] {
  return dimensions === 3 ? [width, 1, depth] : [width, 1];
}

/** From the front to the back. */
function box(
  dimensions: Dimensions,
  min: readonly number[],
  max: readonly number[],
  depth: number,
): FluidRegion {
  return dimensions === 3 ? { min: [...min, 0], max: [...max, depth] } : { min, max };
}

/** Samples along the height for how much is full. */
const SAMPLES = { 2: 64, 3: 32 } as const;

/** Cells along the height, so that about so many particles fill what is full at first. */
function cellsAcross(
  dimensions: Dimensions,
  count: number,
  size: readonly number[],
  fill: readonly FluidRegion[],
  solids: Content['solids'],
): number {
  const samples = SAMPLES[dimensions];
  const along = size.map((extent) => Math.round(extent * samples));
  const [wide = 0, high = 0, deep = 1] = along;
  let full = 0;
  for (let index = 0; index < wide * high * deep; index++) {
    const cell = [index % wide, Math.floor(index / wide) % high, Math.floor(index / (wide * high))];
    const middle = cell.slice(0, dimensions).map((number) => (number + 0.5) / samples);
    if (!solids?.(middle) && fill.some((region) => isWithin(region, middle))) full++;
  }
  const share = full / samples ** dimensions;
  const most = Math.floor(MOST_CELLS_ALONG / Math.max(...size));
  const wanted = (count / (PER_CELL[dimensions] * share)) ** (1 / dimensions);
  return Math.min(most, Math.max(FEWEST_CELLS, Math.round(wanted)));
}

function isWithin(region: FluidRegion, place: readonly number[]): boolean {
  if ('radius' in region) {
    return Math.hypot(...place.map((at, axis) => at - (region.centre[axis] ?? 0))) < region.radius;
  }
  return place.every((at, axis) => at >= (region.min[axis] ?? 0) && at < (region.max[axis] ?? 0));
}

/**
 * Metres: of more cells the tank is higher, so that who falls all of it goes no farther than CELLS_A_SUBSTEP; as long as that
 * is less than LEAST_HEIGHT, where waves would be over at once, it is that.
 */
function heightOf(high: number): number {
  const seconds = STEP_SECONDS / LIQUID_SUBSTEPS;
  return Math.max(LEAST_HEIGHT, 2 * GRAVITY * ((high * seconds) / CELLS_A_SUBSTEP) ** 2);
}
