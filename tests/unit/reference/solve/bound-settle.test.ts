/**
 * Settles random sums with errors: of one of the sums, or of arithmetic as inaccurate as WGSL allows. A run has only
 * one source of errors, so that no term of the bound hides that another one is missing.
 */
import { describe, expect, it } from 'vitest';
import { deriveSubstep } from '../../../../src/core/contact/settings';
import { planSimulation } from '../../../../src/core/simulation/plan';
import { boundLoad, settleSums, slowDown } from '../../../../src/reference/solve/bound-settle';
import {
  type Approximate,
  accuracyOf,
  across,
  EffectSums,
  inner,
  length,
  scaled,
} from '../../../../src/reference/solve/bound-sums';
import { Random } from '../../../../src/scenes';
import { loadSloppily, SloppyArithmetic, settleSloppily, slowSloppily } from './sloppy';

const STEPS = 1024;
const MOST_ERROR = 1e-5;

class Chance {
  constructor(private readonly random: Random) {}

  between(low: number, high: number): number {
    return low + ((high - low) * this.random.below(STEPS)) / STEPS;
  }

  /** Returns −1, 0 or 1. */
  extreme = () => this.random.between(-1, 1);

  unit(dimensions: number): number[] {
    for (;;) {
      const vector = Array.from({ length: dimensions }, () => this.between(-1, 1));
      const size = length(vector);
      if (size > 0.1 && size <= 1) return scaled(1 / size, vector);
    }
  }
}

const SOURCES = ['change', 'support', 'bearing', 'closing', 'depth', 'strain', 'rounding'] as const;
type Source = (typeof SOURCES)[number];

interface Case {
  readonly source: Source;
  readonly dimensions: 2 | 3;
  readonly chance: Chance;
}

function substepOf({ dimensions, chance }: Case) {
  const corner = (coordinate: number) => new Array<number>(dimensions).fill(coordinate);
  const { world, diameter, settings } = planSimulation({
    dimensions,
    min: corner(0),
    max: corner(8),
    radius: 0.5,
    positions: new Float32Array(0),
    gravity: scaled(8, chance.unit(dimensions)),
  });
  return {
    ...deriveSubstep(world, diameter, settings, 1 / 8),
    kickSpeed: chance.between(0, 0.5),
    friction: chance.between(0, 3) < 1 ? 0 : chance.between(0, 1),
  };
}

