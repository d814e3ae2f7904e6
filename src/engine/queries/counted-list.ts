/**
 * A list on the GPU whose length only the GPU knows. Tally and scan determine the range of each owner, and fill writes
 * the owner's entries into it.
 */
import { checkInteger } from '../../core/base/checks';
import { DestroyedError, LimitError } from '../../core/base/errors';
import type { PairList } from '../../core/simulation/simulation';
import type { Dimensions } from '../../core/world/world';
import {
  type BufferSet,
  type BufferSizes,
  createBuffers,
  createParts,
  PARTICLE_USAGE,
} from '../../gpu/buffers';
import type { Gpu, RecordedSteps } from '../../gpu/device';
import type { SharedBinding } from '../../gpu/params';
import { Readback, type ReadRange } from '../../gpu/readback';
import { Scan, type ScanBinding, scanBytes } from '../../passes/grid/scan';
import {
  type EntryWords,
  LIST_COUNT_WORDS,
  ListCount,
  type ListCountBinding,
} from '../../passes/query/list-count';

export interface CountedListOptions {
  readonly label: string;
  readonly dimensions: Dimensions;
  readonly owners: number;
  readonly capacity: number;
  readonly words: EntryWords;
  /**
   * If not all entries fit, `true` ends the list at its capacity. The last owner's range then holds some of its
   * entries, holes (words of 2³² − 1) or both. `false`, the default, ends the list before the first owner whose entries
   * do not all fit.
   */
  readonly cutsOwners?: boolean | undefined;
  /** The name of the entries in error messages, in the plural. */
  readonly entries: string;
  /** Bytes of the buffer of offsets, if it must hold more than the offsets. */
  readonly offsetBytes?: number | undefined;
  /** `read` throws until the last noted encoder is finished. */
  readonly recorded: RecordedSteps;
  /** The name of a second list of the same length. It holds one further value for each entry of the first list. */
  readonly companion?: string | undefined;
}

export interface ListReading {
  /** The number of entries found, which is the capacity that the list needs. */
  readonly found: number;
  readonly entries: Uint32Array;
  /** Empty if there is no companion. */
  readonly companions: Uint32Array;
  /** The index of each owner's first entry, then the end. Empty unless requested. */
  readonly offsets: Uint32Array;
}

/** A list of pairs read back. */
export interface ListedPairs extends PairList {
  /**
   * Number of pairs found, including holes. If it exceeds the capacity of the list, create a list whose capacity is at
   * least this number.
   */
  readonly found: number;
}

/** Throws if the device cannot hold the list. Call this before any kernel is compiled. */
export function checkListFits(
  gpu: Gpu,
  { capacity, words, entries }: Pick<CountedListOptions, 'capacity' | 'words' | 'entries'>,
): void {
  checkInteger('capacity', capacity, 1, 2 ** 31);
  const bytes = 16 * Math.ceil((words * capacity) / 4);
  checkFits(gpu, `A list of ${capacity} ${entries} takes`, bytes, 4 * words, entries);
}

/** Throws if the device cannot hold 4 bytes per owner. `owners` is their name in the plural. */
export function checkOwnersFit(gpu: Gpu, owners: string, count: number): void {
  checkFits(gpu, `A search with ${count} ${owners} takes`, scanBytes(count + 1), 4, owners);
}

function checkFits(
  { device: { limits } }: Gpu,
  what: string,
  bytes: number,
  each: number,
  entries: string,
): void {
  for (const name of ['maxStorageBufferBindingSize', 'maxBufferSize'] as const) {
    if (bytes <= limits[name]) continue;
    throw new LimitError(
      name,
      `${what} ${bytes} bytes, but this device's ${name} is ${limits[name]}: at most ${Math.floor(limits[name] / each)} ${entries} fit.`,
    );
  }
}

/** How much of a list to copy. `owners` is undefined if offsets are not requested. */
interface Room {
  entries: number;
  owners: number | undefined;
}

const RANGES = 4;

/** The first copy of a list takes at most this many bytes: the host does not know yet how many entries are valid. */
const FIRST_BYTES = 1 << 16;

