/** Reads particles from a file: a state or a table. */
import { describeCount, Phrase } from '../../core/base/errors';
import { checkCheckpoint } from '../../core/simulation/checkpoint';
import { planSimulation } from '../../core/simulation/plan';
import { decodeTable } from '../../core/state/particle-table';
import { capacityOfState, decodeCheckpoint, isStateFile, optionsOfState } from '../../core/state/state-file';
import { ArgumentError, CellstormError, type Checkpoint, type ParticleSimulation } from '../../index';
import { worldFields } from '../model/choices';
import { type Choices, clampValue, type FieldName } from '../model/fields';
import type { Opened } from '../model/opened';
import type { Chooser } from '../session/chooser';
import { notify } from '../support/notes';
import { nextTask } from '../support/save';
import type { Session } from '../view/session';

/** Greatest size of a file. A state of 16 million particles of any kind fits. */
export const MOST_FILE_BYTES = 2 ** 30;
/** Most cells of a state's world. More are probably a mistake, and may not fit into memory. */
const MOST_CELLS = 2 ** 27;

export interface Present {
  readonly simulation: Pick<ParticleSimulation, 'dimensions' | 'radiusRange' | 'boxes' | 'world'>;
  /** A table's particles get the world, settings, obstacles and permitted radii of this checkpoint. */
  readonly checkpoint: Checkpoint;
}

/** Gives up as soon as `isLatest()` is false. */
export async function openFile(
  file: File,
  session: Session,
  chooser: Chooser,
  isLatest: () => boolean,
): Promise<void> {
  checkFileSize(file.name, file.size);
  notify(`Reading ${file.name}.`);
  const bytes = new Uint8Array(await file.arrayBuffer().catch(() => refuseUnread(file.name)));
  const { run } = session;
  const { mostParticles } = chooser;
  if (!isLatest()) return;
  if (!run) throw new CellstormError(`No engine was ready for ${file.name}; open it again.`);
  const { simulation } = run;
  const { method: _ofMethod, ...checkpoint } = await simulation.checkpoint();
  const present = { simulation, checkpoint };
  const opening = openParticles(file.name, bytes, present, mostParticles);
  let step = opening.next();
  while (!step.done && isLatest()) {
    await nextTask();
    step = opening.next();
  }
  if (step.done && isLatest()) await chooser.open(step.value);
}

/** Browsers do not say why they cannot read a file, so the error names possible reasons. */
function refuseUnread(name: string): never {
  throw new CellstormError(
    `${name} cannot be read: it may be a folder, deleted, or too large for the memory.`,
  );
}

export function checkFileSize(name: string, bytes: number): void {
  if (bytes <= MOST_FILE_BYTES) return;
  const accepted = `at most ${MOST_FILE_BYTES} bytes (1 GiB)`;
  throw new ArgumentError(name, new Phrase(`${bytes} bytes long`), accepted);
}

/** `most` is the engine's limit of particles. Yields every few milliseconds while it reads a table. */
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
  if (checkpoint.exact) {
    const found = new Phrase('a state of an exact simulation');
    const accepted = 'one in floats: the playground runs no exact simulations, but "cellstorm simulate" does';
    throw new ArgumentError(name, found, accepted);
  }
  // The capacity must suffice for all ids up to the greatest.
  const capacity = capacityOfState(checkpoint);
  if (capacity > most) {
    const found = new Phrase(`a state of ${describeCount(count)} with ids up to ${capacity - 1}`);
    throw new ArgumentError(name, found, `one with ids below ${most}, the limit here`);
  }
  const fixed = obstacleCountOf(checkpoint);
  if (fixed > most) {
    const found = new Phrase(`a state with ${fixed} obstacles`);
    throw new ArgumentError(name, found, `one with at most ${most} obstacles, the limit here`);
  }
  try {
    const options = optionsOfState(checkpoint);
    const plan = planSimulation(options);
    const { cellCount } = plan.world;
    if (cellCount > MOST_CELLS) {
      throw new CellstormError(
        `${name} is a state of a world of ${cellCount} cells; at most ${MOST_CELLS} are accepted.`,
      );
    }
    // Fill in settings that the state leaves out.
    const complete = { ...checkpoint, settings: checkCheckpoint(checkpoint, plan) };
    // A state stores neither cell size nor `crowds`, so it gets the defaults. A table keeps those of the present run.
    const choices = { cellSize: 1, crowds: false, ...choicesOf(complete) };
    return { name, scene, checkpoint: complete, options, choices };
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    throw new CellstormError(`${name} is an invalid state: ${error.message}`);
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
  const { ids, positions, velocities, radii, halfExtents, loads, ...rest } = present.checkpoint;
  const checkpoint: Checkpoint = { ...rest, time: 0, ...particles };
  return { name, checkpoint, options: optionsOfState(checkpoint), choices: choicesOf(checkpoint) };
}

function obstacleCountOf({ obstacles, dimensions }: Checkpoint): number {
  if (!obstacles) return 0;
  return (ArrayBuffer.isView(obstacles) ? obstacles : obstacles.positions).length / dimensions;
}

/** Returns the choices of a checkpoint. Clamps settings to the ranges of the controls. */
function choicesOf(checkpoint: Checkpoint): Partial<Choices> {
  const { dimensions, settings, period, unbounded, continuous } = checkpoint;
  const periodic = period?.map((length) => length > 0);
  const { walls } = settings;
  const { cellSize: _, crowds: _crowds, ...world } = worldFields({ periodic, unbounded, continuous, walls });
  const { broadPhase, gravity, ...numbers } = settings;
  const clamp = (name: FieldName, value: number) => clampValue(name, String(value)) as number;
  return {
    ...world,
    dimensions,
    broadPhase,
    gravity: clamp('gravity', Math.max(0, -(gravity[1] ?? 0))),
    restitution: clamp('restitution', numbers.restitution),
    friction: clamp('friction', numbers.friction),
    substeps: clamp('substeps', numbers.substeps),
  };
}
