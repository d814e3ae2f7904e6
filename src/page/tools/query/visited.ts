/**
 * Says which cells a search of a grid visits, and which particles in them it tests. A search around a point or in a box
 * visits a block of cells. A search along a ray visits the cells within a particle's radius of the ray. With levels,
 * this holds for each level that has particles.
 *
 * The CPU engine widens blocks around points by a cell on each side, to allow for rounding. For the k nearest, it first
 * searches within the length of a cell. It doubles this reach until it has found k or reached the radius; only the last
 * search counts.
 */

import { shapesOf } from '../../../core/particles/shapes';
import { latticeOfParticle } from '../../../core/world/cells';
import { latticeAt, levelOf } from '../../../core/world/levels';
import { mergeLevels } from '../../../core/world/merged-levels';
import type { ParticleArrays, World } from '../../../index';
import { isFiniteParticle } from '../../../reference/measure/finite';
import { formatCount, formatCountOf } from '../../support/format';
import type { Question } from '../../view/answers';
import { type Edge, outlineOf, type VisitedCell } from './outline';

export interface Visited {
  readonly cells: number;
  /** The first visited cells, at most MOST_CELLS_DRAWN. */
  readonly drawn: readonly VisitedCell[];
  /** In 3D, the outline of the first `shown` cells is drawn in place of the cells. */
  readonly outline: readonly Edge[];
  readonly shown: number;
  /** Indices of particles. */
  readonly tested: readonly number[];
  /**
   * True if the search tests every particle, because there are fewer particles than cells to visit; on the GPU, fewer
   * than rows of cells.
   */
  readonly isAll: boolean;
}

export const MOST_CELLS_DRAWN = 4000;
/** Searches around points and along rays look this share of the coordinates farther, to allow for rounding. */
const MARGIN = 2 ** -20;
/** A ray is followed until it has passed this many cells. */
const MOST_CELLS_ALONG = 200_000;

/** Cells from `low` to `high`, both included. Along axes that wrap, they may lie beyond the ends. */
interface Block {
  readonly low: readonly number[];
  readonly high: readonly number[];
}

interface Level {
  readonly level: number;
  readonly size: number;
  /** First and last cell along each axis; infinite in an unbounded world. */
  readonly first: readonly number[];
  readonly last: readonly number[];
}

export interface Searcher {
  /** The largest radius if radii differ. */
  readonly radius: number;
  readonly backend: 'gpu' | 'cpu';
}

export function visitedBy(
  world: World,
  particles: ParticleArrays,
  question: Question,
  searcher: Searcher,
): Visited {
  if (question.kind !== 'nearest' || searcher.backend === 'gpu') {
    return visitedOnce(world, particles, question, searcher);
  }
  const { point, radius, k } = question;
  const wanted = Math.min(k, particles.ids.length);
  for (let reach = Math.min(radius, world.cellSize); ; reach = Math.min(radius, 2 * reach)) {
    const visited = visitedOnce(world, particles, { kind: 'near', point, radius: reach }, searcher);
    const within = visited.tested.filter((index) => distanceTo(world, particles, index, point) <= reach);
    if (visited.isAll || within.length >= wanted || reach >= radius) return visited;
  }
}

function distanceTo(
  world: World,
  { positions }: ParticleArrays,
  index: number,
  point: readonly number[],
): number {
  const apart = point.map((along, axis) => {
    const [difference, period] = [
      (positions[point.length * index + axis] as number) - along,
      world.period[axis] as number,
    ];
    return period > 0 ? difference - period * Math.round(difference / period) : difference;
  });
  return Math.hypot(...apart);
}

