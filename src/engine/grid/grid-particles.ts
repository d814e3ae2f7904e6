/**
 * Particles that the caller moves, stored on the GPU by id. Unused ids below `end` have the position NaN, so that the
 * grid quarantines them.
 */
import { checkKnownKeys } from '../../core/base/checks';
import { ArgumentError, DestroyedError } from '../../core/base/errors';
import { IdAllocator } from '../../core/simulation/ids';
import {
  checkCheckpointParticles,
  checkSameKind,
  checkSameWorld,
  describeWorld,
  type ParticlesCheckpoint,
} from '../../core/simulation/particles-checkpoint';
import {
  admitPlaced,
  PLACED_OPTION_NAMES,
  type PlacedArrays,
  type PlacedOptions,
  type PlacedParticles,
  planPlaced,
} from '../../core/simulation/placed';
import type { Dimensions } from '../../core/world/world';
import { type BufferSet, createBuffers } from '../../gpu/buffers';
import { checkGpu, type Gpu, RecordedSteps } from '../../gpu/device';
import { fromStored, storedFloats, toStored } from '../../gpu/layout';
import { Readback } from '../../gpu/readback';
import { HashGrid } from './hash-grid';

/**
 * The kind of value that a buffer holds per particle. A vector is a vec2f (2D) or a vec4f (3D), a word is a u32, i32 or
 * f32. A position is a vector that is NaN for unused ids below `end`, so that `encode` can sort by this buffer.
 */
export type PerParticle = 'vector' | 'word' | 'position';

/** Options of `GridParticles`. */
export interface GridParticlesOptions<More extends string = never> extends PlacedOptions {
  /** True to sort the velocities too, for kernels that read the velocities of neighbours. Default: false. */
  readonly sortVelocities?: boolean | undefined;
  /** Further buffers by name. They hold zeros for a new particle, or NaN if they hold positions. Default: none. */
  readonly more?: Readonly<Record<More, PerParticle>> | undefined;
  /** The name of the particles in debuggers and error messages. Default: 'particles'. */
  readonly label?: string | undefined;
}

const OPTION_NAMES = [...PLACED_OPTION_NAMES, 'sortVelocities', 'more', 'label'] as const;

const NAN_BITS = 0x7fc0_0000;

type StateName<More extends string> = 'positions' | 'velocities' | More;

interface ParticlesParts<More extends string> {
  readonly capacity: number;
  readonly grid: HashGrid;
  readonly owned: BufferSet<StateName<More>>;
  readonly further: readonly (readonly [More, PerParticle])[];
  readonly sortVelocities: boolean;
  readonly label: string;
  readonly first: PlacedParticles;
}

/** Particles that your own kernels move: their buffers, their ids and their grid. See docs/kernels.md. */
export class GridParticles<More extends string = never> {
  private destroyed = false;
  private readonly recorded = new RecordedSteps();
  private readonly readback: Readback;
  private readonly ids: IdAllocator;
  /** The grid that sorts the particles. */
  readonly grid: HashGrid;
  /** The largest number of particles. */
  readonly capacity: number;

  private constructor(
    private readonly gpu: Gpu,
    private readonly parts: ParticlesParts<More>,
  ) {
    this.grid = parts.grid;
    this.capacity = parts.capacity;
    this.readback = new Readback(gpu, parts.label);
    this.ids = new IdAllocator(parts.capacity);
    this.clear(this.admit(parts.first), this.positionBuffers);
  }

  /**
   * Creates the particles and their grid.
   * @example
   * ```ts
   * const particles = await GridParticles.create(gpu, {
   *   dimensions: 2, min: [0, 0], max: [100, 100], diameter: 1, positions: new Float32Array([10, 10, 20, 20]),
   * });
   * const encoder = gpu.device.createCommandEncoder();
   * particles.encode(encoder);
   * gpu.device.queue.submit([encoder.finish()]);
   * ```
   */
  static async create<More extends string = never>(
    gpu: Gpu,
    options: GridParticlesOptions<More>,
  ): Promise<GridParticles<More>> {
    checkKnownKeys('options', options, OPTION_NAMES);
    const { positions, velocities, sortVelocities = false, more, label = 'particles', ...rest } = options;
    if (typeof sortVelocities !== 'boolean') {
      throw new ArgumentError('sortVelocities', sortVelocities, 'true or false');
    }
    if (typeof label !== 'string' || label === '') throw new ArgumentError('label', label, 'a name');
    const { capacity } = planPlaced(options);
    const further = checkMore(more);
    const kinds = [['positions', 'position'], ['velocities', 'vector'], ...further] as const;
    const sizes = Object.fromEntries(
      kinds.map(([name, kind]) => [name, 4 * wordsOf(options.dimensions, kind) * capacity]),
    );
    checkGpu(gpu);
    // The grid rejects more particles than the device can bind, so create it before the other buffers.
    const grid = await HashGrid.create(gpu, { ...rest, capacity, velocities: sortVelocities });
    try {
      const owned = await createBuffers(gpu, label, sizes as Record<StateName<More>, number>);
      const first = { positions, velocities };
      return new GridParticles(gpu, { capacity, grid, owned, further, sortVelocities, label, first });
    } catch (error) {
      grid.destroy();
      throw error;
    }
  }

