import { describe, expect, it } from 'vitest';
import { BOUNCE_PUSH, COINCIDENT_SQUARED, NO_PARTNER } from '../../../../src/core/base/constants';
import { deriveSubstep, type SettingsOptions, type Substep } from '../../../../src/core/contact/settings';
import type { Shapes } from '../../../../src/core/particles/shapes';
import { planSimulation } from '../../../../src/core/simulation/plan';
import type { Dimensions, World } from '../../../../src/core/world/world';
import { createCpuSimulation } from '../../../../src/cpu/index';
import { buildGrid, type Grid } from '../../../../src/reference/grid/grid';
import { probeCells } from '../../../../src/reference/query/probe';
import { resolveBound } from '../../../../src/reference/solve/bound';
import { coincidentNormal, minimumImageInDoubles } from '../../../../src/reference/solve/contact';
import type { Box } from '../../../../src/reference/solve/contact-law';
import { integrate } from '../../../../src/reference/solve/integrate';
import { findPartners } from '../../../../src/reference/solve/partner';
import { boxOf, pushApart, resolveContacts } from '../../../../src/reference/solve/resolve';
import { createScene, Random, sceneNames, sceneOptions } from '../../../../src/scenes';
import { loadSloppily, SloppyArithmetic, settleSloppily, slowSloppily } from './sloppy';

/** The contact law in doubles. A seed chooses the error of each result, up to what WGSL allows. */
class SloppyDevice {
  private readonly arithmetic: SloppyArithmetic;

  constructor(
    seed: number,
    private readonly world: World,
    private readonly substep: Substep,
    private readonly grid: Grid,
  ) {
    const random = new Random(seed);
    // Two of nine errors are the extremes, which have the largest effect.
    this.arithmetic = new SloppyArithmetic(() => random.between(-4, 4) / 4);
  }

  private vector(values: Float32Array, slot: number): number[] {
    const { dimensions } = this.world;
    return Array.from(values.subarray(slot * dimensions, (slot + 1) * dimensions));
  }

  private apart(values: Float32Array, slot: number, other: number): number[] {
    const there = this.vector(values, other);
    return this.vector(values, slot).map((along, axis) =>
      this.arithmetic.add(along, -(there[axis] as number)),
    );
  }

  private contact(slot: number, other: number): { normal: number[]; overlap: number } | undefined {
    const apart = this.apart(this.grid.positions, slot, other).map((along, axis) => {
      const period = this.world.period[axis] as number;
      const periods = period > 0 ? Math.round(along / period) : 0;
      return periods === 0 ? along : this.arithmetic.add(along, -period * periods);
    });
    if (this.grid.halves) return this.shapeContact(apart, slot, other);
    const squared = this.arithmetic.dot(apart, apart);
    const { radii } = this.grid;
    const reach = radii
      ? this.arithmetic.add(radii[slot] as number, radii[other] as number)
      : this.substep.diameter;
    if (!(squared < (radii ? this.arithmetic.multiply(reach, reach) : this.substep.diameterSquared)))
      return undefined;
    if (squared < COINCIDENT_SQUARED) {
      return { normal: coincidentNormal(apart.length, slot, other), overlap: reach };
    }
    const distance = this.arithmetic.root(squared);
    return {
      normal: apart.map((along) => this.arithmetic.divide(along, distance)),
      overlap: this.arithmetic.add(reach, -distance),
    };
  }

  private shapeContact(apart: number[], slot: number, other: number) {
    const { radii, halves } = this.grid as Grid & Shapes;
    const own = this.vector(halves, slot);
    const theirs = this.vector(halves, other);
    const sides = own.map((half, axis) => this.arithmetic.add(half, theirs[axis] as number));
    const rounding = (body: number, [half = 0]: number[]) => (half > 0 ? 0 : (radii[body] as number));
    const round = this.arithmetic.add(rounding(slot, own), rounding(other, theirs));
    const beyond = apart.map((along, axis) => this.arithmetic.add(Math.abs(along), -(sides[axis] as number)));
    const outside = beyond.map((along) => Math.max(along, 0));
    const squared = this.arithmetic.dot(outside, outside);
    if (squared >= COINCIDENT_SQUARED) {
      if (!(squared < this.arithmetic.multiply(round, round))) return undefined;
      const distance = this.arithmetic.root(squared);
      const normal = outside.map(
        (along, axis) => Math.sign(apart[axis] as number) * this.arithmetic.divide(along, distance),
      );
      return { normal, overlap: this.arithmetic.add(round, -distance) };
    }
    const axis = beyond.indexOf(Math.max(...beyond));
    const overlap = this.arithmetic.add(round, -(beyond[axis] as number));
    if (!(overlap > 0)) return undefined;
    const normal = apart.map((along, index) => (index === axis ? Math.sign(along) : 0));
    return { normal, overlap };
  }

