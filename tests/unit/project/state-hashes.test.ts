/** The CPU engine ends every case with the state that tests/hashes/cpu.json records. */
import { describe, expect, test } from 'vitest';
import { STATE_HASH_CASES } from '../../helpers/state-hash-cases';
import { checkRecorded } from '../../helpers/state-hashes';

describe('the state after 10 and 100 steps on the CPU engine', () => {
  const recorded = checkRecorded('cpu');
  test.each(STATE_HASH_CASES)('$name', (each) => {
    recorded.check(each.name, each.onCpu());
  });
  test('has no other cases in its table', () => {
    expect(recorded.finish()).toEqual(STATE_HASH_CASES.map(({ name }) => name).toSorted());
  });
});
