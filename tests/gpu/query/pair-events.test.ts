import { describe, expect } from 'vitest';
import { pairEvents } from '../../../src/core/simulation/pair-events';
import type { PairList } from '../../../src/core/simulation/simulation';
import { defineWorld } from '../../../src/core/world/world';
import { scanBytes } from '../../../src/passes/grid/scan';
import { EVENT_KINDS, PairEventsPass } from '../../../src/passes/query/pair-events';
import { exclusiveScan } from '../../../src/reference/grid/scan';
import { expectArraysEqual, type GpuTools, gpuTest, SHARED } from '../../helpers/node-gpu';
import { readWords, runPass, SMALL_COUNTS, share } from '../../helpers/passes';
import { fc, runs } from '../../helpers/properties';

/** The value of both ids in an entry without a pair. */
const HOLE = 0xffff_ffff;
/** The value of words that are never written. */
const UNTOUCHED = 7;

/** An owner is the first id of its pairs. Holds their second ids, ascending, and the number of holes after them. */
interface Owner {
  readonly others: readonly number[];
  readonly holes: number;
}

const owners = fc.record({
  others: fc.uniqueArray(fc.nat(9), { maxLength: 6 }).map((ids) => ids.sort((a, b) => a - b)),
  holes: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(2) }),
});

function withMore(words: Uint32Array, word: number): Uint32Array {
  return Uint32Array.from([...words, ...new Array<number>(4).fill(word)]);
}

function upload(tools: GpuTools, list: readonly Owner[], label: string) {
  const words = list.flatMap(({ others, holes }, id) => [
    ...others.flatMap((other) => [id, other]),
    ...new Array<number>(2 * holes).fill(HOLE),
  ]);
  const offsets = new Uint32Array(scanBytes(list.length + 1) / 4);
  let end = 0;
  for (let id = 0; id < offsets.length; id++) {
    offsets[id] = end;
    const owner = list[id];
    if (owner) end += owner.others.length + owner.holes;
  }
  return {
    offsets: tools.upload(`${label}.offsets`, offsets),
    pairs: tools.upload(
      `${label}.pairs`,
      Uint32Array.from([...words, ...new Array<number>(4096 - words.length).fill(UNTOUCHED)]),
    ),
    words,
    found: end,
  };
}

function withoutHoles(list: readonly Owner[]): PairList {
  const pairs = Uint32Array.from(list.flatMap(({ others }, id) => others.flatMap((other) => [id, other])));
  return { count: pairs.length / 2, pairs };
}

async function compare(
  tools: GpuTools,
  before: readonly Owner[],
  after: readonly Owner[],
  { listed, room = 2048 }: { listed?: number; room?: number } = {},
) {
  const gpu = tools.wrap();
  const pass = await PairEventsPass.create(gpu, 2);
  const world = defineWorld({ dimensions: 2, min: [0, 0], max: [4, 4] }, 1);
  const shared = await share(gpu, world, 1);
  const old = upload(tools, before, 'before');
  const now = upload(tools, after, 'after');
  const count = tools.upload('count', Uint32Array.of(now.found, listed ?? now.found));
  const threads = now.offsets.size / 4;
  const offsets_before = tools.upload(
    'offsets_before',
    withMore(await readWords(tools, old.offsets, threads), UNTOUCHED),
  );
  const state = { offsets: now.offsets, pairs: now.pairs, offsets_before, pairs_before: old.pairs };
  const tallies = Object.fromEntries(
    EVENT_KINDS.map((kind) => [kind, tools.allocate(kind, now.offsets.size)]),
  );
  const tally = pass.bind('tally', { ...state, count, ...tallies });
  runPass(gpu, (encoder) => pass.encode(encoder, shared, 'tally', tally, threads));
  const lists: Record<string, { found: number; words: Uint32Array }> = {};
  for (const kind of EVENT_KINDS) {
    const offsets = exclusiveScan(await readWords(tools, tallies[kind] as GPUBuffer, threads));
    const events = tools.upload('events', new Uint32Array(2 * room).fill(UNTOUCHED));
    // The zeros must not be read: they would end the lists of the last owners at index 0.
    const event_offsets = tools.upload('event_offsets', withMore(offsets.subarray(0, threads), 0));
    const fill = pass.bind(kind, { ...state, event_offsets, events });
    runPass(gpu, (encoder) => pass.encode(encoder, shared, kind, fill, threads));
    lists[kind] = { found: offsets[threads - 1] as number, words: await readWords(tools, events, 2 * room) };
  }
  const keep = pass.bind('keep', { ...state, count });
  runPass(gpu, (encoder) => pass.encode(encoder, shared, 'keep', keep, threads));
  const keptOffsets = await readWords(tools, offsets_before, threads + 4);
  expect([...keptOffsets.subarray(threads)]).toEqual(new Array(4).fill(UNTOUCHED));
  const kept = {
    offsets: keptOffsets.subarray(0, threads),
    pairs: await readWords(tools, old.pairs, 4096),
  };
  return { lists, kept, old, now, offsets: await readWords(tools, now.offsets, threads) };
}

