/**
 * Finds overlapping boxes by chunks: sorts low corners with `RadixSort`, cuts space into chunks of about equally many
 * boxes, and sweeps each chunk. The CPU's method is src/cpu/boxes/chunks.ts.
 */
import { checkDimensions, checkInteger, checkKnownKeys } from '../core/base/checks';
import { WORKGROUP_SIZE } from '../core/base/constants';
import { ArgumentError, DestroyedError, LimitError, Phrase } from '../core/base/errors';
import { defaultSettings, deriveSubstep, type Substep } from '../core/contact/settings';
import { MAX_PARTICLES } from '../core/simulation/ids';
import { type Dimensions, defineWorld, type World } from '../core/world/world';
import { type BufferSet, createBuffers, createParts } from '../gpu/buffers';
import {
  checkBinds,
  checkDefaultLimits,
  checkEncoder,
  checkGpu,
  type Gpu,
  RecordedSteps,
} from '../gpu/device';
import { defineStruct, storedFloats } from '../gpu/layout';
import { type SharedBinding, SharedParameters } from '../gpu/params';
import { Scan, type ScanBinding, scanBytes } from '../passes/grid/scan';
import {
  CHUNKS_FIELDS,
  type ChunkKernels,
  type ChunkRoom,
  type ChunkStep,
  chunkRoom,
  createChunkKernels,
  MEASURE_THREADS,
} from '../passes/query/chunks';
import { LIST_DISPATCH_OFFSET } from '../passes/query/list-count';
import type { BoxPairsInput } from './box-pairs';
import {
  CountedList,
  checkListFits,
  checkOwnersFit,
  type ListedPairs,
  type ListReading,
} from './queries/counted-list';
import { GridEvents, type GridEventsOptions } from './queries/events';
import { RadixSort } from './radix-sort';

/** Options of `BoxChunks`. */
export interface BoxChunksOptions {
  /** 2 or 3. */
  readonly dimensions: Dimensions;
  /** The largest number of boxes. */
  readonly capacity: number;
  /** The largest number of pairs that the list holds; 8 bytes each. */
  readonly pairs: number;
  /**
   * The largest number of memberships: a box counts once per chunk that it reaches into. A membership takes about 20
   * bytes. Default: 2.5 per box in 2D, 4 in 3D. No search needs more than 6.25 per box in 2D, 15.625 in 3D.
   */
  readonly members?: number | undefined;
}

/** The pairs read back, and how the boxes were divided. */
export interface ListedBoxChunks extends ListedPairs {
  /** Boxes with a low end above the high end, or with a number that is not finite. */
  readonly invalid: number;
  /** Number of memberships. The option `members` limits it. */
  readonly members: number;
}

const MEMBERS = { 2: 2.5, 3: 4 } as const;

type Owned = keyof ReturnType<typeof sizesOf>;

interface Parts {
  readonly [name: string]: unknown;
  readonly kernels: ChunkKernels;
  readonly scan: Scan;
  readonly lowSort: RadixSort;
  readonly memberSort: RadixSort;
  readonly list: CountedList;
  readonly owned: BufferSet<Owned>;
  readonly axes: BufferSet<string>;
  readonly parameters: SharedParameters;
}

/**
 * Finds overlapping axis-aligned boxes on the GPU. Lists each pair once, sorted by the first id, then by the second.
 * Boxes include their bounds and may be of any size and anywhere. Numbers below 2⁻¹²⁶ in magnitude count as 0, because
 * devices may flush them.
 */
export class BoxChunks {
  /**
   * Byte offset in `count` of the arguments for dispatchWorkgroupsIndirect: workgroups of 256 threads, a thread per
   * listed pair.
   */
  readonly dispatchOffset = LIST_DISPATCH_OFFSET;
  private destroyed = false;
  private readonly groups = new WeakMap<GPUBuffer, (step: ChunkStep, axis?: number) => GPUBindGroup>();
  private readonly comparisons = new Set<{ destroy(): void }>();
  private searched: SharedBinding | undefined;

