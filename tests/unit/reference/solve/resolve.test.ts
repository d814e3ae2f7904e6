import { describe, expect, it } from 'vitest';
import { FREE_PUSH, NO_PARTNER } from '../../../../src/core/base/constants';
import { deriveSubstep, type SettingsOptions } from '../../../../src/core/contact/settings';
import { planSimulation } from '../../../../src/core/simulation/plan';
import { type Dimensions, defineWorld } from '../../../../src/core/world/world';
import { buildGrid } from '../../../../src/reference/grid/grid';
import { findContact } from '../../../../src/reference/solve/contact';
import { findPartners } from '../../../../src/reference/solve/partner';
import { pushApart, resolveContacts } from '../../../../src/reference/solve/resolve';
import { createScene, Random, sceneOptions } from '../../../../src/scenes';
import { repeat } from '../../../../src/scenes/scene';
import { PLAIN_WORLDS } from '../../../helpers/inputs/worlds';
import { substepOf } from '../../../helpers/passes';
import { fc, runs } from '../../../helpers/properties';
import { EQUAL_RADIUS_SCENES } from '../../../helpers/scene-names';

/** The world begins at the origin, or is centred on it. A substep takes 1/8 s. */
function setUp(dimensions: Dimensions, changes: SettingsOptions = {}, edge = 8, centred = false) {
  const world = defineWorld(
    {
      dimensions,
      min: repeat(centred ? -edge : 0, dimensions),
      max: repeat(edge, dimensions),
      cellSize: 1.25,
    },
    1,
  );
  const usual = { substeps: 1, relaxation: 0.5, friction: 0 };
  return { world, substep: substepOf(world, { ...usual, ...changes }, 0.125) };
}

/** Takes particles as [position, velocity]. Returns their positions and velocities after a resolve pass, by id. */
function resolveOnce(
  dimensions: Dimensions,
  changes: SettingsOptions,
  particles: readonly (readonly [readonly number[], readonly number[]])[],
  centred = false,
) {
  const { world, substep } = setUp(dimensions, changes, 8, centred);
  const grid = buildGrid(
    world,
    Float32Array.from(particles.flatMap(([position]) => position)),
    Float32Array.from(particles.flatMap(([, velocity]) => velocity)),
  );
  const partners = substep.restitution > 0 ? findPartners(world, substep, grid) : undefined;
  const result = resolveContacts(world, substep, grid, partners);
  return particles.map((_, id) => {
    const slot = (grid.slots[id] as number) * dimensions;
    return {
      position: [...result.positions.slice(slot, slot + dimensions)],
      velocity: [...result.velocities.slice(slot, slot + dimensions)],
    };
  });
}

