/**
 * Boids on the GPU: separation, alignment, cohesion, obstacles and hunters. The rules are in shaders/flock/boids.wgsl
 * and hunter.wgsl; docs/boids.md explains them.
 * Guarantee: on the same device, the same input gives the same bits, because the order of neighbours depends on the
 * state alone.
 */
import boidsCode from '../../../shaders/flock/boids.wgsl?raw';
import hunterCode from '../../../shaders/flock/hunter.wgsl?raw';
import motionCode from '../../../shaders/flock/motion.wgsl?raw';
import steeringCode from '../../../shaders/flock/steering.wgsl?raw';
import { checkPacked } from '../../core/base/checks';
import type { PlacedParticles } from '../../core/simulation/placed';
import { ParticleMethod } from '../../core/simulation/placed-method';
import { type Walls, wallsOf } from '../../core/world/walls';
import type { Dimensions } from '../../core/world/world';
import type { GridKernel } from '../../engine/grid/grid-kernel';
import { GridParticles } from '../../engine/grid/grid-particles';
import { createBuffers } from '../../gpu/buffers';
import type { Gpu } from '../../gpu/device';
import {
  changeSettings,
  checkFlockCheckpoint,
  checkObstacles,
  checkTimeStep,
  type FlockCheckpoint,
  type FlockOptions,
  type FlockPlan,
  type FlockSettings,
  type FlockState,
  MOST_SPHERES,
  planFlock,
} from './options';

/** Floats per Sphere in steering.wgsl, in 2D and in 3D. The radius directly follows the centre. */
const SPHERE_FLOATS = 4;

const PARAMETERS = {
  dt: 'f32',
  lower: 'vector',
  upper: 'vector',
  perception: 'f32',
  spacing: 'f32',
  separation: 'f32',
  alignment: 'f32',
  cohesion: 'f32',
  avoidance: 'f32',
  flight: 'f32',
  fear: 'f32',
  slowest: 'f32',
  fastest: 'f32',
  greatest_acceleration: 'f32',
  hunting: 'f32',
  hunter_speed: 'f32',
  hunters: 'u32',
  spheres: 'u32',
} as const;

interface FlockParts {
  readonly particles: GridParticles;
  readonly boids: GridKernel;
  readonly hunter: GridKernel | undefined;
  readonly buffers: Readonly<Record<'spheres' | 'hunting' | 'hunters', GPUBuffer>>;
}

/**
 * Creates a flock on the GPU. Worlds may be bounded, periodic or unbounded.
 *
 * @example
 * ```ts
 * const gpu = await requestGpu({ particles: 1000, dimensions: 2 });
 * const positions = Float32Array.from({ length: 2000 }, () => 20 * Math.random());
 * const flock = await createFlock(gpu, { dimensions: 2, min: [0, 0], max: [20, 20], perception: 1, positions });
 * flock.step(1 / 60);
 * const { velocities } = await flock.read();
 * ```
 */
export async function createFlock(gpu: Gpu, options: FlockOptions): Promise<Flock> {
  const plan = planFlock(options);
  const particles = await GridParticles.create(gpu, {
    ...plan.placed,
    sortVelocities: true,
    label: 'flock',
  });
  try {
    return new Flock(gpu, plan, await makeParts(gpu, particles, plan));
  } catch (error) {
    particles.destroy();
    throw error;
  }
}

async function makeParts(
  gpu: Gpu,
  particles: GridParticles,
  { hunters, fear }: FlockPlan,
): Promise<FlockParts> {
  const { grid, dimensions } = particles;
  const shared = { parameters: PARAMETERS } as const;
  const boids = await grid.kernel({
    ...shared,
    label: 'boids',
    code: motionCode + steeringCode + boidsCode,
    buffers: {
      positions: { type: 'array<Stored>', access: 'write' },
      velocities: { type: 'array<Stored>', access: 'write' },
      spheres: { type: 'array<Sphere>', access: 'read' },
    },
  });
  const hunter =
    hunters.length === 0
      ? undefined
      : await grid.kernel({
          ...shared,
          label: 'hunter',
          code: motionCode + steeringCode + hunterCode,
          over: 'points',
          radius: fear,
          buffers: {
            hunting: { type: 'array<Stored>', access: 'write' },
            spheres: { type: 'array<Sphere>', access: 'write' },
          },
        });
  const positionBytes = 4 * storedFloats(dimensions) * (hunters.length / dimensions);
  const { buffers } = await createBuffers(gpu, 'flock', {
    spheres: 2 * MOST_SPHERES * 4 * SPHERE_FLOATS,
    hunting: 2 * positionBytes,
    hunters: positionBytes,
  });
  return { particles, boids, hunter, buffers };
}

