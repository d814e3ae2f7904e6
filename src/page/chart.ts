/**
 * Purpose: the two charts of the page, drawn on a canvas: bands on top of one another over the last steps, and curves on two
 * logarithmic axes. Loaded when the first of them is seen. What they show is also there as text; here is only the drawing.
 * Lengths are CSS pixels.
 */
import { interpolate, readTheme, toCss } from './colour';
import type { Stacked } from './stages';
import { BROAD_PHASES, type Curves } from './sweep';

const FONT = '11px system-ui, sans-serif';
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
/** From the axis to its numbers, and half of that ticks. */
const GAP = 8;
/** Beside the vertical axis. */
const AXIS_WIDTH = 52;
/** Between two lines of the grid at least. */
const LEAST_SPACE = 26;
const STEPS = [1, 2, 2.5, 5, 10] as const;
const LINE_WIDTH = 2;
const POINT_RADIUS = 3.5;
/** Of a chart of which nobody can read less. */
const LEAST_SIDE = 50;

export interface Chart<Data> {
  set(data: Data): void;
  destroy(): void;
}

type Context = CanvasRenderingContext2D;
type Colours = Record<'text' | 'faint' | 'edge' | 'accent' | 'panel', string>;

interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** From values to places. */
type Scale = (value: number) => number;

/** The colour of each of so many bands: of one after the other another lightness. */
export function bandColours(count: number): string[] {
  const { stops } = readTheme();
  return Array.from({ length: count }, (_, band) =>
    toCss(interpolate(stops, count > 1 ? band / (count - 1) : 0.5)),
  );
}

/** Milliseconds of so many stages over the last steps. */
export function stackedChart(holder: HTMLElement, bands: number): Chart<Stacked> {
  return drawn<Stacked>(holder, [[]], (context, width, height, [samples = [], ...sums]) => {
    const area = { left: AXIS_WIDTH, top: 6, right: width - 2, bottom: height - 4 };
    const highest = 1.05 * Math.max(0.001, ...sums.flat());
    // As wide as there are samples: few are no less of a picture.
    const oldest = Math.min(-1, samples[0] ?? -1);
    const x: Scale = (sample) => area.right - (sample / oldest) * (area.right - area.left);
    const y: Scale = (time) => area.bottom - (time / highest) * (area.bottom - area.top);
    drawLevels(context, area, y, evenTicks(highest, (area.bottom - area.top) / LEAST_SPACE));
    const colours = bandColours(bands);
    // The first stage's is the sum, drawn first, and what is below it over it: from above as the list beside the plot has them.
    sums.forEach((tops, band) => {
      context.beginPath();
      context.moveTo(x(samples[0] ?? 0), y(0));
      tops.forEach((top, index) => {
        context.lineTo(x(samples[index] ?? 0), y(top));
      });
      context.lineTo(x(samples.at(-1) ?? 0), y(0));
      context.fillStyle = colours[band] ?? '';
      context.fill();
    });
  });
}

/** Milliseconds of a step against the number of particles; naive dashed. */
export function logChart(holder: HTMLElement): Chart<Curves> {
  return drawn<Curves>(holder, { grid: [], naive: [] }, (context, width, height, curves) => {
    const { accent, text, faint, panel, edge } = pageColours();
    const area = { left: AXIS_WIDTH, top: 16, right: width - 40, bottom: height - 40 };
    const timed = BROAD_PHASES.map((name) => curves[name].filter(({ milliseconds }) => milliseconds > 0));
    const counts = timed.flat().map(({ count }) => count);
    const times = timed.flat().map(({ milliseconds }) => milliseconds);
    const isEmpty = counts.length === 0;
    const [fewest, most] = isEmpty ? [100, 1e5] : [Math.min(...counts), Math.max(...counts)];
    const [low, high] = isEmpty ? [0.1, 1000] : wholeDecades(Math.min(...times), Math.max(...times));
    const x = logarithmic(fewest / 1.2, 1.2 * most, area.left, area.right);
    const y = logarithmic(low, high, area.bottom, area.top);
    drawLevels(context, area, y, decades(low, high));
    context.fillStyle = faint;
    context.strokeStyle = edge;
    context.textAlign = 'center';
    context.textBaseline = 'top';
    for (const count of decades(fewest / 1.2, 1.2 * most)) {
      line(context, x(count), area.top, x(count), area.bottom + GAP / 2);
      context.fillText(COMPACT.format(count), x(count), area.bottom + GAP);
    }
    context.fillText('particles', (area.left + area.right) / 2, height - 14);
    const looks = {
      grid: { stroke: accent, fill: accent, dash: [] },
      naive: { stroke: text, fill: panel, dash: [6, 4] },
    };
    BROAD_PHASES.forEach((name, index) => {
      const { stroke, fill, dash } = looks[name];
      const points = (timed[index] ?? []).map(
        ({ count, milliseconds }) => [x(count), y(milliseconds)] as const,
      );
      context.strokeStyle = stroke;
      context.fillStyle = fill;
      context.lineWidth = LINE_WIDTH;
      context.setLineDash(dash);
      context.beginPath();
      for (const [across, down] of points) context.lineTo(across, down);
      context.stroke();
      context.lineWidth = 1;
      context.setLineDash([]);
      for (const [across, down] of points) {
        context.beginPath();
        context.arc(across, down, POINT_RADIUS, 0, 2 * Math.PI);
        context.fill();
        context.stroke();
      }
      // Each curve says its name at its end.
      const [across, down] = points.at(-1) ?? [];
      if (across === undefined || down === undefined) return;
      context.fillStyle = text;
      context.textAlign = 'left';
      context.textBaseline = 'bottom';
      context.fillText(name, across + 5, down - 5);
    });
  });
}

