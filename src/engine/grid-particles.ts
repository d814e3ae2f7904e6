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
import { type BufferSet, createBuffers, createParts } from '../gpu/buffers';
import { checkGpu, type Gpu } from '../gpu/device';
import { fromStored, storedFloats, toStored } from '../gpu/layout';
import { Readback } from '../gpu/readback';
import { HashGrid } from './hash-grid';

export interface GridParticlesOptions extends WorldOptions {
  /** Of the grid: neighbours nearer than this are found. */
  readonly diameter: number;
  /** `dimensions` numbers a particle, in the box where there is one. They are copied. */
  readonly positions: Float32Array;
  /** The same of velocities. Default: all 0. */
  readonly velocities?: Float32Array | undefined;
  /** The grid carries velocities along, for kernels that ask for those of neighbours. Default false. */
  readonly sortVelocities?: boolean | undefined;
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
  'label',
] as const;

export class GridParticles {
  private destroyed = false;
  private readonly readback: Readback;

  private constructor(
    private readonly gpu: Gpu,
    readonly count: number,
    readonly grid: HashGrid,
    private readonly owned: BufferSet<'positions' | 'velocities'>,
    private readonly sortVelocities: boolean,
    private readonly label: string,
  ) {
    this.readback = new Readback(gpu, label);
  }

  static async create(gpu: Gpu, options: GridParticlesOptions): Promise<GridParticles> {
    checkKnownKeys('options', options, OPTION_NAMES);
    const { positions, velocities, sortVelocities = false, label = 'particles', ...rest } = options;
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
    checkGpu(gpu);
    const bytes = 4 * storedFloats(dimensions) * count;
    const { grid, owned } = await createParts({
      grid: HashGrid.create(gpu, { ...rest, capacity: count, velocities: sortVelocities }),
      owned: createBuffers(gpu, label, { positions: bytes, velocities: bytes }),
    });
    const { queue } = gpu.device;
    queue.writeBuffer(owned.buffers.positions, 0, toStored(dimensions, positions));
    if (velocities) queue.writeBuffer(owned.buffers.velocities, 0, toStored(dimensions, velocities));
    return new GridParticles(gpu, count, grid, owned, sortVelocities, label);
  }

  /** By id: vec2f (2D) or vec4f with w unused (3D); usage STORAGE, COPY_SRC and COPY_DST. */
  get buffers(): Readonly<Record<'positions' | 'velocities', GPUBuffer>> {
    return this.owned.buffers;
  }

  get memoryBytes(): number {
    return this.grid.memoryBytes + this.owned.bytes;
  }

  /** Records the sort of the particles, or of other places of theirs, laid out as `buffers.positions`. */
  encode(encoder: GPUCommandEncoder, positions = this.buffers.positions): void {
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