  private constructor(
    private readonly gpu: Gpu,
    private readonly world: World,
    private readonly substep: Substep,
    /** The largest number of boxes. */
    readonly boxes: number,
    /** The largest number of memberships. */
    readonly members: number,
    private readonly recorded: RecordedSteps,
    private readonly parts: Parts,
    private readonly scanning: ScanBinding,
  ) {}

  /**
   * Creates the search and compiles its kernels.
   * @example
   * ```ts
   * const boxChunks = await BoxChunks.create(gpu, { dimensions: 2, capacity: 100_000, pairs: 400_000 });
   * const encoder = gpu.device.createCommandEncoder();
   * boxChunks.encode(encoder, { boxes, count: 100_000 });
   * gpu.device.queue.submit([encoder.finish()]);
   * const { pairs } = await boxChunks.read();
   * ```
   */
  static async create(gpu: Gpu, options: BoxChunksOptions): Promise<BoxChunks> {
    checkKnownKeys('options', options, ['dimensions', 'capacity', 'pairs', 'members']);
    const { dimensions, capacity, pairs } = options;
    checkDimensions(dimensions);
    checkInteger('capacity', capacity, 0, MAX_PARTICLES);
    checkInteger('pairs', pairs, 1, 2 ** 31);
    const members = options.members ?? Math.ceil(MEMBERS[dimensions] * capacity);
    checkInteger('members', members, capacity, 2 ** 30);
    checkGpu(gpu);
    checkDefaultLimits(gpu);
    checkListFits(gpu, { capacity: pairs, words: 2, entries: 'pairs' });
    checkOwnersFit(gpu, 'boxes', capacity);
    const room = chunkRoom(dimensions, capacity);
    checkBinds(gpu, 4 * room.words, 'The chunks', `particles: ${room.words}`);
    const regionBits = bitsFor(room.mostRegions);
    const recorded = new RecordedSteps('search', 'encode again');
    const axisSize = defineStruct(dimensions, CHUNKS_FIELDS).size;
    const axes = Object.fromEntries(room.starts.map((_, axis) => [`axis${axis}`, axisSize]));
    const parts = await createParts<Parts>({
      kernels: createChunkKernels(gpu, dimensions),
      scan: Scan.create(gpu, dimensions),
      lowSort: RadixSort.create(gpu, { capacity, keys: 'u64', payload: true, bits: 32 + regionBits }),
      memberSort: RadixSort.create(gpu, {
        capacity: members,
        keys: 'u32',
        payload: true,
        bits: bitsFor(room.mostChunks),
      }),
      list: CountedList.create(gpu, {
        label: 'chunks.pairs',
        dimensions,
        owners: capacity,
        capacity: pairs,
        words: 2,
        entries: 'pairs',
        recorded,
      }),
      owned: createBuffers(gpu, 'chunks', sizesOf(dimensions, capacity, members, room)),
      axes: createBuffers(gpu, 'chunks', axes, GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST),
      parameters: SharedParameters.create(gpu, dimensions, 'chunks'),
    });
    try {
      const { tallies, offsets } = parts.owned.buffers;
      const scanning = await parts.scan.bind(tallies, offsets, capacity + 1);
      const corner = (value: number) => new Array<number>(dimensions).fill(value);
      // A placeholder, because the shared parameters need a world. Their particle count holds the number of boxes.
      const world = defineWorld({ dimensions, min: corner(0), max: corner(1) }, 1);
      const substep = deriveSubstep(world, world.diameter, defaultSettings(dimensions), 0);
      const created = new BoxChunks(gpu, world, substep, capacity, members, recorded, parts, scanning);
      created.writeAxes(room, 2 ** regionBits - 1);
      return created;
    } catch (error) {
      for (const { destroy } of destructible(parts)) destroy();
      throw error;
    }
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
    return this.usable().list;
  }

  /**
   * u32 words: the number of pairs found, the number of pairs listed, and from `dispatchOffset` on the arguments of an
   * indirect dispatch. If `members` was too small, nothing is listed, and the number of pairs found is 2³² − 1.
   */
  get count(): GPUBuffer {
    return this.usable().count;
  }

