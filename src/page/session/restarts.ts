/**
 * Runs the choices on an engine: opens engines, starts one run at a time, and continues an earlier state where
 * possible. It replaces a device that is too small or lost. Without a GPU it opens the CPU engine and shows a note. If
 * the choices cannot run, it starts other choices. Every new run is shown or destroyed, and so is every engine opened
 * here.
 */
import { planSimulation } from '../../core/simulation/plan';
import { CellstormError, GpuError, type GpuRequest, LimitError, type SimulationOptions } from '../../index';
import { startFrom } from '../engines/methods/start';
import type { GpuKind } from '../model/automatic';
import { changedFields, roomFor } from '../model/choices';
import {
  adopted,
  type ContinuedState,
  isSameStart,
  needsRenewal,
  packContinued,
} from '../model/continued-state';
import { type Choices, fieldOf } from '../model/fields';
import { capOf, type Hardware, hardwareOf, refuseTooLarge } from '../model/limits';
import { refuseOpened, type Selection, settingChanges, startCount } from '../model/opened';
import type { SeenBox } from '../model/seen-box';
import type { MethodStart, State } from '../model/simulation-view';
import { notify, showEngineNote } from '../support/notes';
import { nextTask } from '../support/save';
import { Signal } from '../support/signal';
import { whileWaiting } from '../support/waiting';
import { type Engine, explain, explainMissingGpu, goOnFrom, type Run, seenOf, stateOf } from '../view/engine';
import type { Session } from '../view/session';
import { EngineChoice, onCpu } from './engine-choice';
import { fewerThan, moreUsual } from './fallback';
import type { History } from './history';
import { type Prepared, prepare } from './picture';

/** After more losses than this, the CPU engine takes over. */
const MOST_LOSSES = 2;

/** The page waits this long before it requests an adapter again. */
const ADAPTER_PAUSE_MS = 1000;
const CPU_INSTEAD = 'The CPU engine runs the scene instead.';

export interface Openers {
  look(): Promise<GpuKind>;
  gpu(request: GpuRequest): Promise<Engine>;
  cpu(): Promise<Engine>;
}

/** Thrown if the CPU engine could not be opened. */
class NoEngineError extends CellstormError {}

export interface Shown extends Prepared {
  readonly engine: Engine;
  readonly run: Run;
  readonly isOtherEngine: boolean;
  readonly isOtherBox: boolean;
  readonly box: SeenBox;
  /** True if the run continues an earlier state; the history then keeps its states. */
  readonly hasPast: boolean;
}

export class Restarts {
  /** Emitted when a run is ready to be drawn. */
  readonly shown = new Signal<Shown>();
  /** Emitted when nothing runs any more. */
  readonly stopped = new Signal();
  /** Emitted when changed settings have been applied to the run. */
  readonly adjusted = new Signal<Run>();
  /** Emitted if no GPU can be opened and none was lost before. */
  readonly gpuMissing = new Signal();
  private startedCount = 0;
  private wanted: Selection | undefined;
  private working: Promise<void> | undefined;
  losses = 0;
  private readonly gone = new WeakSet<Engine>();
  readonly engineChoice: EngineChoice;
  /** The next run goes on from this state, after a device loss, for more room, or with other cells. */
  private continued: ContinuedState | undefined;
  /** While makeRoom() prepares a run, the present run takes no steps: the new one would repeat them. */
  isContinuing = false;
  /** Says why something other than the choice starts; '' if the choice starts. */
  private apology = '';
  /** Says why the CPU replaces the GPU. If `isNoteDue`, the next run shows this. */
  private whyForced = '';
  private isNoteDue = false;

  constructor(
    private readonly session: Session,
    private readonly history: History,
    private readonly openers: Openers,
    private readonly load: (choices: Selection) => Promise<void>,
  ) {
    this.engineChoice = new EngineChoice(session, openers.look);
  }

  get isBusy(): boolean {
    return this.working !== undefined;
  }

  /** Resolves when every requested run is started or given up. */
  async settled(): Promise<void> {
    await this.working;
  }

  /** Starts a run with these choices, after any start in progress. */
  request(choices: Selection): void {
    this.wanted = choices;
    this.session.choicesChanged.emit();
    this.working ??= whileWaiting(this.work());
  }

  adjust(run: Run): void {
    const { session } = this;
    run.simulation.set(settingChanges(session.present, session.choices));
    session.running = adopted(session.present, session.choices);
    this.adjusted.emit(run);
    session.choicesChanged.emit();
    this.notifyAdvice();
  }

