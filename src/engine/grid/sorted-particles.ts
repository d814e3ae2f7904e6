/**
 * Purpose: particles that a program of its own moves: positions and velocities on the GPU by id, and a SortedGrid over them, for
 * kernels. GridParticles is this over a HashGrid; here so that a program which needs no lists and searches carries none.
 * Inputs: packed vectors, checked before any GPU work. Outputs: `buffers`, `grid`, and packed vectors again by `read`.
 * Ids below `end` that nobody has are at NaN, so that the grid sets them aside and kernels are not called for them.
 * Guarantee: the same calls give the same bits: ids are the lowest free ones, and nothing moves to another.
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
import { checkGpu, type Gpu } from '../../gpu/device';
import { fromStored, storedFloats, toStored } from '../../gpu/layout';
import { Readback } from '../../gpu/readback';
import { type HashGridOptions, SortedGrid } from './sorted-grid';

/**
 * What a buffer holds of each particle: a vector, laid out as positions are; a u32, i32 or f32; or a place, which is a
 * vector that is NaN where there is no particle, so that `encode` can sort by it.
 */
export type PerParticle = 'vector' | 'word' | 'place';

export interface GridParticlesOptions<More extends string = never> extends PlacedOptions {
  /** The grid carries velocities along, for kernels that ask for those of neighbours. Default false. */
  readonly sortVelocities?: boolean | undefined;
  /** Further buffers, by name, zero at first (places NaN), and again for each particle that is added. */
  readonly more?: Readonly<Record<More, PerParticle>> | undefined;
  /** For debuggers. Default 'particles'. */
  readonly label?: string | undefined;
}

const OPTION_NAMES = [...PLACED_OPTION_NAMES, 'sortVelocities', 'more', 'label'] as const;

/** Bits of a 32-bit float that is not a number. */
const NOWHERE = 0x7fc0_0000;

type Held<More extends string> = 'positions' | 'velocities' | More;

/** What such particles are made of. */
export interface ParticlesParts<More extends string, Grid extends SortedGrid> {
  readonly capacity: number;
  readonly grid: Grid;
  readonly owned: BufferSet<Held<More>>;
  readonly further: readonly (readonly [More, PerParticle])[];
  readonly sortVelocities: boolean;
  readonly label: string;
  /** Those that are there from the beginning. */
  readonly first: PlacedParticles;
}

export class SortedParticles<More extends string = never, Grid extends SortedGrid = SortedGrid> {
  private destroyed = false;
  private readonly readback: Readback;
  private readonly ids: IdAllocator;
  readonly grid: Grid;
  readonly capacity: number;

  protected constructor(
    private readonly gpu: Gpu,
    private readonly parts: ParticlesParts<More, Grid>,
  ) {
    this.grid = parts.grid;
    this.capacity = parts.capacity;
    this.readback = new Readback(gpu, parts.label);
    this.ids = new IdAllocator(parts.capacity);
    this.clear(this.place(parts.first), this.places);
  }

  static async create<More extends string = never>(
    gpu: Gpu,
    options: GridParticlesOptions<More>,
  ): Promise<SortedParticles<More>> {
    return new SortedParticles(gpu, await SortedParticles.prepare(gpu, options, SortedGrid.create));
  }

  protected static async prepare<More extends string, Grid extends SortedGrid>(
    gpu: Gpu,
    options: GridParticlesOptions<More>,
    createGrid: (gpu: Gpu, options: HashGridOptions) => Promise<Grid>,
  ): Promise<ParticlesParts<More, Grid>> {
    checkKnownKeys('options', options, OPTION_NAMES);
    const { positions, velocities, sortVelocities = false, more, label = 'particles', ...rest } = options;
    if (typeof sortVelocities !== 'boolean') {
      throw new ArgumentError('sortVelocities', sortVelocities, 'true or false');
    }
    if (typeof label !== 'string' || label === '') throw new ArgumentError('label', label, 'a name');
    const { capacity } = planPlaced(options);
    const further = checkMore(more);
    const kinds = [['positions', 'place'], ['velocities', 'vector'], ...further] as const;
    const sizes = Object.fromEntries(
      kinds.map(([name, kind]) => [name, 4 * wordsOf(options.dimensions, kind) * capacity]),
    );
    checkGpu(gpu);
    // It refuses more particles than the device can bind, before anything is reserved for them.
    const grid = await createGrid(gpu, { ...rest, capacity, velocities: sortVelocities });
    try {
      const owned = await createBuffers(gpu, label, sizes as Record<Held<More>, number>);
      return { capacity, grid, owned, further, sortVelocities, label, first: { positions, velocities } };
    } catch (error) {
      grid.destroy();
      throw error;
    }
  }

  get dimensions(): Dimensions {
    return this.grid.world.dimensions;
  }

  get count(): number {
    return this.ids.count;
  }

  /** One more than the greatest id of a particle, or 0. What is drawn by id is to be drawn up to here. */
  get end(): number {
    return this.ids.end;
  }

  /**
   * By id, vectors as vec2f (2D) or vec4f with w unused (3D); usage STORAGE, COPY_SRC and COPY_DST. Ids that nobody has
   * are at NaN in `positions`, and so in places.
   */
  get buffers(): Readonly<Record<Held<More>, GPUBuffer>> {
    return this.parts.owned.buffers;
  }

  get memoryBytes(): number {
    return this.grid.memoryBytes + this.parts.owned.bytes;
  }

  /** Records the sort of the particles, or of other places of theirs, laid out as `buffers.positions`. */
  encode(encoder: GPUCommandEncoder, positions: GPUBuffer = this.buffers.positions): void {
    this.checkAlive();
    const { velocities } = this.buffers;
    const input = { positions, count: this.end };
    this.grid.encode(encoder, this.parts.sortVelocities ? { ...input, velocities } : input);
  }

