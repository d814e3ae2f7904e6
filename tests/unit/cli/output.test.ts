import { expect, it } from 'vitest';
import { formatSeconds, Progresses } from '../../../src/cli/output';

it('the progress of long checks is shown on a terminal only', () => {
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

it('durations have at most 59 seconds and 59 minutes', () => {
  expect([0, 99.94, 119.4, 119.7, 6000, 9000].map(formatSeconds)).toEqual([
    '0.0 s',
    '99.9 s',
    '1 min 59 s',
    '2 min 0 s',
    '1 h 40 min',
    '2 h 30 min',
  ]);
});
