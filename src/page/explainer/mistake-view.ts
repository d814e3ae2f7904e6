/** Shows the second chapter: mistakes that break a grid. */
import { latticeOfParticle } from '../../core/world/cells';
import { find, setText } from '../support/dom';
import { freeCorner } from './corners';
import { draw, make, UNREAD } from './dom';
import {
  CROWD_DIAMETER,
  cellsAround,
  countFound,
  createEndless,
  createTouching,
  fullestCell,
  isRight,
  type Pair,
  type Rounding,
  type Search,
  TABLES,
  timesFound,
  tryCellSize,
  tryCrowd,
  tryRounding,
  tryTable,
} from './mistakes';
import { describe, formatNumber, joinWords, range } from './trace-recorder';

type State = 'broken' | 'lucky' | 'slow' | 'right';

/** First words of a verdict, for visitors that cannot distinguish its colours. */
const STATES: Readonly<Record<State, string>> = {
  broken: 'Broken. ',
  lucky: 'Right by luck. ',
  slow: 'Right, but slow. ',
  right: 'Right. ',
};

export function showMistakes(): void {
  showCellSizes();
  showRoundings();
  showTables();
  showCrowds();
}

function showCellSizes(): void {
  const scene = createTouching();
  const slider = find('size', HTMLInputElement);
  const show = () => {
    // The slider holds an exponent of two, so that sizes below 1 get enough room.
    const diameters = Number((2 ** slider.valueAsNumber).toFixed(2));
    const { search, world, refusal } = tryCellSize(diameters, scene);
    const size = `${formatNumber(diameters)} ${diameters === 1 ? 'diameter' : 'diameters'}`;
    setText('size-shown', size);
    slider.setAttribute('aria-valuetext', size);
    const missed = search.truth.filter((pair) => timesFound(search, pair) === 0);
    const pairs = (scene.positions.length / 2) * (scene.positions.length / 2 - 1);
    const isSlow = search.looks > pairs / 4;
    if (missed.length > 0) {
      const text = `With cells of ${size}, a search of the adjacent cells misses ${missed.length} of ${describe(search.truth.length, 'contact')}. `;
      say('size-verdict', 'broken', `${text}The engine refuses this size: “${refusal}”`);
    } else if (refusal) {
      const text = `These particles happen to lie so that all ${search.truth.length} contacts are found. The engine refuses this size: `;
      say('size-verdict', 'lucky', `${text}“${refusal}”`);
    } else {
      const looks = `All ${search.truth.length} contacts are found from both sides, in ${search.looks} looks`;
      if (isSlow)
        say(
          'size-verdict',
          'slow',
          `${looks}. Cells of one diameter need only ${tryCellSize(1, scene).search.looks} looks.`,
        );
      else say('size-verdict', 'right', `${looks}. Without a grid there would be ${pairs} looks.`);
    }
    showBars('size-bars', search, { Looks: [search.looks, pairs, `of ${pairs} without a grid`] });
    const { min, max, inverseCellSize } = world;
    const edge = 1 / inverseCellSize;
    const [left = 0, top = 0] = min;
    const [right = 0, bottom = 0] = max;
    const picture = new Picture('size-picture', [left, top, right, bottom]);
    // Mark the particle nearest to the middle. If contacts are missed, consider only their particles.
    const shown = missed.length > 0 ? missed.flat() : range(0, scene.positions.length / 2);
    const centre = shown.toSorted((a, b) => fromMiddle(a) - fromMiddle(b))[0] ?? 0;
    function fromMiddle(particle: number): number {
      const [x = 0, y = 0] = positionOf(scene.positions, particle);
      return Math.hypot(x - (left + right) / 2, y - (top + bottom) / 2);
    }
    const lattice = latticeOfParticle(world, scene.positions, centre);
    picture.borders(edge);
    // Lattice coordinates start in the ring of empty cells, which the picture leaves out.
    for (const near of cellsAround(lattice)) {
      picture.cell(
        near.map((coordinate) => coordinate - 1),
        edge,
      );
    }
    picture.particles(scene.positions, scene.diameter, centre);
    picture.contacts(scene.positions, search);
  };
  slider.addEventListener('input', show);
  show();
}

