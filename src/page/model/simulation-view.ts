/**
 * What the page asks of what runs, whatever moves it: a simulation of collisions, or a method that is seen as one, so
 * that the brush, overlays, the inspector, colours, files and states to go back to need not know the difference.
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

/** A figure of the method's own, in the place of those of collisions. */
export interface Figure {
  readonly title: string;
  readonly value: string;
  readonly hint: string;
}

/** Of a method: what all have, and its own. */
export interface MethodMeasures extends Pick<Measures, 'count' | 'kineticEnergy' | 'hash'> {
  readonly figures: readonly Figure[];
}

export type Measured = Measures | MethodMeasures;

/** With what the particles of a simulation do not say. */
export interface State extends Checkpoint {
  readonly method?: unknown;
  /** When each particle came, simulated seconds, in the order of ids; of a method that says so itself left out. */
  readonly births?: Float32Array | undefined;
}

/** What a running body takes; of a fluid, the share of FLIP too. */
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
  /** Of a simulation of collisions, none. */
  readonly method?: 'fluid' | 'flock' | undefined;
  /** What particles run into, where the body moves it itself; else it is as the page set it. */
  readonly moved?: StaticBodies | undefined;
  /** Of each id, the simulated time when it came, where particles come in by themselves. */
  readonly births?: Float32Array<ArrayBuffer> | undefined;
  /** Of a simulation. */
  findPairs?(): Promise<FoundPairs> | FoundPairs;
  /** What moves a fluid. */
  readonly fluid?: Fluid | CpuFluid | undefined;
  /** Between two stages of a step: nothing may be asked of it but its picture. */
  readonly isBusy?: boolean | undefined;
  /** What `set` changes, as it is. */
  readonly settings: Settings & Pick<ViewSettings, 'flipShare'>;
  set(changes: ViewSettings): void;
  measure(): Promise<Measured> | Measured;
  checkpoint(): Promise<State> | State;
  restore(state: State): void;
}

/** On the GPU: its buffers are drawn, coloured and pushed. */
export interface GpuSimulationView extends SimulationView {
  readonly buffers: Readonly<Record<'positions' | 'velocities' | 'ids', GPUBuffer>>;
  /** Its lattice is drawn too. */
  readonly fluid?: Fluid | undefined;
  profile(seconds: number): Promise<StageTimes>;
  /** Brings what is moved, where only the GPU knows where it is, to the bodies that are drawn. */
  placeMoved?(encoder: GPUCommandEncoder, drawn: GPUBuffer): void;
}

/** On the CPU, where answers are there at once. */
export interface CpuSimulationView extends SimulationView {
  readonly fluid?: CpuFluid | undefined;
  profile(seconds: number): StageTimes;
}

/** What a method starts from, beside what a simulation of its particles would. */
export interface MethodStart {
  readonly method: 'fluid' | 'flock';
  /** Numbers of the largest buffer over its lattice: what a device must be asked for. */
  readonly cells: number;
  onGpu(gpu: Gpu, options: SimulationOptions): Promise<GpuSimulationView>;
  onCpu(options: SimulationOptions): Promise<CpuSimulationView>;
}

/** Everything that an engine needs to start a run. */
export interface Start {
  /** Options of a simulation; for another method, those of a simulation of its particles. */
  readonly options: SimulationOptions;
  /** The state to start from, if it comes from a file. */
  readonly checkpoint?: Checkpoint | undefined;
  readonly method?: MethodStart | undefined;
  /** A sentence that says what differs from the request; '' if nothing does. */
  readonly note?: string | undefined;
  /** The scene's drive, if it has one. */
  readonly drive?: Drive | undefined;
}