  /** Two u32 words of the last search: the number of invalid boxes, then the number of memberships. */
  get divided(): GPUBuffer {
    return this.parts.owned.buffers.refused;
  }

  /** Bytes of GPU memory. */
  get memoryBytes(): number {
    const { owned, axes, parameters, list, lowSort, memberSort } = this.parts;
    const sorts = lowSort.memoryBytes + memberSort.memoryBytes;
    return owned.bytes + axes.bytes + parameters.bytes + list.bytes + sorts + this.scanning.bytes;
  }

  /** Records the search. Submit the encoder yourself. */
  encode(encoder: GPUCommandEncoder, input: BoxPairsInput): void {
    const list = this.usable();
    this.gpu.checkAlive();
    checkEncoder(encoder);
    checkKnownKeys('input', input, ['boxes', 'count']);
    const { boxes, count } = input;
    const { dimensions } = this.world;
    checkInteger('count', count, 0, this.boxes);
    const needed = 8 * storedFloats(dimensions) * count;
    if (!boxes || !(boxes.usage & GPUBufferUsage.STORAGE) || boxes.size < needed) {
      const accepted = `a GPUBuffer with usage STORAGE and at least ${needed} bytes for ${count} boxes`;
      throw new ArgumentError('boxes', boxes, accepted);
    }
    const { buffers } = this.parts.owned;
    if ([...Object.values(buffers), list.list, list.count].includes(boxes)) {
      const accepted = 'a buffer that the search does not write';
      throw new ArgumentError('boxes', new Phrase('a buffer of this search'), accepted);
    }
    const { parameters, lowSort, memberSort } = this.parts;
    parameters.recordInto(() => {
      const shared = parameters.write(this.world, count, this.substep);
      this.searched = shared;
      encoder.clearBuffer(buffers.refused);
      encoder.clearBuffer(buffers.memberKeys);
      const perBox = Math.ceil(count / WORKGROUP_SIZE);
      const run = this.runner(encoder, boxes, shared);
      run([
        ['measure', MEASURE_THREADS / WORKGROUP_SIZE],
        ['first_keys', perBox],
      ]);
      for (let axis = dimensions - 1; axis >= 0; axis--) {
        lowSort.encode(encoder, { keys: buffers.keys, payload: buffers.ids, count });
        run([['cut', 1, axis], ...(axis > 0 ? ([['next_keys', perBox, axis]] as const) : [])]);
      }
      const perMember = Math.ceil(this.members / WORKGROUP_SIZE);
      run([['tally_members', perBox], 'members', ['fill_members', perBox]]);
      memberSort.encode(encoder, {
        keys: buffers.memberKeys,
        payload: buffers.memberIds,
        count: this.members,
      });
      run([['tally_pairs', perMember], 'pairs', ['fill_pairs', perMember], ['order_pairs', perBox], 'count']);
    });
    list.note(encoder);
  }

  /**
   * Reads the result of the last submitted search, or of one that is submitted meanwhile; never a mix of two. Throws a
   * LimitError if there are more memberships than the option `members`.
   */
  async read(): Promise<ListedBoxChunks> {
    const list = this.usable();
    const { readings, beside } = await CountedList.readTogether([list], [{ buffer: this.divided, size: 8 }]);
    const { found, entries } = readings[0] as ListReading;
    const [invalid, members] = new Uint32Array(beside[0] as ArrayBuffer) as unknown as [number, number];
    if (members > this.members) {
      throw new LimitError(
        'members',
        `These boxes reach into ${members} chunks in total, but the option members is ${this.members}, so no pairs were listed. Create BoxChunks with members of at least ${members}.`,
      );
    }
    return { found, count: entries.length / 2, pairs: entries, invalid, members };
  }

  /** Creates GPU lists of the pairs that began, stayed and ended since the previous comparison. */
  async events(options?: GridEventsOptions): Promise<GridEvents> {
    const list = this.usable();
    const source = {
      dimensions: this.world.dimensions,
      owners: this.boxes,
      list,
      recorded: this.recorded,
      searched: () => this.searched,
      forget: (comparison: { destroy(): void }) => this.comparisons.delete(comparison),
    };
    const events = await GridEvents.create(this.gpu, source, options);
    if (this.destroyed) {
      events.destroy();
      throw new DestroyedError('BoxChunks');
    }
    this.comparisons.add(events);
    return events;
  }

