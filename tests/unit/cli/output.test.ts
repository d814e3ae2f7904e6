/** Progress on a terminal. */
import { expect, it } from 'vitest';
import { Progresses } from '../../../src/cli/output';

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
