/**
 * Purpose: keeps an engine running what is chosen: starts over one request at a time, goes on with a state where it can, puts
 * another device in the place of a lost one, and starts something else where what is chosen cannot be. Inputs: the page's
 * choices and the last state that it kept. Outputs: the run and its engine, and notes that say what was not as chosen.
 * Guarantee: of an engine a loss is dealt with once, whatever was under way; a run is shown when it is ready, or destroyed.
 */
import { ArgumentError, GpuError, LimitError } from '../core/errors';
import { planSimulation, type SimulationOptions } from '../core/simulation';
import type { GpuRequest } from '../gpu/device';
import type { Drive } from '../scenes';
import type { MethodStart, State } from './body';
import { capOf, changedFields, defaultChoices, type Hardware, roomFor } from './choices';
import { type Scale, scaleFor } from './colour';
import { type Engine, explain, explainMissingGpu, type Run } from './engine';
import { type Choices, FEWEST_PARTICLES, fieldOf, MOST_PARTICLES } from './fields';
import { formatCount } from './format';
import { methodOf } from './methods/list';
import { startFrom } from './methods/start';
import { type Chosen, refuseOpened, settingChanges, startCount } from './opened';
import { nextTask } from './save';
import { boxAround, type SeenBox, worldBox } from './seen-box';
import { isUnloaded } from './unloaded';

/** Lost devices replaced before the page turns to the CPU. */
const MOST_LOSSES = 2;
/** Before an adapter is asked for again. */
const ADAPTER_PAUSE_MS = 1000;
/** Of a number of particles that was refused, so that not many more are. */
const MOST_OF_REFUSED = 0.99;
const CPU_INSTEAD = 'The CPU engine runs the same collisions instead.';

/** How engines are opened. */
export interface Openers {
  gpu(request: GpuRequest): Promise<Engine>;
  cpu(): Promise<Engine>;
}

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
export interface RestartSite {
  /** What is to run; where that cannot be, what runs instead is put in. */
  choices: Chosen;
  /** The last state that was kept. */
  readonly latest: State | undefined;
  /** Loads what the page looks and works at such a run with; to be awaited before it is shown. */
  prepareFor(choices: Chosen): Promise<void>;
  show(shown: Shown): void;
  /** The present run is to take changes that came while it was made. */
  adjust(run: Run): void;
  showChoices(): void;
  notify(text: string): void;
  /** Why the chosen engine is not the one that running. */
  showEngineNote(text: string): void;
  setGpuAvailable(isAvailable: boolean): void;
}

/** A state that another run goes on from. */
interface Carried {
  readonly choices: Chosen;
  /** Particles that its run was started with. */
  readonly count: number;
  readonly checkpoint: State;
  readonly births: Float32Array;
  /** What its run had room for, and states from before may need. */
  readonly room: { readonly capacity: number; readonly obstacleCapacity: number };
  /** Whether states from before may be gone back to. */
  readonly hasPast: boolean;
}

export class Restarts {
  run: Run | undefined;
  engine: Engine | undefined;
  /** What changes in the present run as time passes. */
  drive: Drive | undefined;
  /** What the present run was started with and has taken since, and with how many particles it began. */
  private running: Chosen | undefined;
  private startedCount = 0;
  private wanted: Chosen | undefined;
  private working: Promise<void> | undefined;
  /** Devices lost so far, and engines that had one. */
  losses = 0;
  private readonly gone = new WeakSet<Engine>();
  /** What the next run goes on from: what a lost device held, or what needs more room. */
  private carried: Carried | undefined;
  /** Time stands still until another run has taken over, so that nothing happens twice. */
  isCarrying = false;
  /** Why something else starts than what was asked for. */
  private apology = '';
  /** The CPU runs though the GPU was chosen: a link is for whoever has one. */
  isForced = false;

