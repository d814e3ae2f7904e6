import { describe, expect, it } from 'vitest';
import { CCD_TICKS } from '../../../../src/core/base/constants';
import { CCD_ROUNDS } from '../../../../src/core/ccd/law';
import type { SimulationOptions } from '../../../../src/core/simulation/simulation';
import { createCpuSimulation } from '../../../../src/cpu';
import { createNoise } from '../../../../src/testing/noise';
import { bulletAmongGrains, DT, NEAR_SHARE } from '../../../helpers/inputs/bullets';
import { DIMENSIONS } from '../../../helpers/passes';
import { few } from './discs';

/** The least distance of two centres, with an allowance for 32-bit rounding. */
const NEAR = NEAR_SHARE - 1e-4;

/**
 * A substep has CCD_TICKS ticks, and times of hits are rounded down to ticks. Long paths are cut into pieces of a few
 * cells. Ends are computed in rounds (src/core/ccd/law.ts).
 */
describe('a path', () => {
  it('ends at a head-on hit, and the pair bounces', () => {
    // The centres are 19 apart; the bullet flies 32 in a substep.
    const simulation = few([2, 4, 21, 4], [32 * 64, 0, 0, 0], { restitution: 1 });
    simulation.step(1 / 64);
    const { positions, velocities } = simulation.read();
    expect(positions[0]).toBeGreaterThan(20);
    expect(positions[0]).toBeLessThanOrEqual(21 - NEAR);
    expect([...velocities]).toEqual([0, 0, 2048, 0]);
    expect(simulation.continuousCounts()).toEqual({ substepped: 0, swept: 1, paths: 1, hits: 1, held: 0 });
  });

  it('ends where two fast particles meet, although each would move past the other', () => {
    const simulation = few([2, 4, 34, 4], [2048, 0, -2048, 0]);
    simulation.step(1 / 64);
    const { positions, velocities } = simulation.read();
    expect(positions[0]).toBeCloseTo(18 - NEAR_SHARE / 2, 1);
    expect(positions[2]).toBeCloseTo(18 + NEAR_SHARE / 2, 1);
    expect(positions[0]).toBeLessThan(positions[2] as number);
    expect([...velocities]).toEqual([0, 0, 0, 0]);
  });

  it('is not ended by a particle that has moved away, nor by one that flies ahead', () => {
    // The second particle leaves the first one's path in time; the third flies ahead at the same speed.
    const simulation = few([2, 4, 20, 4, 6, 4], [1024, 0, 0, 3 * 64, 1024, 0], { max: [64, 8] });
    simulation.step(1 / 64);
    expect(simulation.read().positions[0]).toBe(18);
    expect(simulation.read().positions[4]).toBe(22);
    expect(simulation.continuousCounts().hits).toBe(0);
  });

  it('ends at another particle whose path has already ended', () => {
    // The first particle stops at the wall, and the second stops at the first.
    const simulation = few([50, 4, 40, 4], [2048, 0, 2048, 0]);
    simulation.step(1 / 64);
    const { positions } = simulation.read();
    expect(positions[0]).toBe(63.5);
    expect(positions[2]).toBeGreaterThan(62);
    expect(positions[2]).toBeLessThanOrEqual(63.5 - NEAR);
  });

  it('ends at a wall, which reverses the normal velocity and multiplies it by the restitution', () => {
    const simulation = few([60, 4], [2048, 64], { restitution: 0.5 });
    simulation.step(1 / 64);
    const { positions, velocities } = simulation.read();
    expect(positions[0]).toBe(63.5);
    expect([...velocities]).toEqual([-1024, 64]);
    const without = few([60, 4], [2048, 64], { walls: false });
    without.step(1 / 64);
    expect(without.read().positions[0]).toBe(92);
  });

  it('does not end at a wall that it moves along, even if the particle already overlaps that wall', () => {
    const simulation = few([4, 0.25], [2048, 0]);
    simulation.step(1 / 64);
    expect(simulation.continuousCounts().hits).toBe(0);
    // The pass after the paths brings the particle back inside.
    expect([...simulation.read().positions]).toEqual([36, 0.5]);
  });

  it('lets gravity accelerate its particle only until the path ends', () => {
    // The particle would fly four diameters in the substep, but hits the floor after two.
    const options = { gravity: [0, -64 * 16], restitution: 1 };
    const simulation = few([8, 2.5], [0, -240], options);
    simulation.step(1 / 64);
    const { positions, velocities } = simulation.read();
    expect(positions[1]).toBe(0.5);
    expect(velocities[1]).toBeCloseTo(256 - 8, 1);
    // A blocked particle gains no speed.
    const held = few([2, 4, 3, 4], [6, 0, 6, 0], {
      gravity: [64 * 8, 0],
      max: [3.5, 8],
      substeps: 1,
      restitution: 0,
    });
    for (let step = 0; step < 50; step++) held.step(1 / 64);
    const speeds = held.read().velocities;
    expect(Math.abs(speeds[0] as number) + Math.abs(speeds[2] as number)).toBeLessThan(40);
  });

  it('does not end at a hit that lies just past the end of the substep', () => {
    const simulation = few([10, 4, 30 + NEAR_SHARE + 1e-5, 4], [20 * 64, 0, 0, 0]);
    simulation.step(1 / 64);
    expect(simulation.continuousCounts()).toEqual({ substepped: 0, swept: 1, paths: 1, hits: 0, held: 0 });
  });

  it('passes no obstacle on its way to a wall, even if it leads over many diameters in a tick', () => {
    const obstacles = new Float32Array(Array.from({ length: 8 }, (_, index) => [20, index + 0.5]).flat());
    for (const exponent of [16, 20, 24, 30, 41]) {
      const simulation = few([10, 4.2], [2 ** exponent * 64, 0], { obstacles });
      simulation.step(1 / 64);
      expect(simulation.read().positions[0], `2^${exponent}`).toBeLessThan(20);
    }
  });

  it('ends where it began if it meets a crossing path in the first tick, even several pieces later', () => {
    // In a tick, one particle moves 32 diameters to the right, and the other as far up. They meet halfway.
    const speed = 64 * 32 * CCD_TICKS;
    const options = { max: [64, 64], periodic: true, restitution: 1 };
    const simulation = few([10, 30, 26, 14], [speed, 0, 0, speed], options);
    simulation.step(1 / 64);
    expect(simulation.continuousCounts()).toEqual({ substepped: 0, swept: 2, paths: 2, hits: 2, held: 0 });
    // The hit is rounded down to tick 0, so both paths end where they began.
    const { positions, velocities } = simulation.read();
    expect([...positions]).toEqual([10, 30, 26, 14]);
    const shares = [...velocities].map((along) => Math.round((1000 * along) / speed));
    expect(shares).toEqual([0, 1000, 1000, 0]);
  });

  it('wraps around a world of three cells many times, and hits a particle on its way', () => {
    const options = { min: [0, 0], max: [3, 3], periodic: true } as const;
    const free = few([0.5, 0.5], [64 * 64, 0], options);
    free.step(1 / 64);
    expect(free.read().positions[0]).toBeCloseTo(1.5, 4);
    const met = few([0.5, 0.5, 2.1, 0.5], [64 * 64, 0, 0, 0], options);
    met.step(1 / 64);
    expect(met.read().positions[0]).toBeLessThanOrEqual(2.1 - NEAR);
    expect(met.read().velocities[2]).toBeCloseTo(32 * 64, 2);
    // This particle flies across the boundary on the left and comes back from the right.
    const around = few([0.5, 0.5, 1.9, 0.5], [-64 * 64, 0, 0, 0], options);
    around.step(1 / 64);
    expect(around.read().positions[0]).toBeGreaterThanOrEqual(1.9 + NEAR - 0.1);
  });

  it('ends at the hit by a much faster particle that comes across the boundary, even if the path is short', () => {
    const simulation = few([2, 4, 4, 4], [0.3 * 64, 0, 30 * 64, 0], {
      max: [12, 12],
      periodic: true,
      restitution: 1,
    });
    simulation.step(1 / 64);
    expect(simulation.continuousCounts().hits).toBe(2);
    expect([...simulation.read().velocities]).toEqual([30 * 64, 0, Math.fround(0.3 * 64), 0]);
  });

  it('is held if a chain of hits is longer than the rounds can settle, and passes no particle', () => {
    const row = CCD_ROUNDS + 20;
    const positions = Array.from({ length: row }, (_, index) => [100 - 1.5 * index, 4]).flat();
    const velocities = Array.from({ length: row }, () => [200 * 64, 0]).flat();
    const simulation = few(positions, velocities, { max: [120, 8] });
    simulation.step(1 / 64);
    const { held, hits } = simulation.continuousCounts();
    expect(held).toBeGreaterThan(0);
    expect(hits).toBeGreaterThan(CCD_ROUNDS / 2);
    const after = simulation.read().positions;
    for (let index = 1; index < row; index++) {
      expect((after[2 * index - 2] as number) - (after[2 * index] as number)).toBeGreaterThan(NEAR);
    }
  });

  it('ends at an obstacle, off which its particle bounces with full speed', () => {
    const simulation = few([2, 4], [2048, 0], { obstacles: new Float32Array([21, 4]), restitution: 1 });
    simulation.step(1 / 64);
    expect([...simulation.read().velocities]).toEqual([-2048, 0]);
    expect(simulation.read().positions[0]).toBeLessThanOrEqual(21 - NEAR);
  });

  it('is not followed for a quarantined particle', () => {
    const simulation = few([2, 4, 21, 4], [2048, 0, 0, 0]);
    const checkpoint = simulation.checkpoint();
    checkpoint.positions[0] = Number.NaN;
    simulation.restore(checkpoint);
    simulation.step(1 / 64);
    expect(simulation.continuousCounts().swept).toBe(0);
    expect(simulation.measure().nonFinite).toBe(1);
  });

  it('does not set its particle back along a wall, even if friction stops the particle there', () => {
    for (const continuous of [false, true]) {
      const simulation = few([8, 0.51], [64, -64], { restitution: 1, friction: 1, continuous });
      simulation.step(1 / 64);
      const { positions, velocities } = simulation.read();
      expect([...velocities]).toEqual([0, 64]);
      expect(positions[0]).toBeGreaterThanOrEqual(continuous ? 8 : 9);
    }
  });
});

