import { describe, expect, it, vi } from 'vitest';
import { CCD_TICKS } from '../../../../src/core/base/constants';
import { Impact } from '../../../../src/core/ccd/impact';
import { longestPiece, NEVER, OVERLAP_SHARE, timeOfKey } from '../../../../src/core/ccd/law';
import { checkObstaclesFit } from '../../../../src/core/obstacles/obstacles';
import { defineShapes, thicknessOf } from '../../../../src/core/particles/shapes';
import { defineLevels } from '../../../../src/core/world/level-world';
import { type Dimensions, defineWorld } from '../../../../src/core/world/world';
import { faceShapes } from '../../../../src/reference/solve/contact';
import { repeat } from '../../../../src/scenes/scene';
import { createNoise } from '../../../../src/testing/noise';
import { cornersIn } from '../../../helpers/inputs/vectors';
import { DIMENSIONS, substepOf } from '../../../helpers/passes';
import { expectSeen, fc, runs } from '../../../helpers/properties';

interface Body {
  readonly radius?: number;
  readonly half?: readonly number[];
  /** The position at the start of the substep, and the displacement in it. */
  readonly from: readonly number[];
  readonly way: readonly number[];
}

/** Returns the impact of two bodies in a substep of 1 s. */
function meet(dimensions: Dimensions, bodies: readonly [Body, Body]) {
  const world = defineLevels({ dimensions, unbounded: true }, { smallest: 0.01, largest: 64 }, 2, true);
  const substep = { ...substepOf(world), dt: 1 };
  const pick = (numbers: (body: Body) => readonly number[]) => Float32Array.from(bodies.flatMap(numbers));
  const none = repeat(0, dimensions);
  const state = {
    ids: Uint32Array.of(0, 1),
    positions: pick(({ from, way }) => from.map((along, axis) => along + (way[axis] as number))),
    velocities: pick(({ way }) => way),
    radii: pick(({ radius, half }) => [radius ?? Math.hypot(...(half as number[]))]),
    halves: pick(({ half }) => half ?? none),
    bulks: Float32Array.of(1, 1),
    activeCount: 2,
  };
  const impact = new Impact(world, substep, state);
  const slack = OVERLAP_SHARE * Math.min(...[0, 1].map((body) => thicknessOf(dimensions, state, body, 0)));
  const overlapAt = (time: number) => {
    const positions = Float32Array.from(state.positions, (end, index) => {
      return end - (1 - time) * (state.velocities[index] as number);
    });
    return faceShapes(world, { ...state, positions }, 0, 1).overlap;
  };
  const face = (time: number) => impact.face(0, time, state, 1, time, true);
  face(0);
  const key = impact.key(0);
  return { impact, face, slack, overlapAt, time: key === NEVER ? undefined : timeOfKey(key) };
}

const PERIOD = 16;

/**
 * Returns the impact of a particle and an obstacle in a substep of 1 s. The particle must fit into a ball of radius 1.
 */
function meetObstacle(
  dimensions: Dimensions,
  { radius, half, from, way }: Body,
  obstacle: Omit<Body, 'way'>,
  periodic: boolean | readonly boolean[] = true,
) {
  const corner = cornersIn(dimensions);
  const box = { dimensions, min: corner(0), max: corner(PERIOD), periodic };
  const world = defineLevels(box, { smallest: 1, largest: 1 }, 2, true);
  const sized = (own: number | undefined, edges: readonly number[] | undefined) =>
    defineShapes(dimensions, Float32Array.of(own ?? 0), Float32Array.from(edges ?? corner(0)));
  const state = {
    ids: Uint32Array.of(0),
    positions: Float32Array.from(from, (along, axis) => along + (way[axis] as number)),
    velocities: Float32Array.from(way),
    ...sized(radius, half),
    activeCount: 1,
  };
  const bodies = { positions: Float32Array.from(obstacle.from), ...sized(obstacle.radius, obstacle.half) };
  checkObstaclesFit('obstacles', bodies, world);
  const impact = new Impact(world, { ...substepOf(world), dt: 1 }, state);
  const slack =
    OVERLAP_SHARE * Math.min(thicknessOf(dimensions, state, 0, 0), thicknessOf(dimensions, bodies, 0, 0));
  /** Returns the overlap with the image that is nearest at that time. */
  const overlapAt = (time: number) => {
    const positions = state.positions.map((end, axis) => end - (1 - time) * (way[axis] as number));
    return faceShapes(world, { ...state, positions }, 0, 0, bodies).overlap;
  };
  const face = (time: number) => impact.face(0, time, bodies, 0, 1, false);
  const timeOf = (key: number) => (key === NEVER ? undefined : timeOfKey(key));
  face(0);
  const time = timeOf(impact.keyOnImages(0));
  return {
    impact,
    face,
    slack,
    overlapAt,
    time,
    nearestOnly: timeOf(impact.key(0)),
    longest: longestPiece(world, world.cellSize),
  };
}

