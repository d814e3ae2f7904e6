/**
 * Measures a heavy ball on light balls: a ball of radius `ratio` rests on a ball of radius 1 or on a stack of them. The
 * floor is either a wall or a box obstacle. The gap is the distance from the floor to the upper ball.
 */
import type { Dimensions } from '../../../src/core/world/world';
import { advance, type PhysicsRun, stepsIn, withRun } from '../engine';
import { type Bar, type Case, withRestitution } from '../measure';
import { GRAVITY, type PhysicsScene, vector } from '../scene';

const RATIOS = [1, 5, 10, 15, 20] as const;
const RESTITUTIONS = [0, 0.5] as const;
const FLOORS = ['wall', 'obstacle'] as const;
type Floor = (typeof FLOORS)[number];
/** The height of the obstacle. */
const TOP = 2;
/** The gap at the start, without the drop, per ball of radius 1. */
const GAP = 2;
const HEIGHT = 128;
/** Limits of the gap, as shares of the gap at the start without the drop. */
const HOLDS: Bar = { least: 0.98, most: 1.02 };

/** With DROPPED_RATIOS, the upper ball is also dropped by DROP: above an obstacle, with restitution 0.5. */
const DROP = 0.01;
const DROPPED_RATIOS = [5, 10] as const;

/** With these ratios, the upper ball is also dropped onto a stack, with restitution 0.5. */
const STACK = { ratios: [2, 5], balls: 2, drop: 0.2 } as const;

const heightOf = (floor: Floor) => (floor === 'wall' ? 0 : TOP);

export function ratioScene(
  dimensions: Dimensions,
  ratio: number,
  restitution = 0,
  floor: Floor = 'wall',
  drop = 0,
  stacked = 1,
): PhysicsScene {
  const middle = 2 * ratio + 4;
  const bottom = heightOf(floor);
  const obstacle = vector(dimensions, middle, TOP / 2, middle);
  return {
    dimensions,
    min: vector(dimensions, 0, 0),
    max: vector(dimensions, 2 * middle, HEIGHT, 2 * middle),
    gravity: vector(dimensions, 0, -GRAVITY),
    friction: 0.2,
    restitution,
    bodies: [
      ...Array.from({ length: stacked }, (_, ball) => ({
        position: vector(dimensions, middle, bottom + GAP * ball + 1, middle),
        size: 1,
      })),
      { position: vector(dimensions, middle, bottom + GAP * stacked + drop + ratio, middle), size: ratio },
    ],
    obstacles: floor === 'wall' ? [] : [{ position: obstacle, size: obstacle }],
  };
}

interface Extremes {
  /** The lowest and the highest gap, as shares of the gap at the start without the drop. */
  readonly lowest: number;
  readonly highest: number;
  /** The greatest vertical speed of the upper ball. */
  readonly speed: number;
  /** True if the upper centre was below that of the lowest ball after any step. */
  readonly passed: boolean;
}

async function watch(
  run: PhysicsRun,
  dimensions: Dimensions,
  ratio: number,
  bottom: number,
  stacked: number,
  seconds: number,
): Promise<Extremes> {
  const along = dimensions * stacked + 1;
  let [lowest, highest, speed, passed] = [Infinity, -Infinity, 0, false];
  for (let step = 0; step < stepsIn(seconds); step++) {
    const { positions, velocities } = await advance(run, 1);
    const upper = positions[along] as number;
    const gap = (upper - ratio - bottom) / (GAP * stacked);
    lowest = Math.min(lowest, gap);
    highest = Math.max(highest, gap);
    speed = Math.max(speed, Math.abs(velocities[along] as number));
    if (upper < (positions[1] as number)) passed = true;
  }
  return { lowest, highest, speed, passed };
}

function ratioCase(
  dimensions: Dimensions,
  ratio: number,
  restitution: number,
  floor: Floor,
  drop = 0,
  stacked = 1,
): Case {
  const scene = ratioScene(dimensions, ratio, restitution, floor, drop, stacked);
  const below = stacked === 1 ? 'radius 1' : `${stacked} of radius 1`;
  const dropped = drop > 0 ? `, dropped by ${drop}` : '';
  const bottom = heightOf(floor);
  return {
    group: 'ratio',
    dimensions,
    scene: `radius ${ratio} on ${below}${floor === 'wall' ? '' : ' on an obstacle'}${withRestitution(restitution)}${dropped}`,
    figures: [
      { name: 'lowest gap, 1.5 to 2 s', unit: 'of the gap at the start', bar: HOLDS },
      { name: 'highest gap, 1.5 to 2 s', unit: 'of the gap at the start', bar: HOLDS },
      { name: 'speed, 1.5 to 2 s', unit: 'units/s' },
      { name: 'lowest gap, 9.5 to 10 s', unit: 'of the gap at the start', bar: HOLDS },
      { name: 'highest gap, 9.5 to 10 s', unit: 'of the gap at the start', bar: HOLDS },
      { name: 'speed, 9.5 to 10 s', unit: 'units/s' },
      { name: 'centres have passed', unit: '1 if so', bar: { most: 0 } },
    ],
    run: (engine) =>
      withRun(engine, scene, async (run) => {
        const watchFor = (seconds: number) => watch(run, dimensions, ratio, bottom, stacked, seconds);
        const first = await watchFor(1.5);
        const early = await watchFor(0.5);
        const between = await watchFor(7.5);
        const late = await watchFor(0.5);
        const passed = [first, early, between, late].some((extremes) => extremes.passed) ? 1 : 0;
        return [early.lowest, early.highest, early.speed, late.lowest, late.highest, late.speed, passed];
      }),
  };
}

export function ratioCases(dimensions: Dimensions): Case[] {
  const resting = FLOORS.flatMap((floor) =>
    RESTITUTIONS.flatMap((restitution) =>
      RATIOS.map((ratio) => ratioCase(dimensions, ratio, restitution, floor)),
    ),
  );
  const dropped = DROPPED_RATIOS.map((ratio) => ratioCase(dimensions, ratio, 0.5, 'obstacle', DROP));
  const { ratios, balls, drop } = STACK;
  const onStack = ratios.map((ratio) => ratioCase(dimensions, ratio, 0.5, 'wall', drop, balls));
  return [...resting, ...dropped, ...onStack];
}
