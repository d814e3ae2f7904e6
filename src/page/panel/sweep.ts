/** Measures how a step's time and tests grow with the number of particles (the size), with grid and naive. */
import {
  type Curve,
  crossingOf,
  DECADE,
  expectedTime,
  growthOf,
  lastSlope,
  type Timing,
} from '../../core/base/curves';
import { type BroadPhase, CellstormError, type Dimensions } from '../../index';
import {
  formatCount,
  formatCountOf,
  formatMilliseconds,
  formatPercent,
  formatTimes,
} from '../support/format';
import { type Clock, explain, type StepTime } from '../view/engine';

export const SIZES = [2, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000] as const;

export const BROAD_PHASES = ['grid', 'naive'] as const satisfies readonly BroadPhase[];

/**
 * A curve ends before a size whose step is expected to take longer than this. Estimates may be too low by a factor of
 * three, and Chrome gives up a device after ten seconds.
 */
export const STEP_LIMIT_MS = 2000;

/**
 * A size gets at least this many samples and at least ENOUGH_MS of timing, but no sample begins after MOST_MS. If the
 * first step takes longer than STEP_LIMIT_MS, it is the only sample.
 */
const FEWEST_SAMPLES = 5;
const ENOUGH_MS = 150;
const MOST_MS = 1000;
const WARM_MS = 80;
/**
 * If the page's clock times the steps, a sample is a batch of steps that takes about this long, at most MOST_BATCH
 * steps. By the GPU's clock, it is one step.
 */
const BATCH_MS = 30;
const MOST_BATCH = 64;
/** Browsers round the GPU's clock to 0.1 ms per stage. This matters if a step takes less than COARSE_MS. */
const COARSE_MS = 2;

/** A step's time is assumed to grow at least with this power of the number of particles. */
export const LEAST_GROWTH: Readonly<Record<BroadPhase, number>> = { grid: 1, naive: 2 };

export interface SizeTiming extends Timing {
  /** Candidates of a search, each pair counted once. */
  readonly tests: number;
  /** Pairs that overlap. Undefined for naive, which does not count them. */
  readonly contacts?: number | undefined;
  readonly memoryBytes?: number | undefined;
}

export type Curves = Readonly<Record<BroadPhase, readonly SizeTiming[]>>;

export interface Row {
  readonly count: number;
  /** All pairs, n(n − 1)/2, which naive tests. */
  readonly pairs: number;
  /** Undefined if the grid was not timed at this size. */
  readonly tests: number | undefined;
  readonly work: Work | undefined;
  readonly times: Readonly<Record<BroadPhase, Cell | undefined>>;
  /** Naive time ÷ grid time. */
  readonly ratio: Cell | undefined;
}

/** The grid's work for one search. */
export interface Work {
  readonly perParticle: number;
  /** Touching pairs ÷ candidates; undefined without candidates. */
  readonly hitRatio: number | undefined;
  readonly memoryBytes: number | undefined;
  /** Undefined if naive was not timed at this size. */
  readonly naiveMemoryBytes: number | undefined;
}

/** An estimate extends the curve from the last measured value. */
export interface Cell {
  readonly value: number;
  readonly isEstimate: boolean;
}

/** Returns the median. Below COARSE_MS it returns the mean, because a rounded clock makes samples equal. */
export function typicalTime(samples: readonly number[]): number {
  const sorted = [...samples].sort((first, second) => first - second);
  const half = (sorted.length - 1) / 2;
  const median = ((sorted[Math.floor(half)] ?? 0) + (sorted[Math.ceil(half)] ?? 0)) / 2;
  if (median >= COARSE_MS) return median;
  return sorted.reduce((sum, sample) => sum + sample, 0) / Math.max(1, sorted.length);
}

export type Crossover =
  | { readonly kind: 'at'; readonly count: number }
  /** No crossing: `faster` is 'naive' if naive is faster at the largest common size, otherwise 'grid'. */
  | { readonly kind: 'always'; readonly faster: BroadPhase };

/** Returns the size from which the grid is faster, or that the curves do not cross; undefined without a common size. */
export function crossoverOf({ grid, naive }: Curves): Crossover | undefined {
  const crossing = crossingOf(naive, grid);
  if (crossing === undefined || crossing.kind === 'at') return crossing;
  return { kind: 'always', faster: crossing.kind === 'first-always' ? 'naive' : 'grid' };
}

export function pairsOf(count: number): number {
  return (count * (count - 1)) / 2;
}