/** A tick as a share of the substep. Times of hits are rounded down to ticks. */
const TICK = 1 / CCD_TICKS;

describe.each(DIMENSIONS)('two bodies in %dD', (dimensions) => {
  it.each(['ball and ball', 'ball and box', 'box and box'])(
    'meet at the time that small steps along their paths find: %s',
    (kind) => {
      let hits = 0;
      let misses = 0;
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 2 ** 30 }), (seed) => {
          const noise = createNoise(seed);
          const vector = (size: number) => Array.from({ length: dimensions }, () => size * (2 * noise() - 1));
          const size = () => 2 ** (4 * noise() - 2);
          const make = (isBox: boolean): Body => {
            const from = vector(6);
            // The body moves to about the opposite side of the middle, where most paths cross.
            const way = vector(4).map((along, axis) => along - 2 * (from[axis] as number));
            return { ...(isBox ? { half: vector(1).map(size) } : { radius: size() }), from, way };
          };
          const bodies = [make(kind === 'box and box'), make(kind !== 'ball and ball')] as const;
          const { slack, overlapAt, time } = meet(dimensions, [...bodies]);
          // Covers the rounding of 32-bit positions, which differ by up to 20 along an axis.
          const rounding = 2 ** -17;
          // Times are rounded down to ticks. In a tick the bodies approach each other by less than this.
          const aTick = 2 * TICK * Math.hypot(...bodies.flatMap(({ way }) => way));
          const until = time ?? 1;
          if (time === 0 && overlapAt(0) >= slack - rounding) return;
          // Before the hit, the bodies never overlap more than `slack`. At the hit, they overlap by almost `slack`.
          if (overlapAt(0) < slack) {
            const overlaps = Array.from({ length: 201 }, (_, step) => overlapAt((until * step) / 200));
            expect(Math.max(...overlaps)).toBeLessThan(slack + rounding);
          }
          if (time === undefined) {
            misses++;
            return;
          }
          hits++;
          expect(overlapAt(time)).toBeGreaterThan(slack - aTick - rounding);
        }),
        runs(400),
      );
      expectSeen(hits, 100);
      expectSeen(misses, 40);
    },
  );

  it('meet at the exact time at a side, at an edge and at a corner', () => {
    const still = repeat(0, dimensions);
    const half = repeat(1, dimensions);
    const ball = (from: number[], way: number[]) => ({
      radius: 0.5,
      from: [...from, ...still].slice(0, dimensions),
      way: [...way, ...still].slice(0, dimensions),
    });
    const box = { half, from: still, way: still };
    // A ball of diameter 1 overlaps by 1/16, so its centre stops 23/16 from the centre of the box.
    const side = meet(dimensions, [ball([-8, 0.5], [8, 0]), box]);
    expect(side.time).toBeCloseTo(1 - 23 / 16 / 8, 3);
    side.face(side.time as number);
    side.impact.measure(0);
    expect([...side.impact.normal]).toEqual([-1, 0, 0].slice(0, dimensions));
    // This path leads 0.3 past the side of the box. The ball's centre stops 7/16 from the edge.
    const edge = meet(dimensions, [ball([-8, 1.3], [8, 0]), box]);
    const before = Math.sqrt((7 / 16) ** 2 - 0.3 ** 2);
    expect(edge.time).toBeCloseTo(1 - (1 + before) / 8, 3);
    edge.face(edge.time as number);
    edge.impact.measure(0);
    expect(edge.impact.normal[0]).toBeCloseTo(-before / (7 / 16), 2);
    expect(edge.impact.normal[1]).toBeCloseTo(0.3 / (7 / 16), 2);
    // A path that leads a little less than 7/16 past the side hits, and a path that leads a little more misses.
    expect(meet(dimensions, [ball([-8, 1 + 7 / 16 - 0.001], [16, 0]), box]).time).toBeDefined();
    expect(meet(dimensions, [ball([-8, 1 + 7 / 16 + 0.001], [16, 0]), box]).time).toBeUndefined();
    if (dimensions === 2) return;
    const corner = meet(dimensions, [ball([-8, 1.2, 1.2], [8, 0, 0]), box]);
    expect(corner.time).toBeCloseTo(1 - (1 + Math.sqrt((7 / 16) ** 2 - 2 * 0.2 ** 2)) / 8, 3);
  });

  it('do not meet if they move side by side or away from each other', () => {
    const still = repeat(0, dimensions);
    const half = repeat(1, dimensions);
    const along = still.with(0, 20);
    const beside = { half, from: still.with(0, -10).with(1, 2), way: along };
    expect(meet(dimensions, [beside, { half, from: still, way: still }]).time).toBeUndefined();
    const inside = { half, from: still.with(0, -0.5), way: still.with(0, -3) };
    expect(meet(dimensions, [inside, { half, from: still, way: still }]).time).toBeUndefined();
    // Coincident bodies cannot come nearer in any direction.
    const same = { half, from: still, way: still.with(0, 3) };
    expect(meet(dimensions, [same, { half, from: still, way: still }]).time).toBeUndefined();
    // Deeper than allowed, and moving towards each other: they meet at once.
    const towards = { half, from: still.with(0, -0.5), way: still.with(0, 3) };
    expect(meet(dimensions, [towards, { half, from: still, way: still }]).time).toBe(0);
  });

  it('meet or just miss as an exact formula says, if all balls have one diameter', () => {
    const vector = (first: number, second: number) => [first, second, 0].slice(0, dimensions);
    const world = defineWorld({ dimensions, unbounded: true }, 1);
    /** Returns when a moving ball meets a resting ball whose centre is `aside` from the moving ball's path. */
    const timeAside = (aside: number) => {
      const positions = Float32Array.from([...vector(2, 15 / 16), ...vector(0, 15 / 16 - aside)]);
      const velocities = Float32Array.from([...vector(4, 0), ...vector(0, 0)]);
      const state = { ids: Uint32Array.of(0, 1), positions, velocities, activeCount: 2 };
      const impact = new Impact(world, { ...substepOf(world), dt: 1 }, state);
      impact.face(0, 0, state, 1, 0, true);
      const key = impact.key(0);
      return key === NEVER ? undefined : timeOfKey(key);
    };
    // A path ends when the overlap is 1/16.
    expect(timeAside(15 / 16)).toBe(0.5);
    expect(timeAside(15 / 16 + 2 ** -30)).toBeUndefined();
  });
});

