/**
 * Changes that a scene makes while it runs. They depend on simulated time alone, so a restored state continues as if
 * nothing had interrupted the run.
 */
import { checkFinite, checkFunction } from '../core/base/checks';
import { ArgumentError } from '../core/base/errors';
import type { ObstaclesGiven } from '../core/obstacles/obstacles';
import type { ParticleSimulation } from '../core/simulation/simulation';

/** Changes for one step. Properties that are left out stay as they are. */
export interface Driven {
  /** A vector, in units of the strength of the scene's gravity: [0, −1] is the scene's full gravity, downwards. */
  readonly gravity?: readonly number[] | undefined;
  /** All obstacles. Their number never changes. */
  readonly obstacles?: ObstaclesGiven | undefined;
}

/** Returns the changes for a step that begins at `time`, in seconds. */
export type Drive = (time: number) => Driven;

/** The parts of a simulation that a drive uses. */
export type Drivable = Pick<ParticleSimulation, 'time' | 'set' | 'setObstacles'>;

/** Applies a drive, if there is one, before a step. `strength` is that of the scene's gravity, in length / s². */
export function applyDrive(target: Drivable, drive: Drive | undefined, strength: number): void {
  if (!drive) return;
  if (typeof target?.setObstacles !== 'function') throw new ArgumentError('target', target, 'a simulation');
  checkFunction('drive', drive);
  checkFinite('strength', strength);
  const { gravity, obstacles } = drive(target.time);
  if (gravity) target.set({ gravity: gravity.map((along) => along * strength) });
  if (obstacles) target.setObstacles(obstacles);
}

/** Returns whether the drive replaces all obstacles before each step, including those that were added in other ways. */
export function movesObstacles(drive: Drive | undefined): boolean {
  return drive?.(0).obstacles !== undefined;
}

/** Returns the strength of gravity in these settings, length / s². */
export function strengthOf(settings: { readonly gravity?: readonly number[] | undefined }): number {
  const gravity: unknown = settings?.gravity ?? [];
  if (
    typeof settings !== 'object' ||
    settings === null ||
    !Array.isArray(gravity) ||
    !gravity.every(Number.isFinite)
  ) {
    throw new ArgumentError('settings', settings, 'the settings of a scene or of a simulation');
  }
  return Math.hypot(...gravity);
}
