/**
 * Purpose: the page as a whole: takes what a visitor chooses, steps what runs at the screen's pace, draws and measures it, and
 * hands all else to whoever does it: restarts.ts keeps an engine running, eye.ts looks, tools.ts works with the pointer,
 * history.ts goes back, address.ts keeps the address, files.ts and sheets.ts have its sheets.
 */
import { applyDrive, movesObstacles } from '../scenes';
import { Address, type AddressSite } from './address';
import { chooseAppearance, onAppearance } from './appearance';
import type { Measured, State } from './body';
import type { Ray } from './camera';
import { type Cap, capOf, changedFields, chooseScene, type Hardware, roomFor, STEP_SECONDS } from './choices';
import { legendOf, readTheme, type Scale } from './colour';
import { drivable, type Engine, explain, type Frame, type Run } from './engine';
import { Eye } from './eye';
import { type Choices, type FieldName, fieldOf, MOST_PARTICLES, refusalOf } from './fields';
import { type FileSubject, Files } from './files';
import { formatCount } from './format';
import { openGpuEngine } from './gpu-engine';
import { Help } from './help';
import { History } from './history';
import type { Inspector } from './inspector';
import { Later } from './later';
import { type Regard, readLink } from './link';
import { themeOf } from './liquid-look';
import { Meter } from './meter';
import { type Chosen, describeOpened, type Opened, refuseOpened } from './opened';
import { OverlayKey } from './overlay-key';
import { hidesLines, shownOf } from './overlays';
import { find, Panel, type PanelEvents } from './panel';
import { goOnFrom, prepare, seenOf } from './prepare';
import { type RestartSite, Restarts, type Shown } from './restarts';
import { nextTask, saveFile } from './save';
import { type SheetSite, Sheets } from './sheets';
import { StagePlot } from './stage-plot';
import type { Place, Workplace } from './tools';

const STEP_MS = 1000 * STEP_SECONDS;
/** Screens are not punctual: a step may be taken this much early. */
const EARLY_MS = 3;
/** Submissions under way past which a frame waits: a step and a picture each for two frames. */
const MOST_PENDING = 4;
/** Where a step takes longer than so many milliseconds, none: what is chosen next is to be seen soon. */
const SLOW_MS = 100;
const MOST_PENDING_SLOW = 1;
/** A live film has a picture that stands still again after so long: that lasts, too, and marks may change beside it. */
const STILL_MS = 250;

export class Playground implements Workplace, FileSubject, SheetSite, RestartSite, AddressSite, PanelEvents {
  choices: Chosen = readLink(location.search);
  private readonly address = new Address(this);
  private readonly restarts = new Restarts(this, {
    gpu: openGpuEngine,
    cpu: async () => (await import('./cpu-engine')).openCpuEngine(),
  });
  private readonly eye: Eye;
  /** Colours and tools that are not ready yet. */
  private preparing: Promise<void> = Promise.resolve();
  private scale: Scale = { by: 'speed', end: 1 };
  private theme = readTheme();
  /** The last picture. */
  private drawn: Frame | undefined;
  isPlaying: boolean;
  /** By the visitor, or an address. */
  private isPaused = this.address.isPaused;
  private isDirty = true;
  private last = 0;
  private owed = 0;
  private place: Place | undefined;
  private readonly panel: Panel;
  private readonly meter: Meter;
  private readonly history = new History();
  private readonly help = new Help();
  private readonly stagePlot = new StagePlot();
  /** The run waits for a sweep on another one. */
  private isHeld = false;
  private readonly key = new OverlayKey();
  readonly files = new Files(this);
  readonly sheets: Sheets = new Sheets(this);
  /** Loaded when one is chosen. */
  private readonly tools = new Later(async () => new (await import('./tools')).Tools(this));
  /** A film takes the steps. */
  private isFilmed = false;
  /** Of a live film, which takes pictures as they come. */
  private watcher: ((layers: readonly HTMLCanvasElement[]) => void) | undefined;
  private watchedAt = 0;

