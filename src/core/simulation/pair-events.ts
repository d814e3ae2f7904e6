/** Compares two lists of pairs, in one walk over both. */
import { checkInteger } from '../base/checks';
import { ArgumentError, Phrase } from '../base/errors';
import type { PairList } from './simulation';

/** The differences of two lists of pairs. */
export interface PairEvents {
  /** Pairs that are only in `after`. */
  readonly begun: PairList;
  /** Pairs that are in both lists. */
  readonly stayed: PairList;
  /** Pairs that are only in `before`. */
  readonly ended: PairList;
}

/** Finds the pairs that began, stayed and ended between two results of `findPairs` or `GridPairs.read`. */
export function pairEvents(before: PairList, after: PairList): PairEvents {
  checkList('before', before);
  checkList('after', after);
  const begun = new Writer(after.count);
  const stayed = new Writer(Math.min(before.count, after.count));
  const ended = new Writer(before.count);
  let old = 0;
  let now = 0;
  while (old < before.count || now < after.count) {
    const order = old === before.count ? 1 : now === after.count ? -1 : compareAt(before, old, after, now);
    if (order < 0) ended.append(before, old++);
    else if (order > 0) begun.append(after, now++);
    else {
      stayed.append(after, now++);
      old++;
    }
  }
  return { begun: begun.list(), stayed: stayed.list(), ended: ended.list() };
}

class Writer {
  private readonly pairs: Uint32Array;
  private count = 0;

  constructor(most: number) {
    this.pairs = new Uint32Array(2 * most);
  }

  append({ pairs }: PairList, index: number): void {
    this.pairs[2 * this.count] = pairs[2 * index] as number;
    this.pairs[2 * this.count + 1] = pairs[2 * index + 1] as number;
    this.count++;
  }

  list(): PairList {
    return { count: this.count, pairs: this.pairs.slice(0, 2 * this.count) };
  }
}

function compareAt(left: PairList, a: number, right: PairList, b: number): number {
  return (
    (left.pairs[2 * a] as number) - (right.pairs[2 * b] as number) ||
    (left.pairs[2 * a + 1] as number) - (right.pairs[2 * b + 1] as number)
  );
}

function checkList(argument: string, list: PairList): void {
  const { count, pairs } = (list ?? {}) as Partial<PairList>;
  if (!(pairs instanceof Uint32Array)) {
    throw new ArgumentError(argument, list, 'a list of pairs, as returned by findPairs');
  }
  checkInteger(`${argument}.count`, count, 0, Math.floor(pairs.length / 2));
  for (let index = 0; index < count; index++) {
    const isPair = (pairs[2 * index] as number) < (pairs[2 * index + 1] as number);
    if (isPair && (index === 0 || compareAt(list, index - 1, list, index) < 0)) continue;
    const at = [pairs[2 * index], pairs[2 * index + 1]].join(', ');
    const value = new Phrase(`a list with the pair ${at} at index ${index}`);
    const accepted = isPair
      ? 'in ascending order, with each pair once'
      : 'a list of pairs whose first id is the lower one';
    throw new ArgumentError(argument, value, accepted);
  }
}
