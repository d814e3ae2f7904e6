/**
 * Purpose: the list that engines on the CPU write their pairs to, so that all pay the same for it: two words a pair, twice
 * as long whenever it is full.
 */
import type { PairList } from '../../src/core/simulation';

const FIRST_WORDS = 1 << 12;

export class PairSink implements PairList {
  pairs = new Uint32Array(FIRST_WORDS);
  private length = 0;

  get count(): number {
    return this.length >> 1;
  }

  clear(): void {
    this.length = 0;
  }

  add(a: number, b: number): void {
    if (this.length === this.pairs.length) this.grow();
    this.pairs[this.length++] = a;
    this.pairs[this.length++] = b;
  }

  private grow(): void {
    const longer = new Uint32Array(2 * this.pairs.length);
    longer.set(this.pairs);
    this.pairs = longer;
  }
}
