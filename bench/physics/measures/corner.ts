/**
 * Bodies in an edge between two sides at right angles, in 3D. Gravity is tilted by an angle: it presses them against
 * both sides and pulls them along the edge. Friction of 0.5 on both sides holds them at angles up to 35.3°. At 45°,
 * they must slide with Coulomb's acceleration.
 */
import type { Dimensions } from '../../../src/core/world/world';
import type { Case } from '../measure';
import { GRAVITY, type PhysicsBody, type PhysicsScene } from '../scene';
import { FRICTION, SHAPES, type Shape, slidingCase, standingCase } from './slope';

const STANDING_ANGLES = [5, 20, 30] as const;
const SLIDING_ANGLE = 45;
const SIDES = ['two walls', 'two obstacles', 'a wall and an obstacle'] as const;
type Sides = (typeof SIDES)[number];

const WIDTH = 16;
const LENGTH = 64;
/** The thickness of an obstacle, which is a box. */
const THICKNESS = 2;

export function cornerScene(shape: Shape, sides: Sides, degrees: number): PhysicsScene {
  const angle = (degrees * Math.PI) / 180;
  const across = (GRAVITY * Math.cos(angle)) / Math.SQRT2;
  const left = sides === 'two obstacles' ? THICKNESS : 0;
  const bottom = sides === 'two walls' ? 0 : THICKNESS;
  const obstacle = (halfX: number, halfY: number): PhysicsBody => ({
    position: [halfX, halfY, LENGTH / 2],
    size: [halfX, halfY, LENGTH / 2],
  });
  return {
    dimensions: 3,
    min: [0, 0, 0],
    max: [WIDTH, WIDTH, LENGTH],
    gravity: [-across, -across, GRAVITY * Math.sin(angle)],
    friction: FRICTION,
    restitution: 0,
    bodies: [{ position: [left + 0.5, bottom + 0.5, 4], size: shape === 'ball' ? 0.5 : [0.5, 0.5, 0.5] }],
    obstacles: [
      ...(bottom > 0 ? [obstacle(WIDTH / 2, THICKNESS / 2)] : []),
      ...(left > 0 ? [obstacle(THICKNESS / 2, WIDTH / 2)] : []),
    ],
  };
}

export function cornerCases(dimensions: Dimensions): Case[] {
  if (dimensions === 2) return [];
  return SIDES.flatMap((sides) =>
    SHAPES.flatMap((shape) => {
      const name = `${shape} between ${sides}`;
      const angle = (SLIDING_ANGLE * Math.PI) / 180;
      // Each side bears GRAVITY · cos(angle) / √2.
      const expected = GRAVITY * (Math.sin(angle) - FRICTION * Math.SQRT2 * Math.cos(angle));
      return [
        ...STANDING_ANGLES.map((degrees) => standingCase(name, degrees, cornerScene(shape, sides, degrees))),
        slidingCase(name, SLIDING_ANGLE, cornerScene(shape, sides, SLIDING_ANGLE), 2, expected),
      ];
    }),
  );
}
