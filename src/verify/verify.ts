/**
 * Purpose: holds the GPU against the reference on every scene: what `cellstorm verify`, the GPU tests, the
 * browser tests and the portability tests run. Each check is its own case, so that a failure names itself.
 * Inputs: a device (or the CPU engine) and what to run. Output: cases, one after the other, as they finish.
 *
 * Scenes are dyadic and so is the time step: integrating them rounds nothing that a fused multiply-add could
 * round otherwise, and the state before the resolve pass has the same bits on both sides. What the pass may
 * then differ by is bounded in src/reference/bound.ts.
 */
import { cellBytes } from '../core/cells';
import { checkInteger } from '../core/checks';
import { ArgumentError, CellstormError } from '../core/errors';
import { MAX_PARTICLES } from '../core/ids';
import { readObstacles } from '../core/obstacles';
import { type BroadPhase, deriveSubstep, type Settings } from '../core/settings';
import type { Sizes } from '../core/shapes';
import type { PairList, ParticleArrays, ParticleSimulation, SimulationOptions } from '../core/simulation';
import { sizesOf } from '../core/sizes';
import type { Dimensions, World } from '../core/world';
import { HashGrid } from '../engine/hash-grid';
import { createSimulation } from '../engine/simulation';
import { createBuffers } from '../gpu/buffers';
import type { Gpu } from '../gpu/device';
import { fromStored, storedFloats, toStored } from '../gpu/layout';
import { Readback } from '../gpu/readback';
import { resolveBound } from '../reference/bound';
import { bruteForcePairs } from '../reference/brute-force';
import { nearestImage } from '../reference/contact';
import { buildGrid, type Grid } from '../reference/grid';
import { integrate } from '../reference/integrate';
import { measureState } from '../reference/measure';
import { fileObstacles, type Obstacles } from '../reference/obstacles';
import { comparePairs } from '../reference/pair-list';
import { sweepShapes } from '../reference/shape-pairs';
import { sweepPairs } from '../reference/sweep';
import {
  ALL_SCENE_NAMES,
  BOX_SCENE_NAMES,
  createMixedScene,
  createScene,
  FAST_SCENE_NAMES,
  GRANULAR_SCENE_NAMES,
  MIXED_SCENE_NAMES,
  Random,
  type Scene,
  sceneOptions,
  worldOptions,
} from '../scenes';
import { UNITS } from '../scenes/scene';
import { checkBoxes, MOST_BOXES } from './boxes';
import { checkBoxesAndRays, MOST_SEARCHED } from './boxes-and-rays';
import { checkCellSizes, MOST_RESIZED } from './cell-sizes';
import { mixedOf } from './exact';
import { checkFlights, MOST_FLYING } from './flights';
import { checkKernel } from './kernel';
import { checkMixedPairs, levelChecks } from './levels';
import { checkEvents, checkList } from './lists';
import { checkIndex, MOST_INDEXED } from './live-index';
import { checkQueries, QUERIES_LIMIT } from './queries';

export interface VerifyCase {
  readonly scene: string;
  readonly dimensions: Dimensions;
  readonly count: number;
  readonly check: string;
  readonly pass: boolean;
  /** What was seen: figures of a pass, the first difference of a failure. */
  readonly detail: string;
}

export interface VerifyOptions {
  readonly scenes?: readonly string[] | undefined;
  readonly dimensions?: readonly Dimensions[] | undefined;
  readonly counts?: readonly number[] | undefined;
  readonly seed?: number | undefined;
}

/** Empty, one, both sides of a workgroup, and enough for two levels of the scan. */
export const DEFAULT_COUNTS: readonly number[] = [0, 1, 255, 257, 4096, 65_537];

