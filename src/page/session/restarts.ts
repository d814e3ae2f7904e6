/**
 * Keeps the choices running: starts runs, one at a time, continues earlier states, replaces lost devices, and falls
 * back to other choices. Each loss is handled once. Every new run is shown or destroyed.
 */
import { GpuError, sizeRatioWarning } from '../../index';
import { capOf, changedFields, type Hardware, roomFor } from '../model/choices';
import { type ContinuedState, isSameStart, packContinued } from '../model/continued-state';
import { type Choices, fieldOf } from '../model/fields';
import { refuseOpened, type Selection, settingChanges, startCount } from '../model/opened';
import type { SeenBox } from '../model/seen-box';
import type { State } from '../model/simulation-view';
import { notify, showEngineNote } from '../support/notes';
import { nextTask } from '../support/save';
import { Signal } from '../support/signal';
import { whileWaiting } from '../support/waiting';
import { type Engine, explain, goOnFrom, type Run, seenOf, stateOf } from '../view/engine';
import type { Session } from '../view/session';
import { CPU_INSTEAD, Engines, hardwareOf, NoEngineError, type Openers, startFrom } from './engines';
import { fewerThan, moreUsual } from './fallback';
import type { History } from './history';
import { type Prepared, prepare } from './picture';

/** After one more loss, the CPU engine takes over. */
const MOST_LOSSES = 2;

export interface Shown extends Prepared {
  readonly engine: Engine;
  readonly run: Run;
  readonly isOtherEngine: boolean;
  readonly isOtherBox: boolean;
  readonly box: SeenBox;
  /** True if the run continues an earlier state. The history then keeps its states. */
  readonly hasPast: boolean;
}

export class Restarts {
  /** Emitted when a run is ready to be drawn. */
  readonly shown = new Signal<Shown>();
  /** Emitted when nothing runs any more. The next request tries again. */
  readonly stopped = new Signal();
  /** Emitted when changed settings have been applied to the run. */
  readonly adjusted = new Signal<Run>();
  private startedCount = 0;
  private wanted: Selection | undefined;
  private working: Promise<void> | undefined;
  readonly engines: Engines;
  /** State for the next run, after a device loss or for more room. */
  private continued: ContinuedState | undefined;
  /**
   * True while makeRoom() prepares a run. The present run then takes no steps, because the new one would repeat them.
   */
  isContinuing = false;
  /** Why something other than the choice starts. */
  private apology = '';
  /** Why the CPU replaces the GPU, and whether the next run must show this. */
  private whyForced = '';
  private isNoteDue = false;

  constructor(
    private readonly session: Session,
    private readonly history: History,
    openers: Openers,
    private readonly load: (choices: Selection) => Promise<void>,
  ) {
    this.engines = new Engines(openers, session, (engine, reason) => this.recover(engine, reason));
  }

  get isBusy(): boolean {
    return this.working !== undefined;
  }

  /** Resolves when all requests have been started or given up. */
  async settled(): Promise<void> {
    await this.working;
  }

  /** Follows a start in progress. */
  request(choices: Selection): void {
    this.wanted = choices;
    this.session.choicesChanged.emit();
    this.working ??= whileWaiting(this.work());
  }

  adjust(run: Run): void {
    const { session } = this;
    run.simulation.set(settingChanges(session.present, session.choices));
    session.running = session.choices;
    this.adjusted.emit(run);
    session.choicesChanged.emit();
    this.notifyAdvice();
  }

  /** Continues the state in a run with room for what the tool adds. */
  async makeRoom(): Promise<void> {
    const { run } = this.session;
    if (!run || this.isContinuing || this.working) return;
    this.isContinuing = true;
    let continued: ContinuedState | undefined;
    try {
      const checkpoint = await stateOf(run);
      if (run !== this.session.run || this.working) return;
      continued = this.continuedFrom(checkpoint);
      this.continued = continued;
      this.request(this.session.choices);
      await this.working;
    } catch (error) {
      notify(explain(error));
    } finally {
      this.isContinuing = false;
      // If the new run was refused, a later reset must start from the beginning.
      if (continued && this.continued === continued) this.continued = undefined;
    }
  }

  countOf(choices: Selection): number {
    return startCount(choices, hardwareOf(this.session.engine, choices));
  }

  get hardware(): Hardware {
    return hardwareOf(this.session.engine, this.session.choices);
  }

  private notifyAdvice(): void {
    const { choices, run } = this.session;
    const cap = capOf(choices, this.hardware);
    const isCapped = !choices.opened && cap !== undefined && choices.count > cap.most;
    const ratio = run && sizeRatioWarning(run.simulation)?.replace('`substeps`', 'Substeps');
    const note = [this.apology, isCapped ? cap.reason : '', ratio].filter(Boolean).join(' ');
    this.apology = '';
    if (note) notify(note);
  }

