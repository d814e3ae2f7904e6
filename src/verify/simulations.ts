/**
 * Compares the measures, `separate` and steps of an engine (GPU or CPU) with the reference, its pairs with oracles, and
 * its runs with each other.
 *
 * Scenes and the time step are dyadic, so integration is exact. The engine and the reference therefore resolve contacts
 * from the same bits. src/reference/solve/bound.ts bounds the difference between their results.
 */

import { type BroadPhase, deriveSubstep, type Settings } from '../core/contact/settings';
import { readObstacles } from '../core/obstacles/obstacles';
import type { Sizes } from '../core/particles/shapes';
import { sizesOf } from '../core/particles/sizes';
import { MAX_PARTICLES } from '../core/simulation/ids';
import type {
  PairList,
  ParticleArrays,
  ParticleSimulation,
  SimulationOptions,
} from '../core/simulation/simulation';
import type { World } from '../core/world/world';
import { createSimulation } from '../engine/simulation/simulation';
import type { Gpu } from '../gpu/device';
import { buildGrid, type Grid } from '../reference/grid/grid';
import { measureState } from '../reference/measure/measure';
import { bruteForcePairs } from '../reference/query/brute-force';
import { comparePairs } from '../reference/query/pair-list';
import { sweepShapes } from '../reference/query/shape-pairs';
import { sweepPairs } from '../reference/query/sweep';
import { resolveBound } from '../reference/solve/bound';
import { minimumImageInDoubles } from '../reference/solve/contact';
import { integrate } from '../reference/solve/integrate';
import { fileObstacles, type Obstacles } from '../reference/solve/obstacles';
import { Random, type Scene, sceneOptions } from '../scenes';
import { UNITS } from '../scenes/scene';
import { sizedParticlesOf } from './exact';
import { type Finding, failure, success } from './finding';
import { checkSizedPairs } from './levels';

export type Subject =
  | { readonly gpu: Gpu }
  | { readonly createCpu: (options: SimulationOptions) => ParticleSimulation };

/** Brute force is too slow for more particles; a sweep replaces it. */
const BRUTE_FORCE_LIMIT = 4096;
/** Default steps of the check `repeats`. Slow scenes take FEWER_STEPS by default. */
export const REPEATED_STEPS = 12;
export const FEWER_STEPS = 3;
/** More particles than this make a scene slow. */
export const MOST_QUICK = 10_000;
/** A power of two, so that the time step is dyadic. */
const TIME_STEP_UNITS = 64;
const TIME_STEP = 1 / TIME_STEP_UNITS;
/** Greatest move of a coordinate per step, in units of 1/1024. */
const MOST_STIRRED = 32;

export async function checkMeasures(
  subject: Subject,
  scene: Scene,
  broadPhase: BroadPhase,
): Promise<Finding> {
  return withSimulation(subject, scene, { broadPhase }, async (simulation) => {
    const got = await simulation.measure();
    const grid = initialGrid(simulation.world, scene);
    const obstacles = obstaclesOf(simulation.world, scene);
    const diameter = Math.fround(2 * scene.radius);
    const expected = measureState(simulation.world, diameter, grid, broadPhase, obstacles);
    // With variable radii, the CPU engine chooses its own cells.
    const ownCells = scene.radii !== undefined && !('gpu' in subject);
    for (const name of ownCells ? CELLLESS_MEASURES : EXACT_MEASURES) {
      if (got[name] !== expected[name])
        return failure(`${name} is ${got[name]} instead of ${expected[name]}`);
    }
    const fixed = obstacles ? ` and ${got.obstacleContacts} with obstacles` : '';
    return success(
      `${got.candidates} candidates, ${got.contacts} contacts${fixed}, fullest cell ${got.greatestOccupancy}, hash ${got.hash}`,
    );
  });
}

const CELLLESS_MEASURES = [
  'count',
  'contacts',
  'borderline',
  'obstacleContacts',
  'outside',
  'nonFinite',
  'hash',
] as const;

const EXACT_MEASURES = [
  ...CELLLESS_MEASURES,
  'candidates',
  'bucketCollisions',
  'occupiedCells',
  'greatestOccupancy',
  'crowded',
] as const;

