import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../../../src/core/base/errors';
import {
  checkTimeStep,
  defaultSettings,
  deriveSubstep,
  readSavedSettings,
  resolveSettings,
  SETTING_NAMES,
} from '../../../../src/core/contact/settings';
import { defineLevels } from '../../../../src/core/world/level-world';
import { defineWorld } from '../../../../src/core/world/world';

describe('resolveSettings', () => {
  it('has a valid default for every setting', () => {
    for (const dimensions of [2, 3] as const) {
      const settings = resolveSettings(dimensions, defaultSettings(dimensions), {});
      expect(Object.keys(settings).sort()).toEqual([...SETTING_NAMES].sort());
      expect(settings).toEqual(defaultSettings(dimensions));
    }
  });

  it('accepts saved settings with `iterations` 1, and rejects other numbers', () => {
    expect(readSavedSettings('settings', { substeps: 3, iterations: 1 } as object)).toEqual({ substeps: 3 });
    expect(() => readSavedSettings('settings', { iterations: 2 } as object)).toThrow(
      /^settings\.iterations is 2, but it must be 1, because substeps replaced it/,
    );
  });

  it('has a lower default relaxation in 2D for variable radii than for one radius', () => {
    const relaxations = ([2, 3] as const).map((dimensions) =>
      [undefined, { smallest: 1, largest: 1 }, { smallest: 1, largest: 2 }].map(
        (range) => defaultSettings(dimensions, range).relaxation,
      ),
    );
    expect(relaxations).toEqual([
      [0.35, 0.35, 0.3],
      [0.25, 0.25, 0.25],
    ]);
  });

  it('keeps values that are not changed, ignores undefined, and does not modify the base', () => {
    const base = resolveSettings(2, defaultSettings(2), { friction: 0.5 });
    const changed = resolveSettings(2, base, { substeps: 3, friction: undefined });
    expect([changed.friction, changed.substeps, base.substeps]).toEqual([0.5, 3, 8]);
    expect(Object.isFrozen(changed)).toBe(true);
    expect(Object.isFrozen(changed.gravity)).toBe(true);
  });

  it('rounds gravity to 32-bit floats and copies it', () => {
    const gravity = [0, -9.81];
    const settings = resolveSettings(2, defaultSettings(2), { gravity });
    gravity[1] = 0;
    expect(settings.gravity).toEqual([0, Math.fround(-9.81)]);
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['gravity', { gravity: [1, 2, 3] }, /^gravity is \[1, 2, 3\], but it must be 2 finite numbers\.$/],
    ['gravity[1]', { gravity: [0, Number.POSITIVE_INFINITY] }, /^gravity\[1\] is Infinity, .*finite/],
    ['gravity', { gravity: -9.8 }, /^gravity is -9\.8, .*2 finite numbers/],
    ['restitution', { restitution: 1.5 }, /^restitution is 1\.5, but it must be a number from 0 to 1\.$/],
    ['restitution', { restitution: Number.NaN }, /^restitution is NaN, .*from 0 to 1/],
    ['friction', { friction: -0.1 }, /^friction is -0\.1, .*from 0 to 10/],
    ['friction', { friction: '0.1' }, /^friction is "0\.1", .*from 0 to 10/],
    ['substeps', { substeps: 0 }, /^substeps is 0, .*whole number from 1 to 256/],
    ['substeps', { substeps: 2.5 }, /^substeps is 2\.5, .*whole number/],
    ['relaxation', { relaxation: 0 }, /^relaxation is 0, .*from 0\.01 to 1/],
    ['walls', { walls: 1 }, /^walls is 1, but it must be true or false\.$/],
    ['broadPhase', { broadPhase: 'tree' }, /^broadPhase is "tree", .*'grid' or 'naive'/],
    ['settings.bounce', { bounce: 1 }, /^settings\.bounce is 1, .*one of gravity, restitution/],
  ])('rejects a bad %s: %j', (argument, changes, message) => {
    const attempt = () => resolveSettings(2, defaultSettings(2), changes);
    expect(attempt).toThrow(ArgumentError);
    expect(attempt).toThrow(message);
    try {
      attempt();
    } catch (error) {
      expect((error as ArgumentError).argument).toBe(argument);
    }
  });
});

describe('checkTimeStep', () => {
  const simulation = (changes = {}, longestStep = 1) => ({
    settings: resolveSettings(2, defaultSettings(2), changes),
    longestStep,
  });

  it.each([0, 1 / 60, 1e-6, 1])('accepts %d', (dt) => {
    expect(() => checkTimeStep(dt, simulation())).not.toThrow();
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 1e-8, '0.1', undefined, 1e39])('rejects %s', (dt) => {
    expect(() => checkTimeStep(dt, simulation())).toThrow(ArgumentError);
    expect(() => checkTimeStep(dt, simulation())).toThrow(/^dt is .*, but it must be /);
  });

  it('rejects steps that are probably in milliseconds, unless longer steps are allowed', () => {
    for (const gravity of [
      [0, -9.8],
      [0, 0],
    ]) {
      expect(() => checkTimeStep(16, simulation({ gravity }))).toThrow(ArgumentError);
      expect(() => checkTimeStep(16, simulation({ gravity }))).toThrow(
        'dt is 16, but it must be at most 1 s (milliseconds? then pass 0.016; the option `longestStep` allows longer steps).',
      );
    }
    expect(() => checkTimeStep(1000 / 240, simulation())).toThrow(/then pass 0\.00416/);
    expect(() => checkTimeStep(30, simulation({}, 30))).not.toThrow();
    expect(() => checkTimeStep(31, simulation({}, 30))).toThrow(/^dt is 31, but it must be at most 30 s /);
  });
});

