/**
 * Purpose: particles as a table of comma-separated values, for spreadsheets and scripts: written so that every 32-bit float
 * comes back as it was, and read with errors that name line and column.
 * Form: UTF-8; the first line names the columns, in any order: id, x, y, z in space, vx, vy, vz, radius where each has
 * its own, half_x, half_y, half_z where they may be boxes. Ids and velocities may be missing: then particles are
 * numbered in the order of their lines, and at rest.
 */
import { ArgumentError, CellstormError, describeCount, Phrase } from './errors';
import { type ParticleArrays, type ParticleSimulation, sizesOf } from './simulation';
import { type Dimensions, GREATEST_SPEED } from './world';

/** What a table has to fit into. */
export interface TableRules
  extends Pick<ParticleSimulation, 'dimensions' | 'radiusRange' | 'boxes' | 'world'> {
  /** Particles at most; ids are below it. */
  readonly most: number;
}

export interface EncodedTable {
  /** The text in parts, made as they are asked for. */
  readonly parts: Iterable<string>;
  /** Particles set aside, which have no numbers that a table could hold. */
  readonly leftOut: number;
}

const AXES = ['x', 'y', 'z'] as const;
const ROWS_A_PART = 4096;
/** Longer lines are no rows of numbers. */
const MOST_LINE_BYTES = 2048;
const LINE_FEED = 10;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
/** Of a value that is quoted in an error. */
const MOST_QUOTED = 40;

export function encodeTable(particles: ParticleArrays, dimensions: Dimensions): EncodedTable {
  const { ids, positions } = particles;
  const isThere = (particle: number) => {
    for (let axis = 0; axis < dimensions; axis++) {
      if (!Number.isFinite(positions[dimensions * particle + axis])) return false;
    }
    return true;
  };
  const leftOut = ids.reduce((sum, _, particle) => sum + (isThere(particle) ? 0 : 1), 0);
  return { parts: partsOf(particles, dimensions, isThere), leftOut };
}

function* partsOf(
  { ids, positions, velocities, radii, halfExtents }: ParticleArrays,
  dimensions: Dimensions,
  isThere: (particle: number) => boolean,
): Generator<string> {
  const vectors = [positions, velocities];
  const names = ['id', ...columnsOf('', dimensions), ...columnsOf('v', dimensions)];
  if (radii) names.push('radius');
  if (halfExtents) names.push(...columnsOf('half_', dimensions));
  let part = `${names.join(',')}\n`;
  for (let particle = 0; particle < ids.length; particle++) {
    if (!isThere(particle)) continue;
    part += ids[particle];
    const write = (value: number | undefined) => {
      part += `,${formatFloat(value as number)}`;
    };
    for (const vector of vectors) {
      for (let axis = 0; axis < dimensions; axis++) write(vector[dimensions * particle + axis]);
    }
    if (radii) write(radii[particle]);
    if (halfExtents) {
      for (let axis = 0; axis < dimensions; axis++) write(halfExtents[dimensions * particle + axis]);
    }
    part += '\n';
    if (particle % ROWS_A_PART === ROWS_A_PART - 1) {
      yield part;
      part = '';
    }
  }
  yield part;
}

/** A decimal of nine digits at most that is nearer to this 32-bit float than to any other. */
export function formatFloat(value: number): string {
  if (Object.is(value, -0)) return '-0';
  const short = Number(value.toPrecision(8));
  return String(Math.fround(short) === value ? short : Number(value.toPrecision(9)));
}

/** The particles of a table, ascending by id; `name` is what errors call it. */
export function decodeTable(bytes: Uint8Array, rules: TableRules, name = 'the table'): ParticleArrays {
  const { dimensions, most } = rules;
  const lines = new Lines(bytes, name);
  const columns = readHeader(lines, rules);
  const count = lines.countRows();
  if (count === 0) throw new CellstormError(`${name} has a line of names and no particles below it.`);
  if (count > most) {
    const accepted = `the end: at most ${describeCount(most)} are taken here`;
    throw new ArgumentError(lines.place(most + 2), new Phrase('one more row'), accepted);
  }
  const arrays = allocate(columns, count, dimensions);
  for (let row = 0; row < count; row++) readRow(lines, columns, arrays, row, rules);
  const { order, particles } = sortById(lines, arrays, count, dimensions);
  const lineOf = (particle: number) => (order?.[particle] ?? particle) + 2;
  try {
    sizesOf('', particles, count, rules);
  } catch (error) {
    throw blameLine(error, lines, lineOf, dimensions);
  }
  return particles;
}

type Mutable = { -readonly [Name in keyof ParticleArrays]: ParticleArrays[Name] };

