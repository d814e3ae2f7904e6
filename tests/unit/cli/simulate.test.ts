import { expect, it } from 'vitest';
import { adviseFlag, describeTimes } from '../../../src/cli/simulate';
import { crowdingWarning } from '../../../src/core/simulation/crowding';
import { defineWorld } from '../../../src/core/world/world';

it('the table of times reports the number of passes without a time, if there are any', () => {
  const times = { source: 'timestamp-query', stages: { scan: 1, resolve: 3 }, total: 4 } as const;
  const whole = describeTimes(times, 200);
  expect(whole).toMatch(
    /^time per pass of the last step, ms \(timestamp-query\)\n {2}scan .*25%\n(.*\n){2}$/,
  );
  const [one, two] = [1, 2].map((discarded) => describeTimes({ ...times, discarded }, 200));
  expect(one).toBe(`${whole}The device's clock ran backwards in 1 pass, whose time is missing above.\n`);
  expect(two).toMatch(/ in 2 passes, whose /);
});

it('the advice names the flag if the library recommends the option', () => {
  const measures = { count: 200, crowded: 200, greatestOccupancy: 200 };
  const world = defineWorld({ dimensions: 2, unbounded: true }, 1);
  const advice = adviseFlag(crowdingWarning(measures, { backend: 'gpu', world }));
  expect(advice).toMatch(/\. Add --crowds to split this work among threads, or choose /);
  expect(adviseFlag(undefined)).toBeUndefined();
});