  /**
   * More particles, for all that is submitted from now on; their ids, the lowest free ones, ascending. What is recorded
   * must be submitted before.
   */
  add(particles: PlacedParticles): Uint32Array {
    this.checkAlive();
    const ids = this.place(particles);
    this.clear(ids, this.parts.further);
    return ids;
  }

  /** Takes particles away, for all that is submitted from now on. */
  remove(ids: Uint32Array | readonly number[]): void {
    this.checkAlive();
    this.ids.checkLiving('ids', ids);
    this.ids.release(ids);
    this.clear(Uint32Array.from(ids).sort(), [['positions', 'place'], ...this.places]);
  }

  /** A word for each of some particles, ids ascending (default: of the first), for all that is submitted from now on. */
  writeWords(
    name: More,
    words: Uint32Array | Int32Array | Float32Array,
    ids: Uint32Array = Uint32Array.from(words, (_, index) => index),
  ): void {
    this.checkAlive();
    this.write(
      name,
      'word',
      ids,
      Uint32Array.from(new Uint32Array(words.buffer, words.byteOffset, words.length)),
    );
  }

  /** Those of whom there are some, with positions and velocities as all that was submitted left them, packed. */
  async read(): Promise<PlacedArrays> {
    const ids = this.ids.list();
    const { positions, velocities } = this.buffers;
    const [first, second] = await this.readVectors([positions, velocities]);
    const [places, speeds] = [first, second] as [Float32Array, Float32Array];
    if (ids.length * this.dimensions === places.length) return { ids, positions: places, velocities: speeds };
    const of = (vectors: Float32Array) => fromStored(this.dimensions, bytesOf(vectors), ids, this.dimensions);
    return { ids, positions: of(places), velocities: of(speeds) };
  }

  /** Of positions and velocities; of other buffers whoever asked for them knows. */
  async checkpoint(): Promise<ParticlesCheckpoint> {
    const { world } = this.grid;
    const arrays = await this.read();
    return { version: 1, dimensions: world.dimensions, ...describeWorld(world), ...arrays };
  }

  /** Replaces all particles; further buffers are as for particles that are added. */
  restore(checkpoint: ParticlesCheckpoint): void {
    this.checkAlive();
    const { dimensions, capacity } = this;
    checkSameKind(checkpoint, dimensions);
    checkSameWorld(checkpoint, this.grid.world);
    checkCheckpointParticles(checkpoint, dimensions, capacity);
    const { ids, positions, velocities } = checkpoint;
    const gone = this.ids.list();
    this.ids.replaceAll(ids);
    const everybody = Uint32Array.from(
      { length: Math.max(this.end, (gone.at(-1) ?? -1) + 1) },
      (_, id) => id,
    );
    this.clear(everybody, [['positions', 'place'], ...this.parts.further]);
    this.write('positions', 'place', ids, toStored(dimensions, positions));
    this.write('velocities', 'vector', ids, toStored(dimensions, velocities));
  }

  /** The first `count` vectors of each of some buffers that are laid out as `buffers.positions`, of usage COPY_SRC. */
  async readVectors(buffers: readonly GPUBuffer[], count = this.end): Promise<Float32Array[]> {
    const read = await this.readBytes(buffers, 4 * storedFloats(this.dimensions) * count);
    return read.map((bytes) => fromStored(this.dimensions, bytes));
  }

  /** One number for each id below `end`, of a buffer of usage COPY_SRC. */
  async readFloats(buffer: GPUBuffer): Promise<Float32Array> {
    const [bytes] = await this.readBytes([buffer], 4 * this.end);
    return new Float32Array(bytes as ArrayBuffer);
  }

  /** Throws if these particles or their device are gone. */
  checkAlive(): void {
    if (this.destroyed) throw new DestroyedError(this.parts.label);
    this.gpu.checkAlive();
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.grid.destroy();
    this.readback.destroy();
    this.parts.owned.destroy();
  }

  private get places(): readonly (readonly [More, PerParticle])[] {
    return this.parts.further.filter(([, kind]) => kind === 'place');
  }

  private place(particles: PlacedParticles): Uint32Array {
    const { ids, positions, velocities } = admitPlaced(this.ids, this.grid.world, particles);
    this.write('positions', 'place', ids, toStored(this.dimensions, positions));
    this.write('velocities', 'vector', ids, toStored(this.dimensions, velocities));
    return ids;
  }

  /** Zero, or nowhere, for some particles, ids ascending. */
  private clear(ids: Uint32Array, kinds: readonly (readonly [Held<More>, PerParticle])[]): void {
    for (const [name, kind] of kinds) {
      const words = new Uint32Array(wordsOf(this.dimensions, kind) * ids.length);
      this.write(name, kind, ids, kind === 'place' ? words.fill(NOWHERE) : words);
    }
  }

  /** Values of some particles, ids ascending: in one piece where ids follow each other. */
  private write(
    name: Held<More>,
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
    this.checkAlive();
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
    throw new ArgumentError('more', more, "an object of 'vector', 'word' or 'place' by name");
  }
  const entries = Object.entries<PerParticle>(more ?? {});
  for (const [name, kind] of entries) {
    if (kind !== 'vector' && kind !== 'word' && kind !== 'place') {
      throw new ArgumentError(`more.${name}`, kind, "'vector', 'word' or 'place'");
    }
    if (name === 'positions' || name === 'velocities') {
      throw new ArgumentError(`more.${name}`, kind, 'left out, since that buffer is there');
    }
  }
  return entries as [More, PerParticle][];
}
