/**
 * Radix-sorts the indices of 32-bit floats by value, in three passes of eleven bits. No float may be NaN. −0 comes
 * before +0; otherwise equal floats keep their order. Sorting allocates nothing.
 */
const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
const LAST_DIGIT = DIGITS - 1;
const PASSES = 3;

export class FloatOrder {
  /** Write the keys before `sort`. */
  readonly keys: Float32Array;
  private readonly bits: Int32Array;
  private words: Uint32Array;
  private indices: Uint32Array;
  private otherWords: Uint32Array;
  private otherIndices: Uint32Array;
  private readonly counts = new Uint32Array(PASSES * DIGITS);

  constructor(count: number) {
    this.keys = new Float32Array(count);
    this.bits = new Int32Array(this.keys.buffer);
    this.words = new Uint32Array(count);
    this.indices = new Uint32Array(count);
    this.otherWords = new Uint32Array(count);
    this.otherIndices = new Uint32Array(count);
  }

  get memoryBytes(): number {
    return 5 * this.keys.byteLength + this.counts.byteLength;
  }

  /** Returns the indices of the first `length` keys in ascending order. The next sort overwrites them. */
  sort(length = this.keys.length): Uint32Array {
    this.countDigits(length);
    for (let pass = 0; pass < PASSES; pass++) this.sortByDigit(pass, length);
    return this.indices;
  }

  private countDigits(length: number): void {
    const { bits, words, indices, counts } = this;
    counts.fill(0);
    for (let index = 0; index < length; index++) {
      const key = bits[index] as number;
      // Flip the sign bit of positive floats and all bits of negative ones. The words then have the order of the
      // floats.
      const word = key ^ ((key >> 31) | -0x8000_0000);
      words[index] = word;
      indices[index] = index;
      for (let pass = 0; pass < PASSES; pass++) {
        const digit = pass * DIGITS + ((word >>> (pass * DIGIT_BITS)) & LAST_DIGIT);
        counts[digit] = (counts[digit] as number) + 1;
      }
    }
  }

  private sortByDigit(pass: number, length: number): void {
    const { words, indices, otherWords, otherIndices, counts } = this;
    const first = pass * DIGITS;
    let sum = 0;
    for (let digit = first; digit < first + DIGITS; digit++) {
      const count = counts[digit] as number;
      // If all keys share this digit, the pass would change nothing.
      if (count === length) return;
      counts[digit] = sum;
      sum += count;
    }
    const shift = pass * DIGIT_BITS;
    for (let index = 0; index < length; index++) {
      const word = words[index] as number;
      const digit = first + ((word >>> shift) & LAST_DIGIT);
      const target = counts[digit] as number;
      counts[digit] = target + 1;
      otherWords[target] = word;
      otherIndices[target] = indices[index] as number;
    }
    this.words = otherWords;
    this.indices = otherIndices;
    this.otherWords = words;
    this.otherIndices = indices;
  }
}
