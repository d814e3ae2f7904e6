import { describe, expect } from 'vitest';
import { defineLevels } from '../../../src/core/world/level-world';
import { toStored } from '../../../src/gpu/layout';
import { BoxBodies } from '../../../src/passes/grid/box-bodies';
import { makeBoxBodies } from '../../../src/reference/grid/box-bodies';
import { createNoise } from '../../../src/testing/noise';
import { arbitraryBoxes, scatterBoxes } from '../../helpers/inputs/boxes';
import { expectArraysEqual, gpuTest, SHARED } from '../../helpers/node-gpu';
import { DIMENSIONS, readWords, runPass, SMALL_COUNTS, share } from '../../helpers/passes';
import { fc, runs } from '../../helpers/properties';

describe.each(DIMENSIONS)('the pass of box bodies in %dD', (dimensions) => {
  gpuTest(
    'gives boxes the levels of the reference, and quarantines and counts invalid ones',
    async (_, tools) => {
      const gpu = tools.wrap();
      const world = defineLevels({ dimensions, unbounded: true }, { smallest: 0.125, largest: 32 }, 300);
      expect(world.levels).toBe(9);
      const pass = await BoxBodies.create(gpu, world);
      const check = async (boxes: Float32Array): Promise<Set<number>> => {
        const count = boxes.length / (2 * dimensions);
        const packed = toStored(dimensions, boxes);
        const bodies = tools.allocate('bodies', 16 * Math.max(1, count));
        const highs = tools.allocate('highs', Math.max(16, packed.byteLength / 2));
        const refused = tools.allocate('refused', 16);
        const input = tools.upload('boxes', packed);
        const group = pass.bind({ boxes: input, bodies, high_out: highs, refused });
        const shared = await share(gpu, world, count);
        runPass(gpu, (encoder) => pass.encode(encoder, shared, group, count));
        const expected = makeBoxBodies(world, boxes);
        const words = await readWords(tools, bodies, 4 * count);
        const [invalid, tooLarge] = await readWords(tools, refused, 2);
        expect([invalid, tooLarge]).toEqual([expected.invalid, expected.tooLarge]);
        const got = new Float32Array(words.buffer, 0, 4 * count);
        // Quarantined boxes have no position.
        const isStored = (index: number) => (expected.bodies[(index | 3) as number] as number) >= 0;
        expectArraysEqual(
          got.map((value, index) => (isStored(index) || (index & 3) === 3 ? value + 0 : 0)),
          expected.bodies.map((value, index) => (isStored(index) || (index & 3) === 3 ? value + 0 : 0)),
          'bodies',
        );
        return new Set(expected.bodies.filter((_value, index) => (index & 3) === 3));
      };
      const noise = createNoise(2);
      for (const count of SMALL_COUNTS) {
        const levels = await check(scatterBoxes(dimensions, count, noise, 100, () => 400 ** noise() / 4));
        if (count > 200) expect(levels.size).toBeGreaterThan(7);
      }
      for (const kind of ['dyadic', 'any'] as const) {
        const boxes = arbitraryBoxes(dimensions, kind, 60).filter(({ length }) => length > 0);
        await fc.assert(
          fc.asyncProperty(boxes, async (drawn) => {
            await check(drawn);
          }),
          runs(25),
        );
      }
    },
    SHARED,
  );
});
