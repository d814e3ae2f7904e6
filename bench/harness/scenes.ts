/**
 * The benchmark's scenes: bodies of one radius or of many, and their positions in each frame.
 * Guarantees: a name, dimensions, count and seed give the same bodies everywhere. Coordinates and radii are whole
 * numbers of a step. The step is such that every difference between two bodies that may touch, its square, and the sum
 * of squares are exact in 32-bit floats. So an engine that finds other pairs is wrong, and rounding is no excuse.
 */
import { checkDimensions, checkInteger } from '../../src/core/base/checks';
import { ArgumentError } from '../../src/core/base/errors';
import { MAX_PARTICLES } from '../../src/core/simulation/ids';
import type { Dimensions } from '../../src/core/world/world';
import { createCpuSimulation } from '../../src/cpu';
import { createScene, DEFAULT_SEED, Random, type SceneRequest } from '../../src/scenes';
import { ROOM_FOR_ONE_OVERLAP } from '../../src/scenes/scattered';
import { ceilRoot, power, repeat, stepFor, toCoordinate, UNITS } from '../../src/scenes/scene';

/** Bodies. All have the radius `radius` unless there are `radii`. */
export interface BenchScene {
  readonly name: string;
  readonly dimensions: Dimensions;
  readonly count: number;
  readonly seed: number;
  /** Radius of every body, or the largest possible one. */
  readonly radius: number;
  /** Smallest possible radius; `radius` if all are equal. */
  readonly smallestRadius: number;
  readonly radii: Float32Array | undefined;
  /** A box that holds every centre in every frame. */
  readonly min: readonly number[];
  readonly max: readonly number[];
  /** Whether each timed build sees the next frame; otherwise all of them see frame 0. */
  readonly moves: boolean;
  /** Returns packed positions, which the caller may keep. Two frames differ in some pairs, if there are any pairs. */
  frame(number: number): Float32Array;
}

export interface BenchSceneDefinition {
  readonly name: string;
  readonly about: string;
  readonly dimensions: readonly Dimensions[];
  /** Most bodies: with more, the pairs alone would fill the memory. */
  readonly most?: number | undefined;
  readonly generate: (request: Request) => Content;
}

interface Content {
  readonly radius?: number;
  readonly smallestRadius?: number;
  readonly radii?: Float32Array | undefined;
  readonly min: readonly number[];
  readonly max: readonly number[];
  readonly positions: Float32Array;
  readonly motion?: Motion;
}

/** How bodies move from frame to frame, in steps of the scene. */
interface Motion {
  /** Whether timed builds see the motion; otherwise only the check after timing does. */
  readonly timed: boolean;
  /** Greatest move of a body along an axis from frame to frame, in units. */
  readonly own: number;
  /** 'drift' keeps each body's velocity; 'shake' moves it around its first position. */
  readonly kind: 'drift' | 'shake';
}

interface Request extends SceneRequest {
  readonly seed: number;
}

const RADIUS = 0.5;

/** Moves bodies by up to a sixteenth of a diameter, so that the correct answer differs from frame to frame. */
const STILL: Motion = { timed: false, own: UNITS / 16, kind: 'shake' };
const STILL_MIXED: Motion = { ...STILL, own: 2 * UNITS };

/** Room per body relative to `uniform`, in which each body overlaps one other on average. */
const SPARSE_ROOM = 10;
const DENSE_ROOM = 1 / 6;

/** Room per body in a world with far more cells than bodies; limited by the finest step for its length. */
const HUGE_ROOM = { 2: 4096, 3: 32_768 } as const;

/** A silo of `settled`: bodies along each axis when it is filled, its width, and the steps it has to settle. */
const SILO = { 2: { columns: 32, width: 34 }, 3: { columns: 10, width: 11 } } as const;
const SILO_STEPS = 240;

/** Width of a line in diameters, so that some bodies are side by side. */
const LINE_WIDTH = 2;
/** Diameters of a line's length per body. */
const LINE_SPACING = 0.75;

