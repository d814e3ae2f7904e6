import { describe, expect, it } from 'vitest';
import { formatHash, hashState, mixWord, StateHash } from '../../../../src/core/state/hash';
import { fc } from '../../../helpers/properties';

const POSITIONS = new Float32Array([1, 2, 3, 4, 5, 6]);
const VELOCITIES = new Float32Array([0.5, -0.5, 0, 1, 2, -3]);

describe('state hash', () => {
  it('is sixteen hexadecimal digits, and zero without particles', () => {
    expect(new StateHash().toString()).toBe('0000000000000000');
    expect(formatHash(0x1f, -1)).toBe('ffffffff0000001f');
    expect(hashState(2, POSITIONS, VELOCITIES)).toMatch(/^[0-9a-f]{16}$/);
  });

  it('has the same value as in earlier versions', () => {
    expect(hashState(2, POSITIONS, VELOCITIES)).toBe('c07f537373b0cdf5');
    expect(hashState(3, POSITIONS, VELOCITIES)).toBe('bdd5262ba6f278dd');
  });

  it('does not depend on the order of particles in memory', () => {
    const shuffled = hashState(
      2,
      new Float32Array([5, 6, 1, 2, 3, 4]),
      new Float32Array([2, -3, 0.5, -0.5, 0, 1]),
      new Uint32Array([2, 0, 1]),
    );
    expect(shuffled).toBe(hashState(2, POSITIONS, VELOCITIES));
  });

  it('depends on every bit of every word, and on the id', () => {
    const reference = hashState(2, POSITIONS, VELOCITIES);
    const seen = new Set([reference]);
    for (const which of ['positions', 'velocities', 'ids'] as const) {
      for (let bit = 0; bit < (which === 'ids' ? 3 : 6) * 32; bit++) {
        const positions = POSITIONS.slice();
        const velocities = VELOCITIES.slice();
        const ids = new Uint32Array([0, 1, 2]);
        const words =
          which === 'ids' ? ids : new Uint32Array((which === 'positions' ? positions : velocities).buffer);
        words[bit >> 5] = (words[bit >> 5] as number) ^ (1 << (bit & 31));
        seen.add(hashState(2, positions, velocities, ids));
      }
    }
    expect(seen.size).toBe(1 + (6 + 6 + 3) * 32);
  });

  it('distinguishes positions from velocities, and particles from each other', () => {
    expect(hashState(2, VELOCITIES, POSITIONS)).not.toBe(hashState(2, POSITIONS, VELOCITIES));
    expect(hashState(2, POSITIONS, VELOCITIES, new Uint32Array([1, 0, 2]))).not.toBe(
      hashState(2, POSITIONS, VELOCITIES),
    );
  });

  it('mixes words in 32 bits, so that different words stay different', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.nat(), (value, a, b) => {
        const mixed = mixWord(value, a);
        expect(mixed).toBe(mixed >>> 0);
        expect(mixed === mixWord(value, b)).toBe(a === b);
      }),
    );
  });

  it('hashes views into a larger buffer', () => {
    const store = new Float32Array(20);
    store.set(POSITIONS, 3);
    expect(hashState(2, store.subarray(3, 9), VELOCITIES)).toBe(hashState(2, POSITIONS, VELOCITIES));
  });
});