  /** Frees the memory. Later calls throw a DestroyedError. */
  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    for (const comparison of this.comparisons) comparison.destroy();
    for (const { destroy } of destructible(this.parts)) destroy();
    this.scanning.destroy();
  }

  private usable(): CountedList {
    if (this.destroyed) throw new DestroyedError('BoxChunks');
    return this.parts.list;
  }

  /** Returns a function that records steps in one compute pass. */
  private runner(encoder: GPUCommandEncoder, boxes: GPUBuffer, shared: SharedBinding) {
    const { kernels, scan, list } = this.parts;
    const groupFor = this.groupsFor(boxes);
    type Step = 'members' | 'pairs' | 'count' | readonly [step: ChunkStep, workgroups: number, axis?: number];
    return (steps: readonly Step[]): void => {
      const pass = encoder.beginComputePass({ label: 'chunks' });
      for (const step of steps) {
        if (step === 'members') scan.encode(pass, shared, this.scanning);
        else if (step === 'pairs') list.encodeScan(pass, shared);
        else if (step === 'count') list.encodeCount(pass, shared);
        else kernels[step[0]].encode(pass, shared, groupFor(step[0], step[2]), step[1]);
      }
      pass.end();
    };
  }

  private groupsFor(boxes: GPUBuffer): (step: ChunkStep, axis?: number) => GPUBindGroup {
    const cached = this.groups.get(boxes);
    if (cached) return cached;
    const { kernels, list, owned, axes } = this.parts;
    const { keys, ids, order, partials, table, tallies, offsets, memberKeys, memberIds, refused } =
      owned.buffers;
    const named = { boxes, keys, ids, order, partials, table, refused };
    const members = { member_keys: memberKeys, member_ids: memberIds };
    const known = new Map<string, GPUBindGroup>();
    const groupFor = (step: ChunkStep, axis = 0): GPUBindGroup => {
      const name = `${step} ${axis}`;
      const ofPairs = step.endsWith('pairs');
      const group =
        known.get(name) ??
        kernels[step].bind({
          ...named,
          ...members,
          chunks: axes.buffers[`axis${axis}`],
          member_offsets: offsets,
          tallies: ofPairs ? list.tallies : tallies,
          offsets: ofPairs ? list.offsets : offsets,
          pairs: list.list,
        });
      known.set(name, group);
      return group;
    };
    this.groups.set(boxes, groupFor);
    return groupFor;
  }

  private writeAxes({ starts, lows, regions }: ChunkRoom, invalidRegion: number): void {
    const layout = defineStruct(this.world.dimensions, CHUNKS_FIELDS);
    starts.forEach((_, axis) => {
      const values = {
        axis,
        starts,
        lows,
        regions,
        invalid_region: invalidRegion,
        most_members: this.members,
      };
      const buffer = this.parts.axes.buffers[`axis${axis}`] as GPUBuffer;
      this.gpu.device.queue.writeBuffer(buffer, 0, layout.encode(values));
    });
  }
}

function sizesOf(dimensions: Dimensions, boxes: number, members: number, { words }: ChunkRoom) {
  return {
    keys: 8 * boxes,
    ids: 4 * boxes,
    order: 4 * boxes,
    partials: 8 * dimensions * MEASURE_THREADS,
    table: 4 * words,
    tallies: scanBytes(boxes + 1),
    offsets: scanBytes(boxes + 1),
    memberKeys: 4 * members,
    memberIds: 4 * members,
    refused: 8,
  };
}

function destructible(parts: Parts): { destroy: () => void }[] {
  const { lowSort, memberSort, list, owned, axes, parameters } = parts;
  return [lowSort, memberSort, list, owned, axes, parameters].map((part) => ({
    destroy: () => part.destroy(),
  }));
}

function bitsFor(most: number): number {
  return Math.ceil(Math.log2(most + 1));
}
