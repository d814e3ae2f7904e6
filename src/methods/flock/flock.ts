/**
 * Purpose: boids on the GPU: separation, alignment, cohesion, obstacles and hunters, in 2D and 3D, in boxes that wrap
 * around or have walls, or in space without end. The rules are in shaders/flock/boids.wgsl and hunter.wgsl; here they get
 * their buffers and parameters. docs/boids.md goes from the idea to the kernel.
 *
 *     const flock = await createFlock(gpu, { dimensions: 2, min, max, periodic: true, perception: 1, positions });
 *     flock.step(1 / 60);
 *
 * Inputs: packed positions, settings in the caller's units. Outputs: `buffers`, by id.
 * Guarantee: the same input gives the same bits, since neighbours come in an order that depends on the state alone.
 */
import boidsCode from '../../../shaders/flock/boids.wgsl?raw';
import hunterCode from '../../../shaders/flock/hunter.wgsl?raw';
import motionCode from '../../../shaders/flock/motion.wgsl?raw';
import steeringCode from '../../../shaders/flock/steering.wgsl?raw';
import {
  checkPacked,
  type Dimensions,
  type Gpu,
  type GridKernel,
  PlacedMethod,
  type PlacedParticles,
  SortedParticles,
  type Walls,
  wallsOf,
} from '../../index';
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

/** Floats of a Sphere in steering.wgsl, in the plane as in space; the radius comes right behind the centre. */
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
  readonly particles: SortedParticles;
  readonly boids: GridKernel;
  readonly hunter: GridKernel | undefined;
  readonly buffers: Readonly<Record<'spheres' | 'hunting' | 'hunters', GPUBuffer>>;
}

export async function createFlock(gpu: Gpu, options: FlockOptions): Promise<Flock> {
  const plan = planFlock(options);
  const particles = await SortedParticles.create(gpu, {
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
  particles: SortedParticles,
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
  // A kernel over nobody need not be compiled.
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
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const make = (label: string, bytes: number) =>
    gpu.device.createBuffer({ label: `flock.${label}`, size: Math.max(16, bytes), usage });
  const placeBytes = 4 * storedFloats(dimensions) * (hunters.length / dimensions);
  const buffers = {
    spheres: make('spheres', 2 * MOST_SPHERES * 4 * SPHERE_FLOATS),
    hunting: make('hunting', 2 * placeBytes),
    hunters: make('hunters', placeBytes),
  };
  return { particles, boids, hunter, buffers };
}

export class Flock extends PlacedMethod<SortedParticles, FlockSettings> {
  readonly backend = 'gpu';
  private readonly walls: Walls;
  private readonly hunterCount: number;
  private obstacles: Float32Array;

  /** Use createFlock, which checks its arguments. */
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
   * By id, vec2f (2D) or vec4f with w unused (3D): of boids, and where hunters are. Positions of ids that nobody has are
   * NaN. Between two steps, kernels of yours may change velocities, and positions within the box.
   */
  get buffers(): Readonly<Record<'positions' | 'velocities' | 'hunters', GPUBuffer>> {
    const { particles, buffers } = this.parts;
    return { ...particles.buffers, hunters: buffers.hunters };
  }

  get memoryBytes(): number {
    const { particles, boids, hunter, buffers } = this.parts;
    const kernels = boids.memoryBytes + (hunter?.memoryBytes ?? 0);
    return Object.values(buffers).reduce((sum, { size }) => sum + size, particles.memoryBytes + kernels);
  }

  /** From the next recording on. No kernel is compiled. */
  set(settings: Partial<FlockSettings>): void {
    this.particles.checkAlive();
    this.currentSettings = changeSettings(settings, this.currentSettings);
  }

  /** Puts the hunters elsewhere, as many as there are, for all that is submitted from now on; they keep their speed. */
  placeHunters(places: Float32Array): void {
    this.particles.checkAlive();
    checkPacked('places', places, this.hunterCount, this.dimensions, 2 ** 48);
    this.writeHunters(places);
  }

  /** Replaces all obstacles, at most 1,024. What is recorded must be submitted before. */
  setObstacles(obstacles: Float32Array): void {
    this.particles.checkAlive();
    checkObstacles('obstacles', obstacles, this.dimensions);
    this.obstacles = obstacles.slice();
    this.writeObstacles();
  }

  /** More boids; their ids, the lowest free ones, ascending. What is recorded must be submitted before. */
  add(boids: PlacedParticles): Uint32Array {
    return this.particles.add(boids);
  }

  step(dt: number): void {
    const encoder = this.gpu.device.createCommandEncoder({ label: 'flock.step' });
    this.encode(encoder, dt);
    this.gpu.device.queue.submit([encoder.finish()]);
  }

  /** Records a step. The caller submits, in the order of recording. */
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

  /** As all that was submitted left it, packed, by id. */
  async read(): Promise<FlockState> {
    const [state, { hunters }] = await Promise.all([this.particles.read(), this.readHunters()]);
    return { ...state, hunters };
  }

  async checkpoint(): Promise<FlockCheckpoint> {
    const { perception, fear } = this.plan;
    // Of now, not of when the boids arrive.
    const own = { time: this.elapsed, settings: this.currentSettings, obstacles: this.obstacles.slice() };
    const state = await Promise.all([this.particles.checkpoint(), this.readHunters()]);
    return { ...own, perception, fear, ...state[0], ...state[1] };
  }

  /** Goes on from a checkpoint; it may be that of a CpuFlock. */
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

  /** Hunters are the first spheres, of radius 0. Without velocities they keep theirs. */
  private writeHunters(places: Float32Array, velocities?: Float32Array): void {
    const { queue } = this.gpu.device;
    const { spheres, hunting, hunters } = this.parts.buffers;
    const { dimensions, hunterCount } = this;
    // Deno stops the whole process where nothing is to be written.
    if (hunterCount === 0) return;
    queue.writeBuffer(spheres, 0, spread(places, dimensions, SPHERE_FLOATS));
    const stored = spread(places, dimensions, storedFloats(dimensions));
    queue.writeBuffer(hunters, 0, stored);
    queue.writeBuffer(hunting, 0, stored);
    if (!velocities) return;
    const floats = storedFloats(dimensions);
    queue.writeBuffer(hunting, 4 * floats * hunterCount, spread(velocities, dimensions, floats));
  }

  private writeObstacles(): void {
    const spheres = spread(this.obstacles, this.dimensions + 1, SPHERE_FLOATS);
    const first = 4 * SPHERE_FLOATS * this.hunterCount;
    // As above.
    if (spheres.length > 0) this.gpu.device.queue.writeBuffer(this.parts.buffers.spheres, first, spheres);
  }
}

/** Floats of a vector in a buffer. */
function storedFloats(dimensions: Dimensions): number {
  return dimensions === 2 ? 2 : 4;
}

/** Rows of numbers, each as wide as a buffer wants it. */
function spread(packed: Float32Array, width: number, floats: number): Float32Array<ArrayBuffer> {
  const rows = packed.length / width;
  const wide = new Float32Array(floats * rows);
  for (let row = 0; row < rows; row++) {
    wide.set(packed.subarray(width * row, width * (row + 1)), floats * row);
  }
  return wide;
}
