/**
 * Purpose: what of a liquid may change between two steps, with defaults and checks.
 * Guarantee: a change is checked as a whole before any of it is taken.
 */
import { ArgumentError, checkInteger, checkKnownKeys, checkRange, checkVector } from '../../index';
import { checkEmitters, type Emitter } from './emitters';
import { checkRegion, copyRegion, type FluidRegion } from './regions';

export type Transfer = 'flip' | 'pic' | 'apic';

export interface FluidSettings {
  /** Acceleration. Default 9.81 down the second axis. */
  readonly gravity: readonly number[];
  /** Of 'flip', its share: 1 is FLIP, 0 is PIC. Default 0.97; of other transfers 0. */
  readonly blend: number;
  /** Of what flowed in too much, the share that may be left over. Default 1e-4. */
  readonly tolerance: number;
  /** Iterations of the pressure solver at most. Default 12. */
  readonly mostIterations: number;
  /** Of an excess of particles in a cell, the share that is undone in a substep. Default 0.3; 0: volume may drift. */
  readonly correction: number;
  /** Rounds that keep particles apart in each substep. Default 1; 0: none. */
  readonly separation: number;
  /** Substeps of `step`. Default 2. */
  readonly substeps: number;
  /**
   * Of the kinetic energy, the share that a substep gives up so that total energy does not grow, beside what FLIP carries as
   * noise, before the liquid is lowered by what is still owed. Default 0.001; 0: nothing is taken back, energy may grow a little.
   */
  readonly restraint: number;
  /** Regions that liquid comes from, at most 16. Default none. */
  readonly emitters: readonly Emitter[];
  /** Regions whose liquid is taken away, at most 16. Default none. */
  readonly drains: readonly FluidRegion[];
}

/** What the caller changes. */
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

/** What settings depend on and cannot change. */
export interface SettingsScope {
  readonly dimensions: 2 | 3;
  readonly transfer: Transfer;
  /** From a particle to the next at first. */
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

/** `held` with what `given` says, which may say more. */
export function resolveSettings(
  scope: SettingsScope,
  held: FluidSettings,
  given: FluidSettingsOptions,
): FluidSettings {
  const { dimensions, transfer } = scope;
  if (given.blend !== undefined && given.blend !== held.blend && transfer !== 'flip') {
    throw new ArgumentError('blend', given.blend, "left out, unless transfer is 'flip'");
  }
  const {
    gravity = held.gravity,
    blend = held.blend,
    tolerance = held.tolerance,
    mostIterations = held.mostIterations,
    correction = held.correction,
    separation = held.separation,
    substeps = held.substeps,
    restraint = held.restraint,
    emitters = held.emitters,
    drains = held.drains,
  } = given;
  checkVector('gravity', gravity, dimensions);
  checkRange('blend', blend, 0, 1);
  checkRange('tolerance', tolerance, 1e-6, 0.5);
  checkInteger('mostIterations', mostIterations, 1, MAX_ITERATIONS);
  checkRange('correction', correction, 0, 1);
  checkInteger('separation', separation, 0, 64);
  checkInteger('substeps', substeps, 1, MAX_SUBSTEPS);
  checkRange('restraint', restraint, 0, 1);
  if (!Array.isArray(drains) || drains.length > MAX_DRAINS) {
    throw new ArgumentError('drains', drains, `a list of at most ${MAX_DRAINS} regions`);
  }
  drains.forEach((region: FluidRegion, index) => {
    checkRegion(`drains[${index}]`, region, dimensions);
    const { velocity } = region;
    if (velocity !== undefined)
      throw new ArgumentError(`drains[${index}].velocity`, velocity, 'left out: a drain has none');
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

/** A change between steps, which says nothing else. */
export function changeSettings(
  scope: SettingsScope,
  held: FluidSettings,
  changes: FluidSettingsOptions,
): FluidSettings {
  checkKnownKeys('changes', changes, SETTING_NAMES);
  return resolveSettings(scope, held, changes);
}

export function pickSettings(settings: FluidSettings): FluidSettings {
  return Object.fromEntries(SETTING_NAMES.map((name) => [name, settings[name]])) as unknown as FluidSettings;
}
