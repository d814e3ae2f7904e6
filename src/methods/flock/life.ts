/** Particle life on the GPU. The rule is in shaders/flock/life.wgsl; docs/life.md explains it. */
import lifeCode from '../../../shaders/flock/life.wgsl?raw';
import motionCode from '../../../shaders/flock/motion.wgsl?raw';
import { ParticleMethod } from '../../core/simulation/placed-method';
import { type Walls, wallsOf } from '../../core/world/walls';
import type { GridKernel } from '../../engine/grid/grid-kernel';
import { GridParticles } from '../../engine/grid/grid-particles';
import { createBuffers } from '../../gpu/buffers';
import type { Gpu } from '../../gpu/device';
import {
  changeSettings,
  checkLifeCheckpoint,
  checkNew,
  keptShare,
  type LifeCheckpoint,
  type LifeOptions,
  type LifePlan,
  type LifeSettings,
  type LifeState,
  type NewLife,
  packAttraction,
  planLife,
} from './life-options';
import { checkTimeStep } from './options';

const PARAMETERS = {
  dt: 'f32',
  lower: 'vector',
  upper: 'vector',
  reach: 'f32',
  core: 'f32',
  strength: 'f32',
  kept: 'f32',
  kinds: 'u32',
} as const;

interface LifeParts {
  readonly particles: GridParticles<'species'>;
  readonly kernel: GridKernel;
  readonly attraction: GPUBuffer;
}

/**
 * Creates particle life on the GPU, in 2D or 3D. A table gives how strongly each species is attracted to every species.
 *
 * @example
 * ```ts
 * const gpu = await requestGpu({ particles: 1000, dimensions: 2 });
 * const positions = Float32Array.from({ length: 2000 }, () => 20 * Math.random());
 * const species = Uint8Array.from({ length: 1000 }, (_, id) => id % 2);
 * const attraction = [[0.5, -0.2], [0.8, 0.1]];
 * const options = { min: [0, 0], max: [20, 20], reach: 1, positions, species, attraction };
 * const life = await createLife(gpu, { dimensions: 2, ...options });
 * life.step(1 / 60);
 * ```
 */
export async function createLife(gpu: Gpu, options: LifeOptions): Promise<Life> {
  const plan = planLife(options);
  const particles = await GridParticles.create(gpu, {
    ...plan.placed,
    more: { species: 'word' },
    label: 'life',
  });
  try {
    const kernel = await particles.grid.kernel({
      label: 'life',
      code: motionCode + lifeCode,
      buffers: {
        positions: { type: 'array<Stored>', access: 'write' },
        velocities: { type: 'array<Stored>', access: 'write' },
        species: { type: 'array<u32>', access: 'read' },
        attraction: { type: 'array<f32>', access: 'read' },
      },
      parameters: PARAMETERS,
    });
    const { buffers } = await createBuffers(gpu, 'life', { attraction: 4 * plan.kinds ** 2 });
    return new Life(gpu, plan, { particles, kernel, attraction: buffers.attraction });
  } catch (error) {
    particles.destroy();
    throw error;
  }
}

/** Particle life on the GPU. */
export class Life extends ParticleMethod<GridParticles<'species'>, LifeSettings> {
  /** Always 'gpu'. */
  readonly backend = 'gpu';
  /** Number of species. */
  readonly kinds: number;
  private readonly walls: Walls;

  /** Use createLife, which checks its arguments. @hideconstructor */
  constructor(
    private readonly gpu: Gpu,
    private readonly plan: LifePlan,
    private readonly parts: LifeParts,
  ) {
    super(parts.particles, plan.settings);
    this.kinds = plan.kinds;
    this.walls = wallsOf(this.world);
    this.writeAttraction();
    const { particles } = parts;
    particles.writeWords('species', plan.species);
  }

