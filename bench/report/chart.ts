/** Draws times or tests against counts on logarithmic axes. Colours are classes in bench/report/chart.css. */
import { formatCount, formatCountOf, formatTime } from './format';
import { element, type Markup } from './markup';

export interface Point {
  readonly count: number;
  readonly value: number;
}

export interface Quantity {
  readonly title: string;
  /** Formats a value for the axis. */
  readonly label: (value: number) => string;
  /** Formats a value for the text after a count, such as 'in 5 ms'. */
  readonly describe: (value: number) => string;
}

export const TIMES: Quantity = {
  title: 'Time of a build and query',
  label: formatTime,
  describe: (value) => `in ${formatTime(value)}`,
};

export const TESTS: Quantity = {
  title: 'Distance tests of a query',
  label: shortCount,
  describe: (value) => `with ${formatCountOf(value, 'test')}`,
};

export interface Line {
  readonly name: string;
  /** Index of colour and dashes, the same in all charts of a record. */
  readonly look: number;
  /** Sorted by count. */
  readonly points: readonly Point[];
}

export interface ChartSize {
  /** In CSS pixels, before the style sheet scales the chart. */
  readonly width: number;
  readonly height: number;
}

/** The number of colours in chart.css. Further lines reuse the colours with dashes. */
const COLOURS = 8;
const DASHES = ['none', '7 4', '2 4'];

const MARGIN = { top: 14, bottom: 42, left: 58 } as const;
/** Names of lines get at most this share of the chart's width. */
const NAMES_SHARE = 0.3;
/** Width of a letter, in CSS pixels. */
const LETTER = 7.2;
const NAME_HEIGHT = 14;
/** Gap between the grid lines and the names. */
const LEADER = 16;
const DOT = 3;
/** With more counts than this, only powers of ten are labelled, unless the scale contains none. */
const MOST_COLUMNS = 6;

interface Scale {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
  readonly position: (value: number) => number;
}

/** Returns undefined if no line has points. `where` names the scene. */
export function drawChart(
  { title, label, describe }: Quantity,
  where: string,
  lines: readonly Line[],
  size: ChartSize,
): Markup | undefined {
  const drawn = lines.filter((line) => line.points.length > 0);
  const points = drawn.flatMap((line) => line.points);
  if (points.length === 0) return undefined;
  const { width, height } = size;
  const longest = Math.max(...drawn.map(({ name }) => name.length));
  const right = width - Math.min(width * NAMES_SHARE, longest * LETTER + LEADER + 4);
  const bottom = height - MARGIN.bottom;
  const counts = [...new Set(points.map(({ count }) => Math.max(1, count)))];
  const across = scaleOver(counts, MARGIN.left + 8, right - 8, false);
  const columns = counts.length > MOST_COLUMNS ? across.ticks : counts;
  const up = scaleOver(
    points.map(({ value }) => Math.max(1e-6, value)),
    bottom,
    MARGIN.top,
    true,
  );
  const at = ({ count, value }: Point) =>
    [round(across.position(Math.max(1, count))), round(up.position(Math.max(1e-6, value)))] as const;
  const ends = drawn.map((line) => at(line.points.at(-1) as Point));
  const lastX = Math.max(...ends.map(([x]) => x));
  const names = spread(
    ends.map(([, y]) => y),
    MARGIN.top,
    bottom,
  );
  return element(
    'svg',
    {
      ...{ class: 'chart', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img' },
      'aria-label': `${title} against the number of bodies, ${where}; its table has the numbers`,
    },
    ...columns.map((tick) => {
      const x = round(across.position(tick));
      return element(
        'g',
        { class: 'tick' },
        element('line', { x1: x, y1: MARGIN.top, x2: x, y2: bottom }),
        element('text', { x, y: bottom + 16, 'text-anchor': 'middle' }, shortCount(tick)),
      );
    }),
    ...up.ticks.map((tick) => {
      const y = round(up.position(tick));
      return element(
        'g',
        { class: 'tick' },
        element('line', { x1: MARGIN.left, y1: y, x2: right, y2: y }),
        element('text', { x: MARGIN.left - 6, y: y + 4, 'text-anchor': 'end' }, label(tick)),
      );
    }),
    element(
      'text',
      { class: 'axis', x: (MARGIN.left + right) / 2, y: height - 8, 'text-anchor': 'middle' },
      'bodies',
    ),
    ...drawn.map(({ name, look, points: own }, index) => {
      const dots = own.map(at);
      const [endX, endY] = ends[index] as readonly [number, number];
      const nameY = names[index] as number;
      return element(
        'g',
        { class: `series colour-${look % COLOURS}`, 'data-engine': name },
        element(
          'title',
          {},
          `${name}: ${own.map(({ count, value }) => `${formatCount(count)} ${describe(value)}`).join(', ')}`,
        ),
        element('polyline', {
          points: dots.map((dot) => dot.join(',')).join(' '),
          'stroke-dasharray': DASHES[Math.floor(look / COLOURS) % DASHES.length] as string,
        }),
        ...dots.map(([cx, cy]) => element('circle', { cx, cy, r: DOT })),
        element('line', {
          class: endX < lastX ? 'leader early' : 'leader',
          x1: endX,
          y1: endY,
          x2: right + LEADER - 4,
          y2: nameY,
        }),
        element('text', { x: right + LEADER, y: nameY + 4 }, name),
      );
    }),
  );
}

/** Makes a logarithmic scale from the position `from` to `to`. `whole` extends it to whole powers of ten. */
function scaleOver(values: readonly number[], from: number, to: number, whole: boolean): Scale {
  let low = Math.log10(Math.min(...values));
  let high = Math.log10(Math.max(...values));
  if (whole) {
    low = Math.floor(low + 1e-9);
    high = Math.max(low + 1, Math.ceil(high - 1e-9));
  } else if (high - low < 1e-9) {
    low -= 0.5;
    high += 0.5;
  }
  const first = Math.ceil(low - 1e-9);
  const last = Math.floor(high + 1e-9);
  const decades = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => 10 ** (first + index));
  return {
    low,
    high,
    ticks: decades.length > 0 ? decades : [...new Set(values)],
    position: (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from),
  };
}

/** Moves names apart, in the order of their wanted positions. Names overlap only if there is too little space. */
function spread(wanted: readonly number[], top: number, bottom: number): number[] {
  const distance = Math.min(NAME_HEIGHT, (bottom - top) / Math.max(1, wanted.length - 1));
  const order = wanted.map((_, index) => index).sort((a, b) => (wanted[a] as number) - (wanted[b] as number));
  const positions = new Array<number>(wanted.length);
  let next = top;
  for (const index of order) {
    const position = Math.max(next, wanted[index] as number);
    positions[index] = position;
    next = position + distance;
  }
  let most = bottom;
  for (const index of order.toReversed()) {
    const position = Math.min(most, positions[index] as number);
    positions[index] = round(position);
    most = position - distance;
  }
  return positions;
}

function round(value: number): number {
  return Math.round(10 * value) / 10;
}

const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

function shortCount(count: number): string {
  return SHORT.format(count);
}
