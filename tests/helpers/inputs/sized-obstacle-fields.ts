/**
 * Simulations of many sizes with obstacles of many more, in all worlds, at random: grains and a block as long as
 * the world, upon each other, beyond the box or across its ends; and who overlaps whom.
 */

import { type ObstacleBodies, wrapObstacles } from '../../../src/core/obstacles/obstacles';
import type { StaticBodies } from '../../../src/core/obstacles/tree';
import { planSimulation } from '../../../src/core/simulation/plan';
import type { SimulationOptions } from '../../../src/core/simulation/simulation';
import type { World } from '../../../src/core/world/world';
import { nearestImage } from '../../../src/reference/solve/contact';
import { createNoise } from '../../../src/testing/noise';
import { type ShapedOptions, type ShapedRequest, shapedOptions } from './shaped-simulations';

export type SizedField = Omit<ShapedOptions, 'halfExtents'> & { readonly obstacles: ObstacleBodies };

export interface SizedFieldRequest extends ShapedRequest {
  readonly obstacles: number;
  /** Whether any of them may be a box. Default: true. */
  readonly boxes?: boolean;
}

/** One of the obstacles is as long as the world, the others are from a hundredth of a particle to many times as large. */
export function sizedFieldOf({ obstacles, boxes = true, ...request }: SizedFieldRequest): SizedField {
  const { dimensions, dyadic, seed = 1 } = request;
  const { halfExtents: halves, ...shaped } = shapedOptions(request);
  const moving = boxes
    ? { ...shaped, halfExtents: halves }
    : {
        ...shaped,
        radii: shaped.radii.map((radius, body) => radius || (halves[dimensions * body] as number)),
      };
  const noise = createNoise(seed + 1);
  const round = (value: number) => (dyadic ? Math.ceil(value * 1024) / 1024 : value);
  const edge = Math.max(...moving.positions);
  // Half of what the largest particle leaves of a period, at most.
  const room = 4;
  const positions = Float32Array.from({ length: dimensions * obstacles }, () =>
    round(edge * (1.2 * noise() - 0.1)),
  );
  const radii = new Float32Array(obstacles);
  const halfExtents = new Float32Array(dimensions * obstacles);
  for (let body = 0; body < obstacles; body++) {
    const size = () => round(Math.min(room, 2 / 256 ** noise()));
    if (!boxes || body % 2 === 1) radii[body] = size();
    else for (let axis = 0; axis < dimensions; axis++) halfExtents[dimensions * body + axis] = size();
    // Some upon another.
    const place = dimensions * body;
    if (body % 7 === 6) positions.copyWithin(place, place - dimensions, place);
  }
  if (boxes && obstacles > 0) {
    // A floor.
    for (let axis = 0; axis < dimensions; axis++) {
      positions[axis] = axis === 1 ? 0 : round(edge / 2);
      halfExtents[axis] = axis === 1 ? 1 : 2 * Math.ceil(edge);
    }
  }
  const bodies = boxes ? { positions, radii, halfExtents } : { positions, radii };
  return { ...moving, obstacles: bodies };
}

/** Overlaps of a particle with an obstacle by all pairs, and how many are too near to touching to say. */
export function countSizedOverlaps(options: SimulationOptions): {
  readonly overlaps: number;
  readonly doubtful: number;
} {
  const plan = planSimulation(options);
  const { world, count, obstacleCapacity: obstacleCount } = plan;
  const moving = wrapObstacles(world, plan);
  const fixed = wrapObstacles(world, plan.obstacles);
  let overlaps = 0;
  let doubtful = 0;
  for (let a = 0; a < count; a++) {
    for (let b = 0; b < obstacleCount; b++) {
      const depth = depthOf(world, moving, a, fixed, b);
      if (depth > 0) overlaps++;
      if (Math.abs(depth) < 2 ** -16) doubtful++;
    }
  }
  return { overlaps, doubtful };
}

/** How deep two are in each other, by the law of core/particles/shapes.ts; below 0 where they are apart. */
function depthOf(world: World, bodies: StaticBodies, a: number, others: StaticBodies, b: number): number {
  const { dimensions, period } = world;
  const half = ({ halves }: StaticBodies, body: number, axis: number) =>
    halves?.[dimensions * body + axis] ?? 0;
  const round = (of: StaticBodies, body: number) =>
    half(of, body, 0) > 0 ? 0 : (of.radii?.[body] as number);
  const beyond = period.map((length, axis) => {
    const direct =
      (bodies.positions[dimensions * a + axis] as number) -
      (others.positions[dimensions * b + axis] as number);
    return Math.abs(nearestImage(direct, length)) - half(bodies, a, axis) - half(others, b, axis);
  });
  const outside = Math.hypot(...beyond.map((along) => Math.max(0, along)));
  return round(bodies, a) + round(others, b) - (outside > 0 ? outside : Math.max(...beyond));
}
