/**
 * Encodes a checkpoint as a state file, and decodes it. Layout, little-endian:
 *   - the eight letters CELLSTRM
 *   - the length of the header in bytes (u32, at most 65536)
 *   - the header, with the fields of `Header` below: JSON, padded with spaces to a multiple of four bytes
 *   - the particles' ids (u32 each)
 *   - their positions, then their velocities (`dimensions` f32 each)
 *   - their radii (f32 each), if the header has a `radiusRange`
 *   - their half extents (`dimensions` f32 each), if the header has `boxes`
 *   - the obstacles' positions, radii and half extents in the same form
 *   - the particles' loads (f32 each), if the header has `loads`
 *   - the exact positions, then the exact velocities (`dimensions` i32 each), if the header has `exactSteps`
 */

import { ArgumentError } from '../base/errors';
import { readSavedSettings, type Settings } from '../contact/settings';
import type { ObstaclesGiven } from '../obstacles/obstacles';
import type { GivenSizes } from '../particles/sizes';
import { MAX_PARTICLES } from '../simulation/ids';
import { planSimulation } from '../simulation/plan';
import type { Checkpoint, ExactArrays, SimulationOptions } from '../simulation/simulation';
import type { Dimensions, RadiusRange } from '../world/world';

const MAGIC = 'CELLSTRM';
/** Greatest length of a header: parsing a much longer text could fill the memory. */
const MOST_HEADER = 2 ** 16;
const MOST_QUOTED = 40;

/**
 * A checkpoint and the name of its scene, if known. Only the name tells how gravity and obstacles of a driven scene
 * follow time.
 */
export interface SceneState extends Checkpoint {
  readonly scene?: string | undefined;
}

/** Only simple names are allowed, because the page and terminals show them. */
const SCENE_NAME = /^[a-z0-9-]{1,100}$/;

interface Header {
  readonly version: 1;
  readonly dimensions: Dimensions;
  readonly radius: number;
  readonly radiusRange?: RadiusRange | undefined;
  readonly boxes?: true | undefined;
  readonly min: readonly number[];
  readonly max: readonly number[];
  readonly period?: readonly number[] | undefined;
  readonly unbounded?: true | undefined;
  readonly continuous?: true | undefined;
  readonly count: number;
  readonly obstacleCount?: number | undefined;
  readonly loads?: true | undefined;
  readonly exactSteps?: number | undefined;
  readonly time: number;
  readonly settings: Settings;
  readonly scene?: string | undefined;
}

const KEPT = [
  'version',
  'dimensions',
  'radius',
  'radiusRange',
  'boxes',
  'min',
  'max',
  'period',
  'unbounded',
  'continuous',
  'time',
  'settings',
  'scene',
] as const satisfies readonly (keyof Header)[];

export function encodeCheckpoint(checkpoint: SceneState): Uint8Array {
  const { ids, positions, velocities, radii, halfExtents, loads, obstacles, exact, ...rest } = checkpoint;
  const { boxes, dimensions, radiusRange } = checkpoint;
  const fixed = obstacles && (ArrayBuffer.isView(obstacles) ? { positions: obstacles } : obstacles);
  const obstacleCount = (fixed?.positions.length ?? 0) / dimensions;
  const header: Header = {
    ...rest,
    count: ids.length,
    ...(fixed ? { obstacleCount } : {}),
    ...(loads ? { loads: true } : {}),
    ...(exact ? { exactSteps: exact.steps } : {}),
  };
  const json = JSON.stringify(header);
  const text = new TextEncoder().encode(json.padEnd(Math.ceil(json.length / 4) * 4));
  // With boxes, the file has radii and half extents of all bodies. Arrays that the checkpoint leaves out become 0.
  const sizesOf = (sizes: GivenSizes, count: number) => [
    ...(radiusRange ? [sizes.radii ?? new Float32Array(count)] : []),
    ...(boxes ? [sizes.halfExtents ?? new Float32Array(dimensions * count)] : []),
  ];
  const arrays = [
    ids,
    positions,
    velocities,
    ...sizesOf({ radii, halfExtents }, ids.length),
    ...(fixed ? [fixed.positions, ...sizesOf(fixed, obstacleCount)] : []),
    ...(loads ? [loads] : []),
    ...(exact ? [exact.positions, exact.velocities] : []),
  ];
  const bytes = new Uint8Array(12 + text.length + arrays.reduce((sum, array) => sum + array.byteLength, 0));
  bytes.set(new TextEncoder().encode(MAGIC));
  new DataView(bytes.buffer).setUint32(8, text.length, true);
  bytes.set(text, 12);
  let offset = 12 + text.length;
  for (const array of arrays) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), offset);
    offset += array.byteLength;
  }
  return bytes;
}