  /** Returns the first particle's share of a push. */
  private share(slot: number, other: number, countsLoads: boolean): number {
    const sizes = this.grid.bulks ?? this.grid.radii;
    if (!sizes) return 0.5;
    const [own, others] = [sizes[slot] as number, sizes[other] as number];
    if (own === others) return 0.5;
    const isSmaller = own < others;
    const ratio = isSmaller ? this.arithmetic.divide(own, others) : this.arithmetic.divide(others, own);
    const area = this.arithmetic.multiply(ratio, ratio);
    const weight = this.world.dimensions === 2 ? area : this.arithmetic.multiply(area, ratio);
    const grown = (of: number) => this.arithmetic.add(1, countsLoads ? (this.grid.loads?.[of] ?? 0) : 0);
    const heavier = (of: number, isHeavier: boolean) =>
      isHeavier ? grown(of) : this.arithmetic.multiply(weight, grown(of));
    const ownMass = heavier(slot, !isSmaller);
    const otherMass = heavier(other, isSmaller);
    const share = this.arithmetic.divide(otherMass, this.arithmetic.add(ownMass, otherMass));
    return isSmaller ? Math.max(share, 0.5) : Math.min(share, 0.5);
  }

  /** Half of a value is exact. */
  private part(share: number, value: number): number {
    return share === 0.5 ? value / 2 : this.arithmetic.multiply(share, value);
  }

  private contacts(slot: number): { other: number; normal: number[]; overlap: number }[] {
    const found: { other: number; normal: number[]; overlap: number }[] = [];
    probeCells(this.world, this.grid, slot, (other) => {
      const contact = this.contact(slot, other);
      if (contact) found.push({ other, ...contact });
    });
    return found;
  }

  partners(): Uint32Array {
    const partners = new Uint32Array(this.grid.ids.length).fill(NO_PARTNER);
    for (let slot = 0; slot < partners.length; slot++) {
      let fastest = -this.substep.restSpeed;
      for (const { other, normal } of this.contacts(slot)) {
        const approach = this.arithmetic.dot(this.apart(this.grid.velocities, slot, other), normal);
        if (approach < fastest) {
          fastest = approach;
          partners[slot] = other;
        }
      }
    }
    return partners;
  }

  resolve(mode: 'resolve' | 'pushApart', partners: Uint32Array) {
    const positions: number[] = [];
    const velocities: number[] = [];
    const loads: number[] = [];
    for (let slot = 0; slot < this.grid.ids.length; slot++) {
      const settled = this.settled(mode, slot, partners);
      const { push, change, bearing } = settled;
      const before = this.vector(this.grid.velocities, slot);
      const position = this.moved(this.vector(this.grid.positions, slot), push);
      const velocity = this.moved(before, change);
      let total = bearing;
      if (this.substep.walls) {
        const box = boxOf(this.substep, this.grid, slot);
        if (mode === 'resolve')
          total = this.arithmetic.add(bearing, this.meetWalls(slot, box, position, velocity));
        for (let axis = 0; axis < position.length; axis++) {
          const low = Math.max(position[axis] as number, box.lower[axis] as number);
          position[axis] = Math.min(low, box.upper[axis] as number);
        }
      }
      position.forEach((along, axis) => {
        const period = this.world.period[axis] as number;
        const low = this.world.min[axis] as number;
        if (period > 0 && along < low) position[axis] = this.arithmetic.add(along, period);
        if (period > 0 && along >= low + period) position[axis] = this.arithmetic.add(along, -period);
      });
      positions.push(...position);
      const slowed =
        mode === 'resolve' ? slowSloppily(this.arithmetic, this.substep, settled, velocity) : velocity;
      velocities.push(...slowed);
      loads.push(loadSloppily(this.arithmetic, this.substep.restSpeed, total, slowed, before));
    }
    return { positions, velocities, loads };
  }

