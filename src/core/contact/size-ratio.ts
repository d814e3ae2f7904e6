/** Warns if large particles would sink into the small ones below them. */
import { checkFinite } from '../base/checks';
import { ArgumentError } from '../base/errors';
import type { Dimensions, RadiusRange } from '../world/world';
import { defaultSettings, MAX_SUBSTEPS, type Settings } from './settings';

/**
 * Take a large particle that rests on a small one, which lies on the floor. The weight of the large particle may shrink
 * its gap to the floor by at most this share.
 */
const HELD = 0.02;

/**
 * The gap between the large particle and the floor shrinks by the share
 *   (linear · ratio + square · ratio²) · gravity · substep² / (smallest radius)
 * where `ratio` is the ratio of the radii. The factors were measured with the default relaxation of discs and
 * balls, at ratios from 2 to 100 with 1 to 31 substeps. With half the relaxation, the gap shrinks twice as much.
 */
const SHRINKING: Readonly<Record<Dimensions, { readonly linear: number; readonly square: number }>> = {
  2: { linear: 2.1, square: 0 },
  3: { linear: 2.4, square: 0.64 },
};

/**
 * Returns a warning if the largest particles would sink into the smallest ones below them; otherwise undefined. The
 * warning names the number of substeps that prevents this. `dt` is the time step in seconds, by default 1/60.
 */
export function sizeRatioWarning(
  simulation: {
    readonly dimensions: Dimensions;
    readonly radiusRange: RadiusRange | undefined;
    readonly settings: Settings;
  },
  dt = 1 / 60,
): string | undefined {
  checkFinite('dt', dt);
  if (typeof simulation?.settings !== 'object')
    throw new ArgumentError('simulation', simulation, 'a simulation');
  const { dimensions, radiusRange, settings } = simulation;
  if (!radiusRange) return undefined;
  const { smallest, largest } = radiusRange;
  if (smallest === largest) return undefined;
  const ratio = largest / smallest;
  const weakness = defaultSettings(dimensions, radiusRange).relaxation / settings.relaxation;
  const strength = (weakness * Math.hypot(...settings.gravity) * dt * dt) / smallest;
  const { linear, square } = SHRINKING[dimensions];
  const needed = Math.ceil(Math.sqrt((ratio * (linear + square * ratio) * strength) / HELD));
  if (needed <= settings.substeps) return undefined;
  const advice =
    needed <= MAX_SUBSTEPS
      ? `Set \`substeps\` to ${needed}.`
      : `To hold them takes ${needed} substeps, more than the ${MAX_SUBSTEPS} that are allowed: use radii that differ less, or shorter steps.`;
  const shown = Number(ratio.toPrecision(3));
  return `The largest radius is ${shown} times the smallest. With ${settings.substeps} substeps the largest particles sink into the smallest ones below them. ${advice}`;
}

/** Returns the warnings that do not depend on the engine. `dt` is the time step in seconds. */
export function warningsOf(simulation: Parameters<typeof sizeRatioWarning>[0], dt: number): string[] {
  const ratio = sizeRatioWarning(simulation, dt);
  return ratio === undefined ? [] : [ratio];
}
