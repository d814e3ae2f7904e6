/**
 * Purpose: the page as a whole: keeps an engine running what is chosen, steps it at the screen's pace, draws,
 * measures, and goes on in some way whatever happens to the GPU.
 */
import { ArgumentError, describeCount, GpuError, LimitError } from '../core/errors';
import { type Checkpoint, type Measures, planSimulation, type SimulationOptions } from '../core/simulation';
import {
  type Camera,
  PlaneCamera,
  project,
  type Ray,
  type Sight,
  SpaceCamera,
  type Viewport,
} from './camera';
import {
  type Cap,
  capOf,
  changedFields,
  chooseScene,
  defaultChoices,
  roomFor,
  STEP_SECONDS,
} from './choices';
import { legendOf, readTheme, type Scale, scaleFor } from './colour';
import { openCpuEngine } from './cpu-engine';
import { type Engine, explain, explainMissingGpu, type Frame, type Run } from './engine';
import { type Choices, type FieldName, fieldOf, MOST_TYPED, refusalOf } from './fields';
import { type FileSubject, Files } from './files';
import { Film, type FilmSubject } from './film';
import { formatCount } from './format';
import { openGpuEngine } from './gpu-engine';
import { Help } from './help';
import { History } from './history';
import type { Inspector } from './inspector';
import { readLink, writeLink } from './link';
import { Meter } from './meter';
import { type Chosen, type Opened, refuseOpened, settingChanges, startCount, startOf } from './opened';
import { OverlayKey } from './overlay-key';
import { shownOf } from './overlays';
import { find, Panel } from './panel';
import { Presets } from './presets-view';
import { nextTask, saveFile } from './save';
import type { ScaleSheet, SweepHost } from './scale-sheet';
import { boxAround, type SeenBox, worldBox } from './seen-box';
import { StagePlot } from './stage-plot';
import { type Place, Tools, type Workplace } from './tools';

const STEP_MS = 1000 * STEP_SECONDS;
/** Screens are not punctual: a step may be taken this much early. */
const EARLY_MS = 3;
/** Submissions under way past which a frame waits: a step and a picture each for two frames. */
const MOST_PENDING = 4;
/** Where a step takes longer than so many milliseconds, none: what is chosen next is to be seen soon. */
const SLOW_MS = 100;
const MOST_PENDING_SLOW = 1;
/** A frame may ask for more pixels than help. */
const GREATEST_PIXEL_RATIO = 2;
/** Lost devices replaced before the page turns to the CPU. */
const MOST_LOSSES = 2;
/** Seconds that the picture of space stays as the visitor left it before it turns on. */
const REST_AFTER_TURN = 6;
/** Browsers refuse changes of the address that come too often. */
const ADDRESS_MS = 400;
const CPU_INSTEAD = 'The CPU engine runs the same collisions instead.';

/** A state that another run goes on from. */
interface Carried {
  readonly choices: Chosen;
  /** Particles that its run was started with. */
  readonly count: number;
  readonly checkpoint: Checkpoint;
  readonly births: Float32Array;
  /** What its run had room for, and states from before may need. */
  readonly room: { readonly capacity: number; readonly obstacleCapacity: number };
  /** Whether states from before may be gone back to. */
  readonly hasPast: boolean;
}

export class Playground implements Workplace, FileSubject, FilmSubject, SweepHost {
  private readonly plane = new PlaneCamera();
  private readonly space = new SpaceCamera();
  choices: Chosen = readLink(location.search);
  run: Run | undefined;
  /** What the present run was started with, and with how many particles. */
  private running: Chosen | undefined;
  private startedCount = 0;
  private wanted: Chosen | undefined;
  private working: Promise<void> | undefined;
  /** Colours and tools that are not ready yet. */
  private preparing: Promise<void> = Promise.resolve();
  private engine: Engine | undefined;
  private scale: Scale = { by: 'speed', end: 1 };
  private theme = readTheme();
  /** What is looked at. */
  private box = worldBox({ min: [0, 0, 0], max: [1, 1, 1] });
  /** The last picture. */
  private drawn: Frame | undefined;
  isPlaying: boolean;
  private isDirty = true;
  private last = 0;
  private owed = 0;
  private restUntil = 0;
  private losses = 0;
  private place: Place | undefined;
  private address: ReturnType<typeof setTimeout> | undefined;
  private readonly panel: Panel;
  private readonly meter: Meter;
  private readonly history = new History();
  private readonly help = new Help();
  private readonly stagePlot = new StagePlot();
  private scaleSheet: Promise<ScaleSheet> | undefined;
  /** The run waits for a sweep on another one. */
  private isHeld = false;
  private readonly key = new OverlayKey();
  private inspector: Inspector | undefined;
  private inspecting: Promise<Inspector> | undefined;
  readonly tools = new Tools(this);
  readonly files = new Files(this);
  readonly film = new Film(this);
  readonly presets = new Presets((link) => this.choose({ ...readLink(link), engine: this.choices.engine }));
  /** A film takes the steps. */
  private isFilmed = false;
  /** What the next run goes on from: what a lost device held, or what needs more room. */
  private carried: Carried | undefined;
  private isCarrying = false;
  /** Why something else starts than what was asked for. */
  private apology = '';
  /** The CPU runs though the GPU was chosen: a link is for whoever has one. */
  private isForced = false;
  private readonly reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