describe('paths of particles of many sizes', () => {
  function sized(
    radii: number[],
    positions: number[],
    velocities: number[],
    more: Partial<SimulationOptions> = {},
  ) {
    return few(positions, velocities, { radius: undefined, radii: new Float32Array(radii), ...more });
  }

  it("are followed for particles that move farther than a sixteenth of their own diameter, or of a box's shortest edge", () => {
    // In a substep of 1/64 s, the speeds 4 and 16 move a particle by a sixteenth of the diameters 1 and 4.
    const velocities = [3.9, 0, 4.1, 0, 15.9, 0, 16.1, 0];
    const balls = sized([0.5, 0.5, 2, 2], [3, 1, 3, 3, 30, 4, 50, 4], velocities);
    balls.step(1 / 64);
    expect(balls.continuousCounts()).toEqual({ substepped: 0, swept: 2, paths: 2, hits: 0, held: 0 });
    const halfExtents = new Float32Array([0.5, 2, 2, 0.5, 1, 2, 2, 2]);
    const boxes = sized([0, 0, 0, 0], [3, 2, 10, 4, 20, 4, 30, 4], [4.1, 0, 3.9, 0, 7.9, 0, 16.1, 0], {
      halfExtents,
    });
    boxes.step(1 / 64);
    expect(boxes.continuousCounts().swept).toBe(2);
  });

  it('lead a small particle into a large one by at most a sixteenth of the small diameter', () => {
    const simulation = sized([0.25, 8], [2, 8, 40, 8], [4096, 0, 0, 0], { max: [64, 16] });
    simulation.step(1 / 64);
    const { positions } = simulation.read();
    const reach = (positions[2] as number) - (positions[0] as number);
    expect(reach).toBeGreaterThan(8.25 - 0.5 / 16 - 1e-3);
    expect(reach).toBeLessThan(8.25);
    expect(simulation.continuousCounts().hits).toBe(1);
  });

  it('end in a bounce that depends on the masses', () => {
    // Areas 1 and 9, restitution 1: the light one comes back at 4/5 of its speed, the heavy one gets a fifth.
    const simulation = sized([0.5, 1.5], [2, 4, 21, 4], [2048, 0, 0, 0], { restitution: 1 });
    simulation.step(1 / 64);
    const { velocities } = simulation.read();
    expect(velocities[0]).toBeCloseTo(-0.8 * 2048, 2);
    expect(velocities[2]).toBeCloseTo(0.2 * 2048, 2);
    // The masses count in the same way if the heavy particle flies, or if both do.
    const heavy = sized([0.5, 1.5], [40, 4, 10, 4], [0, 0, 2048, 0], { restitution: 1 });
    heavy.step(1 / 64);
    expect(heavy.read().velocities[0]).toBeCloseTo(1.8 * 2048, 2);
    expect(heavy.read().velocities[2]).toBeCloseTo(0.8 * 2048, 2);
    const both = sized([0.5, 1.5], [10, 4, 30, 4], [1024, 0, -1024, 0], { restitution: 1 });
    both.step(1 / 64);
    expect(both.read().velocities[0]).toBeCloseTo(-2.6 * 1024, 2);
    expect(both.read().velocities[2]).toBeCloseTo(-0.6 * 1024, 2);
  });

  it("end at walls, at a distance of each particle's own size", () => {
    const simulation = sized([2, 0, 0.25], [40, 2, 30, 5, 20, 7], [4096, 0, 4096, 0, 4096, 0], {
      halfExtents: new Float32Array([0, 0, 3, 0.5, 0, 0]),
    });
    simulation.step(1 / 64);
    const { positions } = simulation.read();
    expect([positions[0], positions[2], positions[4]]).toEqual([62, 61, 63.75]);
  });

  it('end at a box far thinner than a step, for any shape of particle', () => {
    const bodies = [0.25, 0.5, 0, 0];
    const halfExtents = new Float32Array([0, 0, 0, 0, 0.25, 0.5, 0.03125, 4]);
    const positions = [4, 1, 6, 4, 8, 7, 40, 4];
    const velocities = [4096, 0, 3500, 0, 4000, 0, 0, 0];
    const simulation = sized(bodies, positions, velocities, { halfExtents });
    simulation.step(1 / 64);
    const after = simulation.read().positions;
    expect(after[0]).toBeCloseTo(40 - 0.03125 - 0.25, 1);
    expect(after[2]).toBeCloseTo(40 - 0.03125 - 0.5, 1);
    expect(after[4]).toBeCloseTo(40 - 0.03125 - 0.25, 1);
    expect(simulation.continuousCounts()).toEqual({ substepped: 0, swept: 3, paths: 3, hits: 3, held: 0 });
    const without = sized(bodies, positions, velocities, { halfExtents, continuous: false });
    without.step(1 / 64);
    expect([0, 2, 4].every((word) => (without.read().positions[word] as number) > 41)).toBe(true);
  });
});

