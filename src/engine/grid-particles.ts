/**
 * Purpose: particles that a program of its own moves: positions and velocities on the GPU in the order that they were
 * given in, and a HashGrid over them. What a method starts from that is written with GridKernel; see docs/kernels.md.
 *
 *     const particles = await GridParticles.create(gpu, { dimensions: 2, min, max, diameter: 1, positions });
 *     const kernel = await particles.grid.kernel({ code, buffers: { positions: { type: 'array<Stored>', access: 'write' } } });
 *     particles.encode(encoder);
 *     kernel.encode(encoder, { buffers: { positions: particles.buffers.positions } });
 *
 * Inputs: packed vectors, checked before any GPU work. Outputs: `buffers`, `grid`, and packed vectors again by `read`.
 */
import { checkDimensions, checkKnownKeys, checkPacked, checkVector } from '../core/checks';
import { ArgumentError, DestroyedError } from '../core/errors';
import { GREATEST_SPEED, WORLD_NAMES, type WorldOptions } from '../core/world';
import { type BufferSet, createBuffers } from '../gpu/buffers';
import { checkGpu, type Gpu } from '../gpu/device';
import { fromStored, storedFloats, toStored } from '../gpu/layout';
import { Readback } from '../gpu/readback';
import { HashGrid } from './hash-grid';

/** What a buffer holds of each particle: a vector, laid out as positions are, or a u32, i32 or f32. */
export type PerParticle = 'vector' | 'word';

export interface GridParticlesOptions<More extends string = never> extends WorldOptions {
  /** Of the grid: neighbours nearer than this are found. */
  readonly diameter: number;
  /** `dimensions` numbers a particle, in the box where there is one. They are copied. */
  readonly positions: Float32Array;
  /** The same of velocities. Default: all 0. */
  readonly velocities?: Float32Array | undefined;
  /** The grid carries velocities along, for kernels that ask for those of neighbours. Default false. */
  readonly sortVelocities?: boolean | undefined;
  /** Further buffers, by name, zero at first. */
  readonly more?: Readonly<Record<More, PerParticle>> | undefined;
  /** For debuggers. Default 'particles'. */
  readonly label?: string | undefined;
}

const OPTION_NAMES = [
  ...WORLD_NAMES,
  'dimensions',
  'diameter',
  'positions',
  'velocities',
  'sortVelocities',
  'more',
  'label',
] as const;

type Held<More extends string> = 'positions' | 'velocities' | More;

export class GridParticles<More extends string = never> {
  private destroyed = false;
  private readonly readback: Readback;

  private constructor(
    private readonly gpu: Gpu,
    readonly count: number,
    readonly grid: HashGrid,
    private readonly owned: BufferSet<Held<More>>,
    private readonly sortVelocities: boolean,
    private readonly label: string,
  ) {
    this.readback = new Readback(gpu, label);
  }

  static async create<More extends string = never>(
    gpu: Gpu,
    options: GridParticlesOptions<More>,
  ): Promise<GridParticles<More>> {
    checkKnownKeys('options', options, OPTION_NAMES);
    const { positions, velocities, sortVelocities = false, more, label = 'particles', ...rest } = options;
    const { dimensions } = options;
    checkDimensions(dimensions);
    if (typeof sortVelocities !== 'boolean') {
      throw new ArgumentError('sortVelocities', sortVelocities, 'true or false');
    }
    if (typeof label !== 'string' || label === '') throw new ArgumentError('label', label, 'a name');
    const count = positions instanceof Float32Array ? Math.ceil(positions.length / dimensions) : 0;
    checkPacked('positions', positions, count, dimensions);
    if (velocities !== undefined) {
      checkPacked('velocities', velocities, count, dimensions, GREATEST_SPEED);
    }
    if (!options.unbounded) checkInside(positions, options);
    const further = checkMore(more);
    const bytesOf = (kind: PerParticle) => 4 * count * (kind === 'word' ? 1 : storedFloats(dimensions));
    const kinds = [['positions', 'vector'], ['velocities', 'vector'], ...further] as [
      Held<More>,
      PerParticle,
    ][];
    const sizes = Object.fromEntries(kinds.map(([name, kind]) => [name, bytesOf(kind)]));
    checkGpu(gpu);
    // It refuses more particles than the device can bind, before anything is reserved for them.
    const grid = await HashGrid.create(gpu, { ...rest, capacity: count, velocities: sortVelocities });
    let owned: BufferSet<Held<More>>;
    try {
      owned = await createBuffers(gpu, label, sizes as Record<Held<More>, number>);
    } catch (error) {
      grid.destroy();
      throw error;
    }
    const particles = new GridParticles<More>(gpu, count, grid, owned, sortVelocities, label);
    const { queue } = gpu.device;
    queue.writeBuffer(particles.buffers.positions, 0, toStored(dimensions, positions));
    if (velocities) queue.writeBuffer(particles.buffers.velocities, 0, toStored(dimensions, velocities));
    return particles;
  }

