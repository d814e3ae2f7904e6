import type { PairList } from '../../core/simulation/simulation';

/** Collects pairs in any order. `toPairList` returns them sorted, with the lower id of each pair first. */
export class PairCollector {
  private pairs = new Uint32Array(64);
  private count = 0;

  add(a: number, b: number): void {
    if (2 * this.count === this.pairs.length) {
      const larger = new Uint32Array(2 * this.pairs.length);
      larger.set(this.pairs);
      this.pairs = larger;
    }
    this.pairs[2 * this.count] = Math.min(a, b);
    this.pairs[2 * this.count + 1] = Math.max(a, b);
    this.count++;
  }

  toPairList(): PairList {
    return sortPairs(this.pairs.subarray(0, 2 * this.count));
  }
}

/** Sorts by the first id, then by the second. The first id of each pair must be the lower one. */
export function sortPairs(pairs: Uint32Array): PairList {
  const count = pairs.length / 2;
  let greatest = -1;
  for (let index = 0; index < count; index++) greatest = Math.max(greatest, pairs[2 * index] as number);
  const next = new Uint32Array(greatest + 2);
  for (let index = 0; index < count; index++) {
    const first = pairs[2 * index] as number;
    next[first + 1] = (next[first + 1] as number) + 1;
  }
  for (let id = 0; id <= greatest; id++) next[id + 1] = (next[id + 1] as number) + (next[id] as number);
  const ends = next.slice(1);
  const seconds = new Uint32Array(count);
  for (let index = 0; index < count; index++) {
    const first = pairs[2 * index] as number;
    const entry = next[first] as number;
    next[first] = entry + 1;
    seconds[entry] = pairs[2 * index + 1] as number;
  }
  const sorted = new Uint32Array(2 * count);
  for (let first = 0, begin = 0; first <= greatest; first++) {
    const end = ends[first] as number;
    if (end - begin > 1) seconds.subarray(begin, end).sort();
    for (let entry = begin; entry < end; entry++) {
      sorted[2 * entry] = first;
      sorted[2 * entry + 1] = seconds[entry] as number;
    }
    begin = end;
  }
  return { count, pairs: sorted };
}

export interface OraclePairs {
  readonly overlapping: PairList;
  /** Borderline pairs: rounding in 32 bits may decide whether they overlap. */
  readonly ambiguous: PairList;
}

export interface PairComparison {
  /** Unambiguous pairs that overlap, but were not found. */
  readonly missing: PairList;
  /** Unambiguous pairs that were found, but do not overlap. */
  readonly extra: PairList;
  /** Number of ambiguous pairs that only one of `found` and `overlapping` has. */
  readonly excused: number;
}

export function comparePairs(found: PairList, oracle: OraclePairs): PairComparison {
  const missing = new PairCollector();
  const extra = new PairCollector();
  let excused = 0;
  const { overlapping, ambiguous } = oracle;
  let a = 0;
  let b = 0;
  let c = 0;
  while (a < found.count || b < overlapping.count) {
    const order =
      a === found.count ? 1 : b === overlapping.count ? -1 : compareEntries(found, a, overlapping, b);
    if (order === 0) {
      a++;
      b++;
      continue;
    }
    const [list, entry] = order < 0 ? [found, a++] : [overlapping, b++];
    while (c < ambiguous.count && compareEntries(ambiguous, c, list, entry) < 0) c++;
    if (c < ambiguous.count && compareEntries(ambiguous, c, list, entry) === 0) excused++;
    else {
      (order < 0 ? extra : missing).add(list.pairs[2 * entry] as number, list.pairs[2 * entry + 1] as number);
    }
  }
  return { missing: missing.toPairList(), extra: extra.toPairList(), excused };
}

function compareEntries(left: PairList, a: number, right: PairList, b: number): number {
  return (
    (left.pairs[2 * a] as number) - (right.pairs[2 * b] as number) ||
    (left.pairs[2 * a + 1] as number) - (right.pairs[2 * b + 1] as number)
  );
}
