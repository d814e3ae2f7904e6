/** Collects the lines of a record's charts: one chart per scene and number of dimensions. */
import { growthsOf, type Outcome } from '../harness/record';
import type { Line } from './chart';

export interface ChartLines {
  /** Scene and dimensions, such as "uniform 2D". */
  readonly name: string;
  readonly lines: readonly Line[];
}

/** `engines`: the order of engines, which determines colours and dashes. Default: the order in `outcomes`. */
export function linesOf(
  outcomes: readonly Outcome[],
  engines: readonly string[] = [...new Set(outcomes.map(({ engine }) => engine))],
): ChartLines[] {
  const charts = new Map<string, Line[]>();
  for (const { scene, dimensions, engine, curve } of growthsOf(outcomes)) {
    const name = `${scene} ${dimensions}D`;
    charts.set(name, [...(charts.get(name) ?? []), { name: engine, look: engines.indexOf(engine), curve }]);
  }
  return [...charts].map(([name, lines]) => ({ name, lines }));
}
