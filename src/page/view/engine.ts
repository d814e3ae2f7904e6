/**
 * The page's interface to an engine, which computes and draws: the GPU (gpu-engine.ts) or the CPU (cpu-engine.ts). An
 * engine owns a canvas and starts runs. A run owns one SimulationView: a simulation of collisions or a method.
 */
import { CellstormError, GpuError } from '../../core/base/errors';
import { NO_OBSTACLES, type ObstaclesGiven, readObstacles } from '../../core/obstacles/obstacles';
import type { StaticBodies } from '../../core/obstacles/tree';
import type { NewParticles, SimulationOptions } from '../../core/simulation/simulation';
import type { Dimensions } from '../../core/world/world';
import type { Drivable } from '../../scenes';
import type { Scale, Theme } from '../model/colour';
import type { Choices, Colouring, EngineKind } from '../model/fields';
import type { Overlays } from '../model/overlays';
import { boxAround, type SeenBox, worldBox } from '../model/seen-box';
import type { MethodStart, SimulationView, State } from '../model/simulation-view';
import { isUnloaded } from '../support/chunk-errors';
import type { Ray, Sight, Viewport } from './camera';

/** A pointer that pushes or pulls all particles near its ray. */
export interface Stroke extends Pick<Ray, 'origin' | 'direction'> {
  /** Particles within this distance of the ray are moved. */
  readonly reach: number;
  /** Acceleration at the ray itself. A negative value pulls. */
  readonly force: number;
}

/** A pointer that holds one particle at a position. */
export interface Grip {
  readonly id: number;
  readonly place: readonly number[];
  /** The greatest speed that the particle may reach on its way. */
  readonly speed: number;
}

export interface Frame {
  /** The box that the sight is fitted to. */
  readonly box: SeenBox;
  readonly sight: Sight;
  readonly viewport: Viewport;
  readonly theme: Theme;
  readonly scale: Scale;
  readonly overlays: Overlays;
  /** True if a fluid is drawn as its surface. */
  readonly isSurface: boolean;
}

/** The clock of a time: the GPU's, or the page's, which measures from submission to completion. */
export type Clock = 'gpu' | 'page';

export interface StepTime {
  readonly milliseconds: number;
  readonly clock: Clock;
  /** Milliseconds of each stage, in their order, if the engine times them. */
  readonly stages?: Readonly<Record<string, number>>;
  /**
   * The number of stages without a time, because the GPU's clock ran backwards in them. A step with such stages must
   * not be shown or averaged.
   */
  readonly discarded?: number | undefined;
}

export interface Run {
  readonly simulation: SimulationView;
  /** The options of the simulation; for a method, those of a simulation of its particles. */
  readonly options: SimulationOptions;
  /** Submissions that the GPU has not finished. The page waits rather than queue more. */
  readonly pending: number;
  /** The last step that was timed. */
  readonly stepTime: StepTime | undefined;
  /** The present obstacles. */
  readonly fixed: StaticBodies;
  /** The simulated time at which each id was added. */
  readonly births: Float32Array;
  /** The number of states restored so far. Particles read before a restoration are out of date. */
  readonly restorations: number;
  /** `mayTime`: true if this step may be timed. */
  step(seconds: number, mayTime?: boolean): void;
  /**
   * Takes one step and returns its time; if only the page's clock is available, takes `steps` and returns their mean.
   */
  timeSteps(seconds: number, steps: number): Promise<StepTime>;
  /** Applies what a pointer does in `seconds`. Call between two steps, after `prepareTool` has been awaited. */
  push(stroke: Stroke, seconds: number): void;
  hold(grip: Grip, seconds: number): void;
  add(particles: NewParticles): void;
  setObstacles(given: ObstaclesGiven): void;
  restore(state: State): void;
  /** Await it before the pointer uses this tool. */
  prepareTool(tool: Choices['pointer']): Promise<void>;
  /** Await it before anything is drawn in these colours. Returns why they cannot be shown, else ''. */
  prepare(by: Colouring): Promise<string>;
  /** Await it before these overlays are drawn. Returns why they cannot be shown, else ''. */
  prepareOverlays(shown: Overlays): Promise<string>;
  /** Await it before a fluid is drawn like this. Returns why it cannot be drawn, else ''. */
  prepareFluid(as: Choices['fluidAs']): Promise<string>;
  /** True if pictures in these colours can show a fluid's surface. */
  hasSurface(by: Colouring): boolean;
  /** Returns the wanted overlays that pictures can have: those that are neither refused nor still being prepared. */
  drawable(wanted: Overlays): Overlays;
  /** Returns a sentence about what these overlays leave out, else ''. */
  missing(shown: Overlays): string;
  draw(frame: Frame): void;
  destroy(): void;
}

