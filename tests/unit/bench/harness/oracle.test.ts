import { expect, it } from 'vitest';
import type { Found } from '../../../../bench/harness/engine';
import { Judge } from '../../../../bench/harness/judge';
import { createBenchScene } from '../../../../bench/harness/scenes';

it('the oracle finds pairs by its own search, also at very large counts', () => {
  const scene = createBenchScene('uniform', { dimensions: 3, count: 300 });
  // Only the declared count is this large, because so many bodies would be too slow.
  const judge = new Judge({ ...scene, count: 2 ** 27 }, [scene.frame(0), scene.frame(1)]);
  const [expected, after] = judge.expected as [Found, Found];
  expect(expected.pairs).toBeGreaterThan(100);
  expect(judge.wrong(0, expected)).toBeUndefined();
  for (const found of [
    { ...expected, pairs: expected.pairs - 1 },
    { ...expected, pairs: expected.pairs + 1 },
    { ...expected, checksum: expected.checksum ^ 1 },
  ]) {
    expect(judge.wrong(0, found)).toMatchObject({ expected });
  }
  expect(judge.wrong(1, expected)).toMatchObject({ expected: after });
});
