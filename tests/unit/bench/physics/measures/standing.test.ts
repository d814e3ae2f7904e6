import { describe, expect, it } from 'vitest';
import {
  advance,
  distanceMoved,
  type PhysicsState,
  stepsIn,
  withRun,
} from '../../../../../bench/physics/engine';
import { CELLSTORM_CPU } from '../../../../../bench/physics/engines/cellstorm';
import { casesOf } from '../../../../../bench/physics/measures';
import { heapScene, rampScene, towerScene } from '../../../../../bench/physics/measures/standing';
import type { PhysicsScene } from '../../../../../bench/physics/scene';
import { figuresOf, findCase, SMALL, scriptedEngine } from '../cases';

/** A body that stands moves at most this far, in diameters. */
const MOST_MOVED = 0.03;

/** Counts the touching pairs of two bodies, or of a body and an obstacle. Fails if such a pair overlaps. */
function countTouching({ bodies, obstacles }: PhysicsScene): number {
  let touching = 0;
  bodies.forEach(({ position }, index) => {
    for (const other of [...bodies.slice(index + 1), ...obstacles]) {
      const distance = Math.hypot(...position.map((along, axis) => along - (other.position[axis] as number)));
      expect(distance).toBeGreaterThan(1 - 1e-6);
      if (distance < 1 + 1e-6) touching++;
    }
  });
  return touching;
}

describe.each([2, 3] as const)('in %dD', (dimensions) => {
  it('each ball on the ramp touches the obstacles around its hollow', () => {
    const scene = rampScene(dimensions);
    expect(scene.bodies).toHaveLength(5);
    expect(countTouching(scene)).toBe(5 * 2 ** (dimensions - 1));
  });

  it('a heap has 55 bodies; above the lowest layer, each disc stands on two others, or each ball on four', () => {
    const scene = heapScene(dimensions);
    expect(scene.bodies).toHaveLength(55);
    // Within layers, rows of discs have 9 + 8 + … + 1 pairs, and each square of n × n balls has 2 n (n − 1).
    const besides = dimensions === 2 ? 45 : 80;
    const below = dimensions === 2 ? 2 * 45 : 4 * 30;
    expect(countTouching(scene)).toBe(besides + below);
  });

  it('a heap lies as high above an obstacle as above a wall', () => {
    const heights = (floor: 'wall' | 'obstacle') =>
      heapScene(dimensions, undefined, floor).bodies.map(({ position }) => position[1] as number);
    expect(heights('obstacle')).toEqual(heights('wall').map((height) => height + 2));
    expect(heapScene(dimensions, undefined, 'obstacle').obstacles).toMatchObject([
      { size: expect.arrayContaining([1]) },
    ]);
  });

  it('a tower has ten boxes, each on the one below', () => {
    const { bodies } = towerScene(dimensions);
    expect(bodies.map(({ position }) => position[1])).toEqual(
      Array.from({ length: 10 }, (_, level) => level + 0.5),
    );
  });

  const heap = dimensions === 2 ? 'triangle of discs' : 'pyramid of balls';
  it.each(['ramp of obstacles', heap, `${heap} on an obstacle`, `${heap}, restitution 0.5`])(
    'in the CPU engine, balls stay at rest: %s',
    async (scene) => {
      const { 'movement, 1 to 3 s': moved } = await figuresOf(findCase('standing', dimensions, scene, SMALL));
      expect(moved).toBeLessThan(1e-4);
    },
  );

  it('in the CPU engine, a tower moves no farther in 3 s than bodies may move in five minutes', async () => {
    const tower = findCase('standing', dimensions, 'tower of ten boxes', SMALL);
    expect((await figuresOf(tower))['movement, 1 to 3 s']).toBeLessThanOrEqual(MOST_MOVED);
  });

  const FIVE_MINUTES = casesOf('standing', [dimensions], { ...SMALL, standing: 300 }).filter(
    ({ scene }) => !scene.includes('restitution'),
  );
  it.each(FIVE_MINUTES)(
    'bodies stand for five minutes: $scene',
    { tags: 'full', timeout: 300_000 },
    async (one) => {
      expect((await figuresOf(one))['movement, 1 to 300 s']).toBeLessThanOrEqual(MOST_MOVED);
    },
  );
});

it('a triangle of discs 40 high settles and keeps its shape', {
  tags: 'full',
  timeout: 300_000,
}, async () => {
  const scene = heapScene(2, 40);
  expect(scene.bodies).toHaveLength(820);
  const moved = await withRun(CELLSTORM_CPU, scene, async (run) => {
    const start = await advance(run, stepsIn(1));
    const settled = await advance(run, stepsIn(14));
    const end = await advance(run, stepsIn(14));
    const most = (before: PhysicsState, after: PhysicsState) =>
      Math.max(...scene.bodies.map((_, body) => distanceMoved(2, before, after, body)));
    return { atFirst: most(start, settled), later: most(settled, end) };
  });
  // With half the kickSpeed, bodies would move at least one diameter.
  expect(moved.atFirst).toBeLessThanOrEqual(0.2);
  expect(moved.later).toBeLessThanOrEqual(MOST_MOVED);
});

const TOWER = findCase('standing', 2, 'tower of ten boxes', SMALL);

it('the movement is the greatest of any body, sampled every quarter of a second after the first second', async () => {
  let last = 0;
  const engine = scriptedEngine((steps) => {
    last = steps;
    const positions = new Float32Array(20);
    // During the first second everything moves. Later body 3 moves away for half a second and comes back.
    if (steps < 60) positions.fill(steps);
    else if (steps >= 75 && steps < 105) positions[7] = 0.25;
    return { positions, velocities: new Float32Array(20) };
  });
  expect((await figuresOf(TOWER, engine))['movement, 1 to 3 s']).toBe(0.25);
  expect(last).toBe(180);
});

it('the movement is NaN if a position is not finite, even in only one sample', async () => {
  const engine = scriptedEngine((steps) => {
    const positions = new Float32Array(20);
    if (steps === 90) positions[7] = Number.NaN;
    return { positions, velocities: new Float32Array(20) };
  });
  expect((await figuresOf(TOWER, engine))['movement, 1 to 3 s']).toBeNaN();
});
