import type { StaticBodies } from '../../core/obstacles/tree';
import { createBuffers } from '../../gpu/buffers';
import { isSoftware } from '../../gpu/device';
import { bodyFloats, toBodies } from '../../gpu/layout';
import {
  bytesPerParticle,
  createSimulation,
  type Dimensions,
  type Gpu,
  type GpuRequest,
  greatestCount,
  type NewParticles,
  type ObstaclesGiven,
  requestGpu,
  type SimulationOptions,
} from '../../index';
import type { GpuKind } from '../model/automatic';
import { type Choices, type Colouring, MOST_PARTICLES } from '../model/fields';
import { floorToTwoDigits } from '../model/limits';
import {
  FLUID_OVERLAYS,
  fieldsOf,
  GRID_OVERLAYS,
  isAnyOf,
  NO_OVERLAYS,
  type OccupiedCounts,
  type Overlays,
} from '../model/overlays';
import type { GpuSimulationView, MethodStart, State } from '../model/simulation-view';
import type { GpuBrush } from '../tools/brush';
import type { Answers } from '../view/answers';
import { drawnOf, obstaclesDrawn } from '../view/draw-pipelines';
import type { Engine, Frame, Grip, Run, StepTime, Stroke } from '../view/engine';
import { bodiesOfObstacles, explain, putBirths, refuseColours } from '../view/engine';
import type { FluidFields } from '../view/fluid/fields';
import type { FluidColour } from '../view/fluid/pipelines';
import type { FluidView } from '../view/fluid/view';
import { GpuView } from '../view/gpu-view';
import type { Overlay } from '../view/overlay';
import type { Tally } from '../view/tally';

/** Timing the stages of a step costs a little, so timed steps are at least this far apart. */
const TIMING_INTERVAL_MS = 500;

/** With more particles, a step takes many seconds on a software GPU. */
const MOST_ON_SOFTWARE = 1_000_000;
/**
 * WebGPU hides the size of the GPU's memory, so the page assumes this share of the machine's memory. If the browser
 * hides the size of the machine's memory too, the page assumes USUAL_MEMORY (GiB).
 */
const MEMORY_SHARE = 1 / 4;
const USUAL_MEMORY = 8;
/** Bytes per particle for the scene, the kept states and the buffers for drawing. */
const BYTES_BESIDE = { 2: 64, 3: 96 } as const;

/** Greatest half extent of a drawn obstacle: products of greater lengths may overflow. */
const FARTHEST_DRAWN = 2 ** 60;

/** Bytes per particle of the largest buffer in most scenes. */
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

