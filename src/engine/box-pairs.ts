/**
 * Finds overlapping boxes. Sorts each box into the cell of its low corner, on the level that
 * shaders/grid/box_bodies.wgsl chooses. The search only compares corners, so no pair is borderline, and the list has no
 * holes.
 */
import { checkDimensions, checkInteger, checkKnownKeys } from '../core/base/checks';
import { ArgumentError, DestroyedError, Phrase } from '../core/base/errors';
import { defaultSettings, deriveSubstep, type Substep } from '../core/contact/settings';
import { MAX_PARTICLES } from '../core/simulation/ids';
import { defineLevels } from '../core/world/level-world';
import {
  type Dimensions,
  LARGEST_DIAMETER,
  MAX_LEVELS,
  SMALLEST_DIAMETER,
  type World,
} from '../core/world/world';
import { type BufferSet, createBuffers, createParts } from '../gpu/buffers';
import { checkDeviceHolds, checkEncoder, checkGpu, type Gpu, RecordedSteps } from '../gpu/device';
import { storedFloats } from '../gpu/layout';
import { type SharedBinding, SharedParameters } from '../gpu/params';
import { BoxBodies, REFUSED_WORDS } from '../passes/grid/box-bodies';
import type { ParticleGroup } from '../passes/particle-pass';
import { LIST_DISPATCH_OFFSET } from '../passes/query/list-count';
import { CellSort, type SortBinding } from './grid/cell-sort';
import { checkListFits, type ListedPairs } from './queries/counted-list';
import type { GridEvents, GridEventsOptions } from './queries/events';
import { GridPairs } from './queries/pairs';

/** Options of `BoxPairs`. */
export interface BoxPairsOptions {
  /** 2 or 3. */
  readonly dimensions: Dimensions;
  /** The largest number of boxes. */
  readonly capacity: number;
  /** The largest number of pairs that the list holds; 8 bytes each. */
  readonly pairs: number;
  /**
   * The range of a box's longest side, from 2^-40 to 2^60. This range determines the levels of cells. Shorter boxes,
   * down to points, share the lowest level. The search skips boxes longer than `BoxPairs.largest`, and counts them in
   * `tooLarge`.
   */
  readonly extents: {
    /** The longest side of the smallest box. */
    readonly smallest: number;
    /** The longest side of the largest box. */
    readonly largest: number;
  };
}

/** Boxes for one search. */
export interface BoxPairsInput {
  /** Per box its low corner, then its high one: vec2f each in 2D, vec4f with w unused in 3D. Usage STORAGE. */
  readonly boxes: GPUBuffer;
  /** Number of boxes. */
  readonly count: number;
}

/** The pairs read back, and how many boxes the search skipped. */
export interface ListedBoxPairs extends ListedPairs {
  /** Boxes with a low end above the high end, or with a number that is not finite. */
  readonly invalid: number;
  /** Boxes whose longest side exceeds `BoxPairs.largest`. */
  readonly tooLarge: number;
}

type Owned = 'bodies' | 'highs' | 'sortedBodies' | 'sortedHighs' | 'ids' | 'refused';

/**
 * Finds overlapping axis-aligned boxes on the GPU. Lists each pair once, sorted by the first id, then by the second.
 * Boxes that only touch count, too. Numbers below 2⁻¹²⁶ in magnitude count as 0, because devices may flush them.
 */
export class BoxPairs {
  /**
   * Byte offset in `count` of the arguments for dispatchWorkgroupsIndirect: workgroups of 256 threads, a thread per
   * listed pair.
   */
  readonly dispatchOffset = LIST_DISPATCH_OFFSET;
  private destroyed = false;
  private lastBuilt: { shared: SharedBinding; count: number } | undefined;
  private list: GridPairs | undefined;
  private readonly groups = new WeakMap<GPUBuffer, ParticleGroup>();

  private constructor(
    private readonly gpu: Gpu,
    private readonly world: World,
    /** The largest number of boxes. */
    readonly boxes: number,
    private readonly bodies: BoxBodies,
    /** @internal Not part of the package's types; tests read its lists. */ readonly sort: CellSort,
    private readonly owned: BufferSet<Owned>,
    private readonly sorting: SortBinding,
    private readonly parameters: SharedParameters,
    private readonly substep: Substep,
  ) {}

