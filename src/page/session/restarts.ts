/**
 * Purpose: keeps an engine running what is chosen: starts over one request at a time, goes on with a state where it can, puts
 * another device in the place of a lost one, and starts something else where what is chosen cannot be. Inputs: the page's
 * choices and the last state that it kept. Outputs: the run and its engine, and notes that say what was not as chosen.
 * Guarantee: of an engine a loss is dealt with once, whatever was under way; a run is shown when it is ready, or destroyed. One
 * in whose place something else was chosen before it was ready is given up, where something runs that can be seen meanwhile.
 */
import { GpuError } from '../../core/base/errors';
import type { Drive } from '../../scenes';
import { startFrom } from '../engines/methods/start';
import type { State } from '../model/body';
import { type Carried, carry, isSameStart } from '../model/carried';
import { capOf, changedFields, type Hardware, roomFor } from '../model/choices';
import { type Choices, fieldOf } from '../model/fields';
import { type Chosen, refuseOpened, settingChanges, startCount } from '../model/opened';
import type { SeenBox } from '../model/seen-box';
import { nextTask } from '../support/save';
import { whileWaiting } from '../support/waiting';
import { type Engine, explain, type Run, stateOf } from '../view/engine';
import {
  CPU_INSTEAD,
  type EngineOwner,
  type EngineSite,
  Engines,
  hardwareOf,
  NoEngineError,
  type Openers,
} from './engines';
import { fewerThan, moreUsual } from './fallback';
import { goOnFrom, type Prepared, prepare, seenOf } from './prepare';

/** Lost devices replaced before the page turns to the CPU. */
const MOST_LOSSES = 2;

/** A run that is to be seen from now on. */
export interface Shown extends Prepared {
  readonly engine: Engine;
  readonly run: Run;
  /** Another engine than before, another box, other dimensions. */
  readonly isOtherEngine: boolean;
  readonly isOtherBox: boolean;
  /** What there is to be seen of it. */
  readonly box: SeenBox;
  /** Whether states from before may be gone back to. */
  readonly hasPast: boolean;
}

/** What restarts need of the page. */
export interface RestartSite extends EngineSite {
  /** What is to run; where that cannot be, what runs instead is put in. */
  choices: Chosen;
  /** The last state that was kept. */
  readonly latest: State | undefined;
  /** Loads what the page looks and works at such a run with; to be awaited before it is shown. */
  prepareFor(choices: Chosen): Promise<void>;
  show(shown: Shown): void;
  /** Nothing runs, until something is asked for again. */
  showNothing(): void;
  /** The present run is to take changes that came while it was made. */
  adjust(run: Run): void;
  showChoices(): void;
  notify(text: string): void;
}

export class Restarts implements EngineOwner {
  run: Run | undefined;
  engine: Engine | undefined;
  /** What changes in the present run as time passes. */
  drive: Drive | undefined;
  /** What the present run was started with and has taken since, and with how many particles it began. */
  private running: Chosen | undefined;
  private startedCount = 0;
  private wanted: Chosen | undefined;
  private working: Promise<void> | undefined;
  private readonly engines: Engines;
  /** What the next run goes on from: what a lost device held, or what needs more room. */
  private carried: Carried | undefined;
  /** Time stands still until another run has taken over, so that nothing happens twice. */
  isCarrying = false;
  /** Why something else starts than what was asked for. */
  private apology = '';
  /** The CPU runs though the GPU was chosen: a link is for whoever has one. */
  isForced = false;
  /** Why it does, and whether that is still to be said: of an engine that did not come it was not. */
  private whyForced = '';
  private isNoteDue = false;

  constructor(
    private readonly site: RestartSite,
    openers: Openers,
  ) {
    this.engines = new Engines(site, openers, this);
  }

  /** Devices lost so far. */
  get losses(): number {
    return this.engines.losses;
  }

  /** What runs, as it was chosen, whatever is being started; before anything runs what is to. */
  get present(): Chosen {
    return this.running ?? this.site.choices;
  }

  /** Something is being started. */
  get isBusy(): boolean {
    return this.working !== undefined;
  }

  /** Resolves when what was asked for runs, or nothing can. */
  async settled(): Promise<void> {
    await this.working;
  }

  /** Starts over with these choices, once what is under way is done. */
  request(choices: Chosen): void {
    this.wanted = choices;
    this.site.showChoices();
    this.working ??= whileWaiting(this.work());
  }

  /** Settings that the present run takes. */
  adjust(run: Run): void {
    const { choices } = this.site;
    run.simulation.set(settingChanges(this.running ?? choices, choices));
    this.running = choices;
  }

  /** The same state in a run with room for what the chosen tool adds. */
  async makeRoom(): Promise<void> {
    const { run } = this;
    if (!run || this.isCarrying || this.working) return;
    this.isCarrying = true;
    let carried: Carried | undefined;
    try {
      const checkpoint = await stateOf(run);
      if (run !== this.run || this.working) return;
      carried = this.carryOn(checkpoint);
      this.carried = carried;
      this.request(this.site.choices);
      await this.working;
    } catch (error) {
      this.site.notify(explain(error));
    } finally {
      this.isCarrying = false;
      // Refused: what still runs goes its own way, and a reset is a reset.
      if (carried && this.carried === carried) this.carried = undefined;
    }
  }

