/**
 * Floors of flush boxes. A seam must not act like an edge: a body that lands and slides without friction must keep its
 * speed. For balls that fall beside a seam, the sideways speed is measured, without a limit.
 */
import type { Dimensions } from '../../../src/core/world/world';
import { advance, stepsIn, withRun } from '../engine';
import type { Case } from '../measure';
import { GRAVITY, type PhysicsBody, type PhysicsScene, vector } from '../scene';
import { SHAPES } from './slope';

const RESTITUTION = 0.5;
/** Speed of the body in diameters/s, and width of the tiles in diameters. */
const SLIDES = [
  [7, 1],
  [20, 0.37],
] as const;
/** Sliding bodies start this high above the floor. */
const DROP = 0.1;
const SECONDS = 3;
const LENGTH = 72;
const WIDTH = 16;
const TOP = 2;
/** Falling balls start this far beside the seam at FALLS_AT. */
const OFFSETS = [0.025, 0.05, 0.075, 0.1] as const;
const FALLS_AT = 32;
const FALL = 3.5;

export function tilesScene(
  dimensions: Dimensions,
  tile: number,
  restitution: number,
  body: PhysicsBody,
): PhysicsScene {
  const middle = WIDTH / 2;
  const obstacles = Array.from({ length: Math.ceil(LENGTH / tile) }, (_, index) => ({
    position: vector(dimensions, (index + 0.5) * tile, TOP / 2, middle),
    size: vector(dimensions, tile / 2, TOP / 2, middle),
  }));
  return {
    dimensions,
    min: vector(dimensions, 0, 0),
    max: vector(dimensions, LENGTH, WIDTH, WIDTH),
    gravity: vector(dimensions, 0, -GRAVITY),
    friction: 0,
    restitution,
    bodies: [body],
    obstacles,
  };
}

export function tileCases(dimensions: Dimensions): Case[] {
  const middle = WIDTH / 2;
  const slides = SHAPES.flatMap((shape) =>
    SLIDES.map(([speed, tile]): Case => {
      const body = {
        position: vector(dimensions, 3.1, TOP + 0.5 + DROP, middle),
        velocity: vector(dimensions, speed, 0),
        size: shape === 'ball' ? 0.5 : vector(dimensions, 0.5, 0.5, 0.5),
      };
      return {
        group: 'bounce',
        dimensions,
        scene: `${shape} at ${speed} units/s slides over tiles ${tile} wide`,
        figures: [
          { name: `speed after ${SECONDS} s`, unit: 'of the start', bar: { least: 0.98, most: 1.02 } },
        ],
        run: (engine) =>
          withRun(engine, tilesScene(dimensions, tile, RESTITUTION, body), async (run) => {
            const { velocities } = await advance(run, stepsIn(SECONDS));
            return [(velocities[0] as number) / speed];
          }),
      };
    }),
  );
  const falls = [0, RESTITUTION].map((restitution): Case => {
    return {
      group: 'bounce',
      dimensions,
      scene: `ball falls by ${FALL} onto tiles, restitution ${restitution}`,
      figures: [{ name: 'greatest sideways speed', unit: 'units/s' }],
      async run(engine) {
        let greatest = 0;
        for (const offset of OFFSETS) {
          const position = vector(dimensions, FALLS_AT + offset, TOP + 0.5 + FALL, middle);
          const scene = tilesScene(dimensions, 1, restitution, { position, size: 0.5 });
          greatest = await withRun(engine, scene, async (run) => {
            const { velocities } = await advance(run, stepsIn(2));
            return Math.max(greatest, Math.abs(velocities[0] as number));
          });
        }
        return [greatest];
      },
    };
  });
  return [...slides, ...falls];
}
