/**
 * Measures a break shot without gravity: a body hits 49 touching bodies of the same shape, which are at rest. Momentum
 * must be kept, and energy must not grow.
 */
import type { Dimensions } from '../../../src/core/world/world';
import { advance, kineticEnergy, type PhysicsState, stepsIn, withRun } from '../engine';
import type { Case } from '../measure';
import { type PhysicsScene, vector } from '../scene';

type Shape = 'ball' | 'box';

const SIDE = 7;
const SPEED = 5;
const HALF = 0.5;
const LENGTH = 200;
const WIDTH = 40;
/** The largest accepted relative error of the momentum. Rounding changes it by less than 1e-6. */
const MOMENTUM_ERROR = 1e-5;

export function impactScene(dimensions: Dimensions, shape: Shape): PhysicsScene {
  const size = shape === 'ball' ? HALF : vector(dimensions, HALF, HALF, HALF);
  const middle = WIDTH / 2;
  const spacing = shape === 'ball' ? HALF * Math.sqrt(3) : 2 * HALF;
  const resting = Array.from({ length: SIDE * SIDE }, (_, body) => {
    const column = Math.floor(body / SIDE);
    const row = (body % SIDE) + (column % 2) / 2;
    return { position: vector(dimensions, 10 + column * spacing, middle - 3 + row, middle), size };
  });
  const shot = {
    position: vector(dimensions, 5, middle + 0.25, middle),
    velocity: vector(dimensions, SPEED, 0),
    size,
  };
  return {
    dimensions,
    min: vector(dimensions, 0, 0),
    max: vector(dimensions, LENGTH, WIDTH, WIDTH),
    gravity: vector(dimensions, 0, 0),
    friction: 0.2,
    restitution: 0,
    bodies: [shot, ...resting],
    obstacles: [],
  };
}

/** Returns the sum for bodies of mass 1. */
function momentumAlongX(dimensions: Dimensions, { velocities }: PhysicsState): number {
  return velocities.reduce((sum, along, index) => (index % dimensions === 0 ? sum + along : sum), 0);
}

function impactCase(dimensions: Dimensions, shape: Shape): Case {
  const scene = impactScene(dimensions, shape);
  const name = shape === 'box' ? (dimensions === 2 ? 'square' : 'cube') : dimensions === 2 ? 'disc' : 'ball';
  return {
    group: 'impact',
    dimensions,
    scene: `a ${name} hits 49 at rest`,
    figures: [
      {
        name: 'momentum after 3 s',
        unit: 'of the start',
        bar: { least: 1 - MOMENTUM_ERROR, most: 1 + MOMENTUM_ERROR },
      },
      { name: 'energy after 3 s', unit: 'of the start', bar: { most: 1 } },
    ],
    run: (engine) =>
      withRun(engine, scene, async (run) => {
        const start = await run.read();
        const [momentum, energy] = [momentumAlongX(dimensions, start), kineticEnergy(start)];
        const end = await advance(run, stepsIn(3));
        return [momentumAlongX(dimensions, end) / momentum, kineticEnergy(end) / energy];
      }),
  };
}

export function impactCases(dimensions: Dimensions): Case[] {
  return (['ball', 'box'] as const).map((shape) => impactCase(dimensions, shape));
}