  /** 2 or 3. */
  get dimensions(): Dimensions {
    return this.grid.world.dimensions;
  }

  /** Number of living particles. */
  get count(): number {
    return this.ids.count;
  }

  /** One more than the greatest id in use; 0 without particles. Draw and dispatch over ids below this number. */
  get end(): number {
    return this.ids.end;
  }

  /**
   * The particles' state by id. Vectors are vec2f (2D) or vec4f with w unused (3D). The usage includes STORAGE, VERTEX,
   * COPY_SRC and COPY_DST. Positions of unused ids below `end` are NaN, also in buffers of kind 'position'.
   */
  get buffers(): Readonly<Record<'positions' | 'velocities' | More, GPUBuffer>> {
    return this.parts.owned.buffers;
  }

  /** Bytes of GPU memory. */
  get memoryBytes(): number {
    return this.grid.memoryBytes + this.parts.owned.bytes;
  }

  /** Records the sort by `buffers.positions`, or by another buffer with the same layout. */
  encode(encoder: GPUCommandEncoder, positions: GPUBuffer = this.buffers.positions): void {
    this.checkAlive();
    const { velocities } = this.buffers;
    const input = { positions, count: this.end };
    this.grid.encode(encoder, this.parts.sortVelocities ? { ...input, velocities } : input);
    this.recorded.note(encoder);
  }

  /**
   * Adds particles for all work submitted from now on. Returns their ids: the lowest free ones, ascending. Submit
   * recorded work before you call this.
   */
  add(particles: PlacedParticles): Uint32Array {
    this.checkIdle();
    const ids = this.admit(particles);
    this.clear(ids, this.parts.further);
    return ids;
  }

  /** Removes particles for all work submitted from now on. */
  remove(ids: Uint32Array | readonly number[]): void {
    this.checkIdle();
    this.ids.checkLiving('ids', ids);
    this.ids.release(ids);
    this.clear(Uint32Array.from(ids).sort(), [['positions', 'position'], ...this.positionBuffers]);
  }

  /**
   * Writes one word per id for all work submitted from now on. `name` is a buffer of kind 'word'. The ids must ascend.
   * Default of `ids`: 0, 1, 2 …
   */
  writeWords(name: More, words: Uint32Array | Int32Array | Float32Array, ids?: Uint32Array): void {
    this.checkIdle();
    const known = this.parts.further.filter(([, kind]) => kind === 'word').map(([word]) => word);
    if (!known.includes(name)) {
      const accepted = known.length > 0 ? `one of ${known.join(', ')}` : "a buffer of kind 'word' in `more`";
      throw new ArgumentError('name', name, accepted);
    }
    if (!(words instanceof Uint32Array || words instanceof Int32Array || words instanceof Float32Array)) {
      throw new ArgumentError('words', words, 'a Uint32Array, an Int32Array or a Float32Array');
    }
    const targets = ids === undefined ? Uint32Array.from(words, (_, index) => index) : ids;
    if (!(targets instanceof Uint32Array)) throw new ArgumentError('ids', ids, 'a Uint32Array');
    if (targets.length !== words.length) {
      throw new ArgumentError('words', words, `of length ${targets.length}, one word per id`);
    }
    let last = -1;
    targets.forEach((id, index) => {
      const accepted = `above the id before it and below ${this.capacity}, the capacity`;
      if (id <= last || id >= this.capacity) throw new ArgumentError(`ids[${index}]`, id, accepted);
      last = id;
    });
    this.write(
      name,
      'word',
      targets,
      Uint32Array.from(new Uint32Array(words.buffer, words.byteOffset, words.length)),
    );
  }

  /** Reads packed ids, positions and velocities after all work submitted so far. */
  async read(): Promise<PlacedArrays> {
    const ids = this.ids.list();
    const { positions, velocities } = this.buffers;
    const [first, second] = await this.readVectors([positions, velocities]);
    const [allPositions, allVelocities] = [first, second] as [Float32Array, Float32Array];
    if (ids.length * this.dimensions === allPositions.length) {
      return { ids, positions: allPositions, velocities: allVelocities };
    }
    const pick = (vectors: Float32Array) =>
      fromStored(this.dimensions, bytesOf(vectors), ids, this.dimensions);
    return { ids, positions: pick(allPositions), velocities: pick(allVelocities) };
  }

  /** Takes a checkpoint of positions and velocities. Save further buffers yourself. */
  async checkpoint(): Promise<ParticlesCheckpoint> {
    const { world } = this.grid;
    const arrays = await this.read();
    return { version: 1, dimensions: world.dimensions, ...describeWorld(world), ...arrays };
  }

