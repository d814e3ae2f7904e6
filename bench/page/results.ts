/** Shows results: charts and tables of times and tests per scene and number of dimensions. */

import { find } from '../../src/page/support/dom';
import type { BenchRecord, Outcome } from '../harness/record';
import { groupsOf } from '../report/cases';
import { drawFigures, linesOf } from '../report/curves';
import { element } from '../report/markup';
import { summarise } from '../report/summary';
import { tableOf, wide, workTableOf } from '../report/tables';
import { render } from './render';

/** Size of a chart, in CSS pixels. In a wider figure, the style sheet enlarges the chart. */
const HEIGHT = 340;
const WIDEST = 560;

interface Shown {
  readonly figures: HTMLElement;
  readonly table: HTMLElement;
  readonly work: HTMLElement;
}

export class Results {
  private readonly shown = new Map<string, Shown>();
  private readonly charts = find('charts', HTMLElement);
  private readonly tables = find('tables', HTMLElement);
  private readonly words = find('words', HTMLElement);
  private readonly reasons = find('reasons', HTMLElement);
  private outcomes: Outcome[] = [];

  /** The order of `engines` determines colours and dashes. */
  constructor(private engines: readonly string[] = []) {
    matchMedia('(min-width: 620px)').addEventListener('change', () => {
      for (const name of this.shown.keys()) this.show(name);
    });
  }

  clear(engines: readonly string[]): void {
    this.engines = engines;
    this.outcomes = [];
    this.shown.clear();
    for (const holder of [this.charts, this.tables, this.words, this.reasons]) holder.replaceChildren();
  }

  add(outcome: Outcome): void {
    this.outcomes.push(outcome);
    this.show(`${outcome.scene} ${outcome.dimensions}D`);
    if (outcome.status === 'timed') return;
    const { scene, dimensions, count, engine, status, reason = '' } = outcome;
    const where = `${scene} ${dimensions}D, ${count.toLocaleString('en')}`;
    this.reasons.append(render(element('li', {}, `${where}: ${engine} ${status}. ${reason}`.trim())));
  }

  conclude(record: BenchRecord): void {
    const chapters = summarise(record).flatMap(({ title, sentences }) => [
      element('h3', {}, title),
      element('ul', {}, ...sentences.map((sentence) => element('li', {}, sentence))),
    ]);
    this.words.replaceChildren(...chapters.map((chapter) => render(chapter)));
  }

  private show(name: string): void {
    const outcomes = this.outcomes.filter(({ scene, dimensions }) => `${scene} ${dimensions}D` === name);
    const [group] = groupsOf(outcomes);
    if (!group) return;
    const { figures, table, work } = this.shown.get(name) ?? this.open(name);
    const [lines] = linesOf(outcomes, this.engines);
    const size = { width: Math.min(WIDEST, Math.max(280, this.charts.clientWidth - 22)), height: HEIGHT };
    const drawn = lines ? drawFigures(lines, size) : [];
    figures.replaceChildren(...drawn.map((figure) => render(figure)));
    table.replaceChildren(render(tableOf(group)));
    const counts = workTableOf(group);
    work.hidden = !counts;
    if (counts) work.replaceChildren(render(counts));
  }

  private open(name: string): Shown {
    const figures = document.createElement('div');
    figures.className = 'figures';
    this.charts.append(figures);
    const table = render(wide(name, element('table'))) as HTMLElement;
    const work = render(wide(`${name}, work`, element('table'))) as HTMLElement;
    this.tables.append(table, work);
    const shown = { figures, table, work };
    this.shown.set(name, shown);
    return shown;
  }
}
