/**
 * `npm run bench:report`: writes dist/bench-report.html about records of `cellstorm bench`. The arguments are files, or
 * folders with JSON files at any depth; the default is bench/results. Files that are not records are left out, with a
 * message.
 */
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseRecord } from './harness/record';
import { createReport, type RecordFile } from './report/page';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RESULTS = join(ROOT, 'bench/results');
const OUT = join(ROOT, 'dist/bench-report.html');
const STYLES = ['src/page/theme.css', 'bench/report/chart.css', 'bench/report/report.css'];

async function listFiles(given: string): Promise<readonly (readonly [path: string, name: string])[]> {
  if (!(await stat(given)).isDirectory()) return [[given, basename(given)]];
  const files = (await readdir(given, { recursive: true })).filter((file) => file.endsWith('.json'));
  return files.sort().map((file) => [join(given, file), file]);
}

const given = process.argv.slice(2);
const files: RecordFile[] = [];
for (const start of given.length > 0 ? given : [RESULTS]) {
  const found = await listFiles(start).catch(({ code }: NodeJS.ErrnoException) => {
    process.stderr.write(`Left out: ${start} cannot be read (${code}).\n`);
    return [];
  });
  for (const [path, name] of found) {
    try {
      files.push({ path: name, record: parseRecord(name, await readFile(path, 'utf8')) });
    } catch (error) {
      process.stderr.write(`Left out: ${(error as Error).message}\n`);
    }
  }
}
if (files.length === 0) {
  process.stderr.write(
    'No record was found. To make one, run: ' +
      'mkdir -p bench/results/MACHINE && npm run bench -- --out bench/results/MACHINE/uniform.json\n',
  );
  process.exit(1);
}
const css = await Promise.all(STYLES.map((file) => readFile(join(ROOT, file), 'utf8')));
const html = createReport(files, css.join('\n'));
await mkdir(join(ROOT, 'dist'), { recursive: true });
await writeFile(OUT, html);
process.stdout.write(
  `${relative(process.cwd(), OUT)}: ${files.length} record${files.length === 1 ? '' : 's'}, ${Math.ceil(html.length / 1024)} KiB\n`,
);
