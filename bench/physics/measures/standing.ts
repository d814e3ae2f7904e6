/** Measures bodies that must stand for 20 s, or for the time that --minutes sets. */
import type { Dimensions } from '../../../src/core/world/world';
import { advance, distanceMoved, type PhysicsEngine, stepsIn, withRun } from '../engine';
import { type Case, type Sizes, withRestitution } from '../measure';
import { GRAVITY, type PhysicsBody, type PhysicsScene, vector } from '../scene';

const SAMPLE = 0.25;
const RADIUS = 0.5;
/**
 * The limit of a movement, in diameters: 1e-4 per second for five minutes. Shorter runs have the same limit, which
 * leaves room for the movement while bodies settle.
 */
const MOST_MOVED = 0.03;

const RAMP_DEGREES = 15;
const RAMP_LENGTH = 12;
const RAMP_SPACING = 0.5;
const RAMP_ROWS = 7;
/** The z of the first row. */
const RAMP_Z = 8;
const RAMP_BODIES = 5;

/** Bodies along the lowest edge. A heap has 55 bodies in 2D and in 3D. */
const HEAP_BASE = { 2: 10, 3: 5 } as const;

const TOWER_HEIGHT = 10;

const RESTITUTIONS = [0, 0.5] as const;

function world(
  dimensions: Dimensions,
  edge: number,
): Omit<PhysicsScene, 'bodies' | 'friction' | 'obstacles'> {
  return {
    dimensions,
    min: vector(dimensions, 0, 0),
    max: vector(dimensions, edge, edge, edge),
    gravity: vector(dimensions, 0, -GRAVITY),
    restitution: 0,
  };
}

/** Makes a slope of overlapping obstacles. Each body touches the two obstacles (in 3D, the four) around a hollow. */
export function rampScene(dimensions: Dimensions): PhysicsScene {
  const angle = (RAMP_DEGREES * Math.PI) / 180;
  const across =
    dimensions === 2 ? [RAMP_Z] : Array.from({ length: RAMP_ROWS }, (_, row) => RAMP_Z + row * RAMP_SPACING);
  const pointAt = (along: number, above: number, z: number) =>
    vector(
      dimensions,
      2 + along * Math.cos(angle) - above * Math.sin(angle),
      2 + along * Math.sin(angle) + above * Math.cos(angle),
      z,
    );
  const obstacles = across.flatMap((z) =>
    Array.from({ length: RAMP_LENGTH / RAMP_SPACING }, (_, step) => ({
      position: pointAt(step * RAMP_SPACING, 0, z),
      size: RADIUS,
    })),
  );
  const half = RAMP_SPACING / 2;
  const above = Math.sqrt((2 * RADIUS) ** 2 - (dimensions - 1) * half ** 2);
  // The hollow between the middle row and the next; RAMP_ROWS is odd.
  const hollow = RAMP_Z + (RAMP_ROWS / 2) * RAMP_SPACING;
  const bodies = Array.from({ length: RAMP_BODIES }, (_, body) => ({
    position: pointAt(2 + 2 * body + half, above, hollow),
    size: RADIUS,
  }));
  return { ...world(dimensions, 20), friction: 0.5, bodies, obstacles };
}

/** The height of the box obstacle below a heap. */
const TOP = 2;

/**
 * Makes a heap of touching bodies: a triangle of discs or a square pyramid of balls. `base` is the number of bodies
 * along its edges.
 */
export function heapScene(
  dimensions: Dimensions,
  base: number = HEAP_BASE[dimensions],
  floor: 'wall' | 'obstacle' = 'wall',
): PhysicsScene {
  const edge = Math.max(20, 1.5 * base);
  const rise = dimensions === 2 ? Math.sqrt(3) / 2 : Math.SQRT1_2;
  const obstacle = vector(dimensions, edge / 2, TOP / 2, edge / 2);
  const bottom = floor === 'wall' ? 0 : TOP;
  const bodies: PhysicsBody[] = [];
  for (let layer = 0; layer < base; layer++) {
    const length = base - layer;
    const first = edge / 2 - (length - 1) / 2;
    const y = bottom + RADIUS + layer * rise;
    for (let row = 0; row < (dimensions === 2 ? 1 : length); row++) {
      for (let column = 0; column < length; column++) {
        bodies.push({ position: vector(dimensions, first + column, y, first + row), size: RADIUS });
      }
    }
  }
  const obstacles = floor === 'wall' ? [] : [{ position: obstacle, size: obstacle }];
  return { ...world(dimensions, edge), friction: 1, bodies, obstacles };
}

/** Makes a tower of boxes of edge 1, stacked exactly. */
export function towerScene(dimensions: Dimensions): PhysicsScene {
  const bodies = Array.from({ length: TOWER_HEIGHT }, (_, level) => ({
    position: vector(dimensions, 8, level + 0.5, 8),
    size: vector(dimensions, 0.5, 0.5, 0.5),
  }));
  return { ...world(dimensions, 16), friction: 0.5, bodies, obstacles: [] };
}

/** Returns the greatest distance of a body from its position after one second, over all bodies and samples. */
async function greatestMovement(
  engine: PhysicsEngine,
  scene: PhysicsScene,
  seconds: number,
): Promise<number> {
  return withRun(engine, scene, async (run) => {
    const settled = await advance(run, stepsIn(1));
    let greatest = 0;
    for (let time = 1; time < seconds; time += SAMPLE) {
      const state = await advance(run, stepsIn(SAMPLE));
      for (let body = 0; body < scene.bodies.length; body++) {
        // Math.max keeps NaN, so a position that is not finite misses the limit.
        greatest = Math.max(greatest, distanceMoved(scene.dimensions, settled, state, body));
      }
    }
    return greatest;
  });
}

export function standingCases(dimensions: Dimensions, { standing }: Sizes): Case[] {
  const heap = dimensions === 2 ? 'triangle of discs' : 'pyramid of balls';
  const named = [
    ['ramp of obstacles', rampScene(dimensions)],
    [heap, heapScene(dimensions)],
    [`${heap} on an obstacle`, heapScene(dimensions, undefined, 'obstacle')],
    ['tower of ten boxes', towerScene(dimensions)],
  ] as const;
  return named.flatMap(([name, scene]) =>
    RESTITUTIONS.map((restitution) => ({
      group: 'standing',
      dimensions,
      scene: `${name}${withRestitution(restitution)}`,
      figures: [{ name: `movement, 1 to ${standing} s`, unit: 'diameters', bar: { most: MOST_MOVED } }],
      run: async (engine) => [await greatestMovement(engine, { ...scene, restitution }, standing)],
    })),
  );
}
