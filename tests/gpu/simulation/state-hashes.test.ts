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
    gpuTest(
      `include those of ${name}`,
      async (_device, { wrap }) => recorded.check(name, await onGpu(wrap(), CHECKED_STEPS)),
      SLOW.test(name) ? { ...SHARED, tags: 'full' } : SHARED_CASE,
    );
  }
  test('exist for exactly the cases of this table', () => {
    recorded.finish(STATE_HASH_CASES.map(({ name }) => name));
  });
});