/** All in one cell means all pairs: more would be gigabytes of them. */
const MOST_IN_ONE_CELL = 4096;
/** All pairs on a software GPU, and every contact in plain JavaScript: larger counts skip those checks. */
const MOST_NAIVE = 4096;
const MOST_ONE_CELL_RESOLVED = 512;
const BRUTE_FORCE_LIMIT = 4096;
const REPEATED_STEPS = 12;
const REPEATED_LIMIT = 70_000;
/** Lists of pairs, their events, and kernels over them. */
const MOST_LISTED = 70_000;
/** Exact in binary, see above. */
const TIME_STEP_UNITS = 64;
const TIME_STEP = 1 / TIME_STEP_UNITS;
/** Units that a coordinate of a stirred particle moves in a step, at most: 1/32 of a length. */
const MOST_STIRRED = 32;

/** One request of a device that all cases of these options fit. */
export function largestVerified(options: VerifyOptions): {
  particles: number;
  cells: number;
  dimensions: Dimensions;
} {
  const { scenes, dimensions, counts } = complete(options);
  let particles = 1;
  let cells = 1;
  for (const name of scenes) {
    for (const dimension of dimensions) {
      const count = Math.min(Math.max(...counts), mostOf(name));
      // Lists of guests, of as many levels as the scenes have, and bodies that may be boxes are longer than any vectors.
      const isMixed = [...MIXED_SCENE_NAMES, ...BOX_SCENE_NAMES, ...GRANULAR_SCENE_NAMES].includes(name);
      particles = Math.max(particles, isMixed ? 2 * count : count);
      // The clustered scene has the most cells a particle; in 3D the ring adds to small ones.
      cells = Math.max(cells, 16 * count + 4096 + (dimension === 3 ? 8 * count : 0));
    }
  }
  return { particles, cells, dimensions: dimensions.includes(3) ? 3 : 2 };
}

/** Who is held against the reference: the engine on a device, or the CPU engine. */
export type Subject =
  | { readonly gpu: Gpu }
  | { readonly createCpu: (options: SimulationOptions) => ParticleSimulation };

export async function* verify(subject: Subject, options: VerifyOptions = {}): AsyncGenerator<VerifyCase> {
  const { scenes, dimensions, counts, seed } = complete(options);
  for (const name of scenes) {
    for (const dimension of dimensions) {
      const seen = new Set<number>();
      for (const wanted of counts) {
        const count = Math.min(wanted, mostOf(name));
        if (seen.has(count)) continue;
        seen.add(count);
        const request = { dimensions: dimension, count, seed };
        const scene = createScene(name, request);
        const gpu = 'gpu' in subject ? subject.gpu : undefined;
        const ofRadii = MIXED_SCENE_NAMES.includes(name)
          ? levelChecks(gpu, createMixedScene(name, request))
          : [];
        yield* runChecks(scene, [
          ...(scene.radii ? ofRadii : gridChecks(gpu, scene)),
          ...rayChecks(gpu, scene),
          ...simulationChecks(subject, scene),
          ...searchChecks(gpu, scene),
          ...pairChecks(gpu, scene),
        ]);
      }
    }
  }
}

function complete(options: VerifyOptions) {
  const scenes = options.scenes ?? ALL_SCENE_NAMES;
  for (const name of scenes) {
    if (!ALL_SCENE_NAMES.includes(name)) {
      throw new ArgumentError('scene', name, `one of ${ALL_SCENE_NAMES.join(', ')}`);
    }
  }
  const counts = options.counts ?? DEFAULT_COUNTS;
  for (const count of counts) checkInteger('count', count, 0, 100_000_000);
  return { scenes, counts, dimensions: options.dimensions ?? ([2, 3] as const), seed: options.seed };
}

function mostOf(scene: string): number {
  if (FAST_SCENE_NAMES.includes(scene)) return MOST_FLYING;
  return scene === 'one-cell' ? MOST_IN_ONE_CELL : Number.POSITIVE_INFINITY;
}