  private moved(from: readonly number[], by: readonly number[]): number[] {
    return from.map((along, axis) =>
      by[axis] === 0 ? along : this.arithmetic.add(along, by[axis] as number),
    );
  }

  private settled(mode: 'resolve' | 'pushApart', slot: number, partners: Uint32Array) {
    const none = new Array<number>(this.world.dimensions).fill(0);
    const total = { push: none, change: none, support: none, bearing: 0, closing: 0, depth: 0, strain: 0 };
    const sum = (a: readonly number[], b: readonly number[]) =>
      a.map((along, axis) => this.arithmetic.add(along, b[axis] as number));
    for (const { other, normal, overlap } of this.contacts(slot)) {
      const restitution = this.restitution(slot, other);
      const isMutual =
        mode === 'resolve' && restitution > 0 && partners[slot] === other && partners[other] === slot;
      const share = this.share(slot, other, mode === 'resolve' && !isMutual);
      const relative = this.apart(this.grid.velocities, slot, other);
      const rates = this.ratesOf(slot, other);
      const there = this.vector(this.grid.positions, other);
      const both = sum(this.vector(this.grid.positions, slot), there);
      const { radii } = this.grid;
      const areAlike = radii?.[slot] === radii?.[other];
      const effect = this.effect(
        normal,
        overlap,
        relative,
        isMutual,
        share,
        restitution,
        rates,
        both,
        areAlike,
      );
      total.push = sum(total.push, mode === 'resolve' ? effect.push : effect.straight);
      total.change = sum(total.change, effect.change);
      total.support = sum(total.support, effect.support);
      total.bearing = this.arithmetic.add(total.bearing, effect.bearing);
      total.closing = Math.max(total.closing, effect.closing);
      total.depth = Math.max(total.depth, effect.depth);
      total.strain = Math.max(total.strain, effect.strain);
    }
    return mode === 'resolve' ? settleSloppily(this.arithmetic, this.substep, total) : total;
  }

  /** Returns the factors from the overlap to `depth`, and from a speed to `strain`. */
  private ratesOf(slot: number, other: number): readonly [number, number] {
    const { radii, bulks, loads } = this.grid;
    const { deepRate, strainRate } = this.substep;
    if (!radii) return [deepRate, strainRate];
    const { add, divide } = this.arithmetic;
    const size = 2 * Math.min(radii[slot] as number, radii[other] as number);
    const masses = bulks ?? radii;
    const load = masses[slot] === masses[other] ? 0 : add(loads?.[slot] ?? 0, loads?.[other] ?? 0);
    return [divide(16, size), divide(strainRate, add(1, load))];
  }

  private restitution(slot: number, other?: number): number {
    const { add, multiply } = this.arithmetic;
    const loadOf = (of?: number) => (of === undefined ? 0 : (this.grid.loads?.[of] ?? 0));
    const rest = Math.max(0, add(1, -add(loadOf(slot), loadOf(other))));
    return rest === 1 ? this.substep.restitution : multiply(this.substep.restitution, rest);
  }

