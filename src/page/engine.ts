/**
 * Purpose: what the page asks of whatever computes and draws: the GPU (gpu-engine.ts) or the CPU
 * (cpu-engine.ts). An engine owns a canvas and starts runs; a run owns one simulation.
 */
import { CellstormError, GpuError } from '../core/errors';
import type { ParticleSimulation, SimulationOptions } from '../core/simulation';
import type { Sight, Viewport } from './camera';
import type { Theme } from './colour';
import type { EngineKind } from './state';

export interface Frame {
  readonly sight: Sight;
  readonly viewport: Viewport;
  readonly theme: Theme;
  /** Speed of the last colour. */
  readonly speedScale: number;
}

export interface StepTime {
  readonly milliseconds: number;
  /** How it was taken: by the GPU's own clock, or from hand-over to completion by the page's. */
  readonly clock: 'gpu' | 'page';
}

export interface Run {
  readonly simulation: ParticleSimulation;
  readonly options: SimulationOptions;
  /** Submissions that the GPU has not finished; the page waits rather than pile up more. */
  readonly pending: number;
  /** The last step that was timed. */
  readonly stepTime: StepTime | undefined;
  step(seconds: number): void;
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
  /** Whether its device was made large enough; asked before anything large is made. */
  holds(count: number): boolean;
  start(options: SimulationOptions): Promise<Run>;
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

export function explain(error: unknown): string {
  if (error instanceof CellstormError) return error.message;
  return `Something went wrong: ${error instanceof Error ? error.message : String(error)}`;
}