  constructor(
    readonly stage: HTMLElement,
    free: HTMLElement,
  ) {
    this.eye = new Eye(stage, free, () => this.run?.simulation.dimensions);
    this.panel = new Panel(this, this.sheets, this.choices);
    this.meter = new Meter(
      () => this.panel.showMeasures(this.meter.measures, this.run?.simulation),
      (error) => {
        // Of a run whose device is gone nothing more is to be said.
        if (this.run && !this.restarts.isBusy) this.panel.notify(explain(error));
      },
    );
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.isPlaying = !isCalm && !this.isPaused;
    this.panel.showPlaying(this.isPlaying);
    if (isCalm) {
      this.panel.notify('Paused, because your system asks for less motion. Play starts it.');
    }
    this.panel.showChoices(this.choices, this.choices.count);
    const redraw = () => {
      this.isDirty = true;
    };
    for (const element of [stage, free]) new ResizeObserver(redraw).observe(element);
    onAppearance(() => {
      this.theme = readTheme();
      this.showLegend();
      redraw();
    });
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

  private get engine(): Engine | undefined {
    return this.restarts.engine;
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

  get currentEngine(): Engine | undefined {
    return this.engine;
  }

  get frame(): Frame | undefined {
    if (!this.run) return undefined;
    const { scale, eye, isSurface } = this;
    const theme = themeOf(this.theme, scale, isSurface);
    const { viewport, box } = eye;
    const overlays = this.run.drawable(shownOf(this.choices));
    return { box, sight: eye.sight(viewport), viewport, theme, scale, overlays, isSurface };
  }

  private get isSurface(): boolean {
    const { run, choices } = this;
    if (!run || choices.liquidAs !== 'surface') return false;
    // Water hides lines in space.
    const isHiding = run.simulation.dimensions === 3 && hidesLines(run.drawable(shownOf(choices)));
    return !isHiding && run.hasSurface(this.scale.by);
  }

  /** A point of the world, in CSS pixels from the window's top left corner. */
  toScreen(point: readonly number[]): readonly [number, number] {
    return this.eye.toScreen(point);
  }

  /** Resolves when all that was asked for has been done; while paused, drawn and measured too. */
  async settled(): Promise<void> {
    await this.restarts.settled();
    await this.preparing;
    await this.sheets.settled();
    while (
      this.run &&
      !this.isPlaying &&
      !this.isHeld &&
      (this.run.pending > 0 || this.isDirty || !this.meter.isCurrent || this.inspector?.isCurrent === false)
    ) {
      await new Promise(requestAnimationFrame);
    }
    this.address.write();
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
    const tooMany = refuseOpened(after, this.hardware);
    if (tooMany !== undefined) {
      this.panel.notify(tooMany);
      this.showChoices();
      return;
    }
    const { run, restarts } = this;
    const startsOver = leaves || effects.has('start') || restarts.countOf(before) !== restarts.countOf(after);
    const cap = capOf(after, this.hardware);
    if (!startsOver && run && cap && run.simulation.count > cap.most) {
      this.panel.notify(`There are ${formatCount(run.simulation.count)} particles. ${cap.reason}`);
      this.showChoices();
      return;
    }
    this.choices = after;
    if (change.engine) restarts.isForced = false;
    if (startsOver || (!run && !restarts.isBusy)) restarts.request(this.choices);
    // The run that is being started takes it over.
    else if (!run || restarts.isBusy) this.showChoices();
    else this.adjust(run);
  }

  playOrPause(): void {
    this.isPlaying = !this.isPlaying;
    this.isPaused = !this.isPlaying;
    this.address.writeSoon();
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
    if (this.restarts.isBusy) this.restarts.settled().then(step);
    else step();
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

  pan(across: number, down: number): void {
    this.eye.pan(across, down);
    this.looked();
  }

  /** Nearer by a factor to a place of the window, CSS pixels. */
  zoom(factor: number, x: number, y: number): void {
    this.eye.zoom(factor, { x, y });
    this.looked();
  }

  zoomMiddle(factor: number): void {
    this.eye.zoom(factor, this.eye.middle);
    this.looked();
  }

  turn(yaw: number, pitch: number): void {
    this.eye.turn(yaw, pitch);
    this.looked();
  }

  /** Where the world has no end, around the particles as they are now. */
  fit(): void {
    this.eye.fit();
    this.address.writeSoon();
    this.isDirty = true;
    const { run } = this;
    if (run?.simulation.world.kind !== 'unbounded') return;
    this.preparing = this.preparing.then(async () => {
      try {
        const box = await seenOf(run);
        if (run !== this.run) return;
        this.eye.lookAt(box);
        this.isDirty = true;
        if (box.leftOut) this.panel.notify(box.leftOut);
      } catch (error) {
        if (run === this.run) this.panel.notify(explain(error));
      }
    });
  }

  /** Where the pointer works, CSS pixels of the window; undefined when it is up again. */
  workAt(place: Place | undefined): void {
    this.place = place;
    this.eye.rest();
    this.tools.part?.at(place);
    this.showBrush();
  }

  /** The tool in the middle of the picture, for keys. */
  workInMiddle(isDown: boolean): void {
    this.workAt(isDown && this.isToolChosen ? this.eye.middle : undefined);
  }

  rayAt(place: Place): Ray {
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
    this.isHeld = true;
    return () => {
      this.isHeld = false;
    };
  }

  private get inspector(): Inspector | undefined {
    return this.sheets.inspector;
  }

  toggleHelp(): void {
    this.help.toggle();
  }

  async copyLink(): Promise<void> {
    this.address.write();
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
    const { run } = this;
    if (!run) return;
    const blob = await this.takePicture(
      run,
      (picture) => new Promise<Blob | null>((done) => picture.toBlob(done, 'image/png')),
    );
    if (!blob) {
      this.panel.notify('The browser could not make a picture of the canvas.');
      return;
    }
    saveFile(blob, `${this.stem}.png`);
  }

  get stem(): string {
    const { opened, scene, dimensions } = this.restarts.present;
    const name = opened?.name.replace(/^cellstorm-|(-[23]d-[\d.]+s)?\.\w+$/g, '') ?? scene;
    return `cellstorm-${name}-${dimensions}d-${(this.run?.simulation.time ?? 0).toFixed(2)}s`;
  }

  get mostParticles(): number {
    const cap = capOf({ ...this.choices, scene: '', broadPhase: 'grid' }, this.hardware);
    return cap?.most ?? MOST_PARTICLES;
  }

  /** The scene that what runs is a state of, where that is known. */
  get scene(): string | undefined {
    const { opened, scene } = this.restarts.present;
    return opened ? opened.scene : scene;
  }

  get isDriven(): boolean {
    return this.restarts.drive !== undefined;
  }

  get movesObstacles(): boolean {
    return movesObstacles(this.restarts.drive);
  }

  get cap(): Cap | undefined {
    return capOf(this.choices, this.hardware);
  }

  /** Starts from a file; what cannot be leaves everything as it is, and says why. */
  async openParticles(opened: Opened): Promise<void> {
    this.clearNotes();
    const chosen = { ...this.choices, ...opened.choices, opened };
    const tooMany = refuseOpened(chosen, this.hardware);
    this.choices = tooMany === undefined ? chosen : { ...chosen, broadPhase: 'grid' };
    this.restarts.request(this.choices);
    await this.restarts.settled();
    if (this.restarts.present.opened !== opened) return;
    const grid = tooMany === undefined ? '' : ` ${tooMany} The grid is chosen instead.`;
    this.panel.notify(`${describeOpened(opened)}${grid}`);
  }

  get take(): Run | undefined {
    return this.run;
  }

  get canvas(): HTMLCanvasElement | undefined {
    return this.engine?.canvas;
  }

  get losses(): number {
    return this.restarts.losses;
  }

  takeSteps(isFilmed: boolean): void {
    this.isFilmed = isFilmed;
    this.owed = 0;
  }

  async caughtUp(): Promise<void> {
    while (this.run && this.run.pending >= MOST_PENDING) await nextTask();
  }

  async shoot(take: (picture: HTMLCanvasElement) => Promise<void>): Promise<void> {
    const { run } = this;
    if (!run) return;
    this.advance(run);
    this.eye.drift(STEP_SECONDS);
    await this.inspector?.catchUp();
    // Something else runs meanwhile.
    if (run === this.run) await this.takePicture(run, take);
  }

  /** A canvas of WebGPU keeps its picture only as long as the task that drew it. */
  private takePicture<Result>(run: Run, take: (picture: HTMLCanvasElement) => Result): Result | undefined {
    const { canvas } = this;
    if (!canvas) return undefined;
    this.draw(run);
    return take(this.inspector?.laidOver(canvas) ?? canvas);
  }

  watch(see: ((layers: readonly HTMLCanvasElement[]) => void) | undefined): void {
    this.watcher = see;
  }

  /** The visitor moved the picture. */
  private looked(): void {
    // A tool that is at work goes over what is looked at now.
    if (this.place) this.tools.part?.at(this.place);
    this.address.writeSoon();
    this.isDirty = true;
  }

  /** Whether dragging moves particles, not the picture. */
  get isToolChosen(): boolean {
    return this.choices.pointer !== 'look';
  }

  /** Whether a particle is being dragged. */
  get isHolding(): boolean {
    return this.tools.part?.isHolding ?? false;
  }

  get canTurn(): boolean {
    return this.eye.canTurn;
  }

  private get hardware(): Hardware {
    return this.restarts.hardware;
  }

  /** Changes that a running simulation takes. */
  adjust(run: Run): void {
    this.restarts.adjust(run);
    this.meter.touch();
    this.prepare(run);
    this.showChoices();
    this.restarts.notifyCap();
  }

  async prepareFor({ dimensions, pointer }: Choices): Promise<void> {
    const tools =
      pointer === 'look'
        ? undefined
        : // Without them there is still all to be seen.
          this.tools.get().catch((error: unknown) => this.notify(explain(error)));
    await Promise.all([this.eye.prepare(dimensions), tools]);
  }

  show({ engine, run, scale, refusal, box, isOtherEngine, isOtherBox, hasPast }: Shown): void {
    const note = [refusal, box.leftOut].filter(Boolean).join(' ');
    if (note) this.panel.notify(note);
    this.scale = scale;
    this.eye.lookAt(box);
    if (isOtherEngine) {
      this.stage.replaceChildren(engine.canvas);
      this.panel.showEngine(engine);
      this.stagePlot.clear();
    }
    if (isOtherBox) this.eye.fitAll();
    this.regardOnce();
    this.describeCanvas(engine.canvas, run);
    this.panel.setMost(engine.most(run.simulation.dimensions));
    this.panel.showWorld(run.simulation.world);
    this.meter.attach(run);
    this.history.attach(run.simulation, hasPast);
    this.showLegend();
    this.owed = 0;
    this.draw(run);
  }

  get isForced(): boolean {
    return this.restarts.isForced;
  }

  get regard(): Regard {
    return { look: this.eye.look, isPaused: this.isPaused, inspected: this.inspector?.inspected };
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
    const isSlow = (run?.stepTime?.milliseconds ?? 0) > SLOW_MS;
    if (!run || this.isHeld || run.pending >= (isSlow ? MOST_PENDING_SLOW : MOST_PENDING)) return;
    try {
      this.tools.part?.update();
      // Long steps would hold up what is to come instead.
      const isWaiting = this.restarts.isCarrying || this.isFilmed || (isSlow && this.restarts.isBusy);
      if (this.isPlaying && !isWaiting) this.play(run, elapsed);
      if (this.meter.update(now)) this.isDirty = true;
      this.history.update(now);
      const isWatched = this.watcher && (this.isDirty || now - this.watchedAt > STILL_MS);
      if (this.isDirty || isWatched) this.draw(run);
      this.inspector?.update(now);
      if (isWatched && this.canvas) {
        this.watcher?.([this.canvas, ...(this.inspector?.layers ?? [])]);
        this.watchedAt = now;
      }
      this.address.note(this.inspector?.inspected);
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
    if (this.eye.drift(elapsed / 1000)) this.isDirty = true;
  }

  private advance(run: Run): void {
    const seconds = STEP_SECONDS * this.choices.timeScale;
    this.tools.part?.beforeStep(run, seconds);
    // As the gravity that is chosen scales it.
    applyDrive(drivable(run), this.restarts.drive, this.choices.gravity);
    // A step that is timed by its stages is not done at once, and the film shows it.
    run.step(seconds, !this.isFilmed);
    this.changed();
  }

  /** A ring as wide as the brush reaches where the eye looks at. */
  private showBrush(): void {
    const { place, run } = this;
    const ring = find('brush-ring', HTMLElement);
    ring.hidden = !place || !run;
    if (!place || !run) return;
    const sight = this.eye.sight(this.eye.viewport);
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
        await this.prepareFor(choices);
        const { scale, refusal } = await prepare(run, choices);
        // Another run has been given its own meanwhile.
        if (run !== this.run) return;
        if (refusal) this.panel.notify(refusal);
        this.scale = scale;
        this.isDirty = true;
        this.showLegend();
        const { capacity, obstacleCapacity } = roomFor({ ...choices, most: this.cap?.most }, run.options);
        const { simulation } = run;
        // Of what a method moves by itself there is never more.
        const isShort =
          simulation.capacity < (capacity ?? 0) ||
          (!simulation.method && simulation.obstacleCapacity < (obstacleCapacity ?? 0));
        if (isShort) await this.makeRoom();
      } catch (error) {
        if (run === this.run) this.panel.notify(explain(error));
      }
    });
  }

  private showLegend(): void {
    this.panel.showLegend(legendOf(this.scale, themeOf(this.theme, this.scale, this.isSurface)));
  }

  private describeCanvas(canvas: HTMLCanvasElement, run: Run): void {
    const { dimensions, world } = run.simulation;
    const where = world.kind === 'unbounded' ? 'a world without end' : 'a box';
    const drag = dimensions === 3 ? 'turn' : 'move';
    canvas.tabIndex = 0;
    canvas.setAttribute('role', 'img');
    canvas.setAttribute(
      'aria-label',
      `Particles in ${where}. Drag or use the arrow keys to ${drag} it, the wheel or plus and minus to come nearer, F to see all.`,
    );
  }

  showChoices(): void {
    chooseAppearance(this.choices.appearance);
    this.panel.showChoices(this.choices, this.restarts.countOf(this.choices));
    this.address.writeSoon();
  }

  /** What was said about an earlier choice; why the CPU runs instead of the GPU stays. */
  private clearNotes(): void {
    this.panel.notify('');
    if (this.engine?.kind === 'gpu') this.panel.showEngineNote('');
  }
}