  /** Continues the present state in a run with the present choices and room for what the tool adds. */
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

  /** Continues the present state with the chosen cells, unless the present run has them. */
  async renew(): Promise<void> {
    while (this.working || this.isContinuing) {
      await this.working;
      await nextTask();
    }
    const { running, choices } = this.session;
    if (running && needsRenewal(running, choices)) await this.makeRoom();
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
    const warnings = run?.simulation.warnings.map((text) => text.replace('`substeps`', 'Substeps')) ?? [];
    const note = [this.apology, isCapped ? cap.reason : '', ...warnings].filter(Boolean).join(' ');
    this.apology = '';
    if (note) notify(note);
  }

  private async work(): Promise<void> {
    while (this.wanted) {
      let choices = this.wanted;
      this.wanted = undefined;
      try {
        // Load while the engine opens. `restart` handles an error.
        this.load(choices).catch(() => undefined);
        const engine = await this.openFor(choices);
        choices = await this.engineChoice.openScene(engine, choices, () => this.wanted !== undefined);
        await this.restart(engine, choices);
      } catch (caught) {
        const error = refuseTooLarge(caught, choices);
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

  /** Returns to the choices of the run, but keeps later choices that the run can adopt. */
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

  /** Returns the choices made since `asked` that a run can adopt. */
  private chosenSince(asked: Selection): Partial<Choices> {
    const { choices } = this.session;
    const since = changedFields(asked, adopted(asked, choices)).filter(
      (name) => fieldOf(name).effect !== 'start',
    );
    return Object.fromEntries(since.map((name) => [name, choices[name]]));
  }

  private fewer(choices: Selection, error: unknown): Selection | undefined {
    // A run that continues the present run must have all its particles.
    const isFixed = this.isContinuing || this.engineChoice.kind === 'cpu';
    const fewer = isFixed ? undefined : fewerThan(choices, this.countOf(choices), error);
    if (fewer) this.apology = fewer.apology;
    return fewer?.choices;
  }

  private fallbackFor(choices: Selection, error: unknown): Selection | undefined {
    const usual = moreUsual(choices, error);
    if (usual) {
      this.apology = usual.apology;
      if (usual.choices) notify(this.apology);
      return usual.choices;
    }
    if (error instanceof NoEngineError) {
      // Do not return to a GPU that failed before.
      if (this.engineChoice.kind === 'gpu' || this.session.isForced) return undefined;
      this.apology = `${explain(error)} The GPU runs the scene instead.`;
      return { ...choices, engine: 'gpu' };
    }
    if (this.engineChoice.kind === 'cpu') return undefined;
    // The device was lost before the run was shown: try again with another device.
    if (error instanceof GpuError && error.reason === 'lost' && ++this.losses <= MOST_LOSSES) return choices;
    this.force(explain(error), CPU_INSTEAD);
    return onCpu(choices);
  }

  /** `does` says what the CPU engine does instead. */
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

  private async restart(engine: Engine, choices: Selection): Promise<void> {
    const { session } = this;
    const loading = this.load(choices);
    // `loading` is awaited below; until then its error must not count as unhandled.
    loading.catch(() => undefined);
    let actual: Selection = choices.engine === 'auto' ? choices : { ...choices, engine: engine.kind };
    const tooMany = refuseOpened(actual, hardwareOf(engine, actual));
    if (tooMany !== undefined) {
      notify(`${tooMany} The scene starts instead.`);
      actual = { ...actual, opened: undefined };
    }
    const count = startCount(actual, hardwareOf(engine, actual));
    if (engine.kind !== this.engineChoice.kind) session.isForced = true;
    const { continued } = this;
    // If this engine starts with fewer particles, the state does not fit.
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
    const started = await this.startOn(engine, { ...options, ...room }, method);
    const { run } = started;
    try {
      const resumes = goesOn && (await this.resume(run, continued));
      if (checkpoint && !resumes) await run.restore(checkpoint);
      await loading;
      // A later request ends a long preparation, unless the run continues a state. Showing that run clears `continued`,
      // so that a later Reset starts from the beginning.
      const isGivenUp = () => !goesOn && this.wanted && session.run && started.engine === session.engine;
      if (isGivenUp()) throw new Error('Something else was chosen.');
      const prepared = { ...(await prepare(run, actual)), box: await seenOf(run) };
      if (isGivenUp()) throw new Error('Something else was chosen.');
      if (this.gone.has(started.engine)) throw new GpuError('lost', 'The GPU was lost.');
      this.show(started.engine, run, actual, prepared, resumes);
    } catch (error) {
      run.destroy();
      if (run === session.run) session.run = undefined;
      if (started.engine !== session.engine) started.engine.destroy();
      throw error;
    }
    session.running = actual;
    session.drive = drive;
    session.why = this.engineChoice.explain(choices, started.engine.kind);
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

  /** Returns the present engine if it suits the choices, otherwise a new one. Throws if none is large enough. */
  private async openFor(choices: Selection): Promise<Engine> {
    const present = this.session.engine;
    const kind = await this.engineChoice.decide(choices);
    if (!present || present.kind !== kind) return this.openNew(choices);
    const { dimensions } = choices;
    const count = startCount(choices, hardwareOf(present, choices));
    return present.holds(count) ? present : this.openGpu({ particles: count, dimensions });
  }

  /** Starts a run on this engine or, if its device is too small, on a new device with enough room. */
  private async startOn(
    engine: Engine,
    options: SimulationOptions,
    method: MethodStart | undefined,
  ): Promise<{ readonly engine: Engine; readonly run: Run }> {
    try {
      return { engine, run: await engine.start(options, method) };
    } catch (error) {
      if (engine !== this.session.engine) engine.destroy();
      if (!(error instanceof LimitError) || engine.kind === 'cpu') throw error;
    }
    const { dimensions, capacity, world } = planSimulation(options);
    const cells = Math.max(world.cellCount, method?.cells ?? 0);
    const larger = await this.openGpu({ particles: capacity, dimensions, cells });
    try {
      return { engine: larger, run: await larger.start(options, method) };
    } catch (further) {
      larger.destroy();
      throw further;
    }
  }

  private async openNew(choices: Selection): Promise<Engine> {
    if (this.engineChoice.kind === 'cpu') return this.openCpu();
    try {
      const particles = choices.opened ? startCount(choices, hardwareOf(undefined, choices)) : choices.count;
      const request = { particles, dimensions: choices.dimensions };
      if (this.losses === 0) return await this.openGpu(request);
      return await this.openGpu(request).catch(async (error: unknown) => {
        if (!(error instanceof GpuError) || error.reason !== 'no-adapter') throw error;
        // Browsers give no adapter for a while after a GPU process has died.
        await new Promise((done) => setTimeout(done, ADAPTER_PAUSE_MS));
        return this.openGpu(request);
      });
    } catch (error) {
      if (!(error instanceof GpuError)) throw error;
      // After a loss the browser may offer a GPU again later, so the GPU can still be chosen.
      const wasThere = this.losses > 0;
      const why = wasThere
        ? 'The GPU was lost, and no other GPU is available now.'
        : explainMissingGpu(error);
      showEngineNote(`${why} ${CPU_INSTEAD}`);
      if (!wasThere) this.gpuMissing.emit();
      try {
        return await this.openCpu();
      } catch (further) {
        showEngineNote(why);
        throw further;
      }
    }
  }

  private openCpu(): Promise<Engine> {
    return this.openers.cpu().catch((error: unknown) => {
      throw new NoEngineError(explain(error));
    });
  }

  private async openGpu(request: GpuRequest): Promise<Engine> {
    const engine = await this.openers.gpu(request);
    engine.lost.then((reason) => {
      this.gone.add(engine);
      this.recover(engine, reason);
    });
    return engine;
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
    const isOtherBox = (['scene', 'boxWidth', 'opened', 'dimensions', 'unbounded'] as const).some(
      (name) => running?.[name] !== choices[name],
    );
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

  /** Returns false if the state does not fit. */
  private async resume(run: Run, { checkpoint }: ContinuedState): Promise<boolean> {
    try {
      await goOnFrom(run, checkpoint);
      return true;
    } catch {
      notify('The previous state does not fit this engine, so the scene starts over.');
      return false;
    }
  }

  /** Requests a run on another device or, after MOST_LOSSES, on the CPU engine, from the last state if it fits. */
  private recover(engine: Engine, reason: string): void {
    if (engine !== this.session.engine) return;
    const losses = ++this.losses;
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
      session.choices = onCpu(session.choices);
      this.force(`The GPU was lost ${losses} times (${why})`, `The CPU engine takes over and ${where}.`);
    }
    this.request(this.session.choices);
  }
}
