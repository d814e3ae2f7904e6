/**
 * What is chosen, and a file in the place of its scene: what a simulation starts from, with how many particles, and
 * what of it is refused. Everything here is plain data and pure functions; open-file.ts reads files.
 */
import { describeCount } from '../../core/base/errors';
import type { Checkpoint, SimulationOptions } from '../../core/simulation/simulation';
import { type Drive, isDriven } from '../../scenes';
import { formatCount } from '../support/format';
import { capOf, changedFields, effectiveCount, type Hardware, settingsOf, startOfScene } from './choices';
import { type Choices, type FieldName, fieldOf } from './fields';

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

/** Fields that say which particles a scene makes: of particles from a file they say nothing. */
export const FIELDS_OF_SCENES: readonly FieldName[] = [
  'dimensions',
  'count',
  'size',
  'spread',
  'boxWidth',
  'seed',
];

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
  const without = isDriven(scene) ? ', without what that scene moves' : '';
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
