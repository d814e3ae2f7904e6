/** Draws the page's two charts with uPlot. */
import uPlot from 'uplot';
import { interpolate, readTheme, toCss } from '../model/colour';
import type { Stacked } from '../session/stages';
import { onAppearance } from '../support/appearance';
import { BROAD_PHASES, type Curves } from './sweep';

const FONT = '11px system-ui, sans-serif';
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
/** Width of a vertical axis, in CSS pixels. */
const AXIS_WIDTH = 52;

export interface Chart<Data> {
  set(data: Data): void;
  destroy(): void;
}

export function bandColours(count: number): string[] {
  const { stops } = readTheme();
  return Array.from({ length: count }, (_, band) =>
    toCss(interpolate(stops, count > 1 ? band / (count - 1) : 0.5)),
  );
}

export function stackedChart(holder: HTMLElement, bands: number): Chart<Stacked> {
  return drawn(holder, () => ({
    padding: [6, 2, 4, 0],
    scales: {
      // The axis ends at the last sample, so that few samples fill the width, too.
      x: { time: false, range: (_, low, high) => [low ?? -1, high ?? 0] },
      y: { range: (_, _low, high) => [0, Math.max(high, 0.001) * 1.05] },
    },
    axes: [{ show: false }, axis({ size: AXIS_WIDTH, space: 26, values: (_, splits) => splits.map(inMs) })],
    // Each series is the sum of itself and all later ones, so the total is drawn first.
    series: [{}, ...bandColours(bands).map((fill) => ({ fill, points: { show: false } }))],
  }));
}

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

const PLAIN = { legend: { show: false }, cursor: { show: false } } as const;

function axis(changes: uPlot.Axis): uPlot.Axis {
  const { faint, edge } = pageColours();
  const lines = { stroke: edge, width: 1 };
  return {
    font: FONT,
    labelFont: FONT,
    stroke: faint,
    grid: lines,
    ticks: { ...lines, size: 4 },
    gap: 4,
    ...changes,
  };
}

function pageColours(): Record<'text' | 'faint' | 'edge' | 'accent' | 'panel', string> {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    text: colour('text'),
    faint: colour('faint'),
    edge: colour('edge'),
    accent: colour('accent'),
    panel: colour('panel'),
  };
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

function inMs(value: number | null): string {
  if (value === null) return '';
  return value >= 1000 ? `${COMPACT.format(value / 1000)} s` : `${COMPACT.format(value)} ms`;
}

function inShort(_: uPlot, splits: number[]): string[] {
  return splits.map((value) => COMPACT.format(value));
}

function drawn<Data extends uPlot.AlignedData | Stacked>(
  holder: HTMLElement,
  options: () => Omit<uPlot.Options, 'width' | 'height'>,
): Chart<Data> {
  const size = () => ({ width: Math.max(50, holder.clientWidth), height: Math.max(50, holder.clientHeight) });
  let data: uPlot.AlignedData = [[]];
  let plot: uPlot | undefined;
  const draw = () => {
    plot?.destroy();
    plot = new uPlot({ ...options(), ...size(), ...PLAIN }, data, holder);
  };
  const observer = new ResizeObserver(() => plot?.setSize(size()));
  draw();
  observer.observe(holder);
  const ignoreAppearance = onAppearance(draw);
  return {
    set: (next) => {
      data = next as unknown as uPlot.AlignedData;
      plot?.setData(data);
    },
    destroy: () => {
      observer.disconnect();
      ignoreAppearance();
      plot?.destroy();
    },
  };
}
