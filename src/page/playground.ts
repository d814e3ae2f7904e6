/**
 * Purpose: the page as a whole: its frames, and what a visitor asks for, handed to whoever does it: choosing.ts takes choices,
 * restarts.ts keeps an engine running, pace.ts steps it, eye.ts looks, picture.ts draws, work.ts works with the pointer,
 * meter.ts measures, history.ts goes back, address.ts keeps the address, keeping.ts makes files, sheets.ts has the sheets.
 */
import { movesObstacles } from '../scenes';
import { openGpuEngine } from './engines/gpu-engine';
import { Keeping, type KeepingSite } from './export';
import { Help } from './help';
import type { Measured, State } from './model/body';
import type { Cap } from './model/choices';
import type { Legend, Scale } from './model/colour';
import type { Choices } from './model/fields';
import type { Chosen } from './model/opened';
import type { Inspector } from './panel/inspector';
import { Panel, type PanelEvents } from './panel/panel';
import { type SheetSite, Sheets } from './panel/sheets';
import { StagePlot } from './panel/stage-plot';
import { Address, type AddressSite } from './session/address';
import { History } from './session/history';
import type { Regard } from './session/link';
import { Looking, type LookingSite } from './session/looking';
import { Meter } from './session/meter';
import { Picture, type PictureSite } from './session/picture';
import { goOnFrom } from './session/prepare';
import { type RestartSite, Restarts, type Shown } from './session/restarts';
import { Choosing, type ChoosingSite } from './session/session';
import { Pace, type PaceSite } from './session/stepper';
import { type Appearance, appearanceInAddress, chooseAppearance } from './support/appearance';
import { Work, type WorkSite } from './tools/pointer-tools';
import type { Ray, ScreenPosition } from './view/camera';
import { type Engine, explain, type Frame, type Run } from './view/engine';
import { Eye } from './view/viewpoint';

type Sites = WorkSite &
  SheetSite &
  RestartSite &
  ChoosingSite &
  PictureSite &
  PaceSite &
  AddressSite &
  KeepingSite &
  LookingSite &
  PanelEvents;

export class Playground implements Sites {
  private readonly address = new Address(this);
  private readonly restarts = new Restarts(this, {
    gpu: openGpuEngine,
    cpu: async () => (await import('./engines/cpu-engine')).openCpuEngine(),
  });
  private readonly choosing = new Choosing(this, this.restarts);
  private readonly eye: Eye;
  private readonly picture: Picture;
  readonly looking: Looking;
  readonly work: Work;
  private readonly pace: Pace;
  private readonly panel: Panel;
  private readonly meter: Meter;
  private readonly history = new History();
  readonly help = new Help();
  private readonly stagePlot = new StagePlot();
  readonly keeping: Keeping;
  readonly sheets: Sheets;
  /** When the last frame was, by the page's clock. */
  private last = 0;

  constructor(
    readonly stage: HTMLElement,
    free: HTMLElement,
  ) {
    this.eye = new Eye(stage, free, () => this.run?.simulation.dimensions);
    this.meter = new Meter(
      () => this.panel.showMeasures(this.meter.measures, this.run?.simulation),
      (error) => {
        // Of a run whose device is gone nothing more is to be said.
        if (this.run && !this.restarts.isBusy) this.panel.notify(explain(error));
      },
    );
    this.picture = new Picture(this, this.eye, () => this.meter.frame(performance.now()));
    this.work = new Work(this, this.eye);
    this.looking = new Looking(this, this.eye, this.work, this.choosing);
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.pace = new Pace(this, this.restarts, this.work, this.address.isPaused, isCalm);
    const { restarts, choosing, picture, pace, eye } = this;
    this.keeping = new Keeping(this, { restarts, choosing, picture, pace, eye });
    this.sheets = new Sheets(this, this.keeping);
    this.panel = new Panel(this, this.sheets, this.choices);
    this.panel.showPlaying(this.isPlaying);
    if (isCalm) {
      this.panel.notify('Paused, because your system asks for less motion. Play starts it.');
    }
    this.panel.showChoices(this.choices, this.choices.count);
    for (const element of [stage, free]) new ResizeObserver(() => this.redraw()).observe(element);
  }