  /**
   * The state on the GPU, indexed by id. Positions and velocities are vec2f in 2D, and vec4f with w unused in 3D;
   * species are u32. Positions of unused ids are NaN. Between two steps your kernels may change velocities and move
   * particles within the world.
   */
  get buffers(): Readonly<Record<'positions' | 'velocities' | 'species', GPUBuffer>> {
    return this.particles.buffers;
  }

  /** Bytes of all buffers. */
  get memoryBytes(): number {
    const { particles, kernel, attraction } = this.parts;
    return particles.memoryBytes + kernel.memoryBytes + attraction.size;
  }

  /**
   * Changes settings; compiles no kernel. `attraction` applies to steps submitted from now on, other settings to steps
   * recorded from now on.
   */
  set(settings: Partial<LifeSettings>): void {
    this.particles.checkAlive();
    this.currentSettings = changeSettings(settings, this.currentSettings);
    if (settings.attraction !== undefined) this.writeAttraction();
  }

  /** Adds particles. Returns their ids: the lowest free ids, ascending. Submit recorded steps first. */
  add(given: NewLife): Uint32Array {
    const { particles } = this.parts;
    particles.checkAlive();
    const { placed, species } = checkNew(given, this.dimensions, this.kinds);
    const ids = particles.add(placed);
    particles.writeWords('species', species, ids);
    return ids;
  }

  /** Advances by `dt` seconds, 0 to 1, and submits the work. Submit recorded steps first. */
  step(dt: number): void {
    this.particles.checkIdle();
    const encoder = this.gpu.device.createCommandEncoder({ label: 'life.step' });
    this.encode(encoder, dt);
    this.gpu.device.queue.submit([encoder.finish()]);
  }

  /** Records a step of `dt` seconds, 0 to 1. Submit encoders in the order of recording. */
  encode(encoder: GPUCommandEncoder, dt: number): void {
    checkTimeStep(dt);
    const { particles, kernel, attraction } = this.parts;
    const { strength, halfLife, core } = this.currentSettings;
    const { kinds, walls } = this;
    const { reach } = this.plan;
    particles.encode(encoder);
    kernel.encode(encoder, {
      buffers: { ...particles.buffers, attraction },
      parameters: { ...walls, dt, reach, core, strength, kinds, kept: keptShare(halfLife, dt) },
    });
    this.elapsed += dt;
  }

  /** Resolves to a copy of the state after all work submitted so far, in the order of ids. */
  async read(): Promise<LifeState> {
    const { particles } = this.parts;
    const [state, species] = await Promise.all([
      particles.read(),
      particles.readFloats(particles.buffers.species),
    ]);
    const kinds = new Uint32Array(species.buffer);
    return { ...state, species: state.ids.map((id) => kinds[id] as number) };
  }

  /** Resolves to plain data from which particle life continues with the same bits. */
  async checkpoint(): Promise<LifeCheckpoint> {
    // Copy these now, because they may change before the particles are read.
    const described = { time: this.elapsed, reach: this.plan.reach, settings: this.currentSettings };
    const [particles, state] = await Promise.all([this.particles.checkpoint(), this.read()]);
    return { ...described, ...particles, species: state.species };
  }

  /** Continues from a checkpoint, which may come from a `CpuLife`. */
  restore(checkpoint: LifeCheckpoint): void {
    const { particles } = this.parts;
    particles.checkAlive();
    const { species, settings } = checkLifeCheckpoint(checkpoint, this.plan);
    particles.restore(checkpoint);
    particles.writeWords('species', species, checkpoint.ids);
    this.currentSettings = settings;
    this.writeAttraction();
    this.elapsed = checkpoint.time;
  }

  /** Frees the buffers. Later calls throw. */
  destroy(): void {
    this.particles.destroy();
    this.parts.attraction.destroy();
  }

  private writeAttraction(): void {
    const { attraction } = this.currentSettings;
    this.gpu.device.queue.writeBuffer(this.parts.attraction, 0, packAttraction(attraction));
  }
}
