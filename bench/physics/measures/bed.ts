/** Measures a heavy ball that drops onto a bed: layers of balls of radius 1 between walls. */
import type { Dimensions } from '../../../src/core/world/world';
import { Random } from '../../../src/scenes';
import { advance, kineticEnergy, type PhysicsState, stepsIn, withRun } from '../engine';
import type { Case } from '../measure';
import { type PhysicsBody, type PhysicsScene, sceneInBox, vector } from '../scene';

const RATIOS: Readonly<Record<Dimensions, readonly number[]>> = { 2: [5, 10, 20], 3: [5, 10] };
const LAYERS = 3;
const DROP = 0.2;
const SECONDS = 10;
/** The limit of an overlap, in diameters of the smaller ball. */
const SHALLOW = 0.05;

/** The last body is the heavy ball. The balls of the bed are off the lattice by up to 1/32 along x. */
export function bedScene(dimensions: Dimensions, ratio: number): PhysicsScene {
  const random = new Random(1);
  const across = dimensions === 2 ? 2 * ratio + 10 : Math.ceil(1.25 * ratio) + 4;
  const spacing = 2.1;
  const width = spacing * across;
  const bed: PhysicsBody[] = [];
  for (let body = 0; body < LAYERS * across ** (dimensions - 1); body++) {
    const column = body % across;
    const row = Math.floor(body / across) % (dimensions === 2 ? 1 : across);
    const layer = Math.floor(body / across ** (dimensions - 1));
    const x = spacing * (column + 0.5) + random.between(-32, 32) / 1024;
    bed.push({ position: vector(dimensions, x, 2 * layer + 1, spacing * (row + 0.5)), size: 1 });
  }
  const height = 2 * LAYERS + ratio + DROP;
  return sceneInBox(dimensions, vector(dimensions, width, 128, width), [
    ...bed,
    { position: vector(dimensions, width / 2, height, width / 2), size: ratio },
  ]);
}

/** Returns the deepest overlap of two balls, in diameters of the smaller one. */
function deepestOf({ dimensions, bodies }: PhysicsScene, { positions }: PhysicsState): number {
  let deepest = 0;
  for (let a = 0; a < bodies.length; a++) {
    for (let b = 0; b < a; b++) {
      const apart = Array.from(
        { length: dimensions },
        (_, axis) =>
          (positions[dimensions * a + axis] as number) - (positions[dimensions * b + axis] as number),
      );
      const [own, other] = [bodies[a]?.size as number, bodies[b]?.size as number];
      deepest = Math.max(deepest, (own + other - Math.hypot(...apart)) / (2 * Math.min(own, other)));
    }
  }
  return deepest;
}

function bedCase(dimensions: Dimensions, ratio: number): Case {
  const scene = bedScene(dimensions, ratio);
  const count = scene.bodies.length;
  return {
    group: 'ratio',
    dimensions,
    scene: `radius ${ratio} on a bed of ${count - 1} of radius 1`,
    figures: [
      { name: `gap after ${SECONDS} s`, unit: "of the bed's height" },
      { name: `deepest overlap after ${SECONDS} s`, unit: 'diameters', bar: { most: SHALLOW } },
      { name: `rms speed after ${SECONDS} s`, unit: 'units/s' },
    ],
    run: (engine) =>
      withRun(engine, scene, async (run) => {
        const state = await advance(run, stepsIn(SECONDS));
        const gap = (state.positions[dimensions * (count - 1) + 1] as number) - ratio;
        const speed = Math.sqrt((2 * kineticEnergy(state)) / count);
        return [gap / (2 * LAYERS), deepestOf(scene, state), speed];
      }),
  };
}

export function bedCases(dimensions: Dimensions): Case[] {
  return RATIOS[dimensions].map((ratio) => bedCase(dimensions, ratio));
}
