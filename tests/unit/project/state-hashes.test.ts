import { describe, test } from 'vitest';
import { STATE_HASH_CASES } from '../../helpers/state-hash-cases';
import { CHECKED_STEPS, checkRecorded } from '../../helpers/state-hashes';

describe('the recorded states of the CPU engine', () => {
  const recorded = checkRecorded('cpu');
  for (const { name, onCpu } of STATE_HASH_CASES) {
    test(`include those of ${name}`, () => recorded.check(name, onCpu(CHECKED_STEPS)));
  }
  test('are those of STATE_HASH_CASES and no others', () => {
    recorded.finish(STATE_HASH_CASES.map(({ name }) => name));
  });
});
