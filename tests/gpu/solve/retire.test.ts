import { describe } from 'vitest';
import { RETIRED_BIT } from '../../../src/core/base/constants';
import { defineWorld } from '../../../src/core/world/world';
import { Retire } from '../../../src/passes/solve/retire';
import { createNoise, scatterIn } from '../../../src/testing/noise';
import { expectArraysEqual, gpuTest, SHARED } from '../../helpers/node-gpu';
import {
  bitsOf,
  DIMENSIONS,
  FOLD,
  MOST_FOLDED,
  readVectors,
  readWords,
  runPass,
  SMALL_COUNTS,
  share,
  shuffled,
  uploadVectors,
} from '../../helpers/passes';

const QUIET_NAN = 0x7fc0_0000;

describe.each(DIMENSIONS)('retirement in %dD', (dimensions) => {
  const world = defineWorld(
    { dimensions, min: [0, 0, 0].slice(0, dimensions), max: [9, 9, 9].slice(0, dimensions) },
    1,
  );

  gpuTest(
    'marks exactly the listed ids, whatever their slots',
    async (_, tools) => {
      const noise = createNoise(4);
      for (const count of [...SMALL_COUNTS, MOST_FOLDED]) {
        for (const fold of [undefined, FOLD]) {
          const gpu = tools.wrap(fold);
          const pass = await Retire.create(gpu, { dimensions });
          const ids = shuffled(
            Uint32Array.from({ length: count }, (_value, slot) => 3 * slot + (slot % 3)),
            noise,
          );
          const leaving = new Uint32Array(Math.ceil((3 * count + 3) / 32));
          ids.forEach((id, slot) => {
            if (slot % 2 === 0) leaving[id >>> 5] = (leaving[id >>> 5] as number) | (1 << (id & 31));
          });
          const positions = scatterIn(noise, world.min, world.max, count);
          const buffers = {
            leaving: tools.upload('leaving', leaving),
            position: uploadVectors(tools, dimensions, 'position', positions),
            id: tools.upload('id', ids),
          };
          const group = pass.bind(buffers);
          const shared = await share(gpu, world, count);
          runPass(gpu, (encoder) => pass.encode(encoder, shared, group, count));
          const expected = ids.map((id, slot) => (slot % 2 === 0 ? (id | RETIRED_BIT) >>> 0 : id));
          expectArraysEqual(await readWords(tools, buffers.id, count), expected, 'ids');
          const bits = bitsOf(positions).map((word, index) =>
            Math.floor(index / dimensions) % 2 === 0 ? QUIET_NAN : word,
          );
          const got = await readVectors(tools, dimensions, buffers.position, count);
          expectArraysEqual(bitsOf(got), bits, 'positions');
        }
      }
    },
    SHARED,
  );
});