function expectLists(lists: Awaited<ReturnType<typeof compare>>['lists'], before: PairList, after: PairList) {
  const expected = pairEvents(before, after);
  for (const kind of EVENT_KINDS) {
    const { count, pairs } = expected[kind];
    const { found, words } = lists[kind] as { found: number; words: Uint32Array };
    expect(found, kind).toBe(count);
    expectArraysEqual(words.subarray(0, 2 * count), pairs, kind);
    expect(words.subarray(2 * count).every((word) => word === UNTOUCHED)).toBe(true);
  }
}

describe('events of pairs', () => {
  gpuTest(
    'equal the events that the host computes, from lists with and without holes',
    async (_, tools) => {
      const lists = fc.tuple(fc.nat(40), fc.nat(40)).chain(([length]) => {
        const list = fc
          .array(owners, { minLength: length, maxLength: length })
          .map((all) =>
            all.map((owner, id) => ({ ...owner, others: owner.others.map((other) => id + 1 + other) })),
          );
        return fc.tuple(list, list);
      });
      await fc.assert(
        fc.asyncProperty(lists, async ([before, after]) => {
          const { lists, kept, now, offsets } = await compare(tools, before, after);
          expectLists(lists, withoutHoles(before), withoutHoles(after));
          expectArraysEqual(kept.offsets, offsets, 'kept offsets');
          expectArraysEqual(kept.pairs.subarray(0, now.words.length), now.words, 'kept pairs');
        }),
        runs(40),
      );
    },
    { ...SHARED, timeoutMs: 60_000 },
  );

  gpuTest(
    'include the pairs of the last owner, for numbers of owners around the size of a workgroup',
    async (_, tools) => {
      for (const length of SMALL_COUNTS) {
        const listOf = (shift: number): Owner[] =>
          Array.from({ length }, (_, id) => ({ others: [id + shift, id + 3], holes: id % 5 === 0 ? 1 : 0 }));
        const [before, after] = [listOf(1), listOf(2)];
        const { lists, kept, offsets } = await compare(tools, before, after);
        expectLists(lists, withoutHoles(before), withoutHoles(after));
        expectArraysEqual(kept.offsets, offsets, 'kept offsets');
      }
    },
    SHARED,
  );

  gpuTest(
    'are the first events of the full list if not all of them fit',
    async (_, tools) => {
      const before: Owner[] = [
        { others: [], holes: 0 },
        { others: [2, 3], holes: 0 },
        { others: [3], holes: 0 },
      ];
      const after: Owner[] = [
        { others: [1, 5], holes: 0 },
        { others: [2, 4, 6], holes: 0 },
        { others: [3], holes: 0 },
      ];
      const { lists } = await compare(tools, before, after, { room: 3 });
      expect(lists.begun?.found).toBe(4);
      expect([...(lists.begun?.words ?? [])]).toEqual([0, 1, 0, 5, 1, 4]);
      expect([...(lists.stayed?.words ?? [])]).toEqual([1, 2, 2, 3, UNTOUCHED, UNTOUCHED]);
      expect([...(lists.ended?.words ?? [])]).toEqual([1, 3, ...new Array<number>(4).fill(UNTOUCHED)]);
    },
    SHARED,
  );

  gpuTest(
    'do not occur if the list of pairs was cut short, and the previous list is kept',
    async (_, tools) => {
      const before: Owner[] = [
        { others: [1], holes: 0 },
        { others: [2], holes: 0 },
      ];
      const after: Owner[] = [
        { others: [1, 2], holes: 0 },
        { others: [4], holes: 0 },
      ];
      const { lists, kept, old } = await compare(tools, before, after, { listed: 2 });
      for (const kind of EVENT_KINDS) expect(lists[kind]?.found).toBe(0);
      expect([...kept.offsets]).toEqual([0, 1, 2, 2]);
      expectArraysEqual(kept.pairs.subarray(0, 4), Uint32Array.from(old.words), 'kept');
    },
    SHARED,
  );
});
