/** Formulas for the work of queries without cells. */

import { FloatOrder } from '../../src/cpu/shared/float-order';
import type { Work } from '../harness/engine';
import type { BenchScene } from '../harness/scenes';

export function allPairsOf(count: number): Work {
  const pairs = (count * Math.max(0, count - 1)) / 2;
  return { candidates: pairs, tests: pairs, counted: 'formula' };
}

/**
 * Counts a sweep along x in 32-bit floats: each body is compared with the later ones whose lower ends are below its
 * upper end. With equal radii, intervals begin at the centre and are a diameter long.
 */
export function workOfSweep(scene: BenchScene, positions: Float32Array): Work {
  const { dimensions, count, radius, radii } = scene;
  const order = new FloatOrder(count);
  for (let body = 0; body < count; body++) {
    order.keys[body] = (positions[body * dimensions] as number) - (radii?.[body] ?? 0);
  }
  const sorted = order.sort();
  const lowers = Float32Array.from(sorted, (body) => order.keys[body] as number);
  let candidates = 0;
  for (let slot = 0; slot < count; slot++) {
    const body = sorted[slot] as number;
    const upper = Math.fround((positions[body * dimensions] as number) + (radii?.[body] ?? 2 * radius));
    let low = slot + 1;
    let high = count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((lowers[middle] as number) < upper) low = middle + 1;
      else high = middle;
    }
    candidates += low - slot - 1;
  }
  return { candidates, tests: candidates, counted: 'formula' };
}