/** Compares pairs. Borderline pairs may differ, except among balls with variable radii. */
export async function checkPairs(subject: Subject, scene: Scene, broadPhase: BroadPhase): Promise<Finding> {
  return withSimulation(subject, scene, { broadPhase }, async (simulation) => {
    const found = await simulation.findPairs();
    const sized = sizedParticlesOf(scene);
    if (sized) return checkSizedPairs(found.pairs, sized);
    if (scene.halfExtents) return checkShapePairs(found, scene, simulation.world);
    const oracle = scene.count <= BRUTE_FORCE_LIMIT ? bruteForcePairs : sweepPairs;
    const { dimensions, positions } = scene;
    const { period } = simulation.world;
    const expected = oracle(dimensions, positions, Math.fround(2 * scene.radius), undefined, period);
    const { missing, extra, excused } = comparePairs(found, expected);
    if (missing.count + extra.count > 0) {
      return failure(
        `${missing.count} pairs missing${showPair(missing)}, ${extra.count} too many${showPair(extra)}`,
      );
    }
    return success(`${found.count} pairs, ${excused} borderline differences excused`);
  });
}

/** Uses an oracle without cells and without bounding balls of boxes. */
function checkShapePairs(found: PairList, scene: Scene, world: World): Finding {
  const { dimensions, positions } = scene;
  const expected = sweepShapes(dimensions, positions, sizesOfScene(scene), world);
  const { missing, extra, excused } = comparePairs(found, expected);
  if (missing.count + extra.count === 0) {
    return success(`${found.count} pairs of balls and boxes, ${excused} borderline differences excused`);
  }
  return failure(
    `${missing.count} pairs missing${showPair(missing)}, ${extra.count} too many${showPair(extra)}`,
  );
}

function sizesOfScene(scene: Scene): Sizes {
  return sizesOf('', scene, scene.count, sizeRules(scene)) ?? {};
}

function sizeRules({ dimensions, radiusRange, halfExtents }: Scene) {
  return { dimensions, radiusRange, boxes: halfExtents !== undefined };
}

export async function checkSeparate(
  subject: Subject,
  scene: Scene,
  broadPhase: BroadPhase,
): Promise<Finding> {
  return withSimulation(subject, scene, { broadPhase }, async (simulation) => {
    simulation.separate(1);
    const substep = deriveSubstep(simulation.world, 2 * scene.radius, simulation.settings, 0);
    const grid = initialGrid(simulation.world, scene);
    const obstacles = obstaclesOf(simulation.world, scene);
    const bound = resolveBound(simulation.world, substep, grid, 'pushApart', obstacles);
    return compareWithin(simulation.world, await simulation.read(), grid, bound);
  });
}

/** Compares a step in which particles move in random directions, so that some bounce. */
export async function checkStep(subject: Subject, still: Scene, broadPhase: BroadPhase): Promise<Finding> {
  const scene = { ...still, velocities: stir(still) };
  const gravity = new Array<number>(scene.dimensions).fill(0);
  gravity[1] = -8;
  const settings = { broadPhase, gravity, restitution: 0.5, friction: 0.25, substeps: 1 };
  return withSimulation(subject, scene, settings, async (simulation) => {
    simulation.step(TIME_STEP);
    const { world } = simulation;
    const substep = deriveSubstep(world, 2 * scene.radius, simulation.settings, TIME_STEP);
    const moved = integrate(world, substep, scene);
    const grid = buildGrid(world, moved.positions, moved.velocities, undefined, sizesOfScene(scene));
    const bound = resolveBound(world, substep, grid, 'resolve', obstaclesOf(world, scene));
    return compareWithin(simulation.world, await simulation.read(), grid, bound);
  });
}

/** Returns velocities that move positions by whole units per time step, so that integration is exact. */
function stir({ velocities, seed }: Scene): Float32Array {
  const random = new Random(seed);
  return velocities.map(() => (random.between(-MOST_STIRRED, MOST_STIRRED) * TIME_STEP_UNITS) / UNITS);
}

/**
 * All runs must give the same hash: two equal runs, and one that is restored halfway. Small scenes also run with the
 * naive broad phase, if both broad phases add up contacts in the same order.
 */
