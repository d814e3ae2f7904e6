import { describe, test } from 'vitest';
import { STATE_HASH_CASES } from '../../helpers/state-hash-cases';
import { CHECKED_STEPS, checkRecorded } from '../../helpers/state-hashes';

describe('the recorded states of the CPU engine', () => {
  const recorded = checkRecorded('cpu');
  for (const { name, onCpu } of STATE_HASH_CASES) {
    for (const steps of CHECKED_STEPS) {
      const tags = steps === 10 ? [] : 'full';
      test(`include that of ${name} after ${steps} steps`, { tags }, () => {
        recorded.check(name, steps, onCpu(steps));
      });
    }
  }
  test('are those of STATE_HASH_CASES and no others', () => {
    recorded.finish(STATE_HASH_CASES.map(({ name }) => name));
  });
});