function showRoundings(): void {
  const scene = createEndless();
  const group = find('rounding', HTMLFieldSetElement);
  const right = tryRounding('floor', scene);
  const show = () => {
    const checked = group.querySelector<HTMLInputElement>('input:checked');
    const rounding = (checked?.value ?? 'floor') as Rounding;
    const search = tryRounding(rounding, scene);
    const found = `${countFound(search)} of ${2 * search.truth.length}`;
    const fullest = fullestCell(rounding, scene);
    if (rounding === 'floor') {
      say(
        'floor-verdict',
        'right',
        `All contacts are found from both sides, ${found}, in ${search.looks} looks.`,
      );
    } else if (rounding === 'truncate') {
      const text = `No contact is missed (${found} found), but the cells at the origin are twice as wide. This takes ${search.looks} looks `;
      say(
        'floor-verdict',
        'slow',
        `${text}instead of ${right.looks}, with up to ${fullest} particles in a cell instead of ${fullestCell('floor', scene)}.`,
      );
    } else {
      const text = `Only ${found} are found: a particle below zero is stored in one cell, but searches around the cell next to it. `;
      say(
        'floor-verdict',
        'broken',
        `${text}If a pair is found from one side only, one particle is pushed and the other is not.`,
      );
    }
    showBars('floor-bars', search, {
      Looks: [search.looks, 2 * right.looks, `against ${right.looks} with floor`],
    });
    const heads = COLUMN_HEADS[rounding];
    const picture = new Picture('floor-picture', [-3, -2, 3, 2], heads.length * HEAD_HEIGHT);
    for (const [line, { label, cellOf }] of heads.entries()) picture.columns(line, label, cellOf);
    picture.borders(1, rounding === 'floor' ? [] : [0]);
    picture.particles(scene.positions, scene.diameter);
    picture.axes();
    picture.contacts(scene.positions, search);
  };
  group.addEventListener('change', show);
  show();
}

function showTables(): void {
  const scene = createEndless();
  const compare = find('compare', HTMLInputElement);
  const table = find('table', HTMLSelectElement);
  for (const buckets of TABLES) table.append(make('option', { value: buckets }, String(buckets)));
  const lattices = range(0, scene.positions.length / 2).map((particle) =>
    latticeOfParticle(scene.world, scene.positions, particle),
  );
  const show = () => {
    const { search, world, particle, cells } = tryTable(Number(table.value), compare.checked, scene);
    const expected = 2 * search.truth.length;
    const found = countFound(search);
    const twice = search.truth.filter((pair) => timesFound(search, pair) > 2).length;
    if (!isRight(search)) {
      const text = `${describe(search.truth.length, 'contact')}, seen from both sides, should be found ${expected} times, but are found `;
      say(
        'collision-verdict',
        'broken',
        `${text}${found} times. Particles find ${describe(twice, 'contact')} more than once from a side, and would be pushed too often.`,
      );
    } else if (compare.checked) {
      say(
        'collision-verdict',
        'right',
        `Every contact is found once from each side, ${found} times in all, in a table of any size.`,
      );
    } else {
      say(
        'collision-verdict',
        'lucky',
        `With ${world.cellCount} buckets, no shared bucket causes an error for these particles. Other particles may not be so lucky.`,
      );
    }
    const own = lattices[particle] ?? [0, 0];
    const [x = 0, y = 0] = own;
    const picture = new Picture('collision-picture', [x - 1.5, y - 1.5, x + 2.5, y + 2.5]);
    const buckets = new Map<number, number[][]>();
    for (const { lattice, bucket } of cells)
      buckets.set(bucket, [...(buckets.get(bucket) ?? []), [...lattice]]);
    picture.borders(1);
    for (const { lattice, bucket } of cells) picture.cell(lattice, 1, (buckets.get(bucket)?.length ?? 0) > 1);
    picture.particles(scene.positions, scene.diameter, particle);
    picture.contacts(scene.positions, search);
    for (const { lattice, bucket } of cells) picture.number(lattice, `${bucket}`, scene.positions);
    const rows = [...buckets].map(([bucket, [...sharing]]) => {
      const ids = lattices.flatMap((_, id) => (bucketHas(sharing, lattices[id] ?? []) ? [id] : []));
      const coordinates = joinWords(sharing.map((lattice) => `(${lattice.map(withSign).join(', ')})`));
      const found = ids.length > 0 ? describe(ids.length, 'particle') : 'no particle';
      const each = compare.checked ? ', once for each cell' : '';
      const times = sharing.length > 1 ? `, searched ${sharing.length} times${each}` : '';
      return [
        make('dt', {}, `Bucket ${bucket}`),
        make('dd', {}, `${sharing.length > 1 ? 'cells' : 'cell'} ${coordinates}: ${found}${times}`),
      ];
    });
    find('buckets', HTMLElement).replaceChildren(...rows.flat());
  };
  const bucketHas = (cells: readonly (readonly number[])[], lattice: readonly number[]) =>
    cells.some((cell) => cell.every((coordinate, axis) => coordinate === lattice[axis]));
  compare.addEventListener('change', show);
  table.addEventListener('change', show);
  show();
}

