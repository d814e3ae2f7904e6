/**
 * The 64-bit state hash, bit for bit as shaders/measure/measure.wgsl computes it. A particle's words are its id, then
 * the bits of its position, velocity, radius (if radii vary) and half extents (if particles may be boxes). The words
 * are mixed twice, from two seeds. The hash consists of the two sums over all particles, modulo 2³², so the order of
 * particles does not matter. Loads are left out: they change the hash only after the next step.
 */

import { HASH_SEED_HIGH, HASH_SEED_LOW } from '../base/constants';
import type { Sizes } from '../particles/shapes';

/** Mixes `word` into the hash `value`, with the constants of MurmurHash3. */
export function mixWord(value: number, word: number): number {
  let mixed = Math.imul(value ^ word, 0xcc9e_2d51);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x1b87_3593);
  mixed ^= mixed >>> 13;
  return (Math.imul(mixed, 5) + 0xe654_6b64) >>> 0;
}

export class StateHash {
  private low = 0;
  private high = 0;

  addParticle(id: number, words: Uint32Array): void {
    let low = mixWord(HASH_SEED_LOW, id);
    let high = mixWord(HASH_SEED_HIGH, id);
    for (const word of words) {
      low = mixWord(low, word);
      high = mixWord(high, word);
    }
    this.low = (this.low + low) >>> 0;
    this.high = (this.high + high) >>> 0;
  }

  toString(): string {
    return formatHash(this.low, this.high);
  }
}

/** Returns 16 hexadecimal digits, those of the high word first. */
export function formatHash(low: number, high: number): string {
  return (high >>> 0).toString(16).padStart(8, '0') + (low >>> 0).toString(16).padStart(8, '0');
}

/** Returns the hash of a state. Default ids: 0, 1, 2 … Leave out the sizes if all particles have one radius. */
export function hashState(
  dimensions: 2 | 3,
  positions: Float32Array | Int32Array,
  velocities: Float32Array | Int32Array,
  ids?: Uint32Array,
  { radii, halves }: Sizes = {},
): string {
  const hash = new StateHash();
  const positionBits = bitsOf(positions);
  const velocityBits = bitsOf(velocities);
  const radiusBits = radii && bitsOf(radii);
  const halfBits = halves && bitsOf(halves);
  const words = new Uint32Array(2 * dimensions + (radii ? 1 : 0) + (halves ? dimensions : 0));
  for (let particle = 0; particle < positions.length / dimensions; particle++) {
    for (let axis = 0; axis < dimensions; axis++) {
      words[axis] = positionBits[particle * dimensions + axis] as number;
      words[dimensions + axis] = velocityBits[particle * dimensions + axis] as number;
    }
    if (radiusBits) words[2 * dimensions] = radiusBits[particle] as number;
    if (halfBits)
      words.set(halfBits.subarray(dimensions * particle, dimensions * (particle + 1)), 2 * dimensions + 1);
    hash.addParticle(ids ? (ids[particle] as number) : particle, words);
  }
  return hash.toString();
}

function bitsOf(numbers: Float32Array | Int32Array): Uint32Array {
  return new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length);
}
