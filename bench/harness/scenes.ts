/**
 * The benchmark's scenes. The same request gives the same bodies on every machine.
 *
 * Coordinates and radii are multiples of a step. The step is so coarse that 32-bit floats hold differences, squares and
 * their sum exactly for any two bodies that may touch. So rounding cannot explain wrong pairs.
 */
import { checkDimensions, checkInteger } from '../../src/core/base/checks';
import { ArgumentError } from '../../src/core/base/errors';
import { MAX_PARTICLES } from '../../src/core/simulation/ids';
import type { Dimensions } from '../../src/core/world/world';
import { createCpuSimulation } from '../../src/cpu';
import { createScene, DEFAULT_SEED, Random, type SceneRequest } from '../../src/scenes';
import { ROOM_FOR_ONE_OVERLAP } from '../../src/scenes/scattered';
import { ceilRoot, power, repeat, stepFor, toCoordinate, UNITS } from '../../src/scenes/scene';

export interface BenchScene {
  readonly name: string;
  readonly dimensions: Dimensions;
  readonly count: number;
  readonly seed: number;
  /** Radius of all bodies or, with `radii`, the largest possible one. */
  readonly radius: number;
  /** The smallest possible radius. Equals `radius` if all bodies have the same size. */
  readonly smallestRadius: number;
  readonly radii: Float32Array | undefined;
  /**
   * Half of each box's edges, `dimensions` numbers per body; undefined for balls. `radius` is then half of the longest
   * possible edge, and `smallestRadius` half of the smallest box's longest edge.
   */
  readonly halfExtents: Float32Array | undefined;
  /** Lowest and highest corner of a box around all centres in all frames. */
  readonly min: readonly number[];
  readonly max: readonly number[];
  /** True if each timed build uses the next frame, instead of frame 0. */
  readonly moves: boolean;
  /** Returns the positions in a frame, in a new array. Frames differ in some pairs, unless the scene has few pairs. */
  frame(number: number): Float32Array;
}

export interface BenchSceneDefinition {
  readonly name: string;
  readonly about: string;
  readonly dimensions: readonly Dimensions[];
  /**
   * The largest number of bodies. With --input, the file has no more. In a scene of BENCH_SCENES, more bodies would
   * have too many pairs.
   */
  readonly most?: number | undefined;
  readonly generate: (request: Request) => Content;
}

interface Content {
  readonly radius?: number;
  readonly smallestRadius?: number;
  readonly radii?: Float32Array | undefined;
  readonly halfExtents?: Float32Array | undefined;
  readonly min: readonly number[];
  readonly max: readonly number[];
  readonly positions: Float32Array;
  /** Coordinates are multiples of this length. By default it depends on `radii` and on the longest edge. */
  readonly step?: number;
  readonly motion?: Motion;
}

interface Motion {
  /** If false, only the check after timing uses another frame than 0. */
  readonly timed: boolean;
  /** The longest move along an axis, in units of 1 / UNITS: per frame for 'drift', from frame 0 for 'shake'. */
  readonly greatest: number;
  /** 'drift' keeps each body's velocity; 'shake' moves bodies around their positions in frame 0. */
  readonly kind: 'drift' | 'shake';
}

interface Request extends SceneRequest {
  readonly seed: number;
}

const RADIUS = 0.5;

/** Bodies move after timing, so that the checked frame has other pairs. */
const UNTIMED: Motion = { timed: false, greatest: UNITS / 16, kind: 'shake' };
/** Bodies of scenes with `radii` move farther, because they are larger. */
const UNTIMED_RADII: Motion = { ...UNTIMED, greatest: 2 * UNITS };

/** Room per body, relative to `uniform`. */
const SPARSE_ROOM = 10;
const DENSE_ROOM = 1 / 6;

/** Cells per body; a cell is one diameter wide. More cells need a longer box, in which floats are coarser. */
const HUGE_ROOM = { 2: 4096, 3: 32_768 } as const;

/** `columns`: the number of bodies along each axis before they fall. `width`: the edge of a silo, in diameters. */
const SILO = { 2: { columns: 32, width: 34 }, 3: { columns: 10, width: 11 } } as const;
const SILO_STEPS = 240;

/** Width of a line, in diameters, so that some bodies lie side by side. */
const LINE_WIDTH = 2;
/** Length of a line per body, in diameters. */
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

function existing(name: string): BenchSceneDefinition['generate'] {
  return (request) => {
    const { min, max, positions, radius, radii, radiusRange } = createScene(name, request);
    return { min, max, positions, radius, radii, smallestRadius: radiusRange?.smallest ?? radius };
  };
}

/** Scatters bodies along an axis. The box is a few diameters wide along the other axes. */
function line(axis: number): BenchSceneDefinition['generate'] {
  return (request) => {
    const length = Math.max(LINE_WIDTH, Math.ceil(request.count * LINE_SPACING)) + 1;
    const edges = repeat(LINE_WIDTH + 1, request.dimensions).with(axis, length);
    return spread(request, new Random(request.seed), edges);
  };
}

