/** Draws the time of a step against the cell size, with marks at the suggested and at the chosen size. */
import type uPlot from 'uplot';
import type { CellTiming } from './cell-sweep';
import { AXIS_WIDTH, axis, type Chart, drawn, inMs, inShort, pageColours } from './chart';

const SPLITS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048];

export function cellChart(
  holder: HTMLElement,
  suggested: number | undefined,
  chosen: number,
): Chart<readonly CellTiming[]> {
  const chart = drawn<uPlot.AlignedData>(holder, () => {
    const { accent } = pageColours();
    return {
      padding: [16, 16, 0, 0],
      scales: {
        x: {
          time: false,
          distr: 3,
          log: 2,
          range: (_, low, high) => [(low ?? 1) / 1.15, 1.15 * (high ?? 8)],
        },
        y: { range: (_, _low, high) => [0, 1.1 * Math.max(high ?? 1, 0.01)] },
      },
      axes: [
        axis({
          splits: (_, _axis, low, high) => SPLITS.filter((size) => size >= low && size <= high),
          label: 'cell size in diameters',
          labelSize: 16,
          size: 24,
          values: (_, splits) => splits.map(inShort),
        }),
        axis({ size: AXIS_WIDTH, values: (_, splits) => splits.map(inMs) }),
      ],
      series: [{}, { stroke: accent, width: 2, points: { show: true, size: 7, fill: accent } }],
      hooks: {
        draw: [
          (plot) => {
            if (suggested !== undefined) mark(plot, suggested, 'suggested', 0);
            if (chosen !== suggested) mark(plot, chosen, 'yours', 1);
          },
        ],
      },
    };
  });
  return {
    set: (timings) =>
      chart.set([timings.map(({ size }) => size), timings.map(({ milliseconds }) => milliseconds)]),
    destroy: () => chart.destroy(),
  };
}

/** `row`: the line of text for the name, counted from 0 at the top. Names in different rows never overlap. */
function mark(plot: uPlot, size: number, name: string, row: number): void {
  const { ctx, bbox } = plot;
  const x = plot.valToPos(size, 'x', true);
  if (!(x >= bbox.left && x <= bbox.left + bbox.width)) return;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = pageColours().text;
  ctx.fillStyle = pageColours().text;
  ctx.lineWidth = ratio;
  ctx.setLineDash([3 * ratio, 3 * ratio]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.font = `${11 * ratio}px system-ui, sans-serif`;
  ctx.textBaseline = 'top';
  const isRight = x > bbox.left + 0.7 * bbox.width;
  ctx.textAlign = isRight ? 'right' : 'left';
  ctx.fillText(name, x + (isRight ? -4 : 4) * ratio, bbox.top + 13 * row * ratio);
  ctx.restore();
}
