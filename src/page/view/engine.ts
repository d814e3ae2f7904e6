/** The page's interface to an engine. */
import { NO_OBSTACLES, readObstacles } from '../../core/obstacles/obstacles';
import type { StaticBodies } from '../../core/obstacles/tree';
import { explainGpuError } from '../../gpu/explain';
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
import type { OccupiedCounts, Overlays } from '../model/overlays';
import { boxAround, type SeenBox, worldBox } from '../model/seen-box';
import type { MethodStart, SimulationView, State } from '../model/simulation-view';
import { isUnloaded } from '../support/chunk-errors';
import type { Answers } from './answers';
import type { CameraMatrices, Ray, Viewport } from './camera';

/** Pushes or pulls particles near the pointer's ray. */
export interface Stroke extends Pick<Ray, 'origin' | 'direction'> {
  /** The stroke acts up to this distance from the ray. */
  readonly reach: number;
  /** Acceleration next to the ray; it falls to 0 at `reach`. A negative value pulls. */
  readonly force: number;
}

export interface Grip {
  readonly id: number;
  readonly position: readonly number[];
  /** Greatest speed at which the particle moves to `position`. */
  readonly speed: number;
}

export interface Frame {
  /** The camera is fitted to this box. */
  readonly box: SeenBox;
  readonly camera: CameraMatrices;
  readonly viewport: Viewport;
  readonly theme: Theme;
  readonly scale: Scale;
  readonly overlays: Overlays;
  readonly isSurface: boolean;
}

/** The page's clock measures from submission to completion. */
export type Clock = 'gpu' | 'page';

export interface StepTime {
  readonly milliseconds: number;
  readonly clock: Clock;
  /** Milliseconds by stage, in the order of the stages. */
  readonly stages?: Readonly<Record<string, number>>;
  /** Number of stages without a time: the GPU's clock ran backwards. Do not show or average such a step. */
  readonly discarded?: number | undefined;
  /** Dispatches of the step on the GPU, if the engine counts them. */
  readonly dispatches?: number | undefined;
}

export interface Run {
  readonly simulation: SimulationView;
  /** For a method, the options give its world and first particles. */
  readonly options: SimulationOptions;
  /** Unfinished submissions. With too many, the page submits no more. */
  readonly pending: number;
  /** Calls that another thread has not answered yet. Meanwhile the page draws the last state that it has. */
  readonly ahead?: number;
  /** True while no picture shows the latest state. */
  readonly hasNews?: boolean;
  readonly stepTime: StepTime | undefined;
  readonly fixed: StaticBodies;
  /** Simulated seconds at which particles were added, by id. */
  readonly births: Float32Array;
  /** Number of restorations so far. Particles that were read before the last restoration are out of date. */
  readonly restorations: number;
  /** The engine may time the step if `mayTime` is true. */
  step(seconds: number, mayTime?: boolean): void;
  /** Takes one step if the engine profiles it, otherwise `steps`. Returns the mean time of a step. */
  timeSteps(seconds: number, steps: number): Promise<StepTime>;
  /** Call this between two steps, after `prepareTool`. */
  push(stroke: Stroke, seconds: number): void;
  /** Call this between two steps, after `prepareTool`. */
  hold(grip: Grip, seconds: number): void;
  add(particles: NewParticles): void;
  setObstacles(given: ObstaclesGiven): void;
  /** Rejects or throws, and changes nothing, if the state does not fit. */
  restore(state: State): Promise<void> | void;
  createAnswers(): Promise<Answers>;
  /** Await this before the pointer uses the tool. */
  prepareTool(tool: Choices['pointer']): Promise<void>;
  /** Await this before you draw. Returns why these colours are impossible; '' if they are possible. */
  prepare(by: Colouring): Promise<string>;
  /** Returns a reason or '', like `prepare`. */
  prepareOverlays(shown: Overlays): Promise<string>;
  /** Returns a reason or '', like `prepare`. */
  prepareFluid(as: Choices['fluidAs']): Promise<string>;
  /** Returns whether the surface of a fluid can be drawn in these colours. */
  hasSurface(by: Colouring): boolean;
  /** Leaves out overlays that are refused or still being prepared. */
  drawable(wanted: Overlays): Overlays;
  /** Says which parts of these overlays are not drawn; '' if all are. */
  missing(shown: Overlays): string;
  /** The counts of a recent picture, in an unbounded world. */
  readonly occupied?: OccupiedCounts | undefined;
  draw(frame: Frame): void;
  destroy(): void;
}