/** What larger counts leave out, in words, so that nobody takes it for done. */
export function describeCaps(options: VerifyOptions): string[] {
  const { scenes, counts } = complete(options);
  const most = Math.max(...counts);
  const notes: string[] = [];
  if (scenes.includes('one-cell') && most > MOST_IN_ONE_CELL) {
    notes.push(`one-cell was checked up to ${MOST_IN_ONE_CELL} particles only, since all of them are pairs.`);
  }
  if (scenes.includes('one-cell') && most > MOST_ONE_CELL_RESOLVED) {
    notes.push(
      `one-cell was resolved, and its pairs listed, up to ${MOST_ONE_CELL_RESOLVED} particles only.`,
    );
  }
  for (const name of FAST_SCENE_NAMES) {
    if (!scenes.includes(name) || most <= MOST_FLYING) continue;
    notes.push(`${name} was checked up to ${MOST_FLYING} particles only.`);
  }
  if (most > MOST_NAIVE) notes.push(`All pairs (naive) were checked up to ${MOST_NAIVE} particles only.`);
  if (most > QUERIES_LIMIT) notes.push(`Queries were checked up to ${QUERIES_LIMIT} particles only.`);
  if (most > MOST_SEARCHED) notes.push(`Boxes and rays were checked up to ${MOST_SEARCHED} particles only.`);
  if (most > MOST_BOXES) notes.push(`Overlapping boxes were checked up to ${MOST_BOXES} particles only.`);
  if (most > MOST_RESIZED) {
    notes.push(`Cells of other sizes were checked up to ${MOST_RESIZED} particles only.`);
  }
  if (most > MOST_INDEXED) notes.push(`The CPU index was checked up to ${MOST_INDEXED} particles only.`);
  if (most > MOST_LISTED) {
    notes.push(`Lists of pairs, events and kernels were checked up to ${MOST_LISTED} particles only.`);
  }
  if (most > REPEATED_LIMIT) notes.push(`Runs were repeated up to ${REPEATED_LIMIT} particles only.`);
  return notes;
}

type Finding = { readonly pass: boolean; readonly detail: string };

type Check = readonly [name: string, run: () => Promise<Finding>];

/** Of grids of one diameter. */
function gridChecks(gpu: Gpu | undefined, scene: Scene): Check[] {
  return gpu ? [['grid', () => checkGrid(gpu, scene)]] : [];
}

/** A grid is of balls. */
function isOfBalls({ halfExtents }: Scene): boolean {
  return halfExtents === undefined;
}

function rayChecks(gpu: Gpu | undefined, scene: Scene): Check[] {
  if (!isOfBalls(scene) || scene.count > MOST_SEARCHED) return [];
  return [['boxes and rays', () => checkBoxesAndRays(gpu, scene)]];
}

function searchChecks(gpu: Gpu | undefined, scene: Scene): Check[] {
  const checks: Check[] = [];
  if (isOfBalls(scene) && scene.count <= QUERIES_LIMIT) {
    checks.push(['queries', () => checkQueries(gpu, scene)]);
  }
  if (!scene.radii && scene.count <= MOST_BOXES) checks.push(['boxes', () => checkBoxes(gpu, scene)]);
  return checks;
}

/** Of pairs other than those of simulations. Lists of particles with radii of their own are among levelChecks. */
function pairChecks(gpu: Gpu | undefined, scene: Scene): Check[] {
  const checks: Check[] = [];
  if (!isOfBalls(scene) || scene.count > mostListed(scene.name)) return checks;
  if (gpu && !scene.radii) checks.push(['list', () => checkList(gpu, scene)]);
  checks.push(['events', () => checkEvents(gpu, scene)]);
  if (gpu) checks.push(['kernel', () => checkKernel(gpu, scene)]);
  if (scene.count <= MOST_INDEXED) checks.push(['index', () => checkIndex(scene)]);
  if (!scene.radii && scene.count <= MOST_RESIZED)
    checks.push(['cell size', () => checkCellSizes(gpu, scene)]);
  return checks;
}

