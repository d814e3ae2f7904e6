/**
 * Purpose: the page as a whole: keeps an engine running what is chosen, steps it at the screen's pace, draws,
 * measures, and goes on in some way whatever happens to the GPU.
 */
import { GpuError, LimitError } from '../core/errors';
import { type Measures, planSimulation, type SimulationOptions } from '../core/simulation';
import { flatSight, Orbit, project, type Sight, type Viewport } from './camera';
import { readTheme, speedScale } from './colour';
import { openCpuEngine } from './cpu-engine';
import { type Engine, explain, explainMissingGpu, type Frame, type Run } from './engine';
import { openGpuEngine } from './gpu-engine';
import { Meter } from './meter';
import { Panel } from './panel';
import {
  type Choices,
  capOf,
  chooseScene,
  effectiveCount,
  FEWEST_PARTICLES,
  FIRST_CHOICES,
  formatCount,
  gravityVector,
  MOST_TYPED,
  STEP_SECONDS,
  simulationOptions,
} from './state';

const STEP_MS = 1000 * STEP_SECONDS;
/** Screens are not punctual: a step may be taken this much early. */
const EARLY_MS = 3;
/** Submissions under way past which a frame waits: a step and a picture each for two frames. */
const MOST_PENDING = 4;
/** A frame may ask for more pixels than help. */
const GREATEST_PIXEL_RATIO = 2;
/** Lost devices replaced before the page turns to the CPU. */
const MOST_LOSSES = 2;
/** Seconds that the picture of space stays as the visitor left it before it turns on. */
const REST_AFTER_TURN = 6;
const CPU_INSTEAD = 'The CPU engine runs the same collisions instead.';

export class Playground {
  readonly orbit = new Orbit();
  private choices: Choices = FIRST_CHOICES;
  /** What the present run was started with. */
  private running: Choices | undefined;
  private wanted: Choices | undefined;
  private working: Promise<void> | undefined;
  private engine: Engine | undefined;
  private run: Run | undefined;
  private scale = 1;
  private theme = readTheme();
  private isPlaying: boolean;
  private isDirty = true;
  private last = 0;
  private owed = 0;
  private restUntil = 0;
  private losses = 0;
  private readonly panel: Panel;
  private readonly meter: Meter;
  private readonly reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

