/** The page's CPU engine. In a worker, it computes the next state while the page draws the last one. */
import type { StaticBodies } from '../../core/obstacles/tree';
import type { NewParticles, ObstaclesGiven, ParticleArrays, SimulationOptions } from '../../index';
import type { Colouring } from '../model/fields';
import { MOST_ON_CPU } from '../model/limits';
import { GRID_OVERLAYS, isAnyOf, NO_OVERLAYS, type OccupiedCounts, type Overlays } from '../model/overlays';
import type { MethodStart, SimulationView, State, ViewSettings } from '../model/simulation-view';
import type { Answers } from '../view/answers';
import { CanvasView } from '../view/canvas-view';
import {
  bodiesOfObstacles,
  type Engine,
  explain,
  type Frame,
  type Grip,
  type Run,
  refuseColours,
  type StepTime,
  type Stroke,
} from '../view/engine';
import type { CallName, Facts, Result, Seen, Values } from './cpu-calls';
import { type CpuLink, openLink } from './cpu-link';

export async function openCpuEngine(): Promise<Engine> {
  const view = new CanvasView();
  // Each run has its own worker, so that the run can end at once. The first run uses the worker that is opened here.
  const first = await openLink();
  let spare: CpuLink | undefined = first;
  return {
    kind: 'cpu',
    name: first.isWorker ? 'a thread of its own' : 'the page’s own thread',
    isSoftware: true,
    canvas: view.canvas,
    lost: new Promise<string>(() => undefined),
    most: () => MOST_ON_CPU,
    holds: () => true,
    start: (options, method) => {
      const link = spare ?? openLink();
      spare = undefined;
      return CpuRun.start(view, link, options, method);
    },
    destroy: () => {
      spare?.close();
      view.canvas.remove();
    },
  };
}

/** The simulation as the page sees it: the latest state that the engine sent. */
class CpuView implements SimulationView {
  readonly backend = 'cpu';
  readonly dimensions;
  readonly world;
  readonly radius;
  readonly radiusRange;
  readonly boxes;
  readonly capacity;
  readonly memoryBytes;
  readonly obstacleCapacity;
  readonly method;
  readonly kinds;
  readonly findPairs;
  time: number;
  settings: SimulationView['settings'];

  constructor(
    private readonly run: CpuRun,
    facts: Facts,
    public seen: Seen,
  ) {
    this.dimensions = facts.dimensions;
    this.world = facts.world;
    this.radius = facts.radius;
    this.radiusRange = facts.radiusRange;
    this.boxes = facts.boxes;
    this.capacity = facts.capacity;
    this.memoryBytes = facts.memoryBytes;
    this.obstacleCapacity = facts.obstacleCapacity;
    this.method = facts.method;
    this.kinds = facts.kinds;
    this.time = seen.time;
    this.settings = seen.settings;
    if (!facts.method) this.findPairs = () => this.run.ask('findPairs');
  }

  /** Sets the time and settings to the engine's. */
  synchronize(): void {
    this.time = this.seen.time;
    this.settings = this.seen.settings;
  }

  get count(): number {
    return this.seen.count;
  }

  get warnings(): readonly string[] {
    return this.seen.warnings;
  }

  get obstacleCount(): number {
    return this.seen.obstacleCount;
  }

  get births(): Float32Array<ArrayBuffer> {
    return this.seen.births;
  }

  get moved(): StaticBodies | undefined {
    return this.seen.moved;
  }

  /** Advances `time` at once: the drive of the next step needs it before the answer comes. */
  step(seconds: number): void {
    this.time += seconds;
    this.run.change('step', seconds).then(
      (stepTime) => {
        this.run.stepTime = stepTime;
      },
      () => undefined,
    );
  }

  set(changes: ViewSettings): void {
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    this.settings = { ...this.settings, ...Object.fromEntries(given) };
    this.run.tell('set', changes);
  }

  add(particles: NewParticles): void {
    this.run.tell('add', particles);
  }