/** Of all in one cell all are pairs, in several lists at once. */
function mostListed(scene: string): number {
  return scene === 'one-cell' ? MOST_ONE_CELL_RESOLVED : MOST_LISTED;
}

function simulationChecks(subject: Subject, scene: Scene): Check[] {
  const { count } = scene;
  const checks: Check[] = [];
  const broadPhases: BroadPhase[] = count <= MOST_NAIVE ? ['grid', 'naive'] : ['grid'];
  for (const broadPhase of broadPhases) {
    checks.push([`measures ${broadPhase}`, () => checkMeasures(subject, scene, broadPhase)]);
    checks.push([`pairs ${broadPhase}`, () => checkPairs(subject, scene, broadPhase)]);
    if (scene.name !== 'one-cell' || count <= MOST_ONE_CELL_RESOLVED) {
      checks.push([`separate ${broadPhase}`, () => checkSeparate(subject, scene, broadPhase)]);
      checks.push([`step ${broadPhase}`, () => checkStep(subject, scene, broadPhase)]);
    }
  }
  if (scene.continuous) {
    checks.push(['paths', () => checkFlights((options) => open(subject, options), scene)]);
  }
  if (count <= REPEATED_LIMIT) checks.push(['repeats', () => checkRepeats(subject, scene, broadPhases)]);
  return checks;
}

async function* runChecks(
  { name, dimensions, count }: { name: string; dimensions: Dimensions; count: number },
  checks: readonly Check[],
): AsyncGenerator<VerifyCase> {
  for (const [check, run] of checks) {
    let finding: Finding;
    try {
      finding = await run();
    } catch (error) {
      if (!(error instanceof CellstormError)) throw error;
      finding = { pass: false, detail: error.message };
    }
    yield { scene: name, dimensions, count, check, ...finding };
  }
}

/** Cells, starts, ids and sorted positions of the grid alone, integer for integer. */
async function checkGrid(gpu: Gpu, scene: Scene): Promise<Finding> {
  const { dimensions, count, positions } = scene;
  const grid = await HashGrid.create(gpu, {
    ...worldOptions(scene),
    diameter: 2 * scene.radius,
    capacity: count,
  });
  const vector = 4 * storedFloats(dimensions) * count;
  const input = await createBuffers(gpu, 'verify', { positions: vector });
  const readback = new Readback(gpu, 'verify');
  try {
    if (count > 0) gpu.device.queue.writeBuffer(input.buffers.positions, 0, toStored(dimensions, positions));
    const encoder = gpu.device.createCommandEncoder({ label: 'verify.grid' });
    grid.encode(encoder, { positions: input.buffers.positions, count });
    const reading = readback.record(encoder, [
      { buffer: grid.start, size: 4 * (grid.world.cellCount + 1) },
      { buffer: grid.ids, size: 4 * count },
      { buffer: grid.cellOfSlot, size: cellBytes(grid.world) * count },
      { buffer: grid.positions, size: vector },
    ]);
    gpu.device.queue.submit([encoder.finish()]);
    const [start, ids, cells, sorted] = (await reading.finish()) as ArrayBuffer[];
    const expected = buildGrid(grid.world, positions);
    return firstDifference([
      ['start', new Uint32Array(start as ArrayBuffer), expected.start.subarray(0, grid.world.cellCount + 1)],
      ['id', new Uint32Array(ids as ArrayBuffer), expected.ids],
      ['cell', cellWords(grid.world, cells as ArrayBuffer), expectedCells(grid.world, expected)],
      ['position', bitsOf(fromStored(dimensions, sorted as ArrayBuffer)), bitsOf(expected.positions)],
    ]);
  } finally {
    readback.destroy();
    input.destroy();
    grid.destroy();
  }
}