  constructor(
    private readonly site: RestartSite,
    private readonly openers: Openers,
  ) {}

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
    this.working ??= this.work();
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
      const checkpoint = await run.simulation.checkpoint();
      if (run !== this.run || this.working) return;
      carried = this.carry(checkpoint);
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
          // It is said, and no word about what is asked for next.
          else this.apology = '';
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
    if (this.isCarrying) return undefined;
    const tried = this.countOf(choices);
    const isMemory = error instanceof GpuError && error.reason === 'memory';
    // How much memory there is nobody says.
    const isLattice = error instanceof LimitError && methodOf(choices) !== 'collisions';
    const half = isMemory || isLattice ? tried >> 1 : undefined;
    const fits = error instanceof LimitError ? (error.fits ?? half) : half;
    if (fits === undefined || fits < FEWEST_PARTICLES || choices.opened || choices.engine === 'cpu')
      return undefined;
    const count = Math.min(fits, Math.floor(MOST_OF_REFUSED * tried));
    const ending = error instanceof LimitError ? `by its ${error.limit}` : 'by its memory';
    this.apology = `This device does not hold ${formatCount(tried)} particles of this scene: ${ending}, ${formatCount(count)} fit.`;
    return { ...choices, count };
  }

  /** What to start where nothing runs that one could go back to; undefined where nothing is left. */
  private instead(choices: Chosen, error: unknown): Chosen | undefined {
    if (error instanceof ArgumentError || isUnloaded(error)) {
      // Values that each can be, but not together: more and more of them as they usually are.
      const { scene, dimensions, engine, appearance } = choices;
      const usual = { ...defaultChoices(scene, dimensions), engine, appearance };
      const { size, spread, boxWidth } = usual;
      const next = [
        { ...choices, size, spread, boxWidth, opened: undefined },
        usual,
        { ...defaultChoices(), engine, appearance },
        // Where the CPU engine is what did not come.
        { ...defaultChoices(), appearance },
      ].find((one) => choices.opened || changedFields(one, choices).length > 0);
      this.apology = `${explain(error)}${next ? ' The scene starts with more usual settings instead.' : ''}`;
      this.site.notify(this.apology);
      return next;
    }
    if (choices.engine === 'cpu') {
      this.site.notify(explain(error));
      return undefined;
    }
    // Lost before it was shown.
    if (error instanceof GpuError && error.reason === 'lost' && ++this.losses <= MOST_LOSSES) return choices;
    // A GPU that fails at the first picture is as good as none.
    this.site.showEngineNote(`${explain(error)} ${CPU_INSTEAD}`);
    this.isForced = true;
    return { ...choices, engine: 'cpu' };
  }

  private async restart(choices: Chosen): Promise<void> {
    const { site } = this;
    const seeing = site.prepareFor(choices);
    // What fails while an engine is opened is dealt with below.
    seeing.catch(() => undefined);
    const engine = await this.engineFor(choices);
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
    const started = await this.startOn(engine, { ...options, ...room }, method);
    const { run } = started;
    try {
      const resumes = goesOn && this.resume(run, carried);
      if (checkpoint && !resumes) run.restore(checkpoint);
      await seeing;
      const prepared = { ...(await prepare(run, actual)), box: await seenOf(run) };
      if (this.gone.has(started.engine)) throw new GpuError('lost', 'The GPU was lost.');
      this.show(started.engine, run, actual, prepared, resumes && carried.hasPast);
    } catch (error) {
      run.destroy();
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
    this.site.show({ ...prepared, engine, run, isOtherEngine, isOtherBox, hasPast });
  }

  /** The present engine where it serves, else a new one; too much for the GPU throws before anything is made. */
  private async engineFor(choices: Chosen): Promise<Engine> {
    const { engine } = this;
    if (!engine || engine.kind !== choices.engine) return this.openEngine(choices);
    const { dimensions } = choices;
    const count = startCount(choices, hardwareOf(engine, choices));
    return engine.holds(count) ? engine : this.openGpu({ particles: count, dimensions });
  }

  private async openEngine(choices: Chosen): Promise<Engine> {
    if (choices.engine === 'cpu') return this.openers.cpu();
    try {
      const particles = choices.opened ? startCount(choices, hardwareOf(undefined, choices)) : choices.count;
      const request = { particles, dimensions: choices.dimensions };
      if (this.losses === 0) return await this.openGpu(request);
      return await this.openGpu(request).catch(async (error: unknown) => {
        if (!(error instanceof GpuError) || error.reason !== 'no-adapter') throw error;
        // Browsers give none for a while after a GPU process has died.
        await new Promise((done) => setTimeout(done, ADAPTER_PAUSE_MS));
        return this.openGpu(request);
      });
    } catch (error) {
      if (!(error instanceof GpuError)) throw error;
      // A browser whose GPU process has just died may have one again: the choice stays, and can be made once more.
      const wasThere = this.losses > 0;
      const why = wasThere ? 'The GPU was lost and no other one can be had now.' : explainMissingGpu(error);
      this.site.showEngineNote(`${why} ${CPU_INSTEAD}`);
      if (!wasThere) this.site.setGpuAvailable(false);
      try {
        return await this.openers.cpu();
      } catch (further) {
        // It does not run, either.
        this.site.showEngineNote(why);
        throw further;
      }
    }
  }

  /** A device that is looked after from now on, shown or not. */
  private async openGpu(request: GpuRequest): Promise<Engine> {
    const engine = await this.openers.gpu(request);
    engine.lost.then((reason) => {
      this.gone.add(engine);
      this.recover(engine, reason);
    });
    return engine;
  }

  /** On this engine, or where its device is too small on one that is asked for just this much. */
  private async startOn(
    engine: Engine,
    options: SimulationOptions,
    method: MethodStart | undefined,
  ): Promise<{ readonly engine: Engine; readonly run: Run }> {
    try {
      return { engine, run: await engine.start(options, method) };
    } catch (error) {
      if (engine !== this.engine) engine.destroy();
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

  /** A state of the present run, for one that takes its place. */
  private carry(checkpoint: State): Carried | undefined {
    const { run, running, startedCount } = this;
    if (!run || !running) return undefined;
    const { capacity, obstacleCapacity } = run.simulation;
    const room = { capacity, obstacleCapacity };
    return { choices: running, count: startedCount, checkpoint, births: run.births, room, hasPast: true };
  }

  /** Goes on from a state, if that can be. */
  private resume(run: Run, { checkpoint, births }: Carried): boolean {
    try {
      run.births.set(births.subarray(0, run.births.length));
      goOnFrom(run, checkpoint);
      return true;
    } catch {
      this.site.notify('What ran before does not fit this engine, so the scene starts over.');
      return false;
    }
  }

  /** After a loss: another device, and after some losses the CPU, from the last state that was kept. */
  private recover(engine: Engine, reason: string): void {
    if (engine !== this.engine) return;
    this.losses++;
    const { latest } = this.site;
    // Lost before anything was kept, or while a later state was on its way to a run with more room: still what was carried.
    const kept = latest && this.carry(latest);
    const isLater =
      this.isCarrying && this.carried && kept && this.carried.checkpoint.time > kept.checkpoint.time;
    if (kept && !isLater) this.carried = kept;
    const { carried } = this;
    const goesOn =
      carried !== undefined &&
      (this.losses <= MOST_LOSSES || this.countOf({ ...carried.choices, engine: 'cpu' }) === carried.count);
    const where = carried && goesOn ? `goes on from ${carried.checkpoint.time.toFixed(2)} s` : 'starts over';
    this.run = undefined;
    this.engine = undefined;
    const why = reason.trim().replace(/\.?$/, '.');
    if (this.losses <= MOST_LOSSES) {
      this.site.showEngineNote(`The GPU was lost (${why}) The scene ${where} on a new device.`);
    } else {
      this.isForced = true;
      this.site.choices = { ...this.site.choices, engine: 'cpu' };
      this.site.showEngineNote(
        `The GPU was lost ${this.losses} times (${why}) The CPU engine takes over and ${where}.`,
      );
    }
    this.request(this.site.choices);
  }
}

/** Of an engine that is not open yet, nothing is known. */
function hardwareOf(engine: Engine | undefined, { dimensions }: Chosen): Hardware {
  const most = engine?.kind === 'gpu' ? engine.most(dimensions) : MOST_PARTICLES;
  return { isSoftware: engine?.isSoftware ?? false, most };
}

/** A state of an earlier time; the settings stay as they are chosen now. */
export function goOnFrom(run: Run, checkpoint: State): void {
  const { settings } = run.simulation;
  run.restore(checkpoint);
  run.simulation.set(settings);
}

/** What there is to be seen of a run. */
export async function seenOf({ simulation }: Run): Promise<SeenBox> {
  const { world } = simulation;
  return world.kind === 'unbounded' ? boxAround(simulation, await simulation.read()) : worldBox(world);
}

/** Whether a state of a run with some choices can go on in one with others. */
function isSameStart(before: Chosen, after: Chosen): boolean {
  if (before.opened !== after.opened) return false;
  const differing = changedFields(before, after).filter((name) => fieldOf(name).effect === 'start');
  return differing.every((name) => name === 'engine');
}

/** What a run is drawn with. */
export interface Prepared {
  readonly scale: Scale;
  /** Why colours, overlays or what the pointer does are not as chosen, else ''. */
  readonly refusal: string;
}

/** Gets ready to draw in the chosen colours, or where that cannot be by speed; the tool and the overlays too. */
export async function prepare(run: Run, choices: Chosen): Promise<Prepared> {
  const { colour, opened, pointer } = choices;
  const refusal = await run.prepare(colour);
  if (refusal) await run.prepare('speed');
  const untaught = await run.prepareTool(pointer).then(
    () => '',
    (error: unknown) => {
      if (isUnloaded(error)) return explain(error);
      throw error;
    },
  );
  const withheld = await run.prepareOverlays(choices);
  const unshown = await run.prepareLiquid(choices.liquidAs);
  const velocities = opened?.checkpoint.velocities ?? run.options.velocities;
  const options = { ...run.options, velocities };
  return {
    scale: scaleFor(refusal ? 'speed' : colour, run.simulation, options),
    refusal: refusal || withheld || unshown || untaught,
  };
}
