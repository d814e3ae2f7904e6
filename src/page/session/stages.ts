/**
 * The last timed steps, stage by stage: what the live plot is drawn from. Pure.
 */

import { formatCountOf } from '../support/format';
import type { StepTime } from '../view/engine';

/** Samples that are kept, and milliseconds between two at least: half a minute in all. */
export const MOST_STAGE_SAMPLES = 60;
const INTERVAL_MS = 500;
/** Frames come a little early. */
const EARLY_MS = 20;

/** The one band of a step that was timed as a whole. */
export const WHOLE_STEP = 'whole step';

/** What each stage is for. */
export const STAGE_HINTS: Readonly<Record<string, string>> = {
  integrate: 'Moves everybody and finds the cell of each',
  ccd: 'Follows the paths of fast particles to their first hit',
  count: 'Counts the particles of each cell',
  finer: 'Files small particles with the larger cells around them',
  scan: 'Adds up the counts: where each cell begins',
  scatter: 'Puts ids into their cells',
  crowd: 'Sorts cells that are crowded',
  gather: 'Brings all state into the order of the cells',
  heavy: 'Finds who has too many candidates for one thread',
  sort: 'Brings all state into the order of the cells',
  partner: 'Tests candidates for the fastest contact of each, which bounces',
  resolve: 'Tests candidates and pushes those apart that overlap',
  transfer: 'Gathers velocities from the particles around each face',
  cells: 'Finds out which cells are full, empty or solid',
  faces: 'Gravity, and what solids allow',
  pressure: 'Solves for the pressure that leaves no divergence',
  extrapolate: 'Continues velocities beyond the surface',
  particles: 'Brings velocities back to particles and moves them',
  separate: 'Pushes those apart that are too near',
  energy: 'Takes from velocities and heights what energy would have grown by',
  drain: 'Sets aside what is in a drain',
  [WHOLE_STEP]: 'This engine does not time its stages',
};

/** uPlot's form: numbers of samples, then for each stage in their order what it and those after it take in all. */
export type Stacked = readonly (readonly number[])[];

export class StageHistory {
  private samples: Readonly<Record<string, number>>[] = [];
  private taken: StepTime | undefined;
  private next = Number.NEGATIVE_INFINITY;
  private discarded = 0;

  /** Returns whether the step was a new one. It is kept unless some of its time is missing. */
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

  /** What follows how steps are timed: how many were not kept; '' where all were. */
  get note(): string {
    return this.discarded === 0
      ? ''
      : `; ${formatCountOf(this.discarded, 'step')} left out, in which its clock ran backwards`;
  }

  get length(): number {
    return this.samples.length;
  }

  /** Of the last step. */
  get latest(): Readonly<Record<string, number>> {
    return this.samples.at(-1) ?? {};
  }

  /** Of any step that is kept, in the order that they are done in. */
  get names(): readonly string[] {
    const names = Object.keys(this.latest);
    for (const sample of this.samples) {
      let place = 0;
      for (const name of Object.keys(sample)) {
        const known = names.indexOf(name);
        if (known < 0) names.splice(place, 0, name);
        place = (known < 0 ? place : known) + 1;
      }
    }
    return names;
  }

  /** The newest sample is at 0, those before it at −1, −2 …; a single one is at both ends, lest its bands have no width. */
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
