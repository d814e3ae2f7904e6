/**
 * Counts the memory traffic of the engine's own passes on real states. There are two programs: `step` is a substep of a
 * simulation, `grid` the build and query of the benchmark's engine gpu-grid.
 *
 * Each request goes through two models of an L2. `large` stands for states far larger than the L2: each dispatch begins
 * with an empty L2 and ends with a flush, and the L2 is much smaller than the state (`largeCacheBytes`). `own` is an L2
 * of l2Bytes that keeps its content from dispatch to dispatch.
 */
import { createSimulation } from '../../src/engine/simulation/simulation';
import { type Gpu, requestGpu, wrapDevice } from '../../src/gpu/device';
import { createScene, Random, sceneOptions } from '../../src/scenes';
import { GPU_GRID } from '../engines/gpu/grids';
import { createBenchScene } from '../harness/scenes';
import { Cache } from './cache';
import { Capture, type Dispatch } from './capture';
import { Replay } from './replay';
import type { Traffic } from './requests';

export type Program = 'grid' | 'step';
export type Order = 'random' | 'sorted';

export interface TrafficRequest {
  readonly program: Program;
  /** `step` takes a scene of src/scenes; `grid` always has uniform bodies. */
  readonly scene: string;
  readonly count: number;
  readonly dimensions: 2 | 3;
  readonly l2Bytes: number;
  /** Number of steps before the counted one, so that particles move and touch. Only for `step`. */
  readonly steps: number;
}

/** Bytes to and from memory. */
export interface Memory {
  readonly read: number;
  readonly written: number;
}

export interface SiteFigures extends Traffic {
  readonly buffer: string;
  readonly kind: string;
}

/** The traffic of a kernel, over all its dispatches. */
export interface KernelFigures extends Traffic {
  readonly label: string;
  readonly dispatches: number;
  readonly large: Memory;
  readonly own: Memory;
  readonly sites: readonly SiteFigures[];
}

export interface TrafficCase extends Omit<TrafficRequest, 'steps'> {
  /** The order of the particles in memory before the first pass. */
  readonly order: Order;
  readonly kernels: readonly KernelFigures[];
  readonly lost: number;
}

/** bench/NOTES.md counts the traffic of this many particles by hand. */
export const LARGE = 1e8;
/** Bytes per cell that a neighbour loop reads on its way through one layer of cells (in 2D: one row). */
const LAYER_BYTES = 48;
const LAYERS = 3;
const DT = 1 / 60;
const HARDWARE = { vendor: 'hardware', architecture: '', device: '', description: '' } as GPUAdapterInfo;

export async function measureTraffic(request: TrafficRequest, provider: GPU): Promise<TrafficCase[]> {
  const { count, dimensions } = request;
  const opened = await requestGpu({
    particles: count,
    cells: 8 * count + 4096,
    dimensions,
    gpu: provider,
    // A twin has the kernel's buffers and the trace's buffer.
    requiredLimits: { maxStorageBuffersPerShaderStage: 9 },
  });
  // The counts are for hardware GPUs. Some kernels have another form there than on the software adapter that runs here.
  const gpu = wrapDevice(opened.device, HARDWARE);
  const capture = new Capture();
  try {
    return await (request.program === 'step' ? measureStep : measureGrid)(request, gpu, capture);
  } finally {
    capture.stop();
    gpu.destroy();
  }
}

async function measureStep(request: TrafficRequest, gpu: Gpu, capture: Capture): Promise<TrafficCase[]> {
  const { scene: name, count, dimensions, steps } = request;
  const scene = createScene(name, { count, dimensions });
  const moving = await createSimulation(gpu, sceneOptions(scene));
  for (let step = 0; step < steps; step++) {
    moving.step(DT);
    await gpu.device.queue.onSubmittedWorkDone();
  }
  const { positions, velocities } = await moving.read();
  moving.destroy();
  const order = shuffled(count);
  const simulation = await createSimulation(
    gpu,
    sceneOptions(scene, {
      positions: reordered(positions, order, dimensions),
      velocities: reordered(velocities, order, dimensions),
    }),
  );
  const encoder = gpu.device.createCommandEncoder({ label: 'trace.step' });
  const dispatches = capture.record(() => simulation.encodeStep(encoder, DT));
  const perSubstep = dispatches.length / simulation.settings.substeps;
  const counting = new Counting(request, gpu);
  const random = await counting.count(dispatches.slice(0, perSubstep), 'random');
  const sorted = await counting.count(dispatches.slice(perSubstep, 2 * perSubstep), 'sorted');
  counting.destroy();
  simulation.destroy();
  return [random, sorted];
}