function showCrowds(): void {
  const count = find('crowd-count', HTMLInputElement);
  const share = find('crowd-share', HTMLInputElement);
  const show = () => {
    const particles = count.valueAsNumber;
    const { search, world, positions, fullest, comparisons, isCrowded } = tryCrowd(
      particles,
      share.valueAsNumber / 100,
    );
    const width = share.valueAsNumber === 0 ? 'one cell' : `${share.value}% of the width`;
    setText('crowd-count-shown', String(particles));
    setText('crowd-share-shown', width);
    share.setAttribute('aria-valuetext', width);
    const all = particles * (particles - 1);
    const right = `Found: ${describe(countFound(search) / 2, 'contact')} of ${search.truth.length}, in ${search.looks} looks (${all} without a grid)`;
    const order = `sorting the cells compares ${describe(comparisons, 'id')}`;
    const crowds = isCrowded
      ? ' With the option crowds: true, the engine sorts so full a cell by merging instead.'
      : '';
    const isSlow = search.looks > all / 2;
    say(
      'crowd-verdict',
      isSlow ? 'slow' : 'right',
      `${right}; ${order}. The fullest cell has ${describe(fullest, 'particle')}.${crowds}`,
    );
    showBars('crowd-bars', search, {
      Looks: [search.looks, all, `of ${all} without a grid`],
      'Ids compared': [comparisons, all, 'to sort the cells'],
    });
    const picture = new Picture('crowd-picture', [0, 0, world.max[0] ?? 0, world.max[1] ?? 0]);
    picture.borders(1);
    picture.particles(positions, CROWD_DIAMETER);
  };
  count.addEventListener('input', show);
  share.addEventListener('input', show);
  show();
}

/**
 * A line of cell numbers above the columns. A number names the cell that stores the particles of a column, or the cell
 * around which they search, or both.
 */
interface ColumnHead {
  readonly label: string;
  readonly cellOf: (x: number) => number;
}

const COLUMN_HEADS: Readonly<Record<Rounding, readonly ColumnHead[]>> = {
  floor: [{ label: 'cell', cellOf: Math.floor }],
  truncate: [{ label: 'cell', cellOf: Math.trunc }],
  both: [
    { label: 'stored', cellOf: Math.trunc },
    { label: 'looks', cellOf: Math.floor },
  ],
};
/** Height of a line of cell numbers, in cells. */
const HEAD_HEIGHT = 0.3;

const HIGHEST = 440;

/** The part of the world in a picture: left, top, right, bottom. */
type Frame = readonly [number, number, number, number];

/** Replaces the contents of the SVG element `id`. One unit is the world's unit of length. */
class Picture {
  private readonly svg: SVGSVGElement;

  constructor(
    id: string,
    private readonly frame: Frame,
    head = 0,
  ) {
    const [left, top, right, bottom] = frame;
    const [width, height] = [right - left, bottom - top + head];
    this.svg = find(id, SVGSVGElement);
    this.svg.setAttribute('viewBox', [left, top - head, width, height].join(' '));
    this.svg.style.maxWidth = `${(HIGHEST * width) / height}px`;
    this.svg.replaceChildren();
  }

  private write(text: string, attributes: Readonly<Record<string, string | number>>): void {
    this.svg.append(draw('text', { ...attributes, ...UNREAD }, text));
  }

  cell([column = 0, row = 0]: readonly number[], edge: number, isShared = false): void {
    const kind = isShared ? 'lit shared' : 'lit';
    this.svg.append(
      draw('rect', { class: `cell ${kind}`, x: column * edge, y: row * edge, width: edge, height: edge }),
    );
  }

  /** `without` lists multiples of the edge that get no line. */
  borders(edge: number, without: readonly number[] = []): void {
    const [left, top, right, bottom] = this.frame;
    const lines = draw('g', { class: 'borders' });
    for (let column = Math.ceil(left / edge); column * edge <= right; column++) {
      if (!without.includes(column)) lines.append(line(column * edge, top, column * edge, bottom));
    }
    for (let row = Math.ceil(top / edge); row * edge <= bottom; row++) {
      if (!without.includes(row)) lines.append(line(left, row * edge, right, row * edge));
    }
    this.svg.append(lines);
  }