  /** Particles at the start. */
  countOf(choices: Chosen): number {
    return startCount(choices, hardwareOf(this.engine, choices));
  }

  get hardware(): Hardware {
    return hardwareOf(this.engine, this.site.choices);
  }

  /** What is not as it was chosen. */
  notifyCap(): void {
    const { choices } = this.site;
    const cap = capOf(choices, this.hardware);
    const isCapped = !choices.opened && cap !== undefined && choices.count > cap.most;
    const note = [this.apology, isCapped ? cap.reason : ''].filter(Boolean).join(' ');
    this.apology = '';
    if (note) this.site.notify(note);
  }

  private async work(): Promise<void> {
    while (this.wanted) {
      const choices = this.wanted;
      this.wanted = undefined;
      try {
        await this.restart(choices);
      } catch (error) {
        // Word of a loss comes by another way than the error.
        if (error instanceof GpuError && error.reason === 'lost') await nextTask();
        // What was chosen or lost meanwhile says more.
        if (this.wanted) continue;
        this.wanted = this.fewer(choices, error);
        if (this.wanted) {
          this.site.choices = { ...this.wanted, ...this.chosenSince(choices) };
          continue;
        }
        if (this.run) {
          this.stay(this.run, choices);
          this.site.notify(explain(error));
        } else {
          this.wanted = this.instead(choices, error);
          if (this.wanted) this.site.choices = this.wanted;
          else this.giveUp(error);
        }
        this.site.showChoices();
      }
    }
    this.working = undefined;
  }

  /** What runs is chosen again, with what was chosen since where it goes with it. */
  private stay(run: Run, refused: Chosen): void {
    const { site, running } = this;
    this.apology = '';
    if (!running) return;
    const since = this.chosenSince(refused);
    const both = { ...running, ...since };
    const cap = capOf(both, hardwareOf(this.engine, both));
    // What goes with few particles of the one scene may not go with many of the other.
    const isTooMuch = cap !== undefined && run.simulation.count > cap.most;
    site.choices = isTooMuch ? running : both;
    if (Object.keys(since).length > 0) site.adjust(run);
  }

  /** What was chosen after this was asked for, and goes with whatever runs. */
  private chosenSince(asked: Chosen): Partial<Choices> {
    const { choices } = this.site;
    const since = changedFields(asked, choices).filter((name) => fieldOf(name).effect !== 'start');
    return Object.fromEntries(since.map((name) => [name, choices[name]]));
  }

  /** As many as fit the device, where that is why it refused. */
  private fewer(choices: Chosen, error: unknown): Chosen | undefined {
    // What runs is worth more than room for others.
    const fewer = this.isCarrying ? undefined : fewerThan(choices, this.countOf(choices), error);
    if (fewer) this.apology = fewer.apology;
    return fewer?.choices;
  }

  /** What to start where nothing runs that one could go back to; undefined where nothing is left. */
  private instead(choices: Chosen, error: unknown): Chosen | undefined {
    const usual = moreUsual(choices, error);
    if (usual) {
      this.apology = usual.apology;
      if (usual.choices) this.site.notify(this.apology);
      return usual.choices;
    }
    if (error instanceof NoEngineError) {
      // A GPU that was left for the CPU is not gone back to.
      if (choices.engine === 'gpu' || this.isForced) return undefined;
      this.apology = `${explain(error)} The GPU runs the scene instead.`;
      return { ...choices, engine: 'gpu' };
    }
    if (choices.engine === 'cpu') return undefined;
    const { engines } = this;
    // Lost before it was shown.
    if (error instanceof GpuError && error.reason === 'lost' && ++engines.losses <= MOST_LOSSES)
      return choices;
    // A GPU that fails at the first picture is as good as none.
    this.force(explain(error), CPU_INSTEAD);
    return { ...choices, engine: 'cpu' };
  }

  /** The CPU is to run from now on; what it does is said as long as it comes. */
  private force(why: string, does: string): void {
    this.isForced = true;
    this.whyForced = why;
    this.site.showEngineNote(`${why} ${does}`);
  }

  /** Nothing is left to be tried: that is said, and how to try again. A state that was to go on still may. */
  private giveUp(error: unknown): void {
    const { site } = this;
    this.apology = '';
    this.isNoteDue = this.isForced;
    if (this.isForced) site.showEngineNote(this.whyForced);
    site.showNothing();
    site.notify(`${explain(error)} Nothing runs now; Reset tries again.`);
  }

