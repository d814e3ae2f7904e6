import { describe, expect } from 'vitest';
import { defineWorld } from '../../../src/core/world/world';
import { ListCount, UNCOUNTABLE } from '../../../src/passes/query/list-count';
import { Pairs } from '../../../src/passes/query/pairs';
import { buildGrid } from '../../../src/reference/grid/grid';
import { expectArraysEqual, gpuTest, SHARED } from '../../helpers/node-gpu';
import { readWords, runPass, share, uploadGrid } from '../../helpers/passes';

describe('the count of a list', () => {
  gpuTest(
    'reports entries found, entries listed, and a dispatch over the list',
    async (_, tools) => {
      const world = defineWorld({ dimensions: 2, min: [0, 0], max: [4, 4] }, 1);
      for (const [offsets, entries, words, expected] of [
        [[0, 0, 0, 0], 100, 1, [0, 0, 0, 1, 1]],
        [[0, 3, 40, 100], 100, 1, [100, 100, 1, 1, 1]],
        [[0, 3, 40, 100], 52, 2, [100, 40, 1, 1, 1]],
        [[0, 3, 40, 100], 40, 2, [100, 40, 1, 1, 1]],
        [[0, 30, 40, 100], 24, 1, [100, 0, 0, 1, 1]],
        [[0, 3, 40, 900], 1000, 2, [900, 900, 2, 2, 1]],
        [[0, 3_000_000_000, 4_294_967_295, 4_294_967_295], 600, 1, [4_294_967_295, 0, 0, 1, 1]],
        [[0, 590, 4_294_967_295, 4_294_967_295], 600, 1, [4_294_967_295, 590, 2, 2, 1]],
        [[0, 3_000_000_000, 5, 7], 100, 1, [UNCOUNTABLE, 0, 0, 1, 1]],
        [[0, 1, 2, 0], 100, 1, [UNCOUNTABLE, 0, 0, 1, 1]],
      ] as const) {
        const gpu = tools.wrap(2);
        const pass = await ListCount.create(gpu, 2, words);
        const buffers = {
          offsets: tools.upload('offsets', Uint32Array.from(offsets)),
          list: tools.allocate('list', 4 * words * entries),
          count: tools.allocate('count', 32),
        };
        const { offsets: buffer } = buffers;
        const binding = pass.bind({ ...buffers, offsets: { buffer, size: buffer.size } });
        const shared = await share(gpu, world, 3);
        // Run twice: the kernels must reset their shared word.
        for (let round = 0; round < 2; round++) {
          runPass(gpu, (encoder) => pass.encode(encoder, shared, binding));
          expect([...(await readWords(tools, buffers.count, 6))]).toEqual([...expected, 0]);
        }
      }
    },
    SHARED,
  );

  gpuTest(
    'reports, with `cutsOwners`, all entries that fit, even if only some of an owner’s entries fit',
    async (_, tools) => {
      const gpu = tools.wrap(2);
      const world = defineWorld({ dimensions: 2, min: [0, 0], max: [4, 4] }, 1);
      const pass = await ListCount.create(gpu, 2, 2, true);
      const offsets = tools.upload('offsets', Uint32Array.of(0, 3, 40, 100));
      const count = tools.allocate('count', 32);
      const list = tools.allocate('list', 4 * 2 * 52);
      const binding = pass.bind({ list, count, offsets: { buffer: offsets, size: offsets.size } });
      const shared = await share(gpu, world, 3);
      runPass(gpu, (encoder) => pass.encode(encoder, shared, binding));
      expect([...(await readWords(tools, count, 6))]).toEqual([100, 52, 1, 1, 1, 0]);
    },
    SHARED,
  );

  gpuTest(
    'may overflow; the fill still writes only within each owner’s entries',
    async (_, tools) => {
      const gpu = tools.wrap();
      const world = defineWorld({ dimensions: 2, min: [0, 0], max: [4, 4] }, 1);
      const grid = buildGrid(world, new Float32Array(6).fill(1));
      const { position, id, start, cell_of_slot } = uploadGrid(tools, world, grid);
      const pairs = await Pairs.create(gpu, world, 'grid');
      const list = tools.upload('pairs', new Uint32Array(12).fill(5));
      const offsets = tools.upload('offsets', Uint32Array.of(0xffff_fffe, 1, 2, 3));
      const state = { position_in: position, id_in: id, start, cell_of_slot };
      const group = pairs.bind('fill', { ...state, offsets, pairs: list });
      const shared = await share(gpu, world, 3);
      runPass(gpu, (encoder) => pairs.encode(encoder, shared, 'fill', group, 3));
      // Particle 0 has no room for its two pairs, and particle 1 has room for its pair. The room of particle 2, which
      // has no pair, becomes a hole: two words of 2³² − 1.
      const hole = 0xffff_ffff;
      const expected = Uint32Array.of(5, 5, 1, 2, hole, hole, 5, 5, 5, 5, 5, 5);
      expectArraysEqual(await readWords(tools, list, 12), expected, 'list');
    },
    SHARED,
  );
});