export interface Engine {
  readonly kind: EngineKind;
  readonly name: string;
  /** True for the CPU engine, and for a GPU that the CPU emulates. */
  readonly isSoftware: boolean;
  readonly canvas: HTMLCanvasElement;
  /** Resolves with the reason if the engine stops by itself. Stays pending after `destroy`. */
  readonly lost: Promise<string>;
  /** Returns how many particles this engine, or a new one with a larger device, can run. */
  most(dimensions: Dimensions): number;
  /** Returns whether the present device is large enough. Call this before you create large buffers. */
  holds(count: number): boolean;
  /** `method` replaces the simulation of collisions. */
  start(options: SimulationOptions, method?: MethodStart): Promise<Run>;
  destroy(): void;
}

export function explainMissingGpu(error: unknown): string {
  return error instanceof GpuError ? explainGpuError(error) : explain(error);
}

/** Returns the obstacles that a method sets, otherwise the given ones. */
export function bodiesOfObstacles(
  simulation: SimulationView,
  given: ObstaclesGiven | undefined,
): StaticBodies {
  if (simulation.moved) return simulation.moved;
  if (!given) return NO_OBSTACLES;
  const { dimensions, obstacleCapacity, radiusRange, boxes } = simulation;
  return readObstacles('obstacles', given, obstacleCapacity, { dimensions, radiusRange, boxes });
}

/** Returns a checkpoint with births, even if the simulation does not store them. */
export async function stateOf({ simulation, births }: Pick<Run, 'simulation' | 'births'>): Promise<State> {
  // Copy now: before the checkpoint arrives, added particles may reuse ids.
  const present = simulation.births ? undefined : births.slice();
  const state = await simulation.checkpoint();
  if (!present) return state;
  return { ...state, births: Float32Array.from(state.ids, (id) => present[id] as number) };
}

export function putBirths(births: Float32Array, { ids, births: given }: State): void {
  given?.forEach((birth, index) => {
    births[ids[index] as number] = birth;
  });
}

export async function seenOf({ simulation }: Pick<Run, 'simulation'>): Promise<SeenBox> {
  const { world } = simulation;
  return world.kind === 'unbounded' ? boxAround(simulation, await simulation.read()) : worldBox(world);
}

/** Restores a checkpoint, but keeps the present settings. */
export async function goOnFrom(run: Pick<Run, 'simulation' | 'restore'>, checkpoint: State): Promise<void> {
  const { settings } = run.simulation;
  const restored = run.restore(checkpoint);
  // Do this at once: no step may come between `restore` and `set`.
  run.simulation.set(settings);
  await restored;
}

/** Returns the object that a drive changes. It sets obstacles through the run, so that the run draws them. */
export function drivable(run: Pick<Run, 'simulation' | 'setObstacles'>): Drivable {
  const { simulation } = run;
  return {
    time: simulation.time,
    set: (settings) => simulation.set(settings),
    setObstacles: (given) => run.setObstacles(given),
  };
}

/** Returns why these colours are impossible; '' if they are possible. */
export function refuseColours(
  { boxes, radiusRange, kinds }: Pick<SimulationView, 'boxes' | 'radiusRange' | 'kinds'>,
  by: Colouring,
): string {
  if (by === 'species' && !kinds) return 'Only particle life has species, so colours show speed.';
  if (by !== 'density' && by !== 'contacts') return '';
  if (boxes) return 'Neighbours of boxes are not counted, so colours show speed.';
  if (by !== 'density' || !radiusRange) return '';
  return 'Density needs particles of one radius, so colours show speed.';
}

export function explain(error: unknown): string {
  if (isUnloaded(error)) {
    // After an update of the site, the old parts are gone.
    return 'A part of the page could not be loaded. Repeat your choice, or reload the page.';
  }
  if (error instanceof CellstormError) return error.message;
  const message = error instanceof Error ? error.message : String(error);
  // End with a full stop: another sentence may follow.
  return `Something went wrong: ${message.trim().replace(/(?<![.!?])$/, '.')}`;
}
