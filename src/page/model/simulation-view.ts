/**
 * The page's interface to a simulation of collisions or to a method. Both work in the same way with the brush, the
 * overlays, the inspector, colours, files and the history of states.
 */

import type { StaticBodies } from '../../core/obstacles/tree';
import type {
  Checkpoint,
  Drive,
  FoundPairs,
  Gpu,
  Measures,
  ParticleSimulation,
  Settings,
  SettingsOptions,
  SimulationOptions,
  StageTimes,
} from '../../index';
import type { CpuFluid, Fluid } from '../../methods/fluid';

/** A named value that a method shows in place of the values for collisions. */
export interface Figure {
  readonly title: string;
  readonly value: string;
  readonly hint: string;
}

/** Measures of a method: those that all methods have, and its own values. */
export interface MethodMeasures extends Pick<Measures, 'count' | 'kineticEnergy' | 'hash'> {
  readonly figures: readonly Figure[];
}

export type Measured = Measures | MethodMeasures;

/** A checkpoint, and the parts of the state that it does not contain. */
export interface State extends Checkpoint {
  readonly method?: unknown;
  /**
   * Simulated seconds at which each particle was added, in the order of `ids`. Undefined if `method` contains them.
   */
  readonly births?: Float32Array | undefined;
}

/** Settings that a running simulation accepts. A fluid accepts the share of FLIP, too. */
export interface ViewSettings extends SettingsOptions {
  readonly flipShare?: number | undefined;
}

type Shared = Omit<
  ParticleSimulation,
  | 'advance'
  | 'continuousCounts'
  | 'separate'
  | 'continuous'
  | 'memoryBytes'
  | 'measure'
  | 'checkpoint'
  | 'restore'
  | 'set'
  | 'settings'
  | 'findPairs'
>;

export interface SimulationView extends Shared {
  /** Undefined for a simulation of collisions. */
  readonly method?: 'fluid' | 'flock' | undefined;
  /**
   * All obstacles, if the method sets them; undefined if only the page sets obstacles. Their positions are out of date
   * if `copyMovedObstacles` exists.
   */
  readonly moved?: StaticBodies | undefined;
  /** Simulated time at which each particle was added, by id, if the method stores these times. */
  readonly births?: Float32Array<ArrayBuffer> | undefined;
  /** Undefined if a method runs. */
  findPairs?(): Promise<FoundPairs> | FoundPairs;
  readonly fluid?: Fluid | CpuFluid | undefined;
  /** True while a step of a fluid is incomplete. Until the step is complete, only draw or read the simulation. */
  readonly isBusy?: boolean | undefined;
  readonly settings: Settings & Pick<ViewSettings, 'flipShare'>;
  set(changes: ViewSettings): void;
  measure(): Promise<Measured> | Measured;
  checkpoint(): Promise<State> | State;
  restore(state: State): void;
}

/** The page draws from `buffers`, and the brush changes velocities in them. */
export interface GpuSimulationView extends SimulationView {
  readonly buffers: Readonly<Record<'positions' | 'velocities' | 'ids', GPUBuffer>>;
  readonly fluid?: Fluid | undefined;
  profile(seconds: number): Promise<StageTimes>;
  /** Copies positions of moved obstacles into `drawn`. Undefined unless only the GPU has these positions. */
  copyMovedObstacles?(encoder: GPUCommandEncoder, drawn: GPUBuffer): void;
}

export interface CpuSimulationView extends SimulationView {
  readonly fluid?: CpuFluid | undefined;
  profile(seconds: number): StageTimes;
}

/** Starts a method. The options give its world, its first particles and its capacity. */
export interface MethodStart {
  readonly method: 'fluid' | 'flock';
  /** Number of elements in the largest buffer over the method's lattice. The page requests a device for this size. */
  readonly cells: number;
  onGpu(gpu: Gpu, options: SimulationOptions): Promise<GpuSimulationView>;
  onCpu(options: SimulationOptions): Promise<CpuSimulationView>;
}

export interface Start {
  /** Options of a simulation of collisions. If a method runs, they describe its world and its first particles. */
  readonly options: SimulationOptions;
  /** The state to start from, if it comes from a file. */
  readonly checkpoint?: Checkpoint | undefined;
  readonly method?: MethodStart | undefined;
  /** A sentence about how the run differs from the choices; '' if it does not differ. */
  readonly note?: string | undefined;
  readonly drive?: Drive | undefined;
}
