/**
 * Writes and reads particles as comma-separated values, in UTF-8. 32-bit floats keep their bits. The first line names
 * the columns, in any order:
 *   - id
 *   - x, y and (in 3D) z
 *   - vx, vy and (in 3D) vz
 *   - radius, if radii vary
 *   - half_x, half_y and (in 3D) half_z, if particles may be boxes
 * Without the column id, the rows have the ids 0, 1, 2 … Without columns of velocities, the particles are at rest.
 */
import { ArgumentError, CellstormError, describeCount, Phrase } from '../base/errors';
import { sizesOf } from '../particles/sizes';
import type { ParticleArrays, ParticleSimulation } from '../simulation/simulation';
import { type Dimensions, GREATEST_SPEED } from '../world/world';

export interface TableRules
  extends Pick<ParticleSimulation, 'dimensions' | 'radiusRange' | 'boxes' | 'world'> {
  /** All ids must be below this number. */
  readonly most: number;
}

export interface EncodedTable {
  readonly parts: Iterable<string>;
  /** The number of particles that the table leaves out, because their positions are not finite. */
  readonly leftOut: number;
}

const AXES = ['x', 'y', 'z'] as const;
const ROWS_PER_PART = 4096;
const ROWS_PER_STEP = 8192;
const MOST_LINE_BYTES = 2048;
const LINE_FEED = 10;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
/** First bytes of UTF-16, which some spreadsheets call Unicode text. */
const WIDE_MARKS = [
  [0xff, 0xfe],
  [0xfe, 0xff],
] as const;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const [MINUS, PLUS, POINT, COMMA, RETURN, ZERO, NINE] = [45, 43, 46, 44, 13, 48, 57] as const;
/** The byte of the letter `e`, and the bit that turns `E` into `e`. */
const EXPONENT = 101;
const LOWER_CASE = 32;
/**
 * A mantissa of at most MOST_DIGITS digits is an exact double, and so is 10^n for n up to MOST_POWER. So the product or
 * quotient of the two is the double nearest to the decimal.
 */
const MOST_DIGITS = 15;
const MOST_POWER = 22;
const POWERS = Array.from({ length: MOST_POWER + 1 }, (_, power) => Number(`1e${power}`));
const GREATEST_FLOAT = (2 - 2 ** -23) * 2 ** 127;
const BELOW_GREATEST_SPEED = GREATEST_SPEED * (1 - 2 ** -24);
const MOST_QUOTED = 40;

export function encodeTable(particles: ParticleArrays, dimensions: Dimensions): EncodedTable {
  const { ids, positions } = particles;
  const isFiniteAt = (particle: number) => {
    for (let axis = 0; axis < dimensions; axis++) {
      if (!Number.isFinite(positions[dimensions * particle + axis])) return false;
    }
    return true;
  };
  const leftOut = ids.reduce((sum, _, particle) => sum + (isFiniteAt(particle) ? 0 : 1), 0);
  return { parts: partsOf(particles, dimensions, isFiniteAt), leftOut };
}

function* partsOf(
  { ids, positions, velocities, radii, halfExtents }: ParticleArrays,
  dimensions: Dimensions,
  isFiniteAt: (particle: number) => boolean,
): Generator<string> {
  const vectors = [positions, velocities];
  const names = ['id', ...columnsOf('', dimensions), ...columnsOf('v', dimensions)];
  if (radii) names.push('radius');
  if (halfExtents) names.push(...columnsOf('half_', dimensions));
  let part = `${names.join(',')}\n`;
  for (let particle = 0; particle < ids.length; particle++) {
    if (!isFiniteAt(particle)) continue;
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
    if (particle % ROWS_PER_PART === ROWS_PER_PART - 1) {
      yield part;
      part = '';
    }
  }
  yield part;
}

/** Returns a decimal of at most nine digits that is nearer to this 32-bit float than to any other. */
export function formatFloat(value: number): string {
  if (Object.is(value, -0)) return '-0';
  const short = Number(value.toPrecision(8));
  return String(Math.fround(short) === value ? short : Number(value.toPrecision(9)));
}