/** Numbers bodies in the order of cells, as if an engine had sorted them. */
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
  // At first, `starts[cell + 1]` counts the bodies of a cell. After the sums, `starts[cell]` is the index of the cell's
  // next body.
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

/** Copies one silo, whose bodies the CPU engine settles. Coordinates are then rounded to the step. */
function silos({ dimensions, count, seed }: Request): Content {
  const { columns, width } = SILO[dimensions];
  const bodiesPerSilo = power(columns, dimensions);
  const pile = settle(dimensions, columns, width, seed);
  const silosPerAxis = Math.max(1, ceilRoot(Math.ceil(count / bodiesPerSilo), dimensions));
  const step = stepFor(silosPerAxis * width);
  const positions = new Float32Array(count * dimensions);
  const random = new Random(seed);
  const order = Uint32Array.from({ length: count }, (_, body) => body);
  for (let last = count - 1; last > 0; last--) {
    const other = random.below(last + 1);
    [order[last], order[other]] = [order[other] as number, order[last] as number];
  }
  order.forEach((index, body) => {
    const silo = Math.floor(index / bodiesPerSilo);
    for (let axis = 0; axis < dimensions; axis++) {
      const corner = (Math.floor(silo / power(silosPerAxis, axis)) % silosPerAxis) * width;
      const within = pile[(index % bodiesPerSilo) * dimensions + axis] as number;
      positions[body * dimensions + axis] = toCoordinate(Math.round((corner + within) * UNITS), step);
    }
  });
  return { min: repeat(0, dimensions), max: repeat(silosPerAxis * width, dimensions), positions };
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
  // Every second body moves next to the previous one; otherwise hardly any bodies would overlap.
  const { positions } = content;
  const step = stepFor(edge);
  const random = new Random(seed + 1);
  for (let body = 1; body < count; body += 2) {
    for (let axis = 0; axis < dimensions; axis++) {
      const index = body * dimensions + axis;
      const target = (positions[index - dimensions] as number) * UNITS + random.between(-UNITS, UNITS);
      positions[index] = toCoordinate(clamp(target, UNITS / 2, edge * UNITS - UNITS / 2), step);
    }
  }
  return content;
}

/** Lengths are in units of 1 / UNITS. */
interface BoxKind {
  /** Half of the longest edge possible. */
  readonly most: number;
  /** Half of the longest edge of the smallest box. */
  readonly least: number;
  readonly halves: (random: Random, dimensions: Dimensions) => readonly number[];
}

const SIMILAR_BOXES: BoxKind = {
  most: 460,
  least: 154,
  halves: (random, dimensions) => Array.from({ length: dimensions }, () => random.between(154, 460)),
};

/** About 1 in w² boxes is at least w times as wide as the narrowest. */
const MIXED_BOXES: BoxKind = {
  most: 64 * 48,
  least: 48,
  halves: (random, dimensions) =>
    repeat(Math.round(48 / Math.sqrt(random.between(1, 4096) / 4096)), dimensions),
};

const LONG_BOXES: BoxKind = {
  most: 2560,
  least: 2560,
  halves: (random, dimensions) => repeat(51, dimensions).with(random.below(dimensions), 2560),
};

