/** The page's CPU engine, drawn into a 2D canvas. */
import { Phrase } from '../../core/base/errors';
import type { StaticBodies } from '../../core/obstacles/tree';
import { planSimulation } from '../../core/simulation/plan';
import {
  ArgumentError,
  type NewParticles,
  type ObstaclesGiven,
  type ParticleArrays,
  type SimulationOptions,
} from '../../index';
import { MOST_ON_CPU } from '../model/choices';
import type { Colouring } from '../model/fields';
import { GRID_OVERLAYS, isAnyOf, NO_OVERLAYS, type Overlays, refuseOverlays } from '../model/overlays';
import type { CpuSimulationView, State } from '../model/simulation-view';
import { held, pushed } from '../tools/brush';
import { CanvasView } from '../view/canvas-view';
import type { CountNear } from '../view/cpu-tally';
import type { Grip, Stroke } from '../view/engine';
import {
  bodiesOfObstacles,
  type Engine,
  explain,
  type Frame,
  putBirths,
  type Run,
  refuseColours,
  type StepTime,
} from '../view/engine';

export async function openCpuEngine(): Promise<Engine> {
  const [{ createCpuSimulation }, { createCpuTally }] = await Promise.all([
    import('../../cpu/solver/simulation'),
    import('../view/cpu-tally'),
  ]);
  const view = new CanvasView();
  return {
    kind: 'cpu',
    name: 'one thread of JavaScript',
    isSoftware: true,
    canvas: view.canvas,
    lost: new Promise<string>(() => undefined),
    most: () => MOST_ON_CPU,
    holds: () => true,
    start: async (options, method) => {
      if (!method) checkCells(options);
      const body = method ? await method.onCpu(options) : createCpuSimulation(options);
      return new CpuRun(view, body, options, createCpuTally);
    },
    destroy: () => view.canvas.remove(),
  };
}

/** Most cells of a world with obstacles. Such a world stores four bytes per cell if all radii are equal. */
const MOST_CELLS = 2 ** 27;

function checkCells(options: SimulationOptions): void {
  if (!options.obstacles && !options.obstacleCapacity) return;
  const { kind, levels, cellCount } = planSimulation(options).world;
  if (kind === 'unbounded' || levels > 0 || cellCount <= MOST_CELLS) return;
  const accepted = `of at most ${MOST_CELLS} with obstacles on the CPU engine; use larger particles or a smaller box`;
  throw new ArgumentError('The box', new Phrase(`of ${cellCount} cells`), accepted);
}

class CpuRun implements Run {
  readonly pending = 0;
  stepTime: StepTime | undefined;
  fixed: StaticBodies;
  restorations = 0;
  readonly births: Float32Array;
  private readonly tallies = new Map<Colouring, CountNear>();
  private overlays: typeof import('../view/canvas-overlay') | undefined;

  constructor(
    private readonly view: CanvasView,
    readonly simulation: CpuSimulationView,
    readonly options: SimulationOptions,
    private readonly createTally: typeof import('../view/cpu-tally').createCpuTally,
  ) {
    this.fixed = bodiesOfObstacles(simulation, options.obstacles);
    this.births = simulation.births ?? new Float32Array(simulation.capacity);
  }

  step(seconds: number): void {
    const { total, stages } = this.simulation.profile(seconds);
    this.stepTime = { milliseconds: total, clock: 'page', stages };
    this.fixed = this.simulation.moved ?? this.fixed;
  }

  async timeSteps(seconds: number, steps: number): Promise<StepTime> {
    const began = performance.now();
    for (let step = 0; step < steps; step++) this.simulation.step(seconds);
    this.fixed = this.simulation.moved ?? this.fixed;
    return { milliseconds: (performance.now() - began) / steps, clock: 'page' };
  }

  push(stroke: Stroke, seconds: number): void {
    this.steer((state) => pushed(state.dimensions, state, stroke, seconds));
  }

  hold(grip: Grip, seconds: number): void {
    this.steer((state) => held(state.dimensions, state, grip, seconds));
  }

  add(particles: NewParticles): void {
    for (const id of this.simulation.add(particles)) this.births[id] = this.simulation.time;
  }

  setObstacles(given: ObstaclesGiven): void {
    this.simulation.setObstacles(given);
    this.fixed = bodiesOfObstacles(this.simulation, given);
  }

  restore(checkpoint: State): void {
    this.simulation.restore(checkpoint);
    this.restorations++;
    this.fixed = bodiesOfObstacles(this.simulation, checkpoint.obstacles);
    putBirths(this.births, checkpoint);
  }

  async prepareTool(): Promise<void> {}

  async prepareOverlays(shown: Overlays): Promise<string> {
    if (!isAnyOf(GRID_OVERLAYS, shown)) return '';
    const refusal = refuseOverlays(this.simulation);
    if (!refusal) this.overlays = await import('../view/canvas-overlay');
    return refusal;
  }

  /** Does nothing, because this engine draws fluids as particles. */
  async prepareFluid(): Promise<string> {
    return '';
  }

  hasSurface(): boolean {
    return false;
  }

  drawable(wanted: Overlays): Overlays {
    return this.overlays?.drawableOnCpu(wanted, this.simulation.count) ?? NO_OVERLAYS;
  }

  missing(shown: Overlays): string {
    return this.overlays?.describeLeftOut(shown, this.simulation.count) ?? '';
  }

  async prepare(by: Colouring): Promise<string> {
    const refusal = refuseColours(this.simulation, by);
    if (refusal || (by !== 'contacts' && by !== 'density') || this.tallies.has(by)) return refusal;
    try {
      this.tallies.set(by, this.createTally(this.simulation, this.options, by));
      return '';
    } catch (error) {
      return `${explain(error)} Colours show speed instead.`;
    }
  }

  draw(frame: Frame): void {
    const particles = this.simulation.read();
    // Narrows the type: the CPU engine returns no promise.
    if (particles instanceof Promise) return;
    const values = this.valuesOf(particles, frame.scale.by);
    const { overlays } = this;
    this.view.draw(
      this.simulation,
      particles,
      values,
      this.fixed,
      frame,
      overlays && ((context) => new overlays.CanvasOverlay(context, this.simulation, particles, frame)),
    );
  }

  destroy(): void {
    this.simulation.destroy();
  }

  private steer(velocitiesOf: (state: State) => Float32Array): void {
    const checkpoint = this.simulation.checkpoint();
    if (checkpoint instanceof Promise) return;
    this.simulation.restore({ ...checkpoint, velocities: velocitiesOf(checkpoint) });
  }

  private valuesOf(particles: ParticleArrays, by: Colouring): ArrayLike<number> {
    if (by === 'id') return particles.ids;
    const { time } = this.simulation;
    if (by === 'age') return Float32Array.from(particles.ids, (id) => time - (this.births[id] ?? 0));
    const counted = this.tallies.get(by)?.(particles);
    if (counted) return counted;
    const { dimensions } = this.simulation;
    return Float32Array.from(particles.ids, (_, particle) =>
      Math.hypot(...particles.velocities.subarray(dimensions * particle, dimensions * (particle + 1))),
    );
  }
}
