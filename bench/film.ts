/**
 * `npm run bench:film`: measures the time per picture in headless Chrome, with and without recording a live film. The
 * kinds of recording take turns; figures are medians. Runs only on Linux, because it reads /proc.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { BLANK_PAGE, callInPage, startBrowser } from '../scripts/browser';
import { FILM_KINDS, type FilmKind, type FilmTimes } from './film/measure';
import { median } from './shared.mjs';

/** The unit in which Linux counts processor time. */
const TICK_MS = 10;

const { values } = parseArgs({
  options: {
    width: { type: 'string', default: '640' },
    height: { type: 'string', default: '480' },
    pictures: { type: 'string', default: '20' },
    repeats: { type: 'string', default: '5' },
  },
});
for (const [name, text] of Object.entries(values)) {
  if (!(Number.isInteger(Number(text)) && Number(text) > 0)) {
    process.stderr.write(`--${name} is ${text}, but it must be a whole number greater than 0.\n`);
    process.exit(2);
  }
}
const size = { width: Number(values.width), height: Number(values.height) };
const pictures = Number(values.pictures);

/** Returns the processor time of a process and all its descendants, in milliseconds. */
function processorTimeOf(root: number): number {
  const processes = readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const line = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The program's name, in parentheses, may contain blanks. After it come state, parent, …, user time, system time.
      const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
      return [
        { id: Number(name), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) },
      ];
    } catch {
      return []; // The process has ended.
    }
  });
  const own = new Set([root]);
  for (let before = 0; before < own.size; ) {
    before = own.size;
    for (const { id, parent } of processes) if (own.has(parent)) own.add(id);
  }
  return processes.reduce((sum, { id, ticks }) => sum + (own.has(id) ? TICK_MS * ticks : 0), 0);
}

const started = await startBrowser();
const page = await started.browser.newPage();
await page.setViewport(size);
await page.goto(new URL(BLANK_PAGE, started.url).href);
const found = new Map<FilmKind, (FilmTimes & { readonly work: number })[]>();
for (let turn = 0; turn < Number(values.repeats); turn++) {
  for (const kind of FILM_KINDS) {
    const root = started.browser.process()?.pid ?? 0;
    const before = processorTimeOf(root);
    const times: FilmTimes = await callInPage(page, 'bench/film/measure.ts', 'measureFilm', [
      kind,
      size,
      pictures,
    ]);
    const work = (processorTimeOf(root) - before) / pictures;
    found.set(kind, [...(found.get(kind) ?? []), { ...times, work }]);
  }
}
await started.close();

process.stdout.write(
  `A picture of ${size.width} × ${size.height}, ${cpus()[0]?.model.trim()}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}\n`,
);
for (const [kind, all] of found) {
  const figure = (read: (times: (typeof all)[number]) => number) => median(all.map(read)).toFixed(2);
  process.stdout.write(
    `${kind}: ${figure(({ picture }) => picture)} ms, ${figure(({ work }) => work)} ms of processor time, ${figure(({ call }) => call)} ms on the page's thread\n`,
  );
}