/** A flock on the GPU. */
export class Flock extends ParticleMethod<GridParticles, FlockSettings> {
  /** Always 'gpu'. */
  readonly backend = 'gpu';
  private readonly walls: Walls;
  private readonly hunterCount: number;
  private obstacles: Float32Array;

  /** Use createFlock, which checks its arguments. @hideconstructor */
  constructor(
    private readonly gpu: Gpu,
    private readonly plan: FlockPlan,
    private readonly parts: FlockParts,
  ) {
    super(parts.particles, plan.settings);
    const { hunters, obstacles } = plan;
    this.walls = wallsOf(this.world);
    this.hunterCount = hunters.length / this.dimensions;
    this.obstacles = obstacles.slice();
    this.writeHunters(hunters, new Float32Array(hunters.length));
    this.writeObstacles();
  }

  /**
   * The state on the GPU: positions and velocities of the boids, indexed by id, and positions of the hunters. Vectors
   * are vec2f in 2D, and vec4f with w unused in 3D. Positions of unused ids are NaN. Between two steps your kernels may
   * change velocities and move boids within the world.
   */
  get buffers(): Readonly<Record<'positions' | 'velocities' | 'hunters', GPUBuffer>> {
    const { particles, buffers } = this.parts;
    return { ...particles.buffers, hunters: buffers.hunters };
  }

  /** Bytes of all buffers. */
  get memoryBytes(): number {
    const { particles, boids, hunter, buffers } = this.parts;
    const kernels = boids.memoryBytes + (hunter?.memoryBytes ?? 0);
    return Object.values(buffers).reduce((sum, { size }) => sum + size, particles.memoryBytes + kernels);
  }

  /** Changes settings of steps recorded from now on. */
  set(settings: Partial<FlockSettings>): void {
    this.particles.checkAlive();
    this.currentSettings = changeSettings(settings, this.currentSettings);
  }

  /**
   * Moves all hunters to the given positions, which are packed. Hunters keep their velocities. Submit recorded steps
   * first.
   */
  placeHunters(positions: Float32Array): void {
    this.particles.checkIdle();
    checkPacked('positions', positions, this.hunterCount, this.dimensions, 2 ** 48);
    this.writeHunters(positions);
  }

  /**
   * Replaces all obstacles by at most 1,024 others: balls, packed as the centre of each, followed by its radius. Submit
   * recorded steps first.
   */
  setObstacles(obstacles: Float32Array): void {
    this.particles.checkIdle();
    checkObstacles('obstacles', obstacles, this.dimensions);
    this.obstacles = obstacles.slice();
    this.writeObstacles();
  }

  /** Adds boids. Returns their ids: the lowest free ids, ascending. Submit recorded steps first. */
  add(boids: PlacedParticles): Uint32Array {
    return this.particles.add(boids);
  }

  /** Advances by `dt` seconds, 0 to 1, and submits the work. Submit recorded steps first. */
  step(dt: number): void {
    this.particles.checkIdle();
    const encoder = this.gpu.device.createCommandEncoder({ label: 'flock.step' });
    this.encode(encoder, dt);
    this.gpu.device.queue.submit([encoder.finish()]);
  }

  /** Records a step of `dt` seconds, 0 to 1. Submit encoders in the order of recording. */
  encode(encoder: GPUCommandEncoder, dt: number): void {
    checkTimeStep(dt);
    const { particles, boids, hunter, buffers } = this.parts;
    const { positions, velocities } = particles.buffers;
    const { spheres, hunting, hunters } = buffers;
    const { perception, fear } = this.plan;
    const { greatestAcceleration, hunterSpeed, ...settings } = this.currentSettings;
    const parameters = {
      ...{ ...settings, ...this.walls, perception, fear, dt },
      hunters: this.hunterCount,
      spheres: this.hunterCount + this.obstacles.length / (this.dimensions + 1),
      greatest_acceleration: greatestAcceleration,
      hunter_speed: hunterSpeed,
    };
    particles.encode(encoder);
    boids.encode(encoder, { buffers: { positions, velocities, spheres }, parameters });
    if (hunter) {
      const count = this.hunterCount;
      hunter.encode(encoder, { points: hunters, count, buffers: { hunting, spheres }, parameters });
      encoder.copyBufferToBuffer(hunting, 0, hunters, 0, hunting.size / 2);
    }
    this.elapsed += dt;
  }