/** Scatters boxes, one per unit square or cube. */
function scatteredBoxes({ most, least, halves }: BoxKind): BenchSceneDefinition['generate'] {
  return (request) => {
    const { dimensions, count, seed } = request;
    const random = new Random(seed);
    const content = spread(request, random, repeat(ceilRoot(count, dimensions) + 1, dimensions));
    const halfExtents = new Float32Array(dimensions * count);
    for (let body = 0; body < count; body++) {
      halfExtents.set(
        halves(random, dimensions).map((half) => half / UNITS),
        body * dimensions,
      );
    }
    return { ...content, halfExtents, radius: most / UNITS, smallestRadius: least / UNITS };
  };
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

const BOTH: readonly Dimensions[] = [2, 3];

export const BENCH_SCENES: readonly BenchSceneDefinition[] = [
  {
    name: 'uniform',
    about: 'Scattered evenly at random; each body overlaps one other on average; ids in random order.',
    dimensions: BOTH,
    generate: scattered(1),
  },
  {
    name: 'uniform-sparse',
    about: 'Like uniform with ten times the room: one body in ten overlaps another.',
    dimensions: BOTH,
    generate: scattered(SPARSE_ROOM),
  },
  {
    name: 'uniform-dense',
    about: 'Like uniform with a sixth of the room: each body overlaps six others on average.',
    dimensions: BOTH,
    generate: scattered(DENSE_ROOM),
  },
  {
    name: 'steady',
    about:
      'Like uniform, but ids are in the order of cells; each build moves bodies away from their first positions, by at most a tenth of a diameter along each axis.',
    dimensions: BOTH,
    generate: (request) => ({
      ...inCellOrder(scattered(1)(request), request.dimensions),
      motion: { timed: true, greatest: Math.floor(UNITS / 10), kind: 'shake' },
    }),
  },
  {
    name: 'moving',
    about:
      'Like uniform, with ids in random order; each body keeps a velocity of up to an eighth of a diameter per build along each axis.',
    dimensions: BOTH,
    generate: (request) => ({
      ...scattered(1)(request),
      motion: { timed: true, greatest: UNITS / 8, kind: 'drift' },
    }),
  },
  {
    name: 'packing',
    about: 'Packed as densely as possible; neighbours overlap by 3%.',
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
      'Nine tenths of the bodies in a hundredth of the world, eight per cell; the rest spread over the whole world.',
    dimensions: BOTH,
    most: 2 ** 21,
    generate: existing('clustered'),
  },
  {
    name: 'one-cell',
    about: 'All bodies in one cell: nearly all pairs overlap, and no broad phase helps.',
    dimensions: BOTH,
    most: 4096,
    generate: existing('one-cell'),
  },
  {
    name: 'line-x',
    about: 'A line along x: the best case for a sweep along x.',
    dimensions: BOTH,
    generate: line(0),
  },
  {
    name: 'line-y',
    about: 'A line along y: a sweep along x compares three quarters of all pairs.',
    dimensions: BOTH,
    generate: line(1),
  },
  {
    name: 'mixed',
    about: 'Radii from 1 to 64, equally many in each octave; each body overlaps one other on average.',
    dimensions: BOTH,
    generate: existing('mixed'),
  },
  {
    name: 'huge',
    about:
      'Pairs of bodies, far from other pairs: per body, the world has thousands of cells of one diameter.',
    dimensions: BOTH,
    generate: hugeWorld,
  },
  {
    name: 'boxes',
    about: 'Boxes with sides from 0.3 to 0.9, one per unit square or cube, scattered evenly at random.',
    dimensions: BOTH,
    generate: scatteredBoxes(SIMILAR_BOXES),
  },
  {
    name: 'boxes-mixed',
    about: 'Squares or cubes, many small and few large, with sides from 0.1 to 6; scattered like boxes.',
    dimensions: BOTH,
    generate: scatteredBoxes(MIXED_BOXES),
  },
  {
    name: 'boxes-long',
    about: 'Boxes with a side of 5 along one axis and of 0.1 along the others; scattered like boxes.',
    dimensions: BOTH,
    generate: scatteredBoxes(LONG_BOXES),
  },
];

export const BENCH_SCENE_NAMES: readonly string[] = BENCH_SCENES.map(({ name }) => name);

export type BenchSceneChoice = string | BenchSceneDefinition;

export function defineBenchScene(scene: BenchSceneChoice): BenchSceneDefinition {
  if (typeof scene !== 'string') return scene;
  const definition = BENCH_SCENES.find(({ name }) => name === scene);
  if (!definition) throw new ArgumentError('scene', scene, `one of ${BENCH_SCENE_NAMES.join(', ')}`);
  return definition;
}

export function createBenchScene(choice: BenchSceneChoice, request: SceneRequest): BenchScene {
  const definition = defineBenchScene(choice);
  const { dimensions, count, seed = DEFAULT_SEED } = request;
  checkDimensions(dimensions);
  checkInteger('count', count, 0, definition.most ?? MAX_PARTICLES);
  checkInteger('seed', seed, 0, 2 ** 32 - 1);
  const content = definition.generate({ dimensions, count, seed });
  const { radius = RADIUS, radii, halfExtents, min, max } = content;
  const { motion = radii ? UNTIMED_RADII : UNTIMED } = content;
  return {
    name: definition.name,
    dimensions,
    count: content.positions.length / dimensions,
    seed,
    radius,
    smallestRadius: content.smallestRadius ?? radius,
    radii,
    halfExtents,
    min,
    max,
    moves: motion.timed,
    frame: (number) => moved(content, motion, dimensions, seed, number),
  };
}

/** Returns the positions in a frame. Bodies that leave the box are mirrored back into it. */
function moved(
  { positions, min, max, radii, step: given }: Content,
  { greatest, kind }: Motion,
  dimensions: Dimensions,
  seed: number,
  number: number,
): Float32Array {
  if (number === 0) return positions.slice();
  const longest = Math.max(...max.map((high, axis) => high - (min[axis] as number)));
  // With radii, coordinates are multiples of 1/32.
  const step = given === undefined ? (radii ? UNITS / 32 : stepFor(longest)) : given * UNITS;
  const random = new Random((seed ^ 0x5eed) + (kind === 'shake' ? number : 0));
  const most = Math.max(1, Math.floor(greatest / step));
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
