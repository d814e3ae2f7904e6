/**
 * What happened to the pairs of a grid since they were last compared, as data on the GPU: which began, which
 * stayed, which ended. The twin on the host is core/simulation/pair-events.ts.
 * Inputs: the list of a GridPairs as it was last encoded, and the list of the comparison before, which is kept here.
 * Outputs: three lists of pairs (vec2u, ids i < j), each with its count.
 * Ordering: each list canonical: by the first id ascending, then the second. The same input gives the same bits.
 * Comparing and keeping are recorded, never decided on the host: encoders may be submitted late, in any order, or not
 * at all, and what counts as before is what the device compared before.
 */
import { checkKnownKeys } from '../../core/base/checks';
import { CellstormError } from '../../core/base/errors';
import type { PairEvents } from '../../core/simulation/pair-events';
import type { Dimensions } from '../../core/world/world';
import { type BufferSet, createBuffers, createParts } from '../../gpu/buffers';
import { checkEncoder, type Gpu } from '../../gpu/device';
import type { SharedBinding } from '../../gpu/params';
import { LIST_DISPATCH_OFFSET } from '../../passes/query/list-count';
import { EVENT_KINDS, type EventKind, PairEventsPass } from '../../passes/query/pair-events';
import { CountedList, type ListedPairs } from './counted-list';

export interface GridEventsOptions {
  /** Pairs that each of the three lists holds at most; 8 bytes each. Default: as many as the pairs that are compared. */
  readonly capacity?: number | undefined;
}

/** The parts of a list of pairs that events use. */
export interface FollowedPairs {
  readonly dimensions: Dimensions;
  /** First ids at most. */
  readonly owners: number;
  readonly list: CountedList;
  /** Parameters of the last search recorded. */
  searched(): SharedBinding | undefined;
  forget(follower: { destroy(): void }): void;
}

/** The three lists of one comparison. */
export interface ListedEvents extends PairEvents {
  readonly begun: ListedPairs;
  readonly stayed: ListedPairs;
  readonly ended: ListedPairs;
  /** False where the list of pairs was cut short: nothing was compared then, and the three are empty. */
  readonly valid: boolean;
  /** Pairs that the search found: the capacity that the list of pairs needs. */
  readonly found: number;
}

type Groups = Readonly<Record<'tally' | 'keep' | EventKind, GPUBindGroup>>;

/** One kind of event: where its pairs are. */
export class EventList {
  /** Byte offset in `count` of the arguments of dispatchWorkgroupsIndirect: one thread per listed pair, 256 per workgroup. */
  readonly dispatchOffset = LIST_DISPATCH_OFFSET;

  /** Made by GridPairs.events. */
  constructor(private readonly list: CountedList) {}

  /** vec2u a pair, ids i < j; the first `listed` are valid. No holes. Of a list that is too short, the first ones. */
  get pairs(): GPUBuffer {
    return this.list.list;
  }

  /** u32: pairs found, pairs listed, and from `dispatchOffset` on three of an indirect dispatch. */
  get count(): GPUBuffer {
    return this.list.count;
  }
}

export class GridEvents {
  /** Pairs of the search that are not in the one compared before. */
  readonly begun: EventList;
  /** Pairs of both. */
  readonly stayed: EventList;
  /** Pairs of the one before that are not in this one. */
  readonly ended: EventList;

  private constructor(
    private readonly followed: FollowedPairs,
    private readonly passes: PairEventsPass,
    private readonly lists: Readonly<Record<EventKind, CountedList>>,
    private readonly kept: BufferSet<'offsets' | 'pairs' | 'compared'>,
    private readonly groups: Groups,
  ) {
    this.begun = new EventList(lists.begun);
    this.stayed = new EventList(lists.stayed);
    this.ended = new EventList(lists.ended);
  }

  static async create(
    gpu: Gpu,
    followed: FollowedPairs,
    options: GridEventsOptions = {},
  ): Promise<GridEvents> {
    checkKnownKeys('options', options, ['capacity']);
    const { dimensions, owners, list } = followed;
    const { capacity = list.capacity } = options;
    const label = 'grid.events';
    const createList = (kind: EventKind) =>
      CountedList.create(gpu, {
        label: `${label}.${kind}`,
        dimensions,
        owners,
        capacity,
        words: 2,
        entries: `${kind} pairs`,
      });
    const passes = await PairEventsPass.create(gpu, dimensions);
    const { kept, ...lists } = await createParts({
      begun: createList('begun'),
      stayed: createList('stayed'),
      ended: createList('ended'),
      // Zeroed: before the first comparison there are no pairs.
      kept: createBuffers(gpu, label, {
        offsets: list.offsetRange.size,
        pairs: list.list.size,
        compared: 8,
      }),
    });
    const state = {
      offsets: list.offsetRange,
      pairs: list.list,
      offsets_before: kept.buffers.offsets,
      pairs_before: kept.buffers.pairs,
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
    return new GridEvents(followed, passes, lists, kept, groups);
  }

  /** Pairs that fit each list: the number asked for, made even. */
  get capacity(): number {
    return this.lists.begun.capacity;
  }

  /**
   * u32: pairs found and pairs listed by the search that was compared. Where the two differ the list was cut short,
   * and nothing was compared.
   */
  get compared(): GPUBuffer {
    return this.kept.buffers.compared;
  }

  get memoryBytes(): number {
    return EVENT_KINDS.reduce((sum, kind) => sum + this.lists[kind].bytes, this.kept.bytes);
  }

  /**
   * Records the comparison of the pairs as they were last encoded, which must come before it, with those of the
   * comparison before. The caller submits.
   */
  encode(encoder: GPUCommandEncoder): void {
    this.lists.begun.checkUsable();
    checkEncoder(encoder);
    const shared = this.followed.searched();
    if (!shared) {
      throw new CellstormError('The pairs have not been encoded yet, so none begins, stays or ends.');
    }
    const { passes, groups, lists } = this;
    const { list } = this.followed;
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
  }

  /** The lists of the last comparison that was submitted, or of one that is submitted meanwhile: never a mix. */
  async read(): Promise<ListedEvents> {
    const { begun, stayed, ended } = this.lists;
    const { readings, beside } = await CountedList.readTogether(
      [begun, stayed, ended],
      [{ buffer: this.compared, size: 8 }],
    );
    const [found, listed] = new Uint32Array(beside[0] as ArrayBuffer) as unknown as [number, number];
    const [begunPairs, stayedPairs, endedPairs] = readings.map(({ found: most, entries }) => ({
      found: most,
      count: entries.length / 2,
      pairs: entries,
    })) as [ListedPairs, ListedPairs, ListedPairs];
    return { begun: begunPairs, stayed: stayedPairs, ended: endedPairs, valid: found === listed, found };
  }

  destroy(): void {
    this.followed.forget(this);
    for (const kind of EVENT_KINDS) this.lists[kind].destroy();
    this.kept.destroy();
  }
}
