/**
 * Purpose: particles from a file, in the place of a scene: a state (src/core/state-file.ts) brings its world and settings,
 * a table (src/core/particle-table.ts) goes into those of what runs. Everything here is plain data and pure functions.
 */
import { ArgumentError, CellstormError, describeCount, Phrase } from '../core/errors';
import { decodeTable } from '../core/particle-table';
import {
  type Checkpoint,
  checkCheckpoint,
  type ParticleSimulation,
  planSimulation,
  type SimulationOptions,
} from '../core/simulation';
import { capacityOfState, decodeCheckpoint, isStateFile, optionsOfState } from '../core/state-file';
import { type Drive, GRANULAR_SCENE_NAMES } from '../scenes';
import { capOf, changedFields, effectiveCount, type Hardware, settingsOf, startOfScene } from './choices';
import { type Choices, clampValue, type FieldName, fieldOf } from './fields';
import { formatCount } from './format';

/** Bytes of a file: 16 million particles of any kind as a state, in most forms as a table. */
export const MOST_FILE_BYTES = 2 ** 30;
/** Cells of the world of a state: what is more is a mistake, and no memory for it. */
const MOST_CELLS = 2 ** 27;

/** What a file put in the place of a scene. */
export interface Opened {
  readonly name: string;
  /** What it is a state of, where it says so. */
  readonly scene?: string | undefined;
  readonly checkpoint: Checkpoint;
  /** Of a simulation that takes the checkpoint. */
  readonly options: SimulationOptions;
  /** The file's dimensions and settings, as far as controls can show them. */
  readonly choices: Partial<Choices>;
}

/** What is chosen, and the file that is there instead of the scene. */
export interface Chosen extends Choices {
  readonly opened?: Opened | undefined;
}

/** What runs while a file is opened. */
export interface Present {
  readonly simulation: Pick<ParticleSimulation, 'dimensions' | 'radiusRange' | 'boxes' | 'world'>;
  /** Its state, for what a table does not say. */
  readonly checkpoint: Checkpoint;
  readonly options: SimulationOptions;
}

/** Fields that say which particles a scene makes: of particles from a file they say nothing. */
export const FIELDS_OF_SCENES: readonly FieldName[] = [
  'dimensions',
  'count',
  'size',
  'spread',
  'boxWidth',
  'seed',
];

/** An error of the file's size, before any of it is read. */
export function checkFileSize(name: string, bytes: number): void {
  if (bytes <= MOST_FILE_BYTES) return;
  const accepted = `at most ${MOST_FILE_BYTES} bytes (1 GiB)`;
  throw new ArgumentError(name, new Phrase(`${bytes} bytes long`), accepted);
}

/** `most`: particles that the engine takes. In steps of some milliseconds, so that the page has its turn between them. */
export function* openParticles(
  name: string,
  bytes: Uint8Array,
  present: Present,
  most: number,
): Generator<void, Opened> {
  return isStateFile(bytes) ? openState(name, bytes, most) : yield* openTable(name, bytes, present, most);
}

function openState(name: string, bytes: Uint8Array, most: number): Opened {
  const { scene, ...checkpoint } = decodeCheckpoint(
    bytes,
    name,
    new Phrase(`a state of ${bytes.length} bytes`),
  );
  const count = checkpoint.ids.length;
  // Room is made up to the greatest id.
  const capacity = capacityOfState(checkpoint);
  if (capacity > most) {
    const found = new Phrase(`a state of ${describeCount(count)} with ids up to ${capacity - 1}`);
    throw new ArgumentError(name, found, `one with ids below ${most}, as many as are taken here`);
  }
  // One takes as much as a particle.
  const fixed = obstacleCountOf(checkpoint);
  if (fixed > most) {
    const found = new Phrase(`a state with ${fixed} obstacles`);
    throw new ArgumentError(name, found, `one with at most ${most} of them, as many as are taken here`);
  }
  try {
    const options = optionsOfState(checkpoint);
    const plan = planSimulation(options);
    const { cellCount } = plan.world;
    if (cellCount > MOST_CELLS) {
      throw new CellstormError(
        `${name} is a state of a world of ${cellCount} cells; at most ${MOST_CELLS} are taken.`,
      );
    }
    checkCheckpoint(checkpoint, plan);
    return { name, scene, checkpoint, options, choices: choicesOf(checkpoint) };
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    throw new CellstormError(`${name} is a state in which ${error.message}`);
  }
}

