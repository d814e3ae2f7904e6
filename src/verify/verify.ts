/**
 * Compares the GPU or the CPU engine with the reference and with oracles, on collision scenes. This file decides which
 * checks a scene gets, and up to how many particles.
 */
import { checkInteger } from '../core/base/checks';
import { CellstormError, describeCount } from '../core/base/errors';
import type { BroadPhase } from '../core/contact/settings';
import type { Dimensions } from '../core/world/world';
import type { Gpu } from '../gpu/device';
import { createScene, requireScene, type Scene, sceneNames } from '../scenes';
import { checkBoxes, MOST_BOXES } from './boxes';
import { checkBoxesAndRays, MOST_SEARCHED } from './boxes-and-rays';
import { checkContinuous, MOST_FLYING } from './ccd';
import { checkCellSizes, MOST_RESIZED } from './cell-sizes';
import { sizedParticlesOf } from './exact';
import type { Finding } from './finding';
import { checkGrid } from './hash-grid';
import { checkKernel } from './kernel';
import { levelChecks } from './levels';
import { checkEvents, checkList } from './lists';
import { checkIndex, MOST_INDEXED } from './live-index';
import { type OnCheckStep, SILENT } from './progress';
import { checkQueries, QUERIES_LIMIT } from './queries';
import {
  checkMeasures,
  checkPairs,
  checkRepeats,
  checkSeparate,
  checkStep,
  open,
  type Subject,
} from './simulations';

export interface VerifyCase {
  readonly scene: string;
  readonly dimensions: Dimensions;
  readonly count: number;
  readonly check: string;
  readonly pass: boolean;
  readonly detail: string;
  readonly hash?: string | undefined;
}

export interface VerifyOptions {
  readonly scenes?: readonly string[] | undefined;
  readonly dimensions?: readonly Dimensions[] | undefined;
  readonly counts?: readonly number[] | undefined;
  readonly seed?: number | undefined;
  /** Steps of the check `repeats`. Default: see REPEATED_STEPS. */
  readonly steps?: number | undefined;
  /**
   * True to only compare exact simulations with their recorded hashes. Users may combine it only with `dimensions`.
   */
  readonly exact?: boolean | undefined;
}

/**
 * Numbers of particles at which errors are likely:
 *
 * - 0 and 1
 * - 255 and 257, because a workgroup has 256 threads
 * - 4096 and 65,537, for which the scan divides the cells of most scenes into several blocks
 */
export const DEFAULT_COUNTS: readonly number[] = [0, 1, 255, 257, 4096, 65_537];

/** The greatest number of steps of the check `repeats`. */
export const MOST_STEPS = 100_000;

/** Most pairs overlap in `one-cell`. The pairs of 65,537 particles would take 17 GB. */
const MOST_IN_ONE_CELL = 4096;
/** A software GPU takes too long for more particles if all pairs are tested. */
const MOST_NAIVE = 4096;
/** Most particles in `one-cell` for pairChecks, and for checks that resolve contacts in plain JavaScript. */
const MOST_ONE_CELL_RESOLVED = 512;
const REPEATED_LIMIT = 70_000;
const MOST_LISTED = 70_000;

/** Returns the request for a device that is large enough for all starting states. */
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
      // Variable radii take more bytes per particle, and driven scenes may have more obstacles than particles.
      const { variableRadii, driven } = requireScene('collisions', name);
      particles = Math.max(particles, variableRadii || driven ? 2 * count : count);
      // With many particles, the scene `clustered` has the most cells per particle. In 3D the ring adds many cells to
      // small worlds.
      cells = Math.max(cells, 16 * count + 4096 + (dimension === 3 ? 8 * count : 0));
    }
  }
  return { particles, cells, dimensions: dimensions.includes(3) ? 3 : 2 };
}

/**
 * Yields the result of each check. `onCheckStep` gets the number of finished starting states; a partly finished one
 * counts as a fraction.
 */
export async function* verify(
  subject: Subject,
  options: VerifyOptions = {},
  onCheckStep: OnCheckStep = SILENT,
): AsyncGenerator<VerifyCase> {
  const { seed, steps } = complete(options);
  const gpu = 'gpu' in subject ? subject.gpu : undefined;
  const requests = requestsOf(options);
  for (const [done, { name, ...request }] of requests.entries()) {
    const scene = createScene(name, { ...request, seed });
    const sized = sizedParticlesOf(scene);
    const checks = [
      ...(sized ? levelChecks(gpu, sized) : gridChecks(gpu, scene)),
      ...rayChecks(gpu, scene),
      ...simulationChecks(subject, scene, steps),
      ...searchChecks(gpu, scene),
      ...pairChecks(gpu, scene),
    ];
    const about = `${name} ${request.dimensions}D, ${describeCount(request.count)}`;
    yield* runChecks(scene, checks, (check, index) =>
      onCheckStep(`${about}: ${check}`, done + index / checks.length, requests.length),
    );
  }
}

