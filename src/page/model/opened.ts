/**
 * Choices in which a file replaces the scene. Returns the state to start from, its number of particles, and why the
 * page refuses the file.
 */
import { describeCount } from '../../core/base/errors';
import type { Checkpoint, Drive, SimulationOptions } from '../../index';
import { isDriven } from '../../scenes';
import { formatCount } from '../support/format';
import { capOf, changedFields, effectiveCount, type Hardware, settingsOf, startOfScene } from './choices';
import { type Choices, type FieldName, fieldOf } from './fields';

export interface Opened {
  readonly name: string;
  /** The scene that the state comes from, if the file names the scene. */
  readonly scene?: string | undefined;
  readonly checkpoint: Checkpoint;
  /** Options of a simulation that accepts the checkpoint. */
  readonly options: SimulationOptions;
  /** The file's dimensions and settings, as far as controls can show them. */
  readonly choices: Partial<Choices>;
}

/** The choices, and the file that replaces the scene. */
export interface Selection extends Choices {
  readonly opened?: Opened | undefined;
}

/** Fields that determine the particles of a scene. They have no effect on particles from a file. */
export const FIELDS_OF_SCENES: readonly FieldName[] = [
  'dimensions',
  'count',
  'size',
  'spread',
  'boxWidth',
  'seed',
];

/** A checkpoint does not contain the drive of its scene, so a simulation from a file has no drive. */
export function startOf(
  chosen: Selection,
  count: number,
): {
  readonly options: SimulationOptions;
  readonly checkpoint?: Checkpoint;
  readonly drive?: Drive | undefined;
} {
  const { opened } = chosen;
  if (!opened) return startOfScene(chosen, count);
  // Choices that were made after the file was opened override the file's settings.
  const changes = settingChanges({ ...chosen, ...opened.choices }, chosen);
  const { checkpoint, options } = opened;
  const settings = { ...checkpoint.settings, ...changes } as Checkpoint['settings'];
  return { options: { ...options, ...changes }, checkpoint: { ...checkpoint, settings } };
}

export function describeOpened({ name, scene, checkpoint }: Opened): string {
  const count = describeCount(checkpoint.ids.length);
  if (scene === undefined) return `${count} from ${name}.`;
  const without = isDriven(scene) ? ', whose gravity and obstacles no longer move' : '';
  return `${count} of the scene ${scene} from ${name}${without}.`;
}

export function startCount(chosen: Selection, hardware: Hardware): number {
  return chosen.opened?.checkpoint.ids.length ?? effectiveCount(chosen, hardware);
}

/** Returns why the chosen engine and broad phase cannot run all particles of the file; undefined if they can. */
export function refuseOpened(chosen: Selection, hardware: Hardware): string | undefined {
  if (!chosen.opened) return undefined;
  const count = startCount(chosen, hardware);
  const cap = capOf({ ...chosen, scene: '', count }, hardware);
  if (!cap || count <= cap.most) return undefined;
  return `${chosen.opened.name} has ${formatCount(count)} particles. ${cap.reason}`;
}

export function settingChanges(from: Choices, to: Choices): Partial<ReturnType<typeof settingsOf>> {
  const changed = changedFields(from, to).filter((name) => fieldOf(name).effect === 'set');
  const settings = Object.entries(settingsOf(to)).filter(([name]) => changed.includes(name as FieldName));
  return Object.fromEntries(settings);
}
