/** The visitor's choices after opening a file, whose particles replace those of the scene. */
import { describeCount } from '../../core/base/errors';
import type { Checkpoint, Drive, SimulationOptions } from '../../index';
import { isDriven, smallestDiameter } from '../../scenes';
import { formatCount } from '../support/format';
import { changedFields, settingsOf, startOfScene } from './choices';
import { type Choices, type FieldName, fieldOf } from './fields';
import { capOf, effectiveCount, type Hardware } from './limits';

export interface Opened {
  readonly name: string;
  /** The state's scene, if the file names it. */
  readonly scene?: string | undefined;
  readonly checkpoint: Checkpoint;
  readonly options: SimulationOptions;
  /** The file's dimensions, world and settings, as far as controls show them. */
  readonly choices: Partial<Choices>;
}

export interface Selection extends Choices {
  readonly opened?: Opened | undefined;
}

/** These fields set up a scene. They do not apply to a file, which has its own particles and world. */
export const FIELDS_OF_SCENES: readonly FieldName[] = [
  'dimensions',
  'count',
  'size',
  'spread',
  'boxWidth',
  'seed',
  'periodicX',
  'periodicY',
  'periodicZ',
  'unbounded',
  'continuous',
];

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
  // Choices made after opening override the file's settings.
  const changes = settingChanges({ ...chosen, ...opened.choices }, chosen);
  const { checkpoint, options } = opened;
  const settings = { ...checkpoint.settings, ...changes } as Checkpoint['settings'];
  const { cellSize, crowds } = chosen;
  // A file holds neither cell size nor crowds. With variable radii, crowds cannot be off.
  const cells = {
    cellSize: cellSize === 1 ? undefined : cellSize * smallestDiameter(checkpoint),
    crowds: crowds || undefined,
  };
  return { options: { ...options, ...changes, ...cells }, checkpoint: { ...checkpoint, settings } };
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

/** Says why the engine and broad phase cannot run the file; undefined if they can. */
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
