/** Chooses the first scene from measured numbers alone, for a URL without choices. */
import type { Timing } from '../../core/base/curves';
import { formatCount, formatCountOf, formatMilliseconds } from '../support/format';
import { STEP_SECONDS } from './choices';
import { type Choices, type EngineKind, LEAST_LIMIT } from './fields';
import { floorToTwoDigits } from './limits';

export interface Opening {
  readonly choices: Pick<Choices, 'scene' | 'dimensions' | 'count'>;
  readonly why: string;
}

/** Measured steps of a pile of discs that begins to fall. */
export interface Probed {
  readonly kind: EngineKind;
  /** By ascending count; at least one. */
  readonly timings: readonly Timing[];
  /** Threads that the processor runs at once. */
  readonly threads: number;
}

/** The counts of discs to measure. Measuring ends early if a step exceeds the budget or time runs out. */
export const PROBED_COUNTS = { gpu: [16_000, 128_000], cpu: [4000] } as const satisfies Record<
  EngineKind,
  readonly number[]
>;

/** The share of a frame that a step may take. The GPU also draws the picture; the CPU engine has its own thread. */
const STEP_SHARE = { gpu: 0.5, cpu: 0.75 } as const;
/** On a processor of one thread, the page and the engine take turns. */
const SHARE_OF_ONE_THREAD = 0.35;
/** The opening has at most this many times the greatest measured count. */
const MOST_GROWTH = 8;

interface Candidate extends Pick<Choices, 'scene' | 'dimensions'> {
  readonly bodies: string;
  /** With fewer particles, the next candidate impresses more. */
  readonly least: number;
  /** More particles do not make the picture better. */
  readonly most: number;
  /**
   * Upper bound on the time per particle in the first minute, relative to a measured disc. In a collapsed pile, a disc
   * takes 2.5 times as long. A bird in 3D takes 0.65 times as long at first, and 1.1 times as long in a dense flock.
   */
  readonly cost: number;
}

/** From the most impressive scene to the least. */
const CANDIDATES: Readonly<Record<EngineKind, readonly Candidate[]>> = {
  gpu: [
    { scene: 'murmuration', dimensions: 3, bodies: 'birds', least: 100_000, most: 300_000, cost: 1.25 },
    { scene: 'pile', dimensions: 2, bodies: 'discs', least: 0, most: 1_000_000, cost: 2.5 },
  ],
  cpu: [{ scene: 'pile', dimensions: 2, bodies: 'discs', least: 0, most: 12_000, cost: 2.5 }],
};

const FRAME_MS = 1000 * STEP_SECONDS;

/** Returns the milliseconds that a step may take if the page is to draw 60 frames per second. */
export function stepBudget({ kind, threads }: Omit<Probed, 'timings'>): number {
  return FRAME_MS * (kind === 'cpu' && threads < 2 ? SHARE_OF_ONE_THREAD : STEP_SHARE[kind]);
}

/** Chooses the most impressive scene that holds 60 frames a second. */
export function chooseOpening(probed: Probed): Opening {
  const { kind, timings } = probed;
  const discs = countWithin(timings, stepBudget(probed));
  const candidates = CANDIDATES[kind];
  const chosen =
    candidates.find(({ least, cost }) => discs / cost >= least) ?? (candidates.at(-1) as Candidate);
  const { scene, dimensions, bodies, most, cost } = chosen;
  const count = Math.max(LEAST_LIMIT, floorToTwoDigits(Math.min(most, discs / cost)));
  const measured = timings.at(-1);
  const why = measured
    ? `It opened with ${formatCount(count)} ${bodies}, which should hold 60 frames a second: it measured ${formatMilliseconds(measured.milliseconds)} per step of ${formatCount(measured.count)} discs.`
    : '';
  return { choices: { scene, dimensions, count }, why };
}

/**
 * Returns the count at which a step takes `budget` ms, interpolated between timings. Beyond the last one, counts grow
 * in proportion to time, at most by the factor MOST_GROWTH.
 */
function countWithin(timings: readonly Timing[], budget: number): number {
  let before: Timing = { count: 0, milliseconds: 0 };
  for (const timing of timings) {
    if (timing.milliseconds >= budget) {
      const rise = timing.milliseconds - before.milliseconds;
      const share = rise > 0 ? (budget - before.milliseconds) / rise : 0;
      return before.count + share * (timing.count - before.count);
    }
    before = timing;
  }
  const { count, milliseconds } = before;
  return count * Math.min(MOST_GROWTH, milliseconds > 0 ? budget / milliseconds : MOST_GROWTH);
}

/** Below this rate, in frames per second, the opening gets fewer particles. */
const FEWEST_FRAMES = 50;
/** The range of a lowered count, as shares of the present one. */
const LOWERED = { least: 0.5, most: 0.7 } as const;

/** Returns an opening with fewer particles. Undefined if the rate suffices or is 0, or if too few would remain. */
export function lowerOpening({ choices }: Opening, framesPerSecond: number): Opening | undefined {
  // A page that is hidden or starting draws nothing.
  if (framesPerSecond >= FEWEST_FRAMES || framesPerSecond <= 0) return undefined;
  const share = Math.max(LOWERED.least, Math.min(LOWERED.most, framesPerSecond / 60));
  const count = floorToTwoDigits(choices.count * share);
  if (count < LEAST_LIMIT) return undefined;
  return {
    choices: { ...choices, count },
    why: `It opened with ${formatCount(count)} particles, because ${formatCount(choices.count)} ran at ${formatCountOf(Math.ceil(framesPerSecond), 'frame')} a second.`,
  };
}
