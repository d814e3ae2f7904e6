/**
 * Boxes of different sizes fall into a bin, and columns of balls of different sizes fall on a floor. Energy must not
 * grow, no body may get faster than in a fall from the highest start, and all must come to rest.
 */
import type { Dimensions } from '../../../src/core/world/world';
import { Random } from '../../../src/scenes';
import { greatestSpeed, type PhysicsState, stepsIn, withRun } from '../engine';
import type { Case } from '../measure';
import { GRAVITY, type PhysicsScene, sceneInBox, vector } from '../scene';

const LEAST = 0.25;
const MOST = 0.5;
const BIN = { count: 100, width: 5, height: 100, spacing: 1.05 } as const;
const COLUMN = { count: 20, width: 10, height: 40, gap: 0.3 } as const;
const STARTS = 3;
/** Units per second. */
const CALM = 0.1;
/** Positions and sizes are rounded, so the energy of the start may be off by this share. */
const ROUNDING = 1e-5;

/** Returns a function that returns numbers from LEAST to just below MOST. */
function sizesFrom(seed: number): () => number {
  const random = new Random(seed);
  return () => LEAST + (MOST - LEAST) * (random.below(1024) / 1024);
}

/** Makes rows of boxes that do not overlap, in a bin. */
export function binScene(dimensions: Dimensions, seed: number): PhysicsScene {
  const next = sizesFrom(seed);
  const { count, width, height, spacing } = BIN;
  const across = Math.floor(width / spacing);
  const layer = across ** (dimensions - 1);
  const bodies = Array.from({ length: count }, (_, body) => ({
    position: vector(
      dimensions,
      spacing * ((body % across) + 0.5) + (next() - LEAST) / 8,
      spacing * (Math.floor(body / layer) + 0.5),
      spacing * ((Math.floor(body / across) % across) + 0.5),
    ),
    size: vector(dimensions, next(), next(), next()),
  }));
  return sceneInBox(dimensions, vector(dimensions, width, height, width), bodies);
}

/** Makes balls exactly above each other, with gaps. */
export function sizesColumnScene(dimensions: Dimensions, seed: number): PhysicsScene {
  const next = sizesFrom(seed);
  const { count, width, height, gap } = COLUMN;
  let top = 0;
  const bodies = Array.from({ length: count }, () => {
    const size = next();
    const position = vector(dimensions, width / 2, top + size, width / 2);
    top += 2 * size + gap;
    return { position, size };
  });
  return sceneInBox(dimensions, vector(dimensions, width, height, width), bodies);
}

/** Returns the kinetic and the potential energy per unit of mass. Masses are proportional to volumes. */
function energyOf({ dimensions, bodies }: PhysicsScene, { positions, velocities }: PhysicsState): number[] {
  let [mass, kinetic, potential] = [0, 0, 0];
  bodies.forEach(({ size }, body) => {
    const own =
      typeof size === 'number' ? size ** dimensions : size.reduce((volume, half) => volume * half, 1);
    mass += own;
    potential += own * GRAVITY * (positions[dimensions * body + 1] as number);
    for (let word = dimensions * body; word < dimensions * (body + 1); word++) {
      kinetic += (own * (velocities[word] as number) ** 2) / 2;
    }
  });
  return [kinetic / mass, potential / mass];
}

function sizesCase(
  dimensions: Dimensions,
  name: string,
  sceneOf: (dimensions: Dimensions, seed: number) => PhysicsScene,
): Case {
  return {
    group: 'impact',
    dimensions,
    scene: `${name}, ${STARTS} starts`,
    figures: [
      { name: 'greatest energy in 10 s', unit: 'of the start', bar: { most: 1 + ROUNDING } },
      { name: 'greatest speed in 10 s', unit: 'of a fall', bar: { most: 1 } },
      { name: 'rms speed after 10 s', unit: 'units/s', bar: { most: CALM } },
    ],
    run: async (engine) => {
      let [most, fastest, last] = [0, 0, 0];
      for (let seed = 1; seed <= STARTS; seed++) {
        const scene = sceneOf(dimensions, seed);
        const top = Math.max(...scene.bodies.map(({ position }) => position[1] as number));
        await withRun(engine, scene, async (run) => {
          const [, start = 0] = energyOf(scene, await run.read());
          for (let step = 1; step <= stepsIn(10); step++) {
            await run.step();
            const state = await run.read();
            const [kinetic = 0, potential = 0] = energyOf(scene, state);
            most = Math.max(most, (kinetic + potential) / start);
            fastest = Math.max(fastest, greatestSpeed(dimensions, state) / Math.sqrt(2 * GRAVITY * top));
            if (step === stepsIn(10)) last = Math.max(last, Math.sqrt(2 * kinetic));
          }
        });
      }
      return [most, fastest, last];
    },
  };
}

export function sizesCases(dimensions: Dimensions): Case[] {
  const [box, ball] = dimensions === 2 ? ['rectangles', 'discs'] : ['boxes', 'balls'];
  return [
    sizesCase(dimensions, `${BIN.count} ${box} of different sizes fall into a bin`, binScene),
    sizesCase(dimensions, `${COLUMN.count} ${ball} of different sizes fall in a column`, sizesColumnScene),
  ];
}
