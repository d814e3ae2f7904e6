/**
 * Purpose: a position-based fluid on the GPU, in 2D and 3D: places are corrected until the fluid is as dense as at rest, and
 * velocities are what places have moved (Macklin and Müller, "Position Based Fluids", 2013). The rules are in shaders/pbf;
 * docs/pbf.md goes from the idea to the kernels.
 *
 *     const fluid = await createPositionFluid(gpu, { dimensions: 2, min, max, radius: 1, positions });
 *     fluid.step(1 / 60);
 *
 * Inputs: packed positions, settings in the caller's units. Outputs: `buffers`, by id.
 * Guarantee: the same input gives the same bits, since neighbours come in an order that depends on the state alone.
 */
import correctCode from '../../../shaders/pbf/correct.wgsl?raw';
import curlCode from '../../../shaders/pbf/curl.wgsl?raw';
import densityCode from '../../../shaders/pbf/density.wgsl?raw';
import obstaclesCode from '../../../shaders/pbf/obstacles.wgsl?raw';
import predictCode from '../../../shaders/pbf/predict.wgsl?raw';
import smoothingCode from '../../../shaders/pbf/smoothing.wgsl?raw';
import {
  type Gpu,
  type GridKernel,
  type GridKernelOptions,
  PlacedMethod,
  type PlacedParticles,
  SortedParticles,
  type Walls,
  wallsOf,
} from '../../index';
import {
  checkObstacles,
  MOST_OBSTACLES,
  OBSTACLE_FLOATS,
  type Obstacle,
  type ObstacleOptions,
  packObstacles,
} from './obstacles';
import {
  changeSettings,
  checkFluidCheckpoint,
  checkTimeStep,
  type FluidMeasures,
  measuresOf,
  type PositionFluidCheckpoint,
  type PositionFluidOptions,
  type PositionFluidPlan,
  type PositionFluidSettings,
  type PositionFluidState,
  planFluid,
} from './options';

const PARAMETERS = {
  dt: 'f32',
  gravity: 'vector',
  lower: 'vector',
  upper: 'vector',
  radius: 'f32',
  weight: 'f32',
  slope: 'f32',
  near_weight: 'f32',
  viscosity: 'f32',
  vorticity: 'f32',
  tension: 'f32',
  pressure: 'f32',
  softness: 'f32',
  solids: 'u32',
} as const;

/** Beside positions and velocities: lambdas and curls are by slot, the others by id. Aims are velocities in the making. */
const MORE = {
  predicted: 'place',
  aims: 'vector',
  curls: 'vector',
  lambdas: 'word',
  densities: 'word',
} as const;

type FluidParticles = SortedParticles<keyof typeof MORE>;

type FluidKernels = Readonly<Record<'curl' | 'predict' | 'density' | 'correct', GridKernel>>;

interface FluidParts {
  readonly particles: FluidParticles;
  readonly kernels: FluidKernels;
  readonly solids: GPUBuffer;
}

export async function createPositionFluid(gpu: Gpu, options: PositionFluidOptions): Promise<PositionFluid> {
  const plan = planFluid(options);
  const particles = await SortedParticles.create(gpu, { ...plan.placed, more: MORE, label: 'pbf' });
  try {
    const kernels = await makeKernels(particles);
    const solids = gpu.device.createBuffer({
      label: 'pbf.solids',
      size: 4 * OBSTACLE_FLOATS * MOST_OBSTACLES,
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
    });
    return new PositionFluid(gpu, plan, { particles, kernels, solids });
  } catch (error) {
    particles.destroy();
    throw error;
  }
}

async function makeKernels({ grid }: FluidParticles): Promise<FluidKernels> {
  const make = (label: string, code: string, buffers: GridKernelOptions['buffers']) =>
    grid.kernel({ label, code: smoothingCode + code, buffers, parameters: PARAMETERS });
  return {
    curl: await make('curl', curlCode, {
      velocities: { type: 'array<Stored>', access: 'read' },
      curls: { type: 'array<Stored>', access: 'write' },
    }),
    predict: await make('predict', predictCode, {
      velocities: { type: 'array<Stored>', access: 'read' },
      curls: { type: 'array<Stored>', access: 'read' },
      predicted: { type: 'array<Stored>', access: 'write' },
      aims: { type: 'array<Stored>', access: 'write' },
    }),
    density: await make('density', obstaclesCode + densityCode, {
      lambdas: { type: 'array<f32>', access: 'write' },
      densities: { type: 'array<f32>', access: 'write' },
      solids: { type: 'array<Solid>', access: 'read' },
    }),
    correct: await make('correct', obstaclesCode + correctCode, {
      lambdas: { type: 'array<f32>', access: 'read' },
      predicted: { type: 'array<Stored>', access: 'write' },
      aims: { type: 'array<Stored>', access: 'write' },
      solids: { type: 'array<Solid>', access: 'read' },
    }),
  };
}

export class PositionFluid extends PlacedMethod<FluidParticles, PositionFluidSettings> {
  readonly backend = 'gpu';
  private readonly walls: Walls;
  private obstacles: readonly Obstacle[];

  /** Use createPositionFluid, which checks its arguments. */
  constructor(
    private readonly gpu: Gpu,
    private readonly plan: PositionFluidPlan,
    private readonly parts: FluidParts,
  ) {
    super(parts.particles, plan.settings);
    this.walls = wallsOf(this.world);
    this.obstacles = plan.obstacles;
    this.writeObstacles();
  }

