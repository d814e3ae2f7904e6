/** The most particles that an engine runs, and why. */
import { FEWEST_PERIODIC_CELLS } from '../../core/world/limits';
import { ArgumentError, type Dimensions, type SimulationOptions } from '../../index';
import { formatCount, formatReal, formatTimes } from '../support/format';
import { passesOf } from './checks';
import { type Choices, type EngineKind, LEAST_LIMIT, MOST_PARTICLES } from './fields';
import { METHOD_WORDS, type Method, methodOf } from './scenes';

export interface Cap {
  readonly most: number;
  readonly reason: string;
}

/**
 * The most distance tests per step. A naive pass over n particles counts as n² tests. A step at the limit takes one to
 * three seconds; Chrome destroys a device whose work takes ten seconds. A weak GPU does about 2e10 tests per second.
 * SwiftShader takes 10 to 45 ns per test. The CPU engine takes 2 to 4 ns, but does only half of the n² tests.
 */
const MOST_CHECKS = { gpu: 2e10, software: 7.2e7, cpu: 9e8 } as const;
export const MOST_ON_CPU = 50_000;

/** With at most this many passes per step, MOST_MOVES does not limit particles in the grid. */
const USUAL_PASSES = 64;
/**
 * Most particles × passes in the grid. A step at this limit takes some seconds. A pass takes about 2 ns per particle on
 * a weak GPU, 0.9 µs on SwiftShader, 0.16 µs on the CPU engine.
 */
const MOST_MOVES = { gpu: 1e9, software: 8e6, cpu: 1.2e7 } as const;

export interface Hardware {
  /** The engine, if the choice is 'auto'. Default: the GPU. */
  readonly kind?: EngineKind | undefined;
  readonly isSoftware: boolean;
  /** Particles that both the GPU and the page can hold. */
  readonly most: number;
}

/** Describes an engine. For the CPU engine or no engine, `most` is only the page's own limit. */
export function hardwareOf(
  engine:
    | { readonly kind: EngineKind; readonly isSoftware: boolean; most(dimensions: Dimensions): number }
    | undefined,
  { dimensions }: Pick<Choices, 'dimensions'>,
): Hardware {
  const most = engine?.kind === 'gpu' ? engine.most(dimensions) : MOST_PARTICLES;
  return { kind: engine?.kind, isSoftware: engine?.isSoftware ?? false, most };
}

type Capping =
  | 'engine'
  | 'scene'
  | 'dimensions'
  | 'broadPhase'
  | 'cellSize'
  | 'count'
  | 'substeps'
  | 'restitution';

export function capOf(choices: Pick<Choices, Capping>, hardware: Hardware): Cap | undefined {
  const cap = capOfEngine(choices, hardware);
  const ofCells = capOfCells(choices, hardware);
  return ofCells && ofCells.most < (cap?.most ?? Number.POSITIVE_INFINITY) ? ofCells : cap;
}

/** Returns the limit due to wide cells. Assumes one particle per square or cube whose edge is a diameter. */
function capOfCells(
  choices: Pick<Choices, Capping>,
  { kind = 'gpu', isSoftware }: Hardware,
): Cap | undefined {
  const { dimensions, broadPhase, cellSize } = choices;
  const engine = choices.engine === 'auto' ? kind : choices.engine;
  if (methodOf(choices) !== 'collisions' || broadPhase === 'naive' || cellSize <= 1) return undefined;
  const checks = MOST_CHECKS[engine === 'cpu' ? 'cpu' : isSoftware ? 'software' : 'gpu'] / passesOf(choices);
  const candidates = (3 * cellSize) ** dimensions;
  const most = floorToTwoDigits(Math.max(LEAST_LIMIT, Math.sqrt(checks), checks / candidates));
  return {
    most,
    reason: `With cells of ${formatReal(cellSize)} diameters, a particle can have ${formatCount(candidates)} candidates. So at most ${formatCount(most)} particles run here; smaller cells allow more.`,
  };
}

/** Throws if fewer than three cells fit along a periodic axis. If radii vary, the engine narrows the cells itself. */
export function checkCells({ radius, cellSize, unbounded, min, max, periodic }: SimulationOptions): void {
  if (radius === undefined || cellSize === undefined || unbounded) return;
  const lengths = Array.from(max ?? [], (high, axis) => high - (min?.[axis] ?? 0));
  const shortest = Math.min(
    ...lengths.filter((_, axis) => (Array.isArray(periodic) ? periodic[axis] : periodic)),
  );
  if (cellSize <= shortest / FEWEST_PERIODIC_CELLS) return;
  const [size, length] = [cellSize / (2 * radius), shortest / (2 * radius)];
  const most = floorToHundredths(length / FEWEST_PERIODIC_CELLS);
  throw new ArgumentError(
    'Cell size',
    size,
    `at most ${most} here, because ${FEWEST_PERIODIC_CELLS} cells must fit along a periodic axis of ${formatReal(length)} diameters; more particles make it longer`,
  );
}