describe('resolveContacts', () => {
  it('without gravity, pushes each of two particles by 3/4 of the relaxed overlap', () => {
    const [a, b] = resolveOnce(2, {}, [
      [
        [3, 3],
        [0, 0],
      ],
      [
        [3.875, 3],
        [0, 0],
      ],
    ]);
    // Overlap 1/8 and relaxation 1/2 give 1/32 each. Without gravity a push gives no speed, so it is 3/2 times as long.
    expect(a).toEqual({ position: [3 - 3 / 64, 3], velocity: [0, 0] });
    expect(b).toEqual({ position: [3.875 + 3 / 64, 3], velocity: [0, 0] });
  });

  it('also pushes two particles aside if they overlap by more than 3/16 of a diameter', () => {
    const asideAt = (dimensions: Dimensions, gap: number, height: number, restitution = 0) => {
      const speed = restitution === 0 ? 0 : 4;
      const particles = [3, 3 + gap].map(
        (x, index) =>
          [
            [x, ...repeat(height, dimensions).slice(1)],
            repeat(0, dimensions).with(0, index ? -speed : speed),
          ] as const,
      );
      const [a, b] = resolveOnce(dimensions, { restitution }, particles);
      const off = [a, b].map((body) => body?.position.slice(1).map((along) => along - height));
      expect(off[0]).toEqual(off[1]?.map((along) => -along + 0));
      expect(b?.velocity.slice(1)).toEqual(repeat(0, dimensions).slice(1));
      return off[1];
    };
    // The overlap is 4/16 of a diameter, so 1/16 beyond 3/16. The spring is 1/16, and a quarter of it is 1/64. The sum
    // of all coordinates is 6.75 + 2 · height. Times 7/4 it is 22.75, 21, 24.5 and 21.875, where the wave is 0, 1, −1
    // and ½.
    expect(asideAt(2, 0.75, 3.125)).toEqual([0]);
    expect(asideAt(2, 0.75, 2.625)).toEqual([-1 / 64]);
    expect(asideAt(2, 0.75, 3.625)).toEqual([1 / 64]);
    expect(asideAt(2, 0.75, 2.875)).toEqual([-1 / 128]);
    // In 3D, the direction is the cross product of the normal and (1, 1, 1).
    expect(asideAt(3, 0.75, 3.3125)).toEqual([-1 / 64, 1 / 64]);
    // Shallower contacts and bounces push only along the normal.
    expect(asideAt(2, 13 / 16, 3)).toEqual([0]);
    expect(asideAt(2, 0.75, 2.625, 1)).toEqual([0]);
  });

  it('adds the push to the velocity if there is gravity, up to calmSpeed', () => {
    const speedAt = (fall: number, at: number, relaxation: number) => {
      const [a, b] = resolveOnce(2, { gravity: [0, -fall], relaxation }, [
        [
          [3, 3],
          [0, 0],
        ],
        [
          [at, 3],
          [0, 0],
        ],
      ]);
      expect(b?.velocity[0]).toBe(-(a?.velocity[0] as number));
      expect([a?.velocity[1], b?.velocity[1]]).toEqual([0, 0]);
      return b?.velocity[0];
    };
    // The limit is calmSpeed, the speed that gravity adds in two substeps of 1/8. Here push / dt = ½ is below 16/8.
    expect(speedAt(8, 3.75, 0.5)).toBe(0.5);
    // Here push / dt = 2 exceeds the limit.
    expect(speedAt(4, 3.5, 1)).toBe(8 / 8);
    expect(speedAt(2 ** -8, 3.75, 0.5)).toBe(2 ** -10);
  });

  it('limits the sum of changes in deep overlaps to little more than the fastest approach needs', () => {
    // Two particles approach the middle one from the same side. Each contact alone stops the approach.
    const height = 0.75 * Math.SQRT1_2;
    const [middle] = resolveOnce(2, {}, [
      [
        [3, 3],
        [0, 0],
      ],
      [
        [3 - height, 3 + height],
        [0, -0.25],
      ],
      [
        [3 + height, 3 + height],
        [0, -0.25],
      ],
    ]);
    // The approach is ¼ cos 45°. The change is 41/64 of it; without the limit it would be √½ of it.
    expect(middle?.velocity[0]).toBeCloseTo(0, 7);
    expect(middle?.velocity[1]).toBeCloseTo((-Math.SQRT1_2 / 8) * (41 / 32), 7);
  });

  it('cancels gravity along the surface of the supporting particle, up to the limit of static friction', () => {
    // One particle upon another. Nothing pushes them aside, because their coordinates add up to 13. Gravity
    // adds (1/8, −1) in a substep.
    const particles = [
      [
        [3.125, 3],
        [0, 0],
      ],
      [
        [3.125, 3.75],
        [0, 0],
      ],
    ] as const;
    const gravity = [1, -8];
    const [lower, upper] = resolveOnce(2, { gravity, friction: 0.5 }, particles);
    expect(upper).toEqual({ position: [3.125 - 1 / 64, 3.8125], velocity: [-1 / 8, 0.5] });
    // The lower particle is pushed along gravity, so nothing supports it.
    expect(lower).toEqual({ position: [3.125, 2.9375], velocity: [0, -0.5] });
    const [, weak] = resolveOnce(2, { gravity, friction: 1 / 8 }, particles);
    expect(weak).toEqual({ position: [3.125 - 1 / 128, 3.8125], velocity: [-1 / 16, 0.5] });
    const [, smooth] = resolveOnce(2, { gravity, friction: 0 }, particles);
    expect(smooth?.velocity).toEqual([0, 0.5]);
  });

  it('removes 31/32 of the overlap of a pair that bounces', () => {
    const [a, b] = resolveOnce(2, { restitution: 1 }, [
      [
        [3, 3],
        [1, 0],
      ],
      [
        [3.75, 3],
        [-1, 0],
      ],
    ]);
    const push = 31 / 32 / 8;
    expect([a, b]).toEqual([
      { position: [3 - push, 3], velocity: [-1, 0] },
      { position: [3.75 + push, 3], velocity: [1, 0] },
    ]);
  });

  it('stops an approach that is faster than any fall', () => {
    const [a, b] = resolveOnce(2, {}, [
      [
        [3, 3],
        [0.5, 0],
      ],
      [
        [3.75, 3],
        [-0.25, 0],
      ],
    ]);
    // Changes of both velocities by 3/8 stop the approach. They may be up to push / dt = 1/2.
    expect([a?.velocity, b?.velocity]).toEqual([
      [0.125, 0],
      [0.125, 0],
    ]);
  });

  it('swaps the velocities of an elastic head-on pair, and scales the bounce by the restitution', () => {
    for (const [restitution, first, second] of [
      [1, -2, 4],
      [0.5, -0.5, 2.5],
    ] as const) {
      const [a, b] = resolveOnce(2, { restitution }, [
        [
          [3, 3],
          [4, 1],
        ],
        [
          [3.75, 3],
          [-2, 0],
        ],
      ]);
      expect([a?.velocity, b?.velocity]).toEqual([
        [first, 1],
        [second, 0],
      ]);
    }
  });

  it('removes from sliding at most the friction times the normal change of velocity', () => {
    // The coordinates add up to 13, so nothing pushes the particles aside.
    const particles = [
      [
        [3, 3.125],
        [0, 4],
      ],
      [
        [3.75, 3.125],
        [0, 0],
      ],
    ] as const;
    const gravity = [0, -16];
    const [grips] = resolveOnce(2, { friction: 0.5, gravity }, particles);
    // The normal change is 1/2, so friction removes a speed of 1/4, and moves the position back by 1/4 · dt.
    expect(grips).toEqual({ position: [2.9375, 3.125 - 0.25 * 0.125], velocity: [-0.5, 3.75] });
    const [rough] = resolveOnce(2, { friction: 10, gravity }, particles);
    // Friction removes at most a quarter (relaxation / 2) of the sliding.
    expect(rough?.velocity).toEqual([-0.5, 3]);
  });

  it('moves particles back to the wall, with or without a bounce', () => {
    const below = [
      [
        [3, 0.25],
        [2, -4],
      ],
    ] as const;
    expect(resolveOnce(2, { restitution: 1 }, below)[0]).toEqual({ position: [3, 0.5], velocity: [2, 4] });
    // The push removes depth / dt = 2 of the approach speed 4.
    expect(resolveOnce(2, {}, below)[0]).toEqual({ position: [3, 0.5], velocity: [2, -2] });
    expect(resolveOnce(2, { friction: 0.5 }, below)[0]).toEqual({
      position: [3 - 0.125, 0.5],
      velocity: [1, -2],
    });
    expect(resolveOnce(2, { walls: false }, below)[0]).toEqual({ position: [3, 0.25], velocity: [2, -4] });
  });

  it('moves particles from far outside into the box, also at a corner', () => {
    const [corner] = resolveOnce(3, { restitution: 1 }, [
      [
        [9, -3, 4],
        [1, -1, 0],
      ],
    ]);
    expect(corner).toEqual({ position: [7.5, 0.5, 4], velocity: [-1, 1, 0] });
  });

  it('pushes coincident particles apart along an axis', () => {
    // The sum of all coordinates is 17, so nothing pushes them aside.
    const [a, b] = resolveOnce(3, {}, [
      [
        [3, 3, 2.5],
        [0, 0, 0],
      ],
      [
        [3, 3, 2.5],
        [0, 0, 0],
      ],
    ]);
    // For slots 0 and 1 the axis is (0 + 1) mod 3, and the lower slot moves down.
    expect(a?.position).toEqual([3, 2.625, 2.5]);
    expect(b?.position).toEqual([3, 3.375, 2.5]);
  });

  it('is antisymmetric to the bit: a mirrored pair stays mirrored', () => {
    const coordinate = fc.double({ min: -0.5, max: 0.5, noNaN: true });
    fc.assert(
      fc.property(
        fc.constantFrom<2 | 3>(2, 3),
        fc.array(coordinate, { minLength: 3, maxLength: 3 }),
        fc.array(coordinate, { minLength: 3, maxLength: 3 }),
        fc.constantFrom(0, 0.5, 1),
        fc.constantFrom(0, 0.2, 3),
        fc.constantFrom(0, -9.8),
        (dimensions, position, velocity, restitution, friction, fall) => {
          const gravity = repeat(0, dimensions).with(1, fall);
          const [p, v] = [
            position.slice(0, dimensions),
            velocity.slice(0, dimensions).map((along) => along * 20),
          ];
          const negated = (vector: number[]) => vector.map((along) => -along);
          const [a, b] = resolveOnce(
            dimensions,
            { restitution, friction, gravity },
            [
              [p, v],
              [negated(p), negated(v)],
            ],
            true,
          );
          const plain = (vector: number[] | undefined) => vector?.map((along) => along + 0);
          if (p.every((along) => Math.abs(along) < 2 ** -40)) return;
          expect(plain(b?.position)).toEqual(plain(negated(a?.position ?? [])));
          expect(plain(b?.velocity)).toEqual(plain(negated(a?.velocity ?? [])));
        },
      ),
      runs(500),
    );
  });

  it('keeps momentum among many particles, and also energy if all bounces are elastic', () => {
    for (const dimensions of [2, 3] as const) {
      const { world, substep } = setUp(dimensions, { restitution: 1, walls: false }, 6);
      const { positions } = createScene('uniform', { dimensions, count: 200, seed: 3 });
      const velocities = createScene('gas', { dimensions, count: 200, seed: 4 }).velocities;
      const grid = buildGrid(world, positions, velocities);
      const partners = findPartners(world, substep, grid);
      const result = resolveContacts(world, substep, grid, partners);
      const sum = (values: Float32Array, power: number) =>
        values.reduce((total, value) => total + value ** power, 0);
      expect(partners.filter((partner) => partner !== NO_PARTNER).length).toBeGreaterThan(20);
      expect(sum(result.velocities, 1)).toBeCloseTo(sum(grid.velocities, 1), 3);
      expect(sum(result.velocities, 2) / sum(grid.velocities, 2)).toBeCloseTo(1, 6);
    }
  });

  it('copies quarantined particles, which do not affect others', () => {
    const { world, substep } = setUp(2);
    const positions = new Float32Array([3, 3, Number.NaN, 3, 3.875, 3]);
    const velocities = new Float32Array([0, 0, Number.NaN, Infinity, 0, 0]);
    const grid = buildGrid(world, positions, velocities);
    const result = resolveContacts(world, substep, grid);
    expect([...result.positions]).toEqual([3 - 3 / 64, 3, 3.875 + 3 / 64, 3, Number.NaN, 3]);
    expect([...result.velocities]).toEqual([0, 0, 0, 0, Number.NaN, Infinity]);
  });

  it('does not depend on the order of particles in memory', () => {
    const { world, substep } = setUp(2, { friction: 0.3, gravity: [0, -9.8], restitution: 0.3 }, 20);
    const scene = createScene('uniform', { dimensions: 2, count: 100, seed: 9 });
    const order = Uint32Array.from({ length: 100 }, (_, index) => (index * 37) % 100);
    const shuffled = Float32Array.from({ length: 200 }, (_, index) => {
      const source = order[index >> 1] as number;
      return scene.positions[2 * source + (index & 1)] as number;
    });
    const straight = buildGrid(world, scene.positions);
    const other = buildGrid(world, shuffled, undefined, order);
    expect(resolveContacts(world, substep, other, findPartners(world, substep, other))).toEqual(
      resolveContacts(world, substep, straight, findPartners(world, substep, straight)),
    );
  });
});

