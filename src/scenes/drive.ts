/**
 * Purpose: what a scene changes while it runs: gravity that turns or shakes, obstacles that move.
 * Inputs: simulated time alone. So a run repeats, and a state that is restored goes on as it would have gone on, whoever
 * steps it and whatever gravity and obstacles the state came with.
 */
import type { ObstaclesGiven } from '../core/obstacles/obstacles';
import type { ParticleSimulation } from '../core/simulation/simulation';

/** From one step to the next; what is left out stays as it is. */
export interface Driven {
  /** In strengths of the scene's own gravity. */
  readonly gravity?: readonly number[] | undefined;
  /** All of them, as many at all times. */
  readonly obstacles?: ObstaclesGiven | undefined;
}

/** What holds in a step that begins at this time, in seconds. */
export type Drive = (time: number) => Driven;

/** What is driven. */
export type Drivable = Pick<ParticleSimulation, 'time' | 'set' | 'setObstacles'>;

/** To be called before each step of a scene; `strength`: of gravity, length / s². A scene without a drive is left alone. */
export function applyDrive(target: Drivable, drive: Drive | undefined, strength: number): void {
  if (!drive) return;
  const { gravity, obstacles } = drive(target.time);
  if (gravity) target.set({ gravity: gravity.map((along) => along * strength) });
  if (obstacles) target.setObstacles(obstacles);
}

/** Whether a scene's obstacles are set anew with each step, so that others put there would not stay. */
export function movesObstacles(drive: Drive | undefined): boolean {
  return drive?.(0).obstacles !== undefined;
}

/** The strength of a scene's own gravity. */
export function strengthOf({ gravity = [] }: { readonly gravity?: readonly number[] | undefined }): number {
  return Math.hypot(...gravity);
}