/** Returns the differences from the exact result, as shares of the bound. */
function settleOnce(one: Case): Readonly<Record<'push' | 'change' | 'bearing', number>> {
  const { source, dimensions, chance } = one;
  const usual = substepOf(one);
  const { gravity, dt } = usual;
  const up = scaled(-1 / length(gravity), gravity);
  // Some supports are almost perpendicular to gravity, so errors decide whether the particle is held.
  const aside = chance.unit(dimensions);
  const lean = chance.between(0, 4) < 1 ? chance.between(-MOST_ERROR, MOST_ERROR) : chance.between(0, 1);
  const steep = up.map(
    (along, axis) => lean * along + (aside[axis] as number) - inner(aside, up) * (up[axis] as number),
  );
  const support = scaled(chance.between(0.01, 0.3) / length(steep), steep);
  const change = support.map((along, axis) => along + chance.between(0, 0.1) * (aside[axis] as number));
  const closing = chance.between(0, 0.3);
  // Sometimes errors decide whether the change is limited.
  const isAtLimit = chance.between(0, 4) < 1 && closing < length(change);
  const limit = length(change) + chance.between(-MOST_ERROR, MOST_ERROR);
  // Sometimes the change already uses nearly all friction, so errors decide whether any is left.
  const needed = length(across(change, scaled(1 / length(support), support)));
  const isAtFriction = chance.between(0, 4) < 1;
  const substep = {
    ...usual,
    ...(isAtLimit ? { kickSpeed: limit, calmSpeed: limit } : {}),
    ...(isAtFriction ? { friction: (needed + chance.between(0, MOST_ERROR)) / length(support) } : {}),
  };
  const errorOf = (of: Source) => (of === source ? chance.between(0, MOST_ERROR) : 0);
  const errors = { change: errorOf('change'), support: errorOf('support') };
  const numberErrors = {
    bearing: errorOf('bearing'),
    closing: errorOf('closing'),
    depth: errorOf('depth'),
    strain: errorOf('strain'),
  };
  // The limit of deep contacts does not act if `depth` is below 1, and acts in full from 2. The limit of strained
  // contacts depends on `strain` in the same way. Here only one of the two limits acts.
  const beyond = chance.between(0.8, 2.4);
  const isDeep = source !== 'strain';
  const depth = isDeep ? beyond : 0.5;
  const strain = isDeep ? 0.5 : beyond;
  const press = chance.between(0, 2) < 1 ? 0 : chance.between(0, 1);
  // The bearing is at least as large as the length of the support, whatever the errors.
  const bearing = length(support) * (1 + press) + errors.support + numberErrors.bearing;

  const sums = new EffectSums(dimensions);
  const none = new Array<number>(dimensions).fill(0);
  // The sums themselves are not rounded, so their terms have no magnitude.
  sums.change.add({ value: change, error: errors.change, magnitude: 0 });
  sums.support.add({ value: support, error: errors.support, magnitude: 0 });
  sums.bearing.add({ value: [bearing], error: numberErrors.bearing, magnitude: 0 });
  const shares = support.map((along, axis) => Math.abs(along * (up[axis] as number)));
  sums.lift.add({
    value: [-inner(support, up)],
    error: errors.support,
    magnitude: shares.reduce((sum, share) => sum + share, 0),
  });
  sums.closing.add(closing, numberErrors.closing, true);
  sums.depth.add(depth, numberErrors.depth, true);
  sums.strain.add(strain, numberErrors.strain, true);
  const exact = settleSums(substep, accuracyOf(dimensions), sums);

  const arithmetic = new SloppyArithmetic(source === 'rounding' ? chance.extreme : () => 0);
  const moved = (from: readonly number[], error: number) => {
    const way = chance.unit(dimensions);
    return from.map((along, axis) => along + error * (way[axis] as number));
  };
  const settled = settleSloppily(arithmetic, substep, {
    push: none,
    change: moved(change, errors.change),
    support: moved(support, errors.support),
    bearing: bearing + chance.extreme() * numberErrors.bearing,
    closing: closing + chance.extreme() * numberErrors.closing,
    depth: depth + chance.extreme() * numberErrors.depth,
    strain: strain + chance.extreme() * numberErrors.strain,
  });
  const shareOf = (value: readonly number[], bound: { readonly value: readonly number[]; error: number }) => {
    const apart = length(value.map((along, axis) => along - (bound.value[axis] as number)));
    // Differences this small come from rounding in doubles.
    return apart <= 2 ** -48 ? 0 : apart / bound.error;
  };
  return {
    push: shareOf(settled.push, { ...exact.push, error: exact.push.error + dt * 2 ** -48 }),
    change: shareOf(settled.change, exact.change),
    bearing: shareOf([settled.bearing], { value: [exact.bearing.value], error: exact.bearing.error }),
  };
}

describe.each([2, 3] as const)('the bound of settled sums in %dD', (dimensions) => {
  it.each(SOURCES)('covers errors of one source, and is not far above them: %s', (source) => {
    const chance = new Chance(new Random(7));
    const worst = { push: 0, change: 0, bearing: 0 };
    for (let run = 0; run < 4000; run++) {
      const shares = settleOnce({ source, dimensions, chance });
      for (const name of ['push', 'change', 'bearing'] as const)
        worst[name] = Math.max(worst[name], shares[name]);
    }
    if (source !== 'bearing') expect(worst.change).toBeGreaterThan(0.9);
    if (source !== 'support') expect(worst.bearing).toBeGreaterThan(0.9);
    for (const share of Object.values(worst)) expect(share).toBeLessThanOrEqual(1 + 2 ** -10);
  });
});

it('a change of exactly 0 stays 0, even if contacts are strained and `closing` has an error', () => {
  const sums = new EffectSums(2);
  sums.bearing.add({ value: [1], error: 0, magnitude: 0 });
  sums.closing.add(0, 1e-3, true);
  sums.strain.add(16, 0, true);
  const substep = substepOf({ source: 'closing', dimensions: 2, chance: new Chance(new Random(3)) });
  const { change, bearing } = settleSums({ ...substep, kickSpeed: 0, calmSpeed: 0 }, accuracyOf(2), sums);
  expect(change).toEqual({ value: [0, 0], error: 0 });
  expect(bearing).toEqual({ value: 1, error: 0 });
});

const SLOW_SOURCES = ['push', 'change', 'velocity', 'strain', 'rounding'] as const;

