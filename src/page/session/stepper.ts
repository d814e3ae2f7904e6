/**
 * Decides when the run takes a step. A step applies the scene's drive and the tools. While the run plays, it takes 60
 * steps a second, or fewer on a slower screen. It also takes each step that the visitor requests. The run does not
 * play:
 *   - while a film takes the steps
 *   - while a sweep, which times other runs, holds it
 *   - while the GPU lags behind
 */
import { applyDrive } from '../../index';
import { STEP_SECONDS } from '../model/choices';
import { nextTask } from '../support/save';
import type { PointerTools } from '../tools/pointer-tools';
import { drivable, type Run } from '../view/engine';
import type { Session } from '../view/session';
import type { Restarts } from './restarts';

const STEP_MS = 1000 * STEP_SECONDS;
/** Frames are not punctual, so a step may come this many milliseconds early. */
const EARLY_MS = 3;
/** With this many pending submissions, a frame adds none. A frame submits a step and a picture, so two frames add 4. */
const MOST_PENDING = 4;
/** With steps longer than this, a frame adds submissions only if none is pending, so that the page reacts sooner. */
const SLOW_MS = 100;
const MOST_PENDING_SLOW = 1;

export class Stepper {
  isPlaying: boolean;
  /** True while the run waits for a sweep, which times other runs. */
  private isHeldStill = false;
  /** True while a film takes the steps. */
  private isTaken = false;
  /** The milliseconds that have passed but that no step has simulated yet. */
  private owed = 0;

  /** `isPaused`: the visitor or the URL paused the run. `isCalm`: the visitor's system asks for less motion. */
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

  /** Call when a run begins. */
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

  /**
   * Takes at most one step per frame, and skips frames that come faster than steps. Returns true if the run is playing.
   */
  play(run: Run, elapsed: number): boolean {
    const { isContinuing, isBusy } = this.restarts;
    // Long steps would delay a run that is being started.
    const isWaiting = isContinuing || this.isFilmed || (isSlow(run) && isBusy);
    if (!this.isPlaying || isWaiting) return false;
    this.owed = Math.min(this.owed + elapsed, 1.5 * STEP_MS);
    if (this.owed >= STEP_MS - EARLY_MS) {
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
    // Timing the stages of a step delays it, and a film needs the step at once.
    run.step(seconds, !this.isFilmed);
    this.session.particlesChanged.emit();
  }
}

function isSlow({ stepTime }: Run): boolean {
  return (stepTime?.milliseconds ?? 0) > SLOW_MS;
}
