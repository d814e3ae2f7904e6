/**
 * Takes steps: at most 60 a second while the run plays, and single ones that the visitor or a film requests. The run
 * does not play during an exact film or a sweep, or while the GPU lags behind.
 */
import { applyDrive } from '../../index';
import { STEP_SECONDS } from '../model/choices';
import { nextTask } from '../support/save';
import type { PointerTools } from '../tools/pointer-tools';
import { drivable, type Run } from '../view/engine';
import type { Session } from '../view/session';
import type { Restarts } from './restarts';

const STEP_MS = 1000 * STEP_SECONDS;
/** Frames are not punctual, so accept early steps. */
const EARLY_MS = 3;
/** If this many submissions are pending, a frame adds none. Otherwise it adds at most two: a step and a picture. */
const MOST_PENDING = 4;
/** If a step takes longer than this, a frame waits for all submissions, so that the page reacts sooner. */
const SLOW_MS = 100;
const MOST_PENDING_SLOW = 1;
/** While a worker has this many unanswered calls, it gets no further step. One step runs while the next waits. */
const MOST_AHEAD = 2;

export class Stepper {
  isPlaying: boolean;
  /** True while a sweep times other runs. */
  private isHeldStill = false;
  /** True while an exact film takes the steps. */
  private isTaken = false;
  /** Elapsed milliseconds that no step has simulated yet. */
  private owed = 0;

  /** `isPaused`: the visitor or the URL paused the run. `isCalm`: the system asks for less motion. */
  constructor(
    private readonly session: Session,
    private readonly restarts: Pick<Restarts, 'isBusy' | 'isContinuing'>,
    private readonly tools: PointerTools,
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

  begin(): void {
    this.owed = 0;
  }

  /** Holds the run until the returned function is called. */
  hold(): () => void {
    this.isHeldStill = true;
    return () => {
      this.isHeldStill = false;
    };
  }

  film(isFilmed: boolean): void {
    this.isTaken = isFilmed;
    this.owed = 0;
  }

  isReady(run: Run): boolean {
    return !this.isHeld && run.pending < (isSlow(run) ? MOST_PENDING_SLOW : MOST_PENDING);
  }

  async caughtUp(): Promise<void> {
    while ((this.session.run?.pending ?? 0) >= MOST_PENDING) await nextTask();
  }

  async answered(): Promise<void> {
    while ((this.session.run?.ahead ?? 0) > 0) await nextTask();
  }

  /** Takes at most one step. Returns whether the run is playing. */
  play(run: Run, elapsed: number): boolean {
    const { isContinuing, isBusy } = this.restarts;
    // Long steps would delay a run that is being started.
    const isWaiting = isContinuing || this.isFilmed || (isSlow(run) && isBusy);
    if (!this.isPlaying || isWaiting) return false;
    this.owed = Math.min(this.owed + elapsed, 1.5 * STEP_MS);
    if (this.owed >= STEP_MS - EARLY_MS && (run.ahead ?? 0) < MOST_AHEAD) {
      this.owed = Math.max(0, this.owed - STEP_MS);
      this.step(run);
    }
    return true;
  }

  step(run: Run): void {
    const { choices, drive } = this.session;
    const seconds = STEP_SECONDS * choices.timeScale;
    this.tools.beforeStep(run, seconds);
    applyDrive(drivable(run), drive, choices.gravity);
    // Timing the stages delays the step, but a film needs the step at once.
    run.step(seconds, !this.isFilmed);
    this.session.particlesChanged.emit();
  }
}

function isSlow({ stepTime }: Run): boolean {
  return (stepTime?.milliseconds ?? 0) > SLOW_MS;
}
