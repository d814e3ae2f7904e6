/**
 * Compares the list of contacts, its count and its indirect dispatch with the oracle. Also checks which contacts began,
 * stayed and ended after a move.
 */
import { WORKGROUP_SIZE } from '../core/base/constants';
import { type PairEvents, pairEvents } from '../core/simulation/pair-events';
import type { PairList } from '../core/simulation/simulation';
import type { GridPairs } from '../engine/queries/pairs';
import type { Gpu } from '../gpu/device';
import type { Scene } from '../scenes';
import { differenceOfPairs, exactPairs, keepPairs, stirred } from './exact';
import type { Finding } from './finding';
import { createFilled, withSceneGrid } from './grids';

const NONE: PairList = { count: 0, pairs: new Uint32Array(0) };

const KINDS = ['begun', 'stayed', 'ended'] as const;

export async function checkList(gpu: Gpu, scene: Scene): Promise<Finding> {
  const expected = exactPairs(scene);
  return withSceneGrid(gpu, scene, async (grid, build) => {
    // Surplus pairs need room, so that the comparison finds them.
    const list = await grid.pairs({ capacity: expected.count + 2 });
    const encoder = build(scene.positions);
    list.encode(encoder);
    gpu.device.queue.submit([encoder.finish()]);
    const difference = await differenceOfList(gpu, list, expected);
    if (difference) return { pass: false, detail: difference };
    return {
      pass: true,
      detail: `${expected.count} pairs in order; their count and their dispatch are right`,
    };
  });
}

export async function differenceOfList(
  gpu: Gpu,
  list: GridPairs,
  expected: PairList,
): Promise<string | undefined> {
  const { count, dispatchOffset } = list;
  const { listed, beside } = await list.readBeside([
    { buffer: count, size: 8 },
    { buffer: count, offset: dispatchOffset, size: 12 },
  ]);
  const [[found, stored] = [], [x, y, z] = []] = beside.map((words) => Array.from(new Uint32Array(words)));
  if (found !== expected.count || stored !== expected.count || listed.found !== expected.count) {
    return `${found} pairs are counted and ${stored} listed instead of ${expected.count}`;
  }
  const workgroups = Math.ceil(expected.count / WORKGROUP_SIZE);
  const columns = Math.min(workgroups, gpu.device.limits.maxComputeWorkgroupsPerDimension);
  const rows = workgroups === 0 ? 1 : Math.ceil(workgroups / columns);
  if (x !== columns || y !== rows || z !== 1) {
    return `the dispatch over ${expected.count} pairs is ${x} by ${y} by ${z} instead of ${columns} by ${rows} by 1`;
  }
  return differenceOfPairs(listed, expected);
}

export async function checkEvents(gpu: Gpu | undefined, scene: Scene): Promise<Finding> {
  return gpu ? checkEventsOnGpu(gpu, scene) : checkEventsOnCpu(scene);
}

/** Checks the events of two searches: one before the move, in which all pairs must begin, and one after it. */
async function checkEventsOnGpu(gpu: Gpu, scene: Scene): Promise<Finding> {
  const lists = [exactPairs(scene), exactPairs(stirred(scene))] as const;
  return withSceneGrid(gpu, scene, async (grid, build) => {
    const list = await grid.pairs({ capacity: Math.max(...lists.map(({ count }) => count)) + 2 });
    const events = await list.events();
    let before = NONE;
    for (const [index, { positions }] of [scene, stirred(scene)].entries()) {
      const encoder = build(positions);
      list.encode(encoder);
      events.encode(encoder);
      gpu.device.queue.submit([encoder.finish()]);
      const after = lists[index] as PairList;
      const got = await events.read();
      const difference = got.valid
        ? differenceOfEvents(got, pairEvents(before, after))
        : 'the list has too little room';
      if (difference)
        return { pass: false, detail: `${index === 0 ? 'at first' : 'after the move'}, ${difference}` };
      before = after;
    }
    return passed(pairEvents(...lists));
  });
}

/** Checks `pairEvents`, on which the check on the GPU relies. */
function checkEventsOnCpu(scene: Scene): Finding {
  const after = stirred(scene);
  const got = pairEvents(createFilled(scene).findPairs(), createFilled(after).findPairs());
  const [old, now] = [exactPairs(scene), exactPairs(after)];
  const [wasThere, isThere] = [keysOf(old), keysOf(now)];
  const expected: PairEvents = {
    begun: keepPairs(now, (first, second) => !wasThere.has(keyOf(first, second))),
    stayed: keepPairs(now, (first, second) => wasThere.has(keyOf(first, second))),
    ended: keepPairs(old, (first, second) => !isThere.has(keyOf(first, second))),
  };
  const difference = differenceOfEvents(got, expected);
  return difference ? { pass: false, detail: difference } : passed(expected);
}

function passed({ begun, stayed, ended }: PairEvents): Finding {
  return { pass: true, detail: `${begun.count} pairs began, ${stayed.count} stayed, ${ended.count} ended` };
}

function differenceOfEvents(got: PairEvents, expected: PairEvents): string | undefined {
  for (const kind of KINDS) {
    const difference = differenceOfPairs(got[kind], expected[kind]);
    if (difference) return `list ${kind}: ${difference}`;
  }
  return undefined;
}

/** Returns a different number for each pair. Ids must be below 2²⁶. */
function keyOf(first: number, second: number): number {
  return first * 2 ** 26 + second;
}

function keysOf({ count, pairs }: PairList): Set<number> {
  const keys = new Set<number>();
  for (let word = 0; word < 2 * count; word += 2) {
    keys.add(keyOf(pairs[word] as number, pairs[word + 1] as number));
  }
  return keys;
}