/** Words of `count`: those that the shader writes, and one that `encodeOwners` writes. */
const HEADER_WORDS = LIST_COUNT_WORDS + 1;

type OwnBuffers = Readonly<Record<'tallies' | 'offsets' | 'list', GPUBuffer>>;

export class CountedList {
  private destroyed = false;

  private constructor(
    private readonly gpu: Gpu,
    private readonly options: CountedListOptions,
    readonly capacity: number,
    private readonly passes: { readonly scan: Scan; readonly listCount: ListCount },
    private readonly scanBinding: ScanBinding,
    private readonly owned: BufferSet<string>,
    private readonly counted: BufferSet<'count'>,
    private readonly counting: ListCountBinding,
    private readonly readback: Readback,
  ) {}

  static async create(gpu: Gpu, options: CountedListOptions): Promise<CountedList> {
    const { label, dimensions, owners, words, cutsOwners, companion } = options;
    checkListFits(gpu, options);
    // Buffer sizes are multiples of 16 bytes, and shaders derive the capacity from the size.
    const perStep = 4 / words;
    const capacity = perStep * Math.ceil(options.capacity / perStep);
    const bytes = 4 * words * capacity;
    const length = owners + 1;
    const { scan, listCount, owned, counted } = await createParts({
      scan: Scan.create(gpu, dimensions),
      listCount: ListCount.create(gpu, dimensions, words, cutsOwners),
      owned: createBuffers<BufferSizes>(gpu, label, {
        tallies: scanBytes(length),
        offsets: options.offsetBytes ?? scanBytes(length),
        list: bytes,
        ...(companion === undefined ? {} : { [companion]: bytes }),
      }),
      counted: createBuffers(
        gpu,
        label,
        { count: 4 * HEADER_WORDS },
        PARTICLE_USAGE | GPUBufferUsage.INDIRECT,
      ),
    });
    const { tallies, offsets, list } = owned.buffers as OwnBuffers;
    const scanBinding = await scan.bind(tallies, offsets, length).catch((error: unknown) => {
      owned.destroy();
      counted.destroy();
      throw error;
    });
    const counting = listCount.bind({
      offsets: { buffer: offsets, size: scanBytes(length) },
      list,
      count: counted.buffers.count,
    });
    const readback = new Readback(gpu, label);
    const passes = { scan, listCount };
    return new CountedList(gpu, options, capacity, passes, scanBinding, owned, counted, counting, readback);
  }

  get tallies(): GPUBuffer {
    return this.owned.buffers.tallies as GPUBuffer;
  }

  /**
   * The index of each owner's first entry, then the number of entries found. `offsetBytes` may make room for more data.
   */
  get offsets(): GPUBuffer {
    return this.owned.buffers.offsets as GPUBuffer;
  }

  get offsetRange(): { readonly buffer: GPUBuffer; readonly size: number } {
    return { buffer: this.offsets, size: scanBytes(this.options.owners + 1) };
  }

  get list(): GPUBuffer {
    return this.owned.buffers.list as GPUBuffer;
  }

  get companion(): GPUBuffer | undefined {
    const { companion } = this.options;
    return companion === undefined ? undefined : this.owned.buffers[companion];
  }

  /**
   * u32 words: the number of entries found, the number of entries listed, and the arguments of an indirect dispatch.
   */
  get count(): GPUBuffer {
    return this.counted.buffers.count;
  }

  get bytes(): number {
    return this.owned.bytes + this.counted.bytes + this.scanBinding.bytes;
  }

  /** Record this between tally and fill. */
  encodeScan(pass: GPUComputePassEncoder, shared: SharedBinding): void {
    this.passes.scan.encode(pass, shared, this.scanBinding);
  }

  encodeCount(pass: GPUComputePassEncoder, shared: SharedBinding): void {
    this.passes.listCount.encode(pass, shared, this.counting);
  }

  note(encoder: GPUCommandEncoder): void {
    this.options.recorded.note(encoder);
  }