  private async work(): Promise<void> {
    while (this.wanted) {
      const choices = this.wanted;
      this.wanted = undefined;
      try {
        await this.restart(choices);
      } catch (error) {
        // Device loss is reported separately, in a later task.
        if (error instanceof GpuError && error.reason === 'lost') await nextTask();
        // A later request replaces the failed one.
        if (this.wanted) continue;
        this.wanted = this.fewer(choices, error);
        if (this.wanted) {
          this.session.choices = { ...this.wanted, ...this.chosenSince(choices) };
          continue;
        }
        const { run } = this.session;
        if (run) {
          this.stay(run, choices);
          notify(explain(error));
        } else {
          this.wanted = this.fallbackFor(choices, error);
          if (this.wanted) this.session.choices = this.wanted;
          else this.giveUp(error);
        }
        this.session.choicesChanged.emit();
      }
    }
    this.working = undefined;
  }

  /** Returns to the run's choices, and keeps later ones that it can adopt. */
  private stay(run: Run, refused: Selection): void {
    const { session } = this;
    const { running } = session;
    this.apology = '';
    if (!running) return;
    const since = this.chosenSince(refused);
    const both = { ...running, ...since };
    const cap = capOf(both, hardwareOf(this.session.engine, both));
    // Later choices may allow fewer particles than the run has.
    const isTooMuch = cap !== undefined && run.simulation.count > cap.most;
    session.choices = isTooMuch ? running : both;
    if (Object.keys(since).length > 0) this.adjust(run);
  }

  /** Choices since then that need no new start. */
  private chosenSince(asked: Selection): Partial<Choices> {
    const { choices } = this.session;
    const since = changedFields(asked, choices).filter((name) => fieldOf(name).effect !== 'start');
    return Object.fromEntries(since.map((name) => [name, choices[name]]));
  }

  /** Chooses fewer particles if the error says that the device has too little room. */
  private fewer(choices: Selection, error: unknown): Selection | undefined {
    // Fewer particles would replace the present run.
    const fewer = this.isContinuing ? undefined : fewerThan(choices, this.countOf(choices), error);
    if (fewer) this.apology = fewer.apology;
    return fewer?.choices;
  }

  /** Undefined if nothing is left to try. */
  private fallbackFor(choices: Selection, error: unknown): Selection | undefined {
    const usual = moreUsual(choices, error);
    if (usual) {
      this.apology = usual.apology;
      if (usual.choices) notify(this.apology);
      return usual.choices;
    }
    if (error instanceof NoEngineError) {
      // Do not return to a GPU that failed before.
      if (choices.engine === 'gpu' || this.session.isForced) return undefined;
      this.apology = `${explain(error)} The GPU runs the scene instead.`;
      return { ...choices, engine: 'gpu' };
    }
    if (choices.engine === 'cpu') return undefined;
    const { engines } = this;
    // The device was lost before the run was shown: try another.
    if (error instanceof GpuError && error.reason === 'lost' && ++engines.losses <= MOST_LOSSES)
      return choices;
    // The GPU failed before the first picture.
    this.force(explain(error), CPU_INSTEAD);
    return { ...choices, engine: 'cpu' };
  }

  /** The CPU engine replaces the GPU; `does` says what it does. */
  private force(why: string, does: string): void {
    this.session.isForced = true;
    this.whyForced = why;
    showEngineNote(`${why} ${does}`);
  }

  /** Keeps the continued state for the next attempt. */
  private giveUp(error: unknown): void {
    const { isForced } = this.session;
    this.apology = '';
    this.isNoteDue = isForced;
    if (isForced) showEngineNote(this.whyForced);
    this.stopped.emit();
    notify(`${explain(error)} Nothing runs now; Reset tries again.`);
  }

