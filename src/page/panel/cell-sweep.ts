/** Measures how a step's time and the candidates depend on the size of cells, for the same particles. */
import { type Dimensions, LimitError } from '../../index';
import { formatMilliseconds, formatReal, formatTimes } from '../support/format';
import { type Clock, explain } from '../view/engine';
import { STEP_LIMIT_MS, type TimedRun, timeRun } from './sweep';

/** The sweep goes from a quarter to eight times the suggestion. */
const FACTORS = [0.25, 0.5, 0.71, 1, 1.41, 2, 2.83, 4, 8] as const;

/** The time of a step with cells of one size. Sizes are in diameters of the smallest particle. */
export interface CellTiming {
  readonly size: number;
  /** Buckets if the world is unbounded. */
  readonly cells: number;
  readonly occupied: number;
  readonly fullest: number;
  readonly candidates: number;
  readonly milliseconds: number;
}

export type CellMeasures = Omit<CellTiming, 'milliseconds'>;

export interface CellSweepRequest {
  readonly sizes: readonly number[];
  readonly dimensions: Dimensions;
  /** Starts a run with cells of this size. */
  start(size: number): Promise<TimedRun & { readonly measures: CellMeasures }>;
  /** Rejects if the engine is lost or the visitor cancels. */
  readonly ended: Promise<never>;
  /** Awaited between samples, so that the page stays responsive. */
  breathe(): Promise<unknown>;
  onSize(size: number): void;
  onTiming(timings: readonly CellTiming[], clock: Clock): void;
  onNote(note: string): void;
}

/**
 * Returns the sizes to time, ascending. No size is below one diameter. `isRounded`: the world rounds sizes up to powers
 * of two.
 */
export function sizesFor(suggested: number, chosen: number, isRounded: boolean): number[] {
  const round = (size: number) =>
    isRounded ? 2 ** Math.ceil(Math.log2(size) - 1e-9) : Number(size.toPrecision(3));
  const sizes = [...FACTORS.map((factor) => factor * suggested), chosen].filter((size) => size >= 1);
  return [...new Set([1, ...sizes].map(round))]
    .filter((size) => size >= Math.min(suggested / 4, chosen))
    .sort((first, second) => first - second);
}

/** Times the sizes in ascending order. Wider cells may have candidates in proportion to their area (volume). */
export async function runCellSweep(request: CellSweepRequest): Promise<void> {
  const { sizes, dimensions, ended } = request;
  const timings: CellTiming[] = [];
  ended.catch(() => undefined);
  // Time the first size twice, because the first run compiles code.
  for (const size of [...sizes.slice(0, 1), ...sizes]) {
    const last = timings.at(-1);
    const expected = last ? last.milliseconds * (size / last.size) ** dimensions : 0;
    if (expected > STEP_LIMIT_MS) {
      request.onNote(
        `The sweep stops before ${formatReal(size)} diameters: a step could take ${formatMilliseconds(expected)}.`,
      );
      return;
    }
    request.onSize(size);
    await Promise.race([request.breathe(), ended]);
    try {
      const { timing, measured, clock } = await timeRun(
        request.start(size),
        request,
        async ({ measures }) => measures,
      );
      // Worlds that round sizes have the same cells for several sizes. Keep the least time.
      const same = timings.findIndex((earlier) => earlier.size === measured.size);
      const { milliseconds = Number.POSITIVE_INFINITY } = timings[same] ?? {};
      const least = Math.min(timing.milliseconds, milliseconds);
      timings.splice(same < 0 ? timings.length : same, 1, { ...measured, milliseconds: least });
      request.onTiming(
        [...timings].sort((first, second) => first.size - second.size),
        clock,
      );
    } catch (error) {
      // If the sweep has ended, throw its error instead.
      await Promise.race([ended, request.breathe()]);
      request.onNote(`${formatReal(size)} diameters: ${explain(error)}`);
      // Narrower cells may be too many for the device, but wider ones fit.
      if (!(error instanceof LimitError) && timings.length > 0) return;
    }
  }
}

/** Compares the fastest, the suggested and the chosen size. */
export function describeTimings(
  timings: readonly CellTiming[],
  suggested: number | undefined,
  chosen: number,
): string[] {
  const fastest = timings.reduce<CellTiming | undefined>(
    (best, timing) => (best && best.milliseconds <= timing.milliseconds ? best : timing),
    undefined,
  );
  if (!fastest) return [];
  const compare = (name: string, size: number | undefined) => {
    const timing = timings.find((one) => size !== undefined && Math.abs(one.size / size - 1) < 0.01);
    if (!timing || timing === fastest) return [];
    const times = formatTimes(timing.milliseconds / fastest.milliseconds);
    return [`${name}, ${formatReal(timing.size)}, takes ${times} times as long.`];
  };
  return [
    `The fastest size here is ${formatReal(fastest.size)}: ${formatMilliseconds(fastest.milliseconds)} per step.`,
    ...compare('The suggestion', suggested),
    ...(chosen === suggested ? [] : compare('Your size', chosen)),
  ];
}