  private async restart(choices: Chosen): Promise<void> {
    const { site } = this;
    const seeing = site.prepareFor(choices);
    // What fails while an engine is opened is dealt with below.
    seeing.catch(() => undefined);
    const engine = await this.engines.openFor(choices);
    let actual: Chosen = { ...choices, engine: engine.kind };
    const tooMany = refuseOpened(actual, hardwareOf(engine, actual));
    if (tooMany !== undefined) {
      site.notify(`${tooMany} The scene comes instead.`);
      actual = { ...actual, opened: undefined };
    }
    const count = startCount(actual, hardwareOf(engine, actual));
    if (engine.kind !== choices.engine) this.isForced = true;
    const { carried } = this;
    // The engine may be for fewer particles, in a smaller box.
    const goesOn = carried !== undefined && isSameStart(carried.choices, actual) && carried.count === count;
    const start = await startFrom(actual, count).catch((error: unknown) => {
      if (engine !== this.engine) engine.destroy();
      throw error;
    });
    const { options, checkpoint, method, drive, note = '' } = start;
    const room = roomFor(
      { ...actual, most: capOf(actual, hardwareOf(engine, actual))?.most },
      options,
      goesOn ? carried.checkpoint : checkpoint,
      goesOn ? carried.room : undefined,
    );
    const started = await this.engines.start(engine, { ...options, ...room }, method);
    const { run } = started;
    try {
      const resumes = goesOn && this.resume(run, carried);
      if (checkpoint && !resumes) run.restore(checkpoint);
      await seeing;
      // What it would be looked at with may take long to be made. A state that goes on is taken over first: a reset is a reset.
      const isGivenUp = () => !goesOn && this.wanted && this.run && started.engine === this.engine;
      if (isGivenUp()) throw new Error('Something else was chosen.');
      const prepared = { ...(await prepare(run, actual)), box: await seenOf(run) };
      if (isGivenUp()) throw new Error('Something else was chosen.');
      if (this.engines.hasLost(started.engine)) throw new GpuError('lost', 'The GPU was lost.');
      this.show(started.engine, run, actual, prepared, resumes);
    } catch (error) {
      run.destroy();
      // Of one that could not be shown the one before is gone.
      if (run === this.run) this.run = undefined;
      if (started.engine !== this.engine) started.engine.destroy();
      throw error;
    }
    this.running = actual;
    this.drive = drive;
    this.startedCount = count;
    if (this.carried === carried) this.carried = undefined;
    if (this.wanted) return;
    this.apology = [this.apology, note].filter(Boolean).join(' ');
    const hasChanged = changedFields(choices, site.choices).length > 0;
    site.choices = { ...site.choices, engine: actual.engine, opened: actual.opened };
    if (hasChanged) {
      site.adjust(run);
      return;
    }
    site.showChoices();
    this.notifyCap();
  }

  private show(
    engine: Engine,
    run: Run,
    choices: Chosen,
    prepared: Pick<Shown, keyof Prepared | 'box'>,
    hasPast: boolean,
  ): void {
    const { running } = this;
    const isOtherEngine = engine !== this.engine;
    const isOtherBox =
      running?.scene !== choices.scene ||
      running.boxWidth !== choices.boxWidth ||
      running.opened !== choices.opened ||
      running.dimensions !== choices.dimensions;
    this.run?.destroy();
    this.run = run;
    if (isOtherEngine) {
      this.engine?.destroy();
      this.engine = engine;
    }
    if (this.isNoteDue) {
      this.isNoteDue = false;
      this.site.showEngineNote(
        this.isForced && engine.kind === 'cpu' ? `${this.whyForced} ${CPU_INSTEAD}` : '',
      );
    }
    this.site.show({ ...prepared, engine, run, isOtherEngine, isOtherBox, hasPast });
  }

  /** A state of the present run, for one that takes its place. */
  private carryOn(checkpoint: State): Carried | undefined {
    const { run, running, startedCount } = this;
    return run && running && carry(run.simulation, running, startedCount, checkpoint);
  }

  /** Goes on from a state, if that can be. */
  private resume(run: Run, { checkpoint }: Carried): boolean {
    try {
      goOnFrom(run, checkpoint);
      return true;
    } catch {
      this.site.notify('What ran before does not fit this engine, so the scene starts over.');
      return false;
    }
  }

  /** After a loss: another device, and after some losses the CPU, from the last state that was kept. */
  recover(engine: Engine, reason: string): void {
    if (engine !== this.engine) return;
    const losses = ++this.engines.losses;
    const { latest } = this.site;
    // Lost before anything was kept, or while a later state was on its way to a run with more room: still what was carried.
    const kept = latest && this.carryOn(latest);
    const isLater =
      this.isCarrying && this.carried && kept && this.carried.checkpoint.time > kept.checkpoint.time;
    if (kept && !isLater) this.carried = kept;
    const { carried } = this;
    const goesOn =
      carried !== undefined &&
      (losses <= MOST_LOSSES || this.countOf({ ...carried.choices, engine: 'cpu' }) === carried.count);
    const where = carried && goesOn ? `goes on from ${carried.checkpoint.time.toFixed(2)} s` : 'starts over';
    this.run = undefined;
    this.engine = undefined;
    const why = reason.trim().replace(/\.?$/, '.');
    if (losses <= MOST_LOSSES) {
      this.site.showEngineNote(`The GPU was lost (${why}) The scene ${where} on a new device.`);
    } else {
      this.site.choices = { ...this.site.choices, engine: 'cpu' };
      this.force(`The GPU was lost ${losses} times (${why})`, `The CPU engine takes over and ${where}.`);
    }
    this.request(this.site.choices);
  }
}
