/** The list in which most CPU engines store pairs. They share it, so that writing a pair costs all of them the same. */
import type { PairList } from '../../src/core/simulation/simulation';
import { lengthenPairs } from '../../src/cpu/shared/lattice';

const FIRST_WORDS = 1 << 12;

/** Returns a longer copy of a list. Throws a LimitError if memory is short. */
export function longerList(pairs: Uint32Array, used: number, length: number): Uint32Array<ArrayBuffer> {
  return lengthenPairs(pairs, used, length, 'choose fewer bodies');
}

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
    this.pairs = longerList(this.pairs, this.length, 2 * this.length);
  }
}
