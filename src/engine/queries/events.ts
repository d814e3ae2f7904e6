/**
 * Compares lists of pairs on the GPU, which stores the list of the previous comparison. The CPU twin is
 * core/simulation/pair-events.ts.
 */
import { checkKnownKeys } from '../../core/base/checks';
import { CellstormError } from '../../core/base/errors';
import type { PairEvents } from '../../core/simulation/pair-events';
import type { Dimensions } from '../../core/world/world';
import { type BufferSet, createBuffers, createParts } from '../../gpu/buffers';
import { checkEncoder, type Gpu, type RecordedSteps } from '../../gpu/device';
import type { SharedBinding } from '../../gpu/params';
import { LIST_DISPATCH_OFFSET } from '../../passes/query/list-count';
import { EVENT_KINDS, type EventKind, PairEventsPass } from '../../passes/query/pair-events';
import { CountedList, checkListFits, type ListedPairs } from './counted-list';

/** Options of the method `events` of `GridPairs`, `BoxPairs` and `BoxChunks`. */
export interface GridEventsOptions {
  /**
   * The largest number of pairs in each of the three lists. A pair takes 8 bytes. Default: the capacity of the compared
   * list.
   */
  readonly capacity?: number | undefined;
}

export interface ComparedPairs {
  readonly dimensions: Dimensions;
  /** Number of ids that may be the first of a pair. */
  readonly owners: number;
  readonly list: CountedList;
  readonly recorded: RecordedSteps;
  /** Returns undefined before the first search. */
  searched(): SharedBinding | undefined;
  forget(comparison: { destroy(): void }): void;
}

/** The three lists of one comparison, sorted by the first id, then by the second. */
export interface ListedEvents extends PairEvents {
  /** Pairs that only the newer search found. */
  readonly begun: ListedPairs;
  /** Pairs that both searches found. */
  readonly stayed: ListedPairs;
  /** Pairs that only the older search found. */
  readonly ended: ListedPairs;
  /** False if the list of pairs was too short. The three lists are then empty. */
  readonly valid: boolean;
  /**
   * The number of pairs that the search found. If `valid` is false, create a list of pairs whose capacity is at least
   * this number.
   */
  readonly found: number;
}

type Groups = Readonly<Record<'tally' | 'keep' | EventKind, GPUBindGroup>>;

/** The pairs of one kind of event, on the GPU. */
export class EventList {
  /**
   * Byte offset in `count` of the arguments for dispatchWorkgroupsIndirect: workgroups of 256 threads, a thread per
   * listed pair.
   */
  readonly dispatchOffset = LIST_DISPATCH_OFFSET;

  /** The methods `events` create these lists. @hideconstructor */
  constructor(private readonly list: CountedList) {}

  /**
   * One vec2u per pair: its ids i < j. Only the first `count[1]` entries are valid, and none of them is a hole. If not
   * all pairs fit, the list has the first ones.
   */
  get pairs(): GPUBuffer {
    return this.list.list;
  }

  /**
   * u32: the number of pairs found, then the number listed. From `dispatchOffset` on, it holds the arguments of an
   * indirect dispatch.
   */
  get count(): GPUBuffer {
    return this.list.count;
  }
}

/**
 * GPU lists of the pairs that began, stayed and ended since the previous comparison. You may submit the encoders of
 * comparisons late, in any order or not at all.
 */
export class GridEvents {
  /** Pairs that only the newer of the two compared searches found. */
  readonly begun: EventList;
  /** Pairs that both searches found. */
  readonly stayed: EventList;
  /** Pairs that only the older search found. */
  readonly ended: EventList;

  private constructor(
    private readonly source: ComparedPairs,
    private readonly passes: PairEventsPass,
    private readonly lists: Readonly<Record<EventKind, CountedList>>,
    private readonly previous: BufferSet<'offsets' | 'pairs' | 'compared'>,
    private readonly groups: Groups,
  ) {
    this.begun = new EventList(lists.begun);
    this.stayed = new EventList(lists.stayed);
    this.ended = new EventList(lists.ended);
  }

