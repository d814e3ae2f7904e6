/**
 * Purpose: a checkpoint as bytes, for files and downloads: what `cellstorm simulate --out` writes and
 * `--from` reads.
 * Layout, little-endian: the eight letters CELLSTRM, the header's length (u32, at most 65536), the header (JSON: version,
 * dimensions, radius, radiusRange where there is one, boxes where particles may be, min, max, period or unbounded
 * where the world is so, continuous where paths are followed, count, obstacleCount where there are any, time,
 * settings, and the name of the scene where it is known) padded with spaces to a multiple of four, ids (u32 each), positions and velocities (`dimensions` f32
 * each), where there is a radiusRange radii (f32 each), where there are boxes half extents (`dimensions` f32 each),
 * and of obstacles positions and sizes, in the same way.
 */

import { ArgumentError } from '../base/errors';
import { readSavedSettings, type Settings } from '../contact/settings';
import type { ObstaclesGiven } from '../obstacles/obstacles';
import type { GivenSizes } from '../particles/sizes';
import { MAX_PARTICLES } from '../simulation/ids';
import { planSimulation } from '../simulation/plan';
import type { Checkpoint, SimulationOptions } from '../simulation/simulation';
import type { Dimensions, RadiusRange } from '../world/world';

const MAGIC = 'CELLSTRM';
/** Bytes: headers take less than one thousand, and text of any length can be made to fill the memory of who parses it. */
const MOST_HEADER = 2 ** 16;

/** With the name of the scene that it is a state of, where that is known: scenes may move what no checkpoint holds. */
export interface SceneState extends Checkpoint {
  readonly scene?: string | undefined;
}

/** Of a scene: it is shown on the page and in terminals. */
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
  readonly time: number;
  readonly settings: Settings;
  readonly scene?: string | undefined;
}

/** What of a header is part of the state as it stands; whatever else may be in one is left out. */
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
  const { ids, positions, velocities, radii, halfExtents, obstacles, ...rest } = checkpoint;
  const { boxes, dimensions, radiusRange } = checkpoint;
  const fixed = obstacles && (ArrayBuffer.isView(obstacles) ? { positions: obstacles } : obstacles);
  const obstacleCount = (fixed?.positions.length ?? 0) / dimensions;
  const header: Header = { ...rest, count: ids.length, ...(fixed ? { obstacleCount } : {}) };
  const json = JSON.stringify(header);
  const text = new TextEncoder().encode(json.padEnd(Math.ceil(json.length / 4) * 4));
  // All boxes, or all balls: what need not be said is 0.
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

/** Whether bytes begin as those of a state do. */
export function isStateFile(bytes: Uint8Array): boolean {
  return new TextDecoder().decode(bytes.subarray(0, MAGIC.length)) === MAGIC;
}

/**
 * The checkpoint of such bytes, or an error that says what is wrong; settings, time, ids and particles are
 * checked on restore. `argument` and `value` are what the error calls the bytes.
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
  if (begin > bytes.length) refuse(`at least ${begin} bytes long, as it says where its header ends`);
  if (headerBytes > MOST_HEADER) refuse(`one whose header is at most ${MOST_HEADER} bytes long`);
  const header = parseHeader(bytes.subarray(12, begin));
  if (header?.version !== 1 || (header.dimensions !== 2 && header.dimensions !== 3)) {
    return refuse('one with a readable header of version 1');
  }
  const { count, obstacleCount, dimensions, min, max, period, unbounded, continuous } = header;
  const { settings, radiusRange, boxes, scene } = header;
  if (!isVector(min, dimensions) || !isVector(max, dimensions)) {
    refuse(`one whose header has ${dimensions} finite numbers as min and as max`);
  }
  if (period !== undefined && !isVector(period, dimensions)) {
    refuse(`one whose header has ${dimensions} finite numbers as period, or none`);
  }
  for (const [name, value] of Object.entries({ unbounded, continuous, boxes })) {
    if (value !== undefined && value !== true) refuse(`one whose header has true as ${name}, or none`);
  }
  if (radiusRange !== undefined && !isRange(radiusRange)) {
    refuse('one whose header has the numbers smallest and largest as radiusRange, or none');
  }
  if (boxes && !radiusRange) refuse('one whose header has a radiusRange where it has boxes');
  for (const [name, number] of [
    ['count', count],
    ['obstacleCount', obstacleCount ?? 0],
  ] as const) {
    if (Number.isInteger(number) && number >= 0 && number <= MAX_PARTICLES) continue;
    refuse(`one whose header has a whole number from 0 to ${MAX_PARTICLES} as ${name}`);
  }
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) {
    refuse('one whose header has an object as settings');
  }
  if (scene !== undefined && !(typeof scene === 'string' && SCENE_NAME.test(scene))) {
    refuse('one whose header has a name of small letters, digits and hyphens as scene, or none');
  }
  const fixed = obstacleCount ?? 0;
  const ofSize = (radiusRange ? 1 : 0) + (boxes ? dimensions : 0);
  const words = count * (1 + 2 * dimensions + ofSize) + fixed * (dimensions + ofSize);
  const expected = begin + 4 * words;
  if (bytes.length !== expected) refuse(`${expected} bytes long, as its header says`);
  // A copy whatever kind of array came in: a Node Buffer's own slice would share memory.
  const copy = new Uint8Array(bytes.subarray(begin)).buffer;
  let offset = 4 * count;
  const take = (numbers: number) => {
    const taken = new Float32Array(copy, offset, numbers);
    offset += 4 * numbers;
    return taken;
  };
  const takeSizes = (of: number) => ({
    ...(radiusRange ? { radii: take(of) } : {}),
    ...(boxes ? { halfExtents: take(of * dimensions) } : {}),
  });
  const takeObstacles = (): ObstaclesGiven => {
    const positions = take(fixed * dimensions);
    return radiusRange ? { positions, ...takeSizes(fixed) } : positions;
  };
  return {
    ...keepKnown(header),
    ids: new Uint32Array(copy, 0, count),
    positions: take(count * dimensions),
    velocities: take(count * dimensions),
    ...takeSizes(count),
    ...(fixed > 0 ? { obstacles: takeObstacles() } : {}),
  };
}

/** Room for the greatest id. */
export function capacityOfState({ ids }: Checkpoint): number {
  return (ids.at(-1) ?? -1) + 1;
}

/** The world of a state, checked; its particles come with restore(), room for its obstacles must be made. */
export function optionsOfState(state: Checkpoint): SimulationOptions {
  const { dimensions, radius, radiusRange, boxes, min, max, period, unbounded, continuous, obstacles } =
    state;
  // An unbounded world takes no box.
  const world = unbounded ? { unbounded } : { min, max, periodic: period?.map((length) => length > 0) };
  const sizes = radiusRange ? { radiusRange, boxes } : { radius };
  const capacity = capacityOfState(state);
  const settings = readSavedSettings('settings', state.settings);
  const options = { ...settings, dimensions, ...sizes, ...world, continuous, obstacles, capacity };
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

function isRange(value: unknown): value is RadiusRange {
  const { smallest, largest } = (value ?? {}) as Partial<RadiusRange>;
  return [smallest, largest].every(Number.isFinite);
}

function isVector(value: unknown, dimensions: Dimensions): boolean {
  return Array.isArray(value) && value.length === dimensions && value.every(Number.isFinite);
}