  /** Opens an engine and starts the frames; resolves with the first picture. */
  async open(): Promise<void> {
    this.restarts.request(this.choices);
    requestAnimationFrame(this.tick);
    await this.restarts.settled();
  }

  get run(): Run | undefined {
    return this.restarts.run;
  }

  get engine(): Engine | undefined {
    return this.restarts.engine;
  }

  get choices(): Chosen {
    return this.choosing.choices;
  }

  set choices(choices: Chosen) {
    this.choosing.choices = choices;
  }

  get present(): Chosen {
    return this.restarts.present;
  }

  get isPlaying(): boolean {
    return this.pace.isPlaying;
  }

  /** The last state that was kept. */
  get latest(): State | undefined {
    return this.history.latest;
  }

  get simulation(): Run['simulation'] | undefined {
    return this.run?.simulation;
  }

  get measures(): Measured | undefined {
    return this.meter.measures;
  }

  get frame(): Frame | undefined {
    return this.picture.frame;
  }

  /** A point of the world, in CSS pixels from the window's top left corner. */
  toScreen(point: readonly number[]): readonly [number, number] {
    return this.eye.toScreen(point);
  }

  /** Resolves when all that was asked for has been done; while paused, drawn and measured too. */
  async settled(): Promise<void> {
    await this.restarts.settled();
    await this.choosing.settled();
    await this.sheets.settled();
    while (
      this.run &&
      !this.isPlaying &&
      !this.pace.isHeld &&
      (this.run.pending > 0 ||
        this.picture.isDirty ||
        !this.meter.isCurrent ||
        this.inspector?.isCurrent === false)
    ) {
      await new Promise(requestAnimationFrame);
    }
    this.address.write();
  }

  choose(change: Partial<Choices>): void {
    this.choosing.choose(change);
  }

  chooseAppearance(appearance: Appearance): void {
    chooseAppearance(appearance);
    this.address.writeSoon();
  }

