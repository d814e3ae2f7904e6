import type { Found } from './engine';
import { findExpected } from './oracle';
import type { Outcome } from './record';
import type { BenchScene } from './scenes';

export class Judge {
  readonly expected: readonly Found[];

  constructor(scene: BenchScene, frames: readonly Float32Array[]) {
    this.expected = frames.map((positions) => findExpected(scene, positions));
  }

  /** Says how the answer is wrong; undefined if it is right. */
  wrong(frame: number, found: Found): Pick<Outcome, 'reason' | 'expected'> | undefined {
    const expected = this.expected[frame] as Found;
    if (found.pairs === expected.pairs && found.checksum === expected.checksum) return undefined;
    const missing = expected.pairs - found.pairs;
    const difference =
      missing === 0
        ? `the right number of pairs, ${found.pairs}, but other pairs`
        : `${found.pairs} pairs instead of ${expected.pairs}, ${Math.abs(missing)} too ${missing > 0 ? 'few' : 'many'}`;
    return { reason: `It found ${difference}.`, expected };
  }
}
