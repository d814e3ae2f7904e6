/** Tests limit, hold and load, the parts of the contact law that act on each particle alone. */

import { describe, expect, it } from 'vitest';
import { SPREADING } from '../../../../src/core/base/constants';
import { deriveSubstep, type SettingsOptions } from '../../../../src/core/contact/settings';
import { planSimulation } from '../../../../src/core/simulation/plan';
import type { ParticleArrays, SimulationOptions } from '../../../../src/core/simulation/simulation';
import { createCpuSimulation } from '../../../../src/cpu';
import { buildGrid } from '../../../../src/reference/grid/grid';
import { dot, findContact, loadVector, subtract } from '../../../../src/reference/solve/contact';
import { shareOf } from '../../../../src/reference/solve/contact-law';
import { integrate } from '../../../../src/reference/solve/integrate';
import { ReferenceSimulation } from '../../../../src/reference/solve/simulation';
import { variableOptions } from '../../../helpers/inputs/variable-simulations';
import { DIMENSIONS } from '../../../helpers/passes';

/** A power of two, so that integrating rounds the same way everywhere. */
const DT = 1 / 64;

type Engine = Pick<ReferenceSimulation, 'step' | 'read'>;
const ENGINES = [
  ['the reference', (options: SimulationOptions): Engine => new ReferenceSimulation(options)],
  ['the CPU engine', (options: SimulationOptions): Engine => createCpuSimulation(options)],
] as const;

interface Limited {
  readonly limits: readonly number[];
  readonly changes: readonly number[];
}

/** Returns the size of the change of velocity of each particle in a deep overlap, and the limit on that change. */
function stepOnce(create: (options: SimulationOptions) => Engine, options: SimulationOptions): Limited {
  const { world, diameter, settings, positions, velocities, radii } = planSimulation(options);
  const { dimensions } = world;
  const substep = deriveSubstep(world, diameter, settings, DT);
  const moved = integrate(world, substep, { positions, velocities });
  const grid = buildGrid(world, moved.positions, moved.velocities, undefined, { radii });
  const simulation = create(options);
  simulation.step(DT);
  const after = simulation.read();
  const velocityOf = (slot: number) => loadVector(dimensions, grid.velocities, slot);
  const limits: number[] = [];
  const changes: number[] = [];
  grid.ids.forEach((id, slot) => {
    let closing = 0;
    let deepest = 0;
    for (let other = 0; other < grid.ids.length; other++) {
      const contact = other === slot ? undefined : findContact(world, substep, grid, slot, other);
      if (!contact) continue;
      const approach = dot(subtract(velocityOf(slot), velocityOf(other)), contact.normal);
      closing = Math.max(closing, -shareOf(world, grid, slot, other) * approach);
      const { radii } = grid;
      const size = radii ? 2 * Math.min(radii[slot] as number, radii[other] as number) : substep.diameter;
      deepest = Math.max(deepest, contact.overlap / size);
    }
    // In shallower overlaps, the limit acts in part or not at all.
    if (deepest < 1 / 8) return;
    // In a bounce, friction adds to the change of velocity.
    const { restitution, friction, kickSpeed } = substep;
    const factor = restitution > 0 ? (1 + restitution) * (1 + friction) : 1;
    limits.push(Math.max(Math.max(SPREADING, factor) * closing, kickSpeed));
    changes.push(Math.hypot(...subtract(loadVector(dimensions, after.velocities, id), velocityOf(slot))));
  });
  return { limits, changes };
}