export async function checkRepeats(
  subject: Subject,
  scene: Scene,
  broadPhases: readonly BroadPhase[],
  wanted?: number,
): Promise<Finding> {
  // With continuous motion, a software GPU takes many times as long.
  const isSlow = scene.count > MOST_QUICK || scene.continuous;
  const steps = wanted ?? (isSlow ? FEWER_STEPS : REPEATED_STEPS);
  const settings = { restitution: 0.25, friction: 0.25, substeps: 2 };
  const runs: [string, BroadPhase, boolean][] = [
    ['run 1', 'grid', false],
    ['run 2', 'grid', false],
    ['run 3, restored halfway', 'grid', true],
  ];
  // In an unbounded world and with levels, the grid adds up contacts in another order.
  const comparable = broadPhases.includes('naive') && scene.world !== 'unbounded' && !scene.radii;
  if (comparable && scene.count <= 300) runs.push(['naive', 'naive', false]);
  const hashes: string[] = [];
  for (const [, broadPhase, restored] of runs) {
    hashes.push(
      await withSimulation(subject, scene, { ...settings, broadPhase }, async (simulation) => {
        for (let step = 0; step < steps; step++) {
          simulation.step(1 / 60);
          if (restored && step === Math.floor(steps / 2)) {
            const checkpoint = await simulation.checkpoint();
            simulation.step(1 / 60);
            simulation.restore(checkpoint);
          }
        }
        return (await simulation.measure()).hash;
      }),
    );
  }
  const odd = hashes.findIndex((hash) => hash !== hashes[0]);
  return odd < 0
    ? {
        ...success(`${runs.length} runs end with hash ${hashes[0]} after ${steps} steps`),
        hash: hashes[0],
      }
    : failure(`${runs[odd]?.[0]} ends with hash ${hashes[odd]}, run 1 with ${hashes[0]}`);
}

export async function open(subject: Subject, options: SimulationOptions): Promise<ParticleSimulation> {
  return 'gpu' in subject ? createSimulation(subject.gpu, options) : subject.createCpu(options);
}

async function withSimulation<Result>(
  subject: Subject,
  scene: Scene,
  settings: Partial<Settings>,
  use: (simulation: ParticleSimulation) => Promise<Result>,
): Promise<Result> {
  const simulation = await open(subject, sceneOptions(scene, settings));
  try {
    return await use(simulation);
  } finally {
    simulation.destroy();
  }
}

function initialGrid(world: World, scene: Scene): Grid {
  return buildGrid(world, scene.positions, scene.velocities, undefined, sizesOfScene(scene));
}

function obstaclesOf(world: World, scene: Scene): Obstacles | undefined {
  const bodies = readObstacles(
    'obstacles',
    scene.obstacles ?? new Float32Array(0),
    MAX_PARTICLES,
    sizeRules(scene),
  );
  return bodies.positions.length === 0 ? undefined : fileObstacles(world, bodies);
}

/** Compares a state with the exact state in `bound`. */
export function compareWithin(
  world: World,
  got: ParticleArrays,
  grid: Grid,
  bound: ReturnType<typeof resolveBound>,
): Finding {
  const { dimensions } = world;
  let worst = 0;
  let unsettled = 0;
  for (let slot = 0; slot < grid.ids.length; slot++) {
    const id = grid.ids[slot] as number;
    if (got.ids[id] !== id) return failure(`particle ${id} is missing`);
    for (const [name, width, values, exact, limits] of [
      ['position', dimensions, got.positions, bound.exactPositions, bound.positions],
      ['velocity', dimensions, got.velocities, bound.exactVelocities, bound.velocities],
      // Loads are present if radii vary.
      ['load', got.loads && grid.radii ? 1 : 0, got.loads ?? [], bound.exactLoads, bound.loads],
    ] as const) {
      if (width === 0) continue;
      // The bound holds for two rounded results; only one is rounded here.
      const limit = (limits[slot] as number) / 2;
      if (!Number.isFinite(limit)) unsettled++;
      for (let axis = 0; axis < width; axis++) {
        const value = values[id * width + axis] as number;
        const expected = exact[slot * width + axis] as number;
        const period = name === 'position' ? (world.period[axis] as number) : 0;
        const difference = Math.abs(minimumImageInDoubles(value - expected, period));
        if (!(difference <= limit)) {
          return failure(
            `${name} of particle ${id} along axis ${axis} is ${value} instead of ${expected}: ${difference} off, at most ${limit} allowed`,
          );
        }
        if (difference > 0 && Number.isFinite(limit)) worst = Math.max(worst, difference / limit);
      }
    }
  }
  return success(
    `errors up to ${worst.toFixed(3)} of what is allowed${unsettled > 0 ? `; ${unsettled} positions, velocities or loads have no bound` : ''}`,
  );
}

function showPair(list: PairList): string {
  return list.count > 0 ? ` (first: ${list.pairs[0]}, ${list.pairs[1]})` : '';
}