export function isStateFile(bytes: Uint8Array): boolean {
  return new TextDecoder().decode(bytes.subarray(0, MAGIC.length)) === MAGIC;
}

/**
 * Decodes a state file. Checks its form; restore() checks the values. Errors call the file `argument` and describe it
 * as `value`.
 */
export function decodeCheckpoint(
  bytes: Uint8Array,
  argument = 'the state file',
  value: unknown = bytes,
): SceneState {
  const refuse = (accepted: string): never => {
    throw new ArgumentError(argument, value, accepted);
  };
  if (bytes.length < 12 || !isStateFile(bytes)) {
    refuse(`a file that begins with ${MAGIC}, as written by "cellstorm simulate --out"`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headerBytes = view.getUint32(8, true);
  const begin = 12 + headerBytes;
  if (begin > bytes.length) refuse(`at least ${begin} bytes long, since its header ends there`);
  if (headerBytes > MOST_HEADER) refuse(`one whose header is at most ${MOST_HEADER} bytes long`);
  const header = parseHeader(bytes.subarray(12, begin));
  if (header?.version !== 1) return refuse('one with a readable header of version 1');
  const refuseField = (name: keyof Header, accepted: string): never => {
    return refuse(`one whose header field ${name} is ${accepted}, not ${describeField(header[name])}`);
  };
  const { count, obstacleCount, dimensions, min, max, period, unbounded, continuous } = header;
  const { settings, radiusRange, boxes, loads, exactSteps, scene } = header;
  if (dimensions !== 2 && dimensions !== 3) return refuseField('dimensions', '2 or 3');
  for (const [name, vector] of Object.entries({ min, max, period: period === undefined ? min : period })) {
    if (isVector(vector, dimensions)) continue;
    refuseField(name as keyof Header, `a list of ${dimensions} finite numbers`);
  }
  for (const [name, value] of Object.entries({ unbounded, continuous, boxes, loads })) {
    if (value !== undefined && value !== true) refuseField(name as keyof Header, 'true or left out');
  }
  if (radiusRange !== undefined && !isRange(radiusRange)) {
    refuseField('radiusRange', 'left out or has the numbers smallest and largest');
  }
  if (boxes && !radiusRange) refuse('one whose header has a radiusRange, since it has boxes');
  if (loads && !radiusRange) refuse('one whose header has a radiusRange, since it has loads');
  if (exactSteps !== undefined && !(Number.isSafeInteger(exactSteps) && exactSteps >= 0)) {
    refuseField('exactSteps', 'left out or a whole number of at least 0');
  }
  for (const [name, number] of [
    ['count', count],
    ['obstacleCount', obstacleCount ?? 0],
  ] as const) {
    if (Number.isInteger(number) && number >= 0 && number <= MAX_PARTICLES) continue;
    refuseField(name, `a whole number from 0 to ${MAX_PARTICLES}`);
  }
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) {
    refuseField('settings', 'an object');
  }
  if (scene !== undefined && !(typeof scene === 'string' && SCENE_NAME.test(scene))) {
    refuseField('scene', 'left out or a name of small letters, digits and hyphens');
  }
  const fixed = obstacleCount ?? 0;
  const sizeWords = (radiusRange ? 1 : 0) + (boxes ? dimensions : 0);
  const exactWords = exactSteps === undefined ? 0 : 2 * dimensions;
  const ownWords = 1 + 2 * dimensions + sizeWords + (loads ? 1 : 0) + exactWords;
  const words = count * ownWords + fixed * (dimensions + sizeWords);
  const expected = begin + 4 * words;
  if (bytes.length !== expected) refuse(`${expected} bytes long, according to its header`);
  // Always copy: slice() of a Node Buffer would share its memory.
  const copy = new Uint8Array(bytes.subarray(begin)).buffer;
  let offset = 4 * count;
  const take = (numbers: number) => {
    const taken = new Float32Array(copy, offset, numbers);
    offset += 4 * numbers;
    return taken;
  };
  const takeSizes = (bodies: number) => ({
    ...(radiusRange ? { radii: take(bodies) } : {}),
    ...(boxes ? { halfExtents: take(bodies * dimensions) } : {}),
  });
  const takeObstacles = (): ObstaclesGiven => {
    const positions = take(fixed * dimensions);
    return radiusRange ? { positions, ...takeSizes(fixed) } : positions;
  };
  const takeExact = (steps: number): ExactArrays => {
    const takeWords = () => {
      const { buffer, byteOffset, length } = take(count * dimensions);
      return new Int32Array(buffer, byteOffset, length);
    };
    return { steps, positions: takeWords(), velocities: takeWords() };
  };
  return {
    ...keepKnown(header),
    ids: new Uint32Array(copy, 0, count),
    positions: take(count * dimensions),
    velocities: take(count * dimensions),
    ...takeSizes(count),
    ...(fixed > 0 ? { obstacles: takeObstacles() } : {}),
    ...(loads ? { loads: take(count) } : {}),
    ...(exactSteps === undefined ? {} : { exact: takeExact(exactSteps) }),
  };
}

export function capacityOfState({ ids }: Checkpoint): number {
  return (ids.at(-1) ?? -1) + 1;
}

/** Returns options with the obstacles of a state, but without its particles: restore() adds those. */
export function optionsOfState(state: Checkpoint): SimulationOptions {
  const { dimensions, radius, radiusRange, boxes, min, max, period, unbounded, continuous, obstacles } =
    state;
  const exact = state.exact ? { exact: true } : {};
  const world = unbounded ? { unbounded } : { min, max, periodic: period?.map((length) => length > 0) };
  const sizes = radiusRange ? { radiusRange, boxes } : { radius };
  const capacity = capacityOfState(state);
  const settings = readSavedSettings('settings', state.settings);
  const options = { ...settings, dimensions, ...sizes, ...world, continuous, ...exact, obstacles, capacity };
  planSimulation(options);
  return options;
}

function keepKnown(header: Header): Pick<Header, (typeof KEPT)[number]> {
  const kept = KEPT.flatMap((name) => (header[name] === undefined ? [] : [[name, header[name]]]));
  return Object.fromEntries(kept);
}

function parseHeader(bytes: Uint8Array): Header | undefined {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as Header;
  } catch {
    return undefined;
  }
}

/** Describes any value, without control characters and without recursion. */
function describeField(value: unknown): string {
  if (value === undefined) return 'missing';
  if (Array.isArray(value)) return `a list of length ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return JSON.stringify(value)
    .replace(/[^ -~]/g, '?')
    .slice(0, MOST_QUOTED);
}

function isRange(value: unknown): value is RadiusRange {
  const { smallest, largest } = (value ?? {}) as Partial<RadiusRange>;
  return [smallest, largest].every(Number.isFinite);
}

function isVector(value: unknown, dimensions: Dimensions): boolean {
  return Array.isArray(value) && value.length === dimensions && value.every(Number.isFinite);
}