  private effect(
    normal: number[],
    overlap: number,
    relative: number[],
    isMutual: boolean,
    share: number,
    restitution: number,
    rates: readonly [number, number],
    both: number[],
    areAlike: boolean,
  ) {
    const { friction, halfRelaxation, gripShare, restSpeed, pushSpeed, parting, dt, inverseDt } =
      this.substep;
    const { add, multiply, divide } = this.arithmetic;
    const spring = multiply(this.part(share, 2 * halfRelaxation), overlap);
    const approach = this.arithmetic.dot(relative, normal);
    const ending = -approach / 2;
    const cap =
      approach > 0 ? Math.max(0, add(pushSpeed, multiply(parting, ending))) : Math.max(pushSpeed, ending);
    const kept = Math.abs(approach) > restSpeed ? add(1, -restitution) : 1;
    const half = multiply(Math.min(multiply(multiply(halfRelaxation, overlap), inverseDt), cap), kept);
    const excess = isMutual ? 0 : add(half, Math.min(0, approach / 2));
    const change = isMutual
      ? multiply(this.part(share, -add(1, restitution)), approach)
      : this.part(share, 2 * half);
    const push = isMutual
      ? multiply(this.part(share, BOUNCE_PUSH), overlap)
      : Math.min(add(spring, multiply(1 / 2, add(spring, -multiply(dt, change)))), this.part(share, overlap));
    const depth = multiply(rates[0], overlap);
    const waves = multiply(multiply(7 / 64, rates[0]), both.reduce(add));
    const side = add(Math.abs(add(add(waves, -Math.floor(waves)), -0.5)), -0.25);
    const beyond = Math.max(0, add(depth, -3));
    const aside =
      isMutual || !areAlike ? 0 : multiply(multiply(beyond, side), multiply(halfRelaxation, overlap));
    const [x, y, z] = normal as [number, number, number?];
    const turned = z === undefined ? [y, -x] : [add(y, -z), add(z, -x), add(x, -y)];
    const grip = this.part(share, 2 * gripShare);
    const sliding = relative.map((along, axis) => add(along, -multiply(approach, normal[axis] as number)));
    const speed = this.arithmetic.root(this.arithmetic.dot(sliding, sliding));
    const braking =
      speed > 0 ? divide(Math.min(multiply(friction, change), multiply(grip, speed)), speed) : 0;
    const held = isMutual ? 0 : multiply(braking, dt);
    const bearing = isMutual ? 0 : change;
    const total = normal.map((along, axis) =>
      add(multiply(change, along), -multiply(braking, sliding[axis] as number)),
    );
    return {
      straight: normal.map((along) => multiply(spring, along)),
      push: normal.map((along, axis) =>
        add(
          add(multiply(push, along), -multiply(held, sliding[axis] as number)),
          multiply(aside, turned[axis] as number),
        ),
      ),
      change: total,
      support: normal.map((along) => multiply(bearing, along)),
      bearing,
      closing: isMutual
        ? this.arithmetic.root(this.arithmetic.dot(total, total))
        : multiply(41 / 32, this.part(share, -approach)),
      depth,
      strain: multiply(rates[1], excess),
    };
  }

  /** Returns the sum of the normal changes. */
  private meetWalls(slot: number, { lower, upper }: Box, position: number[], velocity: number[]): number {
    const restitution = this.restitution(slot);
    const { friction, restSpeed, dt, inverseDt } = this.substep;
    const { add, multiply, divide } = this.arithmetic;
    const sliding = [...velocity];
    let pressing = 0;
    let isBounced = false;
    for (let axis = 0; axis < position.length; axis++) {
      for (const [limit, inward] of [
        [lower[axis] as number, 1],
        [upper[axis] as number, -1],
      ] as const) {
        const depth = inward * add(limit, -(position[axis] as number));
        if (!(depth > 0)) continue;
        position[axis] = limit;
        const approach = inward * (velocity[axis] as number);
        if (!(approach < 0)) continue;
        const bounces = restitution > 0 && approach < -restSpeed;
        const change = bounces
          ? multiply(-add(1, restitution), approach)
          : Math.min(multiply(depth, inverseDt), -approach);
        velocity[axis] = add(velocity[axis] as number, inward * change);
        sliding[axis] = 0;
        pressing = add(pressing, change);
        isBounced ||= bounces;
      }
    }
    const speed = this.arithmetic.root(this.arithmetic.dot(sliding, sliding));
    const braking = speed > 0 ? divide(Math.min(multiply(friction, pressing), speed), speed) : 0;
    const held = isBounced ? 0 : multiply(braking, dt);
    sliding.forEach((along, axis) => {
      velocity[axis] = add(velocity[axis] as number, -multiply(braking, along));
      position[axis] = add(position[axis] as number, -multiply(held, along));
    });
    return pressing;
  }
}

