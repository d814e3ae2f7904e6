import { hasWork, hitRatio, type Outcome, testsPerBody } from '../harness/record';
import type { Case, Group } from './cases';
import { CANNOT_TELL, formatCount, formatFigure, formatRatio, formatShare } from './format';
import { element, type Markup } from './markup';

/** Makes a table of times, with a row per engine and a column per count. Ratios compare with the fastest engine. */
export function tableOf(group: Group): Markup {
  return comparisonOf(group, 'ms (ratio to the fastest)', timeOf);
}

/** Makes a table of tests per body and hit ratios. Returns undefined for records without counts of work. */
export function workTableOf(group: Group): Markup | undefined {
  if (!hasWork(group.cases.flatMap(({ outcomes }) => outcomes))) return undefined;
  return comparisonOf(group, 'distance tests per body (pairs ÷ tests)', workOf);
}

function comparisonOf(
  { name, cases }: Group,
  caption: string,
  cellOf: (one: Case, engine: string) => string,
): Markup {
  const engines = [...new Set(cases.flatMap(({ outcomes }) => outcomes.map(({ engine }) => engine)))];
  // Ranks by the largest timed count, descending; then by the time at that count.
  const rankOf = (engine: string) => {
    const medians = cases.map(
      ({ timed }) => timed.find((outcome) => outcome.engine === engine)?.total.median,
    );
    const last = medians.findLastIndex((median) => median !== undefined);
    return { last, median: medians[last] ?? 0 };
  };
  const sorted = engines
    .map((engine) => ({ engine, ...rankOf(engine) }))
    .sort((a, b) => b.last - a.last || a.median - b.median);
  return element(
    'table',
    {},
    element('caption', {}, `${name}: ${caption}`),
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        element('th', { scope: 'col' }, 'engine'),
        ...cases.map(({ count }) => element('th', { scope: 'col', class: 'number' }, formatCount(count))),
      ),
    ),
    element(
      'tbody',
      {},
      ...sorted.map(({ engine }) =>
        element(
          'tr',
          {},
          element('th', { scope: 'row' }, engine),
          ...cases.map((one) => element('td', { class: 'number' }, cellOf(one, engine))),
        ),
      ),
    ),
  );
}

function timeOf({ outcomes, timed }: Case, engine: string): string {
  const own = timed.find((outcome) => outcome.engine === engine);
  const best = timed[0];
  if (own && best) {
    const ratio = own.total.median / best.total.median;
    return `${formatFigure(own.total.median)} (${formatRatio(ratio) || '–'})`;
  }
  return statusOf(outcomes, engine);
}

function workOf({ outcomes, timed }: Case, engine: string): string {
  const own = timed.find((outcome) => outcome.engine === engine);
  if (!own) return statusOf(outcomes, engine);
  return own.work
    ? `${formatFigure(testsPerBody(own)) || '–'} (${formatShare(hitRatio(own)) || '–'})`
    : CANNOT_TELL;
}

function statusOf(outcomes: readonly Outcome[], engine: string): string {
  return outcomes.find((outcome) => outcome.engine === engine)?.status ?? '';
}

/** Wraps content in a box that scrolls sideways, also by keyboard. */
export function wide(label: string, content: Markup): Markup {
  return element('div', { class: 'wide', role: 'region', 'aria-label': label, tabindex: 0 }, content);
}