export interface Engine {
  readonly kind: EngineKind;
  /** A few words about the hardware. */
  readonly name: string;
  /** True if the CPU emulates the GPU. */
  readonly isSoftware: boolean;
  readonly canvas: HTMLCanvasElement;
  /** Resolves with the reason when the engine stops by itself. Stays pending if it was destroyed. */
  readonly lost: Promise<string>;
  /** The most particles that this engine, or one with a larger device, can run. */
  most(dimensions: Dimensions): number;
  /** True if the present device is large enough for this many particles. Ask before creating anything large. */
  holds(count: number): boolean;
  /** `method` moves the particles instead of a simulation of collisions. */
  start(options: SimulationOptions, method?: MethodStart): Promise<Run>;
  destroy(): void;
}

/** Explains to a visitor why there is no GPU. Returns the error's message if the reason alone is not enough. */
export function explainMissingGpu(error: unknown): string {
  if (!(error instanceof GpuError)) return explain(error);
  switch (error.reason) {
    case 'unsupported':
      return 'This browser has no WebGPU.';
    case 'insecure':
      return 'WebGPU needs https or localhost, and this page came over plain http.';
    case 'no-adapter':
      return 'This browser has WebGPU, but found no graphics adapter: the driver is missing, too old or blocked.';
    case 'lost':
      return 'The GPU was lost.';
    default:
      return error.message;
  }
}

/** Returns the obstacles of a simulation as bodies, or those that a method moves by itself. */
export function bodiesOfObstacles(
  simulation: SimulationView,
  given: ObstaclesGiven | undefined,
): StaticBodies {
  if (simulation.moved) return simulation.moved;
  if (!given) return NO_OBSTACLES;
  const { dimensions, obstacleCapacity, radiusRange, boxes } = simulation;
  return readObstacles('obstacles', given, obstacleCapacity, { dimensions, radiusRange, boxes });
}

/** Returns a run's state with the births of its particles, which a simulation does not store. Ids are reused. */
export async function stateOf({ simulation, births }: Pick<Run, 'simulation' | 'births'>): Promise<State> {
  // Copy the births now: particles may be added before the checkpoint arrives.
  const present = simulation.births ? undefined : births.slice();
  const state = await simulation.checkpoint();
  if (!present) return state;
  return { ...state, births: Float32Array.from(state.ids, (id) => present[id] as number) };
}

/** Writes the births of a restored state, if it has them. */
export function putBirths(births: Float32Array, { ids, births: given }: State): void {
  given?.forEach((birth, index) => {
    births[ids[index] as number] = birth;
  });
}

/** Returns the box to look at. */
export async function seenOf({ simulation }: Pick<Run, 'simulation'>): Promise<SeenBox> {
  const { world } = simulation;
  return world.kind === 'unbounded' ? boxAround(simulation, await simulation.read()) : worldBox(world);
}

/** Restores a state, but keeps the present settings. */
export function goOnFrom(run: Pick<Run, 'simulation' | 'restore'>, checkpoint: State): void {
  const { settings } = run.simulation;
  run.restore(checkpoint);
  run.simulation.set(settings);
}

/** Adapts a run to a scene's drive. Obstacles are set through the run, so that it draws them. */
export function drivable(run: Pick<Run, 'simulation' | 'setObstacles'>): Drivable {
  const { simulation } = run;
  return {
    time: simulation.time,
    set: (settings) => simulation.set(settings),
    setObstacles: (given) => run.setObstacles(given),
  };
}

/** Returns why particles cannot be coloured like this, else ''. */
export function refuseColours(
  { boxes, radiusRange }: Pick<SimulationView, 'boxes' | 'radiusRange'>,
  by: Colouring,
): string {
  if (by !== 'density' && by !== 'contacts') return '';
  if (boxes) return 'Boxes have no counts of neighbours, so colours stay with speed.';
  if (by !== 'density' || !radiusRange) return '';
  return 'Density needs particles of one radius, so colours stay with speed.';
}

export function explain(error: unknown): string {
  if (isUnloaded(error)) {
    // If the site was updated after this page was opened, its parts are gone for good.
    return 'A part of the page could not be loaded. Repeat your choice to load it again; if that fails too, reload the page.';
  }
  if (error instanceof CellstormError) return error.message;
  const message = error instanceof Error ? error.message : String(error);
  // Ends with a full stop, because another sentence may follow.
  return `Something went wrong: ${message.trim().replace(/(?<![.!?])$/, '.')}`;
}