  /**
   * By id: vec2f (2D) or vec4f with w unused (3D); f32 of densities, as they were before the last corrections. Positions of
   * ids that nobody has are NaN. Between two steps, kernels of yours may change velocities, and positions within the box.
   */
  get buffers(): Readonly<Record<'positions' | 'velocities' | 'densities', GPUBuffer>> {
    const { positions, velocities, densities } = this.particles.buffers;
    return { positions, velocities, densities };
  }

  get memoryBytes(): number {
    const { particles, kernels, solids } = this.parts;
    const held = particles.memoryBytes + solids.size;
    return Object.values(kernels).reduce((sum, { memoryBytes }) => sum + memoryBytes, held);
  }

  /** From the next recording on. No kernel is compiled. */
  set(settings: Partial<PositionFluidSettings>): void {
    this.particles.checkAlive();
    this.currentSettings = changeSettings(settings, this.currentSettings, this.dimensions);
  }

  /** Replaces all obstacles, at most 1,024. What is recorded must be submitted before. */
  setObstacles(obstacles: readonly ObstacleOptions[]): void {
    this.particles.checkAlive();
    this.obstacles = checkObstacles('obstacles', obstacles, this.dimensions);
    this.writeObstacles();
  }

  /** More fluid; the ids of its particles, the lowest free ones, ascending. What is recorded must be submitted before. */
  add(particles: PlacedParticles): Uint32Array {
    return this.particles.add(particles);
  }

  step(dt: number): void {
    const encoder = this.gpu.device.createCommandEncoder({ label: 'pbf.step' });
    this.encode(encoder, dt);
    this.gpu.device.queue.submit([encoder.finish()]);
  }

  /** Records a step. The caller submits, in the order of recording. */
  encode(encoder: GPUCommandEncoder, dt: number): void {
    checkTimeStep(dt);
    const { particles, kernels, solids } = this.parts;
    const { positions, velocities, aims, curls, predicted, lambdas, densities } = particles.buffers;
    const { vorticity, iterations } = this.currentSettings;
    const parameters = this.parametersFor(dt);
    particles.encode(encoder);
    if (vorticity > 0) kernels.curl.encode(encoder, { buffers: { velocities, curls }, parameters });
    kernels.predict.encode(encoder, { buffers: { velocities, curls, predicted, aims }, parameters });
    for (let round = 0; round < iterations; round++) {
      particles.encode(encoder, predicted);
      kernels.density.encode(encoder, { buffers: { lambdas, densities, solids }, parameters });
      kernels.correct.encode(encoder, { buffers: { lambdas, predicted, aims, solids }, parameters });
    }
    encoder.copyBufferToBuffer(predicted, 0, positions, 0, positions.size);
    encoder.copyBufferToBuffer(aims, 0, velocities, 0, velocities.size);
    this.elapsed += dt;
  }

  /** As all that was submitted left it, packed, by id. */
  read(): Promise<PositionFluidState> {
    return this.particles.read();
  }

  /** How dense the fluid is now, as shares of the density at rest. Sorts once more, and changes nothing else. */
  async measure(): Promise<FluidMeasures> {
    const { particles, kernels, solids } = this.parts;
    const { lambdas, densities } = particles.buffers;
    const encoder = this.gpu.device.createCommandEncoder({ label: 'pbf.measure' });
    particles.encode(encoder);
    // No velocity is taken from this, so any time will do.
    const parameters = this.parametersFor(1);
    kernels.density.encode(encoder, { buffers: { lambdas, densities, solids }, parameters });
    this.gpu.device.queue.submit([encoder.finish()]);
    const [{ ids }, read] = await Promise.all([this.read(), particles.readFloats(densities)]);
    return measuresOf(Float32Array.from(ids, (id) => read[id] as number));
  }

  async checkpoint(): Promise<PositionFluidCheckpoint> {
    const { elapsed: time, currentSettings: settings, obstacles } = this;
    const { radius, density } = this.plan;
    // Of now, not of when the particles arrive.
    return { time, radius, density, settings, obstacles, ...(await this.particles.checkpoint()) };
  }

  /** Goes on from a checkpoint; it may be that of a CpuPositionFluid. */
  restore(checkpoint: PositionFluidCheckpoint): void {
    const { particles } = this.parts;
    particles.checkAlive();
    const { settings, obstacles } = checkFluidCheckpoint(checkpoint, this.plan);
    particles.restore(checkpoint);
    this.currentSettings = settings;
    this.obstacles = obstacles;
    this.writeObstacles();
    this.elapsed = checkpoint.time;
  }

  destroy(): void {
    this.particles.destroy();
    this.parts.solids.destroy();
  }

  private writeObstacles(): void {
    const packed = packObstacles(this.obstacles, this.dimensions, this.plan.radius);
    // Deno stops the whole process where nothing is to be written.
    if (packed.byteLength > 0) this.gpu.device.queue.writeBuffer(this.parts.solids, 0, packed);
  }

  private parametersFor(dt: number): Readonly<Record<keyof typeof PARAMETERS, number | readonly number[]>> {
    const { radius, smoothing } = this.plan;
    const { viscosity, vorticity, tension, pressure, softness, gravity } = this.currentSettings;
    return {
      ...{ ...this.walls, dt, gravity, radius, viscosity, tension, solids: this.obstacles.length },
      weight: smoothing.weight,
      slope: smoothing.slope,
      near_weight: smoothing.nearWeight,
      vorticity: vorticity * radius,
      pressure: pressure * radius ** 2,
      softness: softness / radius ** 2,
    };
  }
}
