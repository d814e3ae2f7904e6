/**
 * `npm run bench:structures`: writes the tables of docs/structures.md from records of `cellstorm bench`. The arguments
 * are records, by default those named below. An engine has a row if it and another engine were timed at the greatest
 * count of a scene.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseRecord } from './harness/record';
import { type WhichRecord, whichStructure } from './report/which';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = join(ROOT, 'docs/structures.md');
const RECORDS = ['', '-3d', '-boxes'].map((name) =>
  join(ROOT, `bench/results/epyc-2-cores-swiftshader/2026-11-26-which${name}.json`),
);
const BEGIN = '<!-- Made by npm run bench:structures; do not edit. -->\n';
const END = '<!-- End of the tables. -->';

/** Returns the command that made a record, from a table in the README beside the record. */
async function commandOf(path: string): Promise<string | undefined> {
  const readme = await readFile(join(dirname(path), 'README.md'), 'utf8').catch(() => '');
  const name = path.slice(dirname(path).length + 1).replaceAll('.', '\\.');
  return new RegExp(`^\\| .*\`${name}\`.* \\| \`([^\`]+)\``, 'm').exec(readme)?.[1];
}

export async function readRecords(paths: readonly string[] = RECORDS): Promise<WhichRecord[]> {
  return Promise.all(
    paths.map(async (path) => ({
      path: relative(ROOT, path),
      command: await commandOf(path),
      record: parseRecord(path, await readFile(path, 'utf8')),
    })),
  );
}

export function withTables(page: string, tables: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`docs/structures.md lacks the lines ${BEGIN}and ${END}.`);
  return `${page.slice(0, begin + BEGIN.length)}\n${tables}\n\n${page.slice(end)}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const given = process.argv.slice(2);
  const records = await readRecords(given.length > 0 ? given : undefined);
  await writeFile(PAGE, withTables(await readFile(PAGE, 'utf8'), whichStructure(records)));
  process.stdout.write(`docs/structures.md: ${records.length} records\n`);
}