/** Lists the starting states to check. If counts are above a scene's limit, lists the limit once instead. */
function requestsOf(options: VerifyOptions) {
  const { scenes, dimensions, counts } = complete(options);
  return scenes.flatMap((name) =>
    dimensions.flatMap((dimension) =>
      [...new Set(counts.map((count) => Math.min(count, mostOf(name))))].map((count) => ({
        name,
        dimensions: dimension,
        count,
      })),
    ),
  );
}

function complete(options: VerifyOptions) {
  const scenes = options.scenes ?? sceneNames();
  for (const name of scenes) requireScene('collisions', name);
  const counts = options.counts ?? DEFAULT_COUNTS;
  for (const count of counts) checkInteger('count', count, 0, 100_000_000);
  const { seed, steps } = options;
  if (steps !== undefined) checkInteger('steps', steps, 1, MOST_STEPS);
  return { scenes, counts, dimensions: options.dimensions ?? ([2, 3] as const), seed, steps };
}

function mostOf(scene: string): number {
  if (requireScene('collisions', scene).continuous) return MOST_FLYING;
  return scene === 'one-cell' ? MOST_IN_ONE_CELL : Number.POSITIVE_INFINITY;
}

/** Returns a sentence per limit that some count exceeds. */
export function describeCaps(options: VerifyOptions): string[] {
  const { scenes, counts } = complete(options);
  const most = Math.max(...counts);
  const notes: string[] = [];
  if (scenes.includes('one-cell') && most > MOST_IN_ONE_CELL) {
    notes.push(
      `one-cell was checked up to ${MOST_IN_ONE_CELL} particles only, since most pairs of them overlap.`,
    );
  }
  if (scenes.includes('one-cell') && most > MOST_ONE_CELL_RESOLVED) {
    notes.push(
      `In the scene one-cell, resolved contacts, lists of pairs, events, kernels, the CPU index and cells of other sizes were checked up to ${MOST_ONE_CELL_RESOLVED} particles only.`,
    );
  }
  for (const name of sceneNames({ continuous: true })) {
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

type Check = readonly [name: string, run: () => Promise<Finding>];

function gridChecks(gpu: Gpu | undefined, scene: Scene): Check[] {
  return gpu && !scene.radii ? [['grid', () => checkGrid(gpu, scene)]] : [];
}

function hasOnlyBalls({ halfExtents }: Scene): boolean {
  return halfExtents === undefined;
}

function rayChecks(gpu: Gpu | undefined, scene: Scene): Check[] {
  if (!hasOnlyBalls(scene) || scene.count > MOST_SEARCHED) return [];
  return [['boxes and rays', () => checkBoxesAndRays(gpu, scene)]];
}

function searchChecks(gpu: Gpu | undefined, scene: Scene): Check[] {
  const checks: Check[] = [];
  if (hasOnlyBalls(scene) && scene.count <= QUERIES_LIMIT) {
    checks.push(['queries', () => checkQueries(gpu, scene)]);
  }
  if (!scene.radii && scene.count <= MOST_BOXES) checks.push(['boxes', () => checkBoxes(gpu, scene)]);
  return checks;
}

function pairChecks(gpu: Gpu | undefined, scene: Scene): Check[] {
  const checks: Check[] = [];
  if (!hasOnlyBalls(scene) || scene.count > mostListed(scene.name)) return checks;
  if (gpu && !scene.radii) checks.push(['list', () => checkList(gpu, scene)]);
  checks.push(['events', () => checkEvents(gpu, scene)]);
  if (gpu) checks.push(['kernel', () => checkKernel(gpu, scene)]);
  if (scene.count <= MOST_INDEXED) checks.push(['index', () => checkIndex(scene)]);
  if (!scene.radii && scene.count <= MOST_RESIZED)
    checks.push(['cell size', () => checkCellSizes(gpu, scene)]);
  return checks;
}

/** In `one-cell`, several lists hold nearly all pairs at the same time. */
function mostListed(scene: string): number {
  return scene === 'one-cell' ? MOST_ONE_CELL_RESOLVED : MOST_LISTED;
}

function simulationChecks(subject: Subject, scene: Scene, steps: number | undefined): Check[] {
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
    checks.push(['paths', () => checkContinuous((options) => open(subject, options), scene)]);
  }
  if (count <= REPEATED_LIMIT)
    checks.push(['repeats', () => checkRepeats(subject, scene, broadPhases, steps)]);
  return checks;
}

async function* runChecks(
  { name, dimensions, count }: { name: string; dimensions: Dimensions; count: number },
  checks: readonly Check[],
  onCheck: (check: string, index: number) => void,
): AsyncGenerator<VerifyCase> {
  for (const [index, [check, run]] of checks.entries()) {
    onCheck(check, index);
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