  /** By id, vectors as vec2f (2D) or vec4f with w unused (3D); usage STORAGE, COPY_SRC and COPY_DST. */
  get buffers(): Readonly<Record<Held<More>, GPUBuffer>> {
    return this.owned.buffers;
  }

  get memoryBytes(): number {
    return this.grid.memoryBytes + this.owned.bytes;
  }

  /** Records the sort of the particles, or of other places of theirs, laid out as `buffers.positions`. */
  encode(encoder: GPUCommandEncoder, positions: GPUBuffer = this.buffers.positions): void {
    this.checkAlive();
    const { velocities } = this.buffers;
    const input = { positions, count: this.count };
    this.grid.encode(encoder, this.sortVelocities ? { ...input, velocities } : input);
  }

  /** Positions and velocities as all that was submitted left them, packed, by id. */
  async read(): Promise<{ readonly positions: Float32Array; readonly velocities: Float32Array }> {
    const { positions, velocities } = this.buffers;
    const [first, second] = await this.readVectors([positions, velocities]);
    return { positions: first as Float32Array, velocities: second as Float32Array };
  }

  /** The first `count` vectors of each of some buffers that are laid out as `buffers.positions`, of usage COPY_SRC. */
  async readVectors(buffers: readonly GPUBuffer[], count = this.count): Promise<Float32Array[]> {
    const { dimensions } = this.grid.world;
    const read = await this.readBytes(buffers, 4 * storedFloats(dimensions) * count);
    return read.map((bytes) => fromStored(dimensions, bytes));
  }

  /** One number a particle, of a buffer of usage COPY_SRC. */
  async readFloats(buffer: GPUBuffer): Promise<Float32Array> {
    const [bytes] = await this.readBytes([buffer], 4 * this.count);
    return new Float32Array(bytes as ArrayBuffer);
  }

  /** Throws if these particles or their device are gone. */
  checkAlive(): void {
    if (this.destroyed) throw new DestroyedError(this.label);
    this.gpu.checkAlive();
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.grid.destroy();
    this.readback.destroy();
    this.owned.destroy();
  }

  private async readBytes(buffers: readonly GPUBuffer[], size: number): Promise<ArrayBuffer[]> {
    this.checkAlive();
    const encoder = this.gpu.device.createCommandEncoder({ label: `${this.label}.read` });
    const ranges = buffers.map((buffer) => ({ buffer, size }));
    const copies = this.readback.record(encoder, ranges);
    this.gpu.device.queue.submit([encoder.finish()]);
    return copies.finish();
  }
}

function checkMore<More extends string>(
  more: Readonly<Record<More, PerParticle>> | undefined,
): readonly (readonly [string, PerParticle])[] {
  if (more !== undefined && (typeof more !== 'object' || more === null)) {
    throw new ArgumentError('more', more, "an object of 'vector' or 'word' by name");
  }
  const entries = Object.entries<PerParticle>(more ?? {});
  for (const [name, kind] of entries) {
    if (kind !== 'vector' && kind !== 'word') {
      throw new ArgumentError(`more.${name}`, kind, "'vector' or 'word'");
    }
    if (name === 'positions' || name === 'velocities') {
      throw new ArgumentError(`more.${name}`, kind, 'left out, since that buffer is there');
    }
  }
  return entries;
}

function checkInside(positions: Float32Array, { dimensions, min, max }: WorldOptions): void {
  checkVector('world.min', min, dimensions);
  checkVector('world.max', max, dimensions);
  positions.forEach((value, index) => {
    const axis = index % dimensions;
    const [low, high] = [Math.fround(min[axis] as number), Math.fround(max[axis] as number)];
    if (value >= low && value <= high) return;
    const argument = `positions[${index}] (particle ${Math.floor(index / dimensions)})`;
    throw new ArgumentError(argument, value, `in the box, from ${low} to ${high}`);
  });
}
