import { growthsOf, type Outcome } from '../harness/record';
import { type ChartSize, drawChart, type Line, type Quantity, TESTS, TIMES } from './chart';
import { element, type Markup } from './markup';

export interface ChartLines {
  readonly name: string;
  readonly times: readonly Line[];
  /** Engines that do not report their work have no line here. */
  readonly tests: readonly Line[];
}

/** Returns the lines of each chart. The index of an engine in `engines` determines the look of its lines. */
export function linesOf(
  outcomes: readonly Outcome[],
  engines: readonly string[] = [...new Set(outcomes.map(({ engine }) => engine))],
): ChartLines[] {
  const charts = new Map<string, { readonly times: Line[]; readonly tests: Line[] }>();
  for (const { scene, dimensions, engine, curve } of growthsOf(outcomes)) {
    const name = `${scene} ${dimensions}D`;
    const chart = charts.get(name) ?? { times: [], tests: [] };
    charts.set(name, chart);
    const line = { name: engine, look: engines.indexOf(engine) };
    chart.times.push({
      ...line,
      points: curve.map(({ count, milliseconds }) => ({ count, value: milliseconds })),
    });
    // Leave out points with 0 tests: a logarithmic axis has no zero.
    const points = outcomes
      .filter((outcome) => outcome.engine === engine && `${outcome.scene} ${outcome.dimensions}D` === name)
      .flatMap(({ count, work }) => (work && work.tests > 0 ? [{ count, value: work.tests }] : []))
      .sort((a, b) => a.count - b.count);
    if (points.length > 0) chart.tests.push({ ...line, points });
  }
  return [...charts].map(([name, lines]) => ({ name, ...lines }));
}

export function drawFigures({ name, times, tests }: ChartLines, size: ChartSize): Markup[] {
  const draw = (quantity: Quantity, lines: readonly Line[]) => {
    const chart = drawChart(quantity, name, lines, size);
    const caption = element('figcaption', {}, `${name}: ${quantity.title.toLowerCase()}`);
    return chart ? [element('figure', {}, caption, chart)] : [];
  };
  return [...draw(TIMES, times), ...draw(TESTS, tests)];
}