  constructor(
    readonly stage: HTMLElement,
    private readonly free: HTMLElement,
  ) {
    this.panel = new Panel(this);
    this.meter = new Meter(
      () => this.panel.showMeasures(this.meter.measures),
      (error) => this.panel.notify(explain(error)),
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
      this.panel.showLegend(this.theme, this.scale);
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
    return { sight: this.sight(viewport), viewport, theme: this.theme, speedScale: this.scale };
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
    while (this.run && !this.isPlaying && (this.run.pending > 0 || this.isDirty || !this.meter.isCurrent)) {
      await new Promise(requestAnimationFrame);
    }
  }

  choose(change: Partial<Choices>): void {
    const before = this.choices;
    if (change.count !== undefined && !isCount(change.count)) {
      this.panel.notify(
        `The number of particles must be a whole number from ${formatCount(FEWEST_PARTICLES)} to ${formatCount(MOST_TYPED)}.`,
      );
      this.showChoices();
      return;
    }
    this.clearNotes();
    this.choices = change.scene ? chooseScene(before, change.scene) : { ...before, ...change };
    const isLive = Object.keys(change).every((name) => name === 'gravity' || name === 'broadPhase');
    if (isLive && this.run && !this.working && this.count === this.run.simulation.count) {
      this.adjust(this.run);
    } else {
      this.request(this.choices);
    }
  }

  playOrPause(): void {
    this.isPlaying = !this.isPlaying;
    this.owed = 0;
    this.panel.showPlaying(this.isPlaying);
    this.panel.notify('');
  }

  stepOnce(): void {
    if (this.isPlaying) this.playOrPause();
    const step = () => {
      if (this.run) this.advance(this.run);
    };
    if (this.working) this.working.then(step);
    else step();
  }

  reset(): void {
    this.clearNotes();
    this.request(this.choices);
  }

  /** The visitor turned or magnified the picture. */
  turned(): void {
    this.restUntil = performance.now() + 1000 * REST_AFTER_TURN;
    this.isDirty = true;
  }

  get canTurn(): boolean {
    return this.run?.simulation.dimensions === 3;
  }

  private get count(): number {
    return effectiveCount(this.choices, this.engine?.isSoftware ?? false);
  }

  /** Changes that a running simulation takes. */
  private adjust(run: Run): void {
    run.simulation.set({ gravity: gravityVector(this.choices), broadPhase: this.choices.broadPhase });
    this.running = this.choices;
    this.meter.touch();
    this.rescale(run);
    this.showChoices();
    this.notifyCap();
  }

  /** Starts over with these choices, once what is under way is done. */
  private request(choices: Choices): void {
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
        if (!this.run && choices.engine === 'gpu') {
          // Nothing to go back to: a GPU that fails at the first picture is as good as none.
          this.wanted ??= { ...choices, engine: 'cpu' };
          this.panel.showEngineNote(`${explain(error)} ${CPU_INSTEAD}`);
          continue;
        }
        this.panel.notify(explain(error));
        if (this.wanted) continue;
        if (this.running) this.choices = this.running;
        this.showChoices();
      }
    }
  }

  private async restart(choices: Choices): Promise<void> {
    const engine = await this.engineFor(choices);
    const actual = { ...choices, engine: engine.kind };
    const count = effectiveCount(actual, engine.isSoftware);
    let started: { readonly engine: Engine; readonly run: Run };
    try {
      started = await startOn(engine, simulationOptions(actual, count));
    } catch (error) {
      if (engine !== this.engine) engine.destroy();
      throw error;
    }
    this.take(started.engine, started.run);
    this.running = actual;
    if (!this.wanted) this.choices = actual;
    this.showChoices();
    this.notifyCap();
  }

  /** The present engine where it serves, else a new one; too much for the GPU throws before anything is made. */
  private async engineFor(choices: Choices): Promise<Engine> {
    const { engine } = this;
    if (engine?.kind !== choices.engine) return this.openEngine(choices);
    const { dimensions } = choices;
    const count = effectiveCount(choices, engine.isSoftware);
    return engine.holds(count) ? engine : openGpuEngine({ particles: count, dimensions });
  }

  private async openEngine(choices: Choices): Promise<Engine> {
    if (choices.engine === 'cpu') return openCpuEngine();
    try {
      return await openGpuEngine({ particles: choices.count, dimensions: choices.dimensions });
    } catch (error) {
      if (!(error instanceof GpuError)) throw error;
      const after = this.losses > 0 ? 'The GPU was lost and no other one can be had.' : '';
      this.panel.showEngineNote(`${after || explainMissingGpu(error)} ${CPU_INSTEAD}`);
      this.panel.setGpuAvailable(false);
      return openCpuEngine();
    }
  }

  /** Shows this run from now on. */
  private take(engine: Engine, run: Run): void {
    this.run?.destroy();
    this.run = run;
    if (engine !== this.engine) {
      this.engine?.destroy();
      this.engine = engine;
      this.stage.replaceChildren(engine.canvas);
      engine.lost.then((reason) => this.recover(engine, reason));
      this.panel.showEngine(engine);
    }
    this.describeCanvas(engine.canvas, run);
    this.rescale(run);
    this.meter.attach(run);
    this.owed = 0;
    this.draw(run);
  }

  /** After a loss: another device, and after some losses the CPU; the scene starts over. */
  private recover(engine: Engine, reason: string): void {
    if (engine !== this.engine) return;
    this.losses++;
    this.run = undefined;
    this.engine = undefined;
    const why = reason.trim().replace(/\.?$/, '.');
    if (this.losses <= MOST_LOSSES) {
      this.panel.showEngineNote(`The GPU was lost (${why}) The scene starts over on a new device.`);
    } else {
      this.choices = { ...this.choices, engine: 'cpu' };
      this.panel.showEngineNote(`The GPU was lost ${this.losses} times (${why}) The CPU engine takes over.`);
    }
    this.request(this.choices);
  }

  private readonly tick = (now: number): void => {
    requestAnimationFrame(this.tick);
    // A hidden tab has no frames: what it missed is not made up for.
    const elapsed = Math.min(100, now - this.last);
    this.last = now;
    const { run } = this;
    if (!run || run.pending >= MOST_PENDING) return;
    try {
      if (this.isPlaying) this.play(run, elapsed);
      if (this.meter.update(now)) this.isDirty = true;
      if (this.isDirty) this.draw(run);
    } catch (error) {
      this.isPlaying = false;
      this.panel.showPlaying(false);
      this.panel.notify(explain(error));
    }
    this.panel.showRates(
      this.isPlaying ? this.meter.framesPerSecond(now) : 0,
      run.stepTime,
      run.simulation.time,
    );
  };

  /** At most one step a frame, and none where the screen is quicker than the steps are long. */
  private play(run: Run, elapsed: number): void {
    this.owed = Math.min(this.owed + elapsed, 1.5 * STEP_MS);
    if (this.owed >= STEP_MS - EARLY_MS) {
      this.owed = Math.max(0, this.owed - STEP_MS);
      this.advance(run);
    }
    if (this.canTurn && !this.reducedMotion.matches && performance.now() > this.restUntil) {
      this.orbit.drift(elapsed / 1000);
      this.isDirty = true;
    }
  }

  private advance(run: Run): void {
    run.step(STEP_SECONDS);
    this.meter.touch();
    this.isDirty = true;
  }

  private draw(run: Run): void {
    const { frame } = this;
    if (!frame || frame.viewport.width === 0 || frame.viewport.height === 0) return;
    run.draw(frame);
    this.isDirty = false;
    this.meter.frame(performance.now());
  }

  private rescale(run: Run): void {
    this.scale = speedScale(run.simulation, run.options);
    this.panel.showLegend(this.theme, this.scale);
    this.isDirty = true;
  }

  private sight(viewport: Viewport): Sight {
    const world = this.run?.simulation.world;
    if (!world) throw new Error('Nothing runs that could be looked at.');
    return world.dimensions === 2 ? flatSight(world, viewport) : this.orbit.sight(world, viewport);
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
    const { dimensions } = run.simulation;
    canvas.tabIndex = dimensions === 3 ? 0 : -1;
    canvas.setAttribute('role', 'img');
    canvas.setAttribute(
      'aria-label',
      dimensions === 3
        ? 'Particles in a box, coloured by speed. Drag or use the arrow keys to turn, the wheel or plus and minus to come nearer.'
        : 'Particles in a box, coloured by speed.',
    );
  }

  private showChoices(): void {
    this.panel.showChoices(this.choices, this.count);
  }

  private notifyCap(): void {
    const cap = capOf(this.choices, this.engine?.isSoftware ?? false);
    const isCapped = cap !== undefined && this.choices.count > cap.most;
    if (isCapped) this.panel.notify(cap.reason);
  }

  /** What was said about an earlier choice; why the CPU runs instead of the GPU stays. */
  private clearNotes(): void {
    this.panel.notify('');
    if (this.engine?.kind === 'gpu') this.panel.showEngineNote('');
  }
}

function isCount(count: number): boolean {
  return Number.isInteger(count) && count >= FEWEST_PARTICLES && count <= MOST_TYPED;
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
