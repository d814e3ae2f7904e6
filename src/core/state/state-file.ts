/**
 * Encodes a checkpoint as bytes, for files and downloads: `cellstorm simulate --out` writes them, `--from` reads them.
 * Layout, little-endian:
 *   - the eight letters CELLSTRM;
 *   - the length of the header (u32, at most 65536);
 *   - the header as JSON, padded with spaces to a multiple of four bytes: version, dimensions, radius, radiusRange if
 *     radii vary, boxes if particles may be, min, max, period or unbounded if the world is so, continuous if fast
 *     particles are followed, count, obstacleCount if there are any, time, settings, and the scene's name if it is
 *     known;
 *   - ids (u32 each), positions and velocities (`dimensions` f32 each), radii with a radiusRange (f32 each), and half
 *     extents with boxes (`dimensions` f32 each);
 *   - positions and sizes of obstacles in the same form.
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
/** In bytes. Headers take less than a thousand; a longer text could fill the memory of the program that parses it. */
const MOST_HEADER = 2 ** 16;

/** A checkpoint with the name of its scene, if known: a scene may move things that no checkpoint stores. */
export interface SceneState extends Checkpoint {
  readonly scene?: string | undefined;
}

/** Accepted scene names, since the page and terminals show them. */
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

/** The header's fields that belong to the state; all others are dropped. */
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
  // A file with boxes stores both sizes of each body; sizes that were left out are 0.
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

/** Returns whether the bytes begin like a state file. */
export function isStateFile(bytes: Uint8Array): boolean {
  return new TextDecoder().decode(bytes.subarray(0, MAGIC.length)) === MAGIC;
}

/**
 * Decodes the bytes of a checkpoint. Throws an error that says what is wrong with the file; settings, time, ids and
 * particles are checked by restore(). Errors call the bytes `argument` and show them as `value`.
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
  if (boxes && !radiusRange) refuse('one whose header has a radiusRange, since it has boxes');
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
  if (bytes.length !== expected) refuse(`${expected} bytes long, according to its header`);
  // Always copies: slice() of a Node Buffer would share its memory.
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
  return {
    ...keepKnown(header),
    ids: new Uint32Array(copy, 0, count),
    positions: take(count * dimensions),
    velocities: take(count * dimensions),
    ...takeSizes(count),
    ...(fixed > 0 ? { obstacles: takeObstacles() } : {}),
  };
}

/** Returns the capacity that makes room for the greatest id. */
export function capacityOfState({ ids }: Checkpoint): number {
  return (ids.at(-1) ?? -1) + 1;
}

/** Returns the checked options for a simulation that can restore the state; restore() then brings the particles. */
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