interface Column {
  readonly name: string;
  readonly array: keyof ParticleArrays;
  /** Where in a particle's numbers, and how many those are. */
  readonly axis: number;
  readonly width: number;
}

/** Lines of a text, one after the other, with their numbers. */
class Lines {
  private next: number;
  private number = 0;

  constructor(
    private readonly bytes: Uint8Array,
    readonly name: string,
  ) {
    const isMarked = BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte);
    this.next = isMarked ? BYTE_ORDER_MARK.length : 0;
  }

  place(line = this.number, column?: string): string {
    return `${this.name}, line ${line}${column === undefined ? '' : `, column ${column}`}`;
  }

  read(): string {
    const { bytes, next } = this;
    this.number++;
    const feed = bytes.indexOf(LINE_FEED, next);
    const end = feed < 0 ? bytes.length : feed;
    if (end - next > MOST_LINE_BYTES) {
      const accepted = `at most ${MOST_LINE_BYTES}, as of values parted by commas`;
      throw new ArgumentError(this.place(), new Phrase(`${end - next} bytes long`), accepted);
    }
    this.next = end + 1;
    return new TextDecoder().decode(bytes.subarray(next, end)).trim();
  }

  /** Of the lines not read yet, those up to the last that is not blank. */
  countRows(): number {
    const { bytes } = this;
    let end = bytes.length;
    while (end > this.next && (bytes[end - 1] as number) <= 32) end--;
    if (end <= this.next) return 0;
    let rows = 1;
    for (let at = bytes.indexOf(LINE_FEED, this.next); at >= 0 && at < end; rows++) {
      at = bytes.indexOf(LINE_FEED, at + 1);
    }
    return rows;
  }
}

function columnsOf(prefix: string, dimensions: Dimensions): string[] {
  return AXES.slice(0, dimensions).map((axis) => `${prefix}${axis}`);
}

function knownColumns({ dimensions, radiusRange, boxes }: TableRules): Column[] {
  const vector = (prefix: string, array: Column['array']): Column[] =>
    columnsOf(prefix, dimensions).map((name, axis) => ({ name, array, axis, width: dimensions }));
  return [
    { name: 'id', array: 'ids', axis: 0, width: 1 },
    ...vector('', 'positions'),
    ...vector('v', 'velocities'),
    ...(radiusRange ? [{ name: 'radius', array: 'radii', axis: 0, width: 1 } as const] : []),
    ...(boxes ? vector('half_', 'halfExtents') : []),
  ];
}

function readHeader(lines: Lines, rules: TableRules): Column[] {
  const text = lines.read();
  const known = knownColumns(rules);
  const accepted = `names of columns parted by commas, of ${known.map(({ name }) => name).join(', ')}`;
  if (text === '') throw new ArgumentError(lines.place(), new Phrase('empty'), accepted);
  if (/[;\t]/.test(text) && !text.includes(',')) {
    const parted = text.includes(';') ? 'parted by semicolons' : 'parted by tabs';
    throw new ArgumentError(lines.place(), new Phrase(parted), 'parted by commas, with points in numbers');
  }
  const columns = split(text).map((given) => {
    const column = known.find(({ name }) => name === given.toLowerCase());
    if (!column) throw refuseColumn(lines, given, rules, known);
    return column;
  });
  const twice = columns.find((column, index) => columns.indexOf(column) < index);
  if (twice)
    throw new ArgumentError(lines.place(undefined, twice.name), new Phrase('there twice'), 'there once');
  const arrays = new Set(columns.map(({ array }) => array)).add('positions');
  const lacking = known.find((column) => arrays.has(column.array) && !columns.includes(column));
  if (lacking) {
    throw new ArgumentError(lines.place(undefined, lacking.name), new Phrase('missing'), 'there');
  }
  if (rules.radiusRange && !arrays.has('radii') && !arrays.has('halfExtents')) {
    const needed = 'there, since here each particle has a radius of its own';
    throw new ArgumentError(lines.place(undefined, 'radius'), new Phrase('missing'), needed);
  }
  return columns;
}

function refuseColumn(
  lines: Lines,
  given: string,
  { dimensions, radiusRange, boxes }: TableRules,
  known: readonly Column[],
): ArgumentError {
  const name = given.toLowerCase();
  const why =
    dimensions === 2 && ['z', 'vz', 'half_z'].includes(name)
      ? 'since what runs is in 2D'
      : !radiusRange && name === 'radius'
        ? 'since all particles of what runs have one radius'
        : !boxes && name.startsWith('half_')
          ? 'since no particle of what runs may be a box'
          : undefined;
  const names = known.map((column) => column.name).join(', ');
  const accepted = why ? `left out, ${why}` : `one of ${names}`;
  return new ArgumentError(`${lines.place()}, a column`, quotable(given), accepted);
}

