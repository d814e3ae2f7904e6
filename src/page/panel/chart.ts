import uPlot from 'uplot';
import { interpolate, readTheme, toCss } from '../model/colour';
import type { Stacked } from '../session/stages';
import { onAppearance } from '../support/appearance';

// Exported from here, so that the hints load together with the chart.
export { STAGE_HINTS } from './stage-hints';

const FONT = '11px system-ui, sans-serif';
export const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
/** Width of the vertical axis with its numbers, in CSS pixels. */
export const AXIS_WIDTH = 52;

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
      // The axis goes from the first sample to the last, so that few samples fill the width, too.
      x: { time: false, range: (_, low, high) => [low ?? -1, high ?? 0] },
      y: { range: (_, _low, high) => [0, Math.max(high, 0.001) * 1.05] },
    },
    axes: [{ show: false }, axis({ size: AXIS_WIDTH, space: 26, values: (_, splits) => splits.map(inMs) })],
    // The first series is the total of all stages; the others are drawn over it.
    series: [{}, ...bandColours(bands).map((fill) => ({ fill, points: { show: false } }))],
  }));
}

const PLAIN = { legend: { show: false }, cursor: { show: false } } as const;

export function axis(changes: uPlot.Axis): uPlot.Axis {
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

export function pageColours(): Record<'text' | 'faint' | 'edge' | 'accent' | 'panel', string> {
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

/** Formats a mark of an axis; uPlot passes null for a mark that has no room. */
export function inShort(value: number | null): string {
  return value === null ? '' : COMPACT.format(value);
}

export function inMs(value: number | null): string {
  if (value === null) return '';
  // 0.001 ms would not fit beside an axis.
  if (value > 0 && value < 0.1) return `${COMPACT.format(1000 * value)} µs`;
  return value >= 1000 ? `${COMPACT.format(value / 1000)} s` : `${COMPACT.format(value)} ms`;
}

/** Draws a chart that follows the size of `holder` and the theme. */
export function drawn<Data extends uPlot.AlignedData | Stacked>(
  holder: HTMLElement,
  options: () => Omit<uPlot.Options, 'width' | 'height'>,
): Chart<Data> {
  const size = () => ({ width: Math.max(50, holder.clientWidth), height: Math.max(50, holder.clientHeight) });
  let data: uPlot.AlignedData = [[]];
  let plot: uPlot | undefined;
  const draw = () => {
    const before = plot;
    plot = new uPlot({ ...options(), ...size(), ...PLAIN }, data, holder);
    // Destroy the old plot last: an empty holder may be lower, and the new plot takes the holder's size.
    before?.destroy();
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
