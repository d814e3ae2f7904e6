/**
 * A position-based fluid on the GPU (Macklin and Müller, "Position Based Fluids", 2013). The rules are in shaders/pbf;
 * docs/pbf.md explains them.
 * Guarantee: on the same device, the same input gives the same bits, because the order of neighbours depends on the
 * state alone.
 */
import correctCode from '../../../shaders/pbf/correct.wgsl?raw';
import curlCode from '../../../shaders/pbf/curl.wgsl?raw';
import densityCode from '../../../shaders/pbf/density.wgsl?raw';
import obstaclesCode from '../../../shaders/pbf/obstacles.wgsl?raw';
import predictCode from '../../../shaders/pbf/predict.wgsl?raw';
import smoothingCode from '../../../shaders/pbf/smoothing.wgsl?raw';
import type { PlacedParticles } from '../../core/simulation/placed';
import { ParticleMethod } from '../../core/simulation/placed-method';
import { type Walls, wallsOf } from '../../core/world/walls';
import type { GridKernel, GridKernelOptions } from '../../engine/grid/grid-kernel';
import { GridParticles } from '../../engine/grid/grid-particles';
import { createBuffers } from '../../gpu/buffers';
import type { Gpu } from '../../gpu/device';
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

/**
 * Buffers besides positions and velocities:
 * - `predicted`: positions at the end of the step, by id;
 * - `aims`: velocities at the end of the step, by id;
 * - `curls`: curls of the velocities, by slot;
 * - `lambdas`: the factors λ of density.wgsl, by slot;
 * - `densities`: by id.
 */
const MORE = {
  predicted: 'position',
  aims: 'vector',
  curls: 'vector',
  lambdas: 'word',
  densities: 'word',
} as const;

type FluidParticles = GridParticles<keyof typeof MORE>;

type FluidKernels = Readonly<Record<'curl' | 'predict' | 'density' | 'correct', GridKernel>>;

interface FluidParts {
  readonly particles: FluidParticles;
  readonly kernels: FluidKernels;
  readonly solids: GPUBuffer;
}

/**
 * Creates a position-based fluid on the GPU, in 2D or 3D. Each step moves particles so that densities above the rest
 * density approach it.
 *
 * @example
 * ```ts
 * const gpu = await requestGpu({ particles: 1000, dimensions: 2 });
 * const positions = Float32Array.from({ length: 2000 }, (_, i) => (i % 2 ? i / 80 : (i / 2) % 40) / 2);
 * const options = { min: [0, 0], max: [40, 20], radius: 1, positions };
 * const fluid = await createPositionFluid(gpu, { dimensions: 2, ...options });
 * fluid.step(1 / 60);
 * const { meanDensity } = await fluid.measure();
 * ```
 */
export async function createPositionFluid(gpu: Gpu, options: PositionFluidOptions): Promise<PositionFluid> {
  const plan = planFluid(options);
  const particles = await GridParticles.create(gpu, { ...plan.placed, more: MORE, label: 'pbf' });
  try {
    const kernels = await makeKernels(particles);
    const { buffers } = await createBuffers(gpu, 'pbf', { solids: 4 * OBSTACLE_FLOATS * MOST_OBSTACLES });
    return new PositionFluid(gpu, plan, { particles, kernels, solids: buffers.solids });
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

/** A position-based fluid on the GPU. */
export class PositionFluid extends ParticleMethod<FluidParticles, PositionFluidSettings> {
  /** Always 'gpu'. */
  readonly backend = 'gpu';
  private readonly walls: Walls;
  private obstacles: readonly Obstacle[];

  /** Use createPositionFluid, which checks its arguments. @hideconstructor */
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
   * The state on the GPU, indexed by id. Positions and velocities are vec2f in 2D, and vec4f with w unused in 3D.
   * `densities` (f32) come from the last step or `measure`; a step computes them before its last corrections.
   * Positions of unused ids are NaN. Between two steps your kernels may change velocities and move particles within the
   * world.
   */
  get buffers(): Readonly<Record<'positions' | 'velocities' | 'densities', GPUBuffer>> {
    const { positions, velocities, densities } = this.particles.buffers;
    return { positions, velocities, densities };
  }

  /** Bytes of all buffers. */
  get memoryBytes(): number {
    const { particles, kernels, solids } = this.parts;
    const buffers = particles.memoryBytes + solids.size;
    return Object.values(kernels).reduce((sum, { memoryBytes }) => sum + memoryBytes, buffers);
  }

  /** Changes settings of steps recorded from now on. Compiles no kernel. */
  set(settings: Partial<PositionFluidSettings>): void {
    this.particles.checkAlive();
    this.currentSettings = changeSettings(settings, this.currentSettings, this.dimensions);
  }

  /** Replaces all obstacles by at most 1,024 others. Submit recorded steps first. */
  setObstacles(obstacles: readonly ObstacleOptions[]): void {
    this.particles.checkIdle();
    this.obstacles = checkObstacles('obstacles', obstacles, this.dimensions);
    this.writeObstacles();
  }

  /** Adds particles. Returns their ids: the lowest free ids, ascending. Submit recorded steps first. */
  add(particles: PlacedParticles): Uint32Array {
    return this.particles.add(particles);
  }

  /** Advances by `dt` seconds, 10⁻⁶ to 1, and submits the work. Submit recorded steps first. */
  step(dt: number): void {
    this.particles.checkIdle();
    const encoder = this.gpu.device.createCommandEncoder({ label: 'pbf.step' });
    this.encode(encoder, dt);
    this.gpu.device.queue.submit([encoder.finish()]);
  }

  /** Records a step of `dt` seconds, 10⁻⁶ to 1. Submit encoders in the order of recording. */
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

  /** Resolves to a copy of the state after all work submitted so far, in the order of ids. */
  read(): Promise<PositionFluidState> {
    return this.particles.read();
  }

  /** Resolves to current densities as shares of the rest density. Sorts once more and changes no particle. */
  async measure(): Promise<FluidMeasures> {
    this.particles.checkIdle();
    const { particles, kernels, solids } = this.parts;
    const { lambdas, densities } = particles.buffers;
    const encoder = this.gpu.device.createCommandEncoder({ label: 'pbf.measure' });
    particles.encode(encoder);
    // The density kernel does not use dt.
    const parameters = this.parametersFor(1);
    kernels.density.encode(encoder, { buffers: { lambdas, densities, solids }, parameters });
    this.gpu.device.queue.submit([encoder.finish()]);
    const [{ ids }, read] = await Promise.all([this.read(), particles.readFloats(densities)]);
    return measuresOf(Float32Array.from(ids, (id) => read[id] as number));
  }

  /** Resolves to plain data from which a fluid continues with the same bits. */
  async checkpoint(): Promise<PositionFluidCheckpoint> {
    // Read these fields now, because they may change before the particles are read.
    const { elapsed: time, currentSettings: settings, obstacles } = this;
    const { radius, density } = this.plan;
    return { time, radius, density, settings, obstacles, ...(await this.particles.checkpoint()) };
  }

  /** Continues from a checkpoint, which may come from a `CpuPositionFluid`. */
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

  /** Frees the buffers. Later calls throw. */
  destroy(): void {
    this.particles.destroy();
    this.parts.solids.destroy();
  }

  private writeObstacles(): void {
    const packed = packObstacles(this.obstacles, this.dimensions, this.plan.radius);
    // Deno aborts the process on an empty write.
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
