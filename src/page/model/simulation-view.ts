/** The page's interface to simulations of collisions and to methods. */

import type { StaticBodies } from '../../core/obstacles/tree';
import type {
  Checkpoint,
  Drive,
  FoundPairs,
  Gpu,
  Measures,
  NewParticles,
  ParticleSimulation,
  Settings,
  SettingsOptions,
  SimulationOptions,
  StageTimes,
} from '../../index';
import type { LifeNumbers } from '../../methods/flock';
import type { CpuFluid, Fluid } from '../../methods/fluid';
import type { PositionFluidNumbers } from '../../methods/pbf';
import type { AttractionKind } from '../../scenes/method-scene';
import type { Choices } from './fields';
import type { Method } from './scenes';

/** A method's figures replace the measures of collisions. */
export interface Figure {
  readonly title: string;
  readonly value: string;
  readonly hint: string;
}

export interface MethodMeasures extends Pick<Measures, 'count' | 'kineticEnergy' | 'hash'> {
  readonly figures: readonly Figure[];
}

export type Measured = Measures | MethodMeasures;

export interface State extends Checkpoint {
  readonly method?: unknown;
  /** Simulated seconds at which particles were added, in the order of `ids`; undefined if `method` above holds them. */
  readonly births?: Float32Array | undefined;
}

export interface MethodSettings extends PositionFluidNumbers, LifeNumbers {
  readonly flipShare: number;
  readonly attraction: AttractionKind;
  readonly tableSeed: number;
}

export interface ViewSettings extends SettingsOptions, Partial<MethodSettings> {}

type MethodName = Exclude<Method, 'collisions'>;

type Shared = Omit<
  ParticleSimulation,
  | 'advance'
  | 'continuousCounts'
  | 'separate'
  | 'continuous'
  | 'memoryBytes'
  | 'longestStep'
  | 'exact'
  | 'measure'
  | 'checkpoint'
  | 'restore'
  | 'set'
  | 'settings'
  | 'findPairs'
  | 'add'
>;

export interface SimulationView extends Shared {
  /** Undefined for a simulation of collisions. */
  readonly method?: MethodName | undefined;
  /** Undefined for a method. */
  readonly memoryBytes?: number | undefined;
  /** All obstacles, if the method sets them. If `copyMovedObstacles` exists, their positions are out of date here. */
  readonly moved?: StaticBodies | undefined;
  /** Simulated seconds at which particles were added, by id, if the method stores them. */
  readonly births?: Float32Array<ArrayBuffer> | undefined;
  add(particles: NewParticles): unknown;
  /** Undefined if a method runs. */
  readonly findPairs?: (() => Promise<FoundPairs> | FoundPairs) | undefined;
  readonly fluid?: Fluid | CpuFluid | undefined;
  /** Number of species; undefined if particles have none. */
  readonly kinds?: number | undefined;
  /** True while a fluid's step is incomplete: then only draw or read. */
  readonly isBusy?: boolean | undefined;
  readonly settings: Settings & Partial<MethodSettings>;
  set(changes: ViewSettings): void;
  measure(): Promise<Measured> | Measured;
  checkpoint(): Promise<State> | State;
  restore(state: State): void;
}

/** A simulation on the GPU. The brush changes velocities in `buffers`. */
export interface GpuSimulationView extends SimulationView {
  add(particles: NewParticles): Uint32Array;
  readonly buffers: Readonly<Record<'positions' | 'velocities' | 'ids', GPUBuffer>>;
  readonly fluid?: Fluid | undefined;
  /** Species by id. */
  readonly species?: GPUBuffer | undefined;
  profile(seconds: number): Promise<StageTimes>;
  /** Copies moved obstacles into the buffer `drawn`. Exists if only the GPU has their positions. */
  copyMovedObstacles?(encoder: GPUCommandEncoder, drawn: GPUBuffer): void;
}

/** A simulation on the CPU, in the page or inside a worker. */
export interface CpuSimulationView extends SimulationView {
  add(particles: NewParticles): Uint32Array;
  readonly fluid?: CpuFluid | undefined;
  /** Species by id. */
  readonly species?: Uint32Array | undefined;
  profile(seconds: number): StageTimes;
}

export interface MethodStart {
  readonly method: MethodName;
  /** The choices that made the start. A worker makes the same start from them. */
  readonly choices: Choices;
  readonly count: number;
  /** Elements of the largest buffer over the lattice; 0 without a lattice. The device must allow such a buffer. */
  readonly cells: number;
  onGpu(gpu: Gpu, options: SimulationOptions): Promise<GpuSimulationView>;
  onCpu(options: SimulationOptions): Promise<CpuSimulationView>;
}

export interface Start {
  /** For a method, the options give its world and first particles. */
  readonly options: SimulationOptions;
  readonly checkpoint?: Checkpoint | undefined;
  readonly method?: MethodStart | undefined;
  /** Says how the run differs from the choices; '' if it does not. */
  readonly note?: string | undefined;
  readonly drive?: Drive | undefined;
}