  axes(): void {
    const [left, top, right, bottom] = this.frame;
    const axes = draw('g', { class: 'axes' }, line(left, 0, right, 0), line(0, top, 0, bottom));
    this.svg.append(axes);
    for (const [x, y] of [
      [0.05, top + 0.2],
      [left + 0.05, -0.06],
    ] as const) {
      this.write('0', { class: 'number', x, y });
    }
  }

  /** Writes each column's cell above the picture. Line 0 is the lowest. */
  columns(line: number, label: string, cellOf: (x: number) => number): void {
    const [left, top, right] = this.frame;
    const cells = new Map<number, number[]>();
    for (const column of range(left, right)) {
      const cell = cellOf(column + 0.5);
      cells.set(cell, [...(cells.get(cell) ?? []), column]);
    }
    const y = top - 0.09 - line * HEAD_HEIGHT;
    for (const [cell, columns] of cells) {
      const x = (Math.min(...columns) + Math.max(...columns) + 1) / 2;
      // Turns −0 into 0.
      const text = `${label} ${withSign(cell + 0)}`;
      this.write(text, { class: 'number head', x, y });
    }
  }

  number([column = 0, row = 0]: readonly number[], text: string, positions: Float32Array): void {
    const middles = range(0, positions.length / 2).map((particle) => positionOf(positions, particle));
    this.write(text, { class: 'number', ...freeCorner(column, row, middles) });
  }

  particles(positions: Float32Array, diameter: number, marked?: number): void {
    for (const id of range(0, positions.length / 2)) {
      const [cx = 0, cy = 0] = positionOf(positions, id);
      const kind = id === marked ? 'disc marked' : 'disc';
      this.svg.append(draw('circle', { class: kind, cx, cy, r: diameter / 2 }));
    }
  }

  /**
   * Draws a line per contact. A contact that is not found twice (once from each side) also gets a mark: × if it is
   * never found, ½ if once, otherwise the number of times.
   */
  contacts(positions: Float32Array, search: Search): void {
    for (const pair of search.truth) {
      const times = timesFound(search, pair);
      const kind = times === 0 ? 'missed' : times === 1 ? 'half' : times === 2 ? 'found' : 'extra';
      const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = pair.flatMap((id: Pair[number]) => positionOf(positions, id));
      this.svg.append(draw('line', { class: `contact-line ${kind}`, x1, y1, x2, y2 }));
      if (kind === 'found') continue;
      const text = kind === 'missed' ? '×' : kind === 'half' ? '½' : `${times}`;
      this.write(text, { class: 'count', x: (x1 + x2) / 2, y: (y1 + y2) / 2 });
    }
  }
}

function withSign(value: number): string {
  return String(value).replace('-', '−');
}

function line(x1: number, y1: number, x2: number, y2: number): SVGLineElement {
  return draw('line', { x1, y1, x2, y2 });
}

function positionOf(positions: Float32Array, particle: number): number[] {
  return Array.from(positions.subarray(2 * particle, 2 * particle + 2));
}

function say(id: string, state: State, text: string): void {
  const verdict = find(id, HTMLElement);
  verdict.dataset.state = state;
  verdict.replaceChildren(make('strong', {}, STATES[state]), text);
}

/**
 * Shows a bar for the contacts found, then a bar per entry of `others`. An entry holds the value, the value at which
 * the bar is full, and a text.
 */
function showBars(
  id: string,
  search: Search,
  others: Readonly<Record<string, readonly [number, number, string]>>,
): void {
  const truth = 2 * search.truth.length;
  const found = countFound(search);
  const bars = Object.entries({
    Found: [
      found,
      Math.max(found, truth),
      `of ${truth}: brute force has ${describe(search.truth.length, 'contact')}, each with two sides`,
    ] as const,
    ...others,
  });
  find(id, HTMLElement).replaceChildren(
    ...bars.flatMap(([name, [value, end, compared]]) => {
      const fill = make('span', { class: 'fill' });
      fill.style.width = `${end > 0 ? Math.min(100, (100 * value) / end) : 0}%`;
      const amount = make('b', {}, String(value));
      return [
        make('dt', {}, name),
        make('dd', {}, make('span', { class: 'track' }, fill), amount, ` ${compared}`),
      ];
    }),
  );
}
