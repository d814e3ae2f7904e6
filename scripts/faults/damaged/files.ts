/**
 * Opens damaged state files, particle tables and page addresses. Each `open…` function returns true if the package
 * accepts the input. It throws what the package throws, or a plain Error if the accepted result is not valid.
 */
import { planSimulation } from '../../../src/core/simulation/plan';
import type { SimulationOptions } from '../../../src/core/simulation/simulation';
import { decodeTable, encodeTable } from '../../../src/core/state/particle-table';
import { decodeCheckpoint, encodeCheckpoint, optionsOfState } from '../../../src/core/state/state-file';
import { type CpuSimulation, createCpuSimulation } from '../../../src/cpu';
import { changedFields, chooseScene, defaultChoices } from '../../../src/page/model/choices';
import { type Choices, FIELD_NAMES, FIELDS, type FieldName, refusalOf } from '../../../src/page/model/fields';
import { MOST_ID, readLink, readViewState, writeLink } from '../../../src/page/session/link';
import { CAMERA_RANGES } from '../../../src/page/view/camera';
import { createScene, sceneOptions } from '../../../src/scenes';
import { below, harmBytes, harmObject, type Noise, pick } from './harm';

/** Larger states are planned but not opened, to save memory. */
const MOST_CAPACITY = 200_000;
const MOST_CELLS = 2_000_000;

const DT = 1 / 64;

interface Original {
  readonly simulation: CpuSimulation;
  readonly file: Uint8Array;
  readonly table: Uint8Array;
}

const originals: readonly Original[] = [
  'uniform',
  'gas',
  'periodic',
  'far-apart',
  'mixed',
  'mixed-periodic',
  'bullets',
  'crates',
  'obstacles',
].flatMap((name) =>
  ([2, 3] as const).map((dimensions) => original(sceneOptions(createScene(name, { dimensions, count: 40 })))),
);

function original(options: SimulationOptions): Original {
  const simulation = createCpuSimulation(options);
  simulation.step(DT);
  const { dimensions } = simulation;
  const table = [...encodeTable(simulation.read(), dimensions).parts].join('');
  return {
    simulation,
    file: encodeCheckpoint(simulation.checkpoint()),
    table: new TextEncoder().encode(table),
  };
}

export function openStateFile(noise: Noise): boolean {
  const { file } = pick(noise, originals);
  const harmed =
    noise() < 0.4 ? withHarmedHeader(noise, file) : harmBytes(noise, file, pick(noise, originals).file);
  const state = decodeCheckpoint(harmed);
  const options = optionsOfState(state);
  const { capacity, world, obstacleCapacity } = planSimulation(options);
  if (capacity > MOST_CAPACITY || world.cellCount > MOST_CELLS || obstacleCapacity > MOST_CAPACITY)
    return true;
  const simulation = createCpuSimulation(options);
  simulation.restore(state);
  simulation.step(DT);
  const { count } = simulation.measure();
  const again = decodeCheckpoint(encodeCheckpoint(simulation.checkpoint()));
  if (count !== state.ids.length || again.ids.length !== count) {
    throw new Error(`a state of ${state.ids.length} particles continues with ${count}`);
  }
  return true;
}

/** Damages the JSON of the header, and updates the length that stands before it. */
function withHarmedHeader(noise: Noise, file: Uint8Array): Uint8Array {
  const length = new DataView(file.buffer, file.byteOffset).getUint32(8, true);
  const header = JSON.parse(new TextDecoder().decode(file.subarray(12, 12 + length))) as object;
  const text = JSON.stringify(harmObject(noise, header), (_, value) =>
    typeof value === 'bigint' ? Number(value) : isCircular(value) ? null : value,
  );
  const bytes = new TextEncoder().encode(text.padEnd(Math.ceil(text.length / 4) * 4));
  const harmed = new Uint8Array(12 + bytes.length + file.length - 12 - length);
  harmed.set(file.subarray(0, 12));
  new DataView(harmed.buffer).setUint32(8, bytes.length, true);
  harmed.set(bytes, 12);
  harmed.set(file.subarray(12 + length), 12 + bytes.length);
  return harmed;
}

function isCircular(value: unknown): boolean {
  return Array.isArray(value) && value.includes(value);
}

export function openTable(noise: Noise): boolean {
  const { table, simulation } = pick(noise, originals);
  const { dimensions, radiusRange, boxes, world } = simulation;
  const most = 64;
  const bytes = harmBytes(noise, table, pick(noise, originals).table);
  const reading = decodeTable(bytes, { dimensions, radiusRange, boxes, world, most });
  let step = reading.next();
  while (!step.done) step = reading.next();
  const { ids, positions, velocities, radii, halfExtents } = step.value;
  const isAscending = ids.every((id, index) => id < most && (index === 0 || id > (ids[index - 1] as number)));
  const isWhole =
    positions.length === dimensions * ids.length &&
    velocities.length === positions.length &&
    (radiusRange === undefined || radii?.length === ids.length) &&
    (!boxes || halfExtents?.length === positions.length);
  const areFinite = [...positions, ...velocities].every(Number.isFinite);
  if (isAscending && isWhole && areFinite) return true;
  throw new Error(`a table gives ${ids.length} particles that are not valid`);
}

export function openAddress(noise: Noise): boolean {
  const encoder = new TextEncoder();
  const bytes = harmBytes(noise, encoder.encode(addressOf(noise)), encoder.encode(addressOf(noise)));
  const address = new TextDecoder().decode(bytes);
  const choices = readLink(address);
  const wrong = FIELD_NAMES.find((name) => refusalOf(name, choices[name]) !== undefined);
  if (wrong) throw new Error(`${address} gives ${wrong} the value ${String(choices[wrong])}`);
  const { camera, inspected } = readViewState(address);
  const isCamera =
    camera === undefined ||
    (camera.length === CAMERA_RANGES[choices.dimensions].length && camera.every(Number.isFinite));
  const isId =
    inspected === undefined || (Number.isInteger(inspected) && inspected >= 0 && inspected <= MOST_ID);
  if (!isCamera || !isId)
    throw new Error(`${address} gives the view ${String(camera)} and the id ${inspected}`);
  const again = readLink(writeLink(choices, { camera, inspected }));
  const changed = changedFields(choices, again);
  if (changed.length > 0) throw new Error(`${address} changes ${changed} when it is written and read`);
  return true;
}

function addressOf(noise: Noise): string {
  const scene = pick(noise, FIELDS.scene.options).value;
  const first = chooseScene(defaultChoices(), scene);
  const changes = Object.fromEntries(
    Array.from({ length: 1 + below(noise, 6) }, () => {
      const name: FieldName = pick(noise, FIELD_NAMES);
      return [name, drawValue(noise, name)];
    }).filter(([name]) => name !== 'scene'),
  );
  const choices = { ...first, ...changes } as Choices;
  const camera = CAMERA_RANGES[choices.dimensions].map(([least, most]) => least + (most - least) * noise());
  return `?${writeLink(choices, { camera, isPaused: noise() < 0.5, inspected: below(noise, 1000) })}`;
}

function drawValue(noise: Noise, name: FieldName): unknown {
  const field = FIELDS[name];
  if (field.kind === 'choice') return pick<{ readonly value: unknown }>(noise, field.options).value;
  if (field.kind === 'switch') return noise() < 0.5;
  const value = field.min + (field.max - field.min) * noise() ** 3;
  return 'isWhole' in field && field.isWhole ? Math.round(value) : value;
}
