/** Measures how a step's time and the candidates depend on the size of cells, for the same particles. */
import { type Dimensions, LimitError } from '../../index';
import { formatMilliseconds, formatReal, formatTimes } from '../support/format';
import { type Clock, explain } from '../view/engine';
import { STEP_LIMIT_MS, type TimedRun, timeRun } from './sweep';

/** Sizes of cells, as multiples of the suggestion. */
const FACTORS = [0.25, 0.5, 0.71, 1, 1.41, 2, 2.83, 4, 8] as const;

/** Other work on the machine only adds time. So the sizes take turns in this many rounds, and the least time counts. */
const ROUNDS = 3;
/** Differences up to this share of the fastest size's least time are noise. */
const LEAST_NOISE = 0.05;

/** The time of a step with cells of one size. Sizes are in diameters of the smallest particle. */
export interface CellTiming {
  readonly size: number;
  /** Buckets if the world is unbounded. */
  readonly cells: number;
  readonly occupied: number;
  readonly fullest: number;
  readonly candidates: number;
  /** The least time of the rounds. */
  readonly milliseconds: number;
  readonly rounds: readonly number[];
}

export type CellMeasures = Omit<CellTiming, 'milliseconds' | 'rounds'>;

export interface CellSweepRequest {
  readonly sizes: readonly number[];
  readonly dimensions: Dimensions;
  start(size: number): Promise<TimedRun & { readonly measures: CellMeasures }>;
  /** Rejects if the engine is lost or the visitor cancels. */
  readonly ended: Promise<never>;
  /** Awaited between samples, so that the page stays responsive. */
  breathe(): Promise<unknown>;
  /** `round` counts from 1. */
  onSize(size: number, round: number, rounds: number): void;
  onTiming(timings: readonly CellTiming[], clock: Clock): void;
  onNote(note: string): void;
}

/** Returns ascending sizes, none below one diameter. `isRounded`: the world rounds sizes up to powers of two. */
export function sizesFor(suggested: number, chosen: number, isRounded: boolean): number[] {
  const round = (size: number) =>
    isRounded ? 2 ** Math.ceil(Math.log2(size) - 1e-9) : Number(size.toPrecision(3));
  const sizes = [...FACTORS.map((factor) => factor * suggested), chosen].filter((size) => size >= 1);
  return [...new Set([1, ...sizes].map(round))]
    .filter((size) => size >= Math.min(suggested / 4, chosen))
    .sort((first, second) => first - second);
}

/**
 * Times the sizes in ascending order. Stops before a size that could take too long, because candidates may grow with
 * the area or volume of a cell.
 */
export async function runCellSweep(request: CellSweepRequest): Promise<void> {
  const { dimensions, ended } = request;
  const timings: CellTiming[] = [];
  ended.catch(() => undefined);
  // The first run compiles code, so time its size again.
  let sizes = [...request.sizes.slice(0, 1), ...request.sizes];
  for (let round = 1; round <= ROUNDS; round++) {
    const timed: number[] = [];
    for (const size of sizes) {
      const last = timings.at(-1);
      const expected = round === 1 && last ? last.milliseconds * (size / last.size) ** dimensions : 0;
      if (expected > STEP_LIMIT_MS) {
        request.onNote(
          `The sweep stops before ${formatReal(size)} diameters: a step could take ${formatMilliseconds(expected)}.`,
        );
        break;
      }
      request.onSize(size, round, ROUNDS);
      await Promise.race([request.breathe(), ended]);
      try {
        const { timing, measured, clock } = await timeRun(
          request.start(size),
          request,
          async ({ measures }) => measures,
        );
        timed.push(size);
        // Later rounds give the same cells again, and so do several sizes if the world rounds them.
        const same = timings.findIndex((earlier) => earlier.size === measured.size);
        const rounds = [...(timings[same]?.rounds ?? []), timing.milliseconds];
        timings.splice(same < 0 ? timings.length : same, 1, {
          ...measured,
          milliseconds: Math.min(...rounds),
          rounds,
        });
        request.onTiming(
          [...timings].sort((first, second) => first.size - second.size),
          clock,
        );
      } catch (error) {
        // If the sweep has ended, throw its error instead.
        await Promise.race([ended, request.breathe()]);
        request.onNote(`${formatReal(size)} diameters: ${explain(error)}`);
        // After a LimitError go on: these cells are too many for the device, but wider ones may fit.
        if (!(error instanceof LimitError) && timings.length > 0) return;
      }
    }
    sizes = [...new Set(timed)];
  }
}

/** Compares the fastest, the suggested and the chosen size. Names all sizes within the noise of the fastest. */
export function describeTimings(
  timings: readonly CellTiming[],
  suggested: number | undefined,
  chosen: number,
): string[] {
  const [fastest, ...others] = timings.toSorted((first, second) => first.milliseconds - second.milliseconds);
  if (!fastest) return [];
  const isSize = (timing: CellTiming, size: number | undefined) =>
    size !== undefined && Math.abs(timing.size / size - 1) < 0.01;
  const nameOf = (timing: CellTiming) => {
    const isSuggested = isSize(timing, suggested);
    const name = isSuggested ? 'the suggestion' : isSize(timing, chosen) ? 'your size' : '';
    return name ? `${formatReal(timing.size)} (${name})` : formatReal(timing.size);
  };
  const close = others.filter((timing) => timing.milliseconds <= limitOfNoise(fastest));
  const compare = (name: string, size: number | undefined) => {
    const timing = others.find((one) => isSize(one, size) && !close.includes(one));
    if (!timing) return [];
    const times = formatTimes(timing.milliseconds / fastest.milliseconds);
    return [`${name}, ${formatReal(timing.size)}, takes ${times} times as long.`];
  };
  const time = formatMilliseconds(fastest.milliseconds);
  return [
    close.length === 0
      ? `The fastest size here is ${nameOf(fastest)}: ${time} per step.`
      : `The fastest sizes here are ${nameList([fastest, ...close].map(nameOf))}: ${time} per step. The difference between them is within the noise.`,
    ...compare('The suggestion', suggested),
    ...(chosen === suggested ? [] : compare('Your size', chosen)),
  ];
}

/** Returns a limit in milliseconds: sizes with least times up to this limit are as fast as the given, fastest size. */
function limitOfNoise({ rounds, milliseconds }: CellTiming): number {
  const sorted = rounds.toSorted((first, second) => first - second);
  return Math.max(sorted[sorted.length >> 1] ?? 0, (1 + LEAST_NOISE) * milliseconds);
}

function nameList(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
