/** Purpose: says what the pairs of two frames are, by the oracle, and in a sentence what is wrong with other answers. */
import type { Found } from './engine';
import { findExpected } from './oracle';
import type { Outcome } from './record';
import type { BenchScene } from './scenes';

export class Judge {
  /** Of each frame. */
  readonly expected: readonly Found[];

  constructor(scene: BenchScene, frames: readonly Float32Array[]) {
    this.expected = frames.map((positions) => findExpected(scene, positions));
  }

  /** What is wrong with an answer. */
  wrong(frame: number, found: Found): Pick<Outcome, 'reason' | 'expected'> | undefined {
    const expected = this.expected[frame] as Found;
    if (found.pairs === expected.pairs && found.checksum === expected.checksum) return undefined;
    const missing = expected.pairs - found.pairs;
    const difference =
      missing === 0
        ? `as many pairs as there are, ${found.pairs}, but others`
        : `${found.pairs} pairs instead of ${expected.pairs}, ${Math.abs(missing)} too ${missing > 0 ? 'few' : 'many'}`;
    return { reason: `It found ${difference}.`, expected };
  }
}
