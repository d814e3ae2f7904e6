/** Draws curves on two logarithmic axes. The same data are on the page as text. */
import type uPlot from 'uplot';
import { AXIS_WIDTH, axis, type Chart, COMPACT, drawn, inMs, pageColours } from './chart';
import { BROAD_PHASES, type Curves } from './sweep';

export function logChart(holder: HTMLElement): Chart<Curves> {
  const chart = drawn<uPlot.AlignedData>(holder, () => {
    const { accent, text, panel } = pageColours();
    const looks = {
      grid: { stroke: accent, points: { show: true, size: 7, fill: accent } },
      naive: {
        stroke: text,
        dash: [6, 4].map((length) => length * devicePixelRatio),
        points: { show: true, size: 7, fill: panel },
      },
    };
    return {
      padding: [16, 40, 0, 0],
      scales: {
        x: { time: false, distr: 3, range: (_, low, high) => [(low ?? 100) / 1.2, 1.2 * (high ?? 1e5)] },
        y: { distr: 3, range: (_, low, high) => wholeDecades(low ?? 0.1, high ?? 1000) },
      },
      axes: [
        axis({ splits: decades, label: 'particles', labelSize: 16, size: 24, values: inShort }),
        axis({ splits: decades, size: AXIS_WIDTH, values: (_, splits) => splits.map(inMs) }),
      ],
      series: [{}, ...BROAD_PHASES.map((name) => ({ ...looks[name], width: 2, spanGaps: true }))],
      hooks: { draw: [nameCurves] },
    };
  });
  return {
    set: (curves) => {
      const counts = [...new Set(BROAD_PHASES.flatMap((name) => curves[name].map(({ count }) => count)))];
      counts.sort((first, second) => first - second);
      const times = BROAD_PHASES.map((name) =>
        counts.map((size) => curves[name].find(({ count }) => count === size)?.milliseconds || null),
      );
      chart.set([counts, ...times]);
    },
    destroy: () => chart.destroy(),
  };
}

function nameCurves(plot: uPlot): void {
  const { ctx } = plot;
  ctx.save();
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'bottom';
  ctx.fillStyle = pageColours().text;
  BROAD_PHASES.forEach((name, index) => {
    const values = plot.data[index + 1] ?? [];
    const last = values.findLastIndex((value) => value !== null);
    const [count, time] = [plot.data[0][last], values[last]];
    if (count === undefined || time === undefined || time === null) return;
    const gap = 5 * devicePixelRatio;
    ctx.fillText(name, plot.valToPos(count, 'x', true) + gap, plot.valToPos(time, 'y', true) - gap);
  });
  ctx.restore();
}

function wholeDecades(low: number, high: number): [number, number] {
  const from = 10 ** Math.floor(Math.log10(low) + 1e-9);
  const to = 10 ** Math.ceil(Math.log10(high) - 1e-9);
  return [from, to > from ? to : 10 * from];
}

function decades(_: uPlot, _axis: number, low: number, high: number): number[] {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => 10 ** (first + index));
}

function inShort(_: uPlot, splits: number[]): string[] {
  return splits.map((value) => COMPACT.format(value));
}
