/** Draws curves on two logarithmic axes. The page has the same data as text. */
import type uPlot from 'uplot';
import { AXIS_WIDTH, axis, type Chart, drawn, inMs, inShort, pageColours } from './chart';
import { BROAD_PHASES, type Curves, crossoverOf, type SizeTiming } from './sweep';

/** The values on the vertical axis. Zeros are left out, because a logarithmic axis has none. */
export interface Shown {
  readonly read: (timing: SizeTiming) => number;
  readonly write: (value: number | null) => string;
}

export const TIMES: Shown = { read: ({ milliseconds }) => milliseconds, write: inMs };
export const TESTS: Shown = {
  read: ({ tests }) => tests,
  write: inShort,
};

export function logChart(holder: HTMLElement, { read, write }: Shown): Chart<Curves> {
  /** With fewer particles than this, naive is faster. Undefined if the curves do not cross. */
  let crossing: number | undefined;
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
        x: { time: false, distr: 3, range: (_, low, high) => [(low ?? 2) / 1.2, 1.2 * (high ?? 1e5)] },
        y: { distr: 3, range: (_, low, high) => wholeDecades(low ?? 0.1, high ?? 1000) },
      },
      axes: [
        axis({ splits: decades, label: 'particles', labelSize: 16, size: 24, values: writeWith(inShort) }),
        axis({ splits: decades, size: AXIS_WIDTH, values: writeWith(write) }),
      ],
      series: [{}, ...BROAD_PHASES.map((name) => ({ ...looks[name], width: 2, spanGaps: true }))],
      hooks: { drawAxes: [(plot) => markCrossing(plot, crossing)], draw: [nameCurves] },
    };
  });
  return {
    set: (curves) => {
      const crossover = crossoverOf(curves);
      crossing = crossover?.kind === 'at' ? crossover.count : undefined;
      const counts = [...new Set(BROAD_PHASES.flatMap((name) => curves[name].map(({ count }) => count)))];
      counts.sort((first, second) => first - second);
      const values = BROAD_PHASES.map((name) =>
        counts.map((size) => {
          const timing = curves[name].find(({ count }) => count === size);
          return (timing && read(timing)) || null;
        }),
      );
      chart.set([counts, ...values]);
    },
    destroy: () => chart.destroy(),
  };
}

function markCrossing(plot: uPlot, count: number | undefined): void {
  if (count === undefined) return;
  const { ctx, bbox } = plot;
  const x = Math.round(plot.valToPos(count, 'x', true));
  if (!(x > bbox.left && x < bbox.left + bbox.width)) return;
  const gap = 5 * devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = pageColours().faint;
  ctx.fillStyle = pageColours().faint;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textBaseline = 'top';
  // Leave out a label that has no room: the words below the chart say the same.
  const fits = (label: string, room: number) => ctx.measureText(label).width + gap <= room;
  ctx.textAlign = 'right';
  if (fits('naive wins', x - bbox.left)) ctx.fillText('naive wins', x - gap, bbox.top + gap);
  ctx.textAlign = 'left';
  if (fits('grid wins', bbox.left + bbox.width - x)) ctx.fillText('grid wins', x + gap, bbox.top + gap);
  ctx.restore();
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

function writeWith(write: Shown['write']): (_: uPlot, splits: (number | null)[]) => string[] {
  return (_, splits) => splits.map(write);
}
