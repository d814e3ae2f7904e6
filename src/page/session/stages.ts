/** Keeps the times of the stages in the last timed steps. */
import { formatCount, formatCountOf } from '../support/format';
import type { StepTime } from '../view/engine';

/** With a sample every INTERVAL_MS, these span half a minute. */
export const MOST_STAGE_SAMPLES = 60;
const INTERVAL_MS = 500;
/** Frames are not punctual, so accept early samples. */
const EARLY_MS = 20;

/** The only band if a step was timed as a whole. */
export const WHOLE_STEP = 'whole step';

/**
 * Data for uPlot. The first row numbers the samples. Each further row is for a stage: per sample, the milliseconds of
 * this stage plus those of all later stages.
 */
export type Stacked = readonly (readonly number[])[];

export class StageHistory {
  private samples: Readonly<Record<string, number>>[] = [];
  private taken: StepTime | undefined;
  private next = Number.NEGATIVE_INFINITY;
  private discarded = 0;

  /** Returns false if the step is not new or comes too soon. A discarded step is only counted. */
  add(stepTime: StepTime | undefined, now: number): boolean {
    if (!stepTime || stepTime === this.taken || now < this.next) return false;
    const { stages = {}, milliseconds, clock, discarded } = stepTime;
    if (this.taken?.clock !== clock) this.samples = [];
    this.taken = stepTime;
    this.next = now + INTERVAL_MS - EARLY_MS;
    if (discarded) {
      this.discarded++;
      return true;
    }
    const sample = Object.keys(stages).length > 0 ? stages : { [WHOLE_STEP]: milliseconds };
    if (!Object.keys(sample).some((name) => name in this.latest)) this.samples = [];
    this.samples.push(sample);
    if (this.samples.length > MOST_STAGE_SAMPLES) this.samples.shift();
    return true;
  }

  clear(): void {
    this.samples = [];
    this.taken = undefined;
    this.next = Number.NEGATIVE_INFINITY;
    this.discarded = 0;
  }

  /**
   * The rest of the sentence about the clock: dispatches per step and discarded steps. It begins with a semicolon, or
   * is empty.
   */
  get note(): string {
    const dispatches = this.taken?.dispatches;
    const counted = dispatches === undefined ? '' : `; ${formatCount(dispatches)} dispatches per step`;
    if (this.discarded === 0) return counted;
    return `${counted}; ${formatCountOf(this.discarded, 'step')} left out, because the clock ran backwards`;
  }

  get length(): number {
    return this.samples.length;
  }

  get latest(): Readonly<Record<string, number>> {
    return this.samples.at(-1) ?? {};
  }

  /** The names of the stages, in the order in which they run. */
  get names(): readonly string[] {
    const names = Object.keys(this.latest);
    for (const sample of this.samples) {
      let next = 0;
      for (const name of Object.keys(sample)) {
        const known = names.indexOf(name);
        if (known < 0) names.splice(next, 0, name);
        next = (known < 0 ? next : known) + 1;
      }
    }
    return names;
  }

  /** Numbers the samples up to 0, the newest. A single sample appears twice, so that its bands have a width. */
  stacked(): Stacked {
    const { names } = this;
    const samples = this.samples.length === 1 ? [this.latest, this.latest] : this.samples;
    const sums = samples.map(() => 0);
    const bands = names.toReversed().map((name) =>
      samples.map((sample, index) => {
        sums[index] = (sums[index] ?? 0) + (sample[name] ?? 0);
        return sums[index] ?? 0;
      }),
    );
    return [samples.map((_, index) => index + 1 - samples.length), ...bands.reverse()];
  }
}
