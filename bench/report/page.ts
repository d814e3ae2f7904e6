/** Builds one self-contained page from records and style sheets. */
import { type BenchRecord, hitRatio, type Outcome, testsPerBody } from '../harness/record';
import { type Group, groupsOf } from './cases';
import { drawFigures, linesOf } from './curves';
import { CANNOT_TELL, formatCount, formatFigure, formatShare } from './format';
import { describeMachine } from './machine';
import { element, type Markup, toHtml } from './markup';
import { summarise } from './summary';
import { tableOf, wide, workTableOf } from './tables';

export interface RecordFile {
  /** Path relative to the given folder; for a given file, its name. */
  readonly path: string;
  readonly record: BenchRecord;
}

const CHART = { width: 480, height: 360 } as const;

export function createReport(files: readonly RecordFile[], css: string): string {
  const title = 'cellstorm bench: broad phases compared';
  const html = element(
    'html',
    { lang: 'en' },
    element(
      'head',
      {},
      element('meta', { charset: 'utf-8' }),
      element('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
      element('meta', { name: 'color-scheme', content: 'light dark' }),
      element('link', { rel: 'icon', href: 'data:,' }),
      element('title', {}, title),
      element('style', {}),
    ),
    element(
      'body',
      {},
      element(
        'main',
        {},
        element('h1', {}, title),
        element(
          'p',
          { class: 'lead' },
          'Every engine finds all overlapping pairs of the same bodies; an engine that finds wrong pairs gets no time. Each time is the median total of a build and a query. Do not compare records of different machines, or of one machine under different loads.',
        ),
        element(
          'nav',
          { 'aria-label': 'Records' },
          element(
            'ul',
            {},
            ...files.map(({ path, record }, index) =>
              element('li', {}, element('a', { href: `#record-${index}` }, `${path}, ${dayOf(record)}`)),
            ),
          ),
        ),
        ...files.map(describeFile),
      ),
    ),
  );
  // The style sheets contain no markup.
  return `<!doctype html>\n${toHtml(html).replace('<style></style>', () => `<style>\n${css}</style>`)}\n`;
}

function dayOf({ began }: BenchRecord): string {
  return began.slice(0, 10);
}

function describeFile({ path, record }: RecordFile, index: number): Markup {
  const groups = groupsOf(record.outcomes);
  const id = `record-${index}`;
  return element(
    'section',
    { class: 'record', id, 'aria-labelledby': `${id}-title` },
    element('h2', { id: `${id}-title` }, `${path}, ${dayOf(record)}`),
    listMachine(record),
    ...summarise(record).flatMap(({ title, sentences }) => [
      element('h3', {}, title),
      element('ul', {}, ...sentences.map((sentence) => element('li', {}, sentence))),
    ]),
    element('h3', {}, 'Times and distance tests against counts'),
    element(
      'div',
      { class: 'charts' },
      ...linesOf(record.outcomes).flatMap((lines) => drawFigures(lines, CHART)),
    ),
    element('h3', {}, 'Times'),
    element('div', { class: 'tables' }, ...groups.map((group) => wide(group.name, tableOf(group)))),
    ...listWork(groups),
    element(
      'details',
      {},
      element('summary', {}, 'All figures, and the reasons for missing times'),
      wide('All figures', allFigures(groups)),
    ),
  );
}

function listMachine(record: BenchRecord): Markup {
  return element(
    'dl',
    { class: 'machine' },
    ...describeMachine(record).map(([name, value]) =>
      element('div', {}, element('dt', {}, name), element('dd', {}, value)),
    ),
  );
}

function listWork(groups: readonly Group[]): Markup[] {
  const tables = groups.flatMap((group) => {
    const table = workTableOf(group);
    return table ? [wide(`${group.name}, work`, table)] : [];
  });
  if (tables.length === 0) return [];
  return [
    element('h3', {}, 'Work'),
    element('p', {}, WORK_ABOUT),
    element('div', { class: 'tables' }, ...tables),
  ];
}

const WORK_ABOUT =
  'A test computes the distance of two bodies, or compares two boxes. An engine that finds each pair from both of its bodies makes at least two tests per pair, so at most half of its tests find a new pair.';

const COLUMNS: readonly (readonly [string, (outcome: Outcome) => string])[] = [
  ['scene', ({ scene, dimensions }) => `${scene} ${dimensions}D`],
  ['bodies', ({ count }) => formatCount(count)],
  ['engine', ({ engine }) => engine],
  ['pairs', ({ found }) => (found ? formatCount(found.pairs) : '')],
  ['build ms', ({ build }) => formatFigure(build?.median)],
  ['query ms', ({ query }) => formatFigure(query?.median)],
  ['total ms', ({ total }) => formatFigure(total?.median)],
  ['p95', ({ total }) => formatFigure(total?.p95)],
  ['spread', ({ total }) => (total ? `${Math.round(100 * total.spread)}%` : '')],
  ['clock', ({ clock }) => clock ?? ''],
  ['bytes-eq', ({ bytesEquivalent }) => (bytesEquivalent === undefined ? '' : formatCount(bytesEquivalent))],
  [
    'memory',
    ({ memoryPerBody, status }) =>
      memoryPerBody !== undefined ? formatCount(memoryPerBody) : status === 'timed' ? CANNOT_TELL : '',
  ],
  ['candidates', ({ work }) => (work?.candidates === undefined ? '' : formatCount(work.candidates))],
  ['tests', ({ work }) => (work ? formatCount(work.tests) : '')],
  ['per body', (outcome) => formatFigure(testsPerBody(outcome))],
  ['hits', (outcome) => formatShare(hitRatio(outcome))],
  ['counted by', ({ work }) => work?.counted ?? ''],
  ['', ({ status, reason }) => (status === 'timed' ? '' : `${status}. ${reason ?? ''}`.trim())],
];
const TEXT_COLUMNS = ['scene', 'engine', 'clock', 'counted by', ''];

function allFigures(groups: readonly Group[]): Markup {
  const outcomes = groups.flatMap(({ cases }) =>
    cases.flatMap(({ outcomes: all, timed }) => [
      ...timed,
      ...all.filter(({ status }) => status !== 'timed'),
    ]),
  );
  const kind = (name: string): Record<string, string> =>
    TEXT_COLUMNS.includes(name) ? {} : { class: 'number' };
  return element(
    'table',
    {},
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        ...COLUMNS.map(([name]) =>
          element('th', { scope: 'col', ...kind(name) }, name || 'why there is no time'),
        ),
      ),
    ),
    element(
      'tbody',
      {},
      ...outcomes.map((outcome) =>
        element('tr', {}, ...COLUMNS.map(([name, read]) => element('td', kind(name), read(outcome)))),
      ),
    ),
  );
}