  constructor(
    readonly stage: HTMLElement,
    private readonly free: HTMLElement,
  ) {
    this.panel = new Panel(this, this.choices);
    this.meter = new Meter(
      () => this.panel.showMeasures(this.meter.measures, this.run?.simulation),
      (error) => {
        // Of a run whose device is gone nothing more is to be said.
        if (this.run && !this.working) this.panel.notify(explain(error));
      },
    );
    this.isPlaying = !this.reducedMotion.matches;
    this.panel.showPlaying(this.isPlaying);
    if (!this.isPlaying) {
      this.panel.notify('Paused, because your system asks for less motion. Play starts it.');
    }
    this.panel.showChoices(this.choices, this.choices.count);
    const redraw = () => {
      this.isDirty = true;
    };
    for (const element of [stage, free]) new ResizeObserver(redraw).observe(element);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.theme = readTheme();
      this.showLegend();
      redraw();
    });
  }

  /** Opens an engine and starts the frames; resolves with the first picture. */
  async open(): Promise<void> {
    this.request(this.choices);
    requestAnimationFrame(this.tick);
    await this.working;
  }

  get simulation(): Run['simulation'] | undefined {
    return this.run?.simulation;
  }

  get measures(): Measures | undefined {
    return this.meter.measures;
  }

  get currentEngine(): Engine | undefined {
    return this.engine;
  }

  get frame(): Frame | undefined {
    if (!this.run) return undefined;
    const viewport = this.viewport();
    const { theme, scale } = this;
    const overlays = this.run.drawable(shownOf(this.choices));
    return { box: this.box, sight: this.sight(viewport), viewport, theme, scale, overlays };
  }

  /** A point of the world, in CSS pixels from the window's top left corner. */
  toScreen(point: readonly number[]): readonly [number, number] {
    const viewport = this.viewport();
    const { x, y } = project(this.sight(viewport), viewport, point);
    return [x, y];
  }

  /** Resolves when all that was asked for has been done; while paused, drawn and measured too. */
  async settled(): Promise<void> {
    await this.working;
    await this.preparing;
    await this.inspecting;
    while (
      this.run &&
      !this.isPlaying &&
      !this.isHeld &&
      (this.run.pending > 0 || this.isDirty || !this.meter.isCurrent || this.inspector?.isCurrent === false)
    ) {
      await new Promise(requestAnimationFrame);
    }
    this.writeAddress();
  }

  choose(change: Partial<Choices>): void {
    const refusal = Object.entries(change)
      .map(([name, value]) => refusalOf(name as FieldName, value))
      .find((sentence) => sentence !== undefined);
    if (refusal !== undefined) {
      this.panel.notify(refusal);
      this.showChoices();
      return;
    }
    const before = this.choices;
    // A scene brings more than is said of it, and leaves a file.
    const base = change.scene ? { ...chooseScene(before, change.scene), opened: undefined } : before;
    const after: Chosen = { ...base, ...change };
    const effects = new Set(changedFields(before, after).map((name) => fieldOf(name).effect));
    const leaves = before.opened !== after.opened;
    if (effects.size === 0 && !leaves) return;
    this.clearNotes();
    const tooMany = refuseOpened(after, this.isSoftware);
    if (tooMany !== undefined) {
      this.panel.notify(tooMany);
      this.showChoices();
      return;
    }
    const { run } = this;
    const startsOver = leaves || effects.has('start') || this.countOf(before) !== this.countOf(after);
    const cap = capOf(after, this.isSoftware);
    if (!startsOver && run && cap && run.simulation.count > cap.most) {
      this.panel.notify(`There are ${formatCount(run.simulation.count)} particles. ${cap.reason}`);
      this.showChoices();
      return;
    }
    this.choices = after;
    if (change.engine) this.isForced = false;
    if (startsOver || (!run && !this.working)) this.request(this.choices);
    // The run that is being started takes it over.
    else if (!run || this.working) this.showChoices();
    else this.adjust(run);
  }

  playOrPause(): void {
    this.isPlaying = !this.isPlaying;
    this.owed = 0;
    this.panel.showPlaying(this.isPlaying);
    this.panel.notify('');
  }

  stepOnce(): void {
    if (this.isFilmed) {
      this.panel.notify('The film takes every step; stop it first.');
      return;
    }
    if (this.isPlaying) this.playOrPause();
    const step = () => {
      if (this.run) this.advance(this.run);
    };
    if (this.working) this.working.then(step);
    else step();
  }

  /** Steps are under way that the GPU has not taken. */
  get isBehind(): boolean {
    return (this.run?.pending ?? 0) > 0;
  }

  reset(): void {
    this.clearNotes();
    this.request(this.choices);
  }

  /** The state that was kept before this one. */
  goBack(): void {
    const { run } = this;
    if (!run) return;
    const checkpoint = this.history.takeBefore(run.simulation.time);
    if (!checkpoint) return;
    try {
      goOnFrom(run, checkpoint);
    } catch (error) {
      // Another time there is one before it.
      this.history.forget(checkpoint);
      this.panel.notify(explain(error));
      return;
    }
    this.panel.notify(`Back at ${checkpoint.time.toFixed(2)} s.`);
    this.changed();
  }

  pan(across: number, down: number): void {
    this.camera.pan(across, down);
    this.looked();
  }

  /** Nearer by a factor to a place of the window, CSS pixels. */
  zoom(factor: number, x: number, y: number): void {
    const { left, top } = this.stage.getBoundingClientRect();
    this.camera.zoom(factor, x - left, y - top);
    this.looked();
  }

  zoomMiddle(factor: number): void {
    const { left, top, width, height } = this.free.getBoundingClientRect();
    this.zoom(factor, left + width / 2, top + height / 2);
  }

  /** Where the pointer works, CSS pixels of the window; undefined when it is up again. */
  workAt(place: Place | undefined): void {
    this.place = place;
    this.restUntil = performance.now() + 1000 * REST_AFTER_TURN;
    this.tools.at(place);
    this.showBrush();
  }

  /** The tool in the middle of the picture, for keys. */
  workInMiddle(isDown: boolean): void {
    const { left, top, width, height } = this.free.getBoundingClientRect();
    this.workAt(isDown && this.tools.isChosen ? { x: left + width / 2, y: top + height / 2 } : undefined);
  }

  rayAt({ x, y }: Place): Ray {
    const { left, top } = this.stage.getBoundingClientRect();
    return this.camera.ray(x - left, y - top);
  }

  notify(text: string): void {
    this.panel.notify(text);
  }

  /** The same state in a run with room for what the chosen tool adds. */
  async makeRoom(): Promise<void> {
    const { run } = this;
    if (!run || this.isCarrying || this.working) return;
    // Time stands still meanwhile, so that nothing happens twice.
    this.isCarrying = true;
    try {
      const checkpoint = await run.simulation.checkpoint();
      if (run !== this.run || this.working) return;
      this.carried = this.carry(checkpoint);
      this.request(this.choices);
      await this.working;
    } catch (error) {
      this.panel.notify(explain(error));
    } finally {
      this.isCarrying = false;
    }
  }

  turn(yaw: number, pitch: number): void {
    this.camera.turn(yaw, pitch);
    this.looked();
  }

  /** Where the world has no end, around the particles as they are now. */
  fit(): void {
    this.camera.fit();
    this.isDirty = true;
    const { run } = this;
    if (run?.simulation.world.kind !== 'unbounded') return;
    this.preparing = this.preparing.then(async () => {
      try {
        const box = await seenOf(run);
        if (run !== this.run) return;
        this.box = box;
        this.isDirty = true;
        if (box.leftOut) this.panel.notify(box.leftOut);
      } catch (error) {
        if (run === this.run) this.panel.notify(explain(error));
      }
    });
  }

  /** How the time of a step grows with the number of particles: see scale-sheet.ts. */
  async openScale(): Promise<void> {
    try {
      this.scaleSheet ??= import('./scale-sheet').then(({ ScaleSheet }) => new ScaleSheet(this));
      (await this.scaleSheet).open();
    } catch (error) {
      this.scaleSheet = undefined;
      this.panel.notify(explain(error));
    }
  }

  async hold(): Promise<() => void> {
    await this.working;
    this.isHeld = true;
    return () => {
      this.isHeld = false;
    };
  }

  async toggleInspector(): Promise<void> {
    // Loaded only when needed.
    try {
      this.inspecting ??= import('./inspector').then(({ Inspector }) => new Inspector(this));
      this.inspector = await this.inspecting;
      this.inspector.toggle();
    } catch (error) {
      this.inspecting = undefined;
      this.panel.notify(explain(error));
    }
  }

  inspectNext(by: 1 | -1): void {
    this.inspector?.step(by);
  }

  toggleHelp(): void {
    this.help.toggle();
  }

  async copyLink(): Promise<void> {
    this.writeAddress();
    try {
      await navigator.clipboard.writeText(location.href);
      const { opened } = this.choices;
      this.panel.notify(
        opened
          ? `The link to the settings is on the clipboard; it cannot carry the particles of ${opened.name}.`
          : 'The link to what is chosen is on the clipboard.',
      );
    } catch {
      this.panel.notify('The browser gives no clipboard to this page; the address bar has the link.');
    }
  }

  /** What is seen, as a file. */
  async savePicture(): Promise<void> {
    const { run, engine } = this;
    if (!run || !engine) return;
    // A canvas of WebGPU keeps its picture only as long as the task that drew it.
    this.draw(run);
    const picture = this.inspector?.laidOver(engine.canvas) ?? engine.canvas;
    const blob = await new Promise<Blob | null>((done) => picture.toBlob(done, 'image/png'));
    if (!blob) {
      this.panel.notify('The browser could not make a picture of the canvas.');
      return;
    }
    saveFile(blob, `${this.stem}.png`);
  }

  get stem(): string {
    const { opened, scene, dimensions } = this.choices;
    const name = opened?.name.replace(/^cellstorm-|(-[23]d-[\d.]+s)?\.\w+$/g, '') ?? scene;
    return `cellstorm-${name}-${dimensions}d-${(this.run?.simulation.time ?? 0).toFixed(2)}s`;
  }

  get mostParticles(): number {
    const cap = capOf({ ...this.choices, scene: '', broadPhase: 'grid' }, this.isSoftware);
    return cap?.most ?? MOST_TYPED;
  }

  get cap(): Cap | undefined {
    return capOf(this.choices, this.isSoftware);
  }

  /** Starts from a file; what cannot be leaves everything as it is, and says why. */
  async openParticles(opened: Opened): Promise<void> {
    this.clearNotes();
    const chosen = { ...this.choices, ...opened.choices, opened };
    const tooMany = refuseOpened(chosen, this.isSoftware);
    this.choices = tooMany === undefined ? chosen : { ...chosen, broadPhase: 'grid' };
    this.request(this.choices);
    await this.working;
    if (this.running?.opened !== opened) return;
    const grid = tooMany === undefined ? '' : ` ${tooMany} The grid is chosen instead.`;
    this.panel.notify(`${describeCount(opened.checkpoint.ids.length)} from ${opened.name}.${grid}`);
  }

  get take(): Run | undefined {
    return this.run;
  }

  get canvas(): HTMLCanvasElement | undefined {
    return this.engine?.canvas;
  }

  takeSteps(isFilmed: boolean): void {
    this.isFilmed = isFilmed;
    this.owed = 0;
  }

  async caughtUp(): Promise<void> {
    while (this.run && this.run.pending >= MOST_PENDING) await nextTask();
  }

  shoot(): void {
    const { run } = this;
    if (!run) return;
    this.advance(run);
    this.drift(STEP_SECONDS);
    this.draw(run);
  }

  redraw(): void {
    this.isDirty = true;
  }

  /** The visitor moved the picture. */
  private looked(): void {
    // A tool that is at work goes over what is looked at now.
    if (this.place) this.tools.at(this.place);
    this.restUntil = performance.now() + 1000 * REST_AFTER_TURN;
    this.isDirty = true;
  }

  private get camera(): Camera {
    return this.canTurn ? this.space : this.plane;
  }

  get canTurn(): boolean {
    return this.run?.simulation.dimensions === 3;
  }

  private get count(): number {
    return this.countOf(this.choices);
  }

  private countOf(choices: Chosen): number {
    return startCount(choices, this.isSoftware);
  }

  private get isSoftware(): boolean {
    return this.engine?.isSoftware ?? false;
  }

  /** Changes that a running simulation takes. */
  private adjust(run: Run): void {
    run.simulation.set(settingChanges(this.running ?? this.choices, this.choices));
    this.running = this.choices;
    this.meter.touch();
    this.prepare(run);
    this.showChoices();
    this.notifyCap();
  }

  /** Starts over with these choices, once what is under way is done. */
  private request(choices: Chosen): void {
    this.wanted = choices;
    this.showChoices();
    this.working ??= this.work().finally(() => {
      this.working = undefined;
    });
  }

  private async work(): Promise<void> {
    while (this.wanted) {
      const choices = this.wanted;
      this.wanted = undefined;
      try {
        await this.restart(choices);
      } catch (error) {
        // What was chosen or lost meanwhile says more.
        if (this.wanted) continue;
        if (this.run) {
          this.panel.notify(explain(error));
          if (this.running) this.choices = this.running;
        } else {
          this.wanted = this.instead(choices, error);
          if (this.wanted) this.choices = this.wanted;
        }
        this.showChoices();
      }
    }
  }

  /** What to start where nothing runs that one could go back to; undefined where nothing is left. */
  private instead(choices: Chosen, error: unknown): Chosen | undefined {
    if (error instanceof ArgumentError) {
      // Values that each can be, but not together: more and more of them as they usually are.
      const { scene, dimensions, engine } = choices;
      const usual = { ...defaultChoices(scene, dimensions), engine };
      const { size, spread, boxWidth } = usual;
      const next = [
        { ...choices, size, spread, boxWidth, opened: undefined },
        usual,
        { ...defaultChoices(), engine },
      ].find((one) => choices.opened || changedFields(one, choices).length > 0);
      this.apology = `${explain(error)} The scene starts with ${next ? 'more usual settings' : 'nothing'} instead.`;
      this.panel.notify(this.apology);
      return next;
    }
    if (choices.engine === 'cpu') {
      this.panel.notify(explain(error));
      return undefined;
    }
    // Lost before it was shown.
    if (error instanceof GpuError && error.reason === 'lost' && ++this.losses <= MOST_LOSSES) return choices;
    // A GPU that fails at the first picture is as good as none.
    this.panel.showEngineNote(`${explain(error)} ${CPU_INSTEAD}`);
    this.isForced = true;
    return { ...choices, engine: 'cpu' };
  }

  private async restart(choices: Chosen): Promise<void> {
    const engine = await this.engineFor(choices);
    let actual: Chosen = { ...choices, engine: engine.kind };
    const tooMany = refuseOpened(actual, engine.isSoftware);
    if (tooMany !== undefined) {
      this.panel.notify(`${tooMany} The scene comes instead.`);
      actual = { ...actual, opened: undefined };
    }
    const count = startCount(actual, engine.isSoftware);
    if (engine.kind !== choices.engine) this.isForced = true;
    const { carried } = this;
    // The engine may be for fewer particles, in a smaller box.
    const goesOn = carried !== undefined && isSameStart(carried.choices, actual) && carried.count === count;
    const { options, checkpoint } = startOf(actual, count);
    const room = roomFor(
      actual,
      options,
      goesOn ? carried.checkpoint : checkpoint,
      goesOn ? carried.room : undefined,
    );
    let started: { readonly engine: Engine; readonly run: Run };
    try {
      started = await startOn(engine, { ...options, ...room });
    } catch (error) {
      if (engine !== this.engine) engine.destroy();
      throw error;
    }
    const { run } = started;
    try {
      const resumes = goesOn && this.resume(run, carried);
      if (checkpoint && !resumes) run.restore(checkpoint);
      const hasPast = resumes && carried.hasPast;
      await this.show(started.engine, run, actual, hasPast);
    } catch (error) {
      if (run !== this.run) {
        run.destroy();
        if (started.engine !== this.engine) started.engine.destroy();
      }
      throw error;
    }
    this.running = actual;
    this.startedCount = count;
    if (this.carried === carried) this.carried = undefined;
    if (this.wanted) return;
    const hasChanged = changedFields(choices, this.choices).length > 0;
    this.choices = { ...this.choices, engine: actual.engine, opened: actual.opened };
    if (hasChanged) {
      this.adjust(run);
      return;
    }
    this.showChoices();
    this.notifyCap();
  }

  /** The present engine where it serves, else a new one; too much for the GPU throws before anything is made. */
  private async engineFor(choices: Chosen): Promise<Engine> {
    const { engine } = this;
    if (!engine || engine.kind !== choices.engine) return this.openEngine(choices);
    const { dimensions } = choices;
    const count = startCount(choices, engine.isSoftware);
    return engine.holds(count) ? engine : openGpuEngine({ particles: count, dimensions });
  }

  private async openEngine(choices: Chosen): Promise<Engine> {
    if (choices.engine === 'cpu') return openCpuEngine();
    try {
      const particles = choices.opened ? startCount(choices, false) : choices.count;
      return await openGpuEngine({ particles, dimensions: choices.dimensions });
    } catch (error) {
      if (!(error instanceof GpuError)) throw error;
      const after = this.losses > 0 ? 'The GPU was lost and no other one can be had.' : '';
      this.panel.showEngineNote(`${after || explainMissingGpu(error)} ${CPU_INSTEAD}`);
      this.panel.setGpuAvailable(false);
      return openCpuEngine();
    }
  }

  /** A state of the present run, for one that takes its place. */
  private carry(checkpoint: Checkpoint): Carried | undefined {
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
      this.panel.notify('What ran before does not fit this engine, so the scene starts over.');
      return false;
    }
  }

  /** Shows this run from now on. */
  private async show(engine: Engine, run: Run, choices: Chosen, hasPast: boolean): Promise<void> {
    const { scale, refusal } = await prepareColours(run, choices);
    await run.prepareTool(choices.pointer);
    const withheld = await run.prepareOverlays(choices);
    const box = await seenOf(run);
    const note = [refusal || withheld, box.leftOut].filter(Boolean).join(' ');
    if (note) this.panel.notify(note);
    this.scale = scale;
    this.box = box;
    const isOther =
      this.running?.scene !== choices.scene ||
      this.running.boxWidth !== choices.boxWidth ||
      this.running.opened !== choices.opened;
    this.run?.destroy();
    this.run = run;
    if (engine !== this.engine) {
      this.engine?.destroy();
      this.engine = engine;
      this.stage.replaceChildren(engine.canvas);
      engine.lost.then((reason) => this.recover(engine, reason));
      this.panel.showEngine(engine);
      this.stagePlot.clear();
    }
    if (isOther || this.running?.dimensions !== choices.dimensions)
      for (const camera of [this.plane, this.space]) camera.fit();
    this.describeCanvas(engine.canvas, run);
    this.panel.showWorld(run.simulation.world);
    this.meter.attach(run);
    this.history.attach(run.simulation, hasPast);
    this.showLegend();
    this.owed = 0;
    this.draw(run);
  }

  /** After a loss: another device, and after some losses the CPU, from the last state that was kept. */
  private recover(engine: Engine, reason: string): void {
    if (engine !== this.engine) return;
    this.losses++;
    const { latest } = this.history;
    // Lost again before anything was kept: still what was carried.
    this.carried = (latest && this.carry(latest)) ?? this.carried;
    const { carried } = this;
    const goesOn =
      carried !== undefined &&
      (this.losses <= MOST_LOSSES || this.countOf({ ...carried.choices, engine: 'cpu' }) === carried.count);
    const where = carried && goesOn ? `goes on from ${carried.checkpoint.time.toFixed(2)} s` : 'starts over';
    this.run = undefined;
    this.engine = undefined;
    const why = reason.trim().replace(/\.?$/, '.');
    if (this.losses <= MOST_LOSSES) {
      this.panel.showEngineNote(`The GPU was lost (${why}) The scene ${where} on a new device.`);
    } else {
      this.isForced = true;
      this.choices = { ...this.choices, engine: 'cpu' };
      this.panel.showEngineNote(
        `The GPU was lost ${this.losses} times (${why}) The CPU engine takes over and ${where}.`,
      );
    }
    this.request(this.choices);
  }

  private readonly tick = (now: number): void => {
    requestAnimationFrame(this.tick);
    // A hidden tab has no frames: what it missed is not made up for.
    const elapsed = Math.min(100, now - this.last);
    this.last = now;
    const { run } = this;
    const isSlow = (run?.stepTime?.milliseconds ?? 0) > SLOW_MS;
    if (!run || this.isHeld || run.pending >= (isSlow ? MOST_PENDING_SLOW : MOST_PENDING)) return;
    try {
      this.tools.update();
      // Long steps would hold up what is to come instead.
      const isWaiting = this.isCarrying || this.isFilmed || (isSlow && this.working !== undefined);
      if (this.isPlaying && !isWaiting) this.play(run, elapsed);
      if (this.meter.update(now)) this.isDirty = true;
      this.history.update(now);
      if (this.isDirty) this.draw(run);
      this.inspector?.update(now);
      if (this.drawn) this.key.update(this.drawn, run.simulation, run.missing(this.choices));
    } catch (error) {
      this.isPlaying = false;
      this.panel.showPlaying(false);
      this.panel.notify(explain(error));
    }
    this.panel.showRates(
      this.isPlaying ? this.meter.framesPerSecond : undefined,
      run.stepTime,
      run.simulation.time,
    );
    this.stagePlot.update(run.stepTime, now);
  };

  /** At most one step a frame, and none where the screen is quicker than the steps are long. */
  private play(run: Run, elapsed: number): void {
    this.owed = Math.min(this.owed + elapsed, 1.5 * STEP_MS);
    if (this.owed >= STEP_MS - EARLY_MS) {
      this.owed = Math.max(0, this.owed - STEP_MS);
      this.advance(run);
    }
    this.drift(elapsed / 1000);
  }

  /** Space turns on by itself, unless the visitor has just turned it. */
  private drift(seconds: number): void {
    if (!this.canTurn || this.reducedMotion.matches || performance.now() <= this.restUntil) return;
    this.space.drift(seconds);
    this.isDirty = true;
  }

  private advance(run: Run): void {
    const seconds = STEP_SECONDS * this.choices.timeScale;
    this.tools.beforeStep(run, seconds);
    run.step(seconds);
    this.changed();
  }

  /** A ring as wide as the brush reaches where the eye looks at. */
  private showBrush(): void {
    const { place, run } = this;
    const ring = find('brush-ring', HTMLElement);
    ring.hidden = !place || !run;
    if (!place || !run) return;
    const sight = this.sight(this.viewport());
    const size = 2 * this.choices.brush * run.simulation.radius * sight.pixelsPerUnit;
    ring.style.translate = `${place.x - size / 2}px ${place.y - size / 2}px`;
    ring.style.width = `${size}px`;
    ring.style.height = `${size}px`;
  }

  /** The state is another one. */
  changed(): void {
    this.inspector?.touch();
    this.meter.touch();
    this.history.touch();
    this.isDirty = true;
  }

  private draw(run: Run): void {
    const { frame } = this;
    if (!frame || frame.viewport.width === 0 || frame.viewport.height === 0) return;
    run.draw(frame);
    this.drawn = frame;
    this.isDirty = false;
    this.meter.frame(performance.now());
  }

  /** Other colours and tools, once what they take is there. */
  private prepare(run: Run): void {
    this.preparing = this.preparing.then(async () => {
      const { choices } = this;
      if (run !== this.run) return;
      try {
        const { scale, refusal } = await prepareColours(run, choices);
        await run.prepareTool(choices.pointer);
        const withheld = await run.prepareOverlays(choices);
        // Another run has been given its own meanwhile.
        if (run !== this.run) return;
        if (refusal || withheld) this.panel.notify(refusal || withheld);
        this.scale = scale;
        this.isDirty = true;
        this.showLegend();
        const { capacity, obstacleCapacity } = roomFor(choices, run.options);
        const { simulation } = run;
        const isShort =
          simulation.capacity < (capacity ?? 0) || simulation.obstacleCapacity < (obstacleCapacity ?? 0);
        if (isShort) await this.makeRoom();
      } catch (error) {
        if (run === this.run) this.panel.notify(explain(error));
      }
    });
  }

  private showLegend(): void {
    this.panel.showLegend(legendOf(this.scale, this.theme));
  }

  private sight(viewport: Viewport): Sight {
    return this.camera.sight(this.box, viewport);
  }

  private viewport(): Viewport {
    const { left, top, width, height } = this.stage.getBoundingClientRect();
    const free = this.free.getBoundingClientRect();
    return {
      width,
      height,
      pixelRatio: Math.min(GREATEST_PIXEL_RATIO, devicePixelRatio),
      free: { x: free.left - left, y: free.top - top, width: free.width, height: free.height },
    };
  }

  private describeCanvas(canvas: HTMLCanvasElement, run: Run): void {
    const { dimensions, world } = run.simulation;
    const drag = dimensions === 3 ? 'turn' : 'move';
    const where = world.kind === 'unbounded' ? 'a world without end' : 'a box';
    canvas.tabIndex = 0;
    canvas.setAttribute('role', 'img');
    canvas.setAttribute(
      'aria-label',
      `Particles in ${where}. Drag or use the arrow keys to ${drag} it, the wheel or plus and minus to come nearer, F to see all.`,
    );
  }

  private showChoices(): void {
    this.panel.showChoices(this.choices, this.count);
    this.address ??= setTimeout(() => this.writeAddress(), ADDRESS_MS);
  }

  private writeAddress(): void {
    clearTimeout(this.address);
    this.address = undefined;
    const record = writeLink(this.isForced ? { ...this.choices, engine: 'gpu' } : this.choices);
    const address = record ? `?${record}` : location.pathname;
    if (location.search !== (record ? address : '')) window.history.replaceState(null, '', address);
  }

  private notifyCap(): void {
    const cap = capOf(this.choices, this.isSoftware);
    const isCapped = !this.choices.opened && cap !== undefined && this.choices.count > cap.most;
    const note = [this.apology, isCapped ? cap.reason : ''].filter(Boolean).join(' ');
    this.apology = '';
    if (note) this.panel.notify(note);
  }

  /** What was said about an earlier choice; why the CPU runs instead of the GPU stays. */
  private clearNotes(): void {
    this.panel.notify('');
    if (this.engine?.kind === 'gpu') this.panel.showEngineNote('');
  }
}