  /**
   * Creates the search and compiles its kernels.
   * @example
   * ```ts
   * const boxPairs = await BoxPairs.create(gpu, {
   *   dimensions: 3, capacity: 100_000, pairs: 400_000, extents: { smallest: 0.5, largest: 64 },
   * });
   * const encoder = gpu.device.createCommandEncoder();
   * boxPairs.encode(encoder, { boxes, count: 100_000 });
   * gpu.device.queue.submit([encoder.finish()]);
   * const { pairs } = await boxPairs.read();
   * ```
   */
  static async create(gpu: Gpu, options: BoxPairsOptions): Promise<BoxPairs> {
    checkKnownKeys('options', options, ['dimensions', 'capacity', 'pairs', 'extents']);
    const { dimensions, capacity, pairs } = options;
    checkDimensions(dimensions);
    checkInteger('capacity', capacity, 0, MAX_PARTICLES);
    checkInteger('pairs', pairs, 1, 2 ** 31);
    const radii = radiiFor(options);
    const world = defineLevels({ dimensions, unbounded: true }, radii, capacity);
    checkGpu(gpu);
    checkDeviceHolds(gpu, capacity, world.cellCount, dimensions);
    checkListFits(gpu, { capacity: pairs, words: 2, entries: 'pairs' });
    const vector = 4 * storedFloats(dimensions) * capacity;
    const { bodies, sort, owned, parameters } = await createParts({
      bodies: BoxBodies.create(gpu, world),
      sort: CellSort.create(gpu, world, capacity, { ids: false, velocities: true }),
      owned: createBuffers(gpu, 'boxes', {
        bodies: 16 * capacity,
        highs: vector,
        sortedBodies: 16 * capacity,
        sortedHighs: vector,
        ids: 4 * capacity,
        refused: 4 * REFUSED_WORDS,
      }),
      parameters: SharedParameters.create(gpu, dimensions, 'boxes'),
    });
    const { buffers } = owned;
    const sorting = sort.bind(
      { position: buffers.bodies, velocity: buffers.highs },
      { position: buffers.sortedBodies, velocity: buffers.sortedHighs, id: buffers.ids },
    );
    const substep = deriveSubstep(world, world.diameter, defaultSettings(dimensions), 0);
    const created = new BoxPairs(gpu, world, capacity, bodies, sort, owned, sorting, parameters, substep);
    try {
      created.list = await created.createList(pairs);
      return created;
    } catch (error) {
      created.destroy();
      throw error;
    }
  }

  private createList(pairs: number): Promise<GridPairs> {
    const { sort, owned, world } = this;
    const grid = {
      world,
      built: () => this.lastBuilt,
      buffers: {
        position_in: owned.buffers.sortedBodies,
        start: sort.start,
        cell_of_slot: sort.cellOfSlot,
        id_in: owned.buffers.ids,
      },
      velocity: owned.buffers.sortedHighs,
      finer: sort.finerList,
      crowd: sort.heavy,
      recorded: new RecordedSteps('search', 'encode again'),
      forget: () => undefined,
    };
    return GridPairs.create(this.gpu, grid, this.boxes, { capacity: pairs }, 'box');
  }

  /** The longest side that is accepted: `extents.largest`, rounded up to a power of two. */
  get largest(): number {
    return this.world.diameter;
  }

  /** The number of pairs that the list can hold: the option `pairs`, rounded up to an even number. */
  get capacity(): number {
    return this.usable().capacity;
  }

  /**
   * One vec2u per pair, ids i < j. The first `count[1]` pairs are valid. A full list ends before the first id whose
   * pairs do not all fit.
   */
  get pairs(): GPUBuffer {
    return this.usable().pairs;
  }

  /**
   * u32 words: the number of pairs found, the number of pairs listed, and from `dispatchOffset` on the arguments of an
   * indirect dispatch.
   */
  get count(): GPUBuffer {
    return this.usable().count;
  }

  /** Two u32 words: the number of invalid boxes of the last search, then the number of boxes that were too large. */
  get refused(): GPUBuffer {
    return this.owned.buffers.refused;
  }

  /** Bytes of GPU memory. */
  get memoryBytes(): number {
    const { sort, owned, parameters } = this;
    return sort.bytes + owned.bytes + parameters.bytes + (this.list?.memoryBytes ?? 0);
  }