function visitedOnce(
  given: World,
  particles: ParticleArrays,
  question: Question,
  { radius, backend }: Searcher,
): Visited {
  const { dimensions } = given;
  const { positions, ids } = particles;
  const { radii } = shapesOf(dimensions, particles);
  const world = backend === 'gpu' ? mergeLevels(given, positions, radii) : given;
  const count = ids.length;
  const levelIndex = (index: number) =>
    radii && world.levels > 0 ? levelOf(world, radii[index] as number) : 0;
  const used = new Set<number>();
  for (let index = 0; index < count; index++) {
    const level = levelIndex(index);
    if (level !== undefined && isFiniteParticle(dimensions, positions, index)) used.add(level);
  }
  const plans = [...used]
    .sort((a, b) => a - b)
    .map((level) => planLevel(levelOfWorld(world, level), world, question, { radius, backend }));
  const cells = plans.reduce((sum, plan) => sum + plan.cells, 0);
  const rows = plans.reduce((sum, plan) => sum + plan.rows, 0);
  const isAll = fallsBack(world, question, backend) && (backend === 'gpu' ? rows : cells) > count;
  const byLevel = new Map(plans.map((plan) => [plan.level, plan]));
  const tested: number[] = [];
  for (let index = 0; index < count; index++) {
    const level = levelIndex(index);
    if (level === undefined || !isFiniteParticle(dimensions, positions, index)) continue;
    if (isAll || byLevel.get(level)?.includes(latticeIn(world, positions, index, level))) tested.push(index);
  }
  if (isAll) return { cells: 0, drawn: [], outline: [], shown: 0, tested, isAll };
  const drawn = plans.flatMap((plan) => plan.drawn).slice(0, MOST_CELLS_DRAWN);
  const outline = dimensions === 3 ? plans.flatMap(({ solids }) => outlineOf(solids)) : [];
  const alongRay = plans.reduce((sum, plan) => sum + plan.drawn.length, 0);
  const shown = dimensions === 2 ? drawn.length : question.kind === 'ray' ? alongRay : cells;
  return { cells, drawn, outline, shown, tested, isAll };
}

/** Says how many cells a search visits, and which of them are drawn. */
export function cellsText({ cells, shown }: Visited, dimensions: number): string {
  const visited = `${formatCountOf(cells, 'cell')} visited`;
  if (dimensions === 2) return shown < cells ? `${visited}, ${formatCount(shown)} of them drawn` : visited;
  const outlined = shown < cells ? `the outline of the first ${formatCount(shown)}` : 'their outline';
  return `${visited}; the lines are ${outlined}`;
}

/** Returns whether the search for this question may test all particles instead of visiting cells. */
function fallsBack(world: World, { kind }: Question, backend: 'gpu' | 'cpu'): boolean {
  const isSimple = world.kind !== 'unbounded' && world.levels === 0;
  return !(isSimple && (backend === 'cpu' || kind === 'box' || kind === 'ray'));
}

/** Returns cell coordinates. They begin at 0, unless the world is unbounded. */
function latticeIn(world: World, positions: Float32Array, index: number, level: number): number[] {
  if (world.levels > 0) return latticeAt(world, positions, index, level);
  const lattice = latticeOfParticle(world, positions, index);
  if (world.kind === 'unbounded') return lattice;
  // An axis that does not wrap has an empty cell at each end.
  return lattice.map((cell, axis) => (world.period[axis] === 0 ? cell - 1 : cell));
}

function levelOfWorld(world: World, level: number): Level {
  const size = world.cellSize * 2 ** level;
  if (world.kind === 'unbounded') {
    const all = world.cells.map(() => Number.POSITIVE_INFINITY);
    return { level, size, first: all.map((end) => -end), last: all };
  }
  const last = world.cells.map((along, axis) => {
    const wraps = (world.period[axis] as number) > 0;
    if (world.levels === 0) return wraps ? along - 1 : along - 3;
    return wraps ? (along >> level) - 1 : (along - 1) >> level;
  });
  return { level, size, first: last.map(() => 0), last };
}

interface Plan {
  readonly level: number;
  readonly cells: number;
  readonly rows: number;
  readonly drawn: readonly VisitedCell[];
  readonly solids: readonly VisitedCell[];
  includes(lattice: readonly number[]): boolean;
}

