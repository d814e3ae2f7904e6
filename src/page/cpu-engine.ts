/**
 * Purpose: the page's CPU engine: cellstorm/cpu on the page's own thread, drawn into a 2D canvas. It takes
 * over where there is no WebGPU, and is there to compare with where there is.
 */
import type { ParticleSimulation, SimulationOptions } from '../core/simulation';
import { CanvasView } from './canvas-view';
import type { Engine, Frame, Run, StepTime } from './engine';

export async function openCpuEngine(): Promise<Engine> {
  // Loaded only when needed.
  const { createCpuSimulation } = await import('../cpu');
  const view = new CanvasView();
  return {
    kind: 'cpu',
    name: 'one thread of JavaScript',
    isSoftware: true,
    canvas: view.canvas,
    lost: new Promise<string>(() => undefined),
    holds: () => true,
    start: async (options) => new CpuRun(view, createCpuSimulation(options), options),
    destroy: () => view.canvas.remove(),
  };
}

class CpuRun implements Run {
  readonly pending = 0;
  stepTime: StepTime | undefined;

  constructor(
    private readonly view: CanvasView,
    readonly simulation: ParticleSimulation,
    readonly options: SimulationOptions,
  ) {}

  step(seconds: number): void {
    const began = performance.now();
    this.simulation.step(seconds);
    this.stepTime = { milliseconds: performance.now() - began, clock: 'page' };
  }

  draw(frame: Frame): void {
    this.view.draw(this.simulation, frame);
  }

  destroy(): void {
    this.simulation.destroy();
  }
}