export function rowsOf(curves: Curves): Row[] {
  const counts = [...new Set([...curves.grid, ...curves.naive].map(({ count }) => count))];
  return counts
    .sort((first, second) => first - second)
    .map((count) => {
      const times = { grid: cellOf(curves.grid, count), naive: cellOf(curves.naive, count) };
      const { grid, naive } = times;
      const ratio =
        grid && naive
          ? { value: naive.value / grid.value, isEstimate: grid.isEstimate || naive.isEstimate }
          : undefined;
      const [own, all] = BROAD_PHASES.map((name) => curves[name].find((timing) => timing.count === count));
      const work = own && {
        perParticle: own.tests / count,
        hitRatio: own.tests > 0 && own.contacts !== undefined ? own.contacts / own.tests : undefined,
        memoryBytes: own.memoryBytes,
        naiveMemoryBytes: all?.memoryBytes,
      };
      return { count, pairs: pairsOf(count), tests: own?.tests, work, times, ratio };
    });
}

function cellOf(curve: Curve, count: number): Cell | undefined {
  const measured = curve.find((timing) => timing.count === count);
  if (measured) return { value: measured.milliseconds, isEstimate: false };
  const last = curve.at(-1);
  const growth = growthOf(curve);
  if (!last || growth === undefined || count < last.count) return undefined;
  // Fixed costs flatten the start of the decade that `growth` spans. So use the last slope if it is steeper.
  const exponent = Math.max(growth, lastSlope(curve) ?? growth);
  return { value: last.milliseconds * (count / last.count) ** exponent, isEstimate: true };
}

const NAMES = { grid: 'Grid', naive: 'Naive' } as const;

export function describeCurves(curves: Curves, dimensions: Dimensions): string[] {
  const growths = BROAD_PHASES.flatMap((broadPhase) => {
    const growth = growthOf(curves[broadPhase]);
    const last = curves[broadPhase].at(-1);
    if (growth === undefined || !last) return [];
    const from = formatCount(
      curves[broadPhase].find(({ count }) => count * DECADE >= last.count)?.count ?? 0,
    );
    return [
      `${NAMES[broadPhase]} grows like N^${growth.toFixed(2)}, from ${from} to ${formatCount(last.count)} particles.`,
    ];
  });
  const crossover = crossoverOf(curves);
  const largest = rowsOf(curves).findLast(({ times }) => times.grid && times.naive?.isEstimate === false);
  const ratio = largest?.ratio;
  const last = curves.grid.at(-1);
  return [
    ...growths,
    ...(crossover ? [describeCrossover(crossover)] : []),
    ...(largest && ratio
      ? [
          `At ${formatCount(largest.count)} naive takes ${formatTimes(ratio.value)} times as long: ${formatMilliseconds(largest.times.naive?.value ?? 0)} against ${formatMilliseconds(largest.times.grid?.value ?? 0)}.`,
        ]
      : []),
    ...(last && last.tests > 0
      ? [
          `With ${formatCount(last.count)} particles the grid has ${formatCount(last.tests)} candidates, ${formatTimes(last.tests / last.count)} per particle${describeHits(last, dimensions)}. Naive has ${formatCount(pairsOf(last.count))}: ${formatTimes(pairsOf(last.count) / last.tests)} times as many.`,
        ]
      : []),
  ];
}

/** If a smaller share of the candidates touches, the text also names the share that would touch at random. */
const FEW_HITS = 0.01;

/**
 * Share of the candidates that touch if particles are placed at random and cells are a diameter wide: the area (volume)
 * within one diameter of a point ÷ that of 9 (27) cells.
 */
const RANDOM_HITS: Readonly<Record<Dimensions, number>> = { 2: Math.PI / 9, 3: ((4 / 3) * Math.PI) / 27 };

function describeHits({ tests, contacts }: SizeTiming, dimensions: Dimensions): string {
  if (contacts === undefined) return '';
  const share = contacts / tests;
  if (share >= FEW_HITS) return `; ${formatPercent(share)} of them touch`;
  const few = contacts === 0 ? 'none of them touches' : `only ${formatCount(contacts)} of them touch`;
  return `; ${few}, because the particles here are still apart. At random, in cells of one diameter, ${formatPercent(RANDOM_HITS[dimensions])} would`;
}

function describeCrossover(crossover: Crossover): string {
  if (crossover.kind === 'at') {
    const count = Number(crossover.count.toPrecision(2));
    return `Naive wins below about ${formatCount(count)} particles, where building the grid costs more than it saves. With more, the grid is faster.`;
  }
  if (crossover.faster === 'grid') return 'The grid is faster at every size that both were timed at.';
  return 'Naive is still faster at the largest size that both were timed at.';
}

export type SampleTime = Pick<StepTime, 'milliseconds' | 'clock' | 'discarded'>;

export interface TimedRun {
  /** It may differ from the requested size. */
  readonly count: number;
  /** Takes `batch` consecutive steps and returns milliseconds per step. */
  timeSteps(batch: number): Promise<SampleTime>;
  destroy(): void;
}

export interface CountedRun extends TimedRun {
  /** Counts the candidates that a search has now, and the pairs that overlap. */
  countWork(): Promise<Omit<SizeTiming, keyof Timing>>;
}

