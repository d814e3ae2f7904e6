/** Defaults and checks of a fluid's settings. */
import { checkInteger, checkKnownKeys, checkList, checkRange, checkVector } from '../../core/base/checks';
import { ArgumentError } from '../../core/base/errors';
import { checkEmitters, type Emitter } from './emitters';
import { checkRegion, copyRegion, type FluidRegion } from './regions';

/** How velocities return from the lattice to the particles. */
export type Transfer = 'flip' | 'pic' | 'apic';

/** The settings, which `set` can change between two steps. */
export interface FluidSettings {
  /** Acceleration, length / s². Default: 9.81 along −y. */
  readonly gravity: readonly number[];
  /** Share of FLIP if the transfer is 'flip', from 0 (PIC) to 1 (pure FLIP). Default: 0.97; 0 for other transfers. */
  readonly blend: number;
  /**
   * The pressure solver stops when only this share of the surplus flow into cells is left, 10⁻⁶ to 0.5. Default: 10⁻⁴.
   */
  readonly tolerance: number;
  /** Most iterations of the pressure solver, 1 to 200. Default: 12. */
  readonly mostIterations: number;
  /**
   * Share of a cell's surplus of particles that a substep corrects, 0 to 1. With 0 the volume may drift. Default: 0.3.
   */
  readonly correction: number;
  /** Rounds per substep that push particles apart, 0 to 64. Default: 1. */
  readonly separation: number;
  /** Substeps per step, 1 to 64. Default: 2. */
  readonly substeps: number;
  /**
   * Limits the growth of energy, 0 to 1. Default: 0.001. With 0, or while an obstacle moves, there is no limit.
   * Otherwise a substep that gained energy removes, in this order and until the gain is gone:
   * 1. the noise that FLIP leaves in the velocities;
   * 2. kinetic energy, at most the share `restraint` of it (without gravity, as much as needed);
   * 3. potential energy: particles sink slightly;
   * 4. more kinetic energy, usually at most 5% of it.
   */
  readonly restraint: number;
  /** Regions that emit fluid, at most 16. Default: none. */
  readonly emitters: readonly Emitter[];
  /** Regions that remove fluid, at most 16. Default: none. */
  readonly drains: readonly FluidRegion[];
}

/** Changes of settings. Settings that are left out stay as they are. */
export type FluidSettingsOptions = {
  readonly [Name in keyof FluidSettings]?: FluidSettings[Name] | undefined;
};

export const SETTING_NAMES = [
  'gravity',
  'blend',
  'tolerance',
  'mostIterations',
  'correction',
  'separation',
  'substeps',
  'restraint',
  'emitters',
  'drains',
] as const satisfies readonly (keyof FluidSettings)[];

export const MAX_DRAINS = 16;
export const MAX_SUBSTEPS = 64;
const MAX_ITERATIONS = 200;

/** The fixed options on which settings depend. */
export interface SettingsScope {
  readonly dimensions: 2 | 3;
  readonly transfer: Transfer;
  /** Initial distance between particles. */
  readonly spacing: number;
  /** Upper corner of the tank. */
  readonly max: readonly number[];
}

export function defaultSettings({ dimensions, transfer }: SettingsScope): FluidSettings {
  return {
    gravity: dimensions === 2 ? [0, -9.81] : [0, -9.81, 0],
    blend: transfer === 'flip' ? 0.97 : 0,
    tolerance: 1e-4,
    mostIterations: 12,
    correction: 0.3,
    separation: 1,
    substeps: 2,
    restraint: 0.001,
    emitters: [],
    drains: [],
  };
}

/** Returns `current` with the settings in `given`, checked. Ignores properties of `given` that are not settings. */
export function resolveSettings(
  scope: SettingsScope,
  current: FluidSettings,
  given: FluidSettingsOptions,
): FluidSettings {
  const { dimensions, transfer } = scope;
  if (given.blend !== undefined && given.blend !== current.blend && transfer !== 'flip') {
    throw new ArgumentError('blend', given.blend, "left out, unless transfer is 'flip'");
  }
  const {
    gravity = current.gravity,
    blend = current.blend,
    tolerance = current.tolerance,
    mostIterations = current.mostIterations,
    correction = current.correction,
    separation = current.separation,
    substeps = current.substeps,
    restraint = current.restraint,
    emitters = current.emitters,
    drains = current.drains,
  } = given;
  checkVector('gravity', gravity, dimensions);
  checkRange('blend', blend, 0, 1);
  checkRange('tolerance', tolerance, 1e-6, 0.5);
  checkInteger('mostIterations', mostIterations, 1, MAX_ITERATIONS);
  checkRange('correction', correction, 0, 1);
  checkInteger('separation', separation, 0, 64);
  checkInteger('substeps', substeps, 1, MAX_SUBSTEPS);
  checkRange('restraint', restraint, 0, 1);
  checkList('drains', drains, MAX_DRAINS, 'regions').forEach((region: FluidRegion, index) => {
    checkRegion(`drains[${index}]`, region, dimensions);
    const { velocity } = region;
    if (velocity !== undefined)
      throw new ArgumentError(
        `drains[${index}].velocity`,
        velocity,
        'left out, because a drain has no velocity',
      );
  });
  return {
    gravity: Array.from(gravity),
    blend,
    tolerance,
    mostIterations,
    correction,
    separation,
    substeps,
    restraint,
    emitters: checkEmitters(emitters, scope),
    drains: drains.map(copyRegion),
  };
}

/** Works like resolveSettings, but rejects properties of `changes` that are not settings. */
export function changeSettings(
  scope: SettingsScope,
  current: FluidSettings,
  changes: FluidSettingsOptions,
): FluidSettings {
  checkKnownKeys('changes', changes, SETTING_NAMES);
  return resolveSettings(scope, current, changes);
}

export function pickSettings(settings: FluidSettings): FluidSettings {
  return Object.fromEntries(SETTING_NAMES.map((name) => [name, settings[name]])) as unknown as FluidSettings;
}
