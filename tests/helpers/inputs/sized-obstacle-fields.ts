/** Particles among obstacles of many sizes. Obstacles may overlap, lie outside the box or cross its ends. */
import { type ObstacleBodies, wrapObstacles } from '../../../src/core/obstacles/obstacles';
import type { StaticBodies } from '../../../src/core/obstacles/tree';
import { planSimulation } from '../../../src/core/simulation/plan';
import type { SimulationOptions } from '../../../src/core/simulation/simulation';
import type { World } from '../../../src/core/world/world';
import { minimumImageInDoubles } from '../../../src/reference/solve/contact';
import { createNoise } from '../../../src/testing/noise';
import { type ShapedOptions, type ShapedRequest, shapedOptions } from './shaped-simulations';

export type SizedField = Omit<ShapedOptions, 'halfExtents'> & { readonly obstacles: ObstacleBodies };

export interface SizedFieldRequest extends ShapedRequest {
  readonly obstacles: number;
  /** Allows boxes. Default: true. */
  readonly boxes?: boolean;
}

/** Sizes of obstacles range from 1/128 to 2, except that with boxes one obstacle is longer than the world. */
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
  const positions = Float32Array.from({ length: dimensions * obstacles }, () =>
    round(edge * (1.2 * noise() - 0.1)),
  );
  const radii = new Float32Array(obstacles);
  const halfExtents = new Float32Array(dimensions * obstacles);
  for (let body = 0; body < obstacles; body++) {
    const size = () => round(2 / 256 ** noise());
    if (!boxes || body % 2 === 1) radii[body] = size();
    else for (let axis = 0; axis < dimensions; axis++) halfExtents[dimensions * body + axis] = size();
    const first = dimensions * body;
    if (body % 7 === 6) positions.copyWithin(first, first - dimensions, first);
  }
  if (boxes && obstacles > 0) {
    // The first obstacle becomes a floor.
    for (let axis = 0; axis < dimensions; axis++) {
      positions[axis] = axis === 1 ? 0 : round(edge / 2);
      halfExtents[axis] = axis === 1 ? 1 : 2 * Math.ceil(edge);
    }
  }
  const bodies = boxes ? { positions, radii, halfExtents } : { positions, radii };
  return { ...moving, obstacles: bodies };
}

/** Counts overlaps of particles with obstacles by brute force, and `doubtful` pairs, which rounding may decide. */
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

/** Returns the overlap as core/particles/shapes.ts defines it. Negative if the bodies are apart. */
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
    return Math.abs(minimumImageInDoubles(direct, length)) - half(bodies, a, axis) - half(others, b, axis);
  });
  const outside = Math.hypot(...beyond.map((along) => Math.max(0, along)));
  return round(bodies, a) + round(others, b) - (outside > 0 ? outside : Math.max(...beyond));
}