  /**
   * Copies a search's number of owners into `count`. Searches may be submitted in any order, so only the GPU knows
   * which came last.
   */
  encodeOwners(encoder: GPUCommandEncoder, source: GPUBuffer, offset: number): void {
    encoder.copyBufferToBuffer(source, offset, this.count, 4 * LIST_COUNT_WORDS, 4);
  }

  /** Returns offsets only if `likelyOwners` is given: a guess at the number of owners. */
  async read(likelyOwners?: number): Promise<ListReading> {
    const { readings } = await CountedList.readTogether([this], [], likelyOwners);
    return readings[0] as ListReading;
  }

  /**
   * Reads lists, and the ranges `beside`, as one submission left them. Copies as much of each list as is likely to be
   * valid. If that was too little, copies everything again, because another search may have been submitted meanwhile.
   * Throws if the encoder of the last recorded search is not finished.
   */
  static async readTogether(
    lists: readonly CountedList[],
    beside: readonly ReadRange[],
    likelyOwners?: number,
  ): Promise<{ readonly readings: readonly ListReading[]; readonly beside: readonly ArrayBuffer[] }> {
    const first = lists[0] as CountedList;
    first.checkUsable();
    first.options.recorded.check();
    const rooms = lists.map((list) => list.likelyRoom(likelyOwners));
    for (;;) {
      const ranges = lists.flatMap((list, index) => list.rangesOf(rooms[index] as Room));
      const copied = await first.copy([...ranges, ...beside]);
      const readings = lists.flatMap((list, index) => {
        const reading = list.take(rooms[index] as Room, copied.slice(RANGES * index, RANGES * (index + 1)));
        return reading ?? [];
      });
      if (readings.length === lists.length) return { readings, beside: copied.slice(RANGES * lists.length) };
    }
  }

  private likelyRoom(owners: number | undefined): Room {
    return { entries: Math.min(this.capacity, FIRST_BYTES / (4 * this.options.words)), owners };
  }

  private rangesOf({ entries, owners }: Room): ReadRange[] {
    return [
      { buffer: this.count, size: 4 * HEADER_WORDS },
      { buffer: this.offsets, size: owners === undefined ? 0 : 4 * (owners + 1) },
      { buffer: this.list, size: 4 * this.options.words * entries },
      { buffer: this.companion ?? this.list, size: this.companion ? 4 * this.options.words * entries : 0 },
    ];
  }

  /** If too little was copied, enlarges `room` and returns undefined. */
  private take(
    room: Room,
    [header, offsets, list, companion]: readonly ArrayBuffer[],
  ): ListReading | undefined {
    const { words, owners: mostOwners } = this.options;
    const counts = new Uint32Array(header as ArrayBuffer);
    const [found, listed] = counts as unknown as [number, number];
    const owners = room.owners === undefined ? 0 : (counts[LIST_COUNT_WORDS] as number);
    const hasEntries = listed <= room.entries;
    const hasOwners = owners <= (room.owners ?? 0);
    if (hasEntries && hasOwners) {
      return {
        found,
        entries: new Uint32Array(list as ArrayBuffer).slice(0, words * listed),
        companions: new Uint32Array(companion as ArrayBuffer).slice(0, words * listed),
        offsets: new Uint32Array(offsets as ArrayBuffer).slice(0, owners + 1),
      };
    }
    // At least double the room, so that reading ends even if each search finds more.
    if (!hasEntries) room.entries = Math.min(this.capacity, Math.max(listed, 2 * room.entries));
    if (!hasOwners) room.owners = mostOwners;
    return undefined;
  }

  private async copy(ranges: readonly ReadRange[]): Promise<ArrayBuffer[]> {
    this.checkUsable();
    const encoder = this.gpu.device.createCommandEncoder({ label: `${this.options.label}.read` });
    const reading = this.readback.record(encoder, ranges);
    this.gpu.device.queue.submit([encoder.finish()]);
    return reading.finish();
  }

  checkUsable(): void {
    if (this.destroyed) throw new DestroyedError(`list of ${this.options.entries}`);
    this.gpu.checkAlive();
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.owned.destroy();
    this.counted.destroy();
    this.scanBinding.destroy();
    this.readback.destroy();
  }
}