describe.each([2, 3] as const)('the bound of slowed velocities in %dD', (dimensions) => {
  it.each(SLOW_SOURCES)('covers errors of one source, and is not far above them: %s', (source) => {
    const chance = new Chance(new Random(13));
    let worst = 0;
    for (let run = 0; run < 4000; run++) {
      const usual = substepOf({ source: 'rounding', dimensions, chance });
      const substep = { ...usual, calmSpeed: chance.between(0, 2) };
      const errorOf = (of: string) => (of === source ? chance.between(0, MOST_ERROR) : 0);
      const vector = (most: number) => scaled(chance.between(0, most), chance.unit(dimensions));
      const push = { value: vector(0.1), error: errorOf('push') };
      const change = { value: vector(0.5), error: errorOf('change') };
      const strain = { value: chance.between(3.8, 5.4), error: errorOf('strain') };
      const isSlow = chance.between(0, 4) < 1;
      const velocity = { value: vector(isSlow ? 2 * MOST_ERROR : 1), error: errorOf('velocity') };
      const off = ({ value, error }: Approximate) => {
        const way = scaled(error, chance.unit(dimensions));
        return value.map((along, axis) => along + (way[axis] as number));
      };
      const sums = {
        push: off(push),
        change: off(change),
        strain: strain.value + chance.extreme() * strain.error,
      };
      const arithmetic = new SloppyArithmetic(source === 'rounding' ? chance.extreme : () => 0);
      const slowed = slowSloppily(arithmetic, substep, sums, off(velocity));
      slowDown(substep, accuracyOf(dimensions), { push, change }, strain, velocity);
      const apart = length(slowed.map((along, axis) => along - (velocity.value[axis] as number)));
      if (apart > 2 ** -48) worst = Math.max(worst, apart / velocity.error);
    }
    if (source !== 'rounding') expect(worst).toBeGreaterThan(0.9);
    expect(worst).toBeLessThanOrEqual(1 + 2 ** -10);
  });
});

const LOAD_SOURCES = ['bearing', 'velocity', 'rounding'] as const;

describe.each([2, 3] as const)('the bound of loads in %dD', (dimensions) => {
  it.each(LOAD_SOURCES)('covers errors of one source, and is not far above them: %s', (source) => {
    const chance = new Chance(new Random(11));
    let worst = 0;
    for (let run = 0; run < 4000; run++) {
      const substep = substepOf({ source: 'rounding', dimensions, chance });
      const before = scaled(chance.between(0, 2), chance.unit(dimensions));
      const bearing = { value: chance.between(0, 1), error: source === 'bearing' ? MOST_ERROR : 0 };
      const way = scaled(chance.between(0, 1), chance.unit(dimensions));
      const velocity = {
        value: before.map((along, axis) => along + (way[axis] as number)),
        error: source === 'velocity' ? MOST_ERROR : 0,
      };
      const body = { position: { value: before, error: 0 }, velocity, bearing };
      const exact = boundLoad(substep, accuracyOf(dimensions), body, before);
      const arithmetic = new SloppyArithmetic(source === 'rounding' ? chance.extreme : () => 0);
      const off = scaled(velocity.error, chance.unit(dimensions));
      const load = loadSloppily(
        arithmetic,
        substep.restSpeed,
        bearing.value + chance.extreme() * bearing.error,
        velocity.value.map((along, axis) => along + (off[axis] as number)),
        before,
      );
      const apart = Math.abs(load - exact.value);
      if (apart > 2 ** -48) worst = Math.max(worst, apart / exact.error);
    }
    expect(worst).toBeGreaterThan(0.9);
    expect(worst).toBeLessThanOrEqual(1 + 2 ** -10);
  });
});

it('a load has a greatest value, and is 0 if restSpeed is almost 0', () => {
  const substep = substepOf({ source: 'rounding', dimensions: 2, chance: new Chance(new Random(5)) });
  const none = { value: [0, 0], error: 0 };
  const body = { position: none, velocity: none, bearing: { value: 1, error: 0 } };
  const { value } = boundLoad({ ...substep, restSpeed: 2 ** -40 }, accuracyOf(2), body, [0, 0]);
  expect(value).toBe(2 ** 24);
  expect(boundLoad({ ...substep, restSpeed: 2 ** -62 }, accuracyOf(2), body, [0, 0])).toEqual({
    value: 0,
    error: 0,
  });
});