/** Adds noise to a scene, so that positions are not dyadic and velocities are not 0. */
function unrest(
  name: string,
  dimensions: Dimensions,
  count: number,
  settings: SettingsOptions,
  seed: number,
) {
  const scene = createScene(name, { dimensions, count, seed });
  const plan = planSimulation({ ...sceneOptions(scene), ...settings });
  const random = new Random(seed);
  const noise = () => random.between(-(2 ** 20), 2 ** 20) / 2 ** 20;
  const positions = plan.positions.map((along) => along + noise() * 0.4);
  const velocities = plan.velocities.map((along) => along + noise() * 3);
  const substep = deriveSubstep(plan.world, plan.diameter, plan.settings, 1 / 60);
  // In turn: no load, one that reduces bounces, one that prevents them, and one as at the foot of a high pile.
  const loads = plan.radii?.map((_, index) => [0, 0.2, 1.3, 700.7][index % 4] as number);
  const grid = buildGrid(plan.world, positions, velocities, undefined, { ...plan, loads });
  return { world: plan.world, substep, grid };
}

/** Returns the greatest |a − b| / bound; 0 / 0 counts as 0. */
function worstRatio(
  dimensions: number,
  period: readonly number[],
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  bound: Float64Array,
): number {
  let worst = 0;
  for (let index = 0; index < a.length; index++) {
    const apart = (a[index] as number) - (b[index] as number);
    const difference = Math.abs(minimumImageInDoubles(apart, period[index % dimensions] as number));
    if (difference > 0)
      worst = Math.max(worst, difference / (bound[Math.floor(index / dimensions)] as number));
  }
  return worst;
}

const NO_PERIOD = [0, 0, 0];

const SETTINGS: readonly (readonly [string, number, SettingsOptions])[] = [
  ['no gravity', 0, {}],
  ['gravity and friction', -9.8, { restitution: 0, friction: 0.6 }],
  ['bounces and friction', 0, { restitution: 0.6, friction: 0.4 }],
  ['all at once', -9.8, { restitution: 0.6, friction: 0.4 }],
];

const CASES = sceneNames().flatMap((name) =>
  SETTINGS.map(([label, fall, changes]) => ({ name, label, fall, changes })),
);