  /** Resolves to a copy of the state after all work submitted so far, in the order of ids. */
  async read(): Promise<FlockState> {
    const [state, { hunters }] = await Promise.all([this.particles.read(), this.readHunters()]);
    return { ...state, hunters };
  }

  /** Resolves to plain data from which a flock continues with the same bits. */
  async checkpoint(): Promise<FlockCheckpoint> {
    const { perception, fear } = this.plan;
    // Copy these now, because they may change before the boids are read.
    const described = {
      time: this.elapsed,
      settings: this.currentSettings,
      obstacles: this.obstacles.slice(),
    };
    const state = await Promise.all([this.particles.checkpoint(), this.readHunters()]);
    return { ...described, perception, fear, ...state[0], ...state[1] };
  }

  /** Continues from a checkpoint, which may come from a `CpuFlock`. */
  restore(checkpoint: FlockCheckpoint): void {
    const { particles } = this.parts;
    particles.checkAlive();
    const settings = checkFlockCheckpoint(checkpoint, this.plan, {
      dimensions: this.dimensions,
      hunters: this.hunterCount,
    });
    particles.restore(checkpoint);
    this.writeHunters(checkpoint.hunters, checkpoint.hunterVelocities);
    this.obstacles = checkpoint.obstacles.slice();
    this.writeObstacles();
    this.currentSettings = settings;
    this.elapsed = checkpoint.time;
  }

  /** Frees the buffers. Later calls throw. */
  destroy(): void {
    const { particles, buffers } = this.parts;
    particles.destroy();
    for (const buffer of Object.values(buffers)) buffer.destroy();
  }

  private async readHunters(): Promise<Pick<FlockCheckpoint, 'hunters' | 'hunterVelocities'>> {
    const { particles, buffers } = this.parts;
    const [read] = await particles.readVectors([buffers.hunting], 2 * this.hunterCount);
    const floats = this.dimensions * this.hunterCount;
    const both = read as Float32Array;
    return { hunters: both.slice(0, floats), hunterVelocities: both.slice(floats) };
  }

  /**
   * Writes hunters to their own buffers and, as spheres of radius 0, to the start of `spheres`. If `velocities` is left
   * out, hunters keep their velocities.
   */
  private writeHunters(positions: Float32Array, velocities?: Float32Array): void {
    const { queue } = this.gpu.device;
    const { spheres, hunting, hunters } = this.parts.buffers;
    const { dimensions, hunterCount } = this;
    // Deno aborts the process on an empty write.
    if (hunterCount === 0) return;
    queue.writeBuffer(spheres, 0, widen(positions, dimensions, SPHERE_FLOATS));
    const stored = widen(positions, dimensions, storedFloats(dimensions));
    queue.writeBuffer(hunters, 0, stored);
    queue.writeBuffer(hunting, 0, stored);
    if (!velocities) return;
    const floats = storedFloats(dimensions);
    queue.writeBuffer(hunting, 4 * floats * hunterCount, widen(velocities, dimensions, floats));
  }

  private writeObstacles(): void {
    const spheres = widen(this.obstacles, this.dimensions + 1, SPHERE_FLOATS);
    const first = 4 * SPHERE_FLOATS * this.hunterCount;
    // Deno aborts the process on an empty write.
    if (spheres.length > 0) this.gpu.device.queue.writeBuffer(this.parts.buffers.spheres, first, spheres);
  }
}

function storedFloats(dimensions: Dimensions): number {
  return dimensions === 2 ? 2 : 4;
}

/** Appends zeros to each row of `width` numbers, up to `floats` numbers. */
function widen(packed: Float32Array, width: number, floats: number): Float32Array<ArrayBuffer> {
  const rows = packed.length / width;
  const wide = new Float32Array(floats * rows);
  for (let row = 0; row < rows; row++) {
    wide.set(packed.subarray(width * row, width * (row + 1)), floats * row);
  }
  return wide;
}