describe('a ball and a box in 3D', () => {
  it("meet a little early, not late, if 24 steps of Newton's method do not reach a grazing hit", () => {
    // A ball flies along a long bar. At half the time it passes the bar's end. Then it slowly drifts towards the bar
    // until it grazes the bar. Newton's method converges slowly near both times.
    const [radius, thick, long] = [0.5, 0.125, 40];
    const [ahead, aside] = [64, 2 ** -8];
    const grazing = 0.75;
    const apart = [thick + radius - (2 * thick) / 16, -long - ahead / 2, thick + aside * grazing];
    const ball = { radius, from: apart, way: [0, ahead, -aside] };
    const bar = { half: [thick, long, thick], from: [0, 0, 0], way: [0, 0, 0] };
    const { impact, face, time } = meet(3, [ball, bar]);
    expect(time).toBeLessThan(grazing);
    expect(time).toBeGreaterThanOrEqual(grazing - 2 * TICK);
    const measure = vi.spyOn(impact, 'measure');
    face(0);
    impact.key(0);
    expect(measure).toHaveBeenCalledTimes(24);
  });
});

describe.each(DIMENSIONS)('a body and an obstacle of any size in a periodic world in %dD', (dimensions) => {
  it.each(['ball and ball', 'ball and box', 'box and ball', 'box and box'])(
    'meet at the time that small steps along the path find, at the image that is hit first: %s',
    (kind) => {
      const [isBox, isBoxed] = [kind.startsWith('box'), kind.endsWith('box')];
      let hits = 0;
      let ahead = 0;
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 2 ** 30 }), (seed) => {
          const noise = createNoise(seed);
          const vector = (make: () => number) => Array.from({ length: dimensions }, make);
          const size = () => 2 ** -(2 * noise() + 1);
          // Along each axis, the obstacle leaves room for the largest particle, or it is endless.
          const large = () => 7 * (1 - noise() / 4);
          const half = () => (noise() < 0.2 ? PERIOD * (0.5 + noise()) : large());
          const direction = vector(() => noise() - 0.5).with(0, noise() - 0.25);
          const length = 3 * noise() ** 0.25;
          const centre = vector(() => PERIOD * noise());
          // The body starts about half a period away, and most paths lead to the next image.
          const body: Body = {
            ...(isBox ? { half: vector(size) } : { radius: size() }),
            from: centre.map((along, axis) => along + (axis === 0 ? 6.5 + 2 * noise() : 5 * (noise() - 0.5))),
            way: direction.map((along) => (along / Math.hypot(...direction)) * length),
          };
          const obstacle = { ...(isBoxed ? { half: vector(half) } : { radius: large() }), from: centre };
          const met = meetObstacle(dimensions, body, obstacle);
          const { slack, overlapAt, time } = met;
          expect(length).toBeLessThanOrEqual(met.longest);
          const rounding = 2 ** -17;
          if (overlapAt(0) >= slack - rounding) return;
          const until = time ?? 1;
          const overlaps = Array.from({ length: 65 }, (_, step) => overlapAt((until * step) / 64));
          expect(Math.max(...overlaps)).toBeLessThan(slack + rounding);
          if (time === undefined) return;
          hits++;
          if (met.nearestOnly !== time) ahead++;
          expect(overlapAt(time)).toBeGreaterThan(slack - 2 * TICK * length - rounding);
          // The hit is with the image that is nearest at that time.
          met.face(time);
          met.impact.measure(0);
          const closing = body.way.reduce((sum, along, axis) => {
            return sum + along * (met.impact.normal[axis] as number);
          }, 0);
          expect(closing).toBeLessThan(0);
        }),
        runs(400),
      );
      expectSeen(hits, 50);
      // `ahead` counts hits with another image than the one that is nearest at the start.
      expectSeen(ahead, 15);
    },
  );

  it('meet when they overlap by a sixteenth of the lesser thickness of the two', () => {
    const corner = (first: number) => repeat(8, dimensions).with(0, first);
    const way = repeat(0, dimensions).with(0, 2);
    const body = { radius: 0.5, from: corner(2), way };
    // The lesser thickness is that of the ball with diameter 1, then that of a plate 1/4 thick.
    const large = meetObstacle(dimensions, body, { radius: 4, from: corner(8) });
    expect(large.time).toBeCloseTo((1.5 + 1 / 16) / 2, 3);
    const plate = repeat(2, dimensions).with(0, 0.125);
    const thin = meetObstacle(dimensions, body, { half: plate, from: corner(4) });
    expect(thin.time).toBeCloseTo((2 - 0.625 + 1 / 64) / 2, 3);
  });

  it('meet on top of an endless floor, but not at its ends', () => {
    const vector = (first: number, second: number) => [first, second, 8].slice(0, dimensions);
    const floor = { half: [PERIOD / 2, 1, PERIOD / 2].slice(0, dimensions), from: vector(2, 2) };
    // The floor is as long as the period, so its ends, at 10 and −6, coincide. Bodies fall on either side of x = 10,
    // and exactly there.
    for (const [first, along] of [
      [9, 2],
      [11, -2],
      [10, 0],
      [9.999, 0.001],
    ] as const) {
      const way = [along, -2, 0].slice(0, dimensions);
      const { time, face, impact } = meetObstacle(
        dimensions,
        { radius: 0.5, from: vector(first, 5), way },
        floor,
      );
      expect(time).toBeCloseTo((1.5 + 1 / 16) / 2, 3);
      face(time as number);
      impact.measure(0);
      expect([...impact.normal]).toEqual([0, 1, 0].slice(0, dimensions));
    }
    // Motion along the floor is no hit at any depth.
    for (const depth of [0.2, 0.9]) {
      const half = repeat(0.25, dimensions);
      const way = [2, 0, 0].slice(0, dimensions);
      const inside = meetObstacle(dimensions, { half, from: vector(9, 3.25 - depth), way }, floor);
      expect(inside.time).toBeUndefined();
    }
  });

  it('do not meet through images along axes that are not periodic', () => {
    const corner = (first: number) => repeat(8, dimensions).with(0, first);
    const way = repeat(0, dimensions).with(0, -3);
    const body = { radius: 0.5, from: corner(2), way };
    const obstacle = { radius: 4, from: corner(11) };
    expect(meetObstacle(dimensions, body, obstacle, true).time).toBeDefined();
    const others = new Array<boolean>(dimensions).fill(true).with(0, false);
    expect(meetObstacle(dimensions, body, obstacle, others).time).toBeUndefined();
  });
});