export async function lookForGpu(): Promise<GpuKind> {
  // If this fails, opening the GPU later says why.
  const adapter = await navigator.gpu?.requestAdapter().catch(() => null);
  if (!adapter) return 'none';
  return isSoftware(adapter.info) ? 'software' : 'hardware';
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

  get device(): GPUDevice {
    return this.gpu.device;
  }

  most(dimensions: Dimensions): number {
    const { adapterLimits, device } = this.gpu;
    const { deviceMemory = USUAL_MEMORY } = navigator as Navigator & { readonly deviceMemory?: number };
    const each = bytesPerParticle(dimensions) + BYTES_BESIDE[dimensions];
    return Math.min(
      greatestCount(adapterLimits ?? device.limits, dimensions).particles,
      floorToTwoDigits((MEMORY_SHARE * deviceMemory * 2 ** 30) / each),
      this.isSoftware ? MOST_ON_SOFTWARE : MOST_PARTICLES,
    );
  }

  holds(count: number): boolean {
    const { maxStorageBufferBindingSize, maxBufferSize } = this.gpu.device.limits;
    return count * MOST_BYTES <= Math.min(maxStorageBufferBindingSize, maxBufferSize);
  }

  async start(options: SimulationOptions, method?: MethodStart): Promise<Run> {
    const simulation = await (method ? method.onGpu(this.gpu, options) : createSimulation(this.gpu, options));
    const run = new GpuRun(this.gpu, this.view, simulation, options);
    try {
      await run.createBuffers();
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
  private submitted = 0;
  private lastTiming = Number.NEGATIVE_INFINITY;
  private isTiming = false;
  private readonly tallies = new Map<Colouring, Tally>();
  fixed: StaticBodies;
  restorations = 0;
  readonly births: Float32Array<ArrayBuffer>;
  /** Simulated time of the last upload of `births`, for methods that write `births` themselves. */
  private birthsShown = 0;
  private readonly beside = new Map<'obstacles' | 'births', GPUBuffer>();
  private gpuBrush: GpuBrush | undefined;
  private overlay: Overlay | undefined;
  private surface: FluidView | undefined;
  private fields: FluidFields | undefined;
  private drawnColour: FluidColour = 'speed';
  private isDestroyed = false;

  constructor(
    private readonly gpu: Gpu,
    private readonly view: GpuView,
    readonly simulation: GpuSimulationView,
    readonly options: SimulationOptions,
  ) {
    this.fixed = bodiesOfObstacles(simulation, options.obstacles);
    this.births = simulation.births ?? new Float32Array(simulation.capacity);
    // Time no step of a method in the first TIMING_INTERVAL_MS: its first step may include compilation.
    if (simulation.method) this.lastTiming = performance.now();
  }

  /** Await this before any other call. */
  async createBuffers(): Promise<void> {
    const { dimensions, capacity, obstacleCapacity } = this.simulation;
    const { buffers: ages } = await createBuffers(this.gpu, 'page', { births: 4 * capacity });
    this.beside.set('births', ages.births);
    if (obstacleCapacity === 0) return;
    await this.view.prepare(obstaclesDrawn(dimensions));
    const bytes = 4 * bodyFloats({ dimensions, levels: 1, boxes: true }) * obstacleCapacity;
    const { buffers } = await createBuffers(this.gpu, 'page', { obstacles: bytes });
    this.beside.set('obstacles', buffers.obstacles);
    this.showObstacles();
  }

  /** Infinite while `isBusy`, so that the page submits nothing in the middle of a fluid's step. */
  get pending(): number {
    return this.simulation.isBusy ? Number.POSITIVE_INFINITY : this.submitted;
  }

  step(seconds: number, mayTime = true): void {
    const now = performance.now();
    if (!mayTime || this.isTiming || now - this.lastTiming < TIMING_INTERVAL_MS) {
      this.simulation.step(seconds);
      this.track();
      return;
    }
    this.lastTiming = now;
    this.isTiming = true;
    this.timeSteps(seconds, 1).then(
      (stepTime) => {
        this.stepTime = stepTime;
        this.isTiming = false;
      },
      // `timeSteps` fails if the run is destroyed or the device is lost. Other code handles both cases.
      () => undefined,
    );
    this.track();
  }

  push(stroke: Stroke, seconds: number): void {
    this.gpuBrush?.push(this.simulation, stroke, seconds);
  }

  hold(grip: Grip, seconds: number): void {
    this.gpuBrush?.hold(this.simulation, grip, seconds);
  }

  add(particles: NewParticles): void {
    for (const id of this.simulation.add(particles)) this.births[id] = this.simulation.time;
    this.showBirths();
  }

  setObstacles(given: ObstaclesGiven): void {
    this.simulation.setObstacles(given);
    this.fixed = bodiesOfObstacles(this.simulation, given);
    this.showObstacles();
  }

  restore(checkpoint: State): void {
    this.simulation.restore(checkpoint);
    this.restorations++;
    this.fixed = bodiesOfObstacles(this.simulation, checkpoint.obstacles);
    putBirths(this.births, checkpoint);
    this.showObstacles();
    this.showBirths();
  }

  async prepareOverlays(shown: Overlays): Promise<string> {
    const refused = await this.prepareFields(shown);
    if (refused) return refused;
    if (!isAnyOf(GRID_OVERLAYS, shown) && !this.overlay) return '';
    try {
      this.overlay ??= await this.view.createOverlay(this.simulation);
      if (this.isDestroyed) this.overlay.destroy();
      else await this.overlay.prepare(shown);
      return '';
    } catch (error) {
      return `${explain(error)} Overlays stay off.`;
    }
  }

  private async prepareFields(shown: Overlays): Promise<string> {
    const { fluid } = this.simulation;
    if (!fluid || this.fields || !isAnyOf(FLUID_OVERLAYS, shown)) return '';
    try {
      const fields = await this.view.createFields(fluid);
      if (this.isDestroyed) fields.destroy();
      else this.fields = fields;
      return '';
    } catch (error) {
      return `${explain(error)} Fields stay off.`;
    }
  }

  async prepareFluid(as: Choices['fluidAs']): Promise<string> {
    const { fluid } = this.simulation;
    if (!fluid || as !== 'surface') return '';
    try {
      this.surface ??= await this.view.createFluid(fluid);
      if (this.isDestroyed) this.surface.destroy();
      else await this.surface.prepare(this.drawnColour);
      return '';
    } catch (error) {
      return `${explain(error)} Fluids are drawn as particles.`;
    }
  }

  hasSurface(by: Colouring): boolean {
    return this.surface?.isReady(drawnOf(this.simulation, by).colour) ?? false;
  }

  drawable(wanted: Overlays): Overlays {
    const ofGrid = this.overlay?.drawable(wanted) ?? NO_OVERLAYS;
    return this.fields ? { ...ofGrid, ...fieldsOf(wanted) } : ofGrid;
  }

  get occupied(): OccupiedCounts | undefined {
    return this.overlay?.occupiedCounts;
  }

  missing(shown: Overlays): string {
    return this.overlay?.missing(shown) ?? '';
  }

  async createAnswers(): Promise<Answers> {
    const { GpuAnswers } = await import('../tools/query/gpu-answers');
    return GpuAnswers.create(this.gpu, this.simulation);
  }

  async prepareTool(tool: Choices['pointer']): Promise<void> {
    if (this.gpuBrush || (tool !== 'push' && tool !== 'pull' && tool !== 'drag')) return;
    const { GpuBrush: Made } = await import('../tools/brush');
    const brush = await Made.create(this.gpu, this.simulation);
    if (this.isDestroyed) brush.destroy();
    else this.gpuBrush = brush;
  }

  async prepare(by: Colouring): Promise<string> {
    const drawn = drawnOf(this.simulation, by);
    await this.view.prepare(drawn);
    this.drawnColour = drawn.colour;
    const refusal = refuseColours(this.simulation, by);
    if (refusal || (by !== 'contacts' && by !== 'density') || this.tallies.has(by)) return refusal;
    try {
      const { Tally: Made } = await import('../view/tally');
      const tally = await Made.create(this.gpu, this.simulation, this.options, by);
      if (this.isDestroyed) tally.destroy();
      else this.tallies.set(by, tally);
      return '';
    } catch (error) {
      return `${explain(error)} Colours show speed instead.`;
    }
  }

  draw(frame: Frame): void {
    this.showMoved();
    const { by } = frame.scale;
    if (by === 'age') this.showNewcomers();
    const tally = by === 'contacts' || by === 'density' ? this.tallies.get(by) : undefined;
    const bodies = this.beside.get('obstacles');
    const count = this.simulation.obstacleCount;
    const beside = {
      values: by === 'species' ? this.simulation.species : tally?.counts,
      births: this.beside.get('births'),
      overlay: this.overlay,
      fields: this.fields,
      fluid: this.surface,
      obstacles: bodies && count > 0 ? { bodies, count } : undefined,
    };
    this.view.draw(this.simulation, frame, beside, (encoder) => {
      tally?.encode(encoder);
      if (bodies) this.simulation.copyMovedObstacles?.(encoder, bodies);
    });
    this.track();
  }

  destroy(): void {
    this.isDestroyed = true;
    this.overlay?.destroy();
    this.surface?.destroy();
    this.fields?.destroy();
    this.gpuBrush?.destroy();
    for (const tally of this.tallies.values()) tally.destroy();
    for (const buffer of this.beside.values()) buffer.destroy();
    this.simulation.destroy();
  }

  private showMoved(): void {
    const { moved } = this.simulation;
    if (!moved || moved === this.fixed) return;
    this.fixed = moved;
    this.showObstacles();
  }

  private showNewcomers(): void {
    const { births, time } = this.simulation;
    if (!births || time === this.birthsShown) return;
    this.birthsShown = time;
    this.showBirths();
  }

  private showObstacles(): void {
    const buffer = this.beside.get('obstacles');
    const { dimensions, world, radius } = this.simulation;
    const {
      positions,
      radii = new Float32Array(positions.length / dimensions).fill(radius),
      halves,
    } = this.fixed;
    if (!buffer || positions.length === 0) return;
    const edges = world.max.map((high, axis) => high - (world.min[axis] ?? 0));
    const longest = Math.min(FARTHEST_DRAWN, 2 * Math.max(...edges));
    // Draw endless boxes only as far as can be seen.
    const seen = (halves ?? new Float32Array(positions.length)).map((half) => Math.min(half, longest));
    const packed = toBodies(dimensions, positions, { radii, halves: seen, bulks: radii });
    this.gpu.device.queue.writeBuffer(buffer, 0, packed);
  }

  private showBirths(): void {
    const buffer = this.beside.get('births');
    if (buffer) this.gpu.device.queue.writeBuffer(buffer, 0, this.births);
  }

  async timeSteps(seconds: number, steps: number): Promise<StepTime> {
    if (this.gpu.timestamps || this.simulation.method) {
      const { total, source, ...rest } = await this.simulation.profile(seconds);
      return { milliseconds: total, clock: source === 'wall-clock' ? 'page' : 'gpu', ...rest };
    }
    const began = performance.now();
    for (let step = 0; step < steps; step++) this.simulation.step(seconds);
    await this.gpu.device.queue.onSubmittedWorkDone();
    this.gpu.checkAlive();
    return { milliseconds: (performance.now() - began) / steps, clock: 'page' };
  }

  private track(): void {
    this.submitted++;
    const done = () => {
      this.submitted--;
    };
    this.gpu.device.queue.onSubmittedWorkDone().then(done, done);
  }
}

function nameOf(info: GPUAdapterInfo | undefined): string {
  if (!info) return 'unnamed';
  return info.description || [info.vendor, info.architecture].filter(Boolean).join(' ') || 'unnamed';
}
