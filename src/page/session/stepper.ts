/**
 * Purpose: when what runs takes a step: at the screen's pace while time passes, singly when one is asked for, none while
 * something else takes them (a film) or holds the run (a sweep), and none ahead of a GPU that does not keep up. A step is what
 * drives the scene, what tools do, and the run's own.
 */
import { applyDrive } from '../../scenes';
import { STEP_SECONDS } from '../model/choices';
import type { Choices } from '../model/fields';
import { nextTask } from '../support/save';
import type { Work } from '../tools/pointer-tools';
import { drivable, type Run } from '../view/engine';
import type { Restarts } from './restarts';

const STEP_MS = 1000 * STEP_SECONDS;
/** Screens are not punctual: a step may be taken this much early. */
const EARLY_MS = 3;
/** Submissions under way past which a frame waits: a step and a picture each for two frames. */
const MOST_PENDING = 4;
/** Where a step takes longer than so many milliseconds, none: what is chosen next is to be seen soon. */
const SLOW_MS = 100;
const MOST_PENDING_SLOW = 1;

/** Whose steps they are. */
export interface PaceSite {
  readonly run: Run | undefined;
  readonly choices: Choices;
  /** The state is another one. */
  changed(): void;
}

export class Pace {
  isPlaying: boolean;
  /** The run waits for a sweep on another one. */
  private isHeldStill = false;
  /** A film takes the steps. */
  private isTaken = false;
  /** Milliseconds that have passed, and no step for them. */
  private owed = 0;

  /** `isPaused`: by the visitor, or an address; `isCalm`: the system asks for less motion. */
  constructor(
    private readonly site: PaceSite,
    private readonly restarts: Pick<Restarts, 'drive' | 'isBusy' | 'isCarrying'>,
    private readonly work: Work,
    public isPaused: boolean,
    isCalm: boolean,
  ) {
    this.isPlaying = !isCalm && !isPaused;
  }

  get isHeld(): boolean {
    return this.isHeldStill;
  }

  get isFilmed(): boolean {
    return this.isTaken;
  }

  playOrPause(): void {
    this.isPlaying = !this.isPlaying;
    this.isPaused = !this.isPlaying;
    this.owed = 0;
  }

  /** Of a run that begins, nothing is owed. */
  begin(): void {
    this.owed = 0;
  }

  /** Holds the run until what is returned is called. */
  hold(): () => void {
    this.isHeldStill = true;
    return () => {
      this.isHeldStill = false;
    };
  }

  /** Steps are taken by a film, or not any more. */
  film(isFilmed: boolean): void {
    this.isTaken = isFilmed;
    this.owed = 0;
  }

  /** Whether the run can be given anything in this frame. */
  isReady(run: Run): boolean {
    return !this.isHeld && run.pending < (isSlow(run) ? MOST_PENDING_SLOW : MOST_PENDING);
  }

  /** Resolves when the GPU is not behind by much. */
  async caughtUp(): Promise<void> {
    while (this.site.run && this.site.run.pending >= MOST_PENDING) await nextTask();
  }

  /** At most one step a frame, and none where the screen is quicker than the steps are long. Returns whether time passes. */
  play(run: Run, elapsed: number): boolean {
    const { isCarrying, isBusy } = this.restarts;
    // Long steps would hold up what is to come instead.
    const isWaiting = isCarrying || this.isFilmed || (isSlow(run) && isBusy);
    if (!this.isPlaying || isWaiting) return false;
    this.owed = Math.min(this.owed + elapsed, 1.5 * STEP_MS);
    if (this.owed >= STEP_MS - EARLY_MS) {
      this.owed = Math.max(0, this.owed - STEP_MS);
      this.step(run);
    }
    return true;
  }

  step(run: Run): void {
    const { choices } = this.site;
    const seconds = STEP_SECONDS * choices.timeScale;
    this.work.beforeStep(run, seconds);
    // As the gravity that is chosen scales it.
    applyDrive(drivable(run), this.restarts.drive, choices.gravity);
    // A step that is timed by its stages is not done at once, and the film shows it.
    run.step(seconds, !this.isFilmed);
    this.site.changed();
  }
}

function isSlow({ stepTime }: Run): boolean {
  return (stepTime?.milliseconds ?? 0) > SLOW_MS;
}