/** Lines across, each with its time in milliseconds beside the axis. */
function drawLevels(context: Context, { left, right }: Area, y: Scale, times: readonly number[]): void {
  const { faint, edge } = pageColours();
  context.strokeStyle = edge;
  context.fillStyle = faint;
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  for (const time of times) {
    line(context, left - GAP / 2, y(time), right, y(time));
    context.fillText(inMilliseconds(time), left - GAP, y(time));
  }
}

function line(context: Context, fromX: number, fromY: number, toX: number, toY: number): void {
  context.beginPath();
  context.moveTo(fromX, fromY);
  context.lineTo(toX, toY);
  context.stroke();
}

function logarithmic(low: number, high: number, from: number, to: number): Scale {
  return (value) => from + (Math.log(value / low) / Math.log(high / low)) * (to - from);
}

/** From 0 up to `highest`, in round steps, at most so many of them. */
function evenTicks(highest: number, most: number): number[] {
  const least = highest / Math.max(1, most);
  const unit = 10 ** Math.floor(Math.log10(least));
  const step = unit * (STEPS.find((candidate) => candidate * unit >= least) ?? 10);
  return Array.from({ length: Math.floor(highest / step) + 1 }, (_, index) => index * step);
}

function wholeDecades(low: number, high: number): [number, number] {
  const from = 10 ** Math.floor(Math.log10(low) + 1e-9);
  const to = 10 ** Math.ceil(Math.log10(high) - 1e-9);
  return [from, to > from ? to : 10 * from];
}

function decades(low: number, high: number): number[] {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => 10 ** (first + index));
}

function inMilliseconds(value: number): string {
  return value >= 1000 ? `${COMPACT.format(value / 1000)} s` : `${COMPACT.format(value)} ms`;
}

function pageColours(): Colours {
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

/** As large as its holder, also when that changes, and drawn anew in another theme. */
function drawn<Data>(
  holder: HTMLElement,
  nothing: Data,
  paint: (context: Context, width: number, height: number, data: Data) => void,
): Chart<Data> {
  const canvas = document.createElement('canvas');
  let data = nothing;
  const draw = () => {
    const context = canvas.getContext('2d');
    if (!context) return;
    const [width, height] = [holder.clientWidth, holder.clientHeight].map((side) =>
      Math.max(LEAST_SIDE, side),
    );
    if (width === undefined || height === undefined) return;
    // Clears it, too.
    canvas.width = Math.round(width * devicePixelRatio);
    canvas.height = Math.round(height * devicePixelRatio);
    context.scale(devicePixelRatio, devicePixelRatio);
    context.font = FONT;
    paint(context, width, height, data);
  };
  const observer = new ResizeObserver(draw);
  const theme = matchMedia('(prefers-color-scheme: dark)');
  holder.append(canvas);
  draw();
  observer.observe(holder);
  theme.addEventListener('change', draw);
  return {
    set: (next) => {
      data = next;
      draw();
    },
    destroy: () => {
      observer.disconnect();
      theme.removeEventListener('change', draw);
      canvas.remove();
    },
  };
}
