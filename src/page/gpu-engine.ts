/**
 * Purpose: the page's GPU engine: a device, the view that draws on it, and simulations of any scene that fits.
 */
import type { SimulationOptions } from '../core/simulation';
import { createSimulation, type Simulation } from '../engine/simulation';
import { createBuffers } from '../gpu/buffers';
import { type Gpu, type GpuRequest, requestGpu } from '../gpu/device';
import { toBodies } from '../gpu/layout';
import { GpuBrush, type Stroke } from './brush';
import type { Engine, Frame, Run, StepTime } from './engine';
import { explain, obstaclesOf, refuseCounts } from './engine';
import type { Colouring } from './fields';
import { type Beside, drawnOf, GpuView, obstaclesDrawn } from './gpu-view';
import { Tally } from './tally';

/** Milliseconds between steps that are timed stage by stage, which costs a little. */
const TIMING_INTERVAL_MS = 500;

/** Bytes a particle of the largest buffer in most scenes: a vector of space, or the starts of four cells. */
const MOST_BYTES = 16;

export async function openGpuEngine(request: GpuRequest): Promise<GpuEngine> {
  const gpu = await requestGpu(request);
  try {
    return new GpuEngine(gpu, new GpuView(gpu, isSoftware(gpu.info) ? 1 : 4));
  } catch (error) {
    gpu.destroy();
    throw error;
  }
}

export class GpuEngine implements Engine {
  readonly kind = 'gpu';
  readonly name: string;
  readonly isSoftware: boolean;
  readonly lost: Promise<string>;
  private destroyed = false;

  constructor(
    private readonly gpu: Gpu,
    private readonly view: GpuView,
  ) {
    this.name = nameOf(gpu.info);
    this.isSoftware = isSoftware(gpu.info);
    this.lost = new Promise((resolve) => {
      gpu.device.lost.then((loss) => {
        if (!this.destroyed) resolve(loss.message || loss.reason);
      });
    });
  }

  get canvas(): HTMLCanvasElement {
    return this.view.canvas;
  }

  /** For tests and the curious. */
  get device(): GPUDevice {
    return this.gpu.device;
  }

  holds(count: number): boolean {
    const { maxStorageBufferBindingSize, maxBufferSize } = this.gpu.device.limits;
    return count * MOST_BYTES <= Math.min(maxStorageBufferBindingSize, maxBufferSize);
  }

  async start(options: SimulationOptions): Promise<Run> {
    const simulation = await createSimulation(this.gpu, options);
    const run = new GpuRun(this.gpu, this.view, simulation, options);
    try {
      await run.showObstacles();
      return run;
    } catch (error) {
      run.destroy();
      throw error;
    }
  }

  destroy(): void {
    this.destroyed = true;
    this.view.destroy();
    this.gpu.destroy();
  }
}

class GpuRun implements Run {
  stepTime: StepTime | undefined;
  pending = 0;
  private lastTiming = Number.NEGATIVE_INFINITY;
  private isTiming = false;
  private readonly tallies = new Map<Colouring, Tally>();
  private obstacles: Beside['obstacles'];
  private brushKernel: GpuBrush | undefined;
  private brushComing: Promise<void> | undefined;
  private isDestroyed = false;

  constructor(
    private readonly gpu: Gpu,
    private readonly view: GpuView,
    readonly simulation: Simulation,
    readonly options: SimulationOptions,
  ) {}

  step(seconds: number): void {
    const now = performance.now();
    if (this.isTiming || now - this.lastTiming < TIMING_INTERVAL_MS) {
      this.simulation.step(seconds);
      this.track();
      return;
    }
    this.lastTiming = now;
    this.isTiming = true;
    this.time(seconds, now).then(
      (stepTime) => {
        this.stepTime = stepTime;
        this.isTiming = false;
      },
      // Only the end of the run or of the device gets here, and both are dealt with elsewhere.
      () => undefined,
    );
    this.track();
  }

