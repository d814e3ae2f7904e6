import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createGpuTest, launchChrome } from '../../../src/testing';

const GUIDE = readFileSync(new URL('../../../docs/testing.md', import.meta.url), 'utf8');

/** Returns the names in the first column of the table of options under a heading. */
function optionsUnder(heading: string): string[] {
  const section = GUIDE.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}\n`)) ?? '';
  const [, rows = ''] = /^\| option .*\n\|---.*\n((?:\|.*\n)+)/m.exec(section) ?? [];
  return rows
    .split('\n')
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)])
    .map(([, name = '']) => name);
}

/** Returns the names that the error about an unknown option lists. */
async function acceptedBy(use: (options: object) => unknown): Promise<string[]> {
  const { message } = await Promise.resolve({ nothing: 1 })
    .then(use)
    .then(
      () => new Error(''),
      (error: Error) => error,
    );
  return (/one of ([\w, ]+)/.exec(message)?.[1] ?? '').split(', ');
}

it('docs/testing.md lists every option of launchChrome', async () => {
  const accepted = await acceptedBy((options) => launchChrome({ launch: async () => undefined }, options));
  expect(optionsUnder('What launchChrome does').sort()).toEqual(accepted.sort());
});

it('docs/testing.md lists every option of a GPU test, except some options of its runner', async () => {
  const accepted = await acceptedBy((options) => createGpuTest(() => undefined, options));
  const ofVitest = ['repeats', 'fails', 'concurrent', 'sequential', 'meta'];
  const ofNode = ['concurrency', 'signal', 'plan', 'expectFailure'];
  const ours = accepted.filter((name) => ![...ofVitest, ...ofNode].includes(name));
  expect(optionsUnder('What a GPU test does').sort()).toEqual(ours.sort());
});
