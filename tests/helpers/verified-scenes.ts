import { expect } from 'vitest';
import { requireScene, scenesOf } from '../../src/scenes';
import type { VerifyCase } from '../../src/verify/verify';

const SIMULATED = [
  ...['grid', 'naive'].flatMap((broadPhase) =>
    ['measures', 'pairs', 'separate', 'step'].map((check) => `${check} ${broadPhase}`),
  ),
  'repeats',
];

const LISTED = ['list', 'events', 'kernel', 'index', 'cell size'];

/** The checks of a scene with one radius and without continuous motion. */
export const CHECKS: readonly string[] = [
  ...['grid', 'boxes and rays', ...SIMULATED, 'queries', 'boxes'],
  ...LISTED,
];

const VARIABLE_RADII_CHECKS = [
  ...['grid', 'pairs', 'pairs cpu', 'boxes and rays', ...SIMULATED, 'queries'],
  ...['events', 'kernel', 'index'],
];

/** Returns a count just above a workgroup's size, or 40 with continuous motion, which is slow on a software GPU. */
export function countIn(scene: string): number {
  return requireScene('collisions', scene).continuous ? 40 : 257;
}

const withPaths = (checks: readonly string[]) => checks.toSpliced(checks.indexOf('repeats'), 0, 'paths');

/** Expects checks by what each scene declares. `verify` instead chooses checks by the particles that it generates. */
export const VERIFIED_SCENES = scenesOf('collisions').map(({ name, variableRadii, hasBoxes, continuous }) => {
  const checks = hasBoxes ? SIMULATED : variableRadii ? VARIABLE_RADII_CHECKS : CHECKS;
  return [name, continuous ? withPaths(checks) : checks] as const;
});

export function expectAllPass(cases: readonly VerifyCase[]): void {
  const failed = cases.filter(({ pass }) => !pass);
  const shown = failed.map(
    (one) => `${one.scene} ${one.dimensions}D ${one.count} ${one.check}: ${one.detail}`,
  );
  expect(shown).toEqual([]);
}