  /** Records the sort of the boxes and the search. Submit the encoder yourself. */
  encode(encoder: GPUCommandEncoder, input: BoxPairsInput): void {
    const list = this.usable();
    this.gpu.checkAlive();
    checkEncoder(encoder);
    checkKnownKeys('input', input, ['boxes', 'count']);
    const { boxes, count } = input;
    checkInteger('count', count, 0, this.boxes);
    const needed = 8 * storedFloats(this.world.dimensions) * count;
    if (!boxes || !(boxes.usage & GPUBufferUsage.STORAGE) || boxes.size < needed) {
      const accepted = `a GPUBuffer with usage STORAGE and at least ${needed} bytes for ${count} boxes`;
      throw new ArgumentError('boxes', boxes, accepted);
    }
    if ([...Object.values(this.owned.buffers), list.pairs, list.count].includes(boxes)) {
      const accepted = 'a buffer that the search does not write';
      throw new ArgumentError('boxes', new Phrase('a buffer of this search'), accepted);
    }
    const group = this.groupFor(boxes);
    this.parameters.recordInto(() => {
      const shared = this.parameters.write(this.world, count, this.substep);
      this.lastBuilt = { shared, count };
      encoder.clearBuffer(this.owned.buffers.refused, 0, 4 * REFUSED_WORDS);
      const pass = encoder.beginComputePass({ label: 'boxes' });
      this.bodies.encode(pass, shared, group, count);
      for (const stage of this.sort.stages(shared, this.sorting, count, false)) stage.encode(pass);
      pass.end();
    });
    list.encode(encoder);
  }

  /** Reads the result of the last submitted search, or of one that is submitted meanwhile; never a mix of two. */
  async read(): Promise<ListedBoxPairs> {
    const size = 4 * REFUSED_WORDS;
    const { listed, beside } = await this.usable().readBeside([{ buffer: this.refused, size }]);
    const [invalid, tooLarge] = new Uint32Array(beside[0] as ArrayBuffer) as unknown as [number, number];
    return { ...listed, invalid, tooLarge };
  }

  /** Creates GPU lists of the pairs that began, stayed and ended since the previous comparison. */
  events(options?: GridEventsOptions): Promise<GridEvents> {
    return this.usable().events(options);
  }

  /** Frees the memory. Later calls throw a DestroyedError. */
  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.list?.destroy();
    this.sort.destroy();
    this.parameters.destroy();
    this.owned.destroy();
  }

  private usable(): GridPairs {
    if (this.destroyed || !this.list) throw new DestroyedError('BoxPairs');
    return this.list;
  }

  private groupFor(boxes: GPUBuffer): ParticleGroup {
    const cached = this.groups.get(boxes);
    if (cached) return cached;
    const { bodies, highs, refused } = this.owned.buffers;
    const group = this.bodies.bind({ boxes, bodies, high_out: highs, refused });
    this.groups.set(boxes, group);
    return group;
  }
}

/** Returns half the cell sizes of the lowest and highest level, which are powers of two. */
function radiiFor({ extents }: BoxPairsOptions): { readonly smallest: number; readonly largest: number } {
  checkKnownKeys('extents', extents, ['smallest', 'largest']);
  const [smallest, largest] = (['smallest', 'largest'] as const).map((name) => {
    const extent: unknown = extents[name];
    if (typeof extent !== 'number' || !(extent >= SMALLEST_DIAMETER && extent <= LARGEST_DIAMETER)) {
      throw new ArgumentError(`extents.${name}`, extent, 'a number from 2^-40 to 2^60');
    }
    const power = 2 ** Math.ceil(Math.log2(Math.fround(extent)));
    // The logarithm may have been rounded down to an integer.
    return power >= Math.fround(extent) ? power : 2 * power;
  }) as [number, number];
  if (extents.smallest > extents.largest) {
    throw new ArgumentError(
      'extents.smallest',
      extents.smallest,
      `at most extents.largest, ${extents.largest}`,
    );
  }
  if (largest / smallest > 2 ** (MAX_LEVELS - 1)) {
    const accepted = `at most 2^${MAX_LEVELS - 1} times extents.smallest, ${extents.smallest}`;
    throw new ArgumentError('extents.largest', extents.largest, accepted);
  }
  return { smallest: smallest / 2, largest: largest / 2 };
}