function planLevel(level: Level, world: World, question: Question, { radius, backend }: Searcher): Plan {
  if (question.kind === 'ray') return planRay(level, world, question, radiusOn(level, world, radius));
  const isBox = question.kind === 'box';
  const spare = backend === 'cpu' && !isBox ? 1 : 0;
  const around = (side: 1 | -1) => (along: number) => along + side * widened(question, Math.abs(along));
  const low = isBox ? question.min : question.point.map(around(-1));
  const high = isBox ? question.max : question.point.map(around(1));
  const block = blockBetween(level, world, low, high, spare);
  const lengths = block.low.map((first, axis) => Math.max(0, (block.high[axis] as number) - first + 1));
  const cells = lengths.reduce((product, length) => product * length, 1);
  return {
    level: level.level,
    cells,
    rows: lengths.slice(1).reduce((product, length) => product * length, 1),
    drawn: cellsOf(block, Math.min(cells, MOST_CELLS_DRAWN)).map((cell) => cornersOf(level, world, cell)),
    solids: cells > 0 ? solidsOf(level, world, block) : [],
    includes: (lattice) =>
      lattice.every((cell, axis) => {
        const [first, last] = [block.low[axis] as number, block.high[axis] as number];
        const along = (level.last[axis] as number) + 1;
        if ((world.period[axis] as number) === 0) return cell >= first && cell <= last;
        return first + modulo(cell - first, along) <= last;
      }),
  };
}

function widened(question: Question, coordinate: number): number {
  const radius = 'radius' in question ? question.radius : 0;
  return radius + MARGIN * (coordinate + radius);
}

/** Returns the largest radius on a level. A ray meets only balls in cells within this distance of the ray. */
function radiusOn({ level }: Level, world: World, radius: number): number {
  return world.levels > 0 ? Math.min(world.diameter, world.baseDiameter * 2 ** level) / 2 : radius;
}

function cellAt({ size }: Level, { min, kind }: World, axis: number, coordinate: number): number {
  const origin = kind === 'unbounded' ? 0 : (min[axis] as number);
  return Math.floor((coordinate - origin) / size);
}

function blockBetween(
  level: Level,
  world: World,
  low: readonly number[],
  high: readonly number[],
  spare: number,
): Block {
  const ends = low.map((from, axis) => {
    const [first, last] = [level.first[axis] as number, level.last[axis] as number];
    const begin = cellAt(level, world, axis, from) - spare;
    const end = cellAt(level, world, axis, high[axis] as number) + spare;
    // Along an axis that wraps, the block may pass an end, but must not overlap itself.
    if ((world.period[axis] as number) > 0) return end - begin >= last ? [0, last] : [begin, end];
    return [Math.min(last, Math.max(first, begin)), Math.max(first, Math.min(last, end))];
  });
  return { low: ends.map(([begin]) => begin as number), high: ends.map(([, end]) => end as number) };
}

/** Returns the first cells of a block, x fastest. */
function cellsOf({ low, high }: Block, most: number): number[][] {
  const lengths = low.map((first, axis) => (high[axis] as number) - first + 1);
  return Array.from({ length: most }, (_, index) => {
    let rest = index;
    return low.map((first, axis) => {
      const along = rest % (lengths[axis] as number);
      rest = Math.floor(rest / (lengths[axis] as number));
      return first + along;
    });
  });
}

/** Cells beyond an end that wraps are drawn where they are in the world. */
function cornersOf({ size, last }: Level, world: World, cell: readonly number[]): VisitedCell {
  const corner = (step: number) =>
    cell.map((along, axis) => {
      const length = world.period[axis] as number;
      const origin = world.kind === 'unbounded' ? 0 : (world.min[axis] as number);
      const inside = length > 0 ? modulo(along, (last[axis] as number) + 1) : along;
      const isLast = step === 1 && world.kind !== 'unbounded' && inside === last[axis];
      return isLast ? (world.max[axis] as number) : origin + (inside + step) * size;
    });
  return { min: corner(0), max: corner(1) };
}

/** Returns a block as boxes: several if it passes the ends of axes that wrap. */
function solidsOf(level: Level, world: World, { low, high }: Block): VisitedCell[] {
  const spans = low.map((first, axis) => {
    const end = high[axis] as number;
    const along = (level.last[axis] as number) + 1;
    if ((world.period[axis] as number) === 0) return [[first, end]] as const;
    const [from, to] = [modulo(first, along), modulo(end, along)];
    return end - first + 1 >= along
      ? ([[0, along - 1]] as const)
      : from <= to
        ? ([[from, to]] as const)
        : ([
            [from, along - 1],
            [0, to],
          ] as const);
  });
  const boxes = spans.reduce<(readonly (readonly [number, number])[])[]>(
    (all, own) => all.flatMap((box) => own.map((span) => [...box, span])),
    [[]],
  );
  return boxes.map((box) => ({
    min: cornersOf(
      level,
      world,
      box.map(([from]) => from),
    ).min,
    max: cornersOf(
      level,
      world,
      box.map(([, to]) => to),
    ).max,
  }));
}