describe.each(ENGINES)('the contact law in %s', (_, create) => {
  describe.each(DIMENSIONS)('in %dD', (dimensions) => {
    const gravity = [0.5, -9.8, 0.25].slice(0, dimensions);
    const cases: SettingsOptions[] = [
      { restitution: 0, friction: 0.6 },
      { restitution: 0.5, friction: 0.6 },
      { restitution: 1, friction: 0.6 },
      // Static friction would add to the change, so friction is 0.
      { restitution: 0, friction: 0, gravity },
      { restitution: 0.5, friction: 0, gravity },
    ];
    for (const ratio of [1, 4]) {
      it.each(cases)(
        `changes no velocity by more than the limit, with a radius ratio of ${ratio} and %j`,
        (settings) => {
          const request = { dimensions, kind: 'unbounded', count: 200, ratio, density: 2 } as const;
          const { radii, radiusRange, ...crowd } = variableOptions(request, { ...settings, substeps: 1 });
          const sizes = ratio === 1 ? { radius: 1 } : { radii, radiusRange };
          const { limits, changes } = stepOnce(create, { ...crowd, ...sizes });
          expect(limits.length).toBeGreaterThan(130);
          let reached = 0;
          changes.forEach((change, index) => {
            const limit = limits[index] as number;
            // Velocities below 4 round by up to 2⁻²³ per axis.
            expect(change).toBeLessThanOrEqual(limit * (1 + 2 ** -20) + 2 ** -21);
            if (limit > 0 && change > limit * (1 - 2 ** -12)) reached++;
          });
          // If all contacts bounce, none pushes, so no velocity reaches the limit.
          if (settings.restitution === 1) expect(reached).toBe(0);
          if (settings.restitution === 0) expect(reached).toBeGreaterThan(20);
        },
      );
    }

    /** Returns how far a ball slides in a second on a level slab, and its speed then. Gravity is tilted by `slope`. */
    function slide(slope: number, friction: number) {
      const corner = (coordinate: number) => new Array<number>(dimensions).fill(coordinate);
      const simulation = create({
        dimensions,
        min: corner(0),
        max: corner(16),
        walls: false,
        boxes: true,
        radiusRange: { smallest: 0.5, largest: 16 },
        radii: new Float32Array([0.5]),
        positions: Float32Array.from(corner(4).with(1, 2.5)),
        gravity: corner(0)
          .with(0, 10 * slope)
          .with(1, -10),
        friction,
        obstacles: {
          positions: Float32Array.from(corner(8).with(1, 1)),
          radii: new Float32Array(1),
          halfExtents: Float32Array.from(corner(8).with(1, 1)),
        },
      });
      for (let step = 0; step < 60; step++) simulation.step(1 / 60);
      const { positions, velocities } = simulation.read();
      return { way: (positions[0] as number) - 4, speed: Math.abs(velocities[0] as number) };
    }

    it('holds a ball on a slope below the friction coefficient, and lets it slide on a steeper slope', () => {
      for (const slope of [0.1, 0.19]) {
        const { way, speed } = slide(slope, 0.2);
        expect(way).toBeGreaterThan(-1e-6);
        // The ball slides only until the slab bears it.
        expect(way).toBeLessThan(2e-3);
        expect(speed).toBeLessThan(1e-5);
      }
      const { way } = slide(0.3, 0.2);
      // The acceleration is 10 (slope − friction) = 1, so the ball slides by 0.5 in a second.
      expect(way).toBeGreaterThan(0.45);
      expect(way).toBeLessThan(0.55);
    });

    it('holds a ball on another ball as far as friction allows', () => {
      const corner = (coordinate: number) => new Array<number>(dimensions).fill(coordinate);
      const across = (friction: number) => {
        const simulation = create({
          dimensions,
          unbounded: true,
          radius: 0.5,
          positions: Float32Array.from([...corner(4), ...corner(4).with(1, 4.75)]),
          gravity: corner(0).with(0, 1).with(1, -8),
          substeps: 1,
          friction,
        });
        simulation.step(1 / 8);
        const { velocities } = simulation.read();
        return [velocities[0], velocities[dimensions]];
      };
      // Without friction, gravity along x gives both balls its full speed.
      expect(across(0)).toEqual([1 / 8, 1 / 8]);
      // The support changes each velocity by push / dt, which is 0.35 / 2 / 4 · 8 in 2D.
      const support = (dimensions === 2 ? 0.35 : 0.25) * (1 / 4 / 2) * 8;
      expect(across(0.1)).toEqual([1 / 8, expect.closeTo(1 / 8 - 0.1 * support, 6)]);
      expect(across(0.5)).toEqual([1 / 8, expect.closeTo(0, 6)]);
    });

    it('gives a load below 1 to bodies in a deep contact with nothing on the opposite side', () => {
      const corner = (coordinate: number) => new Array<number>(dimensions).fill(coordinate);
      const simulation = create({
        dimensions,
        min: corner(-25),
        max: corner(25),
        radii: Float32Array.of(0.5, 0.375),
        positions: Float32Array.from([...corner(0), ...corner(0).with(1, 0.5)]),
        gravity: corner(0).with(1, -10),
        substeps: 1,
      });
      simulation.step(1 / 480);
      const { loads } = simulation.read() as ParticleArrays;
      expect((loads as Float32Array).every((load) => load < 1)).toBe(true);
    });

    it('keeps velocities finite even if a fall through the world would exceed the greatest speed', () => {
      const diameter = 2 ** 60;
      const corner = (coordinate: number) => new Array<number>(dimensions).fill(coordinate);
      const simulation = create({
        dimensions,
        unbounded: true,
        radius: diameter / 2,
        positions: Float32Array.from([...corner(0), ...corner(0.1 * diameter).with(1, diameter / 2)]),
        gravity: corner(0).with(1, -3e18),
        substeps: 1,
      });
      simulation.step(1e-7);
      expect(simulation.read().velocities.every(Number.isFinite)).toBe(true);
    });

    it('lets a large ball rest on a ball 20 times smaller above an obstacle, and crush it by at most 2%', () => {
      const corner = (coordinate: number) => new Array<number>(dimensions).fill(coordinate);
      const simulation = create({
        dimensions,
        min: corner(0),
        max: corner(128),
        radii: Float32Array.of(1, 20),
        positions: Float32Array.from([...corner(64).with(1, 21), ...corner(64).with(1, 42)]),
        obstacles: { positions: Float32Array.from(corner(64).with(1, 0)), radii: Float32Array.of(20) },
        gravity: corner(0).with(1, -9.81),
      });
      let least = Number.POSITIVE_INFINITY;
      for (let step = 1; step <= 120; step++) {
        simulation.step(1 / 60);
        if (step > 90) least = Math.min(least, (simulation.read().positions[dimensions + 1] as number) - 40);
      }
      expect(least / 2).toBeGreaterThan(0.98);
    });

    it('lets a dropped ball crush a ball 15 times smaller above an obstacle by at most a fifth', () => {
      const corner = (coordinate: number) => new Array<number>(dimensions).fill(coordinate);
      const simulation = create({
        dimensions,
        min: corner(0),
        max: corner(66),
        radii: Float32Array.of(1, 15),
        positions: Float32Array.from([...corner(33).with(1, 3), ...corner(33).with(1, 20)]),
        obstacles: { positions: Float32Array.from(corner(33).with(1, -28)), radii: Float32Array.of(30) },
        gravity: corner(0).with(1, -9.81),
      });
      let deepest = 0;
      for (let step = 0; step < 120; step++) {
        simulation.step(1 / 60);
        const { positions } = simulation.read();
        const distance = (positions[dimensions + 1] as number) - (positions[1] as number);
        deepest = Math.max(deepest, (16 - distance) / 2);
      }
      expect(deepest).toBeGreaterThan(0.005);
      expect(deepest).toBeLessThan(0.2);
    });

    it.each([2, 8])('gives a load to a ball that bears a ball %d times as large', (ratio) => {
      const corner = (coordinate: number) => new Array<number>(dimensions).fill(coordinate);
      const radius = 1 / ratio;
      const simulation = create({
        dimensions,
        min: corner(0),
        max: corner(8),
        radii: new Float32Array([1, radius]),
        positions: Float32Array.from([...corner(4).with(1, 2 * radius + 1), ...corner(4).with(1, radius)]),
        gravity: corner(0).with(1, -10),
      });
      for (let step = 0; step < 300; step++) simulation.step(1 / 60);
      const { positions, velocities, loads } = simulation.read() as ParticleArrays;
      const [heavy, light] = loads as unknown as [number, number];
      expect(heavy).toBeCloseTo(0, 2);
      // The law multiplies the mass of the small ball by 1 + load. At rest, load · (1 + load) is the mass ratio.
      const masses = ratio ** dimensions;
      expect((light * (1 + light)) / masses).toBeGreaterThan(0.98);
      expect((light * (1 + light)) / masses).toBeLessThan(1.02);
      expect(velocities.every((along) => Math.abs(along) < 1e-3)).toBe(true);
      // The small ball stays between the floor and the large ball.
      expect(positions[dimensions + 1]).toBeGreaterThan(0.95 * radius);
      expect(positions[1]).toBeGreaterThan(1 + 1.94 * radius);
    });
  });
});