  brush(stroke: Stroke, seconds: number): void {
    if (this.brushKernel) {
      this.brushKernel.apply(this.simulation, stroke, seconds);
      return;
    }
    // The first strokes are lost to compiling it.
    this.brushComing ??= GpuBrush.create(this.gpu, this.simulation).then(
      (brush) => {
        if (this.isDestroyed) brush.destroy();
        else this.brushKernel = brush;
      },
      // A device that refuses it is lost, which is dealt with elsewhere.
      () => undefined,
    );
  }

  async prepare(by: Colouring): Promise<string> {
    await this.view.prepare(drawnOf(this.simulation, by));
    if (by !== 'contacts' && by !== 'density') return '';
    if (this.tallies.has(by)) return '';
    const refusal = refuseCounts(this.simulation, by);
    if (refusal) return refusal;
    try {
      this.tallies.set(by, await Tally.create(this.gpu, this.simulation, this.options, by));
      return '';
    } catch (error) {
      return `${explain(error)} Colours stay with speed.`;
    }
  }

  async showObstacles(): Promise<void> {
    const { options, simulation } = this;
    const { dimensions, world, obstacleCount, radius } = simulation;
    if (obstacleCount === 0) return;
    const given = obstaclesOf(simulation, options);
    const radii = given.radii ?? new Float32Array(obstacleCount).fill(radius);
    const longest = 2 * Math.max(...world.max.map((high, axis) => high - (world.min[axis] ?? 0)));
    // What has no end goes as far as can be seen.
    const halves = (given.halves ?? new Float32Array(dimensions * obstacleCount)).map((half) =>
      Math.min(half, longest),
    );
    const packed = toBodies(dimensions, given.positions, { radii, halves, bulks: radii });
    await this.view.prepare(obstaclesDrawn(dimensions));
    const { buffers } = await createBuffers(this.gpu, 'page', { obstacles: packed.byteLength });
    this.gpu.device.queue.writeBuffer(buffers.obstacles, 0, packed);
    this.obstacles = { bodies: buffers.obstacles, count: obstacleCount };
  }

  draw(frame: Frame): void {
    const { by } = frame.scale;
    const tally = by === 'contacts' || by === 'density' ? this.tallies.get(by) : undefined;
    const values = by === 'id' ? this.simulation.buffers.ids : tally?.counts;
    const beside = { values, obstacles: this.obstacles };
    this.view.draw(this.simulation, frame, beside, (encoder) => tally?.encode(encoder));
    this.track();
  }

  destroy(): void {
    this.isDestroyed = true;
    this.brushKernel?.destroy();
    for (const tally of this.tallies.values()) tally.destroy();
    this.obstacles?.bodies.destroy();
    this.simulation.destroy();
  }

  private async time(seconds: number, began: number): Promise<StepTime> {
    if (this.gpu.timestamps) {
      const { total } = await this.simulation.profile(seconds);
      return { milliseconds: total, clock: 'gpu' };
    }
    this.simulation.step(seconds);
    await this.gpu.device.queue.onSubmittedWorkDone();
    return { milliseconds: performance.now() - began, clock: 'page' };
  }

  private track(): void {
    this.pending++;
    const done = () => {
      this.pending--;
    };
    this.gpu.device.queue.onSubmittedWorkDone().then(done, done);
  }
}

function nameOf(info: GPUAdapterInfo | undefined): string {
  if (!info) return 'unnamed';
  return info.description || [info.vendor, info.architecture].filter(Boolean).join(' ') || 'unnamed';
}

function isSoftware(info: GPUAdapterInfo | undefined): boolean {
  if (!info) return false;
  const words = `${info.vendor} ${info.architecture} ${info.device} ${info.description}`;
  return info.isFallbackAdapter || /swiftshader|llvmpipe|lavapipe|basic render/i.test(words);
}
