/** Measures bounces: the energy that an elastic gas keeps, and the heights that dropped balls reach. */
import type { Dimensions } from '../../../src/core/world/world';
import { createScene } from '../../../src/scenes';
import { advance, kineticEnergy, type PhysicsRun, stepsIn, withRun } from '../engine';
import type { Case, Sizes } from '../measure';
import { fromScene, GRAVITY, type PhysicsScene, vector } from '../scene';

const DROP = 10;
const RESTITUTION = 0.5;
const RADIUS = 0.5;
const BOUNCES = 3;
const DROP_SECONDS = 6;
/** Seconds. A ball without restitution has landed by then. */
const LANDED = 1.6;
/** The largest accepted share by which the energy changes. Rounding changes it by at most 4e-7 in 5,000 steps. */
const ENERGY_CHANGE = 1e-6;
/**
 * The largest accepted relative error of a height. On the CPU engine, the third bounce on an obstacle has an error of
 * 2.46%.
 */
const HEIGHT_ERROR = 0.025;
/** After a ball without restitution has landed, it may be at most this far above its resting position. */
const MOST_RISE = 0.001;
/** The height of the obstacle, which is a box. */
const TOP = 2;
const WIDTH = 8;

function gasCase(dimensions: Dimensions, { gas, gasSteps }: Sizes): Case {
  const scene = fromScene(createScene('gas', { dimensions, count: gas }));
  return {
    group: 'bounce',
    dimensions,
    scene: `elastic gas of ${gas} ${dimensions === 2 ? 'discs' : 'balls'}`,
    figures: [
      { name: `change of energy, ${gasSteps} steps`, unit: 'of the start', bar: { most: ENERGY_CHANGE } },
    ],
    run: (engine) =>
      withRun(engine, scene, async (run) => {
        const start = kineticEnergy(await run.read());
        return [Math.abs(kineticEnergy(await advance(run, gasSteps)) / start - 1)];
      }),
  };
}

/** Makes a scene of one ball. At the start, its lowest point is DROP above the floor: a wall or the obstacle. */
export function dropScene(
  dimensions: Dimensions,
  onObstacle: boolean,
  restitution: number = RESTITUTION,
): PhysicsScene {
  const floor = onObstacle ? TOP : 0;
  const middle = WIDTH / 2;
  return {
    dimensions,
    min: vector(dimensions, 0, 0),
    max: vector(dimensions, WIDTH, 16, WIDTH),
    gravity: vector(dimensions, 0, -GRAVITY),
    friction: 0.2,
    restitution,
    bodies: [{ position: vector(dimensions, middle, floor + RADIUS + DROP, middle), size: RADIUS }],
    obstacles: onObstacle
      ? [
          {
            position: vector(dimensions, middle, TOP / 2, middle),
            size: vector(dimensions, middle, TOP / 2, middle),
          },
        ]
      : [],
  };
}

/**
 * Returns heights of bounces, NaN if missing. Tops lie between steps, so each is extrapolated from the last step in
 * which the ball rises.
 */
async function heightsOf(run: PhysicsRun, floor: number): Promise<number[]> {
  const heights: number[] = [];
  let top: number | undefined;
  for (let step = 0; step < stepsIn(DROP_SECONDS) && heights.length < BOUNCES; step++) {
    const { positions, velocities } = await advance(run, 1);
    const speed = velocities[1] as number;
    if (speed > 0) top = (positions[1] as number) - floor - RADIUS + speed ** 2 / (2 * GRAVITY);
    else if (top !== undefined) {
      heights.push(top);
      top = undefined;
    }
  }
  while (heights.length < BOUNCES) heights.push(Number.NaN);
  return heights;
}

function dropCase(dimensions: Dimensions, onObstacle: boolean): Case {
  const scene = dropScene(dimensions, onObstacle);
  return {
    group: 'bounce',
    dimensions,
    scene: `ball dropped on ${onObstacle ? 'an obstacle' : 'a wall'}`,
    figures: Array.from({ length: BOUNCES }, (_, bounce) => {
      const right = DROP * RESTITUTION ** (2 * (bounce + 1));
      const error = HEIGHT_ERROR * right;
      return {
        name: `height ${bounce + 1}`,
        unit: 'units',
        bar: { least: right - error, most: right + error },
      };
    }),
    run: (engine) => withRun(engine, scene, (run) => heightsOf(run, onObstacle ? TOP : 0)),
  };
}

function restCase(dimensions: Dimensions, onObstacle: boolean): Case {
  const scene = dropScene(dimensions, onObstacle, 0);
  const rest = (onObstacle ? TOP : 0) + RADIUS;
  return {
    group: 'bounce',
    dimensions,
    scene: `ball dropped on ${onObstacle ? 'an obstacle' : 'a wall'}, restitution 0`,
    figures: [{ name: `height after ${LANDED} s`, unit: 'units', bar: { most: MOST_RISE } }],
    run: (engine) =>
      withRun(engine, scene, async (run) => {
        let highest = (await advance(run, stepsIn(LANDED))).positions[1] as number;
        for (let step = stepsIn(LANDED); step < stepsIn(DROP_SECONDS); step++) {
          highest = Math.max(highest, (await advance(run, 1)).positions[1] as number);
        }
        return [Math.max(0, highest - rest)];
      }),
  };
}

export function bounceCases(dimensions: Dimensions, sizes: Sizes): Case[] {
  return [
    gasCase(dimensions, sizes),
    ...[false, true].map((onObstacle) => dropCase(dimensions, onObstacle)),
    ...[false, true].map((onObstacle) => restCase(dimensions, onObstacle)),
  ];
}