  remove(ids: Uint32Array | readonly number[]): void {
    this.run.tell('remove', ids);
  }

  setObstacles(given: ObstaclesGiven): void {
    this.run.setObstacles(given);
  }

  read(): Promise<ParticleArrays> {
    return this.run.ask('read');
  }

  measure(): Promise<Result<'measure'>> {
    return this.run.ask('measure');
  }

  checkpoint(): Promise<State> {
    return this.run.ask('checkpoint');
  }

  restore(state: State): void {
    this.run.restore(state).catch(() => undefined);
  }

  destroy(): void {
    this.run.destroy();
  }
}

class CpuRun implements Run {
  readonly pending = 0;
  readonly simulation: CpuView;
  stepTime: StepTime | undefined;
  fixed: StaticBodies;
  restorations = 0;
  ahead = 0;
  hasNews = false;
  /** The obstacles of the seen state. */
  private seenFixed: StaticBodies;
  private failure: { readonly error: unknown } | undefined;
  occupied: OccupiedCounts | undefined;
  private overlays: typeof import('../view/canvas-overlay') | undefined;

  private constructor(
    private readonly view: CanvasView,
    private readonly link: CpuLink,
    readonly options: SimulationOptions,
    facts: Facts,
    seen: Seen,
  ) {
    this.simulation = new CpuView(this, facts, seen);
    this.fixed = bodiesOfObstacles(this.simulation, options.obstacles);
    this.seenFixed = this.fixed;
  }

  static async start(
    view: CanvasView,
    opening: CpuLink | Promise<CpuLink>,
    options: SimulationOptions,
    method: MethodStart | undefined,
  ): Promise<CpuRun> {
    const link = await opening;
    try {
      const made = method && { choices: method.choices, count: method.count };
      const { result, seen } = await link.ask('start', options, made);
      return new CpuRun(view, link, options, result, seen as Seen);
    } catch (error) {
      link.close();
      throw error;
    }
  }

  async ask<Name extends CallName>(name: Name, ...values: Values<Name>): Promise<Result<Name>> {
    return (await this.link.ask(name, ...values)).result;
  }

  /** Makes a call that changes the state. If it fails, the next step or frame throws its error. */
  async change<Name extends CallName>(name: Name, ...values: Values<Name>): Promise<Result<Name>> {
    const { fixed } = this;
    this.ahead++;
    try {
      const { result, seen } = await this.link.ask(name, ...values);
      if (seen) this.see(seen, fixed);
      return result;
    } catch (error) {
      this.failure ??= { error };
      this.hasNews = true;
      throw error;
    } finally {
      this.ahead--;
      // While calls are under way, the page's own time and settings are newer than the engine's.
      if (this.ahead === 0) this.simulation.synchronize();
    }
  }

  get births(): Float32Array {
    return this.simulation.births;
  }

  step(seconds: number): void {
    this.throwFailure();
    this.simulation.step(seconds);
  }

  async timeSteps(seconds: number, steps: number): Promise<StepTime> {
    return this.change('timeSteps', seconds, steps);
  }

  push(stroke: Stroke, seconds: number): void {
    this.tell('push', stroke, seconds);
  }

  hold(grip: Grip, seconds: number): void {
    this.tell('hold', grip, seconds);
  }

  add(particles: NewParticles): void {
    this.tell('add', particles);
  }

  setObstacles(given: ObstaclesGiven): void {
    if (this.simulation.method) return;
    this.fixed = bodiesOfObstacles(this.simulation, given);
    this.tell('setObstacles', given);
  }

  async restore(state: State): Promise<void> {
    this.restorations++;
    const { fixed } = this;
    if (!this.simulation.method) this.fixed = bodiesOfObstacles(this.simulation, state.obstacles);
    this.simulation.time = state.time;
    try {
      await this.change('restore', state);
    } catch (error) {
      // The caller handles the error. The state has not changed.
      this.failure = undefined;
      this.fixed = fixed;
      throw error;
    }
  }

