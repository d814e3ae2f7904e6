import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Later } from '../../../../src/page/support/later';
import { signWaiting, whileWaiting } from '../../../../src/page/support/waiting';

let shown: boolean[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  shown = [];
  signWaiting((isWaiting) => shown.push(isWaiting));
});

afterEach(() => {
  vi.useRealTimers();
  signWaiting(() => undefined);
});

const after = (milliseconds: number) => new Promise<string>((come) => setTimeout(come, milliseconds, 'it'));

it('the waiting sign is not shown for short waits', async () => {
  whileWaiting(after(150));
  await vi.advanceTimersByTimeAsync(1000);
  expect(shown).toEqual([false]);
});

it('the waiting sign is shown once for several waits together, until the last has ended or failed', async () => {
  const first = whileWaiting(after(300));
  await vi.advanceTimersByTimeAsync(100);
  const failing = whileWaiting(after(500).then(() => Promise.reject(new Error('offline'))));
  const failed = expect(failing).rejects.toThrow('offline');
  await vi.advanceTimersByTimeAsync(99);
  expect(shown).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(shown).toEqual([true]);
  await vi.advanceTimersByTimeAsync(399);
  expect(await first).toBe('it');
  expect(shown).toEqual([true]);
  await vi.advanceTimersByTimeAsync(1);
  await failed;
  expect(shown).toEqual([true, false]);
});

it('the waiting sign is shown once while a part loads on request, and not after the part is loaded', async () => {
  const later = new Later(() => after(300));
  later.get();
  later.get();
  await vi.advanceTimersByTimeAsync(250);
  expect(shown).toEqual([true]);
  await vi.advanceTimersByTimeAsync(50);
  expect(shown).toEqual([true, false]);
  await later.get();
  await vi.advanceTimersByTimeAsync(1000);
  expect(shown).toEqual([true, false]);
});