  private async restart(choices: Selection): Promise<void> {
    const { session } = this;
    const loading = this.load(choices);
    // Awaited below. Until then, its error must not count as unhandled.
    loading.catch(() => undefined);
    const engine = await this.engines.openFor(choices);
    let actual: Selection = { ...choices, engine: engine.kind };
    const tooMany = refuseOpened(actual, hardwareOf(engine, actual));
    if (tooMany !== undefined) {
      notify(`${tooMany} The scene starts instead.`);
      actual = { ...actual, opened: undefined };
    }
    const count = startCount(actual, hardwareOf(engine, actual));
    if (engine.kind !== choices.engine) session.isForced = true;
    const { continued } = this;
    // The state does not fit if this engine starts with fewer particles.
    const goesOn =
      continued !== undefined && isSameStart(continued.choices, actual) && continued.count === count;
    const start = await startFrom(actual, count).catch((error: unknown) => {
      if (engine !== session.engine) engine.destroy();
      throw error;
    });
    const { options, checkpoint, method, drive, note = '' } = start;
    const room = roomFor(
      { ...actual, most: capOf(actual, hardwareOf(engine, actual))?.most },
      options,
      goesOn ? continued.checkpoint : checkpoint,
      goesOn ? continued.room : undefined,
    );
    const started = await this.engines.start(engine, { ...options, ...room }, method);
    const { run } = started;
    try {
      const resumes = goesOn && this.resume(run, continued);
      if (checkpoint && !resumes) run.restore(checkpoint);
      await loading;
      // Preparing may take long, so a later request ends it. But a run that continues a state must stay: the later
      // request would start without that state.
      const isGivenUp = () => !goesOn && this.wanted && session.run && started.engine === session.engine;
      if (isGivenUp()) throw new Error('Something else was chosen.');
      const prepared = { ...(await prepare(run, actual)), box: await seenOf(run) };
      if (isGivenUp()) throw new Error('Something else was chosen.');
      if (this.engines.hasLost(started.engine)) throw new GpuError('lost', 'The GPU was lost.');
      this.show(started.engine, run, actual, prepared, resumes);
    } catch (error) {
      run.destroy();
      if (run === session.run) session.run = undefined;
      if (started.engine !== session.engine) started.engine.destroy();
      throw error;
    }
    session.running = actual;
    session.drive = drive;
    this.startedCount = count;
    if (this.continued === continued) this.continued = undefined;
    if (this.wanted) return;
    this.apology = [this.apology, note].filter(Boolean).join(' ');
    const hasChanged = changedFields(choices, session.choices).length > 0;
    session.choices = { ...session.choices, engine: actual.engine, opened: actual.opened };
    if (hasChanged) {
      this.adjust(run);
      return;
    }
    session.choicesChanged.emit();
    this.notifyAdvice();
  }

  private show(
    engine: Engine,
    run: Run,
    choices: Selection,
    prepared: Pick<Shown, keyof Prepared | 'box'>,
    hasPast: boolean,
  ): void {
    const { session } = this;
    const { running } = session;
    const isOtherEngine = engine !== session.engine;
    const isOtherBox =
      running?.scene !== choices.scene ||
      running.boxWidth !== choices.boxWidth ||
      running.opened !== choices.opened ||
      running.dimensions !== choices.dimensions;
    session.run?.destroy();
    session.run = run;
    if (isOtherEngine) {
      session.engine?.destroy();
      session.engine = engine;
    }
    if (this.isNoteDue) {
      this.isNoteDue = false;
      showEngineNote(session.isForced && engine.kind === 'cpu' ? `${this.whyForced} ${CPU_INSTEAD}` : '');
    }
    this.shown.emit({ ...prepared, engine, run, isOtherEngine, isOtherBox, hasPast });
  }

  private continuedFrom(checkpoint: State): ContinuedState | undefined {
    const { run, running } = this.session;
    return run && running && packContinued(run.simulation, running, this.startedCount, checkpoint);
  }

  /** False if the state does not fit the run. */
  private resume(run: Run, { checkpoint }: ContinuedState): boolean {
    try {
      goOnFrom(run, checkpoint);
      return true;
    } catch {
      notify('The previous state does not fit this engine, so the scene starts over.');
      return false;
    }
  }

  /**
   * Requests a run on another device or, after more than MOST_LOSSES, on the CPU engine. It goes on from the last state
   * that fits.
   */
  private recover(engine: Engine, reason: string): void {
    if (engine !== this.session.engine) return;
    const losses = ++this.engines.losses;
    const { session } = this;
    const { latest } = this.history;
    // makeRoom() may have packed a later state.
    const kept = latest && this.continuedFrom(latest);
    const isLater =
      this.isContinuing && this.continued && kept && this.continued.checkpoint.time > kept.checkpoint.time;
    if (kept && !isLater) this.continued = kept;
    const { continued } = this;
    const goesOn =
      continued !== undefined &&
      (losses <= MOST_LOSSES || this.countOf({ ...continued.choices, engine: 'cpu' }) === continued.count);
    const where =
      continued && goesOn ? `goes on from ${continued.checkpoint.time.toFixed(2)} s` : 'starts over';
    session.run = undefined;
    session.engine = undefined;
    const why = reason.trim().replace(/\.?$/, '.');
    if (losses <= MOST_LOSSES) {
      showEngineNote(`The GPU was lost (${why}) The scene ${where} on a new device.`);
    } else {
      session.choices = { ...session.choices, engine: 'cpu' };
      this.force(`The GPU was lost ${losses} times (${why})`, `The CPU engine takes over and ${where}.`);
    }
    this.request(this.session.choices);
  }
}