async function checkMeasures(subject: Subject, scene: Scene, broadPhase: BroadPhase): Promise<Finding> {
  return withSimulation(subject, scene, { broadPhase }, async (simulation) => {
    const got = await simulation.measure();
    const grid = initialGrid(simulation.world, scene);
    const obstacles = filedObstacles(simulation.world, scene);
    const diameter = Math.fround(2 * scene.radius);
    const expected = measureState(simulation.world, diameter, grid, broadPhase, obstacles);
    // With radii of their own, particles are in cells of the CPU engine's own choice.
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

/** Whatever cells particles are in. */
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

/** Against an oracle that knows no cells; pairs inside the rounding band are excused and counted. */
async function checkPairs(subject: Subject, scene: Scene, broadPhase: BroadPhase): Promise<Finding> {
  return withSimulation(subject, scene, { broadPhase }, async (simulation) => {
    const found = await simulation.findPairs();
    const mixed = mixedOf(scene);
    if (mixed) return checkMixedPairs(found.pairs, mixed);
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
    return success(`${found.count} pairs, ${excused} excused by the band`);
  });
}

/** Against an oracle that knows neither cells nor balls around boxes. */
function checkShapePairs(found: PairList, scene: Scene, world: World): Finding {
  const { dimensions, positions } = scene;
  const expected = sweepShapes(dimensions, positions, sizesOfScene(scene), world);
  const { missing, extra, excused } = comparePairs(found, expected);
  if (missing.count + extra.count === 0) {
    return success(`${found.count} pairs of balls and boxes, ${excused} excused by the band`);
  }
  return failure(
    `${missing.count} pairs missing${showPair(missing)}, ${extra.count} too many${showPair(extra)}`,
  );
}

/** Sizes as the engines hold them. */
function sizesOfScene(scene: Scene): Sizes {
  return sizesOf('', scene, scene.count, sizeRules(scene)) ?? {};
}

function sizeRules({ dimensions, radiusRange, halfExtents }: Scene) {
  return { dimensions, radiusRange, boxes: halfExtents !== undefined };
}

async function checkSeparate(subject: Subject, scene: Scene, broadPhase: BroadPhase): Promise<Finding> {
  return withSimulation(subject, scene, { broadPhase }, async (simulation) => {
    simulation.separate(1);
    const substep = deriveSubstep(simulation.world, 2 * scene.radius, simulation.settings, 0);
    const grid = initialGrid(simulation.world, scene);
    const obstacles = filedObstacles(simulation.world, scene);
    const bound = resolveBound(simulation.world, substep, grid, 'separate', obstacles);
    return compareWithin(simulation.world, await simulation.read(), grid, bound);
  });
}

/** One substep under gravity with friction and restitution, everyone on the move: contacts bounce and bear. */
async function checkStep(subject: Subject, still: Scene, broadPhase: BroadPhase): Promise<Finding> {
  const scene = { ...still, velocities: stir(still) };
  const gravity = new Array<number>(scene.dimensions).fill(0);
  gravity[1] = -8;
  const settings = { broadPhase, gravity, restitution: 0.5, friction: 0.25, substeps: 1, iterations: 1 };
  return withSimulation(subject, scene, settings, async (simulation) => {
    simulation.step(TIME_STEP);
    const { world } = simulation;
    const substep = deriveSubstep(world, 2 * scene.radius, simulation.settings, TIME_STEP);
    const moved = integrate(world, substep, scene);
    const grid = buildGrid(world, moved.positions, moved.velocities, undefined, sizesOfScene(scene));
    const bound = resolveBound(world, substep, grid, 'resolve', filedObstacles(world, scene));
    return compareWithin(simulation.world, await simulation.read(), grid, bound);
  });
}

/** Random velocities that the time step turns into whole units of position, so that integrating is exact. */
function stir({ velocities, seed }: Scene): Float32Array {
  const random = new Random(seed);
  return velocities.map(() => (random.between(-MOST_STIRRED, MOST_STIRRED) * TIME_STEP_UNITS) / UNITS);
}

/** The same hash from three runs, from a checkpoint half-way, and from both broad phases. */
async function checkRepeats(
  subject: Subject,
  scene: Scene,
  broadPhases: readonly BroadPhase[],
): Promise<Finding> {
  // Paths take a software GPU many times as long as contacts.
  const steps = scene.count > 10_000 || scene.continuous ? 3 : REPEATED_STEPS;
  const settings = { restitution: 0.25, friction: 0.25, substeps: 2, iterations: 2 };
  const runs: [string, BroadPhase, boolean][] = [
    ['run 1', 'grid', false],
    ['run 2', 'grid', false],
    ['run 3, restored half-way', 'grid', true],
  ];
  // All pairs on a software GPU take their time.
  // In an unbounded world, and of levels, the grid adds up the same contacts in another order.
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
    ? success(`hash ${hashes[0]} after ${steps} steps, ${runs.length} times`)
    : failure(`${runs[odd]?.[0]} ends with hash ${hashes[odd]}, run 1 with ${hashes[0]}`);
}

/** A simulation of the engine in question. */
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

function filedObstacles(world: World, scene: Scene): Obstacles | undefined {
  const bodies = readObstacles(
    'obstacles',
    scene.obstacles ?? new Float32Array(0),
    MAX_PARTICLES,
    sizeRules(scene),
  );
  return bodies.positions.length === 0 ? undefined : fileObstacles(world, bodies);
}

/** The GPU's state against the reference's exact one, each particle within its own bound. */
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
    for (const [name, values, exact, limits] of [
      ['position', got.positions, bound.exactPositions, bound.positions],
      ['velocity', got.velocities, bound.exactVelocities, bound.velocities],
    ] as const) {
      // The bound is for two sides that round; the exact one does not.
      const limit = (limits[slot] as number) / 2;
      if (!Number.isFinite(limit)) unsettled++;
      for (let axis = 0; axis < dimensions; axis++) {
        const value = values[id * dimensions + axis] as number;
        const expected = exact[slot * dimensions + axis] as number;
        const period = name === 'position' ? (world.period[axis] as number) : 0;
        const difference = Math.abs(nearestImage(value - expected, period));
        if (!(difference <= limit)) {
          return failure(
            `${name} ${axis} of particle ${id} is ${value}, ${difference} from ${expected}, over ${limit}`,
          );
        }
        if (difference > 0 && Number.isFinite(limit)) worst = Math.max(worst, difference / limit);
      }
    }
  }
  return success(
    `at most ${worst.toFixed(3)} of the bound${unsettled > 0 ? `, ${unsettled} without one` : ''}`,
  );
}

/** What the GPU keeps of each slot's cell: its index, or in an unbounded world its coordinates. */
function cellWords(world: World, bytes: ArrayBuffer): Int32Array {
  const words = new Int32Array(bytes);
  if (world.kind !== 'unbounded' || world.dimensions === 2) return words;
  return words.filter((_, index) => index % 4 < 3);
}

function expectedCells(world: World, grid: Grid): Int32Array {
  return world.kind === 'unbounded' ? grid.lattices : Int32Array.from(grid.cells);
}

function firstDifference(pairs: readonly [string, ArrayLike<number>, ArrayLike<number>][]): Finding {
  let compared = 0;
  for (const [name, got, expected] of pairs) {
    if (got.length !== expected.length) {
      return failure(`${got.length} values of ${name} instead of ${expected.length}`);
    }
    for (let index = 0; index < got.length; index++) {
      if (got[index] !== expected[index]) {
        return failure(`${name} ${index} is ${got[index]} instead of ${expected[index]}`);
      }
    }
    compared += got.length;
  }
  return success(`${compared} integers equal`);
}

function bitsOf(values: Float32Array): Uint32Array {
  return new Uint32Array(values.buffer, values.byteOffset, values.length);
}

function showPair(list: PairList): string {
  return list.count > 0 ? ` (first: ${list.pairs[0]}, ${list.pairs[1]})` : '';
}

function success(detail: string): Finding {
  return { pass: true, detail };
}

function failure(detail: string): Finding {
  return { pass: false, detail };
}
