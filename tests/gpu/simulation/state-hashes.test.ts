/** The GPU engine on SwiftShader ends every case with the state that tests/hashes/gpu.json records. */
import { expect } from 'vitest';
import { gpuTest, SHARED } from '../../helpers/node-gpu';
import { STATE_HASH_CASES } from '../../helpers/state-hash-cases';
import { checkRecorded } from '../../helpers/state-hashes';

const recorded = checkRecorded('gpu');
for (const each of STATE_HASH_CASES) {
  gpuTest(
    `the state after 10 and 100 steps: ${each.name}`,
    async (_device, { wrap }) => recorded.check(each.name, await each.onGpu(wrap())),
    SHARED,
  );
}
gpuTest('the table of states holds these cases and no others', () => {
  expect(recorded.finish()).toEqual(STATE_HASH_CASES.map(({ name }) => name).toSorted());
});
