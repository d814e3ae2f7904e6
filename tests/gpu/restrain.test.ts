/** Pushes kept short where paths are followed: where the twin has them, across the ends of the world, folded or not. */
import { describe, expect } from 'vitest';
import { carryPositions } from '../../src/core/cells';
import { restrain } from '../../src/core/flight';
import { defineWorld } from '../../src/core/world';
import { Restrain } from '../../src/passes/restrain';
import { expectArraysEqual, gpuTest } from '../helpers/node-gpu';
import { WORLD_KINDS } from '../helpers/obstacle-fields';
import {
  bitsOf,
  createNoise,
  DIMENSIONS,
  FOLD,
  MOST_FOLDED,
  readVectors,
  runPass,
  SMALL_COUNTS,
  scatterIn,
  share,
  substepOf,
  uploadVectors,
} from '../helpers/passes';

describe.each(DIMENSIONS)('pushes in %dD', (dimensions) => {
  gpuTest(
    'of more than a sixteenth of a diameter end there, others stay as they are',
    async (_, tools) => {
      const low = new Array<number>(dimensions).fill(0);
      const high = new Array<number>(dimensions).fill(8);
      for (const kind of WORLD_KINDS) {
        const box = { min: low, max: high, periodic: kind === 'periodic' };
        const world = defineWorld(
          kind === 'unbounded' ? { dimensions, unbounded: true } : { dimensions, ...box },
          1,
          MOST_FOLDED,
        );
        for (const [count, fold] of [
          ...SMALL_COUNTS.map((few) => [few] as const),
          [MOST_FOLDED, FOLD],
        ] as const) {
          const noise = createNoise(count);
          const gpu = tools.wrap(fold);
          const pass = await Restrain.create(gpu, world);
          const before = scatterIn(noise, low, high, count);
          // A third goes farther than it may; the first is set aside.
          const pushed = before.map((along) => along + 0.1 * (2 * noise() - 1));
          if (count > 0) before[0] = Number.NaN;
          const after = carryPositions(world, pushed);
          const expected = after.slice();
          restrain(world, substepOf(world), before, expected, count);
          if (count > 0) expected.set(after.subarray(0, dimensions));
          const position_out = uploadVectors(tools, dimensions, 'after', after);
          const position_in = uploadVectors(tools, dimensions, 'before', before);
          const group = pass.bind({ position_in, position_out });
          const shared = await share(gpu, world, count);
          runPass(gpu, (encoder) => pass.encode(encoder, shared, group, count));
          const got = await readVectors(tools, dimensions, position_out, count);
          const isMoved = (index: number) => {
            const first = index - (index % dimensions);
            return bitsOf(expected)
              .subarray(first, first + dimensions)
              .some((bits, axis) => bits !== bitsOf(after)[first + axis]);
          };
          const kept = bitsOf(after).filter((__, index) => !isMoved(index));
          expectArraysEqual(
            bitsOf(got).filter((__, index) => !isMoved(index)),
            kept,
            `kept, ${kind}`,
          );
          if (count > 100) {
            expect(kept.length).toBeGreaterThan(0.05 * after.length);
            expect(kept.length).toBeLessThan(0.9 * after.length);
          }
          for (const [index, along] of expected.entries()) {
            const off = Math.abs((got[index] as number) - along);
            if (!isMoved(index)) continue;
            expect(Math.min(off, Math.abs(off - 8)), `${kind}, ${index} of ${count}`).toBeLessThan(1e-5);
          }
        }
      }
    },
    { shared: true },
  );
});