async function measureGrid(request: TrafficRequest, gpu: Gpu, capture: Capture): Promise<TrafficCase[]> {
  const { count, dimensions } = request;
  const cases: TrafficCase[] = [];
  for (const [name, order] of [
    ['uniform', 'random'],
    ['steady', 'sorted'],
  ] as const) {
    const scene = createBenchScene(name, { count, dimensions });
    const runner = await GPU_GRID.open(scene, gpu);
    runner.place(scene.frame(0));
    const encoder = gpu.device.createCommandEncoder({ label: 'trace.grid' });
    const dispatches = capture.record(() => {
      runner.encodeBuild(encoder);
      runner.encodeQuery(encoder);
    });
    const counting = new Counting(request, gpu);
    // The first round only fills the L2.
    await counting.count(dispatches, order);
    cases.push(await counting.count(dispatches, order));
    counting.destroy();
    runner.destroy();
  }
  return cases;
}

/**
 * Returns the size of the L2 in the model `large`. Per particle, it has as many bytes as `l2Bytes` has for LARGE
 * particles. But three layers of cells must fit, because those of LARGE particles fit into the default `l2Bytes`.
 */
export function largeCacheBytes({
  count,
  dimensions,
  l2Bytes,
}: Pick<TrafficRequest, 'count' | 'dimensions' | 'l2Bytes'>): number {
  const layer = LAYER_BYTES * count ** (1 - 1 / dimensions);
  return Math.min(l2Bytes, Math.max((l2Bytes * count) / LARGE, LAYERS * layer));
}

class Counting {
  private readonly large: Cache;
  private readonly own: Cache;
  private readonly replay: Replay;

  constructor(
    private readonly request: TrafficRequest,
    gpu: Gpu,
  ) {
    this.large = new Cache(largeCacheBytes(request));
    this.own = new Cache(request.l2Bytes);
    this.replay = new Replay(gpu, [this.large, this.own]);
  }

  /** Runs the dispatches and counts their traffic. */
  async count(dispatches: readonly Dispatch[], order: Order): Promise<TrafficCase> {
    const { large, own } = this;
    const kernels = new Map<string, KernelFigures>();
    let lost = 0;
    for (const dispatch of dispatches) {
      const before = [memoryOf(large), memoryOf(own)] as const;
      const { label, sites, lost: more } = await this.replay.run(dispatch);
      large.flush();
      lost += more;
      const figures: KernelFigures = {
        label,
        dispatches: 1,
        ...totalOf(sites),
        large: difference(before[0], memoryOf(large)),
        own: difference(before[1], memoryOf(own)),
        sites: sites.map(({ site: { buffer, kind }, ...traffic }) => ({ buffer, kind, ...traffic })),
      };
      const known = kernels.get(label);
      kernels.set(label, known ? sumOf(known, figures) : figures);
    }
    const { program, scene, count, dimensions, l2Bytes } = this.request;
    return { program, scene, count, dimensions, l2Bytes, order, kernels: [...kernels.values()], lost };
  }

  destroy(): void {
    this.replay.destroy();
  }
}

const memoryOf = ({ read, written }: Cache): Memory => ({ read, written });

const difference = (before: Memory, after: Memory): Memory => ({
  read: after.read - before.read,
  written: after.written - before.written,
});

const added = (a: Memory, b: Memory): Memory => ({ read: a.read + b.read, written: a.written + b.written });

export function totalOf(parts: readonly Traffic[]): Traffic {
  const sum = (pick: (part: Traffic) => number) => parts.reduce((total, part) => total + pick(part), 0);
  return {
    requests: sum(({ requests }) => requests),
    sectors: sum(({ sectors }) => sectors),
    ideal: sum(({ ideal }) => ideal),
  };
}

function sumOf(a: KernelFigures, b: KernelFigures): KernelFigures {
  return {
    ...a,
    dispatches: a.dispatches + b.dispatches,
    ...totalOf([a, b]),
    large: added(a.large, b.large),
    own: added(a.own, b.own),
    sites: a.sites.map((site, index) => ({ ...site, ...totalOf([site, b.sites[index] as SiteFigures]) })),
  };
}

function shuffled(count: number): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, index) => index);
  const random = new Random(count);
  for (let index = count - 1; index > 0; index--) {
    const other = random.between(0, index);
    const moved = order[index] as number;
    order[index] = order[other] as number;
    order[other] = moved;
  }
  return order;
}

function reordered(vectors: Float32Array, order: Uint32Array, dimensions: number): Float32Array {
  const result = new Float32Array(vectors.length);
  order.forEach((from, to) => {
    result.set(vectors.subarray(dimensions * from, dimensions * (from + 1)), dimensions * to);
  });
  return result;
}