describe.each([2, 3] as const)('resolveBound in %dD', (dimensions) => {
  it.each(CASES)(
    'holds for the reference and a sloppy device on the scene $name with $label',
    { tags: 'case' },
    ({ name, label, fall, changes }) => {
      let total = 0;
      const gravity = new Array<number>(dimensions).fill(0).with(1, fall);
      for (const seed of [0, 1]) {
        const { world, substep, grid } = unrest(
          name,
          dimensions,
          name === 'one-cell' ? 40 : 100,
          { ...changes, gravity },
          seed,
        );
        for (const mode of ['resolve', 'pushApart'] as const) {
          const bound = resolveBound(world, substep, grid, mode);
          const partners = substep.restitution > 0 ? findPartners(world, substep, grid) : undefined;
          const reference =
            mode === 'resolve'
              ? resolveContacts(world, substep, grid, partners)
              : {
                  positions: pushApart(world, substep, grid),
                  velocities: grid.velocities,
                  loads: undefined,
                };
          const device = new SloppyDevice(seed, world, substep, grid);
          const sloppy = device.resolve(
            mode,
            substep.restitution > 0 ? device.partners() : new Uint32Array(grid.ids.length).fill(NO_PARTNER),
          );
          const half = (values: Float64Array) => values.map((value) => value / 2);
          const context = `${label}, seed ${seed}, ${mode}`;
          const check = (what: string, ratio: number) => {
            expect(ratio, `${what}: ${context}`).toBeLessThanOrEqual(1);
            total = Math.max(total, ratio);
          };
          // The reference rounds to nearest, so half of the bound suffices.
          check(
            'reference positions',
            worstRatio(
              dimensions,
              world.period,
              reference.positions,
              bound.exactPositions,
              half(bound.positions),
            ),
          );
          check(
            'positions',
            worstRatio(dimensions, world.period, sloppy.positions, reference.positions, bound.positions),
          );
          if (mode === 'pushApart') continue;
          check(
            'reference velocities',
            worstRatio(
              dimensions,
              NO_PERIOD,
              reference.velocities,
              bound.exactVelocities,
              half(bound.velocities),
            ),
          );
          check(
            'velocities',
            worstRatio(dimensions, NO_PERIOD, sloppy.velocities, reference.velocities, bound.velocities),
          );
          if (!reference.loads) continue;
          check(
            'reference loads',
            worstRatio(1, NO_PERIOD, reference.loads, bound.exactLoads, half(bound.loads)),
          );
          check('loads', worstRatio(1, NO_PERIOD, sloppy.loads, reference.loads, bound.loads));
        }
      }
      // A smaller ratio would mean that the bounds are too wide.
      expect(total).toBeGreaterThan(0.01);
    },
  );

  it.each([
    ['equal', 0],
    ['variable', 0],
    ['variable', 0.4],
  ])('is small in a resting pile with %s radii, gravity tilted by %d', (sizes, tilt) => {
    const scene = createScene('pile', { dimensions, count: 150 });
    const random = new Random(3);
    const radii =
      sizes === 'equal'
        ? {}
        : {
            radius: undefined,
            radii: scene.positions.slice(0, 150).map(() => scene.radius * (1 - random.between(0, 8) / 16)),
          };
    const gravity = [9.8 * Math.sin(tilt), -9.8 * Math.cos(tilt), 0].slice(0, dimensions);
    const options = { ...sceneOptions(scene), ...radii, gravity, friction: 0.6 };
    const simulation = createCpuSimulation(options);
    for (let step = 0; step < 300; step++) simulation.step(1 / 60);
    const state = simulation.read();
    const { world, diameter, settings } = planSimulation(options);
    const substep = deriveSubstep(world, diameter, settings, 1 / 60);
    const moved = integrate(world, substep, state);
    const grid = buildGrid(world, moved.positions, moved.velocities, undefined, state);
    const bound = resolveBound(world, substep, grid);
    const reference = resolveContacts(world, substep, grid);
    const half = (values: Float64Array) => values.map((value) => value / 2);
    const { period } = world;
    const within = (ratio: number) => expect(ratio).toBeLessThanOrEqual(1);
    within(worstRatio(dimensions, period, reference.positions, bound.exactPositions, half(bound.positions)));
    within(
      worstRatio(dimensions, period, reference.velocities, bound.exactVelocities, half(bound.velocities)),
    );
    if (reference.loads)
      within(worstRatio(1, NO_PERIOD, reference.loads, bound.exactLoads, half(bound.loads)));
    for (let seed = 0; seed < 3; seed++) {
      const none = new Uint32Array(150).fill(NO_PARTNER);
      const sloppy = new SloppyDevice(seed, world, substep, grid).resolve('resolve', none);
      within(worstRatio(dimensions, period, sloppy.positions, reference.positions, bound.positions));
      within(worstRatio(dimensions, period, sloppy.velocities, reference.velocities, bound.velocities));
      if (reference.loads) within(worstRatio(1, NO_PERIOD, sloppy.loads, reference.loads, bound.loads));
    }
    // The median bound is below an eighth of the speed that gravity adds in a substep.
    const gain = Math.hypot(...gravity) * substep.dt;
    const typical = bound.velocities.toSorted()[75] as number;
    expect(typical).toBeGreaterThan(0);
    expect(typical).toBeLessThan(gain / 8);
  });

  it('is less than 2⁻¹⁸ of the edge of the box, and 0 for particles that touch nothing', () => {
    const { world, substep, grid } = unrest('pile', dimensions, 200, { restitution: 0 }, 1);
    const bound = resolveBound(world, substep, grid);
    const partners = findPartners(world, { ...substep, restSpeed: -1e30 }, grid);
    const edge = Math.max(...world.max);
    for (let slot = 0; slot < 200; slot++) {
      const isTouched = partners[slot] !== NO_PARTNER;
      const isInside = [...substep.lower].every((low, axis) => {
        const coordinate = grid.positions[slot * dimensions + axis] as number;
        return coordinate > low && coordinate < (substep.upper[axis] as number);
      });
      if (!isTouched && isInside) expect(bound.positions[slot]).toBe(0);
      expect(bound.positions[slot]).toBeLessThan(edge * 2 ** -18);
    }
  });
});
