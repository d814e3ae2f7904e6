/**
 * The page's view of what runs: a simulation of collisions, or a method behind the same interface. The brush, overlays,
 * the inspector, colours, files and the history of states need not know the difference.
 */

import type { StageTimes } from '../../core/base/stage-times';
import type { Settings, SettingsOptions } from '../../core/contact/settings';
import type { StaticBodies } from '../../core/obstacles/tree';
import type {
  Checkpoint,
  FoundPairs,
  Measures,
  ParticleSimulation,
  SimulationOptions,
} from '../../core/simulation/simulation';
import type { Gpu } from '../../gpu/device';
import type { CpuFluid, Fluid } from '../../methods/fluid';
import type { Drive } from '../../scenes';

/** A figure that a method shows in place of the figures of collisions. */
export interface Figure {
  readonly title: string;
  readonly value: string;
  readonly hint: string;
}

/** Measures of a method: those that all methods have, and its own figures. */
export interface MethodMeasures extends Pick<Measures, 'count' | 'kineticEnergy' | 'hash'> {
  readonly figures: readonly Figure[];
}

export type Measured = Measures | MethodMeasures;

/** A checkpoint with the state that the particles do not contain. */
export interface State extends Checkpoint {
  readonly method?: unknown;
  /**
   * Simulated seconds at which each particle was added, in the order of ids. Left out if the method provides births.
   */
  readonly births?: Float32Array | undefined;
}

/** Settings that a running simulation accepts; a fluid accepts the share of FLIP too. */
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
  /** Obstacles that the method moves by itself. Undefined if only the page sets obstacles. */
  readonly moved?: StaticBodies | undefined;
  /** Simulated time at which each id was added, if the method adds particles by itself. */
  readonly births?: Float32Array<ArrayBuffer> | undefined;
  /** Only simulations of collisions have it. */
  findPairs?(): Promise<FoundPairs> | FoundPairs;
  /** The fluid, if the method is one. */
  readonly fluid?: Fluid | CpuFluid | undefined;
  /** True between two stages of a step. It may then be drawn, but nothing else. */
  readonly isBusy?: boolean | undefined;
  /** The present settings; `set` changes them. */
  readonly settings: Settings & Pick<ViewSettings, 'flipShare'>;
  set(changes: ViewSettings): void;
  measure(): Promise<Measured> | Measured;
  checkpoint(): Promise<State> | State;
  restore(state: State): void;
}

/** A view of a simulation on the GPU, whose buffers are drawn, coloured and pushed. */
export interface GpuSimulationView extends SimulationView {
  readonly buffers: Readonly<Record<'positions' | 'velocities' | 'ids', GPUBuffer>>;
  /** The page draws its lattice too. */
  readonly fluid?: Fluid | undefined;
  profile(seconds: number): Promise<StageTimes>;
  /** Copies the positions of moved obstacles to the drawn bodies, if only the GPU knows them. */
  placeMoved?(encoder: GPUCommandEncoder, drawn: GPUBuffer): void;
}

/** A view of a simulation on the CPU, which answers at once. */
export interface CpuSimulationView extends SimulationView {
  readonly fluid?: CpuFluid | undefined;
  profile(seconds: number): StageTimes;
}

/** The start of a method, beside the options for a simulation of its particles. */
export interface MethodStart {
  readonly method: 'fluid' | 'flock';
  /** Number of elements in the largest buffer over its lattice. The page requests a device that can hold it. */
  readonly cells: number;
  onGpu(gpu: Gpu, options: SimulationOptions): Promise<GpuSimulationView>;
  onCpu(options: SimulationOptions): Promise<CpuSimulationView>;
}

/** Everything that an engine needs to start a run. */
export interface Start {
  /** Options of a simulation; for a method, those of a simulation of its particles. */
  readonly options: SimulationOptions;
  /** The state to start from, if it comes from a file. */
  readonly checkpoint?: Checkpoint | undefined;
  readonly method?: MethodStart | undefined;
  /** A sentence that says what differs from the request; '' if nothing does. */
  readonly note?: string | undefined;
  /** The scene's drive, if it has one. */
  readonly drive?: Drive | undefined;
}
