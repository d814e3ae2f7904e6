import { expect, it } from 'vitest';
import { Later } from '../../../../src/page/support/later';

it('Later loads a part once for all requests, and loads it again after a failure', async () => {
  const loads: { come(): void; fail(): void }[] = [];
  const later = new Later(
    () =>
      new Promise<object>((come, fail) =>
        loads.push({ come: () => come({ at: loads.length }), fail: () => fail(new Error('offline')) }),
      ),
  );
  expect(later.isLoading).toBe(false);
  const early = [later.get(), later.get()];
  expect(later.isLoading).toBe(true);
  expect(loads).toHaveLength(1);
  loads[0]?.fail();
  for (const pending of early) await expect(pending).rejects.toThrow('offline');
  expect([later.isLoading, later.part]).toEqual([false, undefined]);
  const again = [later.get(), later.get()];
  expect(loads).toHaveLength(2);
  loads[1]?.come();
  const [part, same] = await Promise.all(again);
  expect(same).toBe(part);
  expect(await later.get()).toBe(part);
  expect(later.part).toBe(part);
  expect(later.isLoading).toBe(false);
});