/**
 * Returns particles in ascending order of id. Errors call the table `name`. Yields often, so that a page stays
 * responsive.
 */
export function* decodeTable(
  bytes: Uint8Array,
  rules: TableRules,
  name = 'the table',
): Generator<void, ParticleArrays> {
  const { dimensions, most } = rules;
  const lines = new Lines(bytes, name);
  const columns = readHeader(lines, rules);
  const count = lines.countRows(most);
  if (count === 0) throw new CellstormError(`${name} has column names, but no particles below them.`);
  if (count > most) {
    const accepted = `the end, since at most ${describeCount(most)} fit`;
    throw new ArgumentError(lines.location(most + 2), new Phrase('another row'), accepted);
  }
  const arrays = allocate(columns, count, dimensions);
  const readPlainRow = plainReader(lines, columns, arrays, rules);
  for (let row = 0; row < count; row++) {
    if (!readPlainRow(row)) readRow(lines, columns, arrays, row, rules);
    if (row % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
  }
  const { order, particles } = yield* sortById(lines, arrays, dimensions);
  const lineOf = (particle: number) => (order?.[particle] ?? particle) + 2;
  try {
    sizesOf('', particles, count, rules);
  } catch (error) {
    throw nameLine(error, lines, lineOf, dimensions);
  }
  return particles;
}

type Mutable = { -readonly [Name in keyof ParticleArrays]: ParticleArrays[Name] };

interface Column {
  readonly name: string;
  readonly array: keyof ParticleArrays;
  /** `width` is how many numbers a particle has in `array`; `axis` is the index of this column among them. */
  readonly axis: number;
  readonly width: number;
}

class Lines {
  private next: number;
  private number = 0;
  private plainEnd = 0;

  constructor(
    private readonly bytes: Uint8Array,
    readonly name: string,
  ) {
    const isWide = WIDE_MARKS.some(([first, second]) => bytes[0] === first && bytes[1] === second);
    if (isWide) throw new ArgumentError(name, new Phrase('in UTF-16'), 'in UTF-8');
    const isMarked = BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte);
    this.next = isMarked ? BYTE_ORDER_MARK.length : 0;
  }

  location(line = this.number, column?: string): string {
    return `${this.name}, line ${line}${column === undefined ? '' : `, column ${column}`}`;
  }

  read(): string {
    const { bytes, next } = this;
    this.number++;
    const feed = bytes.indexOf(LINE_FEED, next);
    const end = feed < 0 ? bytes.length : feed;
    const text = new TextDecoder().decode(bytes.subarray(next, Math.min(end, next + MOST_LINE_BYTES))).trim();
    if (text.includes('\r')) {
      const accepted = 'ended by a line feed, with or without a carriage return before it';
      throw new ArgumentError(this.location(), new Phrase('ended by a carriage return alone'), accepted);
    }
    if (end - next > MOST_LINE_BYTES) {
      const accepted = `at most ${MOST_LINE_BYTES}, with values separated by commas`;
      throw new ArgumentError(this.location(), new Phrase(`${end - next} bytes long`), accepted);
    }
    this.next = end + 1;
    return text;
  }

  /**
   * Reads the next row into `values`; takePlain() then goes on to the row after it. Returns false if the row is
   * unusual: for example, if a value is not a number, or has too many digits. The value with the index `whole` must
   * consist of digits only.
   */
  readPlain(values: Float64Array, whole: number): boolean {
    const { bytes } = this;
    let at = this.next;
    let byte = bytes[at] as number;
    for (let index = 0; index < values.length; index++) {
      if (index > 0) {
        if (byte !== COMMA) return false;
        byte = bytes[++at] as number;
      }
      const begin = at;
      const isNegative = byte === MINUS;
      if (isNegative || byte === PLUS) byte = bytes[++at] as number;
      let [mantissa, digits, exponent] = [0, 0, 0];
      for (; byte >= ZERO && byte <= NINE; byte = bytes[++at] as number, digits++) {
        mantissa = 10 * mantissa + byte - ZERO;
      }
      if (byte === POINT) {
        byte = bytes[++at] as number;
        for (; byte >= ZERO && byte <= NINE; byte = bytes[++at] as number, digits++, exponent--) {
          mantissa = 10 * mantissa + byte - ZERO;
        }
      }
      if (digits === 0 || digits > MOST_DIGITS) return false;
      if ((byte | LOWER_CASE) === EXPONENT) {
        byte = bytes[++at] as number;
        const sign = byte === MINUS ? -1 : 1;
        if (byte === MINUS || byte === PLUS) byte = bytes[++at] as number;
        const first = at;
        let power = 0;
        for (; byte >= ZERO && byte <= NINE; byte = bytes[++at] as number) power = 10 * power + byte - ZERO;
        if (at === first) return false;
        exponent += sign * power;
      }
      if (Math.abs(exponent) > MOST_POWER || (index === whole && at - begin !== digits)) return false;
      const power = POWERS[Math.abs(exponent)] as number;
      const magnitude = exponent < 0 ? mantissa / power : mantissa * power;
      values[index] = isNegative ? -magnitude : magnitude;
    }
    if (byte === RETURN) byte = bytes[++at] as number;
    if (byte !== LINE_FEED && at < bytes.length) return false;
    this.plainEnd = at + 1;
    return true;
  }

  takePlain(): void {
    this.next = this.plainEnd;
    this.number++;
  }

  /** Counts the rows, at most `most` + 1, without blank lines at the end. */
  countRows(most: number): number {
    const { bytes } = this;
    let end = bytes.length;
    while (end > this.next && (bytes[end - 1] as number) <= 32) end--;
    if (end <= this.next) return 0;
    let rows = 1;
    for (let at = bytes.indexOf(LINE_FEED, this.next); at >= 0 && at < end && rows <= most; rows++) {
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
  const accepted = `column names separated by commas, out of ${known.map(({ name }) => name).join(', ')}`;
  if (text === '') throw new ArgumentError(lines.location(), new Phrase('empty'), accepted);
  if (/[;\t]/.test(text) && !text.includes(',')) {
    const separated = text.includes(';') ? 'separated by semicolons' : 'separated by tabs';
    throw new ArgumentError(
      lines.location(),
      new Phrase(separated),
      'separated by commas, with decimal points in numbers',
    );
  }
  const columns = split(text).map((given) => {
    const column = known.find(({ name }) => name === given.toLowerCase());
    if (!column) throw refuseColumn(lines, given, rules, known);
    return column;
  });
  const twice = columns.find((column, index) => columns.indexOf(column) < index);
  if (twice)
    throw new ArgumentError(lines.location(undefined, twice.name), new Phrase('listed twice'), 'listed once');
  const arrays = new Set(columns.map(({ array }) => array)).add('positions');
  const lacking = known.find((column) => arrays.has(column.array) && !columns.includes(column));
  if (lacking) {
    throw new ArgumentError(lines.location(undefined, lacking.name), new Phrase('missing'), 'present');
  }
  if (rules.radiusRange && !arrays.has('radii') && !arrays.has('halfExtents')) {
    const needed = 'present, since here each particle has its own radius';
    throw new ArgumentError(lines.location(undefined, 'radius'), new Phrase('missing'), needed);
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
      ? 'since the running simulation is in 2D'
      : !radiusRange && name === 'radius'
        ? 'since all particles of the running simulation have one radius'
        : !boxes && name.startsWith('half_')
          ? 'since no particle of the running simulation may be a box'
          : undefined;
  const names = known.map((column) => column.name).join(', ');
  const accepted = why ? `left out, ${why}` : `one of ${names}`;
  return new ArgumentError(`${lines.location()}, a column`, quotable(given), accepted);
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

/** Returns a fast reader of rows. It returns false for an unusual row, which readRow then reads or rejects. */
function plainReader(
  lines: Lines,
  columns: readonly Column[],
  arrays: Mutable,
  { world, most }: TableRules,
): (row: number) => boolean {
  const values = new Float64Array(columns.length);
  const whole = columns.findIndex(({ array }) => array === 'ids');
  const outputs = columns.map(({ array, axis, width }) => {
    const [low, high] =
      array === 'ids'
        ? [0, most - 1]
        : array === 'positions'
          ? [world.min[axis] as number, world.max[axis] as number]
          : array === 'velocities'
            ? [-BELOW_GREATEST_SPEED, BELOW_GREATEST_SPEED]
            : [-GREATEST_FLOAT, GREATEST_FLOAT];
    return { target: arrays[array] as Float32Array | Uint32Array, axis, width, low, high };
  });
  return (row) => {
    if (!lines.readPlain(values, whole)) return false;
    for (let index = 0; index < outputs.length; index++) {
      const { target, axis, width, low, high } = outputs[index] as (typeof outputs)[number];
      const value = index === whole ? (values[index] as number) : Math.fround(values[index] as number);
      if (!(value >= low && value <= high)) return false;
      target[width * row + axis] = value;
    }
    lines.takePlain();
    return true;
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
  if (text === '')
    throw new ArgumentError(lines.location(), new Phrase('empty'), 'a row, since rows follow it');
  const values = split(text);
  if (values.length !== columns.length) {
    const found = new Phrase(values.length === 1 ? '1 value' : `${values.length} values`);
    throw new ArgumentError(lines.location(), found, `${columns.length}, one per column name in line 1`);
  }
  for (const [index, { name, array, axis, width }] of columns.entries()) {
    const given = values[index] as string;
    const refuse = (accepted: string) => {
      throw new ArgumentError(lines.location(undefined, name), quotable(given), accepted);
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

/** Sorts particles by id. `order` holds the row of each particle; undefined if the rows were sorted already. */
function* sortById(
  lines: Lines,
  arrays: Mutable,
  dimensions: Dimensions,
): Generator<void, { readonly order: Uint32Array | undefined; readonly particles: ParticleArrays }> {
  const { ids } = arrays;
  if (ids.every((id, row) => row === 0 || id > (ids[row - 1] as number))) {
    return { order: undefined, particles: arrays };
  }
  const order = orderOf(lines, ids);
  const widths = {
    positions: dimensions,
    velocities: dimensions,
    radii: 1,
    halfExtents: dimensions,
  } as const;
  const particles: Mutable = { ...arrays, ids: order.map((row) => ids[row] as number) };
  for (const name of ['positions', 'velocities', 'radii', 'halfExtents'] as const) {
    yield;
    const values = arrays[name];
    if (values) particles[name] = gather(values, order, widths[name]);
  }
  return { order, particles };
}

function gather(values: Float32Array, order: Uint32Array, width: number): Float32Array {
  const gathered = new Float32Array(values.length);
  for (let index = 0; index < order.length; index++) {
    const row = order[index] as number;
    for (let axis = 0; axis < width; axis++) {
      gathered[width * index + axis] = values[width * row + axis] as number;
    }
  }
  return gathered;
}

function orderOf(lines: Lines, ids: Uint32Array): Uint32Array {
  const greatest = ids.reduce((most, id) => Math.max(most, id), 0);
  // One more than the row of each id; 0 if no row has it.
  const rowOf = new Uint32Array(greatest + 1);
  let twice: { readonly id: number; readonly row: number } | undefined;
  ids.forEach((id, row) => {
    if (rowOf[id] === 0) rowOf[id] = row + 1;
    else if (!twice || id < twice.id) twice = { id, row };
  });
  if (twice) {
    const accepted = `different from the id in line ${(rowOf[twice.id] as number) + 1}`;
    throw new ArgumentError(lines.location(twice.row + 2, 'id'), twice.id, accepted);
  }
  return rowOf.filter((row) => row > 0).map((row) => row - 1);
}

/** Replaces `radii[7]` or `halfExtents[7]` in an error message by the line and the column. */
function nameLine(
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
  const location = lines.location(lineOf(Math.floor(Number(index) / width)), column);
  return new CellstormError(error.message.replace(error.argument, () => location));
}

function split(text: string): string[] {
  return text.split(',').map((value) => value.trim().replace(/^"(.*)"$/, '$1'));
}

function quotable(text: string): string {
  return text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED)}…` : text;
}