/** What there is to be seen of a run. */
async function seenOf({ simulation }: Run): Promise<SeenBox> {
  const { world } = simulation;
  return world.kind === 'unbounded' ? boxAround(simulation, await simulation.read()) : worldBox(world);
}

/** A state of an earlier time; the settings stay as they are chosen now. */
function goOnFrom(run: Run, checkpoint: Checkpoint): void {
  const { settings } = run.simulation;
  run.restore(checkpoint);
  run.simulation.set(settings);
}

/** Whether a state of a run with some choices can go on in one with others. */
function isSameStart(before: Chosen, after: Chosen): boolean {
  if (before.opened !== after.opened) return false;
  const differing = changedFields(before, after).filter((name) => fieldOf(name).effect === 'start');
  return differing.every((name) => name === 'engine');
}

/** Gets ready to draw in the chosen colours, or where that cannot be by speed, and says why. */
async function prepareColours(
  run: Run,
  { colour, opened }: Chosen,
): Promise<{ readonly scale: Scale; readonly refusal: string }> {
  const refusal = await run.prepare(colour);
  if (refusal) await run.prepare('speed');
  const velocities = opened?.checkpoint.velocities ?? run.options.velocities;
  return {
    refusal,
    scale: scaleFor(refusal ? 'speed' : colour, run.simulation, { ...run.options, velocities }),
  };
}

/** On this engine, or where its device is too small on one that is asked for just this much. */
async function startOn(
  engine: Engine,
  options: SimulationOptions,
): Promise<{ readonly engine: Engine; readonly run: Run }> {
  try {
    return { engine, run: await engine.start(options) };
  } catch (error) {
    if (!(error instanceof LimitError) || engine.kind === 'cpu') throw error;
    const { dimensions, capacity, world } = planSimulation(options);
    const larger = await openGpuEngine({ particles: capacity, dimensions, cells: world.cellCount });
    try {
      return { engine: larger, run: await larger.start(options) };
    } catch (further) {
      larger.destroy();
      throw further;
    }
  }
}