  playOrPause(): void {
    this.pace.playOrPause();
    this.address.writeSoon();
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
      if (this.run) this.pace.step(this.run);
    };
    if (this.restarts.isBusy) this.restarts.settled().then(step);
    else step();
  }

  get isFilmed(): boolean {
    return this.pace.isFilmed;
  }

  /** Steps are under way that the GPU has not taken. */
  get isBehind(): boolean {
    return (this.run?.pending ?? 0) > 0;
  }

  reset(): void {
    this.clearNotes();
    this.restarts.request(this.choices);
  }

  /** The state that was kept before this one. */
  goBack(): void {
    const { run } = this;
    if (!run) return;
    if (run.simulation.isBusy) {
      requestAnimationFrame(() => this.goBack());
      return;
    }
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

  fit(): void {
    this.looking.fit();
  }

  rayAt(place: ScreenPosition): Ray {
    return this.eye.rayAt(place);
  }

  notify(text: string): void {
    this.panel.notify(text);
  }

  showEngineNote(text: string): void {
    this.panel.showEngineNote(text);
  }

  setGpuAvailable(isAvailable: boolean): void {
    this.panel.setGpuAvailable(isAvailable);
  }

  makeRoom(): Promise<void> {
    return this.restarts.makeRoom();
  }

  async hold(): Promise<() => void> {
    await this.restarts.settled();
    return this.pace.hold();
  }

  writeSoon(): void {
    this.address.writeSoon();
  }

  writeAddress(): void {
    this.address.write();
  }

  get inspector(): Inspector | undefined {
    return this.sheets.inspector;
  }

  copyLink(): Promise<void> {
    return this.keeping.copyLink();
  }

  savePicture(): Promise<void> {
    return this.keeping.savePicture();
  }

  get movesObstacles(): boolean {
    return movesObstacles(this.restarts.drive);
  }

  get cap(): Cap | undefined {
    return this.choosing.cap;
  }

  get canvas(): HTMLCanvasElement | undefined {
    return this.engine?.canvas;
  }

  redraw(): void {
    this.picture.isDirty = true;
  }

  get isToolChosen(): boolean {
    return this.work.isChosen;
  }

  /** Changes that a running simulation takes. */
  adjust(run: Run): void {
    this.restarts.adjust(run);
    this.meter.touch();
    this.choosing.prepare(run);
    this.showChoices();
    this.restarts.notifyCap();
  }

  prepareTool(): void {
    if (this.run) this.choosing.prepare(this.run);
  }

  async prepareFor(choices: Choices): Promise<void> {
    // Without tools there is still all to be seen.
    const working = this.work.prepare(choices).catch((error: unknown) => this.notify(explain(error)));
    await Promise.all([this.eye.prepare(choices.dimensions), working]);
  }

  colour(scale: Scale): void {
    this.picture.colour(scale);
  }

  showLegend(legend: Legend): void {
    this.panel.showLegend(legend);
  }

  show({ engine, run, scale, refusal, box, isOtherEngine, isOtherBox, hasPast }: Shown): void {
    const note = [refusal, box.leftOut].filter(Boolean).join(' ');
    if (note) this.panel.notify(note);
    this.eye.lookAt(box);
    if (isOtherEngine) {
      this.stage.replaceChildren(engine.canvas);
      this.panel.showEngine(engine);
      this.stagePlot.clear();
    }
    if (isOtherBox) this.eye.fitAll();
    this.regardOnce();
    this.picture.describe(engine.canvas, run);
    this.panel.setMost(engine.most(run.simulation.dimensions));
    this.panel.showWorld(run.simulation.world);
    this.meter.attach(run);
    this.history.attach(run, hasPast);
    this.pace.begin();
    this.picture.colour(scale);
    this.picture.draw(run);
  }

  showNothing(): void {
    this.panel.showEngine(undefined);
  }

  get isForced(): boolean {
    return this.restarts.isForced;
  }

  get regard(): Regard {
    return {
      look: this.eye.look,
      isPaused: this.pace.isPaused,
      inspected: this.inspector?.inspected,
      appearance: appearanceInAddress(),
    };
  }

  /** As the address has it, for the first run. */
  private regardOnce(): void {
    const { look, inspected } = this.address.takeRegard();
    if (look) this.eye.lookAs(look);
    if (inspected !== undefined) this.sheets.inspect(inspected);
  }

  private readonly tick = (now: number): void => {
    requestAnimationFrame(this.tick);
    // A hidden tab has no frames: what it missed is not made up for.
    const elapsed = Math.min(100, now - this.last);
    this.last = now;
    const { run } = this;
    if (!run || !this.pace.isReady(run)) return;
    try {
      this.work.update();
      if (this.pace.play(run, elapsed) && this.eye.drift(elapsed / 1000)) this.redraw();
      if (this.meter.update(now)) this.redraw();
      this.history.update(now);
      this.picture.update(run, now);
      this.inspector?.update(now);
      this.picture.handOver(now);
      this.address.note(this.inspector?.inspected);
      this.picture.explainOverlays(run);
    } catch (error) {
      this.pace.isPlaying = false;
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

  /** The state is another one. */
  changed(): void {
    this.inspector?.touch();
    this.meter.touch();
    this.history.touch();
    this.redraw();
  }

  showChoices(): void {
    this.panel.showChoices(this.choices, this.restarts.countOf(this.choices));
    this.address.writeSoon();
  }

  /** What was said about an earlier choice; why the CPU runs instead of the GPU stays. */
  clearNotes(): void {
    this.panel.notify('');
    if (this.engine && !this.isForced) this.panel.showEngineNote('');
  }
}
