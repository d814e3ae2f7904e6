/**
 * A scene of the user's own bodies, from a table (src/core/state/particle-table.ts) or from plain 32-bit floats.
 *
 * Bodies are shifted, then scaled by a power of two, so that the widest one is 1 to 2 units wide. Positions and sizes
 * are then rounded to a step, so that 32-bit floats exactly hold the squared distances of bodies that may touch. The
 * step is 1/1024 of a unit, or more if the bodies would spread over more than 2^23 steps.
 */
import { ArgumentError, CellstormError, Phrase } from '../../src/core/base/errors';
import { MAX_PARTICLES } from '../../src/core/simulation/ids';
import type { ParticleArrays } from '../../src/core/simulation/simulation';
import { decodeTable } from '../../src/core/state/particle-table';
import {
  type Dimensions,
  defineWorld,
  LARGEST_DIAMETER,
  SMALLEST_DIAMETER,
} from '../../src/core/world/world';
import { UNITS } from '../../src/scenes/scene';
import type { BenchSceneDefinition } from './scenes';

export interface InputOptions {
  /** The file's name, for messages and records. */
  readonly name: string;
  /** Plain floats have 2 by default; a table has 3 if it has a column z. */
  readonly dimensions?: Dimensions | undefined;
  /** The radius of all bodies, if the file has no sizes. */
  readonly radius?: number | undefined;
}

const DEFAULT_RADIUS = 0.5;
/** The widest body spans at most this number of steps. Sums of three squares are then exact. */
const STEPS_PER_BODY = 2 ** 11;
const MOST_STEPS = 2 ** 23;
/** A body must be at least this many steps wide. Otherwise, rounding would change its pairs too often. */
const FEWEST_STEPS = 4;
const MOST_HEADER_BYTES = 2048;
const COLUMNS = 'id x y z vx vy vz radius half_x half_y half_z'.split(' ');

type Bodies = Pick<ParticleArrays, 'positions' | 'radii' | 'halfExtents'>;

/** Reads a table if the name ends in .csv, otherwise little-endian 32-bit floats: x y, or x y z, per body. */
export function readInput(bytes: Uint8Array, options: InputOptions): BenchSceneDefinition {
  const { name } = options;
  const isTable = name.toLowerCase().endsWith('.csv');
  const { dimensions, bodies } = isTable ? readTable(bytes, options) : readFloats(bytes, options);
  const content = snap(name, dimensions, bodies, options.radius);
  const total = bodies.positions.length / dimensions;
  return {
    name,
    about: `The ${describeBodies(total)} of the file.`,
    dimensions: [dimensions],
    most: total,
    generate: ({ count }) => ({ ...content, ...thin(content, dimensions, total, count) }),
  };
}

function readTable(bytes: Uint8Array, { name, dimensions: asked, radius }: InputOptions) {
  const header = new TextDecoder().decode(bytes.subarray(0, MOST_HEADER_BYTES)).split('\n', 1)[0] ?? '';
  const columns = header.split(',').map((column) =>
    column
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .toLowerCase(),
  );
  const unknown = columns.find((column) => !COLUMNS.includes(column));
  if (unknown !== undefined && columns.length > 1) {
    const accepted = `one of ${COLUMNS.join(', ')}; the first line must name the columns`;
    throw new ArgumentError(`${name}, line 1, a column`, unknown.slice(0, 24), accepted);
  }
  const dimensions = columns.includes('z') ? 3 : 2;
  if (asked !== undefined && asked !== dimensions) {
    const found = dimensions === 3 ? 'a column z' : 'no column z';
    throw new CellstormError(`--dimensions is ${asked}, but ${name} has ${found}; leave --dimensions out.`);
  }
  const boxes = columns.some((column) => column.startsWith('half_'));
  const hasSizes = boxes || columns.includes('radius');
  if (hasSizes && radius !== undefined) {
    throw new CellstormError(`--radius is ${radius}, but ${name} has sizes of its own; leave --radius out.`);
  }
  const rows = decodeTable(
    bytes,
    {
      dimensions,
      boxes,
      radiusRange: hasSizes ? { smallest: SMALLEST_DIAMETER / 2, largest: LARGEST_DIAMETER / 2 } : undefined,
      world: defineWorld({ dimensions, unbounded: true }, 1),
      most: MAX_PARTICLES,
    },
    name,
  );
  let next = rows.next();
  while (!next.done) next = rows.next();
  const { ids, positions, radii, halfExtents } = next.value;
  if (!halfExtents) return { dimensions, bodies: { positions, radii } } as const;
  const ball = ids.findIndex((_, body) => halfExtents[dimensions * body] === 0);
  if (ball >= 0) {
    const accepted = 'a box, since the benchmark does not mix boxes with balls';
    throw new ArgumentError(`${name}, the body with id ${ids[ball]}`, new Phrase('a ball'), accepted);
  }
  return { dimensions, bodies: { positions, halfExtents } } as const;
}

