/**
 * Bodies that overlap on a floor, at rest at the start. Rows are longer than their floor, and must come to rest with
 * overlaps. For a column, the rise of its top is measured, without a limit.
 */
import { ASIDE_FROM, DEEP } from '../../../src/core/base/constants';
import type { Dimensions } from '../../../src/core/world/world';
import { Random } from '../../../src/scenes';
import { advance, kineticEnergy, stepsIn, withRun } from '../engine';
import type { Case } from '../measure';
import { measureOverlaps } from '../overlaps';
import { type PhysicsScene, sceneInBox, vector } from '../scene';

const RADIUS = 0.5;
const WORLD = 20;
/** The greatest rms speed that counts as rest, in diameters per second. */
const CALM = 0.01;
const ROW = { count: 11, width: 10, depth: 1.25, spacing: 0.7 } as const;
const ROW_HEIGHTS = [10, 20, 40] as const;
const CROWD = { count: 200, edges: [3, 6] } as const;
/** In diameters. Contacts push particles out of straight rows only at larger overlaps (src/core/contact/law.ts). */
const DEEPEST = ASIDE_FROM / DEEP;
const CROWD_STARTS = 4;
/** 32-bit floats hold the multiples of 1/UNITS in this world exactly. */
const UNITS = 1024;
const COLUMN = { count: 5, overlap: 0.05 } as const;

function restingScene(
  dimensions: Dimensions,
  size: readonly number[],
  positions: readonly (readonly number[])[],
): PhysicsScene {
  const bodies = positions.map((position) => ({ position, size: RADIUS }));
  return sceneInBox(dimensions, size, bodies);
}

export function rowScene(dimensions: Dimensions, height: number): PhysicsScene {
  const positions = Array.from({ length: ROW.count }, (_, index) =>
    vector(dimensions, RADIUS + ROW.spacing * index, RADIUS, ROW.depth / 2),
  );
  return restingScene(dimensions, vector(dimensions, ROW.width, height, ROW.depth), positions);
}

export function floorScene(dimensions: Dimensions, edge: number, seed: number): PhysicsScene {
  const random = new Random(seed);
  const place = (low: number) => low + (edge * random.below(UNITS)) / UNITS;
  const low = (WORLD - edge) / 2;
  const positions = Array.from({ length: CROWD.count }, () =>
    [low, RADIUS, low].slice(0, dimensions).map(place),
  );
  return restingScene(dimensions, vector(dimensions, WORLD, WORLD, WORLD), positions);
}

export function columnScene(dimensions: Dimensions): PhysicsScene {
  const positions = Array.from({ length: COLUMN.count }, (_, index) =>
    vector(dimensions, WORLD / 2, RADIUS + index * (2 * RADIUS - COLUMN.overlap), WORLD / 2),
  );
  return restingScene(dimensions, vector(dimensions, WORLD, WORLD, WORLD), positions);
}

const rmsSpeed = (state: Parameters<typeof kineticEnergy>[0], count: number) =>
  Math.sqrt((2 * kineticEnergy(state)) / count);

function rowCase(dimensions: Dimensions, height: number): Case {
  return {
    group: 'overlap',
    dimensions,
    scene: `${ROW.count} in a row ${ROW.width} wide, world ${height} high`,
    figures: [{ name: 'rms speed after 10 s', unit: 'diameters/s', bar: { most: CALM } }],
    run: (engine) =>
      withRun(engine, rowScene(dimensions, height), async (run) => [
        rmsSpeed(await advance(run, stepsIn(10)), ROW.count),
      ]),
  };
}

function floorCase(dimensions: Dimensions, edge: number): Case {
  const { count } = CROWD;
  return {
    group: 'overlap',
    dimensions,
    scene: `${count} in ${new Array(dimensions).fill(edge).join(' × ')} on a floor, ${CROWD_STARTS} starts`,
    figures: [
      { name: 'rms speed after 30 s', unit: 'diameters/s', bar: { most: CALM } },
      { name: 'deepest overlap after 30 s', unit: 'diameters', bar: { most: DEEPEST } },
    ],
    run: async (engine) => {
      let [speed, deepest] = [0, 0];
      for (let seed = 1; seed <= CROWD_STARTS; seed++) {
        const state = await withRun(engine, floorScene(dimensions, edge, seed), (run) =>
          advance(run, stepsIn(30)),
        );
        speed = Math.max(speed, rmsSpeed(state, count));
        deepest = Math.max(deepest, measureOverlaps(dimensions, state.positions, 2 * RADIUS).deepest);
      }
      return [speed, deepest];
    },
  };
}

function columnCase(dimensions: Dimensions): Case {
  const top = dimensions * (COLUMN.count - 1) + 1;
  return {
    group: 'overlap',
    dimensions,
    scene: `${COLUMN.count} on each other that overlap by ${COLUMN.overlap}`,
    figures: [{ name: 'greatest rise of the uppermost', unit: 'diameters' }],
    run: (engine) =>
      withRun(engine, columnScene(dimensions), async (run) => {
        const start = (await run.read()).positions[top] as number;
        let highest = start;
        for (let step = 0; step < stepsIn(2); step++) {
          highest = Math.max(highest, (await advance(run, 1)).positions[top] as number);
        }
        return [highest - start];
      }),
  };
}

export function pressedCases(dimensions: Dimensions): Case[] {
  return [
    ...ROW_HEIGHTS.map((height) => rowCase(dimensions, height)),
    ...CROWD.edges.map((edge) => floorCase(dimensions, edge)),
    columnCase(dimensions),
  ];
}