export interface SweepRequest {
  start(broadPhase: BroadPhase, count: number): Promise<CountedRun>;
  /** Rejects if the engine is lost or the visitor cancels. */
  readonly ended: Promise<never>;
  /** Awaited between samples, so that the page stays responsive. */
  breathe(): Promise<unknown>;
  onSize(broadPhase: BroadPhase, count: number): void;
  onTiming(curves: Curves, clock: Clock): void;
  onNote(note: string): void;
}

/** Times the sizes in ascending order. Two failures in a row end a curve. Rejects if `ended` rejects. */
export async function runSweep(request: SweepRequest): Promise<void> {
  const curves: Record<BroadPhase, SizeTiming[]> = { grid: [], naive: [] };
  const failures: Record<BroadPhase, number> = { grid: 0, naive: 0 };
  const open = new Set<BroadPhase>(BROAD_PHASES);
  request.ended.catch(() => undefined);
  for (const size of SIZES) {
    for (const broadPhase of BROAD_PHASES) {
      if (!open.has(broadPhase)) continue;
      const curve = curves[broadPhase];
      const expected = expectedTime(curve, size, LEAST_GROWTH[broadPhase]);
      if (expected > STEP_LIMIT_MS) {
        open.delete(broadPhase);
        request.onNote(
          `${NAMES[broadPhase]} stops at ${formatCount(curve.at(-1)?.count ?? 0)} particles: a step of ${formatCount(size)} would take about ${formatMilliseconds(expected)} here.`,
        );
        continue;
      }
      request.onSize(broadPhase, size);
      await Promise.race([request.breathe(), request.ended]);
      try {
        const starting = request.start(broadPhase, size);
        const { timing, measured, clock, leftOut } = await timeRun(starting, request, (run) =>
          run.countWork(),
        );
        failures[broadPhase] = 0;
        if (leftOut > 0) {
          request.onNote(
            `${NAMES[broadPhase]} at ${formatCount(size)}: ${formatCountOf(leftOut, 'timed step')} left out, because the clock of the GPU ran backwards.`,
          );
        }
        // A scene of whole rows or towers may have the same number of particles at two sizes.
        if (timing.count > (curve.at(-1)?.count ?? 0)) curve.push({ ...timing, ...measured });
        request.onTiming({ grid: [...curves.grid], naive: [...curves.naive] }, clock);
      } catch (error) {
        // If the sweep has ended, throw its error instead.
        await Promise.race([request.ended, request.breathe()]);
        failures[broadPhase]++;
        if (failures[broadPhase] === 2) open.delete(broadPhase);
        request.onNote(`${NAMES[broadPhase]} at ${formatCount(size)}: ${explain(error)}`);
      }
    }
  }
}

/** Times the steps of a run, then calls `measure`. Destroys the run, even after an error. */
export async function timeRun<Run extends TimedRun, Measured>(
  starting: Promise<Run>,
  { ended, breathe }: Pick<SweepRequest, 'ended' | 'breathe'>,
  measure: (run: Run) => Promise<Measured>,
): Promise<{
  readonly timing: Timing;
  readonly measured: Measured;
  readonly clock: Clock;
  readonly leftOut: number;
}> {
  const run = await Promise.race([starting, ended]).catch((error: unknown) => {
    // If the sweep ends before the run is ready, destroy the run when it is.
    starting.then(
      (late) => late.destroy(),
      () => undefined,
    );
    throw error;
  });
  try {
    const sample = (batch: number) => Promise.race([run.timeSteps(batch), ended]);
    let { milliseconds, clock } = await sample(1);
    const timed = async (typical: number, leftOut: number) => {
      const measured = await Promise.race([measure(run), ended]);
      return { timing: { count: run.count, milliseconds: typical }, measured, clock, leftOut };
    };
    if (milliseconds > STEP_LIMIT_MS) return await timed(milliseconds, 0);
    // Leave out the first steps: caches are cold, and JavaScript is not compiled.
    const started = performance.now();
    do {
      ({ milliseconds, clock } = await sample(1));
      await Promise.race([breathe(), ended]);
    } while (performance.now() - started < WARM_MS);
    const batch = clock === 'gpu' ? 1 : Math.min(MOST_BATCH, Math.max(1, Math.ceil(BATCH_MS / milliseconds)));
    const samples: number[] = [];
    let leftOut = 0;
    const began = performance.now();
    for (let spent = 0; spent < MOST_MS; spent = performance.now() - began) {
      if (samples.length >= FEWEST_SAMPLES && spent >= ENOUGH_MS) break;
      const taken = await sample(batch);
      if (taken.discarded) leftOut++;
      else samples.push(taken.milliseconds);
      await Promise.race([breathe(), ended]);
    }
    if (samples.length === 0) {
      throw new CellstormError('The clock of the GPU ran backwards in every step that was timed.');
    }
    return await timed(typicalTime(samples), leftOut);
  } finally {
    run.destroy();
  }
}
