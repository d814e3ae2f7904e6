/**
 * What the page asks of whatever computes and draws: the GPU (gpu-engine.ts) or the CPU
 * (cpu-engine.ts). An engine owns a canvas and starts runs; a run owns one body: a simulation, or a method seen as one.
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
import type { SeenBox } from '../model/seen-box';
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
  /** What the sight is fitted to. */
  readonly box: SeenBox;
  readonly sight: Sight;
  readonly viewport: Viewport;
  readonly theme: Theme;
  readonly scale: Scale;
  readonly overlays: Overlays;
  /** Whether a fluid is drawn as its surface. */
  readonly isSurface: boolean;
}

/** How a time was taken: by the GPU's own clock, or from hand-over to completion by the page's. */
export type Clock = 'gpu' | 'page';

export interface StepTime {
  readonly milliseconds: number;
  readonly clock: Clock;
  /** Milliseconds of each stage, in their order, where the engine times them. */
  readonly stages?: Readonly<Record<string, number>>;
  /** Stages whose time is missing, since the GPU's clock ran backwards in them. Who shows or averages times leaves these out. */
  readonly discarded?: number | undefined;
}

export interface Run {
  readonly simulation: SimulationView;
  /** Of a method, what a simulation of its particles would begin with. */
  readonly options: SimulationOptions;
  /** Submissions that the GPU has not finished; the page waits rather than pile up more. */
  readonly pending: number;
  /** The last step that was timed. */
  readonly stepTime: StepTime | undefined;
  /** Obstacles as they are now. */
  readonly fixed: StaticBodies;
  /** Of each id, the simulated time when it came. */
  readonly births: Float32Array;
  /** How often another state was put in: what was read before says nothing about it. */
  readonly restorations: number;
  /** `mayTime`: whether it may be one of those that are timed. */
  step(seconds: number, mayTime?: boolean): void;
  /** Steps like all others, timed: what one takes, of so many where only the page's clock tells. */
  timeSteps(seconds: number, steps: number): Promise<StepTime>;
  /** What a pointer does in so many seconds; between two steps. `prepareTool` must have been awaited. */
  push(stroke: Stroke, seconds: number): void;
  hold(grip: Grip, seconds: number): void;
  add(particles: NewParticles): void;
  setObstacles(given: ObstaclesGiven): void;
  restore(state: State): void;
  /** To be awaited before the pointer does this. */
  prepareTool(tool: Choices['pointer']): Promise<void>;
  /** To be awaited before anything is drawn in these colours. Returns why they cannot be shown, else ''. */
  prepare(by: Colouring): Promise<string>;
  /** To be awaited before these are drawn. Returns why they cannot be shown, else ''. */
  prepareOverlays(shown: Overlays): Promise<string>;
  /** To be awaited before a fluid is drawn so. Returns why it cannot be, else ''. */
  prepareFluid(as: Choices['fluidAs']): Promise<string>;
  /** Whether pictures in these colours have a fluid's surface, where it is asked for. */
  hasSurface(by: Colouring): boolean;
  /** Of these, what pictures have: not what is refused, and not what is not ready. */
  drawable(wanted: Overlays): Overlays;
  /** What of them is not drawn, in a sentence, else ''. */
  missing(shown: Overlays): string;
  draw(frame: Frame): void;
  destroy(): void;
}

export interface Engine {
  readonly kind: EngineKind;
  /** What it runs on, in a few words. */
  readonly name: string;
  /** A GPU played by the CPU. */
  readonly isSoftware: boolean;
  readonly canvas: HTMLCanvasElement;
  /** Settles when the engine stops by itself, with the reason; never when it was destroyed. */
  readonly lost: Promise<string>;
  /** Particles that it, or a larger device in its place, can be asked for. */
  most(dimensions: Dimensions): number;
  /** Whether its device was made large enough; asked before anything large is made. */
  holds(count: number): boolean;
  /** `method`: what moves the particles, where it is not a simulation. */
  start(options: SimulationOptions, method?: MethodStart): Promise<Run>;
  destroy(): void;
}

/** Why there is no GPU, for people; where the reason alone is not enough, the error's own sentence. */
export function explainMissingGpu(error: unknown): string {
  if (!(error instanceof GpuError)) return explain(error);
  switch (error.reason) {
    case 'unsupported':
      return 'This browser has no WebGPU.';
    case 'insecure':
      return 'WebGPU is only there on https and localhost, and this page came over plain http.';
    case 'no-adapter':
      return 'This browser has WebGPU, but no graphics adapter for it: the driver is missing, too old or blocked.';
    case 'lost':
      return 'The GPU was lost.';
    default:
      return error.message;
  }
}

/** Obstacles that a simulation took, as bodies; or what a method moves by itself. */
export function bodiesOfObstacles(
  simulation: SimulationView,
  given: ObstaclesGiven | undefined,
): StaticBodies {
  if (simulation.moved) return simulation.moved;
  if (!given) return NO_OBSTACLES;
  const { dimensions, obstacleCapacity, radiusRange, boxes } = simulation;
  return readObstacles('obstacles', given, obstacleCapacity, { dimensions, radiusRange, boxes });
}

/** A run's state, with when each particle came: a simulation does not know, and ids are given again. */
export async function stateOf({ simulation, births }: Pick<Run, 'simulation' | 'births'>): Promise<State> {
  // As it is now: others may come before the answer does.
  const present = simulation.births ? undefined : births.slice();
  const state = await simulation.checkpoint();
  if (!present) return state;
  return { ...state, births: Float32Array.from(state.ids, (id) => present[id] as number) };
}

/** Of a state that is put in: when its particles came, where it says so. */
export function putBirths(births: Float32Array, { ids, births: given }: State): void {
  given?.forEach((birth, index) => {
    births[ids[index] as number] = birth;
  });
}

/** A run as a scene drives it: obstacles that move are seen to. */
export function drivable(run: Pick<Run, 'simulation' | 'setObstacles'>): Drivable {
  const { simulation } = run;
  return {
    time: simulation.time,
    set: (settings) => simulation.set(settings),
    setObstacles: (given) => run.setObstacles(given),
  };
}

/** Why particles cannot be coloured so, else ''. */
export function refuseColours(
  { boxes, radiusRange }: Pick<SimulationView, 'boxes' | 'radiusRange'>,
  by: Colouring,
): string {
  if (by !== 'density' && by !== 'contacts') return '';
  if (boxes) return 'Boxes are not counted around each other, so colours stay with speed.';
  if (by !== 'density' || !radiusRange) return '';
  return 'Density is counted among particles of one radius, so colours stay with speed.';
}

export function explain(error: unknown): string {
  if (isUnloaded(error)) {
    // Of a page that was opened before another version took its place, parts are gone for good.
    return 'A part of the page could not be loaded. It is asked for again when you choose again what needs it; if it does not come then, reload the page.';
  }
  if (error instanceof CellstormError) return error.message;
  const said = error instanceof Error ? error.message : String(error);
  // Another sentence may follow.
  return `Something went wrong: ${said.trim().replace(/(?<![.!?])$/, '.')}`;
}