function planRay(
  level: Level,
  world: World,
  { origin, direction, length }: Extract<Question, { kind: 'ray' }>,
  ballRadius: number,
): Plan {
  const farthest = Math.max(...origin.map(Math.abs)) + length;
  const radius = ballRadius + MARGIN * (farthest + ballRadius);
  const end = origin.map((along, axis) => along + length * (direction[axis] as number));
  const reach = (side: 1 | -1) =>
    origin.map((along, axis) => Math[side > 0 ? 'max' : 'min'](along, end[axis] as number) + side * radius);
  const [low, high] = [reach(-1), reach(1)];
  // The ray may wrap several times, so the block may be longer than the world.
  const block: Block = {
    low: low.map((along, axis) => clampCell(level, world, axis, cellAt(level, world, axis, along))),
    high: high.map((along, axis) => clampCell(level, world, axis, cellAt(level, world, axis, along))),
  };
  const found = new Map<string, number[]>();
  const dimensions = origin.length;
  const follow = (axis: number, cell: number[], from: number, to: number) => {
    if (found.size > MOST_CELLS_ALONG) return;
    const speed = direction[axis] as number;
    const ends = [from, to].map((time) => (origin[axis] as number) + speed * time);
    const first = clampCell(level, world, axis, cellAt(level, world, axis, Math.min(...ends) - radius));
    const last = clampCell(level, world, axis, cellAt(level, world, axis, Math.max(...ends) + radius));
    for (let along = first; along <= last; along++) {
      const next = [along, ...cell];
      if (axis === 0) {
        const wrapped = next.map((one, other) =>
          (world.period[other] as number) > 0 ? modulo(one, (level.last[other] as number) + 1) : one,
        );
        found.set(wrapped.join(), wrapped);
        continue;
      }
      const [early, late] = timesWithin(level, world, { origin, direction, radius }, axis, along, from, to);
      if (early <= late) follow(axis - 1, next, early, late);
    }
  };
  follow(dimensions - 1, [], 0, length);
  const cells = [...found.values()];
  const drawn = cells.slice(0, MOST_CELLS_DRAWN).map((cell) => cornersOf(level, world, cell));
  return {
    level: level.level,
    cells: cells.length,
    rows: block.low
      .slice(1)
      .reduce((sum, first, axis) => sum + 3 * ((block.high[axis + 1] as number) - first + 1), 0),
    ...{ drawn, solids: drawn },
    includes: (lattice) => found.has(lattice.join()),
  };
}

function clampCell({ first, last }: Level, { period }: World, axis: number, cell: number): number {
  if ((period[axis] as number) > 0) return cell;
  return Math.min(last[axis] as number, Math.max(first[axis] as number, cell));
}

/** Returns the times between `from` and `to` at which the ray is within the radius of a layer of cells. */
function timesWithin(
  level: Level,
  world: World,
  ray: { readonly origin: readonly number[]; readonly direction: readonly number[]; readonly radius: number },
  axis: number,
  cell: number,
  from: number,
  to: number,
): readonly [number, number] {
  const speed = ray.direction[axis] as number;
  if (speed === 0) return [from, to];
  const isOpen = (end: number | undefined) => (world.period[axis] as number) === 0 && cell === end;
  const base = world.kind === 'unbounded' ? 0 : (world.min[axis] as number);
  // Along an axis that does not wrap, the outermost cells contain everything farther out.
  const low = isOpen(level.first[axis]) ? Number.NEGATIVE_INFINITY : base + cell * level.size - ray.radius;
  const high = isOpen(level.last[axis])
    ? Number.POSITIVE_INFINITY
    : base + (cell + 1) * level.size + ray.radius;
  const times = [low, high].map((along) => (along - (ray.origin[axis] as number)) / speed);
  return [Math.max(from, Math.min(...times)), Math.min(to, Math.max(...times))];
}

function modulo(value: number, length: number): number {
  return ((value % length) + length) % length;
}