  /** Replaces all particles by those of a checkpoint. Values in further buffers become zero, or NaN for positions. */
  restore(checkpoint: ParticlesCheckpoint): void {
    this.checkAlive();
    const { dimensions, capacity } = this;
    checkSameKind(checkpoint, dimensions);
    checkSameWorld(checkpoint, this.grid.world);
    checkCheckpointParticles(checkpoint, dimensions, capacity);
    const { ids, positions, velocities } = checkpoint;
    this.recorded.forget();
    const gone = this.ids.list();
    this.ids.replaceAll(ids);
    const used = Uint32Array.from({ length: Math.max(this.end, (gone.at(-1) ?? -1) + 1) }, (_, id) => id);
    this.clear(used, [['positions', 'position'], ...this.parts.further]);
    this.write('positions', 'position', ids, toStored(dimensions, positions));
    this.write('velocities', 'vector', ids, toStored(dimensions, velocities));
  }

  /**
   * Reads the first `count` vectors of each buffer. The buffers need the layout of `buffers.positions` and usage
   * COPY_SRC. Default of `count`: `end`.
   */
  async readVectors(buffers: readonly GPUBuffer[], count = this.end): Promise<Float32Array[]> {
    const read = await this.readBytes(buffers, 4 * storedFloats(this.dimensions) * count);
    return read.map((bytes) => fromStored(this.dimensions, bytes));
  }

  /** Reads one f32 for each id below `end` from a buffer with usage COPY_SRC. */
  async readFloats(buffer: GPUBuffer): Promise<Float32Array> {
    const [bytes] = await this.readBytes([buffer], 4 * this.end);
    return new Float32Array(bytes as ArrayBuffer);
  }

  /** Throws if these particles were destroyed or their device is lost. */
  checkAlive(): void {
    if (this.destroyed) throw new DestroyedError(this.parts.label);
    this.gpu.checkAlive();
  }

  /** Throws as `checkAlive` does, and also if a sort was recorded into an encoder that is not finished. */
  checkIdle(): void {
    this.checkAlive();
    this.recorded.check();
  }

  /** Frees the memory. Later calls throw a DestroyedError. */
  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.grid.destroy();
    this.readback.destroy();
    this.parts.owned.destroy();
  }

  private get positionBuffers(): readonly (readonly [More, PerParticle])[] {
    return this.parts.further.filter(([, kind]) => kind === 'position');
  }

  private admit(particles: PlacedParticles): Uint32Array {
    const { ids, positions, velocities } = admitPlaced(this.ids, this.grid.world, particles);
    this.write('positions', 'position', ids, toStored(this.dimensions, positions));
    this.write('velocities', 'vector', ids, toStored(this.dimensions, velocities));
    return ids;
  }

  /** Writes zeros, or NaN into buffers of positions. */
  private clear(ids: Uint32Array, kinds: readonly (readonly [StateName<More>, PerParticle])[]): void {
    for (const [name, kind] of kinds) {
      const words = new Uint32Array(wordsOf(this.dimensions, kind) * ids.length);
      this.write(name, kind, ids, kind === 'position' ? words.fill(NAN_BITS) : words);
    }
  }

  /** Writes values by id. Each run of consecutive ids takes one write, so ascending ids are fastest. */
  private write(
    name: StateName<More>,
    kind: PerParticle,
    ids: Uint32Array,
    values: Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>,
  ): void {
    const words = wordsOf(this.dimensions, kind);
    const { queue } = this.gpu.device;
    for (let from = 0, to = 0; from < ids.length; from = to) {
      const first = ids[from] as number;
      while (to < ids.length && ids[to] === first + to - from) to++;
      queue.writeBuffer(this.buffers[name], 4 * words * first, values, words * from, words * (to - from));
    }
  }

  private async readBytes(buffers: readonly GPUBuffer[], size: number): Promise<ArrayBuffer[]> {
    this.checkIdle();
    const encoder = this.gpu.device.createCommandEncoder({ label: `${this.parts.label}.read` });
    const ranges = buffers.map((buffer) => ({ buffer, size }));
    const copies = this.readback.record(encoder, ranges);
    this.gpu.device.queue.submit([encoder.finish()]);
    return copies.finish();
  }
}

function wordsOf(dimensions: Dimensions, kind: PerParticle): number {
  return kind === 'word' ? 1 : storedFloats(dimensions);
}

function bytesOf({ buffer }: Float32Array): ArrayBuffer {
  return buffer as ArrayBuffer;
}

function checkMore<More extends string>(
  more: Readonly<Record<More, PerParticle>> | undefined,
): readonly (readonly [More, PerParticle])[] {
  if (more !== undefined && (typeof more !== 'object' || more === null)) {
    throw new ArgumentError('more', more, "an object that maps names to 'vector', 'word' or 'position'");
  }
  const entries = Object.entries<PerParticle>(more ?? {});
  for (const [name, kind] of entries) {
    if (kind !== 'vector' && kind !== 'word' && kind !== 'position') {
      throw new ArgumentError(`more.${name}`, kind, "'vector', 'word' or 'position'");
    }
    if (name === 'positions' || name === 'velocities') {
      throw new ArgumentError(`more.${name}`, kind, 'another name: that buffer exists already');
    }
  }
  return entries as [More, PerParticle][];
}