  async createAnswers(): Promise<Answers> {
    const { createCpuAnswers } = await import('../tools/query/cpu-answers');
    return createCpuAnswers(this.simulation);
  }

  async prepareTool(): Promise<void> {}

  async prepareOverlays(shown: Overlays): Promise<string> {
    if (!isAnyOf(GRID_OVERLAYS, shown)) return '';
    this.overlays = await import('../view/canvas-overlay');
    return '';
  }

  /** Does nothing: this engine draws fluids as particles. */
  async prepareFluid(): Promise<string> {
    return '';
  }

  hasSurface(): boolean {
    return false;
  }

  drawable(wanted: Overlays): Overlays {
    return this.overlays?.drawableOnCpu(wanted, this.simulation) ?? NO_OVERLAYS;
  }

  missing(shown: Overlays): string {
    return this.overlays?.describeLeftOut(shown, this.simulation.count) ?? '';
  }

  async prepare(by: Colouring): Promise<string> {
    const refusal = refuseColours(this.simulation, by);
    if (refusal) return refusal;
    try {
      await this.change('count', by === 'contacts' || by === 'density' ? by : undefined);
      return '';
    } catch (error) {
      this.failure = undefined;
      return `${explain(error)} Colours show speed instead.`;
    }
  }

  draw(frame: Frame): void {
    this.throwFailure();
    this.hasNews = false;
    const { overlays, simulation } = this;
    const { particles } = simulation.seen;
    this.view.draw(
      simulation,
      particles,
      this.valuesOf(simulation.seen, frame.scale.by),
      this.seenFixed,
      frame,
      overlays &&
        ((context) => {
          const overlay = new overlays.CanvasOverlay(context, simulation, particles, frame);
          this.occupied = overlay.occupiedCounts;
          return overlay;
        }),
    );
  }

  destroy(): void {
    this.link.close();
  }

  tell<Name extends CallName>(name: Name, ...values: Values<Name>): void {
    // `change` keeps the error for the next step or frame.
    this.change(name, ...values).catch(() => undefined);
  }

  private see(seen: Seen, fixed: StaticBodies): void {
    const { simulation } = this;
    simulation.seen = seen;
    this.hasNews = true;
    // In 2D, a different StaticBodies object makes the view redraw the obstacles. So reuse the old object while the
    // obstacles are the same.
    if (!seen.moved) this.seenFixed = fixed;
    else if (!areSame(seen.moved, this.seenFixed)) this.seenFixed = seen.moved;
    if (seen.moved) this.fixed = this.seenFixed;
  }

  private throwFailure(): void {
    const { failure } = this;
    this.failure = undefined;
    if (failure) throw failure.error;
  }

  private valuesOf({ particles, counts, births, species, time }: Seen, by: Colouring): ArrayLike<number> {
    const { ids, velocities } = particles;
    if (by === 'id') return ids;
    if (by === 'species' && species) return Float32Array.from(ids, (id) => species[id] ?? 0);
    if (by === 'age') return Float32Array.from(ids, (id) => time - (births[id] ?? 0));
    if ((by === 'contacts' || by === 'density') && counts) return counts;
    const speeds = new Float32Array(ids.length);
    const { dimensions } = this.simulation;
    for (let particle = 0, first = 0; particle < speeds.length; particle++, first += dimensions) {
      const [x, y] = [velocities[first] as number, velocities[first + 1] as number];
      const z = dimensions === 3 ? (velocities[first + 2] as number) : 0;
      speeds[particle] = Math.sqrt(x * x + y * y + z * z);
    }
    return speeds;
  }
}

function areSame(first: StaticBodies, second: StaticBodies): boolean {
  const pairs = (['positions', 'radii', 'halves'] as const).map(
    (name) => [first[name], second[name]] as const,
  );
  return pairs.every(
    ([one, other]) =>
      one?.length === other?.length && (one?.every((value, index) => value === other?.[index]) ?? true),
  );
}