describe('pushApart', () => {
  it('moves particles at rest as a resolve pass does, but less by the factor FREE_PUSH', () => {
    for (const dimensions of [2, 3] as const) {
      const { world, substep } = setUp(dimensions, { walls: false }, 6);
      // Overlaps stay below 3/16 of a diameter. Deeper contacts would also push aside.
      const random = new Random(3);
      const positions = Float32Array.from({ length: dimensions * 5 ** dimensions }, (_, word) => {
        const step = Math.floor(word / dimensions / 5 ** (word % dimensions)) % 5;
        return 1 + 0.875 * step + random.between(-16, 16) / 1024;
      });
      const grid = buildGrid(world, positions);
      const apart = pushApart(world, substep, grid);
      resolveContacts(world, substep, grid).positions.forEach((coordinate, word) => {
        const from = grid.positions[word] as number;
        expect(coordinate - from).toBeCloseTo(FREE_PUSH * ((apart[word] as number) - from), 5);
      });
    }
  });

  it.each(EQUAL_RADIUS_SCENES)('lowers the overlap of the scene %s', { tags: 'case' }, (name) => {
    const plan = planSimulation(sceneOptions(createScene(name, { dimensions: 2, count: 300 })));
    const substep = deriveSubstep(plan.world, plan.diameter, plan.settings, 0);
    const overlapOf = (positions: Float32Array) => {
      let total = 0;
      for (let a = 0; a < 300; a++) {
        for (let b = a + 1; b < 300; b++) {
          total += findContact(PLAIN_WORLDS[2], substep, { positions }, a, b)?.overlap ?? 0;
        }
      }
      return total;
    };
    let grid = buildGrid(plan.world, plan.positions);
    const before = overlapOf(grid.positions);
    for (let round = 0; round < 8; round++) {
      grid = buildGrid(plan.world, pushApart(plan.world, substep, grid));
    }
    if (before === 0) expect(overlapOf(grid.positions)).toBe(0);
    else expect(overlapOf(grid.positions)).toBeLessThan(before);
  });
});