  /** @internal GridPairs and BoxChunks create it. */
  static async create(gpu: Gpu, source: ComparedPairs, options: GridEventsOptions = {}): Promise<GridEvents> {
    checkKnownKeys('options', options, ['capacity']);
    const { dimensions, owners, list, recorded } = source;
    const { capacity = list.capacity } = options;
    const label = 'grid.events';
    const createList = (kind: EventKind) =>
      CountedList.create(gpu, {
        label: `${label}.${kind}`,
        dimensions,
        owners,
        capacity,
        words: 2,
        cutsOwners: true,
        recorded,
        entries: `${kind} pairs`,
      });
    checkListFits(gpu, { capacity, words: 2, entries: 'events' });
    const passes = await PairEventsPass.create(gpu, dimensions);
    const { previous, ...lists } = await createParts({
      begun: createList('begun'),
      stayed: createList('stayed'),
      ended: createList('ended'),
      // New buffers hold zeros, so the first comparison compares with no pairs.
      previous: createBuffers(gpu, label, {
        offsets: list.offsetRange.size,
        pairs: list.list.size,
        compared: 8,
      }),
    });
    const state = {
      offsets: list.offsetRange,
      pairs: list.list,
      offsets_before: previous.buffers.offsets,
      pairs_before: previous.buffers.pairs,
    };
    const { begun, stayed, ended } = lists;
    const bindFill = (kind: EventKind) =>
      passes.bind(kind, { ...state, event_offsets: lists[kind].offsets, events: lists[kind].list });
    const groups = {
      tally: passes.bind('tally', {
        ...state,
        count: list.count,
        begun: begun.tallies,
        stayed: stayed.tallies,
        ended: ended.tallies,
      }),
      begun: bindFill('begun'),
      stayed: bindFill('stayed'),
      ended: bindFill('ended'),
      keep: passes.bind('keep', { ...state, count: list.count }),
    };
    return new GridEvents(source, passes, lists, previous, groups);
  }

  /** The number of pairs that each list can hold: the requested capacity, rounded up to an even number. */
  get capacity(): number {
    return this.lists.begun.capacity;
  }

  /**
   * u32: the number of pairs that the newer search found, then the number that it listed. If these numbers differ,
   * nothing was compared.
   */
  get compared(): GPUBuffer {
    return this.previous.buffers.compared;
  }

  /** Bytes of GPU memory. */
  get memoryBytes(): number {
    return EVENT_KINDS.reduce((sum, kind) => sum + this.lists[kind].bytes, this.previous.bytes);
  }

  /**
   * Records a comparison between the pairs of the last recorded search and those of the previous comparison. Encode the
   * pairs first, and submit the encoder yourself.
   */
  encode(encoder: GPUCommandEncoder): void {
    this.lists.begun.checkUsable();
    checkEncoder(encoder);
    const shared = this.source.searched();
    if (!shared) {
      throw new CellstormError(
        'The pairs have not been encoded yet, so there is nothing to compare; encode them first.',
      );
    }
    const { passes, groups, lists } = this;
    const { list } = this.source;
    const threads = list.offsetRange.size / 4;
    const pass = encoder.beginComputePass({ label: 'grid.events' });
    passes.encode(pass, shared, 'tally', groups.tally, threads);
    for (const kind of EVENT_KINDS) {
      lists[kind].encodeScan(pass, shared);
      passes.encode(pass, shared, kind, groups[kind], threads);
      lists[kind].encodeCount(pass, shared);
    }
    passes.encode(pass, shared, 'keep', groups.keep, threads);
    pass.end();
    encoder.copyBufferToBuffer(list.count, 0, this.compared, 0, 8);
    list.note(encoder);
  }

  /** Reads the lists of the last submitted comparison, or of one that is submitted meanwhile; never a mix of two. */
  async read(): Promise<ListedEvents> {
    const { begun, stayed, ended } = this.lists;
    const { readings, beside } = await CountedList.readTogether(
      [begun, stayed, ended],
      [{ buffer: this.compared, size: 8 }],
    );
    const [found, listed] = new Uint32Array(beside[0] as ArrayBuffer) as unknown as [number, number];
    const [begunPairs, stayedPairs, endedPairs] = readings.map(({ found: each, entries }) => ({
      found: each,
      count: entries.length / 2,
      pairs: entries,
    })) as [ListedPairs, ListedPairs, ListedPairs];
    return { begun: begunPairs, stayed: stayedPairs, ended: endedPairs, valid: found === listed, found };
  }

  /** Frees the memory. Later calls throw a DestroyedError. */
  destroy(): void {
    this.source.forget(this);
    for (const kind of EVENT_KINDS) this.lists[kind].destroy();
    this.previous.destroy();
  }
}