function spread(
  { dimensions, count }: SceneRequest,
  random: Random,
  edges: readonly number[],
): Pick<Content, 'min' | 'max' | 'positions'> {
  const step = stepFor(Math.max(...edges));
  const positions = new Float32Array(count * dimensions);
  for (let index = 0; index < positions.length; index++) {
    const edge = edges[index % dimensions] as number;
    positions[index] = toCoordinate(random.between(UNITS / 2, edge * UNITS - UNITS / 2), step);
  }
  return { min: repeat(0, dimensions), max: edges, positions };
}

function scattered(room: number): BenchSceneDefinition['generate'] {
  return (request) => {
    const { dimensions, count, seed } = request;
    const edge = ceilRoot(Math.ceil(count * room * ROOM_FOR_ONE_OVERLAP[dimensions]), dimensions) + 1;
    return spread(request, new Random(seed), repeat(edge, dimensions));
  };
}

/** Uses a scene of src/scenes. */
function existing(name: string): BenchSceneDefinition['generate'] {
  return (request) => {
    const { min, max, positions, radius, radii, radiusRange } = createScene(name, request);
    return { min, max, positions, radius, radii, smallestRadius: radiusRange?.smallest ?? radius };
  };
}

/** Makes a line: long along one axis, a few diameters wide along the others. */
function line(along: number): BenchSceneDefinition['generate'] {
  return (request) => {
    const length = Math.max(LINE_WIDTH, Math.ceil(request.count * LINE_SPACING)) + 1;
    const edges = repeat(LINE_WIDTH + 1, request.dimensions).with(along, length);
    return spread(request, new Random(request.seed), edges);
  };
}

/**
 * Renumbers bodies in the order of cells one diameter wide, row by row: the order in which a reordering engine keeps
 * them.
 */
function inCellOrder(content: Content, dimensions: Dimensions): Content {
  const { positions, max } = content;
  const count = positions.length / dimensions;
  const cellOf = (body: number) => {
    let cell = 0;
    for (let axis = dimensions - 1; axis >= 0; axis--) {
      cell = cell * (max[axis] as number) + Math.floor(positions[body * dimensions + axis] as number);
    }
    return cell;
  };
  // A counting sort, since doubles that hold a cell and a body would not be exact. Holds the next index of each cell.
  const starts = new Uint32Array(max.reduce((product, edge) => product * edge, 1) + 1);
  for (let body = 0; body < count; body++) (starts[cellOf(body) + 1] as number)++;
  for (let cell = 1; cell < starts.length; cell++) {
    starts[cell] = (starts[cell] as number) + (starts[cell - 1] as number);
  }
  const ordered = new Float32Array(positions.length);
  for (let body = 0; body < count; body++) {
    const cell = cellOf(body);
    const index = starts[cell] as number;
    starts[cell] = index + 1;
    for (let axis = 0; axis < dimensions; axis++) {
      ordered[index * dimensions + axis] = positions[body * dimensions + axis] as number;
    }
  }
  return { ...content, positions: ordered };
}

/** Makes silos side by side, all with the same bodies, settled by the CPU engine; rounds coordinates to the step. */
function silos({ dimensions, count, seed }: Request): Content {
  const { columns, width } = SILO[dimensions];
  const inOne = power(columns, dimensions);
  const heap = settle(dimensions, columns, width, seed);
  const along = Math.max(1, ceilRoot(Math.ceil(count / inOne), dimensions));
  const step = stepFor(along * width);
  const positions = new Float32Array(count * dimensions);
  // Ids are in random order, as in a pile that was poured.
  const random = new Random(seed);
  const order = Uint32Array.from({ length: count }, (_, body) => body);
  for (let last = count - 1; last > 0; last--) {
    const other = random.below(last + 1);
    [order[last], order[other]] = [order[other] as number, order[last] as number];
  }
  order.forEach((index, body) => {
    const silo = Math.floor(index / inOne);
    for (let axis = 0; axis < dimensions; axis++) {
      const corner = (Math.floor(silo / power(along, axis)) % along) * width;
      const within = heap[(index % inOne) * dimensions + axis] as number;
      positions[body * dimensions + axis] = toCoordinate(Math.round((corner + within) * UNITS), step);
    }
  });
  return { min: repeat(0, dimensions), max: repeat(along * width, dimensions), positions };
}