function* openTable(
  name: string,
  bytes: Uint8Array,
  present: Present,
  most: number,
): Generator<void, Opened> {
  const { dimensions, radiusRange, boxes, world } = present.simulation;
  const particles = yield* decodeTable(bytes, { dimensions, radiusRange, boxes, world, most }, name);
  const { ids, positions, velocities, radii, halfExtents, ...rest } = present.checkpoint;
  const checkpoint: Checkpoint = { ...rest, time: 0, ...particles };
  // What a state does not say of the world stays as it runs.
  const { cellSize, crowds } = present.options;
  return {
    name,
    checkpoint,
    options: { ...optionsOfState(checkpoint), cellSize, crowds },
    choices: choicesOf(checkpoint),
  };
}

function obstacleCountOf({ obstacles, dimensions }: Checkpoint): number {
  if (!obstacles) return 0;
  return (ArrayBuffer.isView(obstacles) ? obstacles : obstacles.positions).length / dimensions;
}

/** The dimensions and settings of a state, brought into the ranges of the controls. */
function choicesOf({ dimensions, settings }: Checkpoint): Partial<Choices> {
  const { broadPhase, gravity, ...numbers } = settings;
  const clamp = (name: FieldName, value: number) => clampValue(name, String(value)) as number;
  return {
    dimensions,
    broadPhase,
    gravity: clamp('gravity', Math.max(0, -(gravity[1] ?? 0))),
    restitution: clamp('restitution', numbers.restitution),
    friction: clamp('friction', numbers.friction),
    substeps: clamp('substeps', numbers.substeps),
    iterations: clamp('iterations', numbers.iterations),
  };
}

/**
 * A simulation of what is chosen, with what drives its scene, and the state that it starts from, where that is a file's:
 * a state does not say whether a scene drove it.
 */
export function startOf(
  chosen: Chosen,
  count: number,
): {
  readonly options: SimulationOptions;
  readonly checkpoint?: Checkpoint;
  readonly drive?: Drive | undefined;
} {
  const { opened } = chosen;
  if (!opened) return startOfScene(chosen, count);
  // What was chosen since it was opened wins; everything else stays as the file has it.
  const changes = settingChanges({ ...chosen, ...opened.choices }, chosen);
  const { checkpoint, options } = opened;
  const settings = { ...checkpoint.settings, ...changes } as Checkpoint['settings'];
  return { options: { ...options, ...changes }, checkpoint: { ...checkpoint, settings } };
}

/** What came of a file, and of which scene: its drive is not part of a state. */
export function describeOpened({ name, scene, checkpoint }: Opened): string {
  const count = describeCount(checkpoint.ids.length);
  if (scene === undefined) return `${count} from ${name}.`;
  const without = GRANULAR_SCENE_NAMES.includes(scene) ? ', without what that scene moves' : '';
  return `${count} of the scene ${scene} from ${name}${without}.`;
}

/** Particles at the start. */
export function startCount(chosen: Chosen, hardware: Hardware): number {
  return chosen.opened?.checkpoint.ids.length ?? effectiveCount(chosen, hardware);
}

/** Why an engine and a broad phase are not for as many particles as a file has, which cannot be fewer. */
export function refuseOpened(chosen: Chosen, hardware: Hardware): string | undefined {
  if (!chosen.opened) return undefined;
  const count = startCount(chosen, hardware);
  const cap = capOf({ ...chosen, scene: '', count }, hardware);
  if (!cap || count <= cap.most) return undefined;
  return `${chosen.opened.name} has ${formatCount(count)} particles. ${cap.reason}`;
}

/** The settings that differ between two choices, as the second has them. */
export function settingChanges(from: Choices, to: Choices): Partial<ReturnType<typeof settingsOf>> {
  const changed = changedFields(from, to).filter((name) => fieldOf(name).effect === 'set');
  const settings = Object.entries(settingsOf(to)).filter(([name]) => changed.includes(name as FieldName));
  return Object.fromEntries(settings);
}
