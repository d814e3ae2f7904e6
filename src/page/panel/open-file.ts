/**
 * Particles from a file, in the place of a scene: a state (src/core/state/state-file.ts) brings its world and settings,
 * a table (src/core/state/particle-table.ts) goes into those of what runs. Everything here is plain data and pure functions. Loaded
 * with the first file.
 */
import { ArgumentError, CellstormError, describeCount, Phrase } from '../../core/base/errors';
import { checkCheckpoint } from '../../core/simulation/checkpoint';
import { planSimulation } from '../../core/simulation/plan';
import type { Checkpoint, ParticleSimulation, SimulationOptions } from '../../core/simulation/simulation';
import { decodeTable } from '../../core/state/particle-table';
import { capacityOfState, decodeCheckpoint, isStateFile, optionsOfState } from '../../core/state/state-file';
import { type Choices, clampValue, type FieldName } from '../model/fields';
import type { Opened } from '../model/opened';

/** Bytes of a file: 16 million particles of any kind as a state, in most forms as a table. */
export const MOST_FILE_BYTES = 2 ** 30;
/** Cells of the world of a state: what is more is a mistake, and no memory for it. */
const MOST_CELLS = 2 ** 27;

/** What runs while a file is opened. */
export interface Present {
  readonly simulation: Pick<ParticleSimulation, 'dimensions' | 'radiusRange' | 'boxes' | 'world'>;
  /** Its state, for what a table does not say. */
  readonly checkpoint: Checkpoint;
  readonly options: SimulationOptions;
}

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
    // Complete: a state may leave out settings that are as usual.
    const complete = { ...checkpoint, settings: checkCheckpoint(checkpoint, plan) };
    return { name, scene, checkpoint: complete, options, choices: choicesOf(complete) };
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
  };
}