/**
 * If the engine refused bodies because the box is too small for them, returns an error in the words of the page.
 * Otherwise returns `error`.
 */
export function refuseTooLarge(
  error: unknown,
  { size, count, opened }: Pick<Choices, 'size' | 'count'> & { readonly opened?: unknown },
): unknown {
  const [, where] =
    (error instanceof ArgumentError && /^(world\.max|radii|halfExtents|obstacles)\b/.exec(error.argument)) ||
    [];
  if (where === undefined || opened) return error;
  const needs = `because each body must fit into the box, and ${FEWEST_PERIODIC_CELLS} cells along a periodic axis; more particles make the box larger`;
  // A smaller Radius would not shrink obstacles.
  return where === 'obstacles'
    ? new ArgumentError('Particles', count, `more here, ${needs}`)
    : new ArgumentError('Radius', size, `smaller here, ${needs}`);
}

export function floorToHundredths(value: number): number {
  return Math.floor(100 * value) / 100;
}

function capOfEngine(
  choices: Pick<Choices, Capping>,
  { kind = 'gpu', isSoftware, most: deviceMost }: Hardware,
): Cap | undefined {
  const { scene, broadPhase, count, substeps } = choices;
  const engine = choices.engine === 'auto' ? kind : choices.engine;
  const method = methodOf(choices);
  if (method !== 'collisions') return capOfMethod(method, engine, { isSoftware, most: deviceMost });
  const isNaive = broadPhase === 'naive';
  if (isNaive || scene === 'one-cell') {
    const checks = MOST_CHECKS[engine === 'cpu' ? 'cpu' : isSoftware ? 'software' : 'gpu'];
    const most = Math.max(LEAST_LIMIT, floorToTwoDigits(Math.sqrt(checks / passesOf(choices))));
    const pairs = formatCount((most * (most - 1)) / 2);
    const cause = isNaive ? 'Naive tests every pair' : 'With all particles in one cell, every pair is tested';
    const remedy = isNaive ? 'the grid allows more' : 'other scenes allow more';
    const times = formatTimes((count / most) ** 2);
    return {
      most,
      reason: `${cause}: ${pairs} pairs with ${formatCount(most)} particles in ${substeps === 1 ? 'the substep' : `each of ${substeps} substeps`}. That is the limit here; ${remedy}${substeps > 1 ? ', and so do fewer substeps' : ''}. With ${formatCount(count)} particles a step would take about ${times} times as long.`,
    };
  }
  const passes = passesOf(choices);
  const moves = MOST_MOVES[engine === 'cpu' ? 'cpu' : isSoftware ? 'software' : 'gpu'];
  const most =
    passes > USUAL_PASSES ? Math.max(LEAST_LIMIT, floorToTwoDigits(moves / passes)) : MOST_PARTICLES;
  if (engine === 'cpu' && most >= MOST_ON_CPU) {
    return {
      most: MOST_ON_CPU,
      reason: `The CPU engine runs on one thread, so this page gives it at most ${formatCount(MOST_ON_CPU)} particles.`,
    };
  }
  if (engine === 'gpu' && most >= deviceMost && deviceMost < MOST_PARTICLES) {
    const why = isSoftware
      ? 'The processor emulates the GPU here'
      : 'That is what this device and the page hold';
    return { most: deviceMost, reason: `At most ${formatCount(deviceMost)} particles run. ${why}.` };
  }
  if (most >= MOST_PARTICLES) return undefined;
  return {
    most,
    reason: `A step of ${formatCount(passes)} passes over all particles (one per substep, two if particles bounce) allows ${formatCount(most)} particles here; fewer passes allow more.`,
  };
}

/** With this many particles, a step takes a second or two. */
const MOST_OF_METHOD = {
  fluid: { gpu: 8_000_000, software: 50_000, cpu: 20_000 },
  pbf: { gpu: 1_000_000, software: 20_000, cpu: 20_000 },
  flock: { gpu: 4_000_000, software: 200_000, cpu: 20_000 },
  life: { gpu: 1_000_000, software: 50_000, cpu: 20_000 },
} as const;

function capOfMethod(
  method: Exclude<Method, 'collisions'>,
  engine: EngineKind,
  { isSoftware, most: deviceMost }: Hardware,
): Cap {
  const words = METHOD_WORDS[method];
  const on = engine === 'cpu' ? 'cpu' : isSoftware ? 'software' : 'gpu';
  const most = Math.min(MOST_OF_METHOD[method][on], engine === 'cpu' ? MOST_ON_CPU : deviceMost);
  const why = {
    cpu: 'The CPU engine runs on one thread',
    software: 'The processor emulates the GPU here',
    gpu: 'This page allows no more',
  } as const;
  return { most, reason: `For ${words}, the limit is ${formatCount(most)} particles. ${why[on]}.` };
}

export function floorToTwoDigits(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return unit * Math.floor(value / unit);
}

export function effectiveCount(choices: Choices, hardware: Hardware): number {
  return Math.min(choices.count, capOf(choices, hardware)?.most ?? choices.count);
}