function readFloats(bytes: Uint8Array, { name, dimensions = 2 }: InputOptions) {
  const width = 4 * dimensions;
  const accepted = `a multiple of ${width}: 32-bit floats, ${dimensions} per body (a table must end in .csv)`;
  if (bytes.length === 0 || bytes.length % width !== 0) {
    throw new ArgumentError(name, new Phrase(`${bytes.length} bytes long`), accepted);
  }
  const count = bytes.length / width;
  if (count > MAX_PARTICLES) {
    throw new ArgumentError(name, new Phrase(describeBodies(count)), `at most ${MAX_PARTICLES} bodies`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const positions = Float32Array.from({ length: dimensions * count }, (_, index) =>
    view.getFloat32(4 * index, true),
  );
  const wrong = positions.findIndex((value) => !Number.isFinite(value));
  if (wrong >= 0) {
    const location = `${name}, value ${wrong + 1} (${'xyz'[wrong % dimensions]} of body ${Math.floor(wrong / dimensions)})`;
    throw new ArgumentError(location, positions[wrong], 'a finite 32-bit float, little-endian');
  }
  return { dimensions, bodies: { positions } as Bodies };
}

function describeBodies(count: number): string {
  return `${count} ${count === 1 ? 'body' : 'bodies'}`;
}

function snap(
  name: string,
  dimensions: Dimensions,
  { positions, radii, halfExtents }: Bodies,
  radius = DEFAULT_RADIUS,
) {
  const count = positions.length / dimensions;
  // Half of the longest side of each body.
  const halves = Float64Array.from({ length: count }, (_, body) => {
    if (halfExtents) return Math.max(...halfExtents.subarray(body * dimensions, (body + 1) * dimensions));
    return radii ? (radii[body] as number) : radius;
  });
  const widest = 2 * halves.reduce((most, half) => Math.max(most, half), 0);
  const narrowest = 2 * halves.reduce((least, half) => Math.min(least, half), Number.POSITIVE_INFINITY);
  const scale = 2 ** -Math.floor(Math.log2(widest));
  const low = new Array<number>(dimensions).fill(Number.POSITIVE_INFINITY);
  const high = new Array<number>(dimensions).fill(Number.NEGATIVE_INFINITY);
  positions.forEach((position, index) => {
    const axis = index % dimensions;
    low[axis] = Math.min(low[axis] as number, position);
    high[axis] = Math.max(high[axis] as number, position);
  });
  const spans = high.map((value, axis) => value - (low[axis] as number));
  const longest = Math.max(...spans) + 2 * widest;
  const step = Math.max(2 / STEPS_PER_BODY, 2 ** Math.ceil(Math.log2((longest * scale) / MOST_STEPS)));
  if (narrowest * scale < FEWEST_STEPS * step) {
    throw new CellstormError(
      `${name}: the narrowest body is ${narrowest} wide, the widest ${widest}, and the bodies spread over ${Math.max(...spans)}. 32-bit floats do not hold all distances exactly; the narrowest must be at least ${(FEWEST_STEPS * step) / scale} wide${radii || halfExtents ? '' : ': give a larger --radius'}.`,
    );
  }
  const round = (value: number) => Math.round((value * scale) / step) * step;
  const size = (half: number) => Math.max(step, round(half));
  const edge = size(widest / 2);
  return {
    positions: positions.map(
      (position, index) => edge + round(position - (low[index % dimensions] as number)),
    ),
    radii: radii?.map(size),
    halfExtents: halfExtents?.map(size),
    radius: edge,
    smallestRadius: size(narrowest / 2),
    min: low.map(() => 0),
    max: spans.map((span) => round(span) + 2 * edge),
    step,
    // After timing, bodies move along each axis by at most a sixteenth of the widest one.
    motion: { timed: false, greatest: (edge / 8) * UNITS, kind: 'shake' },
  } as const;
}

/** Takes `count` of the bodies, evenly from the whole file. */
function thin(
  { positions, radii, halfExtents }: Bodies,
  dimensions: Dimensions,
  total: number,
  count: number,
): Bodies {
  const pick = (values: Float32Array, width: number) => {
    const picked = new Float32Array(width * count);
    for (let body = 0; body < count; body++) {
      const from = width * Math.floor((body * total) / count);
      for (let word = 0; word < width; word++) picked[width * body + word] = values[from + word] as number;
    }
    return picked;
  };
  return {
    positions: pick(positions, dimensions),
    radii: radii && pick(radii, 1),
    halfExtents: halfExtents && pick(halfExtents, dimensions),
  };
}
