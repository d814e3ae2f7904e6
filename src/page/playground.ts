/**
 * Creates the page's parts and runs the frames.
 *
 * To follow a choice to its picture, read these files:
 *   panel/panel.ts          passes the choice of a control on;
 *   session/chooser.ts      refuses it, gives it to the run, or requests a new run;
 *   session/restarts.ts     opens the engine and starts one run at a time on it;
 *   view/session.ts         holds the choices and the run for all other parts;
 *   playground.ts           shows the new run (`show`) and runs the frames (`tick`);
 *   session/stepper.ts      decides when to take a step;
 *   session/picture.ts      prepares colours and overlays, and combines all that a frame is drawn from;
 *   engines/gpu-engine.ts   creates the simulation, steps it, and passes it to the view;
 *   view/gpu-view.ts        draws it. Without a GPU, cpu-engine.ts and view/canvas-view.ts replace the last two.
 */
import { Address } from './address';
import { lookForGpu, openGpuEngine } from './engines/gpu-engine';
import type { Selection } from './model/opened';
import type { Measured } from './model/simulation-view';
import { Files } from './panel/files';
import { Panel } from './panel/panel';
import { Sheets } from './panel/sheets';
import type { StagePlot } from './panel/stage-plot';
import { Chooser } from './session/chooser';
import { History } from './session/history';
import { describeRefused, isBare, readLink, readViewState } from './session/link';
import { Meter } from './session/meter';
import { Navigation } from './session/navigation';
import { Picture } from './session/picture';
import { Restarts, type Shown } from './session/restarts';
import { Stepper } from './session/stepper';
import { Later } from './support/later';
import { notify, notifyToo } from './support/notes';
import { PointerTools } from './tools/pointer-tools';
import { explain, type Frame, goOnFrom, type Run } from './view/engine';
import { Session } from './view/session';
import { Viewpoint } from './view/viewpoint';

const firstMinute = () => import('./session/first-minute');

export class Playground {
  readonly session = new Session(readLink(location.search));
  readonly viewpoint: Viewpoint;
  readonly tools: PointerTools;
  readonly navigation: Navigation;
  readonly sheets: Sheets;
  readonly files: Files;
  readonly address: Address;
  private readonly history = new History();
  /** Loaded after the first picture. */
  private stagePlot: StagePlot | undefined;
  private isPlotMissing = false;
  private readonly picture: Picture;
  readonly meter: Meter;
  readonly restarts: Restarts;
  private readonly chooser: Chooser;
  readonly stepper: Stepper;
  private readonly panel: Panel;
  private readonly suggestions = new Later(() => import('./panel/cell-suggestion'));
  private suggestedFor: Run | undefined;
  /** Time of the last frame, in milliseconds of the page's clock. */
  private last = 0;

