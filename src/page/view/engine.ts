/**
 * The page's interface to an engine, which computes and draws on the GPU (gpu-engine.ts) or on the CPU (cpu-engine.ts).
 * An engine owns a canvas and starts runs. A run owns one SimulationView: a simulation of collisions or a method.
 */
import { NO_OBSTACLES, readObstacles } from '../../core/obstacles/obstacles';
import type { StaticBodies } from '../../core/obstacles/tree';
import {
  CellstormError,
  type Dimensions,
  type Drivable,
  GpuError,
  type NewParticles,
  type ObstaclesGiven,
  type SimulationOptions,
} from '../../index';
import type { Scale, Theme } from '../model/colour';
import type { Choices, Colouring, EngineKind } from '../model/fields';
import type { Overlays } from '../model/overlays';
import { boxAround, type SeenBox, worldBox } from '../model/seen-box';
import type { MethodStart, SimulationView, State } from '../model/simulation-view';
import { isUnloaded } from '../support/chunk-errors';
import type { CameraMatrices, Ray, Viewport } from './camera';

/** A pointer that pushes or pulls all particles near its ray. */
export interface Stroke extends Pick<Ray, 'origin' | 'direction'> {
  /** Particles within this distance of the ray are moved. */
  readonly reach: number;
  /** Acceleration of a particle next to the ray; it falls to 0 at `reach`. A negative value pulls. */
  readonly force: number;
}

/** A pointer that holds one particle at a position. */
export interface Grip {
  readonly id: number;
  readonly position: readonly number[];
  /** The greatest speed that the particle may reach on its way. */
  readonly speed: number;
}

export interface Frame {
  /** The box that the camera is fitted to. */
  readonly box: SeenBox;
  readonly camera: CameraMatrices;
  readonly viewport: Viewport;
  readonly theme: Theme;
  readonly scale: Scale;
  readonly overlays: Overlays;
  readonly isSurface: boolean;
}

/** The clock of a measurement: the GPU's, or the page's. The page's clock measures from submission to completion. */
export type Clock = 'gpu' | 'page';

export interface StepTime {
  readonly milliseconds: number;
  readonly clock: Clock;
  /** Milliseconds per stage, in the order of stages, if the engine times stages. */
  readonly stages?: Readonly<Record<string, number>>;
  /**
   * The number of stages without a time, because the GPU's clock ran backwards in them. A step with such stages must
   * not be shown or averaged.
   */
  readonly discarded?: number | undefined;
}

export interface Run {
  readonly simulation: SimulationView;
  /** Options of a simulation of collisions. If a method runs, they describe its world and its first particles. */
  readonly options: SimulationOptions;
  /** The number of submissions that the GPU has not finished. If there are too many, the page submits no more. */
  readonly pending: number;
  /** The time of the last step that was timed. */
  readonly stepTime: StepTime | undefined;
  readonly fixed: StaticBodies;
  /** The simulated time at which each particle was added, by id. */
  readonly births: Float32Array;
  /** The number of states restored so far. Particles read before a restoration are out of date. */
  readonly restorations: number;
  /** Takes one step. With `mayTime` the engine may time it. */
  step(seconds: number, mayTime?: boolean): void;
  /** Takes one step, or `steps` steps if the engine cannot time one step exactly. Returns the mean time of a step. */
  timeSteps(seconds: number, steps: number): Promise<StepTime>;
  /** Applies a stroke that lasts `seconds`. Call it between two steps, after you have awaited `prepareTool`. */
  push(stroke: Stroke, seconds: number): void;
  /** Applies a grip that lasts `seconds`, under the same conditions as `push`. */
  hold(grip: Grip, seconds: number): void;
  add(particles: NewParticles): void;
  setObstacles(given: ObstaclesGiven): void;
  restore(state: State): void;
  /** Loads what this tool needs. Await it before the pointer uses the tool. */
  prepareTool(tool: Choices['pointer']): Promise<void>;
  /** Prepares these colours. Await it before you draw in them. Returns why they cannot be shown; '' if they can. */
  prepare(by: Colouring): Promise<string>;
  /** Prepares these overlays. Await it before you draw them. Returns why they cannot be shown; '' if they can. */
  prepareOverlays(shown: Overlays): Promise<string>;
  /** Prepares this way to draw a fluid. Await it before you draw. Returns why it is not possible; '' if it is. */
  prepareFluid(as: Choices['fluidAs']): Promise<string>;
  /** True if the run can draw a fluid's surface in these colours. */
  hasSurface(by: Colouring): boolean;
  /** Returns the wanted overlays that can be drawn now: they are neither refused nor still being prepared. */
  drawable(wanted: Overlays): Overlays;
  /** Returns a sentence about what these overlays leave out; '' if they show everything. */
  missing(shown: Overlays): string;
  draw(frame: Frame): void;
  destroy(): void;
}

