/**
 * Bodies on a slope with friction 0.5: at angles below the friction angle of 26.6°, a body must stand; at 30°, it must
 * slide with Coulomb's acceleration. The floor is level and gravity is tilted. On a large ball, gravity points down,
 * and the angle is measured at the ball's centre, from the ball's top to the body.
 */
import type { Dimensions } from '../../../src/core/world/world';
import { advance, distanceMoved, type PhysicsState, stepsIn, withRun } from '../engine';
import { type Bar, type Case, withRestitution } from '../measure';
import { GRAVITY, type PhysicsBody, type PhysicsScene, tiltedGravity, vector } from '../scene';

export const FRICTION = 0.5;
const STANDING_ANGLES = [5, 10, 20] as const;
/** Bodies must stand with either restitution. */
const RESTITUTIONS = [0, 0.5] as const;
const SLIDING_ANGLE = 30;
/** The limit of the speed of a standing body, in diameters/s. */
const STANDS: Bar = { most: 1e-4 };
/** Limits of the difference from Coulomb's acceleration, in percent. */
const SLIDES: Bar = { least: -1, most: 1 };

const LENGTH = 64;
const HEIGHT = 16;
const START = 16;
/** The height of the obstacle, which is a box. */
const TOP = 2;

export const SHAPES = ['ball', 'box'] as const;
const SUPPORTS = ['wall', 'obstacle', 'other', 'other on an obstacle'] as const;
export type Shape = (typeof SHAPES)[number];
/** `other` is a second body of the same shape, on a wall or on an obstacle. */
type Support = (typeof SUPPORTS)[number];

const isPair = (support: Support) => support === 'other' || support === 'other on an obstacle';

/** Makes a scene of bodies on a slope. The last body is measured. Bodies have a diameter of 1. */
export function slopeScene(
  dimensions: Dimensions,
  shape: Shape,
  support: Support,
  degrees: number,
  restitution = 0,
): PhysicsScene {
  const middle = HEIGHT / 2;
  const size = shape === 'ball' ? 0.5 : vector(dimensions, 0.5, 0.5, 0.5);
  const bodyAt = (y: number): PhysicsBody => ({ position: vector(dimensions, START, y, middle), size });
  const isOnObstacle = support === 'obstacle' || support === 'other on an obstacle';
  const bottom = isOnObstacle ? TOP : 0;
  const floor: PhysicsBody = {
    position: vector(dimensions, LENGTH / 2, TOP / 2, middle),
    size: vector(dimensions, LENGTH / 2, TOP / 2, middle),
  };
  return {
    dimensions,
    min: vector(dimensions, 0, 0),
    max: vector(dimensions, LENGTH, HEIGHT, HEIGHT),
    gravity: tiltedGravity(dimensions, degrees),
    friction: FRICTION,
    restitution,
    bodies: isPair(support) ? [bodyAt(bottom + 0.5), bodyAt(bottom + 1.5)] : [bodyAt(bottom + 0.5)],
    obstacles: isOnObstacle ? [floor] : [],
  };
}

/** Radius of the large ball, on which a ball of radius ½ lies. */
const HILL = 16;

const HILLS = ['obstacle', 'body'] as const;

/** Makes a scene of a ball that lies on a large ball, `degrees` from the top. The ball to measure is the last body. */
export function hillScene(
  dimensions: Dimensions,
  hill: (typeof HILLS)[number],
  degrees: number,
): PhysicsScene {
  const angle = (degrees * Math.PI) / 180;
  const width = 3 * HILL;
  const middle = width / 2;
  const distance = HILL + 0.5;
  const large: PhysicsBody = { position: vector(dimensions, middle, HILL, middle), size: HILL };
  const small: PhysicsBody = {
    position: vector(
      dimensions,
      middle + distance * Math.sin(angle),
      HILL + distance * Math.cos(angle),
      middle,
    ),
    size: 0.5,
  };
  return {
    dimensions,
    min: vector(dimensions, 0, 0),
    max: vector(dimensions, width, width, width),
    gravity: vector(dimensions, 0, -GRAVITY),
    friction: FRICTION,
    restitution: 0,
    bodies: hill === 'body' ? [large, small] : [small],
    obstacles: hill === 'obstacle' ? [large] : [],
  };
}

/** Returns how far the last body moves between 1 s and 2 s. */
async function movedInSecondSecond(engine: Parameters<Case['run']>[0], scene: PhysicsScene): Promise<number> {
  return withRun(engine, scene, async (run) => {
    const before = await advance(run, stepsIn(1));
    const after = await advance(run, stepsIn(1));
    return distanceMoved(scene.dimensions, before, after, scene.bodies.length - 1);
  });
}

export function standingCase(name: string, degrees: number, scene: PhysicsScene): Case {
  return {
    group: 'slope',
    dimensions: scene.dimensions,
    scene: `${degrees}°, ${name}`,
    figures: [{ name: 'speed', unit: 'diameters/s', bar: STANDS }],
    run: async (engine) => [await movedInSecondSecond(engine, scene)],
  };
}

export function coulombAcceleration(degrees: number): number {
  const angle = (degrees * Math.PI) / 180;
  return GRAVITY * (Math.sin(angle) - FRICTION * Math.cos(angle));
}

/** Compares the acceleration of the only body with `expected`, along the axis `along`. */
export function slidingCase(
  name: string,
  degrees: number,
  scene: PhysicsScene,
  along: number,
  expected: number,
): Case {
  return {
    group: 'slope',
    dimensions: scene.dimensions,
    scene: `${degrees}°, ${name}`,
    figures: [{ name: 'acceleration above Coulomb', unit: '%', bar: SLIDES }],
    run: (engine) =>
      withRun(engine, scene, async (run) => {
        // In the first second, friction is too small until the body overlaps its support enough.
        // tests/unit/bench/physics checks the speed gained meanwhile.
        const before = await advance(run, stepsIn(1));
        const after = await advance(run, stepsIn(1));
        const speed = (state: PhysicsState) => state.velocities[along] as number;
        return [100 * ((speed(after) - speed(before)) / expected - 1)];
      }),
  };
}

function describe(shape: Shape, support: Support): string {
  if (isPair(support)) return `${shape} on a ${shape}${support === 'other' ? '' : ' on an obstacle'}`;
  return `${shape} on ${support === 'wall' ? 'a wall' : 'an obstacle'}`;
}

export function slopeCases(dimensions: Dimensions): Case[] {
  const level = SUPPORTS.flatMap((support) =>
    SHAPES.flatMap((shape) => {
      const standing = RESTITUTIONS.flatMap((restitution) =>
        STANDING_ANGLES.map((degrees) =>
          standingCase(
            `${describe(shape, support)}${withRestitution(restitution)}`,
            degrees,
            slopeScene(dimensions, shape, support, degrees, restitution),
          ),
        ),
      );
      // A body on another body has no sliding case, because both slide together.
      if (isPair(support)) return standing;
      const scene = slopeScene(dimensions, shape, support, SLIDING_ANGLE);
      const expected = coulombAcceleration(SLIDING_ANGLE);
      return [...standing, slidingCase(describe(shape, support), SLIDING_ANGLE, scene, 0, expected)];
    }),
  );
  const onHills = HILLS.flatMap((hill) =>
    STANDING_ANGLES.map((degrees) =>
      standingCase(
        hill === 'body'
          ? `ball on a free ball of radius ${HILL}`
          : `ball on a ball obstacle of radius ${HILL}`,
        degrees,
        hillScene(dimensions, hill, degrees),
      ),
    ),
  );
  return [...level, ...onHills];
}