  constructor(
    readonly stage: HTMLElement,
    free: HTMLElement,
  ) {
    const { session, history } = this;
    const viewpoint = new Viewpoint(stage, free, () => session.run?.simulation.dimensions);
    const picture = new Picture(session, viewpoint);
    const load = async (choices: Selection): Promise<void> => {
      // If tools fail to load, the run starts anyway.
      const working = tools.prepare(choices).catch((error: unknown) => notify(explain(error)));
      await Promise.all([viewpoint.prepare(choices.dimensions), working]);
    };
    const openers = {
      look: lookForGpu,
      gpu: openGpuEngine,
      cpu: async () => (await import('./engines/cpu-engine')).openCpuEngine(),
    };
    const restarts = new Restarts(session, history, openers, load);
    if (isBare(location.search)) {
      restarts.engineChoice.measure = async (engine) =>
        (await firstMinute()).measureOpening(engine, navigator.hardwareConcurrency || 1);
    }
    const chooser = new Chooser(session, restarts, picture, load);
    const tools = new PointerTools(session, viewpoint, chooser, picture);
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const isPaused = readViewState(location.search).isPaused ?? false;
    const stepper = new Stepper(session, restarts, tools, isPaused, isCalm);
    const parts = { session, restarts, chooser, stepper, tools, viewpoint, picture };
    this.files = new Files(session, chooser, picture);
    this.sheets = new Sheets(parts);
    this.address = new Address(session, viewpoint, stepper, this.sheets);
    this.navigation = new Navigation(session, viewpoint, tools, chooser, picture);
    this.meter = new Meter(
      () => {
        this.panel.showMeasures(this.meter.measures, session.run?.simulation);
        this.suggestCells();
      },
      (error) => {
        // While a lost device is being replaced, show only the note about the loss.
        if (session.run && !restarts.isBusy) notify(explain(error));
      },
    );
    const { navigation, sheets, files, address } = this;
    this.panel = new Panel({ actions: this, chooser, navigation, sheets, files, address }, session.choices);
    this.viewpoint = viewpoint;
    this.picture = picture;
    this.restarts = restarts;
    this.chooser = chooser;
    this.tools = tools;
    this.stepper = stepper;
    this.listen();
    this.panel.showPlaying(stepper.isPlaying);
    if (isCalm) notify('Paused, because your system asks for less motion. Press Play.');
    this.panel.showChoices(session.choices, session.choices.count);
    for (const element of [stage, free]) new ResizeObserver(() => this.redraw()).observe(element);
  }

  private listen(): void {
    const { session, restarts, picture, meter, history, panel } = this;
    session.choicesChanged.listen(() =>
      panel.showChoices(session.choices, restarts.countOf(session.choices), session.why),
    );
    session.particlesChanged.listen(() => meter.touch());
    session.particlesChanged.listen(() => history.touch());
    restarts.adjusted.listen(() => meter.touch());
    restarts.shown.listen((shown) => this.show(shown));
    restarts.stopped.listen(() => panel.showEngine(undefined));
    restarts.gpuMissing.listen(() => panel.setGpuAvailable(false));
    picture.painted.listen(() => meter.frame(performance.now()));
    picture.legend.listen((legend) => panel.showLegend(legend));
  }

  /** Resolves when the first picture is drawn or the page has given up. */
  async open(): Promise<void> {
    // Read this now, because the page overwrites the URL.
    const refused = describeRefused(location.search);
    this.restarts.request(this.session.choices);
    requestAnimationFrame(this.tick);
    await this.restarts.settled();
    if (refused) notifyToo(refused);
    // Load the plot after the task that draws the first picture.
    setTimeout(() => this.loadPlot());
    // If loading fails, the scene stays as it is.
    if (this.session.opening)
      firstMinute().then(
        ({ watchFrames }) => watchFrames(this),
        () => undefined,
      );
  }

  /** Shows no sign of waiting, because the visitor did not ask for the plot. */
  private async loadPlot(): Promise<void> {
    this.isPlotMissing = false;
    try {
      const { StagePlot: Plot } = await import('./panel/stage-plot');
      this.stagePlot = new Plot();
      this.stagePlot.clear();
    } catch (error) {
      // The next start loads it again.
      this.isPlotMissing = true;
      notify(explain(error));
    }
  }

  async settled(): Promise<void> {
    const { session, restarts, chooser, sheets, stepper, picture, meter } = this;
    await restarts.settled();
    await chooser.settled();
    await sheets.settled();
    while (
      session.run &&
      !stepper.isPlaying &&
      !stepper.isHeld &&
      (session.run.pending > 0 ||
        (session.run.ahead ?? 0) > 0 ||
        session.run.hasNews ||
        picture.isDirty ||
        !meter.isCurrent ||
        sheets.inspector?.isCurrent === false ||
        !this.tools.isCurrent)
    ) {
      await new Promise(requestAnimationFrame);
    }
    this.address.write();
  }

  get measures(): Measured | undefined {
    return this.meter.measures;
  }

  get frame(): Frame | undefined {
    return this.picture.frame;
  }

  playOrPause(): void {
    this.stepper.playOrPause();
    this.panel.showPlaying(this.stepper.isPlaying);
    notify('');
  }

