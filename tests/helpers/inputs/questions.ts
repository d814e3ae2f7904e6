import { shapesOf } from '../../../src/core/particles/shapes';
import type { ParticleArrays } from '../../../src/core/simulation/simulation';
import type { World } from '../../../src/core/world/world';
import type { Question } from '../../../src/page/view/answers';
import { particlesInBox } from '../../../src/reference/query/boxes';
import { findNear, findNearest } from '../../../src/reference/query/near';
import { hitsAlongRay } from '../../../src/reference/query/rays';

/** Scenes with all kinds of worlds, and the changes to their options. */
export const ASKED_WORLDS = [
  ['uniform', {}],
  ['periodic', {}],
  ['channel', {}],
  ['far-apart', {}],
  ['mixed', {}],
  ['mixed-periodic', {}],
  ['crates', { min: undefined, max: undefined, periodic: undefined, unbounded: true }],
] as const;

export function questionsAround(world: World, { positions }: ParticleArrays): Question[] {
  const { dimensions, diameter } = world;
  const point = Array.from(positions.subarray(0, dimensions), (along, axis) =>
    Math.fround(along + ([0.125, 0.25, 0.0625][axis] as number)),
  );
  const half = Math.min(...world.period.filter((length) => length > 0)) / 2;
  const radius = Math.min(2.25 * diameter, half);
  const direction = Array.from({ length: dimensions }, (_, axis) => [0.6, 0.8, 0][axis] as number);
  return [
    { kind: 'near', point, radius },
    { kind: 'near', point, radius: 0.75 * diameter },
    { kind: 'nearest', point, radius, k: 5 },
    {
      kind: 'box',
      min: point.map((along) => along - diameter),
      max: point.map((along) => along + 2 * diameter),
    },
    { kind: 'ray', origin: point, direction, length: 6 * diameter },
    { kind: 'ray', origin: point, direction: direction.map((along) => -along), length: 3 * diameter },
  ];
}

/** Returns the indices that brute force finds, without hits of a ray that rounding may decide. */
export function answerOf(
  world: World,
  particles: ParticleArrays,
  question: Question,
  radius: number,
): number[] {
  const { positions } = particles;
  const { radii } = shapesOf(world.dimensions, particles);
  switch (question.kind) {
    case 'near':
      return findNear(world, positions, [...question.point], question.radius).map(({ id }) => id);
    case 'nearest':
      return findNearest(world, positions, [...question.point], question.k, question.radius).map(
        ({ id }) => id,
      );
    case 'box':
      return particlesInBox(positions, world.period, question.min, question.max);
    case 'ray': {
      const { origin, direction, length } = question;
      const ray = { origin, direction, greatestDistance: length };
      const { hits, doubtful } = hitsAlongRay(positions, world.period, ray, radii ?? radius);
      return hits.map(({ id }) => id).filter((id) => !doubtful.has(id));
    }
  }
}
