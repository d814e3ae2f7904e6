/**
 * Purpose: the ascending order of 32-bit floats, by a radix sort, for engines on the CPU that sweep: three passes over
 * eleven bits each. Input: keys, none of them NaN. Output: their indices, equal keys in the order they came in.
 * Guarantee: sorting allocates nothing.
 */
const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
const LAST_DIGIT = DIGITS - 1;
const PASSES = 3;

export class FloatOrder {
  /** Filled by the caller before `sort`. */
  readonly keys: Float32Array;
  private readonly bits: Int32Array;
  /** Digits so that they ascend as the floats do; and who has them. */
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

  /** Indices by ascending key; overwritten by the next. */
  sort(): Uint32Array {
    this.takeIn();
    for (let pass = 0; pass < PASSES; pass++) this.deal(pass);
    return this.indices;
  }

  private takeIn(): void {
    const { bits, words, indices, counts } = this;
    counts.fill(0);
    for (let index = 0; index < words.length; index++) {
      const key = bits[index] as number;
      // Negative ones with all bits turned over, others with the sign: then they are ordered as whole numbers.
      const word = key ^ ((key >> 31) | -0x8000_0000);
      words[index] = word;
      indices[index] = index;
      for (let pass = 0; pass < PASSES; pass++) {
        const digit = pass * DIGITS + ((word >>> (pass * DIGIT_BITS)) & LAST_DIGIT);
        counts[digit] = (counts[digit] as number) + 1;
      }
    }
  }

  private deal(pass: number): void {
    const { words, indices, otherWords, otherIndices, counts } = this;
    const first = pass * DIGITS;
    let sum = 0;
    for (let digit = first; digit < first + DIGITS; digit++) {
      const count = counts[digit] as number;
      if (count === words.length) return;
      counts[digit] = sum;
      sum += count;
    }
    const shift = pass * DIGIT_BITS;
    for (let index = 0; index < words.length; index++) {
      const word = words[index] as number;
      const digit = first + ((word >>> shift) & LAST_DIGIT);
      const place = counts[digit] as number;
      counts[digit] = place + 1;
      otherWords[place] = word;
      otherIndices[place] = indices[index] as number;
    }
    this.words = otherWords;
    this.indices = otherIndices;
    this.otherWords = words;
    this.otherIndices = indices;
  }
}
