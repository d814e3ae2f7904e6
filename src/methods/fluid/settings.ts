/** Defaults and checks of a fluid's settings, which may change between two steps. */
import { checkInteger, checkKnownKeys, checkList, checkRange, checkVector } from '../../core/base/checks';
import { ArgumentError } from '../../core/base/errors';
import { checkEmitters, type Emitter } from './emitters';
import { checkRegion, copyRegion, type FluidRegion } from './regions';

export type Transfer = 'flip' | 'pic' | 'apic';

export interface FluidSettings {
  /** Acceleration, length / s². Default: 9.81 along −y. */
  readonly gravity: readonly number[];
  /** Share of FLIP if the transfer is 'flip': 1 is pure FLIP, 0 is PIC. Default 0.97; 0 for other transfers. */
  readonly blend: number;
  /** The pressure solver stops once this share of the surplus flow into cells is left. Default 1e-4. */
  readonly tolerance: number;
  /** Largest number of iterations of the pressure solver. Default 12. */
  readonly mostIterations: number;
  /** Share of a cell's surplus of particles that a substep corrects. Default 0.3. With 0 the volume may drift. */
  readonly correction: number;
  /** Number of rounds per substep that push particles apart. Default 1. With 0 nothing pushes them apart. */
  readonly separation: number;
  /** Substeps per step. Default 2. */
  readonly substeps: number;
  /**
   * If a substep gained energy, it may remove up to this share of the kinetic energy before it moves particles down.
   * Default 0.001. A substep that gained energy removes FLIP's noise first, then at most this share of the kinetic
   * energy. If that is not enough, the substep lowers particles a little, then removes more kinetic energy. With 0, or
   * while an obstacle moves, substeps remove nothing, and energy may grow.
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

/** The fixed options on which the settings depend. */
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

/** Returns `current`, changed by the settings in `given`. Ignores properties of `given` that are not settings. */
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

/** Like resolveSettings, but rejects properties that are not settings. */
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
