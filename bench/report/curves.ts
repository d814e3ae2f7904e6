import { growthsOf, type Outcome } from '../harness/record';
import type { Line } from './chart';

export interface ChartLines {
  /** "uniform 2D", for example. */
  readonly name: string;
  readonly lines: readonly Line[];
}

/** The order of `engines` determines colours and dashes. By default, it is their order in `outcomes`. */
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