function settle(dimensions: Dimensions, columns: number, width: number, seed: number): Float32Array {
  const random = new Random(seed);
  const count = power(columns, dimensions);
  const positions = new Float32Array(count * dimensions);
  for (let body = 0; body < count; body++) {
    for (let axis = 0; axis < dimensions; axis++) {
      const index = Math.floor(body / power(columns, axis)) % columns;
      positions[body * dimensions + axis] =
        (index + 1) * (width / (columns + 1)) + random.between(-20, 20) / UNITS;
    }
  }
  const simulation = createCpuSimulation({
    dimensions,
    min: repeat(0, dimensions),
    max: repeat(width, dimensions),
    capacity: count,
    radius: RADIUS,
    positions,
    gravity: repeat(0, dimensions).with(1, -10),
    friction: 0.5,
  });
  for (let step = 0; step < SILO_STEPS; step++) simulation.step(1 / 60);
  const settled = simulation.read().positions;
  simulation.destroy();
  return settled;
}

function hugeWorld(request: Request): Content {
  const { dimensions, count, seed } = request;
  const edge = ceilRoot(count * HUGE_ROOM[dimensions], dimensions) + 2;
  const content = spread(request, new Random(seed), repeat(edge, dimensions));
  // Every second body is moved next to the one before it; otherwise nothing would overlap.
  const { positions } = content;
  const step = stepFor(edge);
  const random = new Random(seed + 1);
  for (let body = 1; body < count; body += 2) {
    for (let axis = 0; axis < dimensions; axis++) {
      const index = body * dimensions + axis;
      const beside = (positions[index - dimensions] as number) * UNITS + random.between(-UNITS, UNITS);
      positions[index] = toCoordinate(clamp(beside, UNITS / 2, edge * UNITS - UNITS / 2), step);
    }
  }
  return content;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

const BOTH: readonly Dimensions[] = [2, 3];

export const BENCH_SCENES: readonly BenchSceneDefinition[] = [
  {
    name: 'uniform',
    about: 'Scattered evenly at random, each overlapping one other on average; ids in random order.',
    dimensions: BOTH,
    generate: scattered(1),
  },
  {
    name: 'uniform-sparse',
    about: 'Like uniform with ten times the room: one in ten overlaps another.',
    dimensions: BOTH,
    generate: scattered(SPARSE_ROOM),
  },
  {
    name: 'uniform-dense',
    about: 'Like uniform with a sixth of the room: each overlaps six others.',
    dimensions: BOTH,
    generate: scattered(DENSE_ROOM),
  },
  {
    name: 'steady',
    about:
      'Like uniform, but ids are in the order of cells, and each body moves by up to a tenth of a diameter between builds.',
    dimensions: BOTH,
    generate: (request) => ({
      ...inCellOrder(scattered(1)(request), request.dimensions),
      motion: { timed: true, own: Math.floor(UNITS / 10), kind: 'shake' },
    }),
  },
  {
    name: 'moving',
    about:
      'Like uniform, with ids in random order; each body keeps a velocity of up to an eighth of a diameter per build.',
    dimensions: BOTH,
    generate: (request) => ({
      ...scattered(1)(request),
      motion: { timed: true, own: UNITS / 8, kind: 'drift' },
    }),
  },
  {
    name: 'packing',
    about: 'Packed as densely as possible, with every neighbour overlapping by 3%.',
    dimensions: BOTH,
    generate: existing('packing'),
  },
  {
    name: 'settled',
    about: 'Silos side by side, each with a thousand bodies that have settled under gravity.',
    dimensions: BOTH,
    generate: silos,
  },
  {
    name: 'clustered',
    about:
      'Nine tenths of the bodies in a hundredth of the world, eight to a cell; the rest spread over all of it.',
    dimensions: BOTH,
    most: 2 ** 21,
    generate: existing('clustered'),
  },
  {
    name: 'one-cell',
    about: 'All in one cell: nearly all pairs overlap, and no broad phase helps.',
    dimensions: BOTH,
    most: 4096,
    generate: existing('one-cell'),
  },
  {
    name: 'line-x',
    about: 'A line along x: the best axis for a sweep along x.',
    dimensions: BOTH,
    generate: line(0),
  },
  {
    name: 'line-y',
    about: 'A line along y: a sweep along x compares every body with every other.',
    dimensions: BOTH,
    generate: line(1),
  },
  {
    name: 'mixed',
    about: 'Radii from 1 to 64, equally many in each octave, each body overlapping one other on average.',
    dimensions: BOTH,
    generate: existing('mixed'),
  },
  {
    name: 'huge',
    about: 'Pairs of bodies far apart: thousands of cells one diameter wide per body.',
    dimensions: BOTH,
    generate: hugeWorld,
  },
];

export const BENCH_SCENE_NAMES: readonly string[] = BENCH_SCENES.map(({ name }) => name);

export function defineBenchScene(name: string): BenchSceneDefinition {
  const definition = BENCH_SCENES.find((candidate) => candidate.name === name);
  if (!definition) throw new ArgumentError('scene', name, `one of ${BENCH_SCENE_NAMES.join(', ')}`);
  return definition;
}

export function createBenchScene(name: string, request: SceneRequest): BenchScene {
  const definition = defineBenchScene(name);
  const { dimensions, count, seed = DEFAULT_SEED } = request;
  checkDimensions(dimensions);
  checkInteger('count', count, 0, definition.most ?? MAX_PARTICLES);
  checkInteger('seed', seed, 0, 2 ** 32 - 1);
  const content = definition.generate({ dimensions, count, seed });
  const { radius = RADIUS, radii, min, max, motion = radii ? STILL_MIXED : STILL } = content;
  return {
    name,
    dimensions,
    count: content.positions.length / dimensions,
    seed,
    radius,
    smallestRadius: content.smallestRadius ?? radius,
    radii,
    min,
    max,
    moves: motion.timed,
    frame: (number) => moved(content, motion, dimensions, seed, number),
  };
}

/** Returns the positions of a frame. Bodies that leave the box are mirrored back into it. */
function moved(
  { positions, min, max, radii }: Content,
  { own, kind }: Motion,
  dimensions: Dimensions,
  seed: number,
  number: number,
): Float32Array {
  if (number === 0) return positions.slice();
  const longest = Math.max(...max.map((high, axis) => high - (min[axis] as number)));
  // Scenes with radii use a coarser step than a unit.
  const step = radii ? UNITS / 32 : stepFor(longest);
  const random = new Random((seed ^ 0x5eed) + (kind === 'shake' ? number : 0));
  const most = Math.max(1, Math.floor(own / step));
  const factor = kind === 'drift' ? number : 1;
  const moved = new Float32Array(positions.length);
  for (
    let index = 0, axis = 0;
    index < positions.length;
    index++, axis = axis + 1 === dimensions ? 0 : axis + 1
  ) {
    const [low, high] = [min[axis] as number, max[axis] as number];
    const position = (positions[index] as number) + (factor * (random.between(-most, most) * step)) / UNITS;
    moved[index] = position >= low && position <= high ? position : mirrored(position, low, high);
  }
  return moved;
}

function mirrored(position: number, low: number, high: number): number {
  const span = high - low;
  const along = (((position - low) % (2 * span)) + 2 * span) % (2 * span);
  return low + (along > span ? 2 * span - along : along);
}
