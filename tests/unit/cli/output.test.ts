import { expect, it, vi } from 'vitest';
import { formatSeconds, Progress, Progresses } from '../../../src/cli/output';

it('progress is written as lines at least ten seconds apart if there is no terminal', () => {
  const written: string[] = [];
  const write = (text: string) => written.push(text);
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  const progress = new Progress('scenes', 7, { isTTY: false, write } as unknown as NodeJS.WriteStream);
  for (const [seconds, done] of [
    [1, 0.5],
    [11, 1.5],
    [19, 2],
    [130, 3],
  ] as const) {
    clock.mockReturnValue(1000 * seconds);
    progress.show(done, `check ${seconds}`);
  }
  progress.end();
  clock.mockRestore();
  expect(written).toEqual([
    '1/7 scenes after 11.0 s  check 11\n',
    '3/7 scenes after 2 min 10 s  check 130\n',
  ]);
});

it('the progress of long checks is a bar on a terminal; elsewhere, nothing is written in the first ten seconds', () => {
  const seen = (isTTY: boolean) => {
    const written: string[] = [];
    const write = (text: string) => written.push(text);
    const progress = new Progresses('steps', { isTTY, write } as unknown as NodeJS.WriteStream);
    progress.show('dam break', 1, 2);
    progress.show('repeats', 5, 5);
    progress.end();
    return written;
  };
  const [first, between, second, last] = seen(true);
  expect(first).toMatch(/ 1\/2 steps .* dam break$/);
  expect(second).toMatch(/ 5\/5 steps .* repeats$/);
  expect([between, last]).toEqual(['\r\x1b[K', '\r\x1b[K']);
  expect(seen(false)).toEqual([]);
});

it('durations are in seconds below 100 s, in minutes and seconds below 100 min, then in hours and minutes', () => {
  expect([0, 99.94, 119.4, 119.7, 6000, 9000].map(formatSeconds)).toEqual([
    '0.0 s',
    '99.9 s',
    '1 min 59 s',
    '2 min 0 s',
    '1 h 40 min',
    '2 h 30 min',
  ]);
});
