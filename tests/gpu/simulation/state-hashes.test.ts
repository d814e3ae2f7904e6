/** Compares states of the GPU engine with the recorded hashes, which are SwiftShader's. */
import { describe, test } from 'vitest';
import { gpuTest, SHARED, SHARED_CASE } from '../../helpers/node-gpu';
import { STATE_HASH_CASES } from '../../helpers/state-hash-cases';
import { CHECKED_STEPS, checkRecorded } from '../../helpers/state-hashes';

/** Cases that take seconds on a software GPU. */
const SLOW = /bullets/;

describe('the recorded states of the GPU engine', () => {
  const recorded = checkRecorded('gpu');
  for (const { name, onGpu } of STATE_HASH_CASES) {
    for (const steps of CHECKED_STEPS) {
      gpuTest(
        `include that of ${name} after ${steps} steps`,
        async (_device, { wrap }) => recorded.check(name, steps, await onGpu(wrap(), steps)),
        steps === 10 && !SLOW.test(name) ? SHARED_CASE : { ...SHARED, tags: 'full' },
      );
    }
  }
  test('exist for exactly the cases of this table', () => {
    recorded.finish(STATE_HASH_CASES.map(({ name }) => name));
  });
});
