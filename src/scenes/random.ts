/**
 * The "small fast counting" generator, which uses only 32-bit integers: the same seed gives the same numbers on every
 * machine. Its period is at least 2³².
 */

/** Numbers discarded at first, so that seeds that differ in one bit give unrelated sequences. */
const WARM_UP = 16;

export class Random {
  private a: number;
  private b = 0x9e37_79b9 | 0;
  private c = 0x243f_6a88;
  private counter = 1;

  constructor(seed: number) {
    this.a = seed | 0;
    for (let round = 0; round < WARM_UP; round++) this.nextBits();
  }

  nextBits(): number {
    const result = (this.a + this.b + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + result) | 0;
    return result >>> 0;
  }

  /**
   * Returns a whole number from 0 to `bound` − 1. If `bound` is at most 4 million, no value is more than a
   * thousandth more likely than another.
   */
  below(bound: number): number {
    return Math.floor((this.nextBits() * bound) / 2 ** 32);
  }

  /** Returns a whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }
}