describe('paths at obstacles with their own sizes', () => {
  function one(
    position: number[],
    velocity: number[],
    obstacles: { positions: number[]; radii?: number[]; halfExtents?: number[] },
    more: Partial<SimulationOptions> = {},
  ) {
    const { positions, radii = [0], halfExtents = radii.flatMap(() => [0, 0]) } = obstacles;
    return few(position, velocity, {
      radius: undefined,
      radii: new Float32Array([0.5]),
      halfExtents: new Float32Array(2),
      obstacles: {
        positions: new Float32Array(positions),
        radii: new Float32Array(radii),
        halfExtents: new Float32Array(halfExtents),
      },
      ...more,
    });
  }

  it('end at a depth of a sixteenth of the lesser thickness of the two bodies', () => {
    for (const [radius, deep] of [
      [3, 1 / 16],
      [0.125, 1 / 64],
    ] as const) {
      const simulation = one([2, 4], [2048, 0], { positions: [21, 4], radii: [radius] }, { restitution: 1 });
      simulation.step(1 / 64);
      const gap = 21 - (simulation.read().positions[0] as number);
      // The contact law has pushed the disc out by 31/32 of the depth.
      expect(gap).toBeGreaterThanOrEqual(0.5 + radius - deep / 16);
      expect(gap).toBeLessThan(0.5 + radius - deep / 64);
      expect([...simulation.read().velocities]).toEqual([-2048, 0]);
    }
  });

  it('end at the corner of a box, which deflects the particle; a path beside the corner has no hit', () => {
    const box = { positions: [20, 4], halfExtents: [2, 2] };
    const hit = one([2, 6.25], [2048, 0], box, { restitution: 1, max: [64, 16] });
    hit.step(1 / 64);
    // The disc stops 7/16 from the corner, which is 1/4 to the side of its path.
    const [across, along] = [0.25 / 0.4375, -Math.sqrt(1 - (0.25 / 0.4375) ** 2)];
    const { positions, velocities } = hit.read();
    expect(positions[0]).toBeCloseTo(18 + 0.4375 * along, 1);
    expect((velocities[0] as number) / 2048).toBeCloseTo(1 - 2 * along * along, 1);
    expect((velocities[1] as number) / 2048).toBeCloseTo(-2 * along * across, 1);
    const missed = one([2, 6.45], [2048, 0], box, { max: [64, 16] });
    missed.step(1 / 64);
    expect(missed.continuousCounts()).toEqual({ substepped: 0, swept: 1, paths: 1, hits: 0, held: 0 });
  });

  it('end at the first image of an obstacle on the way, even if the image reaches in across the boundary', () => {
    // The ball reaches from −6 to 6, and its image from 10 on.
    const ball = { positions: [0, 8], radii: [6] };
    const world = { min: [0, 0], max: [16, 16], periodic: true };
    for (const [begin, end] of [
      [7, 9.5],
      [9, 6.5],
    ] as const) {
      const simulation = one([begin, 8], [Math.sign(end - begin) * 2048, 0], ball, world);
      simulation.step(1 / 64);
      expect(simulation.read().positions[0]).toBeCloseTo(end, 1);
    }
    // The path leads through the gap between the ball's images and across the boundary.
    const free = one([7, 0], [64 * 140, 0], { ...ball, radii: [7.25] }, world);
    free.step(1 / 64);
    expect(free.continuousCounts().hits).toBe(0);
    expect(free.read().positions[1]).toBe(0);
  });

  it.each(DIMENSIONS)('end on an endless floor at any position, %dD', (dimensions) => {
    const noise = createNoise(3);
    const count = 200;
    const corner = (at: number) => new Array<number>(dimensions).fill(at);
    const isUp = (index: number) => index % dimensions === 1;
    const options = {
      dimensions,
      radii: new Float32Array(count).fill(0.125),
      halfExtents: new Float32Array(dimensions * count),
      min: corner(0),
      max: corner(16),
      periodic: corner(0).map((_, axis) => axis !== 1),
      positions: Float32Array.from({ length: dimensions * count }, (_, index) =>
        isUp(index) ? 4 + 10 * noise() : 16 * noise(),
      ),
      velocities: Float32Array.from(
        { length: dimensions * count },
        (_, index) => 64 * (isUp(index) ? -50 : 60 * (noise() - 0.5)),
      ),
      obstacles: {
        positions: new Float32Array(corner(4).with(1, 2)),
        radii: new Float32Array(1),
        halfExtents: new Float32Array(corner(8).with(1, 1 / 64)),
      },
      substeps: 1,
    };
    const below = (positions: Float32Array) =>
      positions.reduce((sum, along, index) => sum + Number(isUp(index) && along < 2), 0);
    for (const continuous of [true, false]) {
      const simulation = createCpuSimulation({ ...options, continuous });
      simulation.step(1 / 64);
      expect(below(simulation.read().positions)).toBe(continuous ? 0 : count);
    }
  });

  it.each(DIMENSIONS)(
    'end at a small obstacle in the way, although thousands lie beside the path and a huge one beyond, %dD',
    (dimensions) => {
      const { end, ...options } = bulletAmongGrains(dimensions, 4000);
      const simulation = createCpuSimulation(options);
      simulation.step(DT);
      expect(simulation.read().positions[0]).toBeCloseTo(end, 2);
      expect(simulation.read().positions[0]).toBeLessThanOrEqual(end);
    },
  );
});
