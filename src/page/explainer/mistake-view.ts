/** Shows the second chapter: mistakes that break a grid. */
import { latticeOfParticle } from '../../core/world/cells';
import { find, setText } from '../support/dom';
import { make } from './dom';
import { createFrame, FRAMES, tryFrame } from './ghosts';
import { createPairs, type Handling, tryHandling } from './handling';
import { HEAD_HEIGHT, Picture } from './mistake-picture';
import {
  CROWD_DIAMETER,
  cellsAround,
  countFound,
  createEndless,
  createTouching,
  fullestCell,
  isRight,
  type Rounding,
  TABLES,
  timesFound,
  tryCellSize,
  tryCrowd,
  tryRounding,
  tryTable,
} from './mistakes';
import { foundBar, say, showBars } from './verdict';
import { describe, formatNumber, joinWords, positionOf, range, withSign } from './words';

export function showMistakes(): void {
  showCellSizes();
  showRoundings();
  showTables();
  showHandlings();
  showFrames();
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
      const text = `With cells of ${size}, a search of the adjacent cells misses ${formatNumber(missed.length)} of ${describe(search.truth.length, 'contact')}. `;
      say('size-verdict', 'broken', `${text}The engine refuses this size: “${refusal}”`);
    } else if (refusal) {
      const text = `These particles happen to lie so that all ${formatNumber(search.truth.length)} contacts are found. The engine refuses this size: `;
      say('size-verdict', 'lucky', `${text}“${refusal}”`);
    } else {
      const looks = `All ${formatNumber(search.truth.length)} contacts are found from both sides, in ${formatNumber(search.looks)} looks`;
      if (isSlow)
        say(
          'size-verdict',
          'slow',
          `${looks}. Cells of one diameter need only ${formatNumber(tryCellSize(1, scene).search.looks)} looks.`,
        );
      else
        say('size-verdict', 'right', `${looks}. Without a grid there would be ${formatNumber(pairs)} looks.`);
    }
    showBars('size-bars', {
      Found: foundBar(search),
      Looks: [search.looks, pairs, `of ${formatNumber(pairs)} without a grid`],
    });
    const { min, max, inverseCellSize } = world;
    const edge = 1 / inverseCellSize;
    const [left = 0, top = 0] = min;
    const [right = 0, bottom = 0] = max;
    const picture = new Picture('size-picture', [left, top, right, bottom]);
    // Mark the particle nearest to the middle. If contacts are missed, choose only among their particles.
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
        `All contacts are found from both sides, ${found}, in ${formatNumber(search.looks)} looks.`,
      );
    } else if (rounding === 'truncate') {
      const text = `No contact is missed (${found} found), but the cells at the origin are twice as wide. This takes ${formatNumber(search.looks)} looks `;
      say(
        'floor-verdict',
        'slow',
        `${text}instead of ${formatNumber(right.looks)}, with up to ${fullest} particles in a cell instead of ${fullestCell('floor', scene)}.`,
      );
    } else {
      const text = `Only ${found} are found: a particle below zero is stored in one cell, but searches around the cell next to it. `;
      say(
        'floor-verdict',
        'broken',
        `${text}If a pair is found from one side only, one particle is pushed and the other is not.`,
      );
    }
    showBars('floor-bars', {
      Found: foundBar(search),
      Looks: [
        search.looks,
        2 * right.looks,
        `against ${formatNumber(right.looks)} with floor; a full bar is ${formatNumber(2 * right.looks)}`,
      ],
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
        `${text}${found} times. Particles find ${describe(twice, 'contact')} more than once from the same side, and would be pushed too often.`,
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

function showHandlings(): void {
  const scene = createPairs();
  const group = find('handling', HTMLFieldSetElement);
  const show = () => {
    const checked = group.querySelector<HTMLInputElement>('input:checked');
    const handling = (checked?.value ?? 'own') as Handling;
    const { search, moved, gap } = tryHandling(handling, scene);
    const contacts = describe(search.truth.length, 'contact');
    const pushes = countFound(search) / 2;
    if (handling === 'both') {
      const text = `The loop comes to each pair twice, once from each particle, and moves both particles each time: ${formatNumber(pushes)} pushes for ${contacts}. `;
      say(
        'handling-verdict',
        'broken',
        `${text}Particles that overlapped are now up to ${formatNumber(gap)} apart instead of just touching.`,
      );
    } else if (handling === 'larger') {
      const text = `The particle with the smaller id handles the pair, so there are ${formatNumber(pushes)} pushes for ${contacts}, in ${formatNumber(search.looks)} looks. `;
      say('handling-verdict', 'right', `${text}All particles that overlapped now just touch.`);
    } else {
      const text = `Each particle moves itself by half of the overlap: ${countFound(search)} half pushes for ${contacts}, in ${formatNumber(search.looks)} looks. `;
      say(
        'handling-verdict',
        'right',
        `${text}The engine does this, because two threads of a GPU must not move the same particle at once.`,
      );
    }
    showBars('handling-bars', {
      Pushes: [pushes, 2 * search.truth.length, `for ${contacts}`],
      'Widest gap': [gap, scene.diameter, `between particles that touched; a diameter is ${scene.diameter}`],
    });
    const [right = 0, bottom = 0] = scene.world.max;
    const picture = new Picture('handling-picture', [0, 0, right, bottom]);
    picture.borders(1);
    picture.particles(moved, scene.diameter);
    picture.ghosts(scene.positions, scene.diameter);
    picture.contacts(moved, search, (times) => `${times / 2}×`);
  };
  group.addEventListener('change', show);
  show();
}

function showFrames(): void {
  const slider = find('frame', HTMLInputElement);
  const clear = find('clear', HTMLInputElement);
  slider.max = String(FRAMES);
  const { world, diameter } = createFrame(1);
  const show = () => {
    const frame = slider.valueAsNumber;
    const { search, positions, ghosts, haunted, counted } = tryFrame(frame, clear.checked);
    const cleared = tryFrame(frame, true).search;
    const count = positions.length / 2;
    setText('frame-shown', `${frame} of ${FRAMES}`);
    slider.setAttribute('aria-valuetext', `Frame ${frame} of ${FRAMES}`);
    const all = `all ${describe(search.truth.length, 'contact')} are found from both sides`;
    if (clear.checked) {
      say('frame-verdict', 'right', `The counters add up to ${counted}, one for each particle, and ${all}.`);
    } else if (frame === 1) {
      say('frame-verdict', 'lucky', `In the first frame the counters start at 0, and ${all}.`);
    } else {
      const own = haunted.filter(({ particle, ghost }) => particle === ghost.particle).length;
      const text = `After ${frame} frames the counters add up to ${counted}, although there are ${count} particles. `;
      say(
        'frame-verdict',
        'broken',
        `${text}So the search still finds the entries of earlier frames: particles touch such ghosts ${haunted.length} times; in ${describe(own, 'case')}, the ghost is their own.`,
      );
    }
    const found = countFound(search) + haunted.length;
    const most = tryFrame(FRAMES, false);
    showBars('frame-bars', {
      Found: foundBar(search, found),
      Looks: [
        search.looks,
        most.search.looks,
        `against ${formatNumber(cleared.looks)} with cleared counters; a full bar is ${formatNumber(most.search.looks)}`,
      ],
    });
    const picture = new Picture('frame-picture', [0, 0, world.max[0] ?? 0, world.max[1] ?? 0]);
    picture.borders(1);
    const trail = ghosts.flatMap(({ x, y }) => [x, y]);
    picture.ghosts(trail, diameter, (ghost) => 1 - (frame - (ghosts[ghost]?.frame ?? 0)) / (FRAMES + 1));
    picture.particles(positions, diameter);
    for (const { particle, ghost } of haunted) {
      picture.join(positionOf(positions, particle), [ghost.x, ghost.y], 'haunted');
    }
    picture.contacts(positions, search);
  };
  slider.addEventListener('input', show);
  clear.addEventListener('change', show);
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
    const right = `Found: ${describe(countFound(search) / 2, 'contact')} of ${formatNumber(search.truth.length)}, in ${formatNumber(search.looks)} looks (${formatNumber(all)} without a grid)`;
    const order = `sorting the cells takes ${describe(comparisons, 'comparison')} of ids`;
    const crowds = isCrowded
      ? ' With the option crowds: true, the engine sorts such cells by merging instead.'
      : '';
    const isSlow = search.looks > all / 2;
    say(
      'crowd-verdict',
      isSlow ? 'slow' : 'right',
      `${right}; ${order}. The fullest cell has ${describe(fullest, 'particle')}.${crowds}`,
    );
    showBars('crowd-bars', {
      Found: foundBar(search),
      Looks: [search.looks, all, `of ${formatNumber(all)} without a grid`],
      Comparisons: [comparisons, all, 'of ids, to sort the cells'],
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
 * A line of text above the picture, which names a cell per column. `cellOf` returns the cell that stores a particle, or
 * the cell around which it searches.
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