export interface Engine {
  readonly kind: EngineKind;
  /** A few words about the hardware. */
  readonly name: string;
  /** True for the CPU engine, and for a GPU that the CPU emulates. */
  readonly isSoftware: boolean;
  readonly canvas: HTMLCanvasElement;
  /** Resolves with the reason when the engine stops by itself. Stays pending if the page destroys the engine. */
  readonly lost: Promise<string>;
  /** The most particles that this engine, or a new one with a larger device, can run. */
  most(dimensions: Dimensions): number;
  /** True if the current device is large enough for this many particles. Call it before you create large buffers. */
  holds(count: number): boolean;
  /** Starts a run. If `method` is given, it moves the particles instead of a simulation of collisions. */
  start(options: SimulationOptions, method?: MethodStart): Promise<Run>;
  destroy(): void;
}

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

/** Returns the obstacles as bodies: those that the method sets, otherwise the given ones. */
export function bodiesOfObstacles(
  simulation: SimulationView,
  given: ObstaclesGiven | undefined,
): StaticBodies {
  if (simulation.moved) return simulation.moved;
  if (!given) return NO_OBSTACLES;
  const { dimensions, obstacleCapacity, radiusRange, boxes } = simulation;
  return readObstacles('obstacles', given, obstacleCapacity, { dimensions, radiusRange, boxes });
}

/** Returns a run's state, with the births of its particles, which a simulation of collisions does not store. */
export async function stateOf({ simulation, births }: Pick<Run, 'simulation' | 'births'>): Promise<State> {
  // Copy the births now: before the checkpoint arrives, added particles may reuse ids.
  const present = simulation.births ? undefined : births.slice();
  const state = await simulation.checkpoint();
  if (!present) return state;
  return { ...state, births: Float32Array.from(state.ids, (id) => present[id] as number) };
}

/** Copies the births of a restored state, if it has births, into `births`, by id. */
export function putBirths(births: Float32Array, { ids, births: given }: State): void {
  given?.forEach((birth, index) => {
    births[ids[index] as number] = birth;
  });
}

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

/** Adapts a run to a scene's drive. The drive sets obstacles through the run, so that the run draws them. */
export function drivable(run: Pick<Run, 'simulation' | 'setObstacles'>): Drivable {
  const { simulation } = run;
  return {
    time: simulation.time,
    set: (settings) => simulation.set(settings),
    setObstacles: (given) => run.setObstacles(given),
  };
}

/** Returns why particles cannot be coloured like this; '' if they can. */
export function refuseColours(
  { boxes, radiusRange }: Pick<SimulationView, 'boxes' | 'radiusRange'>,
  by: Colouring,
): string {
  if (by !== 'density' && by !== 'contacts') return '';
  if (boxes) return 'Neighbours of boxes are not counted, so colours show speed.';
  if (by !== 'density' || !radiusRange) return '';
  return 'Density needs particles of one radius, so colours show speed.';
}

export function explain(error: unknown): string {
  if (isUnloaded(error)) {
    // If the site was updated after the visitor opened this page, the page's old parts no longer exist.
    return 'A part of the page could not be loaded. Repeat your choice to load it again; if that fails too, reload the page.';
  }
  if (error instanceof CellstormError) return error.message;
  const message = error instanceof Error ? error.message : String(error);
  // End with a full stop, because another sentence may follow.
  return `Something went wrong: ${message.trim().replace(/(?<![.!?])$/, '.')}`;
}