  stepOnce(): void {
    const { session, restarts, stepper } = this;
    if (stepper.isFilmed) {
      notify('Stop the film first: it takes all steps.');
      return;
    }
    if (stepper.isPlaying) this.playOrPause();
    const step = () => {
      if (session.run) stepper.step(session.run);
    };
    if (restarts.isBusy) restarts.settled().then(step);
    else step();
  }

  /** True if the engine has unfinished steps or pictures. */
  get isBehind(): boolean {
    const { pending = 0, ahead = 0 } = this.session.run ?? {};
    return pending + ahead > 0;
  }

  reset(): void {
    this.chooser.clearNotes();
    this.restarts.request(this.session.choices);
  }

  async goBack(): Promise<void> {
    const { session, history } = this;
    const { run } = session;
    if (!run) return;
    if (run.simulation.isBusy) {
      requestAnimationFrame(() => this.goBack());
      return;
    }
    const checkpoint = history.takeBefore(run.simulation.time);
    if (!checkpoint) return;
    notify(`Back at ${checkpoint.time.toFixed(2)} s.`);
    try {
      await goOnFrom(run, checkpoint);
    } catch (error) {
      // The next attempt then takes an earlier state.
      history.forget(checkpoint);
      if (run === session.run) notify(explain(error));
      return;
    }
    session.particlesChanged.emit();
  }

  /** Marks the suggested cell size once per run. After a failure, the slider only lacks its mark. */
  private async suggestCells(): Promise<void> {
    const { run } = this.session;
    if (!run || run === this.suggestedFor) return;
    this.suggestedFor = run;
    const suggestion = await this.suggestions
      .get()
      .then(({ suggestFor }) => suggestFor(run))
      .catch(() => undefined);
    if (run !== this.session.run) return;
    const { cellSize = 0, diameter = 1, widest = 1, reason = '' } = suggestion ?? {};
    this.panel.showSuggestion(suggestion && { diameters: cellSize / diameter, widest, reason });
  }

  private redraw(): void {
    this.picture.isDirty = true;
  }

  private show({ engine, run, scale, refusal, box, isOtherEngine, isOtherBox, hasPast }: Shown): void {
    const { viewpoint, panel, picture } = this;
    if (this.isPlotMissing) this.loadPlot();
    const note = [refusal, box.leftOut].filter(Boolean).join(' ');
    if (note) notify(note);
    viewpoint.show(box);
    if (isOtherEngine) {
      this.stage.replaceChildren(engine.canvas);
      panel.showEngine(engine);
      this.stagePlot?.clear();
    }
    if (isOtherBox) viewpoint.fitAll();
    this.address.applyOpened();
    picture.describe(engine.canvas, run);
    panel.setMost(engine.most(run.simulation.dimensions));
    panel.showWorld(run.simulation.world);
    this.meter.attach(run);
    this.history.attach(run, hasPast);
    this.stepper.begin();
    picture.colour(scale);
    picture.draw(run);
  }

  private readonly tick = (now: number): void => {
    requestAnimationFrame(this.tick);
    // A tab that was hidden does not catch up on the missed time.
    const elapsed = Math.min(100, now - this.last);
    this.last = now;
    const { session, tools, stepper, viewpoint, meter, picture, panel } = this;
    const { inspector } = this.sheets;
    this.address.update(now);
    const { run } = session;
    if (!run || !stepper.isReady(run)) return;
    try {
      tools.update();
      if (stepper.play(run, elapsed) && viewpoint.drift(elapsed / 1000)) this.redraw();
      if (meter.update(now)) this.redraw();
      this.history.update(now);
      picture.update(run, now);
      inspector?.update(now);
      tools.mark(now);
      picture.handOver(now);
      picture.explainOverlays(run);
    } catch (error) {
      stepper.isPlaying = false;
      panel.showPlaying(false);
      notify(explain(error));
    }
    panel.showRates(stepper.isPlaying ? meter.framesPerSecond : undefined, run.stepTime, run.simulation.time);
    this.stagePlot?.update(run.stepTime, now);
  };
}