function allocate(columns: readonly Column[], count: number, dimensions: Dimensions): Mutable {
  const has = (array: Column['array']) => columns.some((column) => column.array === array);
  return {
    ids: has('ids') ? new Uint32Array(count) : Uint32Array.from({ length: count }, (_, id) => id),
    positions: new Float32Array(dimensions * count),
    velocities: new Float32Array(dimensions * count),
    ...(has('radii') ? { radii: new Float32Array(count) } : {}),
    ...(has('halfExtents') ? { halfExtents: new Float32Array(dimensions * count) } : {}),
  };
}

function readRow(
  lines: Lines,
  columns: readonly Column[],
  arrays: Mutable,
  row: number,
  { world, most }: TableRules,
): void {
  const text = lines.read();
  if (text === '') throw new ArgumentError(lines.place(), new Phrase('empty'), 'a row: others follow');
  const values = split(text);
  if (values.length !== columns.length) {
    const found = new Phrase(values.length === 1 ? '1 value' : `${values.length} values`);
    throw new ArgumentError(lines.place(), found, `${columns.length}, as line 1 names them`);
  }
  for (const [index, { name, array, axis, width }] of columns.entries()) {
    const given = values[index] as string;
    const refuse = (accepted: string) => {
      throw new ArgumentError(lines.place(undefined, name), quotable(given), accepted);
    };
    const value = NUMBER.test(given) ? Math.fround(Number(given)) : Number.NaN;
    if (array === 'ids') {
      const id = Number(given);
      if (!/^\d+$/.test(given) || id >= most) refuse(`a whole number from 0 to ${most - 1}`);
      arrays.ids[row] = id;
      continue;
    }
    if (!Number.isFinite(value)) refuse('a finite number that fits 32-bit floats');
    if (array === 'velocities' && Math.abs(value) >= GREATEST_SPEED) {
      refuse(`below 2^${Math.log2(GREATEST_SPEED)} in magnitude`);
    }
    if (array === 'positions') {
      const [low, high] = [world.min[axis] as number, world.max[axis] as number];
      if (value < low || value > high) refuse(`from ${low} to ${high}, in the box`);
    }
    (arrays[array] as Float32Array)[width * row + axis] = value;
  }
}

/** Ascending by id, and for each particle its row, where that is another one. */
function sortById(
  lines: Lines,
  arrays: Mutable,
  count: number,
  dimensions: Dimensions,
): { readonly order: Uint32Array | undefined; readonly particles: ParticleArrays } {
  const { ids } = arrays;
  if (ids.every((id, row) => row === 0 || id > (ids[row - 1] as number))) {
    return { order: undefined, particles: arrays };
  }
  const order = Uint32Array.from({ length: count }, (_, row) => row).sort(
    (first, second) => (ids[first] as number) - (ids[second] as number) || first - second,
  );
  for (let index = 1; index < count; index++) {
    const [before, row] = [order[index - 1] as number, order[index] as number];
    if (ids[before] !== ids[row]) continue;
    const accepted = `another one than in line ${before + 2}`;
    throw new ArgumentError(lines.place(row + 2, 'id'), ids[row], accepted);
  }
  const gather = (values: Float32Array, width: number) =>
    values.map(
      (_, index) => values[width * (order[Math.floor(index / width)] as number) + (index % width)] as number,
    );
  const { positions, velocities, radii, halfExtents } = arrays;
  return {
    order,
    particles: {
      ids: Uint32Array.from(order, (row) => ids[row] as number),
      positions: gather(positions, dimensions),
      velocities: gather(velocities, dimensions),
      ...(radii ? { radii: gather(radii, 1) } : {}),
      ...(halfExtents ? { halfExtents: gather(halfExtents, dimensions) } : {}),
    },
  };
}

/** What an error says of `radii[7]` or `halfExtents[7]`, said of the line and the column it came from. */
function blameLine(
  error: unknown,
  lines: Lines,
  lineOf: (particle: number) => number,
  dimensions: Dimensions,
): unknown {
  if (!(error instanceof ArgumentError)) return error;
  const [, array, index] = /^(\w+)\[(\d+)…?\]/.exec(error.argument) ?? [];
  if (index === undefined) return error;
  const isRadius = array === 'radii';
  const width = isRadius ? 1 : dimensions;
  const column = isRadius ? 'radius' : `half_${AXES[Number(index) % dimensions]}`;
  const place = lines.place(lineOf(Math.floor(Number(index) / width)), column);
  return new CellstormError(error.message.replace(error.argument, () => place));
}

function split(text: string): string[] {
  return text.split(',').map((value) => value.trim().replace(/^"(.*)"$/, '$1'));
}

function quotable(text: string): string {
  return text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED)}…` : text;
}