describe('deriveSubstep', () => {
  const world = defineWorld({ dimensions: 2, min: [-8, 0], max: [8, 50], cellSize: 1 }, 1);

  it('derives the values that the shaders read', () => {
    const settings = resolveSettings(2, defaultSettings(2), { gravity: [3, -4], substeps: 4 });
    const substep = deriveSubstep(world, 1, settings, 0.5);
    expect(substep).toMatchObject({
      dt: 0.125,
      inverseDt: 8,
      gravity: [3, -4],
      diameter: 1,
      diameterSquared: 1,
      halfRelaxation: Math.fround(0.35 / 2),
      gripShare: Math.fround(0.35 / 2),
      restSpeed: 8 * 5 * 0.125,
      pushSpeed: Math.fround(Math.sqrt(2 * (3 * 16 + 4 * 50))),
      lower: [-7.5, 0.5],
      upper: [7.5, 49.5],
    });
  });

  it('limits the push speed to the speed that holds up eight columns as high as the world', () => {
    const settings = resolveSettings(2, defaultSettings(2), { gravity: [3, -4], substeps: 1 });
    const at = (dt: number) => deriveSubstep(world, 1, settings, dt).pushSpeed;
    expect(at(2 ** -10)).toBe((8 * (3 * 16 + 4 * 50)) / 1024);
    expect(at(2 ** -9)).toBe(2 * at(2 ** -10));
    expect(at(1)).toBe(Math.fround(Math.sqrt(2 * 248)));
    const { kickSpeed, calmSpeed, deepRate, strainRate } = deriveSubstep(world, 1, settings, 2 ** -10);
    expect([kickSpeed, calmSpeed]).toEqual([at(2 ** -10) / 8, 10 / 1024]);
    expect([deepRate, strainRate]).toEqual([16, Math.fround(6 / at(2 ** -10))]);
    const weightless = resolveSettings(2, defaultSettings(2), { gravity: [0, 0], substeps: 1 });
    expect(deriveSubstep(world, 1, weightless, 2 ** -10).strainRate).toBe(0);
    // With twice the diameter, the column has half as many particles.
    expect(deriveSubstep(world, 2, settings, 2 ** -10).pushSpeed).toBe(at(2 ** -10) / 2);
  });

  it('multiplies the limit of the push speed by the cube root of the mass ratio, and parting by the square of this root', () => {
    for (const dimensions of [2, 3] as const) {
      const corner = (coordinate: number) => new Array<number>(dimensions).fill(coordinate);
      const options = { dimensions, min: corner(0), max: corner(16) };
      const gravity = corner(0).with(1, -4);
      const settings = resolveSettings(dimensions, defaultSettings(dimensions), { gravity, substeps: 1 });
      for (const smallest of [1, 0.5, 0.125]) {
        const leveled = defineLevels(options, { smallest, largest: 1 }, 10);
        const { pushSpeed, parting } = deriveSubstep(leveled, 2, settings, 2 ** -20);
        const column = 64 / 2 / 2 ** 20;
        expect(pushSpeed / column).toBeCloseTo(8 * smallest ** (-dimensions / 3), 5);
        expect(parting).toBeCloseTo(2 * smallest ** ((-2 * dimensions) / 3), 4);
      }
    }
  });

  it('has no infinite rate at dt 0, and no push without gravity', () => {
    const substep = deriveSubstep(world, 1, defaultSettings(2), 0);
    expect([substep.dt, substep.inverseDt, substep.restSpeed, substep.pushSpeed, substep.kickSpeed]).toEqual([
      0, 0, 0, 0, 0,
    ]);
  });

  it('returns only 32-bit floats', () => {
    const settings = resolveSettings(2, defaultSettings(2), { gravity: [0.1, -9.81], friction: 0.3 });
    const substep = deriveSubstep(world, 0.7, settings, 1 / 60);
    for (const value of Object.values(substep).flat()) {
      if (typeof value === 'number') expect(Math.fround(value)).toBe(value);
    }
  });

  it('puts walls at the corners of the box for variable radii, since each particle stays its own radius away', () => {
    const radii = { smallest: 0.5, largest: 2 };
    const options = { dimensions: 2, min: [0, -1], max: [16, 15], periodic: [true, false] } as const;
    const world = defineLevels(options, radii, 10);
    const { lower, upper } = deriveSubstep(world, 4, defaultSettings(2), 0.1);
    expect([lower[1], upper[1]]).toEqual([-1, 15]);
    expect([lower[0], upper[0]].every((end) => Math.abs(end as number) > 3e38)).toBe(true);
  });
});
